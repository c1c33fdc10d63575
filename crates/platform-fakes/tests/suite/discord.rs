//! Discord's rules.

use std::time::Duration;

use greenroom_platform_fakes::{CallFault, Discord, EventFault, discord::intent};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::client::{Http, Socket};

const INTENTS: u64 =
    intent::GUILDS | intent::GUILD_MESSAGES | intent::DIRECT_MESSAGES | intent::MESSAGE_CONTENT;

fn http(fake: &Discord) -> Http {
    Http::new(format!("{}/api/v10", fake.url()), format!("Bot {}", fake.token()))
}

async fn hello(fake: &Discord) -> Socket {
    let mut socket =
        Socket::connect(&format!("{}/gateway?v=10&encoding=json", fake.url().replace("http", "ws"))).await;
    assert_eq!(socket.json().await["op"], 10);
    socket
}

async fn identify(fake: &Discord, intents: u64) -> (Socket, Value) {
    let mut socket = hello(fake).await;
    socket
        .send(json!({ "op": 2, "d": { "token": fake.token(), "intents": intents, "properties": {} } }))
        .await;
    let ready = socket.json().await;
    assert_eq!(ready["t"], "READY");
    assert_eq!(socket.json().await["t"], "GUILD_CREATE");
    (socket, ready["d"]["session_id"].clone())
}

async fn resume(fake: &Discord, session: &Value, seq: u64) -> Socket {
    let mut socket = hello(fake).await;
    socket.send(json!({ "op": 6, "d": { "token": fake.token(), "session_id": session, "seq": seq } })).await;
    socket
}

#[tokio::test]
async fn ad3_discord_replays_what_was_missed_in_order() {
    let fake = Discord::start().await.unwrap();
    let (stage, jo) = (fake.channel("stage"), fake.person("Jo"));
    let (mut socket, session) = identify(&fake, INTENTS).await;
    fake.say(stage, jo, "one");
    assert_eq!(socket.json().await["s"], 3);
    fake.kill().await;
    fake.say(stage, jo, "two");
    fake.say(stage, jo, "three");
    fake.restart().await.unwrap();

    let mut socket = resume(&fake, &session, 3).await;
    let told = [socket.json().await, socket.json().await, socket.json().await];
    assert_eq!([&told[0]["d"]["content"], &told[1]["d"]["content"]], ["two", "three"]);
    assert_eq!([&told[0]["s"], &told[1]["s"], &told[2]["s"]], [4, 5, 6]);
    assert_eq!(told[2]["t"], "RESUMED");
    assert_eq!(fake.resumes(), 1);
}

#[tokio::test]
async fn ad3_discord_ends_a_session_that_was_closed_with_1000() {
    let fake = Discord::start().await.unwrap();
    let (socket, session) = identify(&fake, INTENTS).await;
    socket.close(1000).await;
    fake.wait_for_disconnect().await;
    let mut socket = resume(&fake, &session, 2).await;
    assert_eq!(socket.json().await, json!({ "op": 9, "d": false }));
}

#[tokio::test]
async fn ad3_discord_refuses_tokens_intents_and_numbers() {
    let fake = Discord::start().await.unwrap();
    fake.allow_intents(0);
    for (token, intents, code) in
        [("wrong", 1, 4004), (fake.token().as_str(), INTENTS, 4014), (fake.token().as_str(), 1 << 40, 4013)]
    {
        let mut socket = hello(&fake).await;
        socket.send(json!({ "op": 2, "d": { "token": token, "intents": intents, "properties": {} } })).await;
        assert_eq!(socket.close_code().await, Some(code));
    }
    let mut socket = hello(&fake).await;
    socket.send(json!({ "op": 3, "d": {} })).await;
    assert_eq!(socket.close_code().await, Some(4003), "a frame before IDENTIFY");

    let (_socket, session) = identify(&fake, intent::GUILDS).await;
    let mut socket = resume(&fake, &session, 99).await;
    assert_eq!(socket.close_code().await, Some(4007), "a number that was never told");
}

#[tokio::test(start_paused = true)]
async fn ad3_discord_demands_heartbeats() {
    let fake = Discord::start().await.unwrap();
    let begin = Instant::now();
    let (mut socket, _) = identify(&fake, INTENTS).await;
    sleep(Duration::from_secs(41)).await;
    socket.send(json!({ "op": 1, "d": 2 })).await;
    assert_eq!(socket.json().await["op"], 11);
    assert_eq!(socket.close_code().await, Some(4009));
    assert!(begin.elapsed() > Duration::from_secs(100), "closed after {:?}", begin.elapsed());
}

#[tokio::test]
async fn ad3_discord_closes_after_120_frames() {
    let fake = Discord::start().await.unwrap();
    let (mut socket, _) = identify(&fake, INTENTS).await;
    for _ in 0..120 {
        socket.send(json!({ "op": 3, "d": {} })).await;
    }
    assert_eq!(socket.close_code().await, Some(4008));
}

#[tokio::test]
async fn ad3_discord_hides_content_without_the_intent() {
    let fake = Discord::start().await.unwrap();
    let (stage, jo) = (fake.channel("stage"), fake.person("Jo"));
    let (mut socket, _) = identify(&fake, INTENTS & !intent::MESSAGE_CONTENT).await;
    fake.say(stage, jo, "among people");
    fake.say(stage, jo, &format!("<@{}> hello", fake.bot()));
    fake.say(fake.direct(jo), jo, "between us");
    assert_eq!(socket.json().await["d"]["content"], "");
    assert_eq!(socket.json().await["d"]["content"], format!("<@{}> hello", fake.bot()));
    assert_eq!(socket.json().await["d"]["content"], "between us");
}

#[tokio::test]
async fn ad3_discord_repeats_and_swaps_events_on_order() {
    let fake = Discord::start().await.unwrap();
    let (stage, jo) = (fake.channel("stage"), fake.person("Jo"));
    let (mut socket, _) = identify(&fake, INTENTS).await;
    fake.faults().next_event(EventFault::Twice);
    fake.faults().next_event(EventFault::AfterNext);
    for text in ["a", "b", "c"] {
        fake.say(stage, jo, text);
    }
    let mut told = Vec::new();
    for _ in 0..4 {
        told.push(socket.json().await["d"]["content"].clone());
    }
    assert_eq!(told, ["a", "a", "c", "b"]);
}

#[tokio::test(start_paused = true)]
async fn ad3_discord_limits_the_messages_of_a_channel() {
    let fake = Discord::start().await.unwrap();
    let (stage, http) = (fake.channel("stage"), http(&fake));
    let path = format!("/channels/{stage}/messages");
    for left in (0..5).rev() {
        let response = http.try_call(Method::POST, &path, &json!({ "content": "x" })).await.unwrap();
        assert_eq!(response.headers()["x-ratelimit-remaining"], left.to_string());
    }
    let (status, body) = http.post(&path, json!({ "content": "x" })).await;
    assert_eq!((status, &body["global"]), (429, &json!(false)));
    sleep(Duration::from_secs_f64(body["retry_after"].as_f64().unwrap())).await;
    assert_eq!(http.post(&path, json!({ "content": "x" })).await.0, 200);
}

#[tokio::test]
async fn ad3_discord_knows_a_nonce_again_after_a_lost_answer() {
    let fake = Discord::start().await.unwrap();
    let (stage, http) = (fake.channel("stage"), http(&fake));
    let path = format!("/channels/{stage}/messages");
    let body = json!({ "content": "once", "nonce": "n1", "enforce_nonce": true });
    fake.faults().next_call("messages", CallFault::LoseAnswer);
    assert!(http.try_call(Method::POST, &path, &body).await.is_err());
    assert_eq!(fake.posts().len(), 1, "the call took effect");
    let (_, again) = http.post(&path, body).await;
    assert_eq!(again["id"], fake.posts()[0].id);
    assert_eq!(fake.posts().len(), 1);
    assert_eq!(http.post(&path, json!({ "content": "x", "nonce": "n".repeat(26) })).await.0, 400);
}

#[tokio::test]
async fn ad3_discord_refuses_long_and_empty_texts_foreign_messages_and_closed_channels() {
    let fake = Discord::start().await.unwrap();
    let (stage, jo, http) = (fake.channel("stage"), fake.person("Jo"), http(&fake));
    let path = format!("/channels/{stage}/messages");
    assert_eq!(http.post(&path, json!({ "content": "x".repeat(2001) })).await.1["code"], 50_035);
    assert_eq!(http.post(&path, json!({ "content": " " })).await.1["code"], 50_006);
    let theirs = fake.say(stage, jo, "mine");
    let (status, _) = http.call(Method::PATCH, &format!("{path}/{theirs}"), json!({ "content": "x" })).await;
    assert_eq!(status, 403);
    fake.forbid(stage);
    assert_eq!(http.post(&path, json!({ "content": "x" })).await.1["code"], 50_001);
    assert_eq!(http.post("/channels/7/messages", json!({ "content": "x" })).await.0, 404);
    let stranger = Http::new(format!("{}/api/v10", fake.url()), "Bot wrong".to_owned());
    assert_eq!(stranger.get("/users/@me").await.0, 401);
}

#[tokio::test]
async fn ad3_discord_notifies_only_whom_allowed_mentions_allows() {
    let fake = Discord::start().await.unwrap();
    let (stage, jo, http) = (fake.channel("stage"), fake.person("Jo"), http(&fake));
    let path = format!("/channels/{stage}/messages");
    let content = format!("@everyone <@{jo}>");
    http.post(&path, json!({ "content": content })).await;
    http.post(&path, json!({ "content": content, "allowed_mentions": { "parse": [] } })).await;
    let posts = fake.posts();
    assert_eq!(posts[0].notifies, [jo.to_string(), "everyone".to_owned()]);
    assert!(posts[1].notifies.is_empty());
}

#[tokio::test]
async fn ad3_discord_shows_a_webhooks_name_and_picture() {
    let fake = Discord::start().await.unwrap();
    let (stage, http) = (fake.channel("stage"), http(&fake));
    let (_, webhook) = http.post(&format!("/channels/{stage}/webhooks"), json!({ "name": "Troupe" })).await;
    let path =
        format!("/webhooks/{}/{}", webhook["id"].as_str().unwrap(), webhook["token"].as_str().unwrap());
    let body = json!({ "content": "hi", "username": "Ada", "avatar_url": "https://example.org/ada.png" });
    assert_eq!(http.post(&path, body.clone()).await.0, 204);
    assert_eq!(http.post(&format!("{path}?wait=true"), body).await.1["content"], "hi");
    assert_eq!(fake.posts()[0].face.name.as_deref(), Some("Ada"));
    assert_eq!(http.post(&path, json!({ "content": "hi", "username": "Clyde" })).await.0, 400);
}

#[tokio::test(start_paused = true)]
async fn ad3_discord_waits_three_seconds_for_an_interaction() {
    let fake = Discord::start().await.unwrap();
    let (stage, jo, http) = (fake.channel("stage"), fake.person("Jo"), http(&fake));
    let (mut socket, _) = identify(&fake, INTENTS).await;
    let mut use_command = async || {
        let id = fake.invoke(stage, jo, "why", None);
        let token = socket.json().await["d"]["token"].as_str().unwrap().to_owned();
        (id, format!("/interactions/{id}/{token}/callback"))
    };
    let answer = json!({ "type": 4, "data": { "content": "because", "flags": 64 } });
    let (id, path) = use_command().await;
    assert_eq!(http.post(&path, answer.clone()).await.0, 204);
    assert!(fake.wait_for_response(id).await.ephemeral);
    assert_eq!(http.post(&path, answer.clone()).await.1["code"], 40_060);
    let (_, path) = use_command().await;
    sleep(Duration::from_secs(3)).await;
    assert_eq!(http.post(&path, answer).await.1["code"], 10_062);
}
