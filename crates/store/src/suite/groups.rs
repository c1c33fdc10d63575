//! Which channels are groups, and what a group hides (MP1).

use greenroom_core::{Memory, MessageId, Scope};

use super::{given::*, turns::receipt};
use crate::{Accepted, ItemId, MemoryEdit, MemoryFilter, Plan, Sources, Store, StoreError, TurnCommit};

const BO: &str = "discord:bo";

fn private(person: &str) -> Scope {
    Scope::Private(person.parse().unwrap())
}

async fn accepted(store: &dyn Store, who: &str, key: &str, event: &str, plan: Plan) -> Accepted {
    store.accept_planned(said_by(who, key, event, "hello", NOW), plan).await.unwrap()
}

async fn since(store: &dyn Store, key: &str) -> Option<MessageId> {
    store.group_since(&channel(key)).await.unwrap()
}

async fn listed(store: &dyn Store, key: &str) -> Vec<Memory> {
    let viewer = viewer("ada", key, Some("bo")).one_to_one();
    store.memories(&viewer, &all()).await.unwrap()
}

/// The message of the second person sets the mark, in every thread of the chat.
pub async fn mp1_a_channel_is_a_group_from_the_second_person_on(store: &dyn Store) {
    let plan = Plan::default;
    for (event, key) in [("1", "discord:42"), ("2", "discord:42:7"), ("3", "discord:42")] {
        assert!(
            !accepted(store, "bo", key, event, plan()).await.group,
            "one person, whatever they are called"
        );
    }
    let reply = vec![planned("ada")];
    assert!(!accepted(store, "bo", "discord:42", "4", reply.into()).await.group, "personas make no group");
    let second = accepted(store, "cy", "discord:42:7", "5", plan()).await;
    assert!(second.group);
    let threads = ["discord:42", "discord:42:7", "discord:42:8"];
    for thread in threads {
        assert_eq!(since(store, thread).await, Some(second.message.id), "{thread}");
    }
    assert_eq!(since(store, "irc:42").await, None, "another platform");
    assert_eq!(since(store, "discord:43").await, None, "another chat");
    let repeat = accepted(store, "bo", "discord:42", "1", plan()).await;
    assert!(repeat.duplicate && repeat.group);
    assert!(accepted(store, "bo", "discord:42:8", "6", plan()).await.group, "a thread that is new");
}

/// This also works for a message that is already stored.
pub async fn mp1_a_platform_may_say_that_a_channel_is_a_group(store: &dyn Store) {
    let group = || Plan { group: true, ..Plan::default() };
    let said = accepted(store, "bo", "discord:42", "1", group()).await;
    assert_eq!((said.group, since(store, "discord:42").await), (true, Some(said.message.id)));
    let later = accepted(store, "bo", "discord:42", "2", Plan::default()).await;
    assert!(later.group, "what is known once stays");
    assert_eq!(since(store, "discord:42").await, Some(said.message.id));
    let stored = store.accept(said_by("bo", "discord:43", "1", "hello", NOW)).await.unwrap().message;
    store.plan_turns(stored.id, group()).await.unwrap();
    assert_eq!(since(store, "discord:43").await, Some(stored.id));
}

/// A new thread is a group since the message that made its chat one, and nothing counts as erased a second time.
pub async fn mp1_a_new_thread_of_a_group_does_not_make_it_one_again(store: &dyn Store) {
    let group = || Plan { group: true, ..Plan::default() };
    store.remember(statement("ada", private(BO), "I am allergic to nuts")).await.unwrap();
    let first = accepted(store, "bo", "discord:42", "1", group()).await;
    let turn = running(store, &first.message).await;
    store.commit_turn(turn, reply("hello")).await.unwrap();
    let thread = accepted(store, "cy", "discord:42:7", "2", group()).await;
    assert_eq!((thread.group, thread.erased), (true, first.erased));
    assert_eq!(since(store, "discord:42:7").await, Some(first.message.id));
}

/// This holds even for a viewer that was made before the channel became a group.
pub async fn mp1_a_group_shows_nothing_private(store: &dyn Store) {
    let told = store.remember(statement("ada", private(BO), "I am allergic to nuts")).await.unwrap();
    let open = store.remember(statement("ada", about(BO), "I like tea")).await.unwrap();
    accepted(store, "bo", "discord:42", "1", Plan::default()).await;
    assert_eq!(ids(&listed(store, "discord:42").await), ids(&[open.clone(), told.clone()]));
    accepted(store, "cy", "discord:42", "2", Plan::default()).await;
    let viewer = viewer("ada", "discord:42", Some("bo")).one_to_one();
    assert_eq!(listed(store, "discord:42").await, [open]);
    let items = store.items(&viewer, &[ItemId::Memory(told.id)], NOW, false).await.unwrap();
    assert_eq!(items.items, []);
    let edit = MemoryEdit { private: Some(false), ..nothing() };
    assert_eq!(store.edit(&viewer, told.id, edit).await.unwrap(), None);
    assert_eq!(store.forget(&viewer, told.id).await.unwrap(), None);
    assert_eq!(store.count_memories(&viewer, NOW, 10).await.unwrap(), 1);
    assert_eq!(listed(store, "discord:bo").await.len(), 2, "elsewhere it is as before");
}

/// A turn that began before saw something that the newcomer must not learn: its reply is not stored, and the receipts
/// of the private conversation are deleted.
pub async fn mp1_a_turn_that_was_shown_something_private_does_not_reply_to_a_group(store: &dyn Store) {
    let told =
        store.remember(statement("ada", private("terminal:bo"), "I am allergic to nuts")).await.unwrap();
    let earlier = say(store, "hello").await;
    let answered = running(store, &earlier).await;
    let receipt =
        TurnCommit { receipt: Some(receipt(&told.id.to_string(), "nuts").into()), ..reply("hello, Bo") };
    store.commit_turn(answered, receipt).await.unwrap();
    assert!(store.turn(answered).await.unwrap().unwrap().receipt.is_some());
    let asked = say(store, "what may I eat?").await;
    let turn = running(store, &asked).await;
    let before = store.erased_since(0).await.unwrap().end;
    let sources = Sources { erased: before, items: vec![ItemId::Memory(told.id)], summary_of: None };
    let came = store.accept(said_by("cy", "terminal:default", "cy", "hello", NOW)).await.unwrap();
    assert!(came.group && came.erased > before);
    let since = store.erased_since(before).await.unwrap();
    assert_eq!((since.channels, since.anywhere), (vec![channel("terminal:default")], false));
    let late = TurnCommit { sources, ..reply("no nuts") };
    assert!(matches!(store.commit_turn(turn, late).await, Err(StoreError::Erased(_))));
    store.commit_turn(turn, reply("I do not know")).await.unwrap();
    assert!(store.turn(answered).await.unwrap().unwrap().receipt.is_none());
}

/// The same for messages from another chat, which one row of erasures covers, and for linked accounts.
pub async fn mp1_a_turn_that_was_shown_another_chat_does_not_reply_to_a_group(store: &dyn Store) {
    let elsewhere = said_by("bo", "terminal:two", "e1", "the key is under the fern", NOW);
    let elsewhere = store.accept(elsewhere).await.unwrap().message;
    let linked: greenroom_core::UserRef = "irc:bo".parse().unwrap();
    store.link(&"terminal:bo".parse().unwrap(), &linked).await.unwrap();
    let told = store.remember(statement("ada", Scope::Private(linked), "I like nuts")).await.unwrap();
    let asked = say(store, "where is the key?").await;
    let turn = running(store, &asked).await;
    let before = store.erased_since(0).await.unwrap().end;
    let made_of = |items| Sources { erased: before, items, summary_of: None };
    let came = store.accept(said_by("cy", "terminal:default", "cy", "hello", NOW)).await.unwrap();
    assert!(came.erased > before, "nobody is shown what was made before");
    for shown in [ItemId::Message(elsewhere.id), ItemId::Memory(told.id)] {
        let sources = made_of(vec![ItemId::Message(asked.id), shown]);
        let late = TurnCommit { sources, ..reply("under the fern") };
        assert!(matches!(store.commit_turn(turn, late).await, Err(StoreError::Erased(_))), "{shown}");
    }
    let of_its_own = made_of(vec![ItemId::Message(asked.id)]);
    store.commit_turn(turn, TurnCommit { sources: of_its_own, ..reply("I do not know") }).await.unwrap();
}

/// Another person sees nothing private, and neither does a viewer that does not state that nobody else listens.
pub async fn mp1_what_is_private_is_seen_one_to_one_by_its_person(store: &dyn Store) {
    let told = store.remember(statement("ada", private(BO), "I am allergic to nuts")).await.unwrap();
    let alone = |name, id| viewer(name, "discord:bo", id).one_to_one();
    assert_eq!(store.memories(&alone("ada", Some("bo")), &all()).await.unwrap(), [told]);
    let elsewhere = viewer("ada", "irc:bo", Some("bo")).one_to_one();
    let others = [alone("ada", Some("cy")), alone("ada", None), alone("kit", Some("bo")), elsewhere];
    for stranger in others.into_iter().chain([viewer("ada", "discord:bo", Some("bo"))]) {
        assert_eq!(store.memories(&stranger, &all()).await.unwrap(), [], "{stranger:?}");
    }
}

/// The memory changes its scope and keeps its id, its vectors and its relations, and the journal records it.
pub async fn mp1_a_person_lets_the_others_know_and_takes_it_back(store: &dyn Store) {
    let told = store
        .remember(crate::NewMemory {
            key: Some("nuts".into()),
            ..statement("ada", private(BO), "I am allergic to nuts")
        })
        .await
        .unwrap();
    let alone = viewer("ada", "discord:bo", Some("bo")).one_to_one();
    let group = viewer("ada", "discord:42", Some("bo"));
    let open = MemoryEdit { private: Some(false), ..nothing() };
    let edited = store.edit(&alone, told.id, open.clone()).await.unwrap().unwrap();
    assert_eq!((edited.id, &edited.scope, edited.version), (told.id, &about(BO), 2));
    assert_eq!(edited.key.as_deref(), Some("nuts"));
    assert_eq!(store.memories(&group, &all()).await.unwrap(), [edited]);
    let hide = MemoryEdit { private: Some(true), ..nothing() };
    let hidden = store.edit(&alone, told.id, hide.clone()).await.unwrap().unwrap();
    assert_eq!(hidden.scope, private(BO));
    assert_eq!(store.memories(&group, &all()).await.unwrap(), []);

    // where the key is taken, the memory loses it
    let taken = crate::NewMemory { key: Some("nuts".into()), ..statement("ada", about(BO), "nuts are fine") };
    store.remember(taken).await.unwrap();
    assert_eq!(store.edit(&alone, told.id, open.clone()).await.unwrap().unwrap().key, None);

    // only for a memory that holds with a person
    let here = store.remember(statement("ada", Scope::Channel(channel("discord:bo")), "here")).await.unwrap();
    assert_eq!(store.edit(&alone, here.id, hide).await.unwrap().unwrap().scope, here.scope);
}

fn nothing() -> MemoryEdit {
    MemoryEdit {
        text: None,
        kind: None,
        expires_at: None,
        private: None,
        trust: greenroom_core::Trust::Operator,
        at: later(1),
    }
}

/// A filter by scope can name `private`, and a person's profile contains private memories.
pub async fn mp1_what_is_private_is_listed_by_its_name(store: &dyn Store) {
    store.remember(statement("ada", about(BO), "I like tea")).await.unwrap();
    let told = store.remember(statement("ada", private(BO), "I am allergic to nuts")).await.unwrap();
    let alone = viewer("ada", "discord:bo", Some("bo")).one_to_one();
    let named = MemoryFilter { scopes: vec!["private"], ..all() };
    assert_eq!(store.memories(&alone, &named).await.unwrap(), [told]);
    let profile = MemoryFilter { about: Some(user("bo")), ..all() };
    assert_eq!(store.memories(&alone, &profile).await.unwrap().len(), 2);
}
