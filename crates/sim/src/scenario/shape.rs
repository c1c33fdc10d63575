//! The fields of a scenario file against its schema: all that are missing or unknown, where serde tells the first alone.

use std::collections::HashSet;

use serde_json::Value;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{check::suggestion, scenario_schema};

/// A wrong field: where it stands in the text, in bytes, what is wrong, what to do.
pub(super) struct WrongField {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) remedy: String,
}

/// Every missing and every unknown field of a file. Values of a wrong type are left to serde.
pub(super) fn wrong_fields(tree: &DeTable<'_>) -> Vec<WrongField> {
    let Ok(schema) = serde_json::from_str(&scenario_schema()) else { return Vec::new() };
    let mut shape = Shape { schema, found: Vec::new() };
    let root = shape.schema.clone();
    shape.table(&root, "the scenario", 0, tree);
    shape.found.sort_by_key(|wrong| wrong.at);
    shape.found
}

struct Shape {
    schema: Value,
    found: Vec<WrongField>,
}

impl Shape {
    /// The schema that a value has to keep to: what a reference names, what an option holds, the variant of its kind.
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
            DeValue::Table(table) => self.table(&schema, name, value.span().start, table),
            DeValue::Array(entries) => {
                let Some(items) = schema.get("items") else { return };
                entries.iter().for_each(|entry| self.value(items, name, entry));
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
                Some(field) => self.value(field, key.get_ref(), value),
                None if is_closed => {
                    let known = fields.keys().map(String::as_str).filter(|field| !written.contains(field));
                    self.found.push(WrongField {
                        at: key.span().start,
                        message: format!("{name} has no field `{}`", key.get_ref()),
                        remedy: suggestion(key.get_ref(), known),
                    });
                }
                None => {}
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        // a misspelt field is one mistake, and not a missing one besides
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
            });
        }
    }
}
