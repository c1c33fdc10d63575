//! X14: what is let in, and what is told to whoever is turned away.

use std::io::{Read, Write};

use greenroom_tests::Answer;

use crate::support::{Answered, Server, Start, answered, parsed};

const MESSAGES: &str = "/api/channels/api:test/messages";

#[test]
fn x14_a_body_that_is_too_long_is_413_however_it_is_sent() {
    let server =
        Server::start_with(&Start { settings: "[server]\nbody_limit = 10000\n", ..Start::default() });
    let long = "x".repeat(20_000);
    let whole = server.say(&long);
    assert_eq!((whole.status, whole.code()), (413, "too_large".to_owned()));
    let mut stream = server.connect();
    let head = server.head("POST", MESSAGES)
        + "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..4 {
        stream.write_all(format!("{:x}\r\n{}\r\n", 5_000, "x".repeat(5_000)).as_bytes()).unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    let pieces = answered(stream);
    assert_eq!((pieces.status, pieces.code()), (413, "too_large".to_owned()));
    assert_eq!(server.metric(r#"greenroom_http_refused_total{why="too_large"}"#), 2.0);
    assert_eq!(server.say("short enough").status, 200);
}

#[test]
fn x14_more_requests_a_minute_than_allowed_are_429_with_retry_after() {
    let settings = "[server]\nrequests_per_minute = 3\n";
    let server = Server::start_with(&Start { settings, ..Start::default() });
    let answers: Vec<Answered> = (0..5).map(|_| server.get("/openapi.json")).collect();
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429]);
    let refused = &answers[4];
    assert_eq!(refused.code(), "rate_limited");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    assert_eq!(server.get("/healthz").status, 200, "who watches is never turned away");
    assert_eq!(server.metric(r#"greenroom_http_refused_total{why="rate_limited"}"#), 2.0);
}

#[test]
fn x14_more_requests_at_a_time_than_allowed_are_503_with_retry_after() {
    let server = Server::start_with(&Start { settings: "[server]\nconcurrency = 1\n", ..Start::default() });
    server.endpoint.push(Answer::text("Hello there").stall_after(1));
    let running = server.begin_to_say("Hello");
    server.endpoint.wait_for(1);
    let refused = server.say("And me?");
    assert_eq!((refused.status, refused.code()), (503, "too_busy".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(server.get("/readyz").status, 200);
    server.endpoint.release();
    assert_eq!(answered(running).status, 200);
    assert_eq!(server.say("Now?").status, 200);
}

#[test]
fn b2_a_connection_that_asks_for_nothing_makes_room_for_another() {
    let server = Server::start_with(&Start { settings: "[server]\nconnections = 2\n", ..Start::default() });
    // half a head each, as somebody sends it who wants to keep all others out
    let half = server.head("GET", "/healthz");
    let mut silent = [server.connect(), server.connect()];
    silent.iter_mut().for_each(|stream| stream.write_all(half.as_bytes()).unwrap());
    assert_eq!(server.get("/healthz").status, 200);
    let [mut first, mut second] = silent;
    // closed, with what was sent unread or not
    assert!(!matches!(first.read(&mut [0]), Ok(1..)));
    second.write_all(b"\r\n").unwrap();
    assert_eq!(answered(second).status, 200, "the other one has its place");
    assert_eq!(server.metric(r#"greenroom_http_refused_total{why="made_room"}"#), 1.0);
}

#[test]
fn x14_more_busy_connections_than_allowed_are_503_with_retry_after() {
    let server = Server::start_with(&Start { settings: "[server]\nconnections = 2\n", ..Start::default() });
    let listen = || {
        let mut stream = server.connect();
        let head = server.head("GET", "/api/channels/api:test/events");
        stream.write_all((head + "\r\n").as_bytes()).unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        stream
    };
    let (first, second) = (listen(), listen());
    let mut bytes = Vec::new();
    // nothing has to be sent to hear it
    let _ = server.connect().read_to_end(&mut bytes);
    let refused = parsed(&bytes).unwrap();
    assert_eq!((refused.status, refused.code()), (503, "too_many_connections".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    drop(first);
    let room = crate::support::wait_for(|| {
        let mut stream = server.connect();
        let asked = stream.write_all((server.head("GET", "/healthz") + "\r\n").as_bytes());
        let mut bytes = Vec::new();
        let read = asked.and_then(|()| stream.read_to_end(&mut bytes));
        read.ok().and_then(|_| parsed(&bytes)).filter(|answer| answer.status == 200)
    });
    assert!(room.is_some());
    drop(second);
}

#[test]
fn cors_is_off_unless_an_origin_is_listed() {
    let origin = ("origin", "https://chat.example");
    let closed = Server::start();
    let answer = closed.request("GET", "/healthz", &[origin], "");
    assert_eq!(answer.header("access-control-allow-origin"), None);
    let settings = "[server]\norigins = [\"https://chat.example\"]\n";
    let open = Server::start_with(&Start { settings, ..Start::default() });
    let asked = [
        origin,
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,content-type,idempotency-key"),
    ];
    let preflight = open.request("OPTIONS", MESSAGES, &asked, "");
    assert_eq!(preflight.status, 200);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("https://chat.example"));
    assert!(preflight.header("access-control-allow-headers").unwrap().contains("authorization"));
    let other = open.request("GET", "/healthz", &[("origin", "https://evil.example")], "");
    assert_eq!(other.header("access-control-allow-origin"), None);
}

#[test]
fn every_answer_has_the_security_headers() {
    let server = Server::start();
    for answer in [server.get("/healthz"), server.get("/docs/"), server.get("/nowhere")] {
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
    }
}

#[test]
fn what_there_is_no_route_or_method_for_is_refused_in_the_shape_of_every_error() {
    let server = Server::start();
    let nowhere = server.get("/nowhere");
    assert_eq!((nowhere.status, nowhere.code()), (404, "unknown_route".to_owned()));
    let method = server.request("DELETE", "/healthz", &[], "");
    assert_eq!((method.status, method.code()), (405, "unknown_method".to_owned()));
}
