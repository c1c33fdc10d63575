//! Cancel, reset, stop, start, restart.

use greenroom_tests::Answer;
use serde_json::{Value, json};

use crate::server::Server;

fn state(server: &Server, persona: &str) -> Option<Value> {
    let actors = server.get("/api/actors").body["actors"].as_array().unwrap().clone();
    actors.into_iter().find(|actor| actor["persona"] == persona).map(|actor| actor["state"].clone())
}

#[test]
fn a_running_reply_is_cancelled() {
    let server = Server::start();
    server.endpoint.push(Answer::text("A long story").stall_after(1));
    let mut stream = server.saying("api:ann", "Tell me a story");
    stream.frame_of("token_delta");
    assert_eq!(state(&server, "ada"), Some(json!("thinking")));
    assert_eq!(server.post("/api/channels/api:ann/cancel", &json!({})).status, 204);
    assert_eq!(stream.frame_of("cancelled").data["text"], "A ");
    assert_eq!(stream.frame(), None);
    assert_eq!(server.post("/api/channels/api:nobody/cancel", &json!({})).status, 204);
}

#[test]
fn wb15_a_stopped_persona_fails_visibly_until_it_is_started() {
    let server = Server::start();
    server.endpoint.push(Answer::text("A long story").stall_after(1));
    let mut stream = server.saying("api:ann", "Tell me a story");
    stream.frame_of("token_delta");
    assert_eq!(server.post("/api/personas/ada/stop", &json!({})).status, 204);
    stream.frame_of("cancelled");
    assert_eq!(state(&server, "ada"), Some(json!("stopped")));
    let refused = server.say("api:ann", "Are you there?");
    assert_eq!(refused.body["turns"][0]["code"], "persona_stopped");

    assert_eq!(server.post("/api/personas/ada/start", &json!({})).status, 204);
    assert_eq!(server.say("api:ann", "And now?").body["turns"][0]["state"], "done");
    assert_eq!(server.post("/api/personas/ada/restart", &json!({})).status, 204);
    assert_eq!(server.say("api:ann", "And still?").body["turns"][0]["state"], "done");
}

/// Stop all waits until nobody plays any more; start all does nothing to those that answer.
#[test]
fn wb15_all_are_stopped_and_started_at_once() {
    let server = Server::start();
    assert_eq!(server.post("/api/actors/start", &json!({})).status, 204);
    server.endpoint.push(Answer::text("A long story").stall_after(1));
    let mut stream = server.saying("api:ann", "Tell me a story");
    stream.frame_of("token_delta");
    assert_eq!(server.post("/api/actors/stop", &json!({})).status, 204);
    stream.frame_of("cancelled");
    assert_eq!(state(&server, "ada"), Some(json!("stopped")));
    assert_eq!(server.say("api:ann", "Are you there?").body["turns"][0]["code"], "persona_stopped");
    for _ in 0..2 {
        assert_eq!(server.post("/api/actors/start", &json!({})).status, 204);
        assert_eq!(server.say("api:ann", "And now?").body["turns"][0]["state"], "done");
    }
}

#[test]
fn wb14_a_reset_puts_the_history_aside_and_keeps_it() {
    let server = Server::start();
    server.say("api:ann", "My name is Ann");
    assert_eq!(server.post("/api/channels/api:ann/personas/ada/reset", &json!({})).status, 204);
    server.say("api:ann", "Hello again");
    let request = server.endpoint.chats().last().unwrap()["messages"].clone();
    let said: Vec<_> = request.as_array().unwrap().iter().filter(|m| m["role"] == "user").collect();
    assert_eq!(said.len(), 1, "{request}");
    assert_eq!(server.get("/api/channels/api:ann/messages").body["messages"].as_array().unwrap().len(), 4);
}
