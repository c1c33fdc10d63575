//! The time of a ranking: a channel of 10,000 messages, and a query of meaning and words.
//!
//! ```text
//! cargo bench -p greenroom-memory --bench rank
//! ```

mod numbers;

use std::sync::Arc;

use greenroom_index::{Change, Filter, Names, Row, Shard, ShardWriter, Words};
use greenroom_memory::rank::{Collection, Query, rank};
use numbers::Numbers;

const ROWS: i64 = 10_000;
const DIMENSION: usize = 256;
/// The number of words that people use in a chat.
const VOCABULARY: usize = 3_000;

fn main() {
    divan::main();
}

fn vector(numbers: &mut Numbers) -> Vec<f32> {
    (0..DIMENSION).map(|_| numbers.share() - 0.4).collect()
}

fn text(numbers: &mut Numbers, words: usize) -> String {
    (0..words).map(|_| format!("w{}", numbers.word(VOCABULARY))).collect::<Vec<_>>().join(" ")
}

fn channel() -> Arc<Shard> {
    let mut numbers = Numbers(7);
    let rows = (1..=ROWS).map(|id| {
        Change::Put(Row {
            id,
            at: id * 60_000_000,
            expires_at: i64::MAX,
            source: 0,
            author: Some(if id % 2 == 0 { "ada" } else { "jo" }.to_owned()),
            words: Words::of(&text(&mut numbers, 12), "7 May 2023 Sunday", &Names::none()),
            vector: Some(vector(&mut numbers)),
        })
    });
    ShardWriter::new(DIMENSION).apply(rows).shard
}

#[divan::bench]
fn ten_thousand_messages(bencher: divan::Bencher<'_, '_>) {
    let shard = channel();
    let mut numbers = Numbers(11);
    let query = Query::of_vectors(vec![vector(&mut numbers)]).with_words(
        &text(&mut numbers, 8),
        "",
        (&["ada", "jo"], &Names::new(["ada", "jo"])),
    );
    bencher.bench(|| {
        let collection = Collection { shards: &[(&*shard).into()], conversation: true };
        rank(&collection, divan::black_box(&query), &Filter::default(), 10)
    });
}
