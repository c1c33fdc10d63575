//! People and animals of the author that a Japanese clause names: "うちの犬のビスケット", "妹の美咲". Japanese has no capitals, so
//! only a word's characters show that it may be a name.

/// Words for people of whom a person has only one.
const ONE: &[&str] = &[
    "妻",
    "夫",
    "主人",
    "旦那",
    "嫁",
    "母",
    "父",
    "彼氏",
    "婚約者",
    "ママ",
    "パパ",
    "お母さん",
    "お父さん",
    "義母",
    "義父",
];

/// Characters at the end of given names.
const ENDINGS: &str = "子美香奈花菜郎太平介樹也斗翔一二三男夫雄人彦哉輝希恵江代里紀咲音莉凛結蓮陽悠葵湊颯真大司治茂實実明\
    正弘博浩隆誠豊亮諒健直純淳修進剛武猛毅学智仁優勇和良幸信義孝敏秀光昭彰昇潤薫忍渚遥舞愛彩綾桜梨沙佳苗穂々羽吾伍助輔佑祐";

/// Words that look like names but are none.
const NOUNS: &[&str] = &[
    "トイレ",
    "ベッド",
    "ケージ",
    "フード",
    "シャンプー",
    "カット",
    "ワクチン",
    "トリミング",
    "ピアノ",
    "テスト",
    "クラス",
    "サッカー",
    "バイト",
    "スマホ",
    "パソコン",
    "ゲーム",
    "アニメ",
    "ドア",
    "ダンス",
    "カレー",
    "ケーキ",
    "プレゼント",
    "アレルギー",
    "スーツ",
    "シャツ",
    "カバン",
    "リード",
    "ボール",
    "コンサート",
    "チーム",
    "レッスン",
    "バイオリン",
    "ギター",
    "テニス",
    "プール",
    "ミルク",
    "オムツ",
    "ランドセル",
    "アルバム",
    "メール",
    "ライン",
    "セーター",
    "ため",
    "こと",
    "もの",
    "ほう",
    "とき",
    "うち",
    "おもちゃ",
    "えさ",
    "ごはん",
    "おやつ",
    "しつけ",
    "けが",
    "せい",
    "そば",
    "なか",
    "ところ",
    "ふり",
    "おかげ",
    "いびき",
    "くせ",
    "におい",
    "ひげ",
    "しっぽ",
    "誕生日会",
    "発表会",
    "一人",
    "二人",
    "二匹",
    "三人",
    "大人",
    "友人",
    "恋人",
    "主人",
    "老人",
    "病人",
    "本人",
    "勇気",
    "仕事",
];

/// The topic of a clause that names a person or an animal of its author.
pub(super) fn topic(said: &str, around: &[&str], oneself: &[&str]) -> Option<String> {
    let own = |before: &str| {
        let of_author =
            oneself.iter().any(|own| before.strip_suffix('の').is_some_and(|before| before.ends_with(own)));
        before.is_empty() || before.ends_with(['、', ' ', '　']) || of_author
    };
    around.iter().find_map(|whose| {
        let (at, _) = said.match_indices(&format!("{whose}の")).find(|(at, _)| own(&said[..*at]))?;
        let rest = &said[at + whose.len() + "の".len()..];
        let first = rest.chars().next()?.len_utf8();
        let particle = rest[first..].find(['は', 'が', 'を', 'と', 'に', 'も', 'で', 'へ', 'や', '、'])?;
        let name = &rest[..first + particle];
        let bare = ["ちゃん", "くん", "君"].iter().find_map(|suffix| name.strip_suffix(suffix));
        let name = bare.or_else(|| is_name(name).then_some(name))?;
        Some(if ONE.contains(whose) { format!("{whose} name") } else { format!("{whose} {name} name") })
    })
}

/// The name after a word for a relative or an animal of which a person may have several: "健太" in "息子の健太は七歳だ".
pub(super) fn named<'a>(said: &'a str, kin: &str) -> Option<&'a str> {
    let rest = said.strip_prefix(kin)?.strip_prefix('の').filter(|_| !ONE.contains(&kin))?;
    let first = rest.chars().next()?.len_utf8();
    let particle = rest[first..].find(['は', 'が', 'も'])?;
    let name = &rest[..first + particle];
    let bare = ["ちゃん", "くん", "君"].iter().find_map(|suffix| name.strip_suffix(suffix));
    bare.or_else(|| is_name(name).then_some(name))
}

/// The topic of a clause that names two animals or relatives after their number: "うちの猫二匹はミラとモコが寝てる".
pub(super) fn pair(said: &str, around: &[&str]) -> Option<String> {
    const NUMBERS: [&str; 8] = ["二匹", "2匹", "２匹", "二人", "2人", "２人", "二羽", "二頭"];
    let (number, at) = NUMBERS.iter().find_map(|number| Some((number, said.find(number)?)))?;
    let kin = around.iter().filter(|kin| said[..at].ends_with(**kin)).max_by_key(|kin| kin.len())?;
    let rest = said[at + number.len()..].trim_start_matches(['は', '、', 'の']);
    let (first, rest) = rest.split_once('と')?;
    let until = rest.find(['は', 'が', 'を', 'も', 'と', '、']).unwrap_or(rest.len());
    let names = [first, &rest[..until]].map(|name| {
        let bare = ["ちゃん", "くん", "君"].iter().find_map(|suffix| name.strip_suffix(suffix));
        bare.or_else(|| is_name(name).then_some(name))
    });
    let [Some(first), Some(second)] = names else { return None };
    Some(format!("{kin} {first} {second} name"))
}

/// The topic of a clause that begins with the name of the person or animal mentioned before it: "うちの犬、太郎が逃げた".
pub(super) fn apposed(whose: &str, said: &str, around: &[&str]) -> Option<String> {
    let kin = around.iter().filter(|kin| whose.ends_with(**kin)).max_by_key(|kin| kin.len())?;
    let of_author = ["", "うちの", "私の", "僕の", "俺の", "我が家の", "わが家の", "実家の"];
    if !of_author.contains(&whose.strip_suffix(*kin)?) {
        return None;
    }
    let (name, _) = said.split_once(['は', 'が', 'を', 'も'])?;
    let bare = ["ちゃん", "くん", "君"].iter().find_map(|suffix| name.strip_suffix(suffix));
    // a word in kana may be anything: "うちの犬、おやつが好き"
    let chinese = name.chars().all(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    let name = bare.or_else(|| (chinese && name.chars().count() > 1 && is_name(name)).then_some(name))?;
    Some(if ONE.contains(kin) { format!("{kin} name") } else { format!("{kin} {name} name") })
}

/// The topic of a clause that names the author's boss: "上司の大森さんが".
pub(super) fn boss(said: &str) -> Option<String> {
    const TITLES: [&str; 9] =
        ["さん", "部長", "課長", "係長", "次長", "社長", "店長", "主任", "マネージャー"];
    let own = ["うちの", "私の", "僕の", "俺の", "今の"]
        .iter()
        .find_map(|own| said.strip_prefix(own))
        .unwrap_or(said);
    let rest = own.strip_prefix("上司の").or_else(|| own.strip_prefix("上司は"))?;
    let name =
        TITLES.iter().filter_map(|title| Some(rest.split_once(title)?.0)).min_by_key(|name| name.len())?;
    let count = name.chars().count();
    let written = |c: char| {
        ('\u{4e00}'..='\u{9fff}').contains(&c) || ('\u{30a1}'..='\u{30ff}').contains(&c) || c == '々'
    };
    ((1..=6).contains(&count)
        && name.chars().all(written)
        && !["奥", "娘", "息子", "旦那", "彼女"].contains(&name))
    .then(|| "上司 name".to_owned())
}

fn is_name(word: &str) -> bool {
    let count = word.chars().count();
    let all = |from: char, until: char| word.chars().all(|c| (from..=until).contains(&c));
    if NOUNS.contains(&word) {
        false
    } else if all('\u{4e00}', '\u{9fff}') || word.contains('々') {
        count <= 3 && word.ends_with(|c: char| ENDINGS.contains(c))
    } else {
        (2..=6).contains(&count) && (all('\u{30a1}', '\u{30ff}') || count <= 4 && all('\u{3041}', '\u{309f}'))
    }
}
