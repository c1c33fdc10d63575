//! Word orders of Spanish and French. A clause may name its object first and repeat it as a pronoun after a comma: "le
//! lait, je ne le digère pas", "el ajo, no lo soporto". Both parts are one clause. A conclusion or a reason, in
//! contrast, is a clause of its own.

use crate::text::{Word, is_listed};

/// First words of an object in front.
const ARTICLES: &str = "le la les du des au aux el los las al a";
/// The maximum number of words in an object in front.
const LONGEST: usize = 5;

/// Words after a French subject that refer to an object in front.
const TAKES_UP: &str = "le la les en y ne supporte digere mange bois deteste tolere kiffe peux";
/// The same joined with the subject, and words that may follow.
const WITH_SUBJECT: &str = "j'en j'y j'aime j'adore j'ecoute";
const NO_OBJECT: &str = "pas plus trop jamais ca que peur horreur mange bois suis ai beaucoup";
/// Spanish pronouns that refer to an object in front.
const PRONOUNS: &str = "lo la los las me les";

/// Whether the subject at `at` continues the clause before it. `before` are the words before it without opening words.
pub(super) fn goes_on(words: &[Word<'_>], before: &[Word<'_>], at: usize) -> bool {
    let word = |at: usize| words.get(at).map_or("", |word| &*word.folded);
    // "este es Thor, mi perro"
    let ends_behind = |end: usize| words.get(end + 1).is_none_or(|next| next.start > words[end].end + 1);
    if is_listed(MINE, word(at)) && before.len() > 1 && at + 1 < words.len() {
        // or "Toby, mi perro, …"
        return words.len() - at <= 3 || ends_behind(at + 1);
    }
    // "mi hermana y yo vivimos en Lugo"
    if word(at) == "yo" && at > 1 && matches!(word(at - 1), "y" | "e") {
        return before.first().is_some_and(|first| is_listed(MINE, &first.folded));
    }
    // "la musique que j'écoute le plus"
    if word(at + 1) == "le" && word(at + 2) == "plus" {
        return true;
    }
    // "végétarienne que je suis, …"
    if word(at) == "je" && at > 0 && at < LONGEST && word(at - 1) == "que" && word(at + 1) == "suis" {
        return ends_behind(at + 1);
    }
    // "c'est le jazz que j'aime", "ce que j'aime c'est le jazz"
    if at > 1 && matches!(word(at - 1), "que" | "qu'on") {
        // "c'est là que je vis"
        return matches!(word(at - 2), "ce" | "la")
            || before.first().is_some_and(|first| first.folded == "c'est");
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

/// Verbs with which a reason begins in Spanish.
const REASONS: &str = "soy tengo vivo trabajo llevo estoy curro padezco";

/// Whether a conclusion or a reason begins at `at`: "…, así que no existo", "… donc pas de mer".
pub(super) fn concludes(text: &str, words: &[Word<'_>], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", |word| &*word.folded);
    let behind_comma = || at > 0 && text[words[at - 1].end..words[at].start].trim_start().starts_with(',');
    let denied = || words[..at].iter().any(|word| is_listed("no pas plus ne tenia teniamos", &word.folded));
    match &*words[at].folded {
        "asi" => next == "que",
        "por" => next == "eso",
        "donc" => true,
        // "nada de queso, que soy intolerante"
        "que" => is_listed(REASONS, next) && behind_comma(),
        // "je bosse en compta mais mon truc c'est la peinture"
        "mais" | "pero" => at > 2 && !denied(),
        _ => false,
    }
}

/// Verbs with their subject that may be last, and words that may follow them.
const LAST: &str = "soy tengo vivo trabajo toco j'ai j'habite";
const BEHIND: &str = "ya yo moi";

/// Words before such a verb that begin a question: "dile dónde vivo".
const ASKING: &str = "ou donde como que qui quien lo cuando quand comment combien cuanto si no ne pas";

/// Possessives for the author's own people, who may be joined with the author: "mi hermana y yo", "mon mari et moi".
const MINE: &str = "mi mis nuestro nuestra mon ma mes notre nos";
/// Prepositions that begin a part in front: "desde marzo vivo en Gijón", "avec ma femme je vis à Lyon".
const IN_FRONT: &str = "desde en con depuis avec dans chez a";
/// Words of such parts that make the clause hold only at times.
const NOT_ALWAYS: &str = "verano invierno otono primavera ete hiver automne printemps julio agosto juillet aout noche nuit soir reve \
    reves sueno suenos novela roman film jeu juego serie peli pelicula livre libro vie vida tete cabeza cuento histoire texto texte navidad noel vacaciones vacances carnaval semana semaine";
/// Verbs after such a part, and French subjects.
const VERBS: &str = "vivo vivimos trabajo trabajamos soy somos tengo tenemos no toco juego hago pinto canto bailo curro estudio comparto compartimos je j'ai j'habite \
    j'enseigne j'etudie on me nos";
/// Parts that name the time of a habit: "le soir", "por la noche".
const TIMES_OF_DAY: &str = "soir matin midi manana tarde noche";
/// The maximum number of words of another part in front.
const IN_FRONT_OF: usize = 6;

/// Returns the words of a clause in other orders, which patterns may match.
pub(super) fn orders<'a, 'b>(text: &str, words: &'b [Word<'a>]) -> Vec<Vec<&'b Word<'a>>> {
    let Some(first) = words.first() else { return Vec::new() };
    let place = |wanted: &dyn Fn(usize) -> bool| (1..words.len().min(IN_FRONT_OF + 1)).find(|at| wanted(*at));
    let folded = |at: usize| words.get(at).map_or("", |word| &*word.folded);
    let mut found: Vec<Vec<&Word<'a>>> = verb_first(words).into_iter().collect();
    if first.folded == "nous" && matches!(folded(1), "on" | "ce") {
        found.push(words[1..].iter().collect());
    }
    // "yo la remolacha no la soporto"
    if first.folded == "yo" && words.len() > 2 {
        found.push(words[1..].iter().collect());
    }
    if is_listed(MINE, &first.folded) {
        // "mi madre, que vive en Lugo"
        if let Some(who) = place(&|at| is_relative(text, words, at)) {
            found.push(words[..who].iter().chain(&words[who + 1..]).collect());
        }
        let together = |at: usize| matches!((folded(at), folded(at + 1)), ("y" | "e", "yo") | ("et", "moi"));
        if let Some(with) = place(&together) {
            found.push(words[with + 2..].iter().collect());
        }
    }
    // "le soir je mange végétarien"
    if matches!(&*first.folded, "le" | "les" | "por" | "los")
        && place(&|at| is_listed(TIMES_OF_DAY, folded(at))).is_some_and(|at| at <= 2)
        && let Some(verb) = place(&|at| at > 1 && is_listed(VERBS, folded(at)))
    {
        found.push(words[verb..].iter().collect());
    }
    if is_listed(IN_FRONT, &first.folded)
        && let Some(verb) = place(&|at| at > 1 && is_listed(VERBS, folded(at)))
        && !words[..verb]
            .iter()
            .any(|word| is_listed(ASKING, &word.folded) || is_listed(NOT_ALWAYS, &word.folded))
    {
        found.push(words[verb..].iter().collect());
    }
    found
}

/// Whether there is a relative pronoun after a person or a comma: "mi madre que vive …", "mi hermana mayor, que vive
/// …".
fn is_relative(text: &str, words: &[Word<'_>], at: usize) -> bool {
    let apart = || text[words[at - 1].end..words[at].start].contains(',');
    matches!(&*words[at].folded, "que" | "qui") && (at == 2 || at > 2 && apart())
}

/// A clause with its verb at the end, with the verb moved to the front: "de Badajoz soy", "trois enfants j'ai".
fn verb_first<'a, 'b>(words: &'b [Word<'a>]) -> Option<Vec<&'b Word<'a>>> {
    let end = words.iter().rposition(|word| !is_listed(BEHIND, &word.folded))?;
    let verb = match &*words[end].folded {
        "suis" | "vis" if end > 1 && words[end - 1].folded == "je" => end - 1,
        verb if is_listed(LAST, verb) => end,
        _ => return None,
    };
    let rest = match words[..verb].split_last()? {
        (that, rest) if that.folded == "que" => rest,
        _ => &words[..verb],
    };
    let rest = if rest.first().is_some_and(|word| word.folded == "como") { &rest[1..] } else { rest };
    let asks = |word: &Word<'_>| is_listed(ASKING, &word.folded);
    if rest.is_empty() || rest.len() > LONGEST || rest.iter().any(asks) {
        return None;
    }
    Some(words[verb..=end].iter().chain(rest).collect())
}
