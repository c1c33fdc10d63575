//! The result of reading any format: the fields of a persona file, the character's additions to contexts, and its
//! knowledge.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{
    Format, Play, ReceiptLine, Source,
    disk::read_documents,
    macros::{too_deep, unknown_macros},
    name::seen,
    read,
    receipt::Ledger,
    yaml,
};

/// The most characters of a persona file's fields. `greenroom-persona` checks the same limits.
const MAX_NAME: usize = 80;
const MAX_DESCRIPTION: usize = 200;
/// The longest greeting.
pub const MAX_GREETING: usize = 20_000;

/// The most documents beside the file that are read.
const MAX_DOCUMENTS: usize = 500;

/// The fields of a persona file that an import writes and an export reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Character {
    /// The name for people.
    pub display_name: String,
    /// One line for lists.
    pub description: String,
    /// The first message.
    pub greeting: Option<String>,
    /// The system prompt.
    pub prompt: String,
}

/// A statement for the persona's memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knowledge {
    /// The place in the file.
    pub place: String,
    /// The statement, at most 1,500 characters.
    pub text: String,
}

/// The interpretation of a source in its format.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The name in the data, for the persona's file; may be empty.
    pub name: String,
    pub character: Character,
    pub play: Play,
    pub knowledge: Vec<Knowledge>,
    /// Paths of documents beside the file.
    pub documents: Vec<String>,
    pub ledger: Ledger,
}

/// An import before it is written.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The wanted name of the persona's file.
    pub name: String,
    /// The fields of the persona file.
    pub character: Character,
    /// The character's additions to contexts.
    pub play: Play,
    /// The persona's knowledge.
    pub knowledge: Vec<Knowledge>,
    /// Paths of documents beside the file that belong to the knowledge.
    pub documents: Vec<String>,
    /// Prefixes of places in documents that could not be read.
    pub unread: Vec<String>,
    /// The source to store.
    pub source: Source,
    /// The fate of each field.
    pub receipt: Vec<ReceiptLine>,
}

impl Imported {
    /// Adds the contents of documents beside the file to the knowledge. Returns the problems, one line each. `None`:
    /// there is no folder beside the file. The receipt lists missing documents.
    pub fn read_documents(&mut self, folder: Option<&Path>) -> Vec<String> {
        let (known, mut problems) = (&mut self.knowledge, Vec::new());
        for path in self.documents.iter().take(MAX_DOCUMENTS) {
            let missing = match folder.map(|folder| read_documents(folder, std::slice::from_ref(path))) {
                Some((documents, wrong)) if wrong.is_empty() && !documents.is_empty() => {
                    known.extend(documents);
                    continue;
                }
                Some((documents, wrong)) => {
                    let missing = documents.is_empty();
                    let first = wrong.first().cloned().unwrap_or_else(|| format!("{path} holds no text"));
                    known.extend(documents);
                    problems.extend(wrong);
                    missing.then_some(first)
                }
                None => {
                    let reason =
                        format!("the file came without the document {path}; import it from its folder");
                    problems.push(reason.clone());
                    Some(reason)
                }
            };
            let Some(reason) = missing else { continue };
            let line = crate::read::eliza::document_line(path);
            for it in self.receipt.iter_mut().filter(|it| it.reason == line) {
                it.fate = crate::Fate::Kept;
                it.reason = format!("no memories: {reason}");
            }
        }
        if known.is_empty() && !self.documents.is_empty() {
            for it in self.receipt.iter_mut().filter(|it| it.field == "knowledge") {
                (it.fate, it.reason) = (crate::Fate::Kept, "none of its documents is there".into());
            }
        }
        if !problems.is_empty() {
            let place = |path: &String| crate::disk::document_path(path).to_owned();
            self.unread = self.documents.iter().map(place).collect();
        }
        self.receipt.sort_by_key(|line| line.fate as u8);
        problems
    }

    /// The personas of a source: one, or one per agent of a file with several. A lorebook has no persona: its
    /// `character` is empty, and `play` contains the book.
    pub fn all(source: Source) -> Vec<Self> {
        Self::each(source).collect()
    }

    /// The same as an iterator, because each persona contains the data of the whole file.
    pub fn each(source: Source) -> impl Iterator<Item = Self> {
        let agents = read::agents(&source);
        let (last, mut source) = (agents.len().saturating_sub(1), Some(source));
        agents.into_iter().enumerate().filter_map(move |(n, agent)| {
            let source = if n == last { source.take() } else { source.clone() };
            source.map(|source| Self::of(Source { agent, ..source }))
        })
    }

    fn of(source: Source) -> Self {
        let Reading { name, mut character, play, knowledge, documents, mut ledger } = read::read(&source);
        for place in &source.removed {
            ledger.refused(place, "a secret: it was removed and is not written anywhere");
        }
        if let Some(beside) = &source.beside
            && *beside != source.data
        {
            let is_same = beside.get("data").is_some() && beside.get("data") == source.data.get("data");
            let reason = match is_same {
                true => "the same card in the older format",
                false => "the picture carries two different cards; the newer format counts",
            };
            ledger.kept("(second card of the picture)", reason);
        }
        for (place, reason) in &source.changes {
            ledger.refused(place, reason);
        }
        for asset in &source.assets {
            ledger.kept(&asset.path, "a file of the archive, kept beside the persona");
        }
        if knowledge.len() == read::MAX_KNOWLEDGE {
            let reason =
                format!("the first {} paragraphs are learned; the rest is kept", read::MAX_KNOWLEDGE);
            ledger.kept("(more knowledge)", reason);
        }
        macros_of(&character, &play, &mut ledger);
        let name = character.fit(&name, &source, &mut ledger);
        let unread = Vec::new();
        Self { name, character, play, knowledge, documents, unread, source, receipt: ledger.close() }
    }
}

impl Character {
    /// The character of a source, as the import wrote it.
    pub fn of(source: &Source) -> Self {
        if source.format == Format::Lorebook {
            return Self::default();
        }
        let mut reading = read::read(source);
        reading.character.fit(&reading.name, source, &mut Ledger::default());
        reading.character
    }

    /// Fits the character to the limits of a persona file. Returns the wanted file name. A character without a name
    /// gets that of the file.
    fn fit(&mut self, name: &str, source: &Source, ledger: &mut Ledger) -> String {
        self.cut(ledger);
        let name = crate::file_name(&[name, &self.display_name, source.stem()]);
        if self.display_name.is_empty() {
            self.display_name.clone_from(&name);
        }
        name
    }

    /// Cuts texts that are too long for a persona file. The source keeps the full texts.
    pub(crate) fn cut(&mut self, ledger: &mut Ledger) {
        let Self { display_name, description, greeting, prompt } = self;
        let shown = one_line(&seen(display_name));
        if shown != one_line(display_name) {
            let reason = "without its invisible characters and those that reverse the text; the whole is kept beside it";
            ledger.refused("(display_name of the persona file)", reason);
        }
        *display_name = cut(&shown, MAX_NAME, "display_name", ledger);
        *description = cut(&one_line(&seen(description)), MAX_DESCRIPTION, "description", ledger);
        *greeting = greeting.take().map(|text| cut(text.trim(), MAX_GREETING, "greeting", ledger));
        *greeting = greeting.take().filter(|text| !text.is_empty());
        *prompt = prompt.replace("\r\n", "\n").trim().to_owned();
        if prompt.is_empty() {
            *prompt = read::OWN_PROMPT.to_owned();
        }
    }

    /// Applies the changes of this character since `before` to another one.
    pub(crate) fn changed_since(&self, before: &Self, other: Self) -> Self {
        fn newer<T: Clone + PartialEq>(before: &T, now: &T, other: T) -> T {
            if before == now { other } else { now.clone() }
        }
        Self {
            display_name: newer(&before.display_name, &self.display_name, other.display_name),
            description: newer(&before.description, &self.description, other.description),
            greeting: newer(&before.greeting, &self.greeting, other.greeting),
            prompt: newer(&before.prompt, &self.prompt, other.prompt),
        }
    }

    /// The text of a persona file.
    pub fn to_markdown(&self) -> String {
        let field = |key: &str, text: &str| format!("{key}: {}\n", yaml::scalar(&text.into()));
        let mut front = field("display_name", &self.display_name);
        if !self.description.is_empty() {
            front += &field("description", &self.description);
        }
        if let Some(greeting) = &self.greeting {
            front += &field("greeting", greeting);
        }
        format!("---\n{front}---\n{}\n", self.prompt)
    }
}

/// Adds the receipt's lines about macros that are not expanded, in all texts of the persona.
fn macros_of(character: &Character, play: &Play, ledger: &mut Ledger) {
    let entries = play.books.iter().flat_map(|book| &book.entries).map(|entry| &entry.content);
    let texts = [&character.prompt]
        .into_iter()
        .chain(&play.greetings)
        .chain(&play.examples)
        .chain(&play.post_history);
    let texts = texts.chain(play.depth_prompt.as_ref().map(|prompt| &prompt.text)).chain(entries);
    let mut unknown = std::collections::BTreeSet::new();
    let mut is_deep = false;
    for text in texts.filter(|text| text.contains("{{")) {
        is_deep |= !too_deep(text).is_empty();
        unknown_macros(text, &mut unknown);
    }
    if is_deep {
        ledger.refused("(nested macros)", "they nest more than 8 levels deep, so they stay text");
    }
    for name in unknown.iter().take(MAX_MACROS) {
        ledger.kept(
            &format!("(macro {name})"),
            "this macro is not expanded; the model sees it as it is written",
        );
    }
    if let Some(more @ 1..) = unknown.len().checked_sub(MAX_MACROS) {
        ledger.kept("(macros)", format!("and {more} more that are not expanded"));
    }
}

/// The most names of macros in a receipt.
const MAX_MACROS: usize = 20;

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, limit: usize, field: &str, ledger: &mut Ledger) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let place = format!("({field} of the persona file)");
    ledger.kept(&place, format!("cut to {limit} characters there; the whole text is kept beside it"));
    let cut: String = text.chars().take(limit - 1).collect();
    format!("{}…", cut.trim_end())
}
