//! Runs the cases that every store passes, and tests what only the store in memory has.

// outside of `#[test]` functions clippy does not know that this is a test
#![allow(clippy::unwrap_used)]

use greenroom_core::{
    Author, ChannelKey, Kind, MemoryId, Message, PersonaName, Scope, Source, Tier, Timestamp, Trust,
};
use greenroom_store::{NewMemory, Sources, prelude::*};
use greenroom_store_memory::InMemoryStore;

async fn fresh() -> (InMemoryStore, ()) {
    (InMemoryStore::new(), ())
}

greenroom_store::store_suite!(fresh);

async fn remember(store: &InMemoryStore, persona: &str) -> MemoryId {
    let new = NewMemory {
        persona: persona.parse().unwrap(),
        scope: Scope::Global,
        text: "tea is green".into(),
        kind: Kind::new("fact"),
        tier: Tier::Semantic,
        source: Source { via: "cli".into(), message: None, user: None },
        trust: Trust::Operator,
        key: None,
        expires_at: None,
        at: Timestamp(1),
        sources: Sources::default(),
    };
    store.remember(new).await.unwrap().id
}

#[tokio::test]
async fn sm3_the_numbers_of_a_personas_memories_do_not_depend_on_others() {
    let cast = || ["ada", "ben"].map(|name| name.parse::<PersonaName>().unwrap());
    let (alone, among) =
        (InMemoryStore::numbered_apart(cast(), []), InMemoryStore::numbered_apart(cast(), []));
    let mut all = Vec::new();
    for _ in 0..5 {
        let own = remember(&alone, "ada").await;
        all.push(remember(&among, "ben").await);
        all.push(remember(&among, "kit").await);
        assert_eq!(remember(&among, "ada").await, own);
        all.push(own);
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 15, "no two have one number");
}

#[tokio::test]
async fn sm3_the_numbers_of_a_channels_messages_do_not_depend_on_others() {
    let places = || ["sim:inn", "sim:mill"].map(|name| name.parse::<ChannelKey>().unwrap());
    let said = async |store: &InMemoryStore, channel: &str, n: usize| {
        let author = Author::User { id: "jo".parse().unwrap(), name: "Jo".into() };
        let message = Message::new(channel.parse().unwrap(), format!("{channel}{n}"), author, "hello");
        store.accept(message).await.unwrap().message.id
    };
    let (alone, among) =
        (InMemoryStore::numbered_apart([], places()), InMemoryStore::numbered_apart([], places()));
    let mut all = Vec::new();
    for n in 0..5 {
        let own = said(&alone, "sim:inn", n).await;
        all.push(said(&among, "sim:mill", n).await);
        all.push(said(&among, "sim:ford", n).await);
        assert_eq!(said(&among, "sim:inn", n).await, own);
        all.push(own);
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 15, "no two have one number");
}
