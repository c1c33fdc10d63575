//! The Japanese rules for facts that people tell about themselves. Japanese has no spaces between words and often
//! leaves the subject out, so the rules match a clause by its ending and by the text before it.

mod clauses;
mod moment;
mod more_rules;
mod people;
mod rarer_rules;
mod rules;
mod values;
mod words;

use super::{OwnFact, correction::names_diet, ended, japanese_names};
use clauses::{Clause, clauses};
pub(super) use moment::tells_the_moment;
use more_rules::MORE_RULES;
use people::{ClauseSubject, named, subject};
use rarer_rules::RARER_RULES;
use rules::RULES;
use values::{allergen, condition, liked, object, whose};
use words::{AROUND, HEARSAY, JOBS, ONESELF, OPENINGS, PASSING, STORIES};

/// Words for a short time. They do not concern a name.
const TIMES: &[&str] = &["今日", "明日", "今夜", "今晩", "今朝", "明後日", "今週", "来週", "今回"];

/// Endings of questions.
const ASKING: &[&str] = &["か", "？", "?", "かい", "の"];

/// Endings of wishes.
const WISHING: &[&str] =
    &["たい", "たいです", "たいんです", "たいなあ", "たいと思います", "たいと思っています"];

/// Words of questions about each topic, by the topic's last word.
pub(super) const QUESTIONS: super::Questions = &[
    ("home", "住んでいる 住まい 家 町 街"),
    ("name", "名前 何という"),
    ("work", "仕事 職業 働いている"),
    ("age", "年齢 何歳"),
    ("birthday", "誕生日"),
    ("origin", "出身"),
];

/// The maximum number of characters in a clause.
const LONGEST: usize = 60;

/// Endings of requests to write a text.
const REQUESTS: &[&str] = &[
    "書いて",
    "作って",
    "訳して",
    "描いて",
    "直して",
    "演じて",
    "考えて",
    "答えて",
    "想像して",
    "まとめて",
    "入れて",
];

/// Topics of people, which a clause about a thing cannot have.
const OF_PEOPLE: &[&str] = &[
    "home",
    "origin",
    "birthplace",
    "childhood",
    "birthday",
    "birth year",
    "age",
    "married",
    "have",
    "work",
    "studies",
    "death",
    "pronouns",
    "name",
];

/// The fact in a sentence.
pub(super) fn own_fact(sentence: &str) -> Option<OwnFact> {
    let mut text = sentence.trim();
    while let Some(rest) = OPENINGS.iter().find_map(|opening| text.strip_prefix(opening)) {
        text = rest.trim_start_matches(['、', ',', ' ', '…', '　']);
    }
    let end = text.trim_end_matches(['。', '！', '!', '.', '〜', 'ー', 'よ', 'ね', 'わ', '笑', ' ', 'ぞ']);
    if text.starts_with("もし")
        || STORIES.iter().any(|word| text.contains(word)) && !is_of_answers(text)
        || HEARSAY.iter().any(|ending| end.ends_with(ending))
    {
        return None;
    }
    let (begin, end, topic) = span_and_topic(text, &clauses(text))?;
    Some(OwnFact { text: text[begin..end].to_owned(), topic })
}

/// Whether a sentence asks for answers in a language or manner from now on, and not once for a translation.
fn is_of_answers(text: &str) -> bool {
    let standing = ["いつも", "常に", "これからは", "今後は"];
    let answers = ["答えて", "返事して", "話して", "説明して"];
    standing.iter().any(|begin| text.starts_with(begin)) && answers.iter().any(|verb| text.contains(verb))
}

/// The fact that a sentence denies: "卵アレルギーではありません".
pub(super) fn denied_fact(sentence: &str) -> Option<OwnFact> {
    let text = sentence.trim().trim_end_matches(['よ', 'ね', 'わ', '〜', ' ']);
    let claimed = own_fact(&ended::denied_japanese(text)?)?;
    own_fact(sentence).is_none().then(|| OwnFact { text: text.to_owned(), topic: claimed.topic })
}

/// The begin and end of the clauses with facts, and the topic of the first fact.
fn span_and_topic(text: &str, clauses: &[Clause]) -> Option<(usize, usize, String)> {
    let mut found: Option<(usize, usize, String)> = None;
    // the subject of the clauses before; and a clause that only names something: "うちの犬、…"
    let (mut carried, mut since, mut named): (ClauseSubject<'_>, usize, Option<(usize, &str)>) =
        (ClauseSubject::Own, 0, None);
    let greets =
        ["よろしくお願い", "初めまして", "はじめまして"].iter().any(|greeting| text.contains(greeting));
    for (index, clause) in clauses.iter().enumerate() {
        let is_last = index + 1 == clauses.len();
        let written = &text[clause.begin..clause.end];
        if !is_last && REQUESTS.iter().any(|ending| written.ends_with(ending)) {
            break;
        }
        if !is_last && people::is_bare(written) {
            named = Some((clause.begin, written));
            continue;
        }
        let said = match named {
            Some((_, name)) => format!("{name}は{}", clause.said),
            None => clause.said.clone(),
        };
        let begin = named.map_or(clause.begin, |(begin, _)| begin);
        let who = subject(&said);
        // a wish to be called by a name needs no subject
        let called = ["って呼んで", "と呼んで"].iter().any(|wish| said.contains(wish));
        let of = match &who {
            ClauseSubject::Implied if called => ClauseSubject::Own,
            ClauseSubject::Implied => carried.clone(),
            // "ゴリラは草食で、肉は食べない"
            ClauseSubject::Thing if carried == ClauseSubject::Other => ClauseSubject::Other,
            who => who.clone(),
        };
        let corrected = if is_last { None } else { corrected(&said) };
        if greets && of == ClauseSubject::Own && people::introduces(&said) && !is_of_a_job(&said, &of) {
            found = found.or(Some((begin, clause.end, "name".to_owned())));
            continue;
        }
        let topic = if let Some(topic) = corrected.and_then(|before| lasting(&before, &of)) {
            found = found.or(Some((begin, text.len(), topic)));
            break;
        } else {
            topic(&said, written, &of, is_last, clauses.len() == 1)
        };
        let apposed = || japanese_names::apposed(named?.1, &clause.said, AROUND);
        let topic = topic.or_else(apposed);
        let is_found = topic.is_some();
        if let Some(topic) = topic {
            let start = if who == ClauseSubject::Implied && matches!(carried, ClauseSubject::Kin(_)) {
                since
            } else {
                begin
            };
            found = Some(match found {
                Some((first, _, topic)) => (first, clause.end, topic),
                None => (start, clause.end, topic),
            });
        }
        match who {
            ClauseSubject::Implied => (),
            ClauseSubject::Thing if is_found || said.contains('が') && !said.contains('は') => (),
            ClauseSubject::Thing => carried = ClauseSubject::Other,
            who => (carried, since) = (who.owned(), begin),
        }
        if is_found {
            named = None;
        }
    }
    found
}

/// The earlier statement, if a clause begins to correct it: "さっき35歳って書いた".
fn corrected(said: &str) -> Option<String> {
    let rest = [
        "って言った",
        "って書いた",
        "と言った",
        "と書いた",
        "って言ってた",
        "って言いました",
        "と言いました",
        "って書きました",
        "と書きました",
    ]
    .iter()
    .find_map(|ending| said.strip_suffix(ending))?;
    let rest = ["さっき", "前に", "この前", "先ほど", "以前", "最初に", "昨日"]
        .iter()
        .find_map(|opening| rest.strip_prefix(opening))
        .unwrap_or(rest);
    Some(format!("{}だ", rest.trim_start_matches(['、', 'は'])))
}

/// Topics of clauses that may end with a noun.
const OF_NOUNS: &[&str] = &[
    "birthday",
    "anniversary",
    "like",
    "name",
    "age",
    "home",
    "household",
    "birthplace",
    "childhood",
    "allergy",
    "favourite",
];

/// The topic of a clause about this subject.
fn topic(said: &str, written: &str, of: &ClauseSubject<'_>, is_last: bool, is_alone: bool) -> Option<String> {
    // a boss has a topic whatever the clause tells
    if let Some(topic) = japanese_names::boss(written) {
        return Some(topic);
    }
    let asks = is_last
        && ASKING.iter().any(|ending| said.ends_with(ending) && (is_alone || !said.ends_with("ないの")));
    let wishes = WISHING.iter().any(|ending| said.ends_with(ending));
    if *of == ClauseSubject::Other || asks || wishes || said.chars().count() > LONGEST {
        return None;
    }
    let tells = said
        .replace("子どもの頃から", "")
        .replace("子供の頃から", "")
        .replace("なら断然", "")
        .replace("かない", "");
    let has = |words: &[&str]| words.iter().any(|word| tells.contains(word));
    let (is_passing, has_time) = (has(PASSING), has(TIMES));
    let topic = lasting(said, of).or_else(|| {
        // a clause may also end with a noun
        let noun = !said.ends_with(|c: char| ('\u{3041}'..='\u{309f}').contains(&c))
            || ["好き", "嫌い", "だめ", "育ち", "生まれ", "持ち", "暮らし", "住まい"]
                .iter()
                .any(|ending| said.ends_with(ending))
            || ["誕生日は", "名前は"].iter().any(|of| said.contains(of))
                && !said.ends_with(['た', 'い', 'る', 'す', 'だ', 'に', 'て', 'か', 'の']);
        let found = noun.then(|| lasting(&format!("{said}だ"), of))??;
        let now = ["今は", "現在は", "私は", "僕は", "俺は"].iter().any(|now| said.starts_with(now));
        let of_kin = matches!(of, ClauseSubject::Kin(_))
            && ["origin", "work"].iter().any(|topic| found.ends_with(topic));
        (OF_NOUNS.iter().any(|topic| found.contains(topic))
            || found == "origin" && ["実家は", "出身は", "地元は"].iter().any(|of| said.starts_with(of))
            || now && found == "work"
            || of_kin)
            .then_some(found)
    });
    let is_name = topic.as_ref().is_some_and(|topic| topic.ends_with("name") || topic.ends_with("pronouns"));
    // the title of a favourite film is in quotation marks, and so may be a name
    if said.contains(['「', '『']) && !said.starts_with("好きな") && !(is_name && people::quotes_names(said))
    {
        return None;
    }
    // a wish for answers ends with a request: 「短く答えてください」
    let is_name = is_name || topic.as_ref().is_some_and(|topic| topic == "answers") && !said.contains("かも");
    match topic {
        Some(topic) if is_name || !(is_passing || has_time) => Some(topic),
        _ if is_passing => None,
        _ if people::is_of_goods(written) => None,
        _ => japanese_names::topic(written, AROUND, ONESELF).or_else(|| japanese_names::pair(said, AROUND)),
    }
}

/// The topic of a lasting statement, whose ending is in plain form.
fn lasting(said: &str, of: &ClauseSubject<'_>) -> Option<String> {
    let before = ended::before_japanese(said);
    let still = said.strip_prefix("もう").filter(|rest| !rest.starts_with("すぐ")).unwrap_or(said);
    let (topic, said) = before.iter().map(|before| &**before).chain([still]).find_map(|said| {
        let rule = RULES
            .iter()
            .chain(RARER_RULES)
            .chain(MORE_RULES)
            .filter(|(_, parts, ends)| fits(said, parts, *ends))
            .map(|(topic, ..)| *topic);
        let topic =
            rule.chain(more(said, of)).find(|topic| holds(topic, said, of) && is_complete(topic, said))?;
        Some((topic, said))
    })?;
    let what = match topic {
        "diet" if names_diet(said) => String::new(),
        "allergy" => allergen(said),
        "diet" => values::not_eaten(said),
        "have" if !of.word().is_empty() => of.word().to_owned(),
        "health" => condition(said),
        "like" => liked(values::told_of(said, of.word())),
        "fear" | "favourite" | "have" | "studies" | "language" => object(values::told_of(said, of.word())),
        _ => String::new(),
    };
    let kin = match topic {
        "anniversary" | "birthday" if of.word().is_empty() => people::kin(said).map_or("", |(kin, _)| kin),
        // "犬は好きだ": the animals are the object of liking
        "like" | "fear"
            if said
                .strip_prefix(of.word())
                .is_some_and(|rest| rest.starts_with(['は', 'が']) && !rest[3..].contains(['は', 'が'])) =>
        {
            ""
        }
        "death" if of.word().is_empty() => people::kin(said).map_or("", |(kin, _)| kin),
        _ => of.word(),
    };
    let kin = if topic == "have" { kin.to_owned() } else { whose(said, kin) };
    let parts = [&*kin, topic, &what].into_iter().filter(|part| !part.is_empty());
    Some(parts.collect::<Vec<_>>().join(" "))
}

/// Topics that the rules do not cover.
fn more(said: &str, of: &ClauseSubject<'_>) -> impl Iterator<Item = &'static str> {
    let topics = [
        (is_of_a_job(said, of), "work"),
        (people::is_of_a_nation(said), "origin"),
        (people::is_of_a_gender(said), "pronouns"),
        (matches!(of, ClauseSubject::Kin(_)) && named(said), "name"),
        (matches!(of, ClauseSubject::Kin(_)) && people::was_something(said), "work"),
    ];
    topics.into_iter().filter(|(fits, _)| *fits).map(|(_, topic)| topic)
}

/// Whether a clause about this subject may have this topic.
fn holds(topic: &str, said: &str, of: &ClauseSubject<'_>) -> bool {
    match of {
        ClauseSubject::Other => false,
        ClauseSubject::Thing => !OF_PEOPLE.contains(&topic) && people::is_about_a_thing(said),
        ClauseSubject::Kin(_) => match topic {
            "diet" | "allergy" | "home" | "origin" | "birthplace" => !people::is_general(said),
            "name"
                if ["未定", "秘密", "内緒", "決まって", "決めて"].iter().any(|word| said.contains(word)) =>
            {
                false
            }
            "name" => !said.ends_with("います") && !said.ends_with("と申します") || named(said),
            _ => true,
        },
        ClauseSubject::Own | ClauseSubject::Implied => match topic {
            "death" => said.contains("を亡く") && people::kin(said).is_some(),
            "name" => {
                !["何", "どう", "未定", "秘密", "内緒"].iter().any(|word| said.contains(word))
                    && people::may_name(said)
            }
            "like" | "diet" => people::is_about_a_thing(said),
            _ => true,
        },
    }
}

/// Whether a clause states the value of its topic: "my birthday is near" does not.
fn is_complete(topic: &str, said: &str) -> bool {
    let soon = ["いだ", "もうすぐだ", "来週だ", "今週だ", "明日だ", "今日だ", "楽しみだ", "来月だ"];
    match topic {
        "origin" | "home" | "birthplace" if values::UNREAL.iter().any(|place| said.contains(place)) => false,
        "allergy" => {
            let what = allergen(said);
            !values::JOKES.iter().any(|joke| what.starts_with(joke))
                && !values::OTHERS.iter().any(|other| what.contains(other))
        }
        "fear" => !values::JOKES.iter().any(|joke| object(said).starts_with(joke)),
        "like" if names_diet(said) => false,
        "diet" if names_diet(said) => {
            !["無理", "できない", "向いて", "嫌", "迷"].iter().any(|word| said.contains(word))
        }
        "birthplace" => !said.ends_with("が生まれた") && !said.ends_with("が生まれました"),
        // "熱くて飲めない" holds for the moment
        "diet" if ["くて", "すぎ"].iter().any(|because| said.contains(because)) => false,
        "diet" if ["ご飯食べ", "ごはん食べ", "何食べ", "何も"].iter().any(|meal| said.contains(meal)) => {
            false
        }
        "diet" => !["食べ", "飲", "う"].iter().any(|verb| object(said).starts_with(verb)),
        "have" => people::has_own(said),
        "birthday" | "anniversary" => !soon.iter().any(|ending| said.ends_with(ending)),
        "home" if ["さん", "人", "くん", "ちゃん"].iter().any(|who| said.ends_with(who)) => false,
        "home" if said.contains("家は") => ["家は", "うちの家は", "の家は", "我が家は", "わが家は"]
            .iter()
            .any(|own| said.starts_with(own) || said.contains("私の家は")),
        _ => true,
    }
}

/// Whether the parts occur in the clause in this order.
fn fits(said: &str, parts: &[&str], ends: bool) -> bool {
    let Some((last, first)) = parts.split_last() else { return false };
    let mut rest = said;
    for part in first {
        let found = part.split('|').filter_map(|one| Some((rest.find(one)?, one.len()))).min();
        let Some((at, length)) = found else { return false };
        rest = &rest[at + length..];
    }
    match ends {
        true => last.split('|').any(|one| rest.ends_with(one) || ends_without_particle(rest, one)),
        false => last.split('|').any(|one| rest.contains(one)),
    }
}

/// Whether a clause has this ending without its particle: "ハムスター飼っている".
fn ends_without_particle(said: &str, ending: &str) -> bool {
    let noun = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c) || ('\u{30a1}'..='\u{30ff}').contains(&c);
    // "探している" is one verb
    let before = ending
        .strip_prefix('を')
        .filter(|bare| !bare.starts_with('し'))
        .and_then(|bare| said.strip_suffix(bare));
    before.is_some_and(|before| before.ends_with(noun) && !before.ends_with('今'))
}

/// Whether a clause tells a job: "I am a teacher", "I work as a teacher".
fn is_of_a_job(said: &str, of: &ClauseSubject<'_>) -> bool {
    // "日曜も営業だ" and "パン屋だ" are about a place
    const PLACES: &[&str] =
        &["営業", "販売", "溶接", "配管", "牧場", "薬局", "工務店", "経理", "農業", "パート", "アルバイト"];
    let job =
        |rest: &str| JOBS.split_whitespace().filter(|job| rest.ends_with(job)).max_by_key(|job| job.len());
    let does =
        |rest: &str| job(rest).is_some() || people::is_of_an_occupation(rest, "員師士官者長工屋婦家人手", 2);
    let since = ["年目だ", "年になる", "年になります", "年だ"].iter().any(|since| said.ends_with(since));
    let does = [
        "をしている",
        "をやっている",
        "として働いている",
        "だった",
        "になった",
        "になりました",
        "をして",
        "をやって",
        "している",
        "やっている",
        "は辞めた",
        "は辞めました",
        "はやめた",
        "は引退した",
    ]
    .iter()
    .filter_map(|ending| {
        said.strip_suffix(ending).or_else(|| Some(said.split_once(ending)?.0).filter(|_| since))
    })
    .any(does);
    let is = said.strip_suffix("だ").or_else(|| said.strip_suffix("です")).is_some_and(|rest| {
        let known = job(rest).is_some_and(|job| {
            matches!(of, ClauseSubject::Kin(_)) || !PLACES.contains(&job) && !job.ends_with('屋')
        });
        known || people::is_of_an_occupation(rest, "師士員官工", 3)
    });
    does || is
}
