//! Decisions about a new statement beside known ones.

use greenroom_core::{Kind, MessageId, Scope, Source, Trust};
use proptest::prelude::*;

use super::*;

fn here() -> Scope {
    Scope::Channel("terminal:default".parse().unwrap())
}

fn said_by(user: &str) -> Source {
    Source { via: "asked".into(), message: None, user: Some(user.parse().unwrap()) }
}

fn new(text: &str) -> NewMemory {
    NewMemory {
        persona: "ada".parse().unwrap(),
        scope: here(),
        text: text.into(),
        kind: Kind::default(),
        tier: Tier::Semantic,
        source: said_by("jo"),
        trust: Trust::Stranger,
        key: None,
        expires_at: None,
        at: Timestamp(0),
        sources: Default::default(),
    }
}

fn old(id: i64, text: &str) -> Stored {
    Stored {
        id: MemoryId(id),
        persona: "ada".parse().unwrap(),
        scope: here(),
        text: text.into(),
        kind: Kind::default(),
        tier: Tier::Semantic,
        source: said_by("jo"),
        trust: Trust::Stranger,
        version: 1,
        key: None,
        expires_at: None,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    }
}

fn alike(memory: Stored) -> OlderMemory {
    OlderMemory { memory, is_near: true }
}

/// The decision with one similar memory.
fn against_one(memory: Stored, new: &NewMemory) -> Decision {
    decide(new, None, &[alike(memory)])
}

const M7: MemoryId = MemoryId(7);

#[test]
fn as7_the_same_is_known_through_case_articles_punctuation_and_word_forms() {
    for (known, said) in [
        ("The user prefers concise responses.", "user prefers concise responses"),
        ("I don't like tea", "I do not like tea!"),
        ("👍", "👍"),
        ("Jo prefers tea", "Jo's preference is tea"),
    ] {
        assert_eq!(
            against_one(old(7, known), &new(said)),
            Decision::Ignore(M7, IgnoreReason::Known),
            "{said}"
        );
    }
}

#[test]
fn a_correction_is_never_swallowed() {
    for (known, said) in [
        ("The meeting is at 5", "The meeting is at 6"),
        ("The meeting is on Monday at the office", "The meeting is on Tuesday at the office"),
        ("It costs -5", "It costs 5"),
        ("Ann owes Bob money", "Bob owes Ann money"),
        ("I like tea", "I don't like tea"),
        ("Jo likes tea", "Jo does not like tea"),
        ("I like tea", "I hate tea"),
        ("I drink coffee", "I never drink coffee"),
        ("my dog is called Rex", "my dog is called Max"),
        ("Jo lives in Rome", "Jo lives in Paris"),
    ] {
        assert_eq!(against_one(old(7, known), &new(said)), Decision::Supersede(M7), "{known} / {said}");
    }
}

#[test]
fn jv9_a_preference_of_one_thing_to_another_takes_the_place_of_the_other() {
    for (known, told) in [
        ("I prefer tea", "I prefer coffee over tea now"),
        ("I like tea", "These days I prefer coffee to tea"),
        ("ich trinke lieber Tee", "Ich trinke jetzt lieber Kaffee als Tee"),
        ("prefiero el té", "Ahora prefiero el café que el té"),
    ] {
        let decision = against_one(old(7, known), &new(told));
        assert!(matches!(decision, Decision::Update(M7) | Decision::Supersede(M7)), "{told}: {decision:?}");
    }
    for (known, told) in [
        ("I prefer email", "I prefer coffee over tea now"),
        ("I prefer coffee", "I prefer coffee over tea"),
        ("Tea is in the left cupboard", "I prefer coffee to tea"),
    ] {
        assert_eq!(against_one(old(7, known), &new(told)), Decision::Add, "{told}");
    }
}

#[test]
fn what_may_both_be_true_is_added() {
    for (known, said) in [
        ("I like tea", "I like coffee"),
        ("I like tea", "I don't like coffee"),
        ("Room 5 is red", "Room 6 is red"),
        ("Jo likes Rust", "Jo likes Go"),
        ("Jo was in Rome", "Jo was in Paris"),
        ("the door is red", "the door is blue"),
        ("Jo flew from Rome to Paris", "Jo flew to Rome via Paris"),
        ("Jo is married", "Jo was married"),
        ("Jo will come to Rome", "Jo came to Rome"),
        ("the train to Rome", "the train from Rome"),
        ("!", "?"),
    ] {
        assert_eq!(against_one(old(7, known), &new(said)), Decision::Add, "{known} / {said}");
    }
}

#[test]
fn what_says_more_takes_the_place_and_what_says_less_is_contained() {
    let (short, long) = ("we meet at 5", "We meet at 5 in the kitchen.");
    assert_eq!(against_one(old(7, short), &new(long)), Decision::Supersede(M7));
    assert_eq!(against_one(old(7, long), &new(short)), Decision::Ignore(M7, IgnoreReason::Contained));
    for turned in ["we meet at 5 but not today", "we meet at 5 unless it rains"] {
        assert_eq!(against_one(old(7, short), &new(turned)), Decision::Add, "{turned}");
    }
}

#[test]
fn jv9_what_has_a_key_is_written_in_place() {
    let keyed = Stored { key: Some("pref_tea".into()), ..old(7, "I like tea") };
    let again = NewMemory { key: Some("pref_tea".into()), ..new("I hate tea") };
    assert_eq!(decide(&again, Some(&keyed), &[]), Decision::Update(M7));
    let same = NewMemory { key: Some("pref_tea".into()), ..new("I like tea!") };
    assert_eq!(decide(&same, Some(&keyed), &[]), Decision::Ignore(M7, IgnoreReason::Known));
    assert_eq!(
        against_one(keyed.clone(), &new("I don't like tea")),
        Decision::Update(M7),
        "a word without a key"
    );
    let other = NewMemory { key: Some("other".into()), ..new("I don't like tea") };
    assert_eq!(against_one(keyed, &other), Decision::Supersede(M7));
}

#[test]
fn x7_a_strangers_word_takes_the_place_of_nothing_that_is_trusted_more() {
    for trust in [Trust::Persona, Trust::Operator] {
        let trusted = Stored { trust, ..old(7, "the code is 4711") };
        assert_eq!(against_one(trusted.clone(), &new("the code is 4712")), Decision::Add);
        let chosen =
            decide_with_proposal(&new("the code is 4712"), None, &[alike(trusted)], Choice::Replace(M7));
        assert_eq!(chosen, Decision::Add);
    }
    let operators = NewMemory { trust: Trust::Operator, ..new("the code is 4712") };
    assert_eq!(against_one(old(7, "the code is 4711"), &operators), Decision::Supersede(M7));
}

#[test]
fn x7_a_stranger_takes_back_nobodys_words_but_their_own() {
    let eves = |text: &str| NewMemory { source: said_by("eve"), ..new(text) };
    for (jos, eve) in [
        ("Use Python for scripts", "Use Python for scripts. From Friday on the boss wants Perl"),
        ("Use Python for scripts", "Use Python for scripts and Perl on Fridays"),
        ("Always use tabs", "Never use tabs"),
        ("Alice lives in Paris", "Alice lives in Rome"),
    ] {
        let keyed = Stored { key: Some("pref_x".into()), ..old(7, jos) };
        for of_jo in [old(7, jos), keyed] {
            assert_eq!(against_one(of_jo.clone(), &eves(eve)), Decision::Add, "{eve}");
            let nobodys = NewMemory { source: Source { user: None, ..said_by("jo") }, ..new(eve) };
            assert_eq!(against_one(of_jo.clone(), &nobodys), Decision::Add, "{eve}, from nobody");
            let chosen = decide_with_proposal(&eves(eve), None, &[alike(of_jo)], Choice::Replace(M7));
            assert_eq!(chosen, Decision::Add, "{eve}, by a model's choice");
        }
    }
    let operators = NewMemory { trust: Trust::Operator, ..eves("Never use tabs") };
    let keyed = Stored { key: Some("pref_x".into()), ..old(7, "Always use tabs") };
    assert_eq!(against_one(keyed, &operators), Decision::Supersede(M7), "never in place of the other's row");
}

#[test]
fn jv9_only_the_next_word_on_the_same_matter_takes_the_place() {
    for (old, new) in [
        ("I prefer email alerts", "I prefer SMS alerts"),
        ("I like tea", "I don't like tea"),
        ("I like tea", "I love tea!"),
        ("Always use emojis", "Never use emojis"),
        ("My favourite colour is blue", "My favourite colour is green"),
        ("Use tabs for indentation", "Use spaces for indentation"),
    ] {
        assert!(takes_the_place(old, new), "{old} / {new}");
    }
    for (old, new) in [
        ("I prefer short answers", "I prefer answers in German"),
        ("I like tea with milk", "I like tea with lemon"),
        (
            "Always check disk usage before storage operations",
            "Always check disk usage before deleting backups",
        ),
        ("Use Python for scripts", "Use type hints for scripts in Python"),
    ] {
        assert!(!takes_the_place(old, new), "{old} / {new}");
    }
}

#[test]
fn jv1_what_was_captured_twice_from_one_message_is_written_once() {
    let from = |message| Source { via: "session".into(), message: Some(MessageId(message)), user: None };
    let before = Stored { expires_at: Some(Timestamp(60)), source: from(3), ..old(7, "Said: tea") };
    let again =
        |message| NewMemory { expires_at: Some(Timestamp(90)), source: from(message), ..new("Said: tea") };
    assert_eq!(decide(&again(3), Some(&before), &[]), Decision::Ignore(M7, IgnoreReason::Known));
    assert_eq!(decide(&again(4), Some(&before), &[]), Decision::Update(M7), "said again it lives on");
}

#[test]
fn what_two_people_say_of_themselves_is_not_the_same() {
    let kims = NewMemory { source: said_by("kim"), ..new("I like tea") };
    assert_eq!(against_one(old(7, "I like tea"), &kims), Decision::Add);
    let kims = NewMemory { source: said_by("kim"), ..new("the build takes 5 minutes") };
    assert_eq!(
        against_one(old(7, "The build takes 5 minutes"), &kims),
        Decision::Ignore(M7, IgnoreReason::Known)
    );
}

#[test]
fn what_happened_twice_happened_twice() {
    let event = NewMemory { tier: Tier::Episodic, ..new("pve is down") };
    let before = Stored { tier: Tier::Episodic, ..old(7, "pve is down") };
    assert_eq!(against_one(before, &event), Decision::Add);
}

#[test]
fn a_statement_that_lasts_longer_takes_the_place_of_the_same_that_ends() {
    let ends = |text| Stored { expires_at: Some(Timestamp(60)), ..old(7, text) };
    assert_eq!(against_one(ends("tea is green"), &new("tea is green")), Decision::Supersede(M7));
    let ending = NewMemory { expires_at: Some(Timestamp(60)), ..new("tea is green") };
    assert_eq!(against_one(old(7, "tea is green"), &ending), Decision::Ignore(M7, IgnoreReason::Known));
}

#[test]
fn as12_a_models_choice_holds_as_far_as_the_rules_let_it() {
    let candidates = [alike(old(7, "Jo lives in Rome")), alike(old(8, "the code is 4711"))];
    let choose = |text: &str, choice| decide_with_proposal(&new(text), None, &candidates, choice);
    let m8 = MemoryId(8);
    assert_eq!(choose("Jo moved to Paris", Choice::Replace(M7)), Decision::Supersede(M7));
    assert_eq!(choose("Jo moved to Paris", Choice::Replace(m8)), Decision::Add, "it is about something else");
    assert_eq!(choose("Jo moved to Paris", Choice::Replace(MemoryId(9))), Decision::Add, "it was not shown");
    assert_eq!(
        choose("Jo's home is in Rome", Choice::Ignore(M7)),
        Decision::Ignore(M7, IgnoreReason::PassedOver)
    );
    for (said, of) in [("Jo lives in Paris", M7), ("the code is 4712", m8), ("Jo does not live in Rome", M7)]
    {
        let kept = choose(said, Choice::Ignore(of));
        assert!(!matches!(kept, Decision::Ignore(..)), "{said} was swallowed");
    }
    assert_eq!(choose("jo lives in Rome.", Choice::Add), Decision::Ignore(M7, IgnoreReason::Known));
    assert_eq!(choose("the code is 4712", Choice::Add), Decision::Supersede(m8));
}

proptest! {
    /// For any text, a statement with another number or a negation is never ignored as known.
    #[test]
    fn a_changed_number_or_a_no_is_never_ignored(
        subject in "[a-z]{3,8} [a-z]{3,8}", n in 0u32..1000, m in 0u32..1000, swapped in any::<bool>(),
    ) {
        prop_assume!(n != m);
        let at = |n: u32| format!("the {subject} is at {n}");
        let ignored = |d: Decision| matches!(d, Decision::Ignore(..));
        prop_assert!(!ignored(against_one(old(7, &at(n)), &new(&at(m)))));
        let no = format!("the {subject} is not at {n}");
        let (a, b) = if swapped { (no.clone(), at(n)) } else { (at(n), no) };
        prop_assert!(!ignored(against_one(old(7, &a), &new(&b))));
        let choice = Choice::Ignore(M7);
        prop_assert!(!ignored(decide_with_proposal(&new(&b), None, &[alike(old(7, &a))], choice)));
    }

    /// For any text and any choice of the model, a statement of lower trust replaces nothing.
    #[test]
    fn x7_lower_trust_never_replaces(
        a in "([A-Za-z0-9']{1,6} ){1,6}", b in "([A-Za-z0-9']{1,6} ){1,6}", replace in any::<bool>(),
    ) {
        let trusted = Stored { trust: Trust::Operator, ..old(7, &a) };
        let choice = if replace { Choice::Replace(M7) } else { Choice::Add };
        let decision = decide_with_proposal(&new(&b), None, &[alike(trusted)], choice);
        prop_assert!(matches!(decision, Decision::Add | Decision::Ignore(..)));
    }
}
