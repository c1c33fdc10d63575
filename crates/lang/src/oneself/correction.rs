//! Decides whether a fact replaces an earlier one (MP6). Most topics have one value: a new home replaces the old one,
//! regardless of the words. Some topics have several values: a person works as a nurse and in Leeds.

use super::{OwnFact, denied_facts, ended, own_facts};
use crate::{
    stop_words::{is_stop_word, stop_words_of},
    text::{Word, is_japanese, is_listed, split},
};

/// The last words of topics that can have several values.
const SEVERAL: &str = "work studies health married fear school origin household state";

/// Words that tell a change.
const CHANGES: &str = "now new moved relocated recently retrained jetzt neue neuen neuer neues inzwischen gezogen umgezogen ahora nueva nuevo mude \
    mudamos mudado mudarme maintenant desormais nouveau nouvel nouvelle demenage emmenage demenager emmenager installe installee divorced \
    separated widowed retired geschieden getrennt verwitwet divorciado divorciada separado separada divorce divorcee separe separee";
const CHANGES_UNSPACED: [&str; 6] = ["引っ越", "引越", "転職", "離婚", "今は", "新し"];

/// Words that tell the end of a job.
const QUITS: &str = "quit resigned gekundigt kundigte deje renuncie quitte demissionne";

/// The beginnings of words for diets that exclude each other.
const DIETS: [&str; 6] = ["vega", "vege", "vége", "vegá", "pesc", "flex"];

/// Prepositions before a place, and articles in place names: "the Netherlands", "La Rochelle".
const BEFORE_PLACES: &str = "in near to at outside from nach bei aus en a al au aux de desde";
const ARTICLES: &str = "the la el los las le les";

/// Words of a fact that holds in addition to the earlier one.
pub(super) const ALSO: &str =
    "also too additionally besides ausserdem auch zusatzlich nebenbei daneben aussi egalement tambien ademas";

/// Words before an occupation.
const BEFORE_ROLES: &str = "as als como comme";

/// Words that occur in all facts of a topic and are no value.
const OF_TOPICS: &str = "live lives living lived work works working wohne wohnen lebe leben arbeite arbeiten vivo vivimos trabajo \
    trabajamos habite j'habite habitons travaille travaillons n'habite allergic allergisch alergico alergica allergique \
    longer more anymore nicht mehr plus";

/// Whether a new text tells a fact that replaces a fact in an old text of the same person.
///
/// ```
/// use greenroom_lang::replaces_fact;
///
/// assert!(replaces_fact("I live in Graz.", "We moved to Linz in May."));
/// assert!(!replaces_fact("I work as a nurse.", "I work in Leeds."));
/// ```
pub fn replaces_fact(old: &str, new: &str) -> bool {
    let known = own_facts(old);
    let told = own_facts(new);
    told.iter().any(|new| known.iter().any(|old| old.topic == new.topic && replaces(old, new)))
        || denied_facts(new)
            .iter()
            .any(|new| known.iter().any(|old| old.topic == new.topic && denies(old, new)))
}

/// Whether a denial concerns this fact: it must share the value, not only the topic.
fn denies(old: &OwnFact, new: &OwnFact) -> bool {
    share_a_value((&old.text, &split(&old.text)), (&new.text, &split(&new.text)))
        || is_diet(old) && is_diet(new)
}

fn replaces(old: &OwnFact, new: &OwnFact) -> bool {
    let (known, told) = (split(&old.text), split(&new.text));
    let of = new.topic.rsplit(' ').next().unwrap_or_default();
    let changes = || {
        told.iter().any(|word| is_listed(CHANGES, &word.folded))
            || CHANGES_UNSPACED.iter().any(|change| new.text.contains(change))
    };
    if ended::ends(&new.text, &told) && is_listed("home work diet origin studies health", &new.topic) {
        return share_a_value((&old.text, &known), (&new.text, &told)) || is_diet(old) && is_diet(new);
    }
    if of == "work" && told.iter().any(|word| is_listed(QUITS, &word.folded)) {
        return share_a_value((&old.text, &known), (&new.text, &told));
    }
    let beside = ["as well", "on the side", "にも"].iter().any(|words| new.text.contains(words));
    if beside || told.iter().any(|word| is_listed(ALSO, &word.folded)) {
        return false;
    }
    match of {
        "home" => changes() || names_a_place(&new.text, &told) || !names_a_place(&old.text, &known),
        _ if !is_listed(SEVERAL, of) => true,
        _ => changes() || begin_or_end_alike((&old.text, &known), (&new.text, &told)),
    }
}

/// Whether a clause names a place, unlike "in a flat above a bakery".
fn names_a_place(text: &str, words: &[Word<'_>]) -> bool {
    if is_japanese(text) {
        return !["マンション", "アパート", "一軒家", "実家", "寮", "団地"]
            .iter()
            .any(|kind| text.contains(kind));
    }
    let capital = |word: &Word<'_>| text[word.start..].starts_with(char::is_uppercase);
    let some = words.iter().skip(1).any(|word| capital(word) && word.folded != "i");
    words.windows(2).enumerate().any(|(at, pair)| {
        let place = match is_listed(ARTICLES, &pair[1].folded) {
            true => words.get(at + 2),
            false => Some(&pair[1]),
        };
        let bare = !some && pair[0].folded != "a";
        let named = place.is_some_and(|place| capital(place) || bare && !is_stop_word(&place.folded));
        is_listed(BEFORE_PLACES, &pair[0].folded) && named
    })
}

/// Whether a fact is about a diet that excludes others.
fn is_diet(fact: &OwnFact) -> bool {
    fact.topic == "diet"
        && fact.text.split(|c: char| !c.is_alphabetic()).any(|word| names_diet(&word.to_lowercase()))
}

/// Whether a word in lower case names such a diet.
pub(super) fn names_diet(word: &str) -> bool {
    DIETS.iter().any(|diet| word.starts_with(diet))
        || ["ベジタリアン", "ビーガン", "ヴィーガン", "菜食"].iter().any(|diet| word.contains(diet))
}

/// Whether two clauses share a word of their value.
fn share_a_value(old: (&str, &[Word<'_>]), new: (&str, &[Word<'_>])) -> bool {
    if is_japanese(new.0) {
        // the value is the text before the verb's particle
        let value = |text: &str| {
            text.trim_start_matches("もう").split(['に', 'で', 'を', 'は']).next().map(ToOwned::to_owned)
        };
        return value(new.0).is_some_and(|value| value.chars().count() > 1 && old.0.contains(&value));
    }
    let of_language = stop_words_of(new.1.iter().map(|word| &*word.folded));
    let tells = |word: &&Word<'_>| {
        let is_common =
            is_stop_word(&word.folded) || of_language.is_some_and(|words| words.has(&word.folded));
        word.folded.chars().count() > 2 && !is_common && !is_listed(OF_TOPICS, &word.folded)
    };
    new.1.iter().filter(tells).any(|word| old.1.iter().any(|known| known.folded == word.folded))
}

/// Whether two clauses differ only after their first words, or before their last characters. Also true if both tell an
/// occupation: "I work as a nurse", "I work as a baker".
fn begin_or_end_alike(old: (&str, &[Word<'_>]), new: (&str, &[Word<'_>])) -> bool {
    if is_japanese(new.0) {
        let end = |text: &str| text.trim_end_matches(['。', '！']).chars().rev().take(6).collect::<String>();
        return end(old.0) == end(new.0);
    }
    let (a, b) = (old.1, new.1);
    let tells_role = |words: &[Word<'_>]| words.iter().any(|word| is_listed(BEFORE_ROLES, &word.folded));
    if tells_role(a) && tells_role(b) {
        return true;
    }
    let alike = a.iter().zip(b).take_while(|(a, b)| a.folded == b.folded).count();
    // "soy profesora", "trabajo como enfermera"
    alike + 1 >= a.len().min(b.len()).min(4) && alike > 0
}
