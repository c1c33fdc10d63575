//! Channels, their members, and what people do with messages.

use greenroom_tests::Answer;
use serde_json::json;

use crate::stage::Stage;

#[test]
fn rm1_members_are_seen_invited_in_two_clicks_and_let_leave() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "members");
}

#[test]
fn rm3_why_says_who_answered_and_who_stayed_silent() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "decides");
}

#[test]
fn a_channel_is_created_in_two_clicks_and_marked_while_unread() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "channels");
}

#[test]
fn rm1_a_room_where_nothing_was_said_is_listed_and_its_name_is_taken() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "invited");
}

#[test]
fn channels_beyond_the_first_page_are_listed_when_they_are_wanted() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "many");
}

#[test]
fn gr10_what_is_erased_elsewhere_goes_from_an_open_page() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "erased");
}

#[test]
fn gr10_the_last_message_is_edited_and_its_reply_goes_on_every_page() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text("To the slip."));
    stage.endpoint.push(Answer::text("To the better text."));
    stage.play("rooms.mjs", "edits");
    let chats = stage.endpoint.chats();
    assert!(!chats.last().unwrap().to_string().contains("A slip"), "{chats:?}");
}

#[test]
fn a_reply_shows_what_it_answers_and_leads_there() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "replies");
}

#[test]
fn a_reply_that_comes_after_another_message_shows_what_it_answers_also_after_a_reload() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text("Paris, of course").stall_after(1));
    stage.endpoint.push(Answer::text("Lima"));
    stage.play("rooms.mjs", "late");
}

#[test]
fn a_mention_is_completed_by_keyboard_and_decides_who_answers() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "mentions");
    let asked = stage.endpoint.chats()[0].to_string();
    assert!(asked.contains("You are Bob"), "{asked}");
}

#[test]
fn a_message_that_nobody_answers_says_so() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "unanswered");
}

#[test]
fn the_introduction_is_for_the_first_visit() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "introduces");
}

#[test]
fn wb12_a_card_shows_a_persona_with_the_actions_that_fit_its_state() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "cards");
}

#[test]
fn of_ten_thousand_messages_a_window_is_in_the_page() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "window");
}

#[test]
fn days_authors_and_long_names_are_told_apart() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::tool_call("remember", &json!({ "text": "tea" })));
    stage.play("rooms.mjs", "days");
}

#[test]
fn rm7_an_account_that_is_called_like_a_persona_is_marked() {
    let stage = Stage::new();
    stage.play("rooms.mjs", "forged");
}
