//! The replies of Ollama's API.

use super::*;
use crate::dialect::testing::{StreamStep, document, info, streamed};

/// The lines without the fields that depend on the time of the test.
fn timeless(text: &str) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        for field in ["total_duration", "eval_duration"] {
            line.as_object_mut().unwrap().remove(field);
        }
        lines += &format!("{line}\n");
    }
    lines
}

#[test]
fn e1_a_chat_is_told_in_lines() {
    let said =
        [StreamStep::Text("It "), StreamStep::Call("a", "{\"n\":1}"), StreamStep::End(Finish::ToolCalls)];
    insta::assert_snapshot!(timeless(&streamed(OllamaFormat::chat(info()), &said)));
    insta::assert_snapshot!(streamed(
        OllamaFormat::chat(info()),
        &[StreamStep::Text("It "), StreamStep::Failed]
    ));
}

#[test]
fn e1_a_prompt_is_answered_in_lines() {
    insta::assert_snapshot!(timeless(&streamed(
        OllamaFormat::generate(info()),
        &[StreamStep::Text("hi"), StreamStep::End(Finish::Length)]
    )));
}

#[test]
fn e1_the_document_of_a_chat() {
    let told = document(OllamaFormat::chat(info()), "Let me see.", &["a"], Finish::ToolCalls);
    insta::assert_snapshot!(timeless(&told.to_string()));
    assert_eq!(OllamaFormat::load_answer("ada", true)["done_reason"], "load");
}
