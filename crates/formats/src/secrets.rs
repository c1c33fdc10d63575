//! Credentials in imported data. They are removed before anything is written (X5); the receipt names their places.

use serde_json::Value;

/// Parts of names of fields that hold credentials, in lower case without separators.
const NAMES: [&str; 12] = [
    "apikey",
    "secret",
    "password",
    "passphrase",
    "passwd",
    "privatekey",
    "accesskey",
    "credential",
    "bearer",
    "mnemonic",
    "authorization",
    "cookie",
];
/// Ends of such names.
const ENDS: [&str; 2] = ["token", "authkey"];
/// Names, and last words of names, of passwords.
const SHORT: [&str; 2] = ["pass", "pwd"];
/// Beginnings of credentials of known makes; who knows the address of a webhook writes there.
const MAKES: [&str; 11] = [
    "sk-",
    "ghp_",
    "gho_",
    "github_pat_",
    "AKIA",
    "xoxb-",
    "xoxp-",
    "eyJhbGciOi",
    "https://discord.com/api/webhooks/",
    "https://discordapp.com/api/webhooks/",
    "https://hooks.slack.com/services/",
];
/// Schemes before a credential in a header.
const SCHEMES: [&str; 2] = ["Bearer ", "Basic "];
/// What stands in a text where a credential was.
const REMOVED: &str = "[removed]";

/// Removes credentials from raw data and returns their places, as `settings.API_KEY`.
pub(crate) fn remove(data: &mut Value) -> Vec<String> {
    let mut removed = Removed::default();
    walk(data, "", &mut removed);
    if !removed.values.is_empty() {
        scrub(data, &removed.values);
    }
    removed.places
}

/// The credentials that were removed.
#[derive(Default)]
struct Removed {
    places: Vec<String>,
    values: Vec<String>,
}

impl Removed {
    fn add(&mut self, place: String, value: &str) {
        self.places.push(place);
        // a word of a language under such a name, as `stop_token: assistant`, stands in texts by itself
        if is_word(value) && !value.trim().chars().all(char::is_alphabetic) {
            self.values.push(value.trim().to_owned());
        }
    }
}

/// Removes credentials from every text that repeats them, as the text of a front matter that is no YAML does.
fn scrub(value: &mut Value, values: &[String]) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|value| scrub(value, values)),
        Value::Array(items) => items.iter_mut().for_each(|item| scrub(item, values)),
        Value::String(text) => {
            for secret in values {
                if text.contains(secret.as_str()) {
                    *text = text.replace(secret.as_str(), REMOVED);
                }
            }
        }
        _ => {}
    }
}

fn walk(value: &mut Value, path: &str, removed: &mut Removed) {
    match value {
        Value::Object(fields) => {
            let secret = |key: &str, value: &Value| match value {
                Value::String(text) => is_credential(text) || (names_a_secret(key) && is_word(text)),
                _ => false,
            };
            let found: Vec<String> =
                fields.iter().filter(|(key, value)| secret(key, value)).map(|(key, _)| key.clone()).collect();
            for key in found {
                let value = fields.remove(&key).unwrap_or_default();
                removed.add(join(path, &key), value.as_str().unwrap_or_default());
            }
            for (key, value) in fields.iter_mut() {
                let place = join(path, key);
                if names_a_secret(key) {
                    empty(value, &place, removed);
                }
                walk(value, &place, removed);
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter_mut().enumerate() {
                let place = format!("{path}[{n}]");
                match item {
                    Value::String(text) if is_credential(text) => {
                        removed.add(place, text);
                        text.clear();
                    }
                    _ => walk(item, &place, removed),
                }
            }
        }
        Value::String(text) => {
            if let Some(without) = without_credentials(text) {
                *text = without;
                removed.places.push(path.to_owned());
            }
        }
        _ => {}
    }
}

/// Empties the long single words of a map or a list that its name says to be secret. Sentences and short words are a part
/// of the story.
fn empty(value: &mut Value, path: &str, removed: &mut Removed) {
    let mut inner = |value: &mut Value, place: String| match value {
        Value::String(text) if is_word(text) => {
            removed.add(place, text);
            text.clear();
        }
        Value::Object(_) | Value::Array(_) => empty(value, &place, removed),
        _ => {}
    };
    match value {
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(key, value)| inner(value, join(path, key)));
        }
        Value::Array(items) => {
            items.iter_mut().enumerate().for_each(|(n, item)| inner(item, format!("{path}[{n}]")));
        }
        _ => {}
    }
}

/// A text without the credentials of known makes among its words; none where it has none.
fn without_credentials(text: &str) -> Option<String> {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '<' | '>' | ',');
    // a credential stands alone, or behind a name: `KEY=…`, `key:…`, `?key=…&…`
    let is_joint = |c: char| matches!(c, '=' | ':' | '&' | '?' | ';' | '|' | '[' | ']' | '{' | '}');
    let parts = |word| match is_credential(word) {
        true => vec![word],
        false => word.split(is_joint).filter(|part| is_credential(part)).collect(),
    };
    let found: Vec<&str> = text.split(is_edge).flat_map(parts).collect();
    if found.is_empty() {
        return None;
    }
    Some(found.into_iter().fold(text.to_owned(), |text, word| text.replace(word, REMOVED)))
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
    let last = key.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    NAMES.iter().any(|name| plain.contains(name))
        || ENDS.iter().any(|end| plain.ends_with(end))
        || SHORT.contains(&&*last)
}

/// One word of at least 8 characters: a sentence under a name such as `secret` is a part of the story.
fn is_word(text: &str) -> bool {
    text.trim().len() >= 8 && !text.trim().contains(char::is_whitespace)
}

fn is_credential(text: &str) -> bool {
    let text = text.trim();
    if SCHEMES.iter().any(|scheme| text.strip_prefix(scheme).is_some_and(is_word)) {
        return true;
    }
    if text.contains(char::is_whitespace) {
        return false;
    }
    has_password(text) || (text.len() >= 20 && MAKES.iter().any(|make| text.starts_with(make)))
}

/// Whether a text is an address with a password in it, as `postgres://user:password@host`.
fn has_password(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let Some((user, _)) = authority.rsplit_once('@') else { return false };
    user.split_once(':').is_some_and(|(_, password)| !password.is_empty())
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

    #[test]
    fn pf3_a_credential_is_found_by_any_name_of_its_map_and_in_any_text() {
        let secret = "sk-ant-canary-canary-canary";
        let mut data = json!({
            "settings": {
                "credentials": { "u": "canary-1", "story": "what is hidden", "by": "greed" }, "EMAIL_PASS": "canary-1234",
                "cookie": "canary=1234", "dbUrl": "postgres://ann:canary@host/db", "compass": "northwest",
            },
            "Secrets": { "k": "canary-1" }, "more": { "secret": [{ "k": "canary-1" }] },
            "mcp_servers": { "a": { "url": "https://u:canary@host/" }, "b": { "url": "https://host/" } },
            "extensions": { "headers": { "Authorization": "Bearer canary-canary" } },
            "webhook": "https://discord.com/api/webhooks/123/canary",
            "system": format!("Use the key `{secret}` now, and never {secret}."),
        });
        let places = remove(&mut data);
        assert!(!data.to_string().contains("canary"), "{data}");
        assert_eq!(places.len(), 10, "{places:?}");
        assert_eq!(data["settings"]["credentials"]["story"], "what is hidden");
        assert_eq!(data["settings"]["compass"], "northwest");
        assert_eq!(data["mcp_servers"]["b"]["url"], "https://host/");
        assert_eq!(data["system"], "Use the key `[removed]` now, and never [removed].");
    }

    #[test]
    fn pf3_a_credential_behind_a_name_and_one_that_is_repeated_are_removed() {
        let secret = "sk-proj-canary-canary-canary";
        let mut data = json!({
            "body": format!("OPENAI_API_KEY={secret}\nkey:{secret} https://host/?key={secret}&a=1 [{secret}]"),
            "front": { "API_KEY": "canary-value-7", "stop_token": "assistant" },
            "story": "You are an assistant.",
            "front_text": "description: Use: it\nAPI_KEY: canary-value-7\n",
        });
        assert_eq!(remove(&mut data), ["body", "front.API_KEY", "front.stop_token"]);
        assert!(!data.to_string().contains("canary"), "{data}");
        assert_eq!(data["story"], "You are an assistant.");
        assert_eq!(data["front_text"], "description: Use: it\nAPI_KEY: [removed]\n");
        assert_eq!(
            data["body"],
            "OPENAI_API_KEY=[removed]\nkey:[removed] https://host/?key=[removed]&a=1 [[removed]]"
        );
    }
}
