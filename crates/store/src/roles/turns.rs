//! Turns: one persona's answer to one message, from its plan to its end.
//!
//! A turn ends once, with or without a reply (GR6). The reply, its outbox row, the turn's cost and its receipt are
//! written in one transaction.

use async_trait::async_trait;
use greenroom_core::{MessageId, PersonaName, Timestamp, TurnId, Usage};

use crate::{Result, Turn, TurnCommit, TurnEnd};

/// Turns, with their triggers and costs.
#[async_trait]
pub trait TurnStore: Send + Sync {
    /// Marks a waiting turn as running.
    async fn begin_turn(&self, turn: TurnId, at: Timestamp) -> Result<()>;

    /// Ends a turn with a reply. One transaction stores the reply, the turn's state, and an outbox row that is bound to
    /// the trigger; a channel that is only read gets no outbox row. If the turn has already ended, returns an error and
    /// writes nothing (GR6: never answered twice). If one of the sources was erased since it was read, returns
    /// [`StoreError::Erased`](crate::StoreError::Erased) and writes nothing (GR10).
    ///
    /// The receipt is stored without the previews of its history items. The store keeps the newest
    /// [`RECEIPTS_KEPT`](crate::RECEIPTS_KEPT) receipts of a channel.
    async fn commit_turn(&self, turn: TurnId, commit: TurnCommit) -> Result<MessageId>;

    /// Ends a turn without a reply.
    async fn end_turn(&self, turn: TurnId, end: TurnEnd) -> Result<()>;

    /// Ends the turn of a message that is answered together with a later message of the same channel. If the later
    /// message was erased, the turn ends as failed.
    async fn coalesce_turn(&self, turn: TurnId, answered_with: MessageId, at: Timestamp) -> Result<()>;

    /// One turn as stored, with its receipt.
    async fn turn(&self, turn: TurnId) -> Result<Option<Turn>>;

    /// The turns that answer a message, one per persona, in the order they were planned. Of several attempts, the
    /// newest is returned. A coalesced turn is replaced by the turn that answers it.
    async fn answers(&self, message: MessageId) -> Result<Vec<Turn>>;

    /// The turns that answer these messages and ended without a reply: failed or cancelled. In the order of the
    /// messages.
    async fn without_reply(&self, messages: &[MessageId]) -> Result<Vec<Turn>>;

    /// What a persona used from `since` to `now`, both included: its turns that ended then, also failed and cancelled
    /// ones (WB12), and what [`record_side_usage`](Self::record_side_usage) recorded. Entries later than `now` come from a clock that
    /// ran ahead and do not count (S5).
    async fn used(&self, persona: &PersonaName, since: Timestamp, now: Timestamp) -> Result<Usage>;

    /// Records what a persona used outside stored turns: small models, and turns without a channel.
    async fn record_side_usage(&self, persona: &PersonaName, at: Timestamp, usage: Usage) -> Result<()>;
}
