//! Recognises credentials by their form, and finds them in texts.

use std::sync::LazyLock;

use regex::Regex;

use super::{is_word, names_a_secret};

/// Prefixes of credentials from known services. Webhook addresses count, because anyone who knows the address can post
/// there.
const MAKES: [&str; 32] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "whsec_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "AKIA",
    "ASIA",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "xapp-",
    "gsk_",
    "xai-",
    "pplx-",
    "hf_",
    "npm_",
    "pypi-AgE",
    "shpat_",
    "GOCSPX-",
    "ya29.",
    "eyJhbGciOi",
    "https://discord.com/api/webhooks/",
    "https://discordapp.com/api/webhooks/",
    "https://hooks.slack.com/services/",
];
/// The shortest credential with a known prefix.
const SHORTEST: usize = 20;
/// Schemes before a credential in an HTTP header.
const SCHEMES: [&str; 2] = ["Bearer ", "Basic "];
/// The replacement text of a removed credential.
pub(super) const REMOVED: &str = "[removed]";

/// Credentials that are recognised by their whole form: JSON web tokens, keys of Google, bots of Telegram and Discord,
/// SendGrid, and private keys of Bitcoin, plain and extended. Letters are ASCII only, because repeated Unicode classes
/// would take thirty megabytes.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*|AIza[0-9A-Za-z_-]{35}|[0-9]{8,10}:[0-9A-Za-z_-]{35}|[MNO][0-9A-Za-z_-]{23,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,}|SG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51}|[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{70,})$",
    )
    .ok()
});
/// A private key in PEM form, also with escaped line ends. Its end may be missing.
static PEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.]|-[A-Za-z])+(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?",
    )
    .ok()
});
/// The words of a wallet's seed phrase after its name.
static PHRASE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i:(?:seed|recovery|backup)[ _-]?(?:phrase|words)|mnemonic(?:[ _-]?phrase)?)[^0-9A-Za-z_]{0,4}(?::|=|(?-u:\bis\b)|\n)[^0-9A-Za-z_]{0,4}((?:(?:[0-9]{1,2}[.)] ?)?[a-z]{3,8}[\s,]+){11,23}(?:[0-9]{1,2}[.)] ?)?[a-z]{3,8})(?-u:\b)",
    )
    .ok()
});
/// Whether a word has the form of a credential.
pub(super) fn is_credential(text: &str) -> bool {
    let text = text.trim();
    if SCHEMES.iter().any(|scheme| text.strip_prefix(scheme).is_some_and(is_word)) {
        return true;
    }
    if text.contains(char::is_whitespace) {
        return false;
    }
    let is_made = || text.len() >= SHORTEST && MAKES.iter().any(|make| text.starts_with(make));
    has_password(text) || is_made() || SHAPES.as_ref().is_some_and(|shapes| shapes.is_match(text))
}

/// Whether a text is a URL that contains a password, as `postgres://user:password@host`.
fn has_password(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let Some((user, _)) = authority.rsplit_once('@') else { return false };
    user.split_once(':').is_some_and(|(_, password)| !password.is_empty())
}

/// Finds the credentials in a text. `is_settings`: whether the text contains names and values and not sentences. Then
/// each long word after a secret's name counts as a credential.
pub(super) fn in_text(text: &str, is_settings: bool) -> Vec<String> {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '<' | '>' | ',');
    let mut found: Vec<&str> = text.split(is_edge).flat_map(in_word).collect();
    let matches = |regex: &'static LazyLock<Option<Regex>>| regex.iter().flat_map(|it| it.find_iter(text));
    let is_key = |body: &str| body.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| run.len() >= 16);
    if text.contains("PRIVATE KEY") {
        found.extend(matches(&PEM).map(|it| it.as_str()).filter(|pem| is_key(pem)));
    }
    found.extend(
        PHRASE.iter().flat_map(|it| it.captures_iter(text)).filter_map(|it| Some(it.get(1)?.as_str())),
    );
    for (name, value) in text.match_indices([':', '=']).filter_map(|(at, _)| pair(text, at)) {
        let value = value.split('&').next().unwrap_or_default();
        let value = value.trim_end_matches(['.', '!', '}', ']', '*']);
        let is_secret = if is_settings { is_word(value) } else { is_random(value) };
        if is_secret && names_a_secret(name) {
            found.push(value);
        }
    }
    // the longest first, so that a part of a credential does not leave the rest
    found.sort_unstable_by_key(|secret| (std::cmp::Reverse(secret.len()), *secret));
    found.dedup();
    found.into_iter().map(str::to_owned).collect()
}

/// The name before a separator and the value after it, as in `API key: …` and `"password" = "…"`.
fn pair(text: &str, at: usize) -> Option<(&str, &str)> {
    const MARKS: [char; 4] = ['"', '\'', '`', '*'];
    let before = text[..at].trim_end_matches([' ', '\t']).trim_end_matches(MARKS);
    let is_of = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b' ' | b'-');
    let length = before.bytes().rev().take(42).take_while(is_of).count();
    let name = before[before.len() - length..].trim();
    let after = text[at + 1..].trim_start_matches([' ', '\t']).trim_start_matches(MARKS);
    let after = ["Bearer ", "Basic "].iter().find_map(|scheme| after.strip_prefix(scheme)).unwrap_or(after);
    let after = &after[..after.floor_char_boundary(300)];
    let is_end = |c: char| {
        c.is_whitespace() || MARKS[..3].contains(&c) || matches!(c, ',' | ';' | '<' | '>' | '(' | ')')
    };
    let value = &after[..after.find(is_end).unwrap_or(after.len())];
    (name.len() > 1).then_some((name, value))
}

/// Finds the credentials in a word. It may be the whole word or follow a name (`KEY=…`, `key:…`, `?key=…&…`), or
/// letters of a script without spaces.
fn in_word(word: &str) -> Vec<&str> {
    let is_joint = |c: char| {
        !c.is_ascii() || matches!(c, '=' | '&' | '?' | ';' | '|' | '[' | ']' | '{' | '}' | '\\' | '*')
    };
    let word = word.trim_end_matches(['.', '!']);
    if word.len() < 8 {
        return Vec::new();
    }
    if is_credential(word) {
        return vec![word];
    }
    let mut found = Vec::new();
    for part in word.split(is_joint).map(|part| part.trim_end_matches(['.', '!'])) {
        if is_credential(part) {
            found.push(part);
        } else {
            found.extend(part.split(':').filter(|part| is_credential(part)));
        }
    }
    found
}

/// Whether a word looks random: long, and with frequent changes between letters and digits.
fn is_random(word: &str) -> bool {
    let is_of = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '=' | '-');
    let kinds: Vec<u8> = word
        .bytes()
        .map(|byte| u8::from(byte.is_ascii_digit()) + 2 * u8::from(byte.is_ascii_alphabetic()))
        .collect();
    let changes = kinds.windows(2).filter(|pair| pair.contains(&1) && pair.contains(&2)).count();
    word.len() >= 16 && word.chars().all(is_of) && changes >= 3
}
