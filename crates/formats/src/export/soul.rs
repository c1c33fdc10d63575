//! The SOUL.md family.

use serde_json::Value;

use super::Exporting;
use crate::{Asset, Format, json};

/// The files of the folder.
pub(super) fn write(persona: &Exporting<'_>, notes: &mut Vec<String>) -> Vec<Asset> {
    let now = persona.character;
    let file = |path: &str, text: String| Asset { path: path.to_owned(), content: text.into_bytes() };
    let own = persona.source.filter(|source| source.format == Format::Soul);
    let (Some(source), Some(before)) = (own, persona.before()) else {
        if !persona.play.books.is_empty() || !persona.play.examples.is_empty() {
            notes.push("SOUL.md has neither lorebooks nor examples, so they are left out".into());
        }
        let mut identity = format!("# Identity\n\n- **Name:** {}\n", now.display_name);
        if !now.description.is_empty() {
            identity += &format!("- **Description:** {}\n", persona.plain(&now.description));
        }
        if let Some(greeting) = &now.greeting {
            identity += &format!("- **Greeting:** {}\n", persona.plain(greeting).replace('\n', " "));
        }
        return vec![
            file("SOUL.md", format!("{}\n", persona.plain(&now.prompt))),
            file("IDENTITY.md", identity),
        ];
    };
    let texts = crate::value::fields(&source.data).map(|(path, value)| match value {
        Value::String(text) => file(path, text.clone()),
        other => file(path, json::pretty(other)),
    });
    let mut files: Vec<Asset> = texts.chain(source.assets.iter().cloned()).collect();
    if now.prompt != before.prompt {
        let prompts = ["SOUL.md", "IDENTITY.md", "STYLE.md", "AGENTS.md", "USER.md"];
        let is_prompt = |file: &Asset| prompts.contains(&file.path.as_str());
        let before = files.iter().filter(|file| is_prompt(file)).count();
        if before > 1 {
            notes.push(
                "the prompt was edited, so SOUL.md holds all of it and the other files of it are left out"
                    .into(),
            );
        }
        let only = if before == 0 && files.len() == 1 { files[0].path.clone() } else { "SOUL.md".to_owned() };
        files.retain(|it| !is_prompt(it) && it.path != only);
        files.insert(0, file(&only, format!("{}\n", now.prompt)));
    }
    files
}
