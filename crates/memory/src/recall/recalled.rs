//! The result of a recall: items with their relevance, and the reason if the recall is degraded.

use std::fmt;

use greenroom_core::{MemoryId, Timestamp, TurnId};
use greenroom_persona::SourceName;
use greenroom_store::Item;

/// The result of a recall.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recalled {
    /// Knowledge first, then past messages, each best first.
    pub items: Vec<RecalledItem>,
    /// Why the recall is degraded, if it is.
    pub degraded: Option<Degraded>,
    /// Notes for the receipt, such as a time range that was understood (JV8), or an index that is still being loaded.
    pub notes: Vec<String>,
    /// Whether the question's vectors were mapped to where the answers are. The bars of `focus` differ by it (MP3).
    pub is_mapped: bool,
}

/// One recalled item.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledItem {
    /// The memory or message.
    pub item: Item,
    /// The source of the item.
    pub source: SourceName,
    /// Relevance, 0 to 1, which thresholds compare with and users see. It is the cosine. If the recall also searched
    /// words, it is the larger of the cosine and `words`.
    pub score: f32,
    /// The cosine with the query, if the recall searched by meaning.
    pub meaning: Option<f32>,
    /// The share of the query's words that the item contains, by their weight, if the recall searched by words.
    pub words: Option<f32>,
    /// The likelihood, 0 to 1, that the item is the answer among all results of one search: the softmax of the ranker's
    /// scores, as in the fit of the ranker. 1 if the item was not ranked.
    pub likelihood: f32,
    /// Whether the item is a message that only asks or requests something.
    pub only_asks: bool,
    /// Whether the item is a message of another chat, in which the person told it to the persona alone (MP1).
    pub is_from_other_chat: bool,
    /// The memory whose edge led to this item (FG7); `None` if the search found the item.
    pub via: Option<MemoryId>,
    /// The earlier versions that the item supersedes, newest first (FG13).
    pub supersedes: Vec<MemoryVersion>,
    /// The label of the person from whom the memory was learned (RM7).
    pub from: Option<String>,
}

impl RecalledItem {
    /// Returns an item that the search itself found.
    pub fn new(item: Item, source: SourceName, score: f32) -> Self {
        Self {
            item,
            source,
            score,
            meaning: None,
            words: None,
            likelihood: 1.0,
            only_asks: false,
            is_from_other_chat: false,
            via: None,
            supersedes: Vec::new(),
            from: None,
        }
    }
}

/// An earlier version of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryVersion {
    /// The older memory.
    pub id: MemoryId,
    /// The text of the older memory.
    pub text: String,
    /// When it was last written.
    pub at: Timestamp,
}

/// Why a recall is degraded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Degraded {
    /// The embedder failed, for this reason in one line (L20).
    Embedder(String),
    /// The deadline passed. The result contains what was complete by then (FG8).
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
