//! The bodies of Ollama's API. Pure.

use greenroom_core::ToolCall;
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

/// The body of a chat.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ollama::ChatBody)]
pub(super) struct ChatBody {
    /// A persona's name, perhaps with a channel: `ada@den`.
    model: String,
    /// The conversation; in a channel only the last message of a user counts. Without any nothing is done.
    messages: Option<Vec<Message>>,
    /// Tools of the client; their calls come back.
    #[schema(value_type = Option<Vec<Object>>)]
    tools: Option<Vec<Value>>,
    #[serde(flatten)]
    common: Common,
}

/// The body of a prompt.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ollama::GenerateBody)]
pub(super) struct GenerateBody {
    /// A persona's name, perhaps with a channel: `ada@den`.
    model: String,
    /// The message. Without it nothing is done.
    prompt: Option<String>,
    /// Instructions.
    system: Option<String>,
    /// Refused: a persona answers, and fills in nothing.
    suffix: Option<String>,
    /// Refused: only text can be read.
    images: Option<Vec<String>>,
    #[serde(flatten)]
    common: Common,
}

/// The fields of both.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ollama::Common)]
struct Common {
    /// Whether the answer comes as a stream, which is the default.
    stream: Option<bool>,
    /// `json`, or the JSON Schema of the answer.
    format: Option<Value>,
    /// `temperature`, `num_predict`, `stop`, `seed`, `top_p`, `presence_penalty` and `frequency_penalty`; the
    /// rest is ignored.
    #[schema(value_type = Option<Object>)]
    options: Option<Options>,
}

#[derive(Debug, Default, Deserialize)]
struct Options {
    temperature: Option<f32>,
    num_predict: Option<i64>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// One message.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ollama::Message)]
struct Message {
    /// The author.
    role: Role,
    /// The text.
    content: Option<String>,
    /// Refused: only text can be read.
    images: Option<Vec<String>>,
    /// The calls of an assistant.
    #[schema(value_type = Option<Vec<Object>>)]
    tool_calls: Option<Vec<Call>>,
    /// The tool whose result a tool's message is.
    tool_name: Option<String>,
    /// The call, where the client names it.
    tool_call_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Call {
    id: Option<String>,
    function: Called,
}

#[derive(Debug, Deserialize)]
struct Called {
    name: String,
    #[serde(default)]
    arguments: Value,
}

impl ChatBody {
    pub(super) fn model(&self) -> &str {
        &self.model
    }

    /// Whether the client only asks to load the model.
    pub(super) fn only_loads(&self) -> bool {
        self.messages.as_ref().is_none_or(Vec::is_empty)
    }

    /// The request.
    pub(super) fn into_request(self) -> Result<ReplyRequest, ApiError> {
        let mut ask = self.common.into_request(self.model)?;
        ask.tools = Tools::read(self.tools, |tool, _| Ok(tool), None, &mut ask.reply_options.extra)?;
        ask.messages = read(self.messages.unwrap_or_default());
        Ok(ask)
    }
}

impl GenerateBody {
    pub(super) fn model(&self) -> &str {
        &self.model
    }

    /// Whether the client only asks to load the model.
    pub(super) fn only_loads(&self) -> bool {
        self.prompt.as_ref().is_none_or(String::is_empty)
    }

    /// The request.
    pub(super) fn into_request(self) -> Result<ReplyRequest, ApiError> {
        if self.suffix.is_some_and(|suffix| !suffix.is_empty()) {
            return Err(ApiError::invalid("a persona answers, and fills in nothing").about("suffix"));
        }
        let mut ask = self.common.into_request(self.model)?;
        let system = self.system.filter(|system| !system.is_empty());
        let system = system.map(|text| InputMessage {
            at: FieldPath::field("system"),
            message: RequestMessage::System(Ok(text)),
        });
        let text = readable(self.prompt.unwrap_or_default(), self.images.as_deref());
        let prompt = InputMessage {
            at: FieldPath::field("prompt"),
            message: RequestMessage::User { name: None, text },
        };
        ask.messages = system.into_iter().chain([prompt]).collect();
        Ok(ask)
    }
}

impl Common {
    fn into_request(self, model: String) -> Result<ReplyRequest, ApiError> {
        let Options { temperature, num_predict, rest } = self.options.unwrap_or_default();
        let mut extra = Map::new();
        for (field, value) in rest.into_iter().filter(|(_, value)| !value.is_null()) {
            match field.as_str() {
                "stop" if value == json!([]) => {}
                "stop" if !is_stops(&value) => return Err(ApiError::invalid(STOPS).about("options.stop")),
                "stop" | "seed" | "top_p" | "presence_penalty" | "frequency_penalty" => {
                    extra.insert(field, value);
                }
                _ => {}
            }
        }
        extra.extend(form(self.format)?.map(|form| ("response_format".to_owned(), form)));
        // -1 and -2 mean that there is no limit
        let limit = num_predict.filter(|limit| *limit >= 0);
        let limit = limit.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
        Ok(ReplyRequest {
            model,
            stream: self.stream.unwrap_or(true),
            reply_options: reply_options(temperature, ("options.num_predict", limit), extra)?,
            ..ReplyRequest::default()
        })
    }
}

/// The format of the answer, converted to the form of the chat completions API, which models get.
fn form(format: Option<Value>) -> Result<Option<Value>, ApiError> {
    match format {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(none)) if none.is_empty() => Ok(None),
        Some(Value::String(json)) if json == "json" => Ok(Some(json!({ "type": "json_object" }))),
        Some(Value::Object(schema)) => {
            Ok(Some(json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema } })))
        }
        Some(_) => Err(ApiError::invalid("`format` is `json` or a JSON Schema").about("format")),
    }
}

fn readable(text: String, images: Option<&[String]>) -> Text {
    match images {
        None | Some([]) => Ok(text),
        Some(_) => only_text(),
    }
}

/// The messages. Ollama's calls have no ids, so a result belongs to the first open call of its tool.
fn read(messages: Vec<Message>) -> Vec<InputMessage> {
    // the calls that have no result yet
    let mut open: Vec<(String, String)> = Vec::new();
    let mut given = 0;
    let message = |(n, message): (usize, Message)| {
        let Message { role, content, images, tool_calls, tool_name, tool_call_id } = message;
        let text = readable(content.unwrap_or_default(), images.as_deref());
        let message = match role {
            Role::Assistant => {
                let call = |Call { id, function: Called { name, arguments } }| {
                    given += 1;
                    let arguments = match arguments {
                        Value::Null => "{}".to_owned(),
                        Value::String(raw) => raw,
                        arguments => arguments.to_string(),
                    };
                    ToolCall { id: id.unwrap_or_else(|| format!("call_{given}")), name, arguments }
                };
                let calls: Vec<ToolCall> = tool_calls.into_iter().flatten().map(call).collect();
                open = calls.iter().map(|call| (call.id.clone(), call.name.clone())).collect();
                RequestMessage::Assistant { text, calls }
            }
            Role::Tool => {
                let meant = |(id, name): &(String, String)| match (&tool_call_id, &tool_name) {
                    (Some(wanted), _) => id == wanted,
                    (None, Some(tool)) => name == tool,
                    (None, None) => true,
                };
                let at = open.iter().position(meant);
                RequestMessage::Tool { call: at.map(|at| open.remove(at).0).unwrap_or_default(), text }
            }
            role => RequestMessage::new(role, text),
        };
        InputMessage { at: FieldPath::nth("messages", n), message }
    };
    messages.into_iter().enumerate().map(message).collect()
}

#[cfg(test)]
mod tests;
