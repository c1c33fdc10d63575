//! The response to a client: the reply in one document, or as a stream of server-sent events or lines of JSON.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{Stream, StreamExt, stream};
use greenroom_core::{ChannelKey, MessageId, real_time};
use http::{StatusCode, header::CONTENT_TYPE};

use super::{
    format::{Chunk, CompleteReply, ReplyEnd, ReplyFormat, StreamFormat},
    reply_events::{ReplyEvent, ReplyEvents},
    unanswered::PendingMessage,
};
use crate::{ApiError, Services, extract::Json};

/// A failure within this time gets its own HTTP status; a later one is reported in the stream.
const PROMPT: Duration = Duration::from_secs(10);
/// The interval of signs of life in a silent stream.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The work after a client has got the whole reply.
pub(super) struct Acknowledgement {
    pub(super) services: Services,
    pub(super) channel: Option<ChannelKey>,
    pub(super) pending: Option<PendingMessage>,
}

impl Acknowledgement {
    /// Marks the message as answered, so that the reply is not shown again elsewhere (GR6).
    fn send(self, reply: MessageId) {
        if let Some(pending) = self.pending {
            pending.close();
        }
        let Some(channel) = self.channel else { return };
        let runtime = self.services.runtime;
        tokio::spawn(async move {
            if let Err(error) = runtime.delivered(&channel, reply).await {
                tracing::warn!(%channel, %error, "a reply that a client got is shown again at the next start");
            }
        });
    }
}

/// The reply of a turn in one document.
pub(super) async fn document<F: ReplyFormat>(
    mut events: ReplyEvents,
    format: F,
    acknowledgement: Acknowledgement,
) -> Result<Response, ApiError> {
    let mut calls = Vec::new();
    let end = loop {
        match events.next().await? {
            ReplyEvent::Call(call) => calls.push(call),
            ReplyEvent::End(end) => break end,
            // the end has the whole text
            ReplyEvent::Text(_) | ReplyEvent::Restart => {}
        }
    };
    acknowledgement.send(end.reply);
    Ok(Json(format.document(CompleteReply { end, calls, memories: events.memories })).into_response())
}

/// A stored reply.
pub(super) fn stored<F: ReplyFormat>(mut format: F, streamed: bool, end: ReplyEnd) -> Response {
    if !streamed {
        let reply = CompleteReply { end, calls: Vec::new(), memories: Vec::new() };
        return Json(format.document(reply)).into_response();
    }
    let mut chunks = Vec::new();
    format.begin(&mut chunks);
    format.text(&end.text, &mut chunks);
    format.end(&end, &mut chunks);
    response::<F>(stream::iter(chunks))
}

/// The reply of a turn as a stream. A failure before the first text is an error like any other. The stream goes as
/// fast as its client reads; the turn never waits for it ([`greenroom_runtime::TurnEvents`]).
pub(super) async fn stream<F: ReplyFormat>(
    mut events: ReplyEvents,
    mut format: F,
    acknowledgement: Acknowledgement,
) -> Result<Response, ApiError> {
    let first = match real_time().timeout(PROMPT, events.next()).await {
        Ok(event) => Some(event?),
        Err(_) => None,
    };
    let mut begin = Vec::new();
    format.begin(&mut begin);
    let live =
        LiveStream { events, format, sent: SentText::default(), acknowledgement: Some(acknowledgement) };
    let begin = stream::iter(begin);
    let rest = stream::unfold((live, first), async |(mut live, first)| {
        let chunks = live.next(first).await?;
        Some((stream::iter(chunks), (live, None)))
    });
    Ok(response::<F>(begin.chain(rest.flatten())))
}

/// A stream of a turn that runs.
struct LiveStream<F> {
    events: ReplyEvents,
    format: F,
    sent: SentText,
    /// Missing when the reply has ended.
    acknowledgement: Option<Acknowledgement>,
}

impl<F: ReplyFormat> LiveStream<F> {
    /// The chunks of the next event; `None` after the end.
    async fn next(&mut self, first: Option<ReplyEvent>) -> Option<Vec<Chunk>> {
        self.acknowledgement.as_ref()?;
        let event = match first {
            Some(event) => Ok(event),
            None => self.events.next().await,
        };
        let mut chunks = Vec::new();
        if let Err(error) = event.and_then(|event| self.write(event, &mut chunks)) {
            self.acknowledgement = None;
            self.format.failed(&error, &mut chunks);
        }
        Some(chunks)
    }

    fn write(&mut self, event: ReplyEvent, out: &mut Vec<Chunk>) -> Result<(), ApiError> {
        match event {
            ReplyEvent::Restart => self.sent.restart(),
            ReplyEvent::Text(text) => {
                let text = self.sent.text(&text)?;
                if !text.is_empty() {
                    self.format.text(&text, out);
                }
            }
            ReplyEvent::Call(call) => self.format.call(call, out),
            ReplyEvent::End(end) => {
                self.sent.end()?;
                self.format.end(&end, out);
                if let Some(acknowledgement) = self.acknowledgement.take() {
                    acknowledgement.send(end.reply);
                }
            }
        }
        Ok(())
    }
}

/// Chunks in the encoding of the dialect.
fn response<F: ReplyFormat>(chunks: impl Stream<Item = Chunk> + Send + 'static) -> Response {
    match F::STREAM {
        StreamFormat::ServerSentEvents => {
            let event = |Chunk { event, data }: Chunk| {
                let named = event.map_or_else(Event::default, |name| Event::default().event(name));
                Ok::<_, Infallible>(named.data(data))
            };
            Sse::new(chunks.map(event)).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response()
        }
        StreamFormat::JsonLines => {
            let line = |chunk: Chunk| Ok::<_, Infallible>(chunk.data + "\n");
            ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(chunks.map(line))).into_response()
        }
    }
}

/// The text that a client has got. It cannot be taken back: after a restart of the reply (L6) the same words are
/// skipped, and other words are an error.
#[derive(Default)]
struct SentText {
    sent: String,
    restarted: Option<String>,
}

impl SentText {
    /// The reply begins again.
    fn restart(&mut self) {
        self.restarted = Some(String::new());
    }

    /// The part of a text that is still to be sent.
    fn text(&mut self, text: &str) -> Result<String, ApiError> {
        let Some(restarted) = &mut self.restarted else {
            self.sent.push_str(text);
            return Ok(text.to_owned());
        };
        restarted.push_str(text);
        if let Some(more) = restarted.strip_prefix(self.sent.as_str()) {
            let more = more.to_owned();
            self.sent = std::mem::take(restarted);
            self.restarted = None;
            return Ok(more);
        }
        if self.sent.starts_with(restarted.as_str()) { Ok(String::new()) } else { Err(Self::other()) }
    }

    /// Checks that the text that was sent is the whole reply.
    fn end(&self) -> Result<(), ApiError> {
        match &self.restarted {
            Some(restarted) if *restarted != self.sent => Err(Self::other()),
            _ => Ok(()),
        }
    }

    fn other() -> ApiError {
        let message = "the connection to the model broke and the answer began afresh with other words; ask again, \
                       or without `stream`";
        ApiError::new(StatusCode::BAD_GATEWAY, "reply_discarded", message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l6_the_same_words_again_are_not_sent_twice() {
        let mut sent = SentText::default();
        assert_eq!(sent.text("It is").unwrap(), "It is");
        sent.restart();
        assert_eq!(sent.text("It ").unwrap(), "");
        assert_eq!(sent.text("is four").unwrap(), " four");
        assert_eq!(sent.text(".").unwrap(), ".");
        assert!(sent.end().is_ok());
    }

    #[test]
    fn l6_other_words_are_an_error_since_nothing_can_be_taken_back() {
        let mut sent = SentText::default();
        sent.text("It is four").unwrap();
        sent.restart();
        sent.text("It is ").unwrap();
        assert!(sent.end().is_err(), "less than was sent");
        assert_eq!(sent.text("five").unwrap_err().code, "reply_discarded");
    }
}
