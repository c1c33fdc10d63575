//! The items of a conversation in the form of the responses API. Pure.

use greenroom_core::ToolCall;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{
    ApiError,
    dialect::request::{FieldPath, InputMessage, RequestMessage, Role},
    openai::chat::{Content, text_of},
};

/// The input.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = openai::Input)]
pub(super) enum Input {
    /// The message of a user.
    Text(String),
    /// Messages, calls of functions, and their results.
    Items(Vec<Map<String, Value>>),
}

/// One item.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum InputItem {
    Message {
        role: Role,
        content: Content,
    },
    FunctionCall {
        call_id: String,
        name: String,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: String,
        output: Content,
    },
    /// The reasoning of a model, which is left out.
    Reasoning {},
    #[serde(rename = "item_reference")]
    Reference {
        id: String,
    },
}

/// The messages. `stored` looks up an item of an earlier response.
pub(super) fn messages(
    input: Input,
    stored: impl Fn(&str) -> Option<RequestMessage>,
) -> Result<Vec<InputMessage>, ApiError> {
    let items = match input {
        Input::Text(text) => {
            let message = RequestMessage::new(Role::User, Ok(text));
            return Ok(vec![InputMessage { at: FieldPath::field("input"), message }]);
        }
        Input::Items(items) => items,
    };
    let mut messages: Vec<InputMessage> = Vec::new();
    for (n, item) in items.into_iter().enumerate() {
        let at = FieldPath::nth("input", n);
        let message =
            match item_of(Value::Object(item)).map_err(|why| ApiError::invalid(why).about(at.to_string()))? {
                InputItem::Message { role, content } => RequestMessage::new(role, text_of(content)),
                InputItem::FunctionCall { call_id, name, arguments } => {
                    add_call(&mut messages, ToolCall { id: call_id, name, arguments }, at);
                    continue;
                }
                InputItem::FunctionCallOutput { call_id, output } => {
                    RequestMessage::Tool { call: call_id, text: text_of(output) }
                }
                InputItem::Reasoning {} => continue,
                InputItem::Reference { id } => match stored(&id) {
                    Some(RequestMessage::Assistant { text, calls })
                        if text.as_ref().is_ok_and(String::is_empty) =>
                    {
                        calls.into_iter().for_each(|call| add_call(&mut messages, call, at));
                        continue;
                    }
                    Some(message) => message,
                    None => RequestMessage::new(Role::Assistant, Err(UNKNOWN.into())),
                },
            };
        messages.push(InputMessage { at, message });
    }
    Ok(messages)
}

const UNKNOWN: &str = "the item it refers to is not kept here, or no longer: send the item itself (Vercel's AI SDK \
    does with `providerOptions: { openai: { store: false } }`), or name a channel";

fn item_of(mut item: Value) -> Result<InputItem, String> {
    // a message may come without its type
    if let Value::Object(fields) = &mut item
        && fields.contains_key("role")
    {
        fields.entry("type").or_insert_with(|| "message".into());
    }
    if !item["type"].is_string() {
        return Err("an item has a `type`, or is a message with `role` and `content`".into());
    }
    if item.get("role").is_some_and(|role| !role.is_string()) {
        return Err("the `role` is a text, as \"user\"".into());
    }
    InputItem::deserialize(item).map_err(|error| error.to_string())
}

/// Adds a call to the message of the persona right before it. Several calls in a row are one round.
fn add_call(messages: &mut Vec<InputMessage>, call: ToolCall, at: FieldPath) {
    if let Some(InputMessage { message: RequestMessage::Assistant { calls, .. }, .. }) = messages.last_mut() {
        calls.push(call);
        return;
    }
    messages.push(InputMessage {
        at,
        message: RequestMessage::Assistant { text: Ok(String::new()), calls: vec![call] },
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(input: Value) -> Result<Vec<RequestMessage>, String> {
        let known = |id: &str| (id == "msg_1").then(|| assistant("It rains.", &[]));
        let messages = messages(serde_json::from_value(input).unwrap(), known);
        let messages = messages.map_err(|error| error.param.unwrap_or_default())?;
        Ok(messages.into_iter().map(|message| message.message).collect())
    }

    #[test]
    fn e1_a_role_of_the_wrong_type_is_named() {
        let input = serde_json::from_value(json!([{ "role": 5, "content": "a" }])).unwrap();
        let error = messages(input, |_| None).unwrap_err();
        assert_eq!(error.param.as_deref(), Some("input[0]"));
        assert!(error.message.contains("the `role` is a text"), "{}", error.message);
    }

    fn assistant(text: &str, calls: &[&str]) -> RequestMessage {
        let call = |id: &&str| ToolCall { id: (*id).into(), name: "weather".into(), arguments: "{}".into() };
        RequestMessage::Assistant { text: Ok(text.into()), calls: calls.iter().map(call).collect() }
    }

    fn user(text: &str) -> RequestMessage {
        RequestMessage::User { name: None, text: Ok(text.into()) }
    }

    #[test]
    fn e1_a_text_is_a_message_and_so_is_an_item_without_a_type() {
        assert_eq!(read(json!("hi")).unwrap(), [user("hi")]);
        let parts = json!([{ "type": "input_text", "text": "a" }, { "type": "input_text", "text": "b" }]);
        let items = json!([
            { "role": "developer", "content": "Be brief." },
            { "role": "user", "content": parts },
            { "type": "message", "role": "assistant", "id": "msg_7", "status": "completed",
              "content": [{ "type": "output_text", "text": "hi", "annotations": [] }] },
        ]);
        let said = [RequestMessage::System(Ok("Be brief.".into())), user("a\nb"), assistant("hi", &[])];
        assert_eq!(read(items).unwrap(), said);
    }

    #[test]
    fn e1_calls_in_a_row_are_one_round_with_what_was_said_before_them() {
        let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "weather", "arguments": "{}" });
        let output = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "rain" });
        let result = |id: &str| RequestMessage::Tool { call: id.into(), text: Ok("rain".into()) };
        let thought = json!({ "type": "reasoning", "id": "rs_1", "summary": [] });
        let said = json!({ "role": "assistant", "content": "Let me see." });
        assert_eq!(
            read(json!([{ "role": "user", "content": "?" }, thought, call("a"), call("b"), output("a"), output("b")]))
                .unwrap(),
            [user("?"), assistant("", &["a", "b"]), result("a"), result("b")]
        );
        assert_eq!(
            read(json!([said, call("a"), output("a"), call("b"), output("b")])).unwrap(),
            [assistant("Let me see.", &["a"]), result("a"), assistant("", &["b"]), result("b")]
        );
    }

    #[test]
    fn e1_an_item_that_is_kept_may_be_referred_to() {
        let reference = |id: &str| json!([{ "type": "item_reference", "id": id }]);
        assert_eq!(read(reference("msg_1")).unwrap(), [assistant("It rains.", &[])]);
        let unknown = read(reference("msg_2")).unwrap();
        assert!(
            matches!(&unknown[..], [RequestMessage::Assistant { text: Err(why), .. }] if why.contains("store: false"))
        );
    }

    #[test]
    fn e1_what_is_no_item_is_refused_with_its_place() {
        for item in [json!({}), json!({ "type": "computer_call" }), json!({ "role": "king", "content": "" })]
        {
            assert_eq!(read(json!([{ "role": "user", "content": "?" }, item])), Err("input[1]".into()));
        }
    }
}
