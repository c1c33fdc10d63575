//! Detection of texts that only ask or request something and tell nothing about their author (MP2): "How long does an
//! egg boil?", "Explique-moi l'effet Doppler", 「肉じゃがのレシピ、お願い」.

use std::sync::LazyLock;

use crate::{
    languages::language_of,
    phrases::Phrases,
    text::{TOLD_UNSPACED, is_japanese, is_listed, split},
};

/// Words before a request or a question.
const OPENINGS: &str = "please pls plz hey hi ok okay so and but now then well also just quick random lol could can would will you u \
    kindly bitte mal kurz und aber dann also kannst konntest wurdest du nochmal por favor porfa puedes podrias y pero \
    oye anda s'il te plait stp svp peux pourrais tu et mais bon alors dis";

/// The beginnings of requests, and of questions without a question mark; without accents. A word that may also begin a
/// statement is listed only with its next word: "when the twins were small", "what a day".
const BEGINNINGS: &str = "\
    add|answer|brainstorm|calculate|change|check|choose|cite|compare|compose|convert|correct|count|create|debug|define|\
    describe|draft|draw|edit|explain|find|finish|fix|format|generate|give|gimme|guess|help|imagine|improve|invent|list|look|\
    make|name|outline|paraphrase|pick|plan|pretend|proofread|quiz|rank|read|recommend|remind|reword|rewrite|rhyme|\
    roast|search|shorten|show|simplify|solve|spell|suggest|sum|summarise|summarize|summary|tell|think|translate|turn|use|write|\
    what is|what are|what does|what do|what should|what's|whats|who is|who was|who's|where is|where's|when is|when's|why|how|\
    how's|which|whose|who|is there|are there|is a|is an|is it|are they|can i|can we|can you|should i|should we|do i|do we|am i|\
    what happens|what time|what do|what colour|what color|does|do you|did|\
    beschreib|beschreibe|definier|definiere|empfiehl|entwirf|erfinde|erklar|erklare|erzahl|erzahle|fass|fasse|finde|\
    formulier|formuliere|gib|hilf|korrigier|korrigiere|lies|liste|mach|mache|nenn|nenne|ordne|plane|rate|rechne|schreib|schreibe|\
    schlag|schlage|sag|sage|sortier|sortiere|such|suche|tu so|ubersetz|ubersetze|verbesser|verbessere|vergleich|vergleiche|\
    verrat|verrate|zahl|zahle|zeig|zeige|zeichne|was ist|was sind|was heisst|was kostet|was bedeutet|wer ist|wie funktioniert|wie geht|wie macht man|wie viel|wie viele|wo ist|wann ist|warum|\
    wieso|weshalb|wieviel|welche|welcher|welches|welchen|gibt es|wie krieg|wie kriege|wie bekomme|wie bekomm|wie mach|wie mache|\
    wie koch|wie koche|wie lang|wie lange|wie oft|wie weit|wie gross|wie alt|wie schnell|wie hoch|wie teuer|wie spat|wie schreibt|wie sagt|\
    wie heisst|was passiert|was mach|was mache|was schreibt|was sagt|was zieh|wer hat|wer war|wer schrieb|wen ruf|wen rufe|ist es|\
    ist ein|ist eine|darf man|darf ich|kann man|kann ich|soll ich|muss ich|muss man|wo finde|wo find|wo kann|wo gibt|wo bekomm|\
    anade|busca|buscame|calcula|calculame|cambia|compara|corrige|corrigeme|crea|cuenta|cuentame|dame|define|describe|\
    dime|enumera|escribe|escribeme|explica|explicame|finge|genera|haz|hazme|imagina|inventa|inventate|lista|muestrame|nombra|ordena|\
    pon|ponme|propon|proponme|recomienda|recomiendame|recuerdame la|recuerdame el|redacta|redactame|resume|resumeme|sugiere|\
    sugiereme|traduce|traduceme|que es|que son|que significa|que quiere decir|como se|como funciona|cual es|cuales son|cuantos|cuantas|\
    cuanto cuesta|cuanto dura|cuanto se|cuanto tarda|que pasa|que hora|que tiempo|que le|que hago|que pongo|que se|como quito|como evito|\
    como puedo|como hago|como saco|como limpio|como cito|por que|donde esta|donde puedo|quien es|quienes son|quien escribio|es de|se puede|\
    ajoute|calcule|change|cite|classe|compare|complete|conseille|corrige|cree|decris|definis|donne|dessine|ecris|enumere|explique|\
    fais|imagine|invente|liste|montre|nomme|propose|raconte|rappelle|recommande|redige|reformule|resume|suggere|traduis|trouve|\
    verifie|c'est quoi|ca veut dire quoi|qu'est-ce que|qu'est-ce|est-ce que|est-ce|quel|quelle|quels|quelles|comment|combien|pourquoi|ou est|\
    qui est";

/// The endings of Japanese requests, and of questions without a mark.
const ENDINGS: [&str; 36] = [
    "教えて",
    "おしえて",
    "ください",
    "下さい",
    "お願い",
    "お願いします",
    "おねがい",
    "頼む",
    "たのむ",
    "して",
    "作って",
    "書いて",
    "まとめて",
    "訳して",
    "出して",
    "挙げて",
    "並べて",
    "直して",
    "てみて",
    "考えて",
    "くれ",
    "くれる",
    "の違い",
    "って何",
    "だっけ",
    "っけ",
    "どうなの",
    "なんで",
    "何",
    "どう",
    "どこ",
    "いつ",
    "誰",
    "どうする",
    "どうなる",
    "とは",
];

/// Words of the first person. "Me" is left out, because it also occurs in "tell me".
const FIRST_PERSON: &str = "i i'm i've i'd i'll im ive id my mine myself we we're we've our ours \
    ich mein meine meinen meinem meiner meines wir unser unsere unserem unseren unserer \
    je j'ai j'en j'y j'avais mon ma mes nous notre nos \
    yo mi mis mio mia nosotros nuestro nuestra nuestros nuestras soy tengo estoy vivo trabajo voy";
const FIRST_UNSPACED: [&str; 8] = ["私", "僕", "俺", "わたし", "ぼく", "自分", "うち", "我が家"];

/// Question words of French questions in the order of a statement: "on écrit quoi", "j'appelle qui", "il est quelle
/// heure".
const ASKED_IN_PLACE: &str = "quoi qui combien comment pourquoi quelle quel";

/// Auxiliaries of questions, and their subjects: "how do I boil an egg" is about eggs, not about the author.
const AUXILIARIES: &str = "do does did can could should would may must shall am are will";
const ASKERS: &str = "i we ich wir";
/// In German the subject is among this many first words of a question: "wie krieg ich …", "darf ich …".
const BEFORE_ASKER: usize = 3;

/// First words of clauses that continue a question or request: "…, without salt".
const CONTINUING: &str = "if when where which that who because with without or in for from on at to of by as like than not no just please pls short \
    briefly wenn falls weil mit ohne oder in fur aus auf am an zu von bei als wie nicht kein keine nur bitte kurz si cuando porque con sin o e en para de \
    por como no solo porfa quand parce avec sans ou dans pour sur comme pas juste stp svp";
/// A clause with fewer words tells nothing.
const TELLING: usize = 3;
/// More such Japanese conjunctions, with their comma.
const TOLD_BEFORE_COMMA: [&str; 2] = ["から、", "のに、"];

static REQUESTS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(BEGINNINGS));

/// Whether every sentence of a text asks or requests something, and none tells about its author. Text in quotation
/// marks is material of the request and does not count.
pub fn only_asks_or_requests(text: &str) -> bool {
    let text = without_quotes(text);
    let mut sentences =
        sentences(&text).filter(|sentence| sentence.contains(char::is_alphanumeric)).peekable();
    sentences.peek().is_some() && sentences.all(|sentence| asks(sentence) && !speaks_of_author(sentence))
}

/// Whether every clause of a sentence asks or requests something, or continues the clause before it.
fn asks(sentence: &str) -> bool {
    if !sentence.is_ascii() && is_japanese(sentence) {
        let said = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
        let ends = sentence.ends_with(['?', '？']) || ENDINGS.iter().any(|ending| said.ends_with(ending));
        let tells = TOLD_UNSPACED.iter().chain(&TOLD_BEFORE_COMMA).any(|told| sentence.contains(told));
        return (ends || begins_asking(sentence)) && !tells;
    }
    let is_question = sentence.ends_with(['?', '？']);
    let clauses =
        sentence.split([',', ';', ':', '…']).filter(|clause| clause.contains(char::is_alphanumeric));
    let mut clauses = clauses.enumerate().peekable();
    while let Some((at, clause)) = clauses.next() {
        let words = split(clause);
        let goes_on = || words.first().is_some_and(|word| is_listed(CONTINUING, &word.folded));
        // a clause before the question may tell something: "I'm ill, can I come?"
        let asks = is_question && clauses.peek().is_none()
            || begins_asking(clause)
            || (at > 0 || is_question) && words.len() < TELLING
            || at > 0 && goes_on();
        if !asks {
            return false;
        }
    }
    true
}

fn begins_asking(clause: &str) -> bool {
    let words = split(clause);
    let opening = words.iter().take_while(|word| is_listed(OPENINGS, &word.folded)).count();
    (0..=opening).any(|begin| REQUESTS.lengths(&words[begin..]).next().is_some())
        || words.iter().any(|word| is_listed(ASKED_IN_PLACE, &word.folded))
            && language_of(clause, &words).code == "fr"
}

/// Whether a question speaks of its author, other than as the subject that asks.
fn speaks_of_author(sentence: &str) -> bool {
    let words = split(sentence);
    let is_asker = |at: usize| {
        let before = at.checked_sub(1).map(|before| &*words[before].folded);
        is_listed(ASKERS, &words[at].folded)
            && before.is_some_and(|before| is_listed(AUXILIARIES, before) || at < BEFORE_ASKER)
    };
    (0..words.len()).any(|at| is_listed(FIRST_PERSON, &words[at].folded) && !is_asker(at))
        || !sentence.is_ascii() && FIRST_UNSPACED.iter().any(|it| sentence.contains(it))
}

/// The sentences of a text, each with its mark. A full stop ends a sentence only before a space or at the end.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().find_map(|(at, c)| {
            let after = at + c.len_utf8();
            let ends = match c {
                '.' => rest[after..].chars().next().is_none_or(char::is_whitespace),
                c => matches!(c, '!' | '?' | '\n' | '。' | '！' | '？'),
            };
            ends.then_some(after)
        });
        let (sentence, left) = rest.split_at(end.unwrap_or(rest.len()));
        rest = left;
        (!sentence.is_empty()).then(|| sentence.trim())
    })
}

/// A text without the parts in quotation marks.
fn without_quotes(text: &str) -> std::borrow::Cow<'_, str> {
    const QUOTES: [(char, char); 6] =
        [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('‘', '’')];
    if !text.contains(QUOTES.map(|(open, _)| open)) {
        return text.into();
    }
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(QUOTES.map(|(open, _)| open)) {
        let open = rest[at..].chars().next().unwrap_or_default();
        let close = QUOTES.iter().find(|(opening, _)| *opening == open).map_or(open, |(_, close)| *close);
        let Some(end) = rest[at + open.len_utf8()..].find(close) else { break };
        left.push_str(&rest[..at]);
        rest = &rest[at + open.len_utf8() + end + close.len_utf8()..];
    }
    left.push_str(rest);
    left.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mp2_requests_and_questions_that_tell_nothing_are_known_in_five_languages() {
        for text in [
            "Explain inflation to a ten year old",
            "can you explain git rebase vs merge again, short please",
            "How long should you boil an egg if it's straight from the fridge",
            "Really? Write it as a poem.",
            "Zähl mir die Bundesländer mit Hauptstädten auf",
            "Übersetze bitte \"Ich liebe mein Fahrrad\" ins Englische",
            "Wie funktioniert Skat überhaupt, in fünf Sätzen",
            "dime tres planes de domingo con lluvia",
            "¿Qué quiere decir procrastinar exactamente?",
            "Tradúceme esto al portugués: «mi casa es verde»",
            "Explique-moi l'effet Doppler",
            "C'est quoi un bon score au Scrabble",
            "肉じゃがのレシピ、4人分でお願い",
            "async と await の違いをざっくり教えて",
            "弓道は難しい？",
            "how do i roast a 2kg chicken",
            "what happens if you swallow gum",
            "wie krieg ich eine rundgedrehte schraube raus",
            "cómo evito que se me empañen las gafas",
            "on fait rôtir combien de temps un poulet de 2 kg",
            "『雪国』書いたの誰だっけ",
            "1マイルって何メートル？",
        ] {
            assert!(only_asks_or_requests(text), "{text}");
        }
    }

    #[test]
    fn mp2_what_tells_something_besides_is_no_mere_request() {
        for text in [
            "",
            "👍",
            "Thanks, that helps!",
            "Name ten cheeses. Biscuit ate the last one.",
            "Write a card for my sister Ines",
            "How old is my cat?",
            "Does ski wax help? I broke my collarbone",
            "Schreib meiner Tante Gerda einen Brief",
            "Which Agatha Christie is best? We read one a month.",
            "Haz una lista para mi boda",
            "Donne-moi une idée pour ma fille",
            "うちの犬が食べられる野菜を教えて",
            "The new Dune was gorgeous",
            "When the twins were small the dog slept in the kitchen",
            "What a day, the twins are ill",
            "Wie gesagt, Oma kommt im Juni",
            "Wo früher der Laden war, wohnt jetzt Tante Gerda",
            "Quand Papa travaillait à Nantes, la maison était vide",
            "how do i explain fractions to our Rory",
            "wie krieg ich rotwein raus, der Krümel hat das Glas abgeräumt",
            "how long is the drive, Pickle gets sick in cars, any tips?",
            "小麦アレルギーなんだけど何か焼けるものある？",
            "quelles chaussures pour la boue, tous les matins sur le canal",
        ] {
            assert!(!only_asks_or_requests(text), "{text}");
        }
    }
}
