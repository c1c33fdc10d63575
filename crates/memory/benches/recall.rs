//! The time of a recall: `Memory::recall` over a real store of 10,000 memories with the built-in embedder, embedding
//! included. Every call is a separate turn.
//!
//! ```text
//! cargo bench --workspace --bench recall
//! ```

#![allow(clippy::expect_used, reason = "a bench that cannot run should say so and end")]

use std::{path::Path, sync::Arc};

use greenroom_core::{
    Entropy, Kind, Memory as Stored, MemoryId, Scope, Source, SystemClock, SystemEntropy, Tier, Timestamp,
    Trust, TurnId, Viewer,
};
use greenroom_memory::{Memory, RecallRequest};
use greenroom_models::StaticEmbedder;
use greenroom_persona::{MemorySettings, Profile, SourceSettings};
use greenroom_store::{Exported, prelude::*};
use greenroom_store_sqlite::SqliteStore;
use tokio::runtime::Runtime;

/// The allocator of the program.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const MEMORIES: i64 = 10_000;

const SUBJECTS: [&str; 10] = [
    "the harbour",
    "a lighthouse",
    "Maria",
    "the old boat",
    "our garden",
    "the choir",
    "a baker",
    "the library",
    "Tom",
    "the ferry",
];
const DEEDS: [&str; 10] = [
    "opens at nine",
    "was painted blue",
    "prefers green tea",
    "needs a new engine",
    "grows tomatoes",
    "sings on Sundays",
    "sells dark bread",
    "closes in August",
    "moved to Lisbon",
    "was late again",
];

fn main() {
    divan::main();
}

#[divan::bench]
fn recall_of_10_000_memories(bencher: divan::Bencher<'_, '_>) {
    let runtime = Runtime::new().expect("a runtime");
    let directory = tempfile::tempdir().expect("a directory");
    let (memory, viewer) = runtime.block_on(filled(directory.path()));
    let settings = MemorySettings { summaries: SourceSettings::ranked(0), ..Profile::Default.settings() };
    let window = ["we were at the harbour".to_owned(), "when does the harbour open on Sundays?".to_owned()];
    bencher.bench(|| {
        let turn = TurnId(SystemEntropy.uuid());
        let request = RecallRequest::new(turn, &window, &settings);
        runtime.block_on(memory.recall(&viewer, &request)).expect("a recall")
    });
}

/// A store of 10,000 memories, embedded and in the index.
async fn filled(directory: &Path) -> (Memory, Viewer) {
    let store = Arc::new(SqliteStore::open(&directory.join("bench.db")).await.expect("a store"));
    let memories = (0..MEMORIES).map(|n| Exported { memory: statement(n), relations: Vec::new() });
    store.import(memories.collect()).await.expect("memories");
    let memory = Memory::new(store, Some(Arc::new(StaticEmbedder::new())), Arc::new(SystemClock));
    memory.index_pending().await.expect("vectors");
    let viewer = Viewer::new(
        "ada".parse().expect("a name"),
        "terminal:bench".parse().expect("a channel"),
        Some("jo".parse().expect("a person")),
    );
    memory.ready(&viewer).await.expect("an index");
    (memory, viewer)
}

fn statement(n: i64) -> Stored {
    let (subject, deed) = (SUBJECTS[n as usize % 10], DEEDS[n as usize / 10 % 10]);
    Stored {
        id: MemoryId(n + 1),
        persona: "ada".parse().expect("a name"),
        scope: Scope::Global,
        text: format!("{subject} {deed}, as was said on day {}", n / 100),
        kind: Kind::new("fact"),
        tier: Tier::Semantic,
        source: Source { via: "bench".into(), message: None, user: None },
        trust: Trust::Operator,
        version: 1,
        key: None,
        expires_at: None,
        created_at: Timestamp(n),
        updated_at: Timestamp(n),
    }
}
