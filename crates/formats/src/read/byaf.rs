//! Backyard archives: a manifest, characters and scenarios, each one JSON file. Macros have single braces.

use serde_json::{Value, json};

use super::card::Card;
use crate::{
    Lorebook,
    character::Reading,
    receipt::Ledger,
    value::{fields, items, text},
};

pub(super) fn read(data: &Value) -> Reading {
    let mut ledger = Ledger::default();
    let characters = listed(data, "characters");
    let scenarios = listed(data, "scenarios");
    let none = Value::Null;
    let character = characters.first().map_or(&none, |path| &data[*path]);
    let scenario = scenarios.first().map_or(&none, |path| &data[*path]);
    for path in characters.iter().skip(1) {
        ledger.kept(path, "one persona is made of an archive: its first character");
    }
    ledger.kept("manifest.json", "the archive's list and its author");

    let first_messages = |scenario: &Value| -> Vec<String> {
        items(scenario, "firstMessages")
            .iter()
            .filter_map(|message| text(message, "text"))
            .map(|it| macros(&it))
            .collect()
    };
    let examples: Vec<String> = items(scenario, "exampleMessages")
        .iter()
        .filter_map(|message| text(message, "text"))
        .map(|it| macros(&it))
        .collect();
    let card = Card {
        name: text(character, "displayName").or_else(|| text(character, "name")).unwrap_or_default(),
        description: text(character, "persona").map(|it| macros(&it)).unwrap_or_default(),
        scenario: text(scenario, "narrative").map(|it| macros(&it)).unwrap_or_default(),
        system_prompt: text(scenario, "formattingInstructions").map(|it| macros(&it)).unwrap_or_default(),
        greetings: scenarios.iter().flat_map(|path| first_messages(&data[*path])).collect(),
        examples: examples.join("\n"),
        book: book(data).and_then(|book| Lorebook::read(&book, "loreItems.", &mut ledger)),
        ..Card::default()
    };
    use crate::Fate::{Effective, Kept};
    ledger.fields(
        character,
        "character.",
        &[
            ("name", Effective, "the persona's name"),
            ("displayName", Effective, "the persona's name"),
            ("persona", Effective, "in the system prompt"),
            ("loreItems", Effective, "the lorebook"),
            ("isNSFW", Kept, "a mark for people"),
            ("images", Kept, "pictures of the archive"),
        ],
    );
    ledger.fields(
        scenario,
        "scenario.",
        &[
            ("narrative", Effective, "in the system prompt, under “Scenario”"),
            ("firstMessages", Effective, "the first message of a conversation"),
            ("exampleMessages", Effective, "example messages, the first to leave a full context"),
            ("formattingInstructions", Effective, "the beginning of the system prompt"),
        ],
    );
    for path in scenarios.iter().skip(1) {
        ledger.effective(path, "its first messages are alternatives; the rest is kept");
    }
    let name = card.name.clone();
    Reading { name, character: card.character(), play: card.play(), ledger, ..Reading::default() }
}

/// The files of a folder, in the order of the manifest.
fn listed<'a>(data: &'a Value, folder: &str) -> Vec<&'a str> {
    let named = data["manifest.json"][folder].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut paths: Vec<&str> = named.filter(|path| data.get(*path).is_some()).collect();
    if paths.is_empty() {
        let prefix = format!("{folder}/");
        paths =
            fields(data).map(|(path, _)| path.as_str()).filter(|path| path.starts_with(&prefix)).collect();
    }
    paths
}

/// The lore of the first character as the book of a card.
pub(crate) fn book(data: &Value) -> Option<Value> {
    let character = &data[*listed(data, "characters").first()?];
    let entries: Vec<Value> = items(character, "loreItems")
        .iter()
        .map(|item| json!({ "keys": item.get("key"), "position": "before_char", "match_whole_words": false, "content": text(item, "value").map(|it| macros(&it)) }))
        .collect();
    (!entries.is_empty()).then(|| {
        json!({ "name": "Backyard lore", "recursive_scanning": false, "scan_depth": 4, "entries": entries })
    })
}

/// `{user}` and `{character}` as the macros of cards. `#{user}:` marks a speaker.
fn macros(text: &str) -> String {
    text.replace("#{", "{").replace("{character}", "{{char}}").replace("{user}", "{{user}}")
}
