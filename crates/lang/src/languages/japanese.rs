//! The Japanese words for times; see [`Language`] for the meaning of each field. Japanese has no spaces between words,
//! so phrases are found at any position.

use crate::{
    calendar::{Part, Unit},
    language::{Built, Language, Order},
    token::Token::{self, *},
};

pub(crate) static JAPANESE: Language = Language {
    code: "ja",
    spaced: false,
    order: Order::MonthFirst,
    ordinal_endings: &[],
    dotted_ordinals: false,
    article_days: false,
    elision: false,
    short_units: SHORT_UNITS,
    compound: |_| None,
    weekdays: "月曜日|月曜|（月）|(月) 火曜日|火曜|（火）|(火) 水曜日|水曜|（水）|(水) 木曜日|木曜|（木）|(木) 金曜日|金曜|（金）|(金) \
        土曜日|土曜|（土）|(土) 日曜日|日曜|（日）|(日)",
    short_weekdays: "",
    plural_weekdays: "",
    months: "1月|１月|一月 2月|２月|二月 3月|３月|三月 4月|４月|四月 5月|５月|五月 6月|６月|六月 7月|７月|七月 8月|８月|八月 9月|９月|九月 \
        10月|１０月|十月 11月|１１月|十一月 12月|１２月|十二月",
    seasons: "の春|春 の夏|夏 の秋|秋 の冬|冬",
    quarters: "第1四半期|第１四半期|第一四半期 第2四半期|第２四半期|第二四半期 第3四半期|第３四半期|第三四半期 第4四半期|第４四半期|第四四半期",
    units: "分 時間 日 週間|週 - 週末 か月|ヶ月|ヵ月|カ月|ケ月|箇月 四半期 年|年間",
    parts: "朝|午前 午後 夕方 夜|晩",
    edges: "の初め|の始め|の頭|初旬|上旬|初め の半ば|の中頃|中旬|半ば の終わり|の末|末|下旬|終わり",
    numbers: &[(1, 1, "一 二 三 四 五 六 七 八 九 十")],
    nths: &[],
    phrases: PHRASES,
    questions: QUESTIONS,
    lists: &[],
    common: "",
    leading: LEADING,
    asking: ASKING,
    built: &BUILT,
};

static BUILT: Built = Built::new();

const SHORT_UNITS: &[(&str, Unit)] = &[];

const PHRASES: &[(&str, &[Token])] = &[
    ("今日|きょう|本日", &[Day(0)]),
    ("昨日|きのう", &[Day(-1)]),
    ("一昨日|おととい|おとつい", &[Day(-2)]),
    ("今朝|けさ", &[This, Part(Part::Morning)]),
    ("今晩|今夜", &[This, Part(Part::Night)]),
    ("昨夜|昨晩|ゆうべ|昨日の夜|昨日の晩", &[Last, Part(Part::Night)]),
    ("最近|このごろ|この頃|近頃", &[Recently]),
    ("先日|この間|この前|こないだ", &[Other, Unit(Unit::Day)]),
    ("の朝|の午前", &[Of, Part(Part::Morning)]),
    ("の昼|の午後", &[Of, Part(Part::Afternoon)]),
    ("の夕方", &[Of, Part(Part::Evening)]),
    ("の夜|の晩", &[Of, Part(Part::Night)]),
    ("正午", &[Clock(12, 0)]),
    ("時", &[OClock]),
    ("日間", &[Unit(Unit::Day), Word]), // a length, and no day of the month
    ("半年", &[Number(6), Unit(Unit::Month)]),
    ("先週", &[Last, Unit(Unit::Week)]),
    ("先々週|先先週", &[BeforeLast, Unit(Unit::Week)]),
    ("今週", &[This, Unit(Unit::Week)]),
    ("先週末|先週の週末", &[Last, Unit(Unit::Weekend)]),
    ("先月", &[Last, Unit(Unit::Month)]),
    ("先々月|先先月", &[BeforeLast, Unit(Unit::Month)]),
    ("今月", &[This, Unit(Unit::Month)]),
    ("去年|昨年", &[Last, Unit(Unit::Year)]),
    ("一昨年|おととし", &[BeforeLast, Unit(Unit::Year)]),
    ("今年|ことし", &[This, Unit(Unit::Year)]),
    ("来週|来月|来年|次の|毎週|毎月|毎年|毎日|毎|明日|あした", &[NotPast]),
    ("前の|前回の", &[Last]),
    ("この", &[This]),
    ("過去|ここ", &[Past]),
    ("クリスマス", &[Holiday(12, 24, 3)]),
    ("お正月|正月", &[Holiday(1, 1, 3)]),
    ("大晦日", &[Holiday(12, 31, 1)]),
    ("数", &[Few]),
    ("前", &[Ago]),
    ("から", &[Since]),
    ("まで", &[Until]),
    ("の間|の間に", &[Between]),
    ("より前", &[Before]),
    ("の", &[Of]),
    ("に|は|、|も", &[At]),
];

const QUESTIONS: &[&str] = &[
    "覚えて",
    "おぼえて",
    "思い出",
    "何を話",
    "何について話",
    "何の話",
    "どんな話",
    "なにを話",
    "何て言",
    "なんて言",
    "何と言",
    "何を言",
    "何を決め",
    "何を約束",
    "何を相談",
    "話したっけ",
    "話しましたか",
    "話した？",
    "話した?",
    "言ったっけ",
    "言いましたか",
    "言った？",
    "言った?",
    "話した内容",
    "話したこと",
    "会話を要約",
    "会話の内容",
    "何を議論",
    "何がありました",
    "何があった",
    "何か新しいこと",
    "変わったことは",
    "変わったことあ",
    "のまとめ",
    "を振り返",
    "何が話題",
    "話題は",
    "話したか",
    "話したのか",
];

const LEADING: &str = "";

const ASKING: &str = "話し合いましたか 話し合いました 話し合った 話していましたか 話していました 話しましたか 話しました 話していた 話してた 話した 話し 言いましたか 言いました 言ってた 言った 決めました 決めた \
    議論しました 議論した 相談しました ありましたか ありました あった 話題 でしたか でした だった しましたか しました していました \
    していた してた した 知りたいです 知りたい 約束した 相談した 覚えています 覚えて 思い出して 教えてください 教えて まとめてください まとめて ごろ 頃 ころ 何について どんな なんて なに 何を 何の 何て 何と 何 私たち \
    僕たち 俺たち 私 僕 あなた 会話 内容 出ていました 出ました 出ていた 出てた 出た こと 要約して ください っけ ですか ますか いますか か は を に の で が と も って";
