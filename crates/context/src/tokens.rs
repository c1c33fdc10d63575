//! How a model counts, how much it holds, and how it wants its prompt laid out.

use std::{fmt, sync::Arc};

/// Counts tokens the way one family of models does (WB3).
pub trait TokenCounter: Send + Sync + fmt::Debug {
    /// `o200k`, `cl100k`, `len/4` …
    fn name(&self) -> &str;
    /// True when it is the model's own tokenizer.
    fn exact(&self) -> bool;
    /// Tokens of a text.
    fn count(&self, text: &str) -> usize;
    /// Tokens around every message of a request.
    fn per_message(&self) -> usize {
        4
    }
    /// Tokens around the whole request.
    fn per_request(&self) -> usize {
        3
    }
}

/// Where the parts of a context stand in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// System prompt, project, memories as system text; then the history.
    Standard,
    /// For models of a few hundred million parameters: the best memory alone, inside the last user
    /// message, after two example exchanges.
    Demonstration,
}

/// What the assembler must know of a model.
#[derive(Debug, Clone)]
pub struct ModelProfile {
    /// The window in tokens.
    pub window: usize,
    /// Its counter.
    pub counter: Arc<dyn TokenCounter>,
    /// Its layout.
    pub layout: Layout,
}
