//! How two statements stand to each other, by their words alone.

use greenroom_lang::{Contrast, contrast, fold, replaces_fact};

use crate::words::{names, one_of, stems, words};

/// How a new statement stands to an old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Difference {
    /// It says the same.
    Same,
    /// It says less.
    Less,
    /// It says the same and more.
    More,
    /// It says something else of the same matter.
    Correction,
    /// It is about something else, or we cannot tell.
    Other,
}

/// By the words alone; `alike` lets other words of the same stems pass for the same.
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
    {
        Difference::Correction
    } else if alike && stems(old) == stems(new) && turns(&a) == turns(&b) {
        Difference::Same
    } else {
        Difference::Other
    }
}

/// Whether a preference takes the place of the one under its key: it says the same and perhaps more,
/// corrects it, or differs in one place with a common end ("email alerts", "SMS alerts") or behind a
/// verb ("is blue", "is green"). Two that can both hold have the same topic by chance. A fact about the person takes the
/// place of the fact of its topic whatever its words (MP6).
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

/// Whether the new statement says what holds in place of the old one, and names that: "it's Linz now, not Graz" of "I live in
/// Graz". It is about the same where it says nothing but the value that holds, or shares another word.
fn sets_aside(old: &str, new: &str) -> bool {
    let Some(Contrast { aside, kept }) = contrast(new) else { return false };
    let known: Vec<String> = words(old).iter().map(|word| fold(word)).collect();
    let is_known = |word: &String| known.contains(word) || !word.is_ascii() && old.contains(word.as_str());
    aside.iter().all(is_known) && (kept.len() == 1 || kept.iter().any(is_known)) && owns_the_same(&known, new)
}

/// Words before what is a person's own.
const OWN: &str =
    "my our mein meine meinen meinem meiner unser unsere mi mis nuestro nuestra mon ma mes notre nos";

/// Whether what a statement says of a thing or a person of its author is in the older words, too: "my sister lives in Linz, not
/// Graz" corrects nothing of "I live in Graz".
fn owns_the_same(known: &[String], new: &str) -> bool {
    let told: Vec<String> = words(new).iter().map(|word| fold(word)).collect();
    told.windows(2).all(|pair| !one_of(OWN, &pair[0]) || known.contains(&pair[1]))
}

/// Small words that turn what a statement says: was is not is, from is not to, and a no is a no.
const TURNING: &str = "was were had will would can could should may might in on at to for from with by into about \
    before after not no never without";

fn turns(words: &[String]) -> Vec<&String> {
    words.iter().filter(|word| one_of(TURNING, word)).collect()
}

/// Words that begin an addition which leaves what stands before it as true as it was.
const LINKS: &str = "in on at with for from because since near of by every and";
/// Words that turn an addition against what stands before it.
const TURNS: &str = "not no never but except unless only until instead anymore if without";

/// Whether `long` is `short` with something added: "we meet at 5", "we meet at 5 in the kitchen".
fn extends(short: &[String], long: &[String]) -> bool {
    let Some(added) = long.strip_prefix(short) else { return false };
    added.first().is_some_and(|word| one_of(LINKS, word)) && !added.iter().any(|word| one_of(TURNS, word))
}

/// Words of a preference of one thing to another, and of a taste; in five languages as far as words are apart.
const PREFERRING: &str = "prefer lieber prefiero préfère";
const TASTES: &str =
    "prefer like love lieber mag liebe trinke esse prefiero gusta gustan préfère aime j'aime";
/// Words between the two, and those behind the second that tell no thing.
const TO: &str = "over to than als que plutôt statt";
const OF_TIME: &str = "now these days nowadays anymore jetzt inzwischen heute ahora maintenant désormais a à the der die das el la le";

/// Whether the new preference names what the old one is about as the lesser: "I prefer tea", "I prefer coffee over tea now".
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

/// Whether the two are the same but for a no: "I like tea", "I don't like tea", "I hate tea".
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

/// Words after which stands what can change: "is at 5", "costs 20", "is called Rex".
const MARKERS: &str = "is are am was were be at on by until from to in costs cost owes has have starts ends opens \
    closes leaves takes about around exactly";
/// Those after which another name is another answer to the same question.
const NAMED: &str = "is are am called named in";
/// Longest part of a statement that is replaced, in words.
const LONGEST_VALUE: usize = 4;

/// Whether the two differ in one place alone, and there in a number, a time or a name.
fn has_another_value(old: &str, new: &str, a: &[String], b: &[String]) -> bool {
    let before = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[before..], &b[before..]);
    let after = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (one, other) = (&rest_a[..rest_a.len() - after], &rest_b[..rest_b.len() - after]);
    let fits = |part: &[String]| (1..=LONGEST_VALUE).contains(&part.len());
    // one word before the marker at least says what it is about; "room 5 is red" has none
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

/// A number, a date or a time of day.
pub(crate) fn is_value(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit()) || one_of(VALUES, word)
}

/// Whether the old statement has every number and name of the new one, and as many noes.
pub(super) fn holds_all_that_matters(old: &str, new: &str) -> bool {
    let (known, said) = (words(old), words(new));
    let noes =
        |words: &[String]| words.iter().filter(|w| matches!(w.as_str(), "not" | "no" | "never")).count();
    let has = |word: &String| known.iter().any(|k| k.strip_suffix("'s").unwrap_or(k) == word);
    noes(&known) == noes(&said)
        && said.iter().filter(|word| is_value(word)).all(has)
        && names(new).iter().all(has)
}

/// Whether the two have a word in common that tells something.
pub(super) fn share_a_topic(a: &str, b: &str) -> bool {
    let known = stems(a);
    stems(b).iter().any(|stem| known.contains(stem))
}
