//! The order of a cue queue.

use greenroom_core::{Author, MessageId};
use uuid::Uuid;

use super::*;
use crate::directory::Directory;

fn turn(n: u128) -> TurnId {
    TurnId(Uuid::from_u128(n))
}

/// The cues of one message; turn `10 * id` and the following belong to `personas` in order.
fn write(queue: &CueQueue, directory: &Directory, id: i64, personas: &[&str]) {
    let channel: greenroom_core::ChannelKey = "terminal:default".parse().unwrap();
    let (ticket, token) = directory.admit(&channel).unwrap();
    let author = Author::User { id: "u".parse().unwrap(), name: "Mo".into() };
    let message = Message { id: MessageId(id), ..Message::new(channel, id.to_string(), author, "hello") };
    let envelope = Arc::new(Envelope::new(message));
    let cues = personas.iter().enumerate().map(|(n, name)| Cue {
        turn: turn(10 * id as u128 + n as u128),
        persona: name.parse().unwrap(),
        envelope: envelope.clone(),
        begun: false,
        erased: 0,
        why: "addressed".into(),
        terms: ReplyTerms::default(),
        span: tracing::Span::none(),
        token: token.clone(),
    });
    queue.add(cues.collect(), ticket);
}

fn taken(queue: &CueQueue, name: &str) -> Vec<TurnId> {
    queue.take(&name.parse().unwrap()).iter().map(|cue| cue.turn).collect()
}

#[test]
fn the_second_persona_is_ready_when_the_first_has_ended() {
    let (queue, directory) = (CueQueue::default(), Directory::new(9));
    write(&queue, &directory, 1, &["ada", "bob"]);
    assert_eq!(taken(&queue, "bob"), []);
    assert_eq!(taken(&queue, "ada"), [turn(10)]);
    queue.ended(&[turn(10)]);
    assert_eq!(taken(&queue, "bob"), [turn(11)]);
}

#[test]
fn a_persona_plays_one_turn_at_a_time_and_a_burst_at_once() {
    let (queue, directory) = (CueQueue::default(), Directory::new(9));
    write(&queue, &directory, 1, &["ada"]);
    assert_eq!(taken(&queue, "ada"), [turn(10)]);
    write(&queue, &directory, 2, &["ada", "bob"]);
    write(&queue, &directory, 3, &["ada", "bob"]);
    assert_eq!(taken(&queue, "ada"), [], "the first is still being played");
    queue.ended(&[turn(10)]);
    assert_eq!(taken(&queue, "ada"), [turn(20), turn(30)]);
    queue.ended(&[turn(20), turn(30)]);
    assert_eq!(queue.ready(), ["bob".parse().unwrap()]);
    assert_eq!(taken(&queue, "bob"), [turn(21), turn(31)], "the burst reaches the second as a burst");
}

#[test]
fn s1_a_burst_is_in_the_order_of_its_messages_also_where_an_older_one_is_answered_again() {
    let (queue, directory) = (CueQueue::default(), Directory::new(9));
    write(&queue, &directory, 2, &["ada"]);
    write(&queue, &directory, 1, &["ada"]);
    assert_eq!(taken(&queue, "ada"), [turn(10), turn(20)]);
}

#[test]
fn what_is_withdrawn_lets_those_behind_it_go_on() {
    let (queue, directory) = (CueQueue::default(), Directory::new(9));
    write(&queue, &directory, 1, &["ada", "bob"]);
    assert_eq!(queue.withdraw(Some(&"ada".parse().unwrap())).len(), 1);
    assert_eq!(taken(&queue, "bob"), [turn(11)]);
    assert!(queue.withdraw(None).is_empty(), "what is being played goes on");
}

#[test]
fn s9_a_message_waits_until_its_last_turn_begins() {
    let (queue, directory) = (CueQueue::default(), Directory::new(1));
    write(&queue, &directory, 1, &["ada", "bob"]);
    let busy = || directory.admit(&"terminal:default".parse().unwrap()).is_err();
    taken(&queue, "ada");
    assert!(busy());
    queue.ended(&[turn(10)]);
    taken(&queue, "bob");
    assert!(!busy());
}

/// A person speaks while a cue is ready: the cue does not begin, and is withdrawn (RM5).
#[test]
fn rm5_what_is_held_begins_no_turn_until_it_is_let_go() {
    let (queue, directory) = (Arc::new(CueQueue::default()), Directory::new(9));
    write(&queue, &directory, 1, &["ada", "bob"]);
    write(&queue, &directory, 2, &["cleo"]);
    assert_eq!(taken(&queue, "ada"), [turn(10)]);
    queue.ended(&[turn(10)]);
    assert_eq!(taken(&queue, "cleo"), [turn(20)]);
    let held = queue.hold(|_| true);
    assert_eq!(held.under_way, 1);
    assert_eq!((taken(&queue, "bob"), queue.ready()), (vec![], vec![]));
    drop(held);
    assert_eq!(queue.ready(), ["bob".parse().unwrap()], "the message was not taken in");
    let withdrawn = queue.hold(|_| true).withdraw();
    assert_eq!(withdrawn.iter().map(|cue| cue.turn).collect::<Vec<_>>(), [turn(11)]);
    assert_eq!(queue.ready(), []);
}
