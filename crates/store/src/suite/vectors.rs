//! Vectors: which are stored, which are refused, and which texts wait for one.

use greenroom_core::{Memory, MemoryId, MessageId, Scope};

use super::given::*;
use crate::{ItemId, NewMemory, NewVector, Place, Store, StoreError, VectorSpace};

/// Their length is exactly 1, so they are returned unchanged.
const ALONG: [f32; 4] = [1.0, 0.0, 0.0, 0.0];
const HALF: [f32; 4] = [0.5, 0.5, 0.5, 0.5];
const ACROSS: [f32; 4] = [0.0, 1.0, 0.0, 0.0];

fn of(memory: &Memory, vector: &[f32]) -> NewVector {
    NewVector { item: ItemId::Memory(memory.id), version: memory.version, vector: vector.to_vec() }
}

/// Vectors of another model or another dimension are never mixed (BD13): an item has a vector in each space, and a
/// reader gets those of the space it asks for.
pub async fn l19_vectors_of_two_spaces_are_never_compared(store: &dyn Store) {
    let (old, new) = (space("m@1", 4), space("m@2", 4));
    let (one, other) = (know(store, "one").await, know(store, "other").await);
    store.put_vectors(&old, vec![of(&one, &ALONG), of(&other, &ACROSS)]).await.unwrap();
    assert_eq!(vectors(store, &everywhere(), &new).await, []);
    store.put_vectors(&new, vec![of(&other, &HALF)]).await.unwrap();
    let (one, other) = (ItemId::Memory(one.id), ItemId::Memory(other.id));
    assert_eq!(vectors(store, &everywhere(), &new).await, [(other, HALF.to_vec())]);
    let both = [(one, ALONG.to_vec()), (other, ACROSS.to_vec())];
    assert_eq!(vectors(store, &everywhere(), &old).await, both, "the old vectors still serve");
    assert_eq!(vectors(store, &everywhere(), &space("m@1", 2)).await, []);
    assert_eq!(store.spaces().await.unwrap(), [old.clone(), new.clone()]);
    assert_eq!(store.health().await.unwrap().vectors, [(old, 2), (new, 1)]);
}

/// A vector that is zero, not finite or too short: the text stays and waits for its vector, and no vector of the batch
/// is stored.
pub async fn l18_a_bad_vector_refuses_the_whole_batch(store: &dyn Store) {
    let space = space("m@1", 4);
    let (good, bad) = (know(store, "good").await, know(store, "bad").await);
    let nan = [f32::NAN, 0.0, 0.0, 0.0];
    let endless = [f32::INFINITY, 0.0, 0.0, 0.0];
    for vector in [&[0.0; 4][..], &nan, &endless, &[1.0, 0.0], &[]] {
        let refused = store.put_vectors(&space, vec![of(&good, &ALONG), of(&bad, vector)]).await;
        let Err(StoreError::BadVector { item, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(item, ItemId::Memory(bad.id));
    }
    assert_eq!(vectors(store, &everywhere(), &space).await, []);
    assert_eq!(store.unembedded(&space, None, 10).await.unwrap().len(), 2);
    assert_eq!(store.memories(&ada(), &all()).await.unwrap().len(), 2);
}

/// Memories, then messages, each in their order and page by page, until they have a vector in this space.
pub async fn l18_what_waits_for_its_vector_is_listed(store: &dyn Store) {
    let space = space("m@1", 4);
    let message = say(store, "hello").await;
    let new = NewMemory { at: later(1), ..statement("ada", Scope::Global, "Bo says hello") };
    let memory = store.remember(new).await.unwrap();
    let waiting = store.unembedded(&space, None, 10).await.unwrap();
    let (first, second) = (ItemId::Memory(memory.id), ItemId::Message(message.id));
    let listed: Vec<_> = waiting.iter().map(|w| (w.item, w.text.as_str(), w.version)).collect();
    assert_eq!(listed, [(first, "Bo says hello", 1), (second, "hello", 1)]);
    assert_eq!(store.unembedded(&space, None, 1).await.unwrap(), waiting[..1]);
    assert_eq!(store.unembedded(&space, Some(first), 1).await.unwrap(), waiting[1..]);
    assert_eq!(store.unembedded(&space, Some(second), 1).await.unwrap(), []);

    let vectors =
        waiting.iter().map(|w| NewVector { item: w.item, version: w.version, vector: HALF.to_vec() });
    store.put_vectors(&space, vectors.collect()).await.unwrap();
    assert_eq!(store.unembedded(&space, None, 10).await.unwrap(), []);
    let other = VectorSpace { model: "m@2".into(), ..space };
    assert_eq!(store.unembedded(&other, None, 10).await.unwrap(), waiting);
    say(store, "and another").await;
    assert_eq!(store.unembedded(&space, None, 10).await.unwrap().len(), 1);
}

/// No vector is stored, an existing vector stays, and so does everything else.
pub async fn fg2_a_text_without_content_is_passed_over_until_it_changes(store: &dyn Store) {
    let space = space("m@1", 4);
    let keyed = |text| NewMemory { key: Some("k".into()), ..statement("ada", Scope::Global, text) };
    let memory = store.remember(keyed("👍")).await.unwrap();
    let message = ItemId::Message(say(store, "👍").await.id);
    let (good, gone) = (know(store, "good").await, ItemId::Memory(MemoryId(9999)));
    store.put_vectors(&space, vec![of(&good, &ALONG)]).await.unwrap();
    let item = ItemId::Memory(memory.id);
    let passed = vec![(item, 1), (message, 1), (ItemId::Memory(good.id), 1), (gone, 1)];
    let end = store.journal_end().await.unwrap();
    store.pass_over(&space, passed).await.unwrap();
    assert_eq!(store.journal_end().await.unwrap(), end, "an index learns nothing from it");

    assert_eq!(store.unembedded(&space, None, 10).await.unwrap(), []);
    assert_eq!(vectors(store, &everywhere(), &space).await.len(), 1, "the good one alone");
    let here = Place::Messages(channel("terminal:default"));
    assert_eq!(vectors(store, &here, &space).await, []);
    assert_eq!(store.health().await.unwrap().vectors, [(space.clone(), 1)]);
    let other = VectorSpace { model: "m@2".into(), ..space.clone() };
    assert_eq!(store.unembedded(&other, None, 10).await.unwrap().len(), 3, "another model may know more");

    let changed = store.remember(keyed("👍 is yes")).await.unwrap();
    store.pass_over(&space, vec![(item, 1)]).await.unwrap();
    assert_eq!(store.unembedded(&space, None, 10).await.unwrap()[0].version, 2);
    store.pass_over(&space, vec![(item, 2)]).await.unwrap();
    store.put_vectors(&space, vec![of(&changed, &HALF)]).await.unwrap();
    assert_eq!(vectors(store, &everywhere(), &space).await.len(), 2, "a vector after all");
    assert_eq!(store.forget(&ada(), changed.id).await.unwrap().unwrap().vectors, 1);
}

/// A vector that was computed while its text changed or was erased would be wrong.
pub async fn l18_vectors_of_changed_texts_are_passed_over(store: &dyn Store) {
    let space = space("m@1", 4);
    let keyed = |text| NewMemory { key: Some("k".into()), ..statement("ada", Scope::Global, text) };
    let before = store.remember(keyed("before")).await.unwrap();
    let after = store.remember(keyed("after")).await.unwrap();
    let gone = know(store, "gone").await;
    store.forget(&ada(), gone.id).await.unwrap();
    let kept = know(store, "kept").await;
    let unknown = [ItemId::Message(MessageId(9999)), ItemId::Memory(MemoryId(9999))];
    let mut batch = vec![of(&before, &ALONG), of(&gone, &ALONG), of(&kept, &HALF)];
    batch.extend(unknown.map(|item| NewVector { item, version: 1, vector: ALONG.to_vec() }));
    store.put_vectors(&space, batch).await.unwrap();

    assert_eq!(vectors(store, &everywhere(), &space).await, [(ItemId::Memory(kept.id), HALF.to_vec())]);
    assert_eq!(store.unembedded(&space, None, 10).await.unwrap()[0].item, ItemId::Memory(after.id));
    store.put_vectors(&space, vec![of(&after, &ALONG), of(&kept, &ALONG)]).await.unwrap();
    assert_eq!(vectors(store, &everywhere(), &space).await.len(), 2);
}

/// Holds from the moment of expiry on.
pub async fn as9_expired_memories_are_neither_loaded_nor_shown(store: &dyn Store) {
    let space = space("m@1", 4);
    let brief = NewMemory { expires_at: Some(later(60)), ..statement("ada", Scope::Global, "tea") };
    let brief = store.remember(brief).await.unwrap();
    store.put_vectors(&space, vec![of(&brief, &ALONG)]).await.unwrap();
    let ids = [ItemId::Memory(brief.id)];
    for (seconds, there) in [(59, 1), (60, 0)] {
        let now = later(seconds);
        let loaded = store.load(&everywhere(), Some(&space), None, 9, now).await.unwrap();
        let shown = store.items(&ada(), &ids, now, false).await.unwrap().items;
        assert_eq!((loaded.len(), shown.len()), (there, there));
    }
}

/// If only personas without memory answer, no text waits for an embedder.
pub async fn fg17_what_waits_is_listed_for_those_who_may_recall_it(store: &dyn Store) {
    let space = space("m@1", 4);
    let message = say(store, "one").await;
    running(store, &message).await;
    let memory = know(store, "two").await;
    let waiting = async |of: &[&str]| -> Vec<ItemId> {
        let of: Vec<_> = of.iter().map(|name| persona(name)).collect();
        let waiting = store.unembedded_of(&space, &of, None, 9).await.unwrap();
        waiting.into_iter().map(|waiting| waiting.item).collect()
    };
    let both = [ItemId::Memory(memory.id), ItemId::Message(message.id)];
    assert_eq!(waiting(&["kit", "ada"]).await, both);
    store.enter(&persona("kit"), &channel("terminal:default"), message.id).await.unwrap();
    assert_eq!(waiting(&["kit"]).await, [], "kit listens and does not answer");
    assert_eq!(waiting(&[]).await, []);
}

/// Reads only recently written texts: older ones are not examined, even if they wait.
pub async fn l18_what_waits_of_what_was_written_since_is_listed(store: &dyn Store) {
    let space = space("m@1", 4);
    let keyed = |text| NewMemory { key: Some("k".into()), ..statement("ada", Scope::Global, text) };
    let old = store.remember(keyed("before")).await.unwrap();
    store.put_vectors(&space, vec![of(&old, &HALF)]).await.unwrap();
    know(store, "old and waiting").await;
    say(store, "old, too").await;
    let since = store.journal_end().await.unwrap();
    let news = async |after, limit| {
        let news = store.unembedded_since(&space, None, since, after, limit).await.unwrap().unwrap();
        assert_eq!(news.end, store.journal_end().await.unwrap());
        news.texts
    };
    assert_eq!(news(None, 9).await, []);

    let message = say(store, "hello").await;
    let memory = know(store, "new").await;
    let gone = know(store, "gone").await;
    store.forget(&ada(), gone.id).await.unwrap();
    store.remember(keyed("after")).await.unwrap();
    let items = [ItemId::Memory(old.id), ItemId::Memory(memory.id), ItemId::Message(message.id)];
    let waiting = news(None, 9).await;
    assert_eq!(waiting.iter().map(|waiting| waiting.item).collect::<Vec<_>>(), items);
    assert_eq!((waiting[0].text.as_str(), waiting[0].version), ("after", 2), "one that was edited");
    let all = store.unembedded(&space, None, 9).await.unwrap();
    assert!(waiting.iter().all(|waiting| all.contains(waiting)), "told alike");
    assert_eq!(news(None, 1).await, waiting[..1]);
    assert_eq!(news(Some(items[0]), 1).await, waiting[1..2]);
    assert_eq!(news(Some(items[1]), 9).await, waiting[2..]);
    assert_eq!(news(Some(items[2]), 9).await, []);

    store.put_vectors(&space, vec![of(&memory, &HALF)]).await.unwrap();
    store.pass_over(&space, vec![(items[2], 1)]).await.unwrap();
    assert_eq!(news(None, 9).await, waiting[..1]);
    let end = store.journal_end().await.unwrap();
    assert_eq!(store.unembedded_since(&space, None, end + 1, None, 9).await.unwrap(), None, "another file");
}

/// A message waits only for personas that may recall it; that may begin long after it was said.
pub async fn fg17_what_waits_since_is_listed_when_somebody_comes_to_recall_it(store: &dyn Store) {
    let space = space("m@1", 4);
    let said = [say(store, "one").await, say(store, "two").await];
    store.remember(statement("kit", Scope::Global, "another's")).await.unwrap();
    let memory = know(store, "three").await;
    let both = [persona("ada"), persona("bob")];
    let news = async |of: &[_], since| -> Vec<ItemId> {
        let news = store.unembedded_since(&space, Some(of), since, None, 9).await.unwrap().unwrap();
        news.texts.into_iter().map(|waiting| waiting.item).collect()
    };
    assert_eq!(news(&both, 0).await, [ItemId::Memory(memory.id)], "nobody has answered yet");
    let since = store.journal_end().await.unwrap();
    store.enter(&persona("bob"), &channel("terminal:default"), said[0].id).await.unwrap();
    assert_eq!(news(&both, since).await, [], "bob listens and does not answer");
    running(store, &said[1]).await;
    let messages = said.map(|message| ItemId::Message(message.id));
    assert_eq!(news(&both, since).await, messages, "what was said before is ada's to recall as well");
    assert_eq!(news(&both[1..], since).await, []);
    let since = store.journal_end().await.unwrap();
    let third = say(store, "four").await;
    running(store, &third).await;
    assert_eq!(news(&both, since).await, [ItemId::Message(third.id)], "she has answered here before");
}
