//! Participants' names. A name occurs in nearly every question and in every other message. It identifies the speaker,
//! not the subject. Therefore names are left out of embedded and indexed text, and the author of a row is a separate
//! field.

use std::ops::Range;

use greenroom_lang::{WordList, is_stop_word};

use super::tokens::Tokens;

/// A set of names that can be searched in texts, as whole words and with a possessive ending. A name may have several
/// words. Its first word alone, and a handle without its number, count as the name if they match no other name (MP5).
/// An occurrence counts if it is capitalised. In a text with capitals only at the beginning of sentences, a lower-case
/// occurrence counts too, unless the name is a common word.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<Name>,
    /// The first words of all names, in lower case and sorted, each with its name.
    first: Vec<(String, usize)>,
    /// A bit set of the first bytes of `first`, so that most words of a text need no lookup.
    initials: u64,
}

#[derive(Clone, Debug)]
struct Name {
    /// The words of the name in lower case.
    words: Vec<String>,
    /// The index, in the caller's list, of the name to which it belongs.
    of: usize,
    /// Whether it is a short form. A short form identifies the person, but is not removed from texts.
    short: bool,
    /// Whether the name is also a common word: "Mark", "Rose", "root". It is not removed from texts.
    common: bool,
}

/// One occurrence of a name in a text.
struct Occurrence {
    name: usize,
    bytes: Range<usize>,
}

impl Names {
    /// Builds the set. [`Names::found_in`] returns indices into `names`. A name without a letter or digit is never
    /// found; neither is a stop word, a month or a weekday.
    pub fn new<I: IntoIterator<Item: AsRef<str>>>(names: I) -> Names {
        let mut all = Names::default();
        for name in names {
            all.add(name.as_ref());
        }
        all.add_short_forms();
        all
    }

    /// The empty set.
    pub fn none() -> Names {
        Names::default()
    }

    /// Adds a name.
    pub fn add(&mut self, name: &str) {
        let words: Vec<String> = Tokens::of(name).lower().map(str::to_owned).collect();
        let of = self.names.iter().filter(|name| !name.short).count();
        self.add_words(words, of, false);
    }

    fn add_words(&mut self, words: Vec<String>, of: usize, short: bool) {
        if let Some(first) = words.first().filter(|_| !words.iter().all(|word| is_function_word(word))) {
            let entry = (first.clone(), self.names.len());
            self.first.insert(self.first.partition_point(|other| *other < entry), entry);
            self.initials |= initial(first);
        }
        let common = words.iter().all(|word| is_function_word(word) || is_common(word));
        self.names.push(Name { words, common, of, short });
    }

    /// Adds short forms that only one name has: the first word of a name with several words, and a handle without its
    /// decoration.
    fn add_short_forms(&mut self) {
        let short = |name: &Name| {
            let (first, last) = (name.words.first()?, name.words.last()?);
            // "the_real_caroline"
            let word = if is_function_word(first) { last } else { first };
            let bare = undecorated(word);
            let shorter = name.words.len() > 1 || bare.len() < word.len();
            let usable = bare.chars().count() >= SHORTEST_FORM && !is_common(bare) && !is_function_word(bare);
            (shorter && usable).then(|| bare.to_owned())
        };
        let forms: Vec<Option<String>> = self.names.iter().map(short).collect();
        for (of, form) in forms.iter().enumerate() {
            let Some(form) = form else { continue };
            let others = forms.iter().flatten().filter(|other| *other == form).count();
            let is_name = self.names.iter().any(|name| name.words.len() == 1 && name.words[0] == *form);
            if others == 1 && !is_name {
                self.add_words(vec![form.clone()], of, true);
            }
        }
    }

    /// The names in the text, as indices into the list, each once, in the order of their first occurrence.
    pub fn found_in(&self, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        for Occurrence { name, .. } in self.places(&Tokens::of(text)) {
            let Some(of) = self.names.get(name).map(|name| name.of) else { continue };
            if !found.contains(&of) {
                found.push(of);
            }
        }
        found
    }

    /// The occurrences of names that may be removed from a text: no common words and no short forms. Ascending, without
    /// overlap.
    pub(super) fn removable(&self, tokens: &Tokens<'_>) -> impl Iterator<Item = Range<usize>> {
        let places = self.places(tokens).into_iter();
        places
            .filter(|place| self.names.get(place.name).is_some_and(|name| !name.common && !name.short))
            .map(|place| place.bytes)
    }

    /// The occurrences of names, ascending and without overlap. Of several names at one position the longest wins.
    fn places(&self, tokens: &Tokens<'_>) -> Vec<Occurrence> {
        let mut places = Vec::new();
        if self.first.is_empty() {
            return places;
        }
        let text = tokens.text();
        let mut writes_capitals = None;
        let mut at = 0;
        while let Some((bytes, word)) = tokens.word(at) {
            if self.initials & initial(word) == 0 {
                at += 1;
                continue;
            }
            let small = text[bytes.clone()].starts_with(char::is_lowercase);
            let capitals = small && *writes_capitals.get_or_insert_with(|| writes_capitals_inside(tokens));
            let is_thing = || at > 0 && tokens.word(at - 1).is_some_and(|(_, word)| is_article(word));
            let written = |name: &Name| match name.common {
                // the first word of a text always has a capital
                true => at > 0 && !small,
                false => !small || !(capitals || text.contains(char::is_uppercase) && is_thing()),
            };
            let fits = |(_, name): &(usize, &Name)| stands_at(tokens, at, &name.words) && written(name);
            let keys = [Some(word), word.strip_suffix("'s")].into_iter().flatten();
            let begin = keys.flat_map(|key| self.beginning(key));
            let named = begin.filter_map(|which| Some((which, self.names.get(which)?)));
            match named.filter(fits).max_by_key(|(_, name)| name.words.len()) {
                Some((which, name)) => {
                    at += name.words.len();
                    let end = tokens.word(at - 1).map_or(bytes.end, |(last, _)| last.end);
                    places.push(Occurrence { name: which, bytes: bytes.start..end });
                }
                None => at += 1,
            }
        }
        places
    }

    /// The names that begin with this word.
    fn beginning(&self, word: &str) -> impl Iterator<Item = usize> {
        let from = self.first.partition_point(|(first, _)| first.as_str() < word);
        self.first[from..].iter().take_while(move |(first, _)| first == word).map(|(_, name)| *name)
    }
}

/// The minimum length of a short form, in letters. A shorter one may be any word.
const SHORTEST_FORM: usize = 3;

/// A handle without a number at its end, and without two or more x at both sides: "caroline92", "xXCarolineXx".
fn undecorated(word: &str) -> &str {
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
    match (bare.strip_prefix("xx"), bare.strip_suffix("xx")) {
        (Some(_), Some(_)) => bare.trim_matches('x'),
        _ => bare,
    }
}

/// Whether the text has a capitalised word inside a sentence, other than "I".
fn writes_capitals_inside(tokens: &Tokens<'_>) -> bool {
    let text = tokens.text();
    tokens.words().any(|(place, lower)| {
        let before = text[..place.start].trim_end();
        let begins = before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', '"', '“']);
        !begins
            && text[place.clone()].starts_with(char::is_uppercase)
            && lower != "i"
            && !lower.starts_with("i'")
    })
}

/// Whether the word after this one is a thing and not a name.
fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "my" | "your" | "this" | "that" | "our" | "their" | "some" | "any")
}

/// The bit of a word's first byte.
fn initial(word: &str) -> u64 {
    word.bytes().next().map_or(0, |byte| 1 << (byte % 64))
}

/// Whether a word alone is never a name: a stop word, or a word of the calendar.
fn is_function_word(word: &str) -> bool {
    static CALENDAR: WordList = WordList::of(
        "january february march april may june july august september october november \
        december monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday",
    );
    is_stop_word(word) || CALENDAR.has(word)
}

/// Whether a name of people or accounts also has another use in texts.
fn is_common(word: &str) -> bool {
    static FIRST_NAMES: WordList = WordList::of(
        "amber angel art ash autumn basil bay bear bill brook candy carol chance chase \
        cherry chip clay cliff coral crystal daisy dale dawn dean destiny drew duke earl eve faith fern ford \
        forest fox frank gale gene ginger glen grace grant guy hazel heather holly honey hope hunter iris ivy \
        jade jasmine jewel joy king lance lane lily major mark marina mason melody mercy miles misty nick \
        olive opal page parker pat patience pearl penny pepper pierce poppy prince queen ray reed rich river \
        rob robin rock rocky rod roman rose ruby rusty sage sandy scarlet shepherd skip sky star stone storm \
        sue summer sunny tab trip victor violet wade ward will willow winter wood",
    );
    static ACCOUNTS: WordList = WordList::of(
        "account admin administrator agent ai alert api app assistant backend backup bank \
        book bot box branch bug build bus cache call car card cat cell channel chat chef client clock cloud \
        coach code coffee config contact core customer data database date deploy design desk dev developer \
        device disk docker doctor dog door driver echo editor email engine engineer error event expert file \
        friend frontend game gate github gold green guest guide guard helper history home host house image \
        index info job judge key kitchen lab lead leader library light link list local lock log login mail \
        manager map market master memory message mentor meeting mind mirror model moderator monitor music \
        name network news node note office online operator order owner parent partner password phone pilot \
        pipeline plan planner player plan port printer project proxy query radio reader red release report \
        reviewer robot role room root router run scout script search secret secretary security sense server \
        service session shadow shell shop signal site smith soul source spark speaker staff staging state \
        stage storage store student support system table task tea teacher team tech terminal test tester \
        thing ticket time token tool trainer travel user vault version video voice watch water web word work \
        worker world writer",
    );
    FIRST_NAMES.has(word) || ACCOUNTS.has(word)
}

/// Whether the name's words begin at this position; the last word may be possessive.
fn stands_at(tokens: &Tokens<'_>, at: usize, name: &[String]) -> bool {
    let Some((last, first)) = name.split_last() else { return false };
    let word = |at| tokens.word(at).map(|(_, word)| word);
    let begins = (at..).zip(first).all(|(at, part)| word(at) == Some(part));
    let ends =
        |word: &str| word.strip_prefix(last.as_str()).is_some_and(|rest| rest.is_empty() || rest == "'s");
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
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for name in names.removable(&Tokens::of(text)) {
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
        assert_eq!(names.found_in("Annie, joke, maryann"), [] as [usize; 0]);
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
        let stays = "What did priya say?";
        assert_eq!(without_names(stays, &names), stays, "a short form may be a word of other texts");
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
