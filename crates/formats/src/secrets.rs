//! Credentials in imported data. They are removed before anything is written (X5); the receipt names their places.

use serde_json::Value;

/// Parts of names of fields that hold credentials, in lower case without separators.
const NAMES: [&str; 9] = [
    "apikey",
    "secret",
    "password",
    "passphrase",
    "privatekey",
    "accesskey",
    "credential",
    "bearer",
    "mnemonic",
];
/// Ends of such names.
const ENDS: [&str; 2] = ["token", "authkey"];
/// Beginnings of credentials of known makes.
const MAKES: [&str; 8] = ["sk-", "ghp_", "gho_", "github_pat_", "AKIA", "xoxb-", "xoxp-", "eyJhbGciOi"];

/// Removes credentials from raw data and returns their places, as `settings.API_KEY`.
pub(crate) fn remove(data: &mut Value) -> Vec<String> {
    let mut places = Vec::new();
    walk(data, "", &mut places);
    places
}

fn walk(value: &mut Value, path: &str, places: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let secret = |key: &str, value: &Value| match value {
                Value::String(text) => is_credential(text) || (names_a_secret(key) && is_word(text)),
                _ => false,
            };
            let found: Vec<String> =
                fields.iter().filter(|(key, value)| secret(key, value)).map(|(key, _)| key.clone()).collect();
            for key in found {
                fields.remove(&key);
                places.push(join(path, &key));
            }
            for (key, value) in fields.iter_mut() {
                walk(value, &join(path, key), places);
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter_mut().enumerate() {
                let place = format!("{path}[{n}]");
                if item.as_str().is_some_and(is_credential) {
                    *item = Value::String(String::new());
                    places.push(place);
                } else {
                    walk(item, &place, places);
                }
            }
        }
        _ => {}
    }
}

/// Removes a whole field, as the secrets of an ElizaOS character; an empty one stays.
pub(crate) fn remove_field(data: &mut Value, path: &[&str]) -> Option<String> {
    let (last, before) = path.split_last()?;
    let parent = before.iter().try_fold(data, |value, key| value.get_mut(*key))?;
    let full = parent.get(*last).is_some_and(|value| !crate::value::is_empty(value));
    full.then(|| parent.as_object_mut()?.remove(*last)).flatten()?;
    Some(path.join("."))
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn names_a_secret(key: &str) -> bool {
    let plain: String = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    NAMES.iter().any(|name| plain.contains(name)) || ENDS.iter().any(|end| plain.ends_with(end))
}

/// One word of at least 8 characters: a sentence under a name such as `secret` is a part of the story.
fn is_word(text: &str) -> bool {
    text.trim().len() >= 8 && !text.trim().contains(char::is_whitespace)
}

fn is_credential(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 20 && !text.contains(char::is_whitespace) && MAKES.iter().any(|make| text.starts_with(make))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pf3_credentials_are_removed_and_their_places_are_named() {
        let mut data = json!({
            "settings": { "OPENAI_API_KEY": "canary-canary", "model": "small" },
            "plugins": ["sk-canary-canary-canary", "web"],
            "token_budget": 500, "key": ["castle"], "secret": "he is the king's lost brother",
        });
        assert_eq!(remove(&mut data), ["plugins[0]", "settings.OPENAI_API_KEY"]);
        assert!(!data.to_string().contains("canary"));
        assert_eq!(data["key"], json!(["castle"]));
        assert!(data["secret"].is_string() && data["settings"]["model"] == "small");
    }
}
