//! Opens the file: the settings of its connections, its migrations, and the possible errors.

use std::{io, path::Path, sync::LazyLock, time::Duration};

use greenroom_core::real_time;
use greenroom_store::{Result, StoreError};
use sqlx::{
    ConnectOptions, Connection, SqlSafeStr, SqliteConnection,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

use crate::error::{is_busy, translate};

/// How long a write waits for another process's write before it fails (S4).
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// `PRAGMA application_id` of our files: "GRNR".
const APPLICATION_ID: i64 = 0x4752_4e52;

/// The migrations in order. Until the first release a change of the data model edits 0001, and stores of earlier builds
/// are refused; afterwards it is a new file with the next number. `sqlx::migrate!` would do the same, but compile SQLite
/// a second time for its macro.
static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    let migration = |version, description: &'static str, sql: &'static str| {
        Migration::new(version, description.into(), MigrationType::Simple, sql.into_sql_str(), false)
    };
    Migrator::with_migrations(vec![migration(
        1,
        "data model",
        include_str!("../../../migrations/sqlite/0001_data_model.sql"),
    )])
});

/// Pages of the log at which it is copied into the file: 16 MB. A page that is written again and again, like the
/// newest page of a table, is copied once for all its versions.
const CHECKPOINT: &str = "4000";

/// Rows and statement results that SQLite's thread may send ahead of the reader.
const ROWS: usize = 1_024;

/// The writer's page cache, in kibibytes as SQLite writes it (negative): the newest pages of every table and index
/// are written again and again.
const CACHE: &str = "-16384";

/// Options for opening a store; for tests.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The file may not grow beyond this many pages: a full disk for tests (S3).
    pub max_pages: Option<u32>,
    /// Opens the file as if it were not writable.
    pub read_only: bool,
    /// How long a write waits for another process's write.
    pub busy_timeout: Option<Duration>,
    /// A commit does not wait for the disk: for tests in which no machine loses power. A busy disk makes them wait for
    /// seconds otherwise.
    pub unsynced: bool,
}

impl Options {
    /// The options of a test that writes much.
    pub fn unsynced() -> Self {
        Self { unsynced: true, ..Self::default() }
    }
}

/// When an open store is written to first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstWrite {
    /// At once: a program that will write learns at its start that it cannot.
    AtOnce,
    /// When the caller writes, unless the store has to be brought to the present version.
    OnRequest,
}

/// Opens the writer's connection and brings the store to the present version.
pub(crate) async fn writer(path: &Path, options: &Options, write: FirstWrite) -> Result<SqliteConnection> {
    make_directory(path)?;
    refuse_foreign_file(path, options).await?;
    if !options.read_only {
        make_private_file(path);
    }
    let connect = connect_options(path, options)
        .create_if_missing(!options.read_only)
        .read_only(options.read_only)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(if options.unsynced { SqliteSynchronous::Off } else { SqliteSynchronous::Full })
        .pragma("wal_autocheckpoint", CHECKPOINT)
        .pragma("cache_size", CACHE)
        // the statement journal stays in memory; otherwise parts of it go through a file
        .pragma("temp_store", "MEMORY")
        .pragma("secure_delete", "ON");
    let mut connection = match connect_patiently(&connect).await {
        Ok(connection) => connection,
        Err(error) => return Err(explain(path, &error)),
    };
    check_owner(&mut connection, path).await?;
    if write == FirstWrite::AtOnce || !is_current(&mut connection).await {
        migrate(&mut connection, path).await?;
    }
    if let Some(pages) = options.max_pages {
        set_max_pages(&mut connection, pages).await.map_err(|error| translate(&error, path))?;
    }
    Ok(connection)
}

/// Opens a store of the present version that cannot be written, and whose log cannot be made: on a read-only or full
/// disk. Returns `None` if the file has a log, because then it is incomplete, or in use by another process.
pub(crate) async fn unwritable(path: &Path, options: &Options) -> Option<SqliteConnection> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(log).is_ok_and(|log| log.len() > 0) {
        return None;
    }
    let mut connection = fixed(connect_options(path, options)).connect().await.ok()?;
    is_current(&mut connection).await.then_some(connection)
}

/// The options of a connection to a file that nobody changes.
pub(crate) fn fixed(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options.read_only(true).immutable(true)
}

/// The options of a reader's connection. It cannot write, and in WAL mode it never waits for the writer.
pub(crate) fn reader(path: &Path, options: &Options) -> SqliteConnectOptions {
    connect_options(path, options).pragma("query_only", "ON")
}

/// Limits the file's size, but never below its present size.
pub(crate) async fn set_max_pages(
    connection: &mut SqliteConnection,
    pages: u32,
) -> std::result::Result<(), sqlx::Error> {
    let pragma = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
    sqlx::raw_sql(pragma).execute(connection).await.map(|_| ())
}

pub(crate) fn connect_options(path: &Path, options: &Options) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(options.busy_timeout.unwrap_or(BUSY_TIMEOUT))
        .row_buffer_size(ROWS)
        .disable_statement_logging()
}

fn make_directory(path: &Path) -> Result<()> {
    let Some(directory) = path.parent().filter(|d| !d.as_os_str().is_empty()) else { return Ok(()) };
    std::fs::create_dir_all(directory).map_err(|error| match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            StoreError::ReadOnly { path: path.display().to_string() }
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full,
        _ => StoreError::Open {
            path: path.display().to_string(),
            reason: format!("the directory {} cannot be made: {error}", directory.display()),
            remedy: "choose another data directory with --data or GREENROOM_DATA".into(),
        },
    })
}

/// Makes a new file readable by its owner only, in any directory; SQLite gives its `-wal` and `-shm` the same mode.
/// A symbolic link is followed, as SQLite follows it. An existing file is left as it is. If the file cannot be created,
/// SQLite reports why.
fn make_private_file(path: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

/// Connects with retries. Switching a new file to WAL ignores the busy timeout, so two processes that start at once
/// would fail without this.
async fn connect_patiently(
    options: &SqliteConnectOptions,
) -> std::result::Result<SqliteConnection, sqlx::Error> {
    let begun = real_time().instant();
    loop {
        match options.connect().await {
            Err(error) if is_busy(&error) && real_time().elapsed(begun) < BUSY_TIMEOUT => {
                real_time().sleep(Duration::from_millis(20)).await;
            }
            result => return result,
        }
    }
}

/// Like [`translate`], but explains errors for which SQLite only says that the file cannot be opened.
fn explain(path: &Path, error: &sqlx::Error) -> StoreError {
    match translate(error, path) {
        StoreError::Open { path: at, .. } if path.is_dir() => StoreError::Open {
            path: at,
            reason: "it is a directory".into(),
            remedy: "name a file, or choose another data directory with --data".into(),
        },
        other => other,
    }
}

/// Refuses another program's database before the writer's connection would set its journal mode. A file that bears our
/// number, or is new, is not opened for that.
async fn refuse_foreign_file(path: &Path, options: &Options) -> Result<()> {
    /// Where SQLite's file format has the application id.
    const APPLICATION_ID_AT: std::ops::Range<usize> = 68..72;
    let mut header = [0; APPLICATION_ID_AT.end];
    let read = std::fs::File::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut header));
    let is_ours = header[APPLICATION_ID_AT] == (APPLICATION_ID as u32).to_be_bytes();
    if read.is_err() || is_ours {
        return Ok(());
    }
    // what cannot be opened is explained by the writer's connection
    let Ok(mut connection) = connect_options(path, options).read_only(true).connect().await else {
        return Ok(());
    };
    let checked = check_owner(&mut connection, path).await;
    connection.close().await.map_err(|error| translate(&error, path))?;
    match checked {
        Err(error @ StoreError::Open { .. }) => Err(error),
        _ => Ok(()),
    }
}

/// Refuses another program's database instead of adding our tables to it.
pub(crate) async fn check_owner(connection: &mut SqliteConnection, path: &Path) -> Result<()> {
    let (application, tables): (i64, i64) = sqlx::query_as(
        "SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id",
    )
    .fetch_one(connection)
    .await
    .map_err(|error| translate(&error, path))?;
    if application == APPLICATION_ID || (application == 0 && tables == 0) {
        return Ok(());
    }
    Err(StoreError::Open {
        path: path.display().to_string(),
        reason: "it is the database of another program".into(),
        remedy: "choose another data directory with --data or GREENROOM_DATA".into(),
    })
}

/// Applies the missing migrations in one transaction: a process that dies meanwhile leaves the old version (S6), and
/// two that start at once run them one after the other.
async fn migrate(connection: &mut SqliteConnection, path: &Path) -> Result<()> {
    let failed = |error: &sqlx::Error| translate(error, path);
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(|e| failed(&e))?;
    if let Err(error) = MIGRATIONS.run(&mut *transaction).await {
        let early = is_of_an_early_model(&mut transaction).await.map_err(|e| failed(&e))?;
        // until the first release 0001 is edited, so a different text of 0001 comes from an earlier build
        let early = early || matches!(error, MigrateError::VersionMismatch(_));
        let (reason, remedy) = match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                return Err(failed(&error));
            }
            MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_) if early => (
                "a greenroom from before the first release wrote it, with another data model".to_owned(),
                "write its memories to a file with the greenroom that made it (`greenroom memory export --out \
                 memories.jsonl`), choose another data directory with --data, and read them there \
                 (`greenroom memory import memories.jsonl`)",
            ),
            MigrateError::VersionMissing(version) => (
                format!("a newer greenroom wrote it (its version {version} is unknown to this one)"),
                "update greenroom, or choose another data directory with --data",
            ),
            other => (
                other.to_string(),
                "use the greenroom that made it, or choose another data directory with --data",
            ),
        };
        return Err(StoreError::Open { path: path.display().to_string(), reason, remedy: remedy.into() });
    }
    // SQLite opens an unwritable file read-only and fails at the first write, which is this one
    sqlx::query("DELETE FROM write_probe").execute(&mut *transaction).await.map_err(|e| failed(&e))?;
    transaction.commit().await.map_err(|e| failed(&e))
}

/// Whether the store has the present version. Anything else is left to [`migrate`].
async fn is_current(connection: &mut SqliteConnection) -> bool {
    let applied: std::result::Result<Vec<(i64, Vec<u8>, bool)>, _> =
        sqlx::query_as("SELECT version, checksum, success FROM _sqlx_migrations ORDER BY version")
            .fetch_all(connection)
            .await;
    let present = MIGRATIONS.iter().map(|migration| (migration.version, migration.checksum.to_vec(), true));
    applied.is_ok_and(|applied| present.eq(applied))
}

/// Whether the file was made before the data model became one migration.
async fn is_of_an_early_model(connection: &mut SqliteConnection) -> std::result::Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM _sqlx_migrations WHERE version = 1 AND description = 'foundations')",
    )
    .fetch_one(connection)
    .await
}
