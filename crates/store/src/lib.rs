//! The storage trait, its types and the test suite every backend passes.
//!
//! Every call that reads memories or recalls messages takes a [`Viewer`]: the scope predicate is
//! part of the query and no call without one exists (GR1, X6). Writes are durable when the future
//! resolves. Times are microseconds, texts are kept as they came.

mod types;

#[cfg(feature = "suite")]
#[allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the suite is test code, compiled for the tests of backends alone"
)]
pub mod suite;

pub use types::*;

use std::time::Instant;

use async_trait::async_trait;
use greenroom_core::{
    Author, ChannelKey, Memory, MemoryId, Message, MessageId, PersonaName, Relation, Scope, Timestamp,
    TurnId, Usage, UserId, Viewer,
};

/// So many receipts are kept in each channel; older turns lose theirs.
pub const RECEIPTS_KEPT: usize = 100;

/// So many turns for one message may break before it is given up (S8).
pub const TRIES: u32 = 5;

/// What a store answers.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Everything Greenroom keeps. Object-safe; one value serves many actors.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    // --- the inbox: what somebody said -------------------------------------------------------

    /// Stores a message before anybody acts on it. The same `(channel, event_id)` again changes
    /// nothing and says so (GR6). The session of its author is prolonged with it, or another opened
    /// when the last ended [`SESSION_GAP`] ago (AS5, JV1).
    async fn accept(&self, message: NewMessage) -> Result<Accepted>;

    /// Stores a message and settles in the same moment who hears and who answers it: [`Store::accept`] and then
    /// [`Store::plan_turns`]. Where the message is known nothing is settled. What a persona said is answered by
    /// nobody.
    async fn accept_planned(&self, message: NewMessage, plan: Plan) -> Result<Accepted>;

    /// Settles who hears an accepted message, and who answers it: one turn for each, or none. From here on
    /// the message no longer counts as unhandled. A vector that must not be stored is refused as by
    /// [`Store::put_vectors`], and nothing is settled then.
    async fn plan_turns(&self, message: MessageId, plan: Plan) -> Result<()>;

    /// Marks a waiting turn as running.
    async fn begin_turn(&self, turn: TurnId, at: Timestamp) -> Result<()>;

    /// Ends a turn with a reply: the reply, its outbox row (bound to the trigger; none in a channel that
    /// is read and not delivered to) and the turn's state in one transaction. A turn that ended already is an error, and nothing is written
    /// (GR6: never answered twice). Where something of its sources was erased since they were read,
    /// the answer is [`StoreError::Erased`] and nothing is written (GR10).
    ///
    /// The receipt is kept without the previews of its history items, and of a channel's receipts
    /// the newest [`RECEIPTS_KEPT`] are kept.
    async fn commit_turn(&self, turn: TurnId, commit: TurnCommit) -> Result<MessageId>;

    /// Ends a turn without a reply.
    async fn end_turn(&self, turn: TurnId, end: TurnEnd) -> Result<()>;

    /// Ends the turn of a message that is answered together with a later one of the same channel. Where that one is
    /// erased, the turn has failed.
    async fn coalesce_turn(&self, turn: TurnId, answered_with: MessageId, at: Timestamp) -> Result<()>;

    /// Messages accepted but never settled, and turns waiting or running: what a start after a
    /// crash has to deal with (S1). Where a channel is given, only those of its chat, all its threads.
    async fn unfinished(&self, chat: Option<&ChannelKey>) -> Result<Vec<Unfinished>>;

    /// Ends every unfinished turn of a channel as interrupted and settles its unhandled messages.
    /// Returns what it found. Only the owner of the channel may call it.
    async fn close_unfinished(&self, channel: &ChannelKey, at: Timestamp) -> Result<Vec<Unfinished>>;

    /// One turn as stored, with its receipt.
    async fn turn(&self, turn: TurnId) -> Result<Option<Turn>>;

    /// The turns that answer a message, one a persona, in the order they were planned: of those that
    /// were tried again the newest, and in place of one that was coalesced the one that answers it.
    async fn answers(&self, message: MessageId) -> Result<Vec<Turn>>;

    /// The turns that answer these messages and ended without a reply: failed or cancelled. In the order
    /// of the messages.
    async fn without_reply(&self, messages: &[MessageId]) -> Result<Vec<Turn>>;

    /// Messages that broke every turn of a persona that was to answer them, at least [`TRIES`], the newest first
    /// (S8): none of those turns is under way or has a reply. Without those that were dismissed.
    async fn dead_letters(&self, limit: usize) -> Result<Vec<DeadLetter>>;

    /// Whether this message is one for this persona, dismissed or not.
    async fn dead_letter(&self, message: MessageId, persona: &PersonaName) -> Result<Option<DeadLetter>>;

    /// An operator does not want it answered: it is listed no more. False where it is none.
    async fn dismiss(&self, message: MessageId, persona: &PersonaName, at: Timestamp) -> Result<bool>;

    /// What a persona used from `since` to `now`, both included: its turns that ended then, failed and
    /// cancelled ones too (WB12), and what was noted with [`Store::use_aside`]. What was written later
    /// than now was written by a clock that ran ahead and does not count (S5).
    async fn used(&self, persona: &PersonaName, since: Timestamp, now: Timestamp) -> Result<Usage>;

    /// Notes what a persona used beside stored turns: its small models, turns of no channel.
    async fn use_aside(&self, persona: &PersonaName, at: Timestamp, usage: Usage) -> Result<()>;

    // --- history and sessions ----------------------------------------------------------------

    /// The newest `limit` messages of a channel after `after`, oldest first.
    async fn history(
        &self,
        channel: &ChannelKey,
        after: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>>;

    /// A page of a channel: the newest `limit` messages before `before`, oldest first.
    async fn page(
        &self,
        channel: &ChannelKey,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>>;

    /// One message.
    async fn message(&self, id: MessageId) -> Result<Option<Message>>;

    /// The channels where something was said, the one with the newest message first: those whose newest
    /// message is older than `before`, at most `limit`. Those of one chat of a platform where one is
    /// given, as `(provider, chat id)`.
    async fn channels(
        &self,
        chat: Option<(&str, &str)>,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<ChannelEntry>>;

    /// What a persona's context in a channel is made of, read at once because every turn needs it.
    async fn past(&self, asked: &AskedPast) -> Result<Past>;

    /// What a persona's next summary is made of: the oldest `limit` messages of a channel after `after`,
    /// those set aside and the replies to them left out; all of them, or what it has heard alone (FG12).
    async fn unsummarised(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: Option<MessageId>,
        heard: bool,
        limit: usize,
    ) -> Result<Vec<Message>>;

    /// Keeps a message and the replies to it out of summaries from now on (BD6).
    async fn set_aside(&self, message: MessageId) -> Result<()>;

    // --- captures that were postponed --------------------------------------------------------

    /// Marks a turn: nothing was captured of its exchange yet. The mark goes with the turn when that is
    /// erased; of a turn that is not there nothing is marked.
    async fn postpone_capture(&self, turn: TurnId) -> Result<()>;

    /// The oldest `limit` turns that are marked, with what was said in them.
    async fn postponed_captures(&self, limit: usize) -> Result<Vec<Postponed>>;

    /// How many turns are marked.
    async fn count_postponed(&self) -> Result<u64>;

    /// Takes a turn's mark away.
    async fn capture_settled(&self, turn: TurnId) -> Result<()>;

    // --- where contexts begin ----------------------------------------------------------------

    /// From which message on a persona's context in a channel begins; `None` before any reset.
    async fn context_start(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Option<MessageId>>;

    /// Starts the context afresh: history up to and including `after` is no longer assembled. It
    /// stays stored and can be recalled (WB14).
    async fn reset_context(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: MessageId,
    ) -> Result<()>;

    /// The sessions of a channel, newest first (AS5).
    async fn sessions(&self, channel: &ChannelKey) -> Result<Vec<Session>>;

    /// The last session of a person in a channel that had begun `at` that moment (AS5).
    async fn session(&self, channel: &ChannelKey, user: &UserId, at: Timestamp) -> Result<Option<Session>>;

    // --- outbox ------------------------------------------------------------------------------

    /// Replies of a channel that were not delivered yet, oldest first.
    async fn outbox(&self, channel: &ChannelKey) -> Result<Vec<OutboxEntry>>;

    /// A reply was delivered.
    async fn delivered(&self, entry: i64, at: Timestamp) -> Result<()>;

    // --- memories ----------------------------------------------------------------------------

    /// Writes a memory. One with the key of a live one of the same persona and scope updates that
    /// row and raises its version (JV9); its old vectors go with the old text. One learned from a
    /// message that was erased meanwhile is refused, and so is one of whose sources something was erased
    /// since they were read (GR10).
    async fn remember(&self, memory: NewMemory) -> Result<Memory>;

    /// Live memories the viewer sees, newest first.
    async fn memories(&self, viewer: &Viewer, filter: &MemoryFilter) -> Result<Vec<Memory>>;

    /// How many live memories the viewer sees; of more than `most`, `most`. No more than those are
    /// looked at.
    async fn count_memories(&self, viewer: &Viewer, now: Timestamp, most: usize) -> Result<usize>;

    /// The live memories of one tier and one scope that were written last, newest first; none where
    /// the viewer does not see the scope (JV6). However many there are, no more than those are read.
    async fn newest(&self, viewer: &Viewer, wanted: &Newest) -> Result<Vec<Memory>>;

    /// The live memory of this scope under this key, if the viewer sees it (JV9).
    async fn keyed(
        &self,
        viewer: &Viewer,
        scope: &Scope,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Memory>>;

    /// Changes a live memory the viewer sees and raises its version; old vectors go with the old text,
    /// and it counts as erased what it said before.
    /// Whose word it is and what it was learned from stay, so that it is forgotten with them (GR10).
    /// `None` when there is no such memory for this viewer.
    async fn edit(&self, viewer: &Viewer, id: MemoryId, edit: MemoryEdit) -> Result<Option<Memory>>;

    /// Removes a memory the viewer sees: row, vectors and relations, and what stored
    /// receipts show of it. `None` when there is no such memory for this viewer. One that has
    /// expired but was not swept yet can be forgotten. What superseded it supersedes what it did.
    ///
    /// Receipts are blanked after the row is gone, a few in a transaction, so that other writers get
    /// in between, and the log is emptied at last; [`Forgotten`] says when a reader of another process
    /// kept it from that. What is left to do, the next [`Store::sweep`] does.
    async fn forget(&self, viewer: &Viewer, id: MemoryId) -> Result<Option<Forgotten>>;

    /// Adds an edge. Both ends must be memories of one persona the viewer sees. Without a `now`
    /// this does not look at expiry: until it is swept, an expired memory may be an end.
    async fn relate(&self, viewer: &Viewer, relation: Relation) -> Result<()>;

    /// The edges that start or end at one of `ids`, as far as the viewer sees both ends.
    /// Edges of an expired memory are among them until it is swept; its text is not.
    async fn relations(&self, viewer: &Viewer, ids: &[MemoryId]) -> Result<Vec<Relation>>;

    /// Removes expired memories and all that hangs on them; how many (AS9). Blanks what receipts
    /// still show of memories that are gone, and finishes what an erasure or a removal that broke off
    /// owes the file and its log (X15, S1).
    async fn sweep(&self, now: Timestamp) -> Result<u64>;

    // --- vectors -----------------------------------------------------------------------------

    /// Items without a vector in `space`: what is still to be embedded (L18). Memories come first,
    /// then messages, each in the order of their ids; `after` is the last item of the page before.
    /// Items that were passed over are not among them. Not a recall: the texts go to the embedder
    /// and nowhere else.
    async fn unembedded(
        &self,
        space: &VectorSpace,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>>;

    /// The same as far as one of these personas may come to recall it: memories of theirs, and messages
    /// of channels where one of them has answered (FG17).
    async fn unembedded_of(
        &self,
        space: &VectorSpace,
        personas: &[PersonaName],
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>>;

    /// The same, or with no personas the same as [`Store::unembedded`], for whoever knows that nothing
    /// waited when the journal ended at `since`: only texts it names after that are looked at, and those
    /// of channels where one of the personas has answered for the first time since. It costs what was
    /// written, however much is stored. `None` when the journal does not reach back so far.
    async fn unembedded_since(
        &self,
        space: &VectorSpace,
        personas: Option<&[PersonaName]>,
        since: i64,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Option<NewsWaiting>>;

    /// Notes that the model of `space` finds nothing in these texts, given with their versions: they
    /// no longer wait for a vector and are found by their words alone (FG2). Holds until the text
    /// changes. Items that are gone or changed by now, and those with a vector, stay as they are.
    async fn pass_over(&self, space: &VectorSpace, items: Vec<(ItemId, u32)>) -> Result<()>;

    /// Stores vectors of `space`. Each must have its dimension, be finite and not zero (L18, FG2);
    /// one that is not is refused and nothing of the batch is stored. Items that are gone by now
    /// are passed over, and so are texts that changed since.
    async fn put_vectors(&self, space: &VectorSpace, vectors: Vec<NewVector>) -> Result<()>;

    // --- what an index follows ---------------------------------------------------------------
    // Not recalls: an index keeps what it reads by place, and shows it only to viewers of that place.

    /// The number of the newest row of the journal; 0 in an empty store.
    async fn journal_end(&self) -> Result<i64>;

    /// What changed after `after`, with the vectors of `space`: each item once, as it stands now, and
    /// once more, as gone, for a place it left.
    /// Every write of a message, a memory or a vector of `space` is in the journal when its future
    /// resolves. Those of other processes are among the changes where they were there at `as_of`. Vectors of
    /// other spaces are passed over.
    async fn changes(
        &self,
        space: Option<&VectorSpace>,
        after: i64,
        limit: usize,
        as_of: Instant,
    ) -> Result<Changes>;

    /// The items of a place in the order of their ids, after one of them. Expired memories are not
    /// among them.
    async fn load(
        &self,
        place: &Place,
        space: Option<&VectorSpace>,
        after: Option<ItemId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Entry>>;

    /// The item before the newest `count` of a place; nothing where there are no more than that.
    async fn before_newest(&self, place: &Place, count: usize) -> Result<Option<ItemId>>;

    /// These items whole, as far as the viewer sees them now (X6): each once, in the order asked for. Messages
    /// only as far as the viewer's persona was present, if `witnessed` (GR2). With the memories come the
    /// relations at them, as [`Store::relations`] gives them. What other processes had written at `as_of`
    /// is seen.
    async fn items(
        &self,
        viewer: &Viewer,
        ids: &[ItemId],
        now: Timestamp,
        witnessed: bool,
        as_of: Instant,
    ) -> Result<Whole>;

    /// Those who spoke in a channel, in the order in which they first did. A person is there once for every name
    /// they spoke under.
    async fn participants(&self, channel: &ChannelKey) -> Result<Vec<Author>>;

    // --- presence (GR2) ----------------------------------------------------------------------

    /// The persona is present in the channel from this message on; nothing changes when it is.
    /// [`Store::plan_turns`] does the same for those who answer.
    async fn enter(&self, persona: &PersonaName, channel: &ChannelKey, from: MessageId) -> Result<()>;

    /// The persona left: it does not hear this message any more.
    async fn leave(&self, persona: &PersonaName, channel: &ChannelKey, until: MessageId) -> Result<()>;

    /// Some personas come and others go, between two messages: from now on the first hear what is said in the
    /// channel and the others do not. Nothing changes for one that is present already, or is not, and nothing
    /// in a channel where nobody ever spoke.
    async fn attend(&self, channel: &ChannelKey, come: &[PersonaName], gone: &[PersonaName]) -> Result<()>;

    /// Who is present in the channel now.
    async fn present(&self, channel: &ChannelKey) -> Result<Vec<PersonaName>>;

    /// What the persona was present for, oldest first.
    async fn presence(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Vec<Presence>>;

    // --- summaries of history (FG12) ---------------------------------------------------------

    /// Records a summary and its boundary, in place of the last one. One that reaches less far than
    /// the last changes nothing. One of whose sources something was erased since they were read is refused
    /// (GR10).
    async fn put_summary(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        summary: HistorySummary,
        sources: Sources,
    ) -> Result<()>;

    // --- forgetting, export, import (GR10, X15) ----------------------------------------------

    /// What [`Store::erase`] would remove.
    async fn would_erase(&self, what: &Erase) -> Result<Erased>;

    /// What quotes the texts that [`Store::erase`] would remove, and would stay: replies of personas to others,
    /// and memories that are no operator's word. A bounded look at runs of words, for somebody who decides
    /// whether they go as well; nothing where what is old is erased.
    async fn quoting(&self, what: &Erase) -> Result<Vec<Quote>>;

    /// Removes all of it: rows, vectors, relations, summaries made of it, outbox
    /// rows, turns with their receipts, and what other receipts show of it; with a person or a channel also
    /// the names of channels where nothing is left. Where `quotes` go, the same of all that [`Store::quoting`]
    /// finds before and while it runs. No part of the removed
    /// texts is left in the database file or its log when the future resolves.
    ///
    /// Works in batches, so that other writers get in between; what is said meanwhile goes too. One
    /// that broke off is finished by the next, as is one that failed because a reader of another
    /// process kept the log from being emptied.
    async fn erase(&self, what: &Erase, quotes: Quotes) -> Result<Erased>;

    /// What was erased after the erasure of this number, by this process, and by others until `as_of`:
    /// forgotten, taken along, corrected, or swept.
    async fn erased_since(&self, after: i64, as_of: Instant) -> Result<ErasedSince>;

    /// Whether a text may still be told: nothing that it was made of has been erased since it was read, by whatever
    /// process. The number of the newest erasure this was checked against.
    ///
    /// # Errors
    /// [`StoreError::Erased`].
    async fn unerased(&self, sources: &Sources) -> Result<i64>;

    /// Memories after one of them, in the order of their ids, with their edges; of one persona
    /// where one is given. For whoever runs Greenroom.
    async fn export(
        &self,
        persona: Option<&PersonaName>,
        after: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<Exported>>;

    /// Stores exported memories as they are, all or none. An id that is taken by another memory, or
    /// larger than 2^53, is replaced by a new one, in the edges too. The message a memory was learned
    /// from is kept as far as it is one of the same place or person here, or none of that number was
    /// here and none will be; the number of a session in the key of its summary likewise, or the key
    /// gets the memory's id. An edge to a memory that is neither among them nor stored is an error,
    /// and so are a text that is empty or longer than 4,000 characters, a version 0, a time out of
    /// order, a key that another memory of the same scope has, control characters in a key or a
    /// source, and a stranger's word that holds beyond a channel (X7); it names the memory.
    async fn import(&self, memories: Vec<Exported>) -> Result<Imported>;

    // --- access (X1, X2) ---------------------------------------------------------------------

    /// Keeps a key. A hash that is kept already is an error.
    async fn add_key(&self, key: NewKey) -> Result<AccessKey>;

    /// Every key that was ever made, revoked ones too, the oldest first. They are few, and whoever
    /// lets callers in reads them again and again.
    async fn keys(&self) -> Result<Vec<AccessKey>>;

    /// Revokes a key for good; one that was revoked before stays as it is. `None` when there is none
    /// of this number.
    async fn revoke_key(&self, id: i64, at: Timestamp) -> Result<Option<AccessKey>>;

    // --- the store itself --------------------------------------------------------------------

    /// About how many bytes of memory the store takes for what was read and written lately.
    fn held_bytes(&self) -> usize;

    /// Lets go of what is held in memory and was not used since the last call.
    fn release_idle(&self);

    /// What the store holds and whether it can write; for `doctor`.
    async fn health(&self) -> Result<Health>;

    /// Whether writes go through: one that did lately proves it, else one is tried. Cheap enough to be asked
    /// every second (S3).
    async fn ready(&self) -> Result<()>;

    /// Turns whose message lies in another channel than they do, with the channel of the turn: a defect, and so
    /// none in a sound store. For `doctor`; it looks at every turn.
    async fn stray_turns(&self) -> Result<Vec<(TurnId, ChannelKey)>>;

    /// The spaces there were ever vectors of. Read at once, however large the store is.
    async fn spaces(&self) -> Result<Vec<VectorSpace>>;

    /// Finishes outstanding writes and closes. Later calls fail.
    async fn close(&self);
}
