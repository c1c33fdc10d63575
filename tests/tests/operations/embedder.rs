//! An embedder that is away when the server starts (A10).

use std::{net::TcpListener, process::Stdio};

use greenroom_tests::{Home, MockEndpoint};
use serde_json::Value;

use super::support::{Server, Start, command, wait_for};

/// The codes of the notices of a turn.
fn notices(reply: &Value) -> Vec<String> {
    let notices = reply["turns"][0]["notices"].as_array().cloned().unwrap_or_default();
    notices.iter().filter_map(|notice| notice["code"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a10_an_embedder_that_was_away_comes_on_by_itself_and_every_turn_until_then_says_so() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    // its dimension is not in the settings, so it has to be asked for
    let settings = format!(
        "[embedder]\nkind = \"openai\"\nmodel = \"own\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n"
    );
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let mut serving = command(&home, &endpoint, &Start { settings: &settings, ..Start::default() });
    serving.stderr(Stdio::piped());
    let server = Server::started(home, endpoint, serving);
    for _ in 0..2 {
        let reply = server.say("the harbour opens at nine").json();
        assert_eq!(reply["turns"][0]["text"], "ok", "{reply}");
        assert_eq!(notices(&reply), ["memory_degraded"], "{reply}");
    }
    let embedder = MockEndpoint::start_at(port);
    let quiet = wait_for(|| {
        let reply = server.say("when does the harbour open?").json();
        notices(&reply).is_empty().then_some(())
    });
    assert!(quiet.is_some(), "{}", server.stderr.so_far());
    // what was said meanwhile gets its vectors, too
    let embedded =
        |text: &str| embedder.embeddings().iter().any(|body| body["input"].to_string().contains(text));
    assert!(wait_for(|| embedded("opens at nine").then_some(())).is_some(), "{:?}", embedder.embeddings());
}
