//! The order of a cue sheet.

use greenroom_core::{Author, MessageId, Timestamp};
use uuid::Uuid;

use super::*;
use crate::directory::Directory;

fn turn(n: u128) -> TurnId {
    TurnId(Uuid::from_u128(n))
}

/// The cues of one message; turn `10 * id` and the following belong to `personas` in order.
fn write(sheet: &CueSheet, directory: &Directory, id: i64, personas: &[&str]) {
    let channel: greenroom_core::ChannelKey = "terminal:default".parse().unwrap();
    let (ticket, _) = directory.admit(&channel).unwrap();
    let message = Arc::new(Message {
        id: MessageId(id),
        channel,
        event_id: id.to_string(),
        author: Author::User { id: "u".parse().unwrap(), name: "Mo".into() },
        text: "hello".into(),
        at: Timestamp(id),
        turn_id: None,
    });
    let cues = personas.iter().enumerate().map(|(n, name)| Cue {
        turn: turn(10 * id as u128 + n as u128),
        persona: name.parse().unwrap(),
        message: message.clone(),
        begun: None,
        erased: 0,
        why: "addressed".into(),
        project: None,
        disable_memory: false,
        wishes: Wishes::default(),
        span: tracing::Span::none(),
        events: mpsc::channel(1).0,
        _open: directory.admit(&"terminal:open".parse().unwrap()).unwrap().1,
    });
    sheet.add(cues.collect(), ticket);
}

fn taken(sheet: &CueSheet, name: &str) -> Vec<TurnId> {
    sheet.take(&name.parse().unwrap()).iter().map(|cue| cue.turn).collect()
}

#[test]
fn the_second_persona_is_ready_when_the_first_has_ended() {
    let (sheet, directory) = (CueSheet::default(), Directory::new(9));
    write(&sheet, &directory, 1, &["ada", "bob"]);
    assert_eq!(taken(&sheet, "bob"), []);
    assert_eq!(taken(&sheet, "ada"), [turn(10)]);
    sheet.ended(&[turn(10)]);
    assert_eq!(taken(&sheet, "bob"), [turn(11)]);
}

#[test]
fn a_persona_plays_one_turn_at_a_time_and_a_burst_at_once() {
    let (sheet, directory) = (CueSheet::default(), Directory::new(9));
    write(&sheet, &directory, 1, &["ada"]);
    assert_eq!(taken(&sheet, "ada"), [turn(10)]);
    write(&sheet, &directory, 2, &["ada", "bob"]);
    write(&sheet, &directory, 3, &["ada", "bob"]);
    assert_eq!(taken(&sheet, "ada"), [], "the first is still being played");
    sheet.ended(&[turn(10)]);
    assert_eq!(taken(&sheet, "ada"), [turn(20), turn(30)]);
    sheet.ended(&[turn(20), turn(30)]);
    assert_eq!(sheet.ready(), ["bob".parse().unwrap()]);
    assert_eq!(taken(&sheet, "bob"), [turn(21), turn(31)], "the burst reaches the second as a burst");
}

#[test]
fn what_is_withdrawn_lets_those_behind_it_go_on() {
    let (sheet, directory) = (CueSheet::default(), Directory::new(9));
    write(&sheet, &directory, 1, &["ada", "bob"]);
    assert_eq!(sheet.withdraw(Some(&"ada".parse().unwrap())).len(), 1);
    assert_eq!(taken(&sheet, "bob"), [turn(11)]);
    assert!(sheet.withdraw(None).is_empty(), "what is being played goes on");
}

#[test]
fn s9_a_message_waits_until_its_last_turn_begins() {
    let (sheet, directory) = (CueSheet::default(), Directory::new(1));
    write(&sheet, &directory, 1, &["ada", "bob"]);
    let busy = || directory.admit(&"terminal:default".parse().unwrap()).is_err();
    taken(&sheet, "ada");
    assert!(busy());
    sheet.ended(&[turn(10)]);
    taken(&sheet, "bob");
    assert!(!busy());
}
