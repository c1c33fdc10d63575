//! Which vectors are usable (FG2, FG3), and that a search in one place never finds rows of another (X6).

#![allow(clippy::unwrap_used, clippy::panic, reason = "the lints let tests do so, but not their helpers")]

use greenroom_index::{
    Bm25, Change, Filter, Names, Row, Shard, ShardWriter, Slot, UnitVector, VectorError, WordQuery, Words,
    terms,
};

fn row(id: i64, text: &str, vector: Option<Vec<f32>>) -> Change {
    let words = Words::of(text, "", &Names::none());
    Change::Put(Row { id, at: id, expires_at: i64::MAX, source: 0, author: None, words, vector })
}

fn cosine(shard: &Shard, slot: Slot, query: &[f32]) -> Option<f32> {
    let query = UnitVector::new(query, shard.dimension()).unwrap();
    shard.cosines(&query).unwrap()(slot)
}

fn by_words(shard: &Shard, text: &str) -> Vec<i64> {
    let terms = terms(text, &Names::none()).into_iter().map(|term| (term, 1.0));
    let query = WordQuery::over(&[shard], terms, &Bm25::default());
    shard.bm25(&query, 10, &Filter::default()).hits.iter().filter_map(|(slot, _)| shard.id(*slot)).collect()
}

#[test]
fn fg2_a_zero_vector_is_never_stored_as_a_usable_one() {
    let mut writer = ShardWriter::new(3);
    let applied =
        writer.apply([row(1, "a lake", Some(vec![0.0; 3])), row(2, "a boat", Some(vec![0.0, 3.0, 4.0]))]);
    assert_eq!(applied.refused, [(1, VectorError::Zero)]);
    let near = applied.shard.nearest(&[0.0, 0.0, 1.0], 10, &Filter::default()).unwrap();
    assert_eq!(near.hits.len(), 1, "the one with a vector");
    assert!((near.hits[0].1 - 0.8).abs() < 1e-6, "vectors are normalised");
    assert_eq!(by_words(&applied.shard, "lakes"), [1], "the other is found by its words");
}

#[test]
fn fg3_a_short_or_broken_vector_is_skipped_and_an_empty_store_clears_the_index() {
    let mut writer = ShardWriter::new(2);
    let applied = writer.apply([
        row(1, "a lake", Some(vec![1.0])),
        row(2, "a boat", Some(vec![f32::NAN, 1.0])),
        row(3, "a dog", Some(vec![1.0, 0.0])),
    ]);
    assert_eq!(
        applied.refused,
        [(1, VectorError::Dimension { expected: 2, found: 1 }), (2, VectorError::NotFinite)]
    );
    assert_eq!((applied.shard.documents(), applied.shard.vectors()), (3, 1));
    assert_eq!(
        applied.shard.nearest(&[1.0], 1, &Filter::default()).unwrap_err().to_string().lines().count(),
        1
    );

    let empty = writer.apply([1, 2, 3].map(Change::Remove)).shard;
    assert_eq!((empty.documents(), empty.vectors()), (0, 0));
    assert!(empty.nearest(&[1.0, 0.0], 5, &Filter::default()).unwrap().hits.is_empty());
    assert!(by_words(&empty, "lake boat dog").is_empty());
}

#[test]
fn a_vector_that_comes_later_leaves_the_row_where_it_is() {
    let mut writer = ShardWriter::new(2);
    writer.apply([row(1, "hi", None), row(2, "a lake", None), row(3, "bye", None)]);
    let before = writer.shard();
    let after = writer.apply([row(2, "a lake", Some(vec![1.0, 0.0]))]).shard;
    let slot = after.slot_of(2).unwrap();
    assert_eq!(before.slot_of(2), Some(slot));
    assert_eq!(after.next(slot).and_then(|next| after.id(next)), Some(3));
    assert_eq!((cosine(&before, slot, &[1.0, 0.0]), cosine(&after, slot, &[1.0, 0.0])), (None, Some(1.0)));
}

#[test]
fn x6_what_is_gone_or_in_another_place_is_found_by_nothing() {
    let (mut here, mut there) = (ShardWriter::new(2), ShardWriter::new(2));
    there.apply([row(7, "the canary sings", Some(vec![1.0, 0.0]))]);
    here.apply([row(1, "the canary sings", Some(vec![1.0, 0.0])), row(2, "a dog", Some(vec![0.0, 1.0]))]);
    let shard = here.apply([Change::Remove(1)]).shard;
    assert!(by_words(&shard, "canary").is_empty());
    let near = shard.nearest(&[1.0, 0.0], 10, &Filter::default()).unwrap();
    assert_eq!(near.hits.iter().filter_map(|(slot, _)| shard.id(*slot)).collect::<Vec<_>>(), [2]);
    assert_eq!(shard.slot_of(1), None);
}

#[test]
fn terms_are_weighed_over_several_shards_as_one_collection() {
    let mut writers = [ShardWriter::new(0), ShardWriter::new(0)];
    let one = writers[0].apply([row(1, "lake boat", None), row(2, "lake", None)]).shard;
    let other = writers[1].apply([row(3, "boat dog", None), row(4, "dog", None)]).shard;
    let mut both = ShardWriter::new(0);
    let all = both
        .apply([
            row(1, "lake boat", None),
            row(2, "lake", None),
            row(3, "boat dog", None),
            row(4, "dog", None),
        ])
        .shard;
    let terms = || terms("lake boat", &Names::none()).into_iter().map(|term| (term, 1.0));
    let apart = WordQuery::over(&[&one, &other], terms(), &Bm25::default());
    let together = WordQuery::over(&[&all], terms(), &Bm25::default());
    for (shard, id) in [(&one, 1), (&one, 2), (&other, 3), (&other, 4)] {
        let (Some(here), Some(there)) = (shard.slot_of(id), all.slot_of(id)) else {
            panic!("row {id} is there")
        };
        let (here, there) = (shard.row(here).unwrap(), all.row(there).unwrap());
        assert_eq!(here.overlap(&apart), there.overlap(&together));
        assert_eq!(here.coverage(&apart), there.coverage(&together));
    }
}

#[test]
fn frequent_terms_are_dropped_in_large_collections_while_a_rarer_one_is_left() {
    let mut writer = ShardWriter::new(0);
    let shard =
        writer.apply((0..40).map(|id| row(id, if id == 7 { "lake boat" } else { "boat" }, None))).shard;
    let tuning = Bm25 { large: 30, ..Bm25::default() };
    let ask = |text: &str| {
        let terms = terms(text, &Names::none()).into_iter().map(|term| (term, 1.0));
        shard.bm25(&WordQuery::over(&[&shard], terms, &tuning), 50, &Filter::default()).hits.len()
    };
    assert_eq!((ask("boat on the lake"), ask("boat"), ask("boat zebra")), (1, 40, 40));
}
