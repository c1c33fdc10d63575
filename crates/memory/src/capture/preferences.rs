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
//! | always, never, don't, remind me to … | the first four words that tell something |
//! | use metric units for distances | what it is used for: `distances` |
//! | my favourite colour is blue | what is mine: `favourite_colour` |

use super::speech::{Sentence, sentences};
use crate::words::{is_common, one_of, slug};

/// Characters of a message that is too short to say anything, and of one that was rather pasted.
const SHORTEST: usize = 10;
const LONGEST: usize = 2_000;
/// Characters of a sentence that states a preference.
const LONGEST_SENTENCE: usize = 300;
/// Words of a sentence at least.
const FEWEST_WORDS: usize = 3;
/// So many are taken from one message.
const MOST: usize = 5;

/// A preference in the words it was said in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Preference {
    /// The clause.
    pub(crate) text: String,
    /// `pref_{topic}`.
    pub(crate) key: String,
}

/// The preferences a message states, each topic once, in order.
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
    found.truncate(MOST);
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

/// Words before a pattern that change nothing about it.
const OPENINGS: &str = "please also and but well hey hi hello oh ok okay so btw actually honestly generally \
    personally yes no then remember";

fn preference(clause: &str) -> Option<Preference> {
    let text = opened(clause);
    if text.chars().count() > LONGEST_SENTENCE || text.split_whitespace().count() < FEWEST_WORDS {
        return None;
    }
    let words: Vec<String> = text.split_whitespace().map(bare).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|w| !w.is_empty()).collect();
    let topic = of_taste(&words)
        .or_else(|| of_habit(&words))
        .or_else(|| of_use(&words))
        .or_else(|| of_possession(&words))?;
    let topic = slug(&topic);
    (!topic.is_empty()).then(|| Preference { text: text.to_owned(), key: format!("pref_{topic}") })
}

/// The clause without what it is opened with: "Ada, please …", "Yes, and …", "@ada …".
fn opened(clause: &str) -> &str {
    let mut rest =
        clause.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '-' | '–'));
    loop {
        let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let called = first.ends_with(',') || first.ends_with(':') && one_of(OPENINGS, &bare(first));
        // a single name and a comma, as in "Ada, never shout"
        let name = called && !one_of(NO_STATEMENT, &bare(first));
        if !(name || first.starts_with('@') || one_of(OPENINGS, &bare(first))) || after.is_empty() {
            return rest.trim();
        }
        rest = after.trim_start();
    }
}

/// Lower case without punctuation; apostrophes inside stay.
fn bare(word: &str) -> String {
    word.to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// Words between "I" and its verb.
const SHADES: &str = "really also usually generally strongly definitely just still absolutely do much";

/// What nobody likes in particular: "I like that", "I like your idea", "I like how …".
const EMPTY_OBJECTS: &str = "it that this them these those you your him her his their its what how where why when who \
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
    if *verb == "prefer" { thing.last().map(|w| (*w).to_owned()) } else { Some(thing.join(" ")) }
}

/// Words after which an object is over.
const AFTER_NOUN: &str = "over than in on with for of at when because and or from instead rather as by that who which \
    without during after before since but";
/// Words at the end of an object that are none of it.
const AFTERTHOUGHTS: &str = "too much lot really most best please though lately now";

/// The words of the object up to its first joint, without articles.
fn noun_chunk<'a>(object: &[&'a str]) -> Vec<&'a str> {
    let telling = |word: &&&str| !matches!(**word, "to" | "the" | "a" | "an" | "my" | "some" | "it" | "very");
    let object = if let ["it", "when", rest @ ..] = object { rest } else { object };
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
    believe go leave stop cry see have has here there remember ever felt let and or but too came";

/// Always …, never …, don't …, remind me to …; also with "I" before always and never.
fn of_habit(words: &[&str]) -> Option<String> {
    let object = match words {
        ["i", "always" | "never", object @ ..] | ["always" | "never", object @ ..] => object,
        ["don't" | "dont", object @ ..] | ["do", "not", object @ ..] => object,
        ["remind", "me", "to", object @ ..] => return topic_of(object),
        _ => return None,
    };
    let first = *object.first()?;
    let past = first.ends_with("ed") && !first.ends_with("eed");
    let nothing =
        |word: &&str| matches!(*word, "it" | "that" | "this" | "so" | "them" | "please" | "now" | "then");
    if one_of(NO_HABIT, first) || past || object.iter().skip(1).all(nothing) && object.len() <= 2 {
        return None;
    }
    topic_of(object)
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
    Some(noun_chunk(purpose).join(" ")).filter(|topic| !topic.is_empty())
}

/// What is mine only in a turn of phrase.
const NOT_MINE: &str = "guess point question bad problem concern understanding hope idea issue mistake pleasure turn \
    fault feeling opinion take apologies plan impression answer suggestion worry experience \
    computer head code goodness";
/// What something of mine only is for the moment.
const MOMENTARY: &str = "broken fine ok okay wrong empty full here there gone ready slow not that this too very so \
    really now still also just down up dead late early on off to if it what how good bad great \
    better worse done going almost";

/// My X is Y; the topic is X.
fn of_possession(words: &[&str]) -> Option<String> {
    let ["my", rest @ ..] = words else { return None };
    let at = rest.iter().position(|word| matches!(*word, "is" | "are"))?;
    let (mine, value) = (&rest[..at], &rest[at + 1..]);
    let (last, first_value) = (mine.last()?, value.first()?);
    let passing = one_of(MOMENTARY, first_value) || first_value.ends_with("ing") && value.len() > 1;
    if mine.len() > 4 || mine.iter().any(|w| one_of(AFTER_NOUN, w)) || one_of(NOT_MINE, last) || passing {
        return None;
    }
    Some(mine.join(" "))
}

#[cfg(test)]
mod tests;
