//! A message of a channel is answered once, on every route: a client that loses the connection says it again, and
//! most have no `Idempotency-Key`.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use greenroom_tests::Answer;
use serde_json::{Value, json};

use crate::support::Served;

/// The routes that say something in a channel, each with a body and the place of the reply in the answer.
pub fn routes() -> [(&'static str, Value, &'static str); 6] {
    let said = json!([{ "role": "user", "content": "count" }]);
    let chat = json!({ "model": "ada", "messages": said });
    [
        ("chat/completions", chat.clone(), "/choices/0/message/content"),
        ("responses", json!({ "model": "ada", "input": "count" }), "/output/0/content/0/text"),
        ("completions", json!({ "model": "ada", "prompt": "count" }), "/choices/0/text"),
        ("v1/messages", json!({ "model": "ada", "max_tokens": 9, "messages": said }), "/content/0/text"),
        ("api/chat", json!({ "model": "ada", "messages": said, "stream": false }), "/message/content"),
        ("api/generate", json!({ "model": "ada", "prompt": "count", "stream": false }), "/response"),
    ]
}

pub fn sent(served: &Served, path: &str, body: &Value, headers: &str) -> TcpStream {
    let host = served.address().trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    let body = body.to_string();
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n{headers}\r\n{body}"
    )
    .unwrap();
    stream
}

pub fn heard(mut stream: TcpStream) -> (u16, Value) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).expect(body))
}

/// The answer to a repeated message, as soon as the turn is over.
fn repeated(served: &Served, path: &str, body: &Value, headers: &str) -> Value {
    for _ in 0..600 {
        match heard(sent(served, path, body, headers)) {
            (200, answer) => return answer,
            (409, _) => std::thread::sleep(std::time::Duration::from_millis(50)),
            (status, answer) => panic!("{path}: {status} {answer}"),
        }
    }
    panic!("{path}: the turn does not end");
}

#[test]
fn gr6_a_client_that_lost_the_connection_is_answered_once_on_every_route() {
    let served = Served::new();
    for (n, (route, body, reply)) in routes().iter().enumerate() {
        let path = format!("/v1/c/room{n}/{route}");
        let asked = served.endpoint.chats().len();
        served.endpoint.push(Answer::text("one two three").stall_after(1));
        let lost = sent(&served, &path, body, "");
        served.endpoint.wait_for(asked + 1);
        drop(lost);
        served.endpoint.release();
        let retried = "x-stainless-retry-count: 1\r\n";
        let answer = repeated(&served, &path, body, retried);
        assert_eq!(answer.pointer(reply), Some(&json!("one two three")), "{route}: {answer}");
        // the reply was handed over, so that the same words are another message now
        let next = repeated(&served, &path, body, "");
        assert_eq!(next.pointer(reply), Some(&json!("ok")), "{route}: {next}");
        // but for an SDK that says that it tries again
        let again = repeated(&served, &path, body, retried);
        assert_eq!(again.pointer(reply), Some(&json!("ok")), "{route}: {again}");
        assert_eq!(served.endpoint.chats().len(), asked + 2, "{route}: a model call a message");
    }
}

/// Whatever was said meanwhile: the last quarter of an hour counts, and no number of messages (finding A2).
#[test]
fn gr6_an_sdk_that_tries_again_in_a_busy_channel_is_answered_once() {
    let served = Served::new();
    let (_, body, reply) = &routes()[0];
    let path = "/v1/c/den/chat/completions";
    served.endpoint.push(Answer::text("the first"));
    repeated(&served, path, body, "");
    for n in 0..150 {
        let other =
            json!({ "model": "ada", "messages": [{ "role": "user", "content": format!("number {n}") }] });
        repeated(&served, path, &other, "");
    }
    let again = repeated(&served, path, body, "x-stainless-retry-count: 1\r\n");
    assert_eq!(again.pointer(reply), Some(&json!("the first")), "{again}");
}

#[test]
fn gr6_a_repeated_key_brings_the_stored_reply_on_every_route() {
    let served = Served::new();
    for (n, (route, body, reply)) in routes().iter().enumerate() {
        let path = format!("/v1/c/room{n}/{route}");
        served.endpoint.push(Answer::text("the first"));
        let key = "Idempotency-Key: k1\r\n";
        let first = repeated(&served, &path, body, key);
        let again = repeated(&served, &path, body, key);
        for answer in [&first, &again] {
            assert_eq!(answer.pointer(reply), Some(&json!("the first")), "{route}: {answer}");
        }
        assert_eq!(served.endpoint.chats().len(), n + 1);
    }
}

#[test]
fn gr6_a_message_whose_turn_failed_is_stored_once_when_its_client_tries_again() {
    let served = Served::new();
    served.endpoint.push(Answer::error(401, "no such key"));
    let (_, body, reply) = &routes()[0];
    let (status, _) = heard(sent(&served, "/v1/c/den/chat/completions", body, ""));
    assert_eq!(status, 502);
    let answer = repeated(&served, "/v1/c/den/chat/completions", body, "");
    assert_eq!(answer.pointer(reply), Some(&json!("ok")));
    let said = served.last_messages();
    assert_eq!(said.iter().filter(|line| *line == "user: count").count(), 1, "{said:?}");
}
