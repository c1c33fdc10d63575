//! What each strategy searches, and its behaviour on failures.

use greenroom_persona::{MemorySettings, Profile, Strategy};

use super::given::{Mood, ada, learn, recall, settings, stage, texts};
use crate::{Degraded, Recalled};

fn by(strategy: Strategy) -> MemorySettings {
    MemorySettings { strategy, ..settings() }
}

#[tokio::test]
async fn keyword_needs_no_embedder_and_finds_what_holds_a_word() {
    let stage = stage().await;
    learn(&stage, "the harbour opens at nine").await;
    learn(&stage, "tea is green").await;
    let calls = stage.embedder.calls();
    let recalled = stage.recall("when does the harbour open?", &by(Strategy::Keyword)).await;
    assert_eq!(texts(&recalled), ["the harbour opens at nine"]);
    assert_eq!((recalled.items[0].meaning, stage.embedder.calls()), (None, calls));
    assert!(recalled.items[0].words.unwrap() > 0.6, "{:?}", recalled.items[0]);
    let without = stage.without_embedder();
    let again = recall(&without, &ada(), "harbour", None, &by(Strategy::Keyword)).await;
    assert_eq!(texts(&again), ["the harbour opens at nine"]);
}

#[tokio::test]
async fn hybrid_knows_both_scores_and_shows_the_larger() {
    let stage = stage().await;
    learn(&stage, "jo prefers green tea over everything else there is").await;
    let recalled = stage.recall("green tea, everything preferred", &by(Strategy::Hybrid)).await;
    let item = &recalled.items[0];
    let (meaning, words) = (item.meaning.unwrap(), item.words.unwrap());
    assert_eq!(item.score, meaning.max(words));
    assert!(words > 0.7 && meaning < 0.9, "{meaning} {words}");
}

#[tokio::test]
async fn as10_with_the_embedder_down_hybrid_goes_on_by_words_and_says_so() {
    let stage = stage().await;
    learn(&stage, "tea is green").await;
    stage.embedder.feel(Mood::Down);
    let recalled = stage.recall("tea", &by(Strategy::Hybrid)).await;
    assert_eq!(texts(&recalled), ["tea is green"]);
    assert!(matches!(recalled.degraded, Some(Degraded::Embedder(_))), "{:?}", recalled.degraded);
    for strategy in [Strategy::Latest, Strategy::Window] {
        let recalled = stage.recall("tea", &by(strategy)).await;
        assert!(recalled.items.is_empty() && recalled.degraded.is_some(), "{strategy:?}");
    }
}

#[tokio::test]
async fn bd1_latest_does_not_look_at_what_was_said_before() {
    let stage = stage().await;
    learn(&stage, "jo rides horses").await;
    learn(&stage, "jo drinks tea").await;
    let window = ["horses".to_owned(), "it? tea?".to_owned()];
    let asked = |settings: MemorySettings| {
        let (memory, window) = (stage.memory.clone(), window.clone());
        async move { memory.recall(&ada(), &super::given::request(&window, None, &settings)).await.unwrap() }
    };
    let score = |recalled: &Recalled| {
        recalled.items.iter().find(|i| i.item.text() == "jo rides horses").unwrap().score
    };
    let latest = asked(by(Strategy::Latest)).await;
    let window = asked(by(Strategy::Window)).await;
    assert!(score(&latest) < 0.01 && score(&window) > 0.1);
}

#[tokio::test]
async fn as11_sources_stand_in_the_order_of_the_settings() {
    let stage = stage().await;
    stage.say("terminal:default", "green tea here").await;
    learn(&stage, "tea is green").await;
    let mut settings = Profile::Default.settings();
    settings.deadline = std::time::Duration::from_secs(60);
    assert_eq!(texts(&stage.recall("tea", &settings).await), ["tea is green", "green tea here"]);
    settings.order.reverse();
    assert_eq!(texts(&stage.recall("tea", &settings).await), ["green tea here", "tea is green"]);
}

#[tokio::test]
async fn jv1_the_running_sessions_own_summary_is_not_recalled() {
    let stage = stage().await;
    let keyed = crate::Remember {
        key: Some("session_1_summary".into()),
        ..super::given::told(&ada(), "we spoke of tea")
    };
    stage.memory.remember(&ada(), keyed).await.unwrap();
    let (window, settings) = (["tea".to_owned()], settings());
    let request = super::given::request(&window, None, &settings);
    let with = |session_key| crate::RecallRequest {
        session_key,
        turn_id: greenroom_core::TurnId(uuid::Uuid::now_v7()),
        ..request.clone()
    };
    assert!(stage.memory.recall(&ada(), &with(Some("session_1_summary"))).await.unwrap().items.is_empty());
    assert_eq!(stage.memory.recall(&ada(), &with(Some("session_2_summary"))).await.unwrap().items.len(), 1);
}
