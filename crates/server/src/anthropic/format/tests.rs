//! The replies of Anthropic's API.

use super::*;
use crate::dialect::testing::{StreamStep, document, info, streamed};

fn format() -> MessageFormat {
    MessageFormat::new(info())
}

#[test]
fn e1_a_text_has_the_whole_sequence_of_events() {
    let said = [StreamStep::Text("It "), StreamStep::Text("rains."), StreamStep::End(Finish::Stop)];
    insta::assert_snapshot!(streamed(format(), &said));
}

#[test]
fn e1_calls_are_blocks_of_their_own() {
    let said = [
        StreamStep::Text("Let me see."),
        StreamStep::Call("a", "{}"),
        StreamStep::Call("b", "no JSON"),
        StreamStep::End(Finish::ToolCalls),
    ];
    insta::assert_snapshot!(streamed(format(), &said));
}

#[test]
fn e1_a_stream_that_breaks_says_so_and_an_empty_one_is_whole() {
    insta::assert_snapshot!(streamed(format(), &[StreamStep::Text("It "), StreamStep::Failed]));
    assert!(streamed(format(), &[StreamStep::End(Finish::Stop)]).contains("content_block_start"));
}

#[test]
fn e1_the_document_of_a_message() {
    insta::assert_json_snapshot!(document(format(), "Let me see.", &["a"], Finish::ToolCalls));
    assert_eq!(document(format(), "It", &[], Finish::Length)["stop_reason"], "max_tokens");
    assert_eq!(document(format(), "", &[], Finish::Refused)["stop_reason"], "refusal");
}
