//! A stage: a home of its own, an endpoint, and the program between them.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Output, Stdio},
};

use greenroom_tests::{Home, MockEndpoint, greenroom};
use serde_json::Value;

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

    /// A command with the endpoint in its environment.
    pub fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.home.command(greenroom());
        command
            .args(arguments)
            .env("OPENAI_BASE_URL", self.endpoint.base_url())
            .env("OPENAI_API_KEY", "sk-canary-0123456789");
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_with_input(arguments, "")
    }

    /// Runs the program to its end with lines on standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // a program that ends early does not read everything
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().unwrap().into()
    }

    /// Runs the program and expects it to succeed.
    pub fn ok(&self, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}\n{}{}", run.stdout, run.stderr);
        run
    }

    /// Starts a chat that reads lines from us and prints events to us.
    pub fn live(&self, arguments: &[&str]) -> Live {
        let mut command = self.command(arguments);
        command.arg("--json").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Live { child, stdin, stdout }
    }

    /// The messages of the newest chat request, as `(role, content)`.
    pub fn last_request(&self) -> Vec<(String, String)> {
        let chats = self.endpoint.chats();
        messages(chats.last().expect("a chat request"))
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// The events a `--json` run printed.
    pub fn events(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}

/// The messages of a request, as `(role, content)`.
pub fn messages(request: &Value) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let of = |m: &Value| (text(&m["role"]), text(&m["content"]));
    request["messages"].as_array().expect("messages").iter().map(of).collect()
}

/// Everything a request says, as one text.
pub fn whole(request: &[(String, String)]) -> String {
    request.iter().map(|(role, content)| format!("[{role}] {content}\n")).collect()
}

/// A chat that is running.
pub struct Live {
    pub child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Live {
    /// Says a line.
    pub fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("an open chat");
        writeln!(stdin, "{line}").unwrap();
        stdin.flush().unwrap();
    }

    /// The next event.
    pub fn event(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the chat ended: {}", self.rest());
        serde_json::from_str(&line).expect(&line)
    }

    /// The next event of one type; those before it are passed over.
    pub fn event_of(&mut self, kind: &str) -> Value {
        loop {
            let event = self.event();
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// No more lines come; waits for the end.
    pub fn finish(mut self) -> Run {
        drop(self.stdin.take());
        let mut stdout = String::new();
        std::io::Read::read_to_string(&mut self.stdout, &mut stdout).unwrap();
        let mut run: Run = self.child.wait_with_output().unwrap().into();
        run.stdout = stdout;
        run
    }

    fn rest(&mut self) -> String {
        let mut text = String::new();
        if let Some(stderr) = self.child.stderr.as_mut() {
            let _ = std::io::Read::read_to_string(stderr, &mut text);
        }
        text
    }
}
