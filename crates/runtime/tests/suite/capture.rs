//! What is captured of an exchange after its reply.

use std::time::Duration;

use greenroom_core::{Envelope, Kind, NoticeCode, Scope, Source, Tier, Timestamp, Trust};
use greenroom_persona::Persona;
use greenroom_store::{NewMemory, Sources, prelude::*};
use greenroom_store_sqlite::SqliteStore;

use super::house::*;

fn learner() -> Persona {
    let mut ada = persona("ada");
    ada.memory.capture.facts = true;
    ada
}

fn small() -> Wishes {
    Wishes { small: true, ..Wishes::default() }
}

/// The session's summary, once it is written.
async fn sitting(house: &House) -> Vec<greenroom_core::Memory> {
    let mut memories = house.memories("ada").await;
    memories.retain(|memory| memory.tier == Tier::Conversation);
    memories
}

#[tokio::test]
async fn jv1_a_sitting_has_one_summary_that_follows_it() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.exchange("ada", "The crane is broken again.", "I will order the part.").await;
    house.runtime.captured().await;
    assert_eq!(sitting(&house).await.len(), 1);
    house.exchange("ada", "The pier needs new paint, too.", "Which colour do you want?").await;
    house.runtime.captured().await;
    let summaries = sitting(&house).await;
    assert_eq!((summaries.len(), summaries[0].version), (1, 2));
    assert!(summaries[0].text.contains("pier"), "{summaries:?}");
}

#[tokio::test]
async fn jv1_the_summary_of_a_sitting_is_written_when_it_is_ripe() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.exchange("ada", "The crane is broken again.", "I will order the part.").await;
    house.exchange("ada", "thanks, bye", "Bye.").await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(5)).await;
    tokio::time::resume();
    until(async || !sitting(&house).await.is_empty()).await;
    let summaries = sitting(&house).await;
    assert!(summaries[0].text.contains("crane"), "a farewell leaves it: {summaries:?}");
}

#[tokio::test]
async fn as12_facts_are_found_behind_the_reply_and_told_with_the_next_turn() {
    let mut house = House::as_wished(vec![learner()], small()).await;
    let events = house.exchange("ada", "My sister Mia works at the harbour.", "Good to know.").await;
    assert_eq!(reply(&events), "Good to know.", "the reply does not wait for the small model");
    let call = house.small_call().await;
    assert!(call.text().contains("My sister Mia works at the harbour."), "{}", call.text());
    call.answer(r#"{"memories":[{"text":"Mo's sister Mia works at the harbour","kind":"fact","action":"add"}],"summary":"Mo spoke of Mia."}"#);
    until(async || house.memories("ada").await.iter().any(|memory| memory.text.contains("Mia"))).await;
    let mut told = Vec::new();
    while told.is_empty() {
        let sent = house.say("and now?").await;
        house.call().await.answer("Now it is late.");
        let events = all(sent.events).await;
        told.extend(notices(&events, NoticeCode::Remembered).into_iter().map(str::to_owned));
    }
    assert!(told[0].contains("Mia works at the harbour"), "{told:?}");
}

#[tokio::test]
async fn s10_a_model_that_does_not_answer_does_not_hold_up_the_end() {
    let mut house = House::as_wished(vec![learner()], small()).await;
    house.exchange("ada", "My sister Mia works at the harbour.", "Good to know.").await;
    let silent = house.small_call().await;
    let house = house.again(vec![learner()], small()).await;
    silent.dropped().await;
    assert_eq!(sitting(&house).await.len(), 1, "what needs no model is captured all the same");
}

#[tokio::test]
async fn jv1_a_process_that_ends_right_after_its_reply_leaves_the_summary() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.exchange("ada", "The crane is broken again.", "I will order the part.").await;
    let house = house.again(vec![persona("ada")], Wishes::default()).await;
    assert_eq!(sitting(&house).await.len(), 1);
}

#[tokio::test]
async fn bd6_fg17_nothing_is_captured_of_what_has_memory_switched_off() {
    let mut house = House::as_wished(vec![learner()], small()).await;
    let off = Envelope { disable_memory: true, ..house.envelope("My sister Mia works at the harbour.") };
    let sent = house.send(off).await.unwrap();
    house.call().await.answer("Good to know.");
    all(sent.events).await;
    let mut forgetful = learner();
    forgetful.memory.enabled = false;
    house.runtime.set_personas(vec![forgetful.clone()]).await;
    house.exchange("ada", "The crane is broken again.", "I will order the part.").await;
    let mut house = house.again(vec![forgetful], small()).await;
    assert!(house.memories("ada").await.is_empty());
    assert!(!house.small_was_called());
}

#[tokio::test]
async fn as12_what_was_learned_is_told_to_whom_it_was_learned_from_and_under_no_message_without_memory() {
    let mut house = House::as_wished(vec![learner()], small()).await;
    // a group: what is learned there may be told there
    let sent = house.send(house.envelope_from("eve", "terminal:default", "hello")).await.unwrap();
    house.call().await.answer("hi");
    all(sent.events).await;
    house.small_call().await.answer(r#"{"memories":[]}"#);
    house.runtime.captured().await;
    house.exchange("ada", "My sister Mia works at the harbour.", "Good to know.").await;
    house.small_call().await.answer(
        r#"{"memories":[{"text":"Mo's sister Mia works at the harbour","kind":"fact","action":"add"}]}"#,
    );
    house.runtime.captured().await;
    let stranger = house.envelope_from("eve", "terminal:default", "hello");
    let private = Envelope { disable_memory: true, ..house.envelope("hello") };
    for envelope in [stranger, private] {
        let sent = house.send(envelope).await.unwrap();
        house.call().await.answer("hi");
        assert!(notices(&all(sent.events).await, NoticeCode::Remembered).is_empty());
    }
    let events = house.exchange("ada", "hello", "hi").await;
    assert_eq!(notices(&events, NoticeCode::Remembered).len(), 1);
}

#[tokio::test]
async fn s9_a_model_that_hangs_over_one_persona_holds_up_no_other() {
    let mut bob = shy("bob");
    bob.memory.capture.facts = true;
    let mut house = House::as_wished(vec![learner(), bob], small()).await;
    house.exchange("ada", "My sister Mia works at the harbour.", "Good to know.").await;
    let hanging = house.small_call().await;
    house.exchange("bob", "My brother Tom is a baker.", "I see.").await;
    house
        .small_call()
        .await
        .answer(r#"{"memories":[{"text":"Mo's brother Tom is a baker","kind":"fact","action":"add"}]}"#);
    until(async || house.memories("bob").await.iter().any(|memory| memory.text.contains("brother Tom")))
        .await;
    drop(hanging);
}

#[tokio::test]
async fn as12_whoever_waits_for_it_at_the_end_has_the_facts() {
    let mut house = House::as_wished(vec![learner()], small()).await;
    house.exchange("ada", "My sister Mia works at the harbour.", "Good to know.").await;
    let call = house.small_call().await;
    let (captured, ()) = tokio::join!(house.runtime.captured(), async {
        call.answer(
            r#"{"memories":[{"text":"Mo's sister Mia works at the harbour","kind":"fact","action":"add"}]}"#,
        );
    });
    let () = captured;
    let known = house.memories("ada").await;
    assert!(known.iter().any(|memory| memory.text.contains("sister Mia")), "{known:?}");
    let house = house.again(vec![learner()], small()).await;
    assert_eq!(sitting(&house).await[0].version, 1, "and nothing of it is captured twice");
}

#[tokio::test]
async fn s10_an_exchange_whose_model_is_broken_off_is_captured_once() {
    let mut house = House::as_wished(vec![learner()], small()).await;
    house.exchange("ada", "My sister Mia works at the harbour.", "Good to know.").await;
    let silent = house.small_call().await;
    let house = house.again(vec![learner()], small()).await;
    silent.dropped().await;
    assert_eq!(sitting(&house).await[0].version, 1);
}

/// D: an exchange that is left out because too many wait is marked in the store, also for the next start, and captured
/// when the load has dropped.
#[tokio::test]
async fn s9_what_is_left_out_of_capture_is_captured_later() {
    const NOTHING: &str = r#"{"memories":[],"summary":"They counted."}"#;
    let mut house = House::as_wished(vec![learner()], small()).await;
    let said = |n: usize| format!("My sister counts box number {n}.");
    // one is being captured, 64 wait, two are too many
    for n in 0..67 {
        house.exchange("ada", &said(n), "Good to know.").await;
    }
    let first = house.small_call().await;
    until(async || house.store.count_postponed().await.unwrap() == 2).await;
    first.answer(NOTHING);
    for n in (3..67).chain([1, 2]) {
        let call = house.small_call().await;
        assert!(call.text().contains(&said(n)), "{n}: {}", call.text());
        call.answer(NOTHING);
    }
    until(async || house.store.count_postponed().await.unwrap() == 0).await;
}

#[tokio::test]
async fn s9_what_was_left_out_is_captured_after_a_restart() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say_to("ada", "The crane is broken again.").await;
    house.call().await.answer("I will order the part.");
    all(sent.events).await;
    let turns = house.store.answers(sent.message).await.unwrap();
    // as left by an earlier run; a live runtime's capture actor might take the exchange up at once
    let left = async |store: &SqliteStore| store.postpone_capture(turns[0].id).await.unwrap();
    let mut house = house.again_after(left, vec![persona("ada")], Wishes::default()).await;
    assert_eq!(house.store.count_postponed().await.unwrap(), 1);
    house.exchange("ada", "The pier needs new paint, too.", "Which colour do you want?").await;
    until(async || house.store.count_postponed().await.unwrap() == 0).await;
}

/// Fills the space that is left in a file that may not grow with memories.
async fn fill(store: &SqliteStore) {
    for letters in [3_000, 300, 30] {
        let memory = || NewMemory {
            persona: "kit".parse().unwrap(),
            scope: Scope::Global,
            text: "x".repeat(letters),
            kind: Kind::new("fact"),
            tier: Tier::Semantic,
            source: Source { via: "cli".into(), message: None, user: None },
            trust: Trust::Operator,
            key: None,
            expires_at: None,
            at: Timestamp(1),
            sources: Sources::default(),
        };
        while store.remember(memory()).await.is_ok() {}
    }
}

/// S3: an exchange that a full disk kept from being captured is captured when there is space.
#[tokio::test]
async fn s3_an_exchange_that_a_full_disk_refused_is_captured_when_there_is_room() {
    let mut house = House::as_wished(vec![learner()], small()).await;
    house.exchange("ada", "My sister Mia works at the harbour.", "Good to know.").await;
    let first = house.small_call().await;
    house.store.limit_pages(1).await.unwrap();
    fill(&house.store).await;
    let told =
        format!(r#"{{"memories":[],"summary":"They spoke of the harbour{}."}}"#, " and of it".repeat(300));
    first.answer(&told);
    // the store takes no writes: neither the summary nor the mark of the turn
    house.runtime.captured().await;
    assert_eq!(sitting(&house).await.len(), 0);
    house.store.limit_pages(1_000_000).await.unwrap();
    let again = house.small_call().await;
    assert!(again.text().contains("My sister Mia"), "{}", again.text());
    again.answer(&told);
    until(async || sitting(&house).await.len() == 1).await;
    until(async || house.store.count_postponed().await.unwrap() == 0).await;
}
