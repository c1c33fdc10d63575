//! Agents of coding tools.

use serde_json::{Map, Value};

use super::{Exporting, left_out, public_description};
use crate::{Format, Source, front, value::object, yaml};

/// Markdown with front matter.
pub(super) fn markdown(persona: &Exporting<'_>, notes: &mut Vec<String>) -> String {
    let now = persona.character;
    let own = persona.source.filter(|source| source.format == Format::AgentMarkdown);
    let (Some(source), Some(before)) = (own, persona.before()) else {
        notes.extend(left_out(persona, "an agent", &[]));
        let mut front = Map::new();
        front.insert("name".into(), persona.name.into());
        if now.display_name != persona.name {
            front.insert("displayName".into(), now.display_name.clone().into());
        }
        front.insert("description".into(), description(persona).into());
        return format!("---\n{}---\n\n{}\n", yaml::write_fields(front.iter()), persona.plain(&now.prompt));
    };
    let mut data = source.data.clone();
    let name = if data["front"].get("displayName").is_some() { "displayName" } else { "name" };
    let changes = [
        (name, &now.display_name, &before.display_name),
        ("description", &now.description, &before.description),
    ];
    let changes: Vec<(&str, &String)> = changes
        .into_iter()
        .filter(|(_, now, before)| now != before)
        .map(|(key, now, _)| (key, now))
        .collect();
    let body = match now.prompt == before.prompt {
        true => data["body"].as_str().unwrap_or_default().to_owned(),
        false => format!("\n{}\n", now.prompt),
    };
    // keep the text of the front matter, with its comments and order
    let text = source.text.as_deref().map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
    let text = text.filter(|text| front::document(text).is_ok_and(|it| it.front == data["front"]));
    let text = text.and_then(|text| {
        changes.iter().try_fold(text.to_owned(), |text, (key, now)| front::with_field(&text, key, now)).ok()
    });
    if let Some(text) = text {
        let head = text.len() - front::document(&text).map_or(0, |document| document.body.len());
        let body = if text.contains("\r\n") && now.prompt != before.prompt {
            body.replace('\n', "\r\n")
        } else {
            body
        };
        return format!("{}{body}", &text[..head]);
    }
    match data["front_text"].as_str().filter(|_| changes.is_empty()) {
        Some(front) => format!("{front}{body}"),
        None => {
            for (key, now) in changes {
                object(&mut data["front"]).insert(key.into(), now.clone().into());
            }
            format!("---\n{}---\n{body}", yaml::write_fields(crate::value::fields(&data["front"])))
        }
    }
}

/// The TOML source with the edits of the persona's file.
pub(super) fn edited_toml(persona: &Exporting<'_>, source: &Source) -> Value {
    let mut data = source.data.clone();
    let Some(before) = persona.before() else { return data };
    let now = persona.character;
    set(&mut data, "name", &now.display_name, &before.display_name);
    set(&mut data, "description", &now.description, &before.description);
    if now.prompt != before.prompt {
        let key = ["developer_instructions", "instructions", "prompt"]
            .into_iter()
            .find(|key| data.get(*key).is_some());
        object(&mut data).insert(key.unwrap_or("developer_instructions").into(), now.prompt.clone().into());
    }
    data
}

fn set(fields: &mut Value, key: &str, now: &str, before: &str) {
    if now != before {
        object(fields).insert(key.into(), now.into());
    }
}

/// The description, which tools need to select an agent.
fn description(persona: &Exporting<'_>) -> String {
    match public_description(persona).trim() {
        "" => format!("Answers as {}", persona.character.display_name),
        description => persona.plain(description),
    }
}
