//! Random changes and searches, compared with an obviously correct model: rows in a map, with everything computed from
//! scratch.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the lints let tests do so, but not their helpers")]

use std::collections::BTreeMap;
use std::sync::Arc;

use greenroom_index::{
    Bm25, Change, Filter, Names, Row, Shard, ShardWriter, Slot, Term, UnitVector, WordQuery, Words, terms,
};
use proptest::prelude::*;

const DIMENSION: usize = 5;
const VOCABULARY: [&str; 8] = ["lake", "boat", "paint", "dog", "May", "2023", "sister", "the"];

fn words(picks: &[usize]) -> String {
    picks.iter().map(|pick| VOCABULARY[pick % VOCABULARY.len()]).collect::<Vec<_>>().join(" ")
}

fn row() -> impl Strategy<Value = Row> {
    let vector = proptest::option::weighted(0.8, proptest::collection::vec(-1.0f32..1.0, DIMENSION));
    let text = proptest::collection::vec(0usize..8, 0..6);
    (0i64..40, 0i64..20, prop_oneof![Just(i64::MAX), 0i64..20], 0u8..4, text, vector).prop_map(
        |(id, at, expires_at, source, text, vector)| Row {
            id,
            at,
            expires_at,
            source,
            author: Some(format!("author {source}")),
            words: Words::of(&words(&text), &words(&text[..text.len().min(1)]), &Names::none()),
            vector: vector.filter(|numbers| numbers.iter().any(|number| number.abs() > 0.01)),
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![3 => row().prop_map(Change::Put), 1 => (0i64..40).prop_map(Change::Remove)]
}

fn batches() -> impl Strategy<Value = Vec<Vec<Change>>> {
    proptest::collection::vec(proptest::collection::vec(change(), 0..30), 0..12)
}

#[derive(Debug, Clone)]
struct Asked {
    before: Option<i64>,
    now: i64,
    between: Option<(i64, i64)>,
    within: Option<Vec<(i64, i64)>>,
    sources: u32,
}

impl Asked {
    fn filter(&self) -> Filter<'_> {
        Filter {
            before: self.before,
            now: self.now,
            between: self.between,
            within: self.within.as_deref(),
            sources: self.sources,
        }
    }

    fn passes(&self, row: &Row) -> bool {
        row.expires_at > self.now
            && self.before.is_none_or(|before| row.id < before)
            && self.between.is_none_or(|(from, to)| (from..to).contains(&row.at))
            && self
                .within
                .as_ref()
                .is_none_or(|within| within.iter().any(|(from, to)| (*from..*to).contains(&row.id)))
            && self.sources >> row.source & 1 == 1
    }
}

fn asked() -> impl Strategy<Value = Asked> {
    let within = proptest::collection::btree_set(0i64..40, 0..7).prop_map(|ends| {
        let ends: Vec<i64> = ends.into_iter().collect();
        ends.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()
    });
    (
        proptest::option::of(0i64..40),
        0i64..20,
        proptest::option::of((0i64..20, 0i64..20)),
        proptest::option::of(within),
        prop_oneof![Just(u32::MAX), 0u32..16],
    )
        .prop_map(|(before, now, between, within, sources)| Asked {
            before,
            now,
            between,
            within,
            sources,
        })
}

fn apply(model: &mut BTreeMap<i64, Row>, changes: &[Change]) {
    for change in changes {
        match change {
            Change::Put(row) => drop(model.insert(row.id, row.clone())),
            Change::Remove(id) => drop(model.remove(id)),
        }
    }
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let dot = |one: &[f32], other: &[f32]| {
        one.iter().zip(other).map(|(one, other)| f64::from(one * other)).sum::<f64>()
    };
    (dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()) as f32
}

/// Asserts that the hits match the model: the same scores in the same order, and every id with its score.
fn same_hits(shard: &Shard, hits: &[(Slot, f32)], expected: &BTreeMap<i64, f32>, k: usize) {
    let mut best: Vec<f32> = expected.values().copied().collect();
    best.sort_by(|one, other| other.total_cmp(one));
    best.truncate(k);
    assert_eq!(hits.len(), best.len());
    for ((slot, score), best) in hits.iter().zip(best) {
        assert!((score - best).abs() < 1e-4, "{score} instead of {best}");
        let id = shard.id(*slot).unwrap();
        assert!((score - expected[&id]).abs() < 1e-4, "{id} scores {}", expected[&id]);
    }
}

/// Id, time, cosine with some query, author.
type Seen = (i64, i64, Option<f32>, Option<String>);

fn everything(shard: &Shard) -> Vec<Seen> {
    let query = UnitVector::new(&[0.3; DIMENSION], DIMENSION).unwrap();
    let cosine = shard.cosines(&query).unwrap();
    let of = |slot| {
        let row = shard.row(slot)?;
        Some((row.meta.id, row.meta.at, cosine(slot), row.author.map(str::to_owned)))
    };
    shard.live_slots().filter_map(of).collect()
}

fn written(batches: &[Vec<Change>]) -> (ShardWriter, BTreeMap<i64, Row>) {
    let (mut writer, mut model) = (ShardWriter::new(DIMENSION), BTreeMap::new());
    for batch in batches {
        assert!(writer.apply(batch.clone()).refused.is_empty());
        apply(&mut model, batch);
    }
    (writer, model)
}

/// BM25F of one row, computed directly by its definition.
fn bm25(row: &Row, weights: &BTreeMap<Term, f32>, average: f32, tuning: &Bm25) -> f32 {
    let gain = |(term, weight): (&Term, &f32)| {
        let count = |field: &[Term]| field.iter().filter(|found| *found == term).count() as f32;
        let norm = 1.0 - tuning.b + tuning.b * row.words.text.len() as f32 / average;
        let count = count(&row.words.text) / norm + tuning.date * count(&row.words.date);
        weight * (tuning.k1 + 1.0) * count / (tuning.k1 + count)
    };
    weights.iter().map(gain).sum()
}

fn holds(row: &Row, term: Term, dated: bool) -> bool {
    row.words.text.contains(&term) || (dated && row.words.date.contains(&term))
}

proptest! {
    #[test]
    fn the_nearest_are_those_of_the_model(
        batches in batches(), asked in asked(), k in 0usize..20,
        query in proptest::collection::vec(-1.0f32..1.0, DIMENSION),
    ) {
        prop_assume!(query.iter().any(|number| number.abs() > 0.01));
        let (writer, model) = written(&batches);
        let shard = writer.shard();
        let with_vector = || model.values().filter_map(|row| Some((row, cosine(row.vector.as_ref()?, &query))));
        let expected = with_vector().filter(|(row, _)| asked.passes(row)).map(|(row, score)| (row.id, score)).collect();
        let near = shard.nearest(&query, k, &asked.filter()).unwrap();
        same_hits(&shard, &near.hits, &expected, k);
        let count = with_vector().count().max(1) as f32;
        let mean = with_vector().map(|(_, score)| score).sum::<f32>() / count;
        let variance = with_vector().map(|(_, score)| (score - mean).powi(2)).sum::<f32>() / count;
        prop_assert!((near.mean - mean).abs() < 0.02, "{} instead of {mean}", near.mean);
        prop_assert!((near.deviation - variance.sqrt()).abs() < 0.02);
    }

    #[test]
    fn searches_made_together_find_what_each_finds_alone(
        batches in batches(), asked in proptest::collection::vec((asked(), 0usize..20), 0..4),
        query in proptest::collection::vec(-1.0f32..1.0, DIMENSION), picks in proptest::collection::vec(0usize..8, 0..5),
    ) {
        prop_assume!(query.iter().any(|number| number.abs() > 0.01));
        let shard = written(&batches).0.shard();
        let words = terms(&words(&picks), &Names::none()).into_iter().map(|term| (term, 1.0));
        let words = WordQuery::over(&[&shard], words, &Bm25::default());
        let searches: Vec<_> = asked.iter().map(|(asked, k)| (asked.filter(), *k)).collect();
        let near = shard.nearest_each(&UnitVector::new(&query, DIMENSION).unwrap(), &searches).unwrap();
        let held = shard.bm25_each(&words, &searches);
        let sorted = |mut hits: Vec<(Slot, f32)>| {
            hits.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
            hits
        };
        prop_assert_eq!((near.len(), held.len()), (searches.len(), searches.len()));
        for ((filter, k), (mut near, mut held)) in searches.iter().zip(near.into_iter().zip(held)) {
            (near.hits, held.hits) = (sorted(near.hits), sorted(held.hits));
            prop_assert_eq!(near, shard.nearest(&query, *k, filter).unwrap());
            prop_assert_eq!(held, shard.bm25(&words, *k, filter));
        }
    }

    #[test]
    fn words_are_scored_as_in_the_model(
        batches in batches(), asked in asked(), k in 0usize..20, picks in proptest::collection::vec(0usize..8, 0..5),
        dated in any::<bool>(),
    ) {
        let (writer, model) = written(&batches);
        let shard = writer.shard();
        let length: usize = model.values().map(|row| row.words.text.len()).sum();
        prop_assert_eq!(shard.documents(), model.len());
        let tuning = Bm25 { date: if dated { 0.6 } else { 0.0 }, ..Bm25::default() };
        let found = terms(&words(&picks), &Names::none());
        let query = WordQuery::over(&[&shard], found.iter().map(|term| (*term, 1.0)), &tuning);

        let mut weights = BTreeMap::new();
        for term in found {
            let count = model.values().filter(|row| holds(row, term, dated)).count();
            prop_assert_eq!(shard.document_frequency(term, dated), count);
            weights.insert(term, (1.0 + (model.len() as f32 - count as f32 + 0.5) / (count as f32 + 0.5)).ln());
        }
        let average = length as f32 / model.len().max(1) as f32;
        let score = |row: &Row| bm25(row, &weights, average.max(1e-6), &tuning);
        let hits = shard.bm25(&query, k, &asked.filter());
        let expected = model
            .values()
            .filter(|row| asked.passes(row) && weights.keys().any(|term| holds(row, *term, dated)))
            .map(|row| (row.id, score(row)))
            .collect();
        same_hits(&shard, &hits.hits, &expected, k);
        let sum: f32 = model.values().map(&score).sum();
        let squares: f32 = model.values().map(|row| score(row).powi(2)).sum();
        prop_assert!((hits.sum - sum).abs() < 1e-3 * (1.0 + sum));
        prop_assert!((hits.sum_of_squares - squares).abs() < 1e-3 * (1.0 + squares));

        let total: f32 = weights.values().sum();
        for slot in shard.live_slots() {
            let row = &model[&shard.id(slot).unwrap()];
            let found = shard.row(slot).unwrap();
            let overlap = found.overlap(&query);
            prop_assert!((overlap.text + overlap.date - score(row)).abs() < 1e-4);
            let in_text = weights.keys().filter(|term| holds(row, **term, false)).count();
            prop_assert_eq!(overlap.terms.count_ones() as usize, in_text);
            let held: f32 = weights.iter().filter(|(term, _)| holds(row, **term, dated)).map(|(_, weight)| weight).sum();
            let coverage = if total > 0.0 { held / total } else { 0.0 };
            prop_assert!((found.coverage(&query) - coverage).abs() < 1e-4);
        }
    }

    #[test]
    fn the_rows_and_their_neighbours_are_those_of_the_model(batches in batches()) {
        let (writer, model) = written(&batches);
        let shard = writer.shard();
        let slots: Vec<Slot> = shard.live_slots().collect();
        let mut ids: Vec<i64> = slots.iter().map(|slot| shard.id(*slot).unwrap()).collect();
        for pair in slots.windows(2) {
            prop_assert_eq!((shard.next(pair[0]), shard.previous(pair[1])), (Some(pair[1]), Some(pair[0])));
        }
        for slot in slots {
            let row = &model[&shard.id(slot).unwrap()];
            prop_assert_eq!(shard.slot_of(row.id), Some(slot));
            let found = shard.row(slot).unwrap();
            prop_assert_eq!((found.meta.id, found.meta.at, found.meta.source), (row.id, row.at, row.source));
            prop_assert_eq!(found.author, row.author.as_deref());
            prop_assert_eq!(usize::from(found.meta.word_count), row.words.count);
            prop_assert_eq!(usize::from(found.meta.term_count), row.words.text.len());
        }
        ids.sort_unstable();
        prop_assert_eq!(ids, model.keys().copied().collect::<Vec<_>>());
        prop_assert_eq!(shard.slot_of(99), None);
    }

    #[test]
    fn fg1_a_reader_sees_the_old_set_or_the_new_one_never_a_part(batches in batches()) {
        let (mut writer, mut model) = (ShardWriter::new(DIMENSION), BTreeMap::new());
        let mut held: Vec<(Arc<Shard>, Vec<_>, usize)> = Vec::new();
        for (n, batch) in batches.into_iter().enumerate() {
            let shard = writer.apply(batch.clone()).shard;
            apply(&mut model, &batch);
            prop_assert_eq!(shard.documents(), model.len(), "the new snapshot has all of the change");
            let (seen, live) = (everything(&shard), shard.documents());
            // a chunk that no reader holds is changed in place
            if n % 2 == 0 {
                held.push((shard, seen, live));
            }
        }
        for (shard, seen, live) in held {
            prop_assert_eq!(everything(&shard), seen, "an old snapshot has nothing of it");
            prop_assert_eq!(shard.documents(), live);
        }
    }

    #[test]
    fn applying_a_change_twice_is_applying_it_once(batches in batches()) {
        let (mut once, _) = written(&batches);
        let before = everything(&once.shard());
        if let Some(batch) = batches.last() {
            once.apply(batch.clone());
        }
        let mut after = everything(&once.shard());
        let mut before = before;
        before.sort_by_key(|row| row.0);
        after.sort_by_key(|row| row.0);
        prop_assert_eq!(before, after);
    }
}
