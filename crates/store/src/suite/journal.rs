//! What an index reads: the journal, whole places, items by id.

use std::collections::BTreeMap;

use greenroom_core::{Author, Message, Scope, Timestamp};
use proptest::{
    collection::vec,
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use super::given::*;
use crate::{Change, Changes, Entry, ItemId, NewMemory, NewVector, Place, Store, VectorSpace};

/// A time at which nothing has expired yet.
const LONG_AGO: Timestamp = Timestamp(0);

async fn rows(store: &dyn Store, space: Option<&VectorSpace>, after: i64, limit: usize) -> Vec<Change> {
    match store.changes(space, after, &|_| true, limit).await.unwrap() {
        Changes::Rows { rows, .. } => rows,
        Changes::Lost => panic!("the journal lost what came after {after}"),
    }
}

async fn whole(store: &dyn Store, place: &Place, space: &VectorSpace) -> Vec<Entry> {
    store.load(place, Some(space), None, usize::MAX, LONG_AGO).await.unwrap()
}

fn here() -> Place {
    Place::Messages(channel("terminal:default"))
}

fn anywhere(name: &str) -> Place {
    Place::Memories(persona(name), Scope::Global)
}

/// Every write is in the journal once, with the item's current state; a removal names the place.
pub async fn fg1_the_journal_tells_every_change_with_its_place(store: &dyn Store) {
    let space = space("m@1", 4);
    assert_eq!(store.journal_end().await.unwrap(), 0);
    assert_eq!(rows(store, None, 0, 10).await, []);

    let message = say(store, "hello").await;
    let keyed = |text| NewMemory { key: Some("k".into()), ..statement("ada", Scope::Global, text) };
    store.remember(keyed("before")).await.unwrap();
    let memory = store.remember(keyed("after")).await.unwrap();
    let item = ItemId::Memory(memory.id);
    let told = rows(store, Some(&space), 0, 10).await;
    let (first, second) = (&told[0], &told[1]);
    assert_eq!((told.len(), &first.place, first.item), (2, &here(), ItemId::Message(message.id)));
    let entry = first.now.as_ref().unwrap();
    assert_eq!((entry.text.as_str(), entry.author.as_deref(), entry.at), ("hello", Some("Bo"), NOW));
    assert_eq!((entry.version, entry.tier, &entry.vector), (1, None, &None));
    assert_eq!((&second.place, second.item), (&anywhere("ada"), item));
    let entry = second.now.as_ref().unwrap();
    assert_eq!((entry.text.as_str(), entry.version, entry.tier), ("after", 2, Some(memory.tier)));
    assert_eq!(second.seq, store.journal_end().await.unwrap());

    let vector = NewVector { item, version: 2, vector: vec![0.5; 4] };
    store.put_vectors(&space, vec![vector]).await.unwrap();
    let told = rows(store, Some(&space), second.seq, 10).await;
    assert_eq!(told[0].now.as_ref().unwrap().vector, Some(vec![0.5; 4]));
    assert_eq!(rows(store, None, second.seq, 10).await, [], "a vector of another space is no news");

    store.forget(&ada(), memory.id).await.unwrap();
    let told = rows(store, Some(&space), told[0].seq, 10).await;
    assert_eq!((told.len(), &told[0].place, told[0].item, &told[0].now), (1, &anywhere("ada"), item, &None));
    assert_eq!(rows(store, Some(&space), told[0].seq, 10).await, []);
}

/// A follower skips changes in other places: page by page it reaches the end of the journal.
pub async fn fg1_a_follower_reads_only_the_places_it_wants(store: &dyn Store) {
    for n in 0..7 {
        store.accept(said("terminal:other", &n.to_string(), "elsewhere", NOW)).await.unwrap();
        know(store, "a memory").await;
        say(store, &format!("here {n}")).await;
    }
    let (mut texts, mut after) = (Vec::new(), 0);
    loop {
        let changes = store.changes(None, after, &|place| *place == here(), 3).await.unwrap();
        let Changes::Rows { rows, end, more } = changes else { panic!("the journal is lost") };
        assert!(rows.len() <= 3 && rows.iter().all(|row| row.place == here() && row.seq <= end));
        texts.extend(rows.into_iter().filter_map(|row| row.now).map(|entry| entry.text));
        after = end;
        if !more {
            break;
        }
    }
    assert_eq!(texts, (0..7).map(|n| format!("here {n}")).collect::<Vec<_>>());
    assert_eq!(after, store.journal_end().await.unwrap());
}

/// A follower that is too far behind is told so, and so is one whose position is past the end.
pub async fn fg1_a_follower_who_is_left_behind_starts_anew(store: &dyn Store) {
    let space = space("m@1", 4);
    let item = ItemId::Memory(know(store, "often embedded").await.id);
    let begin = store.journal_end().await.unwrap();
    assert_eq!(store.changes(None, begin + 1, &|_| true, 10).await.unwrap(), Changes::Lost);
    let again = || NewVector { item, version: 1, vector: vec![0.5; 4] };
    for _ in 0..11 {
        store.put_vectors(&space, (0..2_000).map(|_| again()).collect()).await.unwrap();
    }
    let end = store.journal_end().await.unwrap();
    assert_eq!(store.changes(None, begin, &|_| true, 10).await.unwrap(), Changes::Lost);
    assert_eq!(rows(store, Some(&space), end - 20_000, 10).await.len(), 1, "so far back it is kept");
    say(store, "and on").await;
    assert_eq!(rows(store, Some(&space), end, 10).await.len(), 1);
}

/// Pages in the order of the ids give the whole place; expired memories are excluded.
pub async fn fg1_a_place_is_loaded_page_by_page(store: &dyn Store) {
    let space = space("m@1", 4);
    let mut expected = Vec::new();
    for n in 0..7 {
        expected.push(ItemId::Memory(know(store, &format!("statement {n}")).await.id));
        store.remember(statement("kit", Scope::Global, "another's")).await.unwrap();
        say(store, "hello").await;
        store.accept(said("terminal:other", &n.to_string(), "elsewhere", NOW)).await.unwrap();
    }
    let brief = NewMemory { expires_at: Some(later(60)), ..statement("ada", Scope::Global, "brief") };
    store.remember(brief).await.unwrap();
    let vector = NewVector { item: expected[1], version: 1, vector: vec![0.5; 4] };
    store.put_vectors(&space, vec![vector]).await.unwrap();

    let (mut loaded, mut after) = (Vec::new(), None);
    loop {
        let place = anywhere("ada");
        let page = store.load(&place, Some(&space), after, 3, later(60)).await.unwrap();
        after = page.last().map(|entry| entry.item);
        if page.is_empty() {
            break;
        }
        loaded.extend(page);
    }
    assert_eq!(loaded.iter().map(|entry| entry.item).collect::<Vec<_>>(), expected);
    assert_eq!(loaded[1].vector, Some(vec![0.5; 4]));
    assert_eq!(
        store.before_newest(&anywhere("ada"), 3).await.unwrap(),
        Some(expected[4]),
        "with the brief one"
    );
    assert_eq!(store.before_newest(&anywhere("ada"), 8).await.unwrap(), None);
    assert_eq!(whole(store, &anywhere("ada"), &space).await.len(), 8);
    assert_eq!(whole(store, &here(), &space).await.len(), 7);
    assert_eq!(whole(store, &Place::Messages(channel("terminal:empty")), &space).await, []);
}

/// Only followers of its space get a vector (BD13).
pub async fn bd13_a_follower_gets_the_vectors_of_its_space_alone(store: &dyn Store) {
    let (old, new) = (space("m@1", 4), space("m@2", 2));
    let item = ItemId::Message(say(store, "hello").await.id);
    let start = store.journal_end().await.unwrap();
    store.put_vectors(&old, vec![NewVector { item, version: 1, vector: vec![0.5; 4] }]).await.unwrap();
    store.put_vectors(&new, vec![NewVector { item, version: 1, vector: vec![1.0, 0.0] }]).await.unwrap();
    for (space, vector) in [(&old, vec![0.5; 4]), (&new, vec![1.0, 0.0])] {
        let told = rows(store, Some(space), start, 10).await;
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].now.as_ref().unwrap().vector, Some(vector.clone()));
        assert_eq!(whole(store, &here(), space).await[0].vector, Some(vector));
    }
    assert_eq!(store.load(&here(), None, None, 9, NOW).await.unwrap()[0].vector, None);
}

/// Items are returned in the given order, once per mention, and only those that the viewer sees now.
pub async fn x6_items_are_given_as_far_as_they_are_seen(store: &dyn Store) {
    let message = ItemId::Message(say(store, "hello").await.id);
    let away = said("terminal:other", "e", "elsewhere", NOW);
    let away = ItemId::Message(store.accept(away).await.unwrap().message.id);
    let mine = ItemId::Memory(know(store, "mine").await.id);
    let brief = NewMemory { expires_at: Some(later(60)), ..statement("ada", Scope::Global, "brief") };
    let brief = ItemId::Memory(store.remember(brief).await.unwrap().id);
    let others = store.remember(statement("kit", Scope::Global, "another's")).await.unwrap();
    let foreign = store.remember(statement("ada", about("terminal:kit"), "about kit")).await.unwrap();
    let ids = [brief, message, ItemId::Memory(others.id), away, mine, ItemId::Memory(foreign.id)];
    let given = |items: Vec<crate::Item>| items.iter().map(crate::Item::id).collect::<Vec<_>>();
    let items = store.items(&ada(), &ids, NOW, false).await.unwrap().items;
    assert_eq!(given(items), [brief, message, mine]);
    let items = store.items(&ada(), &ids, later(60), true).await.unwrap().items;
    assert_eq!(given(items), [mine], "expired, and not witnessed");
}

/// Each author once, in the order of their first messages there.
pub async fn fg1_participants_are_those_who_spoke(store: &dyn Store) {
    let here = channel("terminal:default");
    assert_eq!(store.participants(&here).await.unwrap(), []);
    let message = say(store, "hello").await;
    say(store, "hello again").await;
    let turn = running(store, &message).await;
    store.commit_turn(turn, reply("hi")).await.unwrap();
    let namesake = Author::User { id: "another".parse().unwrap(), name: "Bo".into() };
    let theirs = said("terminal:default", "e2", "me too", NOW);
    store.accept(Message { author: namesake.clone(), ..theirs }).await.unwrap();
    let ada = Author::Persona { name: persona("ada") };
    assert_eq!(store.participants(&here).await.unwrap(), [message.author, ada, namesake]);
}

/// A memory is forgotten in one scope and imported into another: the first place reports it as removed, the second has
/// it.
pub async fn fg1_a_memory_that_came_back_elsewhere_is_told_for_both_places(store: &dyn Store) {
    let memory = know(store, "moved").await;
    let start = store.journal_end().await.unwrap();
    let mut lines = store.export(None, None, 9).await.unwrap();
    store.forget(&ada(), memory.id).await.unwrap();
    lines[0].memory.scope = about("terminal:bo");
    store.import(lines).await.unwrap();
    let told = rows(store, None, start, 10).await;
    let told: Vec<_> = told.iter().map(|change| (&change.place, change.now.is_some())).collect();
    let there = Place::Memories(persona("ada"), about("terminal:bo"));
    assert_eq!(told, [(&anywhere("ada"), false), (&there, true)]);
}

/// One step of a random sequence of writes.
#[derive(Debug, Clone)]
enum Step {
    Say(bool),
    Remember(usize, bool),
    Embed,
    Forget(usize),
    Sweep,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        any::<bool>().prop_map(Step::Say),
        (0..6usize, any::<bool>()).prop_map(|(n, brief)| Step::Remember(n, brief)),
        Just(Step::Embed),
        (0..50usize).prop_map(Step::Forget),
        Just(Step::Sweep),
    ]
}

async fn take(store: &dyn Store, space: &VectorSpace, step: &Step, n: usize) {
    match step {
        Step::Say(there) => {
            let key = if *there { "terminal:other" } else { "terminal:default" };
            store.accept(said(key, &n.to_string(), &format!("said {n}"), NOW)).await.unwrap();
        }
        Step::Remember(key, brief) => {
            let new = NewMemory {
                key: (*key > 2).then(|| format!("key_{key}")),
                expires_at: brief.then(|| later(60)),
                ..statement(
                    if n.is_multiple_of(3) { "kit" } else { "ada" },
                    Scope::Global,
                    &format!("text {n}"),
                )
            };
            store.remember(new).await.unwrap();
        }
        Step::Embed => {
            let waiting = store.unembedded(space, None, 3).await.unwrap();
            let vector = |n: usize| vec![1.0, n as f32, 0.0, 0.0];
            let new = |(i, w): (usize, &crate::Unembedded)| NewVector {
                item: w.item,
                version: w.version,
                vector: vector(n + i),
            };
            store.put_vectors(space, waiting.iter().enumerate().map(new).collect()).await.unwrap();
        }
        Step::Forget(n) => {
            let live = store.memories(&ada(), &all()).await.unwrap();
            if let Some(memory) = live.get(*n % live.len().max(1)) {
                store.forget(&ada(), memory.id).await.unwrap();
            }
        }
        Step::Sweep => {
            store.sweep(later(60)).await.unwrap();
        }
    }
}

/// A reader that loads at any moment and then follows the journal in pages of any size ends with the same content as a
/// reader that loads at the end.
pub async fn fg1_following_the_journal_equals_loading_anew(store: &dyn Store) {
    let space = space("m@1", 4);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let steps = vec(step(), 150).new_tree(&mut runner).unwrap().current();
    let places = [here(), Place::Messages(channel("terminal:other")), anywhere("ada"), anywhere("kit")];
    // each follower has its position, and its content of each place
    let mut followers: Vec<(i64, [BTreeMap<ItemId, Entry>; 4])> = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        if n % 10 == 0 {
            let at = store.journal_end().await.unwrap();
            let mut held: [BTreeMap<ItemId, Entry>; 4] = Default::default();
            for (place, held) in places.iter().zip(&mut held) {
                held.extend(whole(store, place, &space).await.into_iter().map(|entry| (entry.item, entry)));
            }
            followers.push((at, held));
        }
        take(store, &space, step, n).await;
        for (n, (at, held)) in followers.iter_mut().enumerate().filter(|(i, _)| (i + n) % 4 == 0) {
            follow(store, &space, &places, at, held, n % 3 + 1).await;
        }
    }
    for (at, held) in &mut followers {
        follow(store, &space, &places, at, held, 5).await;
        for (place, held) in places.iter().zip(held) {
            let anew = whole(store, place, &space).await;
            assert_eq!(held.values().cloned().collect::<Vec<_>>(), anew);
        }
    }
    assert!(!vectors(store, &everywhere(), &space).await.is_empty());
}

async fn follow(
    store: &dyn Store,
    space: &VectorSpace,
    places: &[Place; 4],
    at: &mut i64,
    held: &mut [BTreeMap<ItemId, Entry>; 4],
    limit: usize,
) {
    loop {
        let told = rows(store, Some(space), *at, limit).await;
        let all = told.len() < limit;
        for change in told {
            assert!(change.seq > *at, "the journal's numbers grow");
            *at = change.seq;
            let place = places.iter().position(|place| *place == change.place).unwrap();
            match change.now {
                Some(entry) => held[place].insert(change.item, entry),
                None => held[place].remove(&change.item),
            };
        }
        if all {
            return;
        }
    }
}
