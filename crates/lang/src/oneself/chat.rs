//! Normalisation of chat language to the forms in the patterns. Abbreviations are expanded: "jsuis", "chui", "xq", "q".
//! Words with one meaning together become one word: "brother-in-law", "même si".

use crate::text::{Word, is_listed};

/// Abbreviations and their meaning. None of them is a word in the patterns of another language.
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

/// Words that keep their accent, because without it they have another meaning.
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

/// Forms of "je suis" in one word.
const I_AM: &str = "chui chuis chu jui juis jsuis j'suis";

/// Words of the first person after a reason without a subject: "al ser celíaco no puedo …", "étant diabétique je dois
/// …".
const MY_OWN: &str = "tengo debo puedo me necesito llevo prefiero je j'ai j'evite j'habite";
/// They are among this many words after it.
const REASON: usize = 8;

/// Verbs that are written in one word with the subject: "jbosse".
const WITH_SUBJECT: &str = "bosse travaille vis viens fais fume mange bois peux dois deteste prefere supporte joue parle sais kiffe \
    digere taffe loge bouffe";

/// Pairs of words that act as one conjunction.
const JOINED: [(&str, &str, &str); 9] = [
    ("ya", "que", "porque"),
    ("dado", "que", "porque"),
    ("puesto", "que", "porque"),
    ("visto", "que", "porque"),
    ("meme", "si", "meme-si"),
    ("du", "coup", "donc"),
    // these clauses tell a fact, and do not report another person's words
    ("en", "cuenta", "en-cuenta"),
    ("mundo", "me", "mundo-me"),
    ("mundo-me", "dice", "mundo-me-dice"),
];

/// The words of a sentence, expanded.
pub(super) fn in_full<'a>(sentence: &str, words: Vec<Word<'a>>) -> Vec<Word<'a>> {
    let mut full: Vec<Word<'a>> = Vec::with_capacity(words.len());
    let words = with_in_laws(words);
    let has_reason = words.iter().any(|word| matches!(&*word.folded, "ser" | "etant"));
    let is_own = |at: usize| words[at..].iter().take(REASON).any(|word| is_listed(MY_OWN, &word.folded));
    let own: Vec<bool> = (0..words.len()).map(|at| has_reason && is_own(at)).collect();
    for (mut word, own) in words.into_iter().zip(own) {
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
        if let Some(before) = full.last_mut()
            && (&*before.folded, &*word.folded, own) == ("al", "ser", true)
        {
            before.folded = "soy".into();
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
            _ if is_listed(I_AM, &word.folded) || own && word.folded == "etant" => Some("suis".to_owned()),
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

/// Words that mean a relative before "in law", and possessives that make "in-laws" the author's.
const IN_LAW: &str = "mother father brother sister son daughter parents";
const WHOSE: &str = "my our";

/// Joins "brother-in-law" and "in-laws" to one word each; "I work in law" keeps four.
fn with_in_laws(mut words: Vec<Word<'_>>) -> Vec<Word<'_>> {
    let mut at = 0;
    while at + 2 < words.len() {
        let [first, second, third] = [0, 1, 2].map(|next| &*words[at + next].folded);
        match (second, third) {
            ("in", "law") if is_listed(IN_LAW, first) => {
                words[at].folded = format!("{first}-in-law").into();
                words[at].end = words[at + 2].end;
                words.drain(at + 1..=at + 2);
            }
            ("in", "laws") if is_listed(WHOSE, first) => {
                words[at + 1].folded = "in-laws".into();
                words[at + 1].end = words[at + 2].end;
                words.remove(at + 2);
            }
            _ => {}
        }
        at += 1;
    }
    words
}
