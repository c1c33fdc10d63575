//! Facts that no longer hold: "I'm not vegetarian any more", "ich wohne nicht mehr in Kiel", "ya no soy vegana", "je
//! n'habite plus à Lyon". The topic is found in the clause without the words that end the fact.

use super::contractions::contracted;
use crate::text::{Word, is_listed};

/// Variants of the clause without the words that end the fact, in the order in which they are tried. Empty if no fact
/// ends.
pub(super) fn before<'a>(text: &str, words: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    let found = [english(text, words), german(words), spanish(words), not_so_french(words, "plus")];
    found.into_iter().flatten().collect()
}

/// Variants of the clause without its denial, in the order in which they are tried. Empty if nothing is denied.
pub(super) fn denied<'a>(text: &str, words: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    /// Denials, and the words that replace them.
    const DENIED: [(&str, &[&str]); 12] = [
        ("not", &[""]),
        ("don't", &[""]),
        ("doesn't", &[""]),
        ("isn't", &["is"]),
        ("aren't", &["are"]),
        ("no", &["", "a"]),
        ("nicht", &[""]),
        ("kein", &["ein", ""]),
        ("keine", &["eine", ""]),
        ("keinen", &["einen", ""]),
        ("keinem", &["einem", ""]),
        ("keiner", &["einer", ""]),
    ];
    // checked before words are copied: each denial has one of these words
    const SHORT: &str = "not no dont doesnt pas nicht kein keine keinen keinem keiner";
    if !words.iter().any(|word| is_listed(SHORT, &word.folded) || word.folded.ends_with("n't")) {
        return Vec::new();
    }
    let words = contracted(text, words);
    let mut claims = not_so_french(&words, "pas");
    for (denial, places) in DENIED {
        let Some(at) = position(&words, denial) else { continue };
        for place in places {
            let mut claim = without(&words, if place.is_empty() { std::slice::from_ref(&at) } else { &[] });
            if !place.is_empty() {
                claim[at].folded = (*place).into();
            }
            claims.push(claim);
        }
    }
    claims
}

/// Topics for which a denial alone tells nothing: "ich wohne nicht in Graz". In contrast, "I don't eat meat" tells a
/// diet.
const CLAIMS: &str = "home work origin studies allergy name";
/// Words after a denial with which it denies something else: "nicht nur als Koch".
const NOT_OF_ALL: &str = "only nur solo solamente seulement just";

/// Whether a clause denies a fact without saying that it has ended. In English "no" is no denial: "I work at no 10".
pub(super) fn is_denied(text: &str, topic: &str, words: &[Word<'_>], is_english: bool) -> bool {
    let denials = if is_english { "not" } else { "nicht no pas" };
    let claim = topic.split(' ').next().is_some_and(|first| is_listed(CLAIMS, first));
    let denial = words.iter().position(|word| is_listed(denials, &word.folded)).filter(|at| *at > 0);
    let Some(at) = denial.filter(|_| claim) else { return false };
    // in Spanish and French the denial is next to the verb
    let far = match &*words[at].folded {
        "no" => at > 3,
        "pas" => at > 5,
        _ => false,
    };
    if far {
        return false;
    }
    // "in Graz, not in Linz" names the place
    let apart = text[words[at - 1].end..words[at].start].contains([',', ';', '-', '(']);
    let of_else = words.get(at + 1).is_some_and(|next| is_listed(NOT_OF_ALL, &next.folded));
    !apart && !of_else && before(text, words).is_empty()
}

/// Whether a text says that a fact ends, in any language.
pub(super) fn ends(text: &str, words: &[Word<'_>]) -> bool {
    let japanese = text.contains("もう") || ["やめ", "辞め", "治り"].iter().any(|end| text.contains(end));
    japanese || !before(text, words).is_empty()
}

/// "no longer", "not … any more".
fn english<'a>(text: &str, words: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    // checked before words are copied: each of the phrases has one of these words
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

/// "ne … plus", "ne … pas".
fn not_so_french<'a>(words: &[Word<'a>], behind: &str) -> Vec<Vec<Word<'a>>> {
    let denies = |word: &Word<'_>| word.folded == "ne" || word.folded.starts_with("n'");
    let Some(more) = position(words, behind) else { return Vec::new() };
    let Some(ne) = words.iter().position(denies) else {
        // "je suis plus végétarienne": spoken French leaves "ne" out
        let spoken = more == 2 && is_listed("je on", &words[0].folded)
            || more == 1 && words[0].folded.starts_with("j'");
        let compares = words.iter().any(|word| word.folded == "que" || word.folded.starts_with("qu'"));
        return if spoken && !compares { vec![without(words, &[more])] } else { Vec::new() };
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

/// Endings of Japanese denials, and the endings of what they deny.
const DENIED_JAPANESE: [(&str, &str); 10] = [
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

/// The statement that a Japanese clause denies: "仙台に住んでいません".
pub(super) fn denied_japanese(said: &str) -> Option<String> {
    let (rest, still) =
        DENIED_JAPANESE.iter().find_map(|(end, still)| Some((said.strip_suffix(end)?, still)))?;
    Some(format!("{rest}{still}"))
}

/// The clause of a Japanese fact as it was before the fact ended: "もう仙台に住んでいません", "看護師を辞めました".
pub(super) fn before_japanese(said: &str) -> Option<String> {
    const ENDED: [&str; 6] =
        ["をやめました", "を辞めました", "をやめた", "を辞めた", "が治りました", "が治った"];
    if let Some(rest) = ENDED.iter().find_map(|end| said.strip_suffix(end)) {
        return Some(format!("{rest}です"));
    }
    let claim = denied_japanese(said).filter(|_| said.contains("もう"))?;
    Some(claim.replace("もう", ""))
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
