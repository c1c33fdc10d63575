//! Tests of what only Slack's Events API has: signatures, retries, the challenge, slash commands as forms.

use std::time::Duration;

use greenroom_adapters::{Event, Inlet, Taken, WebhookError, WebhookRequest, WebhookResponse};
use greenroom_core::{SystemClock, Time};
use serde_json::{Value, json};

use crate::{
    calling::OnSlackEvents,
    stage::{Connected, Stage, online, recorder, within},
};

/// Regression (vercel/chat#666, agno#10073): a retry was dropped although it was the only copy.
#[tokio::test(start_paused = true)]
async fn ad3_a_request_of_slack_that_was_not_stored_comes_again() {
    let (stage, recorder) = (OnSlackEvents::open().await, recorder());
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    recorder.fail(true);
    stage.say("one");
    // Slack repeats the request at once, and again after a minute
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!((stage.slack.fake.acknowledged(), recorder.texts().len()), (0, 0));
    recorder.fail(false);
    tokio::time::sleep(Duration::from_secs(60)).await;
    within(stage.slack.fake.wait_for_acknowledgements()).await;
    within(recorder.until(|recorder| recorder.texts() == ["one"])).await;
    assert_eq!((stage.slack.fake.acknowledged(), stage.slack.fake.lost()), (1, 0));
}

/// The adapter reads events that Slack no longer repeats from the channel histories.
#[tokio::test(start_paused = true)]
async fn ad7_requests_that_slack_gave_up_are_read_from_the_histories() {
    let (stage, recorder) = (OnSlackEvents::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    adapter.kill().await;
    stage.say("one");
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(stage.slack.fake.lost(), 1);
    let _adapter = Connected::start(&stage, &recorder);
    within(recorder.until(|recorder| recorder.texts() == ["one"])).await;
}

#[tokio::test]
async fn ad6_a_slash_command_comes_by_a_request_and_is_answered_at_its_address() {
    let (stage, recorder) = (OnSlackEvents::open().await, recorder());
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.slack.fake.command(&stage.slack.channel, &stage.slack.person, "/greenroom", "quiet 1h & more");
    within(recorder.until(|recorder| !recorder.events().is_empty())).await;
    let Event::Command(call) = recorder.events().remove(0) else { panic!("no command") };
    assert_eq!((call.line.as_str(), call.place), ("quiet 1h & more", stage.place()));
    assert!(call.answer_to.is_some_and(|url| url.starts_with(&stage.slack.fake.url())));
}

/// A request that Slack signed some seconds ago.
fn signed(secret: &str, seconds_ago: i64, body: &str) -> WebhookRequest {
    use hmac::{Hmac, Mac};
    let timestamp = (SystemClock.now().0 / 1_000_000 - seconds_ago).to_string();
    let mut mac = <Hmac<sha2::Sha256> as Mac>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("v0:{timestamp}:{body}").as_bytes());
    let digits: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    WebhookRequest { timestamp: Some(timestamp), signature: Some(format!("v0={digits}")), body: body.into() }
}

#[tokio::test]
async fn x3_a_forged_missing_old_or_replayed_request_of_slack_is_rejected_before_its_body_is_read() {
    let (stage, recorder) = (OnSlackEvents::open().await, recorder());
    let connected = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let (adapter, inlet) = (&connected.adapter, recorder.as_ref() as &dyn Inlet);
    let secret = stage.slack.fake.signing_secret();
    let challenge = json!({ "type": "url_verification", "challenge": "3eZbrw1a" }).to_string();
    let answer = adapter.webhook(inlet, &signed(&secret, 0, &challenge)).await.unwrap();
    assert_eq!(answer, WebhookResponse::Challenge("3eZbrw1a".into()));

    for body in [challenge.as_str(), "{nonsense", ""] {
        let forged = signed("another secret", 0, body);
        let unsigned = WebhookRequest { signature: None, ..signed(&secret, 0, body) };
        let other_body = WebhookRequest { body: b"{}".to_vec(), ..signed(&secret, 0, body) };
        let no_version = {
            let good = signed(&secret, 0, body);
            WebhookRequest { signature: good.signature.map(|text| text[3..].to_owned()), ..good }
        };
        for wrong in [forged, unsigned, other_body, no_version] {
            let refused = adapter.webhook(inlet, &wrong).await;
            assert!(matches!(refused, Err(WebhookError::Unsigned)), "{refused:?}");
        }
        for seconds in [400, -400] {
            let refused = adapter.webhook(inlet, &signed(&secret, seconds, body)).await;
            assert!(matches!(refused, Err(WebhookError::Stale)), "{refused:?}");
        }
    }

    for body in ["{nonsense", "", "\u{0}"] {
        let refused = adapter.webhook(inlet, &signed(&secret, 0, body)).await;
        assert!(matches!(refused, Err(WebhookError::Invalid(_))), "{refused:?}");
    }
    // the adapter accepts requests that it has no use for, so that Slack does not repeat them
    for body in [r#"{"type":"app_rate_limited"}"#, "payload=%7B%7D"] {
        let answer = adapter.webhook(inlet, &signed(&secret, 0, body)).await.unwrap();
        assert_eq!(answer, WebhookResponse::Taken(Taken::Ignored));
    }

    let event = |id: &str, text: &str| -> Value {
        json!({ "type": "event_callback", "event_id": id, "event": { "type": "message", "ts": "1764000000.000100",
                "channel": stage.slack.channel, "user": stage.slack.person, "text": text } })
    };
    let call = signed(&secret, 1, &event("Ev1", "hello").to_string());
    assert_eq!(adapter.webhook(inlet, &call).await.unwrap(), WebhookResponse::Taken(Taken::Stored));
    assert!(matches!(adapter.webhook(inlet, &call).await, Err(WebhookError::Replayed)));
    // Slack signs each repetition anew
    let again = signed(&secret, 0, &event("Ev1", "hello").to_string());
    assert_eq!(adapter.webhook(inlet, &again).await.unwrap(), WebhookResponse::Taken(Taken::Duplicate));
    assert_eq!(recorder.texts(), ["hello"]);
}

/// Slack repeats an edit that was not acknowledged; meanwhile a later edit may have been taken.
#[tokio::test]
async fn ad1_an_older_edit_that_slack_repeats_does_not_undo_a_newer_one() {
    let (stage, recorder) = (OnSlackEvents::open().await, recorder());
    let connected = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let (adapter, inlet) = (&connected.adapter, recorder.as_ref() as &dyn Inlet);
    let secret = stage.slack.fake.signing_secret();
    let mut seconds_ago = 60;
    let mut edited = async |text: &str, at: &str, message: &str| {
        let changed = json!({ "ts": message, "user": stage.slack.person, "text": text,
                              "edited": { "user": stage.slack.person, "ts": at } });
        let event = json!({ "type": "message", "subtype": "message_changed", "channel": stage.slack.channel,
                            "message": changed, "previous_message": { "text": "before" } });
        seconds_ago -= 1;
        let body = json!({ "type": "event_callback", "event": event }).to_string();
        adapter.webhook(inlet, &signed(&secret, seconds_ago, &body)).await.unwrap();
    };
    let (one, other) = ("1764000000.000100", "1764000001.000100");
    edited("v3", "1764000020.000000", one).await;
    edited("v2", "1764000010.000000", one).await;
    edited("other", "1764000010.000000", other).await;
    // the newest one, repeated
    edited("v3", "1764000020.000000", one).await;
    edited("v4", "1764000030.000000", one).await;
    let texts = recorder.events().into_iter().filter_map(|event| match event {
        Event::Edited(edit) => Some(edit.message.text),
        _ => None,
    });
    assert_eq!(texts.collect::<Vec<_>>(), ["v3", "other", "v3", "v4"]);
}
