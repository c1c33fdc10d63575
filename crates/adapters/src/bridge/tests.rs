//! Tests of the bridge: signatures, repeats, outcomes.

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

fn signed_at(at: u64, body: &str) -> WebhookRequest {
    let timestamp = at.to_string();
    let signature = Some(sign(SECRET, Direction::In, &timestamp, body.as_bytes()));
    WebhookRequest { timestamp: Some(timestamp), signature, body: body.as_bytes().to_vec() }
}

const HELLO: &str =
    r#"{"event_id": "1", "channel": "tea", "author": {"id": "7", "name": "Ann"}, "text": "hello"}"#;

/// The requests that the bridge gets, by their key: one that it knows is not done again.
async fn keys(requests: Vec<Request>) -> Vec<String> {
    let keys = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = keys.clone();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = axum::Router::new().fallback(async move |headers: axum::http::HeaderMap| {
        noted.lock().unwrap().push(headers["idempotency-key"].to_str().unwrap().to_owned());
        "{}"
    });
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let bridge = Bridge::new(&account(&url)).unwrap();
    for request in requests {
        assert!(matches!(bridge.perform(request).await, Outcome::Done { .. }));
    }
    server.abort();
    keys.lock().unwrap().clone()
}

/// A bridge that knew the keys of a day left out the deletion of a message with the same id in another channel.
#[tokio::test]
async fn ad1_two_requests_have_two_keys_and_a_repeated_deletion_has_the_same_one() {
    let deletion = |chat: &str, thread: Option<&str>| Request::Delete {
        place: Place { chat: format!("zulip/{chat}"), thread: thread.map(str::to_owned) },
        event_id: "5".into(),
        face: None,
    };
    let face = Face { persona: "ada".parse().unwrap(), name: "Ada".into() };
    let typing = || Request::Typing { place: Place::chat("zulip/tea"), face: face.clone() };
    let keys = keys(vec![
        deletion("tea", None),
        deletion("tea", Some("1")),
        deletion("den", None),
        typing(),
        typing(),
        deletion("tea", None),
    ])
    .await;
    let different: std::collections::BTreeSet<&String> = keys[..5].iter().collect();
    assert_eq!((different.len(), &keys[5]), (5, &keys[0]), "{keys:?}");
}

#[tokio::test]
async fn x3_a_forged_missing_old_or_replayed_request_is_rejected_before_its_body_is_read() {
    let (bridge, recorder) = (bridge(), Recorder::new(Vec::new()));
    let good = signed_at(now(), HELLO);
    for (call, why) in [
        (WebhookRequest { signature: None, ..good.clone() }, "unsigned"),
        (WebhookRequest { timestamp: None, ..good.clone() }, "unsigned"),
        (WebhookRequest { body: HELLO.replace("hello", "evil").into(), ..good.clone() }, "unsigned"),
        // the error says nothing about the body before the signature is verified
        (WebhookRequest { body: b"{nonsense".to_vec(), ..good.clone() }, "unsigned"),
        (signed_at(now() - WINDOW - 5, HELLO), "stale"),
        (signed_at(now() + WINDOW + 5, HELLO), "stale"),
    ] {
        let refused = bridge.webhook(&recorder, &call).await.unwrap_err();
        let expected = match why {
            "unsigned" => matches!(refused, WebhookError::Unsigned),
            _ => matches!(refused, WebhookError::Stale),
        };
        assert!(expected, "{why}: {refused:?}");
    }
    assert!(recorder.events().is_empty());
    assert_eq!(bridge.webhook(&recorder, &good).await.unwrap(), Taken::Stored.into());
    assert!(matches!(bridge.webhook(&recorder, &good).await, Err(WebhookError::Replayed)));
    // the same event under a new signature is reported as a duplicate
    assert_eq!(
        bridge.webhook(&recorder, &signed_at(now() + 1, HELLO)).await.unwrap(),
        Taken::Duplicate.into()
    );
    assert_eq!(recorder.texts(), ["hello"]);
}

#[tokio::test]
async fn x3_a_request_that_was_not_stored_may_come_again_as_it_was() {
    let (bridge, recorder) = (bridge(), Recorder::new(Vec::new()));
    let good = signed_at(now(), HELLO);
    recorder.fail(true);
    assert!(matches!(bridge.webhook(&recorder, &good).await, Err(WebhookError::NotTaken(_))));
    recorder.fail(false);
    assert_eq!(bridge.webhook(&recorder, &good).await.unwrap(), Taken::Stored.into());
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
        "author": {"id": "7", "name": "Bo", "is_bot": true}, "mentions": ["Ada"], "said_at": 1764000000123,
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
    let Ok(Event::Message(direct)) = read(&HELLO.replace("\"text\"", "\"direct\": true, \"text\"")) else {
        panic!()
    };
    assert!(direct.addressed && !direct.group);
}

/// The error tells the developer of a bridge which field is wrong, and how.
#[test]
fn ad2_what_is_wrong_with_a_body_is_named() {
    let long = |number: usize| "x".repeat(number);
    let hello = |field: &str, value: Value| {
        let mut body: Value = serde_json::from_str(HELLO).unwrap();
        match field.split_once('.') {
            Some((outer, inner)) => body[outer][inner] = value,
            None => body[field] = value,
        }
        body.to_string()
    };
    let not_a_text = "is not a text in quotation marks";
    for (body, error) in [
        ("nonsense".to_owned(), "the body is not JSON: expected ident at line 1 column 2".to_owned()),
        ("[]".into(), "the body is not an object `{…}`".into()),
        ("{}".into(), "`channel` is missing".into()),
        (hello("type", json!("other")), "`type` is none of message, edited, deleted, joined, left".into()),
        (hello("type", json!(1)), format!("`type` {not_a_text}")),
        (hello("channel", json!(7)), format!("`channel` {not_a_text}")),
        (hello("channel", json!("")), "`channel` is empty".into()),
        (hello("channel", json!(long(129))), "`channel` is longer than 128 characters".into()),
        (hello("channel", json!(long(100_000))), "`channel` is longer than 128 characters".into()),
        (hello("thread", json!("")), "`thread` is empty".into()),
        (hello("thread", json!(long(129))), "`thread` is longer than 128 characters".into()),
        (hello("event_id", Value::Null), "`event_id` is missing".into()),
        (hello("event_id", json!(1)), format!("`event_id` {not_a_text}")),
        (hello("event_id", json!(long(129))), "`event_id` is longer than 128 characters".into()),
        (
            hello("event_id", json!("a\nb")),
            "`event_id` has a line break or another character that is not seen".into(),
        ),
        (hello("author", Value::Null), "`author` is missing".into()),
        (hello("author", json!("Ann")), "`author` is not an object `{…}`".into()),
        (hello("author.id", json!("")), "`author.id` is empty".into()),
        (hello("author.id", json!(long(129))), "`author.id` is longer than 128 characters".into()),
        (hello("author.name", Value::Null), "`author.name` is missing".into()),
        (hello("author.name", json!(long(201))), "`author.name` is longer than 200 characters".into()),
        (hello("author.is_bot", json!("no")), "`author.is_bot` is not true or false".into()),
        (hello("text", json!(["hi"])), format!("`text` {not_a_text}")),
        (hello("text", json!(long(65_537))), "`text` is longer than 65536 characters".into()),
        (hello("text", json!("é".repeat(40_000))), "`text` is longer than 65536 bytes".into()),
        (hello("reply_to", json!(long(129))), "`reply_to` is longer than 128 characters".into()),
        (hello("mentions", json!("ada")), "`mentions` is not a list `[…]`".into()),
        (hello("mentions", json!(vec!["ada"; 21])), "`mentions` has more than 20 items".into()),
        (
            hello("mentions", json!([1])),
            "`mentions` has an item that is not a text of at most 200 characters".into(),
        ),
        (hello("addressed", json!(1)), "`addressed` is not true or false".into()),
        (hello("attachments", json!(["cat"])), "`attachments[0]` is not an object `{…}`".into()),
        (hello("attachments", json!([{ "name": "a" }, {}])), "`attachments[1].name` is missing".into()),
        (
            hello("attachments", json!([{ "name": "a", "url": long(2001) }])),
            "`attachments[0].url` is longer than 2000 characters".into(),
        ),
        (hello("said_at", json!("now")), "`said_at` is not a whole number".into()),
    ] {
        assert_eq!(event::read("zulip", body.as_bytes()).unwrap_err(), error, "{body:.200}");
    }
    let persona = event::read("zulip", hello("mentions", json!(["No Name!"])).as_bytes()).unwrap_err();
    assert!(persona.starts_with("`mentions`: "), "{persona}");
    // the key contains both the channel and the thread
    let mut both: Value = serde_json::from_str(HELLO).unwrap();
    (both["channel"], both["thread"]) = (json!(long(128)), json!(long(128)));
    let error = event::read("zulip", both.to_string().as_bytes()).unwrap_err();
    assert!(error.starts_with("`channel` and `thread` are too long"), "{error}");
    let spaces = event::read("zulip", hello("channel", json!(" ".repeat(128))).as_bytes()).unwrap_err();
    assert!(spaces.starts_with("`channel` is too long"), "{spaces}");
    // values of exactly the permitted length are accepted
    for (field, value) in
        [("channel", long(128)), ("event_id", long(128)), ("author.id", long(128)), ("text", long(65_536))]
    {
        assert!(event::read("zulip", hello(field, json!(value)).as_bytes()).is_ok(), "{field}");
    }
}
