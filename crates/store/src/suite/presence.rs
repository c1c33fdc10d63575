//! The witness rule: a persona finds what it was present for (GR2).

use std::slice;

use greenroom_core::{Message, MessageId};

use super::given::*;
use crate::{AskedPast, ItemId, ItemKind, NewVector, Presence, Search, Store};

const ALONG: [f32; 4] = [1.0, 0.0, 0.0, 0.0];

/// Stretches are opened and closed in turn; saying so twice changes nothing.
pub async fn gr2_presence_is_a_row_of_stretches(store: &dyn Store) {
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    let id = MessageId;
    assert_eq!(store.presence(&ada, &here).await.unwrap(), []);
    store.leave(&ada, &here, id(3)).await.unwrap();
    store.enter(&ada, &here, id(5)).await.unwrap();
    store.enter(&ada, &here, id(7)).await.unwrap();
    let open = Presence { from: id(5), until: None };
    assert_eq!(store.presence(&ada, &here).await.unwrap(), [open]);
    assert_eq!(store.present(&here).await.unwrap(), std::slice::from_ref(&ada));

    store.leave(&ada, &here, id(9)).await.unwrap();
    store.leave(&ada, &here, id(12)).await.unwrap();
    assert_eq!(store.present(&here).await.unwrap(), []);
    let first = Presence { from: id(5), until: Some(id(9)) };
    assert_eq!(store.presence(&ada, &here).await.unwrap(), [first]);
    store.enter(&ada, &here, id(20)).await.unwrap();
    let second = Presence { from: id(20), until: None };
    assert_eq!(store.presence(&ada, &here).await.unwrap(), [first, second]);
    store.leave(&ada, &here, id(20)).await.unwrap();
    assert_eq!(store.presence(&ada, &here).await.unwrap(), [first], "nothing was heard in the second");
    assert_eq!(store.presence(&persona("kit"), &here).await.unwrap(), []);
    assert_eq!(store.presence(&ada, &channel("terminal:other")).await.unwrap(), []);
}

/// Between two messages: what is said later is heard by those who came, and not by those who went.
pub async fn gr2_who_comes_or_goes_between_two_messages_does_so_at_that_moment(store: &dyn Store) {
    let (ada, kit, here) = (persona("ada"), persona("kit"), channel("terminal:default"));
    store.attend(&here, slice::from_ref(&ada), slice::from_ref(&kit)).await.unwrap();
    assert_eq!(store.channels(None, None, 9).await.unwrap(), [], "nobody ever spoke there");
    let first = say(store, "first").await;
    store.enter(&ada, &here, first.id).await.unwrap();
    // said elsewhere: numbers grow over all channels
    store.accept(said("terminal:other", "x", "elsewhere", NOW)).await.unwrap();
    store.attend(&here, slice::from_ref(&kit), slice::from_ref(&ada)).await.unwrap();
    let second = say(store, "second").await;
    store.attend(&here, &[ada.clone(), kit.clone()], &[]).await.unwrap();
    store.attend(&here, &[], &[kit.clone(), persona("wick")]).await.unwrap();
    let third = say(store, "third").await;
    for (who, heard) in [(ada, [first.id, third.id].as_slice()), (kit, &[second.id])] {
        let stretches = store.presence(&who, &here).await.unwrap();
        let hears =
            |id: &MessageId| stretches.iter().any(|s| s.from <= *id && s.until.is_none_or(|u| *id < u));
        let ids: Vec<_> = [first.id, second.id, third.id].into_iter().filter(hears).collect();
        assert_eq!(ids, heard, "{who}: {stretches:?}");
    }
}

/// Who answers is there from the message on that is answered.
pub async fn gr2_who_answers_is_present(store: &dyn Store) {
    say(store, "before").await;
    let heard = say(store, "hello").await;
    running(store, &heard).await;
    let later = say(store, "more").await;
    store.plan_turns(later.id, vec![planned("ada"), planned("kit")].into()).await.unwrap();
    let here = channel("terminal:default");
    for (name, from) in [("ada", heard.id), ("kit", later.id)] {
        let stretch = Presence { from, until: None };
        assert_eq!(store.presence(&persona(name), &here).await.unwrap(), [stretch]);
    }
}

/// The messages, by their numbers, that Ada finds by meaning, by words and by id.
async fn found(store: &dyn Store, messages: &[Message], search: &Search) -> Vec<usize> {
    let nearest = store.nearest(&ada(), &space("m@1", 4), &ALONG, search).await.unwrap();
    let words = store.full_text(&ada(), "tea", search).await.unwrap();
    let ids: Vec<_> = messages.iter().map(|message| ItemId::Message(message.id)).collect();
    let numbers = |hits: Vec<ItemId>| {
        let mut numbers: Vec<_> =
            hits.iter().map(|hit| ids.iter().position(|id| id == hit).unwrap()).collect();
        numbers.sort_unstable();
        numbers
    };
    let by_meaning = numbers(nearest.iter().map(|hit| hit.item.id()).collect());
    assert_eq!(numbers(words.iter().map(|hit| hit.item.id()).collect()), by_meaning);
    if search.between.is_none() && search.newest.is_none() {
        let items =
            store.items(&ada(), &ids, NOW, search.witnessed, std::time::Instant::now()).await.unwrap().items;
        assert_eq!(numbers(items.iter().map(crate::Item::id).collect()), by_meaning);
    }
    by_meaning
}

/// Six messages about tea, a second apart, each with its vector.
async fn six(store: &dyn Store) -> Vec<Message> {
    let mut messages = Vec::new();
    for n in 0..6 {
        let message = said("terminal:default", &n.to_string(), "a cup of tea", later(n));
        messages.push(store.accept(message).await.unwrap().message);
    }
    let vector = |m: &Message| NewVector { item: ItemId::Message(m.id), version: 1, vector: ALONG.to_vec() };
    store.put_vectors(&space("m@1", 4), messages.iter().map(vector).collect()).await.unwrap();
    messages
}

/// Nothing from before it came, while it was away, or of a place it never was in.
pub async fn gr2_what_was_not_witnessed_is_not_found(store: &dyn Store) {
    let messages = six(store).await;
    let search = Search { witnessed: true, ..among(ItemKind::Message) };
    assert_eq!(found(store, &messages, &search).await, [0; 0]);
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    store.enter(&ada, &here, messages[1].id).await.unwrap();
    store.leave(&ada, &here, messages[3].id).await.unwrap();
    store.enter(&ada, &here, messages[5].id).await.unwrap();
    store.enter(&persona("kit"), &here, messages[0].id).await.unwrap();
    assert_eq!(found(store, &messages, &search).await, [1, 2, 5]);
    assert_eq!(found(store, &messages, &among(ItemKind::Message)).await, [0, 1, 2, 3, 4, 5]);
}

/// From the first moment on and before the second, among messages and memories.
pub async fn jv8_a_time_range_is_from_a_moment_until_before_another(store: &dyn Store) {
    let messages = six(store).await;
    let search = Search { between: Some((later(1), later(4))), ..among(ItemKind::Message) };
    assert_eq!(found(store, &messages, &search).await, [1, 2, 3]);
    for seconds in 0..6 {
        let new = statement("ada", greenroom_core::Scope::Global, "a cup of tea");
        store.remember(crate::NewMemory { at: later(seconds), ..new }).await.unwrap();
    }
    let search = Search { kind: ItemKind::Memory, ..search };
    let hits = store.full_text(&ada(), "tea", &search).await.unwrap();
    assert_eq!(hits.iter().map(|hit| hit.item.at()).collect::<Vec<_>>(), [later(3), later(2), later(1)]);
}

/// A bounded look is at the newest of each place, before the trigger.
pub async fn a_bounded_look_is_at_the_newest_of_each_place(store: &dyn Store) {
    let messages = six(store).await;
    for (newest, expected) in [(0, &[][..]), (2, &[3, 4]), (99, &[0, 1, 2, 3, 4])] {
        let search = among(ItemKind::Message);
        let search = Search { newest: Some(newest), before: Some(messages[5].id), ..search };
        assert_eq!(found(store, &messages, &search).await, expected);
    }
    let channel = || greenroom_core::Scope::Channel(channel("terminal:default"));
    for (n, scope) in [greenroom_core::Scope::Global, channel(), about("terminal:bo")].iter().enumerate() {
        for m in 0..3 {
            store.remember(statement("ada", scope.clone(), &format!("tea {n} {m}"))).await.unwrap();
        }
    }
    let search = Search { newest: Some(2), ..among(ItemKind::Memory) };
    let hits = store.full_text(&ada(), "tea", &search).await.unwrap();
    let mut texts: Vec<_> = hits.iter().map(|hit| hit.item.text()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["tea 0 1", "tea 0 2", "tea 1 1", "tea 1 2", "tea 2 1", "tea 2 2"]);
}

/// The limit counts what was heard: a long absence does not use it up.
pub async fn gr2_a_persona_knows_its_own_words_and_what_it_was_present_for(store: &dyn Store) {
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    let first = say(store, "one").await;
    let turn = running(store, &first).await;
    store.leave(&ada, &here, MessageId(first.id.0 + 1)).await.unwrap();
    store.commit_turn(turn, reply("a late answer")).await.unwrap();
    for n in 0..9 {
        say(store, &format!("missed {n}")).await;
    }
    let texts = async |limit| -> Vec<String> {
        let heard = store.past(&AskedPast { limit, ..past_of("ada") }).await.unwrap();
        heard.messages.iter().map(|message| message.text.clone()).collect()
    };
    assert_eq!(texts(5).await, ["one", "a late answer"]);
    assert_eq!(texts(1).await, ["a late answer"], "the newest");
    let oldest = store.unsummarised(&ada, &here, None, true, 1).await.unwrap();
    assert_eq!(oldest[0].text, "one");
    assert_eq!(store.unsummarised(&ada, &here, None, false, 99).await.unwrap().len(), 11);
    assert!(store.past(&past_of("kit")).await.unwrap().messages.is_empty());
    let everything = store.past(&AskedPast { heard: false, ..past_of("kit") }).await.unwrap();
    assert_eq!(everything.messages.len(), 11);
}
