//! Memories on the page.

use crate::stage::Stage;

#[test]
fn memories_are_added_edited_found_and_forgotten_with_a_receipt() {
    let stage = Stage::new();
    stage.play("memories.mjs", "lives");
}

#[test]
fn as8_a_search_within_a_scope_and_a_long_list_miss_nothing() {
    let stage = Stage::new();
    stage.play("memories.mjs", "within");
}

#[test]
fn gr10_forgetting_a_memory_names_the_message_that_stays() {
    let stage = Stage::new();
    stage.play("memories.mjs", "stays");
}

#[test]
fn mp1_what_was_told_in_private_is_opened_to_groups_and_closed_again() {
    let stage = Stage::new();
    stage.play("memories.mjs", "shares");
}

#[test]
fn mp8_the_page_tells_why_something_is_not_recalled_and_lets_it_be_found() {
    Stage::new().play("memories.mjs", "explains");
}

#[test]
fn bd6_memory_is_off_for_one_message_and_on_for_the_next() {
    let stage = Stage::new();
    stage.play("memories.mjs", "off_once");
    let chats = stage.endpoint.chats();
    let recalled = |at: usize| chats[at].to_string().contains("the deploy window is Tuesday");
    assert_eq!((recalled(0), recalled(1)), (false, true));
}
