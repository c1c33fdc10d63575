//! The body of a request to the responses API. Pure.

use greenroom_core::TurnId;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::input::{Input, messages};
use crate::{
    ApiError,
    dialect::{
        request::{FieldPath, InputMessage, ReplyRequest, RequestMessage, reply_options},
        tools::Tools,
    },
    openai::fields::{channel, passed_on, user},
};

/// The body of a request to the responses API.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::ResponseBody)]
pub(super) struct ResponseBody {
    /// A persona's name, perhaps with a channel: `ada@den`.
    model: String,
    /// A text, or the items of a conversation.
    input: Option<Input>,
    /// Instructions that precede the conversation.
    instructions: Option<String>,
    /// Whether the response comes as a stream.
    stream: Option<bool>,
    /// Sampling temperature; without it the persona's.
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f32>,
    /// The longest response in tokens; the persona's limit applies too.
    #[schema(minimum = 1, maximum = 4_294_967_295u64)]
    max_output_tokens: Option<u32>,
    /// Function tools of the client; their calls come back as items.
    #[schema(value_type = Option<Vec<Object>>)]
    tools: Option<Vec<Value>>,
    /// `auto`, `none`, `required`, or one function.
    tool_choice: Option<Value>,
    /// The form of the text: `format` and `verbosity`.
    #[schema(value_type = Option<Object>)]
    text: Option<Map<String, Value>>,
    /// `effort` goes to the model.
    #[schema(value_type = Option<Object>)]
    reasoning: Option<Map<String, Value>>,
    /// In a channel: a response that was given there. Refused without one.
    previous_response_id: Option<String>,
    /// `channel`: the channel to send the message to. The response repeats the metadata.
    metadata: Option<Map<String, Value>>,
    /// Recall nothing for this message.
    disable_memory: Option<bool>,
    /// `top_p`, `parallel_tool_calls` and more go to the model as they are.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The fields of a request that its response repeats.
#[derive(Debug, Default)]
pub(super) struct Echo(pub(super) Map<String, Value>);

impl ResponseBody {
    /// The fields that the response repeats.
    pub(super) fn echo(&self) -> Echo {
        let fields = [
            ("instructions", json!(self.instructions)),
            ("max_output_tokens", json!(self.max_output_tokens)),
            ("metadata", json!(self.metadata.clone().unwrap_or_default())),
            ("previous_response_id", json!(self.previous_response_id)),
            ("temperature", json!(self.temperature)),
            (
                "text",
                self.text.clone().map_or_else(|| json!({ "format": { "type": "text" } }), Value::Object),
            ),
            (
                "tool_choice",
                self.tool_choice.clone().filter(|choice| !choice.is_null()).unwrap_or(json!("auto")),
            ),
            ("tools", json!(self.tools.clone().unwrap_or_default())),
            ("top_p", self.rest.get("top_p").cloned().unwrap_or_default()),
            ("parallel_tool_calls", self.rest.get("parallel_tool_calls").cloned().unwrap_or(json!(true))),
        ];
        Echo(fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
    }

    /// The request. `stored` looks up an item of an earlier response.
    pub(super) fn into_request(
        self,
        stored: impl Fn(&str) -> Option<RequestMessage>,
    ) -> Result<ReplyRequest, ApiError> {
        let user = user(&self.rest)?;
        let only_in_channel =
            channel_field(&self.rest)?.or(self.previous_response_id.as_ref().map(|_| PREVIOUS));
        let previous = self.previous_response_id.as_deref().map(turn_of).transpose()?;
        let mut extra = passed_on(self.rest)?;
        if let Some(effort) = self.reasoning.and_then(|mut reasoning| reasoning.remove("effort")) {
            extra.insert("reasoning_effort".into(), effort);
        }
        form(self.text.unwrap_or_default(), &mut extra)?;
        let tools = Tools::read(self.tools, function, self.tool_choice.map(choice), &mut extra)?;
        let instructions = self.instructions.map(|text| InputMessage {
            at: FieldPath::field("instructions"),
            message: RequestMessage::System(Ok(text)),
        });
        let said = self.input.map(|input| messages(input, stored)).transpose()?.unwrap_or_default();
        if said.is_empty() {
            return Err(
                ApiError::invalid("send `input`: a text, or a list with a message of a user").about("input")
            );
        }
        Ok(ReplyRequest {
            model: self.model,
            messages: instructions.into_iter().chain(said).collect(),
            user,
            channel: channel(self.metadata.as_ref())?,
            stream: self.stream.unwrap_or_default(),
            reply_options: reply_options(
                self.temperature,
                ("max_output_tokens", self.max_output_tokens),
                extra,
            )?,
            tools,
            disable_memory: self.disable_memory.unwrap_or_default(),
            only_in_channel,
            previous,
        })
    }
}

const PREVIOUS: &str = "previous_response_id";

/// The turn of a response.
fn turn_of(id: &str) -> Result<TurnId, ApiError> {
    let turn = id.strip_prefix("resp_").and_then(|turn| turn.parse().ok());
    turn.ok_or_else(|| ApiError::invalid("a response's id is `resp_` and a UUID").about(PREVIOUS))
}

/// Refuses features that Greenroom does not have, and names a field that needs a channel.
fn channel_field(rest: &Map<String, Value>) -> Result<Option<&'static str>, ApiError> {
    let given =
        |field: &str| rest.get(field).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
    let refused = [
        ("background", "a response is given while the client waits: leave it out"),
        ("prompt", "there are no stored prompts here: a persona's file is its prompt"),
    ];
    for (field, why) in refused {
        if given(field) {
            return Err(ApiError::invalid(why).about(field));
        }
    }
    Ok(given("conversation").then_some("conversation"))
}

/// `text` in the form of the chat completions API, which models are sent.
fn form(mut text: Map<String, Value>, extra: &mut Map<String, Value>) -> Result<(), ApiError> {
    if let Some(verbosity) = text.remove("verbosity").filter(|verbosity| !verbosity.is_null()) {
        extra.insert("verbosity".into(), verbosity);
    }
    let Some(Value::Object(mut format)) = text.remove("format") else { return Ok(()) };
    let kind = format.remove("type");
    let written = match kind.as_ref().and_then(Value::as_str) {
        Some("text") => return Ok(()),
        Some("json_object") => json!({ "type": "json_object" }),
        Some("json_schema") => json!({ "type": "json_schema", "json_schema": format }),
        _ => {
            let message = "the format of a text is `text`, `json_object` or `json_schema`";
            return Err(ApiError::invalid(message).about("text.format"));
        }
    };
    extra.insert("response_format".into(), written);
    Ok(())
}

/// A function tool in the form of the chat completions API.
fn function(tool: Value, n: usize) -> Result<Value, ApiError> {
    let wrong = |message: &str| ApiError::invalid(message).about(format!("tools[{n}]"));
    let Value::Object(mut function) = tool else { return Err(wrong("a tool is an object")) };
    if function.remove("type") != Some(json!("function")) {
        return Err(wrong(
            "only tools of the type `function` are on offer here; a persona has its own beside them",
        ));
    }
    function.retain(|_, value| !value.is_null());
    Ok(json!({ "type": "function", "function": function }))
}

/// The choice of a tool in the form of the chat completions API.
fn choice(choice: Value) -> Value {
    match choice["name"].as_str() {
        Some(name) if choice["type"] == "function" => {
            json!({ "type": "function", "function": { "name": name } })
        }
        _ => choice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(fields: Value) -> Result<ReplyRequest, ApiError> {
        let mut body = json!({ "model": "ada", "input": "hi" });
        body.as_object_mut().unwrap().append(&mut fields.as_object().unwrap().clone());
        serde_json::from_value::<ResponseBody>(body).unwrap().into_request(|_| None)
    }

    #[test]
    fn e1_what_the_model_is_sent_is_written_as_the_chat_completions_api_has_it() {
        let schema = json!({ "type": "object" });
        let asked = ask(json!({
            "text": { "verbosity": "low", "format": { "type": "json_schema", "name": "out", "schema": schema, "strict": true } },
            "reasoning": { "effort": "low", "summary": "auto" },
            "tools": [{ "type": "function", "name": "weather", "parameters": schema, "strict": true, "description": null }],
            "tool_choice": { "type": "function", "name": "weather" },
            "max_output_tokens": 7, "top_p": 0.5, "truncation": "auto", "store": true, "include": [],
        }));
        let asked = asked.unwrap();
        let format = json!({ "name": "out", "schema": schema, "strict": true });
        let weather = json!({ "name": "weather", "parameters": schema, "strict": true });
        let sent = json!({
            "reasoning_effort": "low", "verbosity": "low", "top_p": 0.5,
            "response_format": { "type": "json_schema", "json_schema": format },
            "tools": [{ "type": "function", "function": weather }],
            "tool_choice": { "type": "function", "function": { "name": "weather" } },
        });
        assert_eq!(Value::Object(asked.reply_options.extra), sent);
        assert_eq!((asked.reply_options.max_output_tokens, asked.tools.own), (Some(7), false));
    }

    #[test]
    fn e1_a_request_without_input_is_refused_by_the_name_of_the_field() {
        for input in [json!(null), json!([])] {
            let refused = ask(json!({ "input": input, "instructions": "Be kind." })).unwrap_err();
            assert_eq!(refused.param.as_deref(), Some("input"), "{refused:?}");
        }
    }

    #[test]
    fn e1_what_needs_something_kept_is_refused_or_needs_a_channel() {
        for (fields, param) in [
            (json!({ "background": true }), "background"),
            (json!({ "prompt": { "id": "x" } }), "prompt"),
            (json!({ "previous_response_id": "x" }), "previous_response_id"),
            (json!({ "tools": [{ "type": "web_search" }] }), "tools[0]"),
            (json!({ "text": { "format": { "type": "xml" } } }), "text.format"),
        ] {
            assert_eq!(ask(fields).unwrap_err().param.as_deref(), Some(param));
        }
        let turn = uuid::Uuid::nil();
        let previous = ask(json!({ "previous_response_id": format!("resp_{turn}") })).unwrap();
        assert_eq!((previous.only_in_channel, previous.previous), (Some(PREVIOUS), Some(TurnId(turn))));
        assert_eq!(ask(json!({ "conversation": "conv_1" })).unwrap().only_in_channel, Some("conversation"));
        assert_eq!(ask(json!({ "background": false, "conversation": null })).unwrap().only_in_channel, None);
    }
}
