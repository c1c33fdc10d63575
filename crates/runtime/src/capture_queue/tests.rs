//! The order of the capture queue, and how long exchanges wait.

use std::time::Duration;

use greenroom_core::{Author, Entropy, MessageId, SystemClock, SystemEntropy, Timestamp};
use tokio::time::advance;

use super::*;

fn viewer(channel: usize) -> Viewer {
    let user = Some("mo".parse().unwrap());
    Viewer::new("ada".parse().unwrap(), format!("terminal:{channel}").parse().unwrap(), user)
}

fn exchange(n: usize) -> Exchange {
    exchange_in(0, n)
}

/// An exchange that wants facts, so that it is not debounced.
fn exchange_in(channel: usize, n: usize) -> Exchange {
    let mut persona = Persona::new("ada".parse().unwrap(), String::new());
    persona.memory.capture.facts = true;
    let settings = persona.memory.capture.clone();
    Exchange { persona: Arc::new(persona), settings, reply: n.to_string(), ..for_summary(channel, 0, "") }
}

/// An exchange that wants a summary alone, said in a channel at a minute.
fn for_summary(channel: usize, minute: i64, text: &str) -> Exchange {
    let viewer = viewer(channel);
    let message = Message {
        id: MessageId(1),
        at: Timestamp(minute * 60_000_000),
        ..Message::new(
            viewer.channel().clone(),
            "e",
            Author::User { id: "mo".parse().unwrap(), name: "Mo".into() },
            text,
        )
    };
    Exchange {
        turn: TurnId(SystemEntropy.uuid()),
        persona: Arc::new(Persona::new("ada".parse().unwrap(), String::new())),
        settings: CaptureSettings::default(),
        viewer,
        burst: vec![message],
        reply: "I see.".into(),
        tool_results: Vec::new(),
        recalled: Arc::default(),
        sources: Default::default(),
        grant: None,
        postponed: false,
    }
}

/// The texts of the exchanges that may be captured now, each captured at once.
fn begun(capture_queue: &Arc<CaptureQueue>) -> Vec<String> {
    std::iter::from_fn(|| capture_queue.next()).map(|taken| taken.exchange.burst[0].text.clone()).collect()
}

#[test]
fn s9_when_too_many_wait_the_oldest_is_left_out() {
    let capture_queue = Arc::new(CaptureQueue::new(Arc::new(SystemClock)));
    let all: Vec<Exchange> = (0..WAITING + 3).map(exchange).collect();
    let oldest: Vec<TurnId> = all[..3].iter().map(|exchange| exchange.turn).collect();
    let postponed: Vec<TurnId> =
        all.into_iter().flat_map(|exchange| capture_queue.push(exchange, false)).collect();
    assert_eq!(postponed, oldest, "they are to be postponed");
    assert_eq!(capture_queue.queue().waiting.len(), WAITING);
    assert_eq!(capture_queue.postponed.load(Ordering::Relaxed), 3);
    assert_eq!(capture_queue.next().unwrap().exchange.reply, "3");
}

#[test]
fn s9_a_few_are_captured_at_once_and_one_for_a_persona_in_a_channel() {
    let capture_queue = Arc::new(CaptureQueue::new(Arc::new(SystemClock)));
    for (channel, n) in [(0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6)] {
        capture_queue.push(exchange_in(channel, n), false);
    }
    let mut in_flight: Vec<_> = std::iter::from_fn(|| capture_queue.next()).collect();
    let replies: Vec<_> = in_flight.iter().map(|taken| taken.exchange.reply.clone()).collect();
    assert_eq!(replies, ["1", "3", "4", "5"]);
    in_flight.remove(0);
    assert_eq!(capture_queue.next().unwrap().exchange.reply, "2");
}

#[test]
fn s9_what_was_decided_waits_in_bounds_and_is_told_once() {
    let capture_queue = CaptureQueue::new(Arc::new(SystemClock));
    capture_queue.add_notices(&viewer(0), (0..NOTICES + 2).map(|n| n.to_string()).collect());
    for channel in 1..VIEWERS + 5 {
        capture_queue.add_notices(&viewer(channel), vec!["hm".into()]);
    }
    assert_eq!(capture_queue.notices.len(), VIEWERS);
    let told = capture_queue.take_notices(&viewer(0));
    assert_eq!((told.len(), told[0].as_str()), (NOTICES, "2"));
    assert!(capture_queue.take_notices(&viewer(0)).is_empty());
}

#[tokio::test(start_paused = true)]
async fn jv1_a_lively_session_is_summarised_every_few_seconds() {
    let capture_queue = Arc::new(CaptureQueue::new(Arc::new(SystemClock)));
    capture_queue.push(for_summary(0, 0, "the crane is broken again"), false);
    capture_queue.push(for_summary(1, 0, "the ferry comes at noon"), false);
    assert_eq!(begun(&capture_queue), [""; 0]);
    advance(Duration::from_secs(4)).await;
    capture_queue.push(for_summary(0, 1, "the pier needs new paint"), false);
    assert_eq!(capture_queue.waiting(), 2, "it took the place of the one before");
    assert_eq!(capture_queue.due_at(), Some(Instant::now() + Duration::from_secs(1)));
    advance(Duration::from_secs(1)).await;
    assert_eq!(begun(&capture_queue), ["the pier needs new paint", "the ferry comes at noon"]);
    assert!(capture_queue.is_empty() && capture_queue.due_at().is_none());
}

/// Before a fix, what a message tells was lost with a summary that a later exchange replaced.
#[tokio::test(start_paused = true)]
async fn mp6_what_messages_tell_is_judged_at_once_and_each() {
    let capture_queue = Arc::new(CaptureQueue::new(Arc::new(SystemClock)));
    let told = ["the cat of mine is called Tofu", "any idea what it eats?", "I sold the boat by the way"];
    for (minute, text) in (0..).zip(told) {
        capture_queue.push(for_summary(0, minute, text), true);
    }
    let mut judged = Vec::new();
    while let Some(in_flight) = capture_queue.next() {
        assert!(in_flight.exchange.settings.preferences && !in_flight.exchange.settings.sessions);
        judged.push(in_flight.exchange.burst[0].text.clone());
    }
    assert_eq!(judged, told);
    advance(Duration::from_secs(5)).await;
    let summary = capture_queue.next().unwrap().exchange.settings.clone();
    assert!(summary.sessions && !summary.preferences, "the session has one summary");
    assert!(capture_queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn jv1_a_farewell_takes_no_summarys_place() {
    let capture_queue = Arc::new(CaptureQueue::new(Arc::new(SystemClock)));
    let secret = "my password is hunter2 and yours too";
    for (said, summed) in [
        (["the crane is broken again", "thanks, bye"], "the crane is broken again"),
        (["the crane is broken again", secret], "the crane is broken again"),
        (["hi", "bye"], "hi"),
        (["hi", "the crane is broken again"], "the crane is broken again"),
        ([secret, "bye"], secret), // neither of them leads to a summary
    ] {
        for text in said {
            capture_queue.push(Exchange { reply: String::new(), ..for_summary(0, 0, text) }, false);
        }
        capture_queue.flush();
        assert_eq!(begun(&capture_queue), [summed]);
    }
}

#[tokio::test(start_paused = true)]
async fn jv1_what_is_no_summary_of_the_same_sitting_alone_does_not_wait() {
    let capture_queue = Arc::new(CaptureQueue::new(Arc::new(SystemClock)));
    capture_queue.push(for_summary(0, 0, "the crane is broken again"), false);
    capture_queue.push(for_summary(0, 45, "the pier needs new paint"), false);
    assert_eq!(begun(&capture_queue), ["the crane is broken again"], "its sitting is over");
    capture_queue.push(exchange_in(0, 1), false);
    assert_eq!(
        begun(&capture_queue),
        ["the pier needs new paint", ""],
        "the facts of a later one are wanted"
    );
    assert!(capture_queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn s9_when_too_many_are_debounced_the_oldest_is_captured_early() {
    let capture_queue = Arc::new(CaptureQueue::new(Arc::new(SystemClock)));
    for channel in 0..300 {
        capture_queue.push(for_summary(channel, 0, &format!("the ferry comes to pier {channel}")), false);
    }
    let early = begun(&capture_queue);
    assert_eq!((early.len(), early[0].as_str()), (44, "the ferry comes to pier 0"));
    assert_eq!((capture_queue.waiting(), capture_queue.postponed.load(Ordering::Relaxed)), (256, 0));
    capture_queue.flush();
    assert_eq!(begun(&capture_queue).len(), 256);
}

#[tokio::test(start_paused = true)]
async fn s10_what_is_flushed_is_waited_for_and_what_is_debounced_is_not() {
    let capture_queue = Arc::new(CaptureQueue::new(Arc::new(SystemClock)));
    capture_queue.push(for_summary(0, 0, "the crane is broken again"), false);
    capture_queue.settled().await;
    capture_queue.flush();
    assert!(!capture_queue.is_settled());
    let in_flight = capture_queue.next().unwrap();
    assert!(!capture_queue.is_settled());
    drop(in_flight);
    capture_queue.settled().await;
}
