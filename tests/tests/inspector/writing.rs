//! What is written and is not in the store yet: drafts, edits, and messages that were not sent.

use greenroom_tests::Answer;

use crate::stage::Stage;

#[test]
fn gr6_a_message_that_was_stored_though_its_answer_did_not_come_is_stored_once() {
    let stage = Stage::new();
    stage.play("writing.mjs", "once");
}

#[test]
fn a_text_that_fails_late_goes_to_the_field_of_its_own_channel() {
    let stage = Stage::new();
    stage.play("writing.mjs", "late");
}

#[test]
fn a_message_that_was_not_sent_is_sent_again_or_removed() {
    let stage = Stage::new();
    stage.play("writing.mjs", "again");
}

#[test]
fn bd6_a_message_without_memory_that_was_not_sent_stays_without_memory() {
    let stage = Stage::new();
    stage.play("writing.mjs", "forgetful");
}

#[test]
fn drafts_and_unsent_texts_outlast_the_end_of_a_session() {
    let stage = Stage::keyed();
    stage.play("writing.mjs", "session");
}

#[test]
fn an_edit_gives_the_draft_back() {
    let stage = Stage::new();
    stage.play("writing.mjs", "edits");
}

#[test]
fn keys_of_an_input_method_neither_send_nor_discard_and_enter_breaks_the_line_on_a_telephone() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text("One two").stall_after(1));
    stage.play("writing.mjs", "composed");
}
