//! The schemas of persona files and of `greenroom.toml`, generated from their Rust types.
//!
//! `check.rs` checks files against these schemas. So an editor's schema, the accepted files and the program's types
//! always agree.

use std::sync::LazyLock;

use schemars::{
    JsonSchema, Schema,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform},
};
use serde_json::Value;

use crate::{Settings, persona::FrontMatter};

pub(crate) static FRONT_MATTER: LazyLock<Value> = LazyLock::new(generate::<FrontMatter>);
pub(crate) static SETTINGS: LazyLock<Value> = LazyLock::new(generate::<Settings>);

/// The JSON Schema of a persona file's front matter, as checked in at
/// `personas/persona.schema.json`.
pub fn persona_schema() -> String {
    let mut text = serde_json::to_string_pretty(&*FRONT_MATTER).unwrap_or_default();
    text.push('\n');
    text
}

/// Generates a schema without `$ref`. Inlining is possible because the types are not recursive.
fn generate<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(close).transform(&mut schema);
    schema.to_value()
}

/// Forbids additional properties in a table, and removes number formats, which the ranges already imply.
fn close(schema: &mut Schema) {
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".into(), false.into());
    }
    schema.remove("format");
}

/// The schema of one dotted key, as `model.temperature`.
pub(crate) fn find<'a>(schema: &'a Value, key: &str) -> Option<&'a Value> {
    key.split('.').try_fold(schema, |at, name| at.get("properties")?.get(name))
}

/// All dotted keys that have a value, with their schemas. Skips tables with free names.
pub(crate) fn keys(schema: &Value) -> Vec<(String, &Value)> {
    let mut all = Vec::new();
    collect(schema, "", &mut all);
    all
}

fn collect<'a>(schema: &'a Value, prefix: &str, all: &mut Vec<(String, &'a Value)>) {
    for (name, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        if inner.get("properties").is_some() {
            collect(inner, &key, all);
        } else if !has_type(inner, "object") {
            all.push((key, inner));
        }
    }
}

/// Whether a schema allows a type.
pub(crate) fn has_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(t)) => t == name,
        Some(Value::Array(types)) => types.iter().any(|t| t == name),
        _ => false,
    }
}

/// The words that a schema lists, if it does.
pub(crate) fn choices(schema: &Value) -> Option<Vec<&str>> {
    let one_of = schema.get("oneOf")?.as_array()?;
    one_of.iter().map(|c| c.get("const")?.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        check,
        memory::checks::TIME_ZONE_PATTERN,
        node::{Entry, Node, Tree},
        persona::NAME_PATTERN,
    };

    /// The keywords of JSON Schema that `check.rs` understands or may ignore.
    const KEYWORDS: [&str; 20] = [
        "$schema",
        "title",
        "description",
        "default",
        "writeOnly",
        "type",
        "properties",
        "additionalProperties",
        "items",
        "minItems",
        "uniqueItems",
        "oneOf",
        "const",
        "pattern",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "required",
        "anyOf",
    ];

    fn walk(schema: &Value, visit: &mut impl FnMut(&Value)) {
        visit(schema);
        for inner in schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|p| p.values())
        {
            walk(inner, visit);
        }
        for key in ["items", "additionalProperties"] {
            if let Some(inner @ Value::Object(_)) = schema.get(key) {
                walk(inner, visit);
            }
        }
        for inner in schema.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
            visit(inner);
        }
    }

    #[test]
    fn the_checker_understands_every_word_of_the_schemas() {
        for schema in [&*FRONT_MATTER, &*SETTINGS] {
            walk(schema, &mut |s| {
                for (word, value) in s.as_object().unwrap() {
                    assert!(KEYWORDS.contains(&word.as_str()), "`{word}` in {s:#}");
                    assert!(word != "anyOf", "`{word}` is not checked: {s:#}");
                    if word == "pattern" {
                        assert!(check::knows_pattern(value.as_str().unwrap()), "{value}");
                    }
                }
            });
        }
    }

    #[test]
    fn every_field_is_described_and_bounded() {
        for (key, schema) in [keys(&FRONT_MATTER), keys(&SETTINGS)].concat() {
            assert!(schema.get("description").is_some(), "{key} has no description");
            if has_type(schema, "integer") || has_type(schema, "number") {
                assert!(
                    schema.get("minimum").is_some() && schema.get("maximum").is_some(),
                    "{key}: {schema}"
                );
            }
        }
    }

    /// A value that a schema permits and that is not the default.
    fn example(schema: &Value) -> Value {
        if let Some(words) = choices(schema) {
            return words[words.len() - 1].into();
        }
        match schema.get("pattern").and_then(Value::as_str) {
            Some(p) if p.ends_with("(ms|s|m|h)$") => return "7ms".into(),
            Some(crate::global::ORIGIN_PATTERN) => return "http://host".into(),
            Some(p) if p.starts_with("^https") => return "http://host/v1".into(),
            Some(TIME_ZONE_PATTERN) => return "UTC".into(),
            _ => {}
        }
        let bound = |word: &str| schema[word].as_f64().unwrap_or_default();
        match ["boolean", "integer", "number", "array"].into_iter().find(|t| has_type(schema, t)) {
            Some("boolean") => (schema["default"] != true).into(),
            Some("integer") => (bound("minimum") as i64 + 1).into(),
            Some("number") => ((bound("minimum") + bound("maximum")) / 2.0 + 0.25).into(),
            Some("array") if has_type(&schema["items"], "object") => {
                let fields = schema["items"]["properties"].as_object().unwrap();
                let fields = fields.iter().map(|(key, field)| (key.clone(), example(field)));
                vec![Value::Object(fields.collect())].into()
            }
            Some("array") => vec![example(&schema["items"])].into(),
            _ => "abc".into(),
        }
    }

    fn node(value: &Value) -> Node {
        let entry = |(key, v): (&String, &Value)| Entry { key: key.clone(), key_span: 0..0, node: node(v) };
        let value = match value {
            Value::Null => Tree::Null,
            Value::Bool(b) => Tree::Bool(*b),
            Value::Number(n) => n.as_i64().map_or_else(|| Tree::Float(n.as_f64().unwrap()), Tree::Integer),
            Value::String(s) => Tree::Text(s.clone()),
            Value::Array(items) => Tree::List(items.iter().map(node).collect()),
            Value::Object(fields) => Tree::Table(fields.iter().map(entry).collect()),
        };
        Node { value, span: 0..0 }
    }

    /// Checks that every field passes the check and arrives in the type unchanged.
    fn every_field_arrives<T: serde::Serialize + for<'de> serde::Deserialize<'de> + Default>(schema: &Value) {
        let mut file = serde_json::json!({});
        for (key, field) in keys(schema).into_iter().filter(|(_, s)| s.get("writeOnly").is_none()) {
            let place = key.split('.').fold(&mut file, |at, name| &mut at[name]);
            *place = example(field);
        }
        for file in [file, serde_json::to_value(T::default()).unwrap()] {
            let mut problems = Vec::new();
            let checked = check::check(&node(&file), schema, "", &mut problems).unwrap();
            assert_eq!(problems, []);
            let typed: T = checked.deserialize().unwrap();
            let mut back = serde_json::to_value(typed).unwrap();
            if file.get("models").is_none() {
                back.as_object_mut().unwrap().remove("models");
            }
            assert_eq!(back, file);
        }
    }

    #[test]
    fn every_field_of_the_schemas_is_accepted_and_reaches_its_type_and_no_type_has_another() {
        every_field_arrives::<FrontMatter>(&FRONT_MATTER);
        every_field_arrives::<Settings>(&SETTINGS);
    }

    #[test]
    fn the_schema_states_the_defaults_of_the_types() {
        let default = |key| find(&FRONT_MATTER, key).unwrap()["default"].clone();
        assert_eq!(default("model.temperature"), 0.7);
        assert_eq!(default("model.max_output_tokens"), 4096);
        assert_eq!(default("room.cooldown"), "30s");
        assert_eq!(default("limits.tokens_per_hour"), 100_000);
        assert_eq!(default("memory.profile"), "default");
        assert_eq!(find(&SETTINGS, "persona").unwrap()["pattern"], NAME_PATTERN);
    }

    #[test]
    fn the_schema_checked_in_is_the_schema_of_the_types() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../personas/persona.schema.json");
        if std::env::var_os("GREENROOM_BLESS").is_some() {
            std::fs::write(path, persona_schema()).unwrap();
        }
        let stands = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            stands.replace("\r\n", "\n") == persona_schema(),
            "personas/persona.schema.json is out of step; write it anew with\n    \
             GREENROOM_BLESS=1 cargo test -p greenroom-persona the_schema_checked_in"
        );
    }
}
