//! What a preference is about, by the pattern it is said in.

use crate::{
    capture::decide::is_value,
    words::{is_common, names, one_of},
};

/// Words between "I" and its verb.
const SHADES: &str = "really also usually generally strongly definitely just still absolutely do much";

/// What nobody likes in particular: "I like that", "I like your idea", "I like how …".
const EMPTY_OBJECTS: &str = "it that this them these those you your him her his their its my our what how where why when who \
    both neither either all everything nothing something one to-day so ya too not if than is was \
    being yours";

/// What follows "to" in a turn of phrase: "I like to think …", "I hate to say it".
const EMPTY_VERBS: &str = "think say see know hear believe bother ask admit be imagine break";

/// I (don't) prefer, like, love, hate, dislike, enjoy ….
pub(super) fn of_taste(words: &[&str]) -> Option<String> {
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
pub(super) fn of_habit(words: &[&str]) -> Option<String> {
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

/// Whether what follows is no habit: a turn of phrase, a word of the past, an attack.
pub(super) fn is_no_habit(object: &[&str]) -> bool {
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
pub(super) fn topic_of(object: &[&str]) -> Option<String> {
    let telling: Vec<&str> = object.iter().filter(|word| !is_common(word)).take(4).copied().collect();
    let telling: Vec<&str> =
        telling.into_iter().filter(|w| !matches!(*w, "the" | "a" | "an" | "please")).collect();
    (!telling.is_empty()).then(|| telling.join(" "))
}

/// What is used for nothing in particular: "use that for now".
const NO_USE: &str =
    "that this it them these those now example instance me us one free ever sure both what which";

/// Use X for Y; the topic is Y.
pub(super) fn of_use(words: &[&str]) -> Option<String> {
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
pub(super) fn of_possession(words: &[&str], text: &str) -> Option<String> {
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
