//! How people write in chats: "jsuis", "chui", "xq", "q". The words are read as if they were written out.

use crate::text::{Word, is_listed};

/// Words of chats, and what they mean. None of them is a word of another of the languages that patterns name.
const IN_FULL: [(&str, &str); 16] = [
    ("q", "que"),
    ("xq", "porque"),
    ("pq", "porque"),
    ("porq", "porque"),
    ("tb", "tambien"),
    ("tmb", "tambien"),
    ("c", "c'est"),
    ("pcq", "car"),
    ("parceque", "car"),
    ("jhabite", "j'habite"),
    ("jai", "j'ai"),
    ("jaime", "j'aime"),
    ("jadore", "j'adore"),
    ("jetudie", "j'etudie"),
    ("japprends", "j'apprends"),
    ("jecoute", "j'ecoute"),
];

/// Words that keep their accent: without it they mean something else.
const WITH_ACCENT: [(&str, &str); 9] = [
    ("como", "cómo"),
    ("si", "sí"),
    ("llamo", "llamó"),
    ("trabajo", "trabajó"),
    ("hablo", "habló"),
    ("toco", "tocó"),
    ("uso", "usó"),
    ("llevo", "llevó"),
    ("estudio", "estudió"),
];

/// One word for "je suis".
const I_AM: &str = "chui chuis chu jui juis jsuis j'suis";

/// Verbs that are written with the subject in one word: "jbosse".
const WITH_SUBJECT: &str = "bosse travaille vis viens fais fume mange bois peux dois deteste prefere supporte joue parle sais kiffe \
    digere taffe loge bouffe";

/// Pairs of words that join clauses like one word.
const JOINED: [(&str, &str, &str); 6] = [
    ("ya", "que", "porque"),
    ("dado", "que", "porque"),
    ("puesto", "que", "porque"),
    ("visto", "que", "porque"),
    ("meme", "si", "meme-si"),
    ("du", "coup", "donc"),
];

/// The words of a sentence, written out.
pub(super) fn in_full<'a>(sentence: &str, words: Vec<Word<'a>>) -> Vec<Word<'a>> {
    let mut full: Vec<Word<'a>> = Vec::with_capacity(words.len());
    for mut word in words {
        if let Some((_, long)) = IN_FULL.iter().find(|(short, _)| *short == word.folded) {
            word.folded = (*long).into();
        }
        if let Some((_, accented)) = WITH_ACCENT.iter().find(|(bare, _)| *bare == word.folded)
            && sentence[word.start..word.end].to_lowercase() == *accented
        {
            word.folded = (*accented).into();
        }
        let before = full.last_mut();
        if let Some(before) = before
            && let Some((.., joined)) =
                JOINED.iter().find(|(first, second, _)| *first == before.folded && *second == word.folded)
        {
            before.folded = (*joined).into();
            before.end = word.end;
            continue;
        }
        if word.folded == "qu'on" {
            let middle = word.end - "on".len();
            full.push(Word { folded: "que".into(), start: word.start, end: middle });
            full.push(Word { folded: "on".into(), start: middle, end: word.end });
            continue;
        }
        let verb = match word.folded.strip_prefix('j') {
            _ if is_listed(I_AM, &word.folded) => Some("suis".to_owned()),
            Some(verb) => Some(verb.trim_start_matches('\''))
                .filter(|verb| is_listed(WITH_SUBJECT, verb))
                .map(Into::into),
            None => None,
        };
        let Some(verb) = verb else {
            full.push(word);
            continue;
        };
        let first = sentence[word.start..].chars().next().map_or(0, char::len_utf8);
        let (start, middle, end) = (word.start, word.start + first, word.end);
        full.push(Word { folded: "je".into(), start, end: middle });
        full.push(Word { folded: verb.into(), start: middle, end });
    }
    full
}
