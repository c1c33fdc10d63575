//! Signing in with a browser. An `EventSource` or a WebSocket cannot send a header. So a page sends its key once and
//! gets a session, in a cookie that no script can read. The cookie is not the key, and no other server accepts it.

use axum::{
    Extension, Json,
    response::{IntoResponse, Response},
};
use greenroom_store::Role;
use http::{
    HeaderMap, Method, StatusCode,
    header::{COOKIE, HOST, ORIGIN, SET_COOKIE},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Services,
    access::{Access, Key},
    extract,
    reference::Failures,
};

/// The path of signing in and out. The guard lets requests without a key through to it.
pub const PATH: &str = "/api/session";

/// Whether a request signs in or out, which needs no key.
pub fn is_sign_in_or_out(method: &Method, path: &str) -> bool {
    path == PATH && matches!(*method, Method::POST | Method::DELETE)
}

/// The cookie over HTTPS. Browsers accept the prefix `__Host-` from this host alone, and with `Secure` only.
const SECURE_COOKIE: &str = "__Host-greenroom";
/// The cookie over HTTP, before the port: browsers send a cookie to every port of a host.
const PLAIN_COOKIE: &str = "greenroom_session";

/// The token of a session, as a browser sent it.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The token of a request.
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let plain = plain_cookie(headers);
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let (_, token) = pairs.find(|(name, _)| *name == SECURE_COOKIE || *name == plain)?;
        Some(Self(token.to_owned()))
    }

    /// The token as text.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// The name of the cookie for the port in `Host`.
fn plain_cookie(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = host.rsplit_once(':').map(|(_, port)| port).filter(|port| port.parse::<u16>().is_ok());
    port.map_or_else(|| PLAIN_COOKIE.to_owned(), |port| format!("{PLAIN_COOKIE}_{port}"))
}

/// The page that asks for a key.
pub const SIGN_IN_PAGE: &str = include_str!("sign_in.html");

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(session, sign_in, sign_out))
}

/// A key to sign in with.
#[derive(Deserialize, ToSchema)]
struct SignIn {
    /// The key, as `greenroom key create` printed it.
    key: String,
}

/// The caller of a request.
#[derive(Debug, Serialize, ToSchema)]
struct SignedIn {
    /// `user` or `operator`.
    #[schema(value_type = String)]
    role: Role,
    /// The person the key speaks as.
    user: String,
    /// False if no key was ever made, so that every caller is an operator.
    key_needed: bool,
}

impl SignedIn {
    fn of(caller: &Caller, access: &Access) -> Self {
        let key_needed = access.keys.live().is_some();
        Self { role: caller.role, user: caller.user.to_string(), key_needed }
    }
}

/// Your key
///
/// The role and the person of the key, or of the session.
#[utoipa::path(
    get, path = PATH, tag = "access",
    responses((status = 200, description = "The caller", body = SignedIn), Failures)
)]
async fn session(caller: Caller, Extension(access): Extension<Access>) -> Json<SignedIn> {
    Json(SignedIn::of(&caller, &access))
}

/// Sign in
///
/// Sets a cookie that stands for the key in later requests.
#[utoipa::path(
    post, path = PATH, tag = "access", request_body = SignIn,
    responses((status = 200, description = "The cookie is set", body = SignedIn), Failures)
)]
async fn sign_in(
    Extension(access): Extension<Access>,
    headers: HeaderMap,
    body: Result<extract::Json<SignIn>, ApiError>,
) -> Result<Response, ApiError> {
    // the parse error of a body may quote the key (X5)
    let unreadable = || ApiError::invalid("send the key as JSON: {\"key\": \"gr_…\"}").about("key");
    let extract::Json(SignIn { key }) = body.map_err(|_| unreadable())?;
    let key = Key::from_text(&key);
    let grant = access.keys.authenticate(Some(&key)).await?;
    let session = SignedIn::of(&grant.caller, &access);
    if !session.key_needed {
        return Ok(Json(session).into_response());
    }
    let token = access.sessions.begin(key.hash()).map_err(|error| {
        tracing::error!(%error, "the system has no randomness for a session");
        ApiError::internal()
    })?;
    let cookie = cookie(&token, &headers);
    Ok(([(SET_COOKIE, cookie)], Json(session)).into_response())
}

/// Sign out
///
/// Ends the session of the cookie.
#[utoipa::path(
    delete, path = PATH, tag = "access",
    responses((status = 204, description = "The cookie is gone"), Failures),
    security(())
)]
async fn sign_out(
    Extension(access): Extension<Access>,
    token: Option<Extension<Token>>,
    headers: HeaderMap,
) -> impl IntoResponse {
    if let Some(Extension(token)) = token {
        access.sessions.end(token.expose());
    }
    (StatusCode::NO_CONTENT, [(SET_COOKIE, cookie("", &headers) + "; Max-Age=0")])
}

/// The `Set-Cookie` of a session. The cookie ends with the browser, and is `Secure` if the page uses HTTPS.
fn cookie(token: &str, headers: &HeaderMap) -> String {
    let origin = headers.get(ORIGIN).map(|origin| origin.as_bytes());
    let secure = origin.is_some_and(|origin| origin.starts_with(b"https://"));
    let (name, secure) =
        if secure { (SECURE_COOKIE.to_owned(), "; Secure") } else { (plain_cookie(headers), "") };
    format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x5_no_script_and_no_other_site_reads_the_cookie() {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, "127.0.0.1:8080".parse().unwrap());
        let plain = "greenroom_session_8080=t; Path=/; HttpOnly; SameSite=Strict";
        assert_eq!(cookie("t", &headers), plain);
        headers.insert(ORIGIN, "https://greenroom.example".parse().unwrap());
        let secure = "__Host-greenroom=t; Path=/; HttpOnly; SameSite=Strict; Secure";
        assert_eq!(cookie("t", &headers), secure);
    }

    #[test]
    fn b7_the_cookie_of_another_port_is_not_ours() {
        let token = |host: &'static str, cookie: &'static str| {
            let value = http::HeaderValue::from_static;
            let headers = HeaderMap::from_iter([(HOST, value(host)), (COOKIE, value(cookie))]);
            Token::from_headers(&headers).map(|token| token.0)
        };
        assert_eq!(token("localhost:1", "theme=dark; greenroom_session_1=t").as_deref(), Some("t"));
        assert_eq!(token("[::1]:1", "__Host-greenroom=t").as_deref(), Some("t"));
        assert_eq!(token("localhost", "greenroom_session=t").as_deref(), Some("t"));
        assert_eq!(token("localhost:2", "greenroom_session_1=t; xgreenroom_session_2=t"), None);
    }
}
