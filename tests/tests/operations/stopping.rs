//! S10: a stop in good order.

use std::io::{Read, Write};

use greenroom_tests::Answer;

use crate::support::{Server, Start, answered, wait_for};

#[test]
fn s10_a_running_turn_ends_while_nothing_new_is_let_in_and_the_server_exits_0() {
    let mut server = Server::start();
    server.endpoint.push(Answer::text("Hello there").stall_after(1));
    let running = server.begin_to_say("Hello");
    server.endpoint.wait_for(1);
    server.signal("TERM");
    let ready = wait_for(|| Some(server.get("/readyz")).filter(|ready| ready.status == 503)).unwrap();
    assert_eq!(ready.json()["reasons"][0], "the server is stopping");
    let refused = server.say("And me?");
    assert_eq!((refused.status, refused.code()), (503, "stopping".to_owned()));
    assert!(refused.header("retry-after").is_some());
    assert_eq!(server.get("/healthz").status, 200);
    server.endpoint.release();
    let answer = answered(running);
    assert_eq!(answer.status, 200);
    assert!(answer.body.contains("Hello there"), "{}", answer.body);
    assert_eq!(server.ended().code(), Some(0));
}

#[test]
fn s10_a_message_that_waits_for_another_is_answered_before_the_server_ends() {
    let mut server = Server::start();
    server.endpoint.push(Answer::text("The first").stall_after(1));
    server.endpoint.push(Answer::text("The second"));
    let first = server.begin_to_say("Hello");
    server.endpoint.wait_for(1);
    let second = server.begin_to_say("And me?");
    let stored = || server.get("/api/channels/api:test/messages").body.contains("And me?");
    wait_for(|| stored().then_some(())).unwrap();
    server.signal("TERM");
    wait_for(|| Some(server.get("/readyz")).filter(|ready| ready.status == 503)).unwrap();
    server.endpoint.release();
    for (asked, answer) in [(first, "The first"), (second, "The second")] {
        let answered = answered(asked);
        assert!(answered.status == 200 && answered.body.contains(answer), "{}", answered.body);
    }
    assert_eq!(server.ended().code(), Some(0));
}

#[test]
fn s10_a_turn_that_outlasts_the_grace_is_broken_off() {
    let mut server = Server::start_with(&Start { arguments: &["--grace", "200ms"], ..Start::default() });
    server.endpoint.push(Answer::text("Hello there").stall_after(1));
    let running = server.begin_to_say("Hello");
    server.endpoint.wait_for(1);
    server.signal("TERM");
    assert_eq!(server.ended().code(), Some(0));
    assert!(!answered(running).body.contains("Hello there"));
}

#[test]
fn s10_a_second_interrupt_leaves_at_once() {
    let mut server = Server::start_with(&Start { arguments: &["--grace", "10m"], ..Start::default() });
    server.endpoint.push(Answer::text("Hello there").stall_after(1));
    let _running = server.begin_to_say("Hello");
    server.endpoint.wait_for(1);
    server.signal("INT");
    server.stderr.wait_for("Ctrl-C again leaves at once");
    server.signal("INT");
    assert_eq!(server.ended().code(), Some(130));
}

#[test]
fn s10_who_listens_is_told_that_the_server_stops() {
    let mut server = Server::start();
    let (mut events, mut socket) = (server.connect(), server.connect());
    let path = "/api/channels/api:test/events";
    write!(events, "{}accept: text/event-stream\r\n\r\n", server.head("GET", path)).unwrap();
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let head = server.head("GET", "/api/channels/api:test/ws").replace("connection: close\r\n", upgrade);
    write!(socket, "{head}").unwrap();
    server.wait_for_metric("greenroom_streams{kind=\"sse\"}", 1.0);
    server.wait_for_metric("greenroom_streams{kind=\"websocket\"}", 1.0);
    server.signal("TERM");
    let told = answered(events).body;
    assert!(told.contains("event: closing\ndata: {\"message\":"), "{told}");
    let mut frames = Vec::new();
    socket.read_to_end(&mut frames).unwrap();
    let end = frames.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let (opcode, code) = (frames[end], u16::from_be_bytes([frames[end + 2], frames[end + 3]]));
    assert_eq!((opcode, code), (0x88, 1001), "going away");
    assert_eq!(server.ended().code(), Some(0));
}

#[test]
fn s10_connections_that_rest_or_never_finish_a_request_hold_nothing_up() {
    let mut server = Server::start();
    let _resting = server.connect();
    let mut half = server.connect();
    half.write_all(server.head("POST", "/api/channels/api:test/messages").as_bytes()).unwrap();
    server.signal("TERM");
    assert_eq!(server.ended().code(), Some(0));
}
