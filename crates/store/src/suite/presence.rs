//! The witness rule: a persona finds what it was present for (GR2).

use std::slice;

use greenroom_core::{Message, MessageId};

use super::given::*;
use crate::{AskedPast, ItemId, Presence, Store};

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
    store.enter(&ada, &here, id(3)).await.unwrap();
    let third = Presence { from: id(9), until: None };
    assert_eq!(store.presence(&ada, &here).await.unwrap(), [first, third], "not before the last one ended");
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

/// The messages, by their numbers, that Ada is shown.
async fn shown(store: &dyn Store, messages: &[Message], witnessed: bool) -> Vec<usize> {
    let ids: Vec<_> = messages.iter().map(|message| ItemId::Message(message.id)).collect();
    let items = store.items(&ada(), &ids, NOW, witnessed).await.unwrap().items;
    items.iter().map(|item| ids.iter().position(|id| *id == item.id()).unwrap()).collect()
}

/// Six messages, a second apart.
async fn six(store: &dyn Store) -> Vec<Message> {
    let mut messages = Vec::new();
    for n in 0..6 {
        let message = said("terminal:default", &n.to_string(), "a cup of tea", later(n));
        messages.push(store.accept(message).await.unwrap().message);
    }
    messages
}

/// Nothing from before it came, while it was away, or of a place it never was in.
pub async fn gr2_what_was_not_witnessed_is_not_found(store: &dyn Store) {
    let messages = six(store).await;
    assert_eq!(shown(store, &messages, true).await, [0; 0]);
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    store.enter(&ada, &here, messages[1].id).await.unwrap();
    store.leave(&ada, &here, messages[3].id).await.unwrap();
    store.enter(&ada, &here, messages[5].id).await.unwrap();
    store.enter(&persona("kit"), &here, messages[0].id).await.unwrap();
    assert_eq!(shown(store, &messages, true).await, [1, 2, 5]);
    assert_eq!(shown(store, &messages, false).await, [0, 1, 2, 3, 4, 5]);
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
