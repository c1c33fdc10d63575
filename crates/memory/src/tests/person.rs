//! Memory follows the person (MP1): corrections across private and open statements.

mod permissions;

use std::time::Duration;

use greenroom_core::{Author, Memory as Stored, Message, Scope, Time, Viewer};
use greenroom_persona::{Follow, MemorySettings};
use greenroom_store::{Plan, prelude::*};

use super::given::{Stage, recall, settings, stage, texts, viewer};
use crate::{CaptureReport, Decision};

const DM: &str = "discord:jo";
const GROUP: &str = "discord:42";

/// Viewers: Jo alone with Ada, and Jo in a group.
fn alone() -> Viewer {
    viewer("ada", DM).one_to_one()
}
fn in_group() -> Viewer {
    viewer("ada", GROUP)
}

impl Stage {
    /// Jo sends a message, one to one or in a group, and Ada captures it.
    async fn jo_says(&self, channel: &str, text: &str) -> CaptureReport {
        self.jo_says_with(channel, text, &settings()).await
    }

    async fn jo_says_with(&self, channel: &str, text: &str, settings: &MemorySettings) -> CaptureReport {
        self.clock.advance(Duration::from_secs(1));
        let at = self.clock.now();
        let author = Author::User { id: "jo".parse().unwrap(), name: "Jo".into() };
        let event = at.0.to_string();
        let message = Message { at, ..Message::new(channel.parse().unwrap(), event, author, text) };
        let plan = Plan { group: channel == GROUP, ..Plan::default() };
        let accepted = self.store.accept_planned(message, plan).await.unwrap();
        let viewer = viewer("ada", channel);
        let viewer = if accepted.group { viewer } else { viewer.one_to_one() };
        let report = self.memory.capture_now(&viewer, &accepted.message, settings).await.unwrap();
        self.memory.index_pending().await.unwrap();
        report
    }

    /// Ada says something, one to one.
    async fn ada_says(&self, channel: &str, text: &str) {
        self.clock.advance(Duration::from_secs(1));
        let at = self.clock.now();
        let author = Author::Persona { name: "ada".parse().unwrap() };
        let message =
            Message { at, ..Message::new(channel.parse().unwrap(), at.0.to_string(), author, text) };
        self.store.accept(message).await.unwrap();
    }

    /// The recalled memories.
    async fn known(&self, viewer: &Viewer) -> Vec<String> {
        let settings =
            MemorySettings { messages: greenroom_persona::SourceSettings::ranked(0), ..settings() };
        let recalled = recall(&self.memory, viewer, "What do you know about me?", None, &settings).await;
        texts(&recalled).into_iter().map(str::to_owned).collect()
    }

    async fn kept(&self, viewer: &Viewer) -> Vec<Stored> {
        self.memory.list(viewer, 100).await.unwrap()
    }
}

/// Only the order of the messages tells which statement is the later one then.
#[tokio::test]
async fn s5_after_the_clock_was_set_back_a_new_statement_still_replaces_the_one_before() {
    let stage = stage().await;
    stage.jo_says(DM, "I live in Graz.").await;
    stage.clock.set_back(Duration::from_hours(1));
    stage.jo_says(DM, "I moved to Linz.").await;
    assert_eq!(stage.known(&alone()).await, ["I moved to Linz."]);
}

#[tokio::test]
async fn mp1_what_is_told_one_to_one_is_private_and_what_is_said_in_a_group_is_not() {
    let stage = stage().await;
    stage.jo_says(DM, "I prefer email alerts").await;
    stage.jo_says(DM, "Remember that Dee leads the build team").await;
    stage.jo_says(GROUP, "I prefer green tea").await;
    let scopes = stage.kept(&alone()).await.into_iter().rev().map(|memory| memory.scope);
    let jo = || "discord:jo".parse().unwrap();
    assert!(scopes.eq([Scope::Private(jo()), Scope::Private(jo()), Scope::User(jo())]));
    assert_eq!(stage.known(&in_group()).await, ["I prefer green tea"]);
    assert_eq!(stage.known(&alone()).await.len(), 3);
}

#[tokio::test]
async fn mp1_a_setting_keeps_it_to_the_channel() {
    let stage = stage().await;
    let settings = MemorySettings { follow: Follow::Channel, ..settings() };
    stage.jo_says_with(DM, "I prefer email alerts", &settings).await;
    let [memory] = &stage.kept(&alone()).await[..] else { panic!("one memory") };
    assert_eq!(memory.scope, Scope::Channel(DM.parse().unwrap()));
    assert_eq!(stage.kept(&viewer("ada", "discord:other").one_to_one()).await, []);
}

/// The newer statement counts for a viewer who sees both; the group keeps what it heard.
#[tokio::test]
async fn mp1_what_is_corrected_in_private_stays_as_it_was_in_the_group() {
    let stage = stage().await;
    stage.jo_says(GROUP, "Remember that my build takes six minutes").await;
    let report = stage.jo_says(DM, "Remember that my build takes seven minutes").await;
    let [corrected] = &report.remembered[..] else { panic!("{report:?}") };
    assert!(matches!(corrected.decision, Decision::Supersede(_)));
    assert_eq!(stage.known(&alone()).await, ["my build takes seven minutes"]);
    assert_eq!(stage.known(&in_group()).await, ["my build takes six minutes"]);
    // the next statement in the group is the newest for both
    let report = stage.jo_says(GROUP, "Remember that my build takes nine minutes").await;
    assert_eq!(report.remembered.len(), 1);
    for viewer in [alone(), in_group()] {
        assert_eq!(stage.known(&viewer).await, ["my build takes nine minutes"], "{viewer:?}");
    }
}

/// No person learns from it that there was a private statement.
#[tokio::test]
async fn mp1_what_is_corrected_in_a_group_is_corrected_in_private_without_a_word() {
    let stage = stage().await;
    stage.jo_says(DM, "Remember that my build takes six minutes").await;
    let report = stage.jo_says(GROUP, "Remember that my build takes seven minutes").await;
    assert_eq!(report.notice().unwrap(), "remembered as m2: my build takes seven minutes");
    assert_eq!(stage.known(&alone()).await, ["my build takes seven minutes"]);
    assert_eq!(stage.known(&in_group()).await, ["my build takes seven minutes"]);
    let seen = stage.kept(&in_group()).await;
    let edges = stage.store.relations(&in_group(), &[seen[0].id]).await.unwrap();
    assert_eq!((seen.len(), edges.len()), (1, 0));
}

/// A preference has one key per scope. The last statement counts.
#[tokio::test]
async fn mp1_the_last_word_on_a_preference_counts_wherever_it_was_said() {
    let stage = stage().await;
    for (channel, said) in [
        (GROUP, "I prefer email alerts"),
        (DM, "I prefer SMS alerts"),
        (GROUP, "I prefer loud alerts"),
        (DM, "I prefer SMS alerts"),
        (GROUP, "I prefer loud alerts"),
        (GROUP, "I prefer email alerts"),
        (DM, "I prefer email alerts"),
        (DM, "I prefer silent alerts"),
    ] {
        stage.jo_says(channel, said).await;
        assert_eq!(stage.known(&alone()).await, [said], "after {said} in {channel}");
        let heard = stage.known(&in_group()).await;
        assert!(!heard.iter().any(|text| text.contains("SMS") || text.contains("silent")), "{heard:?}");
        if channel == GROUP {
            assert_eq!(heard, [said], "after {said} in the group");
        }
    }
}

/// A private statement that is repeated openly becomes known to the group too.
#[tokio::test]
async fn mp1_what_is_known_in_private_is_not_known_in_a_group() {
    let stage = stage().await;
    stage.jo_says(DM, "Remember that I am allergic to walnuts").await;
    let report = stage.jo_says(GROUP, "Remember that I am allergic to walnuts").await;
    assert_eq!(report.ignored, []);
    for viewer in [alone(), in_group()] {
        assert_eq!(stage.known(&viewer).await, ["I am allergic to walnuts"], "{viewer:?}");
    }
    // in the other order it is already known
    let report = stage.jo_says(DM, "Remember that I am allergic to walnuts").await;
    assert_eq!((report.remembered, report.ignored.len()), (Vec::new(), 1));
}

/// One of several statements in a message ends, or is repeated.
#[tokio::test]
async fn mp1_what_else_a_message_told_is_found_in_other_chats_after_a_correction() {
    for (told, then) in [
        ("I live in Dundee, and on Fridays I swim with Greta", "I moved to Perth"),
        ("I live in Dundee, and on Fridays I swim with Greta", "I live in Dundee"),
        ("Ich wohne in Wismar, und freitags schwimme ich mit Greta", "Ich bin nach Kiel gezogen"),
        ("Vivo en Vigo, y la bicicleta de Greta está en el garaje", "Me mudé a Lugo"),
        ("I live in Dundee and the bike of Greta is in the shed", "I moved to Perth"),
        ("I live in Dundee, the bike of Greta is in the shed", "I moved to Perth"),
    ] {
        let stage = stage().await;
        let ada = "ada".parse().unwrap();
        stage.store.enter(&ada, &DM.parse().unwrap(), greenroom_core::MessageId(1)).await.unwrap();
        stage.jo_says(DM, told).await;
        stage.jo_says("discord:dm2", then).await;
        let settings = MemorySettings { deadline: Duration::from_secs(60), ..MemorySettings::default() };
        let elsewhere = viewer("ada", "discord:dm3").one_to_one();
        let recalled = recall(&stage.memory, &elsewhere, "Greta", None, &settings).await;
        let line = texts(&recalled).into_iter().find(|text| text.contains("Greta"));
        let line = line.unwrap_or_else(|| panic!("{told} {then}: {recalled:?}"));
        let still_there = then.contains("Dundee");
        assert!(still_there || !["Dundee", "Wismar", "Vigo"].iter().any(|old| line.contains(old)), "{line}");
    }
}

/// Independent of "secret" in a permission, and of the chat in which it is withdrawn.
#[tokio::test]
async fn mp1_what_is_open_is_found_everywhere_and_closed_from_any_chat() {
    let stage = stage().await;
    stage.jo_says(DM, "I live in Voss, it's no secret").await;
    assert_eq!(stage.known(&in_group()).await, ["I live in Voss"]);
    assert_eq!(stage.known(&viewer("ada", "discord:dm2").one_to_one()).await, ["I live in Voss"]);
    stage.jo_says(GROUP, "I prefer green tea").await;
    stage.jo_says("discord:dm2", "don't tell anyone").await;
    assert_eq!(stage.known(&in_group()).await, ["I prefer green tea"], "what was said there stays known");
    stage.jo_says(DM, "Du darfst allen sagen, dass ich in Wismar wohne").await;
    assert_eq!(stage.known(&in_group()).await.len(), 2);
}

/// Earlier statements stay private, and a person who joins later learns nothing.
#[tokio::test]
async fn mp1_a_channel_that_becomes_a_group_shows_nothing_that_was_told_before() {
    let stage = stage().await;
    stage.jo_says(DM, "Remember that I am allergic to walnuts").await;
    let author = Author::User { id: "kim".parse().unwrap(), name: "Kim".into() };
    let came = Message::new(DM.parse().unwrap(), "kim", author, "hello");
    assert!(stage.store.accept(came).await.unwrap().group);
    assert_eq!(stage.known(&alone()).await, Vec::<String>::new(), "also for a turn that began before");
    stage.jo_says(DM, "I prefer green tea").await;
    let elsewhere = viewer("ada", "discord:den").one_to_one();
    assert_eq!(stage.known(&elsewhere).await.len(), 2);
    assert_eq!(stage.known(&viewer("ada", DM)).await, ["I prefer green tea"]);
}

/// Pairs of an earlier and a later statement on the same topic, in five languages.
const CORRECTIONS: &[(&str, &str)] = &[
    ("I live in Graz.", "I moved to Linz."),
    ("I live in Graz.", "I just moved to Linz."),
    ("I live in Graz.", "We moved to Linz in May."),
    ("I moved to Graz.", "I moved to Linz."),
    ("I live in Graz.", "I live in Linz now."),
    ("I live in Graz.", "I don't live in Graz any more."),
    ("My wife is called Ann.", "My wife is called Eva."),
    ("My favourite colour is teal.", "My favourite colour is ochre."),
    ("I'm a vegetarian.", "I'm not vegetarian any more."),
    ("I'm allergic to kiwi.", "I'm not allergic to kiwi any more."),
    ("I like coffee.", "I don't like coffee any more."),
    ("I'm 34 years old.", "I turned 35 yesterday."),
    ("I work as a nurse.", "I work as a baker now."),
    ("Ich wohne in Graz.", "Ich wohne in Linz."),
    ("Ich wohne in Graz.", "Ich bin letzte Woche nach Linz gezogen."),
    ("Mein Mann heißt Torsten.", "Mein Mann heißt Jan."),
    ("Ich bin Vegetarierin.", "Ich bin keine Vegetarierin mehr."),
    ("Ich heiße Ute.", "Ich heiße Uta."),
    ("Vivo en Madrid.", "La semana pasada me mudé a Sevilla."),
    ("Vivo en Madrid.", "Vivo en Sevilla."),
    ("Soy vegetariana.", "Ya no soy vegetariana."),
    ("J'habite à Lyon.", "J'ai déménagé à Nantes la semaine dernière."),
    ("J'habite à Lyon.", "J'habite à Nantes."),
    ("Je suis végétarienne.", "Je ne suis plus végétarienne."),
    ("仙台に住んでいます。", "札幌に住んでいます。"),
    ("仙台に住んでいます。", "先週、札幌に引っ越しました。"),
    ("キウイアレルギーです。", "もうキウイアレルギーではありません。"),
    ("I'm allergic to kiwi.", "Actually, I'm not allergic to kiwi."),
    ("Ich bin gegen Kiwi allergisch.", "Ich bin nicht gegen Kiwi allergisch."),
    ("J'habite à Lyon.", "Je n'habite pas à Lyon."),
];

/// The last statement counts, one to one or in a group, wherever the person asks (MP6).
#[tokio::test]
async fn mp6_a_new_fact_of_the_same_topic_takes_the_place_of_the_old_one_in_every_channel() {
    for (first, then) in CORRECTIONS {
        for (told_in, corrected_in) in [(DM, DM), (DM, "discord:dm2"), (GROUP, GROUP), (DM, GROUP)] {
            let stage = stage().await;
            let report = stage.jo_says(told_in, first).await;
            assert_eq!(report.remembered.len(), 1, "{first}");
            let report = stage.jo_says(corrected_in, then).await;
            let [new] = &report.remembered[..] else { panic!("{first} {then}: {report:?}") };
            let elsewhere = viewer("ada", "discord:dm3").one_to_one();
            assert_eq!(stage.known(&elsewhere).await, [new.memory.text.as_str()], "{first} {then}");
        }
    }
}

/// A denial of an unknown fact states nothing lasting.
#[tokio::test]
async fn mp6_a_denial_of_nothing_known_is_not_kept() {
    let stage = stage().await;
    stage.jo_says(DM, "I live in Graz.").await;
    for denied in ["I'm not allergic to kiwi.", "I don't live in Linz.", "Ich wohne nicht in Kiel."] {
        let report = stage.jo_says(DM, denied).await;
        assert!(report.remembered.is_empty(), "{report:?}");
    }
    assert_eq!(stage.known(&alone()).await, ["I live in Graz."]);
}

/// Facts that can both be true are both kept.
#[tokio::test]
async fn mp6_facts_of_several_values_stand_side_by_side() {
    for (first, then) in [
        ("I'm allergic to kiwi.", "I'm allergic to hazelnuts."),
        ("I work as a nurse.", "I work in Leeds."),
        ("My brother Tom lives in Paris.", "My brother Ben lives in Rome."),
        ("Our dog Biscuit chewed my shoes again.", "Our dog Rufus is snoring."),
        ("My birthday is on 4 May.", "I was born in 1987."),
        ("Ich esse kein Fleisch.", "Ich esse keinen Fisch."),
        ("I live in Graz.", "We live in a flat above a bakery."),
    ] {
        let stage = stage().await;
        stage.jo_says(DM, first).await;
        stage.jo_says(DM, then).await;
        assert_eq!(stage.known(&alone()).await.len(), 2, "{first} {then}");
    }
}

/// A message of another chat that may not be recalled, such as a password, does not raise the bar for others.
#[tokio::test]
async fn mp1_a_line_of_another_chat_that_may_not_be_recalled_displaces_nothing() {
    for (first, then, asked, answer) in [
        ("my password for where I live is hunter2", "I moved to Vigo.", "Where do I live?", "Vigo"),
        (
            "my password for the colour of the old kayak shed in Linz is hunter2",
            "the colour of the shed is moss green",
            "What colour is the old kayak shed in Linz?",
            "moss",
        ),
    ] {
        let stage = stage().await;
        for channel in [DM, "discord:dm2"] {
            let ada = "ada".parse().unwrap();
            stage.store.enter(&ada, &channel.parse().unwrap(), greenroom_core::MessageId(1)).await.unwrap();
        }
        stage.jo_says(DM, first).await;
        stage.jo_says("discord:dm2", then).await;
        let elsewhere = viewer("ada", "discord:dm3").one_to_one();
        // drops items that are slightly less relevant than the best
        let settings = MemorySettings { focus: 0.95, ..settings() };
        let recalled = recall(&stage.memory, &elsewhere, asked, None, &settings).await;
        let texts = texts(&recalled);
        assert!(texts.iter().any(|text| text.contains(answer)), "{asked} {texts:?}");
        assert!(!texts.iter().any(|text| text.contains("hunter2")), "{texts:?}");
    }
}
