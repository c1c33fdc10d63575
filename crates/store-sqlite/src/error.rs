//! Translates SQLite's errors into store errors that tell a person what to do.

use std::path::Path;

use greenroom_store::StoreError;

use crate::open::BUSY_TIMEOUT;

/// Why work on a connection failed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The database returned an error.
    Database(sqlx::Error),
    /// The store refused the call.
    Refused(StoreError),
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl Fault {
    /// The error for a stored value that no version of Greenroom writes.
    pub(crate) fn unreadable(what: impl std::fmt::Display) -> Self {
        Self::Refused(StoreError::Other(format!("a stored value cannot be read: {what}")))
    }
    /// The error for a value that is not allowed, or that names something that does not exist.
    pub(crate) fn invalid(what: String) -> Self {
        Self::Refused(StoreError::Invalid(what))
    }
    /// The error as callers of the store at `path` see it.
    pub(crate) fn into_store_error(self, path: &Path) -> StoreError {
        match self {
            Self::Database(error) => translate(&error, path),
            Self::Refused(error) => error,
        }
    }
}

// Result codes, https://www.sqlite.org/rescode.html
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const READONLY: i32 = 8;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const CANTOPEN: i32 = 14;
const NOTADB: i32 = 26;
const IOERR_WRITE: i32 = 778; // for example a quota, or the limit of a file's size
const IOERR_SHMSIZE: i32 = 4874; // the disk was full when the shared memory file had to grow

/// The error as callers of the store at `path` see it.
pub(crate) fn translate(error: &sqlx::Error, path: &Path) -> StoreError {
    let at = || path.display().to_string();
    let database = match error {
        sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => return StoreError::Closed,
        sqlx::Error::PoolTimedOut => return StoreError::Busy { seconds: BUSY_TIMEOUT.as_secs() },
        sqlx::Error::Database(database) => database,
        other => return StoreError::Other(other.to_string()),
    };
    let code = code(error);
    match (code, code & 0xff) {
        (IOERR_SHMSIZE, _) | (_, FULL) => StoreError::Full,
        (_, BUSY | LOCKED) => StoreError::Busy { seconds: BUSY_TIMEOUT.as_secs() },
        (_, READONLY) => StoreError::ReadOnly { path: at() },
        (_, CORRUPT | NOTADB) => StoreError::Damaged { path: at(), reason: database.message().to_owned() },
        (_, CANTOPEN) => StoreError::Open {
            path: at(),
            reason: database.message().to_owned(),
            remedy: "check that the directory exists and that you may write to it".into(),
        },
        (IOERR_WRITE, _) => StoreError::Other(format!(
            "{database}; check the disk, its quota and the limit of a file's size (`ulimit -f`)"
        )),
        _ => StoreError::Other(database.to_string()),
    }
}

/// Whether another connection has the lock.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    matches!(code(error) & 0xff, BUSY | LOCKED)
}

/// SQLite's extended result code; 0 for errors that do not come from SQLite.
fn code(error: &sqlx::Error) -> i32 {
    error
        .as_database_error()
        .and_then(|database| database.code())
        .and_then(|code| code.parse().ok())
        .unwrap_or(0)
}
