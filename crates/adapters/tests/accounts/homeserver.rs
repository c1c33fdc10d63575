//! A scripted homeserver: the test supplies the answer to each call. It covers cases that Synapse never produces.

use std::sync::{Arc, Mutex};

use axum::{Router, body::Body, extract::Request, response::Response};
use greenroom_adapters::{Account, Adapter, ConnectionState, Ended, Face, Inlet, testing::Recorder};
use greenroom_core::Platform;
use greenroom_persona::{AccountSettings, Secret};
use serde_json::{Value, json};

use crate::house::{name, within};

/// Returns status and body for a call, given its method and its path without version and query. `None`: the call is
/// never answered.
type Answer = dyn Fn(&str, &str) -> Option<(u16, String)> + Send + Sync;

/// The adapter, connected to a scripted homeserver that records its requests as method and path with query.
struct Homeserver {
    adapter: Arc<dyn Adapter>,
    recorder: Arc<Recorder>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Homeserver {
    async fn start(answer: impl Fn(&str, &str) -> Option<(u16, String)> + Send + Sync + 'static) -> Self {
        greenroom_models::install_tls();
        let (answer, asked): (Arc<Answer>, Arc<Mutex<Vec<String>>>) = (Arc::new(answer), Arc::default());
        let notes = asked.clone();
        let app = Router::new().fallback(move |request: Request| {
            let path = request.uri().path().trim_start_matches("/_matrix/client/v3").to_owned();
            let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
            notes.lock().unwrap().push(format!("{} {path}{query}", request.method()));
            let answer = answer(request.method().as_str(), &path);
            async move {
                let Some((status, body)) = answer else { return std::future::pending().await };
                Response::builder().status(status).body(Body::from(body)).unwrap()
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let settings = AccountSettings {
            name: "matrix".into(),
            platform: Platform::Matrix,
            server: Some(format!("http://{}", listener.local_addr().unwrap())),
            tls: false,
            ..AccountSettings::default()
        };
        tokio::spawn(async move { axum::serve(listener, app).await });
        let account = Account { settings, token: Some(Secret::new("secret")), app_token: None };
        let recorder = Recorder::new(vec![Face { persona: name("ada"), name: "Ada".into() }]);
        Self { adapter: account.adapter().unwrap(), recorder: Arc::new(recorder), asked }
    }

    /// Runs the account until its connection ends.
    async fn ended(&self) -> Ended {
        within(self.adapter.run(&*self.recorder)).await
    }

    /// Runs the account until a condition holds.
    async fn run_until(&self, condition: impl Fn(&Recorder) -> bool) {
        within(async {
            tokio::select! {
                ended = self.adapter.run(&*self.recorder) => panic!("{ended:?}"),
                () = self.recorder.until(condition) => {}
            }
        })
        .await;
    }

    fn asked(&self, what: &str) -> Vec<String> {
        self.asked.lock().unwrap().iter().filter(|asked| asked.contains(what)).cloned().collect()
    }
}

fn json_of(value: &Value) -> Option<(u16, String)> {
    Some((200, value.to_string()))
}

fn whoami() -> Option<(u16, String)> {
    json_of(&json!({ "user_id": "@bot:test" }))
}

/// Regression: a proxy that answered in place of the homeserver cleared the account's sync position. The account then
/// asked without a pause.
#[tokio::test]
async fn ad7_an_answer_that_is_none_of_a_homeserver_leaves_the_position_and_ends_the_connection() {
    for page in ["<html>maintenance</html>", "[]", "{}", r#"{"next_batch": ""}"#] {
        let homeserver = Homeserver::start(move |_, path| match path {
            "/account/whoami" => whoami(),
            _ => Some((200, page.to_owned())),
        });
        let homeserver = homeserver.await;
        homeserver.recorder.keep_cursor("next_batch", "s1").await.unwrap();
        let ended = homeserver.ended().await;
        assert!(
            matches!(&ended, Ended::Broken(why) if why.contains("/sync") && why.contains("`server`")),
            "{ended:?}"
        );
        assert_eq!(homeserver.recorder.kept("next_batch").as_deref(), Some("s1"));
        assert_eq!(homeserver.asked("/sync").len(), 1);
    }
    let homeserver = Homeserver::start(|_, _| Some((200, "<html>".to_owned()))).await;
    let ended = homeserver.ended().await;
    assert!(matches!(&ended, Ended::Broken(why) if why.contains("/account/whoami")), "{ended:?}");
    assert!(!homeserver.adapter.check().await[0].passed);
}

/// Earlier versions stored an empty position. It counts as no position.
#[tokio::test]
async fn ad7_an_empty_position_of_an_earlier_version_is_none() {
    let homeserver = Homeserver::start(|_, path| match path {
        "/account/whoami" => whoami(),
        _ => json_of(&json!({ "next_batch": "s1" })),
    });
    let homeserver = homeserver.await;
    homeserver.recorder.keep_cursor("next_batch", "").await.unwrap();
    homeserver
        .run_until(|recorder| {
            recorder.reports().contains(&ConnectionState::Online { as_user: "@bot:test".into() })
        })
        .await;
    assert!(!homeserver.asked("/sync")[0].contains("since="), "{:?}", homeserver.asked("/sync"));
}

/// A sync with an encrypted message in `!den`.
fn encrypted() -> Value {
    let event = json!({ "type": "m.room.encrypted", "sender": "@ann:test", "event_id": "$1", "content": {} });
    json!({ "next_batch": "s1", "rooms": { "join": { "!den:test": { "timeline": { "events": [event] } } } } })
}

/// Regression: the account posted its notice for each encrypted message, and again after a restart.
#[tokio::test]
async fn ad2_a_room_is_told_once_that_it_is_encrypted_also_over_restarts() {
    // the first notice fails
    let failures = Mutex::new(1);
    let homeserver = Homeserver::start(move |method, path| match (method, path) {
        (_, "/account/whoami") => whoami(),
        (_, "/sync") => json_of(&encrypted()),
        ("PUT", _) if std::mem::take(&mut *failures.lock().unwrap()) == 1 => Some((500, "{}".into())),
        ("PUT", _) => json_of(&json!({ "event_id": "$told" })),
        _ => json_of(&json!({ "joined": {} })),
    });
    let homeserver = homeserver.await;
    for _ in 0..2 {
        let from = homeserver.asked("/sync").len();
        homeserver.run_until(|_| homeserver.asked("/sync").len() > from + 3).await;
        let told = homeserver.asked("PUT");
        assert_eq!(told.len(), 2, "one that failed, and one that was sent: {told:?}");
    }
}

/// Regression: if the store could not be read, the pending invitations counted as none, and the next invitation
/// overwrote them.
#[tokio::test]
async fn ad2_invitations_that_cannot_be_read_are_not_overwritten() {
    let homeserver = Homeserver::start(|_, path| match path {
        "/account/whoami" => whoami(),
        "/sync" => json_of(&json!({ "next_batch": "s1", "rooms": { "invite": { "!new:test": {} } } })),
        _ => Some((502, String::new())),
    });
    let homeserver = homeserver.await;
    homeserver.recorder.keep_cursor("invitations", r#"["!old:test"]"#).await.unwrap();
    homeserver.recorder.fail_cursor("invitations");
    let ended = homeserver.ended().await;
    assert!(matches!(&ended, Ended::Broken(why) if why.contains("full")), "{ended:?}");
    assert!(homeserver.asked("/sync").is_empty(), "the connection is made again first");
    // the store can be read from here on
    let both = |kept: String| kept.contains("!old:test") && kept.contains("!new:test");
    homeserver.run_until(|recorder| recorder.kept("invitations").is_some_and(both)).await;
}
