//! Character Cards V1, V2 and V3.

use serde_json::Value;

use crate::{
    Fate::{Effective, Kept},
    Lorebook,
    character::{Character, Reading},
    lore::{LorebookProgram, Speaker},
    play::{DepthPrompt, Play, example_blocks},
    read::{OWN_PROMPT, agnai},
    receipt::Ledger,
    value::{as_texts, count, is_empty, text},
};

/// The fields of a card in any version.
#[derive(Debug, Default)]
pub(crate) struct Card {
    pub name: String,
    pub nickname: Option<String>,
    pub description: String,
    pub personality: String,
    pub scenario: String,
    pub system_prompt: String,
    pub greetings: Vec<String>,
    pub examples: String,
    pub post_history: Option<String>,
    pub depth_prompt: Option<DepthPrompt>,
    pub book: Option<Lorebook>,
    pub creator_notes: String,
    /// Whether the description is the whole prompt.
    pub is_whole_prompt: bool,
}

/// The most greetings.
const MAX_GREETINGS: usize = 100;

/// Text fields.
const TEXTS: [&str; 20] = [
    "name",
    "ch_name",
    "char_name",
    "nickname",
    "description",
    "char_persona",
    "personality",
    "scenario",
    "world_scenario",
    "first_mes",
    "char_greeting",
    "greeting",
    "mes_example",
    "example_dialogue",
    "example_dialogs",
    "sampleChat",
    "system_prompt",
    "systemPrompt",
    "post_history_instructions",
    "postHistoryInstructions",
];

/// Headings of sections in the persona's prompt. An export uses them to find the fields of an edited prompt.
pub(crate) const PERSONALITY: &str = "## Personality";
pub(crate) const SCENARIO: &str = "## Scenario";

const KNOWN: &[(&str, crate::Fate, &str)] = &[
    ("name", Effective, "the persona's name, and {{char}}"),
    ("ch_name", Effective, "the persona's name, and {{char}}"),
    ("char_name", Effective, "the persona's name, and {{char}}"),
    ("nickname", Effective, "replaces {{char}}"),
    ("description", Effective, "in the system prompt"),
    ("char_persona", Effective, "in the system prompt"),
    ("personality", Effective, "in the system prompt, under “Personality”"),
    ("scenario", Effective, "in the system prompt, under “Scenario”"),
    ("world_scenario", Effective, "in the system prompt, under “Scenario”"),
    ("first_mes", Effective, "the first message of a conversation"),
    ("char_greeting", Effective, "the first message of a conversation"),
    ("greeting", Effective, "the first message of a conversation"),
    ("alternateGreetings", Effective, ALTERNATIVES),
    ("sampleChat", Effective, "example messages, the first to leave a full context"),
    ("example_dialogs", Effective, "example messages, the first to leave a full context"),
    ("systemPrompt", Effective, "the beginning of the system prompt; {{original}} is Greenroom's sentence"),
    ("postHistoryInstructions", Effective, "after the conversation"),
    ("alternate_greetings", Effective, ALTERNATIVES),
    ("mes_example", Effective, "example messages, the first to leave a full context"),
    ("example_dialogue", Effective, "example messages, the first to leave a full context"),
    ("system_prompt", Effective, "the beginning of the system prompt; {{original}} is Greenroom's sentence"),
    ("post_history_instructions", Effective, "after the conversation"),
    ("creator_notes", Kept, "notes for people; they never reach a model"),
    ("creator_notes_multilingual", Kept, "notes for people; they never reach a model"),
    ("creatorcomment", Kept, "notes for people; they never reach a model"),
    ("tags", Kept, "words for people who search"),
    ("creator", Kept, "who made the card"),
    ("character_version", Kept, "the version of the card"),
    ("source", Kept, "where the card is from"),
    ("creation_date", Kept, "a date"),
    ("create_date", Kept, "a date"),
    ("modification_date", Kept, "a date"),
    ("assets", Kept, "pictures and sounds; Greenroom shows the main icon, where it is a PNG"),
    ("avatar", Kept, "the name of a picture"),
    ("group_only_greetings", Kept, "in rooms personas begin with no message of their own"),
    ("spec", Kept, "the format"),
    ("spec_version", Kept, "the format"),
    ("talkativeness", Kept, "`room.talkativeness` in the persona file decides in rooms"),
    ("chat", Kept, "the name of a chat in another program"),
    ("fav", Kept, "a mark in another program"),
    ("metadata", Kept, "a mark of another program"),
    ("is_nsfw", Kept, "a mark of another program"),
    ("token_counts", Kept, "numbers of another program"),
    ("created_at", Kept, "a date"),
    ("characterVersion", Kept, "the version of the card"),
    ("kind", Kept, "the format"),
    ("visualType", Kept, "a setting of another program"),
    ("voice", Kept, "a voice of another program"),
    ("culture", Kept, "the language of the card"),
    ("appearance", Kept, "a description for pictures"),
];
const ALTERNATIVES: &str =
    "other first messages; `/greeting` in a chat and the persona's card on the page choose one";
/// Fields of Agnai with another meaning in other cards.
const AGNAI: &[(&str, crate::Fate, &str)] = &[
    ("persona", Effective, "in the system prompt"),
    ("description", Kept, "notes for people; they never reach a model"),
];
/// Alternative names of fields that are not texts.
pub(crate) const OTHER_NAMES: [(&str, &str); 2] =
    [("alternate_greetings", "alternateGreetings"), ("character_book", "characterBook")];

/// Whether a card has a field of this name.
pub(crate) fn is_known(key: &str) -> bool {
    KNOWN.iter().chain(AGNAI).any(|(name, ..)| *name == key)
        || matches!(key, "extensions" | "character_book" | "characterBook" | "data")
}

/// The archive path of the card's main icon, or of its first icon if none is the main one.
pub(crate) fn icon(data: &Value) -> Option<String> {
    let assets = data.pointer("/data/assets").and_then(Value::as_array)?;
    let icons = || assets.iter().filter(|asset| asset["type"] == "icon");
    let main = icons().find(|asset| asset["name"] == "main").or_else(|| icons().next())?;
    let uri = main["uri"].as_str()?;
    let path = ["embeded://", "embedded://"].iter().find_map(|scheme| uri.strip_prefix(scheme));
    path.map(str::to_owned)
}

/// Names of the same field in older tools, such as Pygmalion's. The first one with a text counts.
pub(crate) const ALIASES: [(&str, &[&str]); 9] = [
    ("name", &["ch_name", "char_name"]),
    ("description", &["char_persona"]),
    ("scenario", &["world_scenario"]),
    ("first_mes", &["char_greeting", "greeting"]),
    ("mes_example", &["example_dialogue", "example_dialogs", "sampleChat"]),
    ("creator_notes", &["creatorcomment"]),
    ("system_prompt", &["systemPrompt"]),
    ("post_history_instructions", &["postHistoryInstructions"]),
    ("character_version", &["characterVersion"]),
];

/// The name that a card uses for a field: an alias, if only that has a text.
pub(crate) fn name_in_use<'a>(data: &Value, key: &'a str) -> &'a str {
    if let Some(own) = agnai::own_name(key).filter(|_| agnai::is_one(data)) {
        return own;
    }
    let aliases = ALIASES.iter().find(|(name, _)| *name == key).map_or(&[][..], |(_, aliases)| *aliases);
    std::iter::once(key).chain(aliases.iter().copied()).find(|name| text(data, name).is_some()).unwrap_or(key)
}

/// Marks a card whose description is the whole prompt, so that Greenroom's sentence does not precede it. Exports of
/// personas that were not imported from cards write it.
pub(crate) const WHOLE_PROMPT: &str = "description_is_prompt";

fn is_whole_prompt(data: &Value) -> bool {
    data.pointer("/extensions/greenroom").is_some_and(|own| own[WHOLE_PROMPT] == true)
}

impl Card {
    /// Reads a card's data: the root of a V1 card, `data` of later ones.
    pub fn read(data: &Value, ledger: &mut Ledger) -> Self {
        let any = |key: &'static str| text(data, name_in_use(data, key));
        let extensions = data.get("extensions").unwrap_or(&Value::Null);
        let depth_prompt = extensions.get("depth_prompt").and_then(|prompt| {
            Some(DepthPrompt {
                text: text(prompt, "prompt")?,
                depth: count(prompt, "depth").unwrap_or(4),
                speaker: match text(prompt, "role").as_deref() {
                    Some("user") => Speaker::User,
                    Some("assistant") => Speaker::Assistant,
                    _ => Speaker::System,
                },
            })
        });
        let mut greetings: Vec<String> = any("first_mes").into_iter().collect();
        greetings.extend(other_name(data, "alternate_greetings").map(as_texts).unwrap_or_default());
        greetings.truncate(MAX_GREETINGS);
        Self {
            name: any("name").unwrap_or_default(),
            nickname: any("nickname"),
            description: agnai::persona(data).or_else(|| any("description")).unwrap_or_default(),
            personality: any("personality").unwrap_or_default(),
            scenario: any("scenario").unwrap_or_default(),
            system_prompt: any("system_prompt").unwrap_or_default(),
            greetings,
            examples: any("mes_example").unwrap_or_default(),
            post_history: any("post_history_instructions"),
            depth_prompt,
            book: ["character_book", "characterBook"]
                .iter()
                .find_map(|name| Lorebook::read(data.get(*name)?, &format!("{name}."), ledger)),
            creator_notes: any("creator_notes").unwrap_or_default(),
            is_whole_prompt: is_whole_prompt(data),
        }
    }

    /// The beginning of the system prompt.
    pub fn opening(&self) -> String {
        if self.system_prompt.trim().is_empty() {
            if self.is_whole_prompt && !self.description.trim().is_empty() {
                return String::new();
            }
            return OWN_PROMPT.to_owned();
        }
        replace_original(&self.system_prompt, OWN_PROMPT).trim().to_owned()
    }

    /// The persona file's fields.
    pub fn character(&self) -> Character {
        let mut sections = vec![self.opening()];
        sections.retain(|opening| !opening.is_empty());
        let mut section = |heading: &str, text: &str| {
            if !text.trim().is_empty() {
                sections.push(format!("{heading}\n\n{}", text.trim()).trim().to_owned());
            }
        };
        section("", &self.description);
        section(PERSONALITY, &self.personality);
        section(SCENARIO, &self.scenario);
        let notes =
            self.creator_notes.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('<'));
        Character {
            display_name: self.name.clone(),
            description: notes.unwrap_or_default().to_owned(),
            greeting: self.greetings.first().cloned(),
            prompt: sections.join("\n\n"),
        }
    }

    /// The card's additions to contexts.
    pub fn play(self) -> Play {
        Play {
            nickname: self.nickname,
            greetings: self.greetings,
            examples: example_blocks(&self.examples),
            post_history: self
                .post_history
                .map(|text| replace_original(&text, ""))
                .filter(|text| !text.trim().is_empty()),
            depth_prompt: self.depth_prompt,
            books: self.book.into_iter().collect(),
        }
    }
}

/// Replaces `{{original}}`, which stands for the host's own prompt.
fn replace_original(text: &str, own: &str) -> String {
    const MACRO: &str = "{{original}}";
    let lower = text.to_ascii_lowercase();
    let mut out = String::new();
    let mut from = 0;
    for (at, _) in lower.match_indices(MACRO) {
        out.push_str(&text[from..at]);
        // only the first one is replaced, so that a hostile card cannot repeat the prompt a thousand times
        out.push_str(if from == 0 { own } else { "" });
        from = at + MACRO.len();
    }
    out + &text[from..]
}

/// A field that is not a text, under one of its names.
fn other_name<'a>(data: &'a Value, key: &str) -> Option<&'a Value> {
    let other = OTHER_NAMES.iter().find(|(name, _)| *name == key).map(|(_, other)| *other);
    [Some(key), other].into_iter().flatten().find_map(|name| data.get(name))
}

/// The object that contains the card's fields: `data`, or the root.
pub(crate) fn data_of(root: &Value) -> &Value {
    root.get("data").filter(|data| data.is_object()).unwrap_or(root)
}

pub(super) fn read(root: &Value) -> Reading {
    let mut ledger = Ledger::default();
    let data = data_of(root);
    let card = Card::read(data, &mut ledger);
    ledger.texts_only(data, "", &TEXTS);
    let alternatives = other_name(data, "alternate_greetings");
    let others = alternatives.map(as_texts).unwrap_or_default().len()
        + usize::from(text(data, name_in_use(data, "first_mes")).is_some());
    if others > MAX_GREETINGS {
        ledger.kept(
            "(alternate_greetings)",
            format!("the first {MAX_GREETINGS} of {others} first messages are offered; the rest is kept"),
        );
    }
    for (name, aliases) in ALIASES {
        let in_use = name_in_use(data, name);
        for other in std::iter::once(&name).chain(aliases).filter(|other| **other != in_use) {
            if text(data, other).is_some() {
                ledger.kept(other, format!("`{in_use}` of the same meaning counts"));
            }
        }
    }
    if data.get("character_book").is_some_and(|book| !book.is_null()) && card.book.is_none() {
        ledger.kept("character_book", "the book has no entries");
    }
    for name in ["character_book", "characterBook"] {
        let book = data.get(name).unwrap_or(&Value::Null);
        let own = LorebookProgram::of(book).map_or(&[][..], LorebookProgram::fields);
        ledger.fields(book, &format!("{name}."), &[own, BOOK].concat());
    }
    if alternatives.is_some_and(|it| !is_empty(it) && as_texts(it).is_empty()) {
        ledger.kept("alternate_greetings", "no list of texts; write it as one");
    }
    if card.depth_prompt.is_some() {
        ledger.effective("extensions.depth_prompt", "among the messages, at its depth");
    }
    if let Some(extensions) = data.get("extensions") {
        for (key, _) in crate::value::fields(extensions).filter(|(key, _)| *key != "depth_prompt") {
            let reason = match key.as_str() {
                "greenroom" => "Greenroom's note that the description is the whole prompt",
                "talkativeness" => "`room.talkativeness` in the persona file decides in rooms",
                "world" => "the name of a lorebook in another program; import that file with `--to`",
                "regex_scripts" => "scripts of another program; they are never run",
                _ => "an extension of another program",
            };
            ledger.kept(&format!("extensions.{key}"), reason);
        }
    }
    let own = if agnai::is_one(data) { AGNAI } else { &[] };
    ledger.fields_but(data, "", &[own, KNOWN].concat(), &["extensions", "character_book", "characterBook"]);
    if !std::ptr::eq(root, data) {
        for (key, _) in crate::value::fields(root)
            .filter(|(key, _)| !matches!(key.as_str(), "data" | "spec" | "spec_version"))
        {
            ledger.kept(&format!("(root).{key}"), "beside the card's data, which counts");
        }
    }
    let name = card.name.clone();
    if card.greetings.is_empty() {
        ledger.kept("(first message)", "the card has none; the conversation begins with the person");
    }
    Reading { name, character: card.character(), play: card.play(), ledger, ..Reading::default() }
}

/// Fields of a book, including the names of other editors.
pub(crate) const BOOK: &[(&str, crate::Fate, &str)] = &[
    ("entries", Effective, "the lorebook"),
    ("name", Effective, "the book's name in receipts"),
    ("description", Kept, "notes for people"),
    ("scan_depth", Effective, "messages that are searched for keys"),
    ("token_budget", Effective, "tokens that entries may take"),
    ("recursive_scanning", Effective, "whether entries trigger entries"),
    ("scanDepth", Effective, "messages that are searched for keys"),
    ("tokenBudget", Effective, "tokens that entries may take"),
    ("recursiveScanning", Effective, "whether entries trigger entries"),
    ("extensions", Kept, "an extension of another program"),
    ("originalData", Kept, "the book of the card that SillyTavern made this file of"),
    ("spec", Kept, "the format"),
    ("spec_version", Kept, "the format"),
];
