//! Backyard archives: a manifest, characters and scenarios, each in a JSON file. Macros have single braces.

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

    let card = Card {
        book: book(data).and_then(|book| Lorebook::read(&book, "loreItems.", &mut ledger)),
        ..card(data)
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
            ("schemaVersion", Kept, "the format"),
            ("id", Kept, "an id of another program"),
            ("createdAt", Kept, "a date"),
            ("updatedAt", Kept, "a date"),
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
            ("schemaVersion", Kept, "the format"),
            ("title", Kept, "the name of the scenario"),
            ("messages", Kept, "the past conversation; Greenroom begins a new one"),
            ("model", Kept, "`model` in the persona file chooses a model"),
            ("promptTemplate", Kept, "a setting of another program"),
            ("grammar", Kept, "a setting of another program"),
            ("canDeleteExampleMessages", Kept, "a setting of another program"),
            ("minP", Kept, "a setting of the model in another program"),
            ("minPEnabled", Kept, "a setting of the model in another program"),
            ("temperature", Kept, "a setting of the model in another program"),
            ("repeatPenalty", Kept, "a setting of the model in another program"),
            ("repeatLastN", Kept, "a setting of the model in another program"),
            ("topK", Kept, "a setting of the model in another program"),
            ("topP", Kept, "a setting of the model in another program"),
        ],
    );
    for path in scenarios.iter().skip(1) {
        ledger.effective(path, "its first messages are alternatives; the rest is kept");
    }
    let name = card.name.clone();
    Reading { name, character: card.character(), play: card.play(), ledger, ..Reading::default() }
}

/// The character and its scenarios as a card, without a lorebook.
pub(crate) fn card(data: &Value) -> Card {
    let none = Value::Null;
    let (characters, scenarios) = (listed(data, "characters"), listed(data, "scenarios"));
    let character = characters.first().map_or(&none, |path| &data[*path]);
    let scenario = scenarios.first().map_or(&none, |path| &data[*path]);
    let texts_of = |scenario: &Value, key: &str| -> Vec<String> {
        items(scenario, key)
            .iter()
            .filter_map(|message| text(message, "text"))
            .map(|it| macros(&it))
            .collect()
    };
    let text_of = |file: &Value, key: &str| text(file, key).map(|it| macros(&it)).unwrap_or_default();
    Card {
        name: text(character, "displayName").or_else(|| text(character, "name")).unwrap_or_default(),
        description: text_of(character, "persona"),
        scenario: text_of(scenario, "narrative"),
        system_prompt: text_of(scenario, "formattingInstructions"),
        greetings: scenarios.iter().flat_map(|path| texts_of(&data[*path], "firstMessages")).collect(),
        examples: texts_of(scenario, "exampleMessages").join("\n"),
        ..Card::default()
    }
}

/// The first file of a folder.
pub(crate) fn first(data: &Value, folder: &str) -> Option<String> {
    listed(data, folder).first().map(|path| (*path).to_owned())
}

/// Converts the macros of cards to Backyard's form.
pub(crate) fn single_braces(text: &str) -> String {
    text.replace("{{char}}", "{character}").replace("{{user}}", "{user}")
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

/// Converts `{user}` and `{character}` to the macros of cards. `#{user}:` marks a speaker.
fn macros(text: &str) -> String {
    text.replace("#{", "{").replace("{character}", "{{char}}").replace("{user}", "{{user}}")
}
