//! The conformance list: the cases that every adapter passes (AD3). The macro generates one test for each case on each
//! platform, or prints why the platform cannot have the case. A platform without a stage does not compile.

use std::collections::HashSet;

use greenroom_adapters::{AuthorKind, Event, Outcome, testing::Recorder};
use greenroom_core::Platform;
use greenroom_platform_fakes::{CallFault, EventFault};

use crate::{
    calling::{OnBridge, OnSlackEvents},
    real::{OnIrc, OnMatrix, OnXmpp},
    stage::{
        Connected, OnDiscord, OnDiscordWithFaces, OnSlack, OnTelegram, Stage, messages, online, recorder,
        within,
    },
};

/// Generates a test for each pair of a platform and a case.
macro_rules! on_every_platform {
    ([$($platform:ident: $stage:ty,)*] $cases:tt) => {
        $(mod $platform { on_every_platform!(@cases $stage, $cases); })*
        /// The stages, each with the cases that it cannot have.
        const STAGES: &[(&str, &[(&str, &str)])] = &[$((stringify!($platform), <$stage>::CANNOT),)*];
        on_every_platform!(@names $cases);
    };
    (@cases $stage:ty, [$($case:ident)*]) => {
        $(#[tokio::test]
        async fn $case() {
            use super::*;
            match <$stage>::CANNOT.iter().find(|(case, _)| *case == stringify!($case)) {
                Some((_, reason)) => println!("not here: {reason}"),
                None => super::$case::<$stage>().await,
            }
        })*
    };
    (@names [$($case:ident)*]) => {
        const CASES: &[&str] = &[$(stringify!($case),)*];
    };
}

on_every_platform! {
    [
        on_bridge: OnBridge,
        on_discord: OnDiscord,
        on_discord_with_faces: OnDiscordWithFaces,
        on_irc: OnIrc,
        on_matrix: OnMatrix,
        on_slack: OnSlack,
        on_slack_by_requests: OnSlackEvents,
        on_telegram: OnTelegram,
        on_xmpp: OnXmpp,
    ]
    [
        ad3_nothing_is_lost_or_out_of_order_when_the_platform_dies
        ad3_nothing_is_lost_when_the_process_dies
        ad3_what_is_not_stored_comes_again
        ad3_events_that_are_repeated_or_swapped_arrive_once
        ad3_what_comes_late_is_taken_in_once
        ad3_a_text_without_words_harms_nothing
        ad3_a_platform_that_asks_to_wait_is_obeyed
        ad3_a_sent_message_is_there_once_and_a_failed_one_never
        ad3_a_long_text_is_sent_in_parts_that_fit
        ad3_a_text_that_calls_everybody_notifies_nobody
        ad3_bots_and_echoes_are_told_from_people
        ad3_a_name_forges_no_author
        ad3_an_edit_keeps_the_id_of_its_message
        ad3_a_deletion_names_its_message
    ]
}

/// The stages of a platform. The match is exhaustive, so this does not compile for a new platform without a stage.
fn stages(platform: Platform) -> &'static [&'static str] {
    match platform {
        Platform::Bridge => &["on_bridge"],
        Platform::Discord => &["on_discord", "on_discord_with_faces"],
        Platform::Irc => &["on_irc"],
        Platform::Matrix => &["on_matrix"],
        Platform::Slack => &["on_slack", "on_slack_by_requests"],
        Platform::Telegram => &["on_telegram"],
        Platform::Xmpp => &["on_xmpp"],
        // these have no accounts
        Platform::Api | Platform::Terminal => &[],
    }
}

#[test]
fn ad3_every_platform_has_a_stage_and_no_reason_is_stale() {
    let platforms = [
        Platform::Bridge,
        Platform::Discord,
        Platform::Irc,
        Platform::Matrix,
        Platform::Slack,
        Platform::Telegram,
        Platform::Xmpp,
    ];
    let named: HashSet<&str> = platforms.into_iter().flat_map(stages).copied().collect();
    assert_eq!(named, STAGES.iter().map(|(stage, _)| *stage).collect());
    for (stage, cannot) in STAGES {
        for (case, reason) in *cannot {
            assert!(CASES.contains(case), "{stage}: {case} is no case ({reason})");
        }
    }
}

/// Waits for this number of texts. Sorts them if the platform does not keep their order.
async fn texts<S: Stage>(recorder: &Recorder, count: usize) -> Vec<String> {
    within(recorder.until(|recorder| recorder.texts().len() >= count)).await;
    let mut texts = recorder.texts();
    if !S::ORDERED {
        texts.sort();
    }
    texts
}

/// The sent texts, sorted in the same way for comparison.
fn said_on<S: Stage>(said: &[String]) -> Vec<String> {
    let mut said = said.to_vec();
    if !S::ORDERED {
        said.sort();
    }
    said
}

/// Regression (openclaw#56610, #52577, #51116, NemoClaw#3582): messages were lost at a reconnect.
async fn ad3_nothing_is_lost_or_out_of_order_when_the_platform_dies<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let mut said = Vec::new();
    for round in 0..3 {
        for n in 0..5 {
            said.push(format!("{round}.{n}"));
            stage.say(said.last().unwrap());
        }
        if !S::REPLAYS {
            texts::<S>(&recorder, said.len()).await;
        }
        stage.kill().await;
        said.push(format!("{round} while it was down"));
        stage.say(said.last().unwrap());
        stage.restart().await;
        assert_eq!(texts::<S>(&recorder, said.len()).await, said_on::<S>(&said));
    }
}

/// Regression (openclaw#739, #39010, #122886): messages were answered again after a restart.
async fn ad3_nothing_is_lost_when_the_process_dies<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let mut said = Vec::new();
    for round in 0..5 {
        let adapter = Connected::start(&stage, &recorder);
        for n in 0..5 {
            if round > 0 || n > 0 {
                said.push(format!("{round}.{n}"));
                stage.say(said.last().unwrap());
            }
            texts::<S>(&recorder, said.len().saturating_sub(3)).await;
            online(&recorder).await;
        }
        adapter.kill().await;
    }
    let _adapter = Connected::start(&stage, &recorder);
    assert_eq!(texts::<S>(&recorder, said.len()).await, said_on::<S>(&said));
}

/// Regression (vercel/chat#666, agno#10073): an event was acknowledged although it was not stored.
async fn ad3_what_is_not_stored_comes_again<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    recorder.fail(true);
    stage.say("one");
    stage.say("two");
    stage.refused(&recorder).await;
    assert!(recorder.texts().is_empty());
    recorder.fail(false);
    assert_eq!(texts::<S>(&recorder, 2).await, ["one", "two"]);
}

async fn ad3_events_that_are_repeated_or_swapped_arrive_once<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    let faults = stage.orders().expect("a fake");
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let mut said = HashSet::new();
    for n in 0..40 {
        match n % 5 {
            0 => faults.next_event(EventFault::Twice),
            3 if n != 38 => faults.next_event(EventFault::AfterNext),
            _ => faults.pass_event(),
        }
        said.insert(n.to_string());
        stage.say(&n.to_string());
    }
    let texts = texts::<S>(&recorder, 40).await;
    assert_eq!(texts.len(), 40);
    assert_eq!(texts.into_iter().collect::<HashSet<_>>(), said);
}

async fn ad3_what_comes_late_is_taken_in_once<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.say("1");
    texts::<S>(&recorder, 1).await;
    stage.slow().await;
    let said = ["1", "2", "3"];
    said[1..].iter().for_each(|text| drop(stage.say(text)));
    let mut texts = texts::<S>(&recorder, 3).await;
    texts.sort();
    assert_eq!(texts, said);
}

async fn ad3_a_text_without_words_harms_nothing<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.say(" ");
    stage.say("words");
    within(recorder.until(|recorder| recorder.texts().contains(&"words".to_owned()))).await;
    assert!(recorder.texts().iter().all(|text| text.trim().is_empty() || text == "words"));
    assert_eq!(adapter.post_all(&stage.place(), " \n ").await, 0, "nothing is sent for nothing");
}

async fn ad3_a_platform_that_asks_to_wait_is_obeyed<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.asks_to_wait();
    let (mut sent, mut waits) = (Vec::new(), 0);
    while waits == 0 {
        assert!(sent.len() < 100, "it never asks to wait");
        let (text, key) = (format!("message {}", sent.len()), format!("key-{}", sent.len()));
        match adapter.post(&stage.place(), &text, &key).await {
            Outcome::Done { .. } => sent.push(text),
            Outcome::RetryAfter(wait) => {
                waits += 1;
                tokio::time::sleep(wait).await;
                let again = adapter.post(&stage.place(), &text, &key).await;
                assert!(matches!(again, Outcome::Done { .. }), "after {wait:?} it ended as {again:?}");
                sent.push(text);
            }
            outcome => panic!("{outcome:?}"),
        }
    }
    let posts = stage.heard(sent.len()).await;
    assert_eq!(posts.iter().map(|post| &post.text).collect::<Vec<_>>(), sent.iter().collect::<Vec<_>>());
}

/// Regression (openclaw#22780): messages were posted twice.
async fn ad3_a_sent_message_is_there_once_and_a_failed_one_never<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let place = stage.place();
    // the first post creates the webhook
    let Outcome::Done { event_id: Some(id) } = adapter.post(&place, "first", "0").await else {
        panic!("not sent")
    };
    let first = stage.heard(1).await.remove(0);
    assert!(first.id.is_empty() || first.id == id, "{first:?} has another id than {id}");
    let faults: &[Option<CallFault>] = match stage.orders() {
        Some(_) => {
            &[None, Some(CallFault::LoseAnswer), Some(CallFault::LoseCall), Some(CallFault::Status(500))]
        }
        None => &[None],
    };
    let (mut uncertain, mut done) = (0, 1);
    for round in 0..3 {
        for (n, fault) in faults.iter().enumerate() {
            let (text, key) = (format!("message {round}.{n}"), format!("{round}.{n}"));
            if let (Some(fault), Some(faults)) = (fault, stage.orders()) {
                faults.next_call(stage.send_call(), *fault);
            }
            let outcome = adapter.post(&place, &text, &key).await;
            done += usize::from(matches!(outcome, Outcome::Done { .. }));
            let posts = stage.heard(done).await;
            let there = posts.iter().filter(|post| post.text == text).count();
            match &outcome {
                Outcome::Done { event_id: Some(id) } => {
                    assert_eq!(there, 1, "{text}: {fault:?}");
                    assert!(posts.iter().any(|post| post.id.is_empty() || post.id == *id));
                }
                Outcome::Uncertain(_) => uncertain += 1,
                outcome => panic!("{fault:?} ended as {outcome:?}"),
            }
            // a second attempt is harmless if the platform recognises the idempotency key
            if matches!(outcome, Outcome::Uncertain(_)) && adapter.adapter.limits(&place).key_lives.is_some()
            {
                assert!(matches!(adapter.post(&place, &text, &key).await, Outcome::Done { .. }));
                done += 1;
                let posts = stage.heard(done).await;
                assert_eq!(posts.iter().filter(|post| post.text == text).count(), 1);
            }
        }
    }
    assert!(uncertain > 0 || stage.orders().is_none(), "a lost answer was never noticed");
    stage.kill().await;
    let outcome = adapter.post(&place, "down", "down").await;
    let may_be_sent = matches!(outcome, Outcome::Uncertain(_)) && stage.orders().is_none();
    assert!(matches!(outcome, Outcome::Failed(_) | Outcome::Offline) || may_be_sent, "{outcome:?}");
    stage.restart().await;
    assert!(may_be_sent || stage.heard(done).await.iter().all(|post| post.text != "down"));
}

async fn ad3_a_long_text_is_sent_in_parts_that_fit<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let text = "Some **bold** words & <tags>, `code`. 👨‍👩‍👧‍👦 ".repeat(S::LONG);
    let parts = adapter.post_all(&stage.place(), &text).await;
    let posts = stage.heard(parts).await;
    assert!(posts.len() > 1);
    let count = |what: &str| posts.iter().map(|post| post.text.matches(what).count()).sum::<usize>();
    assert_eq!((count("👨‍👩‍👧‍👦"), count("<tags>")), (S::LONG, S::LONG));
}

async fn ad3_a_text_that_calls_everybody_notifies_nobody<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let text = "@everyone @here @channel <!channel> <!here> <@&1> @all";
    let parts = adapter.post_all(&stage.place(), text).await;
    let posts = stage.heard(parts).await;
    assert!(posts.iter().all(|post| post.notifies.is_empty()), "{posts:?}");
}

/// Regression (hermes-agent#91481): a bot answered its own echo, and another bot, without end.
async fn ad3_bots_and_echoes_are_told_from_people<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.bot_says("I am Jo");
    assert!(matches!(adapter.post(&stage.place(), "from us", "1").await, Outcome::Done { .. }));
    stage.say("Robot: I am a bot");
    within(recorder.until(|r| r.texts().iter().any(|text| text.starts_with("Robot")))).await;
    for message in messages(&recorder) {
        let kind = match message.text.as_str() {
            "I am Jo" => AuthorKind::Bot,
            "from us" => AuthorKind::Ourselves,
            _ => AuthorKind::Person,
        };
        assert_eq!(message.author.kind, kind, "{}", message.text);
        assert!(message.group);
    }
}

async fn ad3_an_edit_keeps_the_id_of_its_message<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let said = stage.say("before");
    let before = first_message(&recorder).await;
    stage.edit(&said, "after");
    let is_edit = |event: &Event| matches!(event, Event::Edited(_));
    within(recorder.until(|recorder| recorder.events().iter().any(is_edit))).await;
    let Some(Event::Edited(edit)) = recorder.events().into_iter().find(is_edit) else { panic!("no edit") };
    assert_eq!((edit.message.event_id, edit.message.text.as_str()), (before.event_id, "after"));
    assert_eq!(edit.message.place, stage.place());
}

async fn ad3_a_deletion_names_its_message<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let said = stage.say("secret");
    let message = first_message(&recorder).await;
    stage.delete(&said);
    let deleted = |event: &Event| match event {
        Event::Deleted { place, event_id, by } => {
            *place == stage.place()
                && *event_id == message.event_id
                && by.as_ref().is_none_or(|by| *by == message.author.person.id)
        }
        _ => false,
    };
    within(recorder.until(|recorder| recorder.events().iter().any(deleted))).await;
}

/// A person with the name of the account or of a persona still counts as a different author.
async fn ad3_a_name_forges_no_author<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.say("I am Jo");
    stage.impostor_says("I am the account");
    texts::<S>(&recorder, 2).await;
    let messages = messages(&recorder);
    assert!(messages.iter().all(|message| message.author.kind == AuthorKind::Person), "{messages:?}");
    assert_ne!(messages[0].author.person.id, messages[1].author.person.id);
}

async fn first_message(recorder: &Recorder) -> greenroom_adapters::Message {
    within(recorder.until(|recorder| !recorder.texts().is_empty())).await;
    messages(recorder).remove(0)
}
