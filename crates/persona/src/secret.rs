//! Secrets that can be used but are not shown (X5).

use std::{fmt, ops::Range};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

/// The text shown in place of a secret.
pub(crate) const HIDDEN: &str = "set (hidden)";

/// An API key. `Debug` and `Serialize` only show that it is set.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }
    /// The key itself. Only the place that sends it calls this.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(HIDDEN)
    }
}

impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Secret".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "writeOnly": true })
    }
}

/// Names of secrets, also as a part of longer names.
const NAMES: [&str; 8] =
    ["api_key", "api-key", "apikey", "api_token", "access_token", "secret", "password", "authorization"];
/// Names of secrets as separate words.
const WORDS: [&str; 2] = ["key", "token"];
/// Endings of environment variables that contain secrets.
const SHOUTED: [&str; 4] = ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD"];
/// Prefixes of keys: OpenAI's and similar ones, GitHub's, AWS's, Slack's, a JSON web token.
const MAKES: [&str; 6] = ["sk-", "ghp_", "github_pat_", "AKIA", "xox", "eyJ"];

/// Masks everything that looks like a secret, byte for byte, so that positions in the text stay valid. It works on the
/// text alone, because a file that does not parse may contain keys as well.
pub fn blot(text: &str) -> String {
    text.split_inclusive('\n').map(blot_line).collect()
}

fn blot_line(line: &str) -> String {
    let lower = line.to_ascii_lowercase();
    // a name is followed by its value only after one of these characters
    let has_value = line.contains([':', '=']);
    let named = NAMES.iter().filter_map(|name| lower.find(name).map(|at| at + name.len()));
    let words = WORDS.iter().filter_map(|word| find_word(&lower, word).map(|at| at + word.len()));
    let shouted = SHOUTED.iter().filter_map(|word| line.find(word).map(|at| at + word.len()));
    let value = |at: usize| line[at..].find([':', '=']).map(|sep| at + sep + 1);
    let bearer = find_word(&lower, "bearer").map(|at| at + "bearer".len());
    let assigned =
        has_value.then(|| named.chain(words).chain(shouted).filter_map(value)).into_iter().flatten();
    let mut out = match assigned.chain(bearer).min() {
        Some(at) => line[..at].to_owned() + &stars(&line[at..]),
        None => line.to_owned(),
    };
    // a key with a known prefix, anywhere in the line
    for make in MAKES {
        let mut from = 0;
        while let Some(at) = out[from..].find(make).map(|at| from + at) {
            let end = out[at..].find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
            let end = end.map_or(out.len(), |end| at + end);
            if !out[..at].ends_with(char::is_alphanumeric) {
                let masked = stars(&out[at..end]);
                out.replace_range(at..end, &masked);
            }
            from = end;
        }
    }
    // a secret that was pasted in place of its variable's name
    if let Some(value) = lower.find("token_env").and_then(value)
        && !is_variable_name(line[value..].split('#').next().unwrap_or_default().trim_matches(is_around))
    {
        let masked = stars(&out[value..]);
        out.replace_range(value.., &masked);
    }
    if let Some(credentials) = credentials(&out) {
        let masked = stars(&out[credentials.clone()]);
        out.replace_range(credentials, &masked);
    }
    out
}

/// Whether a text is the name of a variable as names are usually written: `IRC_PASSWORD`. Most secrets are not.
pub fn is_variable_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// White space and quotes around a value.
fn is_around(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '}')
}

/// The range of user and password in an address, also in a mistyped one: `http://user:password@host`,
/// `http:/user:pass/word@host`, `//user:pass word@host`.
fn credentials(line: &str) -> Option<Range<usize>> {
    // an address in a comment is an email address
    let line = line.split(" #").next().unwrap_or(line);
    let strokes = line.find(":/").map(|at| at + 1).or_else(|| line.find("//"))?;
    let begin = strokes + line[strokes..].find(|c| c != '/')?;
    let end = begin + line[begin..].rfind('@')?;
    (begin < end).then_some(begin..end)
}

/// The position of a word that is not part of a longer one. `tokens` and `first_token` do not contain `token`.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let whole = |at: &usize| !text[..*at].ends_with(part) && !text[at + word.len()..].starts_with(part);
    text.match_indices(word).map(|(at, _)| at).find(whole)
}

fn stars(text: &str) -> String {
    text.chars().map(|c| if c.is_whitespace() { c.to_string() } else { "*".repeat(c.len_utf8()) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x5_a_secret_shows_neither_in_debug_nor_in_json() {
        let secret = Secret::new("sk-canary");
        assert_eq!(format!("{secret:?}"), "set (hidden)");
        assert_eq!(serde_json::to_string(&secret).unwrap(), "\"set (hidden)\"");
        assert_eq!(secret.expose(), "sk-canary");
    }

    #[test]
    fn x5_keys_are_blotted_out_of_a_text_without_moving_anything() {
        let text = "a = 1\n  api_key: \"sk-çanary\" # mine\nbase_url = \"http://me:canary@host/v1\"\n";
        let blotted = blot(text);
        assert_eq!(blotted.len(), text.len());
        insta::assert_snapshot!(blotted, @r#"
        a = 1
          api_key: ************ * ****
        base_url = "http://*********@host/v1"
        "#);
    }

    #[test]
    fn x5_what_is_called_a_secret_or_looks_like_one_is_blotted_out() {
        for secret in [
            "token: canary",
            "api_token = \"canary\"",
            "Authentication is Bearer canary",
            "model: { key: canary }",
            "base_url: https://x.example/v1?key=canary",
            "password=canary",
            "client_secret = canary",
            "name: sk-canary",
            "env: { GITHUB_TOKEN: canary }",
            "say (sk-canary_1, task-2)",
            "base_url: http://me:pass/canary@host/v1",
            "base_url: http:/me:canary@host/v1",
            "base_url: //me:canary@host/v1",
            "token_env = \"MTI3.canary\"",
            "app_token_env = '123:canary' # mine",
            "base_url: http://me:pass canary@host/v1",
        ] {
            assert!(!blot(secret).contains("canary"), "{}", blot(secret));
        }
        for harmless in [
            "tokens_per_hour = 5",
            "timeouts: { first_token: 2m }",
            "tokenizer: o200k",
            "token_env = \"IRC_PASSWORD\" # mine",
            "{ token_env = 'IRC_PASSWORD' }",
            "share_key_with = []",
            "monkey: task-list",
            "base_url: http://localhost:11434/v1 # ask me@example.org",
        ] {
            assert_eq!(blot(harmless), harmless);
        }
    }
}
