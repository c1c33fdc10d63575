//! Summaries of history and their boundary (FG12).

use greenroom_core::MessageId;

use super::given::*;
use crate::{Erase, HistorySummary, Store};

fn summary(until: MessageId, text: &str) -> HistorySummary {
    HistorySummary { until, text: text.into(), at: NOW }
}

/// One for each persona and channel, and the boundary never goes back.
pub async fn fg12_a_summary_moves_its_boundary_forward(store: &dyn Store) {
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    let (first, second) = (say(store, "one").await.id, say(store, "two").await.id);
    assert_eq!(store.summary(&ada, &here).await.unwrap(), None);
    store.put_summary(&ada, &here, summary(first, "one was said")).await.unwrap();
    store.put_summary(&ada, &here, summary(second, "one and two")).await.unwrap();
    store.put_summary(&ada, &here, summary(first, "a late one")).await.unwrap();
    assert_eq!(store.summary(&ada, &here).await.unwrap(), Some(summary(second, "one and two")));
    assert_eq!(store.summary(&persona("kit"), &here).await.unwrap(), None);
    assert_eq!(store.summary(&ada, &channel("terminal:other")).await.unwrap(), None);
    assert_eq!(store.history(&here, None, 9).await.unwrap().len(), 2, "nothing is deleted");
}

/// A summary that was being made while somebody was forgotten may speak of them.
pub async fn gr10_a_summary_of_what_was_erased_is_not_kept(store: &dyn Store) {
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    let kit = said_by("kit", "terminal:default", "k1", "hello", NOW);
    let kept = store.accept(kit).await.unwrap().message;
    say(store, "a secret").await;
    let last = store.accept(said_by("kit", "terminal:default", "k2", "more", NOW)).await.unwrap().message;
    store.erase(&Erase::Person("terminal:bo".parse().unwrap())).await.unwrap();
    for until in [kept.id, last.id] {
        store.put_summary(&ada, &here, summary(until, "of a secret")).await.unwrap();
        assert_eq!(store.summary(&ada, &here).await.unwrap(), None);
    }
    let after = store.accept(said_by("kit", "terminal:default", "k3", "and on", NOW)).await.unwrap().message;
    store.put_summary(&ada, &here, summary(after.id, "of the rest")).await.unwrap();
    assert_eq!(store.summary(&ada, &here).await.unwrap().unwrap().text, "of the rest");
}
