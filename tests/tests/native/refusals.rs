//! What a request that is wrong is told: always a 4xx in the one shape, never a 5xx.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use greenroom_tests::{Answer, greenroom};
use serde_json::{Value, json};

use crate::{
    client::ask,
    server::{Server, messages, to_ada},
    talking::wait_until,
};

#[test]
fn malformed_input_is_a_400_that_says_what_is_wrong() {
    let server = Server::start();
    let path = messages("api:ann");
    let long = "x".repeat(64 * 1024 + 1);
    for (body, param) in [
        (json!({ "text": "" }), Some("text")),
        (json!({ "text": " \n" }), Some("text")),
        (json!({ "text": long }), Some("text")),
        (json!({ "text": 7 }), None),
        (json!({}), None),
        (json!([]), None),
        (json!({ "text": "hi", "persona": "No Such Name" }), None),
        (json!({ "text": "hi", "user": "" }), None),
        (json!({ "text": "hi", "user_name": "a\nb" }), Some("user_name")),
        (json!({ "text": "hi", "event_id": "" }), Some("event_id")),
        (json!({ "text": "hi", "event_id": "turn:1" }), Some("event_id")),
        (json!({ "text": "hi", "disable_memory": "no" }), None),
    ] {
        let reply = server.post(&path, &body);
        assert_eq!((reply.status, reply.code()), (400, "invalid_request"), "{reply:?}");
        assert_eq!(reply.body["error"]["param"].as_str(), param, "{reply:?}");
    }
    assert_eq!(server.post(&path, &json!({ "text": "hi", "persona": "ada", "new_field": 1 })).status, 200);
    for path in [
        "/api/channels/nowhere/messages",
        "/api/channels/a%20b:c/messages",
        "/api/channels/api:%ff/messages",
        "/api/channels/api:ann/messages?limit=0",
        "/api/channels/api:ann/messages?limit=many",
        "/api/channels/api:ann/messages?before=-1",
        "/api/channels?limit=201",
        "/api/turns/17",
        "/api/personas/No%20Name",
    ] {
        let reply = server.get(path);
        assert_eq!((reply.status, reply.code()), (400, "invalid_request"), "{path}: {reply:?}");
    }
    assert_eq!(server.endpoint.chats().len(), 1);
}

#[test]
fn a_body_that_is_no_json_is_refused() {
    let server = Server::start();
    let post = |headers: &[(&str, &str)], body: &[u8]| {
        let reply = ask(server.address, "POST", &messages("api:ann"), headers, Some(body)).reply();
        (reply.status, reply.code().to_owned())
    };
    let json = [("Content-Type", "application/json")];
    assert_eq!(post(&json, b"{\"text\": "), (400, "invalid_request".into()));
    assert_eq!(post(&json, b"{\"text\": \"\xff\"}"), (400, "invalid_request".into()));
    assert_eq!(post(&json, b""), (400, "invalid_request".into()));
    // a list with the values of the fields is no object
    assert_eq!(post(&json, b"[\"hi\"]"), (400, "invalid_request".into()));
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    assert_eq!(post(&json, &deep), (400, "invalid_request".into()));
    assert_eq!(post(&[], b"{\"text\": \"hi\"}"), (415, "not_json".into()));
    assert_eq!(post(&[json[0], ("Idempotency-Key", "\u{e9}")], b"{\"text\":\"hi\"}").0, 400);
}

#[test]
fn who_or_what_is_not_there_is_a_404() {
    let server = Server::start();
    let nobody = server.post(&messages("api:ann"), &json!({ "text": "hi", "persona": "nobody" }));
    assert_eq!((nobody.status, nobody.code()), (404, "unknown_persona"));
    let turn = "/api/turns/01890000-0000-7000-8000-000000000000";
    for (path, code) in [
        ("/api/personas/nobody", "unknown_persona"),
        ("/api/personas/nobody/events", "unknown_persona"),
        (turn, "unknown_turn"),
        (&format!("{turn}/events"), "unknown_turn"),
        (&format!("{turn}/context"), "unknown_turn"),
    ] {
        let reply = server.get(path);
        assert_eq!((reply.status, reply.code()), (404, code), "{path}");
    }
    for path in ["/api/personas/nobody/stop", "/api/channels/api:ann/personas/nobody/reset"] {
        assert_eq!(server.post(path, &Value::Null).status, 404, "{path}");
    }
}

#[test]
fn s1_a_channel_another_process_answers_in_is_a_409() {
    let server = Server::start();
    let mut chat = server
        .home
        .command(greenroom())
        .args(["chat", "ada", "--personas", "personas", "--json"])
        .env("OPENAI_BASE_URL", server.endpoint.base_url())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = chat.stdin.take().unwrap();
    writeln!(stdin, "Hello").unwrap();
    let mut line = String::new();
    BufReader::new(chat.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("turn_started"), "{line}");

    let reply = server.say("terminal:default", "Hello from beside");
    assert_eq!((reply.status, reply.code()), (409, "channel_elsewhere"));
    assert_eq!(server.say("terminal:other", "Hello").status, 200);
    drop(stdin);
    chat.wait().unwrap();
    assert_eq!(server.say("terminal:default", "Now it is free").status, 200);
}

#[test]
fn s9_a_channel_with_too_much_waiting_is_a_429() {
    let server = Server::with(|home| {
        home.write("greenroom.toml", "[runtime]\nqueue_limit = 2\n");
    });
    server.endpoint.push(Answer::text("Just a moment").stall_after(1));
    let mut first = server.saying("api:ann", "One");
    first.frame_of("token_delta");
    let waiting: Vec<_> = (0..2).map(|n| server.saying("api:ann", &format!("waiting {n}"))).collect();
    wait_until(|| crate::talking::said(&server, "api:ann").len() == 3);
    let busy = server.post(&messages("api:ann"), &to_ada("One too many"));
    assert_eq!((busy.status, busy.code()), (429, "channel_busy"));
    assert_eq!(busy.header("retry-after"), Some("1"));
    server.endpoint.release();
    assert!(waiting.into_iter().all(|mut stream| stream.frame_of("done").kind == "done"));
}
