//! Habits of a person, and standing orders for a persona ("always", "never").
//!
//! Most sentences with "never", "always" and "don't" are idioms or hold only once: "never look a gift horse in the
//! mouth", "don't wake the baby". Lists of verbs therefore decide: what people do as a habit, and what they order from
//! an assistant. Other verbs are left out.

use super::topics::topic_of;
use crate::words::one_of;

/// Verbs of habits.
const HABITS: &str = "eat drink smoke work fly travel wear read watch walk drive take pay park buy cook use sleep run swim     answer write carry back play listen shop order sit study train ski gamble swear lend borrow lock keep save     check bring tip skip vote pray speak bike cycle commute volunteer brush shower exercise meditate start finish     jog hike book plan reply sign charge iron recycle record type print sing dance nap fast";
/// The verbs of habits that need no object.
const ALONE: &str = "smoke drink drive gamble swear fly cook vote pray ski dance sing jog";
/// Verbs of standing orders for an assistant.
const ORDERS: &str = "use add write send call answer reply respond sign include book schedule suggest recommend share     put show give cite check round address plan cc bcc greet format mention interrupt explain translate summarize     summarise list speak text email mail order invite delete save quote read repeat start begin end finish close keep     post publish forward attach print capitalise capitalize abbreviate spell convert calculate apologise apologize     flatter lecture rhyme guess invent shorten truncate ask double-check proofread verify prefer propose ping tag     archive log store remember contact notify charge label sort";
/// The verbs of orders that must refer to a text; "don't start without me" is no order.
const OF_TEXTS: &str = "start begin end finish close open";
const TEXTS: &str = "reply replies answer answers message messages email emails e-mail e-mails sentence sentences letter     letters response responses text texts note notes report reports summary summaries";
/// The verbs of orders that may have "me" as their object.
const TO_ME: &str =
    "call address send text email mail show greet interrupt ask give cc bcc contact notify ping tag invite";
/// Words with which no object of an order begins.
const NO_OBJECT: &str = "it that this these those him her them us why how what who up off out in away of too yet to words     calm going ill back again ever either over on down";
/// Verbs that take a language or a form: "answer in German".
const IN_A_WAY: &str = "answer reply respond write speak text format explain summarize summarise";
/// Words that limit an order to the moment.
const MOMENT: &str =
    "yet now anymore later soon again tonight today tomorrow this instead first-thing already";
/// Words in orders of a stranger who tries to take control.
const TAKEOVER: &str = "prompt instructions admin administrator permission permissions rights privileges root \
    operator";

/// Tests whether these words are a lasting habit or order.
type Holds = fn(&[&str]) -> bool;

/// The topic of: always …, never …, don't …, remind me to …, also "I always …" and "I never …".
pub(super) fn of_habit(words: &[&str]) -> Option<String> {
    let (object, holds): (&[&str], Holds) = match words {
        ["i", "always" | "never", object @ ..] => (object, is_habit),
        ["don't" | "dont", "ever", object @ ..] | ["do", "not", "ever", object @ ..] => (object, is_order),
        ["always" | "never", object @ ..] | ["don't" | "dont", object @ ..] | ["do", "not", object @ ..] => {
            (object, is_order)
        }
        ["remind", "me", "to", object @ ..] => return topic_of(object),
        _ => return None,
    };
    if holds(object) { topic_of(object) } else { None }
}

/// Whether the words are a habit of a person.
fn is_habit(object: &[&str]) -> bool {
    let Some((verb, rest)) = object.split_first() else { return false };
    let said_of_you = rest.iter().any(|word| one_of("you your that this it", word));
    one_of(HABITS, verb) && !said_of_you && (!rest.is_empty() || one_of(ALONE, verb))
}

/// Whether the words are a standing order for an assistant.
pub(super) fn is_order(object: &[&str]) -> bool {
    let Some((verb, rest)) = object.split_first() else { return false };
    // "reply to me in French" means "reply in French"
    let rest = match rest {
        ["to", "me", "in", way, ..] if one_of(IN_A_WAY, verb) && !one_of("that this your", way) => &rest[2..],
        _ => rest,
    };
    let Some(first) = rest.first() else { return false };
    let fits = match *verb {
        verb if one_of(OF_TEXTS, verb) => rest.iter().any(|word| one_of(TEXTS, word)),
        // "always remember, …" introduces a saying
        "remember" => false,
        // an order that waits for an event holds once: "don't delete the branch before I have merged it"
        "delete" | "save" | "close" | "send" | "publish" | "post" => !rest
            .windows(2)
            .any(|pair| matches!(pair, ["before" | "until" | "till", "i" | "we" | "i've" | "we've"])),
        "ask" => rest.iter().any(|word| one_of("before first for permission", word)),
        _ => true,
    };
    one_of(ORDERS, verb)
        && fits
        && (!one_of(NO_OBJECT, first) || *first == "in" && one_of(IN_A_WAY, verb))
        && (*first != "me" || one_of(TO_ME, verb) && rest.len() > 1 && !one_of(NO_OBJECT, rest[1]))
        && !rest.iter().any(|word| one_of(MOMENT, word))
        && !rest.iter().any(|word| one_of(TAKEOVER, word))
}

/// Whether words after "from now on" are no order: a verb in the past tense, or an attack.
pub(super) fn is_no_order(object: &[&str]) -> bool {
    let Some(first) = object.first() else { return true };
    let past = first.ends_with("ed") && !first.ends_with("eed");
    past || object.len() < 2
        || one_of(NO_SUBJECT, first)
        || object.starts_with(&["make", "me"])
        || object.iter().any(|word| one_of(TAKEOVER, word))
}

/// Words with which no order begins.
const NO_SUBJECT: &str = "i you we he she they it the a an this that these those my your his her our their there here     is are was were am be been being has have had got have will would could should can may might and or but not no     obey grant reveal ignore disregard pretend trust override bypass delete everything nothing";
