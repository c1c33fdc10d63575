//! The same events over a WebSocket.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::{Value, json};

use crate::{client::PATIENCE, server::Server};

/// A WebSocket by hand.
struct Socket(TcpStream);

impl Socket {
    fn connect(server: &Server, path: &str) -> Self {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{upgrade}{key}\r\n", server.address);
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.extend(byte);
        }
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 101"), "{answer}");
        // the answer to that key, as the specification gives it
        assert!(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{answer}");
        Self(stream)
    }

    /// Sends a frame; a mask of zeros leaves it as it is.
    fn send(&mut self, opcode: u8, said: &[u8]) -> std::io::Result<()> {
        let mut frame = vec![0x80 | opcode, 0x80 | 127];
        frame.extend((said.len() as u64).to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(said);
        self.0.write_all(&frame)
    }

    fn say(&mut self, text: &str) {
        self.send(1, text.as_bytes()).unwrap();
    }

    /// The next frame.
    fn frame(&mut self) -> std::io::Result<(u8, Vec<u8>)> {
        let mut take = |count: usize| -> std::io::Result<Vec<u8>> {
            let mut bytes = vec![0; count];
            self.0.read_exact(&mut bytes).map(|()| bytes)
        };
        let head = take(2)?;
        let length = match head[1] {
            126 => u16::from_be_bytes(take(2)?.try_into().unwrap()).into(),
            127 => u64::from_be_bytes(take(8)?.try_into().unwrap()) as usize,
            short => short.into(),
        };
        Ok((head[0] & 0x0f, take(length)?))
    }

    fn event(&mut self) -> Value {
        loop {
            let (opcode, said) = self.frame().unwrap();
            if opcode == 1 {
                return serde_json::from_slice(&said).unwrap();
            }
        }
    }

    fn event_of(&mut self, kind: &str) -> Value {
        loop {
            let event = self.event();
            if event["type"] == kind {
                return event;
            }
        }
    }
}

#[test]
fn a_channel_and_a_persona_are_heard_over_a_websocket() {
    let server = Server::start();
    let mut channel = Socket::connect(&server, "/api/channels/api:ann/ws");
    let mut persona = Socket::connect(&server, "/api/personas/ada/ws");
    let frames = server.saying("api:ann", "Hello").frames();
    for frame in &frames {
        let heard = channel.event();
        assert_eq!(heard["id"].as_str(), frame.id.as_deref());
        assert_eq!(heard["type"], frame.kind.as_str());
        assert_eq!(persona.event(), heard);
    }
}

#[test]
fn a_client_says_where_to_go_on() {
    let server = Server::start();
    let frames = server.saying("api:ann", "Hello").frames();
    let mut socket = Socket::connect(&server, "/api/channels/api:ann/ws");
    let last = json!({ "last_event_id": frames[0].id });
    socket.say(&last.to_string());
    assert_eq!(socket.event()["id"].as_str(), frames[1].id.as_deref());
    socket.say(&json!({ "last_event_id": "elsewhere-7" }).to_string());
    assert_eq!(socket.event_of("resync")["type"], "resync");

    let path = format!("/api/channels/api:ann/ws?last_event_id={}", frames[0].id.as_deref().unwrap());
    assert_eq!(Socket::connect(&server, &path).event()["id"].as_str(), frames[1].id.as_deref());
}

/// Scripts in browsers do not see the pings of the protocol.
#[test]
fn a_ping_of_a_script_is_answered() {
    let server = Server::start();
    let mut socket = Socket::connect(&server, "/api/channels/api:ann/ws");
    socket.say(r#"{"type":"ping"}"#);
    assert_eq!(socket.event(), json!({ "type": "pong" }));
}

#[test]
fn nonsense_over_a_websocket_is_passed_over_and_too_much_of_it_ends_it() {
    let server = Server::start();
    let mut socket = Socket::connect(&server, "/api/channels/api:ann/ws");
    for nonsense in ["", "{", "[1]", "{\"last_event_id\": 7}"] {
        socket.say(nonsense);
    }
    socket.send(2, &[0xff; 16]).unwrap();
    server.say("api:ann", "Hello");
    assert_eq!(socket.event_of("done")["channel"], "api:ann");
    // it may be gone before all of it is sent
    let _ = socket.send(1, &[b'x'; 100_000]);
    while socket.frame().is_ok() {}
    assert_eq!(server.say("api:ann", "Still there?").status, 200);
}

#[test]
fn a_plain_request_is_told_to_be_a_websocket() {
    let server = Server::start();
    let reply = server.get("/api/channels/api:ann/ws");
    assert_eq!((reply.status, reply.code()), (426, "websocket_required"));
}
