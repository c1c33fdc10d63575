//! The difference of two statements, by their words alone. `decide.rs` calls it.

use greenroom_lang::{Contrast, contrast, ends_what, fold, replaces_fact};

use crate::words::{names, one_of, stems, words};

/// The relation of a new statement to an old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Difference {
    /// The new statement says the same.
    Same,
    /// The new statement says less.
    Less,
    /// The new statement says the same and more.
    More,
    /// The new statement contradicts the old one on the same subject.
    Correction,
    /// The statements are about different subjects, or the relation is unclear.
    Other,
}

/// Compares two statements word by word. If `alike` is set, different words with the same stems count as equal.
pub(super) fn difference(old: &str, new: &str, alike: bool) -> Difference {
    let (a, b) = (words(old), words(new));
    if a.is_empty() || b.is_empty() {
        return if old == new { Difference::Same } else { Difference::Other };
    }
    if a == b {
        Difference::Same
    } else if extends(&a, &b) {
        Difference::More
    } else if extends(&b, &a) {
        Difference::Less
    } else if prefers_to(&a, &b)
        || is_reordered(&a, &b)
        || is_negated(&a, &b)
        || has_another_value(old, new, &a, &b)
        || sets_aside(old, new)
        || ends_what(old, new)
    {
        Difference::Correction
    } else if alike && stems(old) == stems(new) && turns(&a) == turns(&b) {
        Difference::Same
    } else {
        Difference::Other
    }
}

/// Whether a preference replaces the one under the same key. It does if it says the same, perhaps more, or corrects it.
/// It also does if both differ in one place, either before a common end ("email alerts", "SMS alerts") or after a verb
/// ("is blue", "is green"). Otherwise both can hold, and have the same topic by chance. A fact about the person always
/// replaces the fact of its topic (MP6).
pub(crate) fn takes_the_place(old: &str, new: &str) -> bool {
    if replaces_fact(old, new) {
        return true;
    }
    let (a, b) = (words(old), words(new));
    let before = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[before..], &b[before..]);
    let after = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(x, y)| x == y).count();
    let short = |rest: &[String]| rest.len() - after <= LONGEST_VALUE;
    let behind_a_verb =
        a[..before].last().is_some_and(|word| matches!(word.as_str(), "is" | "are" | "called"));
    let in_one_place = short(rest_a) && short(rest_b) && (after > 0 || behind_a_verb);
    in_one_place
        || matches!(difference(old, new, false), Difference::Same | Difference::More | Difference::Correction)
}

/// Whether the new statement is a contrast that names the old value: "it's Linz now, not Graz" corrects "I live in
/// Graz". It is about the same subject if it contains nothing but the new value, or shares another word with the old
/// statement.
fn sets_aside(old: &str, new: &str) -> bool {
    let Some(Contrast { aside, kept }) = contrast(new) else { return false };
    let known: Vec<String> = words(old).iter().map(|word| fold(word)).collect();
    let is_known = |word: &String| known.contains(word) || !word.is_ascii() && old.contains(word.as_str());
    aside.iter().all(is_known) && (kept.len() == 1 || kept.iter().any(is_known)) && owns_the_same(&known, new)
}

/// Possessive words.
const OWN: &str =
    "my our mein meine meinen meinem meiner unser unsere mi mis nuestro nuestra mon ma mes notre nos";

/// Whether the old statement names every thing or person that the new one calls the author's own. "My sister lives in
/// Linz, not Graz" does not correct "I live in Graz".
fn owns_the_same(known: &[String], new: &str) -> bool {
    let told: Vec<String> = words(new).iter().map(|word| fold(word)).collect();
    told.windows(2).all(|pair| !one_of(OWN, &pair[0]) || known.contains(&pair[1]))
}

/// Small words that change the meaning of a statement: tense, direction, negation.
const TURNING: &str = "was were had will would can could should may might in on at to for from with by into about \
    before after not no never without";

fn turns(words: &[String]) -> Vec<&String> {
    words.iter().filter(|word| one_of(TURNING, word)).collect()
}

/// Words that begin an addition that does not change what comes before it.
const LINKS: &str = "in on at with for from because since near of by every and";
/// Words in an addition that contradict what comes before it.
const TURNS: &str = "not no never but except unless only until instead anymore if without";

/// Whether `long` is `short` with an addition: "we meet at 5", "we meet at 5 in the kitchen".
fn extends(short: &[String], long: &[String]) -> bool {
    let Some(added) = long.strip_prefix(short) else { return false };
    added.first().is_some_and(|word| one_of(LINKS, word)) && !added.iter().any(|word| one_of(TURNS, word))
}

/// Verbs of preferring one thing to another, and verbs of taste, in the four of the five languages that separate words.
const PREFERRING: &str = "prefer lieber prefiero préfère";
const TASTES: &str =
    "prefer like love lieber mag liebe trinke esse prefiero gusta gustan préfère aime j'aime";
/// Words between the two things, and words after the second one that name no thing.
const TO: &str = "over to than als que plutôt statt";
const OF_TIME: &str = "now these days nowadays anymore jetzt inzwischen heute ahora maintenant désormais a à the der die das el la le";

/// Whether the new preference prefers something else to the thing of the old one: "I prefer tea", "I prefer coffee over
/// tea now".
fn prefers_to(old: &[String], new: &[String]) -> bool {
    let has = |words: &[String], list: &str| words.iter().any(|word| one_of(list, word));
    let Some(at) = new.iter().rposition(|word| one_of(TO, word)).filter(|_| has(new, PREFERRING)) else {
        return false;
    };
    let things = |words: &[String]| {
        let telling = words.iter().filter(|word| !one_of(OF_TIME, word) && !one_of(TO, word));
        telling.cloned().collect::<Vec<_>>()
    };
    let (preferred, lesser) = (things(&new[..at]), things(&new[at + 1..]));
    let old = things(old);
    !lesser.is_empty() && has(&old, TASTES) && old.ends_with(&lesser) && !preferred.ends_with(&lesser)
}

fn is_reordered(a: &[String], b: &[String]) -> bool {
    let sorted = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort();
        words
    };
    sorted(a) == sorted(b)
}

/// Whether the two differ only in a negation: "I like tea", "I don't like tea", "I hate tea".
fn is_negated(a: &[String], b: &[String]) -> bool {
    let bare = |words: &[String]| -> (bool, Vec<String>) {
        let (mut no, mut rest) = (false, Vec::new());
        for word in words {
            match word.as_str() {
                "not" | "no" | "never" => no = !no,
                "hate" | "hates" | "dislike" | "dislikes" => {
                    no = !no;
                    rest.push("like".to_owned());
                }
                "love" | "loves" => rest.push("like".to_owned()),
                "do" | "does" | "did" | "any" | "anymore" | "longer" | "more" | "always" => {}
                other => rest.push(stems(other).pop().unwrap_or_else(|| other.to_owned())),
            }
        }
        (no, rest)
    };
    let (one, other) = (bare(a), bare(b));
    one.0 != other.0 && one.1 == other.1
}

/// Words before a value that can change: "is at 5", "costs 20", "is called Rex".
const MARKERS: &str = "is are am was were be at on by until from to in costs cost owes has have starts ends opens \
    closes leaves takes about around exactly";
/// The markers after which another name is another value.
const NAMED: &str = "is are am called named in";
/// The longest value, in words.
const LONGEST_VALUE: usize = 4;

/// Whether the two statements differ in exactly one place, and there in a number, a time or a name.
fn has_another_value(old: &str, new: &str, a: &[String], b: &[String]) -> bool {
    let before = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[before..], &b[before..]);
    let after = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (one, other) = (&rest_a[..rest_a.len() - after], &rest_b[..rest_b.len() - after]);
    let fits = |part: &[String]| (1..=LONGEST_VALUE).contains(&part.len());
    // at least one word before the marker must name the subject; "room 5 is red" has none
    let Some(marker) = a[..before].last().filter(|_| before >= 2 && fits(one) && fits(other)) else {
        return false;
    };
    let changed = || one.iter().chain(other);
    let named = |part: &[String], text: &str| {
        let names = names(text);
        part.iter().all(|word| names.contains(word))
    };
    let values = one_of(MARKERS, marker) && changed().all(|word| is_value(word));
    let lives = marker != "in"
        || a[..before].iter().any(|w| matches!(w.as_str(), "lives" | "live" | "works" | "work"));
    values || one_of(NAMED, marker) && lives && named(one, old) && named(other, new)
}

/// Words for numbers and times.
const VALUES: &str = "one two three four five six seven eight nine ten eleven twelve monday tuesday wednesday \
    thursday friday saturday sunday january february march april june july august september october \
    november december noon midnight am pm today tomorrow half past o'clock morning afternoon evening \
    hundred thousand million";

/// Whether a word is a number, a date or a time of day.
pub(crate) fn is_value(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit()) || one_of(VALUES, word)
}

/// Whether the old statement contains every number and name of the new one, and as many negations.
pub(super) fn holds_all_that_matters(old: &str, new: &str) -> bool {
    let (known, said) = (words(old), words(new));
    let noes =
        |words: &[String]| words.iter().filter(|w| matches!(w.as_str(), "not" | "no" | "never")).count();
    let has = |word: &String| known.iter().any(|k| k.strip_suffix("'s").unwrap_or(k) == word);
    noes(&known) == noes(&said)
        && said.iter().filter(|word| is_value(word)).all(has)
        && names(new).iter().all(has)
}

/// Whether the two statements share a telling word.
pub(super) fn share_a_topic(a: &str, b: &str) -> bool {
    let known = stems(a);
    stems(b).iter().any(|stem| known.contains(stem))
}
