//! Cuts a text into what the model reads: hashed words for its topic, chunks for the members that it names.
//!
//! Words are compared by the hash of their first letters, so that "mount" and "mounting" mostly match in any language
//! with suffixes. Only the list of closing words depends on languages.

use std::sync::LazyLock;

use crate::features::log1;

/// The most chunks that are read of a text: a pasted file names nobody.
const CHUNKS: usize = 96;
/// The most words that are kept of a text.
const WORDS: usize = 40;
/// How many letters of a word are hashed.
const STEM: usize = 6;

/// Words that close an exchange in group chats. A short message that contains one seldom wants an answer.
const CLOSING: &[&str] = &[
    "thanks",
    "thank",
    "thx",
    "tnx",
    "ty",
    "cheers",
    "ok",
    "okay",
    "kk",
    "np",
    "cool",
    "great",
    "nice",
    "bye",
    "lol",
    "haha",
    "hehe",
    "welcome",
    "danke",
    "tschüss",
    "merci",
    "gracias",
    "vale",
    "obrigado",
    "grazie",
    "bedankt",
    "tack",
    "takk",
    "kiitos",
    "dzięki",
    "спасибо",
    "ありがとう",
    "谢谢",
];
/// A message of more words is more than a courtesy.
const CLOSING_WORDS: u32 = 5;

/// The hash of a word or name in lower case (FNV-1a over its letters).
pub(crate) fn hash(word: &str) -> u32 {
    fold(word.chars())
}

fn fold(letters: impl Iterator<Item = char>) -> u32 {
    letters
        .flat_map(char::to_lowercase)
        .fold(0x811c_9dc5_u32, |h, c| (h ^ c as u32).wrapping_mul(0x0100_0193))
}

/// A part of a text without white space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<'a> {
    /// Without `@`, quotes and punctuation at its ends.
    pub(crate) bare: &'a str,
    /// Without everything at its ends that is neither letter nor digit.
    pub(crate) core: &'a str,
    /// Whether `@` is before it.
    pub(crate) at: bool,
    /// Whether a colon, a comma, a semicolon, `>` or a dash is after it.
    pub(crate) mark: bool,
    /// Whether a colon is after it.
    pub(crate) colon: bool,
    /// Whether the end of a sentence is after it.
    pub(crate) ends: bool,
}

/// The chunks of a text, at most [`CHUNKS`].
pub(crate) fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    text.split_whitespace().take(CHUNKS).map(|raw| {
        let left = raw.trim_start_matches(['<', '(', '"', '\'', '*', '¡', '¿']);
        let at = left.starts_with('@');
        let inner = left.trim_start_matches('@');
        let bare = inner.trim_end_matches([':', ',', ';', '.', '!', '?', '>', ')', '"', '\'', '*', '…', '-']);
        let mark =
            inner[bare.len()..].starts_with([':', ',', ';', '>']) || inner[bare.len()..].starts_with("-");
        let colon = inner[bare.len()..].starts_with(':');
        let ends = inner[bare.len()..].starts_with(['?', '!', '.', '…']);
        Chunk { bare, core: bare.trim_matches(|c: char| !c.is_alphanumeric()), at, mark, colon, ends }
    })
}

/// The features of a text apart from the names in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Words {
    /// Hashes of the words, sorted, each once.
    pub(crate) hashes: Vec<u32>,
    /// The number of words, repeated ones included.
    pub(crate) count: u32,
    /// The same as a logarithm. It is stored, because every new message reads it for every message of the window.
    pub(crate) length: f32,
    /// Whether it contains a question mark.
    pub(crate) question: bool,
    /// The first character if it is neither letter nor digit, else 0. Commands to bots begin with such a sign.
    pub(crate) sigil: u32,
    /// Whether it is short and closes an exchange: "ok thanks".
    pub(crate) closes: bool,
    /// Its end: -1 if more seems to follow (`,` `…`), 1 at the end of a sentence, else 0.
    pub(crate) ending: f32,
}

impl Words {
    pub(crate) fn of(text: &str) -> Self {
        let mut hashes = Vec::with_capacity(24);
        let mut count = 0;
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
        for word in words.take(4 * WORDS) {
            count += 1;
            if hashes.len() < WORDS {
                hashes.push(fold(word.chars().take(STEM)));
            }
        }
        let closes = count <= CLOSING_WORDS && hashes.iter().any(|h| closing().contains(h));
        hashes.sort_unstable();
        hashes.dedup();
        hashes.shrink_to_fit();
        let first = text.chars().next().filter(|c| !c.is_alphanumeric() && !"@<(\"'*[:".contains(*c));
        let ending = match text.trim_end() {
            t if t.ends_with("...") || t.ends_with(['…', ',', ':', '-', ';']) => -1.0,
            t if t.ends_with(['.', '!', '?', '。', '？', '！', ')']) => 1.0,
            _ => 0.0,
        };
        let question = text.contains(['?', '？', '؟']);
        let length = log1(count as f32);
        Self { hashes, count, length, question, sigil: first.map_or(0, u32::from), closes, ending }
    }
}

fn closing() -> &'static [u32] {
    static HASHES: LazyLock<Vec<u32>> =
        LazyLock::new(|| CLOSING.iter().map(|word| fold(word.chars().take(STEM))).collect());
    &HASHES
}

/// Whether two words differ by one letter that was changed, added, left out, or swapped with its neighbour.
pub(crate) fn is_misspelt(a: &[char], b: &[char]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() - short.len() > 1 || short.len() < 4 {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let (s, l) = (&short[same..], &long[same..]);
    if short.len() < long.len() {
        return s == &l[1..];
    }
    match (s, l) {
        ([], []) => false,
        ([_, s @ ..], [_, l @ ..]) if s == l => true,
        ([a, b, s @ ..], [c, d, l @ ..]) => a == d && b == c && s == l,
        _ => false,
    }
}

/// Whether a word is a name of five letters or more with two neighbouring letters swapped, or one letter written twice or
/// only once. Other slips often make another name.
pub(crate) fn is_typo(word: &[char], name: &[char]) -> bool {
    if name.len() < 5 || word.first() != name.first() {
        return false;
    }
    let same = word.iter().zip(name).take_while(|(x, y)| x == y).count();
    match (&word[same..], &name[same..]) {
        ([a, b, w @ ..], [c, d, n @ ..]) if a == d && b == c && w == n => true,
        ([twice, w @ ..], n) if w == n => *twice == word[same - 1],
        (w, [twice, n @ ..]) if w == n => *twice == name[same - 1],
        _ => false,
    }
}
