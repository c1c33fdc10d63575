//! GR10: what any process erased is neither published again nor kept in anything made of it.

use futures::FutureExt;
use greenroom_core::{ChatEvent, ErrorCode, EventId, Tier};
use greenroom_persona::Persona;
use greenroom_runtime::{NextEvent, Topic};
use greenroom_store::{Erase, Quotes, TurnState, prelude::*};

use super::house::*;

const HERE: &str = "terminal:default";
const BOAT: &str = "my boat is called Petrel";

/// Bo says something, and Ada answers.
async fn bo_says(house: &mut House, text: &str, at: &str) {
    says(house, "bo", text, at).await;
}

/// A person says something, and Ada answers.
async fn says(house: &mut House, who: &str, text: &str, at: &str) {
    let sent = house.send(house.envelope_from(who, at, text)).await.unwrap();
    house.call().await.answer("Good to know.");
    all(sent.events).await;
}

/// Another process erases a person.
async fn forgotten_elsewhere(house: &House, person: &str) {
    let other = house.beside().await;
    other.erase(&Erase::Person(person.parse().unwrap()), Quotes::Stay).await.unwrap();
    other.close().await;
}

fn learner() -> Persona {
    let mut ada = persona("ada");
    ada.memory.capture.facts = true;
    ada
}

#[tokio::test]
async fn gr10_a_reply_made_of_what_was_forgotten_meanwhile_is_not_kept_and_can_be_asked_for_again() {
    let mut house = House::with(vec![persona("ada")]).await;
    bo_says(&mut house, BOAT, HERE).await;
    let sent = house.say("what is the boat of Bo called?").await;
    let (message, turn) = (sent.message, sent.turns[0]);
    let call = house.call().await;
    assert!(call.text().contains("Petrel"), "{}", call.text());
    forgotten_elsewhere(&house, "terminal:bo").await;
    call.answer("It is called Petrel.");
    let (code, why) = failure(&all(sent.events).await);
    assert_eq!(code, ErrorCode::ForgottenMeanwhile);
    assert!(why.contains("say it again"), "{why}");
    assert!(!house.said().await.iter().any(|text| text.contains("Petrel")));
    let stored = house.store.turn(turn).await.unwrap().unwrap();
    assert_eq!((stored.state, stored.code), (TurnState::Failed, Some(ErrorCode::ForgottenMeanwhile)));
    // a late listener does not receive what the turn said
    let mut late = house.runtime.subscribe(Topic::Turn(channel(HERE), turn), None).await;
    assert_eq!(late.next().await, Some(NextEvent::Missed));

    let again = house.retry(message, "ada").await.unwrap();
    let call = house.call().await;
    assert!(!call.text().contains("Petrel"), "{}", call.text());
    call.answer("I do not know.");
    assert_eq!(reply(&all(again.events).await), "I do not know.");
}

/// On a chat platform nobody can be asked to say it again: the persona answers from what stays.
#[tokio::test]
async fn gr10_on_a_chat_platform_a_turn_starts_over_from_what_stays() {
    const DEN: &str = "irc:#den";
    let mut house = House::with(vec![persona("ada")]).await;
    says(&mut house, "bo", BOAT, DEN).await;
    let sent = house.send(house.envelope_from("kit", DEN, "what is the boat of Bo called?")).await.unwrap();
    let turn = sent.turns[0];
    let call = house.call().await;
    call.says("It is ");
    forgotten_elsewhere(&house, "irc:bo").await;
    call.dropped().await;
    let again = house.call().await;
    assert!(!again.text().contains("Petrel"), "{}", again.text());
    again.answer("I do not know.");
    let told = all(sent.events).await;
    assert_eq!(reply(&told), "I do not know.");
    let times = |kind: &str| kinds(&told).iter().filter(|told| **told == kind).count();
    assert_eq!((times("turn_started"), times("reply_discarded"), times("done")), (1, 1, 1), "{told:?}");
    let stored = house.store.turn(turn).await.unwrap().unwrap();
    assert_eq!(stored.state, TurnState::Done);
    assert!(stored.usage.estimated, "what the first call used up is paid for");
}

#[tokio::test]
async fn gr10_a_turn_whose_own_message_is_erased_or_whose_tools_ran_does_not_start_over() {
    const DEN: &str = "irc:#den";
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.send(house.envelope_from("kit", DEN, "what do you know?")).await.unwrap();
    let call = house.call().await;
    forgotten_elsewhere(&house, "irc:kit").await;
    call.dropped().await;
    assert_eq!(failure(&all(sent.events).await).0, ErrorCode::ForgottenMeanwhile);

    says(&mut house, "bo", BOAT, DEN).await;
    let sent = house.send(house.envelope_from("kit", DEN, "what is the boat of Bo called?")).await.unwrap();
    house.call().await.wants(&[("remember", r#"{"text": "Kit asks for boats"}"#)]);
    let call = house.call().await;
    forgotten_elsewhere(&house, "irc:bo").await;
    call.dropped().await;
    assert_eq!(failure(&all(sent.events).await).0, ErrorCode::ForgottenMeanwhile);
}

#[tokio::test]
async fn gr10_a_turn_under_way_tells_nothing_more_of_what_is_forgotten() {
    let mut house = House::with(vec![persona("ada")]).await;
    bo_says(&mut house, BOAT, HERE).await;
    let mut sent = house.say("what is the boat of Bo called?").await;
    let turn = sent.turns[0];
    let call = house.call().await;
    call.says("It is ");
    while !matches!(sent.events.recv().await.unwrap().event, ChatEvent::TokenDelta { .. }) {}
    forgotten_elsewhere(&house, "terminal:bo").await;
    // a new subscription makes this process follow the erasure
    let mut late = house.runtime.subscribe(Topic::Channel(channel(HERE)), None).await;
    let mut of_turn = house.runtime.subscribe(Topic::Turn(channel(HERE), turn), None).await;
    assert_eq!(of_turn.next().await, Some(NextEvent::Missed));
    // the model goes on, and its turn ends at once
    call.says("called Petrel");
    let told = all(sent.events).await;
    assert_eq!(failure(&told).0, ErrorCode::ForgottenMeanwhile);
    // the turn may have ended before the subscription: then no event is left
    if let Some(heard) = of_turn.next().now_or_never() {
        let Some(NextEvent::Event(heard)) = heard else { panic!("{heard:?}") };
        assert!(matches!(heard.event, ChatEvent::Failed { .. }), "{heard:?}");
    }
    assert!(!format!("{told:?}").contains("Petrel"), "{told:?}");
    assert!(house.runtime.context(turn).await.is_none());
    call.dropped().await;
    // the turn may have ended before the subscription to the channel: its listener receives the end, or the next turn
    // alone
    house.exchange("ada", "good night", "Good night.").await;
    loop {
        let Some(NextEvent::Event(heard)) = late.next().await else { panic!("nothing was heard") };
        assert!(!format!("{heard:?}").contains("Petrel"), "{heard:?}");
        if matches!(heard.event, ChatEvent::Done { .. }) {
            break;
        }
    }
}

/// The model is silent for long, this process gets no calls, and another process erases.
#[tokio::test]
async fn gr10_a_turn_whose_model_is_silent_ends_when_another_process_forgets_what_it_was_shown() {
    let mut house = House::with(vec![persona("ada")]).await;
    bo_says(&mut house, BOAT, HERE).await;
    let sent = house.say("what is the boat of Bo called?").await;
    let call = house.call().await;
    assert!(call.text().contains("Petrel"), "{}", call.text());
    forgotten_elsewhere(&house, "terminal:bo").await;
    assert_eq!(failure(&all(sent.events).await).0, ErrorCode::ForgottenMeanwhile);
    call.dropped().await;
}

#[tokio::test]
async fn gr10_a_turn_under_way_goes_on_where_others_are_forgotten() {
    let mut house = House::with(vec![persona("ada")]).await;
    bo_says(&mut house, BOAT, HERE).await;
    says(&mut house, "kit", "hello, all", HERE).await;
    house.runtime.reset(&name("ada"), &channel(HERE)).await.unwrap();
    let sent = house.say("what is new?").await;
    let call = house.call().await;
    assert!(!call.text().contains("hello, all"), "{}", call.text());
    call.says("Not ");
    forgotten_elsewhere(&house, "terminal:kit").await;
    house.runtime.follow_erasures().await;
    call.answer("much.");
    assert_eq!(reply(&all(sent.events).await), "Not much.");
}

#[tokio::test]
async fn gr10_what_is_forgotten_elsewhere_refuses_no_reply() {
    let mut house = House::with(vec![persona("ada")]).await;
    bo_says(&mut house, BOAT, "terminal:other").await;
    let sent = house.say("what is new?").await;
    let call = house.call().await;
    forgotten_elsewhere(&house, "terminal:bo").await;
    call.answer("Not much.");
    assert_eq!(reply(&all(sent.events).await), "Not much.");
}

#[tokio::test]
async fn gr10_a_turn_whose_message_is_forgotten_says_so() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("my boat is called Petrel").await;
    let call = house.call().await;
    forgotten_elsewhere(&house, "terminal:mo").await;
    call.answer("Petrel, then.");
    assert_eq!(failure(&all(sent.events).await).0, ErrorCode::ForgottenMeanwhile);
    assert_eq!(house.said().await, [""; 0]);
}

#[tokio::test]
async fn gr10_a_persona_may_speak_of_what_it_forgets_itself() {
    let mut ada = persona("ada");
    ada.tools = vec!["recall".into(), "forget".into()];
    let mut house = House::with(vec![ada]).await;
    let sent = house.say("Remember that my boat is called Petrel").await;
    house.call().await.answer("Noted.");
    all(sent.events).await;
    let sent = house.say("forget my boat").await;
    let call = house.call().await;
    assert!(call.text().contains("Petrel"), "{}", call.text());
    call.wants(&[("recall", r#"{"query":"boat"}"#), ("forget", r#"{"query":"boat Petrel"}"#)]);
    house.call().await.answer("Petrel is forgotten.");
    assert_eq!(reply(&all(sent.events).await), "Petrel is forgotten.");
}

#[tokio::test]
async fn gr10_what_a_tool_showed_counts_as_shown() {
    let mut ada = persona("ada");
    ada.memory.auto_retrieve = false;
    ada.tools = vec!["recall".into(), "remember".into()];
    let mut house = House::with(vec![ada]).await;
    bo_says(&mut house, BOAT, HERE).await;
    house.memory.index_pending().await.unwrap();
    house.runtime.reset(&name("ada"), &channel(HERE)).await.unwrap();
    let sent = house.say("what is the boat called?").await;
    let call = house.call().await;
    assert!(!call.text().contains("Petrel"), "{}", call.text());
    call.wants(&[("recall", r#"{"query":"boat Petrel"}"#)]);
    let call = house.call().await;
    assert!(call.text().contains("Petrel"), "{}", call.text());
    forgotten_elsewhere(&house, "terminal:bo").await;
    call.wants(&[("remember", r#"{"content":"The boat is called Petrel"}"#)]);
    // the turn ends as soon as it follows the erasure: before the next model call, or at its commit
    let mut told = std::pin::pin!(all(sent.events));
    let told = tokio::select! {
        told = &mut told => told,
        call = house.call() => {
            call.answer("It is called Petrel.");
            told.await
        }
    };
    assert_eq!(failure(&told).0, ErrorCode::ForgottenMeanwhile);
    assert!(!house.memories("ada").await.iter().any(|memory| memory.text.contains("Petrel")));
}

#[tokio::test]
async fn gr10_nothing_is_captured_of_what_was_forgotten_meanwhile() {
    // Bo's words belong to the channel, so Ada is shown them when she answers Mo
    let mut learner = learner();
    learner.memory.follow = greenroom_persona::Follow::Channel;
    let mut house = House::as_wished(vec![learner], Wishes { small: true, ..Wishes::default() }).await;
    bo_says(&mut house, BOAT, HERE).await;
    house.small_call().await.answer(
        r#"{"memories":[{"text":"my boat is called Petrel","kind":"fact","action":"add"}],"summary":"Bo spoke of Petrel."}"#,
    );
    house.runtime.captured().await;
    house.exchange("ada", "the boat of Bo is nice, I sail it each summer", "It is.").await;
    let call = house.small_call().await;
    assert!(call.text().contains("Petrel"), "{}", call.text());
    forgotten_elsewhere(&house, "terminal:bo").await;
    call.answer(
        r#"{"memories":[{"text":"the boat of Bo is nice, it is called Petrel","kind":"fact","action":"add"}],
            "summary":"Mo spoke of the boat Petrel."}"#,
    );
    house.runtime.captured().await;
    let left = house.memories("ada").await;
    assert!(left.iter().all(|memory| memory.tier != Tier::Conversation), "{left:?}");
    assert!(!left.iter().any(|memory| memory.text.contains("Petrel")), "{left:?}");
}

#[tokio::test]
async fn gr10_contexts_and_events_follow_what_another_process_erased() {
    let mut house = House::with(vec![persona("ada")]).await;
    // a group before Bo speaks: what was told one to one is not replayed to people who come later (MP1)
    house.exchange("ada", "hello", "hi").await;
    let mut listener = house.runtime.subscribe(Topic::Channel(channel(HERE)), None).await;
    bo_says(&mut house, BOAT, HERE).await;
    let sent = house.say("what is new?").await;
    let turn = sent.turns[0];
    house.call().await.answer("Not much.");
    all(sent.events).await;
    let Some(NextEvent::Event(first)) = listener.next().await else { panic!("nothing was heard") };
    let shown = house.runtime.context(turn).await.unwrap();
    assert!(shown.texts.iter().any(|text| text.contains("Petrel")));
    let mut replay = house.runtime.subscribe(Topic::Channel(channel(HERE)), Some(first.id)).await;
    assert!(matches!(replay.next().await, Some(NextEvent::Event(_))));

    forgotten_elsewhere(&house, "terminal:nobody").await;
    assert!(house.runtime.context(turn).await.is_some(), "nothing was erased");
    forgotten_elsewhere(&house, "terminal:bo").await;
    assert!(house.runtime.context(turn).await.is_none());
    assert!(!house.runtime.replays(&channel(HERE), turn).await);
    for topic in [Topic::Channel(channel(HERE)), Topic::Persona(name("ada"))] {
        let mut replay = house.runtime.subscribe(topic, Some(first.id)).await;
        assert_eq!(replay.next().await, Some(NextEvent::Missed));
    }
    // later events are published
    let newest = house.runtime.newest_event();
    assert!(newest > EventId(0));
    house.exchange("ada", "and now?", "Still not much.").await;
    let mut replay = house.runtime.subscribe(Topic::Channel(channel(HERE)), Some(newest)).await;
    assert!(matches!(replay.next().await, Some(NextEvent::Event(_))));
}

#[tokio::test]
async fn gr2_a_channel_that_was_forgotten_begins_anew_with_all_who_are_there() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "hello", "hi").await;
    let other = house.beside().await;
    other.erase(&Erase::Channel(channel(HERE)), Quotes::Stay).await.unwrap();
    other.close().await;
    house.exchange("ada", "the vault code is 4711", "I keep it.").await;
    let sent = house.say_to("bob", "what is the vault code?").await;
    let call = house.call().await;
    assert!(call.text().contains("4711") && call.text().contains("I keep it"), "{}", call.text());
    assert!(!call.text().contains("hello"), "{}", call.text());
    call.answer("4711.");
    all(sent.events).await;
}

#[tokio::test]
async fn gr10_contexts_follow_a_memory_that_another_process_corrects() {
    let mut house = House::with(vec![persona("ada")]).await;
    let memory = house.knows("ada", "the harbour opens at nine").await;
    let sent = house.say("when does the harbour open?").await;
    let turn = sent.turns[0];
    house.call().await.answer("At nine.");
    all(sent.events).await;
    assert!(house.runtime.context(turn).await.is_some());
    let other = house.beside().await;
    let edit = greenroom_store::MemoryEdit {
        text: Some("the harbour opens at ten".into()),
        kind: None,
        expires_at: None,
        private: None,
        trust: greenroom_core::Trust::Operator,
        at: greenroom_core::Timestamp(1_800_000_000_000_001),
    };
    other.edit(&house.viewer("ada"), memory, edit).await.unwrap().unwrap();
    other.close().await;
    assert!(house.runtime.context(turn).await.is_none());
}

/// A person comes while Ada answers from what Bo told her one to one. The newcomer does not get that reply. Bo asks
/// again and gets a reply without anything private (MP1).
#[tokio::test]
async fn mp1_a_turn_that_knows_something_private_ends_when_somebody_comes() {
    let mut house = House::with(vec![persona("ada")]).await;
    bo_says(&mut house, BOAT, HERE).await;
    let asked = house.send(house.envelope_from("bo", HERE, "what is my boat called?")).await.unwrap();
    let call = house.call().await;
    assert!(call.text().contains("Petrel"));
    let came = house.send(house.envelope_from("eve", HERE, "hello all")).await.unwrap();
    call.answer("It is called Petrel.");
    let events = all(asked.events).await;
    assert_eq!(failure(&events).0, ErrorCode::ForgottenMeanwhile);
    house.call().await.answer("Hello, Eve.");
    all(came.events).await;
    let said = house.store.history(&channel(HERE), None, 20).await.unwrap();
    assert!(!said.iter().any(|message| message.text == "It is called Petrel."), "{said:?}");
}
