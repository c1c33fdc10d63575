//! The body of a chat completion. Unknown fields are ignored; a field that would change the reply and has no effect
//! here is refused. Pure.

use greenroom_core::ToolCall;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{
    ApiError,
    dialect::{
        request::{
            FieldPath, InputMessage, ReplyRequest, RequestMessage, Role, Text, only_text, reply_options,
        },
        tools::{Tool, Tools},
    },
    openai::fields::{channel, passed_on, user},
};

/// The body of a chat completion, as the OpenAI API has it.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::ChatBody)]
pub(super) struct ChatBody {
    /// A persona's name, perhaps with a channel: `ada@den`.
    model: String,
    /// The conversation; in a channel only the last message of a user counts.
    #[schema(min_items = 1)]
    messages: Vec<Message>,
    /// Whether the answer comes as a stream.
    stream: Option<bool>,
    /// Options of a stream.
    stream_options: Option<StreamOptions>,
    /// Sampling temperature; without it the persona's.
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f32>,
    /// The longest answer in tokens; the persona's limit applies too.
    #[schema(minimum = 1, maximum = 4_294_967_295u64)]
    max_completion_tokens: Option<u32>,
    /// The older name of `max_completion_tokens`.
    #[schema(minimum = 1, maximum = 4_294_967_295u64)]
    max_tokens: Option<u32>,
    /// Tools of the client; their calls come back as `tool_calls`.
    #[schema(value_type = Option<Vec<Tool>>)]
    tools: Option<Vec<Value>>,
    /// `auto`, `none`, `required`, or one tool.
    tool_choice: Option<Value>,
    /// `channel`: the channel to send the message to. Other fields are ignored.
    metadata: Option<Map<String, Value>>,
    /// Recall nothing for this message.
    disable_memory: Option<bool>,
    /// `stop`, `top_p`, `seed`, `response_format`, `presence_penalty`, `frequency_penalty`, `logit_bias`,
    /// `reasoning_effort`, `verbosity` go to the model as they are.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Options of a stream.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::StreamOptions)]
struct StreamOptions {
    /// Whether the stream ends with a chunk that contains the usage.
    include_usage: Option<bool>,
}

/// One message of the conversation.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(as = openai::Message)]
struct Message {
    /// The author.
    role: Role,
    /// The text; may be absent beside `tool_calls`.
    content: Option<Content>,
    /// The person, where several speak and the key is an operator's.
    name: Option<String>,
    /// The calls of an assistant.
    tool_calls: Option<Vec<Call>>,
    /// The call that a tool's message answers.
    tool_call_id: Option<String>,
}

/// The content of a message.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = openai::Content)]
pub(in crate::openai) enum Content {
    /// A text.
    Text(String),
    /// Parts of one; texts only.
    Parts(Vec<Part>),
}

/// A part of a content.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(as = openai::Part)]
pub(in crate::openai) struct Part {
    /// `text` or `refusal`.
    #[serde(rename = "type")]
    kind: String,
    /// The text.
    text: Option<String>,
    /// The text of a refusal.
    refusal: Option<String>,
}

/// A tool call an assistant made.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(as = openai::Call)]
struct Call {
    /// The call's id.
    id: String,
    /// The function.
    function: FunctionCall,
}

/// The function of a call.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(as = openai::Called)]
struct FunctionCall {
    /// The tool's name.
    name: String,
    /// The arguments as JSON.
    arguments: String,
}

impl ChatBody {
    /// Whether a stream ends with the usage.
    pub(super) fn wants_usage(&self) -> bool {
        self.stream_options.as_ref().and_then(|options| options.include_usage).unwrap_or_default()
    }

    /// The request.
    pub(super) fn into_request(self) -> Result<ReplyRequest, ApiError> {
        let user = user(&self.rest)?;
        let mut extra = passed_on(self.rest)?;
        let limit = [self.max_completion_tokens, self.max_tokens].into_iter().flatten().min();
        let tools = Tools::read(self.tools, |tool, _| Ok(tool), self.tool_choice, &mut extra)?;
        let messages = self.messages.into_iter().enumerate();
        Ok(ReplyRequest {
            model: self.model,
            messages: messages.map(|(n, message)| message.read(n)).collect(),
            user,
            channel: channel(self.metadata.as_ref())?,
            stream: self.stream.unwrap_or_default(),
            reply_options: reply_options(self.temperature, ("max_completion_tokens", limit), extra)?,
            tools,
            disable_memory: self.disable_memory.unwrap_or_default(),
            ..ReplyRequest::default()
        })
    }
}

impl Message {
    fn read(self, n: usize) -> InputMessage {
        let Self { role, content, name, tool_calls, tool_call_id } = self;
        let text = match content {
            None if role == Role::Assistant => Ok(String::new()),
            None => Err("it has no content".into()),
            Some(content) => text_of(content),
        };
        let message = match role {
            Role::User => RequestMessage::User { name, text },
            Role::Assistant => {
                let call = |Call { id, function: FunctionCall { name, arguments } }| ToolCall {
                    id,
                    name,
                    arguments,
                };
                RequestMessage::Assistant {
                    text,
                    calls: tool_calls.into_iter().flatten().map(call).collect(),
                }
            }
            Role::Tool => RequestMessage::Tool { call: tool_call_id.unwrap_or_default(), text },
            Role::System | Role::Developer => RequestMessage::System(text),
        };
        InputMessage { at: FieldPath::nth("messages", n), message }
    }
}

/// The text of a content.
pub(in crate::openai) fn text_of(content: Content) -> Text {
    let parts = match content {
        Content::Text(text) => return Ok(text),
        Content::Parts(parts) => parts,
    };
    let text = |part: Part| match part.kind.as_str() {
        "text" | "input_text" | "output_text" => {
            part.text.ok_or_else(|| format!("a part of the type {} has no text", part.kind))
        }
        "refusal" => Ok(part.refusal.unwrap_or_default()),
        _ => only_text(),
    };
    Ok(parts.into_iter().map(text).collect::<Result<Vec<_>, _>>()?.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(fields: Value) -> Result<ReplyRequest, ApiError> {
        let mut body = json!({ "model": "ada", "messages": [{ "role": "user", "content": "hi" }] });
        body.as_object_mut().unwrap().append(&mut fields.as_object().unwrap().clone());
        serde_json::from_value::<ChatBody>(body).unwrap().into_request()
    }

    #[test]
    fn what_cannot_be_done_is_refused_by_name() {
        for (fields, param) in [
            (json!({ "n": 2 }), "n"),
            (json!({ "temperature": 2.5 }), "temperature"),
            (json!({ "max_tokens": 0 }), "max_completion_tokens"),
            (json!({ "metadata": { "channel": 7 } }), "metadata.channel"),
            (json!({ "tools": [{ "type": "web" }] }), "tools[0]"),
            (json!({ "tool_choice": "required" }), "tool_choice"),
        ] {
            let error = ask(fields).unwrap_err();
            assert_eq!((error.status.as_u16(), error.param.as_deref()), (400, Some(param)));
        }
    }

    #[test]
    fn both_limits_are_understood_and_the_smaller_holds() {
        let reply_options =
            ask(json!({ "max_tokens": 9, "max_completion_tokens": 7 })).unwrap().reply_options;
        assert_eq!(reply_options.max_output_tokens, Some(7));
    }

    #[test]
    fn tools_go_to_the_model_as_they_came() {
        let tool = json!({ "type": "function", "function": { "name": "weather", "strict": true } });
        let brought = ask(json!({ "tools": [tool], "tool_choice": "required" })).unwrap();
        assert_eq!(brought.tools.names(), ["weather"]);
        assert_eq!(brought.reply_options.extra["tools"], json!([tool]));
        assert!(!brought.tools.own, "a call of theirs is demanded");
    }

    #[test]
    fn messages_are_read_with_their_parts_calls_and_results() {
        let call =
            json!({ "id": "c1", "type": "function", "function": { "name": "weather", "arguments": "{}" } });
        let parts = json!([{ "type": "text", "text": "Speak" }, { "type": "text", "text": "French." }]);
        let image = json!([{ "type": "image_url", "image_url": { "url": "x" } }]);
        let messages = json!([
            { "role": "developer", "content": parts },
            { "role": "user", "content": "hi", "name": "Mia" },
            { "role": "assistant", "content": null, "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "c1", "content": "rain" },
            { "role": "user", "content": image },
            { "role": "user" },
        ]);
        let messages: Vec<RequestMessage> =
            ask(json!({ "messages": messages })).unwrap().messages.into_iter().map(|m| m.message).collect();
        assert_eq!(messages[0], RequestMessage::System(Ok("Speak\nFrench.".into())));
        assert_eq!(messages[1], RequestMessage::User { name: Some("Mia".into()), text: Ok("hi".into()) });
        let called = ToolCall { id: "c1".into(), name: "weather".into(), arguments: "{}".into() };
        assert_eq!(messages[2], RequestMessage::Assistant { text: Ok(String::new()), calls: vec![called] });
        assert_eq!(messages[3], RequestMessage::Tool { call: "c1".into(), text: Ok("rain".into()) });
        for unreadable in &messages[4..] {
            assert!(matches!(unreadable, RequestMessage::User { text: Err(_), .. }), "{unreadable:?}");
        }
    }
}
