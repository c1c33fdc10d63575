//! People and animals of the author that a clause names: "my sister Imogen got a new job", "unser Hund Keks hat die
//! Schuhe zerkaut". The name is a fact, whatever else the clause tells.

use super::TABLES;
use crate::{
    stop_words::{WordList, is_stop_word},
    text::{Word, is_listed},
};

/// Possessives of the author.
static MINE: WordList = WordList::of(
    "my our mein meine meinem meinen meiner meines unser unsere unserem unseren unserer mi mis nuestro nuestra nuestros \
    nuestras mon ma mes notre nos",
);

/// Words for people outside the family, whose names are not stored.
const NO_FAMILY: &str = "boss manager neighbour neighbor colleague friend bestie doctor dentist therapist landlord landlady law chef \
    chefin nachbar nachbarin kollege kollegin hausarzt hausarztin zahnarzt zahnarztin vermieter vermieterin kleine kleiner grosse \
    grosser jefe jefa vecino vecina companero companera amigo amiga medico medica dentista casero casera patron patronne voisin \
    voisine collegue ami amie medecin dentiste proprietaire belle beau petit petite";

/// Words for people of whom a person has only one.
const ONE: &str = "wife husband partner spouse girlfriend boyfriend fiance fiancee mother father mum mom dad mommy daddy frau mann \
    partnerin freundin freund mutter vater mama papa mami papi mutti vati verlobter verlobte mujer marido esposo esposa pareja novio \
    novia madre padre prometido prometida femme mari epoux epouse compagnon compagne copain copine mere pere maman";

/// Capitalised words that are no names, such as days, months, feasts and languages.
const NO_NAMES: &str = "monday tuesday wednesday thursday friday saturday sunday january february march june july august september \
    october november december christmas easter halloween english german french spanish italian japanese chinese montag dienstag mittwoch \
    donnerstag freitag samstag sonntag weihnachten ostern silvester deutsch englisch franzosisch abend morgen nachmittag mittag essen \
    geburtstag hochzeit schule arbeit sprache futter leine staat internet covid corona facebook instagram whatsapp youtube netflix \
    google apple noel paques navidad";

/// Whether a word in lower case, without accents, is one for a relative or an animal, in any of the languages with
/// spaces.
pub(crate) fn names_relative(word: &str) -> bool {
    TABLES.iter().any(|tables| tables.parsed().kin.contains(&word))
}

/// The topic of a clause that names a person or an animal of its author. `kin` and `adjectives` are lists of the
/// language.
pub(super) fn topic(text: &str, words: &[Word<'_>], kin: &[&str], adjectives: &[&str]) -> Option<String> {
    let mine = (0..words.len()).filter(|at| MINE.has(&words[*at].folded));
    // an adjective may be a word for a person: "ma belle-mère"
    mine.flat_map(|at| (0..=2).map(move |before| (at, before))).find_map(|(at, before)| {
        let describes = |word: &&Word<'_>| {
            adjectives.contains(&&*word.folded) && !text[word.start..].starts_with(char::is_uppercase)
        };
        if words[at + 1..].iter().take_while(describes).count() < before {
            return None;
        }
        let whose = words.get(at + 1 + before)?;
        let after = words[at + 2 + before..].iter().take_while(describes).count().min(1);
        let name = words.get(at + 2 + before + after)?;
        let last = &words[at + 1 + before + after];
        let of_family = kin.contains(&&*whose.folded) && !is_listed(NO_FAMILY, &whose.folded);
        if !of_family || !is_apposed(text, last, name) || !is_name(text, name) {
            return None;
        }
        if is_listed(ONE, &whose.folded) {
            return Some(format!("{} name", whose.folded));
        }
        let described = words[at + 1..at + 1 + before].iter().map(|word| &*word.folded);
        let parts: Vec<&str> = described.chain([&*whose.folded, &*name.folded, "name"]).collect();
        Some(parts.join(" "))
    })
}

/// The end and the topic of a sentence's beginning that names a person or an animal: "Waffles, our greyhound, ate the
/// butter".
pub(super) fn named_first(text: &str, words: &[Word<'_>], kin: &[&str]) -> Option<(usize, String)> {
    let [name, mine, rest @ ..] = words else { return None };
    let whose = rest.iter().take(2).find(|word| kin.contains(&&*word.folded))?;
    let is_apposed =
        text[name.end..mine.start].trim() == "," && text[whose.end..].trim_start().starts_with(',');
    let is_told =
        is_apposed && MINE.has(&mine.folded) && is_name(text, name) && !is_listed(NO_FAMILY, &whose.folded);
    is_told.then(|| match is_listed(ONE, &whose.folded) {
        true => (whose.end, format!("{} name", whose.folded)),
        false => (whose.end, format!("{} {} name", whose.folded, name.folded)),
    })
}

/// Whether a name is next to the word before it, or between commas: "my sister Imogen", "our eldest, Callum, …".
fn is_apposed(text: &str, before: &Word<'_>, name: &Word<'_>) -> bool {
    match text[before.end..name.start].trim() {
        "" => true,
        "," => text[name.end..].trim_start().starts_with([',', '.', '!']),
        _ => false,
    }
}

/// Whether a word is written like a name: "Imogen", not "IT" and not "Monday".
fn is_name(text: &str, word: &Word<'_>) -> bool {
    let written = &text[word.start..word.end];
    let mut letters = written.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_some_and(char::is_lowercase)
        && !is_stop_word(&word.folded)
        && !is_listed(NO_NAMES, &word.folded)
        && !["ung", "heit", "keit", "schaft"].iter().any(|ending| word.folded.ends_with(ending))
}
