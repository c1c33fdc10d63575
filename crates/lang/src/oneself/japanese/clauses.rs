//! Splits a Japanese sentence into clauses, at commas and after connecting forms, and normalises their endings: "住んでて",
//! "住んでるんだけど" and "住んでいますが" all become "住んでいる".

use super::words::JOBS;

/// A clause: its position in the sentence, and its words with a plain ending.
pub(super) struct Clause {
    pub(super) begin: usize,
    pub(super) end: usize,
    pub(super) said: String,
}

/// Connecting forms after which a clause ends without a comma.
const JOINTS: &[&str] = &[
    "ので",
    "けど",
    "けれど",
    "んですが",
    "ですが",
    "ますが",
    "だから",
    "るから",
    "いから",
    "たから",
    "すから",
    "なのに",
    "なのが",
    "なんで",
    "るんで",
    "ないんで",
    "たんで",
    "んでて",
    "てて",
    "んでいて",
    "ていて",
    "人いて",
    "匹いて",
    "やけん",
    "出身で",
    "生まれで",
    "アレルギーで",
    "持ちで",
    "ひどくて",
    "が好きで",
    "怖くて",
    "があって",
    "が苦手で",
    "が嫌いで",
];

/// Endings and their replacements, which are applied in this order until none matches.
const ENDINGS: &[(&str, &str)] = &[
    ("るっす", "る"),
    ("たばっかりだ", "た"),
    ("たばっかり", "た"),
    ("たばかりだ", "た"),
    ("たばかり", "た"),
    ("無理な人だ", "無理だ"),
    ("無理なタイプだ", "無理だ"),
    ("苦手な人だ", "苦手だ"),
    ("苦手なタイプだ", "苦手だ"),
    ("だめな人だ", "だめだ"),
    ("ダメな人だ", "ダメだ"),
    ("いタイプだ", "い"),
    ("妊娠中", "妊娠中だ"),
    ("んでて", "んでいる"),
    ("てて", "ている"),
    ("っす", "だ"),
    ("やけん", "だ"),
    ("やねん", "だ"),
    ("やで", "だ"),
    ("でさ", "だ"),
    ("でね", "だ"),
    ("よなあ", ""),
    ("よな", ""),
    ("よねー", ""),
    ("んだよ", "んだ"),
    ("なのですが", "だ"),
    ("なんです", "だ"),
    ("なんだ", "だ"),
    ("なもので", "だ"),
    ("なので", "だ"),
    ("なのに", "だ"),
    ("だけども", "だ"),
    ("けれども", ""),
    ("けれど", ""),
    ("けど", ""),
    ("ますが", "ます"),
    ("ですが", "です"),
    ("だが", "だ"),
    ("るから", "る"),
    ("いから", "い"),
    ("たから", "た"),
    ("すから", "す"),
    ("だから", "だ"),
    ("うから", "う"),
    ("ぶから", "ぶ"),
    ("むから", "む"),
    ("くから", "く"),
    ("るので", "る"),
    ("いので", "い"),
    ("たので", "た"),
    ("すので", "す"),
    ("んので", "ん"),
    ("るのに", "る"),
    ("るし", "る"),
    ("いし", "い"),
    ("だし", "だ"),
    ("すし", "す"),
    ("たし", "た"),
    ("るんです", "る"),
    ("るんだ", "る"),
    ("たんです", "た"),
    ("たんだ", "た"),
    ("いんです", "い"),
    ("いんだ", "い"),
    ("うんです", "う"),
    ("うんだ", "う"),
    ("るのだ", "る"),
    ("ないです", "ない"),
    ("たいです", "たい"),
    ("ていまして", "ている"),
    ("てまして", "ている"),
    ("んでまして", "んでいる"),
    ("ておりまして", "ている"),
    ("ております", "ている"),
    ("ています", "ている"),
    ("んでいまして", "んでいる"),
    ("んでおりまして", "んでいる"),
    ("んでおります", "んでいる"),
    ("んでいます", "んでいる"),
    ("でした", "だった"),
    ("でございます", "だ"),
    ("です", "だ"),
    ("てます", "ている"),
    ("んでます", "んでいる"),
    ("んでる", "んでいる"),
    ("ってる", "っている"),
    ("してる", "している"),
    ("てる", "ている"),
    ("てない", "ていない"),
    ("んでない", "んでいない"),
    ("ないって決めている", "ない"),
    ("ないと決めている", "ない"),
    ("ないことにしている", "ない"),
    ("ない主義だ", "ない"),
    ("ない派だ", "ない"),
    ("ない人だ", "ない"),
    ("ない人間だ", "ない"),
    ("ないほうだ", "ない"),
    ("ない方だ", "ない"),
    ("ないタイプだ", "ない"),
    ("なくなった", "ない"),
    ("なくなりました", "ない"),
    ("ないの", "ない"),
    ("よね", ""),
    ("よ", ""),
    ("ね", ""),
    ("わ", ""),
    ("だな", "だ"),
    ("いな", "い"),
    ("るな", "る"),
    ("ぞ", ""),
    ("んだもん", ""),
    ("もん", ""),
];

/// Endings of clauses that continue.
const GOING_ON: &[(&str, &str)] = &[
    ("なのが", "だ"),
    ("なの", "だ"),
    ("なんで", "だ"),
    ("るんで", "る"),
    ("ないんで", "ない"),
    ("たんで", "た"),
    ("んでて", "んでいる"),
    ("んでいて", "んでいる"),
    ("んでおり", "んでいる"),
    ("てて", "ている"),
    ("ていて", "ている"),
    ("ており", "ている"),
    ("なくて", "ない"),
    ("るのさ", "る"),
    ("くて", "い"),
    ("りまして", "りました"),
    ("しまして", "しました"),
    ("でして", "だ"),
    ("まして", "ました"),
    ("てさ", "て"),
    ("始めて", "始めた"),
    ("くなって", "くなった"),
    ("になって", "になった"),
    ("やめて", "やめた"),
    ("辞めて", "辞めた"),
    ("生まれて", "生まれた"),
    ("きて", "きた"),
    ("来て", "来た"),
    ("して", "した"),
    ("もいて", "もいる"),
    ("がいて", "がいる"),
    ("人いて", "人いる"),
    ("匹いて", "匹いる"),
    ("羽いて", "羽いる"),
    ("があって", "がある"),
    ("といって", "という"),
    ("っていって", "っていう"),
    ("で", "だ"),
];

/// The clauses of a sentence.
pub(super) fn clauses(sentence: &str) -> Vec<Clause> {
    let mut found = Vec::new();
    let (mut begin, mut at, mut quoted) = (0, 0, false);
    let mut push = |begin: usize, end: usize, more: bool| {
        let text = &sentence[begin..end];
        let start = begin + text.len() - text.trim_start().len();
        if !text.trim().is_empty() {
            let end = start + text.trim().len();
            found.push(Clause { begin: start, end, said: plain(text, more) });
        }
    };
    while let Some(c) = sentence[at..].chars().next() {
        let (rest, next) = (&sentence[at..], at + c.len_utf8());
        match c {
            '「' | '『' => quoted = true,
            '」' | '』' => quoted = false,
            '、' | ',' | '，' | '…' | '　' if !quoted => {
                push(begin, at, !sentence[next..].trim().is_empty());
                begin = next;
            }
            // "元々は美容師で今は主婦"
            '今' if !quoted && rest.starts_with("今は") && sentence[begin..at].ends_with(['で', 'て']) =>
            {
                push(begin, at, true);
                begin = at;
            }
            _ if !quoted => {
                if let Some(length) = joint(&sentence[begin..at], rest) {
                    let end = at + length;
                    if end < sentence.len() {
                        push(begin, end, true);
                        begin = end;
                    }
                    at = end;
                    continue;
                }
            }
            _ => (),
        }
        at = next;
    }
    push(begin, sentence.len(), false);
    found
}

/// The length of a connecting form at the beginning of the rest of a text.
fn joint(before: &str, rest: &str) -> Option<usize> {
    if rest.starts_with('で') && goes_on_from_noun(before, &rest['で'.len_utf8()..]) {
        return Some('で'.len_utf8());
    }
    // "猫アレルギーなの悲しい"
    let state = ["アレルギー", "症", "左利き", "障害"].iter().any(|state| before.ends_with(state));
    if state
        && rest
            .strip_prefix("なの")
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['か', 'で', '？', '?', 'に', 'が']))
    {
        return Some("なの".len());
    }
    let joint = JOINTS.iter().find(|joint| rest.starts_with(*joint))?;
    let behind = &rest[joint.len()..];
    // "ものです", "のではない", "けれども"
    let goes_on = *joint == "ので" && behind.starts_with(['す', 'し', 'は']);
    let more = ["も", "さ", "ね"].iter().find(|more| behind.starts_with(**more)).map_or(0, |more| more.len());
    let of_many = ["が好きで", "が苦手で", "が嫌いで"].contains(joint)
        && ["人は", "人が", "が多い", "は多い"].iter().any(|many| behind.contains(many));
    let goes_on = goes_on || of_many;
    // "るんです", "なんでも", "空はなんで青い", "好きなのが"
    let goes_on = goes_on
        || joint.ends_with('で') && behind.starts_with(['す', 'も', 'し', 'は'])
        || *joint == "なんで"
            && (before.is_empty() || before.ends_with(['は', 'が', 'を', 'も', 'に', '、', ' ']))
        || *joint == "なのが" && ["好き", "嫌い", "得意", "苦手"].iter().any(|taste| before.ends_with(taste));
    (!goes_on).then_some(joint.len() + more)
}

/// Whether a clause ends with a state or an occupation and "で": "喘息で煙がつらい", "彼氏は建築士でいつも忙しい".
fn goes_on_from_noun(before: &str, behind: &str) -> bool {
    const STATES: [&str; 10] =
        ["リウマチ", "病", "喘息", "症", "障害", "アトピー", "ADHD", "片頭痛", "独身", "妊娠中"];
    // "歯医者で待つ", "パン屋で買う"
    const PLACES: [&str; 6] = ["医者", "先生", "屋", "教授", "薬局", "牧場"];
    const OF_OTHERS: [&str; 19] = [
        "は",
        "も",
        "す",
        "し",
        "亡くな",
        "死",
        "倒れ",
        "入院した",
        "有名",
        "ある",
        "あり",
        "人",
        "患者",
        "俳優",
        "なく",
        "働",
        "検索",
        "予約",
        "調べ",
    ];
    let of_state = STATES.iter().any(|state| before.ends_with(state));
    let of_job = || {
        JOBS.split_whitespace().any(|job| before.ends_with(job))
            && !PLACES.iter().any(|place| before.ends_with(place))
    };
    let tells_of_others =
        ["人を", "人が", "の人", "俳優", "患者", "映画", "ドラマ", "教えて", "とは", "が多い", "は多い"];
    let of_nation = before.strip_suffix('人').is_some_and(|nation| {
        nation.chars().rev().take_while(|c| ('\u{30a1}'..='\u{30ff}').contains(c)).count() > 1
    });
    !behind.is_empty()
        && !OF_OTHERS.iter().any(|other| behind.starts_with(other))
        && !tells_of_others.iter().any(|other| behind.contains(other))
        && (of_state || of_nation || of_job())
}

/// A clause with its ending in plain form; `more` is set if another clause follows.
fn plain(text: &str, more: bool) -> String {
    let marks = ['。', '！', '!', '.', '〜', '～', '笑', ' ', '♪', 'w', '）', '…'];
    let mut said = text.trim().trim_end_matches(marks).to_owned();
    // "ー" at the end of a word in hiragana is emphasis, but in "アレルギー" it is part of the word
    while said
        .strip_suffix('ー')
        .is_some_and(|rest| rest.ends_with(|c: char| ('\u{3041}'..='\u{309f}').contains(&c)))
    {
        said.truncate(said.len() - 'ー'.len_utf8());
        said.truncate(said.trim_end_matches(marks).len());
    }
    // "泳げないんだよね、私"
    for own in ["私", "俺", "僕"] {
        let rest = said.strip_suffix(own).filter(|rest| rest.ends_with(['ね', 'よ', 'な', 'わ']));
        said.truncate(rest.map_or(said.len(), str::len));
    }
    for _ in 0..8 {
        let going_on = GOING_ON.iter().filter(|_| more);
        let Some((ending, to)) = ENDINGS.iter().chain(going_on).find(|(from, _)| said.ends_with(from)) else {
            break;
        };
        said.truncate(said.len() - ending.len());
        said.push_str(to);
    }
    said
}
