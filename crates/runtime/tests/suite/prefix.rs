//! GR5: what stands before the volatile part of a request stays the same from turn to turn.

use greenroom_persona::{BlockPlace, MemorySettings, Persona, SourceSettings};

use super::house::*;

const PROMPT: &str =
    "You are Ada, a patient systems engineer who answers in a few plain words and never guesses.";

fn ada(place: BlockPlace) -> Persona {
    let mut ada = persona("ada");
    ada.prompt = PROMPT.into();
    let off = SourceSettings::ranked(0);
    // one memory a message, so that the block differs from message to message
    ada.memory = MemorySettings {
        place,
        knowledge: SourceSettings::ranked(1),
        notes: off,
        events: off,
        summaries: off,
        messages: off,
        ..MemorySettings::default()
    };
    ada
}

/// The share of each request that begins like the one before it, while every message recalls
/// something else.
async fn shares(place: BlockPlace) -> Vec<Option<f32>> {
    let mut house = House::with(vec![ada(place)]).await;
    for fact in ["the harbour opens at nine", "the boat is called Petrel", "the pier is made of oak"] {
        house.knows("ada", fact).await;
    }
    for n in 0..6 {
        let text = format!("good morning number {n}, it is cold and windy today and the sea is grey");
        house.exchange("ada", &text, "A good morning to you, and mind the wind on your way down.").await;
    }
    let mut shares = Vec::new();
    for question in ["when does the harbour open?", "what is the boat called?", "what is the pier made of?"] {
        let events = house
            .exchange(
                "ada",
                question,
                "I know that one, for I was told so not long ago and have not forgotten it since.",
            )
            .await;
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
        assert!(after > 0.7, "{after}");
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
