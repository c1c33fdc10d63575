//! How the page looks and acts, whoever looks and whatever stands on it.

use greenroom_tests::Answer;
use serde_json::json;

use crate::stage::{HOSTILE, Stage};

#[test]
fn everything_is_done_with_the_keyboard_alone() {
    let stage = Stage::new();
    stage.play("looks.mjs", "keyboard");
}

#[test]
fn light_and_dark_follow_the_system_or_the_choice_and_narrow_screens_fit() {
    let stage = Stage::new();
    stage.play("looks.mjs", "themes");
}

#[test]
fn mp4_a_text_stands_in_the_direction_of_its_letters() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text(
        "مرحبا بالعالم! (1)\n\n- عنصر أول، نعم.\n- second\n\n> שלום עולם\n\n```\nlet x = 1;\n```\n\nHello (1).",
    ));
    stage.play("looks.mjs", "directions");
}

#[test]
fn on_a_small_screen_everything_can_be_reached_and_nothing_covers_the_field() {
    let stage = Stage::new();
    for _ in 0..3 {
        stage.endpoint.push(Answer::text(&"A line of a long reply.\n\n".repeat(40)));
    }
    stage.play("looks.mjs", "small");
}

#[test]
fn the_accessibility_check_finds_nothing() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::tool_call("remember", &json!({ "text": "the deploy is on Tuesday" })));
    stage.play("looks.mjs", "accessible");
}

#[test]
fn hostile_names_messages_memories_and_replies_are_text() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::tool_call("remember", &json!({ "text": HOSTILE })));
    stage.endpoint.push(Answer::text(HOSTILE));
    stage.play("looks.mjs", "hostile");
}

#[test]
fn the_page_is_painted_before_any_answer_and_is_small() {
    let stage = Stage::new();
    stage.play("looks.mjs", "fast");
}

/// E: a picture showed a memory that was corrected in the same conversation.
/// `GREENROOM_BLESS=1 cargo test -p greenroom-tests --test inspector pictures` takes both anew.
#[test]
fn the_pictures_show_a_correction_that_is_applied() {
    let stage = Stage::with("Bob");
    for reply in [
        "Noted: **Tuesday** at nine.",
        "Changed: it leaves on **Wednesday** at nine, no longer on Tuesday.",
        "On **Wednesday** at nine; you moved it from Tuesday.\n\nBefore that you wanted to:\n\n1. freeze the branch\n2. run `scripts/test` three times\n3. write the changelog",
    ] {
        stage.endpoint.push(Answer::text(reply));
    }
    stage.play("looks.mjs", "pictures");
}
