//! The account of an assembled context: what was kept, cut or dropped, how many tokens, why (GR3).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The parts of a request, in the order the budget is given out (WB1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// The persona's prompt.
    System,
    /// Tool schemas.
    Tools,
    /// AGENTS.md.
    Project,
    /// Recalled memories.
    Memories,
    /// The conversation.
    History,
}

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It stands in the request whole.
    Kept,
    /// It stands there in part.
    Cut,
    /// It does not stand there.
    Dropped,
}

/// One item that was considered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptItem {
    /// Which part it belongs to.
    pub section: Section,
    /// `m12`, `msg:34`, a file's path relative to its project, `system`, a tool's name.
    pub id: String,
    /// Its beginning, one line, for people.
    pub preview: String,
    /// Tokens it takes in the request; for a dropped one, what it would have taken.
    pub tokens: usize,
    /// Its relevance, for a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// What became of it.
    pub outcome: Outcome,
    /// Why.
    pub reason: String,
}

/// Tokens by section (WB5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextBudget {
    /// The whole request: the sum of the sections below, which hold their messages' overhead.
    pub total_tokens: usize,
    /// The persona's prompt and the reply's priming.
    pub system_tokens: usize,
    /// The memory block, its header included.
    pub memory_tokens: usize,
    /// The project block, its header included.
    pub project_tokens: usize,
    /// The history messages and this turn's tool rounds.
    pub history_tokens: usize,
    /// How many history messages.
    pub history_messages: usize,
    /// The tool schemas.
    pub tool_tokens: usize,
    /// True when something was cut or dropped for want of room.
    pub exhausted: bool,
}

/// The account of one assembled context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// The model it was assembled for.
    pub model: String,
    /// The model's window in tokens.
    pub window: usize,
    /// Kept free for the reply.
    pub reserve: usize,
    /// How tokens were counted, as `o200k` or `len/4`.
    pub counter: String,
    /// True when the counter is the model's own tokenizer.
    pub exact: bool,
    /// Tokens by section.
    pub budget: ContextBudget,
    /// Every item considered, in the order of the request, then the dropped ones.
    pub items: Vec<ReceiptItem>,
    /// What else there is to say, as "the embedder did not answer".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The share of the request, 0 to 1, that begins like the one before it in the same channel, so
    /// that a server may reuse its work on it (GR5); absent where there was none before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reusable_prefix: Option<f32>,
}
