//! Preferences in a message, found by patterns without a model (JV2): I prefer, I like, I hate, always, never, don't,
//! remind me to, use … for …, my … is ….
//!
//! A pattern must be at the beginning of a sentence, or of a clause about the speaker, and the sentence must be a
//! statement. Questions, quotes, conditions and idioms do not count. In doubt a sentence is left out: a model with the
//! `remember` tool can still store it.
//!
//! The key is `pref_{topic}`, so that a later preference on the topic replaces the earlier one:
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
//! A preference that holds only today or at nine o'clock is left out. A reminder of it is an event that expires soon.

mod habits;
mod possessions;
mod topics;

use greenroom_lang::{
    OwnFact, before_other_text, contrast, denied_facts, own_facts, speaks_of_oneself, tells_ending,
    without_mentions,
};

use super::{
    requests::is_request,
    speech::{Sentence, bare, opened, sentences},
};
use crate::words::{one_of, slug};
use habits::{is_no_order, of_habit};
use possessions::of_possession;
use topics::{of_taste, of_use, topic_of};

/// The minimum length of a message in bytes, and the maximum in characters; longer messages are probably pasted.
const SHORTEST: usize = 8;
pub(super) const LONGEST: usize = 2_000;
/// The maximum length of a sentence with a preference, in characters.
pub(super) const LONGEST_SENTENCE: usize = 300;
/// The minimum number of words in a sentence.
const FEWEST_WORDS: usize = 3;
/// The maximum number of preferences per message.
pub(crate) const MOST: usize = 5;

/// A preference in its original words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Preference {
    /// The clause.
    pub(crate) text: String,
    /// `pref_{topic}`.
    pub(crate) key: String,
    /// Whether it is a reminder that expires soon.
    pub(crate) passing: bool,
    /// Whether it is a fact about the person, such as residence or name.
    pub(crate) fact: bool,
}

/// The key of the author's own name.
const OWN_NAME: &str = "pref_name";
/// Japanese greetings.
const GREETINGS_UNSPACED: [&str; 6] =
    ["初めまして", "はじめまして", "こんにちは", "こんばんは", "おはよう", "よろしく"];
/// Topics of facts that are tastes.
const TASTES: &str = "like favourite fear diet";

/// The preferences that a message states, one per topic, in order. There may be more than [`MOST`].
pub(crate) fn preferences(message: &str) -> Vec<Preference> {
    let length = message.trim().chars().count();
    let mut found: Vec<Preference> = Vec::new();
    if message.trim().len() < SHORTEST || length > LONGEST {
        return found;
    }
    let said = before_other_text(message);
    // whether an earlier sentence may have introduced something that has a name
    let mut may_name_another = false;
    for sentence in &sentences(&without_mentions(said).replace('\u{2019}', "'")) {
        for clause in clauses(sentence) {
            if let Some(preference) = preference(&clause).filter(|new| found.iter().all(|p| p.key != new.key))
            {
                found.push(preference);
            }
        }
        for fact in facts(sentence) {
            // "We have a puppy! Name's Rex": the name belongs to the puppy
            if fact.key == OWN_NAME && may_name_another && !speaks_of_oneself(&fact.text) {
                continue;
            }
            let covers =
                |known: &Preference| known.text.contains(&fact.text) || fact.text.contains(&known.text);
            if !found.iter().any(covers) {
                // the last statement on a topic counts: "I don't live in Graz anymore, I live in Linz"
                found.retain(|known| known.key != fact.key);
                found.push(fact);
            }
        }
        may_name_another |= !greets(&sentence.text);
    }
    found
}

/// Whether a sentence is only a greeting: "Hi there!", 「初めまして。」.
fn greets(sentence: &str) -> bool {
    let is_short = sentence.contains(' ') || sentence.is_ascii();
    is_short && sentence.split_whitespace().count() <= 2
        || GREETINGS_UNSPACED.iter().any(|it| sentence.contains(it))
}

/// The facts about the author in a sentence, in any of five languages (MP6).
fn facts(sentence: &Sentence) -> Vec<Preference> {
    if sentence.quoted || sentence.text.chars().count() > LONGEST_SENTENCE {
        return Vec::new();
    }
    let facts = own_facts(&sentence.text);
    // a request to remember is stored as it is, and not a second time
    if facts.is_empty() || is_request(&sentence.text) {
        return Vec::new();
    }
    facts.into_iter().map(of_fact).collect()
}

fn of_fact(fact: OwnFact) -> Preference {
    Preference {
        fact: !fact.topic.split(' ').any(|word| one_of(TASTES, word)),
        key: format!("pref_{}", slug(&fact.topic)),
        text: fact.text,
        passing: false,
    }
}

/// What a message denies about its author: "I'm not allergic to nuts". A denial is stored only if it corrects a known
/// fact.
pub(crate) fn denials(message: &str) -> Vec<Preference> {
    if message.trim().chars().count() > LONGEST {
        return Vec::new();
    }
    let of_sentence = |sentence: &Sentence| match sentence.quoted || is_request(&sentence.text) {
        true => Vec::new(),
        false => denied_facts(&sentence.text),
    };
    let told = sentences(&without_mentions(before_other_text(message)).replace('\u{2019}', "'"));
    let mut denied: Vec<Preference> = told.iter().flat_map(of_sentence).map(of_fact).collect();
    if !denied.is_empty() {
        // "I don't like tea" is a preference, not a denial
        let stated = preferences(message);
        denied.retain(|fact| stated.iter().all(|known| !known.text.contains(&fact.text)));
    }
    denied.truncate(MOST);
    denied
}

/// The sentences of a message that contrast a new value with an old one, or say that something has ended, and contain no
/// preference themselves.
pub(crate) fn contrasts(message: &str) -> Vec<String> {
    if message.trim().chars().count() > LONGEST {
        return Vec::new();
    }
    let told = sentences(&without_mentions(before_other_text(message)).replace('\u{2019}', "'"));
    let is_contrast = |sentence: &Sentence| {
        !sentence.quoted
            && sentence.text.chars().count() <= LONGEST_SENTENCE
            && !is_request(&sentence.text)
            && (contrast(&sentence.text).is_some() || tells_ending(&sentence.text))
    };
    let mut found: Vec<String> = told.into_iter().filter(is_contrast).map(|sentence| sentence.text).collect();
    if !found.is_empty() {
        let stated = preferences(message);
        found.retain(|text| stated.iter().all(|known| !text.contains(&known.text)));
    }
    found.truncate(MOST);
    found
}

/// First words of sentences that are hypothetical or report another person's words.
const NO_STATEMENT: &str =
    "if when unless suppose imagine maybe perhaps whenever until once although would should";

/// The clauses of a sentence that can state something about the speaker.
fn clauses(sentence: &Sentence) -> Vec<String> {
    let text = sentence.text.as_str();
    let low = text.to_lowercase();
    let begins = low.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let orders = [", always ", ", never ", ", please always ", ", please never "];
    // "when you write code, always add types" is a standing order
    let standing =
        ["when you ", "when i ", "whenever you ", "whenever i "].iter().any(|start| low.starts_with(start))
            && orders.iter().any(|order| low.contains(order));
    if standing && !(sentence.is_question() || sentence.quoted || text.contains('`')) {
        return vec![text.to_owned()];
    }
    if sentence.is_question() || sentence.quoted || one_of(NO_STATEMENT, begins) || text.contains('`') {
        return Vec::new();
    }
    let mut cuts = vec![0];
    for joint in [", and ", ", but ", " and ", " but ", "; ", ", ", " - ", " \u{2013} "] {
        for (at, _) in low.match_indices(joint) {
            let next = &low[at + joint.len()..];
            // in some scripts the lower case has another length, so that offsets would not match
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
    let asks = text.trim_end().ends_with('?');
    if asks || text.chars().count() > LONGEST_SENTENCE || text.split_whitespace().count() < FEWEST_WORDS {
        return None;
    }
    let words: Vec<String> = text.split_whitespace().map(bare).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|w| !w.is_empty()).collect();
    let words = before_its_end(words);
    let (words, ordered) = standing_order(&words);
    let (context, words) = in_context(words);
    let reminder = matches!(words, ["remind", "me", ..]);
    let passing = passing(words) || passing(context);
    if passing && !reminder {
        return None;
    }
    let topic = of_taste(words)
        .or_else(|| of_habit(words))
        .or_else(|| of_use(words))
        .or_else(|| of_possession(words, text))
        .or_else(|| topic_of(words).filter(|_| ordered && !is_no_order(words)))?;
    let topic = slug(&[Some(topic), topic_of(context)].into_iter().flatten().collect::<Vec<_>>().join(" "));
    let found = || Preference { text: text.to_owned(), key: format!("pref_{topic}"), passing, fact: false };
    (!topic.is_empty()).then(found)
}

/// Removes the words that end a taste: "I don't like coffee any more", "I no longer like coffee". A preference with
/// "now" holds from now on: "I prefer coffee now".
fn before_its_end(words: Vec<&str>) -> Vec<&str> {
    let before = match words.as_slice() {
        ["i", "now", "prefer", rest @ ..] => [&["i", "prefer"], rest].concat(),
        ["i", .., "now" | "nowadays"] => words[..words.len() - 1].to_vec(),
        ["i", .., "these", "days"] => words[..words.len() - 2].to_vec(),
        [before @ .., "any", "anymore" | "longer" | "more"] | [before @ .., "anymore"] => before.to_vec(),
        ["i", "no", "longer", rest @ ..] => [&["i", "don't"], rest].concat(),
        _ => return words,
    };
    if of_taste(&before).is_some() { before } else { words }
}

/// The order after "You should always …", "I want you to never …" or "From now on …". The flag says whether it counts
/// as an order without always or never.
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

/// Splits the context from a taste or an order: "for long trips I prefer night trains", "when you write code, always
/// add types", "in general I prefer e-mail". Returns the context and the rest.
fn in_context<'a, 'b>(words: &'b [&'a str]) -> (&'b [&'a str], &'b [&'a str]) {
    let at = match words {
        ["in", "general", ..] | ["as", "a", "rule", ..] => {
            return (&[], &words[if words[0] == "in" { 2 } else { 3 }..]);
        }
        ["for" | "on" | "at" | "during", ..] => words.windows(2).position(|pair| {
            matches!(
                pair,
                ["i", "prefer" | "like" | "love" | "hate" | "dislike" | "always" | "never" | "use"]
            )
        }),
        ["when" | "whenever", "you" | "i", ..] => words
            .windows(2)
            .position(|pair| matches!(pair[0], "always" | "never"))
            .map(|at| at - usize::from(words[at - 1] == "please")),
        _ => None,
    };
    match at {
        Some(at) if (2..=10).contains(&at) => {
            let order = &words[at..];
            (&words[1..at], order.strip_prefix(&["please"]).unwrap_or(order))
        }
        _ => (&[], words),
    }
}

/// Words of sentences that hold only for the moment.
const PASSING: &str = "yet anymore today tomorrow tonight yesterday now currently";

/// Whether it holds only for the moment, or at one time of the day.
fn passing(words: &[&str]) -> bool {
    let pair = |w: &[&str]| match (w[0], w[1]) {
        ("this", "time" | "once" | "week" | "month" | "morning" | "afternoon" | "evening") => true,
        ("any", "more" | "longer") | ("the", "moment") => true,
        ("at", hour) => hour.starts_with(|c: char| c.is_ascii_digit()),
        _ => false,
    };
    words.iter().any(|word| one_of(PASSING, word)) || words.windows(2).any(pair)
}

#[cfg(test)]
mod tests;
