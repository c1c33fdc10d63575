//! When entries of a lorebook are triggered, and by what (PF4).

use serde_json::{Value, json};

use super::*;
use crate::{Fate, Macros, Seed, receipt::Ledger};

fn book(entries: Value) -> Lorebook {
    whole(json!({ "entries": entries, "recursive_scanning": true, "scan_depth": 3 }))
}

fn whole(book: Value) -> Lorebook {
    Lorebook::read(&book, "", &mut Ledger::default()).unwrap()
}

/// Messages that the person and the persona say in turn; the person says the last one.
fn said(texts: &[&str]) -> Vec<LoreLine> {
    let last = texts.len() % 2;
    let message = |(n, text): (usize, &&str)| LoreLine {
        id: n as u64 + 1,
        text: (*text).into(),
        is_own: n % 2 == last,
    };
    texts.iter().enumerate().map(message).collect()
}

fn nova(seed: u64) -> Macros<'static> {
    let seed = Seed::of(&[seed]);
    Macros { char: "Nova", user: "Mia", seed, lasting: seed }
}

fn found(book: &Lorebook, texts: &[&str]) -> Vec<String> {
    activate(book, &said(texts), nova(7)).iter().map(|it| it.entry.content.clone()).collect()
}

#[test]
fn pf4_a_key_in_the_last_messages_triggers_its_entry_whatever_its_case() {
    let book = book(json!([{ "keys": ["Warp drive", "engine"], "content": "fast" }]));
    assert_eq!(found(&book, &["is the WARP DRIVE ready?"]), ["fast"]);
    assert_eq!(
        found(&book, &["the engine", "yes", "no", "well"]),
        Vec::<String>::new(),
        "older than the scan depth"
    );
    let triggers = activate(&book, &said(&["what an engine"]), nova(7));
    assert_eq!(triggers[0].trigger.to_string(), "triggered by “engine”");
}

#[test]
fn pf4_case_and_whole_words_count_where_the_entry_says_so() {
    let book = book(json!([
        { "keys": ["Ada"], "content": "case", "case_sensitive": true },
        { "keys": ["cat"], "content": "word" },
        { "keys": ["cat"], "content": "part", "matchWholeWords": false },
        { "keys": ["old ca"], "content": "several" },
    ]));
    assert_eq!(found(&book, &["ada has an old category"]), ["part", "several"]);
    assert_eq!(found(&book, &["Ada has a cat."]), ["case", "word", "part"]);
}

/// `夜` is a word although letters touch it.
#[test]
fn pf4_words_are_whole_where_a_script_has_no_spaces() {
    let book =
        book(json!([{ "keys": ["夜"], "content": "night" }, { "keys": ["밤"], "content": "chestnut" }]));
    assert_eq!(found(&book, &["今夜は静か"]), ["night"]);
    assert_eq!(found(&book, &["밤에"]), ["chestnut"]);
}

#[test]
fn pf4_macros_in_keys_are_filled_in() {
    let book = book(json!([
        { "keys": ["{{char}}"], "content": "her" }, { "keys": ["dear {{user}}"], "content": "him" }, { "keys": ["{{odd}}"], "content": "none" },
    ]));
    assert_eq!(found(&book, &["nova, dear mia and {{odd}}"]), ["her", "him"]);
}

#[test]
fn pf4_secondary_keys_follow_their_logic() {
    let entry = |logic: u8| {
        book(
            json!([{ "key": ["a1"], "keysecondary": ["b1", "c1"], "selectiveLogic": logic, "content": "x" }]),
        )
    };
    let hits = |logic: u8| {
        ["a1", "a1 b1", "a1 b1 c1", "b1 c1"].map(|text| !found(&entry(logic), &[text]).is_empty())
    };
    assert_eq!(hits(0), [false, true, true, false], "and any");
    assert_eq!(hits(1), [true, true, false, false], "not all");
    assert_eq!(hits(2), [true, false, false, false], "not any");
    assert_eq!(hits(3), [false, false, true, false], "and all");
    let second = |fields: Value| {
        let mut entry = json!({ "keys": ["a1"], "secondary_keys": ["b1"], "content": "x" });
        entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        found(&book(json!([entry])), &["a1"]).len()
    };
    assert_eq!(second(json!({})), 1, "an entry of a card is selective where it says so");
    assert_eq!((second(json!({ "selective": false })), second(json!({ "selective": true }))), (1, 0));
}

#[test]
fn pf4_expressions_match_in_linear_time_and_a_hostile_one_is_refused() {
    let (hostile, looking) = ("/(x{1,50}){1,50}{1,50}/", "/(?<=a)b/");
    let mut ledger = Ledger::default();
    let raw = json!({ "entries": [
        { "keys": ["/drag(on|oon)s?/i"], "content": "beast" },
        { "keys": [hostile, looking], "content": "never" },
        { "keys": ["(a+)+$"], "use_regex": true, "content": "plus" },
    ]});
    let book = Lorebook::read(&raw, "", &mut ledger).unwrap();
    assert_eq!(found(&book, &["Dragoons!"]), ["beast"]);
    let tavern = json!({ "keys": ["a.c", "/x.z/"], "content": "words", "use_regex": true, "extensions": { "selectiveLogic": 0 } });
    let tavern = whole(json!({ "entries": [tavern] }));
    assert_eq!(["abc", "a.c", "xyz"].map(|text| found(&tavern, &[text]).len()), [0, 1, 1]);
    assert_eq!(found(&book, &[&format!("{}!", "a".repeat(100_000))]), Vec::<String>::new());
    let lines = ledger.close();
    let refused: Vec<_> = lines.iter().filter(|line| line.fate == Fate::Refused).collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(refused[0].reason.contains("look-around"), "{refused:?}");
    assert!(refused[0].reason.ends_with("the entry has no other key"), "{refused:?}");
}

#[test]
fn pf3_each_part_of_a_lorebook_has_one_line() {
    let mut ledger = Ledger::default();
    let raw = json!({ "entries": [
        { "keys": ["/(?<=a)b/"], "content": "never" },
        { "keys": ["/(?<=a)b/", "tea"], "content": "@@blink 1\ngreen", "vectorized": true },
        { "keys": [], "content": "without a key" },
        { "keys": [], "content": "always", "constant": true },
        { "keys": [""], "content": "with an empty key" },
    ]});
    Lorebook::read(&raw, "", &mut ledger).unwrap();
    let lines = ledger.close();
    let shown: Vec<(&str, Fate)> = lines.iter().map(|line| (line.field.as_str(), line.fate)).collect();
    assert_eq!(
        shown,
        [
            ("entries[1]", Fate::Effective),
            ("entries[3]", Fate::Effective),
            ("entries[1].content", Fate::Kept),
            ("entries[1].vectorized", Fate::Kept),
            ("entries[2]", Fate::Kept),
            ("entries[4]", Fate::Kept),
            ("entries[0]", Fate::Refused),
            ("entries[1].keys[0]", Fate::Refused),
        ]
    );
}

#[test]
fn pf4_entries_trigger_entries_unless_they_are_excluded() {
    let chain = |extra: Value| {
        let mut entries = json!([{ "keys": ["castle"], "content": "the king lives here" }, { "keys": ["king"], "content": "Arthur" }]);
        entries[1].as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        entries
    };
    assert_eq!(found(&book(chain(json!({}))), &["castle"]), ["the king lives here", "Arthur"]);
    assert_eq!(
        found(&book(chain(json!({ "excludeRecursion": true }))), &["castle"]),
        ["the king lives here"]
    );
    assert_eq!(found(&book(chain(json!({ "delayUntilRecursion": true }))), &["king"]), Vec::<String>::new());
    let flat = whole(json!({ "entries": chain(json!({})), "recursive_scanning": false }));
    assert_eq!(found(&flat, &["castle"]), ["the king lives here"]);
    let silent = whole(json!({ "entries": chain(json!({})) }));
    assert_eq!(found(&silent, &["castle"]), ["the king lives here", "Arthur"]);
    let book = book(chain(json!({})));
    let by = activate(&book, &said(&["castle"]), nova(1));
    assert_eq!(by[1].trigger.to_string(), "triggered by “king” in another entry");
}

#[test]
fn pf4_probability_is_decided_by_the_seed() {
    let book = book(json!([{ "keys": ["a"], "content": "x", "probability": 50, "useProbability": true }]));
    let hits = (0..400).filter(|seed| !activate(&book, &said(&["a"]), nova(*seed)).is_empty()).count();
    assert!((150..250).contains(&hits), "{hits}");
    assert_eq!(found(&book, &["a"]), found(&book, &["a"]));
}

#[test]
fn pf4_a_sticky_entry_stays_and_then_rests() {
    let book =
        book(json!([{ "keys": ["storm"], "content": "rain", "sticky": 3, "cooldown": 4, "scanDepth": 1 }]));
    let talk = ["storm", "yes", "go on", "yes", "storm", "yes", "storm", "yes", "storm"];
    let at = |length: usize| !found(&book, &talk[..length]).is_empty();
    assert!(at(1), "triggered");
    assert!(at(3), "it stays for three messages");
    assert!(!at(5) && !at(7), "it rests for four more");
    assert!(at(9), "and can be triggered again");
}

#[test]
fn pf4_a_delay_waits_for_messages() {
    let book = book(json!([{ "keys": ["a"], "content": "x", "delay": 3 }]));
    assert_eq!(found(&book, &["a"]), Vec::<String>::new());
    assert_eq!(found(&book, &["a", "b", "a"]), ["x"]);
}

#[test]
fn pf4_one_entry_of_a_group_enters() {
    let group = |extra: Value| {
        let mut entries = json!([
            { "keys": ["a"], "content": "light", "group": "g", "groupWeight": 1, "order": 1 },
            { "keys": ["a"], "content": "heavy", "group": "g, h", "groupWeight": 99, "order": 2 },
        ]);
        entries[0].as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        book(entries)
    };
    let weighted = group(json!({}));
    let heavy = (0..200).filter(|seed| {
        let found = activate(&weighted, &said(&["a"]), nova(*seed));
        assert_eq!(found.len(), 1);
        found[0].entry.content == "heavy"
    });
    assert!(heavy.count() > 180);
    assert_eq!(found(&group(json!({ "groupOverride": true })), &["a"]), ["light"]);
}

#[test]
fn pf4_places_are_read_from_words_numbers_and_extensions() {
    let book = book(json!([
        { "content": "1", "constant": true, "position": "after_char_defs" },
        { "content": "2", "constant": true, "position": 4, "depth": 2, "role": 2 },
        { "content": "3", "constant": true, "position": "before_char", "extensions": { "position": 6 } },
        { "content": "4", "constant": true, "position": 2 },
        { "content": "5", "keys": ["card"] },
        { "content": "6", "key": ["World Info"] },
    ]));
    let places: Vec<Position> = book.entries.iter().map(|entry| entry.position).collect();
    let [after, before] = [Position::After, Position::Before];
    assert_eq!(
        places,
        [after, Position::Depth(2), Position::AfterExamples, Position::Depth(4), after, before]
    );
    assert_eq!(book.entries[1].speaker, Speaker::Assistant);
}

#[test]
fn pf4_decorators_are_stripped_and_followed() {
    let book = book(json!([
        { "keys": ["q"], "content": "@@depth 5\n@@role user\n@@unheard of\n@@exclude_keys b,c\ntext\n@@not one" },
        { "keys": ["none"], "content": "@@activate\nalways" },
        { "constant": true, "content": "@@dont_activate\nnever" },
        { "constant": true, "content": "@@activate_only_after 1\nlater" },
    ]));
    let entry = &book.entries[0];
    assert_eq!(
        (entry.content.as_str(), entry.position, entry.speaker),
        ("text\n@@not one", Position::Depth(5), Speaker::User)
    );
    assert_eq!(found(&book, &["q"]), ["text\n@@not one", "always"]);
    assert_eq!(found(&book, &["q b"]), ["always"]);
    assert_eq!(found(&book, &["x", "y", "z"]), ["always", "later"]);
}

/// Character Card V3, "Decorators": both count the character's messages in the log, without the reply to come.
#[test]
fn pf4_decorators_count_the_messages_of_the_persona() {
    let book = book(json!([
        { "constant": true, "content": "@@activate_only_every 3\nthird" },
        { "constant": true, "content": "@@activate_only_after 3\nlater" },
    ]));
    let after = |replies: u64| {
        let line = |id: u64| LoreLine { id, text: "hi".into(), is_own: id % 2 == 1 };
        let said: Vec<LoreLine> = (0..=2 * replies).map(line).collect();
        let found = activate(&book, &said, nova(1));
        found.iter().map(|it| it.entry.content.as_str()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 6].map(after),
        ["third", "", "", "third later", "later", "later", "third later"]
    );
}

#[test]
fn pf1_switched_off_and_empty_entries_are_kept_without_effect() {
    let book = book(json!({
        "7": { "uid": "x", "key": ["a"], "content": "off", "disable": true },
        "8": { "key": ["a"], "content": "" },
        "9": { "key": "a, b", "content": "on", "order": "" },
        "10": { "key": ["b"], "content": "for other kinds of replies", "triggers": ["quiet"] },
        "11": { "key": ["b"], "content": "for a macro", "position": 7 },
    }));
    assert_eq!(found(&book, &["b"]), ["on"]);
    assert_eq!(book.entries[0].order, 100);
}

#[test]
fn pf4_the_most_important_entry_comes_first() {
    let book = book(json!([
        { "constant": true, "content": "low", "insertion_order": 1 },
        { "constant": true, "content": "high", "insertion_order": 9 },
        { "constant": true, "content": "first", "insertion_order": 5, "priority": 50 },
    ]));
    assert_eq!(found(&book, &["x"]), ["first", "high", "low"]);
}

proptest::proptest! {
    #[test]
    fn pf8_no_book_and_no_conversation_panics(texts in proptest::collection::vec("[ab@ /\n]{0,12}", 1..6), seed in 0u64..9, n in 0usize..9) {
        let word = |n: usize| texts[n % texts.len()].clone();
        let book = whole(json!({ "recursive_scanning": true, "entries": [
            { "keys": [word(0), word(1)], "keysecondary": [word(2)], "content": word(3), "sticky": n, "cooldown": n, "selectiveLogic": n % 4 },
            { "keys": [format!("/{}/i", word(n))], "content": format!("@@{}", word(2)), "group": word(1), "probability": n * 20 },
            { "constant": true, "content": "ab", "group": word(1), "position": n },
        ]}));
        let said: Vec<LoreLine> = texts.iter().enumerate().map(|(n, text)| LoreLine { id: n as u64, text: text.clone(), is_own: n % 2 == 1 }).collect();
        let once = activate(&book, &said, nova(seed));
        proptest::prop_assert_eq!(&once, &activate(&book, &said, nova(seed)));
        proptest::prop_assert!(once.len() <= 3);
    }
}
