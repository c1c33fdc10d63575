//! The memory as a library, from outside the crate (AS14).
#![allow(clippy::unwrap_used)]

use std::{path::Path, sync::Arc, time::Duration};

use greenroom_core::{ManualClock, Time, Timestamp, Viewer};
use greenroom_memory::Library;
use greenroom_models::StaticEmbedder;
use greenroom_store_sqlite::SqliteStore;

const NOW: Timestamp = Timestamp(1_795_219_200_000_000);

async fn library(directory: &Path, clock: &Arc<ManualClock>) -> Library {
    let store = Arc::new(SqliteStore::open(&directory.join("agent.db")).await.unwrap());
    Library::new(store, Some(Arc::new(StaticEmbedder::new())), clock.clone())
}

fn viewer(channel: &str) -> Viewer {
    Viewer::new("agent".parse().unwrap(), channel.parse().unwrap(), Some("jo".parse().unwrap()))
}

#[tokio::test]
async fn as14_an_agent_keeps_turns_and_knowledge_and_gets_them_apart() {
    let (directory, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::at(NOW)));
    let den = viewer("api:den");
    let first = library(directory.path(), &clock).await;
    for n in 0..7 {
        let said = format!("what does the harbour crane number {n} lift?");
        first
            .persist_turn(&den, &said, &format!("the harbour crane number {n} lifts {n} tons"))
            .await
            .unwrap();
    }
    for n in 0..12 {
        first.add_knowledge(&den, &format!("harbour crane fact {n}"), "handbook", None).await.unwrap();
    }
    // like another process
    let again = library(directory.path(), &clock).await;
    let context = again.get_context_for_message(&den, "tell me of the harbour crane").await.unwrap();
    assert_eq!((context.messages.len(), context.knowledge.len()), (5, 10));
    assert!(context.knowledge.iter().all(|known| known.source == "handbook"), "{context:?}");
    let unrelated = again.get_context_for_message(&den, "zebras wear pyjamas").await.unwrap();
    assert!(unrelated.messages.is_empty(), "nothing from 0.3 on: {unrelated:?}");
    let found = again.search(&den, "harbour crane").await.unwrap();
    assert_eq!(found.messages.len() + found.knowledge.len(), 5);
    // another channel sees none of it
    let elsewhere = again.get_context_for_message(&viewer("api:attic"), "the harbour crane").await.unwrap();
    assert_eq!(elsewhere, Default::default());
}

#[tokio::test]
async fn as14_knowledge_expires_and_an_agent_without_embedder_finds_words() {
    let (directory, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::at(NOW)));
    let store = Arc::new(SqliteStore::open(&directory.path().join("agent.db")).await.unwrap());
    let library = Library::new(store, None, clock.clone());
    let den = viewer("api:den");
    let end = clock.now().after(Duration::from_secs(60));
    let kept = library.add_knowledge(&den, "the sale ends at six", "poster", Some(end)).await.unwrap();
    assert_eq!(kept.expires_at, Some(end));
    assert_eq!(library.search(&den, "sale").await.unwrap().knowledge.len(), 1);
    clock.advance(Duration::from_secs(60));
    assert!(library.search(&den, "sale").await.unwrap().knowledge.is_empty());
    assert!(library.add_knowledge(&den, "  ", "poster", None).await.is_err(), "nothing is no knowledge");
}
