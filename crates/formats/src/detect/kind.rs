//! Detects the format of a JSON document by its fields.

use serde_json::Value;

use crate::{
    Format,
    lore::{LorebookProgram, list_of},
    read::{agent, agnai, aieos, card},
    value::{fields, is_empty},
};

/// The format, if the document contains a persona.
pub(super) fn json_format(data: &Value) -> Option<Format> {
    let has = |key: &str| data.get(key).is_some();
    let spec = data.get("spec").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    match spec.trim() {
        "chara_card_v2" => return Some(Format::CardV2),
        "lorebook_v3" => return Some(Format::Lorebook),
        // a version newer than V3 is read as V3
        spec if spec.starts_with("chara_card") => return Some(Format::CardV3),
        _ => {}
    }
    let is_text = |key: &str| data.get(key).is_some_and(Value::is_string);
    // Vocabularies (with numbers) and schemas (with types) have fields of the same names. So a value that is neither a
    // text nor a list counts only if the document has a name.
    let tells = |key: &&str| match data.get(*key) {
        Some(Value::String(_) | Value::Array(_)) => true,
        other => other.is_some() && is_text("name"),
    };
    let tells_any = |keys: &[&str]| keys.iter().any(tells);
    Some(match () {
        () if data["agents"].is_array() && (has("blocks") || has("tools")) => Format::Letta,
        () if has("agent_type") && (has("core_memory") || has("llm_config")) => Format::Letta,
        () if is_book(data) => Format::Lorebook,
        () if aieos::is_one(data) => Format::Aieos,
        () if tells_any(&["bio", "messageExamples", "modelProvider", "lore", "adjectives"]) => Format::Eliza,
        () if tells_any(&["first_mes", "mes_example", "char_greeting"]) || agnai::is_one(data) => {
            Format::CardV1
        }
        // a card without a version
        () if data.get("data").and_then(json_format).is_some_and(Format::is_card) => Format::CardV2,
        () if is_manifest(data) => Format::SoulJson,
        () if (is_text("name") || is_text("ch_name") || is_text("char_name")) && describes(data) => {
            Format::CardV1
        }
        () if is_text("name") && is_text("system") => Format::Eliza,
        () => return None,
    })
}

/// Whether a document is a lorebook. Logs and feeds have entries, too. The entries of a book have keys, or a text with
/// a book's switches. A book without entries has no unknown fields.
fn is_book(data: &Value) -> bool {
    let (maker, (_, list)) = (LorebookProgram::of(data), list_of(data));
    let has = |entry: &Value, keys: &[&str]| keys.iter().any(|key| entry.get(key).is_some());
    let is_entry = |entry: &Value| {
        has(entry, &["key", "keys", "keywords", "keysecondary"])
            || has(entry, &["content", "text", "entry"])
                && has(
                    entry,
                    &["constant", "enabled", "disable", "insertion_order", "order", "forceActivation"],
                )
    };
    let is_known = |key: &str| {
        key == "entries"
            || card::BOOK
                .iter()
                .chain(maker.map_or(&[][..], LorebookProgram::fields))
                .any(|(name, ..)| *name == key)
    };
    match list {
        // settings may also be lists with keys
        Value::Array(entries) if data.is_array() => {
            let is_told = |entry: &Value| has(entry, &["content", "text", "entry"]) && is_entry(entry);
            !entries.is_empty() && entries.iter().all(is_told)
        }
        Value::Array(entries) if !entries.is_empty() => entries.iter().any(is_entry),
        Value::Object(entries) if !entries.is_empty() => entries.values().any(is_entry),
        Value::Array(_) | Value::Object(_) => fields(data).all(|(key, _)| is_known(key)),
        _ => false,
    }
}

/// Whether a document with a name is a `soul.json`. Packages and plugins also have a name and a version.
fn is_manifest(data: &Value) -> bool {
    let has = |key: &str| data.get(key).is_some_and(|value| !is_empty(value));
    let is_listed = has("displayName") && (has("category") || has("tags") || has("personality"));
    has("name") && (has("specVersion") || data["files"].is_object() || is_listed)
}

/// Whether a document with a name describes a character. Packages and plugins also have descriptions, so most of the
/// fields must be those of a card.
fn describes(data: &Value) -> bool {
    let has = |key: &str| data.get(key).is_some();
    let known = fields(data).filter(|(key, _)| card::is_known(key)).count();
    has("personality")
        || has("scenario")
        || has("char_persona")
        || has("description") && !has("version") && known * 2 > fields(data).count()
}

/// Whether the fields contain agents of CrewAI, possibly beside settings. Fields named `x-…` and `.…` are where YAML
/// files keep the shared settings of agents.
pub(super) fn is_crew(data: &Value) -> bool {
    data.as_object().is_some_and(|fields| {
        let agents = fields.values().filter(|value| agent::is_crew_agent(value)).count();
        let is_shared =
            |key: &str| key.starts_with(['.', '_']) || key.starts_with("x-") || key.contains("default");
        let settings = fields.iter().filter(|(key, value)| !value.is_object() || is_shared(key));
        let settings = settings.filter(|(_, value)| !agent::is_crew_agent(value)).count();
        agents > 0 && agents + settings == fields.len()
    })
}

/// Whether a TOML file is an agent. A project file has its name inside a table.
pub(super) fn is_toml_agent(data: &Value) -> bool {
    ["name", "description"].iter().chain(&agent::PROMPTS).any(|key| data[*key].is_string())
}

/// Lists the fields of a document that is no persona, for the error message.
pub(super) fn outline(data: &Value) -> String {
    match data {
        Value::Object(fields) if !fields.is_empty() => {
            let names: Vec<&str> = fields.keys().take(8).map(String::as_str).collect();
            let names = names.join(", ");
            match fields.iter().find(|(_, value)| json_format(value).is_some() || is_crew(value)) {
                Some((key, _)) => format!(
                    "JSON with the fields {names}; a persona is in the field {key}, so save the value of that as a file"
                ),
                None => format!("JSON with the fields {names}"),
            }
        }
        Value::Array(items) if items.iter().any(|item| json_format(item).is_some()) => {
            "a JSON list of personas; save each of them as a file".into()
        }
        Value::Array(_) => "a JSON list".into(),
        _ => "JSON without fields".into(),
    }
}
