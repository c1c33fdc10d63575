//! A full disk, a lock held by another process, a damaged file.

use std::{
    io::{Seek, SeekFrom, Write},
    time::Duration,
};

use futures::future::join_all;
use greenroom_core::{Entropy, Message, SystemEntropy, TurnId};
use greenroom_store::{NewTurn, StoreError, prelude::*};
use greenroom_store_sqlite::{Options, SqliteStore};
use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};

use crate::given::*;

#[tokio::test]
async fn s3_a_full_disk_stops_writes_keeps_reads_and_recovers() {
    let (store, directory) = fresh().await;
    store.accept(said("before", "hello")).await.unwrap();
    store.close().await;
    let path = directory.path().join("greenroom.db");
    let full = Options { max_pages: Some(1), ..Options::default() };
    let store = SqliteStore::open_with(&path, &full).await.unwrap();

    let large = "x".repeat(100_000);
    let accept = |n: usize| {
        let (store, large) = (store.clone(), large.clone());
        async move { store.accept(said(&format!("e{n}"), &large)).await }
    };
    for refused in join_all((0..5).map(accept)).await {
        assert!(matches!(refused, Err(StoreError::Full)), "{refused:?}");
    }
    assert_eq!(events(&store).await, ["before"], "nothing that was refused is there");
    assert!(!store.health().await.unwrap().writable);

    store.limit_pages(1_000_000).await.unwrap();
    let accepted = accept(0).await.unwrap();
    assert!(!accepted.duplicate);
    assert_eq!(accepted.message.id.0, 2, "no id was used up");
    assert!(store.health().await.unwrap().writable);
    assert_eq!(events(&store).await, ["before", "e0"]);
}

/// A connection that holds the write lock, like a process in the middle of a write.
async fn lock(path: &std::path::Path) -> SqliteConnection {
    let mut connection = SqliteConnectOptions::new().filename(path).connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut connection).await.unwrap();
    connection
}

#[tokio::test]
async fn s4_a_held_lock_is_waited_for_and_no_longer_than_allowed() {
    let (store, directory) = fresh().await;
    store.accept(said("before", "hello")).await.unwrap();
    let path = directory.path().join("greenroom.db");
    let hasty = Options { busy_timeout: Some(Duration::from_millis(50)), ..Options::default() };
    let hasty = SqliteStore::open_with(&path, &hasty).await.unwrap();

    let holder = lock(&path).await;
    let refused = hasty.accept(said("e1", "hello")).await;
    assert!(matches!(refused, Err(StoreError::Busy { .. })), "{refused:?}");
    assert_eq!(events(&hasty).await, ["before"], "reads do not wait");
    assert!(!hasty.health().await.unwrap().writable);

    // the patient write is stored when the lock is released, whether it asks for the lock before or after that
    let (patient, freed) = tokio::join!(store.accept(said("e2", "hello")), holder.close());
    freed.unwrap();
    assert!(!patient.unwrap().duplicate);
    hasty.accept(said("e1", "hello")).await.unwrap();
    assert_eq!(events(&store).await, ["before", "e2", "e1"]);
}

#[tokio::test]
async fn s4_a_store_whose_lock_is_held_does_not_open() {
    let (store, directory) = fresh().await;
    let path = directory.path().join("greenroom.db");
    let holder = lock(&path).await;
    let hasty = Options { busy_timeout: Some(Duration::from_millis(50)), ..Options::default() };
    let refused = SqliteStore::open_with(&path, &hasty).await;
    assert!(matches!(refused, Err(StoreError::Busy { .. })), "{refused:?}");
    holder.close().await.unwrap();
    SqliteStore::open_with(&path, &hasty).await.unwrap();
    store.close().await;
}

#[tokio::test]
async fn a_damaged_file_is_named() {
    let (store, directory) = fresh().await;
    for n in 0..50 {
        store.accept(said(&format!("e{n}"), &"hello ".repeat(500))).await.unwrap();
    }
    store.close().await;
    let path = directory.path().join("greenroom.db");
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let length = file.metadata().unwrap().len();
    file.seek(SeekFrom::Start(4096)).unwrap();
    file.write_all(&vec![0xa5; usize::try_from(length).unwrap() - 4096]).unwrap();
    drop(file);

    let refused = match SqliteStore::open(&path).await {
        Ok(store) => store.history(&here(), None, 100).await.map(|_| ()),
        Err(error) => Err(error),
    };
    let Err(StoreError::Damaged { path: named, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(named, path.display().to_string());
}

/// An erasure by another process rewrites the file. SQLite notices that in the middle of the next statement.
#[tokio::test]
async fn s4_writes_go_on_when_another_process_has_written_the_file_anew() {
    let (store, directory) = fresh().await;
    store.close().await;
    let path = directory.path().join("greenroom.db");
    let mut other = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    for first in 0..3 {
        let store = SqliteStore::open(&path).await.unwrap();
        sqlx::query("VACUUM").execute(&mut other).await.unwrap();
        match first {
            0 => drop(store.remember(statement("tea")).await.unwrap()),
            1 => drop(store.accept(said("e1", "tea")).await.unwrap()),
            _ => assert_eq!(store.sweep(NOW).await.unwrap(), 0),
        }
        store.close().await;
    }
    other.close().await.unwrap();
}

/// Writes to a file that was moved away are not acknowledged; after it is moved back, writes continue (finding A9).
#[tokio::test]
async fn s3_a_file_that_is_moved_away_takes_no_more_writes_until_it_is_back() {
    let (store, directory) = fresh().await;
    store.accept(said("before", "hello")).await.unwrap();
    store.ready().await.unwrap();
    let path = directory.path().join("greenroom.db");
    let aside = directory.path().join("moved.db");
    std::fs::rename(&path, &aside).unwrap();
    for refused in [store.accept(said("e1", "hello")).await.err(), store.ready().await.err()] {
        let Some(StoreError::Gone { path: named }) = refused else { panic!("{refused:?}") };
        assert_eq!(named, path.display().to_string());
    }
    std::fs::write(&path, "another file").unwrap();
    assert!(matches!(store.accept(said("e2", "hello")).await, Err(StoreError::Gone { .. })));
    assert!(matches!(store.history(&here(), None, 1).await, Err(StoreError::Gone { .. })), "it is not read");

    std::fs::rename(&aside, &path).unwrap();
    store.ready().await.unwrap();
    store.accept(said("e3", "hello")).await.unwrap();
    assert_eq!(events(&store).await, ["before", "e3"], "what was refused is not there");
}

/// The same for the deleted file, for its log and for the index of the log. Without the index there are no locks
/// between processes: another process opens the log too, and both overwrite each other (finding A9).
#[tokio::test]
async fn s3_a_file_that_is_deleted_takes_no_more_writes() {
    for name in ["greenroom.db", "greenroom.db-wal", "greenroom.db-shm"] {
        let (store, directory) = fresh().await;
        store.accept(said("before", "hello")).await.unwrap();
        std::fs::remove_file(directory.path().join(name)).unwrap();
        assert!(matches!(store.accept(said("e1", "hello")).await, Err(StoreError::Gone { .. })), "{name}");
        assert!(matches!(store.ready().await, Err(StoreError::Gone { .. })), "{name}");
    }
}

/// A file that another program overwrote in place, as `cp` does, keeps its identity; only its content shows the damage.
/// After damage is found, no write is acknowledged and the store is not ready (finding A9).
#[tokio::test]
async fn s3_a_file_that_was_changed_in_place_takes_no_more_writes() {
    let (store, directory) = fresh().await;
    let message = store.accept(said("before", "hello")).await.unwrap().message;
    store.close().await;
    let path = directory.path().join("greenroom.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let length = std::fs::metadata(&path).unwrap().len() as usize;
    std::fs::write(&path, vec![7; length]).unwrap();
    let read = store.history(&message.channel, None, 9).await;
    assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
    assert!(matches!(store.ready().await, Err(StoreError::Damaged { .. })));
    let written = store.accept(said("after", "hello")).await;
    assert!(matches!(written, Err(StoreError::Damaged { .. })), "{written:?}");
}

/// The damaged page belongs to a table that nothing else reads.
#[tokio::test]
async fn s2_a_check_of_the_whole_file_finds_damage_that_no_read_has_met() {
    let (store, directory) = fresh().await;
    store.check_integrity().await.unwrap();
    store.close().await;
    let path = directory.path().join("greenroom.db");
    let mut raw = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let (page, size): (i64, i64) = sqlx::query_as(
        "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'dismissed_letters'",
    )
    .fetch_one(&mut raw)
    .await
    .unwrap();
    raw.close().await.unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(((page - 1) * size) as u64)).unwrap();
    file.write_all(&vec![7; size as usize]).unwrap();
    let store = SqliteStore::open(&path).await.unwrap();
    store.accept(said("e1", "hello")).await.unwrap();
    let found = store.check_integrity().await;
    assert!(matches!(found, Err(StoreError::Damaged { .. })), "{found:?}");
}

/// `ready` uses the result of the last write, and probes if that failed (finding A9).
#[tokio::test]
async fn s3_a_full_disk_is_not_ready_until_there_is_space() {
    let (store, directory) = fresh().await;
    store.close().await;
    let full = Options { max_pages: Some(1), ..Options::default() };
    let store = SqliteStore::open_with(&directory.path().join("greenroom.db"), &full).await.unwrap();
    let refused = store.accept(said("e1", &"x".repeat(100_000))).await;
    assert!(matches!(refused, Err(StoreError::Full)), "{refused:?}");
    let before = store.commits();
    for _ in 0..2 {
        assert!(matches!(store.ready().await, Err(StoreError::Full)));
    }
    store.limit_pages(1_000_000).await.unwrap();
    store.ready().await.unwrap();
    assert_eq!(store.commits() - before, 1, "the write that made space is proof enough");
}

/// A turn that was stored in another channel than its message is reported, and answers nothing (finding A1).
#[tokio::test]
async fn gr6_a_turn_of_another_channel_is_named_and_answers_nothing() {
    let (store, directory) = fresh().await;
    let message = store.accept(said("e1", "hello")).await.unwrap().message;
    let elsewhere = Message { channel: "terminal:other".parse().unwrap(), ..said("e1", "hello") };
    store.accept(elsewhere).await.unwrap();
    let turn =
        NewTurn { id: TurnId(SystemEntropy.uuid()), persona: "ada".parse().unwrap(), at: NOW, begins: true };
    let id = turn.id;
    store.plan_turns(message.id, vec![turn].into()).await.unwrap();
    assert_eq!(store.stray_turns().await.unwrap(), []);
    let path = directory.path().join("greenroom.db");
    let mut other = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    sqlx::query("UPDATE turns SET channel_id = (SELECT id FROM channels WHERE key = 'terminal:other')")
        .execute(&mut other)
        .await
        .unwrap();
    other.close().await.unwrap();
    assert_eq!(store.stray_turns().await.unwrap(), [(id, "terminal:other".parse().unwrap())]);
    assert!(store.answers(message.id).await.unwrap().is_empty());
}
