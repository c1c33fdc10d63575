//! Floor control: who answers a message, in which order, and why (GR7). Pure.
//!
//! 1. whom the message is addressed to, then whoever else it mentions, in the order of mention;
//! 2. else whoever it mentions;
//! 3. else whoever always answers and is out of its cooldown (WB12).
//!
//! What a persona said is answered by nobody yet, so that no two personas talk in circles, and a
//! persona never answers itself (WB12).

use std::{collections::HashMap, sync::Arc};

use greenroom_core::{Author, PersonaName, Timestamp};
use greenroom_persona::{Answer, Persona};

/// What is known of a room when a message arrives.
pub(crate) struct Floor<'a> {
    /// The cast, in the order of their names.
    pub(crate) personas: &'a [Arc<Persona>],
    /// When each of them last spoke here.
    pub(crate) spoke: &'a HashMap<PersonaName, Timestamp>,
    /// The present.
    pub(crate) now: Timestamp,
}

/// Who answers, in order, and why.
pub(crate) fn decide(
    floor: &Floor<'_>,
    author: &Author,
    text: &str,
    to: Option<&PersonaName>,
) -> Vec<(PersonaName, String)> {
    let Author::User { name: who, .. } = author else { return Vec::new() };
    let hears: Vec<&Persona> =
        floor.personas.iter().map(|p| &**p).filter(|p| p.room.answer != Answer::Never).collect();

    let mut answering: Vec<(PersonaName, String)> = Vec::new();
    if let Some(persona) = hears.iter().find(|p| Some(&p.name) == to) {
        answering.push((persona.name.clone(), format!("addressed by {who}")));
    }
    for persona in mentions(text, &hears) {
        if answering.iter().all(|(name, _)| name != &persona.name) {
            answering.push((persona.name.clone(), format!("mentioned by {who}")));
        }
    }
    if answering.is_empty() && to.is_none() {
        let ready = hears.iter().filter(|p| p.room.answer == Answer::Always && !cools(floor, p));
        answering.extend(ready.map(|p| (p.name.clone(), format!("{} answers everything", p.name))));
    }
    answering
}

/// Whether a text mentions anybody who answers at all.
pub(crate) fn mentions_somebody(personas: &[Arc<Persona>], text: &str) -> bool {
    let hears = personas.iter().map(|p| &**p).filter(|p| p.room.answer != Answer::Never);
    !mentions(text, &hears.collect::<Vec<_>>()).is_empty()
}

/// Whether a persona spoke too recently to speak again unasked.
fn cools(floor: &Floor<'_>, persona: &Persona) -> bool {
    // a moment ahead of us comes from a clock that was put back since (S5)
    let cools = |at: &Timestamp| *at <= floor.now && floor.now.since(*at) < persona.room.cooldown;
    floor.spoke.get(&persona.name).is_some_and(cools)
}

/// Whom a text mentions as `@name` or `@Display Name`, any case, in order, each once. Where two
/// names fit, the longer one is meant.
fn mentions<'a>(text: &str, personas: &[&'a Persona]) -> Vec<&'a Persona> {
    let text = text.to_lowercase();
    let mut found: Vec<&Persona> = Vec::new();
    for (at, _) in text.match_indices('@') {
        if text[..at].chars().next_back().is_some_and(is_word) {
            continue; // `mail@ada` is an address
        }
        let rest = &text[at + 1..];
        let names = personas
            .iter()
            .flat_map(|p| [p.name.as_str().to_owned(), p.display_name.to_lowercase()].map(|name| (name, *p)));
        let meant = names.filter(|(name, _)| begins_with_word(rest, name)).max_by_key(|(name, _)| name.len());
        if let Some((_, persona)) = meant
            && found.iter().all(|p| p.name != persona.name)
        {
            found.push(persona);
        }
    }
    found
}

/// Whether `text` begins with `name` and the name ends there.
fn begins_with_word(text: &str, name: &str) -> bool {
    let Some(rest) = text.strip_prefix(name).filter(|_| !name.is_empty()) else { return false };
    let mut after = rest.chars();
    match after.next() {
        // `@ada-two` is not ada, and `@ada - come here` is
        Some('-') => !after.next().is_some_and(is_word),
        Some(c) => !is_word(c),
        None => true,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests;
