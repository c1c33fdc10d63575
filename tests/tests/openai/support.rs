//! A server with a mock model behind it, and the SDK in front of it.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, Stdio},
};

use greenroom_tests::{Home, MockEndpoint, greenroom};
use serde_json::Value;

/// Where `scripts/test` puts the SDK.
const SDK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/tools/openai");

/// What every script begins with: a client that tries once, and ways to say what came.
const PRELUDE: &str = r#"
import json, sys, threading
import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0, timeout=60)

def out(value):
    print(json.dumps(value))

def user(text):
    return {"role": "user", "content": text}

def ask(text, **more):
    return client.chat.completions.create(model="ada", messages=[user(text)], **more)

def in_channel(text, channel="api:mo", key=None, **more):
    headers = {"X-Greenroom-Channel": channel}
    if key:
        headers["Idempotency-Key"] = key
    return ask(text, extra_headers=headers, **more)

def refusal(call):
    try:
        call()
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.body.get("code"), error.body.get("param")]

WEATHER = {"type": "function", "function": {
    "name": "weather", "description": "Tells the weather", "strict": True,
    "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"],
                   "additionalProperties": False}}}
"#;

/// A server that runs, its home, and the endpoint it is pointed at.
pub struct Served {
    pub endpoint: MockEndpoint,
    pub home: Home,
    server: Child,
    address: String,
}

impl Served {
    /// With the personas that are built in.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// With persona files besides.
    pub fn with(personas: &[(&str, &str)]) -> Self {
        let (home, endpoint) = (Home::new(), MockEndpoint::start());
        for (name, text) in personas {
            home.write(&format!("personas/{name}.md"), text);
        }
        let (server, address) = launched(&home, &endpoint);
        Self { endpoint, home, server, address }
    }

    /// Kills the server and starts it again in the same home.
    pub fn again(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
        (self.server, self.address) = launched(&self.home, &self.endpoint);
    }

    /// The address of the server, without a path.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Runs a script with the SDK to its end; what it said, a value a line.
    pub fn script(&self, script: &str) -> Vec<Value> {
        let run = self.sdk(script).output().expect("python3");
        let (said, why) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{script}\n{said}{why}");
        said.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// A script that is to be started.
    pub fn sdk(&self, script: &str) -> Command {
        assert!(
            Path::new(SDK).join("openai").is_dir(),
            "the SDK is missing: run scripts/test, it installs it"
        );
        let mut command = self.home.command("python3");
        command
            .args(["-c", &format!("{PRELUDE}\n{script}"), &format!("{}/v1", self.address)])
            .env("PYTHONPATH", SDK)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs another command of the program over the same data.
    pub fn greenroom(&self, arguments: &[&str]) -> String {
        let mut command = self.home.command(greenroom());
        command.args(arguments).env("OPENAI_BASE_URL", self.endpoint.base_url());
        let run = command.output().unwrap();
        assert!(run.status.success(), "{arguments:?}\n{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).unwrap()
    }

    /// The newest request to the model.
    pub fn last_request(&self) -> Value {
        self.endpoint.chats().pop().expect("a request to the model")
    }

    /// The messages of the newest request, as `role: content`.
    pub fn last_messages(&self) -> Vec<String> {
        let request = self.last_request();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let messages = request["messages"].as_array().expect("messages");
        messages.iter().map(|m| format!("{}: {}", text(&m["role"]), text(&m["content"]))).collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A server in a home, and its address.
fn launched(home: &Home, endpoint: &MockEndpoint) -> (Child, String) {
    let mut command = home.command(greenroom());
    command
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("OPENAI_BASE_URL", endpoint.base_url())
        .env("OPENAI_API_KEY", "sk-canary-0123456789")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap());
    let mut line = String::new();
    let address = loop {
        line.clear();
        assert_ne!(said.read_line(&mut line).unwrap(), 0, "the server did not start");
        if let Some((_, address)) = line.trim().split_once("http://") {
            break format!("http://{address}");
        }
    };
    // whatever else it says must not fill the pipe
    std::thread::spawn(move || said.read_to_end(&mut Vec::new()));
    (server, address)
}
