//! Erasing persons and channels leaves no trace in the files, even while the store is open (X15, GR10).

use greenroom_core::{
    Author, ChannelKey, Entropy, Message, Scope, Source, SystemEntropy, TurnId, Usage, UserRef,
};
use greenroom_store::{
    Erase, Erased, HistorySummary, ItemId, NewMemory, NewTurn, NewVector, Quotes, Sources, TurnCommit,
    VectorSpace, prelude::*,
};
use greenroom_store_sqlite::SqliteStore;
use tempfile::TempDir;

use crate::{
    forgetting::{CANARY, receipt, traces},
    given::*,
};

/// The number of Bo's messages: more than one batch contains.
const SAID: usize = 230;

fn bo() -> UserRef {
    "terminal:bo".parse().unwrap()
}

fn kits(n: usize) -> Message {
    let author = Author::User { id: "kit".parse().unwrap(), name: "Kit".into() };
    Message { author, ..said(&format!("kit{n}"), &format!("company {n} is number {n} of many words")) }
}

async fn answer(store: &SqliteStore, message: &greenroom_core::Message, text: &str, shown: &[ItemId]) {
    let id = TurnId(SystemEntropy.uuid());
    let turn = NewTurn { id, persona: "ada".parse().unwrap(), at: NOW, begins: false };
    store.plan_turns(message.id, vec![turn].into()).await.unwrap();
    let receipt = Some(receipt(shown));
    let commit = TurnCommit {
        text: text.into(),
        at: NOW,
        usage: Usage::default(),
        receipt: receipt.map(Into::into),
        vector: None,
        sources: Default::default(),
        unhandled: false,
    };
    store.commit_turn(id, commit).await.unwrap();
}

/// Bo's messages contain the canary. Ada answers, remembers and summarises them, and mentions them to Kit.
async fn told(store: &SqliteStore) {
    let space = VectorSpace { model: "m@1".into(), dimension: 4 };
    // a vector whose bytes contain four letters of the canary
    let vector = vec![f32::from_le_bytes(CANARY.as_bytes()[..4].try_into().unwrap()); 4];
    let mut last = None;
    for n in 0..SAID {
        let author = Author::User { id: "bo".parse().unwrap(), name: format!("Bo {CANARY}") };
        let long = "and so on ".repeat(if n % 50 == 0 { 1_000 } else { n % 7 });
        let text = format!("{CANARY} {long} {CANARY}{n}");
        let new = Message { author, ..said(&format!("{CANARY}{n}"), &text) };
        let message = store.accept(new).await.unwrap().message;
        let other = store.accept(kits(n)).await.unwrap().message;
        if n % 10 == 0 {
            let source = Source { via: "tool".into(), message: Some(message.id), user: None };
            let key = Some(format!("{CANARY}_{n}"));
            let memory = NewMemory { source, key, ..statement(&format!("{CANARY} was said")) };
            let memory = store.remember(memory).await.unwrap();
            let items = [ItemId::Message(message.id), ItemId::Memory(memory.id)];
            let vectors = items.map(|item| NewVector { item, version: 1, vector: vector.clone() });
            store.put_vectors(&space, vectors.to_vec()).await.unwrap();
            answer(store, &message, &format!("yes, {CANARY}"), &[]).await;
            answer(store, &other, "no", &items).await;
        }
        last = Some(message);
    }
    let about = NewMemory { scope: Scope::User(bo()), ..statement(CANARY) };
    store.remember(about).await.unwrap();
    let summary = HistorySummary { until: last.unwrap().id, text: format!("{CANARY} again"), at: NOW };
    store.put_summary(ada().persona(), &here(), summary, Sources::default()).await.unwrap();
}

async fn world() -> (SqliteStore, TempDir) {
    let (store, directory) = fresh().await;
    told(&store).await;
    assert!(!traces(directory.path()).is_empty(), "the canary can be seen while it is there");
    (store, directory)
}

async fn assert_forgotten(store: &SqliteStore, directory: &TempDir, what: &Erase) {
    assert_eq!(store.would_erase(what).await.unwrap(), Erased::default());
    assert_eq!(traces(directory.path()), [""; 0]);
    // the store still works
    assert_eq!(store.health().await.unwrap().memories, 0);
    store.accept(said("after", "hello")).await.unwrap();
}

#[tokio::test]
async fn x15_a_forgotten_person_leaves_no_trace_in_the_files() {
    let (store, directory) = world().await;
    let what = Erase::Person(bo());
    let would = store.would_erase(&what).await.unwrap();
    let before = store.commits();
    let erased = store.erase(&what, Quotes::Stay).await.unwrap();
    assert_eq!(erased, would);
    assert_eq!((erased.messages, erased.memories, erased.summaries), (SAID as u64 + 23, 24, 1));
    assert!(store.commits() - before > 3, "other writers get in between");
    assert_eq!(events(&store).await.iter().filter(|event| event.starts_with("kit")).count(), SAID);
    assert_forgotten(&store, &directory, &what).await;
}

#[tokio::test]
async fn x15_a_forgotten_channel_leaves_no_trace_in_the_files() {
    let (store, directory) = world().await;
    let what = Erase::Channel(here());
    assert!(store.erase(&what, Quotes::Stay).await.unwrap().messages > 2 * SAID as u64);
    assert_eq!(events(&store).await, [""; 0]);
    // a memory about Bo does not belong to the channel
    let about = store.erase(&Erase::Person(bo()), Quotes::Stay).await.unwrap();
    assert_eq!((about.messages, about.memories), (0, 1));
    assert_forgotten(&store, &directory, &what).await;
}

#[tokio::test]
async fn x15_an_erasure_that_broke_off_is_finished_by_the_next() {
    let (store, directory) = world().await;
    let what = Erase::Person(bo());
    let before = store.commits();
    let erasing = tokio::spawn({
        let (store, what) = (store.clone(), what.clone());
        async move { store.erase(&what, Quotes::Stay).await }
    });
    while store.commits() == before {
        tokio::task::yield_now().await;
    }
    erasing.abort();
    assert!(erasing.await.unwrap_err().is_cancelled());
    store.close().await;

    let path = directory.path().join("greenroom.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let left = store.would_erase(&what).await.unwrap();
    assert!(left.sessions > 0 && left.messages < SAID as u64, "{left:?}");
    assert_eq!(store.erase(&what, Quotes::Stay).await.unwrap(), left);
    assert_forgotten(&store, &directory, &what).await;
}

#[tokio::test]
async fn x15_a_reader_that_holds_the_log_is_said_and_waited_out() {
    use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
    let (store, directory) = fresh().await;
    store.accept(said("e1", CANARY)).await.unwrap();
    let path = directory.path().join("greenroom.db");
    let mut holder = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let mut reading = holder.begin().await.unwrap();
    let _: i64 = sqlx::query_scalar("SELECT count(*) FROM messages").fetch_one(&mut *reading).await.unwrap();
    let hasty = hasty(&path).await;
    let what = Erase::Channel(ChannelKey::clone(&here()));
    let refused = hasty.erase(&what, Quotes::Stay).await;
    assert!(matches!(refused, Err(greenroom_store::StoreError::Busy { .. })), "{refused:?}");
    drop(reading);
    let owed: i64 = sqlx::query_scalar("SELECT owed FROM scrub").fetch_one(&mut holder).await.unwrap();
    assert!(owed < 0, "the file has been written anew, and once: only its log is left, {owed}");
    holder.close().await.unwrap();
    assert_eq!(hasty.erase(&what, Quotes::Stay).await.unwrap(), Erased::default());
    assert_eq!(traces(directory.path()), [""; 0]);
}

/// Only the recorded scrub points to the remains: the next sweep, as at every start, removes them.
#[tokio::test]
async fn s1_what_an_erasure_that_broke_off_owes_is_paid_by_the_next_sweep() {
    use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
    let (store, directory) = fresh().await;
    store.accept(said("e1", CANARY)).await.unwrap();
    let path = directory.path().join("greenroom.db");
    let mut holder = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let mut reading = holder.begin().await.unwrap();
    let _: i64 = sqlx::query_scalar("SELECT count(*) FROM messages").fetch_one(&mut *reading).await.unwrap();
    let hasty = hasty(&path).await;
    hasty.erase(&Erase::Channel(here()), Quotes::Stay).await.unwrap_err();
    drop(reading);
    holder.close().await.unwrap();
    assert!(!traces(directory.path()).is_empty());
    assert_eq!(store.sweep(NOW).await.unwrap(), 0);
    assert_eq!(traces(directory.path()), [""; 0]);
}

#[tokio::test]
async fn x15_a_memory_forgotten_beside_a_reader_says_that_the_log_still_holds_it() {
    use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
    let (store, directory) = fresh().await;
    let first = store.remember(statement(CANARY)).await.unwrap();
    let second = store.remember(statement(&format!("{CANARY} again"))).await.unwrap();
    let path = directory.path().join("greenroom.db");
    let hasty = hasty(&path).await;
    assert!(!hasty.forget(&ada(), first.id).await.unwrap().unwrap().in_log);
    let mut holder = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let mut reading = holder.begin().await.unwrap();
    let _: i64 = sqlx::query_scalar("SELECT count(*) FROM memories").fetch_one(&mut *reading).await.unwrap();
    assert!(hasty.forget(&ada(), second.id).await.unwrap().unwrap().in_log);
    drop(reading);
    holder.close().await.unwrap();
    assert!(!traces(directory.path()).is_empty());
    store.sweep(NOW).await.unwrap();
    assert_eq!(traces(directory.path()), [""; 0]);
}

/// A store that does not wait for other processes.
async fn hasty(path: &std::path::Path) -> SqliteStore {
    let busy_timeout = Some(std::time::Duration::from_millis(50));
    let options = greenroom_store_sqlite::Options { busy_timeout, ..Default::default() };
    SqliteStore::open_with(path, &options).await.unwrap()
}
