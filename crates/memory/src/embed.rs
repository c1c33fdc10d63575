//! Embedding of texts, with checks of the embedder's answer: only a finite vector of the right dimension passes, scaled
//! to length 1 (L18, FG2).

mod cache;

use greenroom_models::{EmbedError, Embedder, normalise};

use crate::Memory;

pub(crate) use cache::Cached;

/// How many characters of a text are embedded. Embedding models have windows of 256 to 8,192 tokens. The models with
/// longer windows refuse a text that does not fit, so that it would never get a vector.
const LONGEST: usize = 6_000;

/// The result for one text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Embedding {
    /// A vector of length 1.
    Vector(Vec<f32>),
    /// The model knows nothing in the text.
    Nothing,
    /// The vector is invalid, for this reason in one line.
    Unusable(String),
}

/// Vectors for callers outside this crate.
#[derive(Debug, Clone, PartialEq)]
pub struct Embeddings {
    /// The embedder's model.
    pub model: String,
    /// The number of components of a vector.
    pub dimension: usize,
    /// One vector per text, in order, of length 1; all zeros if the model knows nothing in the text.
    pub vectors: Vec<Vec<f32>>,
}

impl Memory {
    /// Embeds texts as memories are embedded. Returns `None` if there is no embedder.
    ///
    /// # Errors
    /// The embedder fails or returns an invalid vector.
    pub async fn embeddings(&self, texts: &[String]) -> Result<Option<Embeddings>, EmbedError> {
        let Some(embedder) = self.embedder() else { return Ok(None) };
        let (model, dimension) = (embedder.model().to_owned(), embedder.dimension());
        let vector = |embedding| match embedding {
            Embedding::Vector(vector) => Ok(vector),
            Embedding::Nothing => Ok(vec![0.0; dimension]),
            Embedding::Unusable(reason) => Err(EmbedError::BadAnswer { model: model.clone(), reason }),
        };
        let vectors = embed(embedder, texts).await?.into_iter().map(vector).collect::<Result<_, _>>()?;
        Ok(Some(Embeddings { model, dimension, vectors }))
    }
}

/// Embeds texts; returns one result per text, in order. The call fails as a whole if the embedder fails or returns
/// another number of vectors than texts.
pub(crate) async fn embed(embedder: &dyn Embedder, texts: &[String]) -> Result<Vec<Embedding>, EmbedError> {
    let vectors = match texts.iter().any(|text| text.len() > LONGEST) {
        true => {
            let clip = |text: &String| text.chars().take(LONGEST).collect();
            embedder.embed(&texts.iter().map(clip).collect::<Vec<String>>()).await?
        }
        false => embedder.embed(texts).await?,
    };
    if vectors.len() != texts.len() {
        return Err(EmbedError::BadAnswer {
            model: embedder.model().to_owned(),
            reason: format!("{} vectors for {} texts", vectors.len(), texts.len()),
        });
    }
    Ok(vectors.into_iter().map(|v| check(v, embedder.dimension())).collect())
}

fn check(mut vector: Vec<f32>, dimension: usize) -> Embedding {
    if vector.len() != dimension {
        return Embedding::Unusable(format!("a vector of {} numbers instead of {dimension}", vector.len()));
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !length.is_finite() {
        return Embedding::Unusable("a vector with a number that is not finite".into());
    }
    if length == 0.0 {
        return Embedding::Nothing;
    }
    normalise(&mut vector);
    Embedding::Vector(vector)
}

/// An error as one line of at most 300 characters, for a log or a user.
pub(crate) fn one_line(error: &impl ToString) -> String {
    let flat = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.chars().count() <= 300 { flat } else { flat.chars().take(299).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l18_a_broken_vector_is_never_usable() {
        assert_eq!(check(vec![0.0, 0.0], 2), Embedding::Nothing);
        assert_eq!(check(vec![3.0, 4.0], 2), Embedding::Vector(vec![0.6, 0.8]));
        for broken in [vec![1.0], vec![1.0, f32::NAN], vec![f32::INFINITY, 0.0], vec![f32::MAX, f32::MAX]] {
            assert!(matches!(check(broken, 2), Embedding::Unusable(_)));
        }
    }

    #[test]
    fn l20_an_error_becomes_one_short_line() {
        let line = one_line(&format!("first\nsecond {}", "x".repeat(1000)));
        assert!(line.starts_with("first second xxx"));
        assert_eq!((line.lines().count(), line.chars().count()), (1, 300));
    }
}
