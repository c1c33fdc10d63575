//! People's messages: stored once, and found again.

use greenroom_core::{Author, Message, MessageId};

use super::given::*;
use crate::{
    AskedPast, ChannelEntry, Departure, Embedded, JoinReason, MembershipChange, Plan, SESSION_GAP, Store,
    StoreError,
};

/// A repeated event returns the first message, and changes nothing.
pub async fn gr6_the_same_event_is_accepted_once(store: &dyn Store) {
    let first = store.accept(said("terminal:default", "e1", "hello", NOW)).await.unwrap();
    let again = store.accept(said("terminal:default", "e1", "another text", later(5))).await.unwrap();
    assert!(!first.duplicate && again.duplicate);
    assert_eq!(first.message, again.message);
    let history = store.history(&channel("terminal:default"), None, 10).await.unwrap();
    assert_eq!(history, [first.message]);
}

/// Two platforms may use the same event ids.
pub async fn gr6_event_ids_are_told_apart_by_channel(store: &dyn Store) {
    let here = store.accept(said("terminal:default", "e1", "hello", NOW)).await.unwrap();
    let there = store.accept(said("discord:42:7", "e1", "hello", NOW)).await.unwrap();
    assert!(!there.duplicate);
    assert!(there.message.id > here.message.id);
    assert_eq!(there.message.channel, channel("discord:42:7"));
}

/// Any text is stored unchanged, and so is its author.
pub async fn as6_a_message_comes_back_as_it_was_said(store: &dyn Store) {
    let author = Author::Persona { name: persona("kit") };
    for (n, text) in
        ["", "it's \"quoted\"; DROP TABLE messages;--", "a\0b", "👩‍🚀 naïve\r\n"].iter().enumerate()
    {
        let new = Message { author: author.clone(), ..said("terminal:default", &format!("e{n}"), text, NOW) };
        let accepted = store.accept(new).await.unwrap().message;
        assert_eq!(accepted.text, *text);
        let stored = store.history(&channel("terminal:default"), None, 1).await.unwrap();
        let asked = AskedPast { heard: false, limit: 1, ..past_of("ada") };
        assert_eq!(*store.past(&asked).await.unwrap().messages[0], accepted);
        assert_eq!(stored, [accepted]);
        assert_eq!(stored[0].author, author);
    }
}

/// A person has one session in a chat; every message extends it, also in threads.
pub async fn as5_a_session_links_platform_chat_and_person(store: &dyn Store) {
    store.accept(said("discord:42", "e1", "hello", NOW)).await.unwrap();
    store.accept(said("discord:42:7", "e2", "hello", later(9))).await.unwrap();
    store.accept(said("discord:42", "e3", "a late delivery", later(3))).await.unwrap();
    store.accept(said("discord:43", "e4", "elsewhere", NOW)).await.unwrap();
    let kit = Author::User { id: user("kit"), name: "Kit".into() };
    store.accept(Message { author: kit, ..said("discord:42", "e5", "hello", later(20)) }).await.unwrap();

    let sessions = store.sessions(&channel("discord:42")).await.unwrap();
    assert_eq!(sessions.iter().map(|session| session.user.as_str()).collect::<Vec<_>>(), ["kit", "bo"]);
    let bo = &sessions[1];
    assert_eq!((bo.provider.as_str(), bo.chat_id.as_str()), ("discord", "42"));
    assert_eq!((bo.started_at, bo.last_at), (NOW, later(9)));
}

/// A message after a pause opens another session; the first keeps its id and its times.
pub async fn jv1_a_pause_ends_a_session(store: &dyn Store) {
    let gap = i64::try_from(SESSION_GAP.as_secs()).unwrap();
    let here = channel("discord:42");
    store.accept(said("discord:42", "e1", "hello", NOW)).await.unwrap();
    store.accept(said("discord:42:7", "e2", "in a thread", later(gap))).await.unwrap();
    let first = store.sessions(&here).await.unwrap();
    assert_eq!((first.len(), first[0].last_at), (1, later(gap)));
    store.accept(said("discord:42", "e3", "back again", later(2 * gap + 1))).await.unwrap();
    store.accept(said("discord:42", "e4", "and more", later(2 * gap + 9))).await.unwrap();
    store.accept(said("discord:42", "e5", "a late delivery", later(1))).await.unwrap();

    let sessions = store.sessions(&here).await.unwrap();
    assert_eq!(sessions.len(), 2);
    assert_eq!((sessions[0].started_at, sessions[0].last_at), (later(2 * gap + 1), later(2 * gap + 9)));
    assert_eq!(sessions[1], first[0]);
    assert!(sessions[0].id > first[0].id);
}

/// Finds the last session that had begun by then, of this person only.
pub async fn as5_the_last_session_of_a_person_is_found_alone(store: &dyn Store) {
    let gap = i64::try_from(SESSION_GAP.as_secs()).unwrap();
    let (here, bo) = (channel("discord:42"), user("bo"));
    assert_eq!(store.session(&here, &bo, NOW).await.unwrap(), None);
    store.accept(said("discord:42", "e1", "hello", NOW)).await.unwrap();
    store.accept(said("discord:42", "e2", "back again", later(2 * gap))).await.unwrap();
    let kit = Author::User { id: user("kit"), name: "Kit".into() };
    store.accept(Message { author: kit, ..said("discord:42", "e3", "hello", later(3 * gap)) }).await.unwrap();

    let all = store.sessions(&here).await.unwrap();
    let [_, second, first] = &all[..] else { panic!("{all:?}") };
    assert_eq!(store.session(&here, &bo, later(9 * gap)).await.unwrap().as_ref(), Some(second));
    assert_eq!(store.session(&here, &bo, later(gap)).await.unwrap().as_ref(), Some(first));
    assert_eq!(store.session(&channel("discord:43"), &bo, later(9 * gap)).await.unwrap(), None);
}

/// The newest messages of one channel, oldest first, and only those after a given one.
pub async fn wb4_the_newest_history_is_kept(store: &dyn Store) {
    let mut said_here = Vec::new();
    for n in 0..6 {
        said_here.push(say(store, &n.to_string()).await);
        store.accept(said("terminal:other", &n.to_string(), "elsewhere", NOW)).await.unwrap();
    }
    let here = channel("terminal:default");
    assert_eq!(store.history(&here, None, 3).await.unwrap(), said_here[3..]);
    assert_eq!(store.history(&here, None, 100).await.unwrap(), said_here);
    assert_eq!(store.history(&here, Some(said_here[3].id), 100).await.unwrap(), said_here[4..]);
    assert_eq!(store.history(&here, Some(said_here[1].id), 2).await.unwrap(), said_here[4..]);
    assert_eq!(store.history(&here, None, 0).await.unwrap(), []);
    assert_eq!(store.history(&channel("terminal:empty"), None, 3).await.unwrap(), []);
}

/// Pages backwards from the end, or from before a message; a single message by its id.
pub async fn a_channel_is_read_page_by_page(store: &dyn Store) {
    let mut all = Vec::new();
    for n in 0..5 {
        all.push(say(store, &n.to_string()).await);
        store.accept(said("terminal:other", &n.to_string(), "elsewhere", NOW)).await.unwrap();
    }
    let here = channel("terminal:default");
    assert_eq!(store.page(&here, None, 2).await.unwrap(), all[3..]);
    assert_eq!(store.page(&here, Some(all[3].id), 2).await.unwrap(), all[1..3]);
    assert_eq!(store.page(&here, Some(all[1].id), 2).await.unwrap(), all[..1]);
    assert_eq!(store.page(&channel("terminal:empty"), None, 2).await.unwrap(), []);
    assert_eq!(store.message(all[2].id).await.unwrap().as_ref(), Some(&all[2]));
    assert_eq!(store.message(MessageId(999)).await.unwrap(), None);
}

/// The newest first, page by page; or only those of one chat with its threads.
pub async fn channels_are_listed_by_their_newest_message(store: &dyn Store) {
    for (n, key) in ["api:ann", "api:bo", "api:ann:work", "terminal:ann", "api:bo"].into_iter().enumerate() {
        store.accept(said(key, &n.to_string(), "hello", later(n as i64))).await.unwrap();
    }
    let keys = |entries: &[ChannelEntry]| -> Vec<String> {
        entries.iter().map(|entry| entry.channel.to_string()).collect()
    };
    let all = store.channels(None, None, 10).await.unwrap();
    assert_eq!(keys(&all), ["api:bo", "terminal:ann", "api:ann:work", "api:ann"]);
    assert_eq!(all[0].at, later(4));
    let page = store.channels(None, Some(all[1].newest), 1).await.unwrap();
    assert_eq!(keys(&page), ["api:ann:work"]);
    let own = store.channels(Some(("api", "ann")), None, 10).await.unwrap();
    assert_eq!(keys(&own), ["api:ann:work", "api:ann"]);
}

/// A channel without messages is listed while a persona is invited to it.
pub async fn rm1_a_channel_to_which_a_persona_is_invited_is_listed_before_anyone_speaks(store: &dyn Store) {
    let joins = |via| MembershipChange { joins: vec![(persona("ada"), via)], leaves: Vec::new() };
    for key in ["api:room-2", "api:room-10", "api:ann"] {
        store.attend(&channel(key), &joins(JoinReason::Invited)).await.unwrap();
    }
    store.attend(&channel("api:alone"), &joins(JoinReason::Alone)).await.unwrap();
    let invited = async |chat, limit| -> Vec<String> {
        store.invited(chat, limit).await.unwrap().iter().map(ToString::to_string).collect()
    };
    assert_eq!(invited(None, 9).await, ["api:ann", "api:room-10", "api:room-2"]);
    assert_eq!(invited(None, 1).await, ["api:ann"]);
    assert_eq!(invited(Some(("api", "ann")), 9).await, ["api:ann"]);
    store.accept(said("api:ann", "1", "hello", NOW)).await.unwrap();
    let leaves = vec![(persona("ada"), Departure::Left)];
    store.attend(&channel("api:room-2"), &MembershipChange { joins: Vec::new(), leaves }).await.unwrap();
    assert_eq!(invited(None, 9).await, ["api:room-10"]);
}

/// A reset moves the start of one persona's context; a late reset does not move it back.
pub async fn wb14_a_reset_puts_history_aside_and_keeps_it(store: &dyn Store) {
    let here = channel("terminal:default");
    let first = say(store, "one").await;
    let second = say(store, "two").await;
    assert_eq!(store.context_start(&persona("ada"), &here).await.unwrap(), None);
    store.reset_context(&persona("ada"), &here, second.id).await.unwrap();
    store.reset_context(&persona("ada"), &here, first.id).await.unwrap();

    let start = store.context_start(&persona("ada"), &here).await.unwrap();
    assert_eq!(start, Some(second.id));
    assert_eq!(store.context_start(&persona("kit"), &here).await.unwrap(), None);
    assert_eq!(store.history(&here, start, 10).await.unwrap(), []);
    assert_eq!(store.history(&here, None, 10).await.unwrap().len(), 2);
    let fresh: MessageId = say(store, "three").await.id;
    assert_eq!(store.history(&here, start, 10).await.unwrap()[0].id, fresh);
}

/// The reply reference is returned with the message by every call, and a repeat does not change it.
pub async fn gr6_what_a_message_replies_to_survives(store: &dyn Store) {
    let first = say(store, "what is it called?").await;
    let to = |event: &str| Message {
        reply_to: Some(event.into()),
        ..said("terminal:default", "e2", "it is called Petrel", NOW)
    };
    let message = store.accept(to(&first.event_id)).await.unwrap().message;
    assert_eq!(message.reply_to.as_ref(), Some(&first.event_id));
    let again = store.accept(to("something else")).await.unwrap();
    assert_eq!((again.duplicate, &again.message), (true, &message));
    assert_eq!(store.message(message.id).await.unwrap().as_ref(), Some(&message));
    assert_eq!(store.page(&message.channel, None, 9).await.unwrap(), [first, message.clone()]);
    assert_eq!(store.unfinished(None).await.unwrap()[1].message, message);
    let asked = AskedPast { heard: false, ..past_of("ada") };
    assert_eq!(*store.past(&asked).await.unwrap().messages[1], message);
}

/// Who answers may be decided later. Until then a start after a crash finds the message, and the rest of its plan holds
/// already.
pub async fn s1_a_message_may_be_stored_undecided(store: &dyn Store) {
    let here = channel("terminal:default");
    let plan = Plan { undecided: true, group: true, ..Plan::default() };
    let stored =
        store.accept_planned(said("terminal:default", "e1", "hello", NOW), plan.clone()).await.unwrap();
    assert!(!stored.duplicate && stored.group);
    let left = store.unfinished(None).await.unwrap();
    assert!(left.len() == 1 && left[0].message == stored.message && left[0].turn.is_none());
    let again = store.accept_planned(said("terminal:default", "e1", "hello", NOW), plan).await.unwrap();
    assert!(again.duplicate);
    store.plan_turns(stored.message.id, Plan::default()).await.unwrap();
    assert_eq!(store.unfinished(None).await.unwrap(), []);
    assert_eq!(store.history(&here, None, 9).await.unwrap(), [stored.message]);
}

/// If the plan cannot be stored, neither is the message: its sender tries again.
pub async fn gr6_a_message_with_a_plan_that_is_refused_is_not_stored(store: &dyn Store) {
    let here = channel("terminal:default");
    let twice = || vec![planned("ada"), planned("kit"), planned("ada")];
    let refused = store.accept_planned(said("terminal:default", "e1", "hello", NOW), twice().into()).await;
    assert!(matches!(refused, Err(StoreError::AlreadyAnswered { .. })), "{refused:?}");
    let bad = Embedded { space: space("m@1", 2), vector: vec![0.0, 0.0] };
    let bad = Plan { vector: Some(bad), ..vec![planned("ada")].into() };
    let refused = store.accept_planned(said("terminal:default", "e1", "hello", NOW), bad).await;
    assert!(matches!(refused, Err(StoreError::BadVector { .. })), "{refused:?}");
    let author = Author::Persona { name: persona("kit") };
    let own = Message { author, ..said("terminal:default", "e1", "hello", NOW) };
    let refused = store.accept_planned(own, vec![planned("ada")].into()).await;
    assert!(matches!(refused, Err(StoreError::Invalid(_))), "{refused:?}");
    assert_eq!(store.history(&here, None, 9).await.unwrap(), []);
    assert_eq!(store.sessions(&here).await.unwrap(), []);
    assert_eq!(store.present(&here).await.unwrap(), []);
    assert_eq!(store.journal_end().await.unwrap(), 0);

    let message = say(store, "hello").await;
    store.plan_turns(message.id, twice().into()).await.unwrap_err();
    assert_eq!(store.answers(message.id).await.unwrap().len(), 0, "not even the first ones");
    assert_eq!(store.unfinished(None).await.unwrap().len(), 1, "it is still to be settled");
}

/// A call after `close` fails, and changes nothing.
pub async fn a_closed_store_answers_nothing(store: &dyn Store) {
    let message = say(store, "hello").await;
    store.close().await;
    let late = store.accept(said("terminal:default", "late", "too late", NOW)).await;
    assert!(matches!(late, Err(StoreError::Closed)), "{late:?}");
    let read = store.message(message.id).await;
    assert!(matches!(read, Err(StoreError::Closed)), "{read:?}");
    assert!(store.ready().await.is_err());
}
