//! What the page does where something is missing: a network, a clipboard, storage, rights, or a persona.

use crate::stage::Stage;

#[test]
fn rm1_members_that_cannot_be_read_make_no_other_persona_a_member() {
    let stage = Stage::new();
    stage.play("trouble.mjs", "members");
}

#[test]
fn rm3_a_name_in_code_or_a_quotation_is_no_mention_to_the_page_either() {
    let stage = Stage::new();
    stage.play("trouble.mjs", "quoted");
}

#[test]
fn a_first_call_that_fails_is_tried_again() {
    let stage = Stage::new();
    stage.play("trouble.mjs", "first");
}

#[test]
fn the_page_works_in_a_browser_that_keeps_nothing() {
    let stage = Stage::new();
    stage.play("trouble.mjs", "blocked");
}

#[test]
fn the_cast_of_an_open_page_is_the_one_of_the_server() {
    let stage = Stage::new();
    stage.play("trouble.mjs", "cast");
}

#[test]
fn a_text_is_copied_where_a_page_has_no_clipboard() {
    let stage = Stage::new();
    stage.play("trouble.mjs", "copies");
}

#[test]
fn a_user_is_not_offered_what_only_an_operator_may_see() {
    let stage = Stage::new();
    stage.play("trouble.mjs", "user");
}

#[test]
fn what_one_tab_has_read_is_read_in_every_tab() {
    let stage = Stage::new();
    stage.play("trouble.mjs", "read");
}

#[test]
fn an_edit_made_elsewhere_is_seen() {
    let stage = Stage::new();
    stage.play("trouble.mjs", "edited");
}
