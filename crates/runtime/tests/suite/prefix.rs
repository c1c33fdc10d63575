//! GR5: the part of a request before its volatile part stays the same from turn to turn.

use greenroom_persona::{BlockPlace, MemorySettings, Persona, SourceSettings};

use super::house::*;

const PROMPT: &str =
    "You are Ada, a patient systems engineer who answers in a few plain words and never guesses.";

fn ada(place: BlockPlace) -> Persona {
    let mut ada = persona("ada");
    ada.prompt = PROMPT.into();
    let off = SourceSettings::ranked(0);
    // one memory per message, so that the block differs from message to message
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

/// The share of each request that begins like the one before it, while every message recalls something else.
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

/// The window is full, so every message pushes out an older one.
#[tokio::test]
async fn gr5_in_a_full_window_most_of_a_request_still_begins_like_the_last_one() {
    let share = async |place| {
        let mut ada = ada(place);
        (ada.model.context_window, ada.model.max_output_tokens) = (Some(2_000), 200);
        ada.memory.summarise_history = false;
        ada.memory.budget_tokens = 400;
        let mut house = House::with(vec![ada]).await;
        for fact in ["the harbour opens at nine", "the boat is called Petrel", "the pier is made of oak"] {
            house.knows("ada", fact).await;
        }
        let mut shares = Vec::new();
        for n in 0..60 {
            let place = ["harbour", "boat", "pier"][n % 3];
            let text =
                format!("tell me about the {place}, this is message number {n} of a long and windy day");
            let reply = "I was told something of it, and I have said all I know of it more than once by now.";
            let events = house.exchange("ada", &text, reply).await;
            let receipt = receipt(&events);
            assert!(receipt.budget.total_tokens <= 1_800, "{:?}", receipt.budget);
            shares.extend(receipt.reusable_prefix.filter(|_| receipt.budget.exhausted));
        }
        assert!(shares.len() >= 30, "the window was full for {} turns", shares.len());
        shares.iter().sum::<f32>() / shares.len() as f32
    };
    let after = share(BlockPlace::AfterHistory).await;
    let system = share(BlockPlace::System).await;
    assert!(after > 0.7, "{after} after the history, {system} before it");
}
