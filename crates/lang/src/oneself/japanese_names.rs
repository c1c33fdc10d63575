//! People and animals of the author with their names, in Japanese: "うちの犬のビスケット", "妹の美咲". Nothing but its characters
//! shows that a word is a name.

/// Those of whom one has one.
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

/// Characters with which given names end.
const ENDINGS: &str = "子美香奈花菜郎太平介樹也斗翔一二三男夫雄人彦哉輝希恵江代里紀咲音莉凛結蓮陽悠葵湊颯真大司治茂實実明\
    正弘博浩隆誠豊亮諒健直純淳修進剛武猛毅学智仁優勇和良幸信義孝敏秀光昭彰昇潤薫忍渚遥舞愛彩綾桜梨沙佳苗穂々羽吾伍助輔佑祐";

/// Words of other characters that are no names.
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
