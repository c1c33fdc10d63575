//! B2: no key locks the operator out, or anybody else.

use std::{io::Read, net::TcpStream};

use greenroom_tests::{Answer, Home};
use serde_json::json;

use crate::served::{Answered, Served, key, until};

const SESSION: &str = "/api/session";

/// A server with these settings, and the keys of an operator and of Ann.
fn served(settings: &str) -> (Served, String, String) {
    let home = Home::new();
    let (operator, ann) = (key(&home, None), key(&home, Some("ann")));
    home.write("greenroom.toml", &format!("[server]\n{settings}"));
    (Served::start_in(home, &[]), operator, ann)
}

fn say(server: &Served, key: &str, channel: &str) -> Answered {
    let path = format!("/api/channels/{channel}/messages");
    server.call(key, "POST", &path, &json!({ "text": "Hello", "persona": "ada" }).to_string())
}

/// The head of an answer, byte by byte.
fn head_of(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

#[test]
fn b2_bodies_that_trickle_in_cost_their_sender_alone() {
    let (server, operator, ann) = served("concurrency = 1\nbodies_per_user = 2\n");
    let half = server.head(&ann, "POST", "/api/channels/api:ann/messages")
        + "content-type: application/json\r\ncontent-length: 30\r\n\r\n{";
    let trickling = [server.sent(&half), server.sent(&half)];
    let preview = r#"{"text":"Hello","persona":"ada"}"#;
    let look = |key: &str| server.call(key, "POST", "/api/channels/api:ann/preview", preview);
    until("the third body is refused", || {
        let refused = look(&ann);
        refused.status == 429
            && refused.code() == "too_many_bodies"
            && refused.header("retry-after").is_some()
    });
    // half a body takes no place among the requests, of which there is one
    assert_eq!(look(&operator).status, 200);
    assert_eq!(server.call(&ann, "GET", SESSION, "").status, 200);
    drop(trickling);
    until("they are given back", || look(&ann).status == 200);
}

#[test]
fn b2_a_key_has_so_many_streams_and_leaves_others_to_the_operator() {
    let (server, operator, ann) = served("streams_per_user = 2\n");
    let listen = |key: &str| {
        let mut stream = server.sent(&(server.head(key, "GET", "/api/channels/api:ann/events") + "\r\n"));
        (head_of(&mut stream), stream)
    };
    let listening = [listen(&ann), listen(&ann)];
    assert!(listening.iter().all(|(head, _)| head.starts_with("HTTP/1.1 200")), "{listening:?}");
    let (refused, _) = listen(&ann);
    assert!(refused.starts_with("HTTP/1.1 429") && refused.contains("retry-after"), "{refused}");
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
        sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    let socket = |key: &str| {
        let mut stream = server.sent(&(server.head(key, "GET", "/api/channels/api:ann/ws") + upgrade));
        (head_of(&mut stream), stream)
    };
    assert!(socket(&ann).0.starts_with("HTTP/1.1 429"), "a WebSocket is one");
    assert!(listen(&operator).0.starts_with("HTTP/1.1 200"));
    let metrics = server.call(&operator, "GET", "/metrics", "").body;
    assert!(metrics.contains(r#"greenroom_http_refused_total{why="too_many_streams"} 2"#), "{metrics}");
    drop(listening);
    let held = std::cell::RefCell::new(Vec::new());
    until("they are given back", || {
        let (head, stream) = socket(&ann);
        held.borrow_mut().push(stream);
        head.starts_with("HTTP/1.1 101")
    });
    until("a WebSocket holds its place", || {
        let (head, stream) = socket(&ann);
        held.borrow_mut().push(stream);
        head.starts_with("HTTP/1.1 429")
    });
}

#[test]
fn b2_a_key_keeps_so_many_channels_live_and_its_idle_ones_make_room() {
    let (server, operator, ann) = served("rooms_per_user = 2\n");
    for _ in 0..2 {
        server.endpoint.push(Answer::text("Hello there").stall_after(1));
    }
    let body = json!({ "text": "Hello", "persona": "ada" }).to_string();
    let busy: Vec<_> = (1..=2)
        .map(|n| {
            let head = server.head(&ann, "POST", &format!("/api/channels/api:ann:{n}/messages"));
            let length = body.len();
            server.sent(&format!(
                "{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            ))
        })
        .collect();
    server.endpoint.wait_for(2);
    let refused = say(&server, &ann, "api:ann:3");
    assert_eq!((refused.status, refused.code()), (429, "too_many_rooms".to_owned()));
    assert!(refused.header("retry-after").is_some() && refused.body.contains("server.rooms_per_user"));
    assert_eq!(say(&server, &operator, "api:den").status, 200);
    server.endpoint.release();
    until("the idle rooms have made room", || say(&server, &ann, "api:ann:3").status == 200);
    drop(busy);
}

#[test]
fn b2_a_key_wakes_so_many_channels_a_minute() {
    let (server, operator, ann) = served("new_rooms_per_minute = 3\n");
    for n in 1..=3 {
        assert_eq!(say(&server, &ann, &format!("api:ann:{n}")).status, 200);
    }
    let refused = say(&server, &ann, "api:ann:4");
    assert_eq!((refused.status, refused.code()), (429, "new_rooms_limited".to_owned()));
    assert_eq!(say(&server, &ann, "api:ann:1").status, 200, "one that is live is not new");
    assert_eq!(say(&server, &operator, "api:ann:4").status, 200);
}

#[test]
fn pf3_a_file_of_a_persona_may_be_larger_than_a_message() {
    let server = Served::start();
    let card = serde_json::json!({
        "spec": "chara_card_v2", "spec_version": "2.0",
        "data": { "name": "Nova", "description": "a pilot", "extensions": { "picture": "x".repeat(5 << 20) } },
    });
    let imported = server.request("POST", "/api/personas/import?preview=true", &[], &card.to_string());
    assert_eq!(imported.status, 200, "{}", imported.head);
    let other = server.request("POST", "/api/channels/api:den/messages", &[], &card.to_string());
    assert_eq!((other.status, other.code().as_str()), (413, "too_large"));
}

#[test]
fn pf2_a_card_does_not_become_a_sample_persona() {
    let server = Served::start();
    let card =
        r#"{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ada","description":"a stranger"}}"#;
    for path in ["/api/personas/import?preview=true", "/api/personas/import"] {
        let imported = server.request("POST", path, &[], card);
        assert!(imported.body.contains(r#""name":"ada-2""#), "{path}: {}", imported.body);
    }
}

#[test]
fn pf3_a_picture_is_there_with_the_answer_of_its_import() {
    let server = Served::start();
    let chunk =
        |kind: &[u8], data: &[u8]| [&(data.len() as u32).to_be_bytes()[..], kind, data, &[0; 4]].concat();
    let card = b"chara\0{\"name\":\"Nova\",\"first_mes\":\"Hi\"}";
    let png = [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"tEXt", card), chunk(b"IEND", b"")].concat();
    let head = server
        .head("", "POST", "/api/personas/import?file=nova.png")
        .replace("authorization: Bearer \r\n", "");
    let mut stream =
        server.sent(&format!("{head}connection: close\r\ncontent-length: {}\r\n\r\n", png.len()));
    std::io::Write::write_all(&mut stream, &png).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let picture = server.request("GET", "/api/personas/nova/picture", &[], "");
    assert_eq!(picture.status, 200, "{}", picture.head);
    assert_eq!(server.request("GET", "/api/personas/vega/picture", &[], "").status, 404);
}
