//! The embedding trait: texts in, unit vectors of one space out.

use async_trait::async_trait;

/// Why texts have no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The endpoint cannot be reached or refuses.
    #[error("the embedding endpoint {endpoint} failed: {reason}")]
    Endpoint {
        /// Its base URL, without credentials.
        endpoint: String,
        /// The cause.
        reason: String,
    },
    /// The answer is not usable: wrong dimension, NaN, a short list (L18).
    #[error("the embedding model {model} gave an unusable answer: {reason}")]
    BadAnswer {
        /// The name of the model.
        model: String,
        /// What is wrong with the answer.
        reason: String,
    },
    /// The weights are not installed.
    #[error("the embedding model {model} is not installed; run `greenroom models pull {model}`")]
    NotInstalled {
        /// The name of the model.
        model: String,
    },
}

/// Maps the vector of a question; see [`Embedder::question_map`].
pub type QuestionMap = fn(Vec<f32>) -> Vec<f32>;

/// Turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync + 'static {
    /// The model's name with its version, as `static-words-256@4`. Vectors of different models are never compared
    /// (L19).
    fn model(&self) -> &str;
    /// The dimension of the vectors.
    fn dimension(&self) -> usize;
    /// Whether embedding a text takes no longer than storing it, about ten microseconds. The caller then stores the
    /// vector together with the text.
    fn at_once(&self) -> bool {
        false
    }
    /// The map from the vector of a question to where vectors of its answers are, if there is one. A mapped vector is
    /// compared with the vectors of texts, and is neither stored nor compared with those of other questions.
    fn question_map(&self) -> Option<QuestionMap> {
        None
    }
    /// Returns one vector per text, in order. A vector has length 1, or is all zero if the model knows nothing in the
    /// text (FG2). A zero vector must not be stored.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Scales a vector to length 1; a zero vector stays zero (FG2).
pub fn normalise(vector: &mut [f32]) {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if norm > 0.0 {
        vector.iter_mut().for_each(|x| *x /= norm);
    }
}
