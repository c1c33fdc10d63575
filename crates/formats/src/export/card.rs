//! Character Cards.

use serde_json::{Map, Value, json};

use super::{Exporting, book, left_out, sections};
use crate::{
    Character, Format, Source,
    json::{self, Order},
    lore::LorebookProgram,
    read::{
        OWN_PROMPT, agnai, byaf,
        card::{ALIASES, Card, OTHER_NAMES, PERSONALITY, SCENARIO, WHOLE_PROMPT, data_of, name_in_use},
    },
    receipt::Ledger,
    value::{as_text, as_texts, fields, object, text},
};

/// Text fields of a card's data, in any version.
const TEXTS: [&str; 11] = [
    "name",
    "description",
    "personality",
    "scenario",
    "first_mes",
    "mes_example",
    "creator_notes",
    "system_prompt",
    "post_history_instructions",
    "creator",
    "character_version",
];

/// The card in a version, as indented JSON.
pub(super) fn pretty(persona: &Exporting<'_>, version: Format, notes: &mut Vec<String>) -> String {
    let (card, order) = ordered(persona, version, notes);
    json::pretty(&card, &order)
}

/// The card in a version, in the field order of the source. Without a source, the version comes first.
pub(super) fn ordered(persona: &Exporting<'_>, version: Format, notes: &mut Vec<String>) -> (Value, Order) {
    let source = persona.source.filter(|source| source.format.is_card());
    let order = source.map(|source| source.order.field("data").clone()).unwrap_or_default();
    let is_wrapped = source.is_some_and(|source| source.data.get("data").is_some_and(Value::is_object));
    let order = match is_wrapped {
        true => order,
        false => {
            let mut root = Order::default();
            root.add("spec", Order::default());
            root.add("spec_version", Order::default());
            root.add("data", order);
            root
        }
    };
    (write(persona, version, notes), order)
}

/// Writes the card in a version. Converts fields of the wrong type, so that strict readers accept the card.
fn write(persona: &Exporting<'_>, version: Format, notes: &mut Vec<String>) -> Value {
    let source = persona.source.filter(|source| source.format.is_card());
    if source.is_none() {
        let takes = ["greeting", "alternate_greetings", "mes_example", "lorebook entries"];
        notes.extend(left_out(persona, "a card", &takes));
    }
    let root = source.map_or_else(|| fresh(persona), |source| edited(persona, source));
    let (spec, newest) = match version {
        Format::CardV2 => ("chara_card_v2", "2.0"),
        _ => ("chara_card_v3", "3.0"),
    };
    let root = if agnai::is_one(&root) { agnai::renamed(root) } else { root };
    let is_wrapped = root.get("data").is_some_and(Value::is_object);
    let mut root = if is_wrapped {
        root
    } else {
        // V1: the fields of the card move into `data`; other fields stay at the root
        let known = |key: &str| {
            TEXTS.contains(&key)
                || ALIASES.iter().any(|(_, aliases)| aliases.contains(&key))
                || ["tags", "extensions"].contains(&key)
                || OTHER_NAMES.iter().any(|names| names.0 == key || names.1 == key)
        };
        let (data, beside): (Map<_, _>, Map<_, _>) =
            fields(&root).map(|(key, value)| (key.clone(), value.clone())).partition(|(key, _)| known(key));
        let mut root = Value::Object(beside);
        root["data"] = data.into();
        root
    };
    let same_spec = root.get("spec").and_then(Value::as_str) == Some(spec);
    if !same_spec || !root.get("spec_version").is_some_and(Value::is_string) {
        root["spec_version"] = newest.into();
    }
    root["spec"] = spec.into();
    book::add_books(&mut root["data"], persona.books, notes);
    complete(&mut root["data"], version);
    if text(&root["data"], "name").is_none() {
        // strict readers need a name
        root["data"]["name"] = persona.character.display_name.clone().into();
    }
    root
}

/// The source with the edits of the persona's file.
pub(super) fn edited(persona: &Exporting<'_>, source: &Source) -> Value {
    let mut root = source.data.clone();
    let Some(before) = persona.before() else { return root };
    let now = persona.character;
    let old = data_of(&source.data);
    let card = Card::read(old, &mut Ledger::default());
    let is_wrapped = root.get("data").is_some_and(Value::is_object);
    let data = object(if is_wrapped { &mut root["data"] } else { &mut root });
    let mut set = |key: &str, text: &str| put(data, name_in_use(old, key), text);
    if now.display_name != before.display_name {
        set("name", &now.display_name);
    }
    if now.description != before.description {
        set("creator_notes", &now.description);
    }
    let is_offered =
        now.greeting.as_ref().is_some_and(|greeting| card.greetings.iter().any(|it| it.trim() == greeting));
    if now.greeting != before.greeting && !is_offered {
        set("first_mes", now.greeting.as_deref().unwrap_or_default());
    }
    if now.prompt != before.prompt {
        set_prompt(data, old, &card, &now.prompt);
    }
    if is_wrapped {
        // SillyTavern repeats the card's fields beside `data`
        for (key, value) in fields(old) {
            if root.get(key) == Some(value) {
                root[key] = root["data"][key].clone();
            }
        }
    }
    root
}

/// Writes an edited prompt back into the fields that it was made of.
fn set_prompt(data: &mut Map<String, Value>, old: &Value, card: &Card, prompt: &str) {
    let opening = card.opening();
    let (system, description, parts) = prompt_parts(&opening, prompt, &[PERSONALITY, SCENARIO]);
    let part = |heading: &str| parts.iter().find(|(name, _)| name == heading).map_or("", |(_, text)| *text);
    if let Some(system) = system {
        data.insert("system_prompt".into(), system.trim().into());
    }
    for (key, text) in
        [("description", description), ("personality", part(PERSONALITY)), ("scenario", part(SCENARIO))]
    {
        let key = name_in_use(old, key);
        if !text.is_empty() || data.contains_key(key) {
            put(data, key, text);
        }
    }
}

fn put(data: &mut Map<String, Value>, key: &str, text: &str) {
    let value = if key == "persona" { agnai::persona_of(text) } else { text.into() };
    data.insert(key.into(), value);
}

/// Splits an edited prompt into its beginning (if it is no longer `opening`), the text after it, and the sections.
pub(super) fn prompt_parts<'a>(
    opening: &str,
    prompt: &'a str,
    headings: &[&str],
) -> (Option<&'a str>, &'a str, Vec<(String, &'a str)>) {
    let (head, parts) = sections(prompt, headings);
    match head.strip_prefix(opening) {
        Some(rest) => (None, rest.trim(), parts),
        // the first paragraph is what the next import takes as the beginning
        None => {
            let (first, rest) = head.split_once("\n\n").unwrap_or((head, ""));
            (Some(first), rest.trim(), parts)
        }
    }
}

/// A new card for a persona that was not imported from one.
fn fresh(persona: &Exporting<'_>) -> Value {
    let Character { display_name, description, greeting, prompt } = persona.character;
    // without the sentence that the import puts before the description
    let own = prompt.strip_prefix(OWN_PROMPT).filter(|rest| rest.is_empty() || rest.starts_with("\n\n"));
    let play = persona.play;
    let examples: Vec<String> = play.examples.iter().map(|block| format!("<START>\n{block}")).collect();
    let others = play.greetings.iter().filter(|other| Some(*other) != greeting.as_ref());
    let mut data = json!({
        "name": display_name,
        "description": own.unwrap_or(prompt).trim(),
        "first_mes": greeting.clone().unwrap_or_default(),
        "alternate_greetings": others.collect::<Vec<_>>(),
        "mes_example": examples.join("\n"),
        "creator_notes": description,
    });
    if own.is_none() {
        data["extensions"]["greenroom"][WHOLE_PROMPT] = true.into();
    }
    let source = persona.source.filter(|source| source.format == Format::Byaf);
    if let Some(book) = source.and_then(|source| byaf::book(&source.data)) {
        data["character_book"] = book;
    }
    json!({ "data": data })
}

/// Gives the fields the types that strict readers need.
fn complete(data: &mut Value, version: Format) {
    let map = object(data);
    for key in TEXTS {
        let alias = name_in_use(&Value::Object(map.clone()), key);
        if alias != key
            && let Some(text) = map.remove(alias)
        {
            map.insert(key.into(), text);
        }
        if map.get(key).and_then(Value::as_str).is_none() {
            let value = map.get(key).and_then(as_text).unwrap_or_default();
            map.insert(key.into(), value.into());
        }
    }
    for (key, other) in OTHER_NAMES {
        if let Some(value) = map.remove(other) {
            map.entry(key).or_insert(value);
        }
    }
    if let Some(book) = map.get_mut("character_book")
        && let Some(maker) = LorebookProgram::of(book)
    {
        *book = maker.card(book);
    }
    let mut lists = vec!["alternate_greetings", "tags"];
    if version == Format::CardV3 {
        lists.push("group_only_greetings");
    }
    for key in lists {
        let is_sound =
            map.get(key).and_then(Value::as_array).is_some_and(|items| items.iter().all(Value::is_string));
        if !is_sound {
            let value = map.get(key).map(as_texts).unwrap_or_default();
            map.insert(key.into(), value.into());
        }
    }
    object_at(map, "extensions");
    match map.get_mut("character_book") {
        Some(book) if book.is_object() => book::complete(book, version),
        Some(_) => drop(map.remove("character_book")),
        None => {}
    }
}

/// The object in a field. Creates an empty one if necessary.
pub(super) fn object_at<'a>(map: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    object(map.entry(key).or_insert(Value::Null))
}
