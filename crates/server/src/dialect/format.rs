//! The output of a dialect: a reply in one document, or the chunks of a stream.

use greenroom_core::{Finish, MemorySnippet, MessageId, Timestamp, ToolCall, TurnId, Usage};
use serde_json::{Value, json};

use crate::ApiError;

/// What is known about a reply when its turn begins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReplyInfo {
    pub(crate) turn: TurnId,
    /// The model's name as the client wrote it.
    pub(crate) model: String,
    pub(crate) created: Timestamp,
    /// Whether it is a reply of a channel.
    pub(crate) stored: bool,
}

impl ReplyInfo {
    /// The time of creation, in seconds since 1970.
    pub(crate) fn seconds(&self) -> i64 {
        self.created.0 / 1_000_000
    }

    /// Greenroom's own field of a document: the turn, and the memories recalled for it, best first. A stored reply
    /// has no memories.
    pub(crate) fn provenance(&self, memories: &[MemorySnippet]) -> Value {
        json!({ "turn_id": self.turn, "memories": memories })
    }
}

/// The end of a reply.
#[derive(Debug, PartialEq)]
pub(crate) struct ReplyEnd {
    /// The whole text.
    pub(crate) text: String,
    pub(crate) finish: Finish,
    pub(crate) usage: Usage,
    /// The stored reply, in a channel.
    pub(crate) reply: MessageId,
}

/// A whole reply.
pub(crate) struct CompleteReply {
    pub(crate) end: ReplyEnd,
    /// The calls of the client's tools.
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) memories: Vec<MemorySnippet>,
}

/// How the chunks of a stream are sent.
pub(crate) enum StreamFormat {
    ServerSentEvents,
    /// One JSON document per line.
    JsonLines,
}

/// One chunk of a stream.
#[derive(Debug, PartialEq)]
pub(crate) struct Chunk {
    /// The event's name, if the dialect has named events.
    pub(crate) event: Option<&'static str>,
    pub(crate) data: String,
}

impl Chunk {
    /// A chunk without a name.
    pub(crate) fn data(data: impl ToString) -> Self {
        Self { event: None, data: data.to_string() }
    }

    /// A chunk with a name.
    pub(crate) fn event(event: &'static str, data: impl ToString) -> Self {
        Self { event: Some(event), data: data.to_string() }
    }
}

/// The format of one dialect. Pure: each method adds the chunks of one event of the reply.
pub(crate) trait ReplyFormat: Send + 'static {
    const STREAM: StreamFormat;
    /// The document of a whole reply.
    fn document(self, reply: CompleteReply) -> Value;
    fn begin(&mut self, _: &mut Vec<Chunk>) {}
    /// Text to append.
    fn text(&mut self, text: &str, out: &mut Vec<Chunk>);
    /// A call of one of the client's tools, in an API that has tools.
    fn call(&mut self, _: ToolCall, _: &mut Vec<Chunk>) {}
    /// The end of a whole reply.
    fn end(&mut self, end: &ReplyEnd, out: &mut Vec<Chunk>);
    /// The end of a reply that broke off. It tells the client that the reply is incomplete.
    fn failed(&mut self, error: &ApiError, out: &mut Vec<Chunk>);
}
