//! Facts that no longer hold: "I'm not vegetarian any more", "ich wohne nicht mehr in Kiel", "ya no soy vegana", "je n'habite
//! plus à Lyon". The clause as it was before has the topic of the fact that ends.

use super::contractions::contracted;
use crate::text::{Word, is_listed};

/// The clause without the words that end it, in the order in which its topic is looked for. Empty where nothing ends.
pub(super) fn before<'a>(text: &str, words: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    let found = [english(text, words), german(words), spanish(words), french(words)];
    found.into_iter().flatten().collect()
}

/// Whether a text says that something ends, in any language.
pub(super) fn ends(text: &str, words: &[Word<'_>]) -> bool {
    let japanese = text.contains("もう") || ["やめ", "辞め", "治り"].iter().any(|end| text.contains(end));
    japanese || !before(text, words).is_empty()
}

/// "no longer", "not … any more".
fn english<'a>(text: &str, words: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    // before anything is copied: each of the phrases has one of these words
    if !words.iter().any(|word| matches!(&*word.folded, "longer" | "more" | "anymore")) {
        return Vec::new();
    }
    let words = contracted(text, words);
    if let Some(at) = pair(&words, "no", "longer") {
        return vec![without(&words, &[at, at + 1])];
    }
    let more = pair(&words, "any", "more")
        .or_else(|| pair(&words, "any", "longer"))
        .map(|at| vec![at, at + 1])
        .or_else(|| position(&words, "anymore").map(|at| vec![at]));
    let denied = words.iter().position(|word| is_listed("not don't doesn't aren't isn't", &word.folded));
    let (Some(more), Some(denied)) = (more, denied) else { return Vec::new() };
    vec![without(&words, &[&[denied], more.as_slice()].concat()), without(&words, &more)]
}

/// "nicht mehr", "keine … mehr".
fn german<'a>(words: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    let Some(more) = position(words, "mehr") else { return Vec::new() };
    if more > 0 && words[more - 1].folded == "nicht" {
        return vec![without(words, &[more - 1, more])];
    }
    let none = words.iter().position(|word| is_listed("kein keine keinen", &word.folded));
    let Some(none) = none.filter(|none| *none < more) else { return Vec::new() };
    let denied = without(words, &[more]);
    let mut claimed = without(words, &[more]);
    claimed[none].folded = claimed[none].folded.trim_start_matches('k').to_owned().into();
    vec![denied, claimed]
}

/// "ya no", "no … ya".
fn spanish<'a>(words: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    match (position(words, "ya"), position(words, "no")) {
        (Some(already), Some(no)) => vec![without(words, &[already, no])],
        _ => Vec::new(),
    }
}

/// "ne … plus".
fn french<'a>(words: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    let denies = |word: &Word<'_>| word.folded == "ne" || word.folded.starts_with("n'");
    let (Some(ne), Some(more)) = (words.iter().position(denies), position(words, "plus")) else {
        return Vec::new();
    };
    let mut claimed = without(words, &[more]);
    match words[ne].folded.strip_prefix("n'").map(ToOwned::to_owned) {
        None => claimed = without(&claimed, &[ne]),
        Some(verb) if ne > 0 && words[ne - 1].folded == "je" => {
            claimed[ne].folded = format!("j'{verb}").into();
            claimed = without(&claimed, &[ne - 1]);
        }
        Some(verb) => claimed[ne].folded = verb.into(),
    }
    vec![claimed]
}

/// The clause of a Japanese fact before it ended: "もう仙台に住んでいません", "看護師を辞めました".
pub(super) fn before_japanese(said: &str) -> Option<String> {
    const DENIED: [(&str, &str); 10] = [
        ("ではありません", "です"),
        ("じゃありません", "です"),
        ("ではないです", "です"),
        ("じゃないです", "です"),
        ("ではない", "です"),
        ("じゃない", "です"),
        ("ではなくなりました", "です"),
        ("いません", "います"),
        ("いないです", "います"),
        ("いない", "います"),
    ];
    const ENDED: [&str; 6] =
        ["をやめました", "を辞めました", "をやめた", "を辞めた", "が治りました", "が治った"];
    if let Some(rest) = ENDED.iter().find_map(|end| said.strip_suffix(end)) {
        return Some(format!("{rest}です"));
    }
    let (rest, still) = DENIED.iter().find_map(|(end, still)| Some((said.strip_suffix(end)?, still)))?;
    said.contains("もう").then(|| format!("{}{still}", rest.replace("もう", "")))
}

fn position(words: &[Word<'_>], wanted: &str) -> Option<usize> {
    words.iter().position(|word| word.folded == wanted)
}

fn pair(words: &[Word<'_>], first: &str, second: &str) -> Option<usize> {
    words.windows(2).position(|pair| pair[0].folded == first && pair[1].folded == second)
}

fn without<'a>(words: &[Word<'a>], left_out: &[usize]) -> Vec<Word<'a>> {
    let kept = words.iter().enumerate().filter(|(at, _)| !left_out.contains(at));
    kept.map(|(_, word)| Word { folded: word.folded.clone(), ..*word }).collect()
}
