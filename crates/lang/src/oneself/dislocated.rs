//! Clauses of Spanish and French that name what they are about first and take it up again behind a comma: "le lait, je ne le
//! digère pas", "el ajo, no lo soporto". They are one clause. And words with which a conclusion begins, which is one of its own.

use crate::text::{Word, is_listed};

/// Words that begin what a clause is about.
const ARTICLES: &str = "le la les du des au aux el los las al a";
/// What a clause is about has at most this many words.
const LONGEST: usize = 5;

/// Words behind a French subject that take an object up again.
const TAKES_UP: &str = "le la les en y ne supporte digere mange bois deteste tolere kiffe peux";
/// The same with the subject in them, and what may follow them.
const WITH_SUBJECT: &str = "j'en j'y j'aime j'adore j'ecoute";
const NO_OBJECT: &str = "pas plus trop jamais ca que peur horreur mange bois suis ai beaucoup";
/// Spanish pronouns that take an object up again.
const PRONOUNS: &str = "lo la los las me les";

/// Whether a subject at a place goes on with what stands before it. `before` are the words before it without those that only
/// open the clause.
pub(super) fn goes_on(words: &[Word<'_>], before: &[Word<'_>], at: usize) -> bool {
    let word = |at: usize| words.get(at).map_or("", |word| &*word.folded);
    // "c'est le jazz que j'aime", "ce que j'aime c'est le jazz"
    if at > 1 && matches!(word(at - 1), "que" | "qu'on") {
        return word(at - 2) == "ce" || before.first().is_some_and(|first| first.folded == "c'est");
    }
    let is_about = |first: &Word<'_>| is_listed(ARTICLES, &first.folded) || first.folded.starts_with("l'");
    if before.len() > LONGEST
        || before.len() < 2 && !before.first().is_some_and(|w| w.folded.starts_with("l'"))
        || !before.first().is_some_and(is_about)
    {
        return false;
    }
    let next = word(at + 1);
    match word(at) {
        "je" | "on" => is_listed(TAKES_UP, next) || next.starts_with("l'") || next.starts_with("n'"),
        "no" => is_listed(PRONOUNS, next),
        "me" => !words[at..].iter().skip(2).any(|word| is_listed("el la los las", &word.folded)),
        taken if is_listed(WITH_SUBJECT, taken) => next.is_empty() || is_listed(NO_OBJECT, next),
        _ => false,
    }
}

/// Whether a conclusion begins at a place: "…, así que no existo", "… donc pas de mer".
pub(super) fn concludes(words: &[Word<'_>], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", |word| &*word.folded);
    matches!((&*words[at].folded, next), ("asi", "que") | ("por", "eso") | ("donc", _))
}

/// Verbs with their subject that may stand last, and words behind them.
const LAST: &str = "soy tengo vivo trabajo toco j'ai j'habite";
const BEHIND: &str = "ya yo moi";

/// Words before them that begin a question: "dile dónde vivo".
const ASKING: &str = "ou donde como que qui quien lo cuando quand comment combien cuanto si no ne pas";

/// A clause whose verb stands last with the verb in front: "de Badajoz soy", "trois enfants j'ai". "Nous on vit" has its subject
/// twice.
pub(super) fn verb_first<'a, 'b>(words: &'b [Word<'a>]) -> Option<Vec<&'b Word<'a>>> {
    if words.len() > 2 && words[0].folded == "nous" && words[1].folded == "on" {
        return Some(words[1..].iter().collect());
    }
    let end = words.iter().rposition(|word| !is_listed(BEHIND, &word.folded))?;
    let verb = match &*words[end].folded {
        "suis" | "vis" if end > 1 && words[end - 1].folded == "je" => end - 1,
        verb if is_listed(LAST, verb) => end,
        _ => return None,
    };
    let rest = &words[..verb];
    let asks = |word: &Word<'_>| is_listed(ASKING, &word.folded);
    if rest.is_empty() || rest.len() > LONGEST || rest.iter().any(asks) {
        return None;
    }
    Some(words[verb..=end].iter().chain(rest).collect())
}
