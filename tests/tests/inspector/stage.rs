//! A stage: the program serving, an endpoint behind it, and a browser in front.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, Stdio},
};

use greenroom_tests::{Home, MockEndpoint, greenroom};
use serde_json::Value;

/// A hostile name: anywhere it is taken for HTML, it runs.
pub const HOSTILE: &str = "<img src=x onerror=window.pwned=1>";

/// A server with two personas, `ada` and `bob`.
pub struct Stage {
    pub endpoint: MockEndpoint,
    pub url: String,
    server: Child,
    pub home: Home,
    /// The key of an operator, if the server asks for one.
    key: String,
}

impl Stage {
    pub fn new() -> Self {
        Self::with(&format!("Bob {HOSTILE}"))
    }

    /// A server that asks for a key. Its scenes get the key of an operator.
    pub fn keyed() -> Self {
        Self::start("Bob", "", true)
    }

    /// A server with the name that Bob shows.
    pub fn with(bob: &str) -> Self {
        Self::start(bob, "", false)
    }

    /// The same, with these settings.
    pub fn set_up(bob: &str, settings: &str) -> Self {
        Self::start(bob, settings, false)
    }

    fn start(bob: &str, settings: &str, asks: bool) -> Self {
        let (home, endpoint) = (Home::new(), MockEndpoint::start());
        home.write("greenroom.toml", settings);
        // of the samples, Vesper answers everything; here nobody speaks unasked
        home.write("personas/vesper.md", "---\nname: vesper\ndisplay_name: Vesper Quill\nroom: { answer: mentioned }\n---\nYou are Vesper.");
        home.write("personas/ada.md", "---\nname: ada\ndisplay_name: Ada\nmodel: { name: mock }\n---\nYou are Ada, a patient engineer.\nSay what you do not know.");
        let display = format!("display_name: \"{bob}\"");
        home.write("personas/bob.md", &format!("---\nname: bob\n{display}\nmodel: {{ name: mock }}\n---\nYou are Bob, {HOSTILE}, and you rhyme."));
        let key = if asks { operator_key(&home) } else { String::new() };
        let mut server = home
            .command(greenroom())
            .args(["serve", "--listen", "127.0.0.1:0", "--personas", "personas"])
            .env("OPENAI_BASE_URL", endpoint.base_url())
            .env("OPENAI_API_KEY", "sk-canary-0123456789")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(server.stderr.take().unwrap()).lines();
        let url = said
            .by_ref()
            .map(|line| line.expect("a line"))
            .find_map(|line| {
                line.split_once("http://").map(|(_, address)| format!("http://{}", address.trim()))
            })
            .expect("the server says where it listens");
        // what it says later is read, so that it never waits for us
        std::thread::spawn(move || said.for_each(drop));
        Self { endpoint, url, server, home, key }
    }

    /// Plays a scene of a file in the browser and returns what it saw. A line `release` of the scene
    /// lets an answer that stalls go on.
    pub fn play(&self, file: &str, scene: &str) -> Vec<Value> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inspector");
        let mut browser = Command::new("node")
            .arg(here.join("browser.mjs"))
            .args([file, scene, &self.url, &self.key])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("node is missing: run scripts/test, which installs what the tests need");
        let mut errors = browser.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            errors.read_to_string(&mut text).map(|_| text)
        });
        let mut seen = Vec::new();
        for line in BufReader::new(browser.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            match line.strip_prefix("seen ") {
                Some(json) => seen.push(serde_json::from_str(json).expect(json)),
                None if line == "release" => self.endpoint.release(),
                None => panic!("the scene says `{line}`"),
            }
        }
        let status = browser.wait().unwrap();
        assert!(status.success(), "{file}, {scene}:\n{}", errors.join().unwrap().unwrap());
        seen
    }
}

/// Makes the key of an operator.
fn operator_key(home: &Home) -> String {
    let made = home.command(greenroom()).args(["key", "create", "--role", "operator"]).output().unwrap();
    let said = String::from_utf8(made.stdout).unwrap();
    said.split_whitespace().find(|word| word.starts_with("gr_")).expect(&said).to_owned()
}

impl Drop for Stage {
    fn drop(&mut self) {
        // it may have ended already
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
