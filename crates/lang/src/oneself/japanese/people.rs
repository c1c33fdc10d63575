//! The subject of a Japanese clause: whom or what it speaks of.

use super::words::{ADVERBS, AROUND, ASPECTS, BEFORE_ASPECTS, JOBS, ONESELF, OTHERS, OTHERS_LAST, PETS};

/// The subject of a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ClauseSubject<'a> {
    /// The author, named by a word.
    Own,
    /// A relative or an animal of the author.
    Kin(&'a str),
    /// A thing, or a person who may not belong to the author.
    Thing,
    /// Another person.
    Other,
    /// No subject is named.
    Implied,
}

impl ClauseSubject<'_> {
    /// The first part of a topic about this subject.
    pub(super) fn word(&self) -> &str {
        match self {
            ClauseSubject::Kin(word) => word,
            _ => "",
        }
    }

    /// The subject without a reference to the text.
    pub(super) fn owned(&self) -> ClauseSubject<'static> {
        match self {
            ClauseSubject::Kin(word) => AROUND
                .iter()
                .find(|around| *around == word)
                .map_or(ClauseSubject::Other, |word| ClauseSubject::Kin(word)),
            ClauseSubject::Own => ClauseSubject::Own,
            ClauseSubject::Thing => ClauseSubject::Thing,
            ClauseSubject::Other => ClauseSubject::Other,
            ClauseSubject::Implied => ClauseSubject::Implied,
        }
    }
}

/// The subject of a clause, by the text before its first は or が.
pub(super) fn subject(said: &str) -> ClauseSubject<'static> {
    let said = said.trim_start_matches("もう");
    // "友だちはみんなケンって呼ぶ"
    let calls = ["って呼ぶ", "と呼ぶ", "って呼びます", "と呼びます", "って呼んでいる", "って呼んでくれる"];
    let them = ["友", "みんな", "皆", "周り", "家族", "同僚"];
    if calls.iter().any(|ending| said.ends_with(ending))
        && them.iter().any(|who| said.starts_with(who))
        && !said.contains('を')
    {
        return ClauseSubject::Own;
    }
    if ["みんな", "全員", "皆", "誰"]
        .iter()
        .any(|all| said.strip_prefix(all).is_some_and(|rest| !rest.starts_with(['に', 'か'])))
    {
        return ClauseSubject::Other;
    }
    let Some(at) = said.find(['は', 'が']) else {
        return with_too(said);
    };
    let rest = &said[at + 'は'.len_utf8()..];
    let (mut before, mut own) = (&said[..at], false);
    if let Some(rest) =
        ONESELF.iter().filter_map(|own| before.strip_prefix(own)).min_by_key(|rest| rest.len())
        && (rest.is_empty() || rest.starts_with(['の', '、', 'も']))
    {
        (before, own) = (rest.trim_start_matches(['の', '、', 'も']), true);
    }
    if before.is_empty() || own && before == "こと" {
        return ClauseSubject::Own;
    }
    // "五月五日が誕生日だ"
    if before.ends_with(['月', '日'])
        && before.contains(['月', '日'])
        && said.contains(['一', '二', '三', '四', '五', '六', '七', '八', '九', '十'])
    {
        return ClauseSubject::Implied;
    }
    if let Some((kin, at)) = kin(before) {
        let other = is_of_another(&before[..at], kin, &before[at + kin.len()..]);
        return if other { ClauseSubject::Other } else { ClauseSubject::Kin(kin) };
    }
    // "看護師は辞めた"
    let ends = ["辞め", "やめ", "引退", "卒業"].iter().any(|end| rest.starts_with(end));
    if ends && JOBS.split_whitespace().any(|job| before.ends_with(job)) {
        return ClauseSubject::Implied;
    }
    let aspect =
        ASPECTS.iter().filter_map(|aspect| before.strip_suffix(aspect)).min_by_key(|rest| rest.len());
    let in_a_place = |rest: &str| rest.ends_with(['に', 'で']);
    if aspect.is_some_and(|rest| BEFORE_ASPECTS.contains(&rest) || in_a_place(rest))
        || ["好きな", "嫌いな", "苦手な"].iter().any(|liked| before.contains(liked))
    {
        return if own { ClauseSubject::Own } else { ClauseSubject::Implied };
    }
    if aspect.is_some_and(|rest| rest.ends_with('の')) && !own {
        return ClauseSubject::Other;
    }
    if ADVERBS.iter().any(|adverb| before.ends_with(adverb)) {
        return subject(rest);
    }
    if OTHERS.iter().any(|other| before.contains(other))
        && !before.ends_with("会社")
        && !before.ends_with("月")
    {
        return ClauseSubject::Other;
    }
    if own && before == "子" { ClauseSubject::Kin("子供") } else { ClauseSubject::Thing }
}

/// Whether a relative is another person's, by the text before and after the word: "友達の妹", "姉の彼氏". Also true for another
/// person who belongs to a relative: "妹の友達".
fn is_of_another(whose: &str, kin: &str, name: &str) -> bool {
    const PARTNERS: [&str; 10] =
        ["彼氏", "夫", "妻", "旦那", "嫁", "主人", "奥さん", "旦那さん", "婚約者", "相方"];
    const NEAREST: [&str; 10] = ["妻", "夫", "旦那", "主人", "嫁", "彼氏", "婚約者", "母", "父", "うちの子"];
    const FRIENDS: [&str; 10] =
        ["友達", "友だち", "友人", "先生", "上司", "同僚", "先輩", "後輩", "知り合い", "担任"];
    let of_kin = whose.strip_suffix('の').is_some_and(|whose| {
        AROUND.iter().any(|around| whose.ends_with(around)) && !NEAREST.iter().any(|own| whose.ends_with(own))
    });
    let friend =
        name.strip_prefix('の').is_some_and(|name| FRIENDS.iter().any(|friend| name.starts_with(friend)));
    let of_other = !["彼", "双子の", "末っ子の", "一人っ子の"].contains(&whose)
        && is_other(whose.trim_end_matches('の'));
    friend || of_kin && PARTNERS.contains(&kin) || of_other || name.starts_with("さん")
}

/// Whether words name a person who does not belong to the author.
fn is_other(words: &str) -> bool {
    OTHERS.iter().any(|other| words.contains(other)) || OTHERS_LAST.iter().any(|other| words.ends_with(other))
}

/// The subject before も: "妹も看護師だ".
fn with_too(said: &str) -> ClauseSubject<'static> {
    let before = said.split_once('も').map(|(before, _)| before);
    let before =
        before.map(|before| ONESELF.iter().find_map(|own| before.strip_prefix(own)).unwrap_or(before));
    let kin = before.and_then(|before| {
        let before = before.trim_start_matches('の');
        AROUND.iter().find(|around| before == **around)
    });
    kin.map_or(ClauseSubject::Implied, |kin| ClauseSubject::Kin(kin))
}

/// The longest word for a relative in a text, and its offset.
pub(super) fn kin(text: &str) -> Option<(&'static str, usize)> {
    let found = AROUND.iter().filter_map(|around| Some((*around, text.rfind(around)?)));
    let found = found.filter(|(around, at)| {
        let before = &text[..*at];
        !(*around == "夫" && before.ends_with("大丈"))
    });
    // "弟の嫁" is the wife
    found.max_by_key(|(around, at)| (at + around.len(), around.len()))
}

/// Whether a clause only names a person, an animal or a thing of the author, as the subject of the next clause:
/// "うちの柴犬、".
pub(super) fn is_bare(written: &str) -> bool {
    if written.ends_with(['と', 'も', 'て', 'る', 'た', 'の'])
        || written.contains(['は', 'が', 'を', 'に', 'で'])
        || written.chars().count() > 12
    {
        return false;
    }
    let other = OTHERS.iter().any(|other| written.starts_with(other));
    other
        || AROUND.iter().chain(ASPECTS).any(|word| written.ends_with(word))
        || kin(written).is_some() && written.contains('の')
}

/// Whether a clause is about goods with pictures of animals: "柴犬のカレンダーを買った".
pub(super) fn is_of_goods(written: &str) -> bool {
    let got = ["を買", "を探", "を作", "を見つけ", "をもらった", "を描", "を見た", "を見て", "を読"];
    PETS.iter().any(|pet| written.contains(pet)) && got.iter().any(|got| written.contains(got))
}

/// Whether a clause without owner and name is about all animals of a kind: "猫は肉を食べる".
pub(super) fn is_general(said: &str) -> bool {
    PETS.iter().any(|pet| said.strip_prefix(pet).is_some_and(|rest| rest.starts_with('は')))
}

/// Whether something liked or not eaten is a kind of thing: no person, nothing at hand, and not the subject of another
/// verb: "コアラはユーカリしか食べない".
pub(super) fn is_about_a_thing(said: &str) -> bool {
    const AT_HAND: &[&str] = &[
        "あなた",
        "君が",
        "君の",
        "この",
        "その",
        "あの",
        "今の",
        "それ",
        "これ",
        "彼",
        "ここ",
        "緊張",
        "さん",
        "みんな",
        "人は",
        "人が",
        "って卵",
        "忙しくて",
        "番目",
        "つ目",
        "の文の",
        "の案の",
        "渋滞に",
        "雪に",
        "泥に",
        "溝に",
        "罠に",
    ];
    if AT_HAND.iter().any(|word| said.contains(word))
        || ["好き", "嫌い", "無理", "苦手"]
            .iter()
            .any(|word| said.starts_with(word) && !said.starts_with("好きな"))
    {
        return false;
    }
    // "ヴィーガンって卵も食べない"
    let general = said.find("って").is_some_and(|at| {
        let katakana = said[..at].ends_with(|c: char| ('\u{30a1}'..='\u{30ff}').contains(&c));
        katakana && !said[at..].starts_with("っていう")
    });
    let own = ONESELF.iter().any(|own| said.starts_with(own));
    let Some((subject, rest)) = said.split_once('は').filter(|_| !own && !general) else {
        return !general;
    };
    let adverb = ADVERBS.iter().any(|adverb| subject.ends_with(adverb));
    let object = ["を食べ", "しか", "が好き", "が大好き", "が嫌い", "が苦手", "が大嫌い", "を飲"];
    let food = [
        "ワイン",
        "酒",
        "コーヒー",
        "茶",
        "肉",
        "魚",
        "パン",
        "野菜",
        "果物",
        "牛乳",
        "米",
        "ビール",
        "音楽",
        "本",
        "映画",
        "ゲーム",
        "漫画",
    ];
    let of_food = food.iter().any(|food| subject.ends_with(food));
    adverb || of_food || !object.iter().any(|object| rest.contains(object)) || kin(subject).is_some()
}

/// Whether the counted people or animals are the author's: "公園に猫が二匹いる" is about a park, "娘さんが二人いる" about another
/// person.
pub(super) fn has_own(said: &str) -> bool {
    let place =
        said.find('に').filter(|_| said.ends_with("いる") || said.ends_with("います")).map(|at| &said[..at]);
    let at_home = |place: &str| {
        ["うち", "家", "実家"].iter().chain(ONESELF).chain(AROUND).any(|own| place.ends_with(own))
    };
    place.is_none_or(at_home)
        && !["娘さん", "息子さん", "お子さん", "妹さん", "弟さん", "お姉さん", "お兄さん"]
            .iter()
            .any(|other| said.contains(other))
}

/// Whether a clause tells a nationality: "ベトナム人だ".
pub(super) fn is_of_a_nation(said: &str) -> bool {
    let Some(rest) = said.strip_suffix("人だ").or_else(|| said.strip_suffix("人と日本人のハーフだ"))
    else {
        return false;
    };
    let katakana = rest.chars().rev().take_while(|c| ('\u{30a1}'..='\u{30ff}').contains(c)).count();
    katakana > 1 || ["韓国", "中国", "台湾", "日本", "香港"].iter().any(|nation| rest.ends_with(nation))
}

/// Whether a clause tells a gender: "私は女だ".
pub(super) fn is_of_a_gender(said: &str) -> bool {
    let rest = ONESELF.iter().find_map(|own| said.strip_prefix(own)).unwrap_or(said);
    let rest = rest.trim_start_matches(['は', '、']);
    let rest = ["一応", "実は", "これでも", "こう見えて"]
        .iter()
        .find_map(|adverb| rest.strip_prefix(adverb))
        .unwrap_or(rest);
    let gender = rest.strip_suffix("だ").or_else(|| rest.strip_suffix("です")).unwrap_or_default();
    [
        "男",
        "女",
        "男性",
        "女性",
        "男の子",
        "女の子",
        "ノンバイナリー",
        "トランスジェンダー",
        "トランス女性",
        "トランス男性",
        "ゲイ",
        "レズビアン",
        "バイセクシュアル",
        "Xジェンダー",
        "アセクシュアル",
    ]
    .contains(&gender)
}

/// Whether a clause tells a former state: "父は元教師だ".
pub(super) fn was_something(said: &str) -> bool {
    let Some((before, rest)) = said.rsplit_once('元') else { return false };
    before.ends_with(['は', 'が']) && said.ends_with('だ') && !rest.starts_with(['気', '通', 'カ'])
}

/// Whether words end with at least this many Chinese characters, the last of which ends occupations.
pub(super) fn is_of_an_occupation(words: &str, endings: &str, least: usize) -> bool {
    const NONE: [&str; 18] = [
        "全員", "満員", "一員", "会員", "委員", "定員", "紳士", "同士", "戦士", "騎士", "武士", "人家",
        "一人", "二人", "身長", "成長", "三人", "大人",
    ];
    let chinese = words.chars().rev().take_while(|c| ('\u{4e00}'..='\u{9fff}').contains(c)).count();
    chinese >= least
        && words.ends_with(|c: char| endings.contains(c))
        && !NONE.iter().any(|none| words.ends_with(none))
}

/// Whether a clause in a greeting introduces its author: "新入りの佐々木だ".
pub(super) fn introduces(said: &str) -> bool {
    let Some(rest) = said.strip_suffix('だ') else { return false };
    let name = rest.rsplit('の').next().unwrap_or(rest);
    let is_written = |c: char| {
        ('\u{4e00}'..='\u{9fff}').contains(&c) || ('\u{30a1}'..='\u{30ff}').contains(&c) || c == '々'
    };
    !rest.contains(['は', 'が', 'を', 'も', 'に'])
        && (1..=6).contains(&name.chars().count())
        && name.chars().all(is_written)
}

/// Whether a clause ends with a name and says that it is one: "うちの犬は小麦っていう".
pub(super) fn named(said: &str) -> bool {
    let endings = [
        "っていう名前だ",
        "という名前だ",
        "っていう",
        "という",
        "って言う",
        "といいます",
        "っていいます",
        "って言います",
        "と言います",
        "と申します",
        "と名付けた",
        "って名前だ",
        "っていうんだ",
        "と名付けました",
    ];
    let Some(rest) = endings.iter().find_map(|ending| said.strip_suffix(ending)) else { return false };
    let Some(name) = rest.rsplit(['は', 'が', '、']).next() else { return false };
    name != rest && is_like_a_name(name)
}

/// Whether a clause has a name before an ending that is used both for names and for quotes.
pub(super) fn may_name(said: &str) -> bool {
    let endings = ["といいます", "っていいます", "って言います", "と言います", "という", "っていう"];
    let Some(rest) = endings.iter().find_map(|ending| said.strip_suffix(ending)) else { return true };
    let name = rest.rsplit(['は', 'が', '、', 'を']).next().unwrap_or(rest);
    (is_like_a_name(name) || said.contains("名前は")) && !rest.contains(['を', 'に'])
}

fn is_like_a_name(name: &str) -> bool {
    let count = name.chars().count();
    let hiragana = |c: char| ('\u{3041}'..='\u{309f}').contains(&c);
    let mixed = name.contains(hiragana) && !name.chars().all(hiragana);
    (1..=8).contains(&count)
        && !name.contains(['何', '「'])
        && !(mixed && name.ends_with(['る', 'ろ', 'た', 'だ', 'い', 'て', 'く']))
        && !(!mixed && count > 5 && name.chars().all(hiragana))
}

/// Whether quotation marks contain only short names.
pub(super) fn quotes_names(said: &str) -> bool {
    said.split(['「', '『']).skip(1).all(|rest| {
        let quoted = rest.split(['」', '』']).next().unwrap_or_default();
        quoted.chars().count() <= 8 && !quoted.contains("です") && !quoted.contains('。')
    })
}
