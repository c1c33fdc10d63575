//! Finds credentials in imported data. They are removed before anything is written (X5); the receipt names their
//! places.

mod makes;
mod search;

#[cfg(test)]
mod tests;

use serde_json::Value;

pub(crate) use self::search::Search;
use self::{
    makes::{in_text, is_credential},
    search::MOST,
};
use crate::{
    FormatError, Source,
    png::{MAX_TEXTS, Picture, is_png},
};

/// Parts of field names that contain credentials, in lower case without separators.
const NAMES: [&str; 19] = [
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
    "seedphrase",
    "recoveryphrase",
    "seedwords",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "walletkey",
];
/// Endings of such names.
const ENDS: [&str; 2] = ["token", "authkey"];
/// Names, and last words of names, of passwords.
const SHORT: [&str; 2] = ["pass", "pwd"];
/// The least number of words of a wallet, or of numbers of a key, in a list.
const FEWEST: usize = 12;
/// File name extensions of settings files.
const SETTINGS: [&str; 10] =
    ["env", "json", "yaml", "yml", "toml", "ini", "cfg", "conf", "config", "properties"];

/// Removes the credentials of a source, including its second card, its files and its picture. Records their places.
/// Returns a search for them if there are any.
///
/// # Errors
/// [`FormatError::TooLarge`] if they are longer than 256 KB together.
pub(crate) fn remove_all(source: &mut Source) -> Result<Option<Search>, FormatError> {
    let mut removed = Removed { places: std::mem::take(&mut source.removed), ..Removed::default() };
    walk(&mut source.data, "", &mut removed);
    source.beside.iter_mut().for_each(|beside| walk(beside, "", &mut removed));
    let mut room = MAX_TEXTS;
    for asset in &mut source.assets {
        if let Some(clean) = picture_without(&asset.content, &mut room)? {
            asset.content = clean;
            removed.places.push(asset.path.clone());
        } else if let Some((clean, secrets)) = without(&asset.content, is_settings(&asset.path), None) {
            asset.content = clean;
            removed.values.extend(secrets);
            removed.places.push(asset.path.clone());
        }
    }
    if let Some(picture) = &source.picture
        && let Some(clean) = picture_without(picture, &mut room)?
    {
        source.picture = Some(clean);
        removed.places.push("(picture)".into());
    }
    removed.values.sort_unstable();
    removed.values.dedup();
    source.removed = removed.places;
    if removed.values.is_empty() {
        return Ok(None);
    }
    let known = Search::of(&removed.values).ok_or_else(|| FormatError::TooLarge {
        what: "the credentials of the file together".into(),
        limit: format!("{} KB", MOST >> 10),
    })?;
    scrub(&mut source.data, &known);
    source.beside.iter_mut().for_each(|beside| scrub(beside, &known));
    for asset in &mut source.assets {
        if let Some((clean, _)) = without(&asset.content, false, Some(&known)) {
            asset.content = clean;
        }
    }
    Ok(Some(known))
}

/// The picture without texts that contain credentials. `None` if there are none.
fn picture_without(bytes: &[u8], room: &mut usize) -> Result<Option<Vec<u8>>, FormatError> {
    if !is_png(bytes) {
        return Ok(None);
    }
    match Picture::read(bytes) {
        Ok(picture) => picture.without_secrets(room),
        Err(error @ FormatError::TooLarge { .. }) => Err(error),
        // the texts of a damaged picture cannot be read
        Err(_) => Ok(None),
    }
}

/// Whether a text contains a credential.
pub(crate) fn are_in(text: &[u8]) -> bool {
    without(text, false, None).is_some()
}

/// The text without its credentials and without `known` ones, and the removed values. `None` if nothing was removed.
/// Also searches text in other encodings than UTF-8; bytes that are no text stay.
pub(crate) fn without(
    bytes: &[u8],
    is_settings: bool,
    known: Option<&Search>,
) -> Option<(Vec<u8>, Vec<String>)> {
    if bytes.contains(&0) {
        return None;
    }
    // decode as Latin-1: each byte is one character, so that every byte can be restored
    let is_utf8 = std::str::from_utf8(bytes);
    let text = is_utf8.map_or_else(|_| bytes.iter().map(|byte| char::from(*byte)).collect(), str::to_owned);
    let found = in_text(&text, is_settings);
    let own = (!found.is_empty()).then(|| search::without(&text, &found));
    let known = known.and_then(|known| known.without(own.as_ref().unwrap_or(&text)));
    let clean = known.or(own)?;
    let bytes = match is_utf8 {
        Ok(_) => clean.into_bytes(),
        Err(_) => clean.chars().map(|c| c as u32 as u8).collect(),
    };
    Some((bytes, found))
}

/// Whether a file contains names and values, by its name.
fn is_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    name.starts_with(".env") || name.rsplit('.').next().is_some_and(|ending| SETTINGS.contains(&ending))
}

/// Removes credentials from raw data. Returns their places, as `settings.API_KEY`.
pub(crate) fn remove(data: &mut Value) -> Vec<String> {
    let mut removed = Removed::default();
    walk(data, "", &mut removed);
    if let Some(known) = Search::of(&removed.values) {
        scrub(data, &known);
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
        // a plain word under such a name, as `stop_token: assistant`, also occurs in ordinary texts
        if (is_word(value) || is_phrase(value)) && !value.trim().chars().all(char::is_alphabetic) {
            self.values.push(value.trim().to_owned());
        }
    }
}

/// Removes known credentials from every text that repeats them, as the text of invalid front matter does.
fn scrub(value: &mut Value, known: &Search) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|value| scrub(value, known)),
        Value::Array(items) => items.iter_mut().for_each(|item| scrub(item, known)),
        Value::String(text) => {
            if let Some(clean) = known.without(text) {
                *text = clean;
            }
        }
        _ => {}
    }
}

fn walk(value: &mut Value, path: &str, removed: &mut Removed) {
    match value {
        Value::Object(fields) => {
            let secret = |key: &str, value: &Value| match value {
                Value::String(text) => {
                    is_credential(text) || (is_word(text) || is_phrase(text)) && names_a_secret(key)
                }
                Value::Number(number) => names_a_password(key) && number.to_string().len() >= 4,
                _ => false,
            };
            let found: Vec<String> = fields
                .iter()
                .filter(|(key, value)| secret(key, value) || is_credential(key))
                .map(|(key, _)| key.clone())
                .collect();
            for key in found {
                let value = fields.remove(&key).unwrap_or_default();
                if is_credential(&key) {
                    removed.add(join(path, "(a name)"), &key);
                } else {
                    removed.add(join(path, &key), value.as_str().unwrap_or_default());
                }
            }
            let may_hold = |value: &Value| value.is_object() || value.is_array() || value.is_string();
            for (key, value) in fields.iter_mut().filter(|(_, value)| may_hold(value)) {
                let place = join(path, key);
                if !value.is_string() && names_a_secret(key) {
                    empty(value, &place, removed);
                }
                walk(value, &place, removed);
            }
        }
        Value::Array(items) => {
            // in the arguments of a command, `--api-key` precedes the key
            let mut is_after_option = false;
            for (n, item) in items.iter_mut().enumerate() {
                let place = format!("{path}[{n}]");
                let option = item.as_str().is_some_and(|text| text.starts_with('-') && names_a_secret(text));
                match item {
                    Value::String(text) if is_credential(text) || is_after_option && is_word(text) => {
                        removed.add(place, text);
                        text.clear();
                    }
                    _ => walk(item, &place, removed),
                }
                is_after_option = option;
            }
        }
        Value::String(text) => {
            // in a folder's data, the keys are the names of its files
            let found = in_text(text, is_settings(path) || text.starts_with("--"));
            if !found.is_empty() {
                *text = search::without(text, &found);
                removed.places.push(path.to_owned());
                removed.values.extend(found);
            }
        }
        _ => {}
    }
}

/// Empties the long single words of a map or list whose name marks it as secret, and lists of a key's words or numbers.
/// Sentences and short words stay, because they belong to the story.
fn empty(value: &mut Value, path: &str, removed: &mut Removed) {
    let mut inner = |value: &mut Value, place: String| match value {
        Value::String(text) if is_word(text) || is_phrase(text) => {
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
        Value::Array(items) if is_key(items) => {
            items.clear();
            removed.places.push(path.to_owned());
        }
        Value::Array(items) => {
            items.iter_mut().enumerate().for_each(|(n, item)| inner(item, format!("{path}[{n}]")));
        }
        _ => {}
    }
}

/// Whether a list contains the words of a wallet or the bytes of a key.
fn is_key(items: &[Value]) -> bool {
    let is_small_word =
        |item: &Value| item.as_str().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()));
    items.len() >= FEWEST
        && (items.iter().all(is_small_word)
            || items.iter().all(|item| item.as_u64().is_some_and(|it| it < 256)))
}

/// Removes a whole field, as the secrets of an ElizaOS character. An empty field stays.
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
    // the name of an environment variable
    if ["envvar", "envkey"].iter().any(|end| plain.ends_with(end)) {
        return false;
    }
    NAMES.iter().any(|name| plain.contains(name))
        || ENDS.iter().any(|end| plain.ends_with(end))
        || SHORT.contains(&&*last)
}

/// Whether a field contains a password. A password may be a number.
fn names_a_password(key: &str) -> bool {
    let plain = key.to_lowercase();
    ["password", "passwd", "passcode", "pwd"].iter().any(|name| plain.ends_with(name))
}

/// Whether a text is a single word of at least 8 characters. A sentence under a name such as `secret` belongs to the
/// story, and `${NAME}` or `<your key>` is a reference.
fn is_word(text: &str) -> bool {
    let text = text.trim();
    let is_reference = ["$", "<", "{{", "process.env", "[removed"].iter().any(|it| text.starts_with(it));
    text.len() >= 8 && !text.contains(char::is_whitespace) && !is_reference
}

/// Whether a text is the seed phrase of a wallet.
fn is_phrase(text: &str) -> bool {
    let words = text.split_whitespace();
    let is_small =
        |word: &str| (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    words.clone().count() >= FEWEST && words.clone().all(is_small)
}
