//! For tests: a reply in the format of a dialect, as text for a snapshot.

use greenroom_core::{Finish, MessageId, Timestamp, ToolCall, TurnId, Usage};
use serde_json::Value;

use super::format::{Chunk, CompleteReply, ReplyEnd, ReplyFormat, ReplyInfo};
use crate::ApiError;

/// One step of a stream.
pub(crate) enum StreamStep {
    Text(&'static str),
    Call(&'static str, &'static str),
    End(Finish),
    Failed,
}

pub(crate) fn info() -> ReplyInfo {
    ReplyInfo {
        turn: TurnId(uuid::Uuid::nil()),
        model: "ada".into(),
        created: Timestamp(1_000_000),
        stored: false,
    }
}

pub(crate) fn end(text: &str, finish: Finish) -> ReplyEnd {
    let usage = Usage { prompt_tokens: 3, completion_tokens: 2, ..Usage::default() };
    ReplyEnd { text: text.into(), finish, usage, reply: MessageId(1) }
}

pub(crate) fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "weather".into(), arguments: arguments.into() }
}

/// The chunks of a stream, one per line.
pub(crate) fn streamed(mut reply: impl ReplyFormat, said: &[StreamStep]) -> String {
    let (mut chunks, mut text) = (Vec::new(), String::new());
    reply.begin(&mut chunks);
    for said in said {
        match said {
            StreamStep::Text(more) => {
                text.push_str(more);
                reply.text(more, &mut chunks);
            }
            StreamStep::Call(id, arguments) => reply.call(call(id, arguments), &mut chunks),
            StreamStep::End(finish) => reply.end(&end(&text, *finish), &mut chunks),
            StreamStep::Failed => {
                let error = ApiError::new(http::StatusCode::BAD_GATEWAY, "model_broken", "it broke");
                reply.failed(&error, &mut chunks);
            }
        }
    }
    let line = |Chunk { event, data }| match event {
        Some(event) => format!("{event}: {data}\n"),
        None => format!("{data}\n"),
    };
    chunks.into_iter().map(line).collect()
}

/// The reply as one document.
pub(crate) fn document<F: ReplyFormat>(reply: F, text: &str, calls: &[&str], finish: Finish) -> Value {
    let calls = calls.iter().map(|id| call(id, "{\"place\":\"Oslo\"}")).collect();
    let whole = CompleteReply { end: end(text, finish), calls, memories: Vec::new() };
    reply.document(whole)
}
