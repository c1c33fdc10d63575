//! Who answers what.

use std::{collections::HashMap, sync::Arc, time::Duration};

use proptest::prelude::*;

use super::*;

fn cast(of: &[(&str, &str, Answer)]) -> Vec<Arc<Persona>> {
    let one = |(name, display, answer): &(&str, &str, Answer)| {
        let mut p = Persona::new(name.parse().unwrap(), "");
        p.display_name = (*display).to_owned();
        p.room.answer = *answer;
        Arc::new(p)
    };
    of.iter().map(one).collect()
}

fn user() -> Author {
    Author::User { id: "u1".parse().unwrap(), name: "Mo".into() }
}

fn names(answering: Vec<(PersonaName, String)>) -> Vec<String> {
    answering.into_iter().map(|(name, _)| name.to_string()).collect()
}

fn hear(personas: &[Arc<Persona>], text: &str, to: Option<&str>) -> Vec<String> {
    let spoke_at = HashMap::new();
    let floor = Floor { personas, spoke_at: &spoke_at, now: Timestamp(0) };
    names(decide(&floor, &user(), text, to.map(|t| t.parse().unwrap()).as_ref()))
}

#[test]
fn wb12_whoever_is_addressed_answers_first_and_then_whoever_is_mentioned() {
    let cast = cast(&[("ada", "Ada", Answer::Mentioned), ("bob", "Bob", Answer::Mentioned)]);
    assert_eq!(hear(&cast, "hello", Some("bob")), ["bob"]);
    assert_eq!(hear(&cast, "hello @ada", Some("bob")), ["bob", "ada"]);
    assert_eq!(hear(&cast, "hello @bob", Some("bob")), ["bob"]);
    assert_eq!(hear(&cast, "hello", None), [""; 0]);
}

#[test]
fn s5_a_clock_that_ran_ahead_silences_nobody() {
    let personas = cast(&[("ada", "Ada", Answer::Always)]);
    let hears = |spoke_at: i64| {
        let spoke_at = HashMap::from([("ada".parse().unwrap(), Timestamp(spoke_at))]);
        let floor = Floor { personas: &personas, spoke_at: &spoke_at, now: Timestamp(1_000) };
        names(decide(&floor, &user(), "hello", None))
    };
    assert_eq!(hears(999), [""; 0], "it has just spoken");
    assert_eq!(hears(1_000_000_000), ["ada"]);
}

#[test]
fn wb12_mentions_count_in_any_case_by_either_name_in_their_order() {
    let cast = cast(&[("ada", "Countess Ada", Answer::Mentioned), ("bob", "Bob", Answer::Mentioned)]);
    assert_eq!(hear(&cast, "@BOB, ask @countess ADA!", None), ["bob", "ada"]);
    assert_eq!(hear(&cast, "@Ada and again @ada", None), ["ada"]);
}

#[test]
fn wb12_a_mention_is_a_whole_word() {
    let cast = cast(&[
        ("ada", "Ada", Answer::Mentioned),
        ("ada-two", "Ada Two", Answer::Mentioned),
        ("eve", "Ève", Answer::Mentioned),
    ]);
    for nobody in ["@adam", "mail@ada", "ada", "@", "@ ada", "@ada_x"] {
        assert_eq!(hear(&cast, nobody, None), [""; 0], "{nobody}");
    }
    assert_eq!(hear(&cast, "@ada-two", None), ["ada-two"]);
    assert_eq!(hear(&cast, "@ada two", None), ["ada-two"]);
    assert_eq!(hear(&cast, "(@ada)", None), ["ada"]);
    assert_eq!(hear(&cast, "@ada - come", None), ["ada"]);
    assert_eq!(hear(&cast, "@ÈVE?", None), ["eve"]);
}

#[test]
fn wb12_a_cooldown_holds_until_it_is_over_and_a_mention_overrides_it() {
    let cast = cast(&[("ada", "Ada", Answer::Always)]);
    let spoke_at = HashMap::from([("ada".parse().unwrap(), Timestamp(0))]);
    let said = |seconds, text, to: Option<&str>| {
        let now = Timestamp(0).after(Duration::from_secs(seconds));
        let floor = Floor { personas: &cast, spoke_at: &spoke_at, now };
        names(decide(&floor, &user(), text, to.map(|t| t.parse().unwrap()).as_ref()))
    };
    assert_eq!(said(29, "well?", None), [""; 0]);
    assert_eq!(said(30, "well?", None), ["ada"]);
    assert_eq!(said(1, "well, @Ada?", None), ["ada"]);
    assert_eq!(said(1, "well?", Some("ada")), ["ada"]);
}

#[test]
fn wb12_a_persona_never_answers_itself_nor_another_one() {
    let cast = cast(&[("ada", "Ada", Answer::Always), ("bob", "Bob", Answer::Always)]);
    let spoke_at = HashMap::new();
    let floor = Floor { personas: &cast, spoke_at: &spoke_at, now: Timestamp(0) };
    let author = Author::Persona { name: "ada".parse().unwrap() };
    assert!(decide(&floor, &author, "@ada @bob", None).is_empty());
}

#[test]
fn a_persona_that_answers_nobody_answers_nobody() {
    let cast = cast(&[("mute", "Mute", Answer::Never)]);
    assert_eq!(hear(&cast, "@mute", Some("mute")), [""; 0]);
}

proptest! {
    /// The floor is decided for any text, each persona at most once, the addressed one first.
    #[test]
    fn gr7_any_text_is_decided(text in "(@|ada|bob|\\PC){0,30}", to in prop::option::of("(ada|bob)")) {
        let cast = cast(&[("ada", "Ada", Answer::Always), ("bob", "Bob", Answer::Mentioned)]);
        let answering = hear(&cast, &text, to.as_deref());
        let unique: std::collections::BTreeSet<_> = answering.iter().collect();
        prop_assert_eq!(unique.len(), answering.len());
        if let Some(to) = to { prop_assert_eq!(answering.first(), Some(&to)); }
    }
}
