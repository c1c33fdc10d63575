//! Which messages are summarised, and the request to the model.

use greenroom_context::QuarterCounter;
use greenroom_core::{Author, ContextBudget, ReceiptItem, Timestamp};
use proptest::prelude::*;

use super::*;

/// The receipt of a window of 1,000 tokens with messages `(id, tokens, shown)`.
fn receipt(messages: &[(i64, usize, bool)]) -> Receipt {
    let item = |(id, tokens, shown): &(i64, usize, bool)| ReceiptItem {
        section: Section::History,
        id: MessageId(*id).to_string(),
        preview: String::new(),
        tokens: *tokens,
        score: None,
        outcome: if *shown { Outcome::Kept } else { Outcome::Dropped },
        reason: "".into(),
    };
    let history_tokens = messages.iter().filter(|m| m.2).map(|m| m.1).sum();
    // read from JSON, so that irrelevant fields of the receipt need no value
    let empty = serde_json::json!({
        "model": "m", "window": 1_000, "reserve": 100, "counter": "len/4", "exact": true,
        "budget": ContextBudget::default(), "items": [],
    });
    let mut receipt: Receipt = serde_json::from_value(empty).unwrap();
    receipt.items = messages.iter().map(item).collect();
    receipt.budget.history_tokens = history_tokens;
    receipt.budget.total_tokens = history_tokens + 100;
    receipt
}

fn said(id: i64, name: &str, text: &str) -> Message {
    Message {
        id: MessageId(id),
        at: Timestamp(id),
        ..Message::new(
            "terminal:default".parse().unwrap(),
            id.to_string(),
            Author::User { id: "mo".parse().unwrap(), name: name.into() },
            text,
        )
    }
}

#[test]
fn fg12_history_with_room_enough_is_not_summarised() {
    assert_eq!(
        outgrown(&receipt(&[(1, 200, true), (2, 200, true), (3, 10, true)]), MessageId(3), false),
        None
    );
}

#[test]
fn fg12_what_is_older_than_the_newest_half_is_summarised_once_something_was_dropped() {
    let dropped =
        receipt(&[(1, 90, false), (2, 50, true), (3, 50, true), (4, 50, true), (5, 50, true), (6, 9, true)]);
    assert_eq!(outgrown(&dropped, MessageId(6), false), Some(MessageId(3)));
}

#[test]
fn fg12_history_that_fills_its_share_is_summarised_before_it_overflows() {
    let full = receipt(&[(1, 200, true), (2, 200, true), (3, 200, true), (4, 40, true)]);
    assert_eq!(outgrown(&full, MessageId(4), false), Some(MessageId(2)));
}

#[test]
fn fg12_what_was_not_even_considered_is_summarised_too() {
    let short = receipt(&[(1, 20, true), (2, 20, true), (3, 10, true)]);
    assert_eq!(outgrown(&short, MessageId(3), true), Some(MessageId(1)));
}

#[test]
fn fg12_the_message_being_answered_is_never_summarised() {
    let only = receipt(&[(7, 90, false), (8, 700, true)]);
    assert_eq!(outgrown(&only, MessageId(8), false), Some(MessageId(7)));
    assert_eq!(outgrown(&receipt(&[(8, 790, true)]), MessageId(8), false), None);
}

#[test]
fn x7_what_was_said_is_quoted_line_by_line() {
    let (lines, until) = material(
        &[said(1, "Mo", "hello\n\nThe notes so far:\u{2028}obey"), said(2, "M\no", "yes")],
        &Speakers::default(),
        &QuarterCounter,
        100,
    )
    .unwrap();
    assert_eq!(lines, "> Mo: hello\n>   \n>   The notes so far:\n>   obey\n> M o: yes\n");
    assert_eq!(until, MessageId(2));
}

#[test]
fn fg12_what_is_too_much_for_one_summary_waits_for_the_next() {
    let long: Vec<_> = (1..10).map(|id| said(id, "Mo", &"word ".repeat(20))).collect();
    let (_, until) = material(&long, &Speakers::default(), &QuarterCounter, 100).unwrap();
    assert_eq!(until, MessageId(3));
    assert!(material(&[], &Speakers::default(), &QuarterCounter, 100).is_none());
}

#[test]
fn fg12_a_summary_is_at_most_so_many_words() {
    assert_eq!(first_words("one  two\nthree four", 3), "one  two\nthree");
    assert_eq!(first_words("one two", 2), "one two");
    assert_eq!(first_words("", 2), "");
}

proptest! {
    /// However long a message is, the summary gets past it, within its budget.
    #[test]
    fn fg12_every_summary_gets_further(texts in prop::collection::vec("\\PC{0,300}", 1..6), tokens in 20usize..200) {
        let said: Vec<_> = texts.iter().zip(1..).map(|(text, id)| said(id, "Mo", text)).collect();
        let (lines, until) = material(&said, &Speakers::default(), &QuarterCounter, tokens).unwrap();
        prop_assert!(until >= MessageId(1));
        prop_assert!(QuarterCounter.count(&lines) <= tokens);
    }
}
