//! The same cases for every platform (AD3).

use std::collections::HashSet;

use greenroom_adapters::{AuthorKind, Event, Outcome, testing::Recorder};
use greenroom_platform_fakes::{CallFault, EventFault};

use crate::stage::{
    Connected, OnDiscord, OnDiscordWithFaces, OnSlack, OnTelegram, Stage, broken, messages, online, recorder,
    within,
};

/// A case for each platform.
macro_rules! on_every_platform {
    ($($(#[$attribute:meta])* $case:ident)*) => {
        mod on_discord { $(#[tokio::test] $(#[$attribute])* async fn $case() { super::$case::<super::OnDiscord>().await; })* }
        mod on_discord_with_faces { $(#[tokio::test] $(#[$attribute])* async fn $case() { super::$case::<super::OnDiscordWithFaces>().await; })* }
        mod on_telegram { $(#[tokio::test] $(#[$attribute])* async fn $case() { super::$case::<super::OnTelegram>().await; })* }
        mod on_slack { $(#[tokio::test] $(#[$attribute])* async fn $case() { super::$case::<super::OnSlack>().await; })* }
    };
}

on_every_platform! {
    ad3_nothing_is_lost_or_out_of_order_when_the_platform_dies
    ad3_nothing_is_lost_when_the_process_dies
    ad3_what_is_not_stored_comes_again
    ad3_events_that_are_repeated_or_swapped_arrive_once
    ad3_a_sent_message_is_there_once_and_a_failed_one_never
    ad3_a_long_text_is_sent_in_parts_that_fit
    ad3_a_text_that_calls_everybody_notifies_nobody
    ad3_bots_and_echoes_are_told_from_people
    ad3_an_edit_keeps_the_id_of_its_message
}

async fn texts(recorder: &Recorder, count: usize) -> Vec<String> {
    within(recorder.until(|recorder| recorder.texts().len() >= count)).await;
    recorder.texts()
}

/// openclaw#56610, #52577, #51116, NemoClaw#3582: messages were lost at a reconnect.
async fn ad3_nothing_is_lost_or_out_of_order_when_the_platform_dies<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let mut said = Vec::new();
    for round in 0..5 {
        for n in 0..5 {
            said.push(format!("{round}.{n}"));
            stage.say(said.last().unwrap());
        }
        stage.kill().await;
        said.push(format!("{round} while it was down"));
        stage.say(said.last().unwrap());
        stage.restart().await;
        assert_eq!(texts(&recorder, said.len()).await, said);
    }
}

/// openclaw#739, #39010, #122886: messages were answered again after a restart.
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
            texts(&recorder, said.len().saturating_sub(3)).await;
            online(&recorder).await;
        }
        adapter.kill().await;
    }
    let _adapter = Connected::start(&stage, &recorder);
    assert_eq!(texts(&recorder, said.len()).await, said);
}

/// vercel/chat#666, agno#10073: an event was acknowledged that was not stored.
async fn ad3_what_is_not_stored_comes_again<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    recorder.fail(true);
    stage.say("one");
    stage.say("two");
    broken(&recorder).await;
    assert!(recorder.texts().is_empty());
    recorder.fail(false);
    assert_eq!(texts(&recorder, 2).await, ["one", "two"]);
}

async fn ad3_events_that_are_repeated_or_swapped_arrive_once<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let mut said = HashSet::new();
    for n in 0..40 {
        match n % 5 {
            0 => stage.faults().next_event(EventFault::Twice),
            3 if n != 38 => stage.faults().next_event(EventFault::AfterNext),
            _ => stage.faults().pass_event(),
        }
        said.insert(n.to_string());
        stage.say(&n.to_string());
    }
    let texts = texts(&recorder, 40).await;
    assert_eq!(texts.len(), 40);
    assert_eq!(texts.into_iter().collect::<HashSet<_>>(), said);
}

/// openclaw#22780: messages were posted twice.
async fn ad3_a_sent_message_is_there_once_and_a_failed_one_never<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let place = stage.place();
    // so that the webhook is there
    assert!(matches!(adapter.post(&place, "first", "0").await, Outcome::Done { event_id: Some(_) }));
    let faults = [None, Some(CallFault::LoseAnswer), Some(CallFault::LoseCall), Some(CallFault::Status(500))];
    let mut uncertain = 0;
    for round in 0..3 {
        for (n, fault) in faults.iter().enumerate() {
            let (text, key) = (format!("message {round}.{n}"), format!("{round}.{n}"));
            if let Some(fault) = fault {
                stage.faults().next_call(stage.send_call(), *fault);
            }
            let outcome = adapter.post(&place, &text, &key).await;
            let there = stage.posts().iter().filter(|post| post.text == text).count();
            match &outcome {
                Outcome::Done { event_id: Some(id) } => {
                    assert_eq!(there, 1, "{text}: {fault:?}");
                    assert!(stage.posts().iter().any(|post| post.id == *id));
                }
                Outcome::Uncertain(_) => uncertain += 1,
                outcome => panic!("{fault:?} ended as {outcome:?}"),
            }
            // a key that the platform knows makes a second attempt harmless
            if matches!(outcome, Outcome::Uncertain(_)) && adapter.adapter.limits(&place).key_lives.is_some()
            {
                assert!(matches!(adapter.post(&place, &text, &key).await, Outcome::Done { .. }));
                assert_eq!(stage.posts().iter().filter(|post| post.text == text).count(), 1);
            }
        }
    }
    assert!(uncertain > 0, "a lost answer was never noticed");
    stage.kill().await;
    assert!(matches!(adapter.post(&place, "down", "down").await, Outcome::Failed(_)));
    stage.restart().await;
    assert!(stage.posts().iter().all(|post| post.text != "down"));
}

async fn ad3_a_long_text_is_sent_in_parts_that_fit<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let text = "Some **bold** words & <tags>, `code`. 👨‍👩‍👧‍👦 ".repeat(400);
    adapter.post_all(&stage.place(), &text).await;
    let posts = stage.posts();
    assert!(posts.len() > 1);
    let families: usize = posts.iter().map(|post| post.text.matches("👨‍👩‍👧‍👦").count()).sum();
    assert_eq!(families, 400);
    assert!(posts.iter().all(|post| post.text.contains("<tags>")));
    assert!(matches!(adapter.post(&stage.place(), "", "empty").await, Outcome::Refused(_)));
}

async fn ad3_a_text_that_calls_everybody_notifies_nobody<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let text = "@everyone @here @channel <!channel> <!here> <@&1> @all";
    adapter.post_all(&stage.place(), text).await;
    let posts = stage.posts();
    assert!(posts.iter().all(|post| post.notifies.is_empty()), "{posts:?}");
}

/// hermes-agent#91481: a bot answered its own echo, and another bot, for ever.
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
        assert!(message.group && message.said_at.is_some());
    }
}

async fn ad3_an_edit_keeps_the_id_of_its_message<S: Stage>() {
    let (stage, recorder) = (S::open().await, recorder());
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let said = stage.say("before");
    texts(&recorder, 1).await;
    stage.edit(&said, "after");
    within(recorder.until(|recorder| recorder.events().len() == 2)).await;
    let events = recorder.events();
    let Event::Edited(edit) = &events[1] else { panic!("{:?}", events[1]) };
    assert_eq!((edit.message.event_id.as_str(), edit.message.text.as_str()), (said.as_str(), "after"));
    assert_eq!(edit.message.place, stage.place());
}
