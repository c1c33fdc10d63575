//! `POST /embeddings`: the vectors of the server's own embedder, whatever model a request names.

use axum::extract::State;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    ApiError, Caller, Services,
    dialect::embedding::{Texts, embedded, texts},
    extract::Json,
    reference::Failures,
};

/// The body of a request for vectors.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::EmbeddingBody)]
pub(super) struct EmbeddingBody {
    /// Any name: the server has one embedder, and the answer says which.
    #[serde(rename = "model")]
    _model: String,
    /// A text, or up to 2,048 of them. Tokens are refused.
    #[schema(value_type = Texts)]
    input: Value,
    /// `float` or `base64`.
    encoding_format: Option<Encoding>,
    /// The numbers of a vector: as many as the embedder gives, or left out.
    #[schema(minimum = 1, maximum = 4_294_967_295u64)]
    dimensions: Option<u32>,
}

/// How a vector is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = openai::Encoding)]
enum Encoding {
    /// A list of numbers.
    #[default]
    Float,
    /// 32-bit numbers, lowest byte first, in base64.
    Base64,
}

impl Encoding {
    fn write(self, vector: &[f32]) -> Value {
        match self {
            Self::Float => json!(vector),
            Self::Base64 => {
                let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
                json!(BASE64_STANDARD.encode(bytes))
            }
        }
    }
}

/// Turns texts into vectors.
///
/// The vectors come from the server's embedder, which is also used to recall memories. A text without a known word has
/// a vector of zeros.
#[utoipa::path(
    post, path = "/embeddings", tag = "openai",
    request_body = EmbeddingBody,
    responses((status = 200, body = Value, description = "One vector a text, in order"), Failures),
)]
pub(super) async fn embeddings(
    State(services): State<Services>,
    _: Caller,
    Json(body): Json<EmbeddingBody>,
) -> Result<Json<Value>, ApiError> {
    let texts = texts("input", body.input)?;
    let done = embedded(&services, &texts, body.dimensions).await?;
    let encoding = body.encoding_format.unwrap_or_default();
    let vector = |(index, vector): (usize, &Vec<f32>)| json!({ "object": "embedding", "index": index, "embedding": encoding.write(vector) });
    let data: Vec<Value> = done.vectors.iter().enumerate().map(vector).collect();
    let usage = json!({ "prompt_tokens": done.tokens, "total_tokens": done.tokens });
    Ok(Json(json!({ "object": "list", "data": data, "model": done.model, "usage": usage })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e1_vectors_are_written_as_numbers_or_in_base64() {
        let vector = [0.5, -1.0];
        assert_eq!(Encoding::Float.write(&vector), json!([0.5, -1.0]));
        assert_eq!(Encoding::Base64.write(&vector), json!("AAAAPwAAgL8="));
    }
}
