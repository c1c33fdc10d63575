//! Recall: from the last messages of a conversation to the few statements that matter now.

use greenroom_core::{MessageId, TurnId};
use greenroom_persona::MemorySettings;
use greenroom_store::Item;

/// What a turn wants to recall.
#[derive(Debug, Clone)]
pub struct RecallRequest<'a> {
    /// The turn; its tool rounds share one recall (BD10, FG9).
    pub turn_id: TurnId,
    /// The last messages as texts, oldest first; the last one is the trigger.
    pub window: &'a [String],
    /// The trigger: neither it nor anything after it is recalled.
    pub before: Option<MessageId>,
    /// Limits and thresholds.
    pub settings: &'a MemorySettings,
}

/// What came back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recalled {
    /// Knowledge first, then past messages, each best first.
    pub items: Vec<RecalledItem>,
    /// Why it is less than it could be, if it is.
    pub degraded: Option<Degraded>,
}

/// One recalled item.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledItem {
    /// What it is.
    pub item: Item,
    /// Cosine with the query.
    pub score: f32,
}

/// Why a recall is less than it could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Degraded {
    /// The embedder failed (L20).
    Embedder(String),
    /// The deadline passed; what was complete by then is there (FG8).
    Deadline,
}
