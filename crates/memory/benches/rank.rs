//! The time of a ranking: a channel of 10,000 messages, and a query of meaning and words.
//!
//! ```text
//! cargo bench -p greenroom-memory --bench rank
//! ```

use std::sync::Arc;

use greenroom_index::{Change, Filter, Names, Row, Shard, ShardWriter, Words};
use greenroom_memory::rank::{Collection, Query, rank};

const ROWS: i64 = 10_000;
const DIMENSION: usize = 256;
/// The number of words that people use in a chat.
const VOCABULARY: u64 = 3_000;

fn main() {
    divan::main();
}

/// A random number generator that is good enough to spread rows (xorshift, Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A random number from 0 to 1.
    fn share(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSION).map(|_| self.share() - 0.4).collect()
    }

    /// Words of which few are frequent, as in a natural language.
    fn text(&mut self, words: usize) -> String {
        let word = |share: f32| format!("w{}", (share.powi(3) * VOCABULARY as f32) as u64);
        (0..words).map(|_| word(self.share())).collect::<Vec<_>>().join(" ")
    }
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
            words: Words::of(&numbers.text(12), "7 May 2023 Sunday", &Names::none()),
            vector: Some(numbers.vector()),
        })
    });
    ShardWriter::new(DIMENSION).apply(rows).shard
}

#[divan::bench]
fn ten_thousand_messages(bencher: divan::Bencher<'_, '_>) {
    let shard = channel();
    let mut numbers = Numbers(11);
    let query = Query::of_vectors(vec![numbers.vector()]).with_words(
        &numbers.text(8),
        "",
        (&["ada", "jo"], &Names::new(["ada", "jo"])),
    );
    bencher.bench(|| {
        let collection = Collection { shards: &[(&*shard).into()], conversation: true };
        rank(&collection, divan::black_box(&query), &Filter::default(), 10)
    });
}
