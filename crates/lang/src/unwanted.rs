//! Detection of requests not to remember something (MP6): "don't save this, but …", "vergiss, dass …", "off the record:
//! …".

use std::sync::LazyLock;

use crate::{
    phrases::Phrases,
    text::{Word, is_japanese, is_listed, split},
};

/// The beginnings of requests, without accents; `|` separates phrases.
const BEGINNINGS: &str = "don't remember this|don't remember that|do not remember this|do not remember that|don't save|do not save|\
    don't store|do not store|don't keep this|don't keep that|do not keep this|do not keep that|don't note|don't write this down|\
    don't write that down|don't memorise|don't memorize|don't log this|don't log that|don't record this|don't record that|\
    don't add this to|never remember|no need to remember|no need to note|you don't have to remember|you don't need to remember|\
    you needn't remember|not for your memory|not for the record|off the record|forget that i|forget that i'm|forget that i've|\
    forget that my|forget that we|forget i|forget my|forget what i|forget about my|forget this again|forget this right away|forget this straight away|this stays out of|that stays out of|it stays out of|keep this out of|keep that out of|leave this out of|\
    behalt das bitte nicht|behalte das bitte nicht|merk dir nicht|merk dir das nicht|merk dir das bitte nicht|merk dir bitte nicht|merke dir nicht|merke dir das nicht|\
    merken sie sich nicht|merken sie sich das nicht|vergiss dass|vergiss bitte dass|vergiss mal dass|vergiss was|vergiss bitte was|\
    vergessen sie dass|vergiss das gleich|vergiss das wieder|vergiss das sofort|vergiss es gleich|vergiss es wieder|das bleibt aus|das bleibt bitte aus|speicher das nicht|speicher das bitte nicht|speichere das nicht|speichere das bitte nicht|speichere nicht|\
    speicher nicht|bitte nicht speichern|nicht speichern|nicht merken|nicht notieren|notier das nicht|notiere das nicht|\
    notier dir das nicht|notiere dir das nicht|schreib das nicht|schreib dir das nicht|behalt das nicht|behalte das nicht|\
    das musst du dir nicht merken|das brauchst du dir nicht|du musst dir nicht merken|du brauchst dir nicht zu merken|\
    nicht furs protokoll|\
    no guardes|no lo guardes|no recuerdes|no lo recuerdes|no te acuerdes|olvida que|olvidate de que|olvida lo que|olvida esto enseguida|olvidalo enseguida|no apuntes|\
    no lo apuntes|no anotes|no lo anotes|no memorices|no lo memorices|no tomes nota|no registres|no lo registres|\
    no hace falta que recuerdes|no hace falta que lo recuerdes|no hace falta que te acuerdes|no tienes que recordar|\
    oublie que|oublie ce que|oublie ca tout de suite|oublie ca aussitot|ne note rien|ne notez rien|note rien|oubliez que|oubliez ce que|ne retiens pas|ne le retiens pas|ne retenez pas|retiens pas|\
    ne te souviens pas|ne t'en souviens pas|ne note pas|ne le note pas|ne notez pas|note pas|ne garde pas|ne le garde pas|\
    ne gardez pas|n'enregistre pas|ne l'enregistre pas|n'enregistrez pas|ne memorise pas|ne le memorise pas|pas besoin de retenir|\
    pas besoin de noter|tu n'as pas a retenir|pas la peine de retenir|pas la peine de noter|pas la peine de t'en souvenir|\
    then forget it|then forget this|then forget that|you must forget|u must forget|you have to forget|\
    dann vergessen|dann gleich vergessen|dann wieder vergessen|gleich wieder vergessen|dann vergiss es|\
    luego lo olvidas|luego olvidalo|despues lo olvidas|apres tu oublies|apres oublie|ensuite tu oublies";

/// Words before a request.
const OPENINGS: &str = "please pls plz bitte por favor porfa s'il te plait vous stp svp also hey hi hallo hola salut ok okay oh hm dann entonces alors btw just";

/// Words after which a clause begins.
const JOINTS: &str = "and but so und aber y pero et mais";

/// Phrases of Japanese requests. "忘れないで" asks to remember and is not listed.
const UNSPACED: [&str; 29] = [
    "記録はしないで",
    "保存はしないで",
    "記憶はしないで",
    "メモはしないで",
    "忘れてね",
    "忘れて下さい",
    "聞かなかったこと",
    "なかったことにして",
    "残さないで",
    "残してほしくない",
    "記憶に残してほしく",
    "覚えておかなくて",
    "覚えてほしくない",
    "覚えておいてほしくない",
    "保存してほしくない",
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

/// The words of a clause that refuses in other words, for one language: a denial, a verb or noun of keeping, and a
/// pronoun for the content or the reader.
struct Refusal {
    denials: &'static str,
    keeping: &'static str,
    pointing: &'static str,
    /// Words with which the author is the one who forgets: "I don't remember that".
    own: &'static str,
    /// Words with which the reader is meant anyway: "I don't want you to save this".
    reader: &'static str,
}

const REFUSALS: [Refusal; 4] = [
    Refusal {
        denials: "don't dont not no never nothing without didn't rather",
        keeping: "remember remembered save saved store stored keep kept record recorded note notes memory log hold hang file memorise memorize",
        pointing: "this that it you your here",
        own: "i we he she they my who which can't couldn't won't",
        reader: "you want rather your",
    },
    Refusal {
        denials: "nicht nie niemals",
        keeping: "merken merkst merk speichern speicherst speicher abspeichern behalten behaltst behalt behalte aufbewahren notieren notierst \
            gedachtnis notizen aufschreiben protokollieren",
        pointing: "das dies es du dir dein deine deinem deinen bitte",
        own: "mir mich uns kann konnte",
        reader: "du dein deine deinem deinen",
    },
    Refusal {
        denials: "no nunca sin",
        keeping: "guardes guarde guarden guardar recuerdes recuerde recordar memoria memorices apuntes anotes registres registrado registrada \
            guardado guardada quedes quede retengas",
        pointing: "esto eso lo tu te que",
        own: "puedo pude logro consigo me yo",
        reader: "tu te quiero",
    },
    Refusal {
        denials: "pas ne jamais inutile sans n'a",
        keeping: "retenir retiens retienne retiennes gardes garder garde enregistre enregistrer enregistres memoire noter notes souvenir memoriser \
            conserve conserver conserves enregistree",
        pointing: "ca ce cela c'est tu ta toi",
        own: "je j'ai j'arrive n'arrive moi",
        reader: "tu ta toi",
    },
];

/// With these words the clause asks to keep it: "Don't forget to note that …".
const FORGETTING: &str =
    "forget forgetting vergiss vergessen olvides olvidar oublie oublies oublier n'oublie";

/// The maximum number of words in a clause that refuses.
const REFUSING: usize = 12;

/// Whether a clause refuses in other words: "I don't want you to remember this", "das gehört nicht in deine Notizen".
fn refuses(words: &[Word<'_>]) -> bool {
    let has = |list: &str| words.iter().any(|word| is_listed(list, &word.folded));
    // the denial must come first: "remember that the window is never locked" asks to keep it
    let denied = |of: &Refusal| {
        let denial = words.iter().position(|word| is_listed(of.denials, &word.folded));
        let keeping = words.iter().rposition(|word| is_listed(of.keeping, &word.folded));
        denial.zip(keeping).is_some_and(|(denial, keeping)| denial < keeping)
    };
    words.len() <= REFUSING
        && !has(FORGETTING)
        && REFUSALS.iter().any(|of| {
            // the cheapest and most selective test comes first
            has(of.keeping) && denied(of) && has(of.pointing) && (!has(of.own) || has(of.reader))
        })
}

/// Whether a text asks not to remember what it says, or to forget it. Such a request is at the beginning of a clause:
/// "I don't remember that song" is none.
///
/// ```
/// use greenroom_lang::asks_not_to_remember;
///
/// assert!(asks_not_to_remember("Please don't save this, but I work nights"));
/// assert!(!asks_not_to_remember("Don't forget that I work nights"));
/// ```
pub fn asks_not_to_remember(text: &str) -> bool {
    // many people leave the apostrophe out
    static SPELLINGS: LazyLock<String> =
        LazyLock::new(|| format!("{BEGINNINGS}|{}", BEGINNINGS.replace("don't", "dont")));
    static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&SPELLINGS));
    if is_japanese(text) {
        return UNSPACED.iter().any(|phrase| text.contains(phrase));
    }
    let words = split(text);
    let mut clause = 0;
    for at in 1..=words.len() {
        let ends = words.get(at).is_none_or(|word| {
            let between = &text[words[at - 1].end..word.start];
            between.contains([',', '.', ';', ':', '!', '?', '–', '\n'])
                || is_listed(JOINTS, &words[at - 1].folded)
        });
        if ends {
            if refuses(&words[clause..at]) {
                return true;
            }
            clause = at;
        }
    }
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
            "I live in Norwich, but don't hang on to that please.",
            "I don't want you to remember this, but I'm vegan.",
            "This is not for your notes: I live in Norwich.",
            "No need to keep this on file, I live in Norwich.",
            "Ich wohne in Osnabrück, aber behalt das bitte nicht im Gedächtnis.",
            "Ich will nicht, dass du das nicht vergisst, das gehört nicht in deine Notizen: ich wohne in Kassel.",
            "Brauchst du dir nicht merken, aber ich wohne in Kassel.",
            "No quiero que lo guardes: vivo en Soria.",
            "Que esto no quede en tu memoria: mi hijo tiene epilepsia.",
            "Je ne veux pas que tu gardes ça : j'habite à Melun.",
            "C'est pas à retenir : je suis végane.",
            "メモリに残さないで、静岡に住んでいます。",
            "unter uns, vergiss das gleich wieder: ich bin schwanger",
            "pls dont store that i live in Crewe",
            "oublie ça tout de suite mais je suis enceinte",
            "Forget this again right away but i have hiv",
            "olvida esto enseguida, pero vivo en Soria",
            "聞いたら忘れてね、浮気してる",
            "ここだけの話で記録はしないでね、離婚しました",
            "ne note rien là-dessus, je suis enceinte",
            "das bleibt bitte aus deinem Gedächtnis: ich bin schwanger",
            "just between us and then forget it: I'm pregnant",
            "nur für dich und dann gleich vergessen: ich wohne in Pirna",
            "entre nous, et après tu oublies : j'ai raté le permis",
            "保存してほしくないんだけど、静岡に住んでいます。",
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
            "Vergiss das nicht: ich wohne in Kiel",
            "N'oublie pas ça, j'habite à Lyon",
            "Ich habe es mir nicht merken können",
            "No olvides que soy vegana",
            "n'oublie pas que j'habite à Lyon",
            "傘を忘れてしまった",
            "忘れないで、私はビーガンです",
            "Forget it, I live in Hull anyway",
            "Remember that the attic window is never locked",
            "Keep in mind that I don't eat that",
            "I ran out of memory and I live in Hull",
            "Check out this note: I live in Hull",
            "Lies das aus deinen Notizen vor, ich wohne in Kiel",
            "Vergiss das, ich wohne jetzt in Kiel",
            "oublie ça, en fait j'habite à Lyon",
            "C'est pas une bonne note, ça, je suis prof",
            "Je note tout dans un carnet, j'habite à Lyon",
            "Don't forget to note that I'm vegan",
            "Merk dir dass ich nie Kaffee trinke",
            "Please note that you can never call me on Fridays",
            "I can't keep this plant alive, I work nights",
            "We don't keep a dog, my son is allergic",
            "Das kann ich mir nicht merken, ich bin Optikerin",
            "Je n'arrive pas à retenir ça, je suis dyslexique",
            "No puedo recordar eso, soy despistada",
            "Wie speichere ich eine Datei als PDF? Ich bin Logopädin",
        ] {
            assert!(!asks_not_to_remember(other), "{other}");
        }
    }
}
