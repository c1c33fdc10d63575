//! Names in scripts without spaces between words: kana and Chinese characters.

use crate::members::{MemberId, Members};
use crate::naming::NameForm;

/// Honorifics, which follow a name that is spoken to.
const HONORIFICS: [&str; 9] = ["さん", "ちゃん", "くん", "君", "様", "さま", "氏", "先生", "たん"];
/// Marks after a name.
const MARKS: [char; 12] = ['、', '，', '：', '！', '？', '。', ',', ':', '!', '?', '…', '～'];
/// A name within this many letters from the beginning is still in the salutation: "ねえ花子、…".
const EARLY: usize = 8;

/// The script of a letter, as far as it matters where words end.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Script {
    Hiragana,
    Katakana,
    Han,
    Spaced,
}

fn script(c: char) -> Script {
    match c {
        '\u{3041}'..='\u{309f}' => Script::Hiragana,
        '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => Script::Katakana,
        '\u{3005}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => {
            Script::Han
        }
        _ => Script::Spaced,
    }
}

/// Whether a word may end between two letters because the script changes: `花子さん`, `Mennaさん`.
pub fn is_script_break(before: char, after: char) -> bool {
    script(before) != script(after)
}

/// The members that a text with kana or Chinese characters names, with the form, in any order.
pub(crate) fn named_in_script(members: &Members, text: &str) -> Vec<(MemberId, NameForm)> {
    let mut found = Vec::new();
    if !text.chars().any(|c| script(c) != Script::Spaced) {
        return found;
    }
    let text = text.to_lowercase();
    for member in members.iter() {
        for name in &member.names {
            let name = name.to_lowercase();
            let parts =
                name.split_whitespace().filter(|part| part.chars().any(|c| script(c) != Script::Spaced));
            let names = std::iter::once(name.as_str()).chain(parts).filter(|name| name.chars().count() > 1);
            let hows =
                names.flat_map(|name| text.match_indices(name)).filter_map(|(at, name)| how(&text, at, name));
            found.extend(hows.min().map(|how| (member.id.clone(), how)));
        }
    }
    found
}

/// How a text names a member by the name at this index, if the name is a separate word there.
fn how(text: &str, at: usize, name: &str) -> Option<NameForm> {
    let (before, after) = (&text[..at], &text[at + name.len()..]);
    let (first, last) = (name.chars().next()?, name.chars().next_back()?);
    let previous = before.chars().next_back().filter(|c| c.is_alphanumeric());
    let is_polite = HONORIFICS.iter().any(|honorific| after.starts_with(honorific));
    let is_marked = after.is_empty() || after.starts_with(MARKS);
    let is_after_kana = previous.is_some_and(|c| matches!(script(c), Script::Hiragana | Script::Katakana));
    let begins = match previous {
        None => true,
        Some(c) if script(c) != script(first) => script(c) != Script::Spaced,
        Some(c) => script(c) != Script::Spaced && is_marked,
    };
    let goes_on = after.chars().next().is_some_and(|c| c.is_alphanumeric() && script(c) == script(last));
    let is_named = is_polite || is_marked || is_after_kana && !goes_on;
    if !begins || !is_named {
        return None;
    }
    let is_first = before.chars().all(|c| !c.is_alphanumeric());
    Some(match (is_polite || is_marked, is_first) {
        (true, true) => NameForm::FirstMarked,
        (true, false) if before.chars().count() <= EARLY && !after.is_empty() => NameForm::Early,
        _ => NameForm::Inside,
    })
}
