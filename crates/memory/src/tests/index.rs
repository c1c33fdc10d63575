//! Indexing: every text gets its vector.

use std::sync::Arc;

use greenroom_core::{Author, Kind, Message, Trust};
use greenroom_store::{Changes, ItemId, MemoryEdit, NewVector, VectorSpace, prelude::*};

use super::given::{Mood, NOW, Stage, ada, settings, stage, texts, told};
use crate::{IndexReport, Memory, Remember, memory::space_of};

/// The mark of the last complete run.
fn mark(stage: &Stage) -> Option<i64> {
    stage.memory.shared.marks.get(&space_of(&*stage.embedder), None)
}

/// A run that reads only changes since the last one.
async fn news(stage: &Stage) -> IndexReport {
    assert!(mark(stage).is_some(), "the run before left nothing waiting");
    stage.memory.index_pending().await.unwrap()
}

/// Stores texts while the embedder is down.
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

#[tokio::test]
async fn l18_after_a_run_that_left_nothing_only_what_was_written_since_is_looked_at() {
    let stage = stage().await;
    pending(&stage, (0..70).map(|n| format!("statement{n}"))).await;
    assert_eq!(mark(&stage), None);
    let begun = stage.store.journal_end().await.unwrap();
    assert_eq!(stage.memory.index_pending().await.unwrap().embedded, 70);
    assert_eq!(mark(&stage), Some(begun), "what came while it ran is still to be looked at");
    assert_eq!(news(&stage).await, IndexReport::default());
    let end = stage.store.journal_end().await.unwrap();
    assert_eq!(mark(&stage), Some(end));
    pending(&stage, (0..130).map(|n| format!("later{n}"))).await;
    assert_eq!(news(&stage).await, IndexReport { embedded: 130, pending: 0, empty: 0 });
    pending(&stage, ["tea".to_owned()]).await;
    let end = stage.store.journal_end().await.unwrap();
    stage.memory.shared.marks.set(&space_of(&*stage.embedder), None, Some(end));
    assert_eq!(news(&stage).await, IndexReport::default(), "what stands before the mark is not looked at");
}

#[tokio::test]
async fn l18_what_another_process_writes_after_a_run_is_embedded_by_the_next() {
    let stage = stage().await;
    stage.memory.index_pending().await.unwrap();
    let elsewhere = stage.elsewhere().await;
    let author = Author::User { id: "jo".parse().unwrap(), name: "Jo".into() };
    let (channel, event_id) = ("terminal:default".parse().unwrap(), "e");
    elsewhere
        .accept(Message { at: NOW, ..Message::new(channel, event_id, author, "tea is green") })
        .await
        .unwrap();
    let other = Memory::new(Arc::new(elsewhere.clone()), None, stage.clock.clone());
    let known = other.remember(&ada(), told(&ada(), "coffee is black")).await.unwrap().memory.id;
    assert_eq!(news(&stage).await.embedded, 2);
    let edit = MemoryEdit {
        text: Some("coffee is brown".into()),
        kind: None,
        expires_at: None,
        private: None,
        trust: Trust::Operator,
        at: NOW,
    };
    elsewhere.edit(&ada(), known, edit).await.unwrap();
    assert_eq!(news(&stage).await.embedded, 1, "an edited text is another text");
    assert_eq!(news(&stage).await, IndexReport::default());
    elsewhere.close().await;
}

#[tokio::test]
async fn l18_a_text_that_failed_among_the_news_is_tried_again() {
    let stage = stage().await;
    stage.memory.index_pending().await.unwrap();
    for mood in [Mood::Down, Mood::NotANumber, Mood::Chokes("tea")] {
        pending(&stage, [format!("tea is green {mood:?}")]).await;
        stage.embedder.feel(mood);
        assert_eq!(news(&stage).await.pending, 1);
        assert_eq!(mark(&stage), None);
        assert_eq!(stage.memory.index_pending().await.unwrap().pending, 1);
        stage.embedder.feel(Mood::Fine);
        assert_eq!(stage.memory.index_pending().await.unwrap().embedded, 1);
    }
}

#[tokio::test]
async fn l18_where_the_journal_does_not_reach_back_everything_is_looked_at() {
    let stage = stage().await;
    stage.memory.index_pending().await.unwrap();
    let since = mark(&stage).unwrap();
    pending(&stage, ["tea is green".to_owned()]).await;
    let item = ItemId::Memory(stage.memory.remember(&ada(), told(&ada(), "much")).await.unwrap().memory.id);
    let again = || NewVector { item, version: 1, vector: vec![1.0] };
    let other = VectorSpace { model: "other@1".into(), dimension: 1 };
    for _ in 0..11 {
        stage.store.put_vectors(&other, (0..2_000).map(|_| again()).collect()).await.unwrap();
    }
    assert_eq!(stage.store.changes(None, since, &|_| true, 1).await.unwrap(), Changes::Lost);
    assert_eq!(news(&stage).await.embedded, 1);
    assert!(mark(&stage) > Some(since));
}

#[tokio::test]
async fn fg17_each_set_of_personas_has_a_run_of_its_own() {
    let stage = stage().await;
    let (ada_alone, both) = (["ada".parse().unwrap()], ["ada".parse().unwrap(), "bert".parse().unwrap()]);
    stage.memory.index_pending_of(&ada_alone).await.unwrap();
    let bert = super::given::viewer("bert", "terminal:default");
    stage.without_embedder().remember(&bert, told(&bert, "tea is green")).await.unwrap();
    assert_eq!(stage.memory.index_pending_of(&ada_alone).await.unwrap(), IndexReport::default());
    assert_eq!(stage.memory.index_pending_of(&both).await.unwrap().embedded, 1);
}
