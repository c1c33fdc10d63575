//! Whether a person lets others know what they told in private, or no longer (MP1): "you may tell the others", "keep that
//! secret". What is opened cannot be closed in the heads of those who heard it, so what could mean anything else opens
//! nothing.

mod words;

#[cfg(test)]
mod tests;

use crate::text::{Word, is_listed, split};
use words::{
    AND, ASKED_UNSPACED, ASKING, BESIDE, BESIDE_UNSPACED, EVERYONE, KEEP, KEEP_ALONE, KEEP_UNSPACED,
    MAY_KNOW, MAY_KNOW_UNSPACED, MAY_NOT, MAY_NOT_WORDS, OPENINGS, PARTICLES, REPORTS, STATED_UNSPACED, THAT,
    TO_ALL_UNSPACED,
};

/// What a person says of who may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// Others may know what the person told before. The text says nothing else.
    ToldBefore,
    /// Others may know what the text itself tells: all of it but the permission.
    ToldHere(String),
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
/// let here = Some(Permission::ToldHere("I'm allergic to nuts".into()));
/// assert_eq!(permission("I'm allergic to nuts, and it's no secret"), here);
/// let that = Some(Permission::That("the party is on Friday".into()));
/// assert_eq!(permission("You may tell the others that the party is on Friday"), that);
/// assert_eq!(permission("The doctor said you may tell the others."), Some(Permission::Unclear));
/// assert_eq!(permission("Please keep that secret."), Some(Permission::Withdrawn));
/// assert_eq!(permission("You can tell me."), None);
/// ```
pub fn permission(text: &str) -> Option<Permission> {
    let sentences: Vec<&str> = text.split(['.', '!', ';', '\n', '。', '！']).collect();
    let low = text.to_lowercase().replace('\u{2019}', "'");
    // "forget that I said …" tells nobody's words but the author's
    if withdraws(&sentences) && !has_word_of(REPORTS, &low.replace("i said", "")) {
        return Some(Permission::Withdrawn);
    }
    let (at, said) = sentences.iter().enumerate().find_map(|(at, it)| Some((at, Said::in_sentence(it)?)))?;
    let depends = MAY_NOT.iter().any(|it| low.contains(it))
        || begins_a_quote(&low)
        || has_word_of(REPORTS, &low)
        || has_word_of(MAY_NOT_WORDS, &low);
    let is_certain = !depends && !said.may_ask;
    let opens = is_certain.then(|| said.opens(&sentences[..at], &sentences[at + 1..])).flatten();
    opens.or((!low.contains(['?', '？'])).then_some(Permission::Unclear))
}

/// A permission in a sentence, and what stands around it.
struct Said<'a> {
    before: &'a str,
    after: &'a str,
    /// It may be a question whose mark is left out.
    may_ask: bool,
}

impl<'a> Said<'a> {
    fn in_sentence(sentence: &'a str) -> Option<Self> {
        if let Some((start, end, needs_all)) = unspaced(sentence) {
            let after = &sentence[end..];
            let is_stated = STATED_UNSPACED.iter().any(|it| after.starts_with(it));
            let may_ask = needs_all && !is_stated || ASKED_UNSPACED.iter().any(|it| after.starts_with(it));
            return Some(Self { before: &sentence[..start], after, may_ask });
        }
        let words = split(sentence);
        let (first, length) =
            (0..words.len()).find_map(|at| Some((at, length_of(MAY_KNOW, &words[at..])?)))?;
        let (start, end) = (words[first].start, words[first + length - 1].end);
        let clause = last_clause(&sentence[..start]);
        let begins = words.iter().filter(|word| word.start >= clause).map(|word| &*word.folded);
        let may_ask =
            begins.clone().find(|word| !is_listed(OPENINGS, word)).is_some_and(|it| is_listed(ASKING, it));
        Some(Self { before: &sentence[..start], after: &sentence[end..], may_ask })
    }

    /// What it opens, in a text with these sentences before and after it.
    fn opens(&self, earlier: &[&str], later: &[&str]) -> Option<Permission> {
        let says_nothing_first = earlier.iter().all(|it| is_beside(it)) && is_beside(self.before);
        if is_beside(self.after) {
            if says_nothing_first && later.iter().all(|it| is_beside(it)) {
                return Some(Permission::ToldBefore);
            }
            let before =
                self.before[..clause_start(self.before)?].trim_end_matches([' ', ',', '-', '–', '—', '(']);
            let told = earlier.iter().copied().chain([before]).chain(later.iter().copied());
            let told: Vec<&str> = told.map(str::trim).filter(|part| !part.is_empty()).collect();
            return Some(Permission::ToldHere(told.join(". ")));
        }
        // "that …" is what may be told: nothing else is, and nothing that stands before it
        if !says_nothing_first {
            return None;
        }
        let told = match self.after.trim_start().strip_prefix(':') {
            Some(told) => told,
            None => {
                let words = split(self.after);
                let that = words.iter().find(|word| !is_listed(BESIDE, &word.folded))?;
                self.after[that.end..].get(..).filter(|_| is_listed(THAT, &that.folded))?
            }
        };
        Some(Permission::That(told.trim().to_owned()))
    }
}

/// Whether a text asks that nobody knows.
fn withdraws(sentences: &[&str]) -> bool {
    let says_nothing_else = |at: usize, before: &str, after: &str| {
        let others = sentences.iter().enumerate().filter(|(other, _)| *other != at);
        is_beside(before) && is_beside(after) && others.into_iter().all(|(_, other)| is_beside(other))
    };
    sentences.iter().enumerate().any(|(at, sentence)| {
        if KEEP_UNSPACED.iter().any(|phrase| sentence.contains(phrase)) {
            return true;
        }
        let words = split(sentence);
        (0..words.len()).any(|first| {
            let is_denied = first > 1 && words[first - 1].folded == "to" && words[first - 2].folded == "need";
            let is_of = |length: usize| {
                let next = words.get(first + length).map_or("", |word| &*word.folded);
                !is_denied && !matches!(next, "me" | "us")
            };
            let is_alone = |length: usize| {
                let (start, end) = (words[first].start, words[first + length - 1].end);
                says_nothing_else(at, &sentence[..start], &sentence[end..])
            };
            length_of(KEEP, &words[first..]).is_some_and(is_of)
                || length_of(KEEP_ALONE, &words[first..]).is_some_and(is_alone)
        })
    })
}

/// Words are compared with their accents here: Spanish "sí" and "si" differ.
fn has_word_of(list: &str, low: &str) -> bool {
    low.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| is_listed(list, word))
}

/// Whether an apostrophe stands before a word, and not in one.
fn begins_a_quote(low: &str) -> bool {
    let chars: Vec<char> = format!(" {low}").chars().collect();
    chars.windows(3).any(|w| !w[0].is_alphanumeric() && matches!(w[1], '\'' | '‘') && w[2].is_alphanumeric())
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

/// Where a permission stands in a text without spaces, and whether it must say who may know.
fn unspaced(text: &str) -> Option<(usize, usize, bool)> {
    MAY_KNOW_UNSPACED.iter().find_map(|(phrase, needs_all)| {
        let start = text.find(phrase)?;
        let says_who = !needs_all || TO_ALL_UNSPACED.iter().any(|all| text.contains(all));
        says_who.then_some((start, start + phrase.len(), *needs_all))
    })
}

/// Whether a part of a text only says to whom, lets others know, or says nothing.
fn is_beside(part: &str) -> bool {
    let mut rest = part.to_owned();
    while let Some((start, end, _)) = unspaced(&rest) {
        rest.replace_range(start..end, " ");
    }
    BESIDE_UNSPACED.iter().for_each(|known| rest = rest.replace(known, " "));
    let words = split(&rest);
    let mut at = 0;
    while at < words.len() {
        at += match length_of(MAY_KNOW, &words[at..]) {
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

/// Where the last clause of a text begins.
fn last_clause(text: &str) -> usize {
    let after = |mark: &str| text.rfind(mark).map(|at| at + mark.len());
    [",", ":", "、", "–", "—", "(", ")", " - "].into_iter().filter_map(after).max().unwrap_or(0)
}

/// Where the clause begins that follows these words, if one does: they end with a comma, or with a word that joins
/// sentences.
fn clause_start(before: &str) -> Option<usize> {
    let last = last_clause(before);
    let open = split(&before[last..]);
    let said = open.iter().rposition(|word| !is_beside(&word.folded)).map_or(0, |at| at + 1);
    if said == 0 {
        return Some(last);
    }
    open[said..].iter().any(|word| is_listed(AND, &word.folded)).then(|| last + open[said - 1].end)
}
