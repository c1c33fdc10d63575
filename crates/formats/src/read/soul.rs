//! The SOUL.md family: Markdown files that describe a persona, optionally with a manifest `soul.json`.

use serde_json::Value;

use super::{OWN_PROMPT, learn};
use crate::{
    Fate::{Effective, Kept},
    Knowledge,
    character::{Character, Reading},
    receipt::Ledger,
    value::{fields, text, texts},
};

/// The file with a persona's identity. If Greenroom exported it, it is read back as fields.
pub(crate) const IDENTITY: &str = "IDENTITY.md";
const HEADING: &str = "# Identity";
const NAME: &str = "- **Name:** ";
const DESCRIPTION: &str = "- **Description:** ";
const GREETING: &str = "- **Greeting:** ";

/// Files that form the system prompt, in this order.
const PROMPT: [&str; 5] = ["SOUL.md", "IDENTITY.md", "STYLE.md", "AGENTS.md", "USER.md"];

/// Files that only the folder of a persona contains.
const SIGNS: [&str; 3] = ["SOUL.md", IDENTITY, "soul.json"];
/// Folders in an agent's workspace.
const FOLDERS: [&str; 5] = ["memory", "knowledge", "skills", "avatars", "notes"];

/// The note for a lone AGENTS.md: most files of this name describe a project.
const AGENTS_ALONE: &str =
    "a project's AGENTS.md is read there without an import; as a persona, it is in the system prompt";

/// Whether a folder contains a file that only a persona's folder has. An AGENTS.md alone may describe a project.
pub(crate) fn is_signed(has: &impl Fn(&str) -> bool) -> bool {
    SIGNS.iter().any(|name| has(name) || has(&name.to_lowercase()))
}

/// Whether a path may be beside the AGENTS.md of a persona: documents, and the folders of an agent's workspace.
/// Anything else belongs to a project or a collection. The path of a folder ends with `/`.
pub(crate) fn is_of_workspace(path: &str) -> bool {
    match path.split_once('/') {
        Some((folder, _)) => FOLDERS.contains(&folder) || folder.starts_with('.'),
        None => match path.rsplit_once('.') {
            Some((stem, ending)) => stem.is_empty() || ["md", "markdown", "txt"].contains(&ending),
            None => true,
        },
    }
}

/// Whether a file of a folder belongs to the prompt.
pub(crate) fn is_prompt(path: &str) -> bool {
    PROMPT.iter().any(|name| path.eq_ignore_ascii_case(name))
}

/// Reads a folder, or one Markdown file.
pub(super) fn read(data: &Value, file: &str) -> Reading {
    let mut ledger = Ledger::default();
    let manifest = data.get("soul.json").unwrap_or(&Value::Null);
    let plain = |text: &'_ str| text.strip_prefix('\u{feff}').unwrap_or(text).trim().replace("\r\n", "\n");
    let texts_of =
        |name: &str| data.get(name).and_then(Value::as_str).map(plain).filter(|text| !text.is_empty());
    let mut sections = Vec::new();
    let mut used: Vec<&str> = Vec::new();
    // a manifest may rename the files
    let named = |key: &str| manifest["files"][key].as_str();
    let wanted = ["soul", "identity", "style", "agents", "user"].map(named);
    let identity = texts_of(IDENTITY).as_deref().and_then(own_identity);
    for (name, other) in PROMPT.into_iter().zip(wanted) {
        let own = || fields(data).map(|(path, _)| path.as_str()).find(|path| path.eq_ignore_ascii_case(name));
        let name = other.filter(|name| data.get(*name).is_some()).or_else(own).unwrap_or(name);
        if name == IDENTITY && identity.is_some() {
            used.push(name);
            ledger.effective(name, "the persona's name, description and greeting");
        } else if let Some(text) = texts_of(name) {
            sections.push(text);
            used.push(name);
            let reason = match name {
                "AGENTS.md" if !is_signed(&|name| data.get(name).is_some()) => AGENTS_ALONE,
                _ => "in the system prompt",
            };
            ledger.effective(name, reason);
        }
    }
    if sections.is_empty()
        && identity.is_none()
        && let Some((name, text)) =
            fields(data).find_map(|(name, value)| Some((name, plain(value.as_str()?))))
        && fields(data).count() == 1
    {
        sections.push(text);
        used.push(name);
        ledger.effective(name, "the system prompt");
    }
    let mut knowledge: Vec<Knowledge> = Vec::new();
    for (path, value) in
        fields(data).filter(|(path, _)| !used.contains(&path.as_str()) && *path != "soul.json")
    {
        let Some(content) = value.as_str().map(plain) else { continue };
        let is_memory = path.eq_ignore_ascii_case("MEMORY.md")
            || path.starts_with("memory/")
            || path.starts_with("knowledge/");
        match path.as_str() {
            "TOOLS.md" => ledger.kept(path, "notes about tools that are not here"),
            "HEARTBEAT.md" => {
                ledger.kept(path, "tasks for times without a message, which Greenroom does not run")
            }
            "BOOTSTRAP.md" => ledger.kept(path, "instructions for the first start of another program"),
            _ if is_memory && path.ends_with(".md") => {
                ledger.effective(path, "memories of the persona");
                learn(&mut knowledge, path, &content);
            }
            _ => ledger.kept(path, "a file that Greenroom does not use"),
        }
    }
    let prompt = sections.join("\n\n");
    let mut character = if manifest.is_object() {
        described(manifest, &mut ledger, "soul.json.")
    } else {
        Character::default()
    };
    if character.display_name.is_empty() {
        character.display_name = named_in(&prompt).unwrap_or_default();
    }
    let is_own = identity.is_some();
    if let Some(identity) = identity {
        let Character { display_name, description, greeting, .. } = identity;
        character = Character { display_name, description, greeting, ..character };
    }
    let stem = file.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default();
    let is_plain = PROMPT.iter().any(|name| name.trim_end_matches(".md").eq_ignore_ascii_case(stem));
    // the folder of an agent is often called `workspace`
    let identified = texts_of(IDENTITY).filter(|_| !is_own).and_then(|text| named_in(&text));
    let name = identified.unwrap_or_else(|| match is_plain {
        true => character.display_name.clone(),
        false => stem.to_owned(),
    });
    let name = text(manifest, "name").unwrap_or(name);
    character.prompt = if prompt.is_empty() { character.prompt } else { prompt };
    Reading { name, character, knowledge, ledger, ..Reading::default() }
}

/// Reads `soul.json` alone.
pub(super) fn manifest(data: &Value) -> Reading {
    let mut ledger = Ledger::default();
    let character = described(data, &mut ledger, "");
    Reading { name: text(data, "name").unwrap_or_default(), character, ledger, ..Reading::default() }
}

/// The character of a manifest without other files.
fn described(manifest: &Value, ledger: &mut Ledger, prefix: &str) -> Character {
    ledger.texts_only(manifest, prefix, &["name", "displayName", "description"]);
    ledger.fields(
        manifest,
        prefix,
        &[
            ("name", Effective, "the name of the persona's file"),
            ("displayName", Effective, "the persona's name"),
            ("description", Effective, "the persona's description"),
            ("personality", Effective, "in the system prompt"),
            ("specVersion", Kept, "the format"),
            ("version", Kept, "the version of the persona"),
            ("category", Kept, "a word for people who search"),
            ("tags", Kept, "words for people who search"),
            ("author", Kept, "who made it"),
            ("license", Kept, "the licence"),
            ("files", Kept, "the names of the files; import the folder to read them"),
        ],
    );
    let name = text(manifest, "displayName").or_else(|| text(manifest, "name")).unwrap_or_default();
    let description = text(manifest, "description").unwrap_or_default();
    let traits = texts(manifest, "personality").join(", ");
    let mut prompt = OWN_PROMPT.to_owned();
    for part in [&description, &traits].into_iter().filter(|part| !part.is_empty()) {
        prompt += &format!("\n\n{part}");
    }
    Character { display_name: name, description, greeting: None, prompt }
}

/// The files that form the prompt, in order.
pub(crate) fn prompt_files(data: &Value) -> Vec<String> {
    let reading = read(data, "");
    let is_prompt =
        |line: &&crate::ReceiptLine| line.fate == Effective && line.reason.ends_with("system prompt");
    reading.ledger.close().iter().filter(is_prompt).map(|line| line.field.clone()).collect()
}

/// The file in which an export writes the fields of a persona besides its prompt.
pub(crate) fn identity(character: &Character) -> String {
    let mut text = format!("{HEADING}\n\n{NAME}{}\n", character.display_name);
    if !character.description.is_empty() {
        text += &format!("{DESCRIPTION}{}\n", character.description);
    }
    if let Some(greeting) = &character.greeting {
        // lines of a list item are indented
        text += &format!("{GREETING}{}\n", greeting.replace('\n', "\n  "));
    }
    text
}

/// Reads the output of [`identity`]. `None` if the file contains anything else.
pub(crate) fn own_identity(text: &str) -> Option<Character> {
    let mut lines = text.trim().strip_prefix(HEADING)?.trim_start().lines();
    let mut character = Character {
        display_name: lines.next()?.strip_prefix(NAME)?.trim().to_owned(),
        ..Character::default()
    };
    for line in lines {
        if let Some(description) = line.strip_prefix(DESCRIPTION) {
            character.description = description.trim().to_owned();
        } else if let Some(greeting) = line.strip_prefix(GREETING) {
            character.greeting = Some(greeting.to_owned());
        } else {
            let more = if line.trim().is_empty() { "" } else { line.strip_prefix("  ")? };
            character.greeting.as_mut()?.push_str(&format!("\n{more}"));
        }
    }
    Some(character)
}

/// The name in a text: `Name: Ada` or `- **Name:** Ada`. Emphasis inside the name is part of it.
fn named_in(text: &str) -> Option<String> {
    text.lines().take(60).find_map(|line| {
        let at = line.find(|c| !matches!(c, '-' | ' ' | '#' | '*' | '_' | '`'))?;
        let marks = line[..at].rsplit([' ', '-', '#']).next().unwrap_or_default();
        let rest = line[at..].strip_prefix("Name").or_else(|| line[at..].strip_prefix("name"))?;
        // `**Name**:` or `**Name:**`
        let label = rest.strip_prefix(marks).and_then(|rest| rest.strip_prefix(':'));
        let label = label.or_else(|| {
            let rest = rest.strip_prefix(':')?.trim_end();
            let inner = rest.strip_suffix(marks).filter(|inner| !inner.contains(marks));
            Some(rest.strip_prefix(marks).or(inner).unwrap_or(rest))
        });
        let name = without_marks(label?.trim());
        let is_name =
            !name.is_empty() && name.chars().count() <= 60 && !name.starts_with(['[', '<', '(', '{']);
        is_name.then(|| name.to_owned())
    })
}

/// Removes emphasis around the whole name.
fn without_marks(name: &str) -> &str {
    let inner =
        |mark: &str| name.strip_prefix(mark)?.strip_suffix(mark).filter(|inner| !inner.contains(mark));
    ["**", "__", "*", "_", "`"].into_iter().find_map(inner).map_or(name, str::trim)
}
