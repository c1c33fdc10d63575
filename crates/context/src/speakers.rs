//! The labels of speakers where there are several, and the layout of a text after its speaker's label (RM7, X8, X14).
//! A person chooses both the name and the text, so neither may look like another speaker's.
//!
//! Three rules hold wherever names come before texts:
//! - A label is one line of letters, digits and a few marks, and belongs to one speaker. Of two people with one name
//!   the second is `Ann (2)`; a person with a name of the cast or of a role is `Ada (person)`. A persona is called by the
//!   name that is shown of it, as the texts of others call it; where two look alike, each by its own name.
//! - A line that is not indented begins with a label: every further line of a text is indented.
//! - A text that looks like a block of Greenroom always comes after its speaker's name, even where other texts come
//!   without names.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::{Arc, LazyLock},
};

use foldhash::fast::RandomState;
use greenroom_core::{Author, PersonaName, UserId, is_unseen};
use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;

/// Longest name shown before a text, in characters.
const NAME_LIMIT: usize = 40;
/// Marks that a name may contain between letters. None of them ends a label or begins a list, a heading or a tag.
const MARKS: &str = " -_.'@#";
/// Names that no speaker gets: the roles of a request, and the layouts' names for their own lines.
const ROLES: [&str; 17] = [
    "system",
    "assistant",
    "user",
    "tool",
    "developer",
    "function",
    "operator",
    "model",
    "human",
    "ai",
    "bot",
    "admin",
    "memory",
    "summary",
    "fact",
    "question",
    A_PERSON,
];
/// The words for a person who has no label in a channel.
pub const A_PERSON: &str = "a person";
/// The first words of Greenroom's own blocks, among the messages or above them.
pub const OURS: [&str; 10] = [
    "## Relevant Memories",
    "## Relevant Long-Term Memories",
    "## Recalled Memories",
    "## Earlier in This Conversation",
    "## Project Context",
    "<memory_context",
    "</memory_context",
    "<preferences",
    "<recent_events",
    "<recent_conversations",
];
/// The indentation of every line of a text but its first.
const INDENT: &str = "  ";

/// A name reduced to its look: similar letters become equal, and case, marks and spaces are dropped.
type Likeness = String;

/// Names that no person gets unchanged: those of the cast and of the roles.
#[derive(Debug, Clone)]
pub struct ReservedNames {
    alike: HashSet<Likeness>,
    /// The labels of personas that are called otherwise than by their names.
    shown: HashMap<String, String>,
}

impl ReservedNames {
    /// The roles, and the name and the shown name of each persona of `cast`.
    pub fn new<'a>(cast: impl IntoIterator<Item = [&'a str; 2]>) -> Self {
        let mut alike: HashSet<_> = ROLES.into_iter().flat_map(likenesses).collect();
        let roles = alike.clone();
        // how many personas have a name or a shown name of this look
        let mut holders: HashMap<Likeness, usize> = HashMap::new();
        let cast: Vec<_> = cast.into_iter().map(|[name, shown]| (name, shown_name(shown))).collect();
        for (name, label) in &cast {
            let looks: HashSet<Likeness> = [name, label.as_str()].into_iter().flat_map(likenesses).collect();
            for look in looks {
                *holders.entry(look).or_default() += 1;
            }
        }
        alike.extend(holders.keys().cloned());
        let is_own = |look: Likeness| !roles.contains(&look) && holders.get(&look) == Some(&1);
        let shown = cast
            .into_iter()
            .filter(|(name, label)| label != name && likenesses(label).into_iter().all(is_own))
            .map(|(name, label)| (name.to_owned(), label))
            .collect();
        Self { alike, shown }
    }
}

impl Default for ReservedNames {
    fn default() -> Self {
        Self::new([])
    }
}

/// The names that are reserved without a cast. Made once, because every turn has lists of speakers without one.
static ROLES_ALONE: LazyLock<Arc<ReservedNames>> = LazyLock::new(|| ReservedNames::default().into());

/// The speakers of a channel, each with a label.
#[derive(Debug, Clone)]
pub struct Speakers {
    reserved: Arc<ReservedNames>,
    labels: HashMap<Author, String, RandomState>,
    /// The person whose label looks like this; `None` where a persona has it.
    taken: HashMap<Likeness, Option<UserId>>,
    /// Each person's label under the name that they took last.
    people: HashMap<UserId, String>,
    personas: HashSet<PersonaName>,
}

impl Default for Speakers {
    fn default() -> Self {
        Self::none(ROLES_ALONE.clone())
    }
}

impl Speakers {
    fn none(reserved: Arc<ReservedNames>) -> Self {
        Self {
            reserved,
            labels: HashMap::default(),
            taken: HashMap::new(),
            people: HashMap::new(),
            personas: HashSet::new(),
        }
    }

    /// Labels for `authors`, in the order in which they first spoke: the first person of a name keeps it.
    pub fn new(reserved: Arc<ReservedNames>, authors: &[Author]) -> Self {
        let mut speakers = Self::none(reserved);
        let (personas, people): (Vec<_>, Vec<_>) =
            authors.iter().partition(|author| matches!(author, Author::Persona { .. }));
        personas.into_iter().chain(people).for_each(|author| speakers.add(author));
        speakers
    }

    /// The same speakers and `authors`, who spoke later.
    pub fn with<'a>(&self, authors: impl Iterator<Item = &'a Author>) -> Cow<'_, Self> {
        let mut all = Cow::Borrowed(self);
        for author in authors {
            if !all.labels.contains_key(author) {
                all.to_mut().add(author);
            }
        }
        all
    }

    /// Whether these are the names that no person gets as a label.
    pub fn reserves(&self, names: &Arc<ReservedNames>) -> bool {
        Arc::ptr_eq(&self.reserved, names)
    }

    /// Whether a speaker has a label.
    pub fn knows(&self, author: &Author) -> bool {
        self.labels.contains_key(author)
    }

    fn add(&mut self, author: &Author) {
        let label = match author {
            Author::Persona { name } => {
                self.personas.insert(name.clone());
                self.taken.extend(likenesses(name.as_str()).map(|alike| (alike, None)));
                let label = self.label_of_persona(name).into_owned();
                self.taken.extend(likenesses(&label).map(|alike| (alike, None)));
                label
            }
            Author::User { id, name } => {
                let label = self.free_label(id, &shown_name(name));
                self.people.insert(id.clone(), label.clone());
                label
            }
        };
        self.labels.insert(author.clone(), label);
    }

    /// The first of `Ann`, `Ann (2)`, `Ann (3)` … that looks like no other label, taken for `id`.
    fn free_label(&mut self, id: &UserId, name: &str) -> String {
        let is_a_personas = |alike: &Likeness| matches!(self.taken.get(alike), Some(None));
        let mut alike = likenesses(name).into_iter();
        let reserved = alike.any(|alike| self.reserved.alike.contains(&alike) || is_a_personas(&alike));
        let mut n = 1;
        loop {
            let label = match (reserved, n) {
                (false, 1) => name.to_owned(),
                (false, n) => format!("{name} ({n})"),
                (true, 1) => format!("{name} (person)"),
                (true, n) => format!("{name} (person {n})"),
            };
            let alike = likenesses(&label);
            let is_free = |alike| self.taken.get(alike).is_none_or(|holder| holder.as_ref() == Some(id));
            if alike.iter().all(is_free) {
                self.taken.extend(alike.map(|alike| (alike, Some(id.clone()))));
                return label;
            }
            n += 1;
        }
    }

    /// The label of a speaker. A speaker who was not added gets their name on one line.
    pub fn label<'a>(&'a self, author: &'a Author) -> Cow<'a, str> {
        match self.labels.get(author) {
            Some(label) => Cow::Borrowed(label),
            None => shown_name(author.name()).into(),
        }
    }

    /// The label of a persona.
    pub fn label_of_persona(&self, name: &PersonaName) -> Cow<'_, str> {
        match self.reserved.shown.get(name.as_str()) {
            Some(shown) => Cow::Borrowed(shown),
            None => Cow::Owned(name.to_string()),
        }
    }

    /// The label of a person; of a person with several names, that of the name they took last.
    pub fn label_of_person(&self, id: &UserId) -> Option<&str> {
        self.people.get(id).map(String::as_str)
    }

    /// The author with their label, if it differs from the name they chose.
    pub fn labelled(&self, author: &Author) -> Option<Author> {
        let Author::User { id, name } = author else { return None };
        let label = self.label(author);
        (label != *name).then(|| Author::User { id: id.clone(), name: label.into_owned() })
    }

    /// Whether others than one person speak with `persona`.
    pub fn are_several(&self, persona: &PersonaName) -> bool {
        self.people.len() > 1 || self.personas.iter().any(|other| other != persona)
    }

    /// A text after the name of its speaker: `Ann: yes`. All further lines are indented.
    pub fn line(&self, author: &Author, text: &str) -> String {
        [&self.label(author), ": ", &indented(text)].concat()
    }
}

/// A name on one line, made safe: it cannot look like a second speaker, a heading or a tag.
pub fn shown_name(name: &str) -> String {
    let is_shown = |c: &char| (c.is_alphanumeric() || MARKS.contains(*c)) && !is_blank_letter(*c);
    let shown = name.chars().map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c });
    let shown: String = shown.filter(is_shown).collect();
    let shown = shown.trim_start_matches(|c: char| !c.is_alphanumeric());
    let shown: String =
        shown.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(NAME_LIMIT).collect();
    if shown.is_empty() { "somebody".to_owned() } else { shown.trim_end().to_owned() }
}

/// Letters by Unicode that show nothing.
fn is_blank_letter(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}') || is_unseen(c)
}

/// Pairs of names that readers may confuse, as indices: the earlier name, then the later one.
///
/// ```
/// use greenroom_context::look_alikes;
///
/// assert_eq!(look_alikes(["Ada", "Adam", "Аda"]), [(0, 2)]); // the last begins with a Cyrillic letter
/// ```
pub fn look_alikes<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<(usize, usize)> {
    let mut seen: HashMap<Likeness, usize> = HashMap::new();
    let mut alike = Vec::new();
    for (at, name) in names.into_iter().enumerate() {
        let looks = likenesses(name).into_iter().filter(|look| !look.is_empty());
        let earlier = looks.map(|look| *seen.entry(look).or_insert(at)).min();
        alike.extend(earlier.filter(|earlier| *earlier < at).map(|earlier| (earlier, at)));
    }
    alike
}

/// The look of a name (UTS #39), in two variants, because a capital may look like another letter than its small form
/// does.
fn likenesses(name: &str) -> [Likeness; 2] {
    [look(name), look(&name.to_lowercase())]
}

/// The skeleton of a text without case, marks and spaces. Letters of another width, in circles or in squares are plain
/// letters.
fn look(text: &str) -> Likeness {
    if text.is_ascii() {
        return text.bytes().map(|letter| ASCII_LOOKS[usize::from(letter)].as_str()).collect();
    }
    let text: String = text.nfkd().collect();
    let letters: String = skeleton(&text).filter(|c| c.is_alphanumeric()).map(latin_twin).collect();
    // the twin of a letter has a skeleton too: that of `m` is `rn`
    skeleton(&letters).flat_map(char::to_lowercase).collect()
}

/// The look of each ASCII character. The look of an ASCII text is that of its characters, joined.
static ASCII_LOOKS: LazyLock<[Likeness; 128]> = LazyLock::new(|| {
    std::array::from_fn(|letter| plain_look(char::from(letter as u8).encode_utf8(&mut [0])))
});

fn plain_look(text: &str) -> Likeness {
    skeleton(text).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The small Latin letter that a letter of a skeleton looks like where UTS #39 has no such pair: small capitals, letters
/// in filled circles and squares, and letters whose capitals look like Latin ones, as those of Cherokee and Coptic.
fn latin_twin(c: char) -> char {
    /// Small capitals, or the letters that stand for them in skeletons; Alpha and Ei of Coptic.
    const LETTERS: &str = "ᴀⲁʙᴅᴇꞓꜰɢʜᴊĸʟʍɴᴘꞯʀᴛ";
    const TWINS: &str = "aabdeefghjklmnpqrt";
    if c.is_ascii() {
        return c;
    }
    let from_a = |first: char| char::from_u32('a' as u32 + (c as u32 - first as u32));
    let small = c.to_lowercase().next().unwrap_or(c);
    let twin = match c {
        '\u{1f150}'..='\u{1f169}' => from_a('\u{1f150}'),
        '\u{1f170}'..='\u{1f189}' => from_a('\u{1f170}'),
        _ => LETTERS.chars().zip(TWINS.chars()).find(|(letter, _)| *letter == small).map(|(_, twin)| twin),
    };
    let of_capital = || {
        let mut capital = [0; 4];
        let capital = c.to_uppercase().next()?.encode_utf8(&mut capital);
        let twin = skeleton(capital).next().filter(char::is_ascii_alphabetic)?;
        Some(twin.to_ascii_lowercase())
    };
    twin.or_else(of_capital).unwrap_or(c)
}

/// A text with every line but the first indented, at every kind of line break. Tabs and other text stay.
pub fn indented(text: &str) -> Cow<'_, str> {
    // branch-free over every byte, so that it vectorises: line breaks beyond ASCII begin with these two bytes
    let may_break = |byte: u8| (byte < b' ' && byte != b'\t') | (byte == 0xc2) | (byte == 0xe2);
    if !text.bytes().fold(false, |any, byte| any | may_break(byte)) || !text.contains(breaks_a_line) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(lines(text).collect::<Vec<_>>().join(&format!("\n{INDENT}")))
}

/// The lines of a text, split at every kind of line break.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    // `\r\n` is one break
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split(breaks_a_line))
}

/// Whether any reader of the text takes the character as the end of a line, including a terminal and Python.
fn breaks_a_line(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a line of a text could be taken for the beginning of one of Greenroom's own blocks.
pub fn imitates_ours(text: &str) -> bool {
    if memchr::memchr2(b'#', b'<', text.as_bytes()).is_none() {
        return false;
    }
    let begins =
        |line: &str, with: &str| line.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    text.split(breaks_a_line).any(|line| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_control() || is_unseen(c));
        OURS.iter().any(|ours| begins(line, ours))
    })
}

#[cfg(test)]
mod tests;
