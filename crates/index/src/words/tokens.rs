//! Splits a text into words: runs of letters and digits, with apostrophes inside. Chinese and Japanese have no spaces
//! between words, so there every two neighbouring characters are a word (MP4). An emoji that names a thing is a word.

use std::ops::Range;

use greenroom_lang::emoji_words;

/// A text with the positions of its words.
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// The text in lower case if it is ASCII; otherwise only its words, one after the other.
    lower: String,
    words: Vec<Token>,
}

/// The range of a word: in the text, and in `lower`.
struct Token {
    place: Range<usize>,
    lower: Range<usize>,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        if text.is_ascii() { Self::of_ascii(text) } else { Self::of_any(text) }
    }

    fn of_ascii(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let is_part = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        let mut words = Vec::with_capacity(text.len() / 5 + 1);
        let mut at = 0;
        while at < bytes.len() {
            if !is_part(at) {
                at += 1;
                continue;
            }
            let start = at;
            while is_part(at) || (bytes.get(at) == Some(&b'\'') && is_part(at + 1)) {
                at += 1;
            }
            words.push(Token { place: start..at, lower: start..at });
        }
        Self { text, lower: text.to_ascii_lowercase(), words }
    }

    fn of_any(text: &'a str) -> Self {
        let (mut lower, mut words) =
            (String::with_capacity(text.len()), Vec::with_capacity(text.len() / 5 + 1));
        let mut letters = text.char_indices().peekable();
        while let Some((start, first)) =
            letters.find(|(_, letter)| letter.is_alphanumeric() || is_emoji(*letter))
        {
            if is_emoji(first) {
                words.push(pair(&mut lower, [first], start));
                continue;
            }
            if is_unspaced(first) {
                let mut last = (start, first);
                let mut alone = true;
                while let Some((at, letter)) = letters.next_if(|(_, letter)| is_unspaced(*letter)) {
                    words.push(pair(&mut lower, [last.1, letter], last.0));
                    (last, alone) = ((at, letter), false);
                }
                if alone {
                    words.push(pair(&mut lower, [first], start));
                }
                continue;
            }
            let begin = lower.len();
            push(&mut lower, first);
            let mut end = start + first.len_utf8();
            let continues =
                |letter: char| (letter.is_alphanumeric() && !is_unspaced(letter)) || is_apostrophe(letter);
            while let Some((at, letter)) = letters.next_if(|(_, letter)| continues(*letter)) {
                if is_apostrophe(letter) && !letters.peek().is_some_and(|(_, next)| next.is_alphanumeric()) {
                    break;
                }
                push(&mut lower, letter);
                end = at + letter.len_utf8();
            }
            words.push(Token { place: start..end, lower: begin..lower.len() });
        }
        Self { text, lower, words }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// A word: its range in the text, and the word in lower case.
    pub(super) fn word(&self, at: usize) -> Option<(&Range<usize>, &str)> {
        let Token { place, lower } = self.words.get(at)?;
        Some((place, &self.lower[lower.clone()]))
    }

    /// All words.
    pub(super) fn words(&self) -> impl ExactSizeIterator<Item = (&Range<usize>, &str)> + Clone {
        self.words.iter().map(|Token { place, lower }| (place, &self.lower[lower.clone()]))
    }

    /// Each word in lower case.
    pub(super) fn lower(&self) -> impl Iterator<Item = &str> + Clone {
        self.words().map(|(_, lower)| lower)
    }
}

/// Appends a letter in lower case. The typographic apostrophe becomes the plain one.
fn push(lower: &mut String, letter: char) {
    match letter {
        '\u{2019}' => lower.push('\''),
        letter if letter.is_ascii() => lower.push(letter.to_ascii_lowercase()),
        letter => lower.extend(letter.to_lowercase()),
    }
}

/// Makes a word of neighbouring characters.
fn pair<const N: usize>(lower: &mut String, letters: [char; N], start: usize) -> Token {
    let begin = lower.len();
    letters.iter().for_each(|letter| push(lower, *letter));
    let length: usize = letters.iter().map(|letter| letter.len_utf8()).sum();
    Token { place: start..start + length, lower: begin..lower.len() }
}

/// Whether a letter belongs to a script without spaces between words: kana and Chinese characters.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
        && letter.is_alphanumeric()
}

/// Whether a character is an emoji that names a thing.
fn is_emoji(letter: char) -> bool {
    !emoji_words(letter).is_empty()
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '\u{2019}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_apostrophe_belongs_to_a_word_between_two_letters() {
        let words = |text: &str| Tokens::of(text).lower().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            words("O\u{2019}Brien's 'quoted' dogs' \u{c9}t\u{e9} 7th"),
            ["o'brien's", "quoted", "dogs", "\u{e9}t\u{e9}", "7th"]
        );
    }

    #[test]
    fn mp4_a_text_without_spaces_is_cut_into_pairs() {
        let words = |text: &str| Tokens::of(text).lower().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words("妹は京都"), ["妹は", "は京", "京都"]);
        assert_eq!(words("猫。USBを2本"), ["猫", "usb", "を", "2", "本"]);
        assert_eq!(words("カレーが"), ["カレ", "レー", "ーが"]);
    }

    #[test]
    fn mp5_an_emoji_that_names_a_thing_is_a_word() {
        let words = |text: &str| Tokens::of(text).lower().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words("my🎸snapped 😂 ❤️ ✈️"), ["my", "🎸", "snapped", "✈"]);
    }

    proptest! {
        #[test]
        fn a_text_of_ascii_is_read_as_any(text in "[ -~\n]{0,60}|('?[a-zA-Z0-9]{1,2}[' ]?){0,20}") {
            let (ascii, any) = (Tokens::of_ascii(&text), Tokens::of_any(&text));
            prop_assert_eq!(ascii.words().collect::<Vec<_>>(), any.words().collect::<Vec<_>>());
        }

        #[test]
        fn a_word_is_what_stands_at_its_place(text in "(\\PC|[ '\u{2019}]){0,60}") {
            let tokens = Tokens::of(&text);
            let lower: Vec<_> = tokens.lower().collect();
            prop_assert_eq!(lower.len(), tokens.len());
            for (at, (place, _)) in tokens.words().enumerate() {
                let mut written = String::new();
                text[place.clone()].chars().for_each(|letter| push(&mut written, letter));
                prop_assert_eq!(tokens.word(at), Some((place, written.as_str())));
                prop_assert_eq!(&written, lower[at]);
            }
        }
    }
}
