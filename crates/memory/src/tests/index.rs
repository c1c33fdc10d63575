//! Giving every text its vector.

use greenroom_core::Kind;

use super::given::{Mood, Stage, ada, settings, stage, texts, told};
use crate::{IndexReport, Remember};

/// Texts that are stored while the embedder is down.
async fn pending(stage: &Stage, texts: impl IntoIterator<Item = String>) {
    let memory = stage.without_embedder();
    for text in texts {
        let statement = Remember { kind: Kind::default(), ..told(&ada(), &text) };
        memory.remember(&ada(), statement).await.unwrap();
    }
}

#[tokio::test]
async fn as4_everything_that_waits_is_embedded_once() {
    let stage = stage().await;
    pending(&stage, (0..150).map(|n| format!("statement{n}"))).await;
    let report = stage.memory.index_pending().await.unwrap();
    assert_eq!(report, IndexReport { embedded: 150, pending: 0, empty: 0 });
    assert_eq!(stage.memory.index_pending().await.unwrap(), IndexReport::default());
}

#[tokio::test]
async fn l18_texts_without_a_vector_do_not_hold_up_those_behind_them() {
    let stage = stage().await;
    pending(&stage, (0..200).map(|n| "?".repeat(n + 1))).await;
    pending(&stage, ["tea is green".to_owned()]).await;
    let report = stage.memory.index_pending().await.unwrap();
    assert_eq!(report, IndexReport { embedded: 1, pending: 0, empty: 200 });
    let calls = stage.embedder.calls();
    assert_eq!(stage.memory.index_pending().await.unwrap(), IndexReport::default());
    assert_eq!(stage.embedder.calls(), calls, "what holds nothing is not tried again");
    assert_eq!(texts(&stage.recall("tea", &settings()).await), ["tea is green"]);
}

#[tokio::test]
async fn l18_a_text_the_embedder_chokes_on_does_not_hold_up_the_others() {
    let stage = stage().await;
    stage.embedder.feel(Mood::Chokes("poison"));
    pending(&stage, (0..100).map(|n| format!("{}{n}", if n % 30 == 1 { "poison" } else { "tea" }))).await;
    let report = stage.memory.index_pending().await.unwrap();
    assert_eq!(report, IndexReport { embedded: 96, pending: 4, empty: 0 });
}

#[tokio::test]
async fn l20_with_the_embedder_down_the_run_ends_soon_and_the_next_one_catches_up() {
    let stage = stage().await;
    pending(&stage, (0..300).map(|n| format!("statement{n}"))).await;
    stage.embedder.feel(Mood::Down);
    let report = stage.memory.index_pending().await.unwrap();
    assert_eq!((report.embedded, report.pending), (0, 64));
    assert!(stage.embedder.calls() <= 4, "{} calls", stage.embedder.calls());
    stage.embedder.feel(Mood::Fine);
    assert_eq!(stage.memory.index_pending().await.unwrap().embedded, 300);
}

#[tokio::test]
async fn l18_broken_vectors_leave_their_texts_pending() {
    for mood in [Mood::NotANumber, Mood::OtherDimension] {
        let stage = stage().await;
        pending(&stage, (0..70).map(|n| format!("statement{n}"))).await;
        stage.embedder.feel(mood);
        let report = stage.memory.index_pending().await.unwrap();
        assert_eq!(report, IndexReport { embedded: 0, pending: 70, empty: 0 });
    }
}

#[tokio::test]
async fn two_runs_at_once_do_no_harm() {
    let stage = stage().await;
    pending(&stage, (0..100).map(|n| format!("statement{n}"))).await;
    let (one, other) = tokio::join!(stage.memory.index_pending(), stage.memory.index_pending());
    assert!(one.unwrap().embedded + other.unwrap().embedded >= 100);
    assert_eq!(stage.memory.index_pending().await.unwrap(), IndexReport::default());
}

#[tokio::test]
async fn bd8_without_an_embedder_there_is_nothing_to_index() {
    let stage = stage().await;
    pending(&stage, ["tea".to_owned()]).await;
    assert_eq!(stage.without_embedder().index_pending().await.unwrap(), IndexReport::default());
}
