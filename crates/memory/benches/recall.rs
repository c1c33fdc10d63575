//! The time of a recall: `Memory::recall` over a real store of 1,000, 10,000 and 100,000 messages, the embedding of the
//! question included. Every call is a turn with a question of its own. Beside it stands the embedding alone. With
//! `MODELS` the embedder is the encoder for sixteen languages, with its weights in that directory; otherwise it is the
//! built-in table.
//!
//! ```text
//! cargo bench --workspace --bench recall
//! MODELS=DATA/models cargo bench --workspace --bench recall
//! ```

#![allow(clippy::expect_used, reason = "a bench that cannot run should say so and end")]

mod numbers;

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use futures::future::join_all;
use greenroom_core::{
    Author, Entropy, Message, MessageId, SystemClock, SystemEntropy, Timestamp, TurnId, Viewer,
};
use greenroom_memory::{Memory, RecallRequest};
use greenroom_models::{Embedder, MultilingualEmbedder, StaticEmbedder, Weights};
use greenroom_persona::Profile;
use greenroom_store::prelude::*;
use greenroom_store_sqlite::{Options, SqliteStore};
use numbers::Numbers;
use tokio::runtime::Runtime;

/// The allocator of the program.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const SIZES: [i64; 3] = [1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

/// English words, the more frequent ones first.
fn vocabulary() -> Vec<&'static str> {
    let listed = include_str!("../../models/assets/vocab.txt").lines();
    listed.filter(|word| word.len() > 2 && word.bytes().all(|b| b.is_ascii_lowercase())).collect()
}

/// The same text for the same seed.
fn text(words: &[&str], seed: u64, count: usize) -> String {
    // spreads the bits: texts of neighbouring seeds would begin alike
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..count).map(|_| words[numbers.word(words.len())]).collect::<Vec<_>>().join(" ")
}

fn embedder() -> Arc<dyn Embedder> {
    match std::env::var_os("MODELS") {
        Some(directory) => Arc::new(MultilingualEmbedder::new(Weights::new(directory.into()))),
        None => Arc::new(StaticEmbedder::new()),
    }
}

/// A new question for each call.
fn question(words: &[&str]) -> String {
    static ASKED: AtomicU64 = AtomicU64::new(1 << 40);
    format!("{}?", text(words, ASKED.fetch_add(1, Ordering::Relaxed), 6))
}

#[divan::bench]
fn embedding_alone(bencher: divan::Bencher<'_, '_>) {
    let (runtime, words, embedder) = (Runtime::new().expect("a runtime"), vocabulary(), embedder());
    bencher.bench(|| runtime.block_on(embedder.embed(&[question(&words)])).expect("a vector"));
}

#[divan::bench(args = SIZES)]
fn recall_of_messages(bencher: divan::Bencher<'_, '_>, messages: i64) {
    let (runtime, words) = (Runtime::new().expect("a runtime"), vocabulary());
    let directory = tempfile::tempdir().expect("a directory");
    let (memory, viewer) = runtime.block_on(filled(directory.path(), messages, &words));
    let settings = Profile::Default.settings();
    bencher.bench(|| {
        let (turn, window) = (TurnId(SystemEntropy.uuid()), [question(&words)]);
        let request = RecallRequest::new(turn, &window, &settings);
        runtime.block_on(memory.recall(&viewer, &request)).expect("a recall")
    });
}

/// A store with messages of a person, embedded and in the index.
async fn filled(directory: &Path, messages: i64, words: &[&str]) -> (Memory, Viewer) {
    let store =
        SqliteStore::open_with(&directory.join("bench.db"), &Options::unsynced()).await.expect("a store");
    let (persona, channel) = ("ada".parse().expect("a name"), "terminal:bench".parse().expect("a channel"));
    store.enter(&persona, &channel, MessageId(1)).await.expect("a presence");
    let message = |n: i64| {
        let author = Author::User { id: "jo".parse().expect("a person"), name: "Jo".into() };
        let text = text(words, n as u64, 4 + n as usize % 20);
        Message { at: Timestamp(n), ..Message::new(channel.clone(), n.to_string(), author, text) }
    };
    let all: Vec<Message> = (1..=messages).map(message).collect();
    for some in all.chunks(1_000) {
        for accepted in join_all(some.iter().map(|message| store.accept(message.clone()))).await {
            accepted.expect("a message");
        }
    }
    let memory = Memory::new(Arc::new(store), Some(embedder()), Arc::new(SystemClock));
    memory.index_pending().await.expect("vectors");
    let viewer = Viewer::new(persona, channel, Some("jo".parse().expect("a person")));
    memory.ready(&viewer).await.expect("an index");
    (memory, viewer)
}
