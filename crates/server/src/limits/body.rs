//! Reads the body of a request whole, up to a size and within a time (X14).

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream, HttpBody},
    extract::Request,
};
use bytes::BytesMut;
use futures::StreamExt;
use greenroom_core::real_time;
use http::{HeaderMap, StatusCode, header::CONTENT_ENCODING};

use super::refusal::refuse;
use crate::ApiError;

/// The rest of an oversized body is read for this time, so that the client reads the refusal instead of seeing a
/// reset connection.
const DRAIN: Duration = Duration::from_secs(2);

/// The limits of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimit {
    /// Bytes.
    pub(super) bytes: usize,
    /// The time until the last byte.
    pub(super) within: Duration,
    /// Whether the setting `server.body_limit` decided.
    pub(super) from_settings: bool,
}

/// Whether a request has no body left to read.
pub(super) fn is_empty(request: &Request) -> bool {
    request.body().size_hint().exact() == Some(0)
}

/// The request with its body in memory.
///
/// # Errors
/// 413 for a body over the limit, 408 for one that is too slow, 400 for one that breaks off, 415 for a compressed one.
pub(super) async fn read(request: Request, limit: BodyLimit) -> Result<Request, ApiError> {
    if is_empty(&request) {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let announced = body.size_hint().lower();
    let mut frames = body.into_data_stream();
    if announced > limit.bytes as u64 {
        return Err(too_large(frames, limit));
    }
    let mut whole = BytesMut::new();
    let reading = async {
        while let Some(frame) = frames.next().await {
            let frame = frame.map_err(|_| ApiError::invalid("the body broke off; send it again"))?;
            if whole.len() + frame.len() > limit.bytes {
                return Ok(false);
            }
            whole.extend_from_slice(&frame);
        }
        Ok(true)
    };
    match real_time().timeout(limit.within, reading).await {
        Ok(Ok(true)) if is_packed(&parts.headers) => {
            let message = "the body is compressed; send it as it is, without the header `Content-Encoding`";
            Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_encoding", message))
        }
        Ok(Ok(true)) => Ok(Request::from_parts(parts, Body::from(whole.freeze()))),
        Ok(Ok(false)) => Err(too_large(frames, limit)),
        Ok(Err(error)) => Err(error),
        Err(_) => {
            let message = format!("the body did not come within {:?}; send it again", limit.within);
            Err(refuse(StatusCode::REQUEST_TIMEOUT, "request_timeout", message))
        }
    }
}

fn is_packed(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_ENCODING)
        .is_some_and(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn too_large(mut rest: BodyDataStream, limit: BodyLimit) -> ApiError {
    let drain = async move { while let Some(Ok(_)) = rest.next().await {} };
    tokio::spawn(real_time().timeout(DRAIN, drain));
    let raise = if limit.from_settings { ", or raise server.body_limit" } else { "" };
    let message = format!("the body has more than {} bytes; send less{raise}", limit.bytes);
    refuse(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn e1_a_compressed_body_is_refused_with_the_remedy() {
        let limit = BodyLimit { bytes: 100, within: Duration::from_secs(5), from_settings: true };
        for (encoding, status) in [("gzip", Some(415)), ("br", Some(415)), ("Identity", None)] {
            let request = Request::builder().header("content-encoding", encoding).body("x".into()).unwrap();
            let refused = read(request, limit).await.err();
            assert_eq!(refused.map(|error| error.status.as_u16()), status, "{encoding}");
        }
    }
}
