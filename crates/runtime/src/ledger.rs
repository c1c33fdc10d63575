//! Tokens the store does not know of (WB12): those of turns under way, and those small models used
//! beside the turns. Of a run, not for good: a restart forgets them.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use dashmap::DashMap;
use futures::{StreamExt, stream};
use greenroom_core::{Clock, PersonaName, Timestamp};
use greenroom_models::{ChatModel, ChatRequest, ModelEvent, ModelStream};

/// The window in which tokens count.
pub(crate) const HOUR: Duration = Duration::from_secs(3600);

/// What was used within so long is noted in one line, so that an hour has few of them.
const LINE: Duration = Duration::from_secs(60);

/// Every persona's account.
#[derive(Default)]
pub(crate) struct Ledger(DashMap<PersonaName, Account>);

#[derive(Default)]
struct Account {
    reserved: u64,
    aside: VecDeque<(Timestamp, u64)>,
}

impl Ledger {
    /// Takes `less` tokens off what a persona's running turns have reserved and adds `more`; how
    /// much is reserved then.
    pub(crate) fn reserve(&self, persona: &PersonaName, less: u64, more: u64) -> u64 {
        let mut account = self.0.entry(persona.clone()).or_default();
        account.reserved = account.reserved.saturating_sub(less).saturating_add(more);
        account.reserved
    }

    /// A small model used tokens for a persona.
    pub(crate) fn spend(&self, persona: &PersonaName, tokens: u64, now: Timestamp) {
        let mut account = self.0.entry(persona.clone()).or_default();
        let hour_ago = now.before(HOUR);
        account.aside.retain(|(at, _)| *at >= hour_ago);
        match account.aside.back_mut() {
            Some((at, spent)) if *at <= now && now.since(*at) < LINE => *spent = spent.saturating_add(tokens),
            _ => account.aside.push_back((now, tokens)),
        }
    }

    /// What small models used for a persona within the hour. What a clock that ran ahead noted does
    /// not count (S5).
    pub(crate) fn spent(&self, persona: &PersonaName, now: Timestamp) -> u64 {
        let hour_ago = now.before(HOUR);
        let account = self.0.get(persona);
        account.map_or(0, |account| {
            account.aside.iter().filter(|(at, _)| *at >= hour_ago && *at <= now).map(|(_, t)| t).sum()
        })
    }
}

/// A model whose use is written down for a persona.
pub(crate) struct Metered {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) persona: PersonaName,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl ChatModel for Metered {
    /// The request counts when the call begins, since one that is broken off is paid for too (L14).
    fn stream(&self, request: ChatRequest) -> ModelStream {
        let (persona, ledger, clock) = (self.persona.clone(), self.ledger.clone(), self.clock.clone());
        let asked = request.prompt_tokens;
        let spend = move |tokens| ledger.spend(&persona, tokens, clock.now());
        let events = self.model.stream(request);
        let call = async move {
            spend(asked);
            events.inspect(move |event| {
                if let Ok(ModelEvent::Finished { usage, .. }) = event {
                    spend(usage.total().saturating_sub(asked));
                }
            })
        };
        stream::once(call).flatten().boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000_000;

    #[test]
    fn wb12_what_small_models_used_counts_for_an_hour() {
        let (ledger, ada) = (Ledger::default(), "ada".parse().unwrap());
        ledger.spend(&ada, 100, Timestamp(0));
        ledger.spend(&ada, 10, Timestamp(MINUTE / 2));
        ledger.spend(&ada, 1, Timestamp(30 * MINUTE));
        assert_eq!(ledger.spent(&ada, Timestamp(30 * MINUTE)), 111);
        assert_eq!(ledger.spent(&ada, Timestamp(61 * MINUTE)), 1);
        assert_eq!(ledger.spent(&"bob".parse().unwrap(), Timestamp(0)), 0);
    }

    #[test]
    fn s5_a_clock_that_is_put_back_counts_nothing_from_ahead() {
        let (ledger, ada) = (Ledger::default(), "ada".parse().unwrap());
        ledger.spend(&ada, 100, Timestamp(90 * MINUTE));
        ledger.spend(&ada, 1, Timestamp(10 * MINUTE));
        assert_eq!(ledger.spent(&ada, Timestamp(10 * MINUTE)), 1);
    }

    #[test]
    fn wb12_an_hour_takes_few_lines() {
        let (ledger, ada) = (Ledger::default(), "ada".parse::<PersonaName>().unwrap());
        for second in 0..7_200 {
            ledger.spend(&ada, 1, Timestamp(second * 1_000_000));
        }
        assert!(ledger.0.get(&ada).unwrap().aside.len() <= 61);
    }
}
