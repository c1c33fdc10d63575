//! Words come into the full-text indexes a batch at a time; whoever looks for them never notices.

use std::{collections::BTreeSet, path::Path};

use greenroom_core::{MemoryId, Timestamp, Trust};
use greenroom_store::{Erase, ItemKind, MemoryEdit, NewMemory, Quotes, Search, Store};
use greenroom_store_sqlite::{Options, SqliteStore};
use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};

use crate::{
    forgetting::{CANARY, traces},
    given::*,
};

async fn found(store: &SqliteStore, kind: ItemKind, word: &str) -> BTreeSet<String> {
    let search = Search { witnessed: false, ..Search::new(kind, usize::MAX, NOW) };
    let hits = store.full_text(&ada(), word, &search).await.unwrap();
    hits.iter().map(|hit| hit.item.text().to_owned()).collect()
}

/// Whether the full-text indexes hold the words of every text, and no others.
async fn assert_whole(store: &SqliteStore, path: &Path) {
    for kind in [ItemKind::Memory, ItemKind::Message] {
        found(store, kind, "anything").await;
    }
    let mut raw = SqliteConnectOptions::new().filename(path).connect().await.unwrap();
    for check in [
        "INSERT INTO messages_words (messages_words, rank) VALUES ('integrity-check', 1)",
        "INSERT INTO memories_words (memories_words, rank) VALUES ('integrity-check', 1)",
    ] {
        sqlx::query(check).execute(&mut raw).await.unwrap();
    }
    raw.close().await.unwrap();
}

#[tokio::test]
async fn as11_a_text_is_found_by_its_words_as_soon_as_it_is_stored() {
    let (store, _directory) = fresh().await;
    for n in 1..=70 {
        store.accept(said(&n.to_string(), &format!("tea{n} with milk"))).await.unwrap();
        store.remember(statement(&format!("cake{n} with cream"))).await.unwrap();
        // often enough to find some that wait, seldom enough that a batch fills by itself
        if n % 33 < 2 {
            assert_eq!(found(&store, ItemKind::Message, &format!("tea{n}")).await.len(), 1);
            assert_eq!(found(&store, ItemKind::Message, "milk").await.len(), n);
            assert_eq!(found(&store, ItemKind::Memory, "cream").await.len(), n);
        }
    }
}

/// Whatever is said, remembered, replaced, edited, forgotten and erased, in whatever order.
#[tokio::test]
async fn gr10_the_full_text_index_holds_what_is_stored_and_nothing_else() {
    let (store, directory) = fresh().await;
    let path = directory.path().join("greenroom.db");
    let (mut seed, mut kept): (u64, Vec<MemoryId>) = (7, Vec::new());
    let mut dice = |sides: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % sides
    };
    for n in 0..400 {
        let text = format!("number {n} of {} and {}", dice(9), "words ".repeat(dice(30) as usize));
        let memory = kept.get(dice(kept.len().max(1) as u64) as usize).copied();
        match (dice(24), memory) {
            (0..8, _) => drop(store.accept(said(&n.to_string(), &text)).await.unwrap()),
            (8..12, _) => kept.push(store.remember(statement(&text)).await.unwrap().id),
            (12..16, _) => {
                let key = Some(format!("key{}", dice(5)));
                store.remember(NewMemory { key, ..statement(&text) }).await.unwrap();
            }
            (16..18, Some(id)) => {
                let (text, trust) = (Some(text), Trust::Operator);
                let edit = MemoryEdit { text, kind: None, expires_at: None, trust, at: NOW };
                store.edit(&ada(), id, edit).await.unwrap();
            }
            (18..20, Some(id)) => drop(store.forget(&ada(), id).await.unwrap()),
            (20, _) => {
                let expires_at = Some(Timestamp(NOW.0 + 1));
                store.remember(NewMemory { expires_at, ..statement(&text) }).await.unwrap();
                store.sweep(Timestamp(NOW.0 + 1)).await.unwrap();
            }
            (21, _) => drop(found(&store, ItemKind::Memory, "number").await),
            (22, _) => drop(found(&store, ItemKind::Message, "number").await),
            (23, _) if dice(4) == 0 => {
                store.erase(&Erase::Channel(here()), Quotes::Stay).await.unwrap();
                assert_whole(&store, &path).await;
            }
            _ => {}
        }
    }
    assert_whole(&store, &path).await;
    let said = store.history(&here(), None, usize::MAX).await.unwrap();
    let said: BTreeSet<String> = said.into_iter().map(|message| message.text).collect();
    assert_eq!(found(&store, ItemKind::Message, "number").await, said);
    let known = store.memories(&ada(), &all()).await.unwrap();
    let known: BTreeSet<String> = known.into_iter().map(|memory| memory.text).collect();
    assert_eq!(found(&store, ItemKind::Memory, "number").await, known);
    assert!(!said.is_empty() && !known.is_empty());
}

/// Before its words were written, and after.
#[tokio::test]
async fn x15_a_forgotten_text_leaves_no_word_in_the_file() {
    let (store, directory) = fresh().await;
    for searched in [false, true] {
        let memory = store.remember(statement(CANARY)).await.unwrap();
        store.accept(said(&format!("{searched}"), CANARY)).await.unwrap();
        if searched {
            assert_eq!(found(&store, ItemKind::Memory, CANARY).await.len(), 1);
            assert_eq!(found(&store, ItemKind::Message, CANARY).await.len(), 1);
        }
        store.forget(&ada(), memory.id).await.unwrap().unwrap();
        store.erase(&Erase::Channel(here()), Quotes::Stay).await.unwrap();
        assert_eq!(traces(directory.path()), [""; 0], "{searched}");
        assert!(found(&store, ItemKind::Memory, CANARY).await.is_empty());
        assert!(found(&store, ItemKind::Message, CANARY).await.is_empty());
    }
}

#[tokio::test]
async fn s3_where_words_cannot_be_written_those_that_are_there_are_searched() {
    let (store, directory) = fresh().await;
    store.remember(statement("tea with milk")).await.unwrap();
    assert_eq!(found(&store, ItemKind::Memory, "tea").await.len(), 1);
    let long: String = (0..20_000).map(|n| format!("word{n} ")).collect();
    store.remember(statement(&format!("tea and {long}"))).await.unwrap();
    store.close().await;
    let path = directory.path().join("greenroom.db");
    let full = Options { max_pages: Some(1), ..Options::default() };
    let store = SqliteStore::open_with(&path, &full).await.unwrap();
    assert_eq!(found(&store, ItemKind::Memory, "tea").await.len(), 1);
    store.limit_pages(1_000_000).await.unwrap();
    assert_eq!(found(&store, ItemKind::Memory, "tea").await.len(), 2);
}
