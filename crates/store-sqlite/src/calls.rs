//! The calls of [`Store`]: each is sent to the writer or to a reader, and answered by its module.

use std::time::Instant;

use async_trait::async_trait;
use greenroom_core::{
    Author, ChannelKey, Memory, MemoryId, Message, MessageId, PersonaName, Relation, Scope, Timestamp,
    TurnId, Usage, UserId, Viewer,
};
use greenroom_store::{
    Accepted, AccessKey, AskedPast, CaptureStore, Changes, ChannelEntry, ContextStore, DeadLetter, Entry,
    Erase, EraseStore, Erased, ErasedSince, Exported, Forgotten, Health, HealthStore, HistoryStore,
    HistorySummary, Imported, InboxStore, ItemId, JournalStore, KeyStore, MemoryEdit, MemoryFilter,
    MemoryStore, NewKey, NewMemory, NewVector, Newest, NewsWaiting, OutboxEntry, OutboxStore, Past, Place,
    Plan, Postponed, Presence, PresenceStore, Quote, Quotes, Result, Session, Sources, StoreError,
    TransferStore, Turn, TurnCommit, TurnEnd, TurnStore, Unembedded, Unfinished, VectorSpace, VectorStore,
    Whole, rules,
};

use crate::{
    SqliteStore, access, dead_letters, erase, erasures, from_memory, health,
    inbox::{self, Receiving},
    journal, memories, messages, plans, postponed, presence, receipts,
    replies::{self, Committing},
    sessions, summaries, transfer, turns, unfinished, vectors, waiting,
};

/// A message that has no number yet.
const NOBODY: ItemId = ItemId::Message(MessageId(0));

#[async_trait]
impl InboxStore for SqliteStore {
    async fn accept(&self, message: Message) -> Result<Accepted> {
        inbox::receive(self, Receiving { message, plan: None }).await
    }

    async fn accept_planned(&self, message: Message, plan: Plan) -> Result<Accepted> {
        let vector = plan.vector.map(|new| rules::vectors::checked_with(NOBODY, new)).transpose()?;
        inbox::receive(self, Receiving { message, plan: Some(Plan { vector, ..plan }) }).await
    }

    async fn plan_turns(&self, message: MessageId, mut plan: Plan) -> Result<()> {
        let checked = |new| rules::vectors::checked_with(ItemId::Message(message), new);
        plan.vector = plan.vector.map(checked).transpose()?;
        let planned = self.write_noting(
            (message, plan),
            |conn, (message, plan)| Box::pin(plans::plan(conn, *message, plan)),
            |held, (message, plan), (planned, channel)| {
                held.planned(*message, channel, plan.vector.as_ref(), planned);
            },
        );
        planned.await.map(|_| ())
    }

    async fn set_aside(&self, message: MessageId) -> Result<()> {
        self.write_beside(message, |conn, message| Box::pin(summaries::set_aside(conn, *message))).await
    }

    async fn unfinished(&self, chat: Option<&ChannelKey>) -> Result<Vec<Unfinished>> {
        self.told(unfinished::unfinished(&mut *self.reader().await?, chat).await)
    }

    async fn close_unfinished(&self, channel: &ChannelKey, at: Timestamp) -> Result<Vec<Unfinished>> {
        let closing = (channel.clone(), at);
        self.write(closing, |conn, (channel, at)| Box::pin(unfinished::close_unfinished(conn, channel, *at)))
            .await
    }
}

#[async_trait]
impl TurnStore for SqliteStore {
    async fn begin_turn(&self, turn: TurnId, at: Timestamp) -> Result<()> {
        self.write_beside((turn, at), |conn, (turn, at)| Box::pin(turns::begin(conn, *turn, *at))).await
    }

    async fn commit_turn(&self, turn: TurnId, mut commit: TurnCommit) -> Result<MessageId> {
        let receipt = commit.receipt.take().map(|receipt| receipts::stored(&receipt)).transpose()?;
        commit.vector = commit.vector.map(|new| rules::vectors::checked_with(NOBODY, new)).transpose()?;
        let committed = self.write_noting(
            Committing { turn, commit, receipt },
            |conn, committing| Box::pin(replies::commit(conn, committing)),
            |held, committing, (reply, end)| held.said(reply, committing.commit.vector.clone(), *end),
        );
        Ok(committed.await?.0.id)
    }

    async fn end_turn(&self, turn: TurnId, end: TurnEnd) -> Result<()> {
        self.write_beside((turn, end), |conn, (turn, end)| Box::pin(turns::end(conn, *turn, end))).await
    }

    async fn coalesce_turn(&self, turn: TurnId, answered_with: MessageId, at: Timestamp) -> Result<()> {
        let coalescing = (turn, answered_with, at);
        self.write_beside(coalescing, |conn, (turn, with, at)| {
            Box::pin(turns::coalesce(conn, *turn, *with, *at))
        })
        .await
    }

    async fn turn(&self, turn: TurnId) -> Result<Option<Turn>> {
        self.told(turns::turn(&mut *self.reader().await?, turn).await)
    }

    async fn answers(&self, message: MessageId) -> Result<Vec<Turn>> {
        self.told(turns::answers(&mut *self.reader().await?, message).await)
    }

    async fn without_reply(&self, messages: &[MessageId]) -> Result<Vec<Turn>> {
        self.told(turns::without_reply(&mut *self.reader().await?, messages).await)
    }

    async fn used(&self, persona: &PersonaName, since: Timestamp, now: Timestamp) -> Result<Usage> {
        self.told(turns::used(&mut *self.reader().await?, persona, since, now).await)
    }

    async fn use_aside(&self, persona: &PersonaName, at: Timestamp, usage: Usage) -> Result<()> {
        let used = (persona.clone(), at, usage);
        self.write_beside(used, |conn, (persona, at, usage)| {
            Box::pin(turns::use_aside(conn, persona, *at, *usage))
        })
        .await
    }
}

#[async_trait]
impl OutboxStore for SqliteStore {
    async fn outbox(&self, channel: &ChannelKey) -> Result<Vec<OutboxEntry>> {
        self.told(turns::outbox(&mut *self.reader().await?, channel).await)
    }

    async fn delivered(&self, entry: i64, at: Timestamp) -> Result<()> {
        self.write_beside((entry, at), |conn, (entry, at)| Box::pin(turns::delivered(conn, *entry, *at)))
            .await
    }

    async fn dead_letters(&self, limit: usize) -> Result<Vec<DeadLetter>> {
        self.told(dead_letters::dead_letters(&mut *self.reader().await?, limit).await)
    }

    async fn dead_letter(&self, message: MessageId, persona: &PersonaName) -> Result<Option<DeadLetter>> {
        self.told(dead_letters::dead_letter(&mut *self.reader().await?, message, persona).await)
    }

    async fn dismiss(&self, message: MessageId, persona: &PersonaName, at: Timestamp) -> Result<bool> {
        self.write_beside((message, persona.clone(), at), |conn, (message, persona, at)| {
            Box::pin(dead_letters::dismiss(conn, *message, persona, *at))
        })
        .await
    }
}

#[async_trait]
impl HistoryStore for SqliteStore {
    async fn history(
        &self,
        channel: &ChannelKey,
        after: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>> {
        self.told(messages::history(&mut *self.reader().await?, channel, after, limit).await)
    }

    async fn page(
        &self,
        channel: &ChannelKey,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>> {
        self.told(messages::page(&mut *self.reader().await?, channel, before, limit).await)
    }

    async fn message(&self, id: MessageId) -> Result<Option<Message>> {
        self.told(messages::by_id(&mut *self.reader().await?, id).await)
    }

    async fn channels(
        &self,
        chat: Option<(&str, &str)>,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<ChannelEntry>> {
        self.told(messages::channels(&mut *self.reader().await?, chat, before, limit).await)
    }

    async fn participants(&self, channel: &ChannelKey) -> Result<Vec<Author>> {
        self.told(presence::participants(&mut *self.reader().await?, channel).await)
    }

    async fn sessions(&self, channel: &ChannelKey) -> Result<Vec<Session>> {
        self.told(sessions::sessions(&mut *self.reader().await?, channel).await)
    }

    async fn session(&self, channel: &ChannelKey, user: &UserId, at: Timestamp) -> Result<Option<Session>> {
        self.told(sessions::session(&mut *self.reader().await?, channel, user, at).await)
    }
}

#[async_trait]
impl ContextStore for SqliteStore {
    async fn past(&self, asked: &AskedPast) -> Result<Past> {
        from_memory::past(self, asked).await
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
        self.write_noting(
            reset,
            |conn, (persona, channel, after)| {
                Box::pin(messages::reset_context(conn, persona, channel, *after))
            },
            |held, (_, channel, _), ()| held.pasts.changed(channel),
        )
        .await
    }

    async fn unsummarised(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: Option<MessageId>,
        heard: bool,
        limit: usize,
    ) -> Result<Vec<Message>> {
        let reader = &mut *self.reader().await?;
        self.told(summaries::unsummarised(reader, persona, channel, after, heard, limit).await)
    }

    async fn put_summary(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        summary: HistorySummary,
        sources: Sources,
    ) -> Result<()> {
        let new = (persona.clone(), channel.clone(), summary, sources);
        self.write_noting(
            new,
            |conn, new| Box::pin(summaries::put(conn, new)),
            |held, (_, channel, ..), ()| held.pasts.changed(channel),
        )
        .await
    }
}

#[async_trait]
impl PresenceStore for SqliteStore {
    async fn enter(&self, persona: &PersonaName, channel: &ChannelKey, from: MessageId) -> Result<()> {
        let entering = (persona.clone(), channel.clone(), from);
        self.write_noting(
            entering,
            |conn, entering| Box::pin(presence::enter(conn, entering)),
            |held, (_, channel, _), ()| held.pasts.changed(channel),
        )
        .await
    }

    async fn leave(&self, persona: &PersonaName, channel: &ChannelKey, until: MessageId) -> Result<()> {
        let leaving = (persona.clone(), channel.clone(), until);
        self.write_noting(
            leaving,
            |conn, (persona, channel, until)| Box::pin(presence::leave(conn, persona, channel, *until)),
            |held, (_, channel, _), ()| held.pasts.changed(channel),
        )
        .await
    }

    async fn attend(&self, channel: &ChannelKey, come: &[PersonaName], gone: &[PersonaName]) -> Result<()> {
        let attending = (channel.clone(), come.to_vec(), gone.to_vec());
        self.write_noting(
            attending,
            |conn, (channel, come, gone)| Box::pin(presence::attend(conn, channel, come, gone)),
            |held, (channel, ..), ()| held.pasts.changed(channel),
        )
        .await
    }

    async fn present(&self, channel: &ChannelKey) -> Result<Vec<PersonaName>> {
        self.told(presence::present(&mut *self.reader().await?, channel).await)
    }

    async fn presence(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Vec<Presence>> {
        self.told(presence::presence(&mut *self.reader().await?, persona, channel).await)
    }
}

#[async_trait]
impl CaptureStore for SqliteStore {
    async fn postpone_capture(&self, turn: TurnId) -> Result<()> {
        self.write_beside(turn, |conn, turn| Box::pin(postponed::postpone(conn, *turn))).await
    }

    async fn postponed_captures(&self, limit: usize) -> Result<Vec<Postponed>> {
        self.told(postponed::oldest(&mut *self.reader().await?, limit).await)
    }

    async fn count_postponed(&self) -> Result<u64> {
        self.told(postponed::count(&mut *self.reader().await?).await)
    }

    async fn capture_settled(&self, turn: TurnId) -> Result<()> {
        self.write_beside(turn, |conn, turn| Box::pin(postponed::settled(conn, *turn))).await
    }
}

#[async_trait]
impl MemoryStore for SqliteStore {
    async fn remember(&self, memory: NewMemory) -> Result<Memory> {
        let written = self.write_noting(
            memory,
            |conn, memory| Box::pin(memories::remember(conn, memory)),
            |held, _, (memory, end)| held.remembered(memory, *end),
        );
        Ok(written.await?.0)
    }

    async fn edit(&self, viewer: &Viewer, id: MemoryId, edit: MemoryEdit) -> Result<Option<Memory>> {
        let what = (viewer.clone(), id, edit);
        self.write(what, |conn, (viewer, id, edit)| Box::pin(memories::edit(conn, viewer, *id, edit))).await
    }

    async fn memories(&self, viewer: &Viewer, filter: &MemoryFilter) -> Result<Vec<Memory>> {
        self.told(memories::memories(&mut *self.reader().await?, viewer, filter).await)
    }

    async fn count_memories(&self, viewer: &Viewer, now: Timestamp, most: usize) -> Result<usize> {
        self.told(memories::count(&mut *self.reader().await?, viewer, now, most).await)
    }

    async fn newest(&self, viewer: &Viewer, wanted: &Newest) -> Result<Vec<Memory>> {
        self.told(memories::newest(&mut *self.reader().await?, viewer, wanted).await)
    }

    async fn keyed(
        &self,
        viewer: &Viewer,
        scope: &Scope,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Memory>> {
        self.told(memories::keyed(&mut *self.reader().await?, viewer, scope, key, now).await)
    }

    async fn items(
        &self,
        viewer: &Viewer,
        ids: &[ItemId],
        now: Timestamp,
        witnessed: bool,
        as_of: Instant,
    ) -> Result<Whole> {
        from_memory::items(self, viewer, ids, now, witnessed, as_of).await
    }

    async fn relate(&self, viewer: &Viewer, relation: Relation) -> Result<()> {
        let edge = (viewer.clone(), relation);
        self.write_noting(
            edge,
            |conn, (viewer, relation)| Box::pin(memories::relate(conn, viewer, *relation)),
            |held, (_, relation), ()| held.memories.changed(&[relation.from, relation.to]),
        )
        .await
    }

    async fn relations(&self, viewer: &Viewer, ids: &[MemoryId]) -> Result<Vec<Relation>> {
        self.told(memories::relations(&mut *self.reader().await?, viewer, ids).await)
    }
}

#[async_trait]
impl VectorStore for SqliteStore {
    async fn put_vectors(&self, space: &VectorSpace, vectors: Vec<NewVector>) -> Result<()> {
        let checked = (space.clone(), rules::vectors::checked(space, vectors)?);
        let written = self.write_noting(
            checked,
            |conn, (space, vectors)| Box::pin(vectors::put(conn, space, vectors)),
            |held, (space, vectors), end| held.embedded(space, vectors, *end),
        );
        written.await.map(|_| ())
    }

    async fn pass_over(&self, space: &VectorSpace, items: Vec<(ItemId, u32)>) -> Result<()> {
        self.write_noting(
            (space.clone(), items),
            |conn, (space, items)| Box::pin(vectors::pass_over(conn, space, items)),
            |held, _, ()| held.news.forget(),
        )
        .await
    }

    async fn unembedded(
        &self,
        space: &VectorSpace,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        self.told(waiting::unembedded(&mut *self.reader().await?, space, None, after, limit).await)
    }

    async fn unembedded_of(
        &self,
        space: &VectorSpace,
        personas: &[PersonaName],
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        let reader = &mut *self.reader().await?;
        self.told(waiting::unembedded(reader, space, Some(personas), after, limit).await)
    }

    async fn unembedded_since(
        &self,
        space: &VectorSpace,
        personas: Option<&[PersonaName]>,
        since: i64,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Option<NewsWaiting>> {
        if let Some(news) = from_memory::all_embedded(self, space, since).await {
            return Ok(Some(news));
        }
        let reader = &mut *self.reader().await?;
        self.told(waiting::unembedded_since(reader, space, personas, since, after, limit).await)
    }

    async fn spaces(&self) -> Result<Vec<VectorSpace>> {
        self.told(vectors::spaces(&mut *self.reader().await?).await)
    }
}

#[async_trait]
impl JournalStore for SqliteStore {
    async fn journal_end(&self) -> Result<i64> {
        self.told(journal::end(&mut *self.reader().await?).await)
    }

    async fn changes(
        &self,
        space: Option<&VectorSpace>,
        after: i64,
        limit: usize,
        as_of: Instant,
    ) -> Result<Changes> {
        from_memory::changes(self, space, after, limit, as_of).await
    }

    async fn load(
        &self,
        place: &Place,
        space: Option<&VectorSpace>,
        after: Option<ItemId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Entry>> {
        self.told(journal::load(&mut *self.reader().await?, place, space, after, limit, now).await)
    }

    async fn before_newest(&self, place: &Place, count: usize) -> Result<Option<ItemId>> {
        self.told(journal::before_newest(&mut *self.reader().await?, place, count).await)
    }
}

#[async_trait]
impl EraseStore for SqliteStore {
    async fn forget(&self, viewer: &Viewer, id: MemoryId) -> Result<Option<Forgotten>> {
        let what = (viewer.clone(), id);
        let mut forgotten =
            self.write(what, |conn, (viewer, id)| Box::pin(memories::forget(conn, viewer, *id))).await?;
        if let Some(forgotten) = &mut forgotten {
            self.blank(vec![ItemId::Memory(id)]).await?;
            forgotten.in_log = !erase::scrub_log(self).await?;
        }
        Ok(forgotten)
    }

    async fn sweep(&self, now: Timestamp) -> Result<u64> {
        let swept = self.write(now, |conn, now| Box::pin(memories::sweep(conn, *now))).await?;
        erase::scrub(self).await?;
        Ok(swept)
    }

    async fn would_erase(&self, what: &Erase) -> Result<Erased> {
        self.told(erase::would_erase(&mut *self.reader().await?, what).await)
    }

    async fn quoting(&self, what: &Erase) -> Result<Vec<Quote>> {
        self.told(erase::quoting(&mut *self.reader().await?, what).await)
    }

    async fn erase(&self, what: &Erase, quotes: Quotes) -> Result<Erased> {
        erase::erase(self, what, quotes).await
    }

    async fn erased_since(&self, after: i64, as_of: Instant) -> Result<ErasedSince> {
        from_memory::erased_since(self, after, as_of).await
    }

    async fn unerased(&self, sources: &Sources) -> Result<i64> {
        self.told(erasures::unerased(&mut *self.reader().await?, sources).await)
    }
}

#[async_trait]
impl TransferStore for SqliteStore {
    async fn export(
        &self,
        persona: Option<&PersonaName>,
        after: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<Exported>> {
        self.told(transfer::export(&mut *self.reader().await?, persona, after, limit).await)
    }

    async fn import(&self, memories: Vec<Exported>) -> Result<Imported> {
        self.write(memories, |conn, memories| Box::pin(transfer::import(conn, memories))).await
    }
}

#[async_trait]
impl KeyStore for SqliteStore {
    async fn add_key(&self, key: NewKey) -> Result<AccessKey> {
        self.write_beside(key, |conn, key| Box::pin(access::add(conn, key))).await
    }

    async fn keys(&self) -> Result<Vec<AccessKey>> {
        self.told(access::keys(&mut *self.reader().await?).await)
    }

    async fn revoke_key(&self, id: i64, at: Timestamp) -> Result<Option<AccessKey>> {
        self.write((id, at), |conn, (id, at)| Box::pin(access::revoke(conn, *id, *at))).await
    }
}

#[async_trait]
impl HealthStore for SqliteStore {
    async fn health(&self) -> Result<Health> {
        let health = self.told(health::read(&mut *self.reader().await?, self.file.path()).await)?;
        let writable = match self.write_beside((), |conn, ()| Box::pin(health::probe(conn))).await {
            Ok(()) => true,
            Err(
                StoreError::Busy { .. }
                | StoreError::Full
                | StoreError::ReadOnly { .. }
                | StoreError::Gone { .. },
            ) => false,
            Err(error) => return Err(error),
        };
        Ok(Health { writable, ..health })
    }

    async fn ready(&self) -> Result<()> {
        self.file.check()?;
        if self.file.is_proven() {
            return Ok(());
        }
        self.write_beside((), |conn, ()| Box::pin(health::probe(conn))).await
    }

    async fn stray_turns(&self) -> Result<Vec<(TurnId, ChannelKey)>> {
        self.told(health::stray_turns(&mut *self.reader().await?).await)
    }

    fn held_bytes(&self) -> usize {
        self.held.bytes()
    }

    fn release_idle(&self) {
        self.held.release();
    }

    async fn close(&self) {
        // the readers first: one that still read would keep the log from being emptied
        self.readers.close().await;
        self.writer.close().await;
    }
}
