//! Telegram's rules.

use std::time::Duration;

use greenroom_platform_fakes::{CallFault, Telegram};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::client::Http;

fn http(fake: &Telegram) -> Http {
    Http::new(format!("{}/bot{}", fake.url(), fake.token()), String::new())
}

async fn updates(http: &Http, offset: i64) -> Vec<Value> {
    let (status, body) = http.post("/getUpdates", json!({ "offset": offset, "timeout": 0 })).await;
    assert_eq!(status, 200, "{body}");
    body["result"].as_array().unwrap().clone()
}

#[tokio::test]
async fn ad3_telegram_forgets_an_update_only_when_a_greater_offset_is_asked_for() {
    let fake = Telegram::start().await.unwrap();
    let (jo, http) = (fake.person("Jo"), http(&fake));
    for text in ["one", "two"] {
        fake.say(jo, jo, text);
    }
    fake.faults().next_call("getUpdates", CallFault::LoseAnswer);
    assert!(http.try_call(Method::POST, "/getUpdates", &json!({})).await.is_err());
    fake.drop_connections().await.unwrap();
    let first = updates(&http, 0).await;
    assert_eq!(first.len(), 2, "a lost answer confirms nothing");
    let id = first[0]["update_id"].as_i64().unwrap();
    assert_eq!(updates(&http, id).await.len(), 2, "the offset itself is not confirmed");
    let rest = updates(&http, id + 1).await;
    assert_eq!(rest[0]["message"]["text"], "two");
    assert_eq!(updates(&http, 0).await.len(), 1, "what was confirmed does not come back");
}

#[tokio::test]
async fn ad3_telegram_lets_one_poller_wait() {
    let fake = Telegram::start().await.unwrap();
    let http = std::sync::Arc::new(http(&fake));
    let first = tokio::spawn({
        let http = http.clone();
        async move { http.post("/getUpdates", json!({ "timeout": 50 })).await }
    });
    fake.wait_for_poll().await;
    let second = tokio::spawn(async move { http.post("/getUpdates", json!({ "timeout": 50 })).await });
    let (status, body) = first.await.unwrap();
    assert_eq!(status, 409, "{body}");
    let jo = fake.person("Jo");
    fake.say(jo, jo, "hello");
    assert_eq!(second.await.unwrap().1["result"][0]["message"]["text"], "hello");
}

#[tokio::test(start_paused = true)]
async fn ad3_telegram_keeps_updates_for_a_day_and_polls_as_long_as_asked() {
    let fake = Telegram::start().await.unwrap();
    let (jo, http) = (fake.person("Jo"), http(&fake));
    fake.say(jo, jo, "hello");
    sleep(Duration::from_hours(25)).await;
    let begin = Instant::now();
    let (_, body) = http.post("/getUpdates", json!({ "timeout": 20 })).await;
    assert_eq!(body["result"], json!([]));
    assert!(begin.elapsed() >= Duration::from_secs(20));
}

#[tokio::test]
async fn ad3_telegram_measures_a_text_after_its_markup() {
    let fake = Telegram::start().await.unwrap();
    fake.limit_rates(false);
    let (jo, http) = (fake.person("Jo"), http(&fake));
    let send = async |text: String| {
        http.post("/sendMessage", json!({ "chat_id": jo, "text": text, "parse_mode": "HTML" })).await
    };
    assert_eq!(send(format!("<b>{}</b>", "x".repeat(4096))).await.0, 200);
    assert_eq!(send("x".repeat(4097)).await.1["description"], "Bad Request: message is too long");
    // two UTF-16 units each
    assert_eq!(send("😀".repeat(2049)).await.1["description"], "Bad Request: message is too long");
    assert_eq!(send("<b> </b>".to_owned()).await.1["description"], "Bad Request: message text is empty");
    assert!(
        send("1 < 2".to_owned()).await.1["description"].as_str().unwrap().contains("can't parse entities")
    );
}

#[tokio::test(start_paused = true)]
async fn ad3_telegram_limits_a_chat_and_a_group() {
    let fake = Telegram::start().await.unwrap();
    let (group, http) = (fake.group("Stage"), http(&fake));
    let send = async || http.post("/sendMessage", json!({ "chat_id": group, "text": "x" })).await;
    assert_eq!(send().await.0, 200);
    let (status, body) = send().await;
    assert_eq!((status, &body["parameters"]["retry_after"]), (429, &json!(1)));
    for _ in 0..19 {
        sleep(Duration::from_secs(1)).await;
        assert_eq!(send().await.0, 200);
    }
    sleep(Duration::from_secs(1)).await;
    let (status, body) = send().await;
    assert_eq!(status, 429);
    assert!(body["parameters"]["retry_after"].as_u64().unwrap() > 30, "{body}");
}

#[tokio::test]
async fn ad3_telegram_tells_a_private_bot_only_what_is_meant_for_it() {
    let fake = Telegram::start().await.unwrap();
    fake.set_privacy(true);
    let (group, jo, http) = (fake.group("Stage"), fake.person("Jo"), http(&fake));
    let (_, sent) = http.post("/sendMessage", json!({ "chat_id": group, "text": "hello" })).await;
    fake.say(group, jo, "among people");
    fake.say(group, jo, "@troupe_bot hi");
    fake.say(group, jo, "/who");
    fake.say(group, jo, "/who@other_bot");
    fake.reply(group, jo, "and you", sent["result"]["message_id"].as_i64().unwrap());
    let texts: Vec<_> = updates(&http, 0).await.iter().map(|u| u["message"]["text"].clone()).collect();
    assert_eq!(texts, ["@troupe_bot hi", "/who", "and you"]);
}

#[tokio::test]
async fn ad3_telegram_refuses_unknown_chats_blocks_topics_and_edits() {
    let fake = Telegram::start().await.unwrap();
    let (group, jo, http) = (fake.group("Stage"), fake.person("Jo"), http(&fake));
    let refusal = async |method: &str, body: Value| {
        let (status, body) = http.post(&format!("/{method}"), body).await;
        (status, body["description"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(refusal("sendMessage", json!({ "chat_id": 1, "text": "x" })).await.0, 400);
    let in_topic = json!({ "chat_id": group, "text": "x", "message_thread_id": 5 });
    assert_eq!(refusal("sendMessage", in_topic).await.1, "Bad Request: message thread not found");
    let theirs = fake.say(group, jo, "mine");
    let edit = json!({ "chat_id": group, "message_id": theirs, "text": "x" });
    assert_eq!(refusal("editMessageText", edit).await.1, "Bad Request: message can't be edited");
    fake.close(jo);
    assert_eq!(refusal("sendMessage", json!({ "chat_id": jo, "text": "x" })).await.0, 403);
    let to = fake.migrate(group);
    let (_, body) = http.post("/sendMessage", json!({ "chat_id": group, "text": "x" })).await;
    assert_eq!(body["parameters"]["migrate_to_chat_id"], to);
}

/// A fake that was run by hand ended after half a minute without a message of the bot.
#[tokio::test(start_paused = true)]
async fn ad3_a_fake_that_a_person_runs_waits_for_the_bot_as_long_as_it_takes() {
    let fake = Telegram::start().await.unwrap();
    let hours = std::time::Duration::from_secs(7200);
    assert!(tokio::time::timeout(hours, fake.posts_when(1)).await.is_err());
    assert_eq!(fake.posts_when(0).await.len(), 0);
}
