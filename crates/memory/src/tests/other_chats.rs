//! A person's statements in a one-to-one chat are recalled in that person's other chats, in any words (MP1).

use greenroom_core::{Author, Message, Scope, UserRef, Viewer};
use greenroom_persona::{Follow, MemorySettings};
use greenroom_store::{Plan, prelude::*};

use super::given::{NOW, Stage, recall, stage, texts, viewer};

const HERE: &str = "terminal:default";
const OTHER: &str = "terminal:other";
const TOLD: &str = "the spare key hangs behind the fern";
const ASKED: &str = "Where is the spare key?";

fn settings() -> MemorySettings {
    MemorySettings { deadline: std::time::Duration::from_secs(60), ..MemorySettings::default() }
}

impl Stage {
    async fn recalled(&self, viewer: &Viewer, settings: &MemorySettings) -> Vec<String> {
        let recalled = recall(&self.memory, viewer, ASKED, None, settings).await;
        texts(&recalled).into_iter().map(str::to_owned).collect()
    }
}

fn other(persona: &str) -> Viewer {
    viewer(persona, OTHER).one_to_one()
}

#[tokio::test]
async fn mp1_what_is_told_in_any_words_is_recalled_in_another_chat_of_the_person() {
    let stage = stage().await;
    stage.say(HERE, TOLD).await;
    stage.say(HERE, "good morning to you").await;
    stage.say(HERE, "Do you know where the spare key is?").await;
    assert_eq!(stage.recalled(&other("ada"), &settings()).await, [TOLD], "a question tells nothing");
    let recalled = recall(&stage.memory, &other("ada"), ASKED, None, &settings()).await;
    assert!(recalled.items[0].is_from_other_chat);
    // what the persona said there is its own
    assert_eq!(stage.recalled(&other("bert"), &settings()).await, [TOLD], "bert was there too");

    let nothing: [&str; 0] = [];
    assert_eq!(stage.recalled(&viewer("ada", OTHER), &settings()).await, nothing, "others listen");
    let kim = Viewer::new("ada".parse().unwrap(), OTHER.parse().unwrap(), Some("kim".parse().unwrap()));
    assert_eq!(stage.recalled(&kim.one_to_one(), &settings()).await, nothing, "another person");
    assert_eq!(stage.recalled(&other("cleo"), &settings()).await, nothing, "it was not told to cleo");
    let kept = MemorySettings { follow: Follow::Channel, ..settings() };
    assert_eq!(stage.recalled(&other("ada"), &kept).await, nothing, "a setting keeps it to the channel");
}

/// A repeated statement adds nothing. Other chats recall it from its memory, and no longer once the memory is
/// forgotten.
#[tokio::test]
async fn gr10_what_was_said_twice_is_told_by_no_message_once_its_memory_is_forgotten() {
    for [told, again, question] in [
        ["my wife is called Zsuzsa", "like I said, my wife is called Zsuzsa", "What is my wife called?"],
        ["Meine Frau heißt Zsuzsa", "wie gesagt, meine Frau heißt Zsuzsa", "Wie heißt meine Frau?"],
    ] {
        let stage = stage().await;
        let here = viewer("ada", HERE).one_to_one();
        for text in [told, again, "the boiler hums at night"] {
            let said = stage.say(HERE, text).await;
            let message = stage.store.message(said).await.unwrap().unwrap();
            stage.memory.capture_now(&here, &message, &settings()).await.unwrap();
        }
        let asked = async || {
            let recalled = recall(&stage.memory, &other("ada"), question, None, &settings()).await;
            texts(&recalled)
                .into_iter()
                .filter(|text| text.contains("Zsuzsa"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        stage.memory.index_pending().await.unwrap();
        let known = stage.memory.list(&here, 9).await.unwrap();
        assert_eq!(known.len(), 1, "{told}");
        assert!(!asked().await.is_empty(), "{told}");
        stage.store.forget(&here, known[0].id).await.unwrap();
        assert_eq!(asked().await, Vec::<String>::new(), "{told}");
    }
}

/// A turn that is answered again captures its message again, after later messages. The later statements stay.
#[tokio::test]
async fn jv1_a_message_that_is_captured_again_takes_nothing_back_and_adds_nothing() {
    let stage = stage().await;
    let here = viewer("ada", HERE).one_to_one();
    let mut said = Vec::new();
    for text in [
        "I live in Graz.",
        "Remember that the mast is oak",
        "I live in Linz.",
        "I prefer black tea in the morning",
    ] {
        let id = stage.say(HERE, text).await;
        said.push(stage.store.message(id).await.unwrap().unwrap());
    }
    let capture = async |viewer: &Viewer, message: &Message| {
        stage.memory.capture_now(viewer, message, &settings()).await.unwrap()
    };
    for message in &said {
        capture(&here, message).await;
    }
    let id = stage.say(OTHER, "I prefer green tea in the morning").await;
    let openly = stage.store.message(id).await.unwrap().unwrap();
    capture(&viewer("ada", OTHER), &openly).await;
    let before = stage.memory.list(&here, 99).await.unwrap();
    for message in &said {
        let report = capture(&here, message).await;
        assert!(report.remembered.is_empty(), "{report:?}");
    }
    let after = stage.memory.list(&here, 99).await.unwrap();
    let texts = |memories: &[greenroom_core::Memory]| {
        let mut texts: Vec<_> = memories.iter().map(|memory| memory.text.clone()).collect();
        texts.sort();
        texts
    };
    assert_eq!(texts(&before), texts(&after));
    assert!(texts(&after).contains(&"I live in Linz.".to_owned()), "{after:?}");
}

/// The text is not stored, and other chats do not recall its message.
#[tokio::test]
async fn mp6_what_a_person_asks_not_to_remember_is_not_kept() {
    for text in [
        "Please don't save this: the spare key hangs behind the fern",
        "vergiss bitte, dass the spare key hangs behind the fern",
    ] {
        let stage = stage().await;
        let said = stage.say(HERE, text).await;
        let message = stage.store.message(said).await.unwrap().unwrap();
        stage.say(HERE, "good morning to you").await;
        let here = viewer("ada", HERE).one_to_one();
        let report = stage.memory.capture_now(&here, &message, &settings()).await.unwrap();
        assert!(
            report.remembered.is_empty()
                && report.notice().unwrap().starts_with("not remembered, as you ask")
        );
        assert_eq!(stage.recalled(&other("ada"), &settings()).await, Vec::<String>::new(), "{text}");
    }
}

#[tokio::test]
async fn mp1_what_the_persona_said_in_another_chat_stays_there() {
    let stage = stage().await;
    let author = Author::Persona { name: "ada".parse().unwrap() };
    let said = Message { at: NOW, ..Message::new(HERE.parse().unwrap(), "r1", author, TOLD) };
    stage.store.accept(said).await.unwrap();
    stage.say(HERE, "good morning to you").await;
    assert_eq!(stage.recalled(&other("ada"), &settings()).await, Vec::<String>::new());
}

#[tokio::test]
async fn mp1_a_chat_that_becomes_a_group_tells_nothing_and_is_told_nothing() {
    for (group, asked_in) in [(HERE, OTHER), (OTHER, OTHER)] {
        let stage = stage().await;
        stage.say(HERE, TOLD).await;
        stage.say(OTHER, "good evening").await;
        let author = Author::User { id: "kim".parse().unwrap(), name: "Kim".into() };
        let came = Message { at: NOW, ..Message::new(group.parse().unwrap(), "kim", author, "hello") };
        assert!(stage.store.accept_planned(came, Plan::default()).await.unwrap().group);
        let viewer = viewer("ada", asked_in).one_to_one();
        assert_eq!(stage.recalled(&viewer, &settings()).await, Vec::<String>::new(), "{group} is a group");
    }
}

#[tokio::test]
async fn mp1_linked_accounts_are_one_person_in_their_chats() {
    let stage = stage().await;
    let ada = "ada".parse().unwrap();
    stage.store.enter(&ada, &"irc:jo".parse().unwrap(), greenroom_core::MessageId(1)).await.unwrap();
    stage.say("irc:jo", TOLD).await;
    assert_eq!(stage.recalled(&other("ada"), &settings()).await, Vec::<String>::new());
    let [one, linked]: [UserRef; 2] = ["terminal:jo", "irc:jo"].map(|account| account.parse().unwrap());
    stage.store.link(&one, &linked).await.unwrap();
    assert_eq!(stage.recalled(&other("ada"), &settings()).await, [TOLD]);
}

#[tokio::test]
async fn gr10_what_is_forgotten_in_one_chat_is_recalled_in_none() {
    let stage = stage().await;
    let told = stage.say(HERE, TOLD).await;
    assert_eq!(stage.recalled(&other("ada"), &settings()).await, [TOLD]);
    let what = greenroom_store::Erase::Message(told);
    stage.store.erase(&what, greenroom_store::Quotes::Stay).await.unwrap();
    assert_eq!(stage.recalled(&other("ada"), &settings()).await, Vec::<String>::new());
    assert!(stage.memory.list(&other("ada"), 10).await.unwrap().iter().all(|m| m.scope != Scope::Global));
}

#[tokio::test]
async fn gr10_what_is_forgotten_or_corrected_as_a_memory_is_recalled_in_no_other_chat() {
    let stage = stage().await;
    let here = viewer("ada", HERE).one_to_one();
    for (told, correction) in
        [("I keep the spare key at Ann's", None), ("I live in Graz", Some("I moved to Linz last week"))]
    {
        let message = stage.say(HERE, told).await;
        let message = stage.store.message(message).await.unwrap().unwrap();
        let learned = crate::Remember {
            text: told.into(),
            scope: Scope::Private("terminal:jo".parse().unwrap()),
            source: greenroom_core::Source {
                message: Some(message.id),
                ..super::given::told(&here, "").source
            },
            ..super::given::told(&here, told)
        };
        let kept = stage.memory.remember(&here, learned).await.unwrap().memory;
        match correction {
            None => drop(stage.store.forget(&here, kept.id).await.unwrap()),
            Some(text) => {
                let edit = greenroom_store::MemoryEdit {
                    text: Some(text.into()),
                    kind: None,
                    expires_at: None,
                    private: None,
                    trust: greenroom_core::Trust::Operator,
                    at: NOW,
                };
                stage.store.edit(&here, kept.id, edit).await.unwrap().unwrap();
            }
        }
        stage.memory.index_pending().await.unwrap();
        let asked = recall(&stage.memory, &other("ada"), told, None, &settings()).await;
        assert!(!texts(&asked).contains(&told), "{asked:?}");
    }
}

#[tokio::test]
async fn x5_a_secret_goes_no_further_than_its_chat() {
    let stage = stage().await;
    stage.say(HERE, "my wifi password is hunter2").await;
    let asked = recall(&stage.memory, &other("ada"), "What is my wifi password?", None, &settings()).await;
    assert_eq!(texts(&asked), Vec::<&str>::new());
}

/// A new thread without messages has no row of its own.
#[tokio::test]
async fn mp1_a_new_thread_of_a_group_is_told_nothing() {
    let stage = stage().await;
    stage.say(HERE, TOLD).await;
    let author = Author::User { id: "kim".parse().unwrap(), name: "Kim".into() };
    stage.say("terminal:group", "good evening").await;
    let came = Message { at: NOW, ..Message::new("terminal:group".parse().unwrap(), "kim", author, "hello") };
    assert!(stage.store.accept_planned(came, Plan::default()).await.unwrap().group);
    let thread = viewer("ada", "terminal:group:7").one_to_one();
    let turns =
        [0, 1].map(|_| greenroom_core::TurnId(greenroom_core::Entropy::uuid(&greenroom_core::SystemEntropy)));
    let explained = stage.memory.explain(&thread, ASKED, &settings(), turns, None).await.unwrap();
    assert!(explained.recalled.items.is_empty() && explained.near.is_empty(), "{explained:?}");
}
