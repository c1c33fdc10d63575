//! Participants' names. They stand in nearly every question and every other message and say who, not
//! what; so they are kept out of what is embedded and indexed, and handled as a field.

use std::ops::Range;

use super::analyse::straight;

/// Names to look for: whole words, in any case, possessives included. A name may be several words.
#[derive(Clone, Debug, Default)]
pub struct Names(Vec<Vec<String>>);

impl Names {
    /// The names, in the order [`Names::found_in`] counts them. One without a letter or digit is never
    /// found.
    pub fn new<I: IntoIterator<Item: AsRef<str>>>(names: I) -> Names {
        let words = |name: &str| tokens(name).map(|range| lower(&name[range])).collect();
        Names(names.into_iter().map(|name| words(name.as_ref())).collect())
    }

    /// No names.
    pub fn none() -> Names {
        Names::default()
    }

    /// Which names stand in the text, by their place in the list, each once, in the order they are
    /// mentioned.
    pub fn found_in(&self, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        for (name, _) in self.places(text) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    /// Calls `each` with every word that is no part of a name.
    pub(super) fn for_each_other(&self, text: &str, mut each: impl FnMut(&str)) {
        let mut places = self.places(text).into_iter().map(|(_, range)| range).peekable();
        for word in tokens(text) {
            while places.next_if(|name| name.end <= word.start).is_some() {}
            if places.peek().is_none_or(|name| word.end <= name.start) {
                each(&text[word]);
            }
        }
    }

    /// Where names stand: which, and its bytes; ascending and apart. The longest that fits wins.
    fn places(&self, text: &str) -> Vec<(usize, Range<usize>)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let words: Vec<Range<usize>> = tokens(text).collect();
        let lowered: Vec<String> = words.iter().map(|word| lower(&text[word.clone()])).collect();
        let mut places = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let fits =
                |name: &&(usize, &Vec<String>)| !name.1.is_empty() && stands_at(&lowered[at..], name.1);
            match self.0.iter().enumerate().filter(|name| fits(&name)).max_by_key(|(_, name)| name.len()) {
                Some((which, name)) => {
                    places.push((which, words[at].start..words[at + name.len() - 1].end));
                    at += name.len();
                }
                None => at += 1,
            }
        }
        places
    }
}

/// Whether the words begin with the name; its last word may be possessive.
fn stands_at(words: &[String], name: &[String]) -> bool {
    let Some((last, first)) = name.split_last() else { return false };
    words.get(..first.len()).is_some_and(|words| words == first)
        && words.get(first.len()).is_some_and(|word| {
            word.strip_prefix(last.as_str()).is_some_and(|rest| rest.is_empty() || rest == "'s")
        })
}

fn lower(word: &str) -> String {
    word.chars().map(straight).flat_map(char::to_lowercase).collect()
}

/// The text without the names, for embedding; with a name goes the space before it. May be empty.
///
/// ```
/// use greenroom_index::{Names, without_names};
/// let names = Names::new(["Caroline", "Mel"]);
/// assert_eq!(without_names("Mel, what did Caroline's sister paint?", &names), "what did sister paint?");
/// ```
pub fn without_names(text: &str, names: &Names) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for (_, name) in names.places(text) {
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

/// The words of a text: letters and digits, with the apostrophes between them.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut letters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = letters.find(|(_, letter)| letter.is_alphanumeric())?;
        let mut end = start + first.len_utf8();
        while let Some((at, letter)) =
            letters.next_if(|(_, letter)| letter.is_alphanumeric() || is_apostrophe(*letter))
        {
            let next = letters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
            if is_apostrophe(letter) && !next {
                break;
            }
            end = at + letter.len_utf8();
        }
        Some(start..end)
    })
}

fn is_apostrophe(letter: char) -> bool {
    straight(letter) == '\''
}

#[cfg(test)]
mod tests {
    use super::super::terms;
    use super::*;

    #[test]
    fn names_are_found_whole_in_any_case_and_possessive() {
        let names = Names::new(["Ann", "Mary Ann", "Jo"]);
        assert_eq!(names.found_in("JO's friend and jo"), [2]);
        assert_eq!(names.found_in("mary ann’s and Ann"), [1, 0]);
        assert_eq!(names.found_in("Annie, joke, maryann"), [] as [usize; 0]);
    }

    #[test]
    fn names_are_left_out_of_the_terms() {
        let names = Names::new(["Caroline", "Mary Ann"]);
        let expected = terms("sister painted lake", &Names::none());
        assert_eq!(terms("Did Caroline's sister and mary ann paint the lake?", &names), expected);
    }

    #[test]
    fn a_text_of_names_alone_is_empty_without_them() {
        let names = Names::new(["Caroline", "", "?"]);
        assert_eq!(without_names("Hey Caroline! How are you?", &names), "Hey! How are you?");
        assert_eq!(without_names("Caroline!", &names), "");
        assert_eq!(without_names(" no name ", &names), " no name ");
    }
}
