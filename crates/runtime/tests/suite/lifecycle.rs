//! Stop, start, restart, passivation, hot reload, shutdown.

use std::{sync::atomic::Ordering, time::Duration};

use greenroom_core::{ActorState, ChatEvent, ErrorCode};
use greenroom_runtime::{ActorStatus, RuntimeError};
use greenroom_store::prelude::*;

use super::house::*;

#[tokio::test]
async fn wb13_the_states_are_visible() {
    let mut house = House::with(vec![persona("ada")]).await;
    assert_eq!(house.runtime.status(), [], "nobody is live before the first message");
    let sent = house.say("hello").await;
    let call = house.call().await;
    assert_eq!(house.state("ada"), Some(ActorState::Thinking));
    call.answer("hi");
    all(sent.events).await;
    let row =
        ActorStatus { persona: name("ada"), channel: channel("terminal:default"), state: ActorState::Idle };
    assert_eq!(house.runtime.status(), [row]);
    house.runtime.stop_all().await;
    assert_eq!(house.state("ada"), Some(ActorState::Stopped));
}

#[tokio::test]
async fn stop_is_heard_while_a_model_call_runs() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    let call = house.call().await;
    call.says("well");
    let waiting = house.say("are you done?").await;
    house.runtime.stop_all().await;
    call.dropped().await;
    assert!(matches!(all(sent.events).await.last(), Some(ChatEvent::Cancelled { .. })));
    assert_eq!(failure(&all(waiting.events).await).0, ErrorCode::PersonaStopped);
}

#[tokio::test]
async fn wb15_stop_all_waits_and_start_all_is_idempotent() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.exchange("ada", "hello", "hi").await;
    house.runtime.stop_all().await;
    house.runtime.stop_all().await;
    let (code, message) = failure(&all(house.say("anybody?").await.events).await);
    assert_eq!(code, ErrorCode::PersonaStopped);
    assert!(message.contains("start it again"), "{message}");
    assert!(house.said().await.contains(&"anybody?".to_owned()), "it stays stored");

    house.runtime.start_all().await.unwrap();
    house.runtime.start_all().await.unwrap();
    let sent = house.say("and now?").await;
    let call = house.call().await;
    house.runtime.start_all().await.unwrap();
    call.answer("now, yes");
    assert_eq!(reply(&all(sent.events).await), "now, yes", "a running turn does not mind");
}

#[tokio::test]
async fn wb15_one_persona_is_restarted_and_the_others_do_not_notice() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    let to_ada = house.say_to("ada", "hello").await;
    let ada = house.call().await;
    let to_bob = house.say_to("bob", "hello").await;
    let bob = house.call().await;
    house.runtime.restart(&name("ada")).await.unwrap();
    ada.dropped().await;
    assert!(matches!(all(to_ada.events).await.last(), Some(ChatEvent::Cancelled { .. })));
    bob.answer("hello");
    assert_eq!(reply(&all(to_bob.events).await), "hello");
    assert_eq!(reply(&house.exchange("ada", "back?", "back").await), "back");
    assert!(matches!(house.runtime.restart(&name("eve")).await, Err(RuntimeError::UnknownPersona { .. })));
}

#[tokio::test]
async fn gr9_the_idle_are_passivated_and_the_next_message_wakes_them() {
    let wishes = Wishes { idle_after: Duration::from_millis(1), ..Wishes::default() };
    let mut house = House::as_wished(vec![persona("ada")], wishes).await;
    house.exchange("ada", "the word is zebra", "I see.").await;
    while !house.runtime.rooms().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(house.runtime.status(), []);
    let sent = house.say("well?").await;
    let call = house.call().await;
    assert!(call.text().contains("zebra"), "its state is in the store");
    call.answer("well");
    assert_eq!(reply(&all(sent.events).await), "well");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn gr9_waking_and_leaving_at_once_loses_no_message() {
    let wishes = Wishes { idle_after: Duration::ZERO, ..Wishes::default() };
    let mut house = House::as_wished(vec![persona("ada")], wishes).await;
    for n in 0..50 {
        let text = n.to_string();
        assert_eq!(reply(&house.exchange("ada", &text, &text).await), text);
    }
}

#[tokio::test]
async fn a_persona_removed_while_live_finishes_its_turn_and_stops() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    let running = house.say_to("ada", "hello").await;
    let call = house.call().await;
    let waiting = house.say_to("ada", "and?").await;
    house.runtime.set_personas(vec![shy("bob")]).await;
    call.answer("hi");
    assert_eq!(reply(&all(running.events).await), "hi");
    let (code, message) = failure(&all(waiting.events).await);
    assert_eq!(code, ErrorCode::PersonaStopped);
    assert!(message.contains("no longer in the cast"), "{message}");
    let to = Some(name("ada"));
    let refused = house.send(greenroom_core::Envelope { to, ..house.envelope("hello?") }).await;
    assert!(matches!(refused, Err(RuntimeError::UnknownPersona { .. })));
    assert_eq!(reply(&house.exchange("bob", "hello", "hello").await), "hello");
}

#[tokio::test]
async fn a_changed_persona_answers_the_next_message_as_it_is_now() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    let call = house.call().await;
    let mut changed = persona("ada");
    changed.prompt = "You are somebody else.".into();
    house.runtime.set_personas(vec![changed]).await;
    assert!(call.text().contains("You are ada."));
    call.answer("hi");
    all(sent.events).await;
    let sent = house.say("who are you?").await;
    let call = house.call().await;
    assert!(call.text().contains("You are somebody else."));
    call.answer("somebody else");
    all(sent.events).await;
}

#[tokio::test]
async fn two_runtimes_live_side_by_side() {
    let (mut one, mut two) =
        (House::with(vec![persona("ada")]).await, House::with(vec![persona("ada")]).await);
    let (first, second) = (one.say("hello one").await, two.say("hello two").await);
    let (in_one, in_two) = (one.call().await, two.call().await);
    assert!(in_one.text().contains("hello one") && in_two.text().contains("hello two"));
    in_two.answer("two");
    in_one.answer("one");
    assert_eq!(reply(&all(first.events).await), "one");
    assert_eq!(reply(&all(second.events).await), "two");
    one.runtime.clone().shutdown(Duration::ZERO).await;
    assert_eq!(reply(&two.exchange("ada", "still there?", "still").await), "still");
}

#[tokio::test]
async fn s10_a_shutdown_lets_a_running_turn_finish_within_the_grace() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    let call = house.call().await;
    let leaving = tokio::spawn(house.runtime.clone().shutdown(Duration::from_secs(60)));
    while house.runtime.start_all().await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(matches!(house.send(house.envelope("too late")).await, Err(RuntimeError::Stopped)));
    call.answer("hi");
    assert_eq!(reply(&all(sent.events).await), "hi");
    leaving.await.unwrap();
    assert_eq!(house.runtime.status(), []);
}

#[tokio::test]
async fn s10_l20_an_embedder_that_never_answers_does_not_hold_up_the_end() {
    let mut ada = persona("ada");
    ada.memory.deadline = Duration::from_millis(100);
    let mut house = House::with(vec![ada]).await;
    house.embedder_hangs.store(true, Ordering::SeqCst);
    let sent = house.say("hello").await;
    house.call().await.answer("hi");
    all(sent.events).await;
    let leaving = house.runtime.clone().shutdown(Duration::ZERO);
    tokio::time::timeout(Duration::from_secs(20), leaving).await.expect("an end");
    assert_eq!(house.runtime.status(), [], "every actor has stopped");
}

#[tokio::test]
async fn bd5_a_turn_that_is_never_played_begins_and_ends() {
    let mut house = House::with(vec![persona("ada")]).await;
    let running = house.say("hello").await;
    let call = house.call().await;
    let waiting = house.say("are you done?").await;
    house.runtime.cancel(&channel("terminal:default")).await;
    call.dropped().await;
    assert_eq!(kinds(&all(waiting.events).await), ["turn_started", "cancelled"]);
    all(running.events).await;
    house.runtime.stop_all().await;
    assert_eq!(kinds(&all(house.say("anybody?").await.events).await), ["turn_started", "failed"]);
}

#[tokio::test]
async fn s10_a_shutdown_without_grace_ends_every_turn_visibly_and_embeds_what_waits() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.embedder_down.store(true, Ordering::SeqCst);
    let running = house.say("hello").await;
    let call = house.call().await;
    let waiting = house.say("and?").await;
    house.embedder_down.store(false, Ordering::SeqCst);
    house.runtime.clone().shutdown(Duration::ZERO).await;
    call.dropped().await;
    assert!(matches!(all(running.events).await.last(), Some(ChatEvent::Cancelled { .. })));
    assert!(all(waiting.events).await.last().is_some_and(ChatEvent::is_last));
    assert_eq!(house.store.unfinished(None).await.unwrap(), []);
    let health = house.store.health().await.unwrap();
    assert_eq!(health.vectors.iter().map(|(_, n)| n).sum::<u64>(), 2);
}

/// GR9: when a channel has been idle for long enough, its index takes no memory any more, and the next message finds
/// everything again.
#[tokio::test]
async fn gr9_what_an_idle_channel_used_is_given_back() {
    let wishes = Wishes { idle_after: Duration::from_secs(60), ..Wishes::default() };
    let mut house = House::as_wished(vec![persona("ada")], wishes).await;
    house.exchange("ada", "The crane is broken again.", "I will order the part.").await;
    assert!(house.memory.index_bytes() > 0);
    tokio::time::pause();
    for _ in 0..2 {
        tokio::time::advance(Duration::from_secs(61)).await;
        until(async || house.memory.index_bytes() == 0).await;
    }
    tokio::time::resume();
    let sent = house.say("what is broken?").await;
    let call = house.call().await;
    assert!(call.text().contains("The crane is broken again."), "{}", call.text());
    call.answer("The crane.");
    all(sent.events).await;
}
