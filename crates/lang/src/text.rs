//! Splits a text into words, in lower case and without accents.

use std::borrow::Cow;

/// A word in lower case without accents, and its position.
pub(crate) struct Word<'a> {
    pub(crate) folded: Cow<'a, str>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl AsRef<str> for Word<'_> {
    fn as_ref(&self) -> &str {
        &self.folded
    }
}

/// Japanese conjunctions that end a statement, after which a question may follow without a comma:
/// 「小麦アレルギーなんだけど何か焼けるものある？」
pub(crate) const TOLD_UNSPACED: [&str; 2] = ["けど", "ので"];

/// Whether a text has kana or Chinese characters. Of the five languages only Japanese has them.
pub(crate) fn is_japanese(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'))
}

/// Whether a word is in a list of words separated by spaces.
pub(crate) fn is_listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

/// The words of a text: letters and digits, with an apostrophe inside. In a word that begins with a digit, a dot,
/// slash, hyphen or colon before another digit is part of the word, as in a date.
pub(crate) fn split(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::with_capacity(text.len() / 5 + 1);
    words.extend(words_of(text));
    words
}

/// Like [`split`], as an iterator.
pub(crate) fn words_of(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.find(|(_, c)| c.is_alphanumeric())?;
        let mut end = start + first.len_utf8();
        while let Some((at, c)) = chars.peek().copied() {
            let next = text[at + c.len_utf8()..].chars().next();
            let inside = match c {
                '\'' | '’' => next.is_some_and(char::is_alphanumeric),
                '.' | '/' | '-' | ':' => {
                    first.is_ascii_digit() && next.is_some_and(|next| next.is_ascii_digit())
                }
                c => c.is_alphanumeric(),
            };
            if !inside {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        Some(Word { folded: folded(&text[start..end]), start, end })
    })
}

/// A word in lower case, without accents and `'s`.
fn folded(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return word.strip_suffix("'s").unwrap_or(word).into();
    }
    let mut lower = fold(&word.to_lowercase());
    if lower.ends_with("'s") {
        lower.truncate(lower.len() - "'s".len());
    }
    lower.into()
}

/// A word in lower case without its accents, because people often leave accents out.
pub fn fold(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' | 'ą' | 'ă' => folded.push('a'),
            'é' | 'è' | 'ê' | 'ë' | 'ę' | 'ě' => folded.push('e'),
            'í' | 'ì' | 'î' | 'ï' => folded.push('i'),
            'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'ø' | 'ő' => folded.push('o'),
            'ú' | 'ù' | 'û' | 'ü' | 'ů' | 'ű' => folded.push('u'),
            'ñ' | 'ń' | 'ň' => folded.push('n'),
            'ç' | 'ć' | 'č' => folded.push('c'),
            'ł' => folded.push('l'),
            'ř' => folded.push('r'),
            'ś' | 'š' | 'ş' | 'ș' => folded.push('s'),
            'ź' | 'ż' | 'ž' => folded.push('z'),
            'ý' => folded.push('y'),
            'ğ' => folded.push('g'),
            'ß' => folded.push_str("ss"),
            'œ' => folded.push_str("oe"),
            '’' => folded.push('\''),
            c => folded.push(c),
        }
    }
    folded
}
