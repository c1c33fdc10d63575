//! Whether a text only asks or requests something and tells nothing of its author (MP2): "How long does an egg boil?",
//! "Explique-moi l'effet Doppler", 「肉じゃがのレシピ、お願い」.

use std::sync::LazyLock;

use crate::{
    phrases::Phrases,
    text::{is_listed, split},
};

/// Words before a request or a question.
const OPENINGS: &str = "please pls plz hey hi ok okay so and but now then well also just quick random lol could can would will you u \
    kindly bitte mal kurz und aber dann also kannst konntest wurdest du nochmal por favor porfa puedes podrias y pero \
    oye anda s'il te plait stp svp peux pourrais tu et mais bon alors dis";

/// How requests begin, and questions that have no question mark. Without accents. Words that begin a clause as well do not
/// stand alone: "when the twins were small", "what a day".
const BEGINNINGS: &str = "\
    add|answer|brainstorm|calculate|change|check|choose|cite|compare|compose|convert|correct|count|create|debug|define|\
    describe|draft|draw|edit|explain|find|finish|fix|format|generate|give|gimme|guess|help|imagine|improve|invent|list|look|\
    make|name|outline|paraphrase|pick|plan|pretend|proofread|quiz|rank|read|recommend|remind|reword|rewrite|rhyme|\
    roast|search|shorten|show|simplify|solve|spell|suggest|sum|summarise|summarize|summary|tell|think|translate|turn|use|write|\
    what is|what are|what does|what do|what should|what's|whats|who is|who was|who's|where is|where's|when is|when's|why|how|\
    how's|which|whose|is there|are there|does|do you|did|\
    beschreib|beschreibe|definier|definiere|empfiehl|entwirf|erfinde|erklar|erklare|erzahl|erzahle|fass|fasse|finde|\
    formulier|formuliere|gib|hilf|korrigier|korrigiere|lies|liste|mach|mache|nenn|nenne|ordne|plane|rate|rechne|schreib|schreibe|\
    schlag|schlage|sag|sage|sortier|sortiere|such|suche|tu so|ubersetz|ubersetze|verbesser|verbessere|vergleich|vergleiche|\
    verrat|verrate|zahl|zahle|zeig|zeige|zeichne|was ist|was sind|was heisst|was kostet|was bedeutet|wer ist|wie funktioniert|wie geht|wie macht man|wie viel|wie viele|wo ist|wann ist|warum|\
    wieso|weshalb|wieviel|welche|welcher|welches|welchen|gibt es|\
    anade|busca|buscame|calcula|calculame|cambia|compara|corrige|corrigeme|crea|cuenta|cuentame|dame|define|describe|\
    dime|enumera|escribe|escribeme|explica|explicame|finge|genera|haz|hazme|imagina|inventa|inventate|lista|muestrame|nombra|ordena|\
    pon|ponme|propon|proponme|recomienda|recomiendame|recuerdame la|recuerdame el|redacta|redactame|resume|resumeme|sugiere|\
    sugiereme|traduce|traduceme|que es|que son|que significa|que quiere decir|como se|como funciona|cual es|cuales son|cuantos|cuantas|\
    cuanto cuesta|por que|donde esta|quien es|quienes son|\
    ajoute|calcule|change|cite|classe|compare|complete|conseille|corrige|cree|decris|definis|donne|dessine|ecris|enumere|explique|\
    fais|imagine|invente|liste|montre|nomme|propose|raconte|rappelle|recommande|redige|reformule|resume|suggere|traduis|trouve|\
    verifie|c'est quoi|qu'est-ce que|qu'est-ce|est-ce que|est-ce|quel|quelle|quels|quelles|comment|combien|pourquoi|ou est|\
    qui est";

/// How a Japanese request or question without a mark ends.
const ENDINGS: [&str; 25] = [
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
    "とは",
];

/// Words by which people speak of themselves; "me" is left out, since it also stands in "tell me".
const FIRST_PERSON: &str = "i i'm i've i'd i'll im ive id my mine myself we we're we've our ours \
    ich mein meine meinen meinem meiner meines wir unser unsere unserem unseren unserer \
    je j'ai j'en j'y j'avais mon ma mes nous notre nos \
    yo mi mis mio mia nosotros nuestro nuestra nuestros nuestras soy tengo estoy vivo trabajo voy";
const FIRST_UNSPACED: [&str; 8] = ["私", "僕", "俺", "わたし", "ぼく", "自分", "うち", "我が家"];

static REQUESTS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(BEGINNINGS));

/// Whether each sentence of a text asks or requests something, and none speaks of its author. What stands in quotation
/// marks is material of the request and does not count.
pub fn only_asks_or_requests(text: &str) -> bool {
    let text = without_quotes(text);
    let mut sentences =
        sentences(&text).filter(|sentence| sentence.contains(char::is_alphanumeric)).peekable();
    sentences.peek().is_some() && sentences.all(|sentence| asks(sentence) && !speaks_of_author(sentence))
}

fn asks(sentence: &str) -> bool {
    if sentence.ends_with(['?', '？']) {
        return true;
    }
    let said = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    if ENDINGS.iter().any(|ending| said.ends_with(ending)) {
        return true;
    }
    let words = split(sentence);
    let opening = words.iter().take_while(|word| is_listed(OPENINGS, &word.folded)).count();
    (0..=opening).any(|begin| REQUESTS.lengths(&words[begin..]).next().is_some())
}

fn speaks_of_author(sentence: &str) -> bool {
    split(sentence).iter().any(|word| is_listed(FIRST_PERSON, &word.folded))
        || !sentence.is_ascii() && FIRST_UNSPACED.iter().any(|it| sentence.contains(it))
}

/// Sentences with the mark that ends each. A full stop ends one only before a space or at the end.
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

/// A text without what stands in quotation marks.
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
        ] {
            assert!(!only_asks_or_requests(text), "{text}");
        }
    }
}
