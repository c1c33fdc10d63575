//! The request to a model and its cost: the types that every model, counter and assembler shares.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};
use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};
use utoipa::ToSchema;

use crate::Image;

/// The speaker of a message in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions and context.
    System,
    /// Every speaker except the answering persona.
    User,
    /// The answering persona.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message of a request, in the order it is sent. Serialises as OpenAI's chat format.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct ChatMessage {
    /// The speaker.
    pub role: Role,
    /// The text; empty when an assistant message only calls tools.
    pub content: String,
    /// The tool calls an assistant message makes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The id of the call that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The images of the message, for a model that accepts images. The text describes them as well.
    #[serde(skip)]
    pub images: Vec<Image>,
}

impl ChatMessage {
    /// A plain message.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), tool_calls: Vec::new(), tool_call_id: None, images: Vec::new() }
    }
    /// The answer to one tool call.
    pub fn tool_result(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { tool_call_id: Some(call_id.into()), ..Self::new(Role::Tool, content) }
    }
}

/// A tool call as the model made it. `arguments` is the raw text: the caller checks whether it is valid JSON (L15).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct ToolCall {
    /// The model's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
}

/// The description of a tool that a model gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolSchema {
    /// The name to call it by.
    pub name: String,
    /// The tool's purpose.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// A tool that a request offers. The schema is the same in every request, so its JSON is written once, its tokens are
/// counted once, and all requests share both.
#[derive(Clone)]
pub struct Offered(Arc<OnOffer>);

struct OnOffer {
    schema: ToolSchema,
    json: Box<RawValue>,
    /// The name of the first counter that counted the JSON, and its count.
    tokens: OnceLock<(String, usize)>,
}

impl ToolSchema {
    /// Whether the parameters name no argument, so that there is only one way to call the tool.
    pub fn takes_nothing(&self) -> bool {
        let arguments = self.parameters.get("properties").and_then(Value::as_object);
        arguments.is_none_or(Map::is_empty)
    }
}

impl Offered {
    /// The schema as JSON.
    pub fn json(&self) -> &RawValue {
        &self.0.json
    }

    /// The tokens of the JSON by the counter of this name. The count is cached for the first counter and repeated for
    /// every other.
    pub fn tokens(&self, counter: &str, count: impl Fn(&str) -> usize) -> usize {
        let count = || count(self.json().get());
        let (by, tokens) = self.0.tokens.get_or_init(|| (counter.to_owned(), count()));
        if by == counter { *tokens } else { count() }
    }
}

impl From<ToolSchema> for Offered {
    fn from(schema: ToolSchema) -> Self {
        // a value with text keys always serialises
        let json = to_raw_value(&schema).unwrap_or_default();
        Self(Arc::new(OnOffer { schema, json, tokens: OnceLock::new() }))
    }
}

impl Deref for Offered {
    type Target = ToolSchema;

    fn deref(&self) -> &ToolSchema {
        &self.0.schema
    }
}

impl PartialEq for Offered {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.schema.fmt(f)
    }
}

/// Tokens of a call, as reported by the endpoint, or as Greenroom counted them where the endpoint reported none
/// (L14).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// Tokens of the request.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// True when Greenroom counted because the endpoint reported nothing.
    #[serde(default)]
    pub estimated: bool,
    /// The cost in millionths of the prices' currency; absent where no price is known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cost_micros: u64,
}

// serde calls this with a reference
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Usage {
    /// Request and answer together.
    pub fn total(&self) -> u64 {
        self.prompt_tokens + self.completion_tokens
    }
    /// The sum of two calls of one turn.
    pub fn plus(self, other: Usage) -> Usage {
        Usage {
            prompt_tokens: self.prompt_tokens + other.prompt_tokens,
            completion_tokens: self.completion_tokens + other.completion_tokens,
            estimated: self.estimated || other.estimated,
            cost_micros: self.cost_micros.saturating_add(other.cost_micros),
        }
    }
}
