//! A change of embedder: queries use the old vectors until the new ones are complete.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use greenroom_models::{EmbedError, Embedder};
use greenroom_store::{VectorSpace, prelude::*};

use super::given::{Stage, ada, learn, recall, settings, stage, texts, told};
use crate::Memory;

/// Another model over the same words. Its vectors have another order of numbers, so they do not match vectors of the
/// first model.
struct Other {
    words: Arc<super::given::Words>,
    calls: AtomicUsize,
}

#[async_trait]
impl Embedder for Other {
    fn model(&self) -> &str {
        "other-512@1"
    }
    fn dimension(&self) -> usize {
        512
    }
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut vectors = self.words.embed(texts).await?;
        vectors.iter_mut().for_each(|vector| vector.reverse());
        Ok(vectors)
    }
}

fn moved(stage: &Stage) -> (Arc<Other>, Memory) {
    let other = Arc::new(Other { words: stage.embedder.clone(), calls: AtomicUsize::new(0) });
    let memory = Memory::new(Arc::new(stage.store.clone()), Some(other.clone()), stage.clock.clone());
    (other, memory.with_previous(stage.embedder.clone()))
}

async fn vectors(stage: &Stage, model: &str) -> u64 {
    let space = VectorSpace { model: model.into(), dimension: 512 };
    let health = stage.store.health().await.unwrap();
    health.vectors.iter().find(|(known, _)| *known == space).map_or(0, |(_, count)| *count)
}

#[tokio::test]
async fn l19_the_old_space_answers_until_everything_is_embedded_anew() {
    let stage = stage().await;
    learn(&stage, "tea is green").await;
    let (other, memory) = moved(&stage);
    assert_eq!(texts(&recall(&memory, &ada(), "tea", None, &settings()).await), ["tea is green"]);
    assert_eq!(other.calls.load(Ordering::SeqCst), 0, "the old embedder was asked");
    memory.index_pending().await.unwrap();
    let before = other.calls.load(Ordering::SeqCst);
    assert_eq!(texts(&recall(&memory, &ada(), "tea", None, &settings()).await), ["tea is green"]);
    assert_eq!(other.calls.load(Ordering::SeqCst), before + 1, "now the new one is");
}

#[tokio::test]
async fn fg16_what_comes_while_the_old_space_answers_gets_vectors_of_both() {
    let stage = stage().await;
    learn(&stage, "tea is green").await;
    let (_, memory) = moved(&stage);
    recall(&memory, &ada(), "tea", None, &settings()).await;
    memory.remember(&ada(), told(&ada(), "coffee is black")).await.unwrap();
    memory.index_pending().await.unwrap();
    assert_eq!((vectors(&stage, "words-512@1").await, vectors(&stage, "other-512@1").await), (2, 2));
}

#[tokio::test]
async fn bd13_embedding_anew_tells_its_progress_and_does_nothing_twice() {
    let stage = stage().await;
    for n in 0..100 {
        learn(&stage, &format!("statement{n}")).await;
    }
    let (other, memory) = moved(&stage);
    let told: Mutex<Vec<(u64, u64)>> = Mutex::default();
    let report = memory.reembed(|done, total| told.lock().unwrap().push((done, total))).await.unwrap();
    assert_eq!((report.embedded, report.pending), (100, 0));
    assert_eq!(*told.lock().unwrap(), [(0, 100), (64, 100), (100, 100)]);
    let calls = other.calls.load(Ordering::SeqCst);
    assert_eq!(memory.reembed(|_, _| {}).await.unwrap().embedded, 0);
    assert_eq!(other.calls.load(Ordering::SeqCst), calls);
}
