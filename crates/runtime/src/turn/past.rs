//! What of a channel's past a context is made of: since the last reset or the last summary, and
//! only what the persona was present for.

use greenroom_core::{ChannelKey, Message, MessageId};
use greenroom_persona::Persona;
use greenroom_store::{HistorySummary, Store, StoreError};

/// Messages of a channel that are considered at all; the budget decides how many are kept.
pub(crate) const HISTORY: usize = 200;

/// The past as one persona has it.
pub(crate) struct Past {
    /// What was said since, oldest first.
    pub(crate) said: Vec<Message>,
    /// Whether more than that was said.
    pub(crate) cut: bool,
    /// What was said before that, in short (FG12).
    pub(crate) summary: Option<HistorySummary>,
}

impl Past {
    /// Reads it.
    pub(crate) async fn of(
        store: &dyn Store,
        persona: &Persona,
        channel: &ChannelKey,
    ) -> Result<Self, StoreError> {
        let Beginning { after, summary } = Beginning::of(store, persona, channel).await?;
        let mut said = match persona.memory.witness {
            true => store.heard(&persona.name, channel, after, HISTORY + 1).await?,
            false => store.history(channel, after, HISTORY + 1).await?,
        };
        let cut = said.len() > HISTORY;
        if cut {
            said.remove(0);
        }
        Ok(Self { said, cut, summary })
    }
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
        let memory = &persona.memory;
        let reset = store.context_start(&persona.name, channel).await?;
        let summary = match memory.enabled && memory.summarise_history {
            true => store.summary(&persona.name, channel).await?,
            false => None,
        };
        let summary = summary.filter(|summary| reset.is_none_or(|reset| summary.until > reset));
        Ok(Self { after: summary.as_ref().map(|summary| summary.until).or(reset), summary })
    }
}
