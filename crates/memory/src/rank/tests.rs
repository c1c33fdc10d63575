//! Rankings of small conversations, with hand-made vectors of two numbers.

use std::sync::Arc;

use greenroom_index::{Change, Names, Row, ShardWriter, Words};

use super::*;

const SPEAKERS: [&str; 2] = ["Caroline", "Mel"];
/// A minute in microseconds.
const MINUTE: i64 = 60_000_000;

type Said<'a> = (&'a str, &'a str, Option<[f32; 2]>);

fn shard(said: &[Said<'_>]) -> Arc<Shard> {
    let names = Names::new(SPEAKERS);
    let rows = (1..).zip(said).map(|(id, (author, text, vector))| {
        Change::Put(Row {
            id,
            at: id * MINUTE,
            expires_at: i64::MAX,
            source: 0,
            author: Some((*author).to_owned()),
            words: Words::of(text, "7 May 2023 Sunday", &names),
            vector: vector.map(|vector| vector.to_vec()),
        })
    });
    ShardWriter::new(2).apply(rows).shard
}

fn query(text: &str) -> Query {
    Query::default().with_words(text, "", (&SPEAKERS, &Names::new(SPEAKERS)))
}

fn ranked(said: &[Said<'_>], query: &Query, filter: &Filter<'_>) -> Vec<RankedRow> {
    let shard = shard(said);
    let collection = Collection { shards: &[(&*shard).into()], conversation: true };
    rank(&collection, query, filter, 10).unwrap()
}

/// The ranked rows' numbers, from 1, best first.
fn order(said: &[Said<'_>], query: &Query) -> Vec<u32> {
    ranked(said, query, &Filter::default()).iter().map(|row| row.slot.0 + 1).collect()
}

#[test]
fn as1_the_row_with_the_meaning_and_the_words_comes_first() {
    let said = [
        ("Mel", "I painted a lake", Some([0.0, 1.0])),
        ("Mel", "My car broke down", Some([1.0, 0.2])),
        ("Mel", "It was a long day", Some([1.0, 0.0])),
    ];
    let both = Query { vectors: vec![vec![0.1, 0.9]], ..query("Which lake was painted?") };
    let first = ranked(&said, &both, &Filter::default())[0];
    assert_eq!(first.slot, Slot(0));
    assert!(first.cosine.unwrap() > 0.9 && first.coverage > 0.6 && first.relevance() > 0.9);
    assert_eq!(order(&said, &query("Which lake was painted?"))[0], 1, "words alone");
    assert_eq!(order(&said, &Query::of_vectors(vec![vec![0.1, 0.9]]))[0], 1, "meaning alone");
    assert!(order(&said, &Query::default()).is_empty(), "nothing is looked for");
}

#[test]
fn hypotheses_are_vectors_of_which_the_nearest_counts() {
    let said =
        [("Mel", "a", Some([0.0, 1.0])), ("Mel", "b", Some([0.7, -0.7])), ("Mel", "c", Some([1.0, 0.0]))];
    let found = ranked(&said, &Query::of_vectors(vec![vec![0.0, 1.0], vec![1.0, 0.0]]), &Filter::default());
    assert!(found.iter().filter(|row| row.cosine.unwrap() > 0.99).count() == 2);
}

#[test]
fn participants_names_do_not_decide() {
    let said = [
        ("Mel", "Caroline, Caroline! Hello Caroline", None),
        ("Mel", "My sister sails", None),
        ("Mel", "Good morning, Caroline", None),
    ];
    assert_eq!(order(&said, &query("Does Caroline's sister sail?"))[0], 2);
    assert!(order(&said, &query("Caroline?")).is_empty(), "a name is no word to look for");
}

#[test]
fn whom_the_query_names_comes_first_among_equals_and_does_not_hide_the_others() {
    let said = [
        ("Caroline", "I went sailing", None),
        ("Mel", "Nothing new here", None),
        ("Mel", "I went sailing", None),
        ("Mel", "Nothing at all", None),
        ("Mel", "The harbour was full of boats for the regatta", None),
    ];
    assert_eq!(order(&said, &query("Did Caroline go sailing?"))[..2], [1, 3]);
    assert_eq!(order(&said, &query("Did Mel go sailing?"))[0], 3);
    assert_eq!(order(&said, &query("Was Caroline at the regatta in the harbour full of boats?"))[0], 5);
}

#[test]
fn an_answer_is_found_by_the_question_it_answers() {
    let said = [
        ("Mel", "Hello there", None),
        ("Caroline", "What is your favourite sport?", None),
        ("Mel", "Oh, fencing of course", None),
        ("Caroline", "Nice weather", None),
    ];
    assert!(order(&said, &query("Which sport is Mel's favourite?"))[..2].contains(&3));
}

#[test]
fn as11_the_newer_of_two_equals_comes_first() {
    let same: Vec<Said<'_>> = vec![("Mel", "tea", None); 5];
    let shard = shard(&same);
    let memories = Collection { shards: &[(&*shard).into()], conversation: false };
    let ranked = rank(&memories, &query("tea"), &Filter::default(), 10).unwrap();
    assert_eq!(ranked.iter().map(|row| row.slot.0).collect::<Vec<_>>(), [4, 3, 2, 1, 0]);
}

#[test]
fn what_does_not_pass_is_neither_found_nor_counts() {
    let said = [
        ("Mel", "Hello there", None),
        ("Caroline", "Which sport is it?", None),
        ("Mel", "Oh, fencing", None),
        ("Mel", "sport", None),
    ];
    // the persona was present from the third message on (GR2)
    let within = [(3, i64::MAX)];
    let present = Filter { within: Some(&within), ..Filter::default() };
    let found = ranked(&said, &query("Which sport?"), &present);
    assert_eq!(found.iter().map(|row| row.slot.0).collect::<Vec<_>>(), [3, 2]);
    let alone = [said[0], ("Caroline", "So there", None), said[2], said[3]];
    let scores = |found: Vec<RankedRow>| found.iter().map(|row| row.coverage).collect::<Vec<_>>();
    assert_eq!(scores(found), scores(ranked(&alone, &query("Which sport?"), &present)));
}

#[test]
fn memories_stand_alone_whatever_lies_beside_them() {
    let shard = shard(&[("Mel", "Which sport is it?", None), ("Caroline", "Oh, fencing", None)]);
    let memories = Collection { shards: &[(&*shard).into()], conversation: false };
    let found = rank(&memories, &query("Which sport?"), &Filter::default(), 10).unwrap();
    assert_eq!(found.len(), 1);
}

#[test]
fn several_places_are_ranked_as_one() {
    let (one, other) = (shard(&[("Mel", "tea", None)]), shard(&[("Mel", "tea with milk and sugar", None)]));
    let memories =
        Collection { shards: &[&*one, &*other, &*one].map(SearchedShard::from), conversation: false };
    let search = |limit| rank(&memories, &query("milk for the tea"), &Filter::default(), limit);
    let first = search(10).unwrap()[0];
    assert_eq!((first.shard, first.slot), (1, Slot(0)));
    assert_eq!((search(10).unwrap().len(), search(2).unwrap().len()), (3, 2));
    assert_eq!(search(10), search(10), "the same every time");
    let nothing = Collection { shards: &[], conversation: false };
    assert_eq!(rank(&nothing, &query("tea"), &Filter::default(), 10), Ok(Vec::new()));
}

#[test]
fn fg2_a_vector_of_another_model_is_an_error() {
    let shard = shard(&[("Mel", "tea", Some([0.0, 1.0]))]);
    let collection = Collection { shards: &[(&*shard).into()], conversation: true };
    let query = Query::of_vectors(vec![vec![1.0; 3]]);
    let found = rank(&collection, &query, &Filter::default(), 10);
    assert_eq!(found, Err(VectorError::Dimension { expected: 2, found: 3 }));
}

#[test]
fn as2_the_date_of_a_row_covers_nothing_of_the_query() {
    let said = [("Mel", "tea", None), ("Mel", "see you on Sunday", None), ("Mel", "the lake", None)];
    let coverage = |text| {
        let mut found = ranked(&said, &query(text), &Filter::default());
        found.sort_by_key(|row| row.slot);
        found.iter().map(|row| row.coverage > 0.0).collect::<Vec<_>>()
    };
    assert_eq!(coverage("Sunday"), [false, true, false]);
    assert_eq!(coverage("2023"), [false, false, false]);
    let lake = ranked(&said, &query("the lake on Sunday in May 2023"), &Filter::default());
    assert!(lake.iter().all(|row| row.coverage < 0.5), "{lake:?}");
}

#[test]
fn as2_holding_the_one_word_of_a_query_says_less_than_holding_all_of_many() {
    let said = [("Mel", "hello, the boat of the harbour sails", None), ("Mel", "the lake", None)];
    let coverage = |text| ranked(&said, &query(text), &Filter::default())[0].coverage;
    assert_eq!(coverage("hello"), 0.5);
    assert!((coverage("Which boat sails from the harbour?") - 0.75).abs() < 1e-6);
}
