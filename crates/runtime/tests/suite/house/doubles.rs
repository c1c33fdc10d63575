//! Test doubles of the embedder and of the machine's randomness, which a test can make fail.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use greenroom_core::{Entropy, SystemEntropy};
use greenroom_models::{EmbedError, Embedder, normalise};

/// Words that mean the same to this embedder, and one that means nothing to it.
const MEANINGS: [(&str, &str); 5] = [
    ("python", "programming"),
    ("language", "programming"),
    ("learn", "programming"),
    ("what", ""),
    ("user", ""),
];

/// Texts are near when they share words.
pub struct Words {
    pub down: Arc<AtomicBool>,
    /// Whether it takes texts and never answers.
    pub hangs: Arc<AtomicBool>,
}

#[async_trait]
impl Embedder for Words {
    fn model(&self) -> &str {
        "words@1"
    }
    fn dimension(&self) -> usize {
        128
    }
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.hangs.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        if self.down.load(Ordering::SeqCst) {
            return Err(EmbedError::Endpoint { endpoint: "words".into(), reason: "it is down".into() });
        }
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; 128];
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    let meant = words.map(|word| MEANINGS.iter().find(|(w, _)| *w == word).map_or(word, |(_, meant)| meant));
    for word in meant.filter(|word| !word.is_empty()) {
        let at = word.bytes().fold(7u32, |hash, b| hash.wrapping_mul(31).wrapping_add(u32::from(b)));
        vector[at as usize % 128] += 1.0;
    }
    normalise(&mut vector);
    vector
}

/// The machine's randomness, until the test makes it fail. Rooms take turn ids from it, so a test can crash a room.
#[derive(Debug, Default)]
pub struct Chance {
    pub broken: AtomicBool,
}

impl Entropy for Chance {
    fn uuid(&self) -> uuid::Uuid {
        assert!(!self.broken.load(Ordering::SeqCst), "a panic the test asked for");
        SystemEntropy.uuid()
    }
    fn bits(&self) -> u64 {
        SystemEntropy.bits()
    }
}
