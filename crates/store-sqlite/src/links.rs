//! Links between accounts of one person on several platforms (MP1).

use async_trait::async_trait;
use greenroom_core::UserRef;
use greenroom_store::{LinkStore, Result};
use sqlx::SqliteConnection;

use crate::{SqliteStore, error::Fault, values::parsed};

#[async_trait]
impl LinkStore for SqliteStore {
    async fn link(&self, one: &UserRef, other: &UserRef) -> Result<()> {
        self.write((one.clone(), other.clone()), |conn, (one, other)| Box::pin(link(conn, one, other))).await
    }

    async fn unlink(&self, account: &UserRef) -> Result<bool> {
        self.write(account.clone(), |conn, account| Box::pin(unlink(conn, account))).await
    }

    async fn linked(&self, account: &UserRef) -> Result<Vec<UserRef>> {
        self.with_store_error(linked(&mut *self.reader().await?, account).await)
    }
}

async fn person_of(conn: &mut SqliteConnection, account: &UserRef) -> Result<Option<i64>, Fault> {
    let person = sqlx::query_scalar("SELECT person FROM links WHERE account = ?").bind(account.as_str());
    Ok(person.fetch_optional(conn).await?)
}

async fn link(conn: &mut SqliteConnection, one: &UserRef, other: &UserRef) -> Result<(), Fault> {
    if one == other {
        return Ok(());
    }
    let (person, joined) = (person_of(conn, one).await?, person_of(conn, other).await?);
    let person = match person.or(joined) {
        Some(person) => person,
        None => {
            sqlx::query_scalar("SELECT coalesce(max(person), 0) + 1 FROM links").fetch_one(&mut *conn).await?
        }
    };
    if let Some(joined) = joined {
        let join = sqlx::query("UPDATE links SET person = ? WHERE person = ?").bind(person).bind(joined);
        join.execute(&mut *conn).await?;
    }
    for account in [one, other] {
        sqlx::query(
            "INSERT INTO links (account, person) VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET person = excluded.person",
        )
        .bind(account.as_str())
        .bind(person)
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

async fn unlink(conn: &mut SqliteConnection, account: &UserRef) -> Result<bool, Fault> {
    let Some(person) = person_of(conn, account).await? else { return Ok(false) };
    sqlx::query("DELETE FROM links WHERE account = ?").bind(account.as_str()).execute(&mut *conn).await?;
    // a single remaining account is linked with no other
    sqlx::query("DELETE FROM links WHERE person = ?1 AND (SELECT count(*) FROM links WHERE person = ?1) = 1")
        .bind(person)
        .execute(conn)
        .await?;
    Ok(true)
}

/// See [`LinkStore::linked`].
pub(crate) async fn linked(conn: &mut SqliteConnection, account: &UserRef) -> Result<Vec<UserRef>, Fault> {
    let others: Vec<String> = sqlx::query_scalar(
        "SELECT o.account FROM links s JOIN links o ON o.person = s.person
         WHERE s.account = ?1 AND o.account <> ?1 ORDER BY o.account",
    )
    .bind(account.as_str())
    .fetch_all(conn)
    .await?;
    others.iter().map(|account| parsed(account)).collect()
}
