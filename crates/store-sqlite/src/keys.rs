//! Access keys for programs and people (X1, X2).

use async_trait::async_trait;
use greenroom_core::Timestamp;
use greenroom_store::{AccessKey, KeyStore, NewKey, Result};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore,
    error::Fault,
    values::{column, from_word, parsed, word},
};

#[async_trait]
impl KeyStore for SqliteStore {
    async fn add_key(&self, key: NewKey) -> Result<AccessKey> {
        self.write(key, |conn, key| Box::pin(add(conn, key))).await
    }

    async fn keys(&self) -> Result<Vec<AccessKey>> {
        self.with_store_error(keys(&mut *self.reader().await?).await)
    }

    async fn revoke_key(&self, id: i64, at: Timestamp) -> Result<Option<AccessKey>> {
        self.write((id, at), |conn, (id, at)| Box::pin(revoke(conn, *id, *at))).await
    }
}

/// The columns of a key, in the order [`key`] reads them.
macro_rules! key_columns {
    () => {
        "id, label, role, user_id, hash, created_at, revoked_at"
    };
}

fn key(row: &SqliteRow) -> Result<AccessKey, Fault> {
    let hash: &[u8] = column(row, 4)?;
    Ok(AccessKey {
        id: column(row, 0)?,
        label: column(row, 1)?,
        role: from_word(column(row, 2)?)?,
        user: parsed(column(row, 3)?)?,
        hash: hash.try_into().map_err(Fault::unreadable)?,
        created_at: Timestamp(column(row, 5)?),
        revoked_at: column::<Option<i64>>(row, 6)?.map(Timestamp),
    })
}

/// See [`greenroom_store::KeyStore::add_key`].
async fn add(conn: &mut SqliteConnection, new: &NewKey) -> Result<AccessKey, Fault> {
    let added = sqlx::query(concat!(
        "INSERT INTO access_keys (label, role, user_id, hash, created_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING RETURNING ",
        key_columns!()
    ))
    .bind(new.label.as_str())
    .bind(word(&new.role)?)
    .bind(new.user.as_str())
    .bind(new.hash.as_slice())
    .bind(new.at.0)
    .fetch_optional(conn)
    .await?;
    added
        .as_ref()
        .map_or_else(|| Err(Fault::invalid("there is such a key already; make another".into())), key)
}

/// See [`greenroom_store::KeyStore::keys`].
async fn keys(conn: &mut SqliteConnection) -> Result<Vec<AccessKey>, Fault> {
    let rows = sqlx::query(concat!("SELECT ", key_columns!(), " FROM access_keys ORDER BY id"));
    rows.fetch_all(conn).await?.iter().map(key).collect()
}

/// See [`greenroom_store::KeyStore::revoke_key`].
async fn revoke(conn: &mut SqliteConnection, id: i64, at: Timestamp) -> Result<Option<AccessKey>, Fault> {
    let revoked = sqlx::query(concat!(
        "UPDATE access_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING ",
        key_columns!()
    ))
    .bind(at.0)
    .bind(id)
    .fetch_optional(conn)
    .await?;
    revoked.as_ref().map(key).transpose()
}
