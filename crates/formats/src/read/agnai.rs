//! Characters of Agnai: a flat card whose description is for people, and whose persona is a list of attributes.

use serde_json::{Map, Value, json};

use crate::value::{as_texts, fields, object};

/// Whether a card is one of Agnai.
pub(crate) fn is_one(data: &Value) -> bool {
    data.pointer("/persona/attributes").is_some_and(Value::is_object)
}

/// The field for what a card calls `key`, where that is not what the name says.
pub(crate) fn own_name(key: &str) -> Option<&'static str> {
    match key {
        "description" => Some("persona"),
        "creator_notes" => Some("description"),
        _ => None,
    }
}

/// The persona as a text: the text alone, or one line for each attribute.
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

/// A text as a persona.
pub(crate) fn persona_of(text: &str) -> Value {
    json!({ "kind": "text", "attributes": { "text": [text] } })
}

/// The card with its description and its notes where other cards have them.
pub(crate) fn renamed(mut card: Value) -> Value {
    let persona = persona(&card).unwrap_or_default();
    let map: &mut Map<String, Value> = object(&mut card);
    if let Some(notes) = map.remove("description") {
        map.insert("creator_notes".into(), notes);
    }
    map.insert("description".into(), persona.into());
    card
}
