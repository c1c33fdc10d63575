//! Greenroom's memory as a library, without an actor (AS14).

use std::sync::Arc;

use greenroom_core::{Entropy, SystemEntropy, TurnId, Usage};
use greenroom_persona::{MemorySettings, Render};
use greenroom_store::{Item, NewTurn, TurnCommit, prelude::*};
use jiff::tz::TimeZone;

use super::given::{NOW, ada, recall, settings, stage, told};
use crate::{Memory, render};

#[tokio::test]
async fn as14_context_is_got_turns_are_kept_and_knowledge_added_without_an_actor() {
    let stage = stage().await;
    let memory =
        Memory::new(Arc::new(stage.store.clone()), Some(stage.embedder.clone()), stage.clock.clone());

    // persist_turn
    let asked = stage.say("terminal:default", "the database is which one").await;
    let turn = TurnId(SystemEntropy.uuid());
    let planned = NewTurn { id: turn, persona: "ada".parse().unwrap(), at: NOW, begins: false };
    stage.store.plan_turns(asked, vec![planned].into()).await.unwrap();
    stage.store.begin_turn(turn, NOW).await.unwrap();
    let reply = TurnCommit {
        text: "the database is SQLite".into(),
        at: NOW,
        usage: Usage::default(),
        receipt: None,
        vector: None,
        sources: Default::default(),
        unhandled: false,
    };
    stage.store.commit_turn(turn, reply).await.unwrap();
    memory.index_pending().await.unwrap();

    // add_knowledge
    memory.remember(&ada(), told(&ada(), "the database file is greenroom.db")).await.unwrap();

    // get_context_for_message: knowledge and messages, separated
    let context = recall(&memory, &ada(), "the database", None, &settings()).await;
    let (knowledge, messages): (Vec<_>, Vec<_>) =
        context.items.iter().partition(|i| matches!(i.item, Item::Memory(_)));
    assert_eq!((knowledge.len(), messages.len()), (1, 2));
    let settings = MemorySettings { render: Render::Relevant, ..settings() };
    let block = render(&context, &settings, &TimeZone::UTC);
    let lines: Vec<String> = block.entries.into_iter().map(|e| e.line).collect();
    assert_eq!(lines[0], "- [fact] the database file is greenroom.db");
    assert!(
        lines[1..].contains(&"- [message] ada, 2026-11-21: \"the database is SQLite\"".to_owned()),
        "{lines:?}"
    );

    // search
    let hits = memory.search(&ada(), "SQLite", 5).await.unwrap().hits;
    assert_eq!(hits[0].item.text(), "the database is SQLite");
}
