//! What of a channel's past a context is made of: since the last reset or the last summary, and
//! only what the persona was present for.

use greenroom_core::{ChannelKey, MessageId, Timestamp};
use greenroom_persona::Persona;
use greenroom_store::{AskedPast, HistorySummary, Past, Store, StoreError};

/// Messages of a channel that are considered at all; the budget decides how many are kept.
pub(crate) const HISTORY: usize = 200;

/// What is asked of the store for a persona's past in a channel, nobody's sitting with it.
pub(crate) fn asked_past(persona: &Persona, channel: &ChannelKey) -> AskedPast {
    let memory = &persona.memory;
    AskedPast {
        persona: persona.name.clone(),
        channel: channel.clone(),
        user: None,
        heard: memory.witness,
        summarised: memory.enabled && memory.summarise_history,
        limit: HISTORY + 1,
        now: Timestamp(0),
    }
}

/// Lets go of what is more than [`HISTORY`]; whether there was more.
pub(crate) fn cut(past: &mut Past) -> bool {
    let more = past.messages.len() > HISTORY;
    if more {
        past.messages.remove(0);
    }
    more
}

/// Where a persona's history begins.
#[derive(PartialEq)]
pub(crate) struct Beginning {
    /// After this message: the last that was summarised, or that a reset left behind.
    pub(crate) after: Option<MessageId>,
    pub(crate) summary: Option<HistorySummary>,
}

impl Beginning {
    /// Reads it. A summary made before the last reset is void: it tells what was to be left behind
    /// (WB14).
    pub(crate) async fn of(
        store: &dyn Store,
        persona: &Persona,
        channel: &ChannelKey,
    ) -> Result<Self, StoreError> {
        let reset = store.context_start(&persona.name, channel).await?;
        let summary = store.past(&AskedPast { limit: 0, ..asked_past(persona, channel) }).await?.summary;
        Ok(Self { after: summary.as_ref().map(|summary| summary.until).or(reset), summary })
    }
}
