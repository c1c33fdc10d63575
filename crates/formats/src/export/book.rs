//! The lorebook of a card, with the field names and types that cards use for entries.

use serde_json::{Map, Value, json};

use super::card::object_at;
use crate::{
    Format, Source,
    lore::{LorebookProgram, key_texts, list_of},
    read::card::data_of,
    value::{fields, integer, object, text, truth},
};

/// Fields of an entry in a World Info file, and their names under `extensions` in a card, as in SillyTavern.
const HOST: [(&str, &str); 29] = [
    ("excludeRecursion", "exclude_recursion"),
    ("preventRecursion", "prevent_recursion"),
    ("delayUntilRecursion", "delay_until_recursion"),
    ("displayIndex", "display_index"),
    ("probability", "probability"),
    ("useProbability", "useProbability"),
    ("depth", "depth"),
    ("selectiveLogic", "selectiveLogic"),
    ("outletName", "outlet_name"),
    ("group", "group"),
    ("groupOverride", "group_override"),
    ("groupWeight", "group_weight"),
    ("scanDepth", "scan_depth"),
    ("matchWholeWords", "match_whole_words"),
    ("useGroupScoring", "use_group_scoring"),
    ("caseSensitive", "case_sensitive"),
    ("automationId", "automation_id"),
    ("role", "role"),
    ("vectorized", "vectorized"),
    ("sticky", "sticky"),
    ("cooldown", "cooldown"),
    ("delay", "delay"),
    ("matchPersonaDescription", "match_persona_description"),
    ("matchCharacterDescription", "match_character_description"),
    ("matchCharacterPersonality", "match_character_personality"),
    ("matchCharacterDepthPrompt", "match_character_depth_prompt"),
    ("matchScenario", "match_scenario"),
    ("matchCreatorNotes", "match_creator_notes"),
    ("triggers", "triggers"),
];

/// Adds the persona's lorebooks to the card's book.
pub(super) fn add_books(data: &mut Value, books: &[Source], notes: &mut Vec<String>) {
    for book in books {
        let raw = if book.data.get("spec").is_some() { data_of(&book.data) } else { &book.data };
        let card = LorebookProgram::of(raw).map(|maker| maker.card(raw));
        let raw = card.as_ref().unwrap_or(raw);
        let has_book = data.get("character_book").is_some_and(Value::is_object);
        if !has_book {
            let mut whole = if raw.is_object() { raw.clone() } else { json!({}) };
            whole["entries"] = entries(raw).into();
            data["character_book"] = whole;
        } else {
            let old = entries(&data["character_book"]);
            let new = with_free_ids(entries(raw), &old);
            data["character_book"]["entries"] = old.into_iter().chain(new).collect::<Vec<_>>().into();
        }
        notes.push(format!("the lorebook {} is part of the card's book", book.file));
    }
}

/// The entries of a book with the field names of cards. An entry's id in a World Info file is a number.
fn entries(book: &Value) -> Vec<Value> {
    let list: Vec<Value> = match list_of(book).1 {
        Value::Array(items) => items.clone(),
        other => fields(other).map(|(_, entry)| entry.clone()).collect(),
    };
    let mut list: Vec<Value> = list.into_iter().filter(Value::is_object).collect();
    list.iter_mut().filter(|entry| is_world_info(entry)).for_each(renamed);
    list
}

/// Gives the entries of another book free ids, because SillyTavern keeps only one entry per id.
fn with_free_ids(mut new: Vec<Value>, old: &[Value]) -> Vec<Value> {
    let taken =
        |entry: &Value, n: usize| integer(entry, "id").unwrap_or(i64::try_from(n).unwrap_or(i64::MAX));
    let next =
        old.iter().enumerate().map(|(n, entry)| taken(entry, n)).max().map_or(0, |it| it.saturating_add(1));
    for (n, entry) in new.iter_mut().enumerate() {
        entry["id"] = next.saturating_add(i64::try_from(n).unwrap_or_default()).into();
    }
    new
}

/// Whether an entry has the field names of a World Info file.
fn is_world_info(entry: &Value) -> bool {
    entry.get("keys").is_none() && (entry.get("key").is_some() || entry.get("uid").is_some())
}

/// Renames the fields of a World Info entry to those of a card: its own fields, and SillyTavern's under `extensions`.
/// Unknown fields stay. Defaults that differ between the two formats are written explicitly.
fn renamed(entry: &mut Value) {
    let defaults = [
        ("keys", Value::from(key_texts(entry, &["key"]))),
        ("secondary_keys", key_texts(entry, &["keysecondary"]).into()),
        ("selective", truth(entry, "selective").unwrap_or(true).into()),
    ];
    let position = entry.get("position").cloned().unwrap_or(json!(0));
    let is_off = truth(entry, "disable").unwrap_or(truth(entry, "enabled") == Some(false));
    let map = object(entry);
    for name in ["key", "keysecondary", "disable", "position"] {
        map.remove(name);
    }
    map.extend(defaults.map(|(name, value)| (name.to_owned(), value)));
    map.insert("enabled".into(), (!is_off).into());
    for (name, other) in [("uid", "id"), ("order", "insertion_order")] {
        if let Some(value) = map.remove(name) {
            map.entry(other).or_insert(value);
        }
    }
    map.insert("position".into(), position);
    let mut host: Map<String, Value> =
        HOST.iter().filter_map(|(name, other)| Some(((*other).to_owned(), map.remove(*name)?))).collect();
    // this marks an entry whose expressions are written as `/pattern/`
    host.entry("selectiveLogic").or_insert(json!(0));
    for (name, value) in host {
        object_at(map, "extensions").entry(name).or_insert(value);
    }
}

/// Gives the fields of a book the types that strict readers need.
pub(super) fn complete(book: &mut Value, version: Format) {
    let mut list = entries(book);
    for entry in &mut list {
        complete_entry(entry, version);
    }
    let map = object(book);
    map.insert("entries".into(), list.into());
    object_at(map, "extensions");
}

fn complete_entry(entry: &mut Value, version: Format) {
    let (keys, secondary) =
        (key_texts(entry, &["keys", "key"]), key_texts(entry, &["secondary_keys", "keysecondary"]));
    let enabled = truth(entry, "enabled").unwrap_or(truth(entry, "disable") != Some(true));
    let order = integer(entry, "insertion_order").or_else(|| integer(entry, "order")).unwrap_or(100);
    let content = text(entry, "content").unwrap_or_default();
    let use_regex = truth(entry, "use_regex").unwrap_or(false);
    let map = object(entry);
    map.insert("keys".into(), keys.into());
    if !secondary.is_empty() || map.contains_key("secondary_keys") {
        map.insert("secondary_keys".into(), secondary.into());
    }
    for (key, value) in [("enabled", Value::Bool(enabled)), ("content", content.into())] {
        if !map.get(key).is_some_and(|old| std::mem::discriminant(old) == std::mem::discriminant(&value)) {
            map.insert(key.into(), value);
        }
    }
    if !map.get("insertion_order").is_some_and(Value::is_number) {
        map.insert("insertion_order".into(), order.into());
    }
    if version == Format::CardV3 && !map.get("use_regex").is_some_and(Value::is_boolean) {
        map.insert("use_regex".into(), use_regex.into());
    }
    // a number is SillyTavern's own position, which cards keep under `extensions`
    if let Some(Value::Number(position)) = map.get("position").cloned() {
        let word = if position.as_i64() == Some(0) { "before_char" } else { "after_char" };
        map.insert("position".into(), word.into());
        object_at(map, "extensions").entry("position").or_insert(position.into());
    }
    object_at(map, "extensions");
}
