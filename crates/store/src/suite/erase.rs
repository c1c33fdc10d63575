//! Forgetting at large: what goes, what stays, and the receipt (GR10, X15).

use greenroom_core::{Message, MessageId, PersonaName, Relation, RelationKind, Scope, Source, TurnId};

use super::{given::*, turns::receipt};
use crate::{
    Changes, Erase, Erased, HistorySummary, ItemId, MemoryFilter, NewMemory, NewVector, Presence, Store,
    StoreError, TurnCommit,
};

const CHAT: &str = "discord:42";

async fn hear(store: &dyn Store, who: &str, key: &str, text: &str, seconds: i64) -> Message {
    let event = format!("{who} {text}");
    store.accept(said_by(who, key, &event, text, later(seconds))).await.unwrap().message
}

/// A persona answers; the receipt shows an item.
async fn answer(
    store: &dyn Store,
    name: &str,
    to: MessageId,
    text: &str,
    shown: &str,
) -> (TurnId, MessageId) {
    let turn = planned(name);
    let id = turn.id;
    store.plan_turns(to, vec![turn].into()).await.unwrap();
    let receipt = Some(receipt(shown, "a preview"));
    (id, store.commit_turn(id, TurnCommit { receipt: receipt.map(Into::into), ..reply(text) }).await.unwrap())
}

fn learned(name: &str, scope: Scope, text: &str, message: Option<MessageId>) -> NewMemory {
    let source = Source { via: "tool".into(), message, user: Some(user("bo")) };
    NewMemory { source, ..statement(name, scope, text) }
}

fn in_chat() -> Scope {
    Scope::Channel(channel(CHAT))
}

async fn said_in(store: &dyn Store, key: &str) -> Vec<String> {
    let history = store.history(&channel(key), None, 99).await.unwrap();
    history.into_iter().map(|message| message.text).collect()
}

/// Everything a persona remembers, of whatever scope.
async fn remembered(store: &dyn Store, name: &str) -> Vec<String> {
    let memories = store.export(Some(&persona(name)), None, 99).await.unwrap();
    memories.into_iter().map(|exported| exported.memory.text).collect()
}

async fn summarise(store: &dyn Store, name: &PersonaName, key: &str, until: MessageId) {
    let summary = HistorySummary { until, text: "in short".into(), at: NOW };
    store.put_summary(name, &channel(key), summary).await.unwrap();
}

/// Bo and Kit talk in a chat where Ada and Max answer; Bo has a namesake on another platform.
pub async fn gr10_a_person_is_forgotten_with_all_that_hangs_on_them(store: &dyn Store) {
    let (ada, space) = (persona("ada"), space("m@1", 4));
    let first = hear(store, "bo", CHAT, "bo's first", 0).await;
    let (_, answered) = answer(store, "ada", first.id, "ada to bo", "system").await;
    answer(store, "max", answered, "max to ada", "system").await;
    let kits = hear(store, "kit", CHAT, "kit's", 5).await;
    let namesake = hear(store, "bo", "terminal:default", "another bo's", 0).await;

    let about_bo = store.remember(learned("ada", about("discord:bo"), "about bo", None)).await.unwrap();
    store.remember(learned("max", in_chat(), "bo told max", None)).await.unwrap();
    let derived = store.remember(learned("ada", Scope::Global, "derived", Some(first.id))).await.unwrap();
    let kept = store.remember(statement("ada", Scope::Global, "kept")).await.unwrap();
    let terminal = Scope::Channel(channel("terminal:default"));
    store.remember(learned("ada", terminal, "of another bo", Some(namesake.id))).await.unwrap();
    let sessions = store.sessions(&channel(CHAT)).await.unwrap();
    for session in &sessions {
        let key = Some(format!("session_{}_summary", session.id));
        let text = format!("a sitting of {}", session.user);
        store.remember(NewMemory { key, ..statement("ada", in_chat(), &text) }).await.unwrap();
    }
    let edge = Relation { from: kept.id, to: derived.id, kind: RelationKind::RelatesTo };
    store.relate(&viewer("ada", CHAT, None), edge).await.unwrap();
    let items = [ItemId::Message(first.id), ItemId::Memory(about_bo.id), ItemId::Memory(kept.id)];
    let vectors = items.map(|item| NewVector { item, version: 1, vector: vec![0.5; 4] });
    store.put_vectors(&space, vectors.to_vec()).await.unwrap();
    for key in [CHAT, "terminal:default"] {
        summarise(store, &ada, key, namesake.id).await;
    }
    // two replies to Kit, whose contexts held something of Bo's
    let (one, _) = answer(store, "ada", kits.id, "ada to kit", &format!("msg:{}", first.id.0)).await;
    let (two, _) = answer(store, "max", kits.id, "max to kit", &derived.id.to_string()).await;

    let bo = Erase::Person("discord:bo".parse().unwrap());
    let begin = store.journal_end().await.unwrap();
    let would = store.would_erase(&bo).await.unwrap();
    assert_eq!(store.journal_end().await.unwrap(), begin, "nothing is changed by asking");
    let receipt = store.erase(&bo).await.unwrap();
    assert_eq!(receipt, would);
    let expected = Erased {
        messages: 3,
        memories: 5,
        summaries: 1,
        vectors: 2,
        words: 8,
        relations: 1,
        outbox: 2,
        turns: 2,
        sessions: 1,
    };
    assert_eq!(receipt, expected);

    assert_eq!(said_in(store, CHAT).await, ["kit's", "ada to kit", "max to kit"]);
    assert_eq!(said_in(store, "terminal:default").await, ["another bo's"]);
    assert_eq!(remembered(store, "ada").await, ["kept", "of another bo"]);
    assert_eq!(remembered(store, "max").await, [""; 0]);
    assert_eq!(store.participants(&channel(CHAT)).await.unwrap(), ["ada", "kit", "max"]);
    let left = store.sessions(&channel(CHAT)).await.unwrap();
    assert_eq!(left.iter().map(|session| session.user.as_str()).collect::<Vec<_>>(), ["kit"]);
    assert_eq!(store.sessions(&channel("terminal:default")).await.unwrap().len(), 1);
    assert_eq!(summary_of(store, &ada, &channel(CHAT)).await, None);
    assert!(summary_of(store, &ada, &channel("terminal:default")).await.is_some());
    for turn in [one, two] {
        let receipt = store.turn(turn).await.unwrap().unwrap().receipt.unwrap();
        assert_eq!(receipt.items[0].preview, "(forgotten)");
    }
    let Changes::Rows { rows: told, .. } = store.changes(Some(&space), begin, 99).await.unwrap() else {
        panic!("lost")
    };
    assert_eq!(told.len(), 8);
    assert!(told.iter().all(|change| change.now.is_none()));
    let stretch = Presence { from: first.id, until: None };
    assert_eq!(store.presence(&ada, &channel(CHAT)).await.unwrap(), [stretch], "ada is still there");
    assert_eq!(store.erase(&bo).await.unwrap(), Erased::default(), "there is nothing more to forget");
}

/// A thread of the same chat is another channel.
pub async fn gr10_a_channel_is_forgotten_and_no_other(store: &dyn Store) {
    let ada = persona("ada");
    let message = hear(store, "bo", CHAT, "in the chat", 0).await;
    let (_, answered) = answer(store, "ada", message.id, "a reply", "system").await;
    let thread = hear(store, "bo", "discord:42:7", "in a thread", 1).await;
    summarise(store, &ada, CHAT, answered).await;
    summarise(store, &ada, "discord:42:7", thread.id).await;
    for name in ["ada", "max"] {
        store.remember(statement(name, in_chat(), "of the chat")).await.unwrap();
    }
    store.remember(learned("ada", Scope::Global, "learned there", Some(message.id))).await.unwrap();
    store.remember(statement("ada", Scope::Channel(channel("discord:42:7")), "of the thread")).await.unwrap();
    store.remember(statement("ada", Scope::Global, "of all")).await.unwrap();

    let chat = Erase::Channel(channel(CHAT));
    let would = store.would_erase(&chat).await.unwrap();
    let receipt = store.erase(&chat).await.unwrap();
    assert_eq!(receipt, would);
    assert_eq!((receipt.messages, receipt.memories, receipt.summaries, receipt.turns), (2, 3, 1, 1));
    assert_eq!((receipt.outbox, receipt.sessions), (1, 0));
    assert_eq!(said_in(store, CHAT).await, [""; 0]);
    assert_eq!(said_in(store, "discord:42:7").await, ["in a thread"]);
    assert_eq!(remembered(store, "ada").await, ["of the thread", "of all"]);
    assert!(summary_of(store, &ada, &channel("discord:42:7")).await.is_some());
    let receipt = store.erase(&Erase::Channel(channel("discord:42:7"))).await.unwrap();
    assert_eq!((receipt.messages, receipt.memories, receipt.sessions), (1, 1, 1));
    assert_eq!(store.erase(&Erase::Channel(channel("discord:nowhere"))).await.unwrap(), Erased::default());
}

/// What was said or last written at the moment or after it stays, and so does what was learned.
pub async fn gr10_what_is_old_is_forgotten_and_the_rest_stays(store: &dyn Store) {
    let ada = persona("ada");
    let old = hear(store, "bo", CHAT, "old", 0).await;
    hear(store, "bo", CHAT, "new", 9_000).await;
    hear(store, "bo", "discord:43", "old, elsewhere", 0).await;
    summarise(store, &ada, CHAT, old.id).await;
    for (name, text, seconds) in [("ada", "old", 0), ("max", "another's", 0), ("ada", "new", 9_000)] {
        let new = NewMemory { at: later(seconds), ..statement(name, in_chat(), text) };
        store.remember(new).await.unwrap();
    }
    store.remember(learned("ada", Scope::Global, "learned long ago", Some(old.id))).await.unwrap();

    let older = Erase::Older { persona: ada.clone(), channel: channel(CHAT), before: later(9_000) };
    let would = store.would_erase(&older).await.unwrap();
    let receipt = store.erase(&older).await.unwrap();
    assert_eq!(receipt, would);
    assert_eq!((receipt.messages, receipt.memories, receipt.summaries, receipt.sessions), (1, 1, 1, 1));
    assert_eq!(said_in(store, CHAT).await, ["new"]);
    assert_eq!(said_in(store, "discord:43").await, ["old, elsewhere"]);
    assert_eq!(remembered(store, "ada").await, ["new", "learned long ago"]);
    assert_eq!(remembered(store, "max").await, ["another's"]);
    assert_eq!(store.erase(&older).await.unwrap(), Erased::default());
}

/// What holds everywhere and has lost its message is still the person's.
pub async fn gr10_what_a_person_said_is_forgotten_though_its_message_is_gone(store: &dyn Store) {
    let said = hear(store, "bo", CHAT, "bo's", 0).await;
    store.remember(learned("ada", Scope::Global, "bo likes tea", Some(said.id))).await.unwrap();
    let kits = Source { via: "tool".into(), message: None, user: Some(user("kit")) };
    let kits = NewMemory { source: kits, ..statement("ada", Scope::Global, "kit likes tea") };
    store.remember(kits).await.unwrap();
    let older = Erase::Older { persona: persona("ada"), channel: channel(CHAT), before: later(9) };
    store.erase(&older).await.unwrap();
    assert_eq!(remembered(store, "ada").await, ["bo likes tea", "kit likes tea"]);
    assert_eq!(store.erase(&Erase::Person("discord:bo".parse().unwrap())).await.unwrap().memories, 1);
    assert_eq!(remembered(store, "ada").await, ["kit likes tea"]);
}

/// Whoever was learning while the message went comes too late.
pub async fn gr10_what_was_learned_from_an_erased_message_is_refused(store: &dyn Store) {
    let message = hear(store, "bo", CHAT, "a secret", 0).await;
    store.erase(&Erase::Person("discord:bo".parse().unwrap())).await.unwrap();
    let late = store.remember(learned("ada", Scope::Global, "the secret", Some(message.id))).await;
    assert!(matches!(late, Err(StoreError::State(_))), "{late:?}");
    let all = MemoryFilter { limit: 9, ..all() };
    assert_eq!(store.memories(&viewer("ada", CHAT, Some("bo")), &all).await.unwrap(), []);
}
