//! A real homeserver: Synapse, which `scripts/test` installs under `target/tools/synapse`.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use greenroom_adapters::{Account, AccountState, Adapter};
use greenroom_core::Platform;
use greenroom_persona::AccountSettings;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::house::{House, name, within};

/// A homeserver on this machine; killed when it is dropped.
struct Synapse {
    directory: tempfile::TempDir,
    port: u16,
    child: Option<Child>,
    client: Client,
}

fn tool(program: &str) -> Command {
    let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/synapse/bin");
    let path = tools.join(program);
    assert!(path.exists(), "this test needs Synapse: scripts/test installs it");
    Command::new(path)
}

impl Synapse {
    async fn start() -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let directory = tempfile::tempdir().unwrap();
        let config = json!({
            "server_name": "test", "pid_file": directory.path().join("pid"),
            "listeners": [{ "port": port, "type": "http", "bind_addresses": ["127.0.0.1"],
                "resources": [{ "names": ["client"] }] }],
            "database": { "name": "sqlite3", "args": { "database": directory.path().join("db") } },
            "media_store_path": directory.path().join("media"),
            "signing_key_path": directory.path().join("key"),
            "registration_shared_secret": "secret", "macaroon_secret_key": "secret", "form_secret": "secret",
            "report_stats": false, "trusted_key_servers": [], "enable_registration": false,
            "rc_message": { "per_second": 1000, "burst_count": 1000 },
            "rc_login": { "address": { "per_second": 1000, "burst_count": 1000 },
                "account": { "per_second": 1000, "burst_count": 1000 } },
            "rc_joins": { "local": { "per_second": 1000, "burst_count": 1000 } },
        });
        std::fs::write(directory.path().join("config"), config.to_string()).unwrap();
        let made = tool("python")
            .args(["-m", "synapse.app.homeserver", "--generate-keys", "-c"])
            .arg(directory.path().join("config"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        greenroom_models::install_tls();
        let client = Client::builder().timeout(Duration::from_secs(40)).build().unwrap();
        let mut synapse = Self { directory, port, child: None, client };
        synapse.run().await;
        synapse
    }

    async fn run(&mut self) {
        let out = std::fs::File::create(self.directory.path().join("out")).unwrap();
        let child = tool("python")
            .args(["-m", "synapse.app.homeserver", "-c"])
            .arg(self.directory.path().join("config"))
            .current_dir(self.directory.path())
            .stdin(Stdio::null())
            .stdout(out.try_clone().unwrap())
            .stderr(out)
            .spawn()
            .unwrap();
        self.child = Some(child);
        within(async {
            while self.client.get(format!("{}/_matrix/client/versions", self.url())).send().await.is_err() {
                let ended = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
                assert!(
                    ended.is_none(),
                    "{}",
                    std::fs::read_to_string(self.directory.path().join("out")).unwrap()
                );
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        })
        .await;
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Makes an account; returns a client of it.
    async fn person(&self, user: &str) -> Person {
        let made = tool("register_new_matrix_user")
            .args(["-u", user, "-p", "secret", "--no-admin", "-k", "secret"])
            .arg(self.url())
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
        let mut person = Person {
            client: self.client.clone(),
            base: self.url(),
            token: String::new(),
            since: None,
            sent: 0,
        };
        let login = json!({ "type": "m.login.password", "identifier": { "type": "m.id.user", "user": user }, "password": "secret" });
        let answer = person.call(Method::POST, "/login", login).await;
        person.token = answer["access_token"].as_str().unwrap().to_owned();
        person
    }
}

impl Drop for Synapse {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A person at a client.
struct Person {
    client: Client,
    base: String,
    token: String,
    since: Option<String>,
    sent: u32,
}

impl Person {
    async fn call(&self, method: Method, path: &str, body: Value) -> Value {
        let mut request =
            self.client.request(method.clone(), format!("{}/_matrix/client/v3{path}", self.base));
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        if method != Method::GET {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        let (status, body) = (answer.status(), answer.json::<Value>().await.unwrap());
        assert!(status.is_success(), "{path}: {body}");
        body
    }

    async fn makes_room(&self, direct: bool) -> String {
        let body = json!({ "preset": "private_chat", "is_direct": direct, "invite": ["@bot:test"] });
        let room = self.call(Method::POST, "/createRoom", body).await["room_id"].as_str().unwrap().to_owned();
        within(async {
            loop {
                let joined =
                    self.call(Method::GET, &format!("/rooms/{room}/joined_members"), Value::Null).await;
                if joined["joined"].get("@bot:test").is_some() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        })
        .await;
        room
    }

    async fn sends(&mut self, room: &str, content: Value) -> String {
        self.sent += 1;
        let path = format!("/rooms/{room}/send/m.room.message/t{}", self.sent);
        self.call(Method::PUT, &path, content).await["event_id"].as_str().unwrap().to_owned()
    }

    async fn says(&mut self, room: &str, text: &str) -> String {
        self.sends(room, json!({ "msgtype": "m.text", "body": text })).await
    }

    /// The next event of the bot that is as wished.
    async fn until(&mut self, wished: impl Fn(&Value) -> bool) -> Value {
        within(async {
            loop {
                let since = self.since.as_ref().map(|since| format!("&since={since}")).unwrap_or_default();
                let synced = self.call(Method::GET, &format!("/sync?timeout=2000{since}"), Value::Null).await;
                self.since = synced["next_batch"].as_str().map(str::to_owned);
                for room in synced["rooms"]["join"].as_object().into_iter().flat_map(|rooms| rooms.values()) {
                    let events = room["timeline"]["events"].as_array().cloned().unwrap_or_default();
                    let found =
                        events.into_iter().find(|event| event["sender"] == "@bot:test" && wished(event));
                    if let Some(found) = found {
                        return found;
                    }
                }
            }
        })
        .await
    }

    async fn hears(&mut self, text: &str) -> Value {
        self.until(|event| event["content"]["body"] == text).await
    }
}

fn adapter(settings: &AccountSettings, token: &str) -> Arc<dyn Adapter> {
    let mut account = Account::read(settings).unwrap();
    account.token = Some(greenroom_persona::Secret::new(token));
    account.adapter().unwrap()
}

async fn house(synapse: &Synapse, bot: &Person) -> (House, AccountSettings) {
    let settings = AccountSettings {
        name: "matrix".into(),
        platform: Platform::Matrix,
        server: Some(synapse.url()),
        tls: false,
        personas: vec![name("ada")],
        answers_per_person: 1000,
        ..AccountSettings::default()
    };
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let house = House::open(directory, adapter(&settings, &bot.token), settings.clone(), vec!["ada"]).await;
    online(&house).await;
    (house, settings)
}

async fn online(house: &House) {
    within(async {
        while house.accounts.status().await.unwrap()[0].state != AccountState::Online {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

/// Replies, threads, edits and redactions on a real homeserver.
#[tokio::test]
async fn ad2_people_talk_with_a_persona_on_synapse() {
    let synapse = Synapse::start().await;
    let (bot, mut ann) = (synapse.person("bot").await, synapse.person("ann").await);
    let (_house, _) = house(&synapse, &bot).await;
    let room = ann.makes_room(true).await;
    let asked = ann.says(&room, "Say: **one**\n@room").await;
    let reply = ann.until(|event| event["type"] == "m.room.message").await;
    assert_eq!(reply["content"]["formatted_body"], "<p><b>one</b><br>@\u{2060}room</p>", "nobody is called");
    assert_eq!(reply["content"]["m.relates_to"]["m.in_reply_to"]["event_id"], asked.as_str());
    let threaded = json!({ "msgtype": "m.text", "body": "Say: in the thread",
        "m.relates_to": { "rel_type": "m.thread", "event_id": asked } });
    ann.sends(&room, threaded).await;
    let reply = ann.hears("in the thread").await;
    assert_eq!(reply["content"]["m.relates_to"]["event_id"], asked.as_str());
    // an edit is answered as it is now, and the old reply is redacted
    let wrong = ann.says(&room, "Say: tee").await;
    ann.hears("tee").await;
    let edit = json!({ "msgtype": "m.text", "body": "* Say: tea", "m.new_content": { "msgtype": "m.text", "body": "Say: tea" },
        "m.relates_to": { "rel_type": "m.replace", "event_id": wrong } });
    ann.sends(&room, edit).await;
    ann.until(|event| event["type"] == "m.room.redaction").await;
    ann.says(&room, "!who").await;
    ann.until(|event| event["content"]["msgtype"] == "m.notice").await;
}

/// openclaw#56610, #52577, #51116, NemoClaw#3582: what was said during an absence was lost; #739: or answered twice.
#[tokio::test]
async fn ad7_what_was_said_during_an_absence_is_answered_once_on_synapse() {
    let mut synapse = Synapse::start().await;
    let (bot, mut ann) = (synapse.person("bot").await, synapse.person("ann").await);
    let (mut house, settings) = house(&synapse, &bot).await;
    let room = ann.makes_room(true).await;
    ann.says(&room, "Say: before").await;
    ann.hears("before").await;
    house.until_open(|open| open.is_empty()).await;
    house.accounts.kill().await;
    // more than a timeline holds
    for n in 0..60 {
        ann.says(&room, &format!("Say: missed {n}")).await;
    }
    house = house.killed(adapter(&settings, &bot.token)).await;
    online(&house).await;
    let key = greenroom_adapters::Place::chat(room.as_str()).key(Platform::Matrix).unwrap();
    let said = |texts: &[greenroom_core::Message]| {
        texts.iter().filter(|said| said.turn_id.is_none()).map(|said| said.text.clone()).collect::<Vec<_>>()
    };
    let wished: Vec<_> = std::iter::once("Say: before".to_owned())
        .chain((0..60).map(|n| format!("Say: missed {n}")))
        .collect();
    within(async {
        loop {
            let history =
                greenroom_store::HistoryStore::history(&*house.store, &key, None, 1000).await.unwrap();
            if said(&history).len() >= wished.len() {
                assert_eq!(said(&history), wished, "all of it, in order, once");
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    assert_eq!(house.accounts.status().await.unwrap()[0].caught_up, Some(true));
    // the homeserver dies, too
    synapse.kill();
    synapse.run().await;
    ann.says(&room, "Say: after").await;
    ann.hears("after").await;
    house.until_open(|open| open.is_empty()).await;
}

/// openclaw#123354, zeroclaw#5144: messages that could not be decrypted vanished silently.
#[tokio::test]
async fn ad2_an_encrypted_room_is_told_that_it_cannot_be_read_once() {
    let synapse = Synapse::start().await;
    let (bot, mut ann) = (synapse.person("bot").await, synapse.person("ann").await);
    let (house, _) = house(&synapse, &bot).await;
    let room = ann.makes_room(true).await;
    let body = json!({ "algorithm": "m.megolm.v1.aes-sha2", "ciphertext": "AwgAEn", "sender_key": "k", "session_id": "s",
        "device_id": "d" });
    for n in 0..2 {
        let path = format!("/rooms/{room}/send/m.room.encrypted/secret{n}");
        ann.call(Method::PUT, &path, body.clone()).await;
    }
    let told = ann.until(|event| event["content"]["msgtype"] == "m.notice").await;
    assert!(told["content"]["body"].as_str().unwrap().contains("cannot read encrypted"), "{told}");
    // what is said in the clear is answered, and the notice came once
    ann.says(&room, "Say: in the clear").await;
    let next = ann.until(|event| event["content"]["body"].is_string()).await;
    assert_eq!(next["content"]["body"], "in the clear");
    house.until_open(|open| open.is_empty()).await;
}
