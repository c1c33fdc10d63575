//! The cast: the loaded personas. When files change, it is replaced as a whole (hot reload). Names and channels are
//! indexed, so that a message costs the same however large the cast is (RM1).

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use greenroom_core::{ChannelKey, PersonaName};
use greenroom_floor::{is_script_break, unquoted};
use greenroom_persona::{Answer, Persona, matches_channel};

/// The personas, sorted by name.
pub(crate) type Cast = Arc<[Arc<Persona>]>;

/// The persona of this name.
pub(crate) fn in_cast<'a>(cast: &'a Cast, name: &PersonaName) -> Option<&'a Arc<Persona>> {
    let at = cast.binary_search_by(|persona| persona.name.cmp(name)).ok()?;
    Some(&cast[at])
}

/// The current cast.
pub(crate) struct CurrentCast(RwLock<Arc<Indexed>>);

#[derive(Default)]
struct Indexed {
    cast: Cast,
    /// The personas that belong to a channel by their files, for files that name the channel.
    by_channel: HashMap<String, Vec<PersonaName>>,
    /// The same for files that name a pattern of channels.
    by_pattern: Vec<(String, PersonaName)>,
    /// Names in lower case by their first word, with the index of the persona.
    by_word: HashMap<String, Vec<(String, usize)>>,
}

impl CurrentCast {
    pub(crate) fn new(personas: Vec<Arc<Persona>>) -> Self {
        Self(RwLock::new(Arc::new(Indexed::of(sorted(personas)))))
    }

    /// The current cast.
    pub(crate) fn get(&self) -> Cast {
        self.indexed().cast.clone()
    }

    /// Replaces the cast.
    pub(crate) fn set(&self, personas: Vec<Arc<Persona>>) {
        let indexed = Arc::new(Indexed::of(sorted(personas)));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = indexed;
    }

    /// One persona.
    pub(crate) fn persona(&self, name: &PersonaName) -> Option<Arc<Persona>> {
        in_cast(&self.indexed().cast, name).cloned()
    }

    /// The personas with a memory. If there are none, nothing is indexed (FG17).
    pub(crate) fn remembering(&self) -> Vec<PersonaName> {
        let remembering = self.get();
        let remembering = remembering.iter().filter(|persona| persona.memory.enabled);
        remembering.map(|persona| persona.name.clone()).collect()
    }

    /// The personas whose files say that they belong to a channel (RM1).
    pub(crate) fn belonging(&self, channel: &ChannelKey) -> Vec<PersonaName> {
        let indexed = self.indexed();
        let chat = &channel.as_str()[..channel.provider().len() + 1 + channel.chat_id().len()];
        let exact = |key: &str| indexed.by_channel.get(key).cloned().unwrap_or_default();
        let mut names = exact(channel.as_str());
        if chat.len() < channel.as_str().len() {
            names.append(&mut exact(chat));
        }
        let patterns = indexed.by_pattern.iter().filter(|(pattern, _)| matches_channel(pattern, channel));
        names.extend(patterns.map(|(_, name)| name.clone()));
        names.sort();
        names.dedup();
        names
    }

    /// The personas that a text mentions as `@name` or `@Display Name`, in any case, in order, each once. If two names
    /// fit, the longer one counts. Personas that never answer are left out.
    pub(crate) fn mentioned(&self, text: &str) -> Vec<PersonaName> {
        if !text.contains('@') {
            return Vec::new();
        }
        let indexed = self.indexed();
        let text = unquoted(text).to_lowercase();
        let mut found: Vec<PersonaName> = Vec::new();
        for (at, _) in text.match_indices('@') {
            if text[..at].chars().next_back().is_some_and(is_word) {
                continue; // `mail@ada` is an address
            }
            let rest = &text[at + 1..];
            let names = indexed.by_word.get(first_word(rest)).into_iter().flatten();
            let meant =
                names.filter(|(name, _)| begins_with_word(rest, name)).max_by_key(|(name, _)| name.len());
            if let Some((_, persona)) = meant.map(|(name, at)| (name, &indexed.cast[*at]))
                && !found.contains(&persona.name)
            {
                found.push(persona.name.clone());
            }
        }
        found
    }

    /// The persona that a text calls by its name at the beginning: `Menna, hello`, `@menna!`.
    pub(crate) fn called(&self, text: &str) -> Option<PersonaName> {
        let text = unquoted(text).to_lowercase();
        let text = text.trim_start().trim_start_matches('@');
        let indexed = self.indexed();
        let names = indexed.by_word.get(first_word(text)).into_iter().flatten();
        let names = names.filter(|(name, _)| begins_with_word(text, name));
        let (name, at) = names.max_by_key(|(name, _)| name.len())?;
        let after = text[name.len()..].trim_start();
        let is_called =
            after.is_empty() || after.starts_with([',', ':', '!', '?', '.', '、', '，', '：', '！', '？']);
        is_called.then(|| indexed.cast[*at].name.clone())
    }

    fn indexed(&self) -> Arc<Indexed> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Indexed {
    fn of(cast: Cast) -> Self {
        let mut indexed = Self { cast: cast.clone(), ..Self::default() };
        for (at, persona) in
            cast.iter().enumerate().filter(|(_, persona)| persona.room.answer != Answer::Never)
        {
            for name in [persona.name.as_str().to_owned(), persona.display_name.to_lowercase()] {
                let names = indexed.by_word.entry(first_word(&name).to_owned()).or_default();
                names.push((name, at));
            }
        }
        for persona in cast.iter() {
            for pattern in persona.room.channels.clone() {
                match pattern.contains('*') {
                    true => indexed.by_pattern.push((pattern, persona.name.clone())),
                    false => indexed.by_channel.entry(pattern).or_default().push(persona.name.clone()),
                }
            }
        }
        indexed
    }
}

fn sorted(mut personas: Vec<Arc<Persona>>) -> Cast {
    personas.sort_by(|a, b| a.name.cmp(&b.name));
    personas.dedup_by(|a, b| a.name == b.name);
    personas.into()
}

/// The first word of a text: its leading letters and digits of one script.
fn first_word(text: &str) -> &str {
    let mut last = None;
    let ends = |c: char| !is_word(c) || last.replace(c).is_some_and(|last| is_script_break(last, c));
    &text[..text.find(ends).unwrap_or(text.len())]
}

/// Whether `text` begins with `name` as a whole word.
fn begins_with_word(text: &str, name: &str) -> bool {
    let Some(rest) = text.strip_prefix(name) else { return false };
    let Some(last) = name.chars().next_back() else { return false };
    let mut after = rest.chars();
    match after.next() {
        // `@ada-two` does not mention ada, `@ada - come here` does
        Some('-') => !after.next().is_some_and(is_word),
        Some(c) => !is_word(c) || is_script_break(last, c),
        None => true,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests;
