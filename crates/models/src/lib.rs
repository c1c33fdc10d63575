//! Chat and embedding models behind two traits, with three implementations: OpenAI-compatible endpoints, built-in
//! models, and scripts.
//!
//! A chat model makes one attempt and reports its outcome. Only the wrapper [`Resilient`] waits and retries, so that
//! retries never multiply.
//!
#![doc = include_str!("../README.md")]

mod chat;
mod embed;
mod embedder;
mod error;
mod local;
mod openai;
mod retry;
mod scripted;
mod tls;
mod weights;

pub use chat::{ChatModel, ChatRequest, FinishReason, ModelEvent, ModelStream};
pub use embed::{MiniLm, MiniLmEmbedder, MultilingualEmbedder, StaticEmbedder, dictionary, linear_map_file};
pub use embedder::{EmbedError, Embedder, QuestionMap, normalise};
pub use error::ModelError;
pub use local::{LOCAL_MAX_OUTPUT, LOCAL_WINDOW, LocalModel, LocalTokenizer};
pub use openai::{
    Endpoint, ListedModel, ModelFacts, OpenAiEmbedder, OpenAiModel, RemoteTokenizer, Timeouts, Window,
    facts_of, list_models,
};
pub use retry::Resilient;
pub use scripted::ScriptedModel;
pub use tls::install_tls;
pub use weights::{Installed, Progress, Weights, WeightsEntry, WeightsError, WeightsFile, catalogue};
