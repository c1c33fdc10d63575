//! Automatic context retrieval, visible to the user: the eight cases of its seed document (BD11).

use greenroom_core::Envelope;
use greenroom_core::{ChatEvent, NoticeCode};
use greenroom_persona::Profile;

use super::{super::house::*, ada};

const QUESTION: &str = "What programming language should I learn?";

async fn house() -> House {
    House::with(vec![ada(Profile::RecallVisible)]).await
}

/// The system message and the events of one exchange.
async fn ask(house: &mut House, envelope: Envelope) -> (String, Vec<ChatEvent>) {
    let sent = house.send(envelope).await.unwrap();
    let call = house.call().await;
    let system = call.request.messages[0].content.clone();
    call.answer("Let me think.");
    (system, all(sent.events).await)
}

#[tokio::test]
async fn bd11_a_memory_that_matters_is_retrieved_and_injected() {
    let mut house = house().await;
    house.knows("ada", "User likes Python").await;
    let asked = house.envelope(QUESTION);
    let (system, events) = ask(&mut house, asked).await;
    assert_eq!(recalled(&events), ["User likes Python"]);
    assert!(system.contains("User likes Python"), "{system}");
}

#[tokio::test]
async fn bd11_a_memory_below_the_threshold_is_not_injected() {
    let mut house = house().await;
    house.knows("ada", "the harbour opens at nine").await;
    let asked = house.envelope(QUESTION);
    let (system, events) = ask(&mut house, asked).await;
    assert!(recalled(&events).is_empty());
    assert_eq!(system, "You are ada.");
}

#[tokio::test]
async fn bd11_a_message_with_memory_disabled_retrieves_nothing() {
    let mut house = house().await;
    house.knows("ada", "User likes Python").await;
    let envelope = Envelope { disable_memory: true, ..house.envelope(QUESTION) };
    let (system, events) = ask(&mut house, envelope).await;
    assert!(recalled(&events).is_empty());
    assert_eq!(system, "You are ada.");
}

#[tokio::test]
async fn bd11_without_auto_retrieve_nothing_is_retrieved() {
    let mut quiet = ada(Profile::RecallVisible);
    quiet.memory.auto_retrieve = false;
    let mut house = House::with(vec![quiet]).await;
    house.knows("ada", "User likes Python").await;
    let asked = house.envelope(QUESTION);
    let (system, events) = ask(&mut house, asked).await;
    assert!(recalled(&events).is_empty());
    assert_eq!(system, "You are ada.");
}

#[tokio::test]
async fn bd11_without_an_embedder_the_chat_works_and_says_nothing_of_it() {
    let wishes = Wishes { embedder: false, ..Wishes::default() };
    let mut house = House::as_wished(vec![ada(Profile::RecallVisible)], wishes).await;
    house.knows("ada", "User likes Python").await;
    let asked = house.envelope(QUESTION);
    let (system, events) = ask(&mut house, asked).await;
    assert!(recalled(&events).is_empty());
    assert!(notices(&events, NoticeCode::MemoryDegraded).is_empty());
    assert_eq!((system.as_str(), reply(&events).as_str()), ("You are ada.", "Let me think."));
}

#[tokio::test]
async fn bd11_with_an_empty_store_the_chat_is_as_without_memory() {
    let mut house = house().await;
    let asked = house.envelope(QUESTION);
    let (system, events) = ask(&mut house, asked).await;
    assert!(recalled(&events).is_empty());
    assert_eq!(system, "You are ada.");
}

#[tokio::test]
async fn bd11_what_was_recalled_is_shown_before_the_first_word() {
    let mut house = house().await;
    house.knows("ada", "User likes Python").await;
    let asked = house.envelope(QUESTION);
    let (_, events) = ask(&mut house, asked).await;
    let kinds = kinds(&events);
    let place = |kind: &str| kinds.iter().position(|k| k == kind).unwrap();
    assert!(place("memory_context") < place("token_delta"), "{kinds:?}");
}

#[tokio::test]
async fn bd11_the_system_prompt_holds_the_recalled_text_in_its_section() {
    let mut house = house().await;
    house.knows("ada", "User likes Python").await;
    let asked = house.envelope(QUESTION);
    let (system, _) = ask(&mut house, asked).await;
    let (prompt, section) = system.split_once("\n\n").unwrap();
    assert_eq!(prompt, "You are ada.");
    assert!(
        section.starts_with("## Recalled Memories\n- \"User likes Python\" (fact, relevance: 0."),
        "{section}"
    );
}
