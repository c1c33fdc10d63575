//! Japanese sentences that tell nothing lasting; see [`crate::oneself::moment`].

use super::words::OTHERS;

/// Places where people are for a short time.
const PLACES: &[&str] = &[
    "バス",
    "電車",
    "地下鉄",
    "新幹線",
    "タクシー",
    "飛行機",
    "渋滞",
    "空港",
    "駅",
    "ホーム",
    "スーパー",
    "コンビニ",
    "レジ",
    "列",
    "歯医者",
    "病院",
    "待合室",
    "美容院",
    "会議",
    "お風呂",
    "トイレ",
    "ベッド",
    "布団",
    "カフェ",
    "映画館",
    "薬局",
    "高速",
];

/// What people do there, without endings.
const THERE: &[&str] = &[
    "に乗って",
    "に並んで",
    "にいる",
    "にいます",
    "にいて",
    "に来て",
    "の中",
    "で待って",
    "を待って",
    "にはまって",
    "に入って",
    "に出て",
    "に巻き込まれて",
    "なう",
    "待ち",
];

/// Verbs of activities that last for a moment, in their connecting form.
const DOING: &[&str] = &[
    "乗って",
    "作って",
    "食べて",
    "飲んで",
    "見て",
    "書いて",
    "待って",
    "向かって",
    "移動して",
    "並んで",
    "運転して",
    "料理して",
    "読んで",
    "歩いて",
    "走って",
    "帰って",
    "休んで",
    "電話して",
];

/// Words for a habit or a duration.
const HABITUAL: &[&str] = &["毎", "いつも", "普段", "ふだん", "週に", "週一", "年", "よく", "ずっと"];

/// Words for the author.
const AUTHOR: &[&str] = &["私", "僕", "俺", "わたし", "ぼく", "うち", "困"];

/// Denials of a statement, and words of pretence and novels.
const NOTHING: &[&str] = &[
    "とは言って",
    "とは言いま",
    "なんて言って",
    "と言った覚え",
    "わけではな",
    "わけじゃな",
    "わけではありま",
    "わけじゃありま",
    "ふりをして",
    "番目の文",
    "番目の方",
    "番目の案",
    "つ目の方",
    "ふりして",
    "なりきって",
    "のつもりで話",
];

/// Activities before 中.
const GOING_ON: &[&str] = &[
    "電話中",
    "会議中",
    "移動中",
    "運転中",
    "仕事中",
    "食事中",
    "授業中",
    "通話中",
    "休憩中",
    "作業中",
    "料理中",
    "散歩中",
    "外出中",
    "準備中",
    "勤務中",
    "残業中",
    "掃除中",
];

/// Days at the beginning of a sentence, and what one does on one of them.
const DAYS: &[&str] = &["今日は", "明日は", "今夜は", "今晩は", "今週は", "来週は", "明後日は"];
const ON_A_DAY: &[&str] =
    &["勤務", "仕事", "休み", "出勤", "残業", "在宅", "働", "食べ", "飲", "寝", "泊ま", "出かけ", "外食"];

/// Considerations: 「飼おうか迷っています」.
const CONSIDERING: &[&str] = &["うかと考え", "うか考え", "うかと思", "うか迷", "うか悩", "うかなと"];

/// Places of novels, at the beginning of a sentence.
const FICTION: &[&str] =
    &["小説の中", "小説で", "物語で", "映画の中", "ドラマの中", "漫画の中", "ゲームの中", "歌の中"];

/// Endings of verbs before かも in what may happen: 「引っ越すかもしれません」. A guess about a fact ends otherwise.
const FUTURE: &[char] = &['る', 'す', 'う', 'く', 'む', 'つ', 'ぶ'];

/// Relatives of others, in polite words.
const RELATIVES: &[&str] = &[
    "娘さん",
    "息子さん",
    "奥さん",
    "旦那さん",
    "ご主人",
    "お子さん",
    "妹さん",
    "弟さん",
    "お姉さん",
    "お兄さん",
];

/// Whether a sentence tells nothing lasting about its author.
pub(in crate::oneself) fn tells_the_moment(sentence: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
    if has(NOTHING) || FICTION.iter().any(|place| sentence.starts_with(place)) {
        return true;
    }
    if let Some((before, _)) = sentence.split_once("かも")
        && before.ends_with(FUTURE)
        && !before.contains(['、', '。'])
    {
        return true;
    }
    let subject = sentence.split(['は', 'が']).next().unwrap_or_default();
    if has(CONSIDERING) || ["あなたは", "君は", "お前は"].iter().any(|you| sentence.starts_with(you))
    {
        return true;
    }
    let of_another = OTHERS.iter().any(|other| subject.starts_with(other))
        && RELATIVES.iter().any(|relative| subject.ends_with(relative));
    if of_another && !has(AUTHOR) {
        return true;
    }
    let is_there = PLACES.iter().any(|place| {
        sentence.match_indices(place).any(|(at, _)| {
            let rest = &sentence[at + place.len()..];
            THERE.iter().any(|there| rest.starts_with(there))
        })
    });
    let now =
        ["今、", "今", "いま、", "ちょうど", "ただいま"].iter().find_map(|now| sentence.strip_prefix(now));
    let is_doing = now.is_some_and(|rest| {
        !rest.starts_with(['は', 'も', 'の', '年', '月', '住'])
            && DOING.iter().any(|verb| {
                rest.find(verb).is_some_and(|at| rest[at + verb.len()..].starts_with(['い', 'る', 'ま']))
            })
    });
    let on_a_day = DAYS.iter().any(|day| sentence.starts_with(day)) && has(ON_A_DAY);
    let until = ["時まで", "曜まで", "曜日まで", "日まで"].iter().any(|until| sentence.contains(until))
        && ["います", "いる", "です", "だ"]
            .iter()
            .any(|ending| sentence.trim_end_matches(['。', '！', 'よ', 'ね']).ends_with(ending));
    (is_there || is_doing || has(GOING_ON) || on_a_day || until) && !has(HABITUAL)
}
