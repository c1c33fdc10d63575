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

/// Whatever others said meanwhile: the last quarter of an hour counts, and no number of messages (finding A2).
#[test]
fn gr6_an_sdk_that_tries_again_in_a_busy_channel_is_answered_once() {
    let served = Served::new();
    let (_, body, reply) = &routes()[0];
    let path = "/v1/c/den/chat/completions";
    served.endpoint.push(Answer::text("the first"));
    repeated(&served, path, body, "");
    for n in 0..150 {
        let said = json!([{ "role": "user", "content": format!("number {n}") }]);
        let other = json!({ "model": "ada", "user": format!("mo{n}"), "messages": said });
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

const CHAT: &str = "/v1/c/den/chat/completions";
const RETRIED: &str = "x-stainless-retry-count: 1\r\n";
const REPLY: &str = "/choices/0/message/content";

/// A request of chat completions, with one message or with a conversation in which the persona speaks in turn.
fn chat(persona: &str, said: &[&str]) -> Value {
    let role = |n: usize| if n.is_multiple_of(2) { "user" } else { "assistant" };
    let said = said.iter().enumerate().map(|(n, text)| json!({ "role": role(n), "content": text }));
    json!({ "model": persona, "messages": said.collect::<Vec<_>>() })
}

/// The reply to a request, which the model answers with `next` if it is asked.
fn answered(served: &Served, body: &Value, headers: &str, next: &str) -> String {
    served.endpoint.answer("/v1/chat/completions", {
        let next = next.to_owned();
        move |_| Answer::text(&next)
    });
    let (status, answer) = heard(sent(served, CHAT, body, headers));
    assert_eq!(status, 200, "{answer}");
    answer.pointer(REPLY).and_then(Value::as_str).expect("a reply").to_owned()
}

/// The texts of people in `api:den`.
fn said(served: &Served) -> Vec<String> {
    let host = served.address().trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "GET /api/channels/api:den/messages HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let (_, page) = heard(stream);
    let is_said = |message: &&Value| message["author"]["by"] == "user";
    let text = |message: &Value| message["text"].as_str().unwrap().to_owned();
    page["messages"].as_array().unwrap().iter().filter(is_said).map(text).collect()
}

/// A request without a body, such as `POST /api/personas/wick/stop`.
fn told(served: &Served, method: &str, path: &str) {
    let host = served.address().trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 2"), "{answer}");
}

/// The first attempt of the second `yes` was refused or did not arrive, so it is not stored.
#[test]
fn gr6_a_retry_is_a_new_message_after_its_author_said_something_else() {
    let served = Served::new();
    assert_eq!(answered(&served, &chat("ada", &["yes"]), "", "one"), "one");
    assert_eq!(answered(&served, &chat("ada", &["more"]), "", "two"), "two");
    assert_eq!(answered(&served, &chat("ada", &["yes"]), RETRIED, "three"), "three");
    assert_eq!(answered(&served, &chat("ada", &["yes"]), RETRIED, "four"), "three", "now it is stored");
    assert_eq!(said(&served), ["yes", "more", "yes"]);
}

#[test]
fn gr6_a_retry_to_another_persona_is_a_new_message() {
    let served = Served::new();
    assert_eq!(answered(&served, &chat("ada", &["yes"]), "", "one"), "one");
    assert_eq!(answered(&served, &chat("vesper", &["yes"]), RETRIED, "two"), "two");
    assert_eq!(answered(&served, &chat("vesper", &["yes"]), "", "three"), "three");
    assert_eq!(said(&served), ["yes", "yes", "yes"]);
}

#[test]
fn gr6_a_retry_by_a_client_that_has_the_reply_is_a_new_message() {
    let served = Served::new();
    assert_eq!(answered(&served, &chat("ada", &["yes"]), "", "one"), "one");
    assert_eq!(answered(&served, &chat("ada", &["yes", "one", "yes"]), RETRIED, "two"), "two");
    let again = chat("ada", &["yes", "one", "yes"]);
    assert_eq!(answered(&served, &again, RETRIED, "three"), "two", "that reply is not shown");
    let shown = chat("ada", &["yes", "one", "yes", "two", "yes"]);
    assert_eq!(answered(&served, &shown, RETRIED, "three"), "three");
    assert_eq!(said(&served), ["yes", "yes", "yes"]);
}

#[test]
fn gr6_a_lost_message_is_not_answered_in_place_of_one_that_is_said_later() {
    let served = Served::new();
    served.endpoint.push(Answer::text("one two three").stall_after(1));
    let lost = sent(&served, CHAT, &chat("ada", &["yes"]), "");
    served.endpoint.wait_for(1);
    drop(lost);
    served.endpoint.release();
    assert_eq!(repeated(&served, CHAT, &chat("ada", &["more"]), "").pointer(REPLY), Some(&json!("ok")));
    assert_eq!(answered(&served, &chat("ada", &["yes"]), "", "again"), "again");
    assert_eq!(said(&served), ["yes", "more", "yes"]);
}

#[test]
fn gr6_a_message_that_nobody_answered_is_answered_when_it_is_repeated() {
    let served = Served::new();
    let quiet = "/api/channels/api:den/quiet";
    for headers in ["", "Idempotency-Key: q1\r\n"] {
        told(&served, "POST", quiet);
        for _ in 0..2 {
            let (status, refused) = heard(sent(&served, CHAT, &chat("ada", &["hello"]), headers));
            assert_eq!((status, &refused["error"]["code"]), (422, &json!("nobody_answers")), "{refused}");
        }
        told(&served, "DELETE", quiet);
        assert_eq!(answered(&served, &chat("ada", &["hello"]), headers, "here"), "here");
    }
    assert_eq!(said(&served), ["hello", "hello"]);
    // a persona that was stopped, and is no member
    told(&served, "POST", "/api/personas/wick/stop");
    for _ in 0..2 {
        let (status, refused) = heard(sent(&served, CHAT, &chat("wick", &["hey"]), ""));
        assert_eq!((status, &refused["error"]["code"]), (503, &json!("persona_stopped")), "{refused}");
    }
    told(&served, "POST", "/api/personas/wick/start");
    assert_eq!(answered(&served, &chat("wick", &["hey"]), "", "hey"), "hey");
    assert_eq!(said(&served), ["hello", "hello", "hey"]);
}

/// Also by clients that do not say that they try again.
#[test]
fn gr6_words_whose_turn_a_crash_ended_are_the_same_message_on_every_route() {
    for (n, (route, body, reply)) in routes().iter().enumerate() {
        let mut served = Served::new();
        served.endpoint.push(Answer::text("one two three").stall_after(1));
        let path = format!("/v1/c/den/{route}");
        let lost = sent(&served, &path, body, "");
        served.endpoint.wait_for(1);
        served.again();
        drop(lost);
        let answer = repeated(&served, &path, body, "");
        assert_eq!(answer.pointer(reply), Some(&json!("ok")), "{route}: {answer}");
        assert_eq!(said(&served), ["count"], "{route}");
        if n == 0 {
            // what was answered and delivered is said again
            served.again();
            repeated(&served, &path, body, "");
            assert_eq!(said(&served), ["count", "count"]);
        }
    }
}

#[test]
fn gr6_a_repeated_reply_says_how_it_ended() {
    let served = Served::new();
    let ends = [
        ("/choices/0/finish_reason", "length", "content_filter"),
        ("/status", "incomplete", "incomplete"),
        ("/choices/0/finish_reason", "length", "content_filter"),
        ("/stop_reason", "max_tokens", "refusal"),
        ("/done_reason", "length", "stop"),
        ("/done_reason", "length", "stop"),
    ];
    for ((route, body, _), (place, cut, filtered)) in routes().iter().zip(ends) {
        for (finish, said) in [("length", cut), ("content_filter", filtered)] {
            let path = format!("/v1/c/{finish}/{route}");
            let key = format!("Idempotency-Key: {}\r\n", route.replace('/', "-"));
            served.endpoint.push(Answer::text("one two").finish(finish));
            for attempt in ["first", "again"] {
                let answer = repeated(&served, &path, body, &key);
                assert_eq!(answer.pointer(place), Some(&json!(said)), "{route} {attempt}: {answer}");
            }
        }
    }
}
