//! Japanese. Spaces do not separate its words and the subject is often left out, so a clause is known by its ending and
//! by what stands before it.

use super::{OwnFact, correction::names_diet, ended, japanese_names};

/// Words of clauses that hold perhaps, or in a story; and endings of questions and wishes.
const PASSING: &[&str] = &[
    "たぶん",
    "多分",
    "もし",
    "かも",
    "かな",
    "でしょう",
    "だろう",
    "らしい",
    "そうです",
    "そうだ",
    "たら",
    "なら",
    "つもり",
    "予定",
    "昔は",
    "以前は",
    "子供の頃",
    "子どもの頃",
    "ゲームで",
    "小説",
    "と言って",
    "と言った",
    "今だけ",
    "とりあえず",
    "ください",
    "みたい",
    "夢を",
    "今は無理",
    "今は食べ",
    "今は飲",
    "しましょう",
    "っけ",
];

/// Words that only tell a time. A name lasts longer.
const TIMES: &[&str] = &["今日", "明日", "今夜", "今晩", "今朝", "明後日", "今週", "来週", "今回"];

/// Endings of questions.
const ASKING: &[&str] = &["か", "？", "?", "かい", "の"];

/// Endings of wishes.
const WISHING: &[&str] =
    &["たい", "たいです", "たいんです", "たいなあ", "たいと思います", "たいと思っています"];

/// Words that mean the author, and those around them.
const ONESELF: &[&str] =
    &["私", "僕", "俺", "わたし", "ぼく", "おれ", "あたし", "自分", "私たち", "うち", "わが家", "我が家"];
const AROUND: &[&str] = &[
    "妻",
    "夫",
    "主人",
    "旦那",
    "嫁",
    "母",
    "父",
    "両親",
    "姉",
    "妹",
    "兄",
    "弟",
    "息子",
    "娘",
    "子供",
    "子ども",
    "長男",
    "長女",
    "次男",
    "次女",
    "祖母",
    "祖父",
    "おばあちゃん",
    "おじいちゃん",
    "彼氏",
    "婚約者",
    "叔父",
    "叔母",
    "いとこ",
    "甥",
    "姪",
    "孫",
    "上司",
    "同居人",
    "犬",
    "猫",
    "愛犬",
    "愛猫",
    "ペット",
    "うさぎ",
    "ウサギ",
    "ハムスター",
    "インコ",
    "文鳥",
    "亀",
    "子犬",
    "子猫",
    "双子",
    "義母",
    "義父",
    "家族",
    "赤ちゃん",
    "ママ",
    "パパ",
    "お母さん",
    "お父さん",
    "お姉ちゃん",
    "お兄ちゃん",
];

/// Words that open a clause.
const OPENINGS: &[&str] = &[
    "ちなみに",
    "実は",
    "実を言うと",
    "そうそう",
    "あの",
    "えっと",
    "はい",
    "いいえ",
    "いや",
    "でも",
    "それと",
    "あと",
    "訂正",
    "あ、",
    "え、",
    "ところで",
];

const JOBS: &[&str] = &[
    "教師",
    "先生",
    "看護師",
    "医者",
    "医師",
    "エンジニア",
    "プログラマー",
    "デザイナー",
    "弁護士",
    "大工",
    "料理人",
    "シェフ",
    "学生",
    "大学生",
    "高校生",
    "中学生",
    "大学院生",
    "会社員",
    "公務員",
    "作家",
    "記者",
    "画家",
    "歌手",
    "俳優",
    "写真家",
    "建築家",
    "会計士",
    "薬剤師",
    "歯科医",
    "獣医",
    "研究者",
    "教授",
    "警察官",
    "消防士",
    "農家",
    "漁師",
    "運転手",
    "通訳",
    "翻訳者",
    "翻訳家",
    "美容師",
    "保育士",
    "主婦",
    "主夫",
    "自営業",
    "フリーランス",
    "アルバイト",
    "パイロット",
    "司書",
    "介護士",
    "栄養士",
    "税理士",
    "庭師",
    "パン職人",
    "職人",
    "ミュージシャン",
    "ピアニスト",
    "営業",
    "店長",
    "社長",
    "秘書",
    "整備士",
    "電気技師",
    "助産師",
    "漫画家",
    "無職",
    "年金生活者",
    "カメラマン",
    "技術者",
    "駅員",
    "調理師",
    "パティシエ",
    "警備員",
    "郵便局員",
    "銀行員",
    "音楽家",
    "農業",
    "陶芸家",
    "俳人",
    "心理学者",
    "科学者",
    "数学者",
    "哲学者",
    "歴史家",
];

/// Words of questions about a topic, by its last word.
pub(super) const QUESTIONS: super::Questions = &[
    ("home", "住んでいる 住まい 家 町 街"),
    ("name", "名前 何という"),
    ("work", "仕事 職業 働いている"),
    ("age", "年齢 何歳"),
    ("birthday", "誕生日"),
    ("origin", "出身"),
];

/// A topic, what has to stand in the clause in this order (alternatives are separated by `|`), and whether the last must
/// end it, apart from a particle.
const RULES: &[(&str, &[&str], bool)] = &[
    ("name", &["名前は", "です|だよ|だ|といいます|と言います|と申します"], true),
    ("name", &["といいます|と言います|と申します"], true),
    ("name", &["って呼んで|と呼んで"], false),
    ("name", &["と呼ばれて|って呼ばれて", "います|いる|る"], true),
    ("pronouns", &["代名詞は", "です|だ"], true),
    ("home", &["に|で", "住んで|暮らして", "います|いる|る|ます"], true),
    ("home", &["に|へ", "引っ越しました|引っ越した|引越しました|引っ越して"], false),
    ("home", &["住まいは|家は|自宅は", "です|にあります|だ"], true),
    ("origin", &["出身は", "です|だ"], true),
    ("origin", &["の出身|出身", "です|だよ|だ|なんです|なんだ"], true),
    ("birthplace", &["生まれ", "です|だ|ました|た"], true),
    ("childhood", &["育ち", "です|だ|ました|た"], true),
    (
        "allergy",
        &["アレルギー", "です|あります|ある|だ|なんです|なんだ|がひどい|持ちです|を持っています"],
        true,
    ),
    (
        "diet",
        &[
            "ベジタリアン|ビーガン|ヴィーガン|菜食主義|乳糖不耐症|グルテンフリー",
            "です|だ|なんです|なんだ|ている|ています",
        ],
        true,
    ),
    (
        "diet",
        &[
            "は|を|が",
            "食べません|食べない|食べられません|食べられない|飲みません|飲まない|飲めません|飲めない|控えています|控えてる|吸いません|吸わない",
        ],
        true,
    ),
    ("diet", &["食べないように|飲まないように", "しています|してる|している"], true),
    (
        "health",
        &[
            "糖尿病|喘息|ぜんそく|花粉症|左利き|色盲|近視|片頭痛|高血圧|てんかん|発達障害",
            "です|だ|なんです|なんだ|があります|持ちです",
        ],
        true,
    ),
    ("birthday", &["誕生日は", "です|だ|だよ"], true),
    ("birthday", &["年|月", "生まれ", "です|だ|ました|た"], true),
    ("anniversary", &["結婚記念日は|記念日は", "です|だ"], true),
    ("age", &["歳|才", "です|だ|になりました|になった|だよ|になります"], true),
    ("married", &["結婚して|婚約して|離婚して", "います|いる|る|ました|た"], true),
    ("married", &["結婚しました|離婚しました|婚約しました|結婚した|離婚した"], false),
    ("married", &["独身|既婚|妊娠中|シングルマザー", "です|だ|だよ|なんです"], true),
    ("have", &["人|匹|頭|羽", "います|いる|いて|飼っています|飼ってる|飼っている"], true),
    ("have", &["を飼って", "います|いる|る|ます"], true),
    ("have", &["子供は|子どもは|兄弟は|ペットは", "いません|いない"], true),
    ("work", &["で|に", "働いて|勤めて|勤務して", "います|いる|る|ます"], true),
    ("work", &["として", "働いて|勤めて|勤務して", "います|いる|る|ます"], true),
    ("work", &["仕事は|職業は", "です|だ|をしています"], true),
    ("work", &["を経営して|を教えて|を営んで", "います|いる|る"], true),
    ("work", &["定年|退職", "しました|した|しています"], true),
    ("studies", &["を|の", "勉強して|習って|専攻して|学んで", "います|いる|る|ます"], true),
    ("studies", &["専攻は|専門は", "です|だ"], true),
    (
        "like",
        &[
            "が|は|も|のが|のほうが|の方が",
            "好き|大好き|嫌い|大嫌い|苦手|好みです",
            "です|だ|なんです|じゃない|ではありません|じゃありません|だよ|なんだ|で",
        ],
        true,
    ),
    ("like", &["より", "が好き|の方が好き|のほうが好き|派"], false),
    ("favourite", &["好きな", "は", "です|だ|だよ"], true),
    ("fear", &["が|は", "怖い|こわい", "です|んです"], true),
];

/// The fact that a clause tells.
pub(super) fn own_fact(clause: &str) -> Option<OwnFact> {
    let mut text = clause.trim();
    while let Some(rest) = OPENINGS.iter().find_map(|opening| text.strip_prefix(opening)) {
        text = rest.trim_start_matches(['、', ',', ' ', '…', '　']);
    }
    let said = text.trim_end_matches(['。', '！', '!', '.', '〜', 'ー', 'よ', 'ね', 'わ', '笑', ' ', 'ぞ']);
    let asks = ASKING.iter().any(|ending| said.ends_with(ending)) || text.ends_with(['？', '?']);
    let names = RULES.iter().any(|(topic, parts, ends)| *topic == "name" && fits(said, parts, *ends));
    let wishes = WISHING.iter().any(|ending| said.ends_with(ending));
    // the title of a favourite film stands in quotation marks
    let quotes = said.contains(['「', '『']) && !said.starts_with("好きな");
    if asks || wishes || quotes || said.chars().count() > 60 {
        return None;
    }
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let (is_passing, has_time) = (has(PASSING), has(TIMES));
    let lasting = if names || !(is_passing || has_time) { lasting(said) } else { None };
    let topic = match lasting {
        Some(topic) => topic,
        None if is_passing => return None,
        None => japanese_names::topic(said, AROUND, ONESELF)?,
    };
    Some(OwnFact { text: text.to_owned(), topic })
}

/// The topic of a clause that holds for longer.
fn lasting(said: &str) -> Option<String> {
    let before = ended::before_japanese(said);
    let (who, topic, said) = before.iter().map(|before| &**before).chain([said]).find_map(|said| {
        let who = subject(said)?;
        let topic = RULES.iter().find(|(_, parts, ends)| fits(said, parts, *ends)).map(|(topic, ..)| *topic);
        Some((who, topic.or_else(|| is_of_a_job(said).then_some("work"))?, said))
    })?;
    let what = match topic {
        "diet" if names_diet(said) => String::new(),
        "allergy" => object(said).trim_end_matches("アレルギー").to_owned(),
        "diet" | "health" | "like" | "fear" | "favourite" | "have" | "studies" => object(said),
        _ => String::new(),
    };
    let parts = [who, topic, &what].into_iter().filter(|part| !part.is_empty());
    Some(parts.collect::<Vec<_>>().join(" "))
}

/// Of whom a clause speaks: empty for the author; a person or an animal of theirs; none for another.
fn subject(said: &str) -> Option<&str> {
    let Some((subject, _)) = said.split_once('は').or_else(|| said.split_once('が')) else {
        return Some("");
    };
    let own = ONESELF.iter().find_map(|own| subject.strip_prefix(own));
    let subject = own.map_or(subject, |rest| rest.trim_start_matches(['の', '、']));
    if subject.is_empty() {
        return Some("");
    }
    if let Some(around) =
        AROUND.iter().filter(|around| subject.contains(*around)).max_by_key(|around| around.len())
    {
        return Some(around);
    }
    // "Tanaka-san", "everyone", "this shop": not the author
    let other = [
        "さん",
        "くん",
        "君",
        "ちゃん",
        "彼",
        "あなた",
        "みんな",
        "人々",
        "日本人",
        "この",
        "その",
        "あの",
        "これ",
        "それ",
        "あれ",
        "社",
        "店",
    ];
    (!other.iter().any(|other| subject.contains(other))).then_some("")
}

/// Whether the parts stand in the clause in their order.
fn fits(said: &str, parts: &[&str], ends: bool) -> bool {
    let Some((last, first)) = parts.split_last() else { return false };
    let mut rest = said;
    for part in first {
        let found = part.split('|').filter_map(|one| Some((rest.find(one)?, one.len()))).min();
        let Some((at, length)) = found else { return false };
        rest = &rest[at + length..];
    }
    match ends {
        true => last.split('|').any(|one| rest.ends_with(one)),
        false => last.split('|').any(|one| rest.contains(one)),
    }
}

/// "I am a teacher", "I work as a teacher".
fn is_of_a_job(said: &str) -> bool {
    let of = |ending: &str| {
        said.strip_suffix(ending).is_some_and(|rest| JOBS.iter().any(|job| rest.ends_with(job)))
    };
    ["です", "だ", "をしています", "をしている", "をやっています", "なんです", "として働いています"]
        .into_iter()
        .any(of)
}

/// What a clause is about: the characters before its first particle, without the author.
fn object(said: &str) -> String {
    let rest = ONESELF.iter().find_map(|own| said.strip_prefix(own)).unwrap_or(said);
    let rest = rest.trim_start_matches(['は', 'も', 'の', 'が', '、']).trim_start_matches("もう");
    let end = rest.find(['は', 'が', 'を', 'に', 'で', 'の', 'も']).unwrap_or(rest.len());
    rest[..end].to_owned()
}
