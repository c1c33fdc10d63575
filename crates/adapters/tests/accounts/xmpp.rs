//! A real server, Prosody, and a real client, slixmpp. `scripts/test` installs both; a test fails where they are missing.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use greenroom_adapters::{Account, AccountState, Adapter, Place};
use greenroom_core::Platform;
use greenroom_persona::{AccountSettings, FaceSetting, Secret};
use greenroom_store::HistoryStore;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};

use crate::house::{House, name, within};

const TEA: &str = "tea@rooms.localhost";

/// What the server has.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Archives, stream management, TLS.
    Rich,
    /// None of these.
    Poor,
}

/// A server on this machine; killed when it is dropped.
struct Prosody {
    kind: Kind,
    port: u16,
    directory: tempfile::TempDir,
    child: Option<Child>,
}

const CONFIG: &str = r#"
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
    async fn start(kind: Kind) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self { kind, port, directory: tempfile::tempdir().unwrap(), child: None };
        let path = server.directory.path();
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
            .args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
            .arg(path.join("key.pem"))
            .arg("-out")
            .arg(path.join("cert.pem"))
            .output()
            .expect("this test needs openssl");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let (modules, rooms) = match kind {
            Kind::Rich => (r#", "tls", "smacks", "mam", "offline""#, r#""muc_mam""#),
            Kind::Poor => ("", ""),
        };
        let config = CONFIG
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

    fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.arg("--config").arg(self.directory.path().join("prosody.cfg.lua"));
        command
    }

    fn register(&self, user: &str) {
        let made = self.program("prosodyctl").args(["register", user, "localhost", "secret"]).output();
        let made = made.expect("this test needs a server: apt-get install prosody");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    }

    /// Starts it, again after a kill.
    async fn run(&mut self) {
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

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.directory.path().join(name)).unwrap_or_default()
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    fn settings(&self) -> AccountSettings {
        AccountSettings {
            name: "net".into(),
            platform: Platform::Xmpp,
            server: Some(format!("127.0.0.1:{}", self.port)),
            tls: self.kind == Kind::Rich,
            ca_file: Some(self.directory.path().join("cert.pem")),
            user: Some("bot@localhost".into()),
            channels: vec![TEA.into()],
            personas: vec![name("ada"), name("vesper")],
            answers_per_person: 1000,
            ..AccountSettings::default()
        }
    }

    async fn house(&self, settings: AccountSettings) -> House {
        let directory = Arc::new(tempfile::tempdir().unwrap());
        let house = House::open(directory, adapter(&settings), settings, vec!["ada", "vesper"]).await;
        online(&house).await;
        house
    }

    async fn person(&self, user: &str) -> Person {
        let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/slixmpp");
        assert!(tools.exists(), "this test needs slixmpp: scripts/test installs it");
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/accounts/person.py");
        let mut child = tokio::process::Command::new("python3")
            .arg(script)
            .args([&format!("{user}@localhost"), "secret", &self.port.to_string()])
            .arg(if self.kind == Kind::Rich { self.directory.path().join("cert.pem") } else { "-".into() })
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

/// A person at a client.
struct Person {
    _child: tokio::process::Child,
    stdin: tokio::process::ChildStdin,
    lines: Lines<BufReader<tokio::process::ChildStdout>>,
    /// Every message so far.
    heard: Vec<Value>,
}

impl Person {
    async fn does(&mut self, command: Value) {
        self.stdin.write_all(format!("{command}\n").as_bytes()).await.unwrap();
    }

    /// The next line that is as wished.
    async fn next(&mut self, wished: impl Fn(&Value) -> bool) -> Value {
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

    async fn until(&mut self, event: &str) -> Value {
        self.next(|told| told["event"] == event).await
    }

    async fn enters(&mut self, nick: &str) {
        self.does(json!(["enter", TEA, nick])).await;
        self.until("entered").await;
    }

    /// Says something; returns the message's own id.
    async fn says(&mut self, to: &str, text: &str) -> String {
        let kind = if to == TEA { "groupchat" } else { "chat" };
        self.does(json!(["say", to, kind, text])).await;
        self.until("said").await["id"].as_str().unwrap().to_owned()
    }

    /// The next message with a text of others.
    async fn hears(&mut self, text: &str) -> Value {
        self.next(|told| told["event"] == "message" && told["body"] == text).await
    }
}

fn adapter(settings: &AccountSettings) -> Arc<dyn Adapter> {
    let token = Some(Secret::new("secret"));
    Account { settings: settings.clone(), token, app_token: None }.adapter().unwrap()
}

async fn online(house: &House) {
    until_state(house, |state| state == AccountState::Online).await;
}

async fn until_state(house: &House, wished: impl Fn(AccountState) -> bool) {
    within(async {
        while !wished(house.accounts.status().await.unwrap()[0].state) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// The texts of people in a chat.
async fn people_said(house: &House, chat: &str) -> Vec<String> {
    let key = Place::chat(chat).key(Platform::Xmpp).unwrap();
    let history = house.store.history(&key, None, 1000).await.unwrap();
    history.into_iter().filter(|said| said.turn_id.is_none()).map(|said| said.text).collect()
}

async fn until_people_said(house: &House, chat: &str, texts: &[String]) {
    within(async {
        while people_said(house, chat).await.len() < texts.len() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert_eq!(people_said(house, chat).await, texts, "each once, in order");
}

/// Personas answer in a room and in private, each under its own nick.
async fn talk(kind: Kind) {
    let server = Prosody::start(kind).await;
    let house = server.house(server.settings()).await;
    let mut ann = server.person("ann").await;
    ann.enters("ann").await;
    ann.says(TEA, "Vesper: Say: one").await;
    assert_eq!(ann.hears("one").await["by"], format!("{TEA}/Vesper"));
    ann.says("bot@localhost", "Say: two").await;
    assert_eq!(ann.hears("two").await["by"], "bot@localhost/ada");
    ann.says(&format!("{TEA}/Vesper"), "Say: three").await;
    assert_eq!(ann.hears("three").await["by"], format!("{TEA}/Vesper"));
    ann.says(TEA, "!who").await;
    let notice = ann.next(|told| told["body"].as_str().is_some_and(|body| body.contains("Personas:"))).await;
    assert_eq!(
        (notice["type"].as_str(), notice["by"].as_str()),
        (Some("chat"), Some("tea@rooms.localhost/Ada"))
    );
    ann.says(TEA, "Ada: Say: a <b>& \"c\"</body>").await;
    ann.hears("a <b>& \"c\"</body>").await;
    house.until_open(|open| open.is_empty()).await;
    let status = &house.accounts.status().await.unwrap()[0];
    assert_eq!((status.uncertain, status.dead), (0, 0));
}

#[tokio::test]
async fn ad2_people_talk_with_personas_on_prosody() {
    talk(Kind::Rich).await;
}

#[tokio::test]
async fn ad2_people_talk_with_personas_on_a_server_without_archives_and_counts() {
    talk(Kind::Poor).await;
}

#[tokio::test]
async fn ad2_replies_corrections_and_retractions_on_prosody() {
    let server = Prosody::start(Kind::Rich).await;
    let house = server.house(server.settings()).await;
    let mut ann = server.person("ann").await;
    ann.enters("ann").await;
    let asked = ann.says(TEA, "Ada: Say: tee").await;
    let own = ann.hears("Ada: Say: tee").await;
    ann.next(|told| told["has"].get("composing").is_some()).await;
    let reply = ann.hears("tee").await;
    assert_eq!(reply["has"]["reply"]["id"], own["has"]["stanza-id"]["id"], "{reply}");
    assert!(reply["has"]["origin-id"]["id"].is_string());
    // a correction is answered as it is now, and the old reply is retracted
    ann.does(json!(["correct", TEA, "groupchat", asked, "Ada: Say: tea"])).await;
    let retraction = ann.next(|told| told["has"].get("retract").is_some()).await;
    assert_eq!(retraction["has"]["retract"]["id"], reply["has"]["stanza-id"]["id"]);
    let answered = ann.hears("tea").await;
    // an answer with a quotation: what is quoted is not said again
    let id = answered["has"]["stanza-id"]["id"].as_str().unwrap().to_owned();
    ann.does(json!(["reply", TEA, "groupchat", format!("{TEA}/Ada"), id, "tea", "Say: to you"])).await;
    ann.hears("to you").await;
    until_people_said(&house, TEA, &["Ada: Say: tea".into(), "Say: to you".into()]).await;
    // another person cannot retract what ann said
    let mut eve = server.person("eve").await;
    eve.enters("eve").await;
    let ours = own["has"]["stanza-id"]["id"].as_str().unwrap();
    eve.does(json!(["retract", TEA, "groupchat", ours])).await;
    eve.says(TEA, "forged").await;
    until_people_said(&house, TEA, &["Ada: Say: tea".into(), "Say: to you".into(), "forged".into()]).await;
    ann.does(json!(["retract", TEA, "groupchat", ours])).await;
    within(async {
        while people_said(&house, TEA).await.len() != 2 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

/// openclaw#56610, #52577, #51116, NemoClaw#3582: what was said around a reconnect was lost; #739: or answered twice.
#[tokio::test]
async fn ad7_what_was_said_during_an_absence_is_answered_once_on_prosody() {
    let mut server = Prosody::start(Kind::Rich).await;
    let settings = server.settings();
    let mut house = server.house(settings.clone()).await;
    let mut ann = server.person("ann").await;
    ann.enters("ann").await;
    ann.says(TEA, "Ada: Say: before").await;
    ann.hears("before").await;
    house.until_open(|open| open.is_empty()).await;
    house.accounts.kill().await;
    let mut wished = vec!["Ada: Say: before".to_owned()];
    // more than a page of the archive
    for n in 0..120 {
        wished.push(format!("Ada: Say: missed {n}"));
        ann.says(TEA, wished.last().unwrap()).await;
    }
    ann.says("bot@localhost", "Say: in private").await;
    house = house.killed(adapter(&settings)).await;
    online(&house).await;
    until_people_said(&house, TEA, &wished).await;
    until_people_said(&house, "ann@localhost", &["Say: in private".into()]).await;
    assert_eq!(house.accounts.status().await.unwrap()[0].caught_up, Some(true));
    ann.hears("in private").await;
    // the server dies, too
    for round in 0..3 {
        house.until_open(|open| open.is_empty()).await;
        server.kill();
        until_state(&house, |state| state != AccountState::Online).await;
        server.run().await;
        online(&house).await;
        let mut ann = server.person("ann").await;
        ann.enters("ann").await;
        wished.push(format!("Ada: Say: round {round}"));
        ann.says(TEA, wished.last().unwrap()).await;
        ann.hears(&format!("round {round}")).await;
        until_people_said(&house, TEA, &wished).await;
    }
    house.until_open(|open| open.is_empty()).await;
}

/// openclaw#22780: messages were posted twice. The process dies while replies are under way.
#[tokio::test]
async fn ad3_a_kill_loses_no_message_and_repeats_none_on_prosody() {
    let server = Prosody::start(Kind::Rich).await;
    let settings = server.settings();
    let mut house = server.house(settings.clone()).await;
    let mut ann = server.person("ann").await;
    ann.enters("ann").await;
    let mut said = Vec::new();
    for round in 0..8 {
        said.push(format!("Ada: Say: reply {round}"));
        ann.says(TEA, said.last().unwrap()).await;
        until_people_said(&house, TEA, &said).await;
        house = house.killed(adapter(&settings)).await;
        online(&house).await;
    }
    ann.says(TEA, "Ada: Say: last").await;
    ann.hears("last").await;
    let mut heard = std::collections::BTreeMap::<&str, usize>::new();
    for told in ann.heard.iter().filter(|told| told["by"] == format!("{TEA}/Ada") && told["body"] != "") {
        *heard.entry(told["body"].as_str().unwrap()).or_default() += 1;
    }
    let replies: Vec<_> = (0..8).map(|round| format!("reply {round}")).collect();
    let once = replies.iter().map(String::as_str).chain(["last"]).map(|text| (text, 1)).collect();
    assert_eq!(heard, once);
    assert_eq!(house.until_open(|open| open.is_empty()).await.len(), 0);
}

#[tokio::test]
async fn ad4_personas_share_a_nick_where_the_settings_say_so_and_take_another_where_it_is_in_use() {
    let server = Prosody::start(Kind::Rich).await;
    let mut ann = server.person("ann").await;
    ann.enters("bot").await;
    let settings = AccountSettings { faces: FaceSetting::Prefix, ..server.settings() };
    let _house = server.house(settings).await;
    ann.says(TEA, "@vesper Say: one").await;
    let heard = ann.hears("<Vesper> one").await;
    assert_eq!(heard["by"], format!("{TEA}/bot_"));
}

#[tokio::test]
async fn ad5_a_wrong_password_and_an_unknown_certificate_are_named() {
    let server = Prosody::start(Kind::Rich).await;
    let settings = server.settings();
    let finds = async |settings: AccountSettings, password: &str| {
        let account = Account { settings, token: Some(Secret::new(password)), app_token: None };
        account.adapter().unwrap().check().await.remove(0)
    };
    let good = finds(settings.clone(), "secret").await;
    assert!(good.ok && good.text.contains("bot@localhost; connections that break are resumed"), "{good:?}");
    let wrong = finds(settings.clone(), "canary").await;
    assert!(
        !wrong.ok && wrong.text.contains("not-authorized") && !wrong.text.contains("canary"),
        "{wrong:?}"
    );
    let unknown = finds(AccountSettings { ca_file: None, ..settings.clone() }, "secret").await;
    assert!(!unknown.ok && unknown.text.contains("certificate"), "{unknown:?}");
    let plain = finds(AccountSettings { tls: false, ..settings }, "secret").await;
    assert!(!plain.ok, "{plain:?}");
}
