//! Makes texts harmless on the way out and on the way in.

use greenroom_core::is_unseen;

/// Words after `@` that call everybody on some platform.
const CALLS: [&str; 5] = ["everyone", "here", "room", "channel", "all"];
/// Between `@` and such a word: it is not shown, and the word calls nobody any more.
const BREAK: char = '\u{2060}';
/// The longest name, in characters.
const LONGEST_NAME: usize = 80;

/// Characters that are not shown and change how others are: direction overrides and isolates.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{061c}')
}

/// Characters by which two names that look the same differ: unseen ones, and joiners.
fn is_invisible(c: char) -> bool {
    is_unseen(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// A text that calls nobody but those it should, and holds no control characters but line breaks and tabs. `\r\n` and
/// a lone `\r` become `\n`.
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

/// Whether what follows an `@` is a call. A call within a longer word, as `@hereafter`, is none.
fn calls_everybody(after: &str) -> bool {
    let word: String =
        after.chars().take_while(|c| c.is_alphanumeric()).take(16).collect::<String>().to_lowercase();
    CALLS.contains(&word.as_str())
}

/// A text as one line without control characters, for protocols of lines.
pub fn clean_line(text: &str) -> String {
    let line = neutralise(text).replace(['\n', '\t'], " ");
    line.trim().to_owned()
}

/// The name of a person as it came from the platform: one line, without invisible characters, of at most 80
/// characters; `nothing` where nothing of it remains, as the person's id.
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
