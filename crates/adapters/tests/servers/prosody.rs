//! A real XMPP server, Prosody, and a real client, slixmpp. `scripts/test` installs both. A test fails if one is
//! missing.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use greenroom_core::Platform;
use greenroom_persona::AccountSettings;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};

use super::within;

pub const TEA: &str = "tea@rooms.localhost";

/// The features of the server.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// With archives, stream management and TLS.
    Rich,
    /// Without these.
    Poor,
}

/// A local server, killed on drop.
pub struct Prosody {
    pub kind: Kind,
    pub port: u16,
    pub directory: tempfile::TempDir,
    pub child: Option<Child>,
}

pub const CONFIG: &str = r#"
run_as_root = true
pidfile = "DIR/pid"
data_path = "DIR/data"
log = { info = "DIR/log" }
interfaces = { "127.0.0.1" }
c2s_ports = { PORT }
modules_disabled = { "s2s" }
modules_enabled = { "roster", "saslauth", "disco", "ping" MODULES }
authentication = "internal_hashed"
c2s_require_encryption = ENCRYPTED
storage = "internal"
smacks_hibernation_time = 60
ssl = { key = "DIR/key.pem", certificate = "DIR/cert.pem" }
VirtualHost "localhost"
Component "rooms.localhost" "muc"
  modules_enabled = { ROOM_MODULES }
  restrict_room_creation = false
  muc_room_locking = false
  muc_room_default_public_jids = true
  muc_log_by_default = true
"#;

impl Prosody {
    pub async fn start(kind: Kind) -> Self {
        Self::configured(kind, CONFIG).await
    }

    /// Prosody with its default locking: a new room is closed to others until its owner accepts its settings.
    pub async fn locking() -> Self {
        Self::configured(Kind::Rich, &CONFIG.replace("muc_room_locking = false", "")).await
    }

    /// Prosody with rooms that hide people's addresses from each other.
    pub async fn hiding() -> Self {
        Self::configured(Kind::Rich, &CONFIG.replace("public_jids = true", "public_jids = false")).await
    }

    async fn configured(kind: Kind, config: &str) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self { kind, port, directory: tempfile::tempdir().unwrap(), child: None };
        let path = server.directory.path();
        super::irc::certificate(path);
        let (modules, rooms) = match kind {
            Kind::Rich => (r#", "tls", "smacks", "mam", "offline""#, r#""muc_mam""#),
            Kind::Poor => ("", ""),
        };
        let config = config
            .replace("ROOM_MODULES", rooms)
            .replace("MODULES", modules)
            .replace("ENCRYPTED", if kind == Kind::Rich { "true" } else { "false" })
            .replace("PORT", &port.to_string())
            .replace("DIR", &path.to_string_lossy());
        std::fs::create_dir(path.join("data")).unwrap();
        std::fs::write(path.join("prosody.cfg.lua"), config).unwrap();
        for user in ["bot", "ann", "eve"] {
            server.register(user);
        }
        server.run().await;
        server
    }

    pub fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.arg("--config").arg(self.directory.path().join("prosody.cfg.lua"));
        command
    }

    pub fn register(&self, user: &str) {
        let made = self.program("prosodyctl").args(["register", user, "localhost", "secret"]).output();
        let made = made.expect("this test needs a server: apt-get install prosody");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    }

    /// Starts the server, also again after a kill.
    pub async fn run(&mut self) {
        let out = std::fs::File::create(self.directory.path().join("out")).unwrap();
        let mut command = self.program("prosody");
        command.arg("-F").stdin(Stdio::null()).stdout(out.try_clone().unwrap()).stderr(out);
        self.child = Some(command.spawn().unwrap());
        within(async {
            while tokio::net::TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
                let ended = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
                assert!(ended.is_none(), "{}", self.file("out") + &self.file("log"));
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }

    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.directory.path().join(name)).unwrap_or_default()
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub fn settings(&self) -> AccountSettings {
        AccountSettings {
            name: "net".into(),
            platform: Platform::Xmpp,
            server: Some(format!("127.0.0.1:{}", self.port)),
            tls: self.kind == Kind::Rich,
            ca_file: Some(self.directory.path().join("cert.pem")),
            user: Some("bot@localhost".into()),
            channels: vec![TEA.into()],
            personas: vec!["ada".parse().unwrap(), "vesper".parse().unwrap()],
            answers_per_person: 1000,
            ..AccountSettings::default()
        }
    }

    pub async fn person(&self, user: &str) -> Person {
        self.client(user, &[]).await
    }

    /// A client that identifies itself as a bot.
    pub async fn robot(&self, user: &str) -> Person {
        self.client(user, &["bot"]).await
    }

    pub async fn client(&self, user: &str, more: &[&str]) -> Person {
        let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/slixmpp");
        assert!(tools.exists(), "this test needs slixmpp: scripts/test installs it");
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/servers/person.py");
        let mut child = tokio::process::Command::new("python3")
            .arg(script)
            .args([&format!("{user}@localhost"), "secret", &self.port.to_string()])
            .arg(if self.kind == Kind::Rich { self.directory.path().join("cert.pem") } else { "-".into() })
            .args(more)
            .env("PYTHONPATH", tools)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (stdin, lines) =
            (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
        let mut person = Person { _child: child, stdin, lines, heard: Vec::new() };
        person.until("online").await;
        person
    }
}

impl Drop for Prosody {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A person's client.
pub struct Person {
    pub _child: tokio::process::Child,
    pub stdin: tokio::process::ChildStdin,
    pub lines: Lines<BufReader<tokio::process::ChildStdout>>,
    /// Every message received so far.
    pub heard: Vec<Value>,
}

impl Person {
    pub async fn does(&mut self, command: Value) {
        self.stdin.write_all(format!("{command}\n").as_bytes()).await.unwrap();
    }

    /// The next report that satisfies a condition.
    pub async fn next(&mut self, wished: impl Fn(&Value) -> bool) -> Value {
        within(async {
            loop {
                let line = self.lines.next_line().await.unwrap().expect("the client goes on");
                let told: Value = serde_json::from_str(&line).unwrap();
                if told["event"] == "message" {
                    self.heard.push(told.clone());
                }
                if wished(&told) {
                    return told;
                }
            }
        })
        .await
    }

    /// The first past or future message that satisfies a condition, for tests in which the order does not matter.
    pub async fn ever(&mut self, wished: impl Fn(&Value) -> bool) -> Value {
        match self.heard.iter().find(|told| wished(told)) {
            Some(told) => told.clone(),
            None => self.next(wished).await,
        }
    }

    pub async fn until(&mut self, event: &str) -> Value {
        self.next(|told| told["event"] == event).await
    }

    pub async fn enters(&mut self, nick: &str) {
        self.does(json!(["enter", TEA, nick])).await;
        self.until("entered").await;
    }

    /// Sends a nick out of the room.
    pub async fn kicks(&mut self, nick: &str) {
        self.does(json!(["kick", TEA, nick])).await;
        self.until("kicked").await;
    }

    /// Bans an address from the room.
    pub async fn bans(&mut self, jid: &str) {
        self.does(json!(["ban", TEA, jid])).await;
        self.until("banned").await;
    }

    /// Sends a message, and returns the id that the client gave it.
    pub async fn says(&mut self, to: &str, text: &str) -> String {
        let kind = if to == TEA { "groupchat" } else { "chat" };
        self.does(json!(["say", to, kind, text])).await;
        self.until("said").await["id"].as_str().unwrap().to_owned()
    }

    /// The next message with this text.
    pub async fn hears(&mut self, text: &str) -> Value {
        self.next(|told| told["event"] == "message" && told["body"] == text).await
    }
}
