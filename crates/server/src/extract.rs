//! axum's extractors with the errors of this API. Every invalid body is a 400.

mod strict;

use axum::{
    extract::{
        FromRequest, FromRequestParts, Request,
        rejection::{JsonRejection, PathRejection, QueryRejection},
    },
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE, request::Parts};
use serde::{Serialize, de::DeserializeOwned};

use crate::ApiError;
use strict::Strict;

/// A JSON body of a request or a response. Unknown fields are ignored.
#[derive(Debug, Clone, Copy)]
pub struct Json<T>(pub T);

/// A JSON body with any `Content-Type`, since some of Ollama's clients send none. The guard has already refused
/// pages of foreign sites, which can send such requests, by their `Origin`.
#[derive(Debug, Clone, Copy)]
pub struct AnyJson<T>(pub T);

/// The parameters of the path.
#[derive(Debug, Clone, Copy)]
pub struct Path<T>(pub T);

/// The parameters of the query.
#[derive(Debug, Clone, Copy)]
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let body = axum::Json::<Strict<T>>::from_request(request, state).await;
        body.map(|axum::Json(Strict(body))| Self(body)).map_err(refused)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for AnyJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|rejection| ApiError::invalid(rejection.body_text()))?;
        let body = axum::Json::<Strict<T>>::from_bytes(&bytes);
        body.map(|axum::Json(Strict(body))| Self(body)).map_err(refused)
    }
}

/// Reads a part of a body by the same rules as a whole body.
///
/// # Errors
/// Why the value does not fit, in terms of JSON.
pub fn from_value<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, String> {
    serde_json::from_value(value).map(|Strict(part)| part).map_err(|error| plain(&error.to_string()))
}

fn refused(rejection: JsonRejection) -> ApiError {
    match &rejection {
        JsonRejection::MissingJsonContentType(_) => ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "not_json",
            "send the body as JSON, with the header `Content-Type: application/json`",
        ),
        _ if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", rejection.body_text())
        }
        _ => ApiError::invalid(plain(&rejection.body_text())),
    }
}

/// The prefixes of axum's messages, and their replacements.
const LEADS: [(&str, &str); 4] = [
    ("Failed to deserialize the JSON body into the target type: ", "the body does not fit: "),
    ("Failed to parse the request body as JSON: ", "the body is no JSON: "),
    ("Failed to deserialize query string: ", "the query does not fit: "),
    ("Failed to deserialize the path params: ", "the path does not fit: "),
];

/// The prefixes of serde's descriptions of expected types, and their names in JSON.
const EXPECTED: [(&str, &str); 10] = [
    ("a string", "a text"),
    ("a sequence", "a list"),
    ("a map", "an object"),
    ("struct ", "an object"),
    ("a boolean", "true or false"),
    ("u", "a whole number from 0"),
    ("i64", "a whole number"),
    ("i32", "a whole number"),
    ("f", "a number"),
    ("unit", "null"),
];

/// The error message of a body, query or path reader, without terms of Rust.
fn plain(message: &str) -> String {
    let (lead, rest) = LEADS
        .iter()
        .find_map(|(theirs, ours)| Some((*ours, message.strip_prefix(theirs)?)))
        .unwrap_or(("", message));
    let (what, place) = rest.rsplit_once(" at line ").map_or((rest, String::new()), |(what, place)| {
        (what, format!(" (line {})", place.replacen(" column", ", column", 1)))
    });
    // the client's own text comes before the last occurrence of these words
    let what = if let Some((before, _)) = what.split_once("data did not match any variant of untagged enum") {
        format!("{before}it has none of the possible forms, which /docs shows")
    } else if let Some((before, expected)) =
        what.rsplit_once("expected ").filter(|(before, _)| before.contains("invalid "))
    {
        let known = EXPECTED.iter().find(|(theirs, _)| expected.starts_with(theirs));
        format!("{before}expected {}", known.map_or(expected, |(_, ours)| ours))
    } else {
        what.to_owned()
    };
    format!("{lead}{what}{place}")
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        let written = serde_json::to_vec(&self.0).map_err(|error| {
            tracing::error!(%error, "a response cannot be written as JSON");
            ApiError::internal()
        });
        let kind = (CONTENT_TYPE, HeaderValue::from_static("application/json"));
        written.map(|json| ([kind], json)).into_response()
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|axum::extract::Path(path)| Self(path))
            .map_err(|rejection: PathRejection| ApiError::invalid(plain(&rejection.body_text())))
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|axum::extract::Query(query)| Self(query))
            .map_err(|rejection: QueryRejection| ApiError::invalid(plain(&rejection.body_text())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_does_not_fit_is_told_without_words_of_rust() {
        let body = "Failed to deserialize the JSON body into the target type: ";
        for (theirs, ours) in [
            (
                "max_tokens: invalid type: string \"a\", expected u32 at line 1 column 31",
                "the body does not fit: max_tokens: invalid type: string \"a\", expected a whole number from 0 (line 1, column 31)",
            ),
            (
                "messages: invalid type: string \"expected u8 at line 9\", expected a sequence at line 1 column 30",
                "the body does not fit: messages: invalid type: string \"expected u8 at line 9\", expected a list (line 1, column 30)",
            ),
            (
                "input: data did not match any variant of untagged enum Input at line 1 column 25",
                "the body does not fit: input: it has none of the possible forms, which /docs shows (line 1, column 25)",
            ),
            (
                "scope: unknown variant `x`, expected one of `channel`, `global` at line 1 column 27",
                "the body does not fit: scope: unknown variant `x`, expected one of `channel`, `global` (line 1, column 27)",
            ),
            (
                "missing field `model` at line 1 column 2",
                "the body does not fit: missing field `model` (line 1, column 2)",
            ),
        ] {
            assert_eq!(plain(&format!("{body}{theirs}")), ours);
        }
        assert_eq!(plain("Failed to buffer the request body"), "Failed to buffer the request body");
    }
}
