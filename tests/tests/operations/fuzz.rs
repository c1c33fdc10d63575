//! X14: whatever comes in at the socket, nothing breaks, nothing grows, and whoever means well is
//! answered. A fixed seed, so that what is found is found again.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    time::Duration,
};

use serde_json::json;

use crate::support::{Server, parsed};

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const MEGABYTE: usize = 1_000_000;
/// What the process may hold more after a flood than before it: allocators keep what they had.
const GROWTH: usize = 64 * MEGABYTE;

/// xorshift64*: enough chance for a fuzzer, and always the same.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[7]).collect()
    }
}

/// Sends bytes, ends that side of the connection, and reads what comes.
fn sent(server: &Server, bytes: &[u8]) -> Vec<u8> {
    let mut stream = server.connect();
    // a server that has heard enough closes while we still send
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    heard(stream)
}

fn heard(mut stream: TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

/// No answer at all is fine; one that says the server broke is not.
fn is_well(answer: &[u8], what: &str) {
    if let Some(answer) = parsed(answer) {
        assert!(answer.status < 500, "{what}: {} {}", answer.status, answer.body);
    }
}

/// Everything is as it was: alive, ready, answering, no panic, no connection left.
fn is_unharmed(mut server: Server) {
    assert_eq!(server.get("/readyz").status, 200);
    assert_eq!(server.metric("greenroom_http_panics_total"), 0.0);
    // the one that asks
    server.wait_for_metric("greenroom_http_connections", 1.0);
    server.wait_for_metric("greenroom_http_in_flight", 1.0);
    let said = server.killed();
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn x14_random_bytes_and_broken_requests_harm_nothing() {
    let server = Server::start();
    let mut chance = Chance(SEED);
    let body = json!({ "text": "Hello", "persona": "nobody" }).to_string();
    let paths = [
        "/api/channels/api:x/messages",
        "/v1/chat/completions",
        "/v1/responses",
        "/v1/c/x/v1/messages",
        "/api/chat",
        "/mcp",
        "/metrics",
        "/",
        "/docs/",
        "*",
    ];
    for round in 0..300 {
        let bytes = if round % 3 == 0 {
            let length = 1 + chance.below(4_000);
            chance.bytes(length)
        } else {
            let method = ["GET", "POST", "PATCH", "DELETE", "OPTIONS", "BREW"][chance.below(6)];
            let head = server.head(method, paths[chance.below(paths.len())]);
            let length = body.len() + chance.below(3);
            let whole = format!(
                "{head}content-type: application/json\r\ncontent-length: {length}\r\nlast-event-id: {round}\r\n\r\n{body}"
            );
            let mut bytes = whole.into_bytes();
            for _ in 0..chance.below(6) {
                let at = chance.below(bytes.len());
                match chance.below(3) {
                    0 => bytes[at] = chance.next().to_le_bytes()[0],
                    1 => bytes.truncate(at + 1),
                    _ => bytes.insert(at, chance.next().to_le_bytes()[0]),
                }
            }
            bytes
        };
        is_well(&sent(&server, &bytes), &format!("round {round}"));
    }
    is_unharmed(server);
}

#[test]
fn x14_huge_heads_are_refused() {
    let server = Server::start();
    let name = "x".repeat(200_000);
    let many: String = (0..1_000).map(|n| format!("x-{n}: y\r\n")).collect();
    for head in [
        format!("{}x-long: {name}\r\n\r\n", server.head("GET", "/healthz")),
        format!("{}{many}\r\n", server.head("GET", "/healthz")),
        format!("{}\r\n", server.head("GET", &format!("/{name}"))),
    ] {
        let answer = sent(&server, head.as_bytes());
        if let Some(answer) = parsed(&answer) {
            assert!((400..500).contains(&answer.status), "{}", answer.status);
        }
    }
    is_unharmed(server);
}

#[test]
fn x14_a_flood_of_100_mb_bodies_is_413_and_takes_no_memory() {
    let server = Server::start();
    assert_eq!(server.get("/readyz").status, 200);
    let before = memory(&server);
    let piece = vec![b'x'; MEGABYTE];
    let head = server.head("POST", "/api/channels/api:x/messages") + "content-type: application/json\r\n";
    for round in 0..4 {
        let mut stream = server.connect();
        let chunked = round % 2 == 0;
        let how = if chunked {
            "transfer-encoding: chunked".to_owned()
        } else {
            format!("content-length: {}", 100 * MEGABYTE)
        };
        stream.write_all(format!("{head}{how}\r\n\r\n").as_bytes()).unwrap();
        for _ in 0..100 {
            let frame = if chunked {
                [format!("{MEGABYTE:x}\r\n").as_bytes(), &piece, b"\r\n"].concat()
            } else {
                piece.clone()
            };
            if stream.write_all(&frame).is_err() {
                break;
            }
        }
        let answer = parsed(&heard(stream));
        // where the rest took too long to throw away the connection was cut off
        assert!(answer.is_none_or(|answer| answer.status == 413));
    }
    assert_eq!(server.metric(r#"greenroom_http_refused_total{why="too_large"}"#), 4.0);
    let after = memory(&server);
    assert!(after < before + GROWTH, "{before} bytes became {after}");
    is_unharmed(server);
}

#[test]
fn x14_slow_and_half_closed_connections_keep_nobody_from_being_answered() {
    let server = Server::start();
    let begin = server.head("POST", "/api/channels/api:x/messages");
    let slow: Vec<TcpStream> = (0..200)
        .map(|n| {
            let mut stream = server.connect();
            stream.write_all(&begin.as_bytes()[..n % begin.len()]).unwrap();
            if n % 5 == 0 {
                stream.shutdown(Shutdown::Write).unwrap();
            }
            stream
        })
        .collect();
    // and some that ask and never read
    let deaf: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all((server.head("GET", "/openapi.json") + "\r\n").as_bytes()).unwrap();
            stream
        })
        .collect();
    let mut stream = server.connect();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    stream.write_all((server.head("GET", "/healthz") + "\r\n").as_bytes()).unwrap();
    assert_eq!(parsed(&heard(stream)).map(|answer| answer.status), Some(200));
    drop((slow, deaf));
    is_unharmed(server);
}

/// What the process holds of the machine's memory, in bytes.
#[cfg(target_os = "linux")]
fn memory(server: &Server) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1_024
}

/// The same, asked of `ps`.
#[cfg(not(target_os = "linux"))]
fn memory(server: &Server) -> usize {
    let asked =
        std::process::Command::new("ps").args(["-o", "rss=", "-p", &server.id().to_string()]).output();
    String::from_utf8(asked.unwrap().stdout).unwrap().trim().parse::<usize>().unwrap() * 1_024
}
