//! X10: a server of an address sends us nowhere else.

use std::{
    io::{Read, Write},
    net::TcpListener,
};

use serde_json::json;

use crate::support::Stage;

/// Answers every request with a redirect.
fn redirecting(to: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let head = format!("HTTP/1.1 307 Elsewhere\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
        }
    });
    port
}

#[test]
fn x10_a_redirect_to_another_host_is_not_followed() {
    let stage = Stage::new();
    let inside = format!("http://127.0.0.1:{}/mcp", stage.endpoint.port());
    let url = format!("http://127.0.0.1:{}/mcp", redirecting(inside));
    stage.persona("ada", &json!({ "mcp": { "sly": { "url": url, "allow": ["echo"] } } }));
    let run = stage.run(&["mcp", "approve", "ada", "--yes"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("redirect"), "{}", run.stderr);
    assert!(stage.endpoint.requests().is_empty(), "nobody came there");
}
