//! An answer in pieces: chunks as server-sent events, as the OpenAI API has them.

use std::{convert::Infallible, time::Duration};

use axum::response::{
    IntoResponse, Response,
    sse::{Event, KeepAlive, Sse},
};
use futures::stream;
use greenroom_core::{ChannelKey, TurnId};
use http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{
    answer::{TokenUsage, ToolCall, answer_id, finish_reason},
    hearing::{End, Hearing, Piece, handed_over},
};
use crate::{ApiError, Services};

/// Events a reader may be behind. One that is further behind is let go; the turn waits for nobody.
const BEHIND: usize = 4096;
/// What fails so soon is told with a status of its own; later only the stream can say it.
const PROMPT: Duration = Duration::from_secs(10);
/// A sign of life while nothing is said.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What all chunks of an answer have in common.
pub(super) struct Frame {
    /// The turn.
    pub(super) turn: TurnId,
    /// Who answers.
    pub(super) model: String,
    /// When, in seconds since 1970.
    pub(super) created: i64,
    /// Whether the usage is wanted.
    pub(super) usage: bool,
}

impl Frame {
    fn chunk(&self, choices: Value) -> Value {
        let mut chunk = json!({
            "id": answer_id(self.turn),
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        });
        if self.usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    }

    fn delta(&self, delta: Value) -> Value {
        self.chunk(json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": null }]))
    }

    fn text(&self, text: &str) -> Value {
        self.delta(json!({ "content": text }))
    }

    /// How every answer begins.
    fn first(&self) -> Value {
        self.delta(json!({ "role": "assistant", "content": "" }))
    }

    /// How every whole answer ends, `[DONE]` left out.
    fn last(&self, end: &End) -> Vec<Value> {
        let reason = finish_reason(end.finish);
        let choice = json!([{ "index": 0, "delta": {}, "logprobs": null, "finish_reason": reason }]);
        let mut chunks = vec![self.chunk(choice)];
        if self.usage {
            let mut chunk = self.chunk(json!([]));
            chunk["usage"] = json!(TokenUsage::from(end.usage));
            chunks.push(chunk);
        }
        chunks
    }

    /// A stored reply as a stream.
    pub(super) fn repeat(&self, end: &End) -> Response {
        let chunks = [self.first(), self.text(&end.text)].into_iter().chain(self.last(end));
        let events: Vec<_> =
            chunks.map(|chunk| event(&chunk)).chain([done()]).map(Ok::<_, Infallible>).collect();
        Sse::new(stream::iter(events)).into_response()
    }
}

fn event(chunk: &Value) -> Event {
    Event::default().data(chunk.to_string())
}

fn done() -> Event {
    Event::default().data("[DONE]")
}

/// What a reader has been sent. Nothing of it can be taken back, so after a fresh start (L6) the
/// same words are passed over, and other ones are an error.
#[derive(Default)]
struct Shown {
    sent: String,
    anew: Option<String>,
}

impl Shown {
    /// All text so far is void.
    fn void(&mut self) {
        self.anew = Some(String::new());
    }

    /// What of a text is to be sent.
    fn text(&mut self, text: &str) -> Result<String, ApiError> {
        let Some(anew) = &mut self.anew else {
            self.sent.push_str(text);
            return Ok(text.to_owned());
        };
        anew.push_str(text);
        if let Some(more) = anew.strip_prefix(self.sent.as_str()) {
            let more = more.to_owned();
            self.sent = std::mem::take(anew);
            self.anew = None;
            return Ok(more);
        }
        if self.sent.starts_with(anew.as_str()) { Ok(String::new()) } else { Err(Self::other()) }
    }

    /// Whether what was sent is what was said in the end.
    fn end(&self) -> Result<(), ApiError> {
        match &self.anew {
            Some(anew) if *anew != self.sent => Err(Self::other()),
            _ => Ok(()),
        }
    }

    fn other() -> ApiError {
        let message = "the connection to the model broke and the answer began afresh with other words; ask again, \
                       or without `stream`";
        ApiError::new(StatusCode::BAD_GATEWAY, "reply_discarded", message)
    }
}

/// Streams what is heard. What fails before the first word is an error like any other.
pub(super) async fn pieces(
    mut hearing: Hearing,
    frame: Frame,
    services: &Services,
    channel: Option<ChannelKey>,
) -> Result<Response, ApiError> {
    let first = match tokio::time::timeout(PROMPT, hearing.piece()).await {
        Ok(piece) => Some(piece?),
        Err(_) => None,
    };
    let (out, mut events) = mpsc::channel(BEHIND);
    let services = services.clone();
    tokio::spawn(async move {
        // the reader is gone, or too far behind: either way it is not waited for
        let pumped = tokio::select! {
            pumped = pump(&mut hearing, &frame, first, &out) => pumped,
            () = out.closed() => None,
        };
        if let Some(end) = pumped {
            handed_over(&services, channel.as_ref(), end.reply);
        }
    });
    let events = stream::poll_fn(move |cx| events.poll_recv(cx).map(|event| event.map(Ok::<_, Infallible>)));
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response())
}

/// Hands pieces on until the end, which is returned, or until the reader is gone.
async fn pump(
    hearing: &mut Hearing,
    frame: &Frame,
    first: Option<Piece>,
    out: &mpsc::Sender<Event>,
) -> Option<End> {
    let mut shown = Shown::default();
    let mut calls = 0;
    let mut next = first;
    out.try_send(event(&frame.first())).ok()?;
    loop {
        let piece = match next.take() {
            Some(piece) => Ok(piece),
            None => hearing.piece().await,
        };
        let chunk = match piece {
            Ok(Piece::Void) => {
                shown.void();
                continue;
            }
            Ok(Piece::Text(text)) => match shown.text(&text) {
                Ok(text) if text.is_empty() => continue,
                Ok(text) => Ok(frame.text(&text)),
                Err(error) => Err(error),
            },
            Ok(Piece::Call(call)) => {
                let call = ToolCall::new(call, Some(calls));
                calls += 1;
                Ok(frame.delta(json!({ "tool_calls": [call] })))
            }
            Ok(Piece::End(end)) => match shown.end() {
                Ok(()) => {
                    for chunk in frame.last(&end) {
                        out.try_send(event(&chunk)).ok()?;
                    }
                    out.try_send(done()).ok()?;
                    return Some(end);
                }
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        match chunk {
            Ok(chunk) => out.try_send(event(&chunk)).ok()?,
            Err(error) => {
                // the reader knows by this that the answer is not whole
                let _ = out.try_send(event(&json!(error.body())));
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l6_the_same_words_again_are_not_sent_twice() {
        let mut shown = Shown::default();
        assert_eq!(shown.text("It is").unwrap(), "It is");
        shown.void();
        assert_eq!(shown.text("It ").unwrap(), "");
        assert_eq!(shown.text("is four").unwrap(), " four");
        assert_eq!(shown.text(".").unwrap(), ".");
        assert!(shown.end().is_ok());
    }

    #[test]
    fn l6_other_words_are_an_error_since_nothing_can_be_taken_back() {
        let mut shown = Shown::default();
        shown.text("It is four").unwrap();
        shown.void();
        shown.text("It is ").unwrap();
        assert!(shown.end().is_err(), "less than was sent");
        assert_eq!(shown.text("five").unwrap_err().code, "reply_discarded");
    }

    #[test]
    fn usage_is_null_in_every_chunk_but_one_of_its_own() {
        let usage = greenroom_core::Usage { prompt_tokens: 3, completion_tokens: 2, ..Default::default() };
        let end = End {
            text: "hi".into(),
            finish: greenroom_core::Finish::Stop,
            usage,
            reply: greenroom_core::MessageId(1),
        };
        let mut frame =
            Frame { turn: TurnId(uuid::Uuid::nil()), model: "ada".into(), created: 0, usage: true };
        let last = frame.last(&end);
        assert!(last[0]["usage"].is_null() && last[0].get("usage").is_some());
        assert_eq!((&last[1]["choices"], &last[1]["usage"]["total_tokens"]), (&json!([]), &json!(5)));
        frame.usage = false;
        assert!(frame.last(&end).iter().all(|chunk| chunk.get("usage").is_none()));
    }
}
