//! The same events over a WebSocket.

use std::net::TcpStream;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client};

use crate::{client::PATIENCE, server::Server};

fn connect(server: &Server, path: &str) -> WebSocket<TcpStream> {
    let stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (socket, response) = client(format!("ws://{}{path}", server.address), stream).unwrap();
    assert_eq!(response.status(), 101);
    socket
}

fn event(socket: &mut WebSocket<TcpStream>) -> Value {
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

fn event_of(socket: &mut WebSocket<TcpStream>, kind: &str) -> Value {
    loop {
        let event = event(socket);
        if event["type"] == kind {
            return event;
        }
    }
}

#[test]
fn a_channel_and_a_persona_are_heard_over_a_websocket() {
    let server = Server::start();
    let mut channel = connect(&server, "/api/channels/api:ann/ws");
    let mut persona = connect(&server, "/api/personas/ada/ws");
    let frames = server.saying("api:ann", "Hello").frames();
    for frame in &frames {
        let heard = event(&mut channel);
        assert_eq!(heard["id"].as_str(), frame.id.as_deref());
        assert_eq!(heard["type"], frame.kind.as_str());
        assert_eq!(event(&mut persona), heard);
    }
}

#[test]
fn a_client_says_where_to_go_on() {
    let server = Server::start();
    let frames = server.saying("api:ann", "Hello").frames();
    let mut socket = connect(&server, "/api/channels/api:ann/ws");
    let last = json!({ "last_event_id": frames[0].id });
    socket.send(Message::text(last.to_string())).unwrap();
    assert_eq!(event(&mut socket)["id"].as_str(), frames[1].id.as_deref());
    socket.send(Message::text(json!({ "last_event_id": "elsewhere-7" }).to_string())).unwrap();
    assert_eq!(event_of(&mut socket, "resync")["type"], "resync");

    let path = format!("/api/channels/api:ann/ws?last_event_id={}", frames[0].id.as_deref().unwrap());
    assert_eq!(event(&mut connect(&server, &path))["id"].as_str(), frames[1].id.as_deref());
}

#[test]
fn nonsense_over_a_websocket_is_passed_over_and_too_much_of_it_ends_it() {
    let server = Server::start();
    let mut socket = connect(&server, "/api/channels/api:ann/ws");
    for nonsense in ["", "{", "[1]", "{\"last_event_id\": 7}"] {
        socket.send(Message::text(nonsense)).unwrap();
    }
    socket.send(Message::binary(vec![0xff; 16])).unwrap();
    server.say("api:ann", "Hello");
    assert_eq!(event_of(&mut socket, "done")["channel"], "api:ann");
    // it may be gone before all of it is sent
    let _ = socket.send(Message::text("x".repeat(100_000)));
    while socket.read().is_ok() {}
    assert_eq!(server.say("api:ann", "Still there?").status, 200);
}

#[test]
fn a_plain_request_is_told_to_be_a_websocket() {
    let server = Server::start();
    let reply = server.get("/api/channels/api:ann/ws");
    assert_eq!((reply.status, reply.code()), (426, "websocket_required"));
}
