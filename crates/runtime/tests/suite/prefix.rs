//! GR5: what stands before the volatile part of a request stays the same from turn to turn.

use greenroom_persona::{BlockPlace, Persona};

use super::house::*;

const PROMPT: &str =
    "You are Ada, a patient systems engineer who answers in a few plain words and never guesses.";

fn ada(place: BlockPlace) -> Persona {
    let mut ada = persona("ada");
    ada.prompt = PROMPT.repeat(5);
    ada.memory.place = place;
    ada
}

/// The share of each request that begins like the one before it, while every message recalls
/// something else.
async fn shares(place: BlockPlace) -> Vec<Option<f32>> {
    let mut house = House::with(vec![ada(place)]).await;
    for fact in ["the harbour opens at nine", "the boat is called Petrel", "the pier is made of oak"] {
        house.exchange("ada", &format!("Remember that {fact}"), "Noted.").await;
    }
    house.memory.index_pending().await.unwrap();
    house.runtime.reset(&name("ada"), &channel("terminal:default")).await.unwrap();
    let mut shares = Vec::new();
    for question in ["when does the harbour open?", "what is the boat called?", "what is the pier made of?"] {
        let events = house.exchange("ada", question, "I know that one.").await;
        assert!(!recalled(&events).is_empty());
        shares.push(receipt(&events).reusable_prefix);
    }
    shares
}

#[tokio::test]
async fn gr5_with_memories_after_the_history_most_of_a_request_begins_like_the_last_one() {
    let after = shares(BlockPlace::AfterHistory).await;
    let system = shares(BlockPlace::System).await;
    for (after, system) in after.iter().zip(&system).skip(1) {
        let (after, system) = (after.unwrap(), system.unwrap());
        assert!(after > system, "{after} after the history, {system} before it");
        assert!(after > 0.6, "{after}");
    }
}

#[tokio::test]
async fn gr5_the_first_request_of_an_actor_has_none_before_it() {
    let mut house = House::with(vec![persona("ada")]).await;
    let first = house.exchange("ada", "hello", "hi").await;
    assert_eq!(receipt(&first).reusable_prefix, None);
    let second = house.exchange("ada", "hello again", "hi").await;
    assert!(receipt(&second).reusable_prefix.is_some_and(|share| share > 0.0));
}
