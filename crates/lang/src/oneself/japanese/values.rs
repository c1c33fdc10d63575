//! The values of Japanese facts for their topics: the object of a fact, and its owner.

use super::{japanese_names, words::ONESELF};

/// The object of a clause: the characters before its first particle, without the author.
pub(super) fn object(said: &str) -> String {
    let rest = ONESELF.iter().find_map(|own| said.strip_prefix(own)).unwrap_or(said);
    let mut rest = rest.trim_start_matches(['は', 'も', 'の', 'が', '、']).trim_start_matches("もう");
    for adverb in
        ["とにかく", "本当に", "やっぱり", "昔から", "とても", "すごく", "断然", "普段は", "今は", "最近は"]
    {
        rest = rest.strip_prefix(adverb).unwrap_or(rest);
    }
    // "趣味は釣りです": a hobby or a subject does not exclude another
    for heading in
        ["趣味は", "大好物は", "好物は", "推しは", "特技は", "大学では", "大学で", "大学院で", "専門学校で"]
    {
        rest = rest.strip_prefix(heading).unwrap_or(rest);
    }
    let rest = rest
        .split_once("より")
        .filter(|(before, rest)| !before.contains('は') && rest.contains(['が', 'の']))
        .map_or(rest, |(_, rest)| rest);
    let rest = &*rest.replace("もの", "物").replace("子ども", "子供");
    let end = rest.find(['は', 'が', 'を', 'に', 'で', 'の', 'も']).unwrap_or(rest.len());
    let what = &rest[..end];
    what.strip_suffix("だけ")
        .or_else(|| what.strip_suffix("しか"))
        .or_else(|| what.strip_suffix('だ'))
        .unwrap_or(what)
        .to_owned()
}

/// The food that a person does not eat: "牛肉" in "宗教の関係で牛肉は食べない" and "薬の関係で牛肉食べられない".
pub(super) fn not_eaten(said: &str) -> String {
    let particle = said.find(['は', 'を']);
    let verb = ["食べ", "飲", "吸"].iter().filter_map(|verb| said.find(verb)).min();
    let behind_reason =
        said[..particle.or(verb).unwrap_or(0)].rfind('で').map_or(0, |at| at + 'で'.len_utf8());
    match (particle, verb) {
        (None, Some(verb)) if !said[..verb].contains(['が', 'も', 'か']) => {
            object(&said[behind_reason..verb])
        }
        _ => object(&said[behind_reason..]),
    }
}

/// The allergen of an allergy.
pub(super) fn allergen(said: &str) -> String {
    // "甲殻類食べるとじんましんが出る"
    let eaten =
        ["を食べ", "を飲", "に触", "を触", "食べ", "飲", "触"].iter().find_map(|verb| said.split_once(verb));
    let said = eaten.filter(|_| !said.contains("アレルギー")).map_or(said, |(what, _)| what);
    match said.split_once("アレルギー") {
        Some((before, _)) if !before.is_empty() => before
            .trim_end_matches(['は', 'が', 'も', 'に'])
            .rsplit(['は', 'が', '、'])
            .next()
            .unwrap_or(before)
            .trim_start_matches("もう")
            .to_owned(),
        _ => object(said),
    }
}

/// Words for people outside the family.
pub(super) const OTHERS: &[&str] =
    &["さん", "同僚", "上司", "先輩", "後輩", "友達", "友人", "部長", "課長", "隣の"];

/// Words for states of health.
const CONDITIONS: &[&str] = &[
    "糖尿病",
    "インスリン",
    "喘息",
    "ぜんそく",
    "花粉症",
    "左利き",
    "両利き",
    "色盲",
    "色弱",
    "近視",
    "遠視",
    "乱視",
    "老眼",
    "片頭痛",
    "偏頭痛",
    "高血圧",
    "低血圧",
    "てんかん",
    "発達障害",
    "ADHD",
    "ASD",
    "自閉症",
    "貧血",
    "難聴",
    "アトピー",
    "リウマチ",
    "腰痛",
    "ヘルニア",
    "緑内障",
    "痛風",
    "透析",
    "ペースメーカー",
    "車椅子",
    "車いす",
    "補聴器",
    "義足",
    "乳糖不耐症",
    "右耳",
    "左耳",
    "片耳",
    "右目",
    "左目",
    "片目",
    "耳",
    "目",
];

/// The state of health in a clause.
pub(super) fn condition(said: &str) -> String {
    CONDITIONS
        .iter()
        .find(|known| said.contains(**known))
        .map_or_else(|| object(said), |known| (*known).to_owned())
}

/// Words for regular activities.
pub(super) const REGULAR: &[&str] = &[
    "毎週",
    "毎晩",
    "毎朝",
    "週一",
    "週二",
    "週三",
    "週四",
    "週1",
    "週2",
    "週3",
    "週１",
    "週２",
    "週３",
    "月曜",
    "火曜",
    "水曜",
    "木曜",
    "金曜",
    "土曜",
    "日曜",
    "休日",
    "週末",
    "趣味で",
    "オケで",
    "オーケストラで",
    "楽団で",
    "サークルで",
    "バンドで",
    "吹奏楽",
    "合唱団で",
    "コーラス",
    "聖歌隊で",
    "仕事のあと",
    "仕事帰り",
];

/// What a person likes or plays: "チェロ" in "水曜はオケでチェロを弾いている".
pub(super) fn liked(said: &str) -> String {
    let played = INSTRUMENTS.iter().find(|played| said.contains(**played));
    if let Some(played) = played.filter(|_| REGULAR.iter().any(|word| said.contains(word))) {
        return (*played).to_owned();
    }
    let done = said.rsplit_once('を').filter(|_| REGULAR.iter().any(|word| said.contains(word)));
    let Some((before, _)) = done else { return object(said) };
    let what = before.rsplit(['は', 'で', 'に', 'の', 'も', '、']).next().unwrap_or(before);
    if what.is_empty() { object(said) } else { what.to_owned() }
}

/// The beginning of a topic about a relative or an animal: "息子 健太" for "息子の健太は", and "もう一匹の 猫" for a second cat.
pub(super) fn whose(said: &str, kin: &str) -> String {
    const OF_SEVERAL: [&str; 12] = [
        "もう一匹の",
        "一匹の",
        "もう一人の",
        "一人の",
        "もう一頭の",
        "二匹目の",
        "二人目の",
        "上の",
        "下の",
        "一番上の",
        "一番下の",
        "真ん中の",
    ];
    let Some(at) = said.find(kin).filter(|_| !kin.is_empty()) else { return kin.to_owned() };
    let which = OF_SEVERAL.iter().find(|which| said[..at].ends_with(**which));
    let name = japanese_names::named(&said[at..], kin);
    match (which, name) {
        (_, Some(name)) => format!("{kin} {name}"),
        (Some(which), None) => format!("{} {kin}", which.trim_start_matches("もう").trim_end_matches('の')),
        _ => kin.to_owned(),
    }
}

/// Places that no person comes from, and other words of jokes.
pub(super) const UNREAL: [&str; 9] =
    ["火星", "冥王星", "月面", "宇宙", "異世界", "未来から", "地獄", "天国", "竜宮"];
pub(super) const JOKES: [&str; 22] = [
    "月曜",
    "火曜",
    "水曜",
    "木曜",
    "金曜",
    "仕事",
    "会社",
    "上司",
    "勉強",
    "退屈",
    "早起き",
    "人間",
    "数学",
    "テスト",
    "残業",
    "会議",
    "締め切り",
    "満員電車",
    "努力",
    "労働",
    "学校",
    "現実",
];

/// The statement about a relative without the words for the relative: "野球が好きだ" in "息子の健太は野球が好きだ".
pub(super) fn told_of<'a>(said: &'a str, kin: &str) -> &'a str {
    let behind = said.find(kin).filter(|_| !kin.is_empty()).map(|at| &said[at + kin.len()..]);
    let told = behind.and_then(|behind| behind.split_once(['は', 'が', 'も'])).map(|(_, told)| told);
    told.filter(|told| told.contains(['は', 'が', 'を', 'に', 'の', 'も'])).unwrap_or(said)
}

pub(super) const INSTRUMENTS: [&str; 16] = [
    "ピアノ",
    "ギター",
    "ベース",
    "ドラム",
    "バイオリン",
    "チェロ",
    "サックス",
    "トランペット",
    "フルート",
    "三味線",
    "琴",
    "ウクレレ",
    "クラリネット",
    "キーボード",
    "ホルン",
    "トロンボーン",
];
