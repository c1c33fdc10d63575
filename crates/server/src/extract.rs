//! axum's extractors with the errors of this API. Every invalid body is a 400.

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
        let body = axum::Json::<T>::from_request(request, state).await;
        body.map(|axum::Json(body)| Self(body)).map_err(refused)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for AnyJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|rejection| ApiError::invalid(rejection.body_text()))?;
        axum::Json::<T>::from_bytes(&bytes).map(|axum::Json(body)| Self(body)).map_err(refused)
    }
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
        _ => ApiError::invalid(rejection.body_text()),
    }
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
            .map_err(|rejection: PathRejection| ApiError::invalid(rejection.body_text()))
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|axum::extract::Query(query)| Self(query))
            .map_err(|rejection: QueryRejection| ApiError::invalid(rejection.body_text()))
    }
}
