//! A browser's key. A page cannot send a header with an `EventSource` or a WebSocket, so it hands its
//! key in once and has it back as a cookie no script can read.

use axum::{
    Extension, Json,
    response::{IntoResponse, Response},
};
use greenroom_store::Role;
use http::{
    HeaderMap, Method, StatusCode,
    header::{ORIGIN, SET_COOKIE},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Services,
    access::{Access, Key, key::COOKIE_NAME},
    error::ErrorBody,
    extract,
};

/// Where a browser signs in and out; the guard lets everybody come so far.
pub const PATH: &str = "/api/session";

/// Whether somebody signs in or out, for which no key is needed.
pub fn signs(method: &Method, path: &str) -> bool {
    path == PATH && matches!(*method, Method::POST | Method::DELETE)
}

/// The page that asks for a key where one is needed.
pub const SIGN_IN_PAGE: &str = include_str!("sign_in.html");

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(session, sign_in, sign_out))
}

/// A key that is handed in.
#[derive(Deserialize, ToSchema)]
struct SignIn {
    /// As `greenroom key create` showed it.
    key: String,
}

/// Who somebody is.
#[derive(Debug, Serialize, ToSchema)]
struct SignedIn {
    /// `user` or `operator`.
    #[schema(value_type = String)]
    role: Role,
    /// The person they speak as.
    user: String,
    /// False where there is no key and everybody is operator.
    key_needed: bool,
}

impl SignedIn {
    fn of(caller: &Caller, access: &Access) -> Self {
        let key_needed = access.keys.live().is_some();
        Self { role: caller.role, user: caller.user.to_string(), key_needed }
    }
}

/// Who I am.
#[utoipa::path(
    get, path = PATH, tag = "access",
    responses(
        (status = 200, description = "Whose key this is", body = SignedIn),
        (status = 401, description = "No key, or a wrong one", body = ErrorBody),
    )
)]
async fn session(caller: Caller, Extension(access): Extension<Access>) -> Json<SignedIn> {
    Json(SignedIn::of(&caller, &access))
}

/// Hands in a key; from then on the browser's cookie does as well.
#[utoipa::path(
    post, path = PATH, tag = "access", request_body = SignIn,
    responses(
        (status = 200, description = "The key is right; the cookie is set", body = SignedIn),
        (status = 400, description = "No key in the body", body = ErrorBody),
        (status = 401, description = "A wrong key", body = ErrorBody),
        (status = 413, description = "More than a key", body = ErrorBody),
        (status = 429, description = "Too often from one address", body = ErrorBody),
    )
)]
async fn sign_in(
    Extension(access): Extension<Access>,
    headers: HeaderMap,
    body: Result<extract::Json<SignIn>, ApiError>,
) -> Result<Response, ApiError> {
    // the reason of a body that cannot be read may quote it (X5)
    let unreadable = || ApiError::invalid("send the key as JSON: {\"key\": \"gr_…\"}").about("key");
    let extract::Json(SignIn { key }) = body.map_err(|_| unreadable())?;
    let key = Key::said(&key);
    let admitted = access.keys.caller(Some(&key)).await?;
    let session = SignedIn::of(&admitted.caller, &access);
    if !session.key_needed {
        return Ok(Json(session).into_response());
    }
    let cookie = cookie(key.expose(), &headers);
    Ok(([(SET_COOKIE, cookie)], Json(session)).into_response())
}

/// Gives the cookie back.
#[utoipa::path(
    delete, path = PATH, tag = "access",
    responses(
        (status = 204, description = "The cookie is gone"),
        (status = 413, description = "More than nothing", body = ErrorBody),
        (status = 429, description = "Too often from one address", body = ErrorBody),
    ),
    security(())
)]
async fn sign_out(headers: HeaderMap) -> impl IntoResponse {
    (StatusCode::NO_CONTENT, [(SET_COOKIE, cookie("", &headers) + "; Max-Age=0")])
}

/// The cookie: for this server alone, until the browser closes. Sent in clear only where the page
/// came so itself.
fn cookie(key: &str, headers: &HeaderMap) -> String {
    let origin = headers.get(ORIGIN).map(|origin| origin.as_bytes());
    let secure = origin.is_some_and(|origin| origin.starts_with(b"https://"));
    let secure = if secure { "; Secure" } else { "" };
    format!("{COOKIE_NAME}={key}; Path=/; HttpOnly; SameSite=Strict{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x5_no_script_and_no_other_site_gets_at_the_cookie() {
        let mut headers = HeaderMap::new();
        assert_eq!(cookie("gr_a", &headers), "greenroom_key=gr_a; Path=/; HttpOnly; SameSite=Strict");
        headers.insert(ORIGIN, "https://greenroom.example".parse().unwrap());
        assert!(cookie("gr_a", &headers).ends_with("; Secure"));
    }
}
