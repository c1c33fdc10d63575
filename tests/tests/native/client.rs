//! As much of an HTTP client as the tests need, by hand, so that it can read slowly and hang up.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// Nothing takes so long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A whole answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// The body; a string where it is no JSON.
    pub body: Value,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// The code of an answer in the shape of every error.
    pub fn code(&self) -> &str {
        let error = &self.body["error"];
        for field in ["message", "type", "code"] {
            assert!(error[field].is_string(), "{self:?}");
        }
        assert!(error.as_object().unwrap().contains_key("param"), "{self:?}");
        error["code"].as_str().unwrap()
    }
}

/// Sends a request and reads nothing yet.
pub fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&[u8]>,
) -> Stream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(body) = body {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.unwrap_or_default()).unwrap();
    Stream { reader: BufReader::new(stream), head: None, rest: Vec::new() }
}

/// An answer on its way.
pub struct Stream {
    reader: BufReader<TcpStream>,
    head: Option<Head>,
    /// Read and not looked at.
    rest: Vec<u8>,
}

#[derive(Clone)]
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
}

/// One frame of an event stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub id: Option<String>,
    pub kind: String,
    pub data: Value,
}

impl Stream {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn head(&mut self) -> Head {
        if let Some(head) = &self.head {
            return head.clone();
        }
        let status = self.line();
        let status = status.split(' ').nth(1).unwrap_or_else(|| panic!("no status: {status}"));
        let mut head = Head { status: status.parse().unwrap(), headers: Vec::new() };
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            head.headers.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        self.head = Some(head.clone());
        head
    }

    fn is(&mut self, name: &str, value: &str) -> bool {
        let headers = self.head().headers;
        headers.iter().any(|(n, v)| n.eq_ignore_ascii_case(name) && v.eq_ignore_ascii_case(value))
    }

    /// The next piece of the body; `None` at its end.
    fn piece(&mut self) -> Option<Vec<u8>> {
        let mut piece = Vec::new();
        if self.is("transfer-encoding", "chunked") {
            let size = self.line();
            if size.is_empty() {
                return None;
            }
            let size = usize::from_str_radix(&size, 16).unwrap();
            piece.resize(size, 0);
            self.reader.read_exact(&mut piece).unwrap();
            self.line();
        } else {
            self.reader.read_to_end(&mut piece).unwrap();
        }
        (!piece.is_empty()).then_some(piece)
    }

    /// The status.
    pub fn status(&mut self) -> u16 {
        self.head().status
    }

    /// The whole answer.
    pub fn reply(mut self) -> Reply {
        let Head { status, headers } = self.head();
        while let Some(piece) = self.piece() {
            self.rest.extend(piece);
        }
        let body = String::from_utf8(self.rest).unwrap();
        let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
        Reply { status, headers, body }
    }

    /// The next frame of an event stream, comments passed over; `None` at the end.
    pub fn frame(&mut self) -> Option<Frame> {
        assert_eq!(self.status(), 200);
        assert!(self.is("content-type", "text/event-stream"), "no event stream");
        loop {
            while let Some(end) = self.rest.windows(2).position(|two| two == b"\n\n") {
                let text: Vec<u8> = self.rest.drain(..end + 2).collect();
                if let Some(frame) = frame(&String::from_utf8(text).unwrap()) {
                    return Some(frame);
                }
            }
            let piece = self.piece()?;
            self.rest.extend(piece);
        }
    }

    /// The next frame of one kind; those before it are passed over.
    pub fn frame_of(&mut self, kind: &str) -> Frame {
        loop {
            let frame = self.frame().unwrap_or_else(|| panic!("the stream ended before {kind}"));
            if frame.kind == kind {
                return frame;
            }
        }
    }

    /// Every frame until the end.
    pub fn frames(mut self) -> Vec<Frame> {
        std::iter::from_fn(|| self.frame()).collect()
    }
}

fn frame(text: &str) -> Option<Frame> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let data = field("data:")?;
    let data = serde_json::from_str(data).unwrap_or_else(|_| panic!("no JSON: {data}"));
    Some(Frame { id: field("id:").map(str::to_owned), kind: field("event:")?.to_owned(), data })
}

/// The names of frames, in order.
pub fn kinds(frames: &[Frame]) -> Vec<&str> {
    frames.iter().map(|frame| frame.kind.as_str()).collect()
}
