//! What a bridge sends and gets: signatures, repeats, outcomes.

use greenroom_persona::AccountSettings;

use super::*;
use crate::{AuthorKind, Event, Taken, signature::WINDOW, testing::Recorder};

const SECRET: &str = "0123456789abcdef-canary";

fn account(server: &str) -> Account {
    let settings = AccountSettings {
        name: "zulip".into(),
        platform: Platform::Bridge,
        server: Some(server.into()),
        ..AccountSettings::default()
    };
    Account { settings, token: Some(Secret::new(SECRET)), app_token: None }
}

fn bridge() -> Bridge {
    Bridge::new(&account("http://127.0.0.1:9")).unwrap()
}

fn signed_at(at: u64, body: &str) -> Call {
    let timestamp = at.to_string();
    let signature = Some(sign(SECRET, Direction::In, &timestamp, body.as_bytes()));
    Call { timestamp: Some(timestamp), signature, body: body.as_bytes().to_vec() }
}

const HELLO: &str =
    r#"{"event_id": "1", "channel": "tea", "author": {"id": "7", "name": "Ann"}, "text": "hello"}"#;

#[tokio::test]
async fn x3_a_forged_missing_old_or_replayed_request_is_rejected_before_its_body_is_read() {
    let (bridge, recorder) = (bridge(), Recorder::new(Vec::new()));
    let good = signed_at(now(), HELLO);
    for (call, why) in [
        (Call { signature: None, ..good.clone() }, "unsigned"),
        (Call { timestamp: None, ..good.clone() }, "unsigned"),
        (Call { body: HELLO.replace("hello", "evil").into(), ..good.clone() }, "unsigned"),
        // a body that is no JSON says nothing of itself before its signature is right
        (Call { body: b"{nonsense".to_vec(), ..good.clone() }, "unsigned"),
        (signed_at(now() - WINDOW - 5, HELLO), "stale"),
        (signed_at(now() + WINDOW + 5, HELLO), "stale"),
    ] {
        let refused = bridge.called(&recorder, &call).await.unwrap_err();
        let expected = match why {
            "unsigned" => matches!(refused, NotAccepted::Unsigned),
            _ => matches!(refused, NotAccepted::Stale),
        };
        assert!(expected, "{why}: {refused:?}");
    }
    assert!(recorder.events().is_empty());
    assert_eq!(bridge.called(&recorder, &good).await.unwrap(), Taken::Stored.into());
    assert!(matches!(bridge.called(&recorder, &good).await, Err(NotAccepted::Replayed)));
    // the same event under a new signature is a repetition, and told as such
    assert_eq!(
        bridge.called(&recorder, &signed_at(now() + 1, HELLO)).await.unwrap(),
        Taken::Duplicate.into()
    );
    assert_eq!(recorder.texts(), ["hello"]);
}

#[tokio::test]
async fn x3_a_request_that_was_not_stored_may_come_again_as_it_was() {
    let (bridge, recorder) = (bridge(), Recorder::new(Vec::new()));
    let good = signed_at(now(), HELLO);
    recorder.fail(true);
    assert!(matches!(bridge.called(&recorder, &good).await, Err(NotAccepted::NotTaken(_))));
    recorder.fail(false);
    assert_eq!(bridge.called(&recorder, &good).await.unwrap(), Taken::Stored.into());
}

#[test]
fn x5_the_secret_goes_to_no_other_machine_unencrypted_and_is_not_short() {
    assert!(Bridge::new(&account("http://bridge.example.org")).is_err());
    assert!(Bridge::new(&account("https://bridge.example.org")).is_ok());
    let short = Account { token: Some(Secret::new("short")), ..account("http://127.0.0.1:9") };
    let error = Bridge::new(&short).err().unwrap().to_string();
    assert!(error.contains("openssl rand") && !error.contains("short;"), "{error}");
}

#[test]
fn ad2_every_kind_of_event_is_read() {
    let read = |body: &str| event::read("zulip", body.as_bytes());
    let full = r#"{"type": "message", "event_id": "e", "channel": "tea", "thread": "t:1", "text": "hi", "reply_to": "d",
        "author": {"id": "7", "name": "Bo", "is_bot": true}, "mentions": ["ada"], "said_at": 1764000000123,
        "attachments": [{"name": "cat.png", "media_type": "image/png", "bytes": 9}], "unknown": 1}"#;
    let Event::Message(message) = read(full).unwrap() else { panic!("no message") };
    assert_eq!(message.place, Place::thread("zulip/tea", "t:1"));
    assert_eq!((message.author.kind, message.author.person.id.as_str()), (AuthorKind::Bot, "zulip/7"));
    assert!(message.addressed && message.group && message.attachments.len() == 1);
    assert_eq!(message.said_at.map(|at| at.0), Some(1_764_000_000_123_000));
    let with = |kind: &str| full.replace("\"message\"", &format!("\"{kind}\""));
    assert!(matches!(read(&with("edited")), Ok(Event::Edited(_))));
    assert!(matches!(read(&with("deleted")), Ok(Event::Deleted { by: None, .. })));
    assert!(matches!(read(&with("joined")), Ok(Event::Joined { .. })));
    assert!(matches!(read(&with("left")), Ok(Event::Left { .. })));
    for wrong in [
        "[]",
        "{}",
        &with("other"),
        r#"{"channel": "tea", "event_id": "1"}"#,
        r#"{"channel": "", "event_id": "1", "author": {"id": "7", "name": "Ann"}}"#,
        r#"{"channel": "tea", "author": {"id": "7", "name": "Ann"}}"#,
        r#"{"channel": "tea", "event_id": "1", "author": {"id": "", "name": "Ann"}}"#,
        r#"{"channel": "tea", "event_id": "1", "author": {"id": "7", "name": "Ann"}, "mentions": ["No Name!"]}"#,
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    let Ok(Event::Message(direct)) = read(&HELLO.replace("\"text\"", "\"direct\": true, \"text\"")) else {
        panic!()
    };
    assert!(direct.addressed && !direct.group);
}
