//! Neutralises incoming and outgoing texts: removes control characters and disarms mentions of everyone.

use greenroom_core::is_unseen;

/// Words that notify all members after `@` on some platform.
const CALLS: [&str; 5] = ["everyone", "here", "room", "channel", "all"];
/// Inserted between `@` and such a word. It is invisible, and the word no longer notifies anyone.
const BREAK: char = '\u{2060}';
/// The longest name, in characters.
const LONGEST_NAME: usize = 80;

/// Invisible characters that change the direction of others: overrides and isolates.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{061c}')
}

/// Characters that make equal-looking names differ: invisible characters and joiners.
fn is_invisible(c: char) -> bool {
    is_unseen(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// The text without mass mentions and without control characters other than line breaks and tabs. `\r\n` and a lone
/// `\r` become `\n`.
pub fn neutralise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut at = 0;
    while let Some(c) = rest.next() {
        at += c.len_utf8();
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\n' | '\t' => out.push(c),
            '@' => {
                out.push(c);
                if calls_everybody(&text[at..]) {
                    out.push(BREAK);
                }
            }
            c if c.is_control() || turns_direction(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// Whether the text after an `@` is a mass mention. The beginning of a longer word, as in `@hereafter`, is none.
fn calls_everybody(after: &str) -> bool {
    let word: String =
        after.chars().take_while(|c| c.is_alphanumeric()).take(16).collect::<String>().to_lowercase();
    CALLS.contains(&word.as_str())
}

/// The text as one line without control characters, for line-based protocols.
pub fn clean_line(text: &str) -> String {
    let line = neutralise(text).replace(['\n', '\t'], " ");
    line.trim().to_owned()
}

/// Cleans a person's name: one line, no invisible characters, at most 80 characters. If nothing remains, returns
/// `nothing`, for example the person's id.
pub fn clean_name(name: &str, nothing: &str) -> String {
    let visible: String = name.chars().filter(|c| !is_invisible(*c)).collect();
    let words: Vec<&str> =
        visible.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    let name: String = words.join(" ").chars().take(LONGEST_NAME).collect();
    if name.is_empty() {
        nothing.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect()
    } else {
        name
    }
}
