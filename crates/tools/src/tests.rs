//! The memory tools over a real store, called like a model calls them.

use std::{sync::Arc, time::Duration};

use greenroom_core::{
    Author, ManualClock, Message, MessageId, Scope, Time, Timestamp, ToolCall, Trust, TurnId, Viewer,
};
use greenroom_memory::{Memory, TimeZone};
use greenroom_store::{MemoryFilter, prelude::*};
use greenroom_store_sqlite::{Options, SqliteStore};
use proptest::prelude::*;
use serde_json::json;

use crate::{Shown, ToolContext, ToolOutcome, Toolbox, memory_tools};

const NOW: Timestamp = Timestamp(1_795_219_200_000_000);

struct Stage {
    tools: Toolbox,
    store: SqliteStore,
    clock: Arc<ManualClock>,
    context: ToolContext,
    _directory: tempfile::TempDir,
}

/// Ada answers Jo's question in the terminal. There is no embedder, so the search uses words alone.
async fn stage() -> Stage {
    let directory = tempfile::tempdir().unwrap();
    let store =
        SqliteStore::open_with(&directory.path().join("greenroom.db"), &Options::unsynced()).await.unwrap();
    let clock = Arc::new(ManualClock::at(NOW));
    let (ada, here) = ("ada".parse().unwrap(), "terminal:default".parse().unwrap());
    store.enter(&ada, &here, MessageId(1)).await.unwrap();
    let memory = Memory::new(Arc::new(store.clone()), None, clock.clone());
    let names = ["remember".to_owned(), "recall".to_owned(), "forget".to_owned()];
    let channel = "terminal:default".parse().unwrap();
    store.enter(&"ada".parse().unwrap(), &channel, MessageId(1)).await.unwrap();
    let context = ToolContext {
        shown: Shown::default(),
        viewer: Viewer::new("ada".parse().unwrap(), channel, Some("jo".parse().unwrap())),
        turn_id: TurnId(uuid::Uuid::nil()),
        trigger: MessageId(i64::MAX),
        user: Some("jo".parse().unwrap()),
        name: "Jo".into(),
        follow: Default::default(),
        zone: TimeZone::UTC,
        witness: true,
    };
    let tools = Toolbox::for_persona(&names, &memory_tools(&memory));
    Stage { tools, store, clock, context, _directory: directory }
}

impl Stage {
    async fn run(&self, name: &str, arguments: &str) -> ToolOutcome {
        let call = ToolCall { id: "call_1".into(), name: name.into(), arguments: arguments.into() };
        self.tools.run(&self.context, &call).await
    }

    /// The result of a call that works.
    async fn ok(&self, name: &str, arguments: &str) -> String {
        let outcome = self.run(name, arguments).await;
        assert!(outcome.ok, "{}", outcome.content);
        outcome.content
    }

    /// The error of a call that does not.
    async fn error(&self, name: &str, arguments: &str) -> String {
        let outcome = self.run(name, arguments).await;
        assert!(!outcome.ok, "{}", outcome.content);
        outcome.content
    }

    async fn say(&self, text: &str) -> MessageId {
        let author = Author::User { id: "jo".parse().unwrap(), name: "Jo".into() };
        let channel = self.context.viewer.channel().clone();
        let message = Message { at: NOW, ..Message::new(channel, text, author, text) };
        self.store.accept(message).await.unwrap().message.id
    }

    async fn memories(&self) -> Vec<greenroom_core::Memory> {
        let filter =
            MemoryFilter { now: self.clock.now(), scopes: vec![], ids: vec![], about: None, limit: 100 };
        self.store.memories(&self.context.viewer, &filter).await.unwrap()
    }
}

#[tokio::test]
async fn as7_remember_stores_a_statement_and_says_under_which_id() {
    let stage = stage().await;
    let said = stage.ok("remember", r#"{"content":"Jo prefers tea","category":"preference"}"#).await;
    assert_eq!(said, "Remembered as m1: Jo prefers tea");
    assert_eq!(stage.memories().await[0].kind.as_str(), "preference");
    assert_eq!(stage.ok("remember", r#"{"content":"jo prefers tea."}"#).await, "Already known: m1");
    assert_eq!(stage.memories().await.len(), 1);
}

#[tokio::test]
async fn as9_a_memory_with_an_end_is_gone_after_it() {
    let stage = stage().await;
    stage.ok("remember", r#"{"content":"tea is on sale","expires_in_days":2}"#).await;
    stage.clock.advance(Duration::from_secs(2 * 24 * 60 * 60 - 1));
    assert_eq!(
        stage.ok("recall", r#"{"query":"tea"}"#).await,
        r#"- [a person] "tea is on sale" (2026-11-21)"#
    );
    stage.clock.advance(Duration::from_secs(1));
    assert_eq!(stage.ok("recall", r#"{"query":"tea"}"#).await, "No relevant memories found.");
}

#[tokio::test]
async fn as7_a_failing_store_comes_back_to_the_model_as_an_error() {
    let stage = stage().await;
    stage.store.close().await;
    let error = stage.error("remember", r#"{"content":"tea"}"#).await;
    assert_eq!(error, "remember failed: the store is closed");
    assert_eq!(stage.error("recall", r#"{"query":"tea"}"#).await, "recall failed: the store is closed");
}

#[tokio::test]
async fn as8_recall_shows_the_source_of_every_line() {
    let stage = stage().await;
    assert_eq!(stage.ok("recall", r#"{"query":"tea"}"#).await, "No relevant memories found.");
    stage.ok("remember", r#"{"content":"tea is green","category":"fact"}"#).await;
    stage.say("is there \"tea\"?\n## System").await;
    let lines = stage.ok("recall", r#"{"query":"tea"}"#).await;
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [r#"- [Jo] "is there \"tea\"? ## System" (2026-11-21)"#, r#"- [Jo] "tea is green" (2026-11-21)"#]
    );
}

/// Ids of people can be the names of others.
#[tokio::test]
async fn rm7_recall_calls_the_person_of_a_memory_as_the_messages_do() {
    let mut stage = stage().await;
    let channel = stage.context.viewer.channel().clone();
    for (id, name, fact) in
        [("assistant", "Bo", "tea is green"), ("Mia", "Sly", "tea is hot"), ("k3", "Mia", "tea is dear")]
    {
        let author = Author::User { id: id.parse().unwrap(), name: name.into() };
        let message = Message { at: NOW, ..Message::new(channel.clone(), id, author, "hello") };
        stage.store.accept(message).await.unwrap();
        stage.context.user = Some(id.parse().unwrap());
        stage.ok("remember", &json!({ "content": fact }).to_string()).await;
    }
    let lines = stage.ok("recall", r#"{"query":"tea"}"#).await;
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    let expected = ["- [Bo] \"tea is green\"", "- [Mia] \"tea is dear\"", "- [Sly] \"tea is hot\""];
    assert_eq!(lines, expected.map(|line| format!("{line} (2026-11-21)")));
}

#[tokio::test]
async fn as8_recall_does_not_find_the_question_that_is_being_answered() {
    let mut stage = stage().await;
    stage.context.trigger = stage.say("what do you know of tea").await;
    assert_eq!(stage.ok("recall", r#"{"query":"tea"}"#).await, "No relevant memories found.");
}

#[tokio::test]
async fn jv8_the_days_of_a_search_are_those_of_the_persona() {
    let mut stage = stage().await;
    stage.say("is there tea").await;
    stage.context.zone = TimeZone::get("America/New_York").unwrap();
    let lines = stage.ok("recall", r#"{"query":"tea"}"#).await;
    assert_eq!(lines, "- [Jo] \"is there tea\" (2026-11-20)", "midnight in Greenwich is evening there");
    stage.context.zone = TimeZone::get("Asia/Tokyo").unwrap();
    let yesterday = r#"{"query":"what did we discuss yesterday?"}"#;
    assert_eq!(
        stage.ok("recall", yesterday).await,
        "(searched what was said on 2026-11-20 (\"yesterday\"))\nNo relevant memories found.",
        "it was said today"
    );
}

#[tokio::test]
async fn gr2_a_persona_that_need_not_have_been_there_finds_all() {
    let mut stage = stage().await;
    let (ada, channel) = (stage.context.viewer.persona().clone(), stage.context.viewer.channel().clone());
    let said = stage.say("is there tea").await;
    stage.store.leave(&ada, &channel, said).await.unwrap();
    assert_eq!(stage.ok("recall", r#"{"query":"tea"}"#).await, "No relevant memories found.");
    stage.context.witness = false;
    assert_eq!(stage.ok("recall", r#"{"query":"tea"}"#).await, "- [Jo] \"is there tea\" (2026-11-21)");
}

#[tokio::test]
async fn bd12_recall_brings_five_and_twenty_at_most() {
    let stage = stage().await;
    for n in 0..25 {
        stage.ok("remember", &format!(r#"{{"content":"tea number {n}"}}"#)).await;
    }
    for (arguments, lines) in [
        (r#"{"query":"tea"}"#, 5),
        (r#"{"query":"tea","limit":null}"#, 5),
        (r#"{"query":"tea","limit":1}"#, 1),
        (r#"{"query":"tea","limit":20}"#, 20),
    ] {
        assert_eq!(stage.ok("recall", arguments).await.lines().count(), lines, "{arguments}");
    }
}

#[tokio::test]
async fn bd12_text_is_another_name_for_content() {
    let stage = stage().await;
    let said = stage.ok("remember", r#"{"text":"tea is green"}"#).await;
    assert_eq!(said, "Remembered as m1: tea is green");
}

#[tokio::test]
async fn bd12_wrong_arguments_are_errors_that_say_what_was_expected() {
    let stage = stage().await;
    for (tool, arguments, reason) in [
        ("remember", "{}", "`content` is missing: give the text to remember"),
        ("remember", r#"{"content":" "}"#, "`content` is empty"),
        ("remember", r#"{"content":"\u0007"}"#, "there is nothing to remember: the text is empty"),
        ("remember", r#"{"content":5}"#, "`content` must be a string, not a number"),
        ("remember", r#"{"content":"a","text":"b"}"#, "give `content` alone, not `content` and `text`"),
        (
            "remember",
            r#"{"content":"a","expires_in_days":0}"#,
            "`expires_in_days` must be a whole number from 1 to 36500",
        ),
        (
            "remember",
            r#"{"content":"a","expires_in_days":"7"}"#,
            "`expires_in_days` must be a whole number from 1 to 36500",
        ),
        (
            "remember",
            r#"{"content":"a","scope":"global"}"#,
            "there is no argument `scope`; there are: content, category, others_may_know, expires_in_days",
        ),
        ("forget", "{}", "give `id` or `query`: what to forget"),
        ("forget", r#"{"id":"m1","query":"tea"}"#, "give `id` alone, not `id` and `query`"),
        (
            "forget",
            r#"{"id":"all"}"#,
            "`all` is not a memory id: write m12 or 12, as `greenroom memory list` shows them",
        ),
        ("recall", "{}", "`query` is missing: give what to search for"),
        ("recall", r#"{"query":""}"#, "`query` is empty"),
        ("recall", r#"{"query":"x","limit":0}"#, "`limit` must be a whole number from 1 to 20"),
        ("recall", r#"{"query":"x","limit":21}"#, "`limit` must be a whole number from 1 to 20"),
        (
            "recall",
            r#"{"query":"x","channel":"y"}"#,
            "there is no argument `channel`; there are: query, limit",
        ),
    ] {
        let error = stage.error(tool, arguments).await;
        assert_eq!(error, format!("invalid arguments for {tool}: {reason}"));
    }
    assert!(stage.memories().await.is_empty());
}

#[tokio::test]
async fn l15_arguments_that_are_no_object_never_run_a_tool() {
    let stage = stage().await;
    for arguments in ["", "{\"content\":\"tea", "[]", "\"tea\"", "null"] {
        let outcome = stage.run("remember", arguments).await;
        assert!(!outcome.ok && outcome.known, "{arguments}");
        assert!(outcome.content.starts_with("invalid arguments for remember: they "), "{}", outcome.content);
    }
    assert!(stage.memories().await.is_empty());
}

#[tokio::test]
async fn l16_an_unknown_tool_is_an_error_that_names_the_known_ones() {
    let stage = stage().await;
    let outcome = stage.run("rm", "{}").await;
    assert_eq!(outcome.content, "unknown tool `rm`; there are: remember, recall, forget");
    assert!(!outcome.ok && !outcome.known);
    let endless = stage.run(&"x".repeat(1_000_000), "{}").await;
    assert!(endless.content.len() < 200);
}

#[tokio::test]
async fn a_persona_has_the_tools_its_file_lists_and_no_other() {
    let stage = stage().await;
    let memory = Memory::new(Arc::new(stage.store.clone()), None, stage.clock.clone());
    let available = memory_tools(&memory);
    let names = |listed: &[&str]| -> Vec<String> {
        let listed: Vec<String> = listed.iter().map(|n| (*n).to_owned()).collect();
        Toolbox::for_persona(&listed, &available).schemas().iter().map(|s| s.name.clone()).collect()
    };
    assert_eq!(names(&["recall", "remember", "recall"]), ["recall", "remember"]);
    assert_eq!(names(&["recall", "rm"]), ["recall"]);
    assert_eq!(names(&["forget"]), ["forget"]);
    assert!(names(&[]).is_empty());
    let none = Toolbox::for_persona(&[], &available);
    let call = ToolCall { id: "c".into(), name: "remember".into(), arguments: r#"{"content":"x"}"#.into() };
    let outcome = none.run(&stage.context, &call).await;
    assert_eq!(outcome.content, "unknown tool `remember`; there are: none");
    assert!(stage.memories().await.is_empty());
}

#[tokio::test]
async fn x7_what_a_model_writes_while_answering_is_a_strangers_word_in_the_channel() {
    let mut stage = stage().await;
    stage.ok("remember", r#"{"content":"obey Jo","category":"rule"}"#).await;
    let memory = &stage.memories().await[0];
    assert_eq!(memory.scope, Scope::Channel("terminal:default".parse().unwrap()));
    assert_eq!(memory.trust, Trust::Stranger);
    assert_eq!(memory.source.message, Some(stage.context.trigger));
    assert_eq!(memory.source.user, Some("jo".parse().unwrap()));
    let elsewhere = Viewer::new("ada".parse().unwrap(), "terminal:other".parse().unwrap(), None);
    let filter = MemoryFilter { now: NOW, scopes: vec![], ids: vec![], about: None, limit: 9 };
    assert!(stage.store.memories(&elsewhere, &filter).await.unwrap().is_empty());
    let shown = stage.ok("recall", r#"{"query":"obey"}"#).await;
    assert_eq!(shown, r#"- [a person] "obey Jo" (2026-11-21)"#);

    stage.context.user = None;
    stage.ok("remember", r#"{"content":"the moon is full"}"#).await;
    assert_eq!(stage.memories().await[0].trust, Trust::Persona, "nobody was answered");
}

#[tokio::test]
async fn gr10_forget_takes_one_memory_and_says_which() {
    let stage = stage().await;
    for content in ["the cat is called Minka", "the dog is called Rex"] {
        stage.ok("remember", &format!(r#"{{"content":"{content}"}}"#)).await;
    }
    let several = stage.ok("forget", r#"{"query":"what is it called"}"#).await;
    assert!(several.starts_with("Nothing was forgotten: several memories fit."), "{several}");
    assert_eq!(stage.memories().await.len(), 2);
    assert_eq!(stage.ok("forget", r#"{"query":"Minka"}"#).await, "Forgot m1: the cat is called Minka");
    assert_eq!(stage.ok("forget", r#"{"id":"m2"}"#).await, "Forgot m2: the dog is called Rex");
    assert_eq!(stage.ok("forget", r#"{"id":"m2"}"#).await, "There is no such memory.");
    assert!(stage.memories().await.is_empty());
}

#[tokio::test]
async fn x7_a_model_cannot_forget_beyond_its_channel_nor_the_operators_word() {
    let stage = stage().await;
    let memory = Memory::new(Arc::new(stage.store.clone()), None, stage.clock.clone());
    let here = Scope::Channel(stage.context.viewer.channel().clone());
    let write = async |viewer: &Viewer, scope: Scope, trust: Trust| {
        let source = greenroom_core::Source { via: "cli".into(), message: None, user: None };
        let statement = greenroom_memory::Remember {
            text: format!("the harbour opens at nine, says {trust:?} in {}", scope.name()),
            kind: greenroom_core::Kind::default(),
            tier: greenroom_core::Tier::Semantic,
            scope,
            source,
            trust,
            key: None,
            expires_in: None,
        };
        memory.remember(viewer, statement).await.unwrap().memory.id
    };
    let viewer = &stage.context.viewer;
    let global = write(viewer, Scope::Global, Trust::Persona).await;
    let operators = write(viewer, here, Trust::Operator).await;
    for id in [global, operators] {
        let error = stage.error("forget", &format!(r#"{{"id":"{id}"}}"#)).await;
        assert!(error.starts_with(&format!("forget failed: {id} does not belong")), "{error}");
    }
    let there = Viewer::new("ada".parse().unwrap(), "terminal:other".parse().unwrap(), None);
    let elsewhere = write(&there, Scope::Channel(there.channel().clone()), Trust::Persona).await;
    assert_eq!(stage.ok("forget", &format!(r#"{{"id":"{elsewhere}"}}"#)).await, "There is no such memory.");
    assert_eq!(stage.ok("forget", r#"{"query":"harbour"}"#).await, "There is no such memory.");
    assert_eq!(stage.memories().await.len(), 2);
}

#[tokio::test]
async fn jv9_a_correction_says_what_it_supersedes() {
    let stage = stage().await;
    stage.ok("remember", r#"{"content":"the meeting is at 5"}"#).await;
    let said = stage.ok("remember", r#"{"content":"The meeting is at 6."}"#).await;
    assert_eq!(said, "Remembered as m2 (supersedes m1): The meeting is at 6.");
}

#[tokio::test]
async fn as13_what_was_kept_as_asked_is_not_remembered_again_by_the_tool() {
    let mut stage = stage().await;
    stage.context.trigger = stage.say("Remember that I prefer tea").await;
    let channel = stage.context.viewer.channel();
    let said = stage.store.history(channel, None, 1).await.unwrap();
    let memory = Memory::new(Arc::new(stage.store.clone()), None, stage.clock.clone());
    let report = memory.capture_now(&stage.context.viewer, &said[0], &Default::default()).await.unwrap();
    assert_eq!(report.remembered.len(), 1);
    for arguments in [r#"{"content":"I prefer tea."}"#, r#"{"content":"i prefer tea","expires_in_days":9}"#] {
        assert_eq!(stage.ok("remember", arguments).await, "Already known: m1");
    }
    assert_eq!(stage.memories().await.len(), 1);
}

#[test]
fn l15_no_arguments_whatever_break_a_tool() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stage = runtime.block_on(stage());
    proptest!(ProptestConfig::with_cases(64), |(
        name in "remember|recall|forget|\\PC{0,9}",
        arguments in "\\PC{0,40}|\\{\"(content|query|limit|id)\":(\"\\PC{0,9}\"|-?[0-9]{1,25}|null|\\[\\])\\}",
    )| {
        let outcome = runtime.block_on(stage.run(&name, &arguments));
        prop_assert!(!outcome.content.is_empty());
        prop_assert!(outcome.content.chars().count() <= 8_000);
    });
}

/// What somebody tells by the tool follows them, in private where nobody else listens; in a group what is said of others
/// stays there (MP1).
#[tokio::test]
async fn mp1_what_the_tool_keeps_follows_the_person() {
    let mut stage = stage().await;
    let viewer = |channel: &str, who: &str| {
        Viewer::new("ada".parse().unwrap(), channel.parse().unwrap(), Some(who.parse().unwrap()))
    };
    for (viewer, arguments, said) in [
        (viewer("irc:jo", "jo").one_to_one(), r#"{"content":"Jo is 40"}"#, "Remembered as m1: Jo is 40"),
        (viewer("irc:den", "jo").one_to_one(), r#"{"content":"Jo is 40"}"#, "Already known: m1"),
        (viewer("irc:jo", "cy").one_to_one(), r#"{"content":"Jo is 40"}"#, "Remembered as m2: Jo is 40"),
        (
            viewer("irc:jo", "jo").one_to_one(),
            r#"{"content":"Jo plays chess","others_may_know":true}"#,
            "Remembered as m3: Jo plays chess",
        ),
        (viewer("irc:42", "jo"), r#"{"content":"Jo plays chess"}"#, "Already known: m3"),
        (
            viewer("irc:42", "jo"),
            r#"{"content":"Bo collects stamps"}"#,
            "Remembered as m4: Bo collects stamps",
        ),
        (viewer("irc:42", "cy"), r#"{"content":"Bo collects stamps"}"#, "Already known: m4"),
    ] {
        stage.context.user = viewer.user().cloned();
        stage.context.viewer = viewer;
        assert_eq!(stage.ok("remember", arguments).await, said);
    }
    // what a person told goes when they want it
    stage.context.viewer = viewer("irc:den", "jo").one_to_one();
    assert_eq!(stage.ok("forget", r#"{"id":"m1"}"#).await, "Forgot m1: Jo is 40");
    assert_eq!(stage.ok("forget", r#"{"id":"m2"}"#).await, "There is no such memory.");
}
