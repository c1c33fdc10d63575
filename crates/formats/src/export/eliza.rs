//! ElizaOS characters.

use serde_json::{Value, json};

use super::{Exporting, left_out, public_description, sections};
use crate::{
    Format, Source, json,
    read::{self, OWN_PROMPT},
    value::object,
};

/// The headings that an import writes, and the fields below them.
const SECTIONS: [(&str, &str); 5] = [
    ("## About", "bio"),
    ("## Background", "lore"),
    ("## Character", "adjectives"),
    ("## Topics", "topics"),
    ("## Manner of speaking", "style"),
];

/// The character as JSON for people, in the order of the source.
pub(super) fn pretty(persona: &Exporting<'_>, notes: &mut Vec<String>) -> String {
    let source = persona.source.filter(|source| source.format == Format::Eliza);
    let order = source.map(|source| source.order.field("data").clone()).unwrap_or_default();
    json::pretty(&write(persona, notes), &order)
}

fn write(persona: &Exporting<'_>, notes: &mut Vec<String>) -> Value {
    if let Some(source) = persona.source.filter(|source| source.format == Format::Eliza) {
        return edited(persona, source);
    }
    notes.extend(left_out(persona, "ElizaOS", &["mes_example", "knowledge"]));
    let name = &persona.character.display_name;
    let bio = match public_description(persona).trim() {
        "" => name.clone(),
        description => persona.plain(description),
    };
    let examples: Vec<Value> = persona.play.examples.iter().map(|block| example(persona, block)).collect();
    let known = persona.source.map(read::read).unwrap_or_default().knowledge;
    let known: Vec<String> = known.into_iter().map(|it| it.text).collect();
    json!({
        "name": name,
        "username": persona.name,
        "bio": [bio],
        "system": persona.plain(&persona.character.prompt),
        "messageExamples": examples,
        "postExamples": [],
        "topics": [],
        "adjectives": [],
        "knowledge": known,
        "plugins": [],
        "settings": {},
        "style": { "all": [], "chat": [], "post": [] },
    })
}

/// A block of `speaker: text` lines as messages. A line without a speaker continues the message above it.
fn example(persona: &Exporting<'_>, block: &str) -> Value {
    let mut messages: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        let speaker = line.split_once(':').filter(|(speaker, _)| speaker.len() <= 80);
        match (speaker, messages.last_mut()) {
            (Some((speaker, said)), _) => {
                let is_user = speaker.trim().eq_ignore_ascii_case("{{user}}");
                let speaker = if is_user { "{{user1}}".to_owned() } else { persona.plain(speaker.trim()) };
                messages.push((speaker, persona.plain(said.trim())));
            }
            (None, Some((_, text))) => *text += &format!("\n{}", persona.plain(line)),
            (None, None) => {}
        }
    }
    messages.into_iter().map(|(name, text)| json!({ "name": name, "content": { "text": text } })).collect()
}

/// The source with the changes of the persona's file.
pub(super) fn edited(persona: &Exporting<'_>, source: &Source) -> Value {
    let mut data = source.data.clone();
    let Some(before) = persona.before() else { return data };
    let now = persona.character;
    let fields = object(&mut data);
    if now.display_name != before.display_name {
        fields.insert("name".into(), now.display_name.clone().into());
    }
    if now.prompt == before.prompt {
        return data;
    }
    let headings = SECTIONS.map(|(heading, _)| heading);
    let (head, parts) = sections(&now.prompt, &headings);
    let system = if head == OWN_PROMPT && !fields.contains_key("system") { None } else { Some(head) };
    if let Some(system) = system {
        fields.insert("system".into(), system.into());
    }
    for (heading, key) in SECTIONS {
        let text = parts.iter().find(|(name, _)| name == heading).map_or("", |(_, text)| *text);
        let lines: Vec<String> = match key {
            "adjectives" | "topics" => text.split(", ").map(str::to_owned).collect(),
            _ => text.lines().map(|line| line.strip_prefix("- ").unwrap_or(line).to_owned()).collect(),
        };
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
        match key {
            "style" => {
                let style = object(fields.entry("style").or_insert(json!({})));
                style.insert("all".into(), lines.into());
                style.insert("chat".into(), json!([]));
            }
            _ => drop(fields.insert(key.into(), lines.into())),
        }
    }
    data
}
