//! The replies of the responses API.

use std::sync::{Arc, Mutex};

use super::*;
use crate::dialect::testing::{StreamStep, document, info, streamed};

fn format() -> ResponseFormat<impl Fn(String, RequestMessage)> {
    ResponseFormat::new(info(), Echo::default(), |_, _| {})
}

#[test]
fn e1_a_text_has_the_whole_sequence_of_events() {
    let said = [StreamStep::Text("It "), StreamStep::Text("rains."), StreamStep::End(Finish::Stop)];
    insta::assert_snapshot!(streamed(format(), &said));
}

#[test]
fn e1_calls_are_items_of_their_own() {
    let said = [
        StreamStep::Text("Let me see."),
        StreamStep::Call("a", "{}"),
        StreamStep::Call("b", "{}"),
        StreamStep::End(Finish::ToolCalls),
    ];
    insta::assert_snapshot!(streamed(format(), &said));
}

#[test]
fn e1_a_stream_that_breaks_says_so_and_an_empty_one_is_whole() {
    insta::assert_snapshot!(streamed(format(), &[StreamStep::Text("It "), StreamStep::Failed]));
    assert!(streamed(format(), &[StreamStep::End(Finish::Stop)]).contains("response.completed"));
}

#[test]
fn e1_the_document_of_a_response() {
    insta::assert_json_snapshot!(document(format(), "Let me see.", &["a"], Finish::ToolCalls));
    let cut = document(format(), "It", &[], Finish::Length);
    assert_eq!(
        (&cut["status"], &cut["incomplete_details"]["reason"]),
        (&json!("incomplete"), &json!("max_output_tokens"))
    );
}

#[test]
fn e1_items_are_kept_as_they_are_named_and_not_those_of_a_channel() {
    let kept = Arc::new(Mutex::new(Vec::new()));
    for stored in [false, true] {
        let keeping = kept.clone();
        let info = ReplyInfo { stored, ..info() };
        let reply = ResponseFormat::new(info, Echo::default(), move |id, message| {
            keeping.lock().unwrap().push((id, message))
        });
        let told = document(reply, "hi", &["a"], Finish::ToolCalls);
        if !stored {
            let ids: Vec<_> =
                told["output"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
            let kept: Vec<_> = kept.lock().unwrap().iter().map(|(id, _)| json!(id)).collect();
            assert_eq!(ids, kept);
        }
    }
    assert_eq!(kept.lock().unwrap().len(), 2);
}
