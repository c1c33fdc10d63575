//! What a recall gives: items with what each is worth, and why it is less than it could be.

use std::fmt;

use greenroom_core::{MemoryId, Timestamp, TurnId};
use greenroom_persona::SourceName;
use greenroom_store::Item;

/// What came back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recalled {
    /// Knowledge first, then past messages, each best first.
    pub items: Vec<RecalledItem>,
    /// Why it is less than it could be, if it is.
    pub degraded: Option<Degraded>,
    /// What the receipt says about it: a time range that was understood (JV8), an index that is
    /// still being loaded.
    pub notes: Vec<String>,
}

/// One recalled item.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledItem {
    /// What it is.
    pub item: Item,
    /// Which source it comes from.
    pub source: SourceName,
    /// Relevance, 0 to 1: what thresholds are held against and people are shown. The cosine; with
    /// words, the larger of it and the share of the query's weight the item's words hold.
    pub score: f32,
    /// The cosine with the query, where meaning was asked.
    pub meaning: Option<f32>,
    /// The share of the query's words it holds, by their weight, where words were asked.
    pub words: Option<f32>,
    /// How likely it answers, 0 to 1, among all that one search found: the softmax of the ranker's scores, as the ranker
    /// was fitted. 1 for what was not ranked.
    pub likelihood: f32,
    /// Whether it is a message of another chat, in which the person told it to the persona alone (MP1).
    pub told_alone: bool,
    /// The memory whose edge led here (FG7); nothing for what was found by itself.
    pub via: Option<MemoryId>,
    /// What it took the place of, newest first (FG13).
    pub supersedes: Vec<MemoryVersion>,
    /// The label of the person from whom a memory was learned (RM7).
    pub from: Option<String>,
}

impl RecalledItem {
    /// An item that was found by itself.
    pub fn new(item: Item, source: SourceName, score: f32) -> Self {
        Self {
            item,
            source,
            score,
            meaning: None,
            words: None,
            likelihood: 1.0,
            told_alone: false,
            via: None,
            supersedes: Vec::new(),
            from: None,
        }
    }
}

/// An earlier version of what a memory says.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryVersion {
    /// The older memory.
    pub id: MemoryId,
    /// What it said.
    pub text: String,
    /// When it was last written.
    pub at: Timestamp,
}

/// Why a recall is less than it could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Degraded {
    /// The embedder failed, in one line (L20).
    Embedder(String),
    /// The deadline passed; what was complete by then is there (FG8).
    Deadline,
}

impl fmt::Display for Degraded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedder(reason) => write!(f, "nothing was recalled by meaning: {reason}"),
            Self::Deadline => f.write_str("recall took too long; what was found by then is used"),
        }
    }
}

impl Degraded {
    pub(super) fn warn(&self, turn: TurnId) {
        tracing::warn!(%turn, "{self}");
    }
}
