//! When a text quotes others (GR10). Pure, so that every store finds the same quotations.
//!
//! A run of words is a quotation if it is long, or if it contains a word that no other text uses. A number that no
//! other text uses is a quotation alone, like the code that answers a question, and so is a name: a word that the text
//! writes with a capital within a sentence. A store examines a limited number of texts: the result helps a person to
//! decide, and is no proof.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    mem, slice,
};

/// The number of texts to forget that a store examines, of each kind: the newest.
pub const FORGOTTEN: usize = 2_000;
/// The number of other texts that a store examines.
pub const OTHERS: usize = 20_000;
/// The greatest number of quotations that are shown.
pub const SHOWN: usize = 200;
/// The number of characters of a text that are examined.
const CHARS: usize = 50_000;
/// The number of words of the shortest run that is searched.
const SHORT: usize = 3;
/// A run of this many words is a quotation even if all its words are common.
const LONG: usize = 6;
/// The number of letters from which on a word counts as distinctive.
const TELLING: usize = 4;
/// The number of digits from which on a number alone is a quotation.
const DIGITS: usize = 3;

/// Letters and digits of a word with a digit that is a quotation alone.
const CODE: usize = 6;
/// Letters of a word that may be a name.
const NAME: usize = 3;

/// The runs of words of some texts; a number and a name are also runs.
#[derive(Debug)]
pub struct Runs(HashSet<u64>);

impl Runs {
    /// The runs of these texts.
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut runs = HashSet::new();
        for text in texts {
            let words = words(text);
            runs.extend(words.windows(SHORT).map(|run| hash(&run)));
            let numbers = words.iter().filter(|word| is_number(word)).map(String::clone);
            runs.extend(numbers.chain(names(text)).map(|word| hash(&slice::from_ref(&word))));
        }
        Self(runs)
    }

    /// Whether the texts contain no run.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The longest run that `text` shares with these, if it is a quotation: a long run, or one with a word that is
    /// not common.
    pub fn quoted(&self, text: &str, common: &Common) -> Option<String> {
        let words = words(text);
        let shared: Vec<bool> = words.windows(SHORT).map(|run| self.0.contains(&hash(&run))).collect();
        let mut longest: Option<&[String]> = None;
        let mut from = 0;
        while let Some(begin) = shared.iter().skip(from).position(|shared| *shared).map(|at| from + at) {
            let end =
                shared.iter().skip(begin).position(|shared| !shared).map_or(shared.len(), |at| begin + at);
            let run = words.get(begin..end - 1 + SHORT).unwrap_or_default();
            let rare = |word: &String| tells(word) && !common.holds(word);
            let quotes = run.len() >= LONG || run.iter().any(rare);
            if quotes && longest.is_none_or(|longest| longest.len() < run.len()) {
                longest = Some(run);
            }
            from = end;
        }
        longest.map(|run| run.join(" ")).or_else(|| {
            let numbers = words.iter().filter(|word| is_number(word)).map(String::clone);
            let mut alone = numbers.chain(capitalized(text).map(|(_, word)| word.to_lowercase()));
            alone.find(|word| self.0.contains(&hash(&slice::from_ref(word))) && !common.holds(word))
        })
    }
}

/// The words of other texts: a run of these alone is no quotation, unless it is long.
#[derive(Debug, Default)]
pub struct Common(HashSet<u64>);

impl Common {
    /// The words of these texts.
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        Self(texts.flat_map(words).map(|word| hash(&word)).collect())
    }

    fn holds(&self, word: &String) -> bool {
        self.0.contains(&hash(word))
    }
}

/// Whether a word can be distinctive: a number, or a word of several letters.
fn tells(word: &str) -> bool {
    word.chars().any(|c| c.is_numeric() || is_a_word(c)) || word.chars().count() >= TELLING
}

/// Whether a word is a number, or a code of letters and digits, as `kaleidoscope99`.
fn is_number(word: &str) -> bool {
    let digits = word.chars().filter(|c| c.is_numeric()).count();
    digits >= DIGITS || digits > 0 && word.chars().count() >= CODE
}

/// The words with a capital and small letters, and whether each begins a sentence.
fn capitalized(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let examined = text.char_indices().nth(CHARS).map_or(text, |(end, _)| &text[..end]);
    examined.lines().flat_map(|line| {
        let mut begins = true;
        line.split_whitespace().flat_map(move |word| {
            let first = mem::replace(&mut begins, word.ends_with(['.', '!', '?', ':', '…']));
            word.split(|c: char| !c.is_alphanumeric())
                .filter(|part| is_capitalized(part))
                .map(move |part| (first, part))
        })
    })
}

fn is_capitalized(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.clone().count() + 1 >= NAME
        && letters.any(char::is_lowercase)
}

/// The words of a text, in lower case, that may be names. The first word of a sentence has a capital in any case.
fn names(text: &str) -> impl Iterator<Item = String> {
    capitalized(text).filter(|(begins, _)| !begins).map(|(_, word)| word.to_lowercase())
}

/// The words of a text in lower case. In a script without spaces each letter is a word.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars().take(CHARS) {
        match words.last_mut() {
            Some(word) if c.is_alphanumeric() && !is_a_word(c) => word.extend(c.to_lowercase()),
            _ if is_a_word(c) => words.extend([c.to_string(), String::new()]),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Chinese and Japanese letters, rare ones included: a quotation in any Chinese text is found by letters, whereas
/// greenroom-lang only tells Japanese from four other languages.
fn is_a_word(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(forgotten: &[&str], text: &str, others: &[&str]) -> Option<String> {
        Runs::of(forgotten.iter().copied()).quoted(text, &Common::of(others.iter().copied()))
    }

    #[test]
    fn gr10_a_run_with_a_word_of_their_own_is_a_quotation_and_common_words_are_none() {
        let bo =
            ["Please remember: my boat is called Petrel.", "what do you think of that?", "code 4711 works"];
        let kit = ["what do you think of this?", "my boat is called something"];
        let said = |text: &str| quoted(&bo, text, &kit);
        assert_eq!(said("Bo said it is called Petrel!").as_deref(), Some("is called petrel"));
        assert_eq!(said("Try: CODE 4711 works.").as_deref(), Some("code 4711 works"));
        assert_eq!(said("What do you think?"), None, "others say that, too");
        assert_eq!(said("A petrel is a bird."), None, "a word is no run");
        assert_eq!(said("Petrel, then!").as_deref(), Some("petrel"), "a name is");
        assert_eq!(said("Please, Ada."), None, "the first word of a sentence tells of no name");
        assert_eq!(quoted(&bo, "The Petrel.", &["a petrel is a bird"]), None, "others use the word");
        assert_eq!(said("It's 4711.").as_deref(), Some("4711"), "a number is");
        assert_eq!(quoted(&["it is swordfish7"], "swordfish7!", &[]).as_deref(), Some("swordfish7"));
        assert_eq!(quoted(&bo, "4711.", &["I know 4711"]), None, "others say that, too");
        assert_eq!(said("So my boat is called something").as_deref(), None);
        assert_eq!(
            said("You asked: what do you think of that").as_deref(),
            Some("what do you think of that"),
            "a long run is one whatever its words are"
        );
    }

    #[test]
    fn letters_of_scripts_without_spaces_are_words() {
        assert_eq!(quoted(&["私の船は海燕です"], "船は海燕だ", &[]).as_deref(), Some("船 は 海 燕"));
        assert_eq!(words("Don't, ÉCOLE 3"), ["don", "t", "école", "3"]);
    }
}
