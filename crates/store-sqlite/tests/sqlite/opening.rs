//! Obstacles to opening a store, and their error messages.

use std::path::Path;

use futures::future::join_all;
use greenroom_store::{StoreError, prelude::*};
use greenroom_store_sqlite::{Options, SqliteStore};
use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};

use crate::given::*;

const DATA_MODEL: &str = include_str!("../../../../migrations/sqlite/0001_data_model.sql");

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
    // SQLite opens a file without write permission like this; a permission would not stop root
    let protected = Options { read_only: true, ..Options::default() };
    let refused = SqliteStore::open_with(&path, &protected).await;
    let Err(StoreError::ReadOnly { path: named }) = refused else { panic!("{refused:?}") };
    assert_eq!(named, path.display().to_string());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_directory_that_cannot_be_made_is_named() {
    // not even root can create directories here
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
    other.close().await.unwrap();
    let before = std::fs::read(&path).unwrap();
    let (reason, _) = refusal(&path).await;
    assert!(reason.contains("another program"), "{reason}");
    assert_eq!(std::fs::read(&path).unwrap(), before, "nor is its journal mode changed");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// SQLite follows a link to a file that is not there yet, and would create it readable by everybody.
#[cfg(unix)]
#[tokio::test]
async fn a_new_store_behind_a_symbolic_link_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let (link, file) = (directory.path().join("greenroom.db"), directory.path().join("real.db"));
    std::os::unix::fs::symlink(&file, &link).unwrap();
    SqliteStore::open(&link).await.unwrap().close().await;
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
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

/// The migrations are one transaction: after an interruption at any statement, no part of them is stored.
#[tokio::test]
async fn s6_a_store_opens_after_a_migration_broke_off() {
    let statements: Vec<&str> = DATA_MODEL.split("\n\n").collect();
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

/// The data model changed before the first release. Such a store is refused, with a remedy that keeps its memories. The
/// first case has the model in several files, the second another model in the same file.
#[tokio::test]
async fn a_store_of_before_the_first_release_is_left_alone() {
    for change in [
        "UPDATE _sqlx_migrations SET description = 'foundations', checksum = x'00';
         INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (2, 'aside', TRUE, x'00', 0)",
        "UPDATE _sqlx_migrations SET checksum = x'00'",
    ] {
        let (store, directory) = fresh().await;
        store.close().await;
        let path = directory.path().join("greenroom.db");
        let mut earlier = raw(&path).await;
        sqlx::raw_sql(change).execute(&mut earlier).await.unwrap();
        earlier.close().await.unwrap();
        let (reason, remedy) = refusal(&path).await;
        assert!(reason.contains("before the first release"), "{reason}");
        assert!(remedy.contains("memory export") && remedy.contains("memory import"), "{remedy}");
    }
}

/// As beside an import, or a VACUUM by hand.
#[tokio::test]
async fn s4_a_store_opens_to_be_read_while_another_process_writes_for_long() {
    let (store, directory) = fresh().await;
    let path = directory.path().join("greenroom.db");
    store.accept(said("e1", "hello")).await.unwrap();
    let mut other = raw(&path).await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let reading = SqliteStore::open_to_read(&path).await.unwrap();
    assert_eq!(events(&reading).await.len(), 1);
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    reading.accept(said("e2", "hello")).await.unwrap();
    assert_eq!(events(&store).await.len(), 2);
}

/// A directory in the place of the log's index stands for a disk on which it cannot be made.
#[tokio::test]
async fn s3_a_store_whose_log_cannot_be_made_opens_to_be_read_and_refuses_writes() {
    let (store, directory) = fresh().await;
    let path = directory.path().join("greenroom.db");
    store.accept(said("e1", "hello")).await.unwrap();
    store.close().await;
    std::fs::create_dir(directory.path().join("greenroom.db-shm")).unwrap();
    assert!(SqliteStore::open(&path).await.is_err());
    let reading = SqliteStore::open_to_read(&path).await.unwrap();
    assert_eq!(events(&reading).await.len(), 1);
    let refused = reading.accept(said("e2", "hello")).await;
    assert!(matches!(refused, Err(StoreError::ReadOnly { .. })), "{refused:?}");
    reading.close().await;
}

#[tokio::test]
async fn a_file_of_another_program_is_not_opened_to_be_read_either() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("greenroom.db");
    let mut foreign = raw(&path).await;
    sqlx::query("CREATE TABLE theirs (a)").execute(&mut foreign).await.unwrap();
    let refused = SqliteStore::open_to_read(&path).await;
    assert!(
        matches!(&refused, Err(StoreError::Open { reason, .. }) if reason.contains("another program")),
        "{refused:?}"
    );
}
