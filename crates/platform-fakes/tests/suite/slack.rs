//! Slack's rules.

use std::time::Duration;

use axum::{Router, extract::State, http::HeaderMap, http::StatusCode, routing::post};
use greenroom_platform_fakes::Slack;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::mpsc, time::sleep};

use crate::client::{Frame, Http, Socket};

fn http(fake: &Slack) -> Http {
    Http::new(format!("{}/api", fake.url()), format!("Bearer {}", fake.bot_token()))
}

async fn address(fake: &Slack) -> String {
    let app = Http::new(format!("{}/api", fake.url()), format!("Bearer {}", fake.app_token()));
    let (_, body) = app.post("/apps.connections.open", json!({})).await;
    body["url"].as_str().unwrap().to_owned()
}

async fn connect(fake: &Slack) -> Socket {
    let mut socket = Socket::connect(&address(fake).await).await;
    assert_eq!(socket.json().await["type"], "hello");
    socket
}

#[tokio::test(start_paused = true)]
async fn ad3_slack_repeats_what_is_not_acknowledged_and_then_gives_it_up() {
    let fake = Slack::start().await.unwrap();
    let (stage, jo) = (fake.channel("stage"), fake.person("Jo"));
    let mut socket = connect(&fake).await;
    fake.say(&stage, &jo, "hello");
    let mut attempts = Vec::new();
    let begin = tokio::time::Instant::now();
    for _ in 0..4 {
        let frame = socket.json().await;
        assert_eq!(frame["payload"]["event"]["text"], "hello");
        attempts.push((frame["retry_attempt"].as_u64().unwrap(), begin.elapsed().as_secs()));
    }
    assert_eq!(attempts, [(0, 0), (1, 3), (2, 66), (3, 369)]);
    fake.wait_for_acknowledgements().await;
    assert_eq!((fake.acknowledged(), fake.lost()), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn ad3_slack_is_content_with_one_acknowledgement() {
    let fake = Slack::start().await.unwrap();
    let (stage, jo) = (fake.channel("stage"), fake.person("Jo"));
    let mut socket = connect(&fake).await;
    fake.say(&stage, &jo, "hello");
    let frame = socket.json().await;
    socket.send(json!({ "envelope_id": frame["envelope_id"] })).await;
    fake.wait_for_acknowledgements().await;
    sleep(Duration::from_secs(600)).await;
    fake.say(&stage, &jo, "again");
    assert_eq!(socket.json().await["payload"]["event"]["text"], "again");
}

#[tokio::test]
async fn ad3_slack_accepts_a_ticket_once_and_replaces_connections() {
    let fake = Slack::start().await.unwrap();
    let url = address(&fake).await;
    let mut socket = Socket::connect(&url).await;
    assert_eq!(socket.json().await["type"], "hello");
    assert!(tokio_tungstenite::connect_async(&url).await.is_err());
    fake.refresh();
    assert_eq!(socket.json().await["type"], "disconnect");
    assert!(matches!(socket.next().await, Frame::End(_)));
}

#[tokio::test(start_paused = true)]
async fn ad3_slack_limits_a_channel_and_cuts_texts_off() {
    let fake = Slack::start().await.unwrap();
    let (stage, http) = (fake.channel("stage"), http(&fake));
    let long = json!({ "channel": stage, "text": "x".repeat(40_001) });
    assert_eq!(http.post("/chat.postMessage", long.clone()).await.1["ok"], true);
    assert_eq!(fake.posts()[0].text.len(), 40_000);
    let response = http.try_call(reqwest::Method::POST, "/chat.postMessage", &long).await.unwrap();
    assert_eq!(
        (response.status().as_u16(), &response.headers()["retry-after"]),
        (429, &"1".parse().unwrap())
    );
    sleep(Duration::from_secs(1)).await;
    assert_eq!(http.post("/chat.postMessage", long).await.1["ok"], true);
}

#[tokio::test]
async fn ad3_slack_refuses_by_its_words() {
    let fake = Slack::start().await.unwrap();
    fake.limit_rates(false);
    let (stage, jo, http) = (fake.channel("stage"), fake.person("Jo"), http(&fake));
    let error =
        async |method: &str, body: Value| http.post(&format!("/{method}"), body).await.1["error"].clone();
    assert_eq!(error("chat.postMessage", json!({ "channel": stage, "text": "" })).await, "no_text");
    assert_eq!(error("chat.postMessage", json!({ "channel": "C9", "text": "x" })).await, "channel_not_found");
    let theirs = fake.say(&stage, &jo, "mine");
    let edit = json!({ "channel": stage, "ts": theirs, "text": "x" });
    assert_eq!(error("chat.update", edit).await, "cant_update_message");
    fake.remove_scope("chat:write.customize");
    let named = json!({ "channel": stage, "text": "x", "username": "Ada" });
    assert_eq!(error("chat.postMessage", named).await, "missing_scope");
    fake.remove_bot(&stage);
    assert_eq!(error("chat.postMessage", json!({ "channel": stage, "text": "x" })).await, "not_in_channel");
    let stranger = Http::new(format!("{}/api", fake.url()), "Bearer xoxb-wrong".to_owned());
    assert_eq!(stranger.post("/auth.test", json!({})).await.1["error"], "invalid_auth");
}

#[tokio::test]
async fn ad3_slack_reads_a_channel_from_a_time_on() {
    let fake = Slack::start().await.unwrap();
    let (stage, jo, http) = (fake.channel("stage"), fake.person("Jo"), http(&fake));
    let times: Vec<String> = ["a", "b", "c"].map(|text| fake.say(&stage, &jo, text)).to_vec();
    fake.say_in(&stage, &times[0], &jo, "in the thread");
    let (_, body) =
        http.post("/conversations.history", json!({ "channel": stage, "oldest": times[0] })).await;
    assert_eq!([&body["messages"][0]["text"], &body["messages"][1]["text"]], ["c", "b"]);
    assert_eq!(body["messages"].as_array().unwrap().len(), 2);
    let (_, body) = http.post("/conversations.replies", json!({ "channel": stage, "ts": times[0] })).await;
    assert_eq!([&body["messages"][0]["text"], &body["messages"][1]["text"]], ["a", "in the thread"]);
}

#[tokio::test]
async fn ad3_slack_signs_events_and_repeats_them_with_a_number() {
    let fake = Slack::start().await.unwrap();
    let (stage, jo) = (fake.channel("stage"), fake.person("Jo"));
    let (sender, mut received) = mpsc::channel::<(HeaderMap, String)>(8);
    let answer =
        async |State(sender): State<mpsc::Sender<(HeaderMap, String)>>, headers: HeaderMap, body: String| {
            let retried = headers.contains_key("x-slack-retry-num");
            sender.send((headers, body)).await.unwrap();
            if retried { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR }
        };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    fake.send_events_to(&format!("http://{}/events", listener.local_addr().unwrap()));
    let router = Router::new().route("/events", post(answer)).with_state(sender);
    tokio::spawn(async move { axum::serve(listener, router).await });
    fake.say(&stage, &jo, "hello");
    let (first, body) = received.recv().await.unwrap();
    let (again, same) = received.recv().await.unwrap();
    assert_eq!(body, same);
    assert!(first["x-slack-signature"].to_str().unwrap().starts_with("v0="));
    assert_eq!(again["x-slack-retry-num"], "1");
    fake.wait_for_acknowledgements().await;
}
