//! Personas on Synapse.

use std::{sync::Arc, time::Duration};

use greenroom_adapters::{Account, AccountState, Adapter};
use greenroom_core::Platform;
use greenroom_persona::AccountSettings;
use greenroom_store::AccountStore;
use reqwest::Method;
use serde_json::json;

use crate::{
    house::{House, name, within},
    servers::matrix::{FailingJoins, Person, Synapse},
};

fn adapter(settings: &AccountSettings, token: &str) -> Arc<dyn Adapter> {
    let mut account = Account::read(settings).unwrap();
    account.token = Some(greenroom_persona::Secret::new(token));
    account.adapter().unwrap()
}

pub async fn house(synapse: &Synapse, bot: &Person) -> (House, AccountSettings) {
    house_in(synapse, bot, &[]).await
}

async fn house_in(synapse: &Synapse, bot: &Person, channels: &[&str]) -> (House, AccountSettings) {
    house_at(synapse.url(), bot, channels).await
}

async fn house_at(server: String, bot: &Person, channels: &[&str]) -> (House, AccountSettings) {
    let settings = AccountSettings {
        channels: channels.iter().map(ToString::to_string).collect(),
        name: "matrix".into(),
        platform: Platform::Matrix,
        server: Some(server),
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

/// Regression: `connect` accepted a `--user` that is not the account of the token.
#[tokio::test]
async fn ad5_a_token_of_another_account_is_found_on_synapse() {
    let synapse = Synapse::start().await;
    let bot = synapse.person("bot").await;
    let (_house, settings) = house(&synapse, &bot).await;
    for (user, is_right) in
        [("@bot:test", true), ("bot", true), ("@ann:test", false), ("@bot:elsewhere", false)]
    {
        let settings = AccountSettings { user: Some(user.into()), ..settings.clone() };
        let found = adapter(&settings, &bot.token).check().await;
        assert_eq!(found.iter().all(|finding| finding.passed), is_right, "{user}: {found:?}");
    }
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
    // an edited message gets a new answer, and the old reply is redacted
    let wrong = ann.says(&room, "Say: tee").await;
    ann.hears("tee").await;
    let edit = json!({ "msgtype": "m.text", "body": "* Say: tea", "m.new_content": { "msgtype": "m.text", "body": "Say: tea" },
        "m.relates_to": { "rel_type": "m.replace", "event_id": wrong } });
    ann.sends(&room, edit).await;
    ann.until(|event| event["type"] == "m.room.redaction").await;
    ann.says(&room, "!who").await;
    ann.until(|event| event["content"]["msgtype"] == "m.notice").await;
}

/// Regression (openclaw#56610, #52577, #51116, NemoClaw#3582; #739): messages sent while the account was offline were
/// lost, or answered twice.
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
    // more messages than a sync timeline contains
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
    // the homeserver dies as well
    synapse.kill();
    synapse.run().await;
    ann.says(&room, "Say: after").await;
    ann.hears("after").await;
    house.until_open(|open| open.is_empty()).await;
}

/// Regression (openclaw#123354, zeroclaw#5144): messages that could not be decrypted were dropped silently.
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
    // an unencrypted message is answered, and the notice came once
    ann.says(&room, "Say: in the clear").await;
    let next = ann.until(|event| event["content"]["body"].is_string()).await;
    assert_eq!(next["content"]["body"], "in the clear");
    house.until_open(|open| open.is_empty()).await;
}

/// An edit and a redaction contain only the id of the message. The adapter finds its thread in the store, also after a
/// restart.
#[tokio::test]
async fn ad1_a_message_of_a_thread_is_edited_and_redacted_after_a_restart_on_synapse() {
    let synapse = Synapse::start().await;
    let (bot, mut ann) = (synapse.person("bot").await, synapse.person("ann").await);
    let (mut house, settings) = house(&synapse, &bot).await;
    let room = ann.makes_room(true).await;
    let asked = ann.says(&room, "Say: root").await;
    ann.hears("root").await;
    let threaded = json!({ "msgtype": "m.text", "body": "Say: tee",
        "m.relates_to": { "rel_type": "m.thread", "event_id": asked } });
    let wrong = ann.sends(&room, threaded).await;
    let old_reply = ann.hears("tee").await;
    house.until_open(|open| open.is_empty()).await;
    house = house.killed(adapter(&settings, &bot.token)).await;
    online(&house).await;
    let edit = json!({ "msgtype": "m.text", "body": "* Say: tea", "m.new_content": { "msgtype": "m.text", "body": "Say: tea" },
        "m.relates_to": { "rel_type": "m.replace", "event_id": wrong } });
    ann.sends(&room, edit).await;
    let is_redaction = |event: &serde_json::Value| event["type"] == "m.room.redaction";
    let told = std::cell::RefCell::new(Vec::new());
    ann.until(|event| {
        told.borrow_mut().push(event.clone());
        let told = told.borrow();
        told.iter().any(is_redaction) && told.iter().any(|event| event["content"]["body"] == "tea")
    })
    .await;
    let told = told.into_inner();
    let redaction = told.iter().find(|event| is_redaction(event)).unwrap();
    assert!(redaction.to_string().contains(old_reply["event_id"].as_str().unwrap()), "{redaction}");
    let answer = told.iter().find(|event| event["content"]["body"] == "tea").unwrap();
    assert_eq!(answer["content"]["m.relates_to"]["event_id"], asked.as_str(), "in the thread");
    house.until_open(|open| open.is_empty()).await;
    house = house.killed(adapter(&settings, &bot.token)).await;
    online(&house).await;
    let path = format!("/rooms/{room}/redact/{wrong}/gone");
    ann.call(Method::PUT, &path, json!({})).await;
    ann.until(is_redaction).await;
    let thread = greenroom_adapters::Place::thread(room.as_str(), asked).key(Platform::Matrix).unwrap();
    let left = greenroom_store::HistoryStore::history(&*house.store, &thread, None, 9).await.unwrap();
    assert!(left.is_empty(), "{left:?}");
}

/// A reply with more parts than the homeserver accepts at once.
#[tokio::test]
async fn ad3_a_homeserver_that_asks_to_wait_is_obeyed_on_synapse() {
    let synapse = Synapse::with_rate(json!({ "per_second": 1, "burst_count": 2 })).await;
    let (bot, mut ann) = (synapse.person("bot").await, synapse.person("ann").await);
    let (house, _) = house(&synapse, &bot).await;
    let room = ann.makes_room(true).await;
    let words: String = (0..8_000).map(|n| format!("w{n} ")).collect();
    ann.says(&room, &format!("Say: {words}")).await;
    let parts = std::cell::RefCell::new(String::new());
    ann.until(|event| {
        let text = event["content"]["body"].as_str().unwrap_or_default();
        parts.borrow_mut().push_str(&format!("{text} "));
        text.ends_with("w7999")
    })
    .await;
    let (parts, words) = (parts.into_inner(), words);
    assert!(parts.split_whitespace().eq(words.split_whitespace()), "all of it, once, in order");
    house.until_open(|open| open.is_empty()).await;
}

/// Regression: `connect` did not check the configured rooms, and `accounts` did not show rooms that could not be
/// joined.
#[tokio::test]
async fn ad5_a_room_that_is_not_there_or_for_others_is_found_and_joined_when_it_may_be_on_synapse() {
    let synapse = Synapse::start().await;
    let (bot, ann) = (synapse.person("bot").await, synapse.person("ann").await);
    let room = async |alias: &str, preset: &str| {
        let body = json!({ "preset": preset, "room_alias_name": alias, "name": alias });
        ann.call(Method::POST, "/createRoom", body).await["room_id"].as_str().unwrap().to_owned()
    };
    let (_, closed, banned) = (
        room("tea", "public_chat").await,
        room("closed", "private_chat").await,
        room("banned", "public_chat").await,
    );
    let bot_user = json!({ "user_id": "@bot:test" });
    ann.call(Method::POST, &format!("/rooms/{banned}/ban"), bot_user.clone()).await;
    let names = ["#tea:test", "#closed:test", "#banned:test", "#nowhere:test"];
    let (_, plain) = house_in(&synapse, &bot, &[]).await;
    let settings = AccountSettings { channels: names.map(str::to_owned).to_vec(), ..plain };
    let found = adapter(&settings, &bot.token).check().await;
    let is_ok =
        |name: &str| found.iter().find(|finding| finding.text.contains(name)).map(|finding| finding.passed);
    assert_eq!(names.map(is_ok), [Some(true), Some(false), Some(false), Some(false)], "{found:?}");
    let (house, _) = house_in(&synapse, &bot, &names).await;
    let refused = async || {
        let refused = house.accounts.status().await.unwrap().remove(0).refused;
        refused.into_iter().map(|channel| channel.channel).collect::<Vec<_>>()
    };
    within(async {
        while refused().await != ["#banned:test", "#closed:test", "#nowhere:test"] {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    // an invitation to a room that the settings name by its alias
    ann.call(Method::POST, &format!("/rooms/{closed}/invite"), bot_user).await;
    within(async {
        while refused().await.iter().any(|channel| channel == "#closed:test") {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let joined = ann.call(Method::GET, &format!("/rooms/{closed}/joined_members"), json!(null)).await;
    assert!(joined["joined"].get("@bot:test").is_some(), "{joined}");
}

/// Regression: if the join after an invitation failed once, the account never tried again.
#[tokio::test]
async fn ad2_an_invitation_whose_join_fails_is_followed_later_also_by_the_next_process_on_synapse() {
    let synapse = Synapse::start().await;
    let (bot, ann) = (synapse.person("bot").await, synapse.person("ann").await);
    let joins = FailingJoins::before(&synapse).await;
    let (mut house, settings) = house_at(joins.url.clone(), &bot, &[]).await;
    let invite = async || {
        let body = json!({ "preset": "private_chat", "invite": ["@bot:test"] });
        ann.call(Method::POST, "/createRoom", body).await["room_id"].as_str().unwrap().to_owned()
    };
    let joined = async |room: &str| {
        let path = format!("/rooms/{room}/joined_members");
        within(async {
            while ann.call(Method::GET, &path, json!(null)).await["joined"].get("@bot:test").is_none() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        })
        .await;
    };
    let room = invite().await;
    joins.failed(1).await;
    let refused = async |wished: bool| {
        within(async {
            while house.accounts.status().await.unwrap()[0].refused.iter().any(|one| one.channel == room)
                != wished
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    };
    refused(true).await;
    joins.state.fails.send_replace(false);
    joined(&room).await;
    refused(false).await;

    let synced = async |house: &House| house.store.cursor("matrix", "next_batch").await.unwrap();
    joins.state.fails.send_replace(true);
    let (before, failed) = (synced(&house).await, *joins.state.failed.borrow());
    let room = invite().await;
    joins.failed(failed + 1).await;
    within(async {
        while synced(&house).await == before {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    // the homeserver does not repeat this invitation to the next process
    house.accounts.kill().await;
    joins.state.fails.send_replace(false);
    house = house.killed(adapter(&settings, &bot.token)).await;
    joined(&room).await;
    drop(house);
}

/// Regression: an account that was invited to a room read the messages from before, and answered the newest one.
#[tokio::test]
async fn gr2_what_was_said_before_the_account_came_is_not_heard_on_synapse() {
    let synapse = Synapse::start().await;
    let (bot, mut ann) = (synapse.person("bot").await, synapse.person("ann").await);
    let (house, _) = house(&synapse, &bot).await;
    let body = json!({ "preset": "private_chat" });
    let room = ann.call(Method::POST, "/createRoom", body).await["room_id"].as_str().unwrap().to_owned();
    ann.says(&room, "ada: Say: before").await;
    ann.call(Method::POST, &format!("/rooms/{room}/invite"), json!({ "user_id": "@bot:test" })).await;
    within(async {
        let path = format!("/rooms/{room}/joined_members");
        while ann.call(Method::GET, &path, json!(null)).await["joined"].get("@bot:test").is_none() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    ann.says(&room, "ada: Say: after").await;
    ann.hears("after").await;
    let key = greenroom_adapters::Place::chat(room.as_str()).key(Platform::Matrix).unwrap();
    let heard = greenroom_store::HistoryStore::history(&*house.store, &key, None, 100).await.unwrap();
    let heard: Vec<_> = heard.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(heard, ["ada: Say: after", "after"]);
}

/// Clients send the first message of a direct chat right after the invitation. Regression: that message was lost.
#[tokio::test]
async fn ad7_what_is_said_between_the_invitation_and_the_join_is_answered_on_synapse() {
    let synapse = Synapse::start().await;
    let (bot, mut ann) = (synapse.person("bot").await, synapse.person("ann").await);
    let joins = FailingJoins::before(&synapse).await;
    let (house, _) = house_at(joins.url.clone(), &bot, &[]).await;
    joins.state.fails.send_replace(true);
    let body = json!({ "preset": "private_chat" });
    let room = ann.call(Method::POST, "/createRoom", body).await["room_id"].as_str().unwrap().to_owned();
    ann.says(&room, "ada: Say: before").await;
    ann.call(Method::POST, &format!("/rooms/{room}/invite"), json!({ "user_id": "@bot:test" })).await;
    ann.says(&room, "ada: Say: at once").await;
    // the invitation is older than the fifty events of a sync timeline
    for n in 0..60 {
        ann.sends(&room, json!({ "msgtype": "m.notice", "body": format!("beep {n}") })).await;
    }
    joins.failed(1).await;
    joins.state.fails.send_replace(false);
    ann.hears("at once").await;
    let key = greenroom_adapters::Place::chat(room.as_str()).key(Platform::Matrix).unwrap();
    let heard = greenroom_store::HistoryStore::history(&*house.store, &key, None, 100).await.unwrap();
    assert_eq!(heard[0].text, "ada: Say: at once");
    assert_eq!(heard.iter().filter(|said| said.text == "at once").count(), 1);
}
