//! A reply in the words of a dialect: one document, or a stream of server-sent events or lines of JSON.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{Stream, StreamExt, stream};
use greenroom_core::{ChannelKey, MemorySnippet, MessageId, Timestamp, TurnId};
use http::{StatusCode, header::CONTENT_TYPE};
use serde::Serialize;
use tokio::sync::mpsc;

use super::{
    hearing::{Call, End, Hearing, Piece},
    kept::Open,
};
use crate::{ApiError, Services, extract::Json};

/// Events a reader may be behind. One that is further behind is let go; the turn waits for nobody.
const BEHIND: usize = 4096;
/// What fails so soon is told with a status of its own; later only the stream can say it.
const PROMPT: Duration = Duration::from_secs(10);
/// A sign of life while nothing is said.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What is known of a reply when its turn has begun.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Begun {
    /// The turn.
    pub(crate) turn: TurnId,
    /// The model's name as the client wrote it.
    pub(crate) model: String,
    /// When.
    pub(crate) created: Timestamp,
    /// Whether it is a reply of a channel.
    pub(crate) stored: bool,
}

impl Begun {
    /// When, in seconds since 1970.
    pub(crate) fn seconds(&self) -> i64 {
        self.created.0 / 1_000_000
    }
}

/// A reply that is whole.
pub(crate) struct Whole {
    /// How it ended.
    pub(crate) end: End,
    /// The client's tools that it calls.
    pub(crate) calls: Vec<Call>,
    /// What was recalled for it, best first; empty for a stored reply that is told again.
    pub(crate) memories: Vec<MemorySnippet>,
}

/// How the frames of a stream are written.
pub(crate) enum Wire {
    /// Server-sent events.
    Events,
    /// A JSON document a line.
    Lines,
}

/// One frame of a stream.
#[derive(Debug, PartialEq)]
pub(crate) struct Frame {
    /// The event's name, where the dialect has one.
    pub(crate) event: Option<&'static str>,
    /// What it says.
    pub(crate) data: String,
}

impl Frame {
    /// A frame without a name.
    pub(crate) fn data(data: impl ToString) -> Self {
        Self { event: None, data: data.to_string() }
    }

    /// A frame with one.
    pub(crate) fn event(event: &'static str, data: impl ToString) -> Self {
        Self { event: Some(event), data: data.to_string() }
    }
}

/// A reply in the words of a dialect. Pure: pieces come in, frames go out.
pub(crate) trait Reply: Send + 'static {
    /// How a stream of it is written.
    const WIRE: Wire;
    /// Its one document.
    type Document: Serialize;
    /// The whole reply in one document.
    fn whole(self, whole: Whole) -> Self::Document;
    /// How a stream begins.
    fn begin(&mut self, out: &mut Vec<Frame>);
    /// Text to append.
    fn text(&mut self, text: &str, out: &mut Vec<Frame>);
    /// A call of a tool of the client.
    fn call(&mut self, call: Call, out: &mut Vec<Frame>);
    /// How a stream ends that is whole.
    fn end(&mut self, end: &End, out: &mut Vec<Frame>);
    /// How a stream ends that is not whole. The client knows it by that.
    fn failed(&mut self, error: &ApiError, out: &mut Vec<Frame>);
}

/// What is to be done when a reply was handed over whole.
pub(super) struct HandOver {
    pub(super) services: Services,
    pub(super) channel: Option<ChannelKey>,
    pub(super) open: Option<Open>,
}

impl HandOver {
    /// The reply need not be shown again elsewhere (GR6), and its message is answered.
    fn done(self, reply: MessageId) {
        if let Some(open) = self.open {
            open.close();
        }
        let Some(channel) = self.channel else { return };
        let runtime = self.services.runtime;
        tokio::spawn(async move {
            if let Err(error) = runtime.delivered(&channel, reply).await {
                tracing::warn!(%channel, %error, "a reply that was handed over is shown again at the next start");
            }
        });
    }
}

/// Hears a turn to its end and tells it in one document.
pub(super) async fn whole<R: Reply>(
    mut hearing: Hearing,
    reply: R,
    handover: HandOver,
) -> Result<Response, ApiError> {
    let mut calls = Vec::new();
    let end = loop {
        match hearing.piece().await? {
            Piece::Call(call) => calls.push(call),
            Piece::End(end) => break end,
            // the end brings all of the text
            Piece::Text(_) | Piece::Void => {}
        }
    };
    handover.done(end.reply);
    Ok(Json(reply.whole(Whole { end, calls, memories: hearing.memories })).into_response())
}

/// Tells a stored reply.
pub(super) fn again<R: Reply>(mut reply: R, streamed: bool, end: End) -> Response {
    if !streamed {
        return Json(reply.whole(Whole { end, calls: Vec::new(), memories: Vec::new() })).into_response();
    }
    let mut frames = Vec::new();
    reply.begin(&mut frames);
    reply.text(&end.text, &mut frames);
    reply.end(&end, &mut frames);
    wired::<R>(stream::iter(frames))
}

/// Frames as the dialect writes them.
fn wired<R: Reply>(frames: impl Stream<Item = Frame> + Send + 'static) -> Response {
    match R::WIRE {
        Wire::Events => {
            let event = |Frame { event, data }: Frame| {
                let named = event.map_or_else(Event::default, |name| Event::default().event(name));
                Ok::<_, Infallible>(named.data(data))
            };
            Sse::new(frames.map(event)).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response()
        }
        Wire::Lines => {
            let line = |frame: Frame| Ok::<_, Infallible>(frame.data + "\n");
            ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(frames.map(line))).into_response()
        }
    }
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
pub(super) async fn pieces<R: Reply>(
    mut hearing: Hearing,
    mut reply: R,
    handover: HandOver,
) -> Result<Response, ApiError> {
    let first = match tokio::time::timeout(PROMPT, hearing.piece()).await {
        Ok(piece) => Some(piece?),
        Err(_) => None,
    };
    let (out, mut frames) = mpsc::channel(BEHIND);
    tokio::spawn(async move {
        // the reader is gone, or too far behind: either way it is not waited for
        let pumped = tokio::select! {
            pumped = pump(&mut hearing, &mut reply, first, &out) => pumped,
            () = out.closed() => None,
        };
        if let Some(end) = pumped {
            handover.done(end.reply);
        }
    });
    Ok(wired::<R>(stream::poll_fn(move |cx| frames.poll_recv(cx))))
}

/// Hands pieces on until the end, which is returned, or until the reader is gone.
async fn pump<R: Reply>(
    hearing: &mut Hearing,
    reply: &mut R,
    first: Option<Piece>,
    out: &mpsc::Sender<Frame>,
) -> Option<End> {
    let mut shown = Shown::default();
    let mut next = first;
    let mut frames = Vec::new();
    reply.begin(&mut frames);
    loop {
        for frame in frames.drain(..) {
            out.try_send(frame).ok()?;
        }
        let piece = match next.take() {
            Some(piece) => Ok(piece),
            None => hearing.piece().await,
        };
        let told = match piece {
            Ok(Piece::Void) => {
                shown.void();
                Ok(())
            }
            Ok(Piece::Text(text)) => shown.text(&text).map(|text| {
                if !text.is_empty() {
                    reply.text(&text, &mut frames);
                }
            }),
            Ok(Piece::Call(call)) => {
                reply.call(call, &mut frames);
                Ok(())
            }
            Ok(Piece::End(end)) => match shown.end() {
                Ok(()) => {
                    reply.end(&end, &mut frames);
                    for frame in frames {
                        out.try_send(frame).ok()?;
                    }
                    return Some(end);
                }
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        if let Err(error) = told {
            reply.failed(&error, &mut frames);
            for frame in frames {
                // a reader that is gone needs no reason
                let _ = out.try_send(frame);
            }
            return None;
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
}
