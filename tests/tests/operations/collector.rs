//! A collector of traces: takes OTLP over HTTP and reads as much of its protobuf as spans need.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// A span as it arrived.
#[derive(Debug, Clone, Default)]
pub struct Span {
    pub name: String,
    pub trace: String,
    pub id: String,
    pub parent: String,
    pub attributes: Vec<(String, String)>,
    /// Whether its status is an error.
    pub failed: bool,
}

impl Span {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A collector; its thread ends with the test.
pub struct Collector {
    pub address: String,
    bodies: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Collector {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let bodies = Arc::<Mutex<Vec<Vec<u8>>>>::default();
        let taken = bodies.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let taken = taken.clone();
                thread::spawn(move || take(&stream, &taken));
            }
        });
        Self { address, bodies }
    }

    /// Everything that was sent, as it was.
    pub fn bytes(&self) -> Vec<u8> {
        self.bodies.lock().unwrap().concat()
    }

    /// The spans so far.
    pub fn spans(&self) -> Vec<Span> {
        self.bodies.lock().unwrap().iter().flat_map(|body| spans(body)).collect()
    }
}

/// Takes requests from a connection until it ends.
fn take(stream: &TcpStream, into: &Mutex<Vec<Vec<u8>>>) {
    let mut from = BufReader::new(stream);
    loop {
        let (mut line, mut length) = (String::new(), 0);
        if from.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        assert!(line.starts_with("POST /v1/traces "), "{line}");
        while line.trim() != "" {
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            line.clear();
            from.read_line(&mut line).unwrap();
        }
        let mut body = vec![0; length];
        from.read_exact(&mut body).unwrap();
        into.lock().unwrap().push(body);
        (&*stream).write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
    }
}

/// `ExportTraceServiceRequest` > `ResourceSpans` > `ScopeSpans` > `Span`.
fn spans(request: &[u8]) -> Vec<Span> {
    let of_resources = parts(request, 1).into_iter();
    let of_scopes = of_resources.flat_map(|resource| parts(resource, 2));
    of_scopes.flat_map(|scope| parts(scope, 2)).map(span).collect()
}

fn span(bytes: &[u8]) -> Span {
    let hex = |field| {
        let bytes = parts(bytes, field).concat();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let attribute = |pair: &[u8]| {
        let value = parts(&parts(pair, 2).concat(), 1).concat();
        (text(&parts(pair, 1).concat()), text(&value))
    };
    Span {
        name: text(&parts(bytes, 5).concat()),
        trace: hex(1),
        id: hex(2),
        parent: hex(4),
        // `Status.code` is 2
        failed: parts(bytes, 15).concat().ends_with(&[0x18, 2]),
        attributes: parts(bytes, 9).into_iter().map(attribute).collect(),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The parts of a protobuf message that have a length and this number.
fn parts(mut message: &[u8], wanted: u64) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while !message.is_empty() {
        let tag = number(&mut message);
        let length = match tag & 7 {
            0 => {
                number(&mut message);
                continue;
            }
            1 => 8,
            2 => usize::try_from(number(&mut message)).unwrap(),
            5 => 4,
            other => panic!("no wire type: {other}"),
        };
        let (part, rest) = message.split_at(length);
        if tag >> 3 == wanted && tag & 7 == 2 {
            found.push(part);
        }
        message = rest;
    }
    found
}

fn number(message: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = message.split_first().unwrap();
        *message = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}
