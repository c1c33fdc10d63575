//! The chat trait: a request in, a stream of events out. Dropping the stream cancels the call.

use std::sync::Arc;

use futures::stream::BoxStream;
use greenroom_core::{ChatMessage, Offered, ToolCall, Usage};
use serde_json::{Map, Value};

use crate::ModelError;

/// One call of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The model's name at its endpoint.
    pub model: String,
    /// The assembled context.
    pub messages: Vec<ChatMessage>,
    /// Tools the model may call; empty for none.
    pub tools: Vec<Offered>,
    /// Sampling temperature.
    pub temperature: f32,
    /// Longest reply in tokens.
    pub max_output_tokens: u32,
    /// Greenroom's own count of the request; used where the endpoint reports no usage (L14).
    pub prompt_tokens: u64,
    /// Further fields of the OpenAI API, passed on unchanged: `stop`, `top_p`, `tool_choice` … A tool under `tools`
    /// replaces the tool of the same name above.
    pub extra: Map<String, Value>,
}

/// The events of an answer. `Finished` is the last. A stream that ends without it was broken off (L7) and yields an
/// error instead.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// A piece of text.
    Delta(String),
    /// Forget all deltas so far: the call starts afresh (L6).
    Discarded {
        /// Why.
        reason: String,
    },
    /// The call is about to be made again.
    Retrying {
        /// The number of the next attempt, from 2.
        attempt: u32,
        /// Why.
        reason: String,
    },
    /// The answer is complete.
    Finished {
        /// Complete tool calls, in the model's order; empty without any.
        tool_calls: Vec<ToolCall>,
        /// Why it ended.
        reason: FinishReason,
        /// The tokens and cost.
        usage: Usage,
    },
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// The output limit.
    Length,
    /// The model calls tools.
    ToolCalls,
    /// The provider's filter (L11).
    ContentFilter,
}

/// A running call. Ends after `Finished` or the first error.
pub type ModelStream = BoxStream<'static, Result<ModelEvent, ModelError>>;

/// A chat model: answers requests.
pub trait ChatModel: Send + Sync + 'static {
    /// Starts a call; all attempts share the request. Nothing happens before the stream is polled; dropping it
    /// cancels.
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream;
}
