//! The messages of a request as a conversation that can be answered. Pure.

use greenroom_core::{ChatMessage, Role, ToolCall, composed};
use greenroom_runtime::{ConversationLine, UserLine};

use super::request::{FieldPath, InputMessage, RequestMessage};
use crate::{ApiError, validate::check_text};

/// A conversation that ends with a message to answer.
#[derive(Debug, PartialEq)]
pub(super) struct Conversation {
    /// Instructions from all positions.
    pub(super) system: Vec<String>,
    /// The earlier messages, oldest first.
    pub(super) history: Vec<ConversationLine>,
    /// The last message of a user.
    pub(super) asked: UserLine,
    /// The persona's messages and tool results after it.
    pub(super) since: Vec<ChatMessage>,
}

impl Conversation {
    /// Reads the messages. A tool's result must come right after its call, because endpoints require it.
    pub(super) fn of(messages: Vec<InputMessage>) -> Result<Self, ApiError> {
        let field = messages.last().map_or("messages", |message| message.at.field);
        let mut system = Vec::new();
        let mut lines: Vec<ConversationLine> = Vec::new();
        // the calls of the previous line that have no result yet
        let mut open: Vec<ToolCall> = Vec::new();
        for InputMessage { at, message } in messages {
            if !matches!(message, RequestMessage::Tool { .. }) {
                all_answered(&open, &format!("before {at}"), at.field)?;
            }
            let readable = |text: Result<String, String>| text.map_err(|why| wrong(at, &why));
            match message {
                RequestMessage::System(text) => system.push(readable(text)?),
                RequestMessage::User { name, text } => {
                    lines.push(ConversationLine::User(UserLine { name, text: readable(text)? }));
                }
                RequestMessage::Assistant { text, calls } => {
                    let text = readable(text)?;
                    if !text.is_empty() || !calls.is_empty() {
                        lines.push(ConversationLine::Persona { text, calls: Vec::new() });
                    }
                    open = calls;
                }
                RequestMessage::Tool { call, text } => {
                    let text = readable(text)?;
                    let answered = open.iter().position(|open| open.id == call);
                    match (answered, lines.last_mut()) {
                        (Some(n), Some(ConversationLine::Persona { calls, .. })) => {
                            calls.push((open.remove(n), text))
                        }
                        _ => {
                            return Err(wrong(
                                at,
                                "it answers no tool call of the assistant's message before it",
                            ));
                        }
                    }
                }
            }
        }
        all_answered(&open, "at the end", field)?;
        let last = lines.iter().rposition(|line| matches!(line, ConversationLine::User(_)));
        let mut since = last.map(|last| lines.split_off(last)).unwrap_or_default().into_iter();
        let Some(ConversationLine::User(asked)) = since.next() else {
            return Err(nothing_asked(field));
        };
        Ok(Self { system, history: lines, asked, since: since.flat_map(sent).collect() })
    }
}

/// The last message of a user. In a channel the other messages are ignored.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    pub(super) text: String,
    /// The replies that the request shows to earlier messages with the same text.
    replies: Vec<String>,
}

impl Said {
    /// Reads the last message of a user.
    pub(super) fn of(mut messages: Vec<InputMessage>) -> Result<Self, ApiError> {
        let field = messages.last().map_or("messages", |message| message.at.field);
        let is_said = |message: &InputMessage| matches!(message.message, RequestMessage::User { .. });
        let last = messages.iter().rposition(is_said).map(|last| messages.split_off(last).swap_remove(0));
        let Some(InputMessage { at, message: RequestMessage::User { text, .. } }) = last else {
            return Err(nothing_asked(field));
        };
        let text = text.map_err(|why| wrong(at, &why))?;
        check_text(&text).map_err(|why| wrong(at, &why))?;
        let mut replies = Vec::new();
        let mut is_same = false;
        for message in messages {
            match message.message {
                RequestMessage::User { text: earlier, .. } => is_same = earlier.as_deref() == Ok(&*text),
                RequestMessage::Assistant { text: Ok(reply), .. } if is_same => replies.push(reply),
                _ => {}
            }
        }
        Ok(Self { text: composed(text), replies })
    }

    /// Whether the request shows this reply to an earlier message with the same text.
    pub(super) fn shows_reply(&self, reply: &str) -> bool {
        self.replies.iter().any(|shown| shown.trim() == reply.trim())
    }
}

fn nothing_asked(field: &str) -> ApiError {
    ApiError::invalid("send at least one message of the role user").about(field)
}

fn wrong(at: FieldPath, why: &str) -> ApiError {
    ApiError::invalid(format!("{at} cannot be used: {why}")).about(at.to_string())
}

fn all_answered(open: &[ToolCall], place: &str, field: &str) -> Result<(), ApiError> {
    match open.first() {
        None => Ok(()),
        Some(call) => {
            let id: String = call.id.chars().filter(|c| !c.is_control()).take(64).collect();
            let message = format!("the tool call `{id}` {place} has no result: send one behind it");
            Err(ApiError::invalid(message).about(field))
        }
    }
}

/// A line in the form of the API.
fn sent(line: ConversationLine) -> Vec<ChatMessage> {
    match line {
        ConversationLine::User(UserLine { text, .. }) => vec![ChatMessage::new(Role::User, text)],
        ConversationLine::Persona { text, calls } => {
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
    use super::*;

    fn said(messages: impl IntoIterator<Item = RequestMessage>) -> Vec<InputMessage> {
        let message = |(n, message)| InputMessage { at: FieldPath::nth("messages", n), message };
        messages.into_iter().enumerate().map(message).collect()
    }

    fn user(text: &str) -> RequestMessage {
        RequestMessage::User { name: None, text: Ok(text.into()) }
    }

    fn assistant(text: &str) -> RequestMessage {
        RequestMessage::Assistant { text: Ok(text.into()), calls: Vec::new() }
    }

    fn line(text: &str) -> ConversationLine {
        ConversationLine::User(UserLine { name: None, text: text.into() })
    }

    fn calls() -> RequestMessage {
        let call =
            |id: &str, name: &str| ToolCall { id: id.into(), name: name.into(), arguments: "{}".into() };
        RequestMessage::Assistant {
            text: Ok(String::new()),
            calls: vec![call("a", "weather"), call("b", "time")],
        }
    }

    fn result(id: &str) -> RequestMessage {
        RequestMessage::Tool { call: id.into(), text: Ok(format!("result of {id}")) }
    }

    #[test]
    fn the_last_word_of_a_user_is_answered_and_instructions_stand_apart() {
        let conversation = Conversation::of(said([
            RequestMessage::System(Ok("Be brief.".into())),
            user("hello"),
            assistant("hi"),
            RequestMessage::System(Ok("Speak French.".into())),
            user("how are you?"),
        ]));
        let history = vec![line("hello"), ConversationLine::Persona { text: "hi".into(), calls: Vec::new() }];
        assert_eq!(
            conversation.unwrap(),
            Conversation {
                system: vec!["Be brief.".into(), "Speak French.".into()],
                history,
                asked: UserLine { name: None, text: "how are you?".into() },
                since: Vec::new(),
            }
        );
    }

    #[test]
    fn calls_and_their_results_stay_together_before_and_after_the_question() {
        let before =
            Conversation::of(said([user("?"), calls(), result("b"), result("a"), user("and now?")])).unwrap();
        let ConversationLine::Persona { calls: called, .. } = &before.history[1] else {
            panic!("{before:?}")
        };
        assert_eq!(
            called.iter().map(|(call, result)| (call.id.as_str(), result.as_str())).collect::<Vec<_>>(),
            [("b", "result of b"), ("a", "result of a"),]
        );
        let since =
            Conversation::of(said([user("and now?"), calls(), result("a"), result("b")])).unwrap().since;
        assert_eq!(
            since.iter().map(|message| message.role).collect::<Vec<_>>(),
            [Role::Assistant, Role::Tool, Role::Tool]
        );
        assert_eq!(since[0].tool_calls.len(), 2);
        assert_eq!(since[2].tool_call_id.as_deref(), Some("b"));
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        let image = || RequestMessage::User { name: None, text: crate::dialect::request::only_text() };
        for messages in [
            vec![],
            vec![RequestMessage::System(Ok("Be brief.".into()))],
            vec![user("?"), calls(), result("a")],
            vec![user("?"), calls(), user("?")],
            vec![user("?"), result("a")],
            vec![image()],
        ] {
            let error = Conversation::of(said(messages.clone())).unwrap_err();
            assert_eq!(error.status, http::StatusCode::BAD_REQUEST, "{messages:?}");
            assert!(error.param.unwrap().starts_with("messages"));
        }
    }

    #[test]
    fn in_a_channel_only_the_last_word_counts() {
        let image = RequestMessage::User { name: None, text: crate::dialect::request::only_text() };
        assert_eq!(Said::of(said([image, calls(), user("hm"), assistant("so")])).unwrap().text, "hm");
        for unsayable in [" ", "\0\u{1}", &"x".repeat(64 * 1024 + 1)] {
            let error = Said::of(said([user(unsayable)])).unwrap_err();
            assert_eq!((error.status.as_u16(), error.param.as_deref()), (400, Some("messages[0]")));
        }
    }

    #[test]
    fn gr6_a_request_shows_which_replies_its_client_has() {
        let shows = |messages: &[RequestMessage]| {
            let said = Said::of(said(messages.to_vec())).unwrap();
            (said.shows_reply("Fine."), said.shows_reply("Why?"))
        };
        let more = [user("yes"), assistant("Fine. "), user("more"), assistant("Why?"), user("yes")];
        assert_eq!(shows(&more), (true, false), "the second reply is to other words");
        assert_eq!(shows(&[user("yes")]), (false, false));
        assert_eq!(shows(&[user("yes"), assistant("Fine.")]), (false, false), "nothing was said after it");
    }
}
