//! A running server, and as much of an HTTP client as it takes to talk to it in every wrong way.

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::{Child, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use greenroom_tests::{Home, MockEndpoint, Stderr, greenroom};
use serde_json::Value;

/// How long a test waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// `greenroom serve` in a home of its own, killed when it is dropped.
pub struct Served {
    pub home: Home,
    pub port: u16,
    child: Child,
    pub stderr: Stderr,
    pub endpoint: MockEndpoint,
}

/// What came back.
#[derive(Debug)]
pub struct Answered {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answered {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code of an error.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Served {
    /// A server without keys.
    pub fn start() -> Self {
        Self::start_in(Home::new(), &[])
    }

    /// A server in a home that may hold keys and settings.
    pub fn start_in(home: Home, arguments: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", home, arguments)
    }

    /// A server at an address.
    pub fn start_at(address: &str, home: Home, arguments: &[&str]) -> Self {
        let endpoint = MockEndpoint::start();
        let mut command = home.command(greenroom());
        command
            .args(["serve", "--listen", address])
            .args(arguments)
            .env("OPENAI_BASE_URL", endpoint.base_url())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stderr = Stderr::of(&mut child);
        Self { home, port: stderr.port(), child, stderr, endpoint }
    }

    /// Ends it, and gives all it said on standard error.
    pub fn killed(&mut self) -> String {
        self.child.kill().unwrap();
        self.stderr.all()
    }

    /// A connection on which this has been sent.
    pub fn sent(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// The head of a request with a key, its end left open.
    pub fn head(&self, key: &str, method: &str, path: &str) -> String {
        let port = self.port;
        format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {key}\r\n")
    }

    /// A request with these headers in place of the usual `Host`, where one of them is it.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answered {
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if headers.iter().all(|(name, _)| *name != "host") {
            text.push_str(&format!("host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            text.push_str(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()));
        }
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // one that is refused early need not read all of it
        let _ = stream.write_all(format!("{text}\r\n{body}").as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        answered(&bytes)
    }

    /// The same with a key.
    pub fn call(&self, key: &str, method: &str, path: &str, body: &str) -> Answered {
        self.request(method, path, &[("authorization", &format!("Bearer {key}"))], body)
    }

    /// Runs a command beside it, in another process.
    pub fn beside(&self, arguments: &[&str]) -> Output {
        run(&self.home, arguments)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // it may have ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the program in a home.
pub fn run(home: &Home, arguments: &[&str]) -> Output {
    home.command(greenroom()).args(arguments).stdin(Stdio::null()).output().unwrap()
}

/// Makes a key; for a person where one is named, else for an operator.
pub fn key(home: &Home, user: Option<&str>) -> String {
    let role = user.map_or(vec!["--role", "operator"], |user| vec!["--role", "user", "--user", user]);
    let made = run(home, &[&["key", "create"], &role[..]].concat());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

/// Waits until something is so, and says how long that took.
pub fn until(what: &str, so: impl Fn() -> bool) -> Duration {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(10));
    }
    begun.elapsed()
}

fn answered(bytes: &[u8]) -> Answered {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
    let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { joined(body) } else { body.to_owned() };
    Answered { status, head: head.to_owned(), body }
}

/// The chunks of a body as one text; their sizes count bytes of what is ASCII here or whole lines.
fn joined(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = chunks.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return body;
        }
        body.push_str(&rest[..size]);
        chunks = rest[size..].trim_start_matches("\r\n");
    }
    panic!("the body breaks off after {body}")
}
