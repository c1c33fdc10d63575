//! The gallery of personas, and the import of a file that is dropped on the page.

use crate::stage::Stage;

#[test]
fn pf3_a_dropped_file_shows_its_receipt_before_anything_is_written() {
    let stage = Stage::new();
    stage.play("gallery.mjs", "drops");
}

#[test]
fn pf1_a_card_with_a_picture_is_imported_once_and_stands_in_the_gallery() {
    let stage = Stage::new();
    stage.play("gallery.mjs", "imports");
}

#[test]
fn pf5_another_first_message_is_chosen_and_pf4_a_dropped_lorebook_is_added() {
    let stage = Stage::new();
    stage.play("gallery.mjs", "chooses");
    let book = std::fs::read_to_string(stage.home.path().join("personas/captain/lorebook.json")).unwrap();
    assert!(book.contains("It is old."), "{book}");
}
