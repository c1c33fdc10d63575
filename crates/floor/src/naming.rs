//! Finds the members that a text names, and how it names them.

use std::borrow::Cow;

use crate::common_words::{greets, is_called, is_set_apart, is_word, joins};
use crate::members::Members;
use crate::script::named_in_script;
use crate::text::{Chunk, chunks, hash, is_misspelt, is_typo};
use crate::window::{SpeakerIndex, Window};

/// A few mentions in a young room do not make a name a common word: its rarity counts this many more texts without it.
const UNHEARD: f32 = 200.0;

/// How a text names a member, from sure to vague.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameForm {
    /// At the beginning, with `:`, `,` or `@`.
    FirstMarked,
    /// The beginning of the name or a part of it, at the beginning, with a mark.
    ShortMarked,
    /// At the beginning.
    First,
    /// One letter is wrong, at the beginning.
    Misspelt,
    /// After a word or two, with a mark: "hi ada, …".
    Early,
    /// By `@` elsewhere.
    At,
    /// As the last word.
    Last,
    /// Elsewhere.
    Inside,
    /// The beginning of the name, at the beginning, without a mark.
    Short,
}

impl NameForm {
    /// The number of forms.
    pub(crate) const KINDS: usize = 9;

    /// Whether a message that names a member in this form is for that member.
    pub(crate) fn is_address(self) -> bool {
        matches!(self, Self::FirstMarked | Self::ShortMarked | Self::First | Self::Misspelt)
    }

    /// Whether a word in this form is a name, even if it is a common word too.
    pub(crate) fn is_sure(self) -> bool {
        self.is_address() || self == Self::At
    }
}

/// A member who is named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Named {
    pub(crate) slot: SpeakerIndex,
    pub(crate) how: NameForm,
    /// Whether the text begins by speaking to the member, perhaps among others: "hi ada and bert, …".
    pub(crate) spoken_to: bool,
    /// How rare the name is as a word here, 0 to 1.
    pub(crate) rarity: f32,
    /// Whether the word is the name, or a typo of it. Another word that resembles the name may be a hint in a chat
    /// among people, but asks no persona to answer: Menno is not Menna.
    pub(crate) is_name: bool,
}

/// The members that a text by `author` names, in the order of the text, each once and in the surest form.
pub(crate) fn named(window: &mut Window, members: &Members, author: SpeakerIndex, text: &str) -> Vec<Named> {
    let text = unquoted(text);
    let chunks: Vec<_> = chunks(&text).collect();
    let mut found: Vec<Named> = Vec::new();
    let mut ids = Vec::new();
    let mut salutation = Salutation::default();
    for (at, chunk) in chunks.iter().enumerate() {
        if chunk.core.is_empty() && chunk.bare.is_empty() {
            continue;
        }
        // "@ bob" and "… bob"
        let is_first = found.is_empty() && chunks[..at].iter().all(|c| c.core.is_empty());
        let how = match (is_first, chunk.mark || chunk.at) {
            (true, true) => NameForm::FirstMarked,
            (true, false) => NameForm::First,
            (false, _) if chunk.at => NameForm::At,
            (false, true) if at <= 2 && found.is_empty() => NameForm::Early,
            (false, _) if at + 1 == chunks.len() => NameForm::Last,
            (false, _) => NameForm::Inside,
        };
        let alone = is_first && chunk.ends;
        if how > NameForm::At && chunk.bare.chars().count() < 3 {
            salutation.word(at, chunk.bare);
            continue;
        }
        ids.clear();
        let more = members.named_at(&chunks, at, |member| ids.push(member.id.clone()));
        if ids.is_empty() && (chunk.mark || chunk.at || alone || how == NameForm::Last) {
            ids.extend(members.first_named(chunk).map(|member| member.id.clone()));
        }
        // the first word may be only the beginning of a name, so it is checked even if it names no member; a full name
        // is no common word
        let is_common = || {
            let is_marked = chunk.mark || alone || is_set_apart(&chunks, at);
            more == 0 && is_word(&chunks, at, (is_first, is_marked), members)
        };
        if (is_first || !ids.is_empty()) && is_common() {
            salutation.word(at, chunk.bare);
            continue;
        }
        let fuzzy = (is_first && ids.is_empty()).then(|| nearly(window, author, chunk)).flatten();
        if let Some(fuzzy) = fuzzy {
            let spoken_to = salutation.name(fuzzy.how, (at, at), &chunks);
            keep(&mut found, author, Named { spoken_to, ..fuzzy });
        } else if ids.is_empty() {
            salutation.word(at, chunk.bare);
        } else {
            let spoken_to = salutation.name(how, (at, at + more), &chunks);
            for id in &ids {
                let slot = window.slot(id, members);
                let rarity = rarity(window, chunk.bare);
                keep(&mut found, author, Named { slot, how, spoken_to, rarity, is_name: true });
            }
        }
    }
    for (id, how) in named_in_script(members, &text) {
        let (slot, spoken_to) = (window.slot(&id, members), how != NameForm::Inside);
        keep(&mut found, author, Named { slot, how, spoken_to, rarity: 1.0, is_name: true });
    }
    found
}

/// Follows the names that a text begins with, as far as they are spoken to.
#[derive(Default)]
struct Salutation {
    goes_on: bool,
    /// Whether the last word was a joining word.
    joined: bool,
    /// The index of the last chunk of the last name.
    until: usize,
    /// Whether a mark follows the last name.
    marked: bool,
}

impl Salutation {
    /// Takes in a name, from the first of these chunks to the last. Returns whether its member is spoken to.
    fn name(&mut self, how: NameForm, (from, until): (usize, usize), chunks: &[Chunk<'_>]) -> bool {
        let last = &chunks[until];
        let marked = last.mark || last.ends || chunks[from].at || is_set_apart(chunks, until);
        // "ada, bert and cora: …"
        let listed =
            self.marked && from == self.until + 1 && chunks.get(until + 1).is_some_and(|c| joins(c.bare));
        let goes_on = self.goes_on && (self.joined || marked || listed);
        let spoken_to = how.is_address() || how == NameForm::Early || goes_on;
        let spoken_to = spoken_to || is_called(chunks, from, until);
        *self = Self { goes_on: spoken_to, joined: false, until, marked };
        spoken_to
    }

    /// Takes in another word.
    fn word(&mut self, at: usize, word: &str) {
        if self.goes_on && at > self.until {
            self.joined = joins(word) || greets(word);
            self.goes_on = self.joined;
        }
    }
}

/// A text without code between backticks, which mentions nobody, and without quoted lines (`> …`), whose names belong
/// to the quoted message. A text that is quoted as a whole stays as it is.
pub fn unquoted(text: &str) -> Cow<'_, str> {
    match without_code(text) {
        Cow::Borrowed(text) => without_quotations(text),
        Cow::Owned(text) => Cow::Owned(without_quotations(&text).into_owned()),
    }
}

/// A text without code: without what is between two runs of equally many backticks.
fn without_code(text: &str) -> Cow<'_, str> {
    if !text.contains('`') {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('`') {
        let (before, code) = rest.split_at(at);
        let code_begins = code.len() - code.trim_start_matches('`').len();
        let (ticks, inner) = code.split_at(code_begins);
        kept.push_str(before);
        kept.push(' ');
        rest = inner.find(ticks).map_or(inner, |end| &inner[end + ticks.len()..]);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

fn without_quotations(text: &str) -> Cow<'_, str> {
    let is_quoted = |line: &str| line.trim_start().starts_with('>');
    if !text.lines().any(is_quoted) || text.lines().all(|line| is_quoted(line) || line.trim().is_empty()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.lines().filter(|line| !is_quoted(line)).collect::<Vec<_>>().join("\n"))
}

fn keep(found: &mut Vec<Named>, author: SpeakerIndex, named: Named) {
    if named.slot == author {
        return;
    }
    match found.iter_mut().find(|n| n.slot == named.slot) {
        Some(known) => {
            let spoken_to = known.spoken_to || named.spoken_to;
            let surest = if named.how < known.how { named } else { *known };
            *known = Named { spoken_to, ..surest };
        }
        None => found.push(named),
    }
}

fn rarity(window: &Window, name: &str) -> f32 {
    let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|p| !p.is_empty());
    let stems = parts.map(|p| hash(&p.chars().take(6).collect::<String>()));
    let rarest = stems.map(|s| window.rarity_after(s, UNHEARD)).fold(0.0, f32::max);
    ((rarest - 1.5) / 4.0).clamp(0.0, 1.0)
}

/// The member meant by a first word that is no name: the latest speaker in the window whose name begins with the word,
/// contains it, or differs by one letter.
fn nearly(window: &Window, author: SpeakerIndex, chunk: &Chunk<'_>) -> Option<Named> {
    let (word, marked) = (chunk.bare, chunk.mark || chunk.at);
    let lower: Vec<char> = word.to_lowercase().chars().collect();
    if lower.len() < 2 || (lower.len() < 3 && !marked) {
        return None;
    }
    let rare = rarity(window, word);
    let mut best: Option<(u8, Named)> = None;
    let mut seen = Vec::with_capacity(32);
    for entry in window.entries.iter().rev() {
        if entry.slot == author || seen.contains(&entry.slot) {
            continue;
        }
        seen.push(entry.slot);
        for name in &window.speakers[usize::from(entry.slot)].spelt {
            let short = if marked { NameForm::ShortMarked } else { NameForm::Short };
            let (quality, how) = if is_misspelt(&lower, name) {
                (1, NameForm::Misspelt)
            } else if name.starts_with(&lower) {
                (2, short)
            } else if lower.len() >= 4 && (lower.starts_with(name) && name.len() >= 3) {
                (3, short)
            } else if lower.len() >= 4 && marked && name.windows(lower.len()).any(|w| w == lower) {
                (4, short)
            } else {
                continue;
            };
            if best.is_none_or(|(known, _)| quality < known) {
                let is_short = (chunk.at || chunk.colon) && lower.len() >= 3 && name.starts_with(&lower);
                let is_name = is_short || is_typo(&lower, name);
                let named = Named { slot: entry.slot, how, spoken_to: false, rarity: rare, is_name };
                best = Some((quality, named));
            }
        }
    }
    best.map(|(_, named)| named)
}
