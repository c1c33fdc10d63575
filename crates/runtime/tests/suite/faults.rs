//! Faults, and what they must not affect.

use std::sync::atomic::Ordering;

use greenroom_core::{ActorState, Author, Entropy, ErrorCode, Message, SystemEntropy, Time, TurnId};
use greenroom_runtime::RuntimeError;
use greenroom_store::{NewTurn, TRIES, TurnState, prelude::*};

use super::house::*;

#[tokio::test]
async fn s7_a_panicking_turn_is_contained_and_its_neighbours_go_on() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    let to_ada = house.say_to("ada", "hello").await;
    let ada = house.call().await;
    let to_bob = house.say_to("bob", "hello").await;
    let bob = house.call().await;
    let waiting = house.say_to("ada", "are you well?").await;
    ada.panics();
    assert_eq!(failure(&all(to_ada.events).await).0, ErrorCode::Internal);
    bob.answer("hello");
    assert_eq!(reply(&all(to_bob.events).await), "hello");
    // the actor restarts after a moment, and its waiting cues are not lost
    house.call().await.answer("quite well");
    assert_eq!(reply(&all(waiting.events).await), "quite well");
}

#[tokio::test]
async fn s7_a_persona_that_crashes_again_and_again_is_stopped_and_can_be_started() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    for _ in 0..6 {
        let sent = house.say_to("ada", "hello").await;
        house.call().await.panics();
        assert_eq!(failure(&all(sent.events).await).0, ErrorCode::Internal);
    }
    let (code, _) = failure(&all(house.say_to("ada", "hello?").await.events).await);
    assert_eq!(code, ErrorCode::PersonaStopped);
    assert_eq!(house.state("ada"), Some(ActorState::Stopped));
    assert_eq!(reply(&house.exchange("bob", "hello", "hello").await), "hello");
    house.runtime.start_all().await.unwrap();
    assert_eq!(reply(&house.exchange("ada", "better?", "better").await), "better");
}

/// A message that breaks every turn is given up after five tries. An operator may try it again, and other messages are
/// answered.
#[tokio::test]
async fn s8_a_message_that_breaks_every_turn_is_given_up() {
    let mut house = House::with(vec![shy("ada")]).await;
    let sent = house.say_to("ada", "boom").await;
    house.call().await.panics();
    assert_eq!(failure(&all(sent.events).await).0, ErrorCode::Internal);
    for _ in 1..TRIES {
        let again = house.retry(sent.message, "ada").await.unwrap();
        house.call().await.panics();
        assert_eq!(failure(&all(again.events).await).0, ErrorCode::Internal);
    }
    let refused = house.retry(sent.message, "ada").await.err().unwrap();
    assert!(matches!(refused, RuntimeError::DeadLetter { tries: TRIES, .. }), "{refused}");
    let letters = house.store.dead_letters(9).await.unwrap();
    assert_eq!(letters.iter().map(|letter| letter.message.id).collect::<Vec<_>>(), [sent.message]);
    assert_eq!(reply(&house.exchange("ada", "and you?", "well").await), "well", "others are answered");

    let again = house.force_retry(sent.message, "ada").await.unwrap();
    house.call().await.answer("after all");
    assert_eq!(reply(&all(again.events).await), "after all");
    assert_eq!(house.store.dead_letters(9).await.unwrap(), []);
}

#[tokio::test]
async fn s7_a_room_that_dies_is_woken_by_the_next_message() {
    let mut house = House::with(vec![persona("ada")]).await;
    let running = house.say("hello").await;
    let call = house.call().await;
    let waiting = house.say("and?").await;
    house.entropy.broken.store(true, Ordering::SeqCst);
    let crashed = house.send(house.envelope("boom")).await;
    assert!(matches!(crashed, Err(RuntimeError::Crashed { .. })));
    house.entropy.broken.store(false, Ordering::SeqCst);
    assert_eq!(failure(&all(running.events).await).0, ErrorCode::Internal);
    assert_eq!(failure(&all(waiting.events).await).0, ErrorCode::Internal);
    call.dropped().await;
    assert!(house.said().await.contains(&"boom".to_owned()), "accepted is accepted");
    assert_eq!(reply(&house.exchange("ada", "back?", "back").await), "back");
}

#[tokio::test]
async fn s1_a_start_ends_what_a_crash_left_unfinished_and_says_so() {
    let house = House::with(vec![persona("ada")]).await;
    let channel = channel("terminal:default");
    let message = |event: &str, text: &str| Message {
        at: house.clock.now(),
        ..Message::new(
            channel.clone(),
            event,
            Author::User { id: "mo".parse().unwrap(), name: "Mo".into() },
            text,
        )
    };
    let turn = TurnId(SystemEntropy.uuid());
    let begun = house.store.accept(message("a", "hello")).await.unwrap().message;
    let plan = vec![NewTurn { id: turn, persona: name("ada"), at: house.clock.now(), begins: false }];
    house.store.plan_turns(begun.id, plan.into()).await.unwrap();
    house.store.begin_turn(turn, house.clock.now()).await.unwrap();
    house.store.accept(message("b", "never settled")).await.unwrap();

    let found = house.runtime.recover(&channel).await.unwrap();
    let texts: Vec<_> = found.iter().map(|f| (f.message.text.as_str(), f.turn.is_some())).collect();
    assert_eq!(texts, [("hello", true), ("never settled", false)]);
    let stored = house.store.turn(turn).await.unwrap().unwrap();
    assert_eq!((stored.state, stored.code), (TurnState::Failed, Some(ErrorCode::Interrupted)));
    assert_eq!(house.runtime.recover(&channel).await.unwrap(), []);
}

#[tokio::test]
async fn s2_a_store_that_fails_fails_the_request() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    let call = house.call().await;
    house.store.close().await;
    call.answer("hi");
    let (code, message) = failure(&all(sent.events).await);
    assert_eq!(code, ErrorCode::StoreFailed);
    assert!(message.contains("closed"), "{message}");
    assert!(matches!(house.send(house.envelope("hello?")).await, Err(RuntimeError::Store(_))));
}
