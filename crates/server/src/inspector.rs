//! The page at `/` that shows what a persona was thinking.
//!
//! Its files are held in the program as they stand in `inspector/`: HTML, a style sheet and ES modules,
//! with nothing to build and nothing fetched from elsewhere. The page gets what it shows from the API,
//! with the rights of the person who signed in.

use axum::{
    response::{IntoResponse, Response},
    routing::get,
};
use http::{
    HeaderMap, HeaderName, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
        X_CONTENT_TYPE_OPTIONS,
    },
};
use sha2::{Digest, Sha256};
use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// Nothing but our own files runs or is loaded, nothing is sent elsewhere, nobody frames the page, and
/// no text can become HTML or a script, whatever a persona or a stranger said.
const POLICY: &str = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Where a file is found, what it is, what is in it.
type File = (&'static str, &'static str, &'static str);

/// A script of the page by its name in `inspector/`.
macro_rules! script {
    ($name:literal) => {
        (concat!("/inspector/", $name), SCRIPT, include_str!(concat!("inspector/", $name)))
    };
}

/// Every file of the page.
const FILES: [File; 24] = [
    ("/", HTML, include_str!("inspector/index.html")),
    ("/inspector/style.css", CSS, include_str!("inspector/style.css")),
    ("/inspector/icon.svg", "image/svg+xml", include_str!("inspector/icon.svg")),
    script!("api.js"),
    script!("budget.js"),
    script!("cast.js"),
    script!("channel.js"),
    script!("compare.js"),
    script!("composer.js"),
    script!("dom.js"),
    script!("inspect.js"),
    script!("log.js"),
    script!("main.js"),
    script!("markdown.js"),
    script!("memories.js"),
    script!("memory.js"),
    script!("names.js"),
    script!("place.js"),
    script!("session.js"),
    script!("shown.js"),
    script!("tabs.js"),
    script!("theme.js"),
    script!("turn.js"),
    script!("words.js"),
];

/// The routes. They are for browsers and not part of the API's description.
pub fn routes() -> OpenApiRouter<Services> {
    FILES.into_iter().fold(OpenApiRouter::new(), |router, file| {
        let tag = format!("\"{:x}\"", Sha256::digest(file.2));
        router.route(file.0, get(move |headers: HeaderMap| async move { answer(file, &tag, &headers) }))
    })
}

/// The file, or that the browser has it already. It always asks, so that a new version of the program
/// never meets scripts of the one before.
fn answer((_, kind, text): File, tag: &str, asked: &HeaderMap) -> Response {
    let headers: [(HeaderName, &str); 6] = [
        (CONTENT_TYPE, kind),
        (ETAG, tag),
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "same-origin"),
    ];
    if asked.get(IF_NONE_MATCH).is_some_and(|known| known == tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_page_is_smaller_than_120_kb() {
        let size: usize = FILES.iter().map(|(_, _, text)| text.len()).sum();
        assert!(size < 120_000, "{size} bytes");
    }

    #[test]
    fn the_page_holds_no_script_style_or_address_that_its_policy_forbids() {
        let (_, _, page) = FILES[0];
        for forbidden in ["<script>", "<style", " style=", " onclick=", "javascript:", "http://", "https://"]
        {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        for (name, kind, text) in FILES.into_iter().filter(|(_, kind, _)| *kind == SCRIPT) {
            for forbidden in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "https://"]
            {
                assert!(!text.contains(forbidden), "{name} ({kind}): {forbidden}");
            }
        }
    }

    #[test]
    fn every_script_is_preloaded_but_the_one_that_loads_them() {
        let (_, _, page) = FILES[0];
        for (name, ..) in
            FILES.into_iter().filter(|(name, kind, _)| *kind == SCRIPT && !name.ends_with("main.js"))
        {
            assert!(page.contains(&format!("<link rel=\"modulepreload\" href=\"{name}\">")), "{name}");
        }
    }

    #[test]
    fn a_browser_that_has_a_file_is_not_sent_it_again() {
        let mut asked = HeaderMap::new();
        assert_eq!(answer(FILES[0], "\"a\"", &asked).status(), StatusCode::OK);
        asked.insert(IF_NONE_MATCH, "\"a\"".parse().unwrap());
        assert_eq!(answer(FILES[0], "\"a\"", &asked).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(answer(FILES[0], "\"b\"", &asked).status(), StatusCode::OK);
    }
}
