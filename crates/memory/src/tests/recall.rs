//! Recall before a model call.

use std::time::Duration;

use greenroom_core::Scope;
use greenroom_persona::{MemorySettings, Profile, SourceSettings};

use super::given::{Mood, ada, recall, request, settings, stage, texts, told, viewer};
use crate::{Degraded, Recalled};

#[tokio::test]
async fn as2_past_messages_come_from_the_threshold_on_and_five_at_most() {
    let stage = stage().await;
    for n in 0..7 {
        stage.say("terminal:default", &format!("sqlite log {n}")).await;
    }
    stage.say("terminal:default", "nothing of the kind").await;
    let recalled = stage.recall("sqlite log", &settings()).await;
    assert_eq!(recalled.items.len(), 5);
    assert!(recalled.items.iter().all(|i| i.score >= 0.3 && i.item.text().starts_with("sqlite log")));
}

#[tokio::test]
async fn as3_knowledge_comes_by_rank_alone_and_ten_at_most() {
    let stage = stage().await;
    for n in 0..11 {
        stage.memory.remember(&ada(), told(&ada(), &format!("unrelated{n}"))).await.unwrap();
    }
    stage.memory.remember(&ada(), told(&ada(), "the cat is grey")).await.unwrap();
    let recalled = stage.recall("what colour is the cat", &settings()).await;
    assert_eq!(recalled.items.len(), 10);
    assert_eq!(texts(&recalled)[0], "the cat is grey");
}

#[tokio::test]
async fn knowledge_stands_before_past_messages() {
    let stage = stage().await;
    stage.say("terminal:default", "tea").await;
    stage.memory.remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    assert_eq!(texts(&stage.recall("tea", &settings()).await), ["tea is green", "tea"]);
}

#[tokio::test]
async fn bd3_the_threshold_is_inclusive() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "the user likes python")).await.unwrap();
    let score = stage.recall("python", &settings()).await.items[0].score;
    let at = |threshold| {
        let knowledge = SourceSettings { limit: 3, threshold: Some(threshold) };
        MemorySettings { knowledge, ..settings() }
    };
    assert_eq!(stage.recall("python", &at(score)).await.items.len(), 1);
    assert_eq!(stage.recall("python", &at(score + 0.001)).await.items.len(), 0);
}

#[tokio::test]
async fn bd7_recall_switched_off_asks_nobody() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    let calls = stage.embedder.calls();
    let nothing = SourceSettings { limit: 0, threshold: None };
    for off in [
        MemorySettings { auto_retrieve: false, ..settings() },
        MemorySettings { enabled: false, ..settings() },
        MemorySettings { knowledge: nothing, notes: nothing, messages: nothing, ..settings() },
    ] {
        assert_eq!(stage.recall("tea", &off).await, Recalled::default());
    }
    assert_eq!(stage.embedder.calls(), calls);
}

#[tokio::test]
async fn bd8_without_an_embedder_nothing_is_recalled_and_nothing_said() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    let memory = stage.without_embedder();
    assert_eq!(recall(&memory, &ada(), "tea", None, &settings()).await, Recalled::default());
}

#[tokio::test]
async fn bd9_an_empty_store_recalls_nothing() {
    assert_eq!(stage().await.recall("tea", &settings()).await, Recalled::default());
}

#[tokio::test]
async fn bd10_a_recall_costs_one_call_of_the_embedder() {
    let stage = stage().await;
    let window = ["we spoke of tea".to_owned(), "which one?".to_owned()];
    stage.memory.recall(&ada(), &request(&window, None, &settings())).await.unwrap();
    assert_eq!(stage.embedder.calls(), 1);
}

#[tokio::test]
async fn wb6_what_was_said_before_the_trigger_counts_and_the_trigger_leads() {
    let stage = stage().await;
    for text in ["jo drinks tea", "jo rides horses"] {
        stage.memory.remember(&ada(), told(&ada(), text)).await.unwrap();
    }
    let asked = |window: &[&str]| window.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    let settings = settings();
    for (window, first) in [
        (asked(&["let us speak of horses", "why?"]), "jo rides horses"),
        (asked(&["horses", "and tea?"]), "jo drinks tea"),
    ] {
        let recalled = stage.memory.recall(&ada(), &request(&window, None, &settings)).await.unwrap();
        assert_eq!(texts(&recalled)[0], first);
    }
}

#[tokio::test]
async fn wb7_only_this_persona_here_and_everywhere_is_seen() {
    let stage = stage().await;
    let elsewhere = viewer("ada", "terminal:other");
    let bert = viewer("bert", "terminal:default");
    for (who, text) in [(&ada(), "tea here"), (&elsewhere, "tea elsewhere"), (&bert, "tea of bert")] {
        stage.memory.remember(who, told(who, text)).await.unwrap();
    }
    let global = crate::Remember { scope: Scope::Global, ..told(&elsewhere, "tea everywhere") };
    stage.memory.remember(&elsewhere, global).await.unwrap();
    stage.say("terminal:other", "tea said elsewhere").await;
    stage.say("terminal:default", "tea said here").await;
    let recalled = stage.recall("tea", &settings()).await;
    let mut seen = texts(&recalled);
    seen.sort_unstable();
    assert_eq!(seen, ["tea everywhere", "tea here", "tea said here"]);
}

#[tokio::test]
async fn wb6_bd2_the_trigger_and_what_came_after_it_are_not_recalled() {
    let stage = stage().await;
    stage.say("terminal:default", "tea first").await;
    let trigger = stage.say("terminal:default", "tea?").await;
    stage.say("terminal:default", "tea later").await;
    let recalled = recall(&stage.memory, &ada(), "tea?", Some(trigger), &settings()).await;
    assert_eq!(texts(&recalled), ["tea first"]);
}

#[tokio::test]
async fn a_message_is_not_repeated_beside_the_memory_learned_from_it() {
    let stage = stage().await;
    let asked = stage.say("terminal:default", "remember that I drink tea").await;
    let source = greenroom_core::Source { via: "asked".into(), message: Some(asked), user: None };
    let learned = crate::Remember { source, ..told(&ada(), "I drink tea") };
    stage.memory.remember(&ada(), learned).await.unwrap();
    assert_eq!(texts(&stage.recall("I drink tea", &settings()).await), ["I drink tea"]);
}

#[tokio::test]
async fn as9_an_expired_memory_is_not_recalled() {
    let stage = stage().await;
    let brief = crate::Remember { expires_in: Some(Duration::from_secs(60)), ..told(&ada(), "tea is ready") };
    stage.memory.remember(&ada(), brief).await.unwrap();
    assert_eq!(stage.recall("tea", &settings()).await.items.len(), 1);
    stage.clock.advance(Duration::from_secs(60));
    assert_eq!(stage.recall("tea", &settings()).await, Recalled::default());
}

#[tokio::test]
async fn as10_with_the_embedder_down_the_turn_goes_on_and_says_why() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    for mood in [Mood::Down, Mood::NotANumber, Mood::OtherDimension, Mood::ShortList] {
        stage.embedder.feel(mood);
        let recalled = stage.recall("tea", &settings()).await;
        assert!(recalled.items.is_empty());
        let Some(Degraded::Embedder(reason)) = recalled.degraded else { panic!("{mood:?} went unnoticed") };
        assert_eq!(reason.lines().count(), 1, "{reason}");
    }
}

#[tokio::test]
async fn as10_with_the_store_down_the_recall_fails() {
    let stage = stage().await;
    greenroom_store::HealthStore::close(&stage.store).await;
    let window = ["tea".to_owned()];
    let settings = settings();
    let failed = stage.memory.recall(&ada(), &request(&window, None, &settings)).await;
    assert!(matches!(failed, Err(crate::MemoryError::Store(_))), "{failed:?}");
}

#[tokio::test]
async fn fg2_a_query_of_nothing_known_recalls_nothing() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    assert_eq!(stage.recall("?!", &settings()).await, Recalled::default());
}

#[tokio::test]
async fn fg8_an_embedder_that_hangs_costs_no_more_than_the_deadline() {
    let stage = stage().await;
    stage.embedder.feel(Mood::Hanging);
    let brief = MemorySettings { deadline: Duration::from_millis(1), ..settings() };
    let recalled = stage.recall("tea", &brief).await;
    assert_eq!(recalled, Recalled { degraded: Some(Degraded::Deadline), ..Recalled::default() });
}

#[tokio::test]
async fn wb6_a_long_talk_before_a_plain_question_does_not_answer_it() {
    let stage = stage().await;
    stage.say("terminal:default", "my sister lives in Bergen").await;
    let bread: Vec<String> = (0..5).map(|n| format!("sourdough {n}: flour, water, salt and time")).collect();
    for text in &bread {
        stage.say("terminal:default", text).await;
    }
    let window = [&bread[..4], &["Where does my sister live?".to_owned()]].concat();
    let settings = MemorySettings { deadline: Duration::from_secs(60), ..Profile::Default.settings() };
    let recalled = stage.memory.recall(&ada(), &request(&window, None, &settings)).await.unwrap();
    assert_eq!(texts(&recalled), ["my sister lives in Bergen"]);
}

#[tokio::test]
async fn as2_what_was_said_again_and_again_takes_one_place() {
    let stage = stage().await;
    for _ in 0..6 {
        stage.say("terminal:default", "green tea").await;
    }
    stage.say("terminal:default", "the tea is cold").await;
    assert_eq!(texts(&stage.recall("green tea", &settings()).await), ["green tea", "the tea is cold"]);
}

#[tokio::test]
async fn fg8_an_embedder_that_hangs_does_not_take_the_words_with_it() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    stage.memory.ready(&ada()).await.unwrap();
    stage.embedder.feel(Mood::Hanging);
    let brief = MemorySettings { deadline: Duration::from_secs(2), ..Profile::Default.settings() };
    let recalled = stage.recall("green tea", &brief).await;
    assert_eq!(texts(&recalled), ["tea is green"]);
    assert_eq!(recalled.degraded, Some(Degraded::Deadline));
}

#[tokio::test]
async fn fg7_a_message_stays_when_the_memory_of_it_is_not_shown() {
    let stage = stage().await;
    let asked = stage.say("terminal:default", "I drink tea at noon").await;
    let source = greenroom_core::Source { via: "asked".into(), message: Some(asked), user: None };
    let learned = crate::Remember { source, ..told(&ada(), "tea at noon") };
    stage.memory.remember(&ada(), learned).await.unwrap();
    stage.memory.remember(&ada(), told(&ada(), "I drink tea")).await.unwrap();
    let one = MemorySettings { knowledge: SourceSettings::ranked(1), ..settings() };
    assert_eq!(texts(&stage.recall("I drink tea", &one).await), ["I drink tea", "I drink tea at noon"]);
}
