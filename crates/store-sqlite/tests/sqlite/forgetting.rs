//! Forgotten memories leave no trace in the file (X15, GR10).

use std::path::Path;

use greenroom_core::{
    ContextBudget, Entropy, MemoryId, Outcome, Receipt, ReceiptItem, Relation, RelationKind, Section,
    SystemEntropy, Timestamp, TurnId, Usage,
};
use greenroom_store::{ItemId, NewMemory, NewTurn, NewVector, TurnCommit, VectorSpace, prelude::*};
use greenroom_store_sqlite::SqliteStore;

use crate::given::*;

pub(crate) const CANARY: &str = "qzvxwkjhgfzpmqnd";

/// Finds any five letters of the canary in any file of the directory. Five, because the index splits and joins words.
pub(crate) fn traces(directory: &Path) -> Vec<String> {
    let mut traces = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for part in CANARY.as_bytes().windows(5) {
            if bytes.windows(5).any(|window| window.eq_ignore_ascii_case(part)) {
                traces.push(format!("{}: {}", path.display(), String::from_utf8_lossy(part)));
            }
        }
    }
    traces
}

/// Memories written around the canary, so that index segments fill and merge.
async fn company(store: &SqliteStore, n: usize) -> MemoryId {
    let mut last = MemoryId(0);
    for i in 0..40 {
        last =
            store.remember(statement(&format!("company {n} is number {i} of many words"))).await.unwrap().id;
    }
    last
}

fn secret(n: usize) -> NewMemory {
    // the first fits a page, the others do not
    let text = format!("{CANARY} {} {CANARY}{n}", "and so on ".repeat(n * 1000));
    NewMemory { key: Some(format!("{CANARY}_{n}")), ..statement(&text) }
}

#[tokio::test]
async fn x15_a_forgotten_memory_leaves_no_trace_in_the_file() {
    let (store, directory) = fresh().await;
    let space = VectorSpace { model: "m@1".into(), dimension: 4 };
    let mut secrets = Vec::new();
    for n in 0..3 {
        let other = company(&store, n).await;
        let memory = store.remember(secret(n)).await.unwrap();
        let item = ItemId::Memory(memory.id);
        // a vector whose bytes contain four letters of the canary
        let number = f32::from_le_bytes(CANARY.as_bytes()[..4].try_into().unwrap());
        let vector = NewVector { item, version: 1, vector: vec![number; 4] };
        store.put_vectors(&space, vec![vector]).await.unwrap();
        let edge = Relation { from: memory.id, to: other, kind: RelationKind::RelatesTo };
        store.relate(&ada(), edge).await.unwrap();
        secrets.push(memory.id);
    }
    company(&store, 3).await;
    store.close().await;
    assert!(!traces(directory.path()).is_empty(), "the canary can be seen while it is there");

    let path = directory.path().join("greenroom.db");
    let store = SqliteStore::open(&path).await.unwrap();
    for id in secrets {
        store.forget(&ada(), id).await.unwrap().unwrap();
    }
    store.close().await;
    assert_eq!(traces(directory.path()), [""; 0]);
}

#[tokio::test]
async fn x15_replaced_and_swept_texts_leave_no_trace_in_the_file() {
    let (store, directory) = fresh().await;
    for n in 0..2 {
        company(&store, n).await;
        let key = Some(format!("key_{n}"));
        store.remember(NewMemory { key: key.clone(), ..secret(n) }).await.unwrap();
        store.remember(NewMemory { key, ..statement("replaced") }).await.unwrap();
        let brief = NewMemory { expires_at: Some(Timestamp(NOW.0 + 1)), ..secret(n) };
        store.remember(brief).await.unwrap();
    }
    assert_eq!(store.sweep(Timestamp(NOW.0 + 1)).await.unwrap(), 2);
    store.close().await;
    assert_eq!(traces(directory.path()), [""; 0]);
}

/// A receipt that shows the beginning of these items.
pub(crate) fn receipt(shown: &[ItemId]) -> Receipt {
    let item = |id: &ItemId| ReceiptItem {
        section: Section::Memories,
        id: id.to_string(),
        preview: format!("{CANARY} and so on"),
        tokens: 7,
        score: Some(0.5),
        outcome: Outcome::Kept,
        reason: "recalled".into(),
    };
    Receipt {
        model: "scripted".into(),
        window: 1000,
        reserve: 100,
        counter: "len/4".into(),
        exact: false,
        budget: ContextBudget::default(),
        items: shown.iter().map(item).collect(),
        notes: Vec::new(),
        reusable_prefix: None,
    }
}

/// More receipts than a channel keeps, and so more than are blanked in one transaction.
#[tokio::test]
async fn x15_a_memory_forgotten_beside_many_receipts_leaves_no_trace_in_the_file() {
    let (store, directory) = fresh().await;
    let forgotten = store.remember(secret(1)).await.unwrap().id;
    let brief = NewMemory { expires_at: Some(Timestamp(NOW.0 + 1)), key: None, ..secret(1) };
    let swept = store.remember(brief).await.unwrap().id;
    for n in 0..120 {
        let message = store.accept(said(&n.to_string(), "hello")).await.unwrap().message;
        let id = TurnId(SystemEntropy.uuid());
        let turn = NewTurn { id, persona: "ada".parse().unwrap(), at: NOW, begins: false };
        store.plan_turns(message.id, vec![turn].into()).await.unwrap();
        let usage = Usage::default();
        let receipt = Some(receipt(&[ItemId::Memory(forgotten), ItemId::Memory(swept)]));
        store
            .commit_turn(
                id,
                TurnCommit {
                    text: "hello".into(),
                    at: NOW,
                    usage,
                    receipt: receipt.map(Into::into),
                    vector: None,
                    sources: Default::default(),
                    unhandled: false,
                },
            )
            .await
            .unwrap();
    }
    let before = store.commits();
    store.forget(&ada(), forgotten).await.unwrap().unwrap();
    assert!(store.commits() - before > 2, "other writers get in between");
    assert_eq!(store.sweep(Timestamp(NOW.0 + 1)).await.unwrap(), 1);
    store.close().await;
    assert_eq!(traces(directory.path()), [""; 0]);
}
