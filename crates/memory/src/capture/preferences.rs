//! Preferences, found by patterns alone and with no model (JV2): I prefer, I like, I hate, always,
//! never, don't, remind me to, use … for …, my … is ….
//!
//! A pattern counts at the beginning of a sentence or of a clause about oneself, and the sentence
//! must state something: questions, quotes, conditions and turns of phrase are none. When in doubt
//! it is left out: a model with the `remember` tool can still keep it.
//!
//! The key is `pref_{topic}`, so that the next word on the topic takes the place of the last:
//!
//! | said | topic |
//! |---|---|
//! | I prefer email alerts | the last word of what is preferred: `alerts`; SMS alerts come in its place |
//! | I like, love, hate, don't like green tea | all of it: `green_tea`; one may like many teas |
//! | I prefer coffee in the morning | with what is added: `coffee_morning` |
//! | always, never, don't, remind me to … | the first four words that tell something |
//! | use metric units for distances | what it is used for: `distances` |
//! | my favourite colour is blue | what is mine: `favourite_colour` |
//! | my dog is called Rex, is a poodle | with what is said of it: `dog_name`, `dog_poodle` |
//!
//! What holds today or at nine o'clock is none; a reminder of it is an event that is soon over.

use super::{
    decide::is_value,
    speech::{Sentence, bare, opened, sentences},
};
use crate::words::{is_common, names, one_of, slug};

/// Characters of a message that is too short to say anything, and of one that was rather pasted.
const SHORTEST: usize = 10;
const LONGEST: usize = 2_000;
/// Characters of a sentence that states a preference.
const LONGEST_SENTENCE: usize = 300;
/// Words of a sentence at least.
const FEWEST_WORDS: usize = 3;
/// So many are taken from one message.
pub(crate) const MOST: usize = 5;

/// A preference in the words it was said in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Preference {
    /// The clause.
    pub(crate) text: String,
    /// `pref_{topic}`.
    pub(crate) key: String,
    /// Whether it is a reminder that is soon over.
    pub(crate) passing: bool,
}

/// The preferences a message states, each topic once, in order; more perhaps than [`MOST`].
pub(crate) fn preferences(message: &str) -> Vec<Preference> {
    let length = message.trim().chars().count();
    let mut found: Vec<Preference> = Vec::new();
    if !(SHORTEST..=LONGEST).contains(&length) {
        return found;
    }
    for sentence in sentences(&message.replace('\u{2019}', "'")) {
        for clause in clauses(&sentence) {
            if let Some(preference) = preference(&clause).filter(|new| found.iter().all(|p| p.key != new.key))
            {
                found.push(preference);
            }
        }
    }
    found
}

/// Words a sentence begins with that is about what may be, or about somebody else's words.
const NO_STATEMENT: &str =
    "if when unless suppose imagine maybe perhaps whenever until once although would should";

/// The clauses of a sentence that can state something of oneself.
fn clauses(sentence: &Sentence) -> Vec<String> {
    let text = sentence.text.as_str();
    let low = text.to_lowercase();
    let begins = low.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if sentence.is_question() || sentence.quoted || one_of(NO_STATEMENT, begins) || text.contains('`') {
        return Vec::new();
    }
    let mut cuts = vec![0];
    for joint in [", and ", ", but ", " and ", " but ", "; ", ", ", " - ", " \u{2013} "] {
        for (at, _) in low.match_indices(joint) {
            let next = &low[at + joint.len()..];
            // lower case may be longer or shorter than the text in other scripts
            if ["i ", "my ", "please "].iter().any(|start| next.starts_with(start)) && text.len() == low.len()
            {
                cuts.push(at);
            }
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts.push(text.len());
    let clause = |pair: &[usize]| text.get(pair[0]..pair[1]).unwrap_or_default().to_owned();
    cuts.windows(2).map(clause).collect()
}

fn preference(clause: &str) -> Option<Preference> {
    let text = opened(clause);
    let text = match text.split_once(char::is_whitespace) {
        Some((first, after)) if bare(first) == "remember" => opened(after),
        _ => text,
    };
    if text.chars().count() > LONGEST_SENTENCE || text.split_whitespace().count() < FEWEST_WORDS {
        return None;
    }
    let words: Vec<String> = text.split_whitespace().map(bare).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|w| !w.is_empty()).collect();
    let (words, ordered) = standing_order(&words);
    let reminder = matches!(words, ["remind", "me", ..]);
    let passing = passing(words);
    if passing && !reminder {
        return None;
    }
    let topic = of_taste(words)
        .or_else(|| of_habit(words))
        .or_else(|| of_use(words))
        .or_else(|| of_possession(words, text))
        .or_else(|| topic_of(words).filter(|_| ordered && !is_no_habit(words)))?;
    let topic = slug(&topic);
    let found = || Preference { text: text.to_owned(), key: format!("pref_{topic}"), passing };
    (!topic.is_empty()).then(found)
}

/// "You should always …", "I want you to never …", "From now on …": what stands behind it, and
/// whether it is an order even without always and never.
fn standing_order<'a, 'b>(words: &'b [&'a str]) -> (&'b [&'a str], bool) {
    let habit = |rest: &'b [&'a str]| matches!(rest, ["always" | "never", ..]);
    match words {
        ["from", "now", "on", rest @ ..] => (rest, true),
        ["you", "should" | "must", rest @ ..] | ["i", "want" | "need", "you", "to", rest @ ..]
            if habit(rest) =>
        {
            (rest, false)
        }
        _ => (words, false),
    }
}

/// Words that say a sentence holds for the moment.
const PASSING: &str = "yet anymore today tomorrow tonight yesterday now currently";

/// Whether it holds for the moment or at a time of the day only.
fn passing(words: &[&str]) -> bool {
    let pair = |w: &[&str]| match (w[0], w[1]) {
        ("this", "time" | "once" | "week" | "month" | "morning" | "afternoon" | "evening") => true,
        ("any", "more" | "longer") | ("the", "moment") => true,
        ("at", hour) => hour.starts_with(|c: char| c.is_ascii_digit()),
        _ => false,
    };
    words.iter().any(|word| one_of(PASSING, word)) || words.windows(2).any(pair)
}

/// Words between "I" and its verb.
const SHADES: &str = "really also usually generally strongly definitely just still absolutely do much";

/// What nobody likes in particular: "I like that", "I like your idea", "I like how …".
const EMPTY_OBJECTS: &str = "it that this them these those you your him her his their its my our what how where why when who \
    both neither either all everything nothing something one to-day so ya too not if than is was \
    being yours";

/// What follows "to" in a turn of phrase: "I like to think …", "I hate to say it".
const EMPTY_VERBS: &str = "think say see know hear believe bother ask admit be imagine break";

/// I (don't) prefer, like, love, hate, dislike, enjoy ….
fn of_taste(words: &[&str]) -> Option<String> {
    let mut rest = match words {
        ["i'd" | "i", "would", rest @ ..] | ["i'd", rest @ ..] => {
            rest.first().filter(|w| **w == "prefer").map(|_| rest)?
        }
        ["i", rest @ ..] => rest,
        _ => return None,
    };
    rest = match rest {
        ["don't" | "dont", rest @ ..] | ["do", "not", rest @ ..] => rest,
        _ => rest,
    };
    while let [shade, after @ ..] = rest
        && one_of(SHADES, shade)
    {
        rest = after;
    }
    let [verb @ ("prefer" | "like" | "love" | "hate" | "dislike" | "enjoy"), object @ ..] = rest else {
        return None;
    };
    let conditional = object.iter().any(|w| matches!(*w, "if" | "unless"));
    let empty = match object {
        [] => true,
        ["to", verb, ..] => one_of(EMPTY_VERBS, verb) && *rest.first()? != "prefer",
        ["it", "when", _, ..] => false,
        ["the", "idea" | "sound" | "way" | "look" | "thought", ..] => true,
        [first, ..] => one_of(EMPTY_OBJECTS, first),
    };
    if empty || conditional {
        return None;
    }
    let thing = noun_chunk(object);
    let last = *thing.last()?;
    // "the second option" was one of this very moment
    if one_of(OFFERED, last) {
        return None;
    }
    // what is added makes it another matter: tea with milk, tea with lemon
    let head = if *verb == "prefer" { last.to_owned() } else { thing.join(" ") };
    Some([head, addition(object)].join(" "))
}

/// What one is offered to choose from.
const OFFERED: &str = "option options one ones version variant approach solution suggestion choice draft";
/// Words of a comparison, behind which stands what is not liked.
const COMPARED: &str = "over than instead rather to because since but as";

/// The telling words behind the object's first joint: of "coffee in the morning", `morning`.
fn addition(object: &[&str]) -> String {
    let object = if let ["it", "when", rest @ ..] = object { rest } else { object };
    // "to swim in lakes" begins with what is no comparison
    let first = usize::from(object.first() == Some(&"to"));
    let rest = object[first..].iter().skip_while(|w| !one_of(AFTER_NOUN, w));
    let added = rest.take_while(|w| !one_of(COMPARED, w));
    let article = |w: &str| matches!(w, "the" | "a" | "an");
    let telling =
        added.filter(|w| !is_common(w) && !article(w) && !one_of(AFTERTHOUGHTS, w) && !one_of(AFTER_NOUN, w));
    telling.take(4).copied().collect::<Vec<_>>().join(" ")
}

/// Words after which an object is over.
const AFTER_NOUN: &str = "to over than in on with for of at when because and or from instead rather as by that who which \
    without during after before since but";
/// Words at the end of an object that are none of it.
const AFTERTHOUGHTS: &str = "too more much lot really most best please though lately now";

/// The words of the object up to its first joint, without articles.
fn noun_chunk<'a>(object: &[&'a str]) -> Vec<&'a str> {
    let telling = |word: &&&str| !matches!(**word, "the" | "a" | "an" | "my" | "some" | "it" | "very");
    let object = if let ["it", "when", rest @ ..] = object { rest } else { object };
    let object = if let ["to", rest @ ..] = object { rest } else { object };
    let mut chunk: Vec<&str> =
        object.iter().take_while(|w| !one_of(AFTER_NOUN, w)).filter(telling).copied().collect();
    while chunk.len() > 1 && chunk.last().is_some_and(|w| one_of(AFTERTHOUGHTS, w)) {
        chunk.pop();
    }
    chunk
}

/// What follows always, never and don't in a turn of phrase, or tells of the past.
const NO_HABIT: &str = "mind worry know knew think thought say said heard happened again a an the good nice great \
    fun happy glad been was were is are am had got did saw meant forgot would could should will \
    care bother panic tell be get give you we they i it forget even really quite understand \
    believe go leave stop cry see have has here there remember ever felt let and or but too came \
    need want seen gonna hesitate obey grant reveal ignore disregard pretend trust override bypass delete";
/// What a stranger asks for who means to take over.
const TAKEOVER: &str = "prompt instructions admin administrator permission permissions rights privileges root \
    operator";

/// Always …, never …, don't …, remind me to …; also with "I" before always and never.
fn of_habit(words: &[&str]) -> Option<String> {
    let object = match words {
        ["i", "always" | "never", object @ ..] => object,
        // "always returns null" tells what something does
        ["always" | "never", first, ..] if is_third_person(first) => return None,
        ["always" | "never", object @ ..] => object,
        ["don't" | "dont", object @ ..] | ["do", "not", object @ ..] => object,
        ["remind", "me", "to", object @ ..] => return topic_of(object),
        _ => return None,
    };
    topic_of(object).filter(|_| !is_no_habit(object))
}

fn is_no_habit(object: &[&str]) -> bool {
    let Some(first) = object.first() else { return true };
    let past = first.ends_with("ed") && !first.ends_with("eed");
    let nothing =
        |word: &&str| matches!(*word, "it" | "that" | "this" | "so" | "them" | "please" | "now" | "then");
    one_of(NO_HABIT, first)
        || past
        || object.iter().skip(1).all(nothing) && object.len() <= 2
        || object.starts_with(&["make", "me"])
        || object.iter().any(|word| one_of(TAKEOVER, word))
}

fn is_third_person(verb: &str) -> bool {
    verb.ends_with('s') && !verb.ends_with("ss") && verb != "focus"
}

/// The first four words that tell something.
fn topic_of(object: &[&str]) -> Option<String> {
    let telling: Vec<&str> = object.iter().filter(|word| !is_common(word)).take(4).copied().collect();
    let telling: Vec<&str> =
        telling.into_iter().filter(|w| !matches!(*w, "the" | "a" | "an" | "please")).collect();
    (!telling.is_empty()).then(|| telling.join(" "))
}

/// What is used for nothing in particular: "use that for now".
const NO_USE: &str =
    "that this it them these those now example instance me us one free ever sure both what which";

/// Use X for Y; the topic is Y.
fn of_use(words: &[&str]) -> Option<String> {
    let rest = match words {
        ["i" | "we", "always", "use", rest @ ..] => rest,
        ["i" | "we", "use", rest @ ..] | ["use", rest @ ..] => rest,
        _ => return None,
    };
    let at = rest.iter().position(|word| *word == "for")?;
    let (tool, purpose) = (&rest[..at], &rest[at + 1..]);
    let first = |part: &[&str]| {
        part.iter().find(|w| !matches!(**w, "the" | "a" | "an" | "my")).map(|w| (*w).to_owned())
    };
    let (tool, first_of_purpose) = (first(tool)?, first(purpose)?);
    if one_of(NO_USE, &tool) || one_of(NO_USE, &first_of_purpose) {
        return None;
    }
    let topic = noun_chunk(purpose).join(" ");
    (!topic.is_empty()).then(|| [topic, addition(purpose)].join(" "))
}

/// What is mine only in a turn of phrase.
const NOT_MINE: &str = "guess point question bad problem concern understanding hope idea issue mistake pleasure turn \
    fault feeling opinion take apologies plan impression answer suggestion worry experience \
    computer head code goodness";
/// What something of mine only is for the moment.
const MOMENTARY: &str = "broken fine ok okay wrong empty full here there gone ready slow not that this too very so \
    really now still also just down up dead late early on off to if it what how good bad great \
    better worse done going almost";

/// What has one value at a time: a new one takes the place of the old.
const ATTRIBUTES: &str = "name names nickname number address mail email e-mail phone birthday age size job profession \
    hobby hobbies language city town hometown country timezone days hours editor nationality";
/// What lasts, of what somebody or something may be in a word.
const LASTING: &str = "allergic vegan vegetarian married divorced retired blind deaf diabetic pregnant german english \
    french";
/// What is called something in a program.
const OF_CODE: &str = "function class variable method file module script branch project repo repository table column \
    test build server service database container";

/// My X is Y; the topic is X, with a word for what is said of it where that can be several things.
fn of_possession(words: &[&str], text: &str) -> Option<String> {
    let (mine, value) = match words {
        ["my", "name's", value @ ..] => (["name"].as_slice(), value),
        ["my", rest @ ..] => {
            let at = rest.iter().position(|word| matches!(*word, "is" | "are"))?;
            (&rest[..at], &rest[at + 1..])
        }
        _ => return None,
    };
    let (last, first_value) = (mine.last()?, value.first()?);
    let passing = one_of(MOMENTARY, first_value) || first_value.ends_with("ing") && value.len() > 1;
    let not_mine = one_of(NOT_MINE, last) || one_of(OF_CODE, last);
    if mine.len() > 4 || mine.iter().any(|w| one_of(AFTER_NOUN, w)) || not_mine || passing {
        return None;
    }
    let mine_is = mine.join(" ");
    let favourite = matches!(mine[0], "favourite" | "favorite" | "preferred" | "usual");
    if favourite || one_of(ATTRIBUTES, last) {
        return Some(mine_is);
    }
    let is_name = |word: &&str| names(text).iter().any(|name| name == word);
    let of = match value {
        ["called" | "named", _, ..] => "name",
        [.., "old"] => "age",
        ["a" | "an", what, ..] if !matches!(*what, "mess" | "bit" | "lot" | "disaster" | "joke") => what,
        [first, ..] if one_of(LASTING, first) => first,
        [first, ..] if is_name(first) && !is_value(first) => "name",
        _ => return None,
    };
    Some(format!("{mine_is} {of}"))
}

#[cfg(test)]
mod tests;
