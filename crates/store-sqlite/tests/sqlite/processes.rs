//! Two processes with one file, and a process that is killed.

use std::{
    env,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use futures::future::join_all;
use greenroom_core::{Entropy, MessageId, SystemEntropy, Trust, TurnId, Usage};
use greenroom_store::{
    AskedPast, Changes, Erase, HistorySummary, ItemId, MemoryEdit, NewTurn, Quotes, Sources, StoreError,
    TurnCommit, TurnState, prelude::*,
};
use greenroom_store_sqlite::SqliteStore;

use crate::given::*;

#[tokio::test(flavor = "multi_thread")]
async fn s4_two_processes_write_the_same_file() {
    let (one, directory) = fresh().await;
    let two = SqliteStore::open(&directory.path().join("greenroom.db")).await.unwrap();
    let writes = (0..100).map(|n| {
        let store = if n % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(async move { store.accept(said(&format!("e{n}"), "hello")).await.unwrap().message.id })
    });
    let mut ids: Vec<MessageId> = join_all(writes).await.into_iter().map(Result::unwrap).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 100, "no id was given twice");
    assert_eq!(events(&one).await.len(), 100);
    assert_eq!(events(&one).await, events(&two).await);

    // the other process sees acknowledged writes at once
    let memory = one.remember(statement("Bo likes tea")).await.unwrap();
    assert_eq!(two.memories(&ada(), &all()).await.unwrap(), std::slice::from_ref(&memory));
    two.forget(&ada(), memory.id).await.unwrap().unwrap();
    assert_eq!(one.memories(&ada(), &all()).await.unwrap(), []);
    assert!(two.accept(said("e0", "hello")).await.unwrap().duplicate);
}

/// Asks for Ada's past with Bo in this channel.
fn asked() -> AskedPast {
    AskedPast {
        persona: ada().persona().clone(),
        channel: here(),
        user: Some("bo".parse().unwrap()),
        heard: false,
        summarised: true,
        other_chats: true,
        limit: 300,
        now: NOW,
    }
}

/// The next read of another process sees everything that one process wrote, changed or erased: no read uses a copy that
/// only the reader's own writes update.
#[tokio::test]
async fn s4_gr10_what_another_process_did_is_in_the_next_read() {
    let (one, directory) = fresh().await;
    let two = SqliteStore::open(&directory.path().join("greenroom.db")).await.unwrap();
    let texts = async || -> Vec<String> {
        let past = one.past(&asked()).await.unwrap();
        past.messages.iter().map(|message| message.text.clone()).collect()
    };
    let first = one.accept(said("e1", "first")).await.unwrap().message;
    assert_eq!(texts().await, ["first"]);

    let second = two.accept(said("e2", "second")).await.unwrap().message;
    two.enter(ada().persona(), &here(), first.id).await.unwrap();
    assert_eq!(texts().await, ["first", "second"]);
    assert_eq!(one.past(&asked()).await.unwrap().presence.len(), 1);

    let summary = HistorySummary { until: first.id, text: "a first word".into(), at: NOW };
    two.put_summary(ada().persona(), &here(), summary.clone(), Sources::default()).await.unwrap();
    assert_eq!(texts().await, ["second"]);
    assert_eq!(one.past(&asked()).await.unwrap().summary, Some(summary));

    let memory = two.remember(statement("Bo likes tea")).await.unwrap();
    let item = [ItemId::Memory(memory.id)];
    let shown = async || one.items(&ada(), &item, NOW, true).await.unwrap().items;
    assert_eq!(shown().await.len(), 1);
    let (end, erased) = (one.journal_end().await.unwrap(), one.erased_since(0).await.unwrap().end);
    let text = Some("Bo likes coffee".into());
    let edit =
        MemoryEdit { text, kind: None, expires_at: None, private: None, trust: Trust::Operator, at: NOW };
    let edited = two.edit(&ada(), memory.id, edit).await.unwrap().unwrap();
    assert_eq!(one.memories(&ada(), &all()).await.unwrap(), [edited]);
    let Changes::Rows { rows, .. } = one.changes(None, end, &|_| true, 9).await.unwrap() else {
        panic!("the journal is lost")
    };
    assert_eq!(rows.iter().map(|row| row.item).collect::<Vec<_>>(), item);
    assert!(one.erased_since(erased).await.unwrap().end > erased, "a correction erases what was said before");

    two.erase(&Erase::Channel(here()), Quotes::Go).await.unwrap();
    two.forget(&ada(), memory.id).await.unwrap().unwrap();
    let past = one.past(&asked()).await.unwrap();
    assert!(past.messages.is_empty() && past.summary.is_none() && past.session.is_none(), "{past:?}");
    assert_eq!(shown().await, []);
    let sources = Sources { erased, items: [ItemId::Message(second.id)].into(), summary_of: None };
    assert!(matches!(one.unerased(&sources).await, Err(StoreError::Erased(_))));
}

/// Beside concurrent readers and writers, the next past contains all acknowledged messages, without gaps.
#[tokio::test(flavor = "multi_thread")]
async fn s4_what_was_acknowledged_is_in_the_next_past() {
    let (store, _directory) = fresh().await;
    let (writing, written) = tokio::sync::watch::channel(());
    let readers = (0..3).map(|_| {
        let (store, written) = (store.clone(), written.clone());
        tokio::spawn(async move {
            while written.has_changed().is_ok() {
                let past = store.past(&asked()).await.unwrap();
                let ids: Vec<_> = past.messages.iter().map(|message| message.id.0).collect();
                assert!(ids.iter().zip(1..).all(|(id, n)| *id == n), "{ids:?}");
                store.record_side_usage(ada().persona(), NOW, Usage::default()).await.unwrap();
            }
        })
    });
    let readers: Vec<_> = readers.collect();
    for n in 0..200 {
        let message = store.accept(said(&format!("e{n}"), "hello")).await.unwrap().message;
        let past = store.past(&asked()).await.unwrap();
        assert_eq!(past.messages.last().map(|newest| newest.id), Some(message.id));
    }
    drop(writing);
    for reader in readers {
        reader.await.unwrap();
    }
}

const VICTIM: &str = "GREENROOM_TEST_VICTIM";

/// Answers messages on the store at `path` as fast as possible, and prints a line after each acknowledgement, until it
/// is killed.
async fn answer_forever(path: &Path) {
    let store = SqliteStore::open(path).await.unwrap();
    join_all((0..4).map(|_| converse(&store))).await;
}

async fn converse(store: &SqliteStore) {
    loop {
        let event = SystemEntropy.uuid().to_string();
        let message = store.accept(said(&event, "hello")).await.unwrap().message;
        println!("\naccepted {}", message.id.0);
        let turn = NewTurn {
            id: TurnId(SystemEntropy.uuid()),
            persona: "ada".parse().unwrap(),
            at: NOW,
            begins: false,
        };
        let id = turn.id;
        store.plan_turns(message.id, vec![turn].into()).await.unwrap();
        store.begin_turn(id, NOW).await.unwrap();
        let commit = TurnCommit {
            text: "hi".into(),
            at: NOW,
            usage: Usage::default(),
            receipt: None,
            vector: None,
            sources: Default::default(),
            unhandled: false,
        };
        store.commit_turn(id, commit).await.unwrap();
        println!("\nanswered {id}");
    }
}

#[tokio::test]
async fn s1_what_was_acknowledged_survives_a_kill() {
    if let Some(path) = env::var_os(VICTIM) {
        return answer_forever(Path::new(&path)).await;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("greenroom.db");
    for round in 1..4 {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "processes::s1_what_was_acknowledged_survives_a_kill", "--nocapture"])
            .env(VICTIM, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (mut accepted, mut answered) = (Vec::new(), Vec::new());
        let mut line = String::new();
        while output.read_line(&mut line).unwrap() > 0 {
            // the kill cut off a line without an end: it acknowledges nothing
            let whole = line.strip_suffix('\n').unwrap_or_default();
            if let Some(id) = whole.strip_prefix("accepted ") {
                accepted.push(MessageId(id.parse().unwrap()));
            } else if let Some(id) = whole.strip_prefix("answered ") {
                answered.push(id.parse::<TurnId>().unwrap());
                if answered.len() == round * 37 {
                    child.kill().unwrap(); // SIGKILL; what it had said by then is still read
                }
            }
            line.clear();
        }
        child.wait().unwrap();
        assert!(answered.len() >= round * 37);

        let store = SqliteStore::open(&path).await.unwrap();
        let stored: Vec<_> = store.history(&here(), None, usize::MAX).await.unwrap();
        for id in &accepted {
            assert!(stored.iter().any(|message| message.id == *id), "{id:?} was acknowledged");
        }
        for id in &answered {
            assert_eq!(store.turn(*id).await.unwrap().unwrap().state, TurnState::Done);
        }
        // the interrupted work is found, and none of it has a reply
        let found = store.close_unfinished(&here(), NOW).await.unwrap();
        assert!(found.len() <= 4 * 2, "{found:?}");
        for unfinished in &found {
            if let Some((turn, _)) = unfinished.turn {
                assert_eq!(store.turn(turn).await.unwrap().unwrap().reply, None);
            }
        }
        assert_eq!(store.unfinished(None).await.unwrap(), []);
        store.close().await;
    }
}
