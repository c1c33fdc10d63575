//! Cards and lorebooks in a context: their places, and what leaves first (PF4, PF5).

use greenroom_context::{CharacterBlock, CharacterKind, CharacterPlace, CharacterText, Layout};
use greenroom_core::{Outcome, Role};

use crate::scene::{PROMPT, Scene, fate, show, words};

fn text(id: &str, text: &str, place: CharacterPlace, kind: CharacterKind) -> CharacterText {
    CharacterText { id: id.into(), text: text.into(), place, kind, reason: format!("triggered by {id}") }
}

fn scene(texts: Vec<CharacterText>) -> Scene {
    Scene {
        character: CharacterBlock { texts, lore_budget: 100 },
        ..Scene::new().say(&["one", "two", "three", "four", "five"])
    }
}

#[test]
fn pf4_entries_are_at_their_places() {
    let depth = |depth, role| CharacterPlace::Depth { depth, role };
    let request = scene(vec![
        text("before", "BEFORE", CharacterPlace::BeforePrompt, CharacterKind::Lore(1)),
        text("after", "AFTER", CharacterPlace::AfterPrompt, CharacterKind::Lore(0)),
        text("deep", "DEEP", depth(2, Role::User), CharacterKind::Lore(2)),
        text("own", "OWN", depth(2, Role::Assistant), CharacterKind::Lore(3)),
        text("late", "LATE", depth(0, Role::User), CharacterKind::Instruction),
        text("far", "FAR", depth(99, Role::User), CharacterKind::Instruction),
        text("fifth", "FIFTH", depth(5, Role::User), CharacterKind::Instruction),
        text("hello", "HELLO", CharacterPlace::Opening, CharacterKind::Spare),
        text("example", "EXAMPLE", CharacterPlace::Examples, CharacterKind::Spare),
    ])
    .assemble();
    let shown: Vec<(Role, &str)> = request.messages.iter().map(|m| (m.role, m.content.as_str())).collect();
    let system = format!("BEFORE\n\n{PROMPT}\n\nAFTER\n\nEXAMPLE");
    assert_eq!(
        shown,
        [
            (Role::System, system.as_str()),
            // the first message is a message of the conversation
            (Role::User, "FAR"),
            (Role::Assistant, "HELLO"),
            (Role::User, "FIFTH"),
            (Role::User, "one"),
            (Role::Assistant, "two"),
            (Role::User, "three"),
            (Role::User, "DEEP"),
            (Role::Assistant, "OWN"),
            (Role::Assistant, "four"),
            (Role::User, "five"),
            (Role::User, "LATE"),
        ],
        "{}",
        show(&request.messages)
    );
    assert_eq!(fate(&request.receipt, "before"), (Outcome::Kept, "triggered by before"));
}

#[test]
fn pf4_entries_keep_to_their_budget_and_the_least_important_leaves() {
    let request = scene(vec![
        text("low", &words(60), CharacterPlace::BeforePrompt, CharacterKind::Lore(1)),
        text("high", &words(60), CharacterPlace::BeforePrompt, CharacterKind::Lore(0)),
    ])
    .assemble();
    assert_eq!(fate(&request.receipt, "high").0, Outcome::Kept);
    assert_eq!(
        fate(&request.receipt, "low"),
        (Outcome::Dropped, "over the lorebook's budget of 100 tokens; triggered by low")
    );
}

#[test]
fn pf5_examples_and_the_first_message_leave_before_the_conversation() {
    let full = scene(vec![
        text("hello", &words(20), CharacterPlace::Opening, CharacterKind::Spare),
        text("one", &words(30), CharacterPlace::Examples, CharacterKind::Spare),
        text("two", &words(30), CharacterPlace::Examples, CharacterKind::Spare),
    ]);
    let at = |window: usize| {
        let request = full.clone().window(window).assemble();
        let kept = |id: &str| fate(&request.receipt, id).0 == Outcome::Kept;
        (request.receipt.budget.history_messages, kept("hello"), kept("one"), kept("two"))
    };
    assert_eq!(at(200), (5, true, true, true));
    assert_eq!(at(110), (5, true, true, false));
    assert_eq!(at(75), (5, true, false, false));
    assert_eq!(at(45), (5, false, false, false));
}

#[test]
fn pf5_the_first_message_is_shown_with_the_whole_conversation_alone() {
    let hello = || vec![text("hello", "HELLO", CharacterPlace::Opening, CharacterKind::Spare)];
    let summarised = Scene { summary: Some("earlier".into()), ..scene(hello()) }.assemble();
    assert_eq!(fate(&summarised.receipt, "hello").0, Outcome::Dropped);
}

#[test]
fn pf4_a_full_context_drops_entries_before_it_fails() {
    let lore = text("lore", &words(60), CharacterPlace::AfterPrompt, CharacterKind::Lore(0));
    let request = scene(vec![lore]).window(40).assemble();
    assert_eq!(fate(&request.receipt, "lore").0, Outcome::Dropped);
    assert!(fate(&request.receipt, "lore").1.contains("no room"));
}

#[test]
fn pf4_the_demonstration_model_gets_no_entries_and_the_receipt_says_so() {
    let lore = text("lore", "LORE", CharacterPlace::AfterPrompt, CharacterKind::Lore(0));
    let request = scene(vec![lore]).layout(Layout::Demonstration).assemble();
    assert_eq!(
        fate(&request.receipt, "lore"),
        (Outcome::Dropped, "this model is given neither lorebooks nor examples")
    );
}
