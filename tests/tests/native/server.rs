//! A server in a home of its own, with a mock endpoint behind it.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
};

use greenroom_tests::{Home, MockEndpoint, greenroom};
use serde_json::{Value, json};

use crate::client::{Reply, Stream, ask};

/// A running server; it is killed when it is dropped.
pub struct Server {
    pub home: Home,
    pub endpoint: MockEndpoint,
    pub address: SocketAddr,
    process: Child,
}

/// `ada`, who answers when she is meant, and `bo`, who likewise does.
const ADA: &str = "---\nname: ada\nroom: { answer: mentioned, cooldown: 0s }\n---\nYou are Ada.\n";
const BO: &str = "---\nname: bo\nroom: { answer: mentioned, cooldown: 0s }\n---\nYou are Bo.\n";

impl Server {
    /// With two personas and the usual settings.
    pub fn start() -> Self {
        Self::with(|_| {})
    }

    /// In a home that was prepared.
    pub fn with(prepare: impl FnOnce(&Home)) -> Self {
        let home = Home::new();
        home.write("personas/ada.md", ADA);
        home.write("personas/bo.md", BO);
        prepare(&home);
        let endpoint = MockEndpoint::start();
        let (process, address) = launch(&home, &endpoint);
        Self { home, endpoint, address, process }
    }

    /// Kills the server and starts it again in the same home.
    pub fn again(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        (self.process, self.address) = launch(&self.home, &self.endpoint);
    }

    /// Runs another command in the same home.
    pub fn command(&self, arguments: &[&str]) {
        let output = command(&self.home, &self.endpoint, arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    pub fn get(&self, path: &str) -> Reply {
        ask(self.address, "GET", path, &[], None).reply()
    }

    /// Posts JSON.
    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_with(path, body, &[])
    }

    pub fn delete(&self, path: &str) -> Reply {
        ask(self.address, "DELETE", path, &[], None).reply()
    }

    /// Patches with JSON.
    pub fn patch(&self, path: &str, body: &Value) -> Reply {
        let headers = [("Content-Type", "application/json")];
        ask(self.address, "PATCH", path, &headers, Some(body.to_string().as_bytes())).reply()
    }

    /// Puts JSON.
    pub fn put(&self, path: &str, body: &Value) -> Reply {
        let headers = [("Content-Type", "application/json")];
        ask(self.address, "PUT", path, &headers, Some(body.to_string().as_bytes())).reply()
    }

    pub fn post_with(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Reply {
        self.posting(path, body, headers).reply()
    }

    /// Posts JSON and does not wait for the answer.
    pub fn posting(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Stream {
        let headers = [&[("Content-Type", "application/json")], headers].concat();
        ask(self.address, "POST", path, &headers, Some(body.to_string().as_bytes()))
    }

    /// Says something to Ada and waits for her answer.
    pub fn say(&self, channel: &str, text: &str) -> Reply {
        self.post(&messages(channel), &to_ada(text))
    }

    /// Says something to Ada and hears what becomes of it.
    pub fn saying(&self, channel: &str, text: &str) -> Stream {
        self.posting(&messages(channel), &to_ada(text), &[("Accept", "text/event-stream")])
    }

    /// Listens to something.
    pub fn listen(&self, path: &str, last: Option<&str>) -> Stream {
        let last = last.map(|last| ("Last-Event-ID", last));
        let mut stream = ask(self.address, "GET", path, &Vec::from_iter(last), None);
        assert_eq!(stream.status(), 200, "{path}");
        stream
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // one that is gone already need not be killed
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Where something is said.
pub fn messages(channel: &str) -> String {
    format!("/api/channels/{channel}/messages")
}

/// Something that is said to Ada.
pub fn to_ada(text: &str) -> Value {
    json!({ "text": text, "persona": "ada" })
}

fn command(home: &Home, endpoint: &MockEndpoint, arguments: &[&str]) -> Command {
    let mut command = home.command(greenroom());
    command
        .args(arguments)
        .args(["--personas", "personas"])
        .env("OPENAI_BASE_URL", endpoint.base_url())
        .env("OPENAI_API_KEY", "sk-canary-0123456789");
    command
}

fn launch(home: &Home, endpoint: &MockEndpoint) -> (Child, SocketAddr) {
    let mut command = command(home, endpoint, &["serve", "--listen", "127.0.0.1:0"]);
    let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut said = String::new();
    let address = loop {
        let line = lines.next().unwrap_or_else(|| panic!("it does not serve: {said}")).unwrap();
        said.push_str(&line);
        let after = line.split_once("http://").map(|(_, after)| after.split(['/', ' ']).next().unwrap());
        if let Some(Ok(address)) = after.map(str::parse) {
            break address;
        }
    };
    // what it says later goes to the test's own output
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| eprintln!("serve: {line}")));
    (process, address)
}
