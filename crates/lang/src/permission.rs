//! Whether a person lets others know what they told in private, or no longer (MP1): "you may tell the others", "keep that
//! secret". What is opened cannot be closed in the heads of those who heard it, so what could mean anything else opens
//! nothing.

mod words;

#[cfg(test)]
mod tests;

use crate::text::{Word, is_listed, split};
use words::{
    AND, BESIDE, BESIDE_UNSPACED, EVERYONE, KEEP, KEEP_UNSPACED, MAY_KNOW, MAY_KNOW_UNSPACED, MAY_NOT,
};
use words::{MAY_NOT_WORDS, PARTICLES, REPORTS, THAT, TO_ALL_UNSPACED};

/// What a person says of who may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// Others may know what the person told before. The text says nothing else.
    ToldBefore,
    /// Others may know what the text itself tells.
    ToldHere,
    /// Others may know this, the last part of the text: "you may tell everyone that …".
    That(String),
    /// Others may know something, and it is not certain what, or whose words these are.
    Unclear,
    /// Nobody may know any more what the person opened last.
    Withdrawn,
}

/// What a person says in a text of who may know, in English, German, French, Spanish or Japanese.
///
/// ```
/// use greenroom_lang::{Permission, permission};
///
/// assert_eq!(permission("You may tell the others."), Some(Permission::ToldBefore));
/// assert_eq!(permission("I'm allergic to nuts, and it's no secret"), Some(Permission::ToldHere));
/// let that = Some(Permission::That("the party is on Friday".into()));
/// assert_eq!(permission("You may tell the others that the party is on Friday"), that);
/// assert_eq!(permission("The doctor said you may tell the others."), Some(Permission::Unclear));
/// assert_eq!(permission("Please keep that secret."), Some(Permission::Withdrawn));
/// assert_eq!(permission("You can tell me."), None);
/// ```
pub fn permission(text: &str) -> Option<Permission> {
    let sentences: Vec<&str> = text.split(['.', '!', ';', '\n', '。', '！']).collect();
    let low = text.to_lowercase().replace('\u{2019}', "'");
    if sentences.iter().any(|sentence| withdraws(sentence)) && !is_reported(&low) {
        return Some(Permission::Withdrawn);
    }
    let (at, said) = sentences.iter().enumerate().find_map(|(at, it)| Some((at, Said::in_sentence(it)?)))?;
    let is_asked = low.contains(['?', '？']);
    let is_certain =
        !MAY_NOT.iter().any(|it| low.contains(it)) && !is_reported(&low) && !has_word_of(MAY_NOT_WORDS, &low);
    let opens = is_certain.then(|| said.opens(&sentences[..at], &sentences[at + 1..])).flatten();
    opens.or((!is_asked).then_some(Permission::Unclear))
}

/// A permission in a sentence, and what stands around it.
struct Said<'a> {
    before: &'a str,
    after: &'a str,
}

impl<'a> Said<'a> {
    fn in_sentence(sentence: &'a str) -> Option<Self> {
        if let Some((start, end)) = unspaced(sentence) {
            return Some(Self { before: &sentence[..start], after: &sentence[end..] });
        }
        let words = split(sentence);
        let (first, length) =
            (0..words.len()).find_map(|at| Some((at, length_of(&MAY_KNOW, &words[at..])?)))?;
        let (start, end) = (words[first].start, words[first + length - 1].end);
        Some(Self { before: &sentence[..start], after: &sentence[end..] })
    }

    /// What it opens, in a text with these sentences before and after it.
    fn opens(&self, earlier: &[&str], later: &[&str]) -> Option<Permission> {
        let says_nothing_first = earlier.iter().all(|it| is_beside(it)) && is_beside(self.before);
        if is_beside(self.after) {
            return match says_nothing_first && later.iter().all(|it| is_beside(it)) {
                true => Some(Permission::ToldBefore),
                false => begins_clause(self.before).then_some(Permission::ToldHere),
            };
        }
        // "that …" is what may be told: nothing else is, and nothing that stands before it
        let words = split(self.after);
        let that = words.iter().find(|word| !is_listed(BESIDE, &word.folded));
        let that = that.filter(|word| says_nothing_first && is_listed(THAT, &word.folded))?;
        Some(Permission::That(self.after[that.end..].trim().to_owned()))
    }
}

/// Whether a sentence asks that nobody knows.
fn withdraws(sentence: &str) -> bool {
    if KEEP_UNSPACED.iter().any(|phrase| sentence.contains(phrase)) {
        return true;
    }
    let words = split(sentence);
    (0..words.len()).any(|at| {
        let next = |length: usize| words.get(at + length).map_or("", |word| &*word.folded);
        length_of(&KEEP, &words[at..]).is_some_and(|length| !matches!(next(length), "me" | "us"))
    })
}

/// Whether a text tells what another said.
fn is_reported(low: &str) -> bool {
    has_word_of(REPORTS, low)
}

/// Words are compared with their accents here: Spanish "sí" and "si" differ.
fn has_word_of(list: &str, low: &str) -> bool {
    low.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| is_listed(list, word))
}

/// How many words a phrase has that these words begin with; see [`MAY_KNOW`] for its form. The longest one counts.
fn length_of(phrases: &[&str], words: &[Word<'_>]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| length_of_phrase(phrase, words)).max()
}

fn length_of_phrase(phrase: &str, words: &[Word<'_>]) -> Option<usize> {
    let (mut at, mut skips) = (0, false);
    for step in phrase.split(' ') {
        if step == "_" {
            skips = true;
            continue;
        }
        let fits = |word: &Word<'_>| match step {
            "ALL" => is_listed(EVERYONE, &word.folded),
            words => words.split('/').any(|listed| listed == word.folded),
        };
        while skips && !fits(words.get(at)?) && says_nothing(&words[at].folded) {
            at += 1;
        }
        fits(words.get(at)?).then_some(())?;
        (at, skips) = (at + 1, false);
    }
    Some(at)
}

/// Where a permission stands in a text without spaces.
fn unspaced(text: &str) -> Option<(usize, usize)> {
    let found = MAY_KNOW_UNSPACED.iter().find_map(|(phrase, needs_all)| {
        let start = text.find(phrase)?;
        Some((start, start + phrase.len(), *needs_all))
    });
    let (start, end, needs_all) = found?;
    (!needs_all || TO_ALL_UNSPACED.iter().any(|all| text.contains(all))).then_some((start, end))
}

/// Whether a part of a text only says to whom, lets others know, or says nothing.
fn is_beside(part: &str) -> bool {
    let mut rest = part.to_owned();
    while let Some((start, end)) = unspaced(&rest) {
        rest.replace_range(start..end, " ");
    }
    BESIDE_UNSPACED.iter().for_each(|known| rest = rest.replace(known, " "));
    let words = split(&rest);
    let mut at = 0;
    while at < words.len() {
        at += match length_of(&MAY_KNOW, &words[at..]) {
            Some(length) => length,
            None if says_nothing(&words[at].folded) => 1,
            None => return false,
        };
    }
    true
}

/// Whether a word changes nothing of what a permission means.
fn says_nothing(word: &str) -> bool {
    is_listed(BESIDE, word) || is_listed(THAT, word) || word.chars().all(|letter| PARTICLES.contains(letter))
}

/// Whether what follows these words begins a clause: they end with a comma, or with a word that joins sentences.
fn begins_clause(before: &str) -> bool {
    let last = before.rsplit([',', ':', '、', '–', '—', '(', ')']).next().unwrap_or_default();
    let open = split(last);
    let said = open.iter().rposition(|word| !is_beside(&word.folded)).map_or(0, |at| at + 1);
    said == 0 || open[said..].iter().any(|word| is_listed(AND, &word.folded))
}
