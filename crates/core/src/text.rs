//! Text of foreign origin: composed, and made safe to show on a terminal and in an approval (X9, X14).

use std::{
    borrow::Cow,
    fmt::{self, Write},
};

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The text with its characters composed (NFC), as `ü` for a `u` followed by a combining mark. Both look alike and mean
/// the same, but they are different words to a search, a rule or a comparison. File names of macOS and some input methods
/// are decomposed.
pub fn composed(text: impl Into<String>) -> String {
    let text = text.into();
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text,
        IsNormalized::No | IsNormalized::Maybe => text.nfc().collect(),
    }
}

/// Makes text from a model, a memory or a file harmless for a terminal (X14). Control characters become visible
/// signs, so that the text cannot move the cursor, set the title or overwrite earlier lines. Characters that reverse
/// the direction of writing, and the invisible Unicode tags (<https://www.unicode.org/charts/PDF/UE0000.pdf>), become
/// `�`. Line breaks and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| sign(c) != Some(c)) {
        Cow::Owned(text.chars().filter_map(sign).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn sign(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => Some(c),
        '\r' => None,
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)),
        '\x7f' => Some('␡'),
        '\u{80}'..='\u{9f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{e0000}'..='\u{e007f}' => Some('\u{fffd}'),
        _ => Some(c),
    }
}

/// Characters that a reader does not see but a model reads: they change the direction of writing, have no width, or are
/// Unicode tags (X7). Joiners are no such characters, because Persian and emoji need them.
pub fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
}

/// Shows every character of a text, for a person who has to approve all of it (X9). Control characters, invisible
/// characters, marks that change the character before them and unusual spaces become `\u{…}`. Line breaks stay.
pub fn visible(text: &str) -> Visible<'_> {
    Visible(text)
}

/// Shows a [`visible`] text.
#[derive(Debug, Clone, Copy)]
pub struct Visible<'a>(&'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| {
            if c == '\n' || is_seen(c) { f.write_char(c) } else { write!(f, "\\u{{{:x}}}", u32::from(c)) }
        })
    }
}

/// Whether a reader sees the character, and sees it as itself. The standard library knows which characters are not
/// printed (controls, formats, tags, private use, unassigned, spaces other than ` `) and which join the character
/// before them.
fn is_seen(c: char) -> bool {
    // letters and a symbol by their Unicode category, but blank on the screen
    let blank = matches!(c, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}');
    !blank && (matches!(c, '\'' | '"' | '\\') || c.escape_debug().next() == Some(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mp4_what_looks_alike_is_the_same_text() {
        assert_eq!(composed("Mu\u{308}ller, cafe\u{301}, カ\u{3099}"), "Müller, café, ガ");
        assert_eq!(composed("plain, ä, 🙂"), "plain, ä, 🙂");
    }

    #[test]
    fn x14_nothing_a_model_says_commands_the_terminal() {
        assert_eq!(harmless("plain\n\ttext ä 🙂"), "plain\n\ttext ä 🙂");
        assert_eq!(harmless("\x1b]0;title\x07\x1b[2J"), "␛]0;title␇␛[2J");
        assert_eq!(harmless("safe\rEVIL"), "safeEVIL");
        assert_eq!(harmless("\u{9b}31m\u{202e}txt"), "\u{fffd}31m\u{fffd}txt");
        assert_eq!(harmless("Reads.\u{e0041}"), "Reads.\u{fffd}");
        assert!(!harmless(&('\0'..='\u{2fff}').collect::<String>()).contains('\x1b'));
    }

    /// A7: tag characters can spell a whole sentence that no reader sees.
    #[test]
    fn x9_every_character_of_an_approval_is_seen() {
        let shown = |text: &str| visible(text).to_string();
        assert_eq!(shown("Größe \"x\" 'y' \\ 漢字 🙂\nnext"), "Größe \"x\" 'y' \\ 漢字 🙂\nnext");
        let hidden: String =
            "send it".chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c))).collect();
        let tags = shown(&format!("Reads.{hidden}"));
        assert!(tags.starts_with(r"Reads.\u{e0073}\u{e0065}"), "{tags}");
        for (hidden, name) in [
            ('\u{1b}', "1b"),
            ('\t', "9"),
            ('\r', "d"),
            ('\u{85}', "85"),
            ('\u{a0}', "a0"),
            ('\u{ad}', "ad"),
            ('\u{34f}', "34f"),
            ('\u{61c}', "61c"),
            ('\u{180e}', "180e"),
            ('\u{200b}', "200b"),
            ('\u{200d}', "200d"),
            ('\u{202e}', "202e"),
            ('\u{2028}', "2028"),
            ('\u{2063}', "2063"),
            ('\u{2066}', "2066"),
            ('\u{2800}', "2800"),
            ('\u{3164}', "3164"),
            ('\u{fe0f}', "fe0f"),
            ('\u{feff}', "feff"),
            ('\u{fffa}', "fffa"),
            ('\u{e0100}', "e0100"),
            ('\u{f0000}', "f0000"),
        ] {
            assert_eq!(shown(&format!("a{hidden}b")), format!("a\\u{{{name}}}b"));
        }
    }
}
