//! A copy of a store while processes use it.

use std::{fs, io, path::Path};

use greenroom_store::{Result, StoreError};
use sqlx::{ConnectOptions, Connection};

use crate::{
    error::translate,
    open::{Options, check_owner, connect_options},
};

/// Writes all that is committed in the store at `path` to the new file `copy`, also what is only in the log so far.
///
/// # Errors
/// [`StoreError::Open`] if there is no store, or if `copy` exists or cannot be made; an error of reading or writing.
pub async fn backup(path: &Path, copy: &Path) -> Result<()> {
    let mut connection = connect_options(path, &Options::default())
        .connect()
        .await
        .map_err(|error| translate(&error, path))?;
    check_owner(&mut connection, path).await?;
    make(copy)?;
    let written =
        sqlx::query("VACUUM INTO ?").bind(copy.to_string_lossy().into_owned()).execute(&mut connection).await;
    if let Err(error) = written {
        // without it, another try would be refused because the file exists
        let _ = fs::remove_file(copy);
        return Err(translate(&error, copy));
    }
    connection.close().await.map_err(|error| translate(&error, path))
}

/// Makes the empty file of a copy, readable by its owner only.
fn make(copy: &Path) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(copy).map(|_| ()).map_err(|error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full,
        _ => StoreError::Open {
            path: copy.display().to_string(),
            reason: error.to_string(),
            remedy: "name a new file in a directory that you may write to".into(),
        },
    })
}
