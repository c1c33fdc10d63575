//! A server of its own for a test, and as much of an HTTP client as it needs.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use greenroom_tests::{Home, MockEndpoint, Stderr, greenroom};
use serde_json::{Value, json};

/// A key that must never be seen again (X5).
pub const CANARY: &str = "sk-canary-0123456789";

/// How long a test waits for what must come.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A running server, killed when it is dropped.
pub struct Server {
    pub endpoint: MockEndpoint,
    pub port: u16,
    child: Child,
    pub stderr: Stderr,
    pub home: Home,
}

/// What is changed of the usual start.
#[derive(Default)]
pub struct Start<'a> {
    pub settings: &'a str,
    pub arguments: &'a [&'a str],
    pub environment: &'a [(&'a str, &'a str)],
}

/// A command that serves at a free port and says which.
pub fn command(home: &Home, endpoint: &MockEndpoint, start: &Start<'_>) -> Command {
    home.write("personas/ada.md", "---\n---\nYou are Ada.\n");
    home.write("greenroom.toml", &format!("persona = \"ada\"\n{}", start.settings));
    let mut command = home.command(greenroom());
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--base-url", &endpoint.base_url(), "--model", "mock"])
        .args(start.arguments)
        .env("GREENROOM_API_KEY", CANARY)
        .envs(start.environment.iter().copied())
        .stderr(Stdio::piped());
    command
}

impl Server {
    pub fn start() -> Self {
        Self::start_with(&Start::default())
    }

    pub fn start_with(start: &Start<'_>) -> Self {
        let (home, endpoint) = (Home::new(), MockEndpoint::start());
        let (child, port, stderr) = launch(command(&home, &endpoint, start));
        Self { endpoint, port, child, stderr, home }
    }

    /// A server by a command of the test's own, in a home that is its.
    pub fn started(home: Home, endpoint: MockEndpoint, command: Command) -> Self {
        let (child, port, stderr) = launch(command);
        Self { endpoint, port, child, stderr, home }
    }

    /// Where it runs.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Kills it and starts it again in the same home.
    pub fn crash_and_start(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let command = command(&self.home, &self.endpoint, &Start::default());
        (self.child, self.port, self.stderr) = launch(command);
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, and gives all it said on standard error.
    pub fn killed(&mut self) -> String {
        self.child.kill().unwrap();
        self.stderr.all()
    }

    /// A connection to it.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The head of a request, its end left open.
    pub fn head(&self, method: &str, path: &str) -> String {
        format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\n", self.port)
    }

    pub fn get(&self, path: &str) -> Answered {
        self.request("GET", path, &[], "")
    }

    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answered {
        let mut stream = self.connect();
        stream.write_all(self.written(method, path, headers, body).as_bytes()).unwrap();
        answered(stream)
    }

    fn written(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut text = self.head(method, path);
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            text.push_str(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()));
        }
        format!("{text}\r\n{body}")
    }

    /// Says something to Ada and waits for the reply.
    pub fn say(&self, text: &str) -> Answered {
        self.say_with(text, &[])
    }

    pub fn say_with(&self, text: &str, headers: &[(&str, &str)]) -> Answered {
        let body = json!({ "text": text, "persona": "ada" }).to_string();
        self.request("POST", "/api/channels/api:test/messages", headers, &body)
    }

    /// The same without waiting: the connection its answer comes on.
    pub fn begin_to_say(&self, text: &str) -> TcpStream {
        let mut stream = self.connect();
        let body = json!({ "text": text, "persona": "ada" }).to_string();
        let text = self.written("POST", "/api/channels/api:test/messages", &[], &body);
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// The value of a metric, as the line that begins so ends; 0 where there is none.
    pub fn metric(&self, begins: &str) -> f64 {
        let metrics = self.get("/metrics");
        assert_eq!(metrics.status, 200, "{}", metrics.body);
        let line = metrics.body.lines().find_map(|line| line.strip_prefix(begins)?.strip_prefix(' '));
        line.map_or(0.0, |value| value.parse().unwrap())
    }

    /// Waits until a metric has a value.
    pub fn wait_for_metric(&self, begins: &str, wanted: f64) {
        let value = wait_for(|| Some(self.metric(begins)).filter(|value| *value == wanted));
        assert!(value.is_some(), "{begins} is {} and not {wanted}", self.metric(begins));
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for its end.
    pub fn ended(&mut self) -> ExitStatus {
        wait_for(|| self.child.try_wait().unwrap()).expect("the server ends")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // it may have ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server and waits until it says where it listens.
fn launch(mut command: Command) -> (Child, u16, Stderr) {
    let mut child = command.spawn().unwrap();
    let stderr = Stderr::of(&mut child);
    (child, stderr.port(), stderr)
}

/// Asks until there is an answer; `None` when it takes too long.
pub fn wait_for<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if begun.elapsed() > PATIENCE {
            return None;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// An answer as it came.
#[derive(Debug)]
pub struct Answered {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answered {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The code of an error in the shape every error has.
    pub fn code(&self) -> String {
        let error = &self.json()["error"];
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{}", self.body);
        assert!(error["type"].is_string() && error.get("param").is_some(), "{}", self.body);
        error["code"].as_str().unwrap().to_owned()
    }
}

/// Reads an answer to the end of its connection.
pub fn answered(mut stream: TcpStream) -> Answered {
    let mut bytes = Vec::new();
    // a server that closes while we still send resets the connection after its answer
    let _ = stream.read_to_end(&mut bytes);
    let _ = stream.shutdown(Shutdown::Both);
    parsed(&bytes).unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(&bytes)))
}

/// An answer, where the bytes are one.
pub fn parsed(bytes: &[u8]) -> Option<Answered> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_lowercase(), value.trim().to_owned()))
    };
    Some(Answered { status, headers: lines.filter_map(header).collect(), body: body.to_owned() })
}
