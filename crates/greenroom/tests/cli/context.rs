//! `greenroom context`.

use greenroom_tests::{Home, MockEndpoint};

use crate::run;

#[test]
fn the_context_is_shown_without_calling_a_model() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    run(&home, &["memory", "add", "The build takes 6 minutes"]);
    let url = endpoint.base_url();
    let (code, out, err) =
        run(&home, &["context", "ada", "How long is a build?", "--base-url", &url, "--model", "gpt-4o-mini"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("m1") && out.contains("o200k"), "{out}");
    let (_, out, _) =
        run(&home, &["context", "ada", "How long is a build?", "--base-url", &url, "--model", "x", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(shown["messages"][0]["role"], "system");
    assert!(endpoint.chats().is_empty());
}
