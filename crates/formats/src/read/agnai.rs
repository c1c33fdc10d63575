//! Characters of Agnai: a flat card. Its description is for people, and its persona is a list of attributes.

use serde_json::{Map, Value, json};

use crate::value::{as_texts, fields, object};

/// Whether a card is one of Agnai.
pub(crate) fn is_one(data: &Value) -> bool {
    data.pointer("/persona/attributes").is_some_and(Value::is_object)
}

/// The field that contains what other cards call `key`, if the name differs.
pub(crate) fn own_name(key: &str) -> Option<&'static str> {
    match key {
        "description" => Some("persona"),
        "creator_notes" => Some("description"),
        _ => None,
    }
}

/// The persona as a text: the text itself, or one line per attribute.
pub(crate) fn persona(data: &Value) -> Option<String> {
    let attributes = data.pointer("/persona/attributes")?;
    let line = |(name, value): (&String, &Value)| {
        let values = as_texts(value).join(", ");
        match name.as_str() {
            _ if values.is_empty() => None,
            "text" => Some(values),
            _ => Some(format!("{name}: {values}")),
        }
    };
    Some(fields(attributes).filter_map(line).collect::<Vec<_>>().join("\n"))
}

/// Converts a text to a persona field.
pub(crate) fn persona_of(text: &str) -> Value {
    json!({ "kind": "text", "attributes": { "text": [text] } })
}

/// The card with description and notes under the names of other cards.
pub(crate) fn renamed(mut card: Value) -> Value {
    let persona = persona(&card).unwrap_or_default();
    let map: &mut Map<String, Value> = object(&mut card);
    if let Some(notes) = map.remove("description") {
        map.insert("creator_notes".into(), notes);
    }
    map.insert("description".into(), persona.into());
    card
}
