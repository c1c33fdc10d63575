//! What can stand in the way of a store, and what is said about it.

use std::path::Path;

use futures::future::join_all;
use greenroom_core::{Entropy, MemoryId, SystemEntropy, TurnId};
use greenroom_store::{Erase, ItemId, ItemKind, Quotes, Search, Store, StoreError};
use greenroom_store_sqlite::{Options, SqliteStore};
use sqlx::{ConnectOptions, Connection, SqliteConnection, migrate::Migrator, sqlite::SqliteConnectOptions};

use crate::{forgetting::receipt, given::*};

const FOUNDATIONS: &str = include_str!("../../../../migrations/sqlite/0001_foundations.sql");

async fn raw(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).create_if_missing(true).connect().await.unwrap()
}

/// The reason and the remedy of a store that does not open.
async fn refusal(path: &Path) -> (String, String) {
    match SqliteStore::open(path).await {
        Err(StoreError::Open { path: named, reason, remedy }) => {
            assert_eq!(named, path.display().to_string());
            (reason, remedy)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_store_is_made_with_its_directories() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a b/ü/greenroom.db");
    let store = SqliteStore::open(&path).await.unwrap();
    store.accept(said("e1", "hello")).await.unwrap();
    store.close().await;
    assert!(path.is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_start_at_once_make_one_store() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("greenroom.db");
    let stores = join_all((0..6).map(|_| SqliteStore::open(&path))).await;
    for (n, store) in stores.iter().enumerate() {
        store.as_ref().unwrap().accept(said(&format!("e{n}"), "hello")).await.unwrap();
    }
    assert_eq!(events(stores[0].as_ref().unwrap()).await.len(), 6);
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_named() {
    let (store, directory) = fresh().await;
    store.close().await;
    let path = directory.path().join("greenroom.db");
    // opened as SQLite opens a file without write permission, which would not stop root
    let protected = Options { read_only: true, ..Options::default() };
    let refused = SqliteStore::open_with(&path, &protected).await;
    let Err(StoreError::ReadOnly { path: named }) = refused else { panic!("{refused:?}") };
    assert_eq!(named, path.display().to_string());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_directory_that_cannot_be_made_is_named() {
    // nobody makes directories here, not even root
    let path = Path::new("/sys/greenroom/greenroom.db");
    let refused = SqliteStore::open(path).await;
    assert!(matches!(refused, Err(StoreError::ReadOnly { .. })), "{refused:?}");
    assert!(refused.unwrap_err().to_string().contains("/sys/greenroom/greenroom.db"));
}

#[tokio::test]
async fn something_in_the_way_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "not a directory").unwrap();
    let (reason, remedy) = refusal(&file.join("greenroom.db")).await;
    assert!(reason.contains("cannot be made"), "{reason}");
    assert!(remedy.contains("--data"), "{remedy}");
    let (reason, _) = refusal(directory.path()).await;
    assert_eq!(reason, "it is a directory");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("greenroom.db");
    let letter = "Dear Ada, ".repeat(500);
    std::fs::write(&path, &letter).unwrap();
    let refused = SqliteStore::open(&path).await;
    assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), letter);
}

#[tokio::test]
async fn another_programs_database_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("photos.db");
    let mut other = raw(&path).await;
    sqlx::query("CREATE TABLE photos (id INTEGER)").execute(&mut other).await.unwrap();
    let (reason, _) = refusal(&path).await;
    assert!(reason.contains("another program"), "{reason}");
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema").fetch_one(&mut other).await.unwrap();
    assert_eq!(tables, 1);
}

#[tokio::test]
async fn a_newer_greenrooms_store_is_left_alone() {
    let (store, directory) = fresh().await;
    store.close().await;
    let path = directory.path().join("greenroom.db");
    let mut newer = raw(&path).await;
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'of tomorrow', TRUE, x'00', 0)",
    )
    .execute(&mut newer)
    .await
    .unwrap();
    newer.close().await.unwrap();
    let (reason, remedy) = refusal(&path).await;
    assert!(reason.contains("a newer greenroom wrote it"), "{reason}");
    assert!(remedy.contains("update greenroom"), "{remedy}");
}

/// The migrations are one transaction: wherever it breaks off, nothing of it is there.
#[tokio::test]
async fn s6_a_store_opens_after_a_migration_broke_off() {
    let statements: Vec<&str> = FOUNDATIONS.split("\n\n").collect();
    assert!(statements.len() > 10);
    for done in 0..=statements.len() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("greenroom.db");
        let mut broken = raw(&path).await;
        sqlx::raw_sql("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE").execute(&mut broken).await.unwrap();
        for statement in &statements[..done] {
            let statement = sqlx::AssertSqlSafe(*statement);
            sqlx::raw_sql(statement).execute(&mut broken).await.unwrap();
        }
        broken.close().await.unwrap();

        let store = SqliteStore::open(&path).await.unwrap();
        store.accept(said("e1", "hello")).await.unwrap();
        store.close().await;
    }
}

/// Its texts are found by their words, and forgotten. Its receipts, which showed items, are not carried over.
#[tokio::test]
async fn gr10_a_store_of_an_older_version_forgets_as_before() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("greenroom.db");
    let mut older = raw(&path).await;
    let mut migrations =
        Migrator::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/sqlite")).await.unwrap();
    migrations.migrations.to_mut().retain(|migration| migration.version < 5);
    migrations.run(&mut older).await.unwrap();
    let shown = [1, 2, 3].map(|id| ItemId::Memory(MemoryId(id)));
    let turn = TurnId(SystemEntropy.uuid());
    sqlx::query(
        "INSERT INTO channels (id, key, provider, chat_id) VALUES (1, 'terminal:default', 'terminal', 'default');
         INSERT INTO messages VALUES (1, 1, 'e1', 'user', 'bo', 'Bo', 'tea with milk', 0, NULL, 0);
         INSERT INTO turns (id, persona, channel_id, trigger_id, state, planned_at, ended_at, receipt)
             VALUES (?1, 'ada', 1, 1, 'done', 0, 0, ?2);
         INSERT INTO shown SELECT 'memory', value, ?1 FROM json_each('[1,2,3]')",
    )
    .bind(turn.to_string())
    .bind(serde_json::to_string(&receipt(&shown)).unwrap())
    .execute(&mut older)
    .await
    .unwrap();
    older.close().await.unwrap();

    let store = SqliteStore::open(&path).await.unwrap();
    let search = Search { witnessed: false, ..Search::new(ItemKind::Message, 5, NOW) };
    assert_eq!(store.full_text(&ada(), "milk", &search).await.unwrap().len(), 1);
    let first = store.remember(statement("tea")).await.unwrap();
    assert_eq!(ItemId::Memory(first.id), shown[0]);
    assert_eq!(store.turn(turn).await.unwrap().unwrap().receipt, None);
    store.forget(&ada(), first.id).await.unwrap().unwrap();
    store.sweep(NOW).await.unwrap();
    store.erase(&Erase::Channel(here()), Quotes::Stay).await.unwrap();
    assert!(store.full_text(&ada(), "milk", &search).await.unwrap().is_empty());
}
