//! The embedded store: SQLite in WAL mode behind one grouping writer.
//!
//! Writes go to one writer and are on the disk when they are answered (`synchronous = FULL`); reads
//! run beside it on a small pool and see everything that was answered before. Another process may
//! write the same file at the same time: each sees what the other committed at once, and waits a
//! bounded time for its lock (S4). Vectors, full text and relations follow their rows by triggers
//! and foreign keys, so that forgetting a row forgets all of it.

mod error;
mod health;
mod memories;
mod messages;
mod open;
mod scope;
mod search;
mod turns;
mod values;
mod vectors;
mod writer;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use greenroom_core::{
    ChannelKey, Memory, MemoryId, Message, MessageId, PersonaName, Relation, Timestamp, TurnId, Viewer,
};
use greenroom_store::{
    Accepted, Changes, Entry, Erase, Erased, Exported, Forgotten, Health, HistorySummary, Hit, Imported,
    Item, ItemId, MemoryFilter, NewMemory, NewMessage, NewTurn, NewVector, OutboxEntry, Place, Presence,
    Result, Search, Session, Store, StoreError, Turn, TurnCommit, TurnEnd, Unembedded, Unfinished,
    VectorSpace,
};
use sqlx::{Sqlite, SqlitePool, pool::PoolConnection};

use crate::{error::Fault, writer::Writer};

#[doc(hidden)]
pub use crate::open::Options;

/// A store in one file. Clones share it.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    path: PathBuf,
    writer: Writer,
    readers: SqlitePool,
}

impl SqliteStore {
    /// Opens the store at `path`, a file; makes it and its directory when they are not there, and
    /// brings an older one to the present version.
    ///
    /// # Errors
    /// Every [`StoreError`] of opening names the file and what to do: no permission, a directory in
    /// the way, another program's or a damaged file, a newer Greenroom's, a lock that is not freed.
    pub async fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, &Options::default()).await
    }

    /// Opens the store with conditions that tests need.
    #[doc(hidden)]
    pub async fn open_with(path: &Path, options: &Options) -> Result<Self> {
        let connection = open::writer(path, options).await?;
        Ok(Self {
            path: path.to_owned(),
            writer: Writer::start(connection, path),
            readers: open::readers(path, options),
        })
    }

    /// Transactions committed by this value so far; fewer than writes, since concurrent ones share.
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    /// Changes how far the file may grow, as freeing space on a disk does.
    #[doc(hidden)]
    pub async fn limit_pages(&self, pages: u32) -> Result<()> {
        self.writer
            .write(pages, |conn, pages| Box::pin(async { Ok(open::set_max_pages(conn, *pages).await?) }))
            .await
    }

    async fn reader(&self) -> Result<PoolConnection<Sqlite>> {
        self.readers.acquire().await.map_err(|error| error::translate(&error, &self.path))
    }

    /// Blanks what receipts show of a memory that is gone, a few in a transaction, so that other
    /// writers get in between.
    async fn blank(&self, id: MemoryId) -> Result<()> {
        while self.writer.write(id, |conn, id| Box::pin(memories::blank(conn, *id))).await? {}
        Ok(())
    }

    /// What was read, or the error as callers see it.
    fn told<T>(&self, read: std::result::Result<T, Fault>) -> Result<T> {
        read.map_err(|fault| fault.into_store_error(&self.path))
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn accept(&self, message: NewMessage) -> Result<Accepted> {
        self.writer.write(message, |conn, message| Box::pin(messages::accept(conn, message))).await
    }

    async fn plan_turns(&self, message: MessageId, turns: Vec<NewTurn>) -> Result<()> {
        self.writer
            .write((message, turns), |conn, (message, turns)| Box::pin(turns::plan(conn, *message, turns)))
            .await
    }

    async fn begin_turn(&self, turn: TurnId, at: Timestamp) -> Result<()> {
        self.writer.write((turn, at), |conn, (turn, at)| Box::pin(turns::begin(conn, *turn, *at))).await
    }

    async fn commit_turn(&self, turn: TurnId, commit: TurnCommit) -> Result<MessageId> {
        self.writer
            .write((turn, commit), |conn, (turn, commit)| Box::pin(turns::commit(conn, *turn, commit)))
            .await
    }

    async fn end_turn(&self, turn: TurnId, end: TurnEnd) -> Result<()> {
        self.writer.write((turn, end), |conn, (turn, end)| Box::pin(turns::end(conn, *turn, end))).await
    }

    async fn unfinished(&self, channel: Option<&ChannelKey>) -> Result<Vec<Unfinished>> {
        self.told(turns::unfinished(&mut *self.reader().await?, channel).await)
    }

    async fn close_unfinished(&self, channel: &ChannelKey, at: Timestamp) -> Result<Vec<Unfinished>> {
        let closing = (channel.clone(), at);
        self.writer
            .write(closing, |conn, (channel, at)| Box::pin(turns::close_unfinished(conn, channel, *at)))
            .await
    }

    async fn turn(&self, turn: TurnId) -> Result<Option<Turn>> {
        self.told(turns::turn(&mut *self.reader().await?, turn).await)
    }

    async fn tokens_used(&self, persona: &PersonaName, since: Timestamp, now: Timestamp) -> Result<u64> {
        self.told(turns::tokens_used(&mut *self.reader().await?, persona, since, now).await)
    }

    async fn history(
        &self,
        channel: &ChannelKey,
        after: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>> {
        self.told(messages::history(&mut *self.reader().await?, channel, after, limit).await)
    }

    async fn context_start(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Option<MessageId>> {
        self.told(messages::context_start(&mut *self.reader().await?, persona, channel).await)
    }

    async fn reset_context(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: MessageId,
    ) -> Result<()> {
        let reset = (persona.clone(), channel.clone(), after);
        self.writer
            .write(reset, |conn, (persona, channel, after)| {
                Box::pin(messages::reset_context(conn, persona, channel, *after))
            })
            .await
    }

    async fn sessions(&self, channel: &ChannelKey) -> Result<Vec<Session>> {
        self.told(messages::sessions(&mut *self.reader().await?, channel).await)
    }

    async fn outbox(&self, channel: &ChannelKey) -> Result<Vec<OutboxEntry>> {
        self.told(turns::outbox(&mut *self.reader().await?, channel).await)
    }

    async fn delivered(&self, entry: i64, at: Timestamp) -> Result<()> {
        self.writer
            .write((entry, at), |conn, (entry, at)| Box::pin(turns::delivered(conn, *entry, *at)))
            .await
    }

    async fn remember(&self, memory: NewMemory) -> Result<Memory> {
        self.writer.write(memory, |conn, memory| Box::pin(memories::remember(conn, memory))).await
    }

    async fn memories(&self, viewer: &Viewer, filter: &MemoryFilter) -> Result<Vec<Memory>> {
        self.told(memories::memories(&mut *self.reader().await?, viewer, filter).await)
    }

    async fn forget(&self, viewer: &Viewer, id: MemoryId) -> Result<Option<Forgotten>> {
        let forgotten = self
            .writer
            .write((viewer.clone(), id), |conn, (viewer, id)| Box::pin(memories::forget(conn, viewer, *id)))
            .await?;
        if forgotten.is_some() {
            self.blank(id).await?;
        }
        Ok(forgotten)
    }

    async fn relate(&self, viewer: &Viewer, relation: Relation) -> Result<()> {
        let edge = (viewer.clone(), relation);
        self.writer
            .write(edge, |conn, (viewer, relation)| Box::pin(memories::relate(conn, viewer, *relation)))
            .await
    }

    async fn relations(&self, viewer: &Viewer, ids: &[MemoryId]) -> Result<Vec<Relation>> {
        self.told(memories::relations(&mut *self.reader().await?, viewer, ids).await)
    }

    async fn sweep(&self, now: Timestamp) -> Result<u64> {
        let swept = self.writer.write(now, |conn, now| Box::pin(memories::sweep(conn, *now))).await?;
        let gone = self.told(memories::gone_but_shown(&mut *self.reader().await?).await)?;
        for id in gone {
            self.blank(id).await?;
        }
        Ok(swept)
    }

    async fn nearest(
        &self,
        viewer: &Viewer,
        space: &VectorSpace,
        vector: &[f32],
        search: &Search,
    ) -> Result<Vec<Hit>> {
        self.told(vectors::nearest(&mut *self.reader().await?, viewer, space, vector, search).await)
    }

    async fn full_text(&self, viewer: &Viewer, query: &str, search: &Search) -> Result<Vec<Hit>> {
        self.told(search::full_text(&mut *self.reader().await?, viewer, query, search).await)
    }

    async fn unembedded(
        &self,
        space: &VectorSpace,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        self.told(vectors::unembedded(&mut *self.reader().await?, space, after, limit).await)
    }

    async fn pass_over(&self, space: &VectorSpace, items: Vec<(ItemId, u32)>) -> Result<()> {
        self.writer
            .write((space.clone(), items), |conn, (space, items)| {
                Box::pin(vectors::pass_over(conn, space, items))
            })
            .await
    }

    async fn put_vectors(&self, space: &VectorSpace, vectors: Vec<NewVector>) -> Result<()> {
        let checked = (space.clone(), vectors::checked(space, vectors)?);
        self.writer
            .write(checked, |conn, (space, vectors)| Box::pin(vectors::put(conn, space, vectors)))
            .await
    }

    async fn journal_end(&self) -> Result<i64> {
        unbuilt()
    }

    async fn changes(&self, _: Option<&VectorSpace>, _: i64, _: usize) -> Result<Changes> {
        unbuilt()
    }

    async fn load(
        &self,
        _: &Place,
        _: Option<&VectorSpace>,
        _: Option<ItemId>,
        _: usize,
        _: Timestamp,
    ) -> Result<Vec<Entry>> {
        unbuilt()
    }

    async fn items(&self, _: &Viewer, _: &[ItemId], _: Timestamp, _: bool) -> Result<Vec<Item>> {
        unbuilt()
    }

    async fn participants(&self, _: &ChannelKey) -> Result<Vec<String>> {
        unbuilt()
    }

    async fn enter(&self, _: &PersonaName, _: &ChannelKey, _: MessageId) -> Result<()> {
        unbuilt()
    }

    async fn leave(&self, _: &PersonaName, _: &ChannelKey, _: MessageId) -> Result<()> {
        unbuilt()
    }

    async fn presence(&self, _: &PersonaName, _: &ChannelKey) -> Result<Vec<Presence>> {
        unbuilt()
    }

    async fn summary(&self, _: &PersonaName, _: &ChannelKey) -> Result<Option<HistorySummary>> {
        Ok(None)
    }

    async fn put_summary(&self, _: &PersonaName, _: &ChannelKey, _: HistorySummary) -> Result<()> {
        unbuilt()
    }

    async fn would_erase(&self, _: &Erase) -> Result<Erased> {
        unbuilt()
    }

    async fn erase(&self, _: &Erase) -> Result<Erased> {
        unbuilt()
    }

    async fn export(&self, _: Option<&PersonaName>, _: Option<MemoryId>, _: usize) -> Result<Vec<Exported>> {
        unbuilt()
    }

    async fn import(&self, _: Vec<Exported>) -> Result<Imported> {
        unbuilt()
    }

    async fn health(&self) -> Result<Health> {
        let health = self.told(health::read(&mut *self.reader().await?, &self.path).await)?;
        let writable = match self.writer.write((), |conn, ()| Box::pin(health::probe(conn))).await {
            Ok(()) => true,
            Err(StoreError::Busy { .. } | StoreError::Full | StoreError::ReadOnly { .. }) => false,
            Err(error) => return Err(error),
        };
        Ok(Health { writable, ..health })
    }

    async fn close(&self) {
        // the readers first: one that still read would keep the log from being emptied
        self.readers.close().await;
        self.writer.close().await;
    }
}

fn unbuilt<T>() -> Result<T> {
    Err(StoreError::State("this store cannot do that yet".into()))
}
