//! The graph: good recall where rows lie in clusters, no loss where they do not.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the lints let tests do so, but not their helpers")]

use std::sync::Arc;

use greenroom_index::{Change, Filter, Row, Shard, ShardWriter, Slot, UnitVector, Words};

const DIMENSION: usize = 24;
const ROWS: i64 = 6_000;

/// SplitMix64, as numbers around 0.
fn noise(seed: &mut u64) -> f32 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *seed;
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ bits >> 31) >> 40) as f32 / (1u64 << 23) as f32 - 1.0
}

/// A vector of one of 60 clusters, with some noise.
fn vector(id: i64) -> Vec<f32> {
    let (mut cluster, mut own) = ((id % 60) as u64 * 1_000_003, id as u64 * 7_919 + 13);
    (0..DIMENSION).map(|_| noise(&mut cluster) + 0.5 * noise(&mut own)).collect()
}

fn row(id: i64, vector: Option<Vec<f32>>) -> Change {
    let source = u8::from(id % 3 == 0);
    let words = Words::default();
    Change::Put(Row { id, at: id, expires_at: i64::MAX, source, author: None, words, vector })
}

fn writer() -> ShardWriter {
    let mut writer = ShardWriter::new(DIMENSION);
    writer.apply((0..ROWS).map(|id| row(id, Some(vector(id)))));
    writer
}

fn with_graph() -> ShardWriter {
    let mut writer = writer();
    let graph = writer.shard().build_graph(|| false).unwrap();
    assert!(writer.adopt(graph));
    assert!(writer.shard().graph().is_some(), "the graph is good enough to be used");
    writer
}

fn slots(hits: &[(Slot, f32)]) -> Vec<Slot> {
    hits.iter().map(|(slot, _)| *slot).collect()
}

/// The nearest rows by their cosines in full precision.
fn exact(shard: &Shard, query: &[f32], k: usize, filter: &Filter<'_>) -> Vec<Slot> {
    let query = UnitVector::new(query, shard.dimension()).unwrap();
    let cosine = shard.cosines(&query).unwrap();
    let mut scored: Vec<_> = shard
        .live_slots()
        .filter(|slot| shard.passes(*slot, filter))
        .filter_map(|slot| Some((slot, cosine(slot)?)))
        .collect();
    scored.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
    scored.truncate(k);
    slots(&scored)
}

fn recall(shard: &Shard, filter: &Filter<'_>) -> f32 {
    let mut found = 0;
    for at in 0..100 {
        let query = vector(ROWS + 37 * at);
        let hits = slots(&shard.nearest(&query, 10, filter).unwrap().hits);
        assert!(hits.iter().all(|slot| shard.passes(*slot, filter)));
        let truth = exact(shard, &query, 10, filter);
        assert_eq!(hits.len(), truth.len());
        found += truth.iter().filter(|slot| hits.contains(slot)).count();
    }
    found as f32 / 1000.0
}

#[test]
fn the_graph_finds_nearly_all_with_and_without_a_filter() {
    let shard = with_graph().shard();
    let within = [(100, 400), (3_000, 3_020)];
    for filter in [
        Filter::default(),
        Filter { before: Some(4_000), ..Filter::default() },
        Filter { sources: 0b10, ..Filter::default() },
        Filter { within: Some(&within), ..Filter::default() },
    ] {
        let recall = recall(&shard, &filter);
        assert!(recall >= 0.98, "{filter:?}: {recall}");
    }
}

#[test]
fn rows_that_came_changed_or_went_after_the_graph_was_built_are_seen_at_once() {
    let mut writer = with_graph();
    let query = vector(ROWS + 1);
    let best = writer.shard().nearest(&query, 1, &Filter::default()).unwrap().hits[0].0;
    let gone = writer.shard().id(best).unwrap();
    let old = writer.shard();
    // One row moves to the query, one is new there, and one of the best is deleted.
    let shard = writer
        .apply([Change::Remove(gone), row(17, Some(query.clone())), row(ROWS, Some(query.clone()))])
        .shard;
    let hits = shard.nearest(&query, 2, &Filter::default()).unwrap().hits;
    let ids: Vec<_> = hits.iter().map(|(slot, _)| shard.id(*slot).unwrap()).collect();
    assert_eq!(ids, [ROWS, 17]);
    assert!(shard.graph().is_some(), "it still serves the others");
    assert!(recall(&shard, &Filter::default()) >= 0.98);
    assert_eq!(
        old.nearest(&query, 1, &Filter::default()).unwrap().hits[0].0,
        best,
        "FG1: a reader keeps its own"
    );
}

#[test]
fn a_graph_of_rows_laid_anew_since_is_turned_down() {
    let mut writer = writer();
    let graph = writer.shard().build_graph(|| false).unwrap();
    let half = writer.apply((0..ROWS / 2).map(Change::Remove)).shard;
    assert!(!writer.adopt(graph));
    assert!(half.graph().is_none());
    assert_eq!(recall(&half, &Filter::default()), 1.0, "the exact search answers");
}

#[test]
fn where_all_rows_are_far_from_each_other_the_exact_search_stays() {
    let mut writer = ShardWriter::new(128);
    let mut seed = 5;
    let rows = (0..4_000).map(|id| row(id, Some((0..128).map(|_| noise(&mut seed)).collect())));
    let shard = writer.apply(rows.collect::<Vec<_>>()).shard;
    let graph = shard.build_graph(|| false).unwrap();
    let used = graph.is_used();
    assert!(!used, "{graph:?}");
    writer.adopt(graph);
    let query: Vec<f32> = (0..128).map(|_| noise(&mut seed)).collect();
    let shard: Arc<Shard> = writer.shard();
    let near = shard.nearest(&query, 10, &Filter::default()).unwrap();
    assert_eq!(slots(&near.hits), exact(&shard, &query, 10, &Filter::default()));
}

#[test]
fn the_same_rows_make_the_same_graph() {
    let (one, other) = (with_graph().shard(), with_graph().shard());
    for at in 0..20 {
        let query = vector(ROWS + at);
        let ask = |shard: &Shard| shard.nearest(&query, 20, &Filter::default()).unwrap();
        assert_eq!(ask(&one), ask(&other));
    }
}

#[test]
fn building_can_be_cancelled_and_small_shards_want_no_graph() {
    let shard = writer().shard();
    assert!(!shard.wants_graph());
    assert!(shard.build_graph(|| true).is_none());
}
