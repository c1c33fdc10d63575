//! Detection of permissions: a person lets others know what they told in private, or withdraws this (MP1): "you may
//! tell the others", "keep that secret". A permission cannot be undone for people who already learned the statement.
//! Therefore a text that could mean anything else is no permission.

mod words;

#[cfg(test)]
mod tests;

use std::{collections::HashMap, sync::LazyLock};

use crate::text::{Word, fold, is_japanese, is_listed, split};
use words::*;

/// The permission in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// Others may know what the person told before. The text contains nothing else.
    ToldBefore,
    /// Others may know what the permission's own sentence tells, or the sentence before it.
    ToldHere(Parts),
    /// Others may know the statement in the permission: "you may tell everyone that …".
    That(Parts),
    /// Others may know something, but it is uncertain what, or who gives the permission.
    Unclear,
    /// The permission is withdrawn: for the statement that the text `names`, otherwise for the last one that was
    /// opened.
    Withdrawn {
        /// Whether the text contains more than the withdrawal.
        names: bool,
    },
    /// The permission may be withdrawn: "that is confidential".
    PerhapsWithdrawn,
}

/// The parts of a text with a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The part that others may know.
    pub open: String,
    /// The other statements of the text.
    pub rest: String,
}

/// The permission in a text in English, German, French, Spanish or Japanese; `None` if there is none.
///
/// ```
/// use greenroom_lang::{Permission, permission};
///
/// assert_eq!(permission("You may tell the others."), Some(Permission::ToldBefore));
/// let Some(Permission::ToldHere(told)) = permission("I'm allergic to nuts, and it's no secret. I live in Voss.") else {
///     panic!("it opens the first sentence");
/// };
/// assert_eq!((&*told.open, &*told.rest), ("I'm allergic to nuts", "I live in Voss"));
/// let Some(Permission::That(told)) = permission("You may tell the others that the party is on Friday") else {
///     panic!("it names what it opens");
/// };
/// assert_eq!(told.open, "the party is on Friday");
/// assert_eq!(permission("The doctor said you may tell the others."), Some(Permission::Unclear));
/// assert_eq!(permission("Please keep that secret."), Some(Permission::Withdrawn { names: false }));
/// assert_eq!(permission("You can tell me."), None);
/// ```
pub fn permission(text: &str) -> Option<Permission> {
    let sentences: Vec<&str> = text.split(['.', '!', ';', '\n', '。', '！']).collect();
    let low = text.to_lowercase().replace('\u{2019}', "'");
    // "forget that I said …" reports only the author's own words
    let is_reported = has_word_of(REPORTS, &low.replace("i said", ""));
    let is_asked = low.contains(['?', '？']);
    if let Some(names) = withdraws(&sentences).filter(|_| !is_reported) {
        return Some(Permission::Withdrawn { names });
    }
    let said =
        sentences.iter().enumerate().find_map(|(at, it)| Some((at, StatedPermission::in_sentence(it)?)));
    if !is_asked && !is_reported && said.as_ref().is_none_or(|(_, said)| said.is_denied) {
        if sentences.iter().any(|sentence| denies(sentence)) {
            return Some(Permission::Withdrawn { names: true });
        }
        let folded = fold(&low);
        let is_secret = has_word_of(SECRET, &folded) || SECRET_PHRASES.iter().any(|it| folded.contains(it));
        if said.is_none() && is_secret {
            return Some(Permission::PerhapsWithdrawn);
        }
        if said.is_none() && sentences.iter().any(|sentence| allows(sentence)) {
            return Some(Permission::Unclear);
        }
    }
    let (at, said) = said?;
    let depends = MAY_NOT.iter().any(|it| low.contains(it))
        || !is_plain(&low)
        || ends_with_doubt(&low)
        || has_word_of(REPORTS, &low)
        || has_word_of(MAY_NOT_WORDS, &low);
    let is_certain = !depends && !said.may_ask && !said.is_denied;
    let is_taken_back =
        sentences[at + 1..].iter().any(|sentence| !is_leading(sentence) && may_retract(sentence));
    let is_certain = is_certain && !is_taken_back;
    let opens = is_certain.then(|| said.opens(&sentences[..at], &sentences[at + 1..])).flatten();
    opens.or((!is_asked).then_some(Permission::Unclear))
}

/// The maximum number of words, or of characters without spaces, in a text that may take back a permission.
const RETRACTION: usize = 10;
const RETRACTION_UNSPACED: usize = 25;

/// Whether a text may take back what its author has just allowed: "hm rather not", "besser doch noch nichts sagen". A
/// short text with a denial or a doubt is enough. It means that only right after a permission, where closing is the safe
/// mistake.
pub fn may_retract(text: &str) -> bool {
    if is_japanese(text) {
        return text.chars().count() <= RETRACTION_UNSPACED
            && RETRACTING_UNSPACED.iter().any(|it| text.contains(it));
    }
    let words = split(text);
    words.len() <= RETRACTION && words.iter().any(|word| is_listed(RETRACTING, &word.folded))
}

/// Whether a text asks for a permission to tell others something: "Shall I tell the others that the quiz is at seven?" A
/// "yes" may be the answer to that.
pub fn asks_to_tell(text: &str) -> bool {
    let has = |list: &[&str], sentence: &str| list.iter().any(|it| sentence.contains(it));
    text.split_inclusive(['.', '!', '?', '\n', '。', '！', '？']).filter(|it| it.ends_with(['?', '？'])).any(
        |sentence| {
            let words = split(sentence);
            let lists =
                [TELLING, EVERYONE].map(|list| words.iter().any(|word| is_listed(list, &word.folded)));
            lists == [true, true] || has(TELLING_UNSPACED, sentence) && has(TO_ALL_UNSPACED, sentence)
        },
    )
}

/// A permission in a sentence, and the text around it.
struct StatedPermission<'a> {
    before: &'a str,
    after: &'a str,
    /// Whether it may be a question without a question mark.
    may_ask: bool,
    /// Whether a denial comes before it: "you aren't allowed to …".
    is_denied: bool,
}

impl<'a> StatedPermission<'a> {
    fn in_sentence(sentence: &'a str) -> Option<Self> {
        if let Some((start, end, needs_all)) = unspaced(sentence) {
            let after = &sentence[end..];
            let is_stated = STATED_UNSPACED.iter().any(|it| after.starts_with(it));
            let may_ask = needs_all && !is_stated || ASKED_UNSPACED.iter().any(|it| after.starts_with(it));
            return Some(Self { before: &sentence[..start], after, may_ask, is_denied: false });
        }
        let words = split(sentence);
        let (first, length) =
            (0..words.len()).find_map(|at| Some((at, length_of(&MAY_KNOW_PHRASES, &words[at..])?)))?;
        let (start, end) = (words[first].start, words[first + length - 1].end);
        let clause = last_clause(&sentence[..start]);
        let begins = words.iter().filter(|word| word.start >= clause).map(|word| &*word.folded);
        let may_ask =
            begins.clone().find(|word| !is_listed(OPENINGS, word)).is_some_and(|it| is_listed(ASKING, it));
        // a single "no" only opens the sentence
        let is_denied =
            words[..first].iter().any(|word| is_listed(DENYING, &word.folded) && word.folded != "no");
        Some(Self { before: &sentence[..start], after: &sentence[end..], may_ask, is_denied })
    }

    /// The permission in a text with these sentences before and after it.
    fn opens(&self, earlier: &[&str], later: &[&str]) -> Option<Permission> {
        let told_earlier = earlier.iter().rposition(|it| !is_leading(it));
        let says_nothing_first = told_earlier.is_none() && is_leading(self.before);
        let says_nothing_later = later.iter().all(|it| is_leading(it));
        if is_beside(self.after) {
            if says_nothing_first && says_nothing_later {
                return Some(Permission::ToldBefore);
            }
            // opens only the sentence that the permission ends, else the sentence before it
            let (open, earlier) = if is_leading(self.before) {
                (earlier[told_earlier?], &earlier[..told_earlier?])
            } else {
                (&self.before[..clause_start(self.before)?], earlier)
            };
            let open = open.trim().trim_end_matches([' ', ',', '、', '-', '–', '—']).to_owned();
            return Some(Permission::ToldHere(Parts { open, rest: joined(earlier, later) }));
        }
        // after "that …" only this statement is opened, and nothing before it
        if !says_nothing_first {
            return None;
        }
        let open = match self.after.trim_start().strip_prefix(':') {
            Some(told) => told,
            None => {
                let words = split(self.after);
                let says = |word: &&Word<'_>| !says_nothing(&word.folded) || is_listed(THAT, &word.folded);
                let that = words.iter().find(says)?;
                self.after.get(that.end..).filter(|_| is_listed(THAT, &that.folded))?
            }
        };
        let words = split(open);
        let is_statement = words.len() > 2 && !is_listed(AND, &words[0].folded);
        let told = Parts { open: open.trim().to_owned(), rest: joined(&[], later) };
        is_statement.then_some(Permission::That(told))
    }
}

/// The sentences that contain a statement, joined.
fn joined(earlier: &[&str], later: &[&str]) -> String {
    let all = earlier.iter().chain(later).map(|it| it.trim()).filter(|it| !is_leading(it));
    all.collect::<Vec<_>>().join(". ")
}

/// Whether a text contains only letters, digits and plain punctuation: no brackets, quotes, music signs or emoji.
fn is_plain(low: &str) -> bool {
    let is_mark = |c: char| c.is_whitespace() || ",.!:;-–—'、。！".contains(c);
    !low.trim_start().starts_with('!')
        && low.chars().all(|c| c.is_alphanumeric() || is_mark(c))
        && !low.contains("..")
        && !low.trim().starts_with(['-', '–', '—', '.', ':', ';', ','])
        && !low.trim().ends_with(['-', '–', '—', ':', ';', ','])
        && !begins_a_quote(low)
}

/// Whether a text ends with a tag question, or repeats a word: "yeah yeah, you can tell everyone".
fn ends_with_doubt(low: &str) -> bool {
    let words = split(low);
    let is_double = words.windows(2).any(|pair| pair[0].folded == pair[1].folded);
    is_double || words.len() > 1 && words.last().is_some_and(|last| is_listed(TAGS, &last.folded))
}

/// Whether a text asks in one of the usual phrases to tell no person. The result says whether it contains anything
/// else.
fn withdraws(sentences: &[&str]) -> Option<bool> {
    sentences.iter().enumerate().find_map(|(at, sentence)| {
        let others_say = || sentences.iter().enumerate().any(|(other, it)| other != at && !is_leading(it));
        if let Some(phrase) = KEEP_UNSPACED.iter().find(|phrase| sentence.contains(**phrase)) {
            return Some(others_say() || !is_beside(&sentence.replace(phrase, " ").replace("にも", " ")));
        }
        let words = split(sentence);
        (0..words.len()).find_map(|first| {
            let is_denied = first > 1 && words[first - 1].folded == "to" && words[first - 2].folded == "need";
            let says_more = |length: usize| {
                let (start, end) = (words[first].start, words[first + length - 1].end);
                others_say() || !is_leading(&sentence[..start]) || !is_leading(&sentence[end..])
            };
            let is_of_me = |length: usize| {
                words.get(first + length).is_some_and(|next| matches!(&*next.folded, "me" | "us"))
            };
            // "no es un secreto", "is that a secret"
            let is_other = || {
                words[..first]
                    .iter()
                    .any(|it| is_listed(DENYING, &it.folded) || is_listed(ASKING, &it.folded))
            };
            let keep =
                length_of(&KEEP_PHRASES, &words[first..]).filter(|length| !is_denied && !is_of_me(*length));
            let alone = || {
                length_of(&KEEP_ALONE_PHRASES, &words[first..])
                    .filter(|length| !says_more(*length) && !is_other())
            };
            keep.or_else(alone).map(says_more)
        })
    })
}

/// Whether a sentence denies that another person is told or knows: "I don't want the others to know".
fn denies(sentence: &str) -> bool {
    let has = |list: &[&str]| list.iter().any(|it| sentence.contains(it));
    if has(DENYING_UNSPACED) && has(TELLING_UNSPACED) && has(TO_ALL_UNSPACED) {
        return true;
    }
    let words = split(sentence);
    let is_heard = |word: &Word<'_>| is_listed(EVERYONE, &word.folded) || is_listed(HEARING, &word.folded);
    let Some(who) = words.iter().position(is_heard) else { return false };
    let tells = words.iter().any(|word| is_listed(TELLING, &word.folded))
        || words[who..].iter().any(|word| is_listed(KNOWING, &word.folded));
    tells && words.iter().any(|word| is_listed(DENYING, &word.folded))
}

/// Whether a sentence seems to allow that another person is told.
fn allows(sentence: &str) -> bool {
    let has = |list: &[&str]| list.iter().any(|it| sentence.contains(it));
    if has(ALLOWING_UNSPACED) && has(TELLING_UNSPACED) && has(TO_ALL_UNSPACED) {
        return true;
    }
    let words = split(sentence);
    [ALLOWING, TELLING, EVERYONE].iter().all(|list| words.iter().any(|word| is_listed(list, &word.folded)))
}

/// Whether a text has a word of the list, compared with accents, because Spanish "sí" and "si" differ.
fn has_word_of(list: &str, low: &str) -> bool {
    low.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| is_listed(list, word))
}

/// Whether there is an apostrophe before a word, and not inside one.
fn begins_a_quote(low: &str) -> bool {
    let chars: Vec<char> = format!(" {low}").chars().collect();
    chars.windows(3).any(|w| !w[0].is_alphanumeric() && w[1] == '\'' && w[2].is_alphanumeric())
}

/// The phrases of a list by their first word, so that a text is compared with few of them.
type PhrasesByFirstWord = LazyLock<HashMap<&'static str, Vec<&'static str>>>;

static MAY_KNOW_PHRASES: PhrasesByFirstWord = LazyLock::new(|| by_first_word(MAY_KNOW));
static KEEP_PHRASES: PhrasesByFirstWord = LazyLock::new(|| by_first_word(KEEP));
static LEADING_PHRASES_BY_WORD: PhrasesByFirstWord = LazyLock::new(|| by_first_word(LEADING_PHRASES));
static KEEP_ALONE_PHRASES: PhrasesByFirstWord = LazyLock::new(|| by_first_word(KEEP_ALONE));

fn by_first_word(phrases: &[&'static str]) -> HashMap<&'static str, Vec<&'static str>> {
    let mut by_first: HashMap<&str, Vec<&str>> = HashMap::new();
    for phrase in phrases {
        let words: Vec<&str> = match phrase.split(' ').next() {
            Some("ALL") => EVERYONE.split_ascii_whitespace().collect(),
            first => first.into_iter().flat_map(|first| first.split('/')).collect(),
        };
        words.into_iter().for_each(|word| by_first.entry(word).or_default().push(phrase));
    }
    by_first
}

/// The number of words of the longest phrase with which these words begin; see [`MAY_KNOW`] for the form of phrases.
fn length_of(phrases: &PhrasesByFirstWord, words: &[Word<'_>]) -> Option<usize> {
    let first = phrases.get(&*words.first()?.folded)?;
    first.iter().filter_map(|phrase| length_of_phrase(phrase, words)).max()
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

/// The start and end of a permission in a text without spaces, and whether it needs a word for who may know.
fn unspaced(text: &str) -> Option<(usize, usize, bool)> {
    MAY_KNOW_UNSPACED.iter().find_map(|(phrase, needs_all)| {
        let start = text.find(phrase)?;
        let says_who = !needs_all || TO_ALL_UNSPACED.iter().any(|all| text.contains(all));
        says_who.then_some((start, start + phrase.len(), *needs_all))
    })
}

/// Whether a part of a text only says who may know, repeats the permission, or says nothing.
fn is_beside(part: &str) -> bool {
    says_only(part, false)
}

/// Like [`is_beside`], for the text before a permission, or for a separate sentence.
fn is_leading(part: &str) -> bool {
    says_only(part, true)
}

fn says_only(part: &str, is_leading: bool) -> bool {
    let mut rest = part.to_owned();
    while let Some((start, end, _)) = unspaced(&rest) {
        rest.replace_range(start..end, " ");
    }
    BESIDE_UNSPACED.iter().for_each(|known| rest = rest.replace(known, " "));
    let words = split(&rest);
    let mut at = 0;
    while at < words.len() {
        let leads = || length_of(&LEADING_PHRASES_BY_WORD, &words[at..]).filter(|_| is_leading);
        let word = &*words[at].folded;
        at += match length_of(&MAY_KNOW_PHRASES, &words[at..]).or_else(leads) {
            Some(length) => length,
            None if says_nothing(word) || is_leading && is_listed(LEADING, word) => 1,
            None => return false,
        };
    }
    true
}

/// Whether a word does not change the meaning of a permission.
fn says_nothing(word: &str) -> bool {
    [BESIDE, EVERYONE, THAT].iter().any(|list| is_listed(list, word))
        || word.chars().all(|letter| PARTICLES.contains(letter))
}

/// The offset where the last clause of a text begins.
fn last_clause(text: &str) -> usize {
    let after = |mark: &str| text.rfind(mark).map(|at| at + mark.len());
    [",", ":", "、", "–", "—", " - "].into_iter().filter_map(after).max().unwrap_or(0)
}

/// The offset where the clause begins that follows `before`. `None` if `before` ends neither with a comma nor with a
/// word that joins sentences.
fn clause_start(before: &str) -> Option<usize> {
    let last = last_clause(before);
    let open = split(&before[last..]);
    let says = |word: &Word<'_>| !is_leading(&word.folded) && !is_listed(AND, &word.folded);
    let said = open.iter().rposition(says).map_or(0, |at| at + 1);
    if said == 0 {
        return Some(last);
    }
    open[said..].iter().any(|word| is_listed(AND, &word.folded)).then(|| last + open[said - 1].end)
}
