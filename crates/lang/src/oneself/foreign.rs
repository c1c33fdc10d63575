//! Text that a message only gives: a translation that is asked for, a poem, what a customer wrote, a part in a play. What it
//! says is not said of its author (MP6).

use crate::text::{is_japanese, is_listed, split};

/// Words before a colon after which other text stands, and words with which the whole rest is played.
const HEADINGS: &str = "translate translation translated poem haiku lyrics song verse quote quotes quoted example sentence \
    dialogue dialog script scene caption wrote writes written paragraph monologue proofread rephrase paraphrase summarise summarize \
    grammar headline customer character stanza limerick \
    ubersetze ubersetz ubersetzen ubersetzung gedicht liedtext lied zitat zitiere beispiel beispielsatz satz szene schrieb \
    schreibt geschrieben figur korrigiere lektoriere formuliere drehbuch kundin kunde absatz strophe \
    traduce traducir traduccion poema letra cancion cita ejemplo frase oracion dialogo escena escribio escribe escrito \
    personaje corrige reformula guion cliente parrafo estrofa \
    traduis traduire traduisez traduction poeme paroles chanson citation cite exemple phrase ecrit ecrivait personnage \
    corrigez reformule scenario cliente paragraphe strophe";
const PLAYED: &str = "roleplay role-play rollenspiel";
const HEADINGS_UNSPACED: [&str; 13] = [
    "翻訳",
    "訳して",
    "英訳",
    "和訳",
    "詩",
    "俳句",
    "短歌",
    "歌詞",
    "引用",
    "例文",
    "台詞",
    "セリフ",
    "添削",
];
const PLAYED_UNSPACED: [&str; 2] = ["ロールプレイ", "なりきり"];

/// What a message says before it gives other text. All of it where it gives none.
///
/// ```
/// use greenroom_lang::before_other_text;
///
/// assert_eq!(before_other_text("I live in Kiel. Translate into German: I live in Rome"), "I live in Kiel.");
/// assert_eq!(before_other_text("My address: I live in Kiel"), "My address: I live in Kiel");
/// ```
pub fn before_other_text(message: &str) -> &str {
    let mut begin = 0;
    for (at, mark) in message.char_indices() {
        if !matches!(mark, '.' | '!' | '?' | '\n' | ':' | '。' | '！' | '？' | '：') {
            continue;
        }
        let sentence = &message[begin..at];
        let is_heading = matches!(mark, ':' | '：');
        if gives_other_text(sentence, is_heading) {
            return message[..begin].trim_end();
        }
        if !is_heading {
            begin = at + mark.len_utf8();
        }
    }
    message
}

fn gives_other_text(sentence: &str, is_heading: bool) -> bool {
    if is_japanese(sentence) {
        let has = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
        return has(&PLAYED_UNSPACED) || is_heading && has(&HEADINGS_UNSPACED);
    }
    let words = split(sentence);
    words
        .iter()
        .any(|word| is_listed(PLAYED, &word.folded) || is_heading && is_listed(HEADINGS, &word.folded))
}

#[cfg(test)]
mod tests {
    use super::before_other_text;

    #[test]
    fn mp6_text_that_a_message_only_gives_is_not_said_of_its_author() {
        for (message, said) in [
            ("Translate into German: I live in a small house by the sea", ""),
            ("I'm vegan. Here's a poem: I am the wind, I live in the trees", "I'm vegan."),
            ("The customer wrote: I am allergic to latex, do you have other gloves?", ""),
            ("Roleplay time. You're the waiter and I'm a vegan duchess from Vienna.", ""),
            ("Hier ein Gedicht: Ich bin der Wind, ich wohne in den Bäumen", ""),
            ("Traduce al inglés: Vivo en una casita junto al mar", ""),
            ("La cliente a écrit : Je suis allergique au latex, avez-vous d'autres gants ?", ""),
            ("仙台に住んでいます。英訳して：私は東京に住んでいます。", "仙台に住んでいます。"),
            ("ロールプレイしよう。私は江戸時代の侍、名前は源之助。", ""),
        ] {
            assert_eq!(before_other_text(message), said, "{message}");
        }
        for message in
            ["One correction: I live in Perth", "It is 10:30. I live in Perth", "Songs are nice. I'm vegan!"]
        {
            assert_eq!(before_other_text(message), message);
        }
    }
}
