//! Detection of foreign text in a message: a text to translate, a poem, a customer's words, a role in a play. Its
//! statements are not about the message's author (MP6).

use std::sync::LazyLock;

use crate::{
    phrases::Phrases,
    text::{is_japanese, is_listed, split},
};

/// Words before a colon that announce foreign text, and words that make the whole rest a play.
const HEADINGS: &str = "translate translation translated poem haiku lyrics song verse quote quotes quoted example sentence \
    dialogue dialog script scene caption wrote writes written paragraph monologue proofread rephrase paraphrase summarise summarize \
    grammar headline customer character stanza limerick \
    ubersetze ubersetz ubersetzen ubersetzung gedicht liedtext lied zitat zitiere beispiel beispielsatz satz szene schrieb \
    schreibt geschrieben figur korrigiere lektoriere formuliere drehbuch kundin kunde absatz strophe \
    traduce traducir traduccion poema letra cancion cita ejemplo frase oracion dialogo escena escribio escribe escrito \
    personaje corrige reformula guion cliente parrafo estrofa \
    traduis traduire traduisez traduction poeme paroles chanson citation cite exemple phrase ecrit ecrivait personnage \
    corrigez reformule scenario cliente paragraphe strophe";
const PLAYED: &str =
    "roleplay role-play rollenspiel fictional fiktive fiktiver fiktiven ficticio ficticia fictif fictive";
/// First words of orders to write or play, before a colon; and words with which "write" is a request to remember.
const ORDERS: &str = "write act pretend play say imagine draft compose describe schreib schreibe spiel spiele sag sage stell erfinde \
    escribe actua finge juega juego di imagina inventa redacta ecris joue jouez fais imagine imaginez dis redige invente";
const ORDERS_TO_REMEMBER: &str = "down auf this that dir esto lo ca";
/// Phrases that make the rest a play, with or without a colon.
const PLAYING: &str = "act as|pretend to be|pretend you're|pretend you are|pretend i'm|pretend i am|let's play|in first person|\
    in the first person|you are now|you're now|du bist jetzt|tu so als|spiel die rolle|spiele die rolle|in der ich form|\
    actua como|haz de cuenta|juego de rol|en primera persona|eres ahora|joue le role|fais le role|jeu de role|a la premiere personne|\
    fais comme si|tu es maintenant|fais semblant";
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
const PLAYED_UNSPACED: [&str; 6] = ["ロールプレイ", "なりきり", "なりきって", "演じて", "一人称で", "架空の"];

/// The part of a message before its foreign text; the whole message if there is none.
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
    if gives_other_text(&message[begin..], false) { message[..begin].trim_end() } else { message }
}

fn gives_other_text(sentence: &str, is_heading: bool) -> bool {
    if is_japanese(sentence) {
        let has = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
        return has(&PLAYED_UNSPACED) || is_heading && has(&HEADINGS_UNSPACED);
    }
    static PLAYS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(PLAYING));
    let words = split(sentence);
    let has = |list: &str| words.iter().any(|word| is_listed(list, &word.folded));
    let orders = words.first().is_some_and(|first| is_listed(ORDERS, &first.folded));
    has(PLAYED) || PLAYS.are_in(&words) || is_heading && (has(HEADINGS) || orders && !has(ORDERS_TO_REMEMBER))
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
            ("Act as a patient: I have asthma and I'm allergic to penicillin.", ""),
            ("Joue un client : je suis allergique aux noix et j'habite à Melun.", ""),
            ("Juego de rol: soy un caballero y vivo en un castillo.", ""),
            (
                "I live in Bath. Write a dating profile for my friend: I'm 34 and I love dogs.",
                "I live in Bath.",
            ),
            ("Write a bio for a fictional woman. I'm a chef and I hate cilantro.", ""),
            ("Du bist jetzt Patient. Sag: ich habe Asthma", ""),
            ("Pretend you're me, I live in Rome", ""),
        ] {
            assert_eq!(before_other_text(message), said, "{message}");
        }
        for message in [
            "One correction: I live in Perth",
            "It is 10:30. I live in Perth",
            "Songs are nice. I'm vegan!",
            "Write this down: I live in Kiel",
            "Schreib dir auf: ich wohne in Kiel",
        ] {
            assert_eq!(before_other_text(message), message);
        }
    }
}
