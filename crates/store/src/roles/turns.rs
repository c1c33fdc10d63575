//! Turns: one persona's answer to one message, from its plan to its end.
//!
//! A turn ends once, with a reply or without (GR6). The reply, the outbox row, what the turn cost and its receipt are one
//! transaction.

use async_trait::async_trait;
use greenroom_core::{MessageId, PersonaName, Timestamp, TurnId, Usage};

use crate::{Result, Turn, TurnCommit, TurnEnd};

/// Turns, what they answered and what they cost.
#[async_trait]
pub trait TurnStore: Send + Sync {
    /// Marks a waiting turn as running.
    async fn begin_turn(&self, turn: TurnId, at: Timestamp) -> Result<()>;

    /// Ends a turn with a reply: the reply, its outbox row (bound to the trigger; none in a channel that
    /// is read and not delivered to) and the turn's state in one transaction. A turn that ended already is an error, and nothing is written
    /// (GR6: never answered twice). Where something of its sources was erased since they were read,
    /// the answer is [`StoreError::Erased`](crate::StoreError::Erased) and nothing is written (GR10).
    ///
    /// The receipt is kept without the previews of its history items, and of a channel's receipts
    /// the newest [`RECEIPTS_KEPT`](crate::RECEIPTS_KEPT) are kept.
    async fn commit_turn(&self, turn: TurnId, commit: TurnCommit) -> Result<MessageId>;

    /// Ends a turn without a reply.
    async fn end_turn(&self, turn: TurnId, end: TurnEnd) -> Result<()>;

    /// Ends the turn of a message that is answered together with a later one of the same channel. Where that one is
    /// erased, the turn has failed.
    async fn coalesce_turn(&self, turn: TurnId, answered_with: MessageId, at: Timestamp) -> Result<()>;

    /// One turn as stored, with its receipt.
    async fn turn(&self, turn: TurnId) -> Result<Option<Turn>>;

    /// The turns that answer a message, one a persona, in the order they were planned: of those that
    /// were tried again the newest, and in place of one that was coalesced the one that answers it.
    async fn answers(&self, message: MessageId) -> Result<Vec<Turn>>;

    /// The turns that answer these messages and ended without a reply: failed or cancelled. In the order
    /// of the messages.
    async fn without_reply(&self, messages: &[MessageId]) -> Result<Vec<Turn>>;

    /// What a persona used from `since` to `now`, both included: its turns that ended then, failed and
    /// cancelled ones too (WB12), and what was noted with [`use_aside`](Self::use_aside). What was written later
    /// than now was written by a clock that ran ahead and does not count (S5).
    async fn used(&self, persona: &PersonaName, since: Timestamp, now: Timestamp) -> Result<Usage>;

    /// Notes what a persona used beside stored turns: its small models, turns of no channel.
    async fn use_aside(&self, persona: &PersonaName, at: Timestamp, usage: Usage) -> Result<()>;
}
