//! Summaries of history and their boundary (FG12).

use std::sync::Arc;

use greenroom_core::{Message, MessageId, Scope};

use super::{
    erase::{CHAT, hear},
    given::*,
};
use crate::{
    AskedPast, Erase, HistorySummary, ItemId, NewMemory, Past, Plan, Quotes, Sources, Store, StoreError,
};

fn summary(until: MessageId, text: &str) -> HistorySummary {
    HistorySummary { until, text: text.into(), at: NOW }
}

/// There is one summary per persona and channel, and its boundary never moves back.
pub async fn fg12_a_summary_moves_its_boundary_forward(store: &dyn Store) {
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    let (first, second) = (say(store, "one").await.id, say(store, "two").await.id);
    assert_eq!(summary_of(store, &ada, &here).await, None);
    store.put_summary(&ada, &here, summary(first, "one was said"), Sources::default()).await.unwrap();
    store.put_summary(&ada, &here, summary(second, "one and two"), Sources::default()).await.unwrap();
    store.put_summary(&ada, &here, summary(first, "a late one"), Sources::default()).await.unwrap();
    assert_eq!(summary_of(store, &ada, &here).await, Some(summary(second, "one and two")));
    assert_eq!(summary_of(store, &persona("kit"), &here).await, None);
    assert_eq!(summary_of(store, &ada, &channel("terminal:other")).await, None);
    assert_eq!(store.history(&here, None, 9).await.unwrap().len(), 2, "nothing is deleted");
}

/// A summary that was being made while a person was forgotten may mention them.
pub async fn gr10_a_summary_of_what_was_erased_is_not_kept(store: &dyn Store) {
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    let kit = said_by("kit", "terminal:default", "k1", "hello", NOW);
    let kept = store.accept(kit).await.unwrap().message;
    let secret = say(store, "a secret").await;
    let last = store.accept(said_by("kit", "terminal:default", "k2", "more", NOW)).await.unwrap().message;
    let erased = store.erased_since(0).await.unwrap().end;
    let of = |items: Vec<ItemId>, summary_of| Sources { erased, items, summary_of };
    store.erase(&Erase::Person("terminal:bo".parse().unwrap()), Quotes::Stay).await.unwrap();
    let read = [kept.id, secret.id, last.id].map(ItemId::Message).to_vec();
    let made_of_notes = of(vec![ItemId::Message(last.id)], Some(here.clone()));
    for sources in [of(read, None), made_of_notes] {
        let late = store.put_summary(&ada, &here, summary(last.id, "of a secret"), sources).await;
        assert!(matches!(late, Err(StoreError::Erased(_))), "{late:?}");
        assert_eq!(summary_of(store, &ada, &here).await, None);
    }
    let others = of([kept.id, last.id].map(ItemId::Message).to_vec(), Some(channel("terminal:other")));
    store.put_summary(&ada, &here, summary(last.id, "of the rest"), others).await.unwrap();
    assert_eq!(summary_of(store, &ada, &here).await.unwrap().text, "of the rest");
}

/// Messages with memory switched off and their answers are in no summary, whichever persona makes it.
pub async fn bd6_what_was_set_aside_and_its_reply_are_not_summarised(store: &dyn Store) {
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    let private = say(store, "between us").await;
    store.set_aside(private.id).await.unwrap();
    store.set_aside(private.id).await.unwrap();
    store.set_aside(MessageId(999)).await.unwrap(); // it is gone
    let turn = running(store, &private).await;
    store.commit_turn(turn, reply("I say nothing")).await.unwrap();
    let with_its_plan = Plan { without_memory: true, ..Plan::default() };
    store.accept_planned(said("terminal:default", "p1", "and this", NOW), with_its_plan).await.unwrap();
    let first = say(store, "one").await;
    say(store, "two").await;
    let texts = async |after, limit| -> Vec<String> {
        let said = store.unsummarised(&ada, &here, after, true, limit).await.unwrap();
        said.into_iter().map(|message| message.text).collect()
    };
    assert_eq!(texts(None, 9).await, ["one", "two"]);
    assert_eq!(texts(None, 1).await, ["one"], "the oldest first");
    assert_eq!(texts(Some(first.id), 9).await, ["two"]);
    assert_eq!(store.history(&here, None, 9).await.unwrap().len(), 5, "nothing is deleted");
}

/// A persona's past begins after its last reset and after the summarised part. A summary made before the reset does not
/// count (WB14).
pub async fn fg12_the_past_begins_after_the_summary_or_the_reset(store: &dyn Store) {
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    let one = say(store, "one").await;
    running(store, &one).await;
    let (two, three) = (say(store, "two").await, say(store, "three").await);
    let past = async || store.past(&past_of("ada")).await.unwrap();
    let texts = |past: &Past| -> Vec<String> { past.messages.iter().map(|m| m.text.clone()).collect() };
    let whole = past().await;
    assert_eq!(texts(&whole), ["one", "two", "three"]);
    let history = store.history(&here, None, 9).await.unwrap();
    assert_eq!(whole.messages, history.into_iter().map(Arc::new).collect::<Vec<_>>());
    assert_eq!(whole.presence, store.presence(&ada, &here).await.unwrap());
    assert_eq!(whole.session.map(|session| session.user), past_of("ada").user);
    store.put_summary(&ada, &here, summary(one.id, "one was said"), Sources::default()).await.unwrap();
    let short = past().await;
    assert_eq!(
        (texts(&short), short.summary),
        (vec!["two".into(), "three".into()], Some(summary(one.id, "one was said")))
    );
    let unsummarised = AskedPast { summarised: false, limit: 2, user: None, ..past_of("ada") };
    let plain = store.past(&unsummarised).await.unwrap();
    assert_eq!(
        (texts(&plain), plain.summary, plain.session),
        (vec!["two".into(), "three".into()], None, None)
    );
    store.reset_context(&ada, &here, two.id).await.unwrap();
    let reset = past().await;
    assert_eq!((texts(&reset), reset.summary), (vec!["three".into()], None));
    let void = AskedPast { limit: 0, ..past_of("ada") };
    assert_eq!(store.past(&void).await.unwrap().messages, []);
    store.put_summary(&ada, &here, summary(three.id, "all of it"), Sources::default()).await.unwrap();
    assert_eq!(texts(&past().await), [""; 0]);
    assert_eq!(past().await.summary.unwrap().text, "all of it");
}

/// A new channel is not mistaken for an erased one. A text made from the summary of the erased channel is refused,
/// although the channel's name no longer exists.
pub async fn gr10_an_erasure_is_known_though_its_channel_is_gone(store: &dyn Store) {
    let erased = store.unerased(&Sources::default()).await.unwrap();
    hear(store, "bo", CHAT, "bo's", 0).await;
    store.erase(&Erase::Channel(channel(CHAT)), Quotes::Stay).await.unwrap();
    hear(store, "kit", "discord:43", "kit's, elsewhere", 1).await;
    hear(store, "kit", CHAT, "kit's", 2).await;
    let since = store.erased_since(erased).await.unwrap();
    assert!(since.reaches(&channel(CHAT)), "{since:?}");
    let summary_of = Some(channel(CHAT));
    let of_summary = Sources { erased, items: Vec::new(), summary_of: summary_of.clone() };
    let told = store.unerased(&of_summary).await;
    assert!(matches!(told, Err(StoreError::Erased(_))), "{told:?}");
    let late = NewMemory { sources: of_summary, ..statement("ada", Scope::Global, "bo was there") };
    let late = store.remember(late).await;
    assert!(matches!(late, Err(StoreError::Erased(_))), "{late:?}");
    let anew = Sources { erased: since.end, items: Vec::new(), summary_of };
    store.unerased(&anew).await.unwrap();
}

/// Nothing was said in this channel: there is nothing to summarise, and the call does not create the channel.
pub async fn fg12_a_channel_that_is_not_there_has_no_summary(store: &dyn Store) {
    let (ada, there) = (persona("ada"), channel("terminal:other"));
    store.put_summary(&ada, &there, summary(MessageId(1), "of nothing"), Sources::default()).await.unwrap();
    assert_eq!(summary_of(store, &ada, &there).await, None);
}

/// A session belongs to the whole chat: a message in another thread continues it.
pub async fn as5_the_past_of_a_new_thread_has_the_session_of_its_chat(store: &dyn Store) {
    let first = say(store, "hello").await;
    let asked = AskedPast { channel: channel(&format!("{}:7", first.channel)), ..past_of("ada") };
    let past = store.past(&asked).await.unwrap();
    assert_eq!(past.session, store.sessions(&first.channel).await.unwrap().pop());
    assert_eq!((past.messages, past.presence), (Vec::new(), Vec::new()));
}

/// Whatever characters it contains, the past returns a message unchanged, with its author and its reply reference.
pub async fn fg12_a_past_holds_messages_as_they_were_said(store: &dyn Store) {
    let text = "\"quoted\" \\ {braces}, [1,2]\nnext\tline \u{0}\u{1}\u{7f} é 私 \u{1f41f}\u{2028}";
    let said =
        Message { reply_to: Some("\"e0\"".into()), ..said_by("bo", "terminal:default", "e\"1", text, NOW) };
    let stored = store.accept(said).await.unwrap().message;
    assert_eq!(stored.text, text);
    let past = store.past(&AskedPast { heard: false, ..past_of("ada") }).await.unwrap();
    assert_eq!(past.messages.iter().map(|message| &**message).collect::<Vec<_>>(), [&stored]);
}
