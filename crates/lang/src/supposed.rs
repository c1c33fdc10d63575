//! Detection of suppositions: "If I lived in Japan …", „angenommen, ich hätte …“. They state no facts about their
//! author (MP6).

use std::sync::LazyLock;

use crate::{
    phrases::Phrases,
    text::{Word, is_listed, split},
};

/// The beginnings of suppositions, without accents; `|` separates phrases.
const BEGINNINGS: &str = "if i|if i'd|if i'm|if we|if my|if only|even if i|what if|suppose|supposing|imagine|pretend|let say|lets say|\
    say someone|say you|assuming i|angenommen|nehmen wir an|gesetzt den fall|stell dir vor|stellt euch vor|stellen sie sich vor|\
    tu so als|tun wir so|supongamos|supon|suponiendo|imagina|imaginate|imaginemos|imaginad|imaginese|haz como|digamos que|pongamos que|\
    hypothetically|hypothese|hypothetiquement|rein hypothetisch|hypothetisch|hipoteticamente|imagine|imaginons|imaginez|supposons|admettons|mettons que|disons que|fais comme si|faisons comme si|et si";
/// Beginnings that count only with an unreal verb. With another verb the sentence states a habit, or a fact: „wenn ich
/// koche, dann ohne Nüsse“, "if they ask, I'm vegan".
const BEGINNINGS_OF_UNREAL: &str = "if the|if he|if she|if they|wenn ich|wenn wir|wenn mein|wenn meine|falls ich|ware ich|hatte ich|wurde ich|si yo|si mi|si fuera|si fuese|\
    si tuviera|si tuviese|si viviera|si pudiera|si estuviera|si j'avais|si j'etais|si j'habitais|si je|si mon|si ma|si on";
/// Unreal verbs, without accents.
const UNREAL: &str = "would i'd we'd he'd she'd they'd it'd could might were wurde wurd wurden ware war waren hatte hatt hatten konnte konnt konnten musste sollte fuera fuese tuviera tuviese viviera \
    pudiera estuviera";
/// Endings of unreal verbs in Spanish and French.
const UNREAL_ENDINGS: [&str; 6] = ["ria", "rias", "riamos", "rais", "rait", "iera"];
const UNSPACED: [&str; 4] = ["もし", "仮に", "例えば", "たとえば"];
const UNSPACED_INSIDE: [&str; 3] = ["としたら", "とすれば", "とすると"];
/// A supposition begins within this many words: "oh and if I lived …".
const OPENINGS: usize = 3;

/// Whether a sentence is a supposition.
///
/// ```
/// use greenroom_lang::is_supposition;
///
/// assert!(is_supposition("lol if I lived in Japan I'd eat noodles all day"));
/// assert!(is_supposition("Wenn ich in Norwegen wohnen würde, hätte ich ein Boot"));
/// assert!(!is_supposition("Wenn ich koche, dann ohne Nüsse"));
/// assert!(!is_supposition("let me know if I should bring the dog"));
/// ```
pub fn is_supposition(sentence: &str) -> bool {
    static SUPPOSED: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(BEGINNINGS));
    static BEFORE_UNREAL: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(BEGINNINGS_OF_UNREAL));
    if UNSPACED.iter().any(|begin| sentence.trim_start().starts_with(begin)) {
        return true;
    }
    if UNSPACED_INSIDE.iter().any(|phrase| sentence.contains(phrase)) {
        return true;
    }
    let words = split(sentence);
    let begins = |phrases: &Phrases| {
        (0..words.len().min(OPENINGS)).any(|at| phrases.lengths(&words[at..]).next().is_some())
    };
    let is_unreal = |word: &Word<'_>| {
        is_listed(UNREAL, &word.folded) || UNREAL_ENDINGS.iter().any(|ending| word.folded.ends_with(ending))
    };
    begins(&SUPPOSED) || begins(&BEFORE_UNREAL) && words.iter().any(is_unreal)
}

#[cfg(test)]
mod tests {
    use super::is_supposition;

    #[test]
    fn mp6_what_is_supposed_is_known_in_five_languages() {
        for supposed in [
            "if i was a vegan what would i even eat for breakfast",
            "Oh and suppose I had three kids",
            "let's say my flat burns down",
            "imagine living in Monaco",
            "wenn ich in Norwegen wohnen würde, hätt ich ein Elektroauto",
            "Angenommen, ich hätte drei Hunde",
            "si viviera en la playa no trabajaría nunca",
            "supongamos que soy alérgico al marisco",
            "si j'habitais au Québec je mangerais de la poutine",
            "Imaginons que je sois médecin",
            "もし北海道に住んでたら毎日海鮮丼食うのに",
            "もう一匹飼うとしたら名前はミケかな",
            "if the grant comes through i'd be in Tromsø for a year",
            "hypothèse : si je redouble mes parents me tuent",
        ] {
            assert!(is_supposition(supposed), "{supposed}");
        }
        for told in [
            "I live in Graz, if that helps",
            "if they ask, I'm vegan",
            "if it matters: I live in Graz",
            "if it is all right I'd like to be called Max",
            "Wenn ich koche, dann ohne Nüsse",
            "si como gluten me pongo malo",
            "si je mange du gluten je suis malade",
            "I'd say I play the cello rather badly",
            "北海道に住んでます",
        ] {
            assert!(!is_supposition(told), "{told}");
        }
    }
}
