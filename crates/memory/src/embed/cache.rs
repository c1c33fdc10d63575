//! A cache of vectors, so that a text is embedded once (AS12).
//!
//! One message is embedded several times: as a query, without the names in it, as a statement to keep, and as a message
//! to index. Each call of an endpoint costs time and money. The cache holds a limited number of the newest short texts.
//! Large batches, from runs over a store, bypass it.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use greenroom_models::{EmbedError, Embedder, QuestionMap};

/// How many texts the cache holds.
const KEPT: usize = 256;
/// The longest text that is cached, in bytes.
const LONGEST: usize = 4_000;
/// The largest batch that uses the cache; larger ones come from runs over a store.
const LARGEST_BATCH: usize = 32;

/// An embedder with a cache. There is one per model, so that vectors of two models cannot be mixed.
pub(crate) struct Cached {
    embedder: Arc<dyn Embedder>,
    /// `None` if the embedder is as fast as a lookup in the cache.
    kept: Option<Mutex<Entries>>,
}

/// The vectors by text, and the texts by age.
#[derive(Default)]
struct Entries {
    vectors: HashMap<Arc<str>, Vec<f32>>,
    order: VecDeque<Arc<str>>,
}

impl Cached {
    /// Wraps an embedder with an empty cache.
    pub(crate) fn over(embedder: Arc<dyn Embedder>) -> Arc<Self> {
        let kept = (!embedder.at_once()).then(Mutex::default);
        Arc::new(Self { embedder, kept })
    }

    /// The embedder without the cache, for texts that never repeat, such as a model's sentences (FG9).
    pub(crate) fn uncached(&self) -> &dyn Embedder {
        &*self.embedder
    }
}

/// Ignores poisoning: no code under the lock can panic, so the entries are consistent.
fn lock(kept: &Mutex<Entries>) -> MutexGuard<'_, Entries> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Entries {
    fn keep(&mut self, text: &str, vector: &[f32]) {
        if text.len() > LONGEST || self.vectors.contains_key(text) {
            return;
        }
        if self.order.len() >= KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.vectors.remove(&oldest);
        }
        let text: Arc<str> = text.into();
        self.vectors.insert(text.clone(), vector.to_vec());
        self.order.push_back(text);
    }
}

#[async_trait]
impl Embedder for Cached {
    fn model(&self) -> &str {
        self.embedder.model()
    }

    fn dimension(&self) -> usize {
        self.embedder.dimension()
    }

    fn at_once(&self) -> bool {
        self.embedder.at_once()
    }

    fn question_map(&self) -> Option<QuestionMap> {
        self.embedder.question_map()
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let Some(kept) = self.kept.as_ref().filter(|_| texts.len() <= LARGEST_BATCH) else {
            return self.embedder.embed(texts).await;
        };
        let mut found: Vec<Option<Vec<f32>>> = {
            let kept = lock(kept);
            texts.iter().map(|text| kept.vectors.get(text.as_str()).cloned()).collect()
        };
        let mut missing: Vec<String> = Vec::new();
        for (text, found) in texts.iter().zip(&found) {
            if found.is_none() && !missing.contains(text) {
                missing.push(text.clone());
            }
        }
        if !missing.is_empty() {
            let new = self.embedder.embed(&missing).await?;
            if new.len() != missing.len() {
                return Ok(new); // the caller's check rejects this answer
            }
            for (text, slot) in texts.iter().zip(&mut found) {
                if slot.is_none() {
                    *slot = missing.iter().position(|asked| asked == text).map(|at| new[at].clone());
                }
            }
            let mut kept = lock(kept);
            for (text, vector) in missing.iter().zip(&new) {
                if vector.len() == self.embedder.dimension() && vector.iter().all(|x| x.is_finite()) {
                    kept.keep(text, vector);
                }
            }
        }
        Ok(found.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records the texts it is asked for; a text of one letter gets a vector that is not finite.
    #[derive(Default)]
    struct Counting {
        asked: Mutex<Vec<String>>,
    }

    impl Counting {
        fn asked(&self) -> Vec<String> {
            std::mem::take(&mut *self.asked.lock().unwrap())
        }
    }

    #[async_trait]
    impl Embedder for Counting {
        fn model(&self) -> &str {
            "counting@1"
        }
        fn dimension(&self) -> usize {
            1
        }
        async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.asked.lock().unwrap().extend_from_slice(texts);
            let vector = |text: &String| vec![if text.len() == 1 { f32::NAN } else { text.len() as f32 }];
            match texts.iter().any(|text| text == "down") {
                true => Err(EmbedError::BadAnswer { model: "counting@1".into(), reason: "down".into() }),
                false => Ok(texts.iter().map(vector).collect()),
            }
        }
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[tokio::test]
    async fn as12_a_text_is_embedded_once() {
        let counting = Arc::new(Counting::default());
        let cached = Cached::over(counting.clone());
        let ask = async |list: &[&str]| cached.embed(&texts(list)).await.unwrap();
        assert_eq!(ask(&["tea", "coffee", "tea"]).await, [[3.0], [6.0], [3.0]]);
        assert_eq!(counting.asked(), ["tea", "coffee"], "also within one batch");
        assert_eq!(ask(&["coffee", "rain", "tea"]).await, [[6.0], [4.0], [3.0]]);
        assert_eq!(counting.asked(), ["rain"]);
        assert_eq!(ask(&["rain"]).await, [[4.0]]);
        assert!(counting.asked().is_empty());
    }

    #[tokio::test]
    async fn as12_what_is_broken_or_fails_is_asked_again() {
        let counting = Arc::new(Counting::default());
        let cached = Cached::over(counting.clone());
        for _ in 0..2 {
            assert!(cached.embed(&texts(&["x"])).await.unwrap()[0][0].is_nan());
            assert_eq!(counting.asked(), ["x"]);
            assert!(cached.embed(&texts(&["down"])).await.is_err());
            assert_eq!(counting.asked(), ["down"]);
        }
    }

    #[tokio::test]
    async fn as12_the_cache_is_bounded() {
        let counting = Arc::new(Counting::default());
        let cached = Cached::over(counting.clone());
        for n in 0..3 * KEPT {
            cached.embed(&[format!("text {n}")]).await.unwrap();
        }
        cached.embed(&["y".repeat(LONGEST + 1)]).await.unwrap();
        let bulk: Vec<String> = (0..=LARGEST_BATCH).map(|n| format!("bulk {n}")).collect();
        cached.embed(&bulk).await.unwrap();
        let kept = lock(cached.kept.as_ref().unwrap());
        assert_eq!((kept.vectors.len(), kept.order.len()), (KEPT, KEPT));
        assert!(kept.vectors.contains_key(format!("text {}", 3 * KEPT - 1).as_str()), "the newest are kept");
    }
}
