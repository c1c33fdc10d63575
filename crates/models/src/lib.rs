//! Chat and embedding models behind two traits: OpenAI-compatible, built in, scripted.
//!
//! A chat model makes one attempt and reports honestly how it ended; waiting and trying again is
//! the work of one wrapper, so that retries never multiply.

mod chat;
mod embedder;
mod error;
mod openai;
mod retry;
mod scripted;

pub use chat::{ChatModel, ChatRequest, FinishReason, ModelEvent, ModelStream};
pub use embedder::{EmbedError, Embedder, normalise};
pub use error::ModelError;
pub use openai::{Endpoint, OpenAiEmbedder, OpenAiModel, Timeouts, list_models};
pub use retry::Resilient;
pub use scripted::ScriptedModel;
