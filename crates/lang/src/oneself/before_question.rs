//! Splits the statement before a question from the question.

use std::sync::LazyLock;

use crate::{
    phrases::Phrases,
    text::{TOLD_UNSPACED, is_japanese, is_listed, split},
};

/// The minimum number of words in a question after a comma. A shorter one only asks for confirmation: "…, right?"
const ASKING: usize = 3;
/// The same after the mark that begins a Spanish question, and in characters for a language without spaces.
const ASKING_IN_SPANISH: usize = 2;
const ASKING_UNSPACED: usize = 8;
/// Longer phrases that ask for confirmation.
const TAGS: &str = "don't you think|do you think|wouldn't you say|isn't that right|is that right|meinst du nicht|no crees|no te parece|\
    no es asi|no es verdad|tu ne crois pas|tu ne trouves pas|n'est ce pas";

/// Last words of short questions that ask for something, not for confirmation: "…, any ideas?"
const IDEAS: &str = "ideas idea thoughts tips advice help suggestions recommendations ideen idee tipps vorschlage rat consejos sugerencias \
    recomendaciones idees conseils suggestions pistes";

/// The statement before a question: "I don't eat meat, so could you suggest something?" Returns the whole sentence if
/// it is no question, and `None` if it only asks.
pub(super) fn before_question(sentence: &str) -> Option<&str> {
    static ASKS_WHETHER: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(TAGS));
    let comma = match sentence.find('¿') {
        Some(begin) => begin,
        None if !sentence.ends_with(['?', '？']) => return Some(sentence),
        None => sentence.rfind([',', ';', '、', '，']).max(told_in_japanese(sentence))?,
    };
    let (said, asks) = sentence.split_at(comma);
    let long = match is_japanese(asks) {
        true => asks.chars().count() >= ASKING_UNSPACED,
        false => {
            let words = split(asks);
            let least = if asks.starts_with('¿') { ASKING_IN_SPANISH } else { ASKING };
            let for_ideas = words.last().is_some_and(|word| is_listed(IDEAS, &word.folded));
            (words.len() >= least || for_ideas)
                && !ASKS_WHETHER.lengths(&words).any(|length| length == words.len())
        }
    };
    long.then(|| said.trim_end_matches([',', ';', ' '])).filter(|said| !said.is_empty())
}

/// The offset where a Japanese question begins after a statement: 「小麦アレルギーなんだけど何か焼けるものある？」
fn told_in_japanese(sentence: &str) -> Option<usize> {
    let ends = TOLD_UNSPACED.iter().filter_map(|told| sentence.rfind(told).map(|at| at + told.len()));
    ends.max().filter(|_| is_japanese(sentence))
}
