//! Keys of entries: words and regular expressions. Expressions run on a linear-time engine with size limits (X13).

use regex::{Regex, RegexBuilder};

use crate::Macros;

/// The most bytes of a compiled expression, and of the engine's cache for it.
const MAX_COMPILED: usize = 128 << 10;
/// The most characters of an expression.
const MAX_PATTERN: usize = 1_000;
/// The most expressions of one book.
pub(crate) const MAX_EXPRESSIONS: usize = 100;

/// A key of an entry.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    /// The key as it is written.
    pub text: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Words {
        folded: String,
        case_sensitive: bool,
        whole: bool,
    },
    Expression(Regex),
    /// An expression that cannot be used. It matches nothing.
    Refused,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Key {
    /// A key of plain words.
    pub fn words(text: &str, case_sensitive: bool, whole: bool) -> Self {
        let folded = if case_sensitive { text.to_owned() } else { text.to_lowercase() };
        Self { text: text.to_owned(), kind: Kind::Words { folded, case_sensitive, whole } }
    }

    /// A regular expression: `/pattern/flags`, or the pattern alone. Also returns the reason if it is refused.
    pub fn expression(text: &str, case_sensitive: bool) -> (Self, Option<String>) {
        let (pattern, flags) = delimited(text).unwrap_or((text, if case_sensitive { "" } else { "i" }));
        if pattern.len() > MAX_PATTERN {
            return Self::refused(text, format!("an expression may have {MAX_PATTERN} characters"));
        }
        let built = RegexBuilder::new(&pattern.replace("\\/", "/"))
            .case_insensitive(flags.contains('i'))
            .multi_line(flags.contains('m'))
            .dot_matches_new_line(flags.contains('s'))
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_COMPILED)
            .nest_limit(40)
            .build();
        match built {
            Ok(regex) => (Self { text: text.to_owned(), kind: Kind::Expression(regex) }, None),
            Err(error) => {
                let error = error.to_string();
                let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
                Self::refused(text, format!("the expression {text} cannot be used: {reason}"))
            }
        }
    }

    /// A key that matches nothing, with the reason.
    pub fn refused(text: &str, reason: String) -> (Self, Option<String>) {
        (Self { text: text.to_owned(), kind: Kind::Refused }, Some(reason))
    }

    /// Whether the key matches nothing.
    pub fn is_refused(&self) -> bool {
        matches!(self.kind, Kind::Refused) || self.text.is_empty()
    }

    /// Whether a text has the form of an expression, as SillyTavern's keys.
    pub fn looks_like_expression(text: &str) -> bool {
        delimited(text).is_some()
    }

    /// Whether the key occurs in a text. Expands the key's macros first.
    pub fn is_in(&self, text: &Searched, macros: Macros<'_>) -> bool {
        match &self.kind {
            Kind::Words { folded, case_sensitive, whole } if folded.contains("{{") => {
                let filled = macros.expand(&self.text);
                let filled = Self::words(filled.trim(), *case_sensitive, *whole);
                // the expanded name may itself contain braces
                !filled.text.is_empty() && !filled.text.contains("{{") && filled.is_in(text, macros)
            }
            Kind::Expression(regex) => regex.is_match(&text.text),
            Kind::Refused => false,
            Kind::Words { folded, case_sensitive, whole } => {
                let text = if *case_sensitive { &text.text } else { &text.folded };
                if *whole { holds_word(text, folded) } else { text.contains(folded.as_str()) }
            }
        }
    }
}

/// A text that is searched.
#[derive(Debug, Default)]
pub(crate) struct Searched {
    text: String,
    folded: String,
}

impl Searched {
    pub fn new(text: String) -> Self {
        Self { folded: text.to_lowercase(), text }
    }
}

/// Pattern and flags of `/pattern/flags`.
fn delimited(text: &str) -> Option<(&str, &str)> {
    let (pattern, flags) = text.trim().strip_prefix('/')?.rsplit_once('/')?;
    (!pattern.is_empty() && flags.chars().all(|c| "dgimsuvy".contains(c))).then_some((pattern, flags))
}

/// Whether a word occurs in a text as a whole word. A key of several words may also match inside words, as in
/// SillyTavern.
fn holds_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| (c.is_alphanumeric() || c == '_') && !is_written_without_spaces(c);
    word.contains(char::is_whitespace) && text.contains(word)
        || text
            .match_indices(word)
            .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// Whether a character belongs to a script without spaces between words, or with endings on names: those of Thailand,
/// Laos, Myanmar and Cambodia, Chinese, Japanese and Korean.
fn is_written_without_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
