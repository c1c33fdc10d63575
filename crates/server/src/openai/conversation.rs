//! The messages sent, as a conversation that can be answered. Pure.

use greenroom_core::{ChatMessage, Role, ToolCall};
use greenroom_runtime::{Line, Saying};

use super::request::{self, Call, Content, Message};
use crate::{ApiError, said::sayable};

/// A conversation with something to be answered in it.
#[derive(Debug, PartialEq)]
pub(super) struct Conversation {
    /// Instructions, wherever they stood.
    pub(super) system: Vec<String>,
    /// What was said before, oldest first.
    pub(super) said: Vec<Line>,
    /// The last message of a user.
    pub(super) asked: Saying,
    /// What the persona said and what tools answered since.
    pub(super) since: Vec<ChatMessage>,
}

impl Conversation {
    /// Reads the messages. Every call of a tool has its result right behind it, since no endpoint takes
    /// it otherwise.
    pub(super) fn of(messages: &[Message]) -> Result<Self, ApiError> {
        let mut system = Vec::new();
        let mut lines: Vec<Line> = Vec::new();
        // the calls of the line before that have no result yet
        let mut open: Vec<ToolCall> = Vec::new();
        for (n, message) in messages.iter().enumerate() {
            let text = text(message, n)?;
            if message.role != request::Role::Tool {
                all_answered(&open, n)?;
            }
            match message.role {
                request::Role::System | request::Role::Developer => system.push(text),
                request::Role::User => {
                    lines.push(Line::User(Saying { name: message.name.clone(), text }));
                }
                request::Role::Assistant => {
                    open = message.tool_calls.iter().flatten().map(call).collect();
                    if !text.is_empty() || !open.is_empty() {
                        lines.push(Line::Persona { text, calls: Vec::new() });
                    }
                }
                request::Role::Tool => {
                    let id = message.tool_call_id.as_deref();
                    let answered = open.iter().position(|call| Some(call.id.as_str()) == id);
                    match (answered, lines.last_mut()) {
                        (Some(at), Some(Line::Persona { calls, .. })) => calls.push((open.remove(at), text)),
                        _ => {
                            return Err(wrong(
                                n,
                                "it answers no tool call of the assistant's message before it",
                            ));
                        }
                    }
                }
            }
        }
        all_answered(&open, messages.len())?;
        let last = lines.iter().rposition(|line| matches!(line, Line::User(_)));
        let mut since = last.map(|last| lines.split_off(last)).unwrap_or_default().into_iter();
        let Some(Line::User(asked)) = since.next() else {
            return Err(nothing_asked());
        };
        Ok(Self { system, said: lines, asked, since: since.flat_map(sent).collect() })
    }
}

/// What the last message of a user says, which is all that counts in a channel.
pub(super) fn last_said(messages: &[Message]) -> Result<String, ApiError> {
    let last = messages.iter().rposition(|message| message.role == request::Role::User);
    let Some(n) = last else { return Err(nothing_asked()) };
    let text = text(&messages[n], n)?;
    sayable(&text).map_err(|why| wrong(n, &why))?;
    Ok(text)
}

fn nothing_asked() -> ApiError {
    ApiError::invalid("send at least one message of the role user").about("messages")
}

fn wrong(n: usize, why: &str) -> ApiError {
    ApiError::invalid(format!("messages[{n}] cannot be used: {why}")).about(format!("messages[{n}]"))
}

fn all_answered(open: &[ToolCall], n: usize) -> Result<(), ApiError> {
    match open.first() {
        None => Ok(()),
        Some(call) => {
            let id: String = call.id.chars().filter(|c| !c.is_control()).take(64).collect();
            let message =
                format!("the tool call `{id}` before messages[{n}] has no result: send one of the role tool");
            Err(ApiError::invalid(message).about("messages"))
        }
    }
}

/// The text of a message.
fn text(message: &Message, n: usize) -> Result<String, ApiError> {
    match &message.content {
        None if message.role == request::Role::Assistant => Ok(String::new()),
        None => Err(wrong(n, "it has no content")),
        Some(Content::Text(text)) => Ok(text.clone()),
        Some(Content::Parts(parts)) => {
            let texts = parts.iter().map(|part| match part.kind.as_str() {
                "text" => part.text.as_deref().ok_or_else(|| wrong(n, "a part of the type text has no text")),
                "refusal" => Ok(part.refusal.as_deref().unwrap_or_default()),
                _ => Err(wrong(n, "only text can be read here, no images, audio or files")),
            });
            Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
        }
    }
}

fn call(call: &Call) -> ToolCall {
    let Call { id, function } = call.clone();
    ToolCall { id, name: function.name, arguments: function.arguments }
}

/// A line as it is sent.
fn sent(line: Line) -> Vec<ChatMessage> {
    match line {
        Line::User(Saying { text, .. }) => vec![ChatMessage::new(Role::User, text)],
        Line::Persona { text, calls } => {
            let (calls, results): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
            let ids: Vec<String> = calls.iter().map(|call: &ToolCall| call.id.clone()).collect();
            let said = ChatMessage { tool_calls: calls, ..ChatMessage::new(Role::Assistant, text) };
            let results =
                ids.into_iter().zip(results).map(|(id, result)| ChatMessage::tool_result(id, result));
            std::iter::once(said).chain(results).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(messages: Value) -> Result<Conversation, ApiError> {
        Conversation::of(&serde_json::from_value::<Vec<Message>>(messages).unwrap())
    }

    fn user(text: &str) -> Line {
        Line::User(Saying { name: None, text: text.into() })
    }

    fn calls() -> Value {
        json!({ "role": "assistant", "content": null, "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "weather", "arguments": "{}" } },
            { "id": "b", "type": "function", "function": { "name": "time", "arguments": "{}" } },
        ] })
    }

    fn result(id: &str) -> Value {
        json!({ "role": "tool", "tool_call_id": id, "content": format!("result of {id}") })
    }

    #[test]
    fn the_last_word_of_a_user_is_answered_and_instructions_stand_apart() {
        let conversation = read(json!([
            { "role": "developer", "content": "Be brief." },
            { "role": "user", "content": "hello" },
            { "role": "assistant", "content": "hi" },
            { "role": "system", "content": [{ "type": "text", "text": "Speak" }, { "type": "text", "text": "French." }] },
            { "role": "user", "content": "how are you?" },
        ]));
        let said = vec![user("hello"), Line::Persona { text: "hi".into(), calls: Vec::new() }];
        assert_eq!(
            conversation.unwrap(),
            Conversation {
                system: vec!["Be brief.".into(), "Speak\nFrench.".into()],
                said,
                asked: Saying { name: None, text: "how are you?".into() },
                since: Vec::new(),
            }
        );
    }

    #[test]
    fn calls_and_their_results_stay_together_before_and_after_the_question() {
        let question = json!({ "role": "user", "content": "and now?" });
        let before =
            read(json!([{ "role": "user", "content": "?" }, calls(), result("b"), result("a"), question]))
                .unwrap();
        let Line::Persona { calls: called, .. } = &before.said[1] else { panic!("{before:?}") };
        assert_eq!(
            called.iter().map(|(call, result)| (call.id.as_str(), result.as_str())).collect::<Vec<_>>(),
            [("b", "result of b"), ("a", "result of a"),]
        );
        let since = read(json!([question, calls(), result("a"), result("b")])).unwrap().since;
        assert_eq!(
            since.iter().map(|message| message.role).collect::<Vec<_>>(),
            [Role::Assistant, Role::Tool, Role::Tool]
        );
        assert_eq!(since[0].tool_calls.len(), 2);
        assert_eq!(since[2].tool_call_id.as_deref(), Some("b"));
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        let question = json!({ "role": "user", "content": "?" });
        let image =
            json!({ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "x" } }] });
        for messages in [
            json!([]),
            json!([{ "role": "system", "content": "Be brief." }]),
            json!([{ "role": "user" }]),
            json!([question, calls(), result("a")]),
            json!([question, calls(), question]),
            json!([question, result("a")]),
            json!([image]),
        ] {
            let error = read(messages.clone()).unwrap_err();
            assert_eq!(error.status, http::StatusCode::BAD_REQUEST, "{messages}");
            assert!(error.param.unwrap().starts_with("messages"));
        }
    }

    #[test]
    fn in_a_channel_only_the_last_word_counts() {
        let messages =
            json!([calls(), { "role": "user", "content": "hm" }, { "role": "assistant", "content": "so" }]);
        assert_eq!(last_said(&serde_json::from_value::<Vec<Message>>(messages).unwrap()).unwrap(), "hm");
        for unsayable in [" ", "\0\u{1}", &"x".repeat(64 * 1024 + 1)] {
            let said = json!([{ "role": "user", "content": unsayable }]);
            let error = last_said(&serde_json::from_value::<Vec<Message>>(said).unwrap()).unwrap_err();
            assert_eq!((error.status.as_u16(), error.param.as_deref()), (400, Some("messages[0]")));
        }
    }
}
