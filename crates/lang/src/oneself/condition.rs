//! Conditions at the end of a sentence: "I live in Graz, unless the visa fails" tells nothing lasting.

use std::sync::LazyLock;

use crate::{
    phrases::Phrases,
    text::{Word, is_listed},
};

/// The beginnings of conditions, without accents; `|` separates phrases.
const CONDITIONS: &str = "if|unless|provided|provided that|assuming|as long as|so long as|on condition|only if|even if|\
    falls|sofern|solange|wenn|vorausgesetzt|es sei denn|ausser wenn|nur wenn|unter der bedingung|\
    si|a menos que|salvo que|salvo si|siempre que|con tal de que|a condicion de|a condicion de que|suponiendo que|\
    sauf si|a moins que|a moins de|a condition que|a condition de|pourvu que|tant que|en supposant que";

/// Words of the second person. A condition with them is about the reader, so the fact holds: "I'm allergic to nuts, if
/// you cook tonight".
const OF_THE_READER: &str = "you your anyone du dich dir dein deine ihr euch jemand tu te ti vosotros usted ustedes alguien toi vous quelqu'un";

/// The position of a condition that ends a sentence. A condition with a comma in it belongs to the next clause: "I'm
/// vegan, if we go out, pick a place". `words` have no closing phrase such as "if that helps".
pub(super) fn condition(sentence: &str, words: &[Word<'_>]) -> Option<usize> {
    static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(CONDITIONS));
    let at = (1..words.len()).find(|at| PHRASES.lengths(&words[*at..]).next().is_some())?;
    let rest = &words[at..];
    let goes_on = sentence[rest.first()?.start..rest.last()?.end].contains([',', ';', ':']);
    let of_the_reader = rest.iter().any(|word| is_listed(OF_THE_READER, &word.folded));
    (rest.len() > 2 && !goes_on && !of_the_reader).then_some(at)
}
