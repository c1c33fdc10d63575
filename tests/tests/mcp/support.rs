//! A home, an endpoint that plays the model, MCP servers, and hosts.

use std::{
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use greenroom_tests::{Home, MockEndpoint, greenroom};
use serde_json::{Value, json};

/// A home and an endpoint the program is pointed at.
pub struct Stage {
    pub home: Home,
    pub endpoint: MockEndpoint,
}

/// What a run of the program left.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Stage {
    pub fn new() -> Self {
        Self { home: Home::new(), endpoint: MockEndpoint::start() }
    }

    /// A persona file with this front matter.
    pub fn persona(&self, name: &str, front: &Value) {
        // JSON is YAML
        self.home.write(&format!("personas/{name}.md"), &format!("---\n{front}\n---\nYou are {name}.\n"));
    }

    /// The state of a scripted server: its tools, as `(name, description, what it says)`.
    pub fn tools(&self, file: &str, tools: &[(&str, &str, &str)]) -> PathBuf {
        let tool = |(name, description, says): &(&str, &str, &str)| json!({ "name": name, "description": description, "says": says });
        let tools: Vec<Value> = tools.iter().map(tool).collect();
        self.home.write(file, &json!({ "tools": tools }).to_string())
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command(greenroom());
        command
            .args(arguments)
            .env("OPENAI_BASE_URL", self.endpoint.base_url())
            .env("OPENAI_API_KEY", "sk-test");
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Runs the program and expects it to succeed.
    pub fn ok(&self, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}\n{}{}", run.stdout, run.stderr);
        run
    }

    /// Starts a chat that reads lines from us and prints events to us.
    pub fn live(&self, persona: &str) -> Live {
        let mut command = self.command(&["chat", persona, "--json"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Live { child, stdin, stdout }
    }

    /// The names of the tools the model was offered last.
    pub fn offered(&self) -> Vec<String> {
        let chats = self.endpoint.chats();
        names(chats.last().expect("a chat request"))
    }
}

/// The names of the tools of a request.
pub fn names(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

/// The answers of tools in a request.
pub fn answers(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().expect("messages");
    let of_tools = messages.iter().filter(|message| message["role"] == "tool");
    of_tools.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// What the receipt of a turn says of MCP servers.
pub fn notes(events: &[Value]) -> Vec<String> {
    let receipt = events.iter().find(|event| event["type"] == "context_assembled").expect("a receipt");
    let notes = receipt["receipt"]["notes"].as_array().cloned().unwrap_or_default();
    let notes = notes.iter().map(|note| note.as_str().unwrap().to_owned());
    notes.filter(|note| !note.starts_with("tokens are estimated")).collect()
}

/// The front matter of a server that a state file scripts.
pub fn scripted(state: &std::path::Path, allow: &[&str]) -> Value {
    json!({ "command": ["python3", here("server.py"), state], "allow": allow })
}

/// A file beside these tests.
pub fn here(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mcp").join(name)
}

/// What `scripts/test` installed.
pub fn tool(path: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/tools/mcp").join(path);
    path.canonicalize().unwrap_or_else(|_| panic!("{} is missing: run scripts/test once", path.display()))
}

/// The program of `server-everything`.
pub fn everything() -> PathBuf {
    tool("node/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
}

/// What a host of the official SDK sees of a server, and what comes of its calls.
pub fn host(stage: &Stage, server: &Value, calls: &Value) -> Value {
    let output = stage
        .command(&[])
        .get_envs()
        .fold(Command::new("python3"), |mut command, (name, value)| {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
            command
        })
        .arg(here("host.py"))
        .args([server.to_string(), calls.to_string()])
        .current_dir(stage.home.path())
        .env("PYTHONPATH", tool("python"))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A process of ours, ended with the test.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        // it may be gone already
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A chat that is running.
pub struct Live {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Live {
    /// Says a line and hears the whole turn.
    pub fn turn(&mut self, line: &str) -> Vec<Value> {
        let stdin = self.stdin.as_mut().expect("an open chat");
        writeln!(stdin, "{line}").unwrap();
        let mut events: Vec<Value> = Vec::new();
        loop {
            let mut line = String::new();
            self.stdout.read_line(&mut line).unwrap();
            assert!(!line.is_empty(), "the chat ended: {events:?}");
            events.push(serde_json::from_str(&line).expect(&line));
            let kind = events.last().unwrap()["type"].as_str().unwrap().to_owned();
            if ["done", "failed", "cancelled"].contains(&kind.as_str()) {
                return events;
            }
        }
    }

    /// Says something until a turn is as it should be.
    pub fn until(&mut self, what: &str, holds: impl Fn(&[Value]) -> bool) {
        for _ in 0..300 {
            if holds(&self.turn("Well?")) {
                return;
            }
        }
        panic!("it never came so far: {what}");
    }

    /// No more lines come; waits for the end.
    pub fn finish(mut self) {
        drop(self.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}
