//! Any OpenAI-compatible endpoint: hosted, Ollama, llama.cpp, vLLM.
//!
//! ```text
//! request.rs   the body of a request
//! call.rs      one exchange; refusals are classified in refusal.rs
//! frames.rs    the events of the stream
//! chunk.rs     the JSON of each event (lenient.rs), skipped where only the text differs (alike.rs)
//! answer.rs    the answer assembled from the chunks
//! probe.rs     the endpoint's models, and their windows
//! tokenizer.rs the tokens of a request, where the server counts
//! ```
//! One call is one attempt: only [`Resilient`](crate::Resilient) waits and tries again. The only request sent twice
//! is one that the endpoint refused because of an optional field; it is sent again without that field.
//!
//! Answers are read leniently where their meaning is clear (a missing index, a complete JSON answer instead of a
//! stream) and refused where it is not (L7 to L10). The wire format is that of async-openai, whose own stream reader
//! has neither this leniency nor a size limit.

mod alike;
mod answer;
mod call;
mod chunk;
mod embeddings;
mod endpoint;
mod frames;
mod lenient;
mod probe;
mod refusal;
mod request;
mod tokenizer;

use std::{sync::Arc, time::Duration};

use futures::{Stream, StreamExt, TryStreamExt, stream};
use greenroom_core::{Instant, real_time};
use reqwest::{Method, Response, header::CONTENT_TYPE};

use self::{
    alike::PieceTemplate,
    answer::Answer,
    call::{Call, MAX_ANSWER, too_long},
    chunk::Chunk,
    endpoint::root_cause,
    frames::{Frame, Frames},
    refusal::Refusal,
    request::Body,
};
use crate::{ChatModel, ChatRequest, ModelError, ModelEvent, ModelStream};

pub use self::{
    embeddings::OpenAiEmbedder,
    endpoint::{Endpoint, Timeouts},
    probe::{ListedModel, ModelFacts, Window, facts_of, list_models},
    tokenizer::RemoteTokenizer,
};

/// How long to wait for the usage after the finish reason. An endpoint that keeps the stream open must not delay the
/// answer.
const AFTER_FINISH: Duration = Duration::from_secs(1);

/// A chat model behind an OpenAI-compatible endpoint.
#[derive(Debug, Clone)]
pub struct OpenAiModel {
    endpoint: Endpoint,
}

impl OpenAiModel {
    /// A model of this endpoint; each request names the model. Opens no connection.
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }
}

impl ChatModel for OpenAiModel {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        stream::once(open(self.endpoint.clone(), request)).try_flatten().boxed()
    }
}

/// Sends the request and waits for the head of the answer.
async fn open(
    endpoint: Endpoint,
    request: Arc<ChatRequest>,
) -> Result<impl Stream<Item = Result<ModelEvent, ModelError>> + Send, ModelError> {
    let first_token = endpoint.timeouts().first_token;
    let deadline = real_time().deadline(first_token);
    let call = Call::new(endpoint, request.model.clone());
    let mut body = Body::of(call.endpoint(), &request);
    let reply = loop {
        let sending = call.request(Method::POST, "/chat/completions", Some(body.json()))?;
        let sent = real_time().timeout_at(deadline, call.send(sending)).await;
        let answer = Answer::to(&request);
        match sent.map_err(|_| call.timeout("begin to answer", first_token))?? {
            Ok(response) => break Reply::new(call, Some(response), answer, deadline),
            // others report a refusal by the filter as a finish reason (L11)
            Err(refusal) if refusal.is_content_filter() => {
                break Reply::new(call, None, answer.filtered(), deadline);
            }
            Err(refusal) => {
                let error = call.refused(refusal);
                if !body.without_refused_field(&error) {
                    return Err(error);
                }
            }
        }
    };
    // boxed: it is handed on with every event
    Ok(stream::unfold(Box::new(reply), |mut reply| async { Some((reply.next().await?, reply)) }))
}

/// A reply in progress.
struct Reply {
    call: Call,
    /// The part of the response still to be read.
    response: Option<Response>,
    /// The number of bytes read so far.
    read: usize,
    frames: Frames,
    /// The shape of the last piece, for pieces that differ only in text.
    alike: Option<PieceTemplate>,
    answer: Answer,
    /// When the current timeout expires (L4).
    deadline: Instant,
    /// Set if no more text follows: the reason.
    over: Option<Over>,
    ended: bool,
}

/// Why an answer has no more text.
enum Over {
    /// The stream sent its end mark.
    Done,
    /// The stream ended without an end mark.
    Ended,
    /// The stream contained an error (L8).
    Refused(Refusal),
    /// The stream broke off.
    Failed(ModelError),
}

impl Reply {
    fn new(call: Call, response: Option<Response>, answer: Answer, deadline: Instant) -> Self {
        let kind = response.as_ref().and_then(|response| response.headers().get(CONTENT_TYPE));
        let in_one_piece = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        let frames = if in_one_piece { Frames::whole() } else { Frames::default() };
        Self { call, response, read: 0, frames, alike: None, answer, deadline, over: None, ended: false }
    }

    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        if self.ended {
            return None;
        }
        let over = match self.text().await {
            Ok(text) => return Some(Ok(ModelEvent::Delta(text))),
            Err(over) => over,
        };
        self.ended = true;
        let whole = self.answer.is_finished() || matches!(over, Over::Done) && !self.answer.is_empty();
        Some(match over {
            Over::Refused(refusal) => Err(self.call.refused(refusal)),
            // the finish reason has come, so the answer is complete even if the stream fails now
            _ if whole => self.answer.complete().map_err(|reason| self.call.broken(&reason)),
            Over::Failed(error) => Err(error),
            Over::Done | Over::Ended => {
                Err(self.call.broken("the stream ended early, without a finish reason"))
            }
        })
    }

    /// The next text. Pieces that arrived together are returned together, so that each listener wakes only once.
    async fn text(&mut self) -> Result<String, Over> {
        loop {
            if let Some(over) = self.over.take() {
                return Err(over);
            }
            let mut text = String::new();
            self.over = self.take_in(&mut text).err();
            if !text.is_empty() {
                return Ok(text);
            }
            if self.over.is_none() {
                self.more().await?;
            }
        }
    }

    /// Reads every complete event, and appends its text.
    fn take_in(&mut self, text: &mut String) -> Result<(), Over> {
        while let Some(frame) = self.frames.next() {
            let json = match frame {
                Ok(Frame::Json(json)) => json,
                Ok(Frame::Done) => return Err(Over::Done),
                Err(reason) => return Err(Over::Failed(self.call.broken(&reason))),
            };
            let alike = self.alike.as_ref().filter(|_| !self.answer.is_finished());
            if let Some(piece) = alike.and_then(|alike| alike.text(json)) {
                self.answer.add(piece);
                *text += piece;
            } else {
                let chunk = Chunk::read(json).map_err(|reason| Over::Failed(self.call.broken(&reason)))?;
                self.alike = PieceTemplate::of(json, &chunk);
                let piece =
                    self.answer.apply(chunk).map_err(|_error| Over::Refused(Refusal::in_chunk(json)))?;
                *text += &piece.unwrap_or_default();
            }
            self.extend_deadline();
        }
        Ok(())
    }

    /// Restarts the idle timeout after activity of the endpoint.
    fn extend_deadline(&mut self) {
        let limits = self.call.endpoint().timeouts();
        if self.answer.is_finished() {
            self.deadline = real_time().deadline(limits.stall.min(AFTER_FINISH));
        } else if self.answer.has_begun() {
            self.deadline = real_time().deadline(limits.stall);
        }
    }

    /// Reads the next bytes of the response.
    async fn more(&mut self) -> Result<(), Over> {
        let Some(response) = &mut self.response else { return Err(Over::Ended) };
        match real_time().timeout_at(self.deadline, response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                self.read += bytes.len();
                if self.read > MAX_ANSWER {
                    return Err(Over::Failed(self.call.broken(&too_long(MAX_ANSWER))));
                }
                self.frames.push(bytes);
            }
            Ok(Ok(None)) => {
                self.response = None;
                self.frames.end();
            }
            Ok(Err(error)) => return Err(Over::Failed(self.call.broken(&root_cause(&error)))),
            Err(_) => return Err(Over::Failed(self.timed_out())),
        }
        Ok(())
    }

    fn timed_out(&self) -> ModelError {
        let limits = self.call.endpoint().timeouts();
        if self.answer.has_begun() {
            self.call.timeout("go on", limits.stall)
        } else {
            self.call.timeout("begin to answer", limits.first_token)
        }
    }
}
