//! Personas on Prosody, with people at slixmpp.

use std::{sync::Arc, time::Duration};

use greenroom_adapters::{Account, AccountState, Place};
use greenroom_core::Platform;
use greenroom_persona::{AccountSettings, FaceSetting, Secret};
use greenroom_store::HistoryStore;
use serde_json::json;

use crate::{
    house::{House, within},
    prosody::{adapter, house, online, until_state, until_state_of},
    servers::prosody::{Kind, Prosody, TEA},
};

/// The texts of people's messages in a chat.
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

/// Personas answer in a room and in private, each with its own nick.
async fn talk(kind: Kind) {
    let server = Prosody::start(kind).await;
    let house = house(server.settings()).await;
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

/// Each persona has a connection of its own; the first one that is in the room hands its messages in.
async fn first_is_kicked(kind: Kind) {
    let server = Prosody::start(kind).await;
    let mut ann = server.person("ann").await;
    // ann makes the room
    ann.enters("ann").await;
    let house = house(server.settings()).await;
    for (persona, word) in [("Ada", "one"), ("Vesper", "two")] {
        ann.says(TEA, &format!("{persona}: Say: {word}")).await;
        ann.hears(word).await;
    }
    ann.kicks("Ada").await;
    for word in ["three", "four"] {
        ann.says(TEA, &format!("Vesper: Say: {word}")).await;
        ann.hears(word).await;
    }
    let said = ["Ada: Say: one", "Vesper: Say: two", "Vesper: Say: three", "Vesper: Say: four"];
    until_people_said(&house, TEA, &said.map(str::to_owned)).await;
}

#[tokio::test]
async fn ad3_a_room_is_read_although_the_first_persona_is_kicked_on_prosody() {
    first_is_kicked(Kind::Rich).await;
}

#[tokio::test]
async fn ad3_a_room_is_read_although_the_first_persona_is_kicked_without_archives() {
    first_is_kicked(Kind::Poor).await;
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
async fn ad2_a_room_that_the_account_makes_is_open_to_others_on_prosody() {
    let server = Prosody::locking().await;
    let settings = AccountSettings { personas: vec!["ada".parse().unwrap()], ..server.settings() };
    let house = house(settings).await;
    let mut ann = server.person("ann").await;
    ann.enters("ann").await;
    ann.says(TEA, "Ada: Say: welcome").await;
    ann.hears("welcome").await;
    house.until_open(|open| open.is_empty()).await;
}

/// A room that is not persistent ends with its server. The recreated room gives the same people other ids.
#[tokio::test]
async fn ad6_who_lists_people_once_where_a_room_was_made_again_on_prosody() {
    let mut server = Prosody::hiding().await;
    let mut ann = server.person("ann").await;
    // ann creates the room
    ann.enters("ann").await;
    let house = house(server.settings()).await;
    for round in 0..3 {
        ann.says(TEA, &format!("Ada: Say: {round}")).await;
        ann.hears(&round.to_string()).await;
        ann.says(TEA, "!who").await;
        let told =
            ann.next(|told| told["body"].as_str().is_some_and(|body| body.contains("Personas:"))).await;
        assert_eq!(told["body"].as_str().unwrap().lines().last(), Some("People: ann"), "round {round}");
        house.until_open(|open| open.is_empty()).await;
        server.kill();
        until_state(&house, |state| state != AccountState::Online).await;
        server.run().await;
        ann = server.person("ann").await;
        ann.enters("ann").await;
        online(&house).await;
    }
}

#[tokio::test]
async fn ad2_replies_corrections_and_retractions_on_prosody() {
    let server = Prosody::start(Kind::Rich).await;
    let house = house(server.settings()).await;
    let mut ann = server.person("ann").await;
    ann.enters("ann").await;
    let asked = ann.says(TEA, "Ada: Say: tee").await;
    let own = ann.hears("Ada: Say: tee").await;
    let reply = ann.hears("tee").await;
    assert_eq!(reply["has"]["reply"]["id"], own["has"]["stanza-id"]["id"], "{reply}");
    assert!(reply["has"]["origin-id"]["id"].is_string());
    // the reply is stored as delivered, under the room's id
    house.until_open(|open| open.is_empty()).await;
    // a corrected message gets a new answer, and the old reply is retracted
    ann.does(json!(["correct", TEA, "groupchat", asked, "Ada: Say: tea"])).await;
    let retraction = ann.ever(|told| told["has"].get("retract").is_some()).await;
    assert_eq!(retraction["has"]["retract"]["id"], reply["has"]["stanza-id"]["id"]);
    let answered = ann.ever(|told| told["body"] == "tea").await;
    ann.ever(|told| told["has"].get("composing").is_some()).await;
    house.until_open(|open| open.is_empty()).await;
    // an answer with a quotation: the quoted text is not stored with it
    let id = answered["has"]["stanza-id"]["id"].as_str().unwrap().to_owned();
    ann.does(json!(["reply", TEA, "groupchat", format!("{TEA}/Ada"), id, "tea", "Say: to you"])).await;
    ann.hears("to you").await;
    until_people_said(&house, TEA, &["Ada: Say: tea".into(), "Say: to you".into()]).await;
    // eve cannot retract ann's message
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

/// Regression (openclaw#56610, #52577, #51116, NemoClaw#3582; #739): messages around a reconnect were lost, or answered
/// twice.
#[tokio::test]
async fn ad7_what_was_said_during_an_absence_is_answered_once_on_prosody() {
    let mut server = Prosody::start(Kind::Rich).await;
    let settings = server.settings();
    let mut house = house(settings.clone()).await;
    let mut ann = server.person("ann").await;
    ann.enters("ann").await;
    ann.says(TEA, "Ada: Say: before").await;
    ann.hears("before").await;
    house.until_open(|open| open.is_empty()).await;
    house.accounts.kill().await;
    let mut wished = vec!["Ada: Say: before".to_owned()];
    // more messages than a page of the archive contains
    for n in 0..120 {
        wished.push(format!("Ada: Say: missed {n}"));
        ann.says(TEA, wished.last().unwrap()).await;
    }
    ann.says("bot@localhost", "Say: in private").await;
    house = house.killed(adapter(&settings)).await;
    online(&house).await;
    until_people_said(&house, TEA, &wished).await;
    until_people_said(&house, "net/ann@localhost", &["Say: in private".into()]).await;
    assert_eq!(house.accounts.status().await.unwrap()[0].caught_up, Some(true));
    ann.hears("in private").await;
    // the server dies as well
    for round in 0..3 {
        house.until_open(|open| open.is_empty()).await;
        let events = house.accounts.status().await.unwrap()[0].events;
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
        // the account must not read the 121 stored messages of the last minutes again
        let read = house.accounts.status().await.unwrap()[0].events - events;
        assert!(read < 60, "{read} events in round {round}");
    }
    house.until_open(|open| open.is_empty()).await;
}

/// Regression (openclaw#22780): messages were posted twice. Here the process dies while it sends replies.
#[tokio::test]
async fn ad3_a_kill_loses_no_message_and_repeats_none_on_prosody() {
    let server = Prosody::start(Kind::Rich).await;
    let settings = server.settings();
    let mut house = house(settings.clone()).await;
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
    let _house = house(settings).await;
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
    assert!(
        good.passed && good.text.contains("bot@localhost; connections that break are resumed"),
        "{good:?}"
    );
    let wrong = finds(settings.clone(), "canary").await;
    assert!(
        !wrong.passed && wrong.text.contains("not-authorized") && !wrong.text.contains("canary"),
        "{wrong:?}"
    );
    let unknown = finds(AccountSettings { ca_file: None, ..settings.clone() }, "secret").await;
    assert!(!unknown.passed && unknown.text.contains("--ca-file"), "{unknown:?}");
    let plain = finds(AccountSettings { tls: false, ..settings }, "secret").await;
    assert!(!plain.passed, "{plain:?}");
}

/// The server dies during sends. Messages that it had accepted are not sent again, and all others are.
#[tokio::test]
async fn ad3_a_server_that_dies_under_way_loses_and_repeats_nothing_on_prosody() {
    let mut server = Prosody::start(Kind::Rich).await;
    let house = house(server.settings()).await;
    let mut said = Vec::new();
    for round in 0..4 {
        let mut ann = server.person("ann").await;
        ann.enters("ann").await;
        said.push(format!("Ada: Say: reply {round}"));
        ann.says(TEA, said.last().unwrap()).await;
        until_people_said(&house, TEA, &said).await;
        server.kill();
        until_state(&house, |state| state != AccountState::Online).await;
        server.run().await;
        online(&house).await;
    }
    assert!(house.until_open(|open| open.is_empty()).await.is_empty());
    let archive = server.file("data/rooms%2elocalhost/muc_log/tea.list");
    for round in 0..4 {
        assert_eq!(archive.matches(&format!("\"reply {round}\"")).count(), 1, "{archive}");
    }
}

#[tokio::test]
async fn ad2_a_long_reply_arrives_whole_and_in_order_on_prosody() {
    let server = Prosody::start(Kind::Rich).await;
    let house = house(server.settings()).await;
    let mut ann = server.person("ann").await;
    ann.enters("ann").await;
    let words: Vec<String> = (0..700).map(|n| format!("größe{n}🍵")).collect();
    ann.says(TEA, &format!("Ada: Say: {}", words.join(" "))).await;
    let (mut heard, mut parts) = (Vec::new(), 0);
    while heard.len() < words.len() {
        let told = ann.next(|told| told["by"] == format!("{TEA}/Ada") && told["body"] != "").await;
        heard.extend(told["body"].as_str().unwrap().split_whitespace().map(str::to_owned));
        parts += 1;
    }
    assert_eq!(heard, words);
    assert!(parts >= 2, "{parts}");
    house.until_open(|open| open.is_empty()).await;
}

/// Regression (hermes-agent#91481): a persona and another bot answered each other without end.
#[tokio::test]
async fn ad3_a_bot_counts_against_the_limits_of_a_room_on_prosody() {
    let server = Prosody::start(Kind::Rich).await;
    let house = house(server.settings()).await;
    let (mut robot, mut ann) = (server.robot("eve").await, server.person("ann").await);
    robot.enters("robot").await;
    ann.enters("ann").await;
    // the account answers the first message as a person's, and asks the sender's client whether it is a bot
    robot.says(TEA, "Ada: Say: beep").await;
    robot.hears("beep").await;
    let mut said = vec!["Ada: Say: beep".to_owned()];
    for n in 0..20 {
        said.push(format!("Ada: Say: again {n}"));
        robot.says(TEA, said.last().unwrap()).await;
    }
    until_people_said(&house, TEA, &said).await;
    ann.says(TEA, "Ada: Say: enough").await;
    ann.hears("enough").await;
    let by_ada = ann.heard.iter().filter(|told| told["by"] == format!("{TEA}/Ada") && told["body"] != "");
    assert!(by_ada.count() <= 8, "a bot was answered without end");
}

/// Regression: `connect` did not check the configured rooms.
#[tokio::test]
async fn ad5_a_room_that_does_not_let_the_account_in_is_found_on_prosody() {
    let server = Prosody::start(Kind::Rich).await;
    let (mut ann, mut own) = (server.person("ann").await, server.settings());
    ann.enters("ann").await;
    for (room, is_ok, told) in [
        (TEA, true, "lets us in"),
        ("new@rooms.localhost", true, "there is no room"),
        ("tea@nowhere.localhost", false, "there are no rooms at nowhere.localhost"),
        ("ann@localhost", false, "no room"),
    ] {
        own.channels = vec![room.into()];
        let found = adapter(&own).enter().await;
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].passed == is_ok && found[0].text.contains(told), "{room}: {found:?}");
    }
    ann.bans("bot@localhost").await;
    own.channels = vec![TEA.into()];
    let found = adapter(&own).enter().await;
    assert!(!found[0].passed && found[0].text.contains("banned"), "{found:?}");
}

/// Regression: each account of a room stored the replies of the other again, as messages of a bot.
#[tokio::test]
async fn ad3_two_accounts_in_a_room_recognise_each_other_on_prosody() {
    for server in
        [Prosody::start(Kind::Rich).await, Prosody::hiding().await, Prosody::start(Kind::Poor).await]
    {
        let account = |(user, persona): (&str, &str)| {
            let settings = AccountSettings {
                name: user.into(),
                user: Some(format!("{user}@localhost")),
                personas: vec![persona.parse().unwrap()],
                ..server.settings()
            };
            let adapter = adapter(&settings);
            (settings, adapter)
        };
        let accounts = [("bot", "ada"), ("eve", "vesper")].map(account).to_vec();
        let directory = Arc::new(tempfile::tempdir().unwrap());
        let house = House::open_all(directory, accounts, vec!["ada", "vesper"]).await;
        for account in 0..2 {
            until_state_of(&house, account, |state| state == AccountState::Online).await;
        }
        let mut ann = server.person("ann").await;
        ann.enters("ann").await;
        ann.says(TEA, "Ada: Say: (at)vesper Say: tea").await;
        assert_eq!(ann.hears("tea").await["by"], format!("{TEA}/Vesper"));
        ann.says(TEA, "Vesper: Say: more").await;
        ann.hears("more").await;
        house.until_open(|open| open.is_empty()).await;
        let said = ["Ada: Say: (at)vesper Say: tea", "Vesper: Say: more"].map(str::to_owned);
        until_people_said(&house, TEA, &said).await;
    }
}
