//! The best rows by words, and the cost of writing.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use greenroom_index::{Bm25, Change, Filter, Names, Shard, ShardWriter, WordQuery, terms};

use crate::data::{Clustered, Random, Vectors, row, text, words};

fn changes(rows: i64) -> Vec<Change> {
    let mut random = Random(11);
    (0..rows).map(|id| row(id, words(&mut random), None)).collect()
}

fn shard(rows: usize) -> Arc<Shard> {
    ShardWriter::new(0).apply(changes(rows as i64)).shard
}

#[divan::bench(args = [10_000, 100_000])]
fn bm25(bencher: Bencher<'_, '_>, rows: usize) {
    let shard = shard(rows);
    let mut random = Random(5);
    bencher.with_inputs(|| terms(&text(&mut random), &Names::none())).bench_local_values(|terms| {
        let query = WordQuery::over(&[&shard], terms.into_iter().map(|term| (term, 1.0)), &Bm25::default());
        shard.bm25(&query, 40, &Filter::default())
    });
}

#[divan::bench]
fn terms_of_a_text(bencher: Bencher<'_, '_>) {
    let mut random = Random(5);
    bencher.with_inputs(|| text(&mut random)).bench_local_refs(|text| terms(text, &Names::none()));
}

/// Inserts one row per snapshot into a shard of `rows` rows with vectors.
#[divan::bench(args = [1_000, 100_000])]
fn insert_one(bencher: Bencher<'_, '_>, rows: usize) {
    let (mut random, mut vectors) = (Random(11), Clustered::new(256));
    let mut writer = ShardWriter::new(256);
    writer.apply((0..rows as i64).map(|id| row(id, words(&mut random), Some(vectors.vector()))));
    let mut next = rows as i64;
    bencher
        .with_inputs(|| {
            next += 1;
            row(next, words(&mut random), Some(vectors.vector()))
        })
        .bench_local_values(|change| writer.apply([change]));
}

/// Fills an empty shard in one call; the texts are analyzed before.
#[divan::bench(args = [100_000], sample_count = 5)]
fn load(bencher: Bencher<'_, '_>, rows: usize) {
    let (mut random, mut vectors) = (Random(11), Clustered::new(256));
    let all: Vec<Change> =
        (0..rows as i64).map(|id| row(id, words(&mut random), Some(vectors.vector()))).collect();
    bencher
        .counter(ItemsCount::new(rows))
        .with_inputs(|| all.clone())
        .bench_local_values(|all| ShardWriter::new(256).apply(all));
}
