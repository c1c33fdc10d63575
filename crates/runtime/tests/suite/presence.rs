//! GR2: a persona recalls and is shown only what it was present for, or was told.

use greenroom_persona::Persona;

use super::house::*;

const SECRET: &str = "the vault code is 4711";
const QUESTION: &str = "what is the vault code?";

/// The text of a persona's request when it is asked. `afresh` resets its context first.
async fn asked(house: &mut House, who: &str, afresh: bool) -> String {
    house.memory.index_pending().await.unwrap();
    if afresh {
        house.runtime.reset(&name(who), &channel("terminal:default")).await.unwrap();
    }
    let sent = house.say_to(who, QUESTION).await;
    let call = house.call().await;
    let text = call.text();
    call.answer("I see.");
    all(sent.events).await;
    text
}

fn trusting(who: &str) -> Persona {
    let mut persona = shy(who);
    persona.memory.witness = false;
    persona
}

#[tokio::test]
async fn gr2_a_persona_that_joins_later_knows_nothing_of_what_was_said_before() {
    let mut house = House::with(vec![shy("ada")]).await;
    house.exchange("ada", SECRET, "I keep it.").await;
    house.runtime.set_personas(vec![shy("ada"), shy("bob")]).await;
    for afresh in [false, true] {
        let bob = asked(&mut house, "bob", afresh).await;
        assert!(!bob.contains("4711"), "{bob}");
        let ada = asked(&mut house, "ada", afresh).await;
        assert!(ada.contains("4711"), "{ada}");
    }
}

#[tokio::test]
async fn gr2_a_persona_that_was_away_did_not_hear_what_was_said_meanwhile() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "the harbour opens at nine", "Good to know.").await;
    house.runtime.set_personas(vec![shy("ada")]).await;
    house.exchange("ada", SECRET, "I keep it.").await;
    house.runtime.set_personas(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "the boat is called Petrel", "A fine name.").await;
    let bob = asked(&mut house, "bob", false).await;
    assert!(bob.contains("the harbour opens at nine") && bob.contains("Petrel"), "{bob}");
    assert!(!bob.contains("4711") && !bob.contains("I keep it"), "{bob}");
}

#[tokio::test]
async fn gr2_a_persona_that_was_stopped_did_not_hear_what_was_said_meanwhile() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "hello", "hi").await;
    house.runtime.stop_all().await;
    all(house.say_to("ada", SECRET).await.events).await;
    house.runtime.start_all().await.unwrap();
    let bob = asked(&mut house, "bob", false).await;
    assert!(bob.contains("hello") && !bob.contains("4711"), "{bob}");
    let ada = asked(&mut house, "ada", false).await;
    assert!(ada.contains("4711"), "it was told, though it could not answer: {ada}");
}

#[tokio::test]
async fn gr2_a_stopped_persona_that_was_meant_hears_that_and_not_what_others_answer() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "hello", "hi").await;
    house.runtime.stop_persona(&"ada".parse().unwrap()).await.unwrap();
    let sent = house.say("@ada and @bob: what about the boat?").await;
    house.call().await.answer(SECRET);
    all(sent.events).await;
    house.runtime.start_persona(&"ada".parse().unwrap()).await.unwrap();
    let ada = asked(&mut house, "ada", false).await;
    assert!(ada.contains("what about the boat") && !ada.contains("4711"), "{ada}");
}

#[tokio::test]
async fn gr2_a_persona_that_is_stopped_while_another_answers_does_not_hear_that_reply() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "hello", "hi").await;
    let sent = house.say_to("ada", "what is the code?").await;
    let call = house.call().await;
    house.runtime.stop_persona(&name("bob")).await.unwrap();
    call.answer(SECRET);
    all(sent.events).await;
    house.exchange("ada", "thank you", "you are welcome").await;
    house.runtime.start_persona(&name("bob")).await.unwrap();
    for afresh in [false, true] {
        let bob = asked(&mut house, "bob", afresh).await;
        assert!(afresh || bob.contains("what is the code?"), "it heard that before it was stopped: {bob}");
        assert!(!bob.contains("4711") && !bob.contains("thank you") && !bob.contains("welcome"), "{bob}");
    }
}

#[tokio::test]
async fn gr2_a_persona_that_leaves_while_another_answers_does_not_hear_that_reply_even_after_a_restart() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "hello", "hi").await;
    let sent = house.say_to("ada", "what is the code?").await;
    let call = house.call().await;
    house.runtime.set_personas(vec![shy("ada")]).await;
    call.answer(SECRET);
    all(sent.events).await;
    // no one says anything before it is back
    let mut house = house.again(vec![shy("ada"), shy("bob")], Wishes::default()).await;
    for afresh in [false, true] {
        let bob = asked(&mut house, "bob", afresh).await;
        assert!(!bob.contains("4711"), "{bob}");
    }
}

#[tokio::test]
async fn gr2_a_persona_that_is_started_while_another_answers_hears_that_reply_and_nothing_before_it() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "hello", "hi").await;
    house.runtime.stop_persona(&name("bob")).await.unwrap();
    house.exchange("ada", SECRET, "I keep it.").await;
    let sent = house.say_to("ada", "and the boat?").await;
    let call = house.call().await;
    house.runtime.start_persona(&name("bob")).await.unwrap();
    call.answer("It is called Petrel.");
    all(sent.events).await;
    let bob = asked(&mut house, "bob", false).await;
    assert!(bob.contains("hello") && bob.contains("Petrel"), "{bob}");
    assert!(!bob.contains("4711") && !bob.contains("I keep it") && !bob.contains("and the boat?"), "{bob}");
}

#[tokio::test]
async fn gr2_a_persona_that_is_away_does_not_hear_what_is_answered_again() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    let sent = house.say_to("ada", "what is the code?").await;
    let (here, message) = (channel("terminal:default"), sent.message);
    let _call = house.call().await;
    house.runtime.cancel(&here).await;
    all(sent.events).await;
    let mut house = house.again(vec![shy("ada")], Wishes::default()).await;
    let again = house.retry(message, "ada").await.unwrap();
    house.call().await.answer(SECRET);
    all(again.events).await;
    house.runtime.set_personas(vec![shy("ada"), shy("bob")]).await;
    let bob = asked(&mut house, "bob", false).await;
    assert!(bob.contains("what is the code?") && !bob.contains("4711"), "{bob}");
}

#[tokio::test]
async fn gr2_it_is_known_after_a_restart_who_was_away() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "hello", "hi").await;
    let mut house = house.again(vec![shy("ada")], Wishes::default()).await;
    house.exchange("ada", SECRET, "I keep it.").await;
    let mut house = house.again(vec![shy("ada"), shy("bob")], Wishes::default()).await;
    for afresh in [false, true] {
        let bob = asked(&mut house, "bob", afresh).await;
        assert!(!bob.contains("4711"), "{bob}");
    }
}

#[tokio::test]
async fn gr2_two_personas_in_one_room_both_hear_what_is_said_there() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", SECRET, "I keep it.").await;
    for (who, afresh) in [("bob", false), ("ada", true), ("bob", true)] {
        let text = asked(&mut house, who, afresh).await;
        assert!(text.contains("4711"), "{who}: {text}");
    }
}

#[tokio::test]
async fn gr2_without_the_rule_a_persona_knows_what_was_said_before_it_came() {
    let mut house = House::with(vec![shy("ada")]).await;
    house.exchange("ada", SECRET, "I keep it.").await;
    house.runtime.set_personas(vec![shy("ada"), trusting("bob")]).await;
    for afresh in [false, true] {
        let bob = asked(&mut house, "bob", afresh).await;
        assert!(bob.contains("4711"), "{bob}");
    }
}

#[tokio::test]
async fn gr2_what_a_persona_was_told_it_knows_wherever_it_was() {
    let mut house = House::with(vec![shy("ada")]).await;
    house.exchange("ada", "hello", "hi").await;
    house.knows("bob", SECRET).await;
    house.runtime.set_personas(vec![shy("ada"), shy("bob")]).await;
    let bob = asked(&mut house, "bob", false).await;
    assert!(bob.contains("4711") && !bob.contains("hello"), "{bob}");
}
