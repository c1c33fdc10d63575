//! What is used and does not stand in a stored turn (WB12): what turns under way have reserved, of
//! this run alone, and what small models use beside the turns, which the store keeps.

use std::{sync::Arc, time::Duration};

use dashmap::DashMap;
use futures::{StreamExt, stream};
use greenroom_core::{Clock, PersonaName, Usage};
use greenroom_models::{ChatModel, ChatRequest, ModelEvent, ModelStream};
use greenroom_persona::Price;
use greenroom_store::Store;

/// The window in which tokens count.
pub(crate) const HOUR: Duration = Duration::from_secs(3600);

/// The window in which costs count.
pub(crate) const DAY: Duration = Duration::from_secs(24 * 3600);

/// What the store does not know of every persona's tokens.
#[derive(Default)]
pub(crate) struct Ledger(DashMap<PersonaName, Open>);

#[derive(Default)]
struct Open {
    /// Tokens the running turns have reserved.
    reserved: u64,
    /// Tokens of a request there was no room for, unless one as large was made since.
    refused: u64,
}

impl Ledger {
    /// Takes `less` tokens off what a persona's running turns have reserved and adds `more`; how
    /// much is reserved then.
    pub(crate) fn reserve(&self, persona: &PersonaName, less: u64, more: u64) -> u64 {
        let mut open = self.0.entry(persona.clone()).or_default();
        open.reserved = open.reserved.saturating_sub(less).saturating_add(more);
        open.reserved
    }

    /// Notes whether there was room for a request of so many tokens.
    pub(crate) fn judged(&self, persona: &PersonaName, tokens: u64, allowed: bool) {
        let mut open = self.0.entry(persona.clone()).or_default();
        match allowed {
            true if tokens >= open.refused => open.refused = 0,
            true => {}
            false => open.refused = tokens,
        }
    }

    /// How many tokens a request wanted in vain; 0 where none did.
    pub(crate) fn refused(&self, persona: &PersonaName) -> u64 {
        self.0.get(persona).map_or(0, |open| open.refused)
    }
}

/// A model whose use is written down for a persona.
#[derive(Clone)]
pub(crate) struct Metered {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) persona: PersonaName,
    pub(crate) price: Option<Price>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Metered {
    async fn spend(&self, prompt_tokens: u64, completion_tokens: u64) {
        let cost_micros = self.price.map_or(0, |price| price.of(prompt_tokens, completion_tokens));
        let usage = Usage { prompt_tokens, completion_tokens, estimated: false, cost_micros };
        if usage.total() == 0 {
            return;
        }
        if let Err(error) = self.store.use_aside(&self.persona, self.clock.now(), usage).await {
            tracing::warn!(persona = %self.persona, %error, "what a small model used could not be noted");
        }
    }
}

impl ChatModel for Metered {
    /// The request counts when the call begins, since one that is broken off is paid for too (L14).
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let asked = request.prompt_tokens;
        let events = self.model.stream(request);
        let metered = self.clone();
        let call = async move {
            metered.spend(asked, 0).await;
            events.then(move |event| {
                let metered = metered.clone();
                async move {
                    if let Ok(ModelEvent::Finished { usage, .. }) = &event {
                        let rest = usage.prompt_tokens.saturating_sub(asked);
                        metered.spend(rest, usage.completion_tokens).await;
                    }
                    event
                }
            })
        };
        stream::once(call).flatten().boxed()
    }
}
