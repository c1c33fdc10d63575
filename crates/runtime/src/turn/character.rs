//! What a persona's card and lorebooks add to one context (PF4, PF5). A pure function of the conversation. Texts of a
//! card are data: only the macros of cards are expanded in them.

use std::collections::{HashMap, HashSet};

use greenroom_context::{CharacterBlock, CharacterKind, CharacterPlace, CharacterText, HistoryEntry};
use greenroom_core::{Author, Role};
use greenroom_formats::{LoreLine, Macros, Play, Position, Seed, Speaker, activate};
use greenroom_persona::Persona;

/// The window divided by this is the token budget of a lorebook that gives none, as in SillyTavern.
const LORE_SHARE: usize = 4;

/// The conversation in which a persona with a card answers.
pub(super) struct Scene<'a> {
    pub persona: &'a Persona,
    pub play: &'a Play,
    /// The name of the [`person`].
    pub user: &'a str,
    pub channel: &'a str,
    /// The conversation up to the message that is answered, oldest first.
    pub answered: &'a [HistoryEntry],
    /// The tokens of the model's window.
    pub window: usize,
    /// Whether `answered` is the whole conversation, so that the card's first message belongs before it.
    pub is_whole: bool,
    /// Whether texts begin with their speaker's name.
    pub is_group: bool,
}

/// The entries that the conversation triggers, by where they are shown.
#[derive(Default)]
struct Lore {
    before_examples: Vec<CharacterText>,
    after_examples: Vec<CharacterText>,
    /// All other entries. Each text has its place.
    texts: Vec<CharacterText>,
    /// The token budget of all entries together.
    budget: usize,
}

/// The person whom `{{user}}` stands for: the author that is answered, or if that is a persona, the last person who
/// spoke before.
pub(super) fn person<'a>(
    answered: &'a Author,
    before: impl DoubleEndedIterator<Item = &'a Author>,
) -> &'a Author {
    let is_person = |author: &&Author| matches!(author, Author::User { .. });
    std::iter::once(answered).chain(before.rev()).find(is_person).unwrap_or(answered)
}

impl Scene<'_> {
    fn seed(&self) -> Seed {
        Seed::of_text(self.channel)
    }

    /// The macros of the whole conversation.
    fn macros(&self) -> Macros<'_> {
        let char = self.play.nickname.as_ref().unwrap_or(&self.persona.display_name);
        Macros { char, user: self.user, seed: self.seed(), lasting: self.seed() }
    }

    fn expand(&self, text: &str) -> String {
        let last = self.answered.last().map_or(0, |entry| entry.id.0.unsigned_abs());
        Macros { seed: self.seed().at(last), ..self.macros() }.expand(text)
    }

    /// The card's first message, if the conversation begins with it.
    fn opening(&self) -> Option<String> {
        let greeting = self.persona.greeting.as_ref().filter(|_| self.is_whole)?;
        Some(self.expand(greeting))
    }

    /// The conversation as SillyTavern searches it: with the first message, and each text after its speaker's name.
    fn said(&self) -> Vec<LoreLine> {
        let char = &self.persona.display_name;
        let opening =
            self.opening().map(|text| LoreLine { id: 0, text: format!("{char}: {text}"), is_own: true });
        let said = self.answered.iter().map(|entry| {
            let is_own = entry.role == Role::Assistant;
            let text = match (is_own, self.is_group) {
                (true, _) => format!("{char}: {}", entry.content),
                (false, true) => entry.content.clone(),
                (false, false) => format!("{}: {}", self.user, entry.content),
            };
            LoreLine { id: entry.id.0.unsigned_abs(), text, is_own }
        });
        opening.into_iter().chain(said).collect()
    }

    /// The persona's prompt with its macros expanded.
    pub fn prompt(&self) -> String {
        self.expand(&self.persona.prompt)
    }

    /// The texts around the prompt and the conversation.
    pub fn block(&self) -> CharacterBlock {
        let mut texts = Vec::new();
        let lore = self.lore();
        texts.extend(lore.texts);
        if let Some(prompt) = &self.play.depth_prompt {
            let place = at_depth(prompt.depth, prompt.speaker);
            let text = framed(&self.expand(&prompt.text), prompt.speaker);
            texts.push(instruction("depth_prompt", text, place, "the card's depth prompt"));
        }
        if let Some(text) = &self.play.post_history {
            let text = framed(&self.expand(text), Speaker::System);
            let place = at_depth(0, Speaker::System);
            texts.push(instruction(
                "post_history",
                text,
                place,
                "the card's instructions after the conversation",
            ));
        }
        if let Some(text) = self.opening() {
            texts.push(CharacterText {
                id: "greeting".into(),
                text,
                place: CharacterPlace::Opening,
                kind: CharacterKind::Spare,
                reason: "the first message of the conversation".into(),
            });
        }
        texts.extend(lore.before_examples);
        texts.extend(self.play.examples.iter().enumerate().map(|(n, block)| CharacterText {
            id: format!("example:{}", n + 1),
            text: format!("Example conversation:\n{}", self.expand(block)),
            place: CharacterPlace::Examples,
            kind: CharacterKind::Spare,
            reason: "an example conversation; it leaves first when space is short".into(),
        }));
        texts.extend(lore.after_examples);
        CharacterBlock { texts, lore_budget: lore.budget }
    }

    /// The entries of the lorebooks that the conversation triggers, in the order they are shown.
    fn lore(&self) -> Lore {
        let said = self.said();
        let mut found: Vec<(i64, Position, CharacterText)> = Vec::new();
        let mut ids = EntryIds::default();
        let mut budget = 0usize;
        for book in &self.play.books {
            budget = budget.saturating_add(book.token_budget.unwrap_or(self.window / LORE_SHARE));
            for active in activate(book, &said, self.macros()) {
                let entry = active.entry;
                let place = match entry.position {
                    Position::Before => CharacterPlace::BeforePrompt,
                    Position::After => CharacterPlace::AfterPrompt,
                    Position::BeforeExamples | Position::AfterExamples => CharacterPlace::Examples,
                    Position::Depth(depth) => at_depth(depth, entry.speaker),
                };
                let content = self.expand(&entry.content);
                let is_among = matches!(place, CharacterPlace::Depth { .. });
                let kind = match place {
                    CharacterPlace::Examples => CharacterKind::Spare,
                    _ => CharacterKind::Lore(found.len()),
                };
                let text = CharacterText {
                    id: ids.next(&entry.name),
                    text: if is_among { framed(&content, entry.speaker) } else { content },
                    place,
                    kind,
                    reason: format!("{}, entry of {}", active.trigger, book.name),
                };
                if !text.text.trim().is_empty() {
                    found.push((entry.order, entry.position, text));
                }
            }
        }
        // of equal order, the last one found comes first, as in SillyTavern
        found.reverse();
        found.sort_by_key(|(order, ..)| *order);
        let mut lore = Lore { budget: budget.min(self.window / 2), ..Lore::default() };
        for (_, position, text) in found {
            let texts = match position {
                Position::BeforeExamples => &mut lore.before_examples,
                Position::AfterExamples => &mut lore.after_examples,
                _ => &mut lore.texts,
            };
            texts.push(text);
        }
        lore
    }
}

fn instruction(id: &str, text: String, place: CharacterPlace, reason: &str) -> CharacterText {
    CharacterText { id: id.into(), text, place, kind: CharacterKind::Instruction, reason: reason.into() }
}

/// The place of a text among messages. A text of the host gets the role of the user, because the templates of many
/// models accept a system message at the beginning alone.
fn at_depth(depth: usize, speaker: Speaker) -> CharacterPlace {
    let role = if speaker == Speaker::Assistant { Role::Assistant } else { Role::User };
    CharacterPlace::Depth { depth, role }
}

/// Frames a text of the host among messages, so that it does not look like the person's words.
fn framed(text: &str, speaker: Speaker) -> String {
    match speaker {
        Speaker::System => format!("[Note: {}]", text.trim()),
        Speaker::User | Speaker::Assistant => text.trim().to_owned(),
    }
}

/// Ids of entries by their names, each used once. A book may have thousands of entries of one name, so the next number
/// of each name is remembered.
#[derive(Default)]
struct EntryIds {
    taken: HashSet<String>,
    numbers: HashMap<String, u32>,
}

impl EntryIds {
    fn next(&mut self, name: &str) -> String {
        let plain = format!("lore:{name}");
        let number = self.numbers.entry(plain.clone()).or_insert(0);
        loop {
            *number += 1;
            let id = if *number == 1 { plain.clone() } else { format!("{plain}-{number}") };
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pf5_a_persona_that_is_answered_does_not_become_the_user() {
        let mia = Author::User { id: "m".parse().unwrap(), name: "Mia".into() };
        let jo = Author::User { id: "j".parse().unwrap(), name: "Jo".into() };
        let ada = Author::Persona { name: "ada".parse().unwrap() };
        assert_eq!(person(&ada, [&jo, &mia, &ada].into_iter()), &mia);
        assert_eq!(person(&jo, [&mia].into_iter()), &jo);
        assert_eq!(person(&ada, [&ada].into_iter()), &ada);
    }

    #[test]
    fn pf4_entries_of_one_name_have_ids_of_their_own() {
        let mut ids = EntryIds::default();
        assert_eq!(
            ["a", "a-2", "a", "a", "a-2"].map(|name| ids.next(name)),
            ["lore:a", "lore:a-2", "lore:a-3", "lore:a-4", "lore:a-2-2"]
        );
    }

    /// If every new id searched all earlier ones, this would take minutes.
    #[test]
    fn pf8_many_entries_of_one_name_take_no_longer_than_others() {
        let mut ids = EntryIds::default();
        let last = (0..200_000).map(|_| ids.next("k")).last().unwrap();
        assert_eq!(last, "lore:k-200000");
    }
}
