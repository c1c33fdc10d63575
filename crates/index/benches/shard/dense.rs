//! The nearest rows: by exact search, by the graph, and the floor for both. Prints the recall of each.

use std::sync::{Arc, LazyLock, Mutex};

use divan::Bencher;
use divan::counter::BytesCount;
use greenroom_index::{Filter, Shard, ShardWriter, UnitVector, Words};

use crate::data::{Clustered, Isotropic, Random, Vectors, row};

const SIZES: [usize; 2] = [10_000, 100_000];
const MILLION: [usize; 1] = [1_000_000];

/// Rows and queries of a dimension. Only the latest size is cached.
fn shard(dimension: usize, rows: usize) -> (Arc<Shard>, Vec<Vec<f32>>) {
    type Kept = Option<(usize, usize, Arc<Shard>, Vec<Vec<f32>>)>;
    static KEPT: Mutex<Kept> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap();
    if let Some((_, _, shard, queries)) = kept.as_ref().filter(|(d, r, ..)| (*d, *r) == (dimension, rows)) {
        return (Arc::clone(shard), queries.clone());
    }
    *kept = None;
    let (writer, queries) = filled(&mut Clustered::new(dimension), dimension, rows);
    let shard = writer.shard();
    *kept = Some((dimension, rows, Arc::clone(&shard), queries.clone()));
    (shard, queries)
}

fn filled(vectors: &mut impl Vectors, dimension: usize, rows: usize) -> (ShardWriter, Vec<Vec<f32>>) {
    let mut writer = ShardWriter::new(dimension);
    let mut id = 0;
    while (id as usize) < rows {
        let batch =
            (id..rows as i64).take(50_000).map(|id| row(id, Words::default(), Some(vectors.vector())));
        let batch: Vec<_> = batch.collect();
        id += batch.len() as i64;
        writer.apply(batch);
    }
    (writer, (0..200).map(|_| vectors.vector()).collect())
}

/// The share of the ten nearest rows that the shard finds.
fn recall(shard: &Shard, queries: &[Vec<f32>]) -> f64 {
    let mut found = 0;
    for query in queries {
        let unit = UnitVector::new(query, shard.dimension()).unwrap();
        let cosine = shard.cosines(&unit).unwrap();
        let mut exact: Vec<_> = shard.live_slots().filter_map(|slot| Some((cosine(slot)?, slot))).collect();
        exact.sort_by(|one, other| other.0.total_cmp(&one.0));
        let hits = shard.nearest(query, 10, &Filter::default()).unwrap().hits;
        found += exact.iter().take(10).filter(|(_, slot)| hits.iter().any(|(hit, _)| hit == slot)).count();
    }
    found as f64 / (10 * queries.len()) as f64
}

/// Sums all bytes in memory order: no search that reads every byte is faster.
fn read(bytes: &[u64]) -> u64 {
    let (blocks, _) = bytes.as_chunks::<32>();
    let mut sums = [0u64; 32];
    for block in blocks {
        for (sum, number) in sums.iter_mut().zip(block) {
            *sum = sum.wrapping_add(*number);
        }
    }
    sums.iter().fold(0, |sum, number| sum.wrapping_add(*number))
}

fn floor(bencher: Bencher<'_, '_>, bytes: usize) {
    let memory: Vec<u64> = (0..bytes as u64 / 8).collect();
    bencher.counter(BytesCount::new(bytes)).bench(|| read(divan::black_box(&memory)));
}

fn in_turn<'a>(queries: &'a [Vec<f32>]) -> impl FnMut() -> &'a [f32] {
    let mut queries = queries.iter().cycle();
    move || queries.next().unwrap()
}

#[divan::bench(args = SIZES, consts = [256, 384])]
fn floor_of_codes<const D: usize>(bencher: Bencher<'_, '_>, rows: usize) {
    floor(bencher, rows * D);
}

#[divan::bench(args = SIZES, consts = [256, 384])]
fn codes<const D: usize>(bencher: Bencher<'_, '_>, rows: usize) {
    let (shard, queries) = shard(D, rows);
    static TOLD: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
    if !TOLD.lock().unwrap().contains(&(D, rows)) {
        TOLD.lock().unwrap().push((D, rows));
        eprintln!("codes and rescoring, {rows} x {D}: recall@10 {:.4}", recall(&shard, &queries));
    }
    bencher
        .counter(BytesCount::new(rows * D))
        .with_inputs(in_turn(&queries))
        .bench_local_values(|query| shard.nearest(query, 10, &Filter::default()));
}

#[divan::bench(args = MILLION, ignore)]
fn million_floor(bencher: Bencher<'_, '_>, rows: usize) {
    floor(bencher, rows * 256);
}

#[divan::bench(args = MILLION, ignore)]
fn million_codes(bencher: Bencher<'_, '_>, rows: usize) {
    let (shard, queries) = shard(256, rows);
    bencher
        .counter(BytesCount::new(rows * 256))
        .with_inputs(in_turn(&queries))
        .bench_local_values(|query| shard.nearest(query, 10, &Filter::default()));
}

/// 100,000 rows with a graph, if it is used.
fn with_graph(vectors: &mut impl Vectors, kind: &str) -> (Arc<Shard>, Vec<Vec<f32>>) {
    let (mut writer, queries) = filled(vectors, 256, 100_000);
    let begun = std::time::Instant::now();
    let graph = writer.shard().build_graph(|| false).unwrap();
    eprintln!("{kind}: {graph:?} in {:.1} s, used: {}", begun.elapsed().as_secs_f32(), graph.is_used());
    writer.adopt(graph);
    let shard = writer.shard();
    eprintln!("{kind}: recall@10 {:.4}", recall(&shard, &queries));
    (shard, queries)
}

#[divan::bench]
fn graph_100000_clustered(bencher: Bencher<'_, '_>) {
    static GRAPH: LazyLock<(Arc<Shard>, Vec<Vec<f32>>)> =
        LazyLock::new(|| with_graph(&mut Clustered::new(256), "clustered"));
    let (shard, queries) = &*GRAPH;
    bencher
        .with_inputs(in_turn(queries))
        .bench_local_values(|query| shard.nearest(query, 10, &Filter::default()));
}

/// In this case the graph's recall is low, and the exact search answers.
#[divan::bench(ignore)]
fn graph_100000_isotropic(bencher: Bencher<'_, '_>) {
    static GRAPH: LazyLock<(Arc<Shard>, Vec<Vec<f32>>)> =
        LazyLock::new(|| with_graph(&mut Isotropic(Random(3), 256), "isotropic"));
    let (shard, queries) = &*GRAPH;
    bencher
        .with_inputs(in_turn(queries))
        .bench_local_values(|query| shard.nearest(query, 10, &Filter::default()));
}
