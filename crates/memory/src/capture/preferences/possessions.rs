//! Possessions: names, birthdays and addresses of the author, and what people and animals of theirs are.

use super::topics::AFTER_NOUN;
use crate::{
    capture::decide::is_value,
    words::{names, one_of},
};

/// Nouns that follow "my" in idioms.
const NOT_MINE: &str = "guess point question bad problem concern understanding hope idea issue mistake pleasure turn \
    fault feeling opinion take apologies plan impression answer suggestion worry experience \
    computer head code goodness";
/// Words for states that hold only for the moment.
const MOMENTARY: &str = "broken fine ok okay wrong empty full here there gone ready slow not that this too very so \
    really now still also just down up dead late early on off to if it what how good bad great \
    better worse done going almost";

/// Attributes with one value at a time, so that a new value replaces the old one.
const ATTRIBUTES: &str = "anniversary name names nickname number address mail email e-mail phone birthday age size job profession \
    hobby hobbies language city town hometown country timezone days hours editor nationality";
/// Lasting properties in one word.
const LASTING: &str = "allergic vegan vegetarian married divorced retired blind deaf diabetic pregnant german english \
    french";
/// Things in a program that have a name; they are no possessions.
const OF_CODE: &str = "function class variable method file module script branch project repo repository table column \
    test build server service database container";

/// People and animals that one has.
const LIVING: &str = "wife husband partner spouse girlfriend boyfriend fiance fiancee mother father mum mom dad parents \
    sister brother son daughter child kid baby twin uncle aunt cousin nephew niece grandmother grandfather grandma grandpa \
    friend roommate flatmate colleague boss neighbour neighbor dog cat horse parrot rabbit hamster bird pet puppy kitten \
    stepson stepdaughter godson goddaughter";
/// Things that one has of a make: "my bike is a blue Brompton".
const OWNED: &str =
    "bike bicycle car van motorbike boat phone laptop tablet camera guitar piano violin watch printer";
/// Metaphors and judgements, which are no facts about a person.
const METAPHORS: &str = "mess bit lot disaster joke genius saint nightmare idiot angel star hero pain legend monster handful \
    riot treasure beast jerk fool clown champion gem devil witch wreck zombie ghost liar coward rock machine menace mystery \
    little real total complete big great good bad huge true bit big-mouth noisy loud lazy funny nice kind terrible \
    wonderful sweetheart darling brat diva";

/// Whether "a nurse" or "a retired teacher" is a person's occupation or kind, and no judgement.
fn is_what_one_is(what: &str, rest: &[&str]) -> bool {
    let hedged =
        rest.iter().any(|word| one_of("today now apparently sometimes again when who that this for", word));
    !one_of(METAPHORS, what) && !hedged && rest.len() <= 3
}

/// Words of dates; a birthday or an anniversary needs one of them or a number.
const DAYS: &str = "january february march april may june july august september october november december \
    jan feb mar apr jun jul aug sep sept oct nov dec spring summer autumn winter christmas easter halloween \
    thanksgiving";

/// Whether the words are a plausible value of the attribute: a number has digits, a birthday a date.
fn is_value_of(attribute: &str, value: &[&str]) -> bool {
    let digits = value.iter().any(|word| word.chars().any(|c| c.is_ascii_digit()));
    let sign = value.iter().any(|word| word.contains('@') || word.contains('.'));
    match attribute {
        "number" | "phone" | "size" | "age" => digits || value.iter().any(|word| is_value(word)),
        "birthday" | "anniversary" => digits || value.iter().any(|word| one_of(DAYS, word)),
        "mail" | "email" | "e-mail" => sign,
        "address" => digits || sign,
        "days" | "hours" => value.iter().any(|word| is_value(word)) || digits,
        _ => !matches!(value, ["mud", ..] | ["not" | "none" | "about" | "a" | "to" | "so", ..]),
    }
}

/// The topic of "my X is Y": X, with a word for the kind of Y if X can have several properties.
pub(super) fn of_possession(words: &[&str], text: &str) -> Option<String> {
    let (mine, value) = match words {
        ["my", "name's", value @ ..] => (["name"].as_slice(), value),
        ["my", rest @ ..] => {
            let at = rest.iter().position(|word| matches!(*word, "is" | "are"))?;
            (&rest[..at], &rest[at + 1..])
        }
        _ => return None,
    };
    let last = mine.last()?;
    // "my sister's birthday is on May 4"
    let value = match value {
        ["on" | "in", day @ ..] if one_of("birthday anniversary", last) => day,
        value => value,
    };
    let first_value = value.first()?;
    let occupation = one_of("job profession hobby hobbies work", last);
    let passing =
        one_of(MOMENTARY, first_value) || first_value.ends_with("ing") && value.len() > 1 && !occupation;
    let not_mine = one_of(NOT_MINE, last) || one_of(OF_CODE, last);
    if mine.len() > 4 || mine.iter().any(|w| one_of(AFTER_NOUN, w)) || not_mine || passing {
        return None;
    }
    let mine_is = mine.join(" ");
    let favourite = matches!(mine[0], "favourite" | "favorite" | "preferred" | "usual");
    if favourite || one_of(ATTRIBUTES, last) && is_value_of(last, value) {
        return Some(mine_is);
    }
    let is_name = |word: &&str| names(text).iter().any(|name| name == word);
    let of = match value {
        ["called" | "named", _, ..] => "name",
        [.., "old"] => "age",
        ["a" | "an", what, rest @ ..] if one_of(LIVING, last) && is_what_one_is(what, rest) => what,
        ["a" | "an", .., make] if one_of(OWNED, last) && is_name(make) => "kind",
        [first, ..] if one_of(LASTING, first) => first,
        [first, ..] if is_name(first) && !is_value(first) => "name",
        _ => return None,
    };
    Some(format!("{mine_is} {of}"))
}
