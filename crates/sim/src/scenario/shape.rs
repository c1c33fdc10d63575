//! Checks the fields of a scenario file against its schema. Finds all missing and unknown fields, while serde reports
//! only the first.

use std::collections::HashSet;

use serde_json::Value;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Scenario, check::suggestion, scenario_schema};

/// A wrong field: its byte position in the text, the message and the remedy.
pub(super) struct WrongField {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) remedy: String,
    /// For an unknown field: the keys and indices of its path.
    unknown: Option<Vec<String>>,
}

/// Tables whose entries other entries refer to. If such a table is misspelt, each reference would also be reported.
const NAMED: [&str; 7] = ["place", "agent", "cast", "mind", "topic", "probe", "population"];

/// Parses the scenario without its unknown fields, so that its other problems can be found. `None` if a field is
/// missing.
pub(super) fn without_unknown(text: &str, wrong: &[WrongField]) -> Option<Scenario> {
    let is_named = |field: &WrongField| NAMED.iter().any(|name| field.remedy == format!("write `{name}`"));
    if wrong.iter().any(is_named) {
        return None;
    }
    let mut tree = toml::Value::Table(text.parse().ok()?);
    for field in wrong {
        let (last, way) = field.unknown.as_ref()?.split_last()?;
        let mut value = &mut tree;
        for step in way {
            value = match value {
                toml::Value::Array(entries) => entries.get_mut(step.parse::<usize>().ok()?)?,
                table => table.get_mut(step)?,
            };
        }
        value.as_table_mut()?.remove(last);
    }
    tree.try_into().ok()
}

/// All missing and unknown fields of a file. Values of a wrong type are left to serde.
pub(super) fn wrong_fields(tree: &DeTable<'_>) -> Vec<WrongField> {
    let Ok(schema) = serde_json::from_str(&scenario_schema()) else { return Vec::new() };
    let mut shape = Shape { schema, found: Vec::new(), path: Vec::new() };
    let root = shape.schema.clone();
    shape.table(&root, "the scenario", 0, tree);
    shape.found.sort_by_key(|wrong| wrong.at);
    shape.found
}

struct Shape {
    schema: Value,
    found: Vec<WrongField>,
    /// The keys and indices of the present value's path.
    path: Vec<String>,
}

impl Shape {
    /// Resolves the schema of a value: follows references, unwraps options, selects the variant by `kind`.
    fn resolved(&self, schema: &Value, value: &DeValue<'_>) -> Value {
        let variants = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let found = self.schema.pointer(name.trim_start_matches('#'));
            return found.map_or(Value::Null, |found| self.resolved(found, value));
        }
        let Some(variants) = variants else { return schema.clone() };
        let kind = value.as_table().and_then(|table| table.get("kind")?.get_ref().as_str());
        let fits = |variant: &&Value| match variant.pointer("/properties/kind/const") {
            Some(known) => known.as_str() == kind,
            None => variant.get("type").and_then(Value::as_str) != Some("null"),
        };
        variants.iter().find(fits).map_or(Value::Null, |variant| self.resolved(variant, value))
    }

    fn value(&mut self, schema: &Value, name: &str, value: &Spanned<DeValue<'_>>) {
        let schema = self.resolved(schema, value.get_ref());
        match value.get_ref() {
            DeValue::Table(_) if is_list(&schema) => {
                self.found.push(WrongField {
                    at: value.span().start,
                    message: format!("`{name}` is a list of tables, and this is one table"),
                    remedy: format!("write [[{name}]], once for each"),
                    unknown: None,
                });
            }
            DeValue::Table(table) => self.table(&schema, name, value.span().start, table),
            DeValue::Array(entries) => {
                let Some(items) = schema.get("items") else { return };
                for (n, entry) in entries.iter().enumerate() {
                    self.path.push(n.to_string());
                    self.value(items, name, entry);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    fn table(&mut self, schema: &Value, name: &str, at: usize, table: &DeTable<'_>) {
        let Some(fields) = schema.get("properties").and_then(Value::as_object) else { return };
        let first = self.found.len();
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let written: HashSet<&str> = table.keys().map(|key| &**key.get_ref()).collect();
        for (key, value) in table {
            match fields.get(&**key.get_ref()) {
                Some(field) => {
                    self.path.push(key.get_ref().to_string());
                    self.value(field, key.get_ref(), value);
                    self.path.pop();
                }
                None if is_closed => {
                    let known = fields.keys().map(String::as_str);
                    let mut remedy = suggestion(key.get_ref(), known.clone());
                    // suggests only fields that are not written yet
                    if !remedy.starts_with("write ") {
                        let open: Vec<_> = known.filter(|field| !written.contains(field)).collect();
                        remedy = match open.is_empty() {
                            true => "remove it".into(),
                            false => suggestion(key.get_ref(), open.into_iter()),
                        };
                    }
                    let message = format!("{name} has no field `{}`", key.get_ref());
                    let unknown = Some([&self.path[..], &[key.get_ref().to_string()]].concat());
                    self.found.push(WrongField { at: key.span().start, message, remedy, unknown });
                }
                None => {}
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        // a misspelt field is one problem and not a missing field in addition
        let meant: HashSet<String> = self.found[first..].iter().map(|wrong| wrong.remedy.clone()).collect();
        let is_missing =
            |field: &&str| !written.contains(field) && !meant.contains(&format!("write `{field}`"));
        for field in required.filter_map(Value::as_str).filter(is_missing) {
            let about = fields.get(field).and_then(|field| field.get("description")).and_then(Value::as_str);
            let about = about.map(|about| format!(": {about}")).unwrap_or_default();
            self.found.push(WrongField {
                at,
                message: format!("{name} has no `{field}`"),
                remedy: format!("add it{}", about.trim_end_matches('.')),
                unknown: None,
            });
        }
    }
}

/// Whether a schema describes a list of tables.
fn is_list(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("array") && schema.pointer("/items/$ref").is_some()
}
