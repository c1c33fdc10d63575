//! Vectors of the server's own embedder, for the embedding routes of the dialects.

use greenroom_memory::Embeddings;
use http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{ApiError, Services};

/// Texts in one request.
const MOST: usize = 2_048;
/// Texts per call of the embedder; other requests run between calls.
const AT_ONCE: usize = 64;

/// One text or several, for the description of the API. Requests are parsed by [`texts`], which explains errors.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "describes the shape alone")]
pub(crate) enum Texts {
    /// A text.
    One(String),
    /// Several.
    Several(Vec<String>),
}

/// The vectors of texts.
pub(crate) struct Embedded {
    /// The embedder's name.
    pub(crate) model: String,
    /// One per text, in order.
    pub(crate) vectors: Vec<Vec<f32>>,
    /// The estimated number of tokens: a quarter of the characters.
    pub(crate) tokens: usize,
}

/// The texts of a field: one, or a list of them.
///
/// # Errors
/// 400 for tokens, for an empty text and for too many.
pub(crate) fn texts(field: &'static str, input: Value) -> Result<Vec<String>, ApiError> {
    let wrong = |why: String| ApiError::invalid(why).about(field);
    let all = match input {
        Value::Array(all) => all,
        one => vec![one],
    };
    if all.is_empty() || all.len() > MOST {
        return Err(wrong(format!("send 1 to {MOST} texts at once")));
    }
    let text = |text: Value| match text {
        Value::String(text) if text.trim().is_empty() => Err(wrong("an empty text has no vector".into())),
        Value::String(text) => Ok(text),
        _ => Err(wrong("send texts; tokens cannot be read here, since the embedder has its own".into())),
    };
    all.into_iter().map(text).collect()
}

/// Embeds texts.
///
/// # Errors
/// 400 for another dimension than the embedder's, 501 if there is none, 502 if it fails.
pub(crate) async fn embedded(
    services: &Services,
    texts: &[String],
    dimensions: Option<u32>,
) -> Result<Embedded, ApiError> {
    let none = || {
        let message = "this server has no embedder; set one as `embedder` in greenroom.toml";
        ApiError::new(StatusCode::NOT_IMPLEMENTED, "no_embedder", message)
    };
    let tokens = texts.iter().map(|text| text.chars().count().div_ceil(4)).sum();
    let (mut model, mut vectors) = (String::new(), Vec::with_capacity(texts.len()));
    for texts in texts.chunks(AT_ONCE) {
        let Embeddings { model: of, dimension, vectors: more } =
            services.memory.embeddings(texts).await.map_err(failed)?.ok_or_else(none)?;
        if dimensions.is_some_and(|asked| asked as usize != dimension) {
            let message = format!("the vectors of {of} have {dimension} numbers: leave `dimensions` out");
            return Err(ApiError::invalid(message).about("dimensions"));
        }
        model = of;
        vectors.extend(more);
        tokio::task::yield_now().await;
    }
    Ok(Embedded { model, vectors, tokens })
}

fn failed(error: impl std::fmt::Display) -> ApiError {
    ApiError::new(StatusCode::BAD_GATEWAY, "embedder_failed", error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn e1_input_is_a_text_or_several_and_no_tokens() {
        assert_eq!(texts("input", json!("a")).unwrap(), ["a"]);
        assert_eq!(texts("input", json!(["a", "b"])).unwrap(), ["a", "b"]);
        let many = json!(vec!["a"; MOST + 1]);
        for wrong in [json!([1, 2]), json!([[1], [2]]), json!(""), json!([" "]), json!([]), json!(null), many]
        {
            assert_eq!(texts("input", wrong).unwrap_err().param.as_deref(), Some("input"));
        }
    }
}
