//! Whom a text names: words that resemble names, code, scripts without spaces (RM3).

#![allow(clippy::expect_used)]

use greenroom_floor::{Inputs, Kind, Member, Members, Message, Policy, RoomPolicy, Window, decide};

/// The personas that answer when jo says this, by display name. All personas have spoken before.
fn called(names: &[&str], text: &str) -> Vec<String> {
    called_after(names, &[text])
}

/// The personas that answer the last of these texts.
fn called_after(names: &[&str], texts: &[&str]) -> Vec<String> {
    let mut members = Members::new();
    for name in names {
        let id = name.to_lowercase();
        members.insert(Member {
            id: id.as_str().into(),
            kind: Kind::Persona,
            names: vec![(*name).to_owned(), id.clone()],
            policy: Policy::Addressed,
        });
    }
    members.insert(Member::new("jo", Kind::Person, Policy::Never));
    members.insert(Member::new("kim", Kind::Person, Policy::Never));
    let mut window = Window::new();
    let said = names.iter().map(|name| (name.to_lowercase(), "the tide is low"));
    let said = said.chain([("kim".to_owned(), "so it is")]);
    let said: Vec<_> = said.chain(texts.iter().map(|text| ("jo".to_owned(), *text))).collect();
    let mut last = None;
    for (id, (author, text)) in (1..).zip(said) {
        let at = id as i64 * 20;
        let message =
            Message { id, author: author.as_str().into(), text: text.to_owned(), reply_to: None, at };
        window.push(&message, &members);
        last = Some(message);
    }
    let last = last.expect("something was said");
    let decision = decide(&window, &last, &members, RoomPolicy::Free, &Inputs::default());
    decision.speakers().iter().map(|verdict| verdict.name.clone()).collect()
}

#[test]
fn rm3_a_word_that_is_like_a_name_is_another_word() {
    let names = ["Menna", "Addie", "Talia"];
    for text in [
        "Menno, how are you?",
        "Andie, how are you?",
        "amenna is not a word",
        "Men, listen to this",
        "Mennaville: a town",
        "Italia, what a country",
    ] {
        assert!(called(&names, text).is_empty(), "{text}");
    }
    for (text, who) in [
        ("Menna, how are you?", "Menna"),
        ("Mena, how are you?", "Menna"),
        ("Tailia: are you there?", "Talia"),
        ("Taila, are you there?", "Talia"),
        ("@add are you there?", "Addie"),
    ] {
        let expected: &[&str] = if text.starts_with("Tailia") { &[] } else { &[who] };
        assert_eq!(called(&names, text), expected, "{text}");
    }
}

#[test]
fn rm3_code_mentions_no_persona() {
    let names = ["Menna", "Addie"];
    for text in ["run `@menna`", "`menna`: what is that?", "```\n@menna do it\n```", "``a ` @menna`` is code"]
    {
        assert!(called(&names, text).is_empty(), "{text}");
    }
    for text in ["`x` @menna", "@menna: `ls`", "a ` alone, @menna"] {
        assert_eq!(called(&names, text), ["Menna"], "{text}");
    }
}

#[test]
fn rm3_names_are_found_in_every_script() {
    let names = ["Menna", "花子", "José María", "さくら", "山田 太郎"];
    for (text, who) in [
        ("Mennaさん、どう思う?", "Menna"),
        ("花子さん、元気?", "花子"),
        ("花子、元気?", "花子"),
        ("ねえ花子、今日どう?", "花子"),
        ("ねえ花子どう思う", "花子"),
        ("你好花子，今天怎么样？", "花子"),
        ("さくらちゃん、おはよう", "さくら"),
        ("太郎くん、元気?", "山田 太郎"),
        ("José, ¿vienes?", "José María"),
        ("José?", "José María"),
        ("¡José! ¿Vienes?", "José María"),
        ("Hola José María, ¿vienes?", "José María"),
        ("¿Qué piensas, José?", "José María"),
    ] {
        assert_eq!(called(&names, text), [who], "{text}");
    }
    for text in ["花子供の日", "山花子さん", "José y yo fuimos", "Mennako、元気?", "おさくらい"]
    {
        assert!(called(&names, text).is_empty(), "{text}");
    }
    assert!(called(&["José María", "José Luis"], "José, ¿vienes?").is_empty(), "it is not known which");
}

/// A name that was often used as a common word still counts as a name if its persona is spoken to.
#[test]
fn rm2_a_persona_is_called_by_a_name_that_is_common_here() {
    let names = ["May", "Will", "Rose"];
    let common =
        ["a rose is a rose", "Rose sales went up", "The sun rose early", "we may rose", "May Rose, may Rose"];
    for text in ["Hi Rose", "How are you, Rose?", "Hi Rose, all well?", "hello rose"] {
        let said: Vec<&str> = common.iter().copied().cycle().take(40).chain([text]).collect();
        assert_eq!(called_after(&names, &said), ["Rose"], "{text}");
    }
}

#[test]
fn rm2_a_name_that_is_a_common_word_is_meant_by_its_capital_or_a_mark() {
    let names = ["May", "Will", "Rose", "Hope", "Mark"];
    for text in [
        "we may win, I hope",
        "please mark the date",
        "prices rose again",
        "Will you come?",
        "May I come in?",
        "Hope you are well",
        "this is what I will do",
        "In May we travel",
        "Prices rose again in May.",
        "The exam is in late May, right?",
        "We met on 5 May, I think",
        "the 3rd of May, as I said",
        "we met before May",
        "the May issue is out",
        "a rose, it smells",
        "Do what you will",
        "It may, or may not",
        "Good will, good hope",
        "This will, I hope, work",
    ] {
        assert!(called(&names, text).is_empty(), "{text}");
    }
    for several in [
        "May, Will and Rose: hello",
        "Hello May, Will and Rose",
        "May, Will und Rose: hallo",
        "May / Will / Rose: hi",
        "May? Will? Rose?",
        "May, Will, Rose - hello there",
        "Dear May, dear Will, dear Rose, hello",
    ] {
        assert_eq!(called(&names, several), ["May", "Will", "Rose"], "{several}");
    }
    assert_eq!(called(&names, "May, Will said he would come"), ["May"]);
    assert_eq!(called(&names, "May and Rose, what do you say?"), ["May", "Rose"]);
    assert_eq!(called(&names, "Will or Hope: who comes?"), ["Will", "Hope"]);
    for (text, expected) in [
        ("hope, are you there?", "Hope"),
        ("@will what do you think", "Will"),
        ("I think Rose knows it", "Rose"),
        ("Mark?", "Mark"),
        ("ask Hope about it", "Hope"),
        ("hi may, are you there?", "May"),
        ("What do you think of May?", "May"),
        ("hey will", "Will"),
        ("Rose - hello", "Rose"),
        ("good morning rose", "Rose"),
        ("thank you, hope", "Hope"),
        ("and you, will?", "Will"),
    ] {
        assert_eq!(called(&names, text), [expected], "{text}");
    }
    assert_eq!(called(&["Rose Miller", "Ada"], "ask rose miller about it"), ["Rose Miller"]);
}
