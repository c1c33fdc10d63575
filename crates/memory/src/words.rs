//! Words of a statement, for comparisons of two statements and for keys.

use std::borrow::Cow;

use greenroom_lang::{WordList, fold};

/// Words that do not change the meaning of a statement.
const FILLERS: [&str; 8] = ["a", "an", "the", "that", "just", "really", "also", "please"];

/// Words that occur in every conversation and have no meaning of their own.
static COMMON: WordList = WordList::of(
    "i me my mine you your yours he she it its we us our they them their his her him this \
    these those is are am was were be been being has have had do does did will would can could should \
    may might of and or but so as if then than there here what which who when where how why very too \
    s in on at to for with by about into",
);

/// The words of a text in lower case, without punctuation at their ends and without [`FILLERS`]. Contractions are
/// expanded (`don't` becomes `do not`).
pub(crate) fn words(text: &str) -> Vec<String> {
    let text = lower(text);
    words_of(&text).map(str::to_owned).collect()
}

/// The text in lower case, with plain apostrophes.
fn lower(text: &str) -> String {
    let low = text.to_lowercase();
    if low.contains('\u{2019}') { low.replace('\u{2019}', "'") } else { low }
}

/// The words of a text that [`lower`] has normalised.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let bare = text.split_whitespace().map(|word| {
        word.trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '"' | '\'' | '(' | ')'))
    });
    let parts = bare.flat_map(|word| {
        let (first, second) = taken_apart(word);
        [first].into_iter().chain(second)
    });
    parts.filter(|word| !word.is_empty() && !FILLERS.contains(word))
}

/// A word, or the two words of a contraction.
fn taken_apart(word: &str) -> (&str, Option<&'static str>) {
    match word {
        "can't" | "cannot" => return ("can", Some("not")),
        "won't" => return ("will", Some("not")),
        "dont" => return ("do", Some("not")),
        "i'm" => return ("i", Some("am")),
        "it's" | "that's" | "he's" | "she's" | "there's" | "here's" => {
            return (word.trim_end_matches("'s"), Some("is"));
        }
        _ => {}
    }
    for (short, long) in [("n't", "not"), ("'re", "are"), ("'ve", "have"), ("'ll", "will")] {
        if let Some(stem) = word.strip_suffix(short).filter(|stem| !stem.is_empty()) {
            return (stem, Some(long));
        }
    }
    (word, None)
}

/// The stems of the telling words, in their order; `prefers` and `preference` have the same stem.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let text = lower(text);
    let stems = telling_words(&text).map(|word| stem(word).into_owned());
    stems.filter(|stem| stem.chars().any(char::is_alphanumeric)).collect()
}

/// How many of these stems occur in a text.
pub(crate) fn count_shared(stems: &[String], text: &str) -> usize {
    let text = lower(text);
    // cheap filter before stemming: a word and its stem begin with the same letter
    let begins = |word: &&str| stems.iter().any(|stem| stem.chars().next() == word.chars().next());
    let held: Vec<_> = telling_words(&text).filter(begins).map(stem).collect();
    stems.iter().filter(|stem| held.iter().any(|held| held == *stem)).count()
}

/// The words with a meaning of their own, without a possessive `'s`, of a text that [`lower`] has normalised.
fn telling_words(text: &str) -> impl Iterator<Item = &str> {
    let telling = words_of(text).filter(|word| !is_common(word));
    telling.map(|word| word.strip_suffix("'s").unwrap_or(word))
}

fn stem(word: &str) -> Cow<'_, str> {
    rust_stemmers::Stemmer::create(rust_stemmers::Algorithm::English).stem(word)
}

/// Whether a word, in lower case, has no meaning of its own.
pub(crate) fn is_common(word: &str) -> bool {
    COMMON.has(word)
}

/// Whether a text contains every telling word of a query as a whole word, regardless of case and accents. Returns false
/// for a query without telling words.
pub fn holds_every_word(text: &str, query: &str) -> bool {
    let split = |text: &str| -> Vec<String> {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(fold).collect()
    };
    let held = split(text);
    let mut telling = split(query);
    telling.retain(|word| !word.is_empty() && !is_common(word) && !FILLERS.contains(&word.as_str()));
    // in scripts without spaces a word of the query may be a part of a longer run
    let is_part = |word: &String| is_unspaced(word) && held.iter().any(|held| held.contains(word.as_str()));
    !telling.is_empty() && telling.iter().all(|word| held.contains(word) || is_part(word))
}

/// Whether a word has at least two characters and is in a script where it may be a part of a longer run. Kana and
/// Chinese characters have no spaces between words. In Korean, suffixes are attached to words.
fn is_unspaced(word: &str) -> bool {
    let is_one =
        |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    word.chars().count() > 1 && word.chars().all(is_one)
}

/// Whether a word is in a list of words separated by spaces.
pub(crate) fn one_of(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

/// The capitalised words after the first word of the text, in lower case.
pub(crate) fn names(text: &str) -> Vec<String> {
    let capital = |word: &&str| word.trim_start_matches(['"', '(', '\'']).starts_with(char::is_uppercase);
    let bare = |word: &str| {
        let low = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        low.strip_suffix("'s").unwrap_or(&low).to_owned()
    };
    text.split_whitespace().skip(1).filter(capital).map(bare).filter(|w| w != "i" && !w.is_empty()).collect()
}

/// A part of a key: lower case, letters, digits and `_`, at most 40 characters.
pub(crate) fn slug(text: &str) -> String {
    let spaced: String =
        text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let joined = spaced.split_whitespace().collect::<Vec<_>>().join("_");
    joined.chars().take(40).collect::<String>().trim_end_matches('_').to_owned()
}

/// The text as one line of at most `most` characters, with `…` at the cut.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    // cuts at a word's end if one is near
    let end = kept.rfind(' ').filter(|at| kept.len() - at < 20).unwrap_or(kept.len());
    format!("{}…", kept[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_statement_is_compared_without_case_punctuation_and_short_forms() {
        assert_eq!(words("I don\u{2019}t like the TEA, really."), ["i", "do", "not", "like", "tea"]);
        assert_eq!(words("It's Jo's; it costs -5!"), ["it", "is", "jo's", "it", "costs", "-5"]);
        assert_eq!(stems("Jo's preference is tea"), stems("Jo prefers the tea."));
        assert_ne!(stems("from Rome"), stems("Rome"));
    }

    #[test]
    fn jv8_a_query_holds_in_any_script_and_without_accents() {
        for (text, query) in [
            ("日本の船は赤い", "日本の船"),
            ("私のパスワードはひまわりです", "パスワード"),
            ("我的猫叫小花", "小花"),
            ("나는 서울에 살아요", "서울"),
            ("Le llaman el Niño", "nino"),
        ] {
            assert!(holds_every_word(text, query), "{query}");
        }
        for (text, query) in
            [("日本の船は赤い", "青い船"), ("私は猫です", "猫"), ("the boats are red", "boat")]
        {
            assert!(!holds_every_word(text, query), "{query}");
        }
    }

    #[test]
    fn names_are_capitals_in_the_middle() {
        assert_eq!(names("The friend of Ann's is \"Bob\" and I am not"), ["ann", "bob"]);
    }

    #[test]
    fn a_key_holds_letters_digits_and_underscores() {
        assert_eq!(slug("  E-mail alerts, ALWAYS! "), "e_mail_alerts_always");
        assert_eq!(slug("?"), "");
    }

    proptest! {
        #[test]
        fn a_clipped_text_is_one_line_within_its_limit(text in "(\\PC|\n){0,80}", most in 1usize..40) {
            let clipped = clipped(&text, most);
            prop_assert!(clipped.chars().count() <= most && !clipped.contains('\n'));
        }

        #[test]
        fn any_text_has_words_stems_names_and_a_slug(text in "\\PC{0,60}") {
            let _ = (stems(&text), names(&text));
            prop_assert!(words(&text).iter().all(|w| !w.is_empty()));
            prop_assert!(slug(&text).chars().count() <= 40);
        }

        #[test]
        fn shared_stems_are_those_that_both_texts_have(
            one in "([a-z'’]{1,9}|\\PC{1,4}| ){0,30}",
            other in "([a-z'’]{1,9}|\\PC{1,4}| ){0,30}",
        ) {
            for (one, other) in [(&one, &other), (&one, &format!("{other} {one}"))] {
                let held = stems(other);
                let all = stems(one);
                let shared = all.iter().filter(|stem| held.contains(stem)).count();
                prop_assert_eq!(count_shared(&all, other), shared);
            }
        }
    }
}
