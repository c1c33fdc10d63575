//! The SOUL.md family.

use serde_json::Value;

use super::{Exporting, left_out, public_description};
use crate::{
    Asset, Character, Format, Source,
    archive::is_inside,
    json,
    read::{
        self,
        soul::{IDENTITY, identity, own_identity, prompt_files},
    },
    value::object,
};

/// File names that identify a folder as a persona.
const KNOWN: [&str; 4] = ["SOUL.md", IDENTITY, "AGENTS.md", "soul.json"];

/// The files of the folder.
pub(super) fn write(persona: &Exporting<'_>, notes: &mut Vec<String>) -> Vec<Asset> {
    let own = persona.source.filter(|source| source.format == Format::Soul);
    if let (Some(source), Some(before)) = (own, persona.before()) {
        return edited(persona, source, &before, notes);
    }
    notes.extend(left_out(persona, "SOUL.md", &["greeting", "knowledge"]));
    let now = persona.character;
    let shown = Character {
        display_name: now.display_name.clone(),
        description: persona.plain(public_description(persona)),
        greeting: now.greeting.as_ref().map(|greeting| persona.plain(greeting)),
        prompt: String::new(),
    };
    let mut files =
        vec![file("SOUL.md", format!("{}\n", persona.plain(&now.prompt))), file(IDENTITY, identity(&shown))];
    let known = persona.source.map(read::read).unwrap_or_default().knowledge;
    if !known.is_empty() {
        let known: Vec<String> = known.into_iter().map(|it| it.text).collect();
        files.push(file("MEMORY.md", format!("{}\n", known.join("\n\n"))));
    }
    files
}

/// A manifest, with extra files for what it cannot contain: the prompt and the first message.
pub(super) fn beside_manifest(
    now: &Character,
    source: &Source,
    mut manifest: Value,
    has_prompt: bool,
) -> Vec<Asset> {
    let mut files = Vec::new();
    if has_prompt {
        let named = manifest["files"]["soul"].as_str();
        let named = named.filter(|path| path.ends_with(".md") && *path != IDENTITY && is_inside(path));
        let path = named.unwrap_or("SOUL.md").to_owned();
        files.push(file(&path, format!("{}\n", now.prompt)));
        let listed = object(object(&mut manifest).entry("files").or_insert(Value::Null));
        listed.insert("soul".into(), path.into());
    }
    if now.greeting.is_some() {
        files.push(file(IDENTITY, identity(now)));
    }
    files.insert(0, file("soul.json", source.pretty(&manifest)));
    files
}

fn file(path: &str, text: String) -> Asset {
    Asset { path: path.to_owned(), content: text.into_bytes() }
}

/// The source with the edits of the persona's file.
fn edited(
    persona: &Exporting<'_>,
    source: &Source,
    before: &Character,
    notes: &mut Vec<String>,
) -> Vec<Asset> {
    let now = persona.character;
    let texts = crate::value::fields(&source.data).map(|(path, value)| match value {
        Value::String(text) => file(path, text.clone()),
        other => file(path, json::pretty(other, source.order.field("data").field(path))),
    });
    let mut files: Vec<Asset> = texts.chain(source.assets.iter().cloned()).collect();
    if now.prompt != before.prompt {
        let prompts = prompt_files(&source.data);
        if prompts.len() > 1 {
            notes.push(
                "the prompt was edited, so SOUL.md holds all of it and the other files of it are left out"
                    .into(),
            );
        }
        let named = source.data["soul.json"]["files"]["soul"].as_str();
        let first = prompts.first().map(String::as_str).filter(|_| prompts.len() == 1);
        let only = named.filter(|name| prompts.iter().any(|it| it == name)).or(first).unwrap_or("SOUL.md");
        files.retain(|it| !prompts.contains(&it.path) && it.path != only);
        files.insert(0, file(only, format!("{}\n", now.prompt)));
    }
    let is_renamed = (&now.display_name, &now.description, &now.greeting)
        != (&before.display_name, &before.description, &before.greeting);
    let own = source.data[IDENTITY].as_str().and_then(own_identity);
    match files.iter_mut().find(|file| file.path == IDENTITY).filter(|_| own.is_some()) {
        Some(file) if is_renamed => file.content = identity(now).into_bytes(),
        None if is_renamed => notes.push(
            "changes of display_name, description and greeting are left out: SOUL.md has no fields for them"
                .into(),
        ),
        _ => {}
    }
    // a folder is recognised by its file names
    if let [only] = &mut files[..]
        && !KNOWN.contains(&only.path.as_str())
    {
        only.path = "SOUL.md".into();
    }
    files
}
