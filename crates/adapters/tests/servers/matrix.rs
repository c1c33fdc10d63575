//! A real Matrix homeserver: Synapse, which `scripts/test` installs under `target/tools/synapse`.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use tokio::sync::watch;

use reqwest::{Client, Method};
use serde_json::{Value, json};

use super::within;

/// A local homeserver, killed on drop.
pub struct Synapse {
    pub directory: tempfile::TempDir,
    pub port: u16,
    pub child: Option<Child>,
    pub client: Client,
}

pub fn tool(program: &str) -> Command {
    let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/synapse/bin");
    let path = tools.join(program);
    assert!(path.exists(), "this test needs Synapse: scripts/test installs it");
    Command::new(path)
}

impl Synapse {
    pub async fn start() -> Self {
        Self::with_rate(json!({ "per_second": 1000, "burst_count": 1000 })).await
    }

    /// `rate`: the limit of messages for each person.
    pub async fn with_rate(rate: Value) -> Self {
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
            "rc_message": rate,
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

    pub async fn run(&mut self) {
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

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Registers an account, and returns its client.
    pub async fn person(&self, user: &str) -> Person {
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

/// A proxy in front of a homeserver. Joins fail, as if a remote server did not answer. Other calls pass through.
pub struct FailingJoins {
    pub url: String,
    pub state: Arc<FailingState>,
}

pub struct FailingState {
    homeserver: String,
    client: Client,
    pub fails: watch::Sender<bool>,
    pub failed: watch::Sender<usize>,
}

impl FailingJoins {
    pub async fn before(synapse: &Synapse) -> Self {
        let state = Arc::new(FailingState {
            homeserver: synapse.url(),
            client: synapse.client.clone(),
            fails: watch::Sender::new(true),
            failed: watch::Sender::new(0),
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().fallback(hand_on).with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, state }
    }

    /// Waits until this number of joins have failed.
    pub async fn failed(&self, times: usize) {
        let mut failed = self.state.failed.subscribe();
        within(failed.wait_for(|failed| *failed >= times)).await.unwrap();
    }
}

async fn hand_on(State(state): State<Arc<FailingState>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if parts.uri.path().contains("/join/") && *state.fails.borrow() {
        state.failed.send_modify(|failed| *failed += 1);
        return StatusCode::BAD_GATEWAY.into_response();
    }
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let path = parts.uri.path_and_query().unwrap();
    let mut call = state.client.request(parts.method, format!("{}{path}", state.homeserver)).body(body);
    for name in ["authorization", "content-type"] {
        if let Some(value) = parts.headers.get(name) {
            call = call.header(name, value);
        }
    }
    let Ok(answer) = call.send().await else { return StatusCode::BAD_GATEWAY.into_response() };
    (answer.status(), answer.bytes().await.unwrap_or_default()).into_response()
}

impl Drop for Synapse {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A person's client.
pub struct Person {
    pub client: Client,
    pub base: String,
    pub token: String,
    pub since: Option<String>,
    pub sent: u32,
}

impl Person {
    pub async fn call(&self, method: Method, path: &str, body: Value) -> Value {
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

    pub async fn makes_room(&self, direct: bool) -> String {
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

    pub async fn sends(&mut self, room: &str, content: Value) -> String {
        self.sent += 1;
        let path = format!("/rooms/{room}/send/m.room.message/t{}", self.sent);
        self.call(Method::PUT, &path, content).await["event_id"].as_str().unwrap().to_owned()
    }

    pub async fn says(&mut self, room: &str, text: &str) -> String {
        self.sends(room, json!({ "msgtype": "m.text", "body": text })).await
    }

    /// The bot's next event that satisfies a condition.
    pub async fn until(&mut self, wished: impl Fn(&Value) -> bool) -> Value {
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

    pub async fn hears(&mut self, text: &str) -> Value {
        self.until(|event| event["content"]["body"] == text).await
    }
}
