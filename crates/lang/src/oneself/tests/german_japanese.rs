//! Everyday German and Japanese (MP6): the topics of facts, and which facts replace others.

use super::{super::replaces_fact, topics};

/// Asserts that the first fact in each text has this topic.
fn check(told: &[(&str, &str)]) {
    for (said, topic) in told {
        assert_eq!(topics(said).first().map(String::as_str), Some(*topic), "{said}");
    }
}

fn check_nothing(said: &[&str]) {
    for said in said {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_german_is_understood_without_subject_and_with_the_verb_at_the_end() {
    check(&[
        ("bin letzten Herbst nach Gera gezogen", "home"),
        ("die Pollen fliegen, hab Heuschnupfen", "health heuschnupfen"),
        ("da ich im Rollstuhl sitze, gehen Treppen nicht", "health rollstuhl"),
        ("Denk dran, dass ich Linkshänderin bin, wenn du die Knoten zeigst", "health hand"),
        ("weil ich Vegetarier bin gibts hier Linsen", "diet"),
        ("weil mein Mann Veganer ist, kochen wir ohne Ei", "mann veganer"),
        ("eine Stunde Bus bis nach Celle, da wohn ich seit April", "home"),
        ("zurück in Celle, wo ich seit Mai wohne", "home"),
        ("als Hebamme bin ich nachts unterwegs", "work"),
        ("im fünften Semester Maschinenbau", "studies maschinenbau"),
        ("nur Tee für mich, Kaffee trink ich nicht", "diet kaffee"),
    ]);
    check_nothing(&[
        "bin gleich wieder da",
        "bin dafür",
        "mag sein",
        "mag jemand Kaffee",
        "da ich heute müde bin, geh ich ins Bett",
        "dass ich Kiel mag, stimmt nicht",
        "als Kind hatte ich einen Hund",
        "als Lehrer wollte ich nie arbeiten",
        "im dritten Semester muss man viel lernen",
        "das Hotel in Rom, wo ich wohne, ist toll",
        "Alle denken, ich bin verheiratet",
        "Ich dachte immer, ich bin gegen Katzen allergisch",
    ]);
}

#[test]
fn mp6_german_names_stand_behind_a_comma_and_insults_are_none() {
    check(&[
        ("Mein Ältester, der Jonathan, hat sich den Arm gebrochen", "altester jonathan name"),
        ("Unsere zwei Katzen, Mila und Fussel, schlafen", "katzen mila fussel name"),
        ("meine Chefin, die Frau Özdemir, will Folien", "chefin name"),
        ("muss kurz raus mit krümel, das ist mein dackel", "dackel name"),
        ("Meine zweite Katze heißt Fussel", "zweite katze name"),
        ("kannst mich Uli nennen", "name"),
        ("ruf mich Uli", "name"),
    ]);
    check_nothing(&[
        "mein Bruder, der Idiot, hat den Schlüssel",
        "meine Mutter, die Gute, hat gekocht",
        "Mein Chef, der Esel, will Folien",
        "mein Bruder, der Fußball spielt, kommt",
        "Mein Vater, der Arzt, ist streng",
        "Fußball, das ist mein Leben",
        "ruf mich zurück",
    ]);
}

#[test]
fn mp6_german_jokes_and_passing_states_are_no_facts() {
    check_nothing(&[
        "Ich bin allergisch gegen Montage",
        "gegen Arbeit bin ich allergisch",
        "Ich komme aus der Zukunft, frag mich was",
        "ich wohne quasi im Büro zur Zeit",
        "wohne grad bei Lena, nur bis morgen",
        "ich bin blind vor Wut",
        "ich hab zwei Kinder getroffen",
        "ich spreche gleich Deutsch mit dir",
        "ich bin im Rollstuhl gefahren, nur zum Test",
        "ich muss heute zwei Tabletten nehmen",
        "Englisch kann ich dir übersetzen",
        "ich geh Freitag ins Kino",
    ]);
}

#[test]
fn mp6_states_of_health_in_german_are_topics_of_their_own() {
    for (old, new, holds) in [
        ("Ich bin Diabetikerin", "Ich bin Linkshänderin", true),
        ("Ich bin Asthmatiker", "Ich bin farbenblind", true),
        ("Ich bin Diabetiker", "Ich bin schwerhörig", true),
        ("Ich bin Diabetiker", "Ich hab Diabetes", false),
        ("Ich bin Diabetiker", "Ich bin kein Diabetiker", false),
        ("Ich trinke am liebsten Tee", "Inzwischen trink ich lieber Kaffee", false),
        ("Ich trinke am liebsten Tee", "ich trinke jetzt lieber kaffee", false),
        ("Ich wohne in Graz", "bin letzte woche von graz nach linz gezogen", false),
        ("Ich bin Vegetarierin", "Ich esse wieder Fleisch", false),
        ("Ich arbeite bei Siemens", "Hab bei Siemens gekündigt, bin jetzt bei Bosch", false),
        ("Ich mag keine Oliven", "Oliven mag ich mittlerweile richtig gern", false),
        ("Ich bin mit Mia verheiratet", "Mia und ich haben uns getrennt", false),
    ] {
        assert_eq!(replaces_fact(old, new), !holds, "{old} {new} {:?} {:?}", topics(old), topics(new));
    }
    assert_eq!(
        super::super::own_facts("Mia und ich haben uns getrennt")[0].text,
        "Mia und ich haben uns getrennt"
    );
}

#[test]
fn mp6_japanese_is_understood_in_casual_forms_and_before_clauses_without_a_comma() {
    check(&[
        ("助産師やってるから夜勤ばっかり", "work"),
        ("母が弘前に住んでてほぼ毎週末帰ってる", "母 home"),
        ("本業は配管工なんで専門用語でいい", "work"),
        ("大学で海洋生物学を専攻してて課題がやばい", "studies 海洋生物学"),
        ("蜘蛛が本当に怖いんです", "fear 蜘蛛"),
        ("子供の頃から一型糖尿病でポンプつけてる", "health 糖尿病"),
        ("インスリン打たないといけないんです", "health インスリン"),
        ("水曜は市民オケでチェロを弾いてます", "like チェロ"),
        ("返事はいつも短くお願いします", "answers"),
        ("上司の大森さんが資料出せって", "上司 name"),
        ("ハムスター飼ってるんだよね", "have ハムスター飼っている"),
        ("彼氏は建築士でいつも忙しい", "彼氏 work"),
        ("甲殻類食べるとじんましん出る", "allergy 甲殻類"),
        ("エビはアレルギーあるから無理", "allergy エビ"),
        ("最近はオリーブが好きになりました", "like オリーブ"),
    ]);
    check_nothing(&[
        "なんで空は青いんだろう",
        "友達がパン屋で働いてて差し入れくれた",
        "電車で寝てて乗り過ごした",
        "公園に猫が二匹いて癒された",
        "糖尿病で亡くなった俳優",
        "歯医者で待ってる",
        "部屋を探してる",
        "上司の話が長い",
        "返事はいつも早いね",
        "今日はコーヒーしか飲んでない",
    ]);
}

#[test]
fn mp6_relatives_and_pets_in_japanese_have_facts_by_their_names() {
    check(&[
        ("息子の健太は七歳です", "息子 健太 age"),
        ("息子の健太は野球が好きです", "息子 健太 like 野球"),
        ("姉の遥は岡山に住んでいます", "姉 遥 home"),
        ("もう一匹の猫の名前はモコです", "一匹 猫 name"),
        ("うちの猫二匹、ミラとモコが寝てる", "猫 ミラ モコ name"),
        ("妻の美咲は看護師です", "妻 work"),
    ]);
    for (old, new) in [
        ("息子の健太は七歳です", "息子の悠は四歳です"),
        ("姉の遥は岡山に住んでいます", "姉の恵は広島に住んでいます"),
        ("うちの猫の名前はミラです", "もう一匹の猫の名前はモコです"),
        ("息子の健太は野球が好きです", "息子の悠はサッカーが好きです"),
    ] {
        assert!(!replaces_fact(old, new), "{old} {new}");
    }
    for (old, new) in [
        ("息子の健太は七歳です", "息子の健太は八歳です"),
        ("妻は三十歳です", "妻の美咲は三十一歳です"),
        ("誕生日は五月三日です", "ごめん、誕生日は五月五日でした"),
        ("オリーブが苦手です", "最近はオリーブが好きになりました"),
    ] {
        assert!(replaces_fact(old, new), "{old} {new} {:?} {:?}", topics(old), topics(new));
    }
}

#[test]
fn mp6_japanese_jokes_and_what_is_told_of_others_are_no_facts() {
    check_nothing(&[
        "火星出身です、なんてね",
        "月曜アレルギーです",
        "月曜が怖い",
        "私には菜食主義は絶対無理だわ",
        "姉の彼氏はシェフなんだ",
        "弟の嫁は教師です",
        "妹の友達が結婚した",
        "息子の友達のけんたは七歳です",
        "娘さんが二人いて大変ですね",
        "友達の犬、モモちゃんがかわいい",
        "猫の名前は未定です",
        "喘息で苦しむ子供が多い",
        "冬が苦手で困る人は多い",
        "朝ごはん食べない",
        "課長が名古屋に転勤になった",
    ]);
}
