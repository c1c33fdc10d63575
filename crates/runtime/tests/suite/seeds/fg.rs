//! The retrieval engine: the ten steps of its seed document, and its ten metrics as far as a turn shows them (FG18).

use std::time::Duration;

use greenroom_core::{ChatEvent, NoticeCode, Outcome, Relation, RelationKind, Section};
use greenroom_models::ModelError;
use greenroom_persona::{Persona, Profile};
use greenroom_store::prelude::*;

use super::{super::house::*, ada};

const HYPOTHESES: &str = "the harbour opens at nine in summer\nthe boat is called Petrel by everybody";

fn two_by_two() -> Persona {
    let mut ada = ada(Profile::Hyde);
    ada.memory.hyde.hypotheses = 2;
    ada.memory.hyde.top_k = 2;
    ada.memory.hops = 1;
    ada
}

fn small() -> Wishes {
    Wishes { small: true, ..Wishes::default() }
}

/// Three memories, with an edge from the first to the third, which resembles no query.
async fn harbour(persona: Persona) -> House {
    let house = House::as_wished(vec![persona], small()).await;
    let first = house.knows("ada", "the harbour opens at nine").await;
    house.knows("ada", "the boat is called Petrel").await;
    let third = house.knows("ada", "oak planks last forty years").await;
    let edge = Relation { from: first, to: third, kind: RelationKind::RelatesTo };
    house.store.relate(&house.viewer("ada"), edge).await.unwrap();
    house
}

/// One exchange in which the small model writes these hypotheses.
async fn ask(house: &mut House, hypotheses: &str) -> (String, Vec<ChatEvent>) {
    let sent = house.say("tell me about the harbour and the boat").await;
    house.small_call().await.answer(hypotheses);
    let call = house.call().await;
    let text = call.text();
    call.answer("Gladly.");
    (text, all(sent.events).await)
}

#[tokio::test]
async fn fg18_the_ten_steps() {
    let mut house = harbour(two_by_two()).await;
    let sent = house.say("tell me about the harbour and the boat").await;
    let hyde = house.small_call().await;
    assert!(hyde.text().contains("user: tell me about the harbour"), "{}", hyde.text());
    hyde.answer(HYPOTHESES);
    let first = house.call().await;
    let system = first.request.messages[0].content.clone();
    assert!(system.contains("## Relevant Long-Term Memories"), "{system}");
    for text in ["the harbour opens at nine", "the boat is called Petrel", "oak planks last forty years"] {
        assert!(system.contains(text), "two by meaning, one by its edge: {system}");
    }
    // the same turn again: the same memories, and the small model is not asked
    house.embedder_down.store(true, std::sync::atomic::Ordering::SeqCst);
    first.wants(&[("recall", r#"{"query":"oak"}"#)]);
    let second = house.call().await;
    assert_eq!(second.request.messages[0].content, system);
    assert!(!house.small_was_called());
    second.answer("The harbour opens at nine.");
    let events = all(sent.events).await;
    assert_eq!(recalled(&events).len(), 3);
    house.embedder_down.store(false, std::sync::atomic::Ordering::SeqCst);
    // a new turn asks again
    let (_, events) = ask(&mut house, HYPOTHESES).await;
    assert_eq!(recalled(&events).len(), 3);
}

#[tokio::test]
async fn fg18_a_budget_drops_the_less_relevant_and_is_never_exceeded() {
    for (budget, all_of_them) in [(60, false), (0, true)] {
        let mut ada = two_by_two();
        ada.memory.budget_tokens = budget;
        let mut house = harbour(ada).await;
        let (_, events) = ask(&mut house, HYPOTHESES).await;
        let receipt = receipt(&events);
        let dropped =
            receipt.items.iter().any(|i| i.section == Section::Memories && i.outcome == Outcome::Dropped);
        assert_eq!(dropped, !all_of_them);
        assert!(all_of_them || receipt.budget.memory_tokens <= budget, "{}", receipt.budget.memory_tokens);
    }
}

#[tokio::test]
async fn fg10_without_a_retrieval_model_nothing_is_retrieved_and_the_user_hears_nothing() {
    let mut house = House::with(vec![two_by_two()]).await;
    house.knows("ada", "the harbour opens at nine").await;
    let events = house.exchange("ada", "when does the harbour open?", "I do not know.").await;
    assert!(recalled(&events).is_empty());
    assert!(notices(&events, NoticeCode::MemoryDegraded).is_empty());
}

#[tokio::test]
async fn fg11_a_retrieval_model_that_fails_is_invisible() {
    let mut house = harbour(two_by_two()).await;
    let sent = house.say("when does the harbour open?").await;
    let error = ModelError::Unreachable { endpoint: "small".into(), reason: "it is down".into() };
    house.small_call().await.fails(error);
    house.call().await.answer("I do not know.");
    let events = all(sent.events).await;
    assert!(recalled(&events).is_empty());
    assert!(notices(&events, NoticeCode::MemoryDegraded).is_empty());
    assert_eq!(reply(&events), "I do not know.");
}

#[tokio::test]
async fn fg8_a_retrieval_model_that_never_answers_costs_the_deadline_and_no_more() {
    let mut ada = two_by_two();
    ada.memory.deadline = Duration::from_millis(20);
    let mut house = harbour(ada).await;
    let sent = house.say("when does the harbour open?").await;
    let silent = house.small_call().await;
    house.call().await.answer("I do not know.");
    let events = all(sent.events).await;
    silent.dropped().await;
    assert!(recalled(&events).is_empty());
    assert!(notices(&events, NoticeCode::MemoryDegraded).is_empty());
}
