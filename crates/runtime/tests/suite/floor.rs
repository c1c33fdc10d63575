//! Rooms: who answers, in which order, and how a burst is answered.

use greenroom_core::{ChatEvent, TurnId};
use greenroom_runtime::RuntimeError;
use greenroom_store::{TurnState, prelude::*};

use super::house::*;

#[tokio::test]
async fn wb12_two_personas_answer_one_after_the_other_and_the_second_sees_the_first() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    let sent = house.say_to("ada", "What do you think, @Bob?").await;
    let names: Vec<_> = sent.answering.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["ada", "bob"]);
    house.call().await.answer("I think so.");
    let call = house.call().await;
    assert_eq!(call.request.messages.last().unwrap().content, "Ada: I think so.");
    call.answer("So do I.");
    let events = all(sent.events).await;
    assert_eq!(kinds(&events).iter().filter(|kind| *kind == "done").count(), 2);
    assert!(!house.was_called(), "nobody answers a persona");
    assert_eq!(house.said().await, ["What do you think, @Bob?", "I think so.", "So do I."]);
}

#[tokio::test]
async fn wb12_a_mention_overrides_the_cooldown() {
    let mut ada = persona("ada");
    ada.room.cooldown = std::time::Duration::from_secs(30);
    let mut house = House::with(vec![ada]).await;
    let sent = house.say("hello").await;
    house.call().await.answer("hi");
    all(sent.events).await;

    let unheard = house.say("anybody?").await;
    assert!(unheard.answering.is_empty());
    assert!(all(unheard.events).await.is_empty(), "settled with no turns");
    let sent = house.say("@ADA!").await;
    house.call().await.answer("yes?");
    assert_eq!(reply(&all(sent.events).await), "yes?");
    house.clock.advance(std::time::Duration::from_secs(31));
    let sent = house.say("still there?").await;
    house.call().await.answer("still");
    assert_eq!(reply(&all(sent.events).await), "still");
    let unfinished = house.store.unfinished(None).await.unwrap();
    assert_eq!(unfinished, [], "what nobody answers is settled, too");
}

#[tokio::test]
async fn a_burst_is_answered_once() {
    let mut house = House::with(vec![persona("ada")]).await;
    let first = house.say("one").await;
    let call = house.call().await;
    let second = house.say("two").await;
    let third = house.say("three").await;
    call.answer("1");
    assert_eq!(reply(&all(first.events).await), "1");

    let call = house.call().await;
    let told: Vec<_> = call.request.messages.iter().skip(1).map(|m| m.content.as_str()).collect();
    let tail = &told[told.len() - 4..];
    assert_eq!(tail, ["one", "1", "two", "three"], "told as the persona lived it");
    call.answer("2 and 3");
    let (second, third) = (collect(second.events).await, collect(third.events).await);
    assert_eq!(second, third, "both senders hear the turn that answers them");
    assert!(!house.was_called());
    let turn = second[0].0;
    assert_eq!(house.store.turn(turn).await.unwrap().unwrap().state, TurnState::Done);
    assert_eq!(house.store.unfinished(None).await.unwrap(), []);
    assert_eq!(house.said().await, ["one", "two", "three", "1", "2 and 3"]);
}

/// The state in the store: a free persona's turn is running at once, a busy persona's turn waits.
#[tokio::test]
async fn as4_a_turn_is_running_while_it_is_played_and_waiting_before() {
    let mut house = House::with(vec![persona("ada")]).await;
    let store = house.store.clone();
    let state = async |message| store.answers(message).await.unwrap()[0].state;
    let first = house.say("one").await;
    let call = house.call().await;
    let second = house.say("two").await;
    assert_eq!(state(first.message).await, TurnState::Running);
    assert_eq!(state(second.message).await, TurnState::Waiting);
    call.answer("1");
    let call = house.call().await;
    assert_eq!(state(first.message).await, TurnState::Done);
    assert_eq!(state(second.message).await, TurnState::Running);
    call.answer("2");
    assert_eq!(reply(&all(second.events).await), "2");
    assert_eq!(state(second.message).await, TurnState::Done);
}

async fn collect(mut events: greenroom_runtime::TurnEvents) -> Vec<(TurnId, ChatEvent)> {
    let mut seen = Vec::new();
    while let Some(event) = next(&mut events).await {
        seen.push((event.turn_id, event.event));
    }
    seen
}

#[tokio::test]
async fn s9_too_many_waiting_messages_are_refused_before_they_are_stored() {
    let wishes = Wishes { queue_limit: 2, ..Wishes::default() };
    let mut house = House::as_wished(vec![persona("ada")], wishes).await;
    let first = house.say("one").await;
    let call = house.call().await;
    let second = house.say("two").await;
    let third = house.say("three").await;
    let refused = house.send(house.envelope("four")).await;
    assert!(matches!(refused, Err(RuntimeError::Busy { waiting: 2, .. })));
    let other = house.send(house.envelope_from("mo", "terminal:other", "hello")).await.unwrap();
    house.call().await.answer("hi");
    all(other.events).await;

    call.answer("1");
    all(first.events).await;
    house.call().await.answer("2 and 3");
    all(second.events).await;
    all(third.events).await;
    assert!(!house.said().await.contains(&"four".to_owned()));
    assert_eq!(reply(&house.exchange("ada", "four", "4").await), "4");
}

#[tokio::test]
async fn a_slow_reader_slows_the_reply_and_loses_nothing() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("count").await;
    let call = house.call().await;
    for n in 0..500 {
        call.says(&format!("{n} "));
    }
    call.finishes(greenroom_models::FinishReason::Stop);
    let expected: String = (0..500).map(|n| format!("{n} ")).collect();
    let events = all(sent.events).await;
    assert_eq!(kinds(&events).iter().filter(|kind| *kind == "token_delta").count(), 500);
    assert_eq!(reply(&events), expected);
}

#[tokio::test]
async fn messages_to_somebody_unknown_are_refused_with_the_names_there_are() {
    let house = House::with(vec![persona("ada"), shy("bob")]).await;
    let to = Some(name("eve"));
    let refused = house.send(greenroom_core::Envelope { to, ..house.envelope("hello") }).await.err().unwrap();
    assert_eq!(refused.to_string(), "there is no persona `eve`; there are: ada, bob");
}
