//! For tests: a reply told in a dialect, as text that a snapshot shows.

use greenroom_core::{Finish, MessageId, Timestamp, TurnId, Usage};
use serde_json::Value;

use super::{
    Call, End,
    deliver::{Begun, Frame, Reply, Whole},
};
use crate::ApiError;

/// What is said in a stream.
pub(crate) enum StreamStep {
    Text(&'static str),
    Call(&'static str, &'static str),
    End(Finish),
    Failed,
}

pub(crate) fn begun() -> Begun {
    Begun {
        turn: TurnId(uuid::Uuid::nil()),
        model: "ada".into(),
        created: Timestamp(1_000_000),
        stored: false,
    }
}

pub(crate) fn end(text: &str, finish: Finish) -> End {
    let usage = Usage { prompt_tokens: 3, completion_tokens: 2, ..Usage::default() };
    End { text: text.into(), finish, usage, reply: MessageId(1) }
}

pub(crate) fn call(id: &str, arguments: &str) -> Call {
    Call { id: id.into(), name: "weather".into(), arguments: arguments.into() }
}

/// The frames of a stream, one a line.
pub(crate) fn streamed(mut reply: impl Reply, said: &[StreamStep]) -> String {
    let (mut frames, mut text) = (Vec::new(), String::new());
    reply.begin(&mut frames);
    for said in said {
        match said {
            StreamStep::Text(more) => {
                text.push_str(more);
                reply.text(more, &mut frames);
            }
            StreamStep::Call(id, arguments) => reply.call(call(id, arguments), &mut frames),
            StreamStep::End(finish) => reply.end(&end(&text, *finish), &mut frames),
            StreamStep::Failed => {
                let error = ApiError::new(http::StatusCode::BAD_GATEWAY, "model_broken", "it broke");
                reply.failed(&error, &mut frames);
            }
        }
    }
    let line = |Frame { event, data }| match event {
        Some(event) => format!("{event}: {data}\n"),
        None => format!("{data}\n"),
    };
    frames.into_iter().map(line).collect()
}

/// The one document.
pub(crate) fn document<R: Reply>(reply: R, text: &str, calls: &[&str], finish: Finish) -> Value {
    let calls = calls.iter().map(|id| call(id, "{\"place\":\"Oslo\"}")).collect();
    let whole = Whole { end: end(text, finish), calls, memories: Vec::new() };
    serde_json::to_value(reply.whole(whole)).unwrap()
}
