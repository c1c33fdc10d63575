//! ElizaOS characters of all generations.

use serde_json::Value;

use super::{OWN_PROMPT, learn};
use crate::{
    Fate::{Effective, Kept, Refused},
    Knowledge, Play,
    archive::is_inside,
    character::{Character, Reading},
    disk::document_path,
    receipt::Ledger,
    value::{as_text, as_texts, is_empty, items, text, texts},
};

/// The most example conversations.
const MAX_EXAMPLES: usize = 50;

pub(super) fn read(data: &Value) -> Reading {
    let mut ledger = Ledger::default();
    let name = text(data, "name").unwrap_or_default();
    let prompt = prompt(data);
    let style = &data["style"];
    let is_flat = !style.is_object() && !as_texts(style).is_empty();
    let (knowledge, documents) = knowledge(data, &mut ledger);
    ledger.texts_only(data, "", &["name", "system"]);
    if is_flat {
        ledger.effective("style", "in the system prompt, under “Manner of speaking”");
    }
    for key in ["bio", "lore", "adjectives", "topics"] {
        if data.get(key).is_some_and(|value| !is_empty(value)) && texts(data, key).is_empty() {
            ledger.kept(key, "no text and no list of texts, so it is not read");
        }
    }
    let conversations = items(data, "messageExamples").len();
    if conversations > MAX_EXAMPLES {
        ledger.kept(
            "(messageExamples)",
            format!("the first {MAX_EXAMPLES} of {conversations} conversations are used; the rest is kept"),
        );
    }
    ledger.fields(
        style,
        "style.",
        &[
            ("all", Effective, "in the system prompt, under “Manner of speaking”"),
            ("chat", Effective, "in the system prompt, under “Manner of speaking”"),
            ("post", Kept, "for posts, which Greenroom does not write"),
        ],
    );
    ledger.fields(
        data,
        "",
        &[
            ("name", Effective, "the persona's name"),
            ("bio", Effective, "in the system prompt, under “About”"),
            ("lore", Effective, "in the system prompt, under “Background”"),
            ("system", Effective, "the beginning of the system prompt"),
            ("adjectives", Effective, "in the system prompt, under “Character”"),
            ("topics", Effective, "in the system prompt, under “Topics”"),
            ("messageExamples", Effective, "example messages, the first to leave a full context"),
            ("knowledge", Effective, "memories of the persona"),
            ("style", Effective, "see its parts"),
            ("postExamples", Kept, "for posts, which Greenroom does not write"),
            ("id", Kept, "an id of another program"),
            ("username", Kept, "a name in another program"),
            ("plugins", Refused, "code of another program; it is never loaded"),
            ("clients", Kept, "platforms are connected in Greenroom's settings"),
            ("modelProvider", Kept, "`model` in the persona file chooses a model"),
            ("settings", Kept, "settings of another program"),
            ("secrets", Refused, "secrets are never kept"),
            ("templates", Refused, "templates of another program; they are kept as text and never filled"),
            ("people", Kept, "Greenroom does not know this field"),
        ],
    );
    let description = texts(data, "bio").first().cloned().unwrap_or_default();
    let play = Play { examples: examples(data, &name), ..Play::default() };
    let character = Character { display_name: name.clone(), description, greeting: None, prompt };
    Reading { name, character, play, knowledge, documents, ledger }
}

/// The system prompt: `system`, and a section with the list of each field.
pub(crate) fn prompt(data: &Value) -> String {
    let mut prompt =
        text(data, "system").map_or_else(|| OWN_PROMPT.to_owned(), |text| text.trim().to_owned());
    let mut section = |heading: &str, lines: &[String], joint: &str| {
        if !lines.is_empty() {
            prompt += &format!("\n\n## {heading}\n\n{}", lines.join(joint));
        }
    };
    let listed = |lines: Vec<String>| -> Vec<String> {
        lines.iter().map(|line| format!("- {}", line.trim())).collect()
    };
    let style = &data["style"];
    let manner = match style.is_object() {
        true => [texts(style, "all"), texts(style, "chat")].concat(),
        false => as_texts(style),
    };
    section("About", &texts(data, "bio"), "\n");
    section("Background", &listed(texts(data, "lore")), "\n");
    section("Character", &texts(data, "adjectives"), ", ");
    section("Topics", &texts(data, "topics"), ", ");
    section("Manner of speaking", &listed(manner), "\n");
    prompt
}

/// The example conversations in both forms: lists of messages, and objects with `examples`.
fn examples(data: &Value, name: &str) -> Vec<String> {
    let conversations = items(data, "messageExamples").iter().take(MAX_EXAMPLES);
    let lines = |conversation: &Value| -> Vec<String> {
        let messages = match conversation {
            Value::Array(messages) => &messages[..],
            other => items(other, "examples"),
        };
        messages.iter().filter_map(|message| line(message, name)).collect()
    };
    conversations.map(|it| lines(it).join("\n")).filter(|block| !block.is_empty()).collect()
}

fn line(message: &Value, name: &str) -> Option<String> {
    let content = message.get("content")?;
    let said = text(content, "text").or_else(|| as_text(content))?;
    let speaker = text(message, "user").or_else(|| text(message, "name")).unwrap_or_default();
    let is_person = speaker.starts_with("{{") || speaker.eq_ignore_ascii_case("user");
    let speaker = match () {
        () if speaker.eq_ignore_ascii_case(name) => "{{char}}",
        () if is_person => "{{user}}",
        () => &speaker,
    };
    Some(format!("{speaker}: {}", placeholders(&said)))
}

/// Replaces `{{user1}}`, `{{name1}}` and similar placeholders, which stand for the person.
fn placeholders(text: &str) -> String {
    (1..=5).fold(text.to_owned(), |text, n| {
        text.replace(&format!("{{{{user{n}}}}}"), "{{user}}").replace(&format!("{{{{name{n}}}}}"), "{{user}}")
    })
}

/// The receipt line of a document, before it is known to be missing.
pub(crate) fn document_line(path: &str) -> String {
    format!("the document {path} beside the file becomes memories")
}

/// The statements, and the paths of documents.
fn knowledge(data: &Value, ledger: &mut Ledger) -> (Vec<Knowledge>, Vec<String>) {
    let (mut known, mut documents) = (Vec::new(), Vec::new());
    for (n, item) in items(data, "knowledge").iter().enumerate() {
        let place = format!("knowledge[{n}]");
        // the newest form: `{"item": {"case": "path", "value": …}}`
        let case = item.get("item").unwrap_or(&Value::Null);
        let case_path = text(case, "case").filter(|case| ["path", "directory"].contains(&case.as_str()));
        if let Some(statement) = as_text(item) {
            learn(&mut known, &place, &statement);
        } else if let Some(statement) = text(item, "content").or_else(|| text(item, "text")) {
            learn(&mut known, &place, &statement);
            ledger.effective(&place, "memories of the persona; the file holds the text");
        } else if let Some(path) = text(item, "path")
            .or_else(|| text(item, "directory"))
            .or_else(|| case_path.and_then(|_| text(case, "value")))
        {
            if !is_inside(document_path(&path)) {
                ledger.refused(
                    &place,
                    format!("the path {path} leaves the folder of the file; import it separately"),
                );
                continue;
            }
            ledger.effective(&place, document_line(&path));
            documents.push(path);
        } else {
            ledger.kept(&place, "neither a text nor a path");
        }
    }
    (known, documents)
}
