//! The items of a conversation, as the responses API has them. Pure.

use greenroom_core::ToolCall;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{
    ApiError,
    dialect::ask::{At, Message, RequestMessage, Text},
    openai::chat::{Content, texts},
};

/// What is said.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = openai::Input)]
pub(super) enum Input {
    /// The message of a user.
    Text(String),
    /// Messages, calls of functions, and what they gave.
    Items(Vec<Map<String, Value>>),
}

/// One item.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item {
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
    /// What a model thought; nobody else is told.
    Reasoning {},
    #[serde(rename = "item_reference")]
    Reference {
        id: String,
    },
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
    System,
    Developer,
}

/// The conversation. `known` looks up an item of an earlier response.
pub(super) fn messages(
    input: Input,
    known: impl Fn(&str) -> Option<RequestMessage>,
) -> Result<Vec<Message>, ApiError> {
    let items = match input {
        Input::Text(text) => {
            let what = RequestMessage::User { name: None, text: Ok(text) };
            return Ok(vec![Message { at: At::field("input"), what }]);
        }
        Input::Items(items) => items,
    };
    let mut messages: Vec<Message> = Vec::new();
    for (n, item) in items.into_iter().enumerate() {
        let at = At::nth("input", n);
        let what =
            match item_of(Value::Object(item)).map_err(|why| ApiError::invalid(why).about(at.to_string()))? {
                Item::Message { role, content } => said(role, texts(content)),
                Item::FunctionCall { call_id, name, arguments } => {
                    called(&mut messages, ToolCall { id: call_id, name, arguments }, at);
                    continue;
                }
                Item::FunctionCallOutput { call_id, output } => {
                    RequestMessage::Tool { call: call_id, text: texts(output) }
                }
                Item::Reasoning {} => continue,
                Item::Reference { id } => match known(&id) {
                    Some(RequestMessage::Assistant { text, calls })
                        if text.as_ref().is_ok_and(String::is_empty) =>
                    {
                        calls.into_iter().for_each(|call| called(&mut messages, call, at));
                        continue;
                    }
                    Some(what) => what,
                    None => RequestMessage::Assistant { text: Err(UNKNOWN.into()), calls: Vec::new() },
                },
            };
        messages.push(Message { at, what });
    }
    Ok(messages)
}

const UNKNOWN: &str = "the item it refers to is not kept here, or no longer: send the item itself (Vercel's AI SDK \
    does with `providerOptions: { openai: { store: false } }`), or name a channel";

fn item_of(mut item: Value) -> Result<Item, String> {
    // a message may come without its type
    if let Value::Object(fields) = &mut item
        && fields.contains_key("role")
    {
        fields.entry("type").or_insert_with(|| "message".into());
    }
    if !item["type"].is_string() {
        return Err("an item has a `type`, or is a message with `role` and `content`".into());
    }
    Item::deserialize(item).map_err(|error| error.to_string())
}

fn said(role: Role, text: Text) -> RequestMessage {
    match role {
        Role::User => RequestMessage::User { name: None, text },
        Role::Assistant => RequestMessage::Assistant { text, calls: Vec::new() },
        Role::System | Role::Developer => RequestMessage::System(text),
    }
}

/// A call belongs to what the persona said right before it; several in a row are one round.
fn called(messages: &mut Vec<Message>, call: ToolCall, at: At) {
    if let Some(Message { what: RequestMessage::Assistant { calls, .. }, .. }) = messages.last_mut() {
        calls.push(call);
        return;
    }
    messages
        .push(Message { at, what: RequestMessage::Assistant { text: Ok(String::new()), calls: vec![call] } });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(input: Value) -> Result<Vec<RequestMessage>, String> {
        let known = |id: &str| (id == "msg_1").then(|| assistant("It rains.", &[]));
        let messages = messages(serde_json::from_value(input).unwrap(), known);
        let messages = messages.map_err(|error| error.param.unwrap_or_default())?;
        Ok(messages.into_iter().map(|message| message.what).collect())
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
