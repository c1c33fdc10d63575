//! Detection of endings: "I quit the band", „der Passat ist verkauft“, « la harpe c'est fini », 「ドラムはもうやってない」. An ending
//! corrects an earlier statement about the same thing (MP6).

use std::sync::LazyLock;

use crate::{
    oneself::names_relative,
    phrases::Phrases,
    stop_words::is_stop_word,
    supposed::is_supposition,
    text::{Word, fold, is_japanese, is_listed, split},
};

/// Verbs and phrases of an ending, without accents; `|` separates phrases.
const ENDS: &str = "quit|gave up|given up|giving up|dropped out|got rid|sold|flogged|ditched|binned|cancelled|canceled|called off|\
    are gone|is gone|all gone|\
    verkauft|gekundigt|aufgegeben|aufgehort|hingeschmissen|geschmissen|abgebrochen|abgesagt|losgeworden|schluss mit|\
    vendi|vendimos|vendido|deje|dejado|abandone|cancele|cancelamos|cancelado|anulado|renuncie|se me quito|se me paso|\
    vendu|vendue|arrete|demissionne|abandonne|annule|annulee|lache|c'est fini|c'est termine";
/// The same of a person or an animal, whom an earlier statement may name with another word: "my boyfriend Kieran".
const PARTS: &str = "broke up|broken up|split up|aren't together|arent together|not together|passed away|died|put to sleep|\
    schluss gemacht|getrennt|gestorben|verstorben|eingeschlafert|nicht mehr zusammen|\
    cortamos|rompimos|rompi con|nos separamos|murio|fallecio|ha muerto|ya no estamos juntos|\
    c'est mort|nous a quittes|nous a quitte|est mort|est morte|decede|decedee|on n'est plus ensemble|on est plus ensemble|s'est separes";
/// The same as first words of a clause about the past.
const ONCE: &str = "used to|i used to|we used to|fruher|antes|avant";
/// "Not any more". The author must be the subject, because a shop may no longer sell what the author likes.
const NO_LONGER: &str = "no more|no longer|nicht mehr|ya no";
const LATER: [&str; 2] = ["anymore", "more"];
/// Words that deny an ending.
const DENIALS: &str = "not never nicht nie kein keine no nunca pas jamais";
/// Words of wishes, plans and duties, with which nothing has ended yet.
const NOT_YET: &str = "want wants would might may could should if when will gonna going plan try trying wanna hope thinking must can can't cant \
    mochte will wurde konnte wenn ob soll sollte musste falls uberlege kann darf quiero querria podria si voy deberia quisiera pienso \
    veux voudrais pourrais vais devrais aimerais pense faut";
/// Words for a short time, with which "no longer" and "no more" hold for the moment.
const FOR_A_WHILE: &str =
    "today tonight week weekend heute abend woche wochenende hoy semana aujourd'hui soir semaine";
/// Words that begin another clause, or what an ending was for.
const JOINTS: &str = "and but since because cos cuz so for und aber weil seit seitdem wegen um y pero porque desde por para et mais \
    parce depuis car pour";
/// Words that say nothing about what has ended, in addition to the stop words.
const EMPTY: &str = "haha lol nope yeah well okay now anymore more longer any mehr plus yet already finally together just last this night since ago long though \
    yesterday monday tuesday wednesday thursday friday saturday sunday week month year weekend today tonight i'm i've im ive also btw \
    der die das dem den des ein eine einen einem einer mein meine meinen meinem meiner unser unsere unseren mit ich hab habe bin ist sind war \
    wir uns mir nun jetzt endlich schon gestern heute letzte letzten nacht woche monat jahr seit leider nicht kein keine keinen keinem zusammen auch \
    vom von zum zur beim bei fur und \
    el la los las un una unos unas mi mis nuestro nuestra yo me nos se lo le ya no con de del en al por fin ayer hoy anoche semana mes ano pasado pasada \
    este esta tengo era estaba fui \
    le les l d du des ma mon mes notre nos je j on nous c ce est fini ai j'ai ne n pas avec au aux en enfin hier soir semaine mois \
    annee dernier derniere etais etait j'etais suis";
/// Months, without accents: when something ended.
const MONTHS: &str = "january february march april may june july august september october november december januar februar marz mai \
    juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre janvier fevrier \
    mars avril juin juillet aout septembre octobre novembre decembre";
/// Verbs that are used with most things.
const LIGHT: &str = "do did doing make making go going have having had get getting take taking work working play playing live living \
    mach mache gehe nehm nehme spiel spiele arbeite wohne lebe hago voy tomo juego trabajo vivo fais vais prends joue travaille vis habite";
/// The maximum number of words of what has ended.
const MOST: usize = 4;

/// Japanese: endings, of persons and of other things.
const ENDS_UNSPACED: [&str; 12] = [
    "やめた",
    "やめて",
    "やめまし",
    "辞めた",
    "辞めて",
    "辞めまし",
    "売った",
    "売って",
    "手放し",
    "治った",
    "治って",
    "治りまし",
];
const PARTS_UNSPACED: [&str; 7] =
    ["別れた", "別れまし", "別れて", "死んだ", "死んじゃ", "亡くなった", "亡くなりまし"];
const DENIED_UNSPACED: [&str; 3] = ["ない", "なくな", "ません"];
const NOT_YET_UNSPACED: [&str; 6] = ["たい", "つもり", "かも", "たら", "よう", "べき"];
/// Particles behind what a clause is about.
const PARTICLES: [char; 8] = ['は', 'が', 'を', 'も', 'と', 'の', 'に', 'で'];
const TIMES_UNSPACED: [&str; 14] = [
    "先月",
    "先週",
    "昨日",
    "今日",
    "今月",
    "今年",
    "去年",
    "一昨日",
    "今",
    "前",
    "最近",
    "結局",
    "年",
    "月",
];

/// What has ended, by a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ending {
    /// Telling words, in lower case and without accents.
    ended: Vec<String>,
    /// Whether a person or an animal is gone.
    is_parting: bool,
}

/// Whether a sentence says that something has ended. It means something as a correction of an earlier statement.
pub fn tells_ending(sentence: &str) -> bool {
    !endings(sentence).is_empty()
}

/// Whether the new text says that what the old one tells has ended: every telling word of the ending is in the old text.
///
/// ```
/// use greenroom_lang::ends_what;
///
/// assert!(ends_what("I ride my bike to work", "sold the bike yesterday"));
/// assert!(!ends_what("I ride my bike to work", "I might sell the bike"));
/// ```
pub fn ends_what(old: &str, new: &str) -> bool {
    let endings = endings(new);
    if endings.is_empty() || tells_ending(old) {
        return false;
    }
    let (known, told) = (split(old), split(new));
    let folded = fold(&old.to_lowercase());
    let has = |word: &String| match word.is_ascii() {
        true => known.iter().any(|known| are_forms(&known.folded, word)),
        false => folded.contains(word.as_str()),
    };
    // "I quit Amazon" does not end "my brother works at Amazon"
    let is_of_another = |ending: &Ending| {
        let is_told = |relative: &str| told.iter().any(|word| word.folded == relative);
        !ending.is_parting && known.iter().any(|word| names_relative(&word.folded) && !is_told(&word.folded))
    };
    endings.iter().any(|ending| ending.ended.iter().all(has) && !is_of_another(ending))
}

/// Whether two words differ only at the end: "migraine", "migraines".
fn are_forms(one: &str, other: &str) -> bool {
    let alike = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let (short, long) = {
        let (a, b) = (one.chars().count(), other.chars().count());
        (a.min(b), a.max(b))
    };
    one == other || alike >= 4 && alike + 1 >= short && long - alike <= 3
}

/// The endings that a sentence tells.
fn endings(sentence: &str) -> Vec<Ending> {
    let sentence = sentence.trim();
    if sentence.ends_with(['?', '？']) || sentence.contains(['"', '“', '„', '«', '`']) {
        return Vec::new();
    }
    let found: Vec<Ending> = match is_japanese(sentence) {
        true => sentence.split(['。', '！', '!', '…']).filter_map(in_japanese).collect(),
        false => clauses(sentence, &split(sentence)).into_iter().filter_map(in_words).collect(),
    };
    if found.is_empty() || is_supposition(sentence) { Vec::new() } else { found }
}

/// The clauses: the words between punctuation and conjunctions.
fn clauses<'a, 'b>(sentence: &str, words: &'b [Word<'a>]) -> Vec<&'b [Word<'a>]> {
    let is_joint = |at: usize| {
        // "Tess and I"
        let joins_author = is_listed("and und y et", &words[at].folded)
            && words.get(at + 1).is_some_and(|next| is_listed("me i ich yo moi", &next.folded));
        is_listed(JOINTS, &words[at].folded) && !joins_author
    };
    let is_apart = |at: usize| {
        let between = &sentence[words[at - 1].end..words[at].start];
        between.contains([',', ';', ':', '–', '—', '(', ')', '.', '!', '…']) || between.contains(" - ")
    };
    let cuts = (1..words.len()).filter(|at| is_apart(*at) || is_joint(*at));
    let mut begin = 0;
    let mut found = Vec::new();
    for cut in cuts.chain([words.len()]) {
        found.push(&words[begin..cut]);
        begin = cut;
    }
    found
}

/// The ending in a clause of a language with spaces.
fn in_words(words: &[Word<'_>]) -> Option<Ending> {
    static PARTED: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(PARTS));
    static ENDED: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(ENDS));
    static NO_LONGER_SO: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(NO_LONGER));
    static ONCE_SO: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(ONCE));
    let has = |list: &str| words.iter().any(|word| is_listed(list, &word.folded));
    let phrase = |phrases: &Phrases| {
        (0..words.len()).find_map(|at| phrases.lengths(&words[at..]).max().map(|length| (at, length)))
    };
    // "in May" is a month
    let is_month =
        |at: usize| words[at].folded == "may" && at > 0 && is_listed("in last since", &words[at - 1].folded);
    if (0..words.len()).any(|at| is_listed(NOT_YET, &words[at].folded) && !is_month(at)) {
        return None;
    }
    // a denial within the phrase is part of it: "not together"
    let is_denied = |(at, length): &(usize, usize)| {
        let mut others = words[..*at].iter().chain(&words[at + length..]);
        others.any(|word| is_listed(DENIALS, &word.folded) || word.folded.ends_with("n't"))
    };
    let parted = phrase(&PARTED).filter(|found| !is_denied(found));
    let at_once = || ONCE_SO.lengths(words).max().map(|length| (0, length));
    let (at, length) = parted
        .or_else(|| phrase(&ENDED).filter(|found| !is_denied(found)))
        .or_else(at_once)
        .or_else(|| {
        phrase(&NO_LONGER_SO)
            .or_else(|| no_longer(words))
            .filter(|_| !has(FOR_A_WHILE))
            .filter(|(at, _)| *at == 0 || tells_of_oneself(words))
    })?;
    let tells = |(index, word): &(usize, &Word<'_>)| {
        let is_denial = word.folded.ends_with("n't");
        let is_number = word.folded.starts_with(|c: char| c.is_ascii_digit());
        let is_said = (at..at + length).contains(index);
        let is_common = is_stop_word(&word.folded)
            || [EMPTY, MONTHS, LIGHT].iter().any(|list| is_listed(list, &word.folded));
        !is_said && !is_denial && !is_number && !is_common && word.folded.chars().count() > 2
    };
    let ended: Vec<String> =
        words.iter().enumerate().filter(tells).map(|(_, word)| without_elision(&word.folded)).collect();
    (1..=MOST).contains(&ended.len()).then_some(Ending { ended, is_parting: parted.is_some() })
}

/// "not … anymore", "kein … mehr", "ne … plus", "j'ai plus".
fn no_longer(words: &[Word<'_>]) -> Option<(usize, usize)> {
    let position = |list: &str| words.iter().position(|word| is_listed(list, &word.folded));
    let denied = words.iter().position(|word| {
        is_listed("not dont doesnt isnt kein keine keinen keinem ne", &word.folded)
            || word.folded.ends_with("n't")
            || word.folded.starts_with("n'")
    });
    if let (Some(denied), Some(later)) = (denied, position("anymore longer mehr plus")) {
        return (denied < later).then_some((later, 1));
    }
    let more = words.windows(2).position(|pair| pair[0].folded == "any" && LATER.contains(&&*pair[1].folded));
    if let (Some(_), Some(more)) = (denied, more) {
        return Some((more, 2));
    }
    let plus = position("plus")
        .filter(|plus| *plus <= 2 && !words.iter().any(|word| is_listed("que de", &word.folded)))?;
    let is_spoken = is_listed("je on", &words[0].folded) || words[0].folded.starts_with("j'");
    is_spoken.then_some((plus, 1))
}

/// Whether the author is the subject. In Spanish the verb may say so alone.
fn tells_of_oneself(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| {
        is_listed(
            "i i'm im i've we we're my our ich wir mein meine je on nous mon ma yo me mi ya",
            &word.folded,
        ) || word.folded.starts_with("j'")
    })
}

/// The word without a French article or pronoun: "l'alcool".
fn without_elision(word: &str) -> String {
    let rest = word.split_once('\'').filter(|(before, _)| is_listed("l d j qu m n s c", before));
    rest.map_or(word, |(_, rest)| rest).to_owned()
}

fn in_japanese(clause: &str) -> Option<Ending> {
    if NOT_YET_UNSPACED.iter().any(|wish| clause.contains(wish)) {
        return None;
    }
    let first = |list: &[&str]| list.iter().filter_map(|end| clause.find(end)).min();
    let no_longer = || {
        let more = clause.find("もう")?;
        DENIED_UNSPACED.iter().any(|denial| clause[more..].contains(denial)).then_some(more)
    };
    let parted = first(&PARTS_UNSPACED);
    let at = parted.or_else(|| first(&ENDS_UNSPACED)).or_else(no_longer)?;
    let ended: Vec<String> = things(&clause[..at]);
    (1..=MOST).contains(&ended.len()).then_some(Ending { ended, is_parting: parted.is_some() })
}

/// The things in a Japanese text: runs of one script before a particle or a break.
fn things(text: &str) -> Vec<String> {
    let is_kanji = |c: char| matches!(c, '\u{4e00}'..='\u{9fff}');
    let is_katakana = |c: char| matches!(c, '\u{30a0}'..='\u{30ff}');
    let same = |a: char, b: char| is_kanji(a) && is_kanji(b) || is_katakana(a) && is_katakana(b);
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut begin = 0;
    while begin < chars.len() {
        let end = (begin + 1..chars.len()).find(|at| !same(chars[begin], chars[*at])).unwrap_or(chars.len());
        let run: String = chars[begin..end].iter().collect();
        let next = chars.get(end);
        let is_noun = next.is_none_or(|next| {
            PARTICLES.contains(next) || !next.is_alphanumeric() || same(*next, 'ア') || is_kanji(*next)
        }) || chars[end..].starts_with(&['ち', 'ゃ', 'ん'])
            || chars[end..].starts_with(&['も', 'う']);
        let is_thing = is_kanji(chars[begin]) || is_katakana(chars[begin]) && end - begin > 1;
        if is_thing && is_noun && !TIMES_UNSPACED.contains(&&*run) {
            found.push(run);
        }
        begin = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{ends_what, tells_ending};

    #[test]
    fn mp6_an_ending_corrects_what_was_told_of_the_same() {
        let mut wrong = Vec::new();
        for (old, new) in [
            ("I play the oboe in a wind band", "gave up the oboe, too many rehearsals"),
            ("i smoke a pack a day", "haha no i don't smoke anymore"),
            ("we've got a caravan in Tenby", "oh and we sold the caravan"),
            ("i'm on keto since march", "i used to be on keto, now i just count calories"),
            ("my girlfriend Tess hates olives", "tess and i broke up last night"),
            ("our cat Pepper sleeps on the router", "Pepper passed away on Sunday."),
            ("i get nosebleeds all winter", "the nosebleeds are gone since i got the humidifier"),
            ("ich spiel klarinette im verein", "klarinette spiel ich nicht mehr, keine zeit"),
            ("ich fahr nen alten Volvo", "der volvo ist verkauft, endlich"),
            ("unsere Katze Minka frisst nur Pute", "Minka ist gestern gestorben 😢"),
            ("mein Freund Jonas kocht super", "mit jonas ist schluss gemacht, ende"),
            ("mi moto es una Vespa azul", "vendí la vespa, ahora voy en bus"),
            ("hago yoga los martes", "dejé el yoga por la espalda"),
            ("mi novio se llama Iker", "iker y yo cortamos"),
            ("je fais de la poterie le jeudi", "la poterie c'est fini, trop cher"),
            ("j'ai une Twingo jaune", "j'ai vendu la twingo"),
            ("mon chien Pastis a peur de l'orage", "Pastis est mort hier"),
            ("週末はサーフィンしてます", "サーフィンはもうやってない、腰が痛くて"),
            ("バイクはカワサキです", "カワサキ売ったよ"),
            ("彼女の美咲は看護師", "美咲とは先月別れた"),
        ] {
            wrong.extend((!ends_what(old, new)).then(|| (old, new, super::endings(new))));
        }
        assert_eq!(wrong, []);
    }

    #[test]
    fn mp6_what_has_not_ended_corrects_nothing() {
        let mut wrong = Vec::new();
        for (old, new) in [
            ("I play the oboe", "I might give up the oboe"),
            ("I play the oboe", "never gave up the oboe"),
            ("I play the oboe", "I haven't sold the oboe"),
            ("my girlfriend Tess hates olives", "Tess and I haven't split up"),
            ("unsere Katze Minka frisst nur Pute", "Minka ist nicht gestorben"),
            ("I play the oboe", "did you quit the oboe?"),
            ("my brother works at Amazon", "I quit Amazon"),
            ("I take oat milk", "the café has no oat milk anymore"),
            ("I drink coffee", "no more coffee today"),
            ("ich trinke Kaffee", "heute trink ich keinen Kaffee mehr"),
            ("ich hab ein Rad", "ich will das Rad verkaufen"),
            ("ich hab ein Rad", "das Rad hab ich nicht verkauft"),
            ("tengo un perro, Lolo", "Lolo ya no cabe en su cama"),
            ("j'ai une Twingo", "je voudrais une Twingo en plus"),
            ("j'ai une Twingo", "j'aime plus la Twingo que la Clio"),
            ("バイクはカワサキです", "カワサキ売りたい"),
            ("I live in Graz", "I used to hate Graz"),
        ] {
            wrong.extend(ends_what(old, new).then_some((old, new)));
        }
        assert_eq!(wrong, []);
        for new in ["I live in Graz", "more coffee", "plus de café !", "もう食べた"] {
            assert!(!tells_ending(new), "{new}");
        }
    }
}
