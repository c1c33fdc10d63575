//! The part of a channel's past that a context is made of: since the last reset or the last summary, and only what the
//! persona was present for.

use greenroom_context::steadiest;
use greenroom_core::{ChannelKey, MessageId, Timestamp};
use greenroom_persona::{BlockPlace, Persona};
use greenroom_store::{AskedPast, HistorySummary, Past, Store, StoreError};

/// How many messages of a channel are considered at most. The budget decides how many are kept.
pub(crate) const HISTORY: usize = 200;

/// The query for a persona's past in a channel, without a session.
pub(crate) fn asked_past(persona: &Persona, channel: &ChannelKey) -> AskedPast {
    let memory = &persona.memory;
    AskedPast {
        persona: persona.name.clone(),
        channel: channel.clone(),
        user: None,
        heard: memory.witness,
        summarised: memory.enabled && memory.summarise_history,
        other_chats: false,
        limit: HISTORY + 1,
        now: Timestamp(0),
    }
}

/// If a history is too long, up to this many of the oldest messages may be dropped besides those that have to.
const LOOSE: usize = HISTORY / 3;

/// Shortens a history to [`HISTORY`]. Returns whether it was longer. If the beginning of a request has to stay the same
/// from turn to turn, it drops a block at once and not one message per turn (GR5).
pub(crate) fn cut(past: &mut Past, place: BlockPlace) -> bool {
    let more = past.messages.len() > HISTORY;
    if more {
        let loose = past.messages.iter().skip(1).take(LOOSE).map(|message| message.id);
        let block = match place {
            BlockPlace::System => 0,
            BlockPlace::AfterHistory => steadiest(loose).unwrap_or(0),
        };
        past.messages.drain(..=block);
    }
    more
}

/// Where a persona's history begins.
pub(crate) struct HistoryStart {
    /// The history begins after this message: the last that was summarised, or that a reset left behind.
    pub(crate) after: Option<MessageId>,
    pub(crate) summary: Option<HistorySummary>,
    /// The newest erasure when this was read.
    pub(crate) erased: i64,
}

impl HistoryStart {
    /// Reads it. A summary from before the last reset does not count, because it tells what the reset left behind
    /// (WB14).
    pub(crate) async fn read(
        store: &dyn Store,
        persona: &Persona,
        channel: &ChannelKey,
    ) -> Result<Self, StoreError> {
        let reset = store.context_start(&persona.name, channel).await?;
        let past = store.past(&AskedPast { limit: 0, ..asked_past(persona, channel) }).await?;
        let Past { summary, erased, .. } = past;
        Ok(Self { after: summary.as_ref().map(|summary| summary.until).or(reset), summary, erased })
    }
}
