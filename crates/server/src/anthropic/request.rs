//! The body of a request to Anthropic's API. Pure.

use greenroom_core::ToolCall;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::{
    ApiError,
    dialect::{
        request::{
            FieldPath, InputMessage, ReplyRequest, RequestMessage, Role, STOPS, Text, is_stops, only_text,
            reply_options,
        },
        tools::Tools,
    },
};

/// Anthropic's SDK reacts to this code by sending the whole conversation. Its tool runner and its threads send `thread`
/// first, and work without it.
const UNSUPPORTED_THREAD: &str = "thread_unsupported_request";

/// The body of a request.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = anthropic::MessagesBody)]
pub(super) struct MessagesBody {
    /// A persona's name, perhaps with a channel: `ada@den`.
    model: String,
    /// The conversation; in a channel only the last message of a user counts.
    #[schema(min_items = 1)]
    messages: Vec<Turn>,
    /// The longest answer in tokens; the persona's limit applies too.
    #[schema(minimum = 1, maximum = 4_294_967_295u64)]
    max_tokens: Option<u32>,
    /// Instructions.
    system: Option<Content>,
    /// Whether the answer comes as a stream.
    stream: Option<bool>,
    /// Sampling temperature; without it the persona's.
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f32>,
    /// Goes to the model.
    top_p: Option<f64>,
    /// Texts to stop at.
    stop_sequences: Option<Vec<String>>,
    /// Tools of the client; their calls come back as `tool_use`.
    #[schema(value_type = Option<Vec<Object>>)]
    tools: Option<Vec<Value>>,
    /// `auto`, `any`, `none`, or one `tool`.
    #[schema(value_type = Option<Object>)]
    tool_choice: Option<Map<String, Value>>,
    /// `user_id`: with an operator's key the person who speaks.
    metadata: Option<Metadata>,
    /// The form of the answer: `format`.
    #[schema(value_type = Option<Object>)]
    output_config: Option<Map<String, Value>>,
    /// Refused: a conversation the server keeps. The SDK then sends the whole conversation.
    #[schema(value_type = Option<Object>)]
    thread: Option<Value>,
}

/// The body of a count.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = anthropic::CountBody)]
pub(super) struct CountBody {
    /// A persona's name.
    model: String,
    /// The conversation.
    messages: Vec<Map<String, Value>>,
    /// Instructions.
    system: Option<Content>,
    /// Tools.
    tools: Option<Vec<Map<String, Value>>>,
}

/// The person who speaks.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = anthropic::Metadata)]
struct Metadata {
    /// The person.
    user_id: Option<String>,
}

/// One message.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = anthropic::Message)]
struct Turn {
    /// The author.
    role: Role,
    /// The content.
    content: Content,
}

/// The content of a message.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = anthropic::Content)]
enum Content {
    /// A text.
    Text(String),
    /// Blocks: texts, calls of tools and their results.
    Blocks(Vec<Map<String, Value>>),
}

/// A block of a content.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        content: Option<Content>,
        is_error: Option<bool>,
    },
    /// The reasoning of a model, which is left out.
    Thinking {},
    RedactedThinking {},
    /// An image, a document, a search.
    #[serde(other)]
    Other,
}

impl MessagesBody {
    /// The request.
    pub(super) fn into_request(self) -> Result<ReplyRequest, ApiError> {
        if self.thread.is_some() {
            let message = "nothing is kept between requests here: send the whole conversation as `messages`";
            return Err(ApiError::new(StatusCode::BAD_REQUEST, UNSUPPORTED_THREAD, message).about("thread"));
        }
        let mut extra = Map::new();
        if let Some(stops) = self.stop_sequences.filter(|stops| !stops.is_empty()) {
            let stops = json!(stops);
            if !is_stops(&stops) {
                return Err(ApiError::invalid(STOPS).about("stop_sequences"));
            }
            extra.insert("stop".into(), stops);
        }
        extra.extend(self.top_p.map(|top_p| ("top_p".to_owned(), json!(top_p))));
        extra.extend(form(self.output_config)?.map(|form| ("response_format".to_owned(), form)));
        let choice = self.tool_choice.map(|choice| chosen(choice, &mut extra)).transpose()?;
        let tools = Tools::read(self.tools, function, choice, &mut extra)?;
        let system = self.system.map(|system| InputMessage {
            at: FieldPath::field("system"),
            message: RequestMessage::System(text(system)),
        });
        let mut messages: Vec<InputMessage> = system.into_iter().collect();
        for (n, turn) in self.messages.into_iter().enumerate() {
            read(turn, n, &mut messages)?;
        }
        Ok(ReplyRequest {
            model: self.model,
            messages,
            user: self.metadata.and_then(|metadata| metadata.user_id),
            stream: self.stream.unwrap_or_default(),
            reply_options: reply_options(self.temperature, ("max_tokens", self.max_tokens), extra)?,
            tools,
            ..ReplyRequest::default()
        })
    }
}

impl CountBody {
    pub(super) fn model(&self) -> &str {
        &self.model
    }

    /// The number of tokens, estimated.
    pub(super) fn tokens(&self) -> usize {
        let system = self.system.as_ref().map_or(0, |system| match system {
            Content::Text(text) => text.chars().count(),
            Content::Blocks(blocks) => blocks.iter().flat_map(Map::values).map(characters).sum(),
        });
        let rest = self.messages.iter().chain(self.tools.iter().flatten());
        let rest: usize = rest.flat_map(Map::values).map(characters).sum();
        (system + rest).div_ceil(4)
    }
}

/// The characters of all texts in a document.
fn characters(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(all) => all.iter().map(characters).sum(),
        Value::Object(fields) => fields.values().map(characters).sum(),
        _ => 0,
    }
}

/// Adds the messages of a turn: the results of tools, then the text with its calls.
fn read(Turn { role, content }: Turn, n: usize, messages: &mut Vec<InputMessage>) -> Result<(), ApiError> {
    let at = FieldPath::nth("messages", n);
    let blocks = match content {
        Content::Text(text) => {
            messages.push(InputMessage { at, message: RequestMessage::new(role, Ok(text)) });
            return Ok(());
        }
        Content::Blocks(blocks) => blocks,
    };
    let (mut texts, mut called, before) = (Vec::new(), Vec::new(), messages.len());
    for block in blocks {
        let block = Block::deserialize(Value::Object(block));
        match block.map_err(|error| ApiError::invalid(error.to_string()).about(at.to_string()))? {
            Block::Text { text } => texts.push(Ok(text)),
            Block::Other => texts.push(only_text()),
            Block::Thinking {} | Block::RedactedThinking {} => {}
            Block::ToolUse { id, name, input } => {
                called.push(ToolCall { id, name, arguments: input.to_string() });
            }
            Block::ToolResult { tool_use_id, content, is_error } => {
                let text = content.map_or(Ok(String::new()), text);
                let text =
                    text.map(|text| if is_error == Some(true) { format!("Error: {text}") } else { text });
                messages.push(InputMessage { at, message: RequestMessage::Tool { call: tool_use_id, text } });
            }
        }
    }
    let only_results = texts.is_empty() && called.is_empty() && messages.len() > before;
    if !only_results {
        let mut message = RequestMessage::new(role, joined(texts));
        if let RequestMessage::Assistant { calls, .. } = &mut message {
            *calls = called;
        }
        messages.push(InputMessage { at, message });
    }
    Ok(())
}

/// The text of a content that has only text blocks.
fn text(content: Content) -> Text {
    let blocks = match content {
        Content::Text(text) => return Ok(text),
        Content::Blocks(blocks) => blocks,
    };
    let text = |block| match Block::deserialize(Value::Object(block)) {
        Ok(Block::Text { text }) => Ok(text),
        _ => only_text(),
    };
    joined(blocks.into_iter().map(text).collect())
}

fn joined(texts: Vec<Text>) -> Text {
    Ok(texts.into_iter().collect::<Result<Vec<_>, _>>()?.join("\n"))
}

/// A tool in the form of the chat completions API, which models are sent.
fn function(tool: Value, n: usize) -> Result<Value, ApiError> {
    let wrong = |message: &str| ApiError::invalid(message).about(format!("tools[{n}]"));
    let Value::Object(mut tool) = tool else { return Err(wrong("a tool is an object")) };
    if tool.get("type").is_some_and(|kind| !kind.is_null() && kind != "custom") {
        return Err(wrong("only tools of the client are on offer here; a persona has its own beside them"));
    }
    let mut function = Map::new();
    for (from, to) in [
        ("name", "name"),
        ("description", "description"),
        ("input_schema", "parameters"),
        ("strict", "strict"),
    ] {
        function
            .extend(tool.remove(from).filter(|value| !value.is_null()).map(|value| (to.to_owned(), value)));
    }
    Ok(json!({ "type": "function", "function": function }))
}

/// The choice of a tool, in the form of the chat completions API.
fn chosen(choice: Map<String, Value>, extra: &mut Map<String, Value>) -> Result<Value, ApiError> {
    if choice.get("disable_parallel_tool_use") == Some(&json!(true)) {
        extra.insert("parallel_tool_calls".into(), json!(false));
    }
    match choice.get("type").and_then(Value::as_str) {
        Some("auto") => Ok(json!("auto")),
        Some("any") => Ok(json!("required")),
        Some("none") => Ok(json!("none")),
        Some("tool") => Ok(json!({ "type": "function", "function": { "name": choice.get("name") } })),
        _ => {
            Err(ApiError::invalid("`tool_choice` is of the type auto, any, none or tool")
                .about("tool_choice"))
        }
    }
}

/// The format of the answer, in the form of the chat completions API.
fn form(config: Option<Map<String, Value>>) -> Result<Option<Value>, ApiError> {
    let Some(format) =
        config.and_then(|mut config| config.remove("format")).filter(|format| !format.is_null())
    else {
        return Ok(None);
    };
    if format["type"] != "json_schema" {
        return Err(ApiError::invalid("a format is of the type json_schema").about("output_config.format"));
    }
    let schema = json!({ "name": "answer", "schema": format["schema"], "strict": true });
    Ok(Some(json!({ "type": "json_schema", "json_schema": schema })))
}

#[cfg(test)]
mod tests;
