//! The context assembler: the tests of its seed document (WB11), and its behaviour when the context is full.

use greenroom_core::{ErrorCode, Section};
use greenroom_persona::Profile;

use super::{super::house::*, ada};

#[tokio::test]
async fn wb11_memories_stand_before_the_history() {
    let mut house = House::with(vec![ada(Profile::Assembler)]).await;
    house.exchange("ada", "good morning", "Good morning.").await;
    house.knows("ada", "We agreed to use SQLite for storage").await;
    let sent = house.say("what do we use for storage?").await;
    let call = house.call().await;
    let text = call.text();
    let memory = text.find("## Relevant Memories\n- [fact] We agreed to use SQLite for storage").unwrap();
    assert!(memory < text.find("good morning").unwrap(), "{text}");
    call.answer("SQLite.");
    let events = all(sent.events).await;
    let sections: Vec<Section> = receipt(&events).items.iter().map(|item| item.section).collect();
    assert!(sections.is_sorted(), "{sections:?}");
}

#[tokio::test]
async fn wb11_a_short_budget_means_fewer_messages_of_history() {
    let mut shown = Vec::new();
    for window in [1_600, 8_000] {
        let mut ada = ada(Profile::Assembler);
        (ada.model.context_window, ada.model.max_output_tokens) = (Some(window), 100);
        let mut house = House::with(vec![ada]).await;
        for n in 0..10 {
            house
                .exchange("ada", &format!("{n} {}", "the harbour opens at nine. ".repeat(20)), "I see.")
                .await;
        }
        let events = house.exchange("ada", "and now?", "Now it is late.").await;
        shown.push(receipt(&events).budget.history_messages);
    }
    assert!(shown[0] < shown[1] && shown[1] == 21, "{shown:?}");
}

#[tokio::test]
async fn wb11_what_was_retrieved_appears_in_the_context() {
    let mut house = House::with(vec![ada(Profile::Assembler)]).await;
    house.knows("ada", "User prefers Go over Rust for this project").await;
    let events = house.exchange("ada", "which language for this project?", "Go.").await;
    assert_eq!(recalled(&events), ["User prefers Go over Rust for this project"]);
    assert!(receipt(&events).budget.memory_tokens > 0);
}

#[tokio::test]
async fn wb14_when_nothing_fits_no_model_is_called_and_a_reset_is_offered() {
    let mut ada = ada(Profile::Assembler);
    ada.model.context_window = Some(400);
    let mut house = House::with(vec![ada]).await;
    let events = all(house.say(&"the harbour opens at nine. ".repeat(100)).await.events).await;
    let (code, message) = failure(&events);
    assert_eq!(code, ErrorCode::ContextFull);
    assert!(message.contains("the context is full"), "{message}");
    assert!(!house.was_called());
}
