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
    /// The tools that the model may call.
    pub tools: Vec<Offered>,
    /// The sampling temperature.
    pub temperature: f32,
    /// The maximum length of the reply, in tokens.
    pub max_output_tokens: u32,
    /// Greenroom's own token count of the request. It is used if the endpoint reports no usage (L14).
    pub prompt_tokens: u64,
    /// Further fields of the OpenAI API, passed on unchanged: `stop`, `top_p`, `tool_choice` … A tool in its `tools`
    /// replaces the tool of the same name in [`Self::tools`].
    pub extra: Map<String, Value>,
}

/// The events of an answer. `Finished` is the last event. If a stream ends without it, the answer was cut off (L7), and
/// the stream yields an error instead.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// A piece of text.
    Delta(String),
    /// All deltas so far are void, because the call starts again (L6).
    Discarded {
        /// The reason.
        reason: String,
    },
    /// The call will be made again.
    Retrying {
        /// The number of the next attempt, from 2.
        attempt: u32,
        /// The reason.
        reason: String,
    },
    /// The answer is complete.
    Finished {
        /// The complete tool calls, in the model's order.
        tool_calls: Vec<ToolCall>,
        /// Why the answer ended.
        reason: FinishReason,
        /// The tokens and the cost.
        usage: Usage,
    },
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// The answer reached the output limit.
    Length,
    /// The model calls tools.
    ToolCalls,
    /// The provider's filter stopped the answer (L11).
    ContentFilter,
}

/// A running call. Ends after `Finished` or the first error.
pub type ModelStream = BoxStream<'static, Result<ModelEvent, ModelError>>;

/// A chat model: answers requests.
pub trait ChatModel: Send + Sync + 'static {
    /// Starts a call; all attempts share the request. Nothing happens before the stream is polled. Dropping the stream
    /// cancels the call.
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream;
}
