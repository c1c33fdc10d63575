//! The page at `/`: a chat application with an inspector that shows why a persona answered and what its context
//! contained.
//!
//! The files of `inspector/` are embedded in the program: HTML, style sheets and ES modules, without a build step and
//! without external resources. The page gets its data from the API, with the rights of the person who signed in.

use std::{io::Write, sync::Arc};

use axum::{
    response::{IntoResponse, Response},
    routing::get,
};
use flate2::{Compression, write::GzEncoder};
use http::{
    HeaderMap, HeaderName, StatusCode,
    header::{
        ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
        IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
    },
};
use sha2::{Digest, Sha256};
use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// Only our own files run or are loaded, nothing is sent to other servers, and no site can frame the page. No text of a
/// persona or a stranger can become HTML or a script. Images may come from a file that was dropped on the page.
const POLICY: &str = "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The path, the content type and the content of a file.
type File = (&'static str, &'static str, &'static str);

/// A script of the page by its name in `inspector/`.
macro_rules! script {
    ($name:literal) => {
        (concat!("/inspector/", $name), SCRIPT, include_str!(concat!("inspector/", $name)))
    };
}

/// Every file of the page.
const FILES: [File; 41] = [
    ("/", HTML, include_str!("inspector/index.html")),
    ("/inspector/style.css", CSS, include_str!("inspector/style.css")),
    ("/inspector/chat.css", CSS, include_str!("inspector/chat.css")),
    ("/inspector/panel.css", CSS, include_str!("inspector/panel.css")),
    ("/inspector/icon.svg", "image/svg+xml", include_str!("inspector/icon.svg")),
    script!("api.js"),
    script!("budget.js"),
    script!("card.js"),
    script!("cast.js"),
    script!("channel.js"),
    script!("channels.js"),
    script!("compare.js"),
    script!("composer.js"),
    script!("create.js"),
    script!("decision.js"),
    script!("dom.js"),
    script!("gallery.js"),
    script!("inspect.js"),
    script!("intro.js"),
    script!("kept.js"),
    script!("log.js"),
    script!("main.js"),
    script!("markdown.js"),
    script!("memories.js"),
    script!("memory.js"),
    script!("mention.js"),
    script!("names.js"),
    script!("near.js"),
    script!("panel.js"),
    script!("place.js"),
    script!("room.js"),
    script!("row.js"),
    script!("session.js"),
    script!("shown.js"),
    script!("tabs.js"),
    script!("theme.js"),
    script!("turn.js"),
    script!("unanswered.js"),
    script!("why.js"),
    script!("window.js"),
    script!("words.js"),
];

/// The routes. They are for browsers and not part of the API's description.
pub fn routes() -> OpenApiRouter<Services> {
    FILES.into_iter().fold(OpenApiRouter::new(), |router, (path, kind, text)| {
        let served = Arc::new(Served::of(kind, text));
        router.route(path, get(move |headers: HeaderMap| async move { served.answer(&headers) }))
    })
}

/// A file in the form in which it is sent.
struct Served {
    kind: &'static str,
    text: &'static str,
    /// The gzip of the text, made once for all browsers.
    gzip: Vec<u8>,
    tag: String,
}

impl Served {
    fn of(kind: &'static str, text: &'static str) -> Self {
        Self { kind, text, gzip: gzip(text.as_bytes()), tag: format!("\"{:x}\"", Sha256::digest(text)) }
    }

    /// The file, or 304 if the browser has it. The browser revalidates every time, so that a new version of the program
    /// never runs with scripts of the old one.
    fn answer(&self, asked: &HeaderMap) -> Response {
        let headers: [(HeaderName, &str); 7] = [
            (CONTENT_TYPE, self.kind),
            (ETAG, &self.tag),
            (VARY, "accept-encoding"),
            (CACHE_CONTROL, "no-cache"),
            (CONTENT_SECURITY_POLICY, POLICY),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (REFERRER_POLICY, "same-origin"),
        ];
        if asked.get(IF_NONE_MATCH).is_some_and(|known| known == self.tag.as_str()) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        let accepts = asked.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        if self.gzip.is_empty() || !accepts.is_some_and(|names| names.contains("gzip")) {
            return (headers, self.text).into_response();
        }
        (headers, [(CONTENT_ENCODING, "gzip")], self.gzip.clone()).into_response()
    }
}

/// The gzip of a text; empty on an error, which cannot happen in memory.
fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).and_then(|()| encoder.finish()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_whole_page_is_smaller_than_120_kb_as_it_is_sent() {
        let sizes = FILES.iter().map(|(_, kind, text)| Served::of(kind, text).gzip.len());
        let size: usize = sizes.inspect(|size| assert_ne!(*size, 0)).sum();
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
        let file = Served { tag: "\"a\"".into(), ..Served::of(HTML, "text") };
        let mut asked = HeaderMap::new();
        assert_eq!(file.answer(&asked).status(), StatusCode::OK);
        asked.insert(IF_NONE_MATCH, "\"a\"".parse().unwrap());
        assert_eq!(file.answer(&asked).status(), StatusCode::NOT_MODIFIED);
        asked.insert(IF_NONE_MATCH, "\"b\"".parse().unwrap());
        assert_eq!(file.answer(&asked).status(), StatusCode::OK);
    }

    #[test]
    fn a_browser_gets_a_file_compressed_if_it_says_that_it_reads_that() {
        let file = Served::of(HTML, FILES[0].2);
        let mut asked = HeaderMap::new();
        assert_eq!(file.answer(&asked).headers().get(CONTENT_ENCODING), None);
        asked.insert(ACCEPT_ENCODING, "gzip, br".parse().unwrap());
        assert_eq!(file.answer(&asked).headers()[CONTENT_ENCODING], "gzip");
        let mut text = String::new();
        flate2::read::GzDecoder::new(&*file.gzip).read_to_string(&mut text).unwrap();
        assert_eq!(text, file.text);
    }
}
