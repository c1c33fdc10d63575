//! The words of emoji that name a thing, an animal, a place or an activity. Faces and gestures are reactions and have
//! none.

use std::{collections::HashMap, sync::OnceLock};

/// One emoji per line, then its words, most usual first. The words follow the short names of the Unicode CLDR.
static TABLE: &str = include_str!("emoji.txt");

/// The English words of an emoji; none for any other character.
///
/// ```
/// use greenroom_lang::emoji_words;
///
/// assert_eq!(emoji_words('🐶'), ["dog", "puppy"]);
/// assert!(emoji_words('😂').is_empty() && emoji_words('a').is_empty());
/// ```
pub fn emoji_words(emoji: char) -> &'static [&'static str] {
    static WORDS: OnceLock<HashMap<char, Vec<&'static str>>> = OnceLock::new();
    if emoji < '\u{2300}' {
        return &[];
    }
    let words = WORDS.get_or_init(|| {
        let line = |line: &'static str| Some((line.chars().next()?, line.split(' ').skip(1).collect()));
        TABLE.lines().filter_map(line).collect()
    });
    words.get(&emoji).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_an_emoji_with_words() {
        for line in TABLE.lines() {
            let mut parts = line.split(' ');
            let mut emoji = parts.next().unwrap().chars();
            let (first, words) = (emoji.next().unwrap(), Vec::from_iter(parts));
            assert!(emoji.next().is_none() && !first.is_alphanumeric(), "{line}");
            assert!(
                !words.is_empty() && words.iter().all(|word| word.bytes().all(|b| b.is_ascii_lowercase())),
                "{line}"
            );
            assert_eq!(emoji_words(first), words, "{line}");
        }
    }
}
