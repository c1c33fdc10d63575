//! Erasing persons, channels and old content: what is removed, what stays, and the receipt (GR10, X15).

use greenroom_core::{
    Author, Message, MessageId, PersonaName, Relation, RelationKind, Scope, Source, Trust, TurnId,
};

use super::{given::*, turns::receipt};
use crate::{
    Changes, Erase, Erased, ErasedSince, HistorySummary, ItemId, MemoryEdit, MemoryFilter, NewMemory,
    NewVector, Presence, Quotes, Sources, Store, StoreError, TurnCommit,
    rules::summaries::session_summary_key,
};

pub(super) const CHAT: &str = "discord:42";

pub(super) async fn hear(store: &dyn Store, who: &str, key: &str, text: &str, seconds: i64) -> Message {
    let event = format!("{who} {text}");
    store.accept(said_by(who, key, &event, text, later(seconds))).await.unwrap().message
}

/// A persona answers; the receipt shows an item.
pub(super) async fn answer(
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

pub(super) fn in_chat() -> Scope {
    Scope::Channel(channel(CHAT))
}

pub(super) async fn said_in(store: &dyn Store, key: &str) -> Vec<String> {
    let history = store.history(&channel(key), None, 99).await.unwrap();
    history.into_iter().map(|message| message.text).collect()
}

/// All texts that a persona remembers, of every scope.
pub(super) async fn remembered(store: &dyn Store, name: &str) -> Vec<String> {
    let memories = store.export(Some(&persona(name)), None, 99).await.unwrap();
    memories.into_iter().map(|exported| exported.memory.text).collect()
}

async fn summarise(store: &dyn Store, name: &PersonaName, key: &str, until: MessageId) {
    let summary = HistorySummary { until, text: "in short".into(), at: NOW };
    store.put_summary(name, &channel(key), summary, Sources::default()).await.unwrap();
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
        let key = Some(session_summary_key(session.id));
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
    // two replies to Kit, whose contexts contained something of Bo's
    let (one, _) = answer(store, "ada", kits.id, "ada to kit", &format!("msg:{}", first.id.0)).await;
    let (two, _) = answer(store, "max", kits.id, "max to kit", &derived.id.to_string()).await;

    let bo = Erase::Person("discord:bo".parse().unwrap());
    let begin = store.journal_end().await.unwrap();
    let would = store.would_erase(&bo).await.unwrap();
    assert_eq!(store.journal_end().await.unwrap(), begin, "nothing is changed by asking");
    let receipt = store.erase(&bo, Quotes::Stay).await.unwrap();
    assert_eq!(receipt, would);
    let expected = Erased {
        messages: 3,
        memories: 5,
        summaries: 1,
        vectors: 2,
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
    let left = store.participants(&channel(CHAT)).await.unwrap();
    assert_eq!(left.iter().map(Author::name).collect::<Vec<_>>(), ["ada", "max", "kit"]);
    let left = store.sessions(&channel(CHAT)).await.unwrap();
    assert_eq!(left.iter().map(|session| session.user.as_str()).collect::<Vec<_>>(), ["kit"]);
    assert_eq!(store.sessions(&channel("terminal:default")).await.unwrap().len(), 1);
    assert_eq!(summary_of(store, &ada, &channel(CHAT)).await, None);
    assert!(summary_of(store, &ada, &channel("terminal:default")).await.is_some());
    for turn in [one, two] {
        let receipt = store.turn(turn).await.unwrap().unwrap().receipt.unwrap();
        assert_eq!(receipt.items[0].preview, "(forgotten)");
    }
    // the journal names places, so it is deleted; its followers load the places again
    assert_eq!(store.changes(Some(&space), begin, &|_| true, 99).await.unwrap(), Changes::Lost);
    let stretch = Presence { from: first.id, until: None };
    assert_eq!(store.presence(&ada, &channel(CHAT)).await.unwrap(), [stretch], "ada is still there");
    assert_eq!(
        store.erase(&bo, Quotes::Stay).await.unwrap(),
        Erased::default(),
        "there is nothing more to forget"
    );
}

/// A person may erase what is in their own chat and nothing else, and no statement of an operator (B1).
pub async fn x15_what_a_person_may_have_erased_is_their_own(store: &dyn Store) {
    let (own, thread, den) = ("api:bo", "api:bo:7", "api:den");
    let said = hear(store, "bo", own, "bo, at home", 0).await;
    answer(store, "ada", said.id, "ada to bo", "system").await;
    hear(store, "bo", thread, "bo, in a thread", 1).await;
    hear(store, "kit", own, "kit, as a guest", 2).await;
    let in_den = hear(store, "bo", den, "bo, in the den", 3).await;
    answer(store, "ada", in_den.id, "ada in the den", "system").await;
    hear(store, "bo", "api:bobby", "another bo", 4).await;

    let scope = |key: &str| Scope::Channel(channel(key));
    let by = |user_id: &str, text: &str, scope: Scope, message: Option<MessageId>| {
        let source = Source { via: "tool".into(), message, user: Some(user(user_id)) };
        NewMemory { source, trust: Trust::Stranger, ..statement("ada", scope, text) }
    };
    let operators = |text: &str, scope: Scope, message: Option<MessageId>| NewMemory {
        trust: Trust::Operator,
        ..by("bo", text, scope, message)
    };
    for new in [
        by("bo", "own", scope(own), Some(said.id)),
        by("bo", "own, in a thread", scope(thread), None),
        NewMemory { trust: Trust::Persona, ..by("bo", "learned, for all", Scope::Global, Some(said.id)) },
        NewMemory { trust: Trust::Persona, ..by("bo", "about bo", about("api:bo"), None) },
        by("kit", "kept: kit's", scope(own), None),
        by("bo", "kept: in the den", scope(den), Some(in_den.id)),
        by("bo", "kept: of bobby's", scope("api:bobby"), None),
        operators("kept: an operator's", scope(own), Some(said.id)),
        operators("kept: an operator's about bo", about("api:bo"), None),
        operators("kept: an operator's for all", Scope::Global, Some(said.id)),
        NewMemory {
            trust: Trust::Persona,
            ..by("bo", "kept: learned in the den", Scope::Global, Some(in_den.id))
        },
    ] {
        store.remember(new).await.unwrap();
    }

    let what = Erase::Own { person: "api:bo".parse().unwrap(), chat: channel(own) };
    let would = store.would_erase(&what).await.unwrap();
    let receipt = store.erase(&what, Quotes::Stay).await.unwrap();
    assert_eq!(receipt, would);
    assert_eq!((receipt.messages, receipt.memories, receipt.turns, receipt.sessions), (3, 4, 1, 1));
    let left = remembered(store, "ada").await;
    assert!(left.iter().all(|text| text.starts_with("kept: ")) && left.len() == 7, "{left:?}");
    assert_eq!(said_in(store, own).await, ["kit, as a guest"]);
    assert_eq!(said_in(store, thread).await, [""; 0]);
    assert_eq!(said_in(store, den).await, ["bo, in the den", "ada in the den"]);
    assert_eq!(said_in(store, "api:bobby").await, ["another bo"]);
    assert_eq!(store.erase(&what, Quotes::Stay).await.unwrap(), Erased::default());
}

/// An edited message is erased with everything derived from it. Messages before and after it stay (GR10).
pub async fn gr10_one_message_is_forgotten_with_what_came_of_it(store: &dyn Store) {
    let first = hear(store, "bo", CHAT, "first", 0).await;
    let (_, greeted) = answer(store, "ada", first.id, "ada to first", "system").await;
    let last = hear(store, "bo", CHAT, "a slip", 60).await;
    let (_, answered) = answer(store, "ada", last.id, "ada to the slip", "system").await;
    answer(store, "max", answered, "max to ada", "system").await;
    hear(store, "kit", CHAT, "kit's", 70).await;
    summarise(store, &persona("ada"), CHAT, greeted).await;
    let by_hand = learned("ada", in_chat(), "by hand", Some(last.id));
    let noted = |name: &str, scope: Scope, text: &str, message: MessageId| NewMemory {
        trust: Trust::Stranger,
        ..learned(name, scope, text, Some(message))
    };
    for new in [
        noted("ada", in_chat(), "of the slip", last.id),
        noted("max", Scope::Global, "of the answer", answered),
        noted("ada", in_chat(), "of the first", first.id),
        by_hand,
    ] {
        store.remember(new).await.unwrap();
    }
    for session in store.sessions(&channel(CHAT)).await.unwrap() {
        let key = Some(session_summary_key(session.id));
        let text = format!("a sitting of {}", session.user);
        store.remember(NewMemory { key, ..statement("ada", in_chat(), &text) }).await.unwrap();
    }

    let slip = Erase::Message(last.id);
    let would = store.would_erase(&slip).await.unwrap();
    let receipt = store.erase(&slip, Quotes::Stay).await.unwrap();
    assert_eq!(receipt, would);
    assert_eq!((receipt.messages, receipt.memories, receipt.summaries), (3, 4, 1));
    assert_eq!((receipt.turns, receipt.sessions), (2, 0));
    assert_eq!(said_in(store, CHAT).await, ["first", "ada to first", "kit's"]);
    assert_eq!(remembered(store, "ada").await, ["of the first", "by hand"]);
    assert_eq!(remembered(store, "max").await, [""; 0]);
    assert_eq!(store.erase(&slip, Quotes::Stay).await.unwrap(), Erased::default(), "it is gone");
}

/// A thread of the same chat is a separate channel.
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
    let receipt = store.erase(&chat, Quotes::Stay).await.unwrap();
    assert_eq!(receipt, would);
    assert_eq!((receipt.messages, receipt.memories, receipt.summaries, receipt.turns), (2, 3, 1, 1));
    assert_eq!((receipt.outbox, receipt.sessions), (1, 0));
    assert_eq!(said_in(store, CHAT).await, [""; 0]);
    assert_eq!(said_in(store, "discord:42:7").await, ["in a thread"]);
    assert_eq!(remembered(store, "ada").await, ["of the thread", "of all"]);
    assert!(summary_of(store, &ada, &channel("discord:42:7")).await.is_some());
    let receipt = store.erase(&Erase::Channel(channel("discord:42:7")), Quotes::Stay).await.unwrap();
    assert_eq!((receipt.messages, receipt.memories, receipt.sessions), (1, 1, 1));
    assert_eq!(
        store.erase(&Erase::Channel(channel("discord:nowhere")), Quotes::Stay).await.unwrap(),
        Erased::default()
    );
}

/// What was said or last written at that moment or later stays, and so do memories learned from the erased messages.
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
    let receipt = store.erase(&older, Quotes::Stay).await.unwrap();
    assert_eq!(receipt, would);
    assert_eq!((receipt.messages, receipt.memories, receipt.summaries, receipt.sessions), (1, 1, 1, 1));
    assert_eq!(said_in(store, CHAT).await, ["new"]);
    assert_eq!(said_in(store, "discord:43").await, ["old, elsewhere"]);
    assert_eq!(remembered(store, "ada").await, ["new", "learned long ago"]);
    assert_eq!(remembered(store, "max").await, ["another's"]);
    assert_eq!(store.erase(&older, Quotes::Stay).await.unwrap(), Erased::default());
}

/// A global memory whose source message no longer exists still belongs to its person.
pub async fn gr10_what_a_person_said_is_forgotten_though_its_message_is_gone(store: &dyn Store) {
    let said = hear(store, "bo", CHAT, "bo's", 0).await;
    store.remember(learned("ada", Scope::Global, "bo likes tea", Some(said.id))).await.unwrap();
    let kits = Source { via: "tool".into(), message: None, user: Some(user("kit")) };
    let kits = NewMemory { source: kits, ..statement("ada", Scope::Global, "kit likes tea") };
    store.remember(kits).await.unwrap();
    let older = Erase::Older { persona: persona("ada"), channel: channel(CHAT), before: later(9) };
    store.erase(&older, Quotes::Stay).await.unwrap();
    assert_eq!(remembered(store, "ada").await, ["bo likes tea", "kit likes tea"]);
    assert_eq!(
        store.erase(&Erase::Person("discord:bo".parse().unwrap()), Quotes::Stay).await.unwrap().memories,
        1
    );
    assert_eq!(remembered(store, "ada").await, ["kit likes tea"]);
}

/// A persona that was still learning from the message when it was erased is too late.
pub async fn gr10_what_was_learned_from_an_erased_message_is_refused(store: &dyn Store) {
    let message = hear(store, "bo", CHAT, "a secret", 0).await;
    store.erase(&Erase::Person("discord:bo".parse().unwrap()), Quotes::Stay).await.unwrap();
    let late = store.remember(learned("ada", Scope::Global, "the secret", Some(message.id))).await;
    assert!(matches!(late, Err(StoreError::Erased(_))), "{late:?}");
    let all = MemoryFilter { limit: 9, ..all() };
    assert_eq!(store.memories(&viewer("ada", CHAT, Some("bo")), &all).await.unwrap(), []);
}

/// A reply, a memory and a summary are refused because of their own erased sources, and for no other erasure.
pub async fn gr10_what_was_made_of_something_erased_since_is_not_stored(store: &dyn Store) {
    let bos = hear(store, "bo", CHAT, "my boat is called Petrel", 0).await;
    let kits = hear(store, "kit", CHAT, "what is it called?", 1).await;
    let elsewhere = hear(store, "bo", "discord:43", "bo, elsewhere", 2).await;
    let noted = store.remember(statement("ada", in_chat(), "of the boat")).await.unwrap().id;
    let plain = store.remember(statement("ada", in_chat(), "of the weather")).await.unwrap().id;
    let erased = store.erased_since(0).await.unwrap().end;
    let of = |items: &[ItemId]| Sources { erased, items: items.to_vec(), summary_of: None };
    let with = |sources: &Sources| TurnCommit { sources: sources.clone(), ..reply("it is called Petrel") };
    let (boat, weather, question) = (
        of(&[ItemId::Message(bos.id), ItemId::Memory(noted)]),
        of(&[ItemId::Memory(plain)]),
        of(&[ItemId::Message(kits.id)]),
    );
    let made = |text: &str, sources: &Sources| NewMemory {
        sources: sources.clone(),
        ..statement("ada", in_chat(), text)
    };

    // erased in another channel, so nothing here is refused
    store.erase(&Erase::Channel(channel("discord:43")), Quotes::Stay).await.unwrap();
    let turn = planned("ada");
    let id = turn.id;
    store.plan_turns(elsewhere.id, vec![turn].into()).await.unwrap_err();
    let turn = planned("max");
    let unrelated = turn.id;
    store.plan_turns(kits.id, vec![turn].into()).await.unwrap();
    store.commit_turn(unrelated, with(&boat)).await.unwrap();
    store.remember(made("she sails", &boat)).await.unwrap();
    store.unerased(&boat).await.unwrap();
    let missing = store.commit_turn(id, reply("hm")).await;
    assert!(matches!(missing, Err(StoreError::Erased(_))), "its message is gone: {missing:?}");

    // a corrected text counts as erased, and so does a forgotten one
    let ada = viewer("ada", CHAT, None);
    let edit = MemoryEdit {
        text: Some("of rain".into()),
        kind: None,
        expires_at: None,
        private: None,
        trust: Trust::Operator,
        at: NOW,
    };
    store.edit(&ada, plain, edit).await.unwrap().unwrap();
    store.forget(&ada, noted).await.unwrap().unwrap();
    let turn = planned("ada");
    let open = turn.id;
    store.plan_turns(kits.id, vec![turn].into()).await.unwrap();
    assert!(store.unerased(&question).await.unwrap() > erased);
    for sources in [&boat, &weather] {
        let told = store.unerased(sources).await;
        assert!(matches!(told, Err(StoreError::Erased(_))), "{told:?}");
        let late = store.commit_turn(open, with(sources)).await;
        assert!(matches!(late, Err(StoreError::Erased(_))), "{late:?}");
        let late = store.remember(made("a rumour", sources)).await;
        assert!(matches!(late, Err(StoreError::Erased(_))), "{late:?}");
    }
    assert!(!remembered(store, "ada").await.contains(&"a rumour".to_owned()));
    store.commit_turn(open, with(&question)).await.unwrap();
}

/// Callers that have shown texts learn in which channels an erased text may have been shown.
pub async fn gr10_an_erasure_says_where_it_may_have_been_shown(store: &dyn Store) {
    let begin = store.erased_since(0).await.unwrap();
    assert_eq!((begin.end, begin.anywhere, begin.channels.len()), (0, false, 0));
    hear(store, "bo", CHAT, "bo's", 0).await;
    hear(store, "kit", CHAT, "kit's", 1).await;
    hear(store, "kit", "discord:43", "kit's, elsewhere", 2).await;
    let here = store.remember(statement("ada", in_chat(), "here")).await.unwrap().id;
    let all = store.remember(statement("ada", Scope::Global, "everywhere")).await.unwrap().id;
    let ada = viewer("ada", CHAT, None);
    store.forget(&ada, here).await.unwrap().unwrap();
    let one = store.erased_since(begin.end).await.unwrap();
    assert!(one.reaches(&channel(CHAT)) && !one.reaches(&channel("discord:43")), "{one:?}");
    assert_eq!(
        store.erased_since(one.end).await.unwrap(),
        ErasedSince { end: one.end, ..ErasedSince::default() }
    );
    store.erase(&Erase::Person("discord:bo".parse().unwrap()), Quotes::Stay).await.unwrap();
    let person = store.erased_since(one.end).await.unwrap();
    assert!(person.reaches(&channel(CHAT)) && !person.reaches(&channel("discord:43")), "{person:?}");
    store.forget(&ada, all).await.unwrap().unwrap();
    assert!(store.erased_since(person.end).await.unwrap().reaches(&channel("discord:43")));
    // nothing is known about a file that was replaced
    assert!(store.erased_since(person.end + 99).await.unwrap().anywhere);
}

/// When nothing is left in a channel, its row and all references to it are removed.
pub async fn gr10_a_channel_where_nothing_is_left_has_no_name(store: &dyn Store) {
    let begin = store.journal_end().await.unwrap();
    let message = hear(store, "bo", CHAT, "in the chat", 0).await;
    answer(store, "ada", message.id, "a reply", "system").await;
    store.reset_context(&persona("ada"), &channel(CHAT), message.id).await.unwrap();
    store.remember(statement("ada", in_chat(), "of the chat")).await.unwrap();
    hear(store, "bo", "discord:43", "elsewhere", 1).await;
    store.erase(&Erase::Channel(channel(CHAT)), Quotes::Stay).await.unwrap();
    let keys = store.channels(None, None, 9).await.unwrap();
    assert_eq!(keys.iter().map(|entry| entry.channel.as_str()).collect::<Vec<_>>(), ["discord:43"]);
    assert_eq!(store.present(&channel(CHAT)).await.unwrap(), []);
    assert_eq!(store.context_start(&persona("ada"), &channel(CHAT)).await.unwrap(), None);
    assert_eq!(store.changes(None, begin, &|_| true, 99).await.unwrap(), Changes::Lost);
    // the channel may be used again
    let again = hear(store, "kit", CHAT, "hello?", 2).await;
    answer(store, "ada", again.id, "hello", "system").await;
    assert_eq!(said_in(store, CHAT).await, ["hello?", "hello"]);
    assert_eq!(store.present(&channel(CHAT)).await.unwrap(), [persona("ada")]);
}
