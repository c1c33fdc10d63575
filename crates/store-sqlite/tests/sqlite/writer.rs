//! The writer groups commits, isolates failures and completes accepted writes.

use futures::future::join_all;
use greenroom_core::{Entropy, SystemEntropy, Timestamp, TurnId, Usage};
use greenroom_store::{NewTurn, Plan, StoreError, TurnCommit, prelude::*};
use greenroom_store_sqlite::SqliteStore;

use crate::given::*;

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writes_share_commits() {
    let (store, _directory) = fresh().await;
    let before = store.commits();
    let accepts = (0..100).map(|n| {
        let store = store.clone();
        tokio::spawn(async move { store.accept(said(&format!("e{n}"), "hello")).await.unwrap() })
    });
    join_all(accepts).await;
    let commits = store.commits() - before;
    assert!((1..50).contains(&commits), "{commits} commits for 100 writes");
    assert_eq!(events(&store).await.len(), 100);
}

/// The drives in `docs/decisions.md` measure the memory.
#[tokio::test(flavor = "multi_thread")]
async fn gr9_a_store_lets_go_of_its_pages_among_reads_and_writes() {
    let (store, _directory) = fresh().await;
    let before = store.commits();
    store.release_memory().await;
    let work = (0..40).map(|n| {
        let store = store.clone();
        tokio::spawn(async move {
            store.accept(said(&format!("e{n}"), "hello")).await.unwrap();
            store.release_memory().await;
            assert!(!events(&store).await.is_empty());
        })
    });
    for done in join_all(work).await {
        done.unwrap();
    }
    assert!(store.commits() - before <= 40, "a release commits nothing");
    assert_eq!(events(&store).await.len(), 40);
}

#[tokio::test]
async fn a_write_that_fails_in_a_group_is_undone_alone() {
    let (store, _directory) = fresh().await;
    let message = store.accept(said("before", "hello")).await.unwrap().message;
    let before = store.commits();
    let accept = |n: usize| {
        let store = store.clone();
        async move { store.accept(said(&format!("e{n}"), "hello")).await.map(|_| ()) }
    };
    let turn = || NewTurn {
        id: TurnId(SystemEntropy.uuid()),
        persona: "ada".parse().unwrap(),
        at: NOW,
        begins: false,
    };
    let fail = async {
        // the second turn is refused after the first was written and the message was marked as handled
        let twice = store.plan_turns(message.id, vec![turn(), turn()].into()).await;
        assert!(matches!(twice, Err(StoreError::AlreadyAnswered { .. })), "{twice:?}");
    };
    let (first, (), second) = tokio::join!(join_all((0..5).map(accept)), fail, join_all((5..10).map(accept)));
    assert!(first.iter().chain(&second).all(Result::is_ok));
    assert_eq!(store.commits() - before, 1, "they were one group");
    assert_eq!(events(&store).await.len(), 11);
    let open = store.unfinished(None).await.unwrap();
    assert_eq!(open.len(), 11);
    assert!(open.iter().all(|unfinished| unfinished.turn.is_none()), "{open:?}");
}

/// The same for replies that are written in one call: of eight replies, the one to an unknown turn fails.
#[tokio::test]
async fn a_reply_that_fails_among_others_is_undone_alone() {
    let (store, _directory) = fresh().await;
    let turn = || TurnId(SystemEntropy.uuid());
    let planned = |n: usize| {
        let turn = NewTurn { id: turn(), persona: "ada".parse().unwrap(), at: NOW, begins: true };
        let (store, id) = (store.clone(), turn.id);
        async move {
            store
                .accept_planned(
                    said(&format!("e{n}"), "hello"),
                    Plan { turns: vec![turn], ..Plan::default() },
                )
                .await
                .unwrap();
            id
        }
    };
    let mut turns = join_all((0..7).map(planned)).await;
    turns.insert(4, turn());
    let before = store.commits();
    let commits = turns.iter().map(|id| {
        let (text, usage) = (format!("to {id}"), Usage::default());
        store.commit_turn(
            *id,
            TurnCommit {
                text,
                at: NOW,
                usage,
                receipt: None,
                vector: None,
                sources: Default::default(),
                unhandled: false,
            },
        )
    });
    let committed = join_all(commits).await;
    assert_eq!(store.commits() - before, 1, "they were one group");
    for (n, (id, reply)) in turns.iter().zip(&committed).enumerate() {
        match reply {
            Ok(reply) => {
                let reply = store.message(*reply).await.unwrap().unwrap();
                assert_eq!((reply.turn_id, reply.text), (Some(*id), format!("to {id}")));
            }
            Err(error) => assert!(n == 4 && matches!(error, StoreError::Erased(_)), "{n}: {error}"),
        }
    }
    assert_eq!(committed.iter().filter(|reply| reply.is_ok()).count(), 7);
    assert_eq!(events(&store).await.len(), 14);
    assert!(store.unfinished(None).await.unwrap().is_empty());
}

#[tokio::test]
async fn closing_finishes_outstanding_writes_and_refuses_later_ones() {
    let (store, directory) = fresh().await;
    let accept = |n: usize| {
        let store = store.clone();
        async move { store.accept(said(&format!("e{n}"), "hello")).await }
    };
    let (accepted, ()) = tokio::join!(join_all((0..20).map(accept)), store.close());
    assert!(accepted.iter().all(Result::is_ok));
    assert!(matches!(accept(99).await, Err(StoreError::Closed)));
    assert!(matches!(store.history(&here(), None, 1).await, Err(StoreError::Closed)));
    assert!(matches!(store.health().await, Err(StoreError::Closed)));
    store.close().await;

    let log = directory.path().join("greenroom.db-wal");
    assert!(!log.exists(), "the log was emptied into the file");
    let again = SqliteStore::open(&directory.path().join("greenroom.db")).await.unwrap();
    assert_eq!(events(&again).await.len(), 20);
}

#[tokio::test]
async fn as6_everything_survives_a_restart() {
    let (store, directory) = fresh().await;
    let message = store.accept(said("e1", "hello")).await.unwrap().message;
    let memory = store.remember(statement("Bo prefers concise responses")).await.unwrap();
    store.reset_context(ada().persona(), &here(), message.id).await.unwrap();
    store.close().await;

    let store = SqliteStore::open(&directory.path().join("greenroom.db")).await.unwrap();
    assert_eq!(store.history(&here(), None, 10).await.unwrap(), std::slice::from_ref(&message));
    assert_eq!(store.memories(&ada(), &all()).await.unwrap(), [memory]);
    assert_eq!(store.context_start(ada().persona(), &here()).await.unwrap(), Some(message.id));
    assert_eq!(store.sessions(&here()).await.unwrap()[0].started_at, Timestamp(NOW.0));
    assert!(store.accept(said("e1", "hello")).await.unwrap().duplicate);
}

#[tokio::test]
async fn health_counts_and_writes() {
    let (store, directory) = fresh().await;
    store.accept(said("e1", "hello")).await.unwrap();
    store.remember(statement("Bo likes tea")).await.unwrap();
    let health = store.health().await.unwrap();
    assert!(health.writable);
    assert_eq!((health.messages, health.memories, health.vectors.len()), (1, 1, 0));
    assert!(health.engine.starts_with("SQLite 3."));
    assert_eq!(health.location, directory.path().join("greenroom.db").display().to_string());
}
