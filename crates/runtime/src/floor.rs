//! Floor control: which personas answer a message, in which order, and why (GR7). Pure.
//!
//! 1. the persona that the message is addressed to, then others that it mentions, in the order of mention;
//! 2. else the personas that it mentions;
//! 3. else the personas that always answer and are out of their cooldown (WB12).
//!
//! No persona answers what a persona said, so that personas neither talk in circles nor answer themselves (WB12).

use std::{collections::HashMap, sync::Arc};

use greenroom_core::{Author, PersonaName, Timestamp};
use greenroom_persona::{Answer, Persona};

/// What the decision depends on beside the message.
pub(crate) struct Floor<'a> {
    /// The cast, in the order of their names.
    pub(crate) personas: &'a [Arc<Persona>],
    /// When each of them last spoke here.
    pub(crate) spoke_at: &'a HashMap<PersonaName, Timestamp>,
    /// The present.
    pub(crate) now: Timestamp,
}

/// The personas that answer, in order, each with the reason.
pub(crate) fn decide(
    floor: &Floor<'_>,
    author: &Author,
    text: &str,
    to: Option<&PersonaName>,
) -> Vec<(PersonaName, String)> {
    let Author::User { name: sender, .. } = author else { return Vec::new() };
    let candidates: Vec<&Persona> =
        floor.personas.iter().map(|p| &**p).filter(|p| p.room.answer != Answer::Never).collect();

    let mut answering: Vec<(PersonaName, String)> = Vec::new();
    if let Some(persona) = candidates.iter().find(|p| Some(&p.name) == to) {
        answering.push((persona.name.clone(), format!("addressed by {sender}")));
    }
    for persona in mentions(text, &candidates) {
        if answering.iter().all(|(name, _)| name != &persona.name) {
            answering.push((persona.name.clone(), format!("mentioned by {sender}")));
        }
    }
    if answering.is_empty() && to.is_none() {
        let ready =
            candidates.iter().filter(|p| p.room.answer == Answer::Always && !is_cooling_down(floor, p));
        answering.extend(ready.map(|p| (p.name.clone(), format!("{} answers everything", p.name))));
    }
    answering
}

/// Whether a text mentions a persona that answers at all.
pub(crate) fn mentions_any(personas: &[Arc<Persona>], text: &str) -> bool {
    let candidates = personas.iter().map(|p| &**p).filter(|p| p.room.answer != Answer::Never);
    !mentions(text, &candidates.collect::<Vec<_>>()).is_empty()
}

/// Whether a persona spoke too recently to speak again unasked.
fn is_cooling_down(floor: &Floor<'_>, persona: &Persona) -> bool {
    // a moment in the future comes from a clock that was put back since (S5)
    let is_recent = |at: &Timestamp| *at <= floor.now && floor.now.since(*at) < persona.room.cooldown;
    floor.spoke_at.get(&persona.name).is_some_and(is_recent)
}

/// The personas that a text mentions as `@name` or `@Display Name`, any case, in order, each once. Where two names fit,
/// the longer one is meant.
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
