//! The common request that every dialect is parsed into. Pure.

use greenroom_core::{ReplyOptions, ToolCall, TurnId};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::tools::Tools;
use crate::ApiError;

/// The greatest number of stop texts.
const MOST_STOPS: usize = 4;

/// A request to a persona, independent of a dialect.
#[derive(Debug, Default)]
pub(crate) struct ReplyRequest {
    /// A persona's name, perhaps with a channel: `ada@den`.
    pub(crate) model: String,
    /// The messages, oldest first.
    pub(crate) messages: Vec<InputMessage>,
    /// The person that the client names as the speaker.
    pub(crate) user: Option<String>,
    /// The channel that the body names.
    pub(crate) channel: Option<String>,
    /// Whether the reply comes as a stream.
    pub(crate) stream: bool,
    /// Temperature, length and more.
    pub(crate) reply_options: ReplyOptions,
    /// The client's function tools.
    pub(crate) tools: Tools,
    /// Switches recall off for this message (BD6).
    pub(crate) disable_memory: bool,
    /// A field of the request that has a meaning only in a channel.
    pub(crate) only_in_channel: Option<&'static str>,
    /// The turn of the channel that this one continues.
    pub(crate) previous: Option<TurnId>,
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InputMessage {
    /// Its place in the request.
    pub(crate) at: FieldPath,
    /// The message itself.
    pub(crate) message: RequestMessage,
}

/// The author of a message, as the dialects name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Instructions.
    System,
    /// The newer name of `system`.
    Developer,
    /// A person.
    User,
    /// The persona.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// A message, independent of a dialect.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RequestMessage {
    /// Instructions.
    System(Text),
    /// A message of a person.
    User {
        /// The person's name, in a conversation of several.
        name: Option<String>,
        text: Text,
    },
    /// A reply of the persona.
    Assistant {
        /// May be empty beside calls.
        text: Text,
        /// The tools it called.
        calls: Vec<ToolCall>,
    },
    /// The result of a tool call.
    Tool {
        /// The call's id.
        call: String,
        /// The result.
        text: Text,
    },
}

impl RequestMessage {
    /// A message of a role with nothing but a text.
    pub(crate) fn new(role: Role, text: Text) -> Self {
        match role {
            Role::System | Role::Developer => Self::System(text),
            Role::User => Self::User { name: None, text },
            Role::Assistant => Self::Assistant { text, calls: Vec::new() },
            Role::Tool => Self::Tool { call: String::new(), text },
        }
    }
}

/// A text, or why it cannot be read. In a channel older messages are not read, so an image in them is no error there.
pub(crate) type Text = Result<String, String>;

/// The place of a message in a request, as `messages[3]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FieldPath {
    /// The field.
    pub(crate) field: &'static str,
    /// The index in it; `None` if the field itself is the message.
    pub(crate) index: Option<usize>,
}

impl FieldPath {
    /// The `n`th of a field.
    pub(crate) fn nth(field: &'static str, n: usize) -> Self {
        Self { field, index: Some(n) }
    }

    /// The field itself.
    pub(crate) fn field(field: &'static str) -> Self {
        Self { field, index: None }
    }
}

impl std::fmt::Display for FieldPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.index {
            Some(n) => write!(f, "{}[{n}]", self.field),
            None => f.write_str(self.field),
        }
    }
}

/// The text of an image, a sound or a file.
pub(crate) fn only_text<T>() -> Result<T, String> {
    Err("only text can be read here, no images, audio or files".into())
}

/// The checked options of a reply. `limit` is the name of the field for the longest reply.
pub(crate) fn reply_options(
    temperature: Option<f32>,
    (limit, max_output_tokens): (&'static str, Option<u32>),
    extra: Map<String, Value>,
) -> Result<ReplyOptions, ApiError> {
    if max_output_tokens == Some(0) {
        return Err(ApiError::invalid("ask for at least 1 token").about(limit));
    }
    if temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
        return Err(ApiError::invalid("the temperature is a number from 0 to 2").about("temperature"));
    }
    Ok(ReplyOptions { temperature, max_output_tokens, extra })
}

/// Whether a value is a valid `stop`: a text, or a list of up to four.
pub(crate) fn is_stops(value: &Value) -> bool {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    text(value) || value.as_array().is_some_and(|all| all.len() <= MOST_STOPS && all.iter().all(text))
}

/// The refusal of other values.
pub(crate) const STOPS: &str = "it is a text or up to 4 of them, and none is empty";
