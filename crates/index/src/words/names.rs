//! Participants' names. A name occurs in nearly every question and in every other message. It identifies the speaker,
//! not the subject. Therefore names are left out of embedded and indexed text, and the author of a row is a separate
//! field.

mod common;
mod short_forms;
mod written;

use std::{borrow::Cow, ops::Range};

use greenroom_lang::fold;

use self::{
    common::{is_common, is_function_word},
    written::Written,
};
use super::tokens::Tokens;

/// A set of names that can be searched in texts, as whole words, with a possessive ending and without accents. A name
/// may have several words. Parts of a name, a handle without its number, nicknames and beginnings count as the name if
/// they match no other name (MP5).
///
/// An occurrence counts if it is capitalised. In a text with capitals only at the beginning of sentences, a lower-case
/// occurrence counts too, unless the name is a common word. In a question a lower-case occurrence counts unless other
/// names have capitals, and that of a common word if it is a mention, possessive or a subject: "does rose work".
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<Name>,
    /// The first words of all names, in lower case, without accents and sorted, each with its name.
    first: Vec<(String, usize)>,
    /// A bit set of the first bytes of `first`, so that most words of a text need no lookup.
    initials: u64,
}

#[derive(Clone, Debug)]
struct Name {
    /// The words of the name in lower case and without accents.
    words: Vec<String>,
    /// The index, in the caller's list, of the name to which it belongs.
    of: usize,
    /// Whether it is a short form. A short form identifies the person in a question, but is not removed from texts.
    short: bool,
    /// Whether the name is also a common word: "Mark", "Rose", "root". It is not removed from texts.
    common: bool,
}

/// One occurrence of a name in a text.
struct Occurrence {
    /// See [`Name::of`].
    of: usize,
    bytes: Range<usize>,
    /// Whether it may be removed: it is no other word.
    removable: bool,
}

/// The text in which names are searched.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Reading {
    /// Any text: only whole names.
    Text,
    /// A question: also short forms.
    Question,
}

impl Names {
    /// Builds the set. [`Names::found_in`] returns indices into `names`. A name without a letter or digit is never
    /// found; neither is a stop word, a month or a weekday.
    pub fn new<I: IntoIterator<Item: AsRef<str>>>(names: I) -> Names {
        let mut all = Names::default();
        let names: Vec<I::Item> = names.into_iter().collect();
        for (of, name) in names.iter().enumerate() {
            all.names.push(Name::full(name.as_ref(), of));
        }
        let short = short_forms::of(&names, &all.names);
        all.names.extend(short);
        let first = (0..).zip(&all.names).filter_map(|(at, name)| Some((name.first()?.to_owned(), at)));
        all.first = first.collect();
        all.first.sort_unstable();
        all.initials = all.first.iter().fold(0, |bits, (word, _)| bits | initial(word));
        all
    }

    /// The empty set.
    pub fn none() -> Names {
        Names::default()
    }

    /// Adds a name.
    pub fn add(&mut self, name: &str) {
        let of = self.names.iter().filter(|name| !name.short).count();
        let name = Name::full(name, of);
        if let Some(first) = name.first() {
            let entry = (first.to_owned(), self.names.len());
            self.initials |= initial(first);
            self.first.insert(self.first.partition_point(|other| *other < entry), entry);
        }
        self.names.push(name);
    }

    /// The names in a question, as indices into the list, each once, in the order of their first occurrence.
    pub fn found_in(&self, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        for Occurrence { of, .. } in self.places(&Tokens::of(text), Reading::Question) {
            if !found.contains(&of) {
                found.push(of);
            }
        }
        found
    }

    /// Whether a name or a short form begins with this word in lower case.
    pub fn has(&self, word: &str) -> bool {
        self.beginning(&without_accents(word)).next().is_some()
    }

    /// Whether one name begins with these letters in lower case.
    pub fn begins(&self, letters: &str) -> bool {
        self.begun(&without_accents(letters)).is_some()
    }

    /// The occurrences of names that may be removed from a text: no common words, and short forms only in a question.
    /// Ascending, without overlap.
    pub(super) fn removable(
        &self,
        tokens: &Tokens<'_>,
        reading: Reading,
    ) -> impl Iterator<Item = Range<usize>> + use<> {
        self.places(tokens, reading).into_iter().filter(|place| place.removable).map(|place| place.bytes)
    }

    /// The occurrences of names, ascending and without overlap. Of several names at one position the longest wins.
    fn places(&self, tokens: &Tokens<'_>, reading: Reading) -> Vec<Occurrence> {
        let mut places = Vec::new();
        if self.first.is_empty() {
            return places;
        }
        let text = tokens.text();
        let mut writes_capitals = None;
        let mut at = 0;
        while let Some((bytes, word)) = tokens.word(at) {
            let word = without_accents(word);
            if self.initials & initial(&word) == 0 {
                at += 1;
                continue;
            }
            let small = text[bytes.clone()].starts_with(char::is_lowercase);
            let is_counted = |word: &str| reading == Reading::Text || self.beginning(word).next().is_some();
            let mut capitals =
                || *writes_capitals.get_or_insert_with(|| writes_capitals_inside(tokens, is_counted));
            let written = Written {
                small,
                among_capitals: small && capitals(),
                mentioned: reading == Reading::Question && text[..bytes.start].ends_with('@'),
                before: at.checked_sub(1).and_then(|before| tokens.word(before)).map(|(_, word)| word),
                possessive: word.ends_with("'s"),
                last: at + 1 == tokens.len(),
                reading,
            };
            match self.at(tokens, at, &word, &written) {
                Some((of, length, removable)) => {
                    at += length;
                    let end = tokens.word(at - 1).map_or(bytes.end, |(last, _)| last.end);
                    let mut bytes = bytes.start..end;
                    if written.mentioned {
                        bytes = bytes.start - 1..end_of_mention(text, end);
                        while tokens.word(at).is_some_and(|(word, _)| word.start < bytes.end) {
                            at += 1;
                        }
                    }
                    places.push(Occurrence { of, bytes, removable });
                }
                None => at += 1,
            }
        }
        places
    }

    /// The name at a position: whose it is, its number of words, and whether it may be removed.
    fn at(
        &self,
        tokens: &Tokens<'_>,
        at: usize,
        word: &str,
        written: &Written<'_>,
    ) -> Option<(usize, usize, bool)> {
        let fits = |name: &&Name| {
            !(name.short && written.reading == Reading::Text)
                && stands_at(tokens, at, &name.words)
                && written.is_name(name)
        };
        let bare = word.strip_suffix("'s");
        let begin = [Some(word), bare].into_iter().flatten().flat_map(|key| self.beginning(key));
        let named = begin.filter_map(|which| self.names.get(which));
        if let Some(name) = named.filter(fits).max_by_key(|name| name.words.len()) {
            return Some((name.of, name.words.len(), !name.common));
        }
        let begun = || self.begun(bare.unwrap_or(word)).filter(|_| written.is_beginning());
        (written.reading == Reading::Question).then(begun)?.map(|of| (of, 1, false))
    }

    /// The names that begin with this word.
    fn beginning(&self, word: &str) -> impl Iterator<Item = usize> {
        let from = self.first.partition_point(|(first, _)| first.as_str() < word);
        self.first[from..].iter().take_while(move |(first, _)| first == word).map(|(_, name)| *name)
    }

    /// The only name whose first word begins with these letters: "Kath".
    fn begun(&self, letters: &str) -> Option<usize> {
        if letters.chars().count() < SHORTEST_FORM || is_function_word(letters) {
            return None;
        }
        let from = self.first.partition_point(|(first, _)| first.as_str() < letters);
        let begun = self.first[from..].iter().take_while(|(first, _)| first.starts_with(letters));
        let full = begun.filter_map(|(_, name)| self.names.get(*name).filter(|name| !name.short));
        let mut owners = full.map(|name| name.of);
        let only = owners.next()?;
        owners.all(|other| other == only).then_some(only)
    }
}

impl Name {
    fn full(name: &str, of: usize) -> Self {
        let words: Vec<String> = Tokens::of(name).lower().map(fold).collect();
        let common = words.iter().all(|word| is_function_word(word) || is_common(word));
        Self { words, of, short: false, common }
    }

    /// The first word; none if the name is never found.
    fn first(&self) -> Option<&str> {
        let is_found = || !self.words.iter().all(|word| is_function_word(word));
        self.words.first().filter(|_| is_found()).map(String::as_str)
    }
}

/// The minimum length of a short form, in letters. A shorter one may be any word.
const SHORTEST_FORM: usize = 3;

/// The end of the mention that contains a place, with its possessive ending.
fn end_of_mention(text: &str, place: usize) -> usize {
    let rest = text[place..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let rest = rest.strip_prefix("'s").or_else(|| rest.strip_prefix("’s")).unwrap_or(rest);
    text.len() - rest.len()
}

/// A word in lower case without its accents.
fn without_accents(lower: &str) -> Cow<'_, str> {
    if lower.is_ascii() { lower.into() } else { fold(lower).into() }
}

/// Whether the text has a capitalised word inside a sentence, other than "I", that `is_counted`.
fn writes_capitals_inside(tokens: &Tokens<'_>, is_counted: impl Fn(&str) -> bool) -> bool {
    let text = tokens.text();
    tokens.words().any(|(place, lower)| {
        let before = text[..place.start].trim_end();
        let begins =
            before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', '"', '“', '¿', '¡', '«']);
        !begins
            && text[place.clone()].starts_with(char::is_uppercase)
            && lower != "i"
            && !lower.starts_with("i'")
            && is_counted(lower)
    })
}

/// The bit of a word's first byte.
fn initial(word: &str) -> u64 {
    word.bytes().next().map_or(0, |byte| 1 << (byte % 64))
}

/// Whether the name's words begin at this position; the last word may be possessive.
fn stands_at(tokens: &Tokens<'_>, at: usize, name: &[String]) -> bool {
    let Some((last, first)) = name.split_last() else { return false };
    let word = |at| tokens.word(at).map(|(_, word)| without_accents(word));
    let begins = (at..).zip(first).all(|(at, part)| word(at).is_some_and(|word| word == *part));
    let ends = |word: Cow<'_, str>| {
        word.strip_prefix(last.as_str()).is_some_and(|rest| rest.is_empty() || rest == "'s")
    };
    begins && word(at + first.len()).is_some_and(ends)
}

/// The text without the names, for embedding; the space before a name is removed too. May be empty.
///
/// ```
/// use greenroom_index::{Names, without_names};
/// let names = Names::new(["Caroline", "Mel"]);
/// assert_eq!(without_names("Mel, what did Caroline's sister paint?", &names), "what did sister paint?");
/// ```
pub fn without_names(text: &str, names: &Names) -> String {
    without(text, names, Reading::Text)
}

/// Like [`without_names`] for a question, from which short forms are removed too.
///
/// ```
/// use greenroom_index::{Names, question_without_names};
/// let names = Names::new(["Elizabeth Reed", "Mel"]);
/// assert_eq!(question_without_names("what did liz paint?", &names), "what did paint?");
/// ```
pub fn question_without_names(text: &str, names: &Names) -> String {
    without(text, names, Reading::Question)
}

fn without(text: &str, names: &Names, reading: Reading) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for name in names.removable(&Tokens::of(text), reading) {
        kept.push_str(text[from..name.start].trim_end());
        from = name.end;
    }
    if from == 0 {
        return text.to_owned();
    }
    kept.push_str(&text[from..]);
    kept.trim_start_matches(|letter: char| letter.is_whitespace() || ",.!:;-–—".contains(letter))
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::terms;
    use super::*;

    #[test]
    fn names_are_found_whole_with_a_capital_and_possessive() {
        let names = Names::new(["ann", "Mary Ann", "Jo"]);
        assert_eq!(names.found_in("JO's friend and jo"), [2]);
        assert_eq!(names.found_in("Mary Ann’s and Ann"), [1, 0]);
        assert_eq!(names.found_in("mary ann’s and jo"), [1, 2], "nobody writes capitals here");
        assert_eq!(names.found_in("The jo and the ann"), [] as [usize; 0], "somebody does");
        assert_eq!(names.found_in("Annual, joke, maryanna"), [] as [usize; 0]);
    }

    #[test]
    fn mp5_a_name_is_found_as_people_write_it() {
        let names = Names::new(["Priya Natarajan", "marek77", "Tom Reed", "Tom Hale", "Jo"]);
        assert_eq!(names.found_in("Where does priya live?"), [0], "a phone writes the first capital");
        assert_eq!(names.found_in("What did Priya say? I forgot what marek said"), [0]);
        assert_eq!(names.found_in("What did marek say?"), [1]);
        assert_eq!(names.found_in("and marek77's dog"), [1]);
        assert_eq!(names.found_in("What did tom reed buy?"), [2]);
        assert!(names.found_in("What did tom buy?").is_empty(), "there are two");
        assert!(names.found_in("Was the marek in Paris?").is_empty());
        let names_of_handles = Names::new(["the_real_caroline", "xXMarekXx", "the_admin"]);
        assert_eq!(names_of_handles.found_in("What did Caroline say to Marek?"), [0, 1]);
        assert!(names_of_handles.found_in("Is that the real admin?").is_empty());
        let group = Names::new(["Katarzyna Wolff", "Elizabeth O'Hara", "José Muñoz", "sunny_daze", "Jürgen"]);
        for (asked, of) in [
            ("What does kasia eat?", 0),
            ("Which car does Kata drive?", 0),
            ("Ask @katarzynawolff about it", 0),
            ("What did katarzynawolff say?", 0),
            ("Does Liz sing?", 1),
            ("Where does jose live?", 2),
            ("¿Dónde vive munoz?", 2),
            ("Was sagt Pepe?", 2),
            ("What is @sunny_daze's phobia?", 3),
            ("What does Sunny fear?", 3),
            ("what is sunny's phobia", 3),
            ("and does sunny sing", 3),
            ("where is sunny going?", 3),
            ("Wo wohnt juergen?", 4),
            ("Wo wohnt jurgen im Winter?", 4),
        ] {
            assert_eq!(group.found_in(asked), [of], "{asked}");
        }
        for other in [
            "Is it sunny in Perth?",
            "What about the wolf?",
            "What is sunny?",
            "Kat?",
            "Who is O?",
            "Who has a pep talk?",
        ] {
            assert!(group.found_in(other).is_empty(), "{other}");
        }
        let alike = Names::new(["Alexander Grün", "Alexandra Roth", "Lisa", "Elisabeth Vogt"]);
        assert!(alike.found_in("What does Alex say?").is_empty(), "there are two");
        assert_eq!(alike.found_in("What does Lisa say?"), [2], "a name of its own");
        let stays = "What did priya say?";
        assert_eq!(without_names(stays, &names), stays, "a short form may be a word of other texts");
        assert_eq!(question_without_names(stays, &names), "What did say?", "in a question it is the person");
        assert_eq!(
            question_without_names("what is @marek77's, or @marek_7's dog?", &names),
            "what is, or dog?"
        );
        assert_eq!(without_names("What did priya natarajan say?", &names), "What did say?");
    }

    #[test]
    fn names_are_left_out_of_the_terms() {
        let names = Names::new(["Caroline", "Mary Ann"]);
        let expected = terms("sister painted lake", &Names::none());
        assert_eq!(terms("Did Caroline's sister and Mary Ann paint the lake?", &names), expected);
    }

    #[test]
    fn x7_whoever_is_called_like_a_word_takes_no_word_from_the_others() {
        let names = Names::new(["deploy", "Password", "vault", "May", "Mark", "user", "root", "Will"]);
        for text in [
            "Where is the deploy password?",
            "deploy password vault",
            "Password? Vault!",
            "When in May do we travel?",
            "the mark scheme",
            "the user table",
            "root?",
            "Will we go",
        ] {
            assert_eq!(terms(text, &names), terms(text, &Names::none()), "{text}");
            assert_eq!(without_names(text, &names), text);
        }
        assert_eq!(names.found_in("What did Mark say in May?"), [4], "whose words are meant is still known");
        assert!(names.found_in("Will the vault open?").is_empty());
    }

    #[test]
    fn a_name_that_comes_later_is_found_too() {
        let mut names = Names::new(["Ann"]);
        names.add("Jo");
        assert_eq!(names.found_in("Jo and Ann"), [1, 0]);
    }

    #[test]
    fn a_text_of_names_alone_is_empty_without_them() {
        let names = Names::new(["Caroline", "", "?"]);
        assert_eq!(without_names("Hey Caroline! How are you?", &names), "Hey! How are you?");
        assert_eq!(without_names("Caroline!", &names), "");
        assert_eq!(without_names(" no name ", &names), " no name ");
    }
}
