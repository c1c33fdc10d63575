//! Requests not to remember something (MP6): "don't save this, but …", "vergiss, dass …", "off the record: …".

use std::sync::LazyLock;

use crate::{
    phrases::Phrases,
    text::{is_japanese, is_listed, split},
};

/// How a request begins, in words without accents; `|` separates phrases.
const BEGINNINGS: &str = "don't remember this|don't remember that|do not remember this|do not remember that|don't save|do not save|\
    don't store|do not store|don't keep this|don't keep that|do not keep this|do not keep that|don't note|don't write this down|\
    don't write that down|don't memorise|don't memorize|don't log this|don't log that|don't record this|don't record that|\
    don't add this to|never remember|no need to remember|no need to note|you don't have to remember|you don't need to remember|\
    you needn't remember|not for your memory|not for the record|off the record|forget that i|forget that i'm|forget that i've|\
    forget that my|forget that we|forget i|forget my|forget what i|forget about my|keep this out of|keep that out of|leave this out of|\
    merk dir nicht|merk dir das nicht|merk dir das bitte nicht|merk dir bitte nicht|merke dir nicht|merke dir das nicht|\
    merken sie sich nicht|merken sie sich das nicht|vergiss dass|vergiss bitte dass|vergiss mal dass|vergiss was|vergiss bitte was|\
    vergessen sie dass|speicher das nicht|speicher das bitte nicht|speichere das nicht|speichere das bitte nicht|speichere nicht|\
    speicher nicht|bitte nicht speichern|nicht speichern|nicht merken|nicht notieren|notier das nicht|notiere das nicht|\
    notier dir das nicht|notiere dir das nicht|schreib das nicht|schreib dir das nicht|behalt das nicht|behalte das nicht|\
    das musst du dir nicht merken|das brauchst du dir nicht|du musst dir nicht merken|du brauchst dir nicht zu merken|\
    nicht furs protokoll|\
    no guardes|no lo guardes|no recuerdes|no lo recuerdes|no te acuerdes|olvida que|olvidate de que|olvida lo que|no apuntes|\
    no lo apuntes|no anotes|no lo anotes|no memorices|no lo memorices|no tomes nota|no registres|no lo registres|\
    no hace falta que recuerdes|no hace falta que lo recuerdes|no hace falta que te acuerdes|no tienes que recordar|\
    oublie que|oublie ce que|oubliez que|oubliez ce que|ne retiens pas|ne le retiens pas|ne retenez pas|retiens pas|\
    ne te souviens pas|ne t'en souviens pas|ne note pas|ne le note pas|ne notez pas|note pas|ne garde pas|ne le garde pas|\
    ne gardez pas|n'enregistre pas|ne l'enregistre pas|n'enregistrez pas|ne memorise pas|ne le memorise pas|pas besoin de retenir|\
    pas besoin de noter|tu n'as pas a retenir";

/// Words before a request.
const OPENINGS: &str = "please bitte por favor s'il te plait vous also hey hi hallo hola salut ok okay oh dann entonces alors btw just";

/// Words after which a clause begins.
const JOINTS: &str = "and but so und aber y pero et mais";

/// What a Japanese request has in it. "忘れないで" asks to remember.
const UNSPACED: [&str; 14] = [
    "覚えないで",
    "覚えなくていい",
    "覚えなくて大丈夫",
    "覚えておかないで",
    "記憶しないで",
    "保存しないで",
    "記録しないで",
    "メモしないで",
    "書き留めないで",
    "忘れてください",
    "忘れてほしい",
    "ことは忘れて",
    "ことを忘れて",
    "オフレコ",
];

/// Whether a text asks not to remember what it says, or to forget it. A request stands at the beginning of a clause: "I don't
/// remember that song" is none.
///
/// ```
/// use greenroom_lang::asks_not_to_remember;
///
/// assert!(asks_not_to_remember("Please don't save this, but I work nights"));
/// assert!(!asks_not_to_remember("Don't forget that I work nights"));
/// ```
pub fn asks_not_to_remember(text: &str) -> bool {
    static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(BEGINNINGS));
    if is_japanese(text) {
        return UNSPACED.iter().any(|phrase| text.contains(phrase));
    }
    let words = split(text);
    let mut begins = true;
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |last| &text[words[last].end..word.start]);
        begins |= before.contains(|c: char| !c.is_whitespace() && !matches!(c, '\'' | '’' | '"'));
        if begins && PHRASES.lengths(&words[at..]).next().is_some() {
            return true;
        }
        begins = begins && is_listed(OPENINGS, &word.folded) || is_listed(JOINTS, &word.folded);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mp6_requests_not_to_remember_are_understood_in_five_languages() {
        for request in [
            "please don't keep this: I live in Hull",
            "Don't save this, but I work for the council",
            "No need to remember this: I live in Hull",
            "not for your memory: my cat is called Plum",
            "between us and don't note it down, I'm pregnant",
            "off the record: i work nights",
            "forget that my cat is called Quim",
            "I'm vegan. Please don't store that.",
            "merk dir nicht, dass ich in Hummelburg wohne",
            "merk dir bitte nicht, dass ich vegan bin",
            "speicher das bitte nicht, ich bin schwanger",
            "Nicht merken: ich heiße Ute",
            "das musst du dir nicht merken, aber ich wohne in Kiel",
            "vergiss bitte, dass ich Wackelpeter hasse",
            "no guardes esto: vivo en Jaén",
            "oublie que j'habite à Lyon",
            "ne retiens pas que je suis végane",
            "ne note pas ça : je suis enceinte",
            "ne garde pas ça en mémoire : j'habite à Lyon",
            "覚えないで、私はビーガンです",
            "仙台に住んでいることは忘れてください",
        ] {
            assert!(asks_not_to_remember(request), "{request}");
        }
    }

    #[test]
    fn mp6_other_sentences_with_such_words_are_no_requests_not_to_remember() {
        for other in [
            "Don't forget that I live in Hull",
            "I don't remember that song, but I'm vegan",
            "I can't save money, my rent is too high",
            "We don't store milk here",
            "Vergiss nicht, dass ich in Kiel wohne",
            "Ich habe es mir nicht merken können",
            "No olvides que soy vegana",
            "n'oublie pas que j'habite à Lyon",
            "傘を忘れてしまった",
            "忘れないで、私はビーガンです",
            "Forget it, I live in Hull anyway",
        ] {
            assert!(!asks_not_to_remember(other), "{other}");
        }
    }
}
