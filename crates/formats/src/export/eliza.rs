//! ElizaOS characters.

use serde_json::{Map, Value, json};

use super::{
    Exporting, left_out,
    list::{self, Form},
    public_description, sections,
};
use crate::{
    Format, Source, json,
    read::{self, OWN_PROMPT},
    value::{is_empty, object, text},
};

/// The headings that an import writes, the fields below each, and their format.
const SECTIONS: [(&str, &str, Form); 5] = [
    ("## About", "bio", Form::Lines),
    ("## Background", "lore", Form::Bullets),
    ("## Character", "adjectives", Form::Commas),
    ("## Topics", "topics", Form::Commas),
    ("## Manner of speaking", "style", Form::Bullets),
];

/// The character as indented JSON, in the field order of the source.
pub(super) fn pretty(persona: &Exporting<'_>, notes: &mut Vec<String>) -> String {
    let source = persona.source.filter(|source| source.format == Format::Eliza);
    let order = source.map(|source| source.order.field("data").clone()).unwrap_or_default();
    json::pretty(&write(persona, notes), &order)
}

fn write(persona: &Exporting<'_>, notes: &mut Vec<String>) -> Value {
    if let Some(source) = persona.source.filter(|source| source.format == Format::Eliza) {
        return edited(persona, source, notes);
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

/// Converts a block of `speaker: text` lines to messages. A line without a speaker continues the previous message.
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

/// The source with the edits of the persona's file.
pub(super) fn edited(persona: &Exporting<'_>, source: &Source, notes: &mut Vec<String>) -> Value {
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
    let (old_head, old_parts) = parted(&before.prompt, source);
    let (head, parts) = parted(&now.prompt, source);
    if head != old_head {
        fields.insert("system".into(), head.into());
    }
    for (heading, key, form) in SECTIONS {
        let text = below(heading, &parts);
        if text == below(heading, &old_parts) {
            continue;
        }
        if key == "style" && fields.get(key).is_none_or(is_empty) {
            fields.insert(key.into(), json!({}));
        }
        match fields.get_mut(key) {
            Some(Value::Object(style)) if key == "style" => put(style, &["all", "chat"], form, text),
            _ => put(fields, &[key], form, text),
        }
    }
    if read::eliza::prompt(&data) != now.prompt {
        notes.push(
            "the prompt has the form of the import in an ElizaOS character: what is before its first heading, and a list \
             below each heading; another order or heading is not kept"
                .into(),
        );
    }
    data
}

/// Splits the prompt into its parts. The original `system` text at its beginning may contain the same headings, so it
/// is skipped.
fn parted<'a>(prompt: &'a str, source: &Source) -> (&'a str, Vec<(String, &'a str)>) {
    let headings = SECTIONS.map(|(heading, ..)| heading);
    let system = text(&source.data, "system").unwrap_or_else(|| OWN_PROMPT.to_owned()).replace("\r\n", "\n");
    let system = system.trim();
    match prompt.strip_prefix(system).filter(|rest| rest.is_empty() || rest.starts_with("\n\n## ")) {
        Some(rest) => (&prompt[..system.len()], sections(rest, &headings).1),
        None => sections(prompt, &headings),
    }
}

/// The text below a heading; empty if there is none.
fn below<'a>(heading: &str, parts: &[(String, &'a str)]) -> &'a str {
    parts.iter().find(|(name, _)| name == heading).map_or("", |(_, text)| text)
}

/// Writes the edited text below a heading back into its lists.
fn put(fields: &mut Map<String, Value>, keys: &[&str], form: Form, text: &str) {
    let before: Vec<&Value> = keys.iter().map(|key| fields.get(*key).unwrap_or(&Value::Null)).collect();
    let lists = list::edited(form, &before, text);
    for (key, list) in keys.iter().zip(lists).filter(|(_, list)| !list.is_null()) {
        fields.insert((*key).into(), list);
    }
}
