//! The data model: everything that is stored, in plain structures.
//!
//! The data of a channel, a message or a memory is stored with it, so that the calls of a turn need no scan. Rare calls
//! (erasing, counting) scan everything. No answer depends on the order of a hash map: the same calls give the same
//! answers.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use greenroom_core::{
    Author, ChannelKey, ErrorCode, Memory, MemoryId, Message, MessageId, PersonaName, Relation,
    SharedReceipt, Timestamp, TurnId, Usage, UserId, UserRef,
};
use greenroom_store::{
    AccessKey, Departure, HistorySummary, ItemId, JoinReason, Place, Presence, Retraction, Session,
    TurnState, VectorSpace,
};
use half::f16;

use crate::{accounts::StoredDelivery, log::Log};

/// All stored data.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) closed: bool,
    /// The newest id of each kind. An id is not reused after its item was deleted.
    pub(crate) last: Numbers,
    /// The next memory id of each persona, and the next message id of each channel, that has a separate series.
    pub(crate) memory_series: HashMap<PersonaName, i64>,
    pub(crate) message_series: HashMap<ChannelKey, i64>,

    pub(crate) messages: BTreeMap<MessageId, StoredMessage>,
    pub(crate) channels: BTreeMap<ChannelKey, Channel>,
    /// The channels of each person by the first message there, with the author as named in that channel.
    pub(crate) talks: HashMap<UserRef, BTreeMap<MessageId, (ChannelKey, Author)>>,
    /// The sessions of people by chat (see [`chat`]), each person's in the order of their ids.
    pub(crate) chats: BTreeMap<String, BTreeMap<UserId, Vec<Session>>>,

    pub(crate) turns: BTreeMap<TurnId, StoredTurn>,
    /// The turns of a persona that ended at a moment; for its budget.
    pub(crate) ended: BTreeMap<(PersonaName, Timestamp), BTreeSet<TurnId>>,
    /// What personas used outside stored turns.
    pub(crate) used_aside: BTreeMap<(PersonaName, Timestamp), Usage>,
    /// Undelivered replies, by the id of the outbox row, with their turns.
    pub(crate) outbox: BTreeMap<i64, TurnId>,
    /// The delivery state of each reply, including finished ones.
    pub(crate) deliveries: BTreeMap<i64, StoredDelivery>,
    /// The messages that platforms have to delete, in order.
    pub(crate) retractions: Vec<Retraction>,
    /// Marks of events whose repeated delivery has no effect.
    pub(crate) settled: BTreeMap<String, Timestamp>,
    /// The linked accounts of each person, sorted.
    pub(crate) links: Vec<Vec<UserRef>>,
    /// Values that adapters store, by account and name.
    pub(crate) cursors: BTreeMap<(String, String), String>,
    /// Turns whose exchange is not captured yet. Turn ids increase with time.
    pub(crate) postponed: BTreeSet<TurnId>,
    /// The turns whose receipts show the beginning of an item.
    pub(crate) shown: BTreeMap<ItemId, BTreeSet<TurnId>>,

    pub(crate) memories: BTreeMap<MemoryId, Memory>,
    /// The memories of a persona in a scope.
    pub(crate) places: HashMap<Place, BTreeSet<MemoryId>>,
    /// Parts of messages that other chats no longer show, because a memory learned from them was corrected or replaced.
    /// An empty part stands for the whole message, after a memory learned from it was forgotten.
    pub(crate) taken_back: BTreeMap<MessageId, BTreeSet<String>>,
    /// The relations of a memory; each is stored at both ends.
    pub(crate) relations: BTreeMap<MemoryId, Vec<Relation>>,

    /// Embedding models, in the order in which they were first seen.
    pub(crate) spaces: Vec<VectorSpace>,
    pub(crate) vectors: BTreeMap<ItemId, Vec<StoredVector>>,
    /// The items that wait for a vector, by the index of the space in [`State::spaces`].
    pub(crate) waiting: Vec<BTreeSet<ItemId>>,

    pub(crate) changes: Log<ChangeRow>,
    pub(crate) erasures: Log<Erasure>,
    pub(crate) keys: Vec<AccessKey>,
}

/// The newest ids.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Numbers {
    pub(crate) message: i64,
    pub(crate) session: i64,
    pub(crate) memory: i64,
    pub(crate) outbox: i64,
    pub(crate) retraction: i64,
    /// The number of planned turns, which gives their order.
    pub(crate) turn: u64,
}

/// A message and its dependent data.
#[derive(Debug, Clone)]
pub(crate) struct StoredMessage {
    pub(crate) message: Arc<Message>,
    /// Whether it is not yet decided who answers it.
    pub(crate) unhandled: bool,
    /// Whether it and the replies to it are excluded from summaries (BD6).
    pub(crate) aside: bool,
    /// The turns that were to answer it, in the order they were planned.
    pub(crate) turns: Vec<TurnId>,
    /// Turns of earlier messages that are answered together with it.
    pub(crate) coalesced: Vec<TurnId>,
    /// Personas whose dead letter of this message was dismissed by an operator (S8).
    pub(crate) dismissed: BTreeSet<PersonaName>,
    /// Why personas answer it or not, by the newest message known at the time of the decision.
    pub(crate) decisions: BTreeMap<MessageId, String>,
}

/// A channel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Channel {
    pub(crate) messages: BTreeSet<MessageId>,
    /// The messages by the platform's event id, to detect repeats. Replies are not repeated.
    pub(crate) events: HashMap<String, MessageId>,
    pub(crate) speakers: HashMap<Author, Speaker>,
    pub(crate) personas: BTreeMap<PersonaName, Participation>,
    /// The replies with a receipt.
    pub(crate) receipts: BTreeMap<MessageId, TurnId>,
    /// The state of its room, in the runtime's own format.
    pub(crate) room: Option<String>,
    /// The message from which on it is known as a group.
    pub(crate) group_since: Option<MessageId>,
}

/// An author of a channel, under one name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speaker {
    pub(crate) since: MessageId,
    /// The number of their messages that are still stored.
    pub(crate) messages: usize,
}

/// The data of a persona in a channel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Participation {
    /// The parts for which it was present, in order; the last may be open.
    pub(crate) presence: Vec<Presence>,
    /// For each part, how the persona joined and why it left.
    pub(crate) reasons: Vec<(Option<JoinReason>, Option<Departure>)>,
    /// The last message before its context begins.
    pub(crate) context_start: Option<MessageId>,
    pub(crate) summary: Option<HistorySummary>,
    /// The number of its turns here.
    pub(crate) turns: usize,
}

/// A turn. Its channel is the channel of its message.
#[derive(Debug, Clone)]
pub(crate) struct StoredTurn {
    pub(crate) persona: PersonaName,
    pub(crate) trigger: MessageId,
    /// Its position in the order of planning.
    pub(crate) planned: u64,
    pub(crate) state: TurnState,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) reply: Option<MessageId>,
    /// Of a coalesced turn: the later message whose turn answers both.
    pub(crate) answered_with: Option<MessageId>,
    pub(crate) code: Option<ErrorCode>,
    pub(crate) note: Option<String>,
    pub(crate) usage: Usage,
    pub(crate) receipt: Option<SharedReceipt>,
}

/// The vector of an item; `None` if the model finds no meaning in the text (FG2).
#[derive(Debug, Clone)]
pub(crate) struct StoredVector {
    /// The index of its space in [`State::spaces`].
    pub(crate) space: usize,
    /// Exact, because stores round vectors to half precision.
    pub(crate) vector: Option<Box<[f16]>>,
}

/// A row of the journal. It contains no texts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ChangeRow {
    /// A message was added or removed.
    Message(MessageId, ChannelKey),
    /// A memory was added, or its text changed.
    Memory(MemoryId),
    /// A memory was removed from a place.
    Gone(MemoryId, Place),
    /// A vector of this space was written.
    Vector(ItemId, usize),
    /// A persona's first turn in a channel: from then on it may recall the messages there (FG17).
    FirstTurn(ChannelKey, PersonaName),
    /// The earlier rows were deleted by an erasure.
    Cut,
}

/// An erased item, or an item whose text changed (GR10).
#[derive(Debug, Clone)]
pub(crate) struct Erasure {
    /// `None` if a chat became a group: messages from other chats must not reach it (MP1).
    pub(crate) item: Option<ItemId>,
    /// The channel in which it may have been shown; `None` means any.
    pub(crate) channel: Option<ChannelKey>,
}

/// The chat of a channel with all its threads: `provider:chat_id`.
pub(crate) fn chat(channel: &ChannelKey) -> String {
    format!("{}:{}", channel.provider(), channel.chat_id())
}

/// Whether two channels are threads of one chat.
pub(crate) fn same_chat(one: &ChannelKey, other: &ChannelKey) -> bool {
    (one.provider(), one.chat_id()) == (other.provider(), other.chat_id())
}

impl State {
    /// A stored message.
    pub(crate) fn message(&self, id: MessageId) -> Option<&Arc<Message>> {
        self.messages.get(&id).map(|said| &said.message)
    }

    /// The data of a persona in a channel.
    pub(crate) fn participation(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
    ) -> Option<&Participation> {
        self.channels.get(channel)?.personas.get(persona)
    }

    /// Like [`participation`](Self::participation), mutable; creates the channel if needed.
    pub(crate) fn participation_mut(
        &mut self,
        persona: &PersonaName,
        channel: &ChannelKey,
    ) -> &mut Participation {
        if !self.channels.contains_key(channel) {
            let group_since = self.group_since(channel);
            self.channels.insert(channel.clone(), Channel { group_since, ..Channel::default() });
        }
        let channel = self.channels.entry(channel.clone()).or_default();
        channel.personas.entry(persona.clone()).or_default()
    }

    /// The turns that were to answer a message, in the order they were planned.
    pub(crate) fn turns_for(&self, message: MessageId) -> impl Iterator<Item = (TurnId, &StoredTurn)> {
        let turns = self.messages.get(&message).map_or(&[][..], |said| &said.turns);
        turns.iter().filter_map(|id| Some((*id, self.turns.get(id)?)))
    }

    /// The memories of a persona and a scope, in the order of their ids.
    pub(crate) fn memories_of<'a>(&'a self, place: &Place) -> impl Iterator<Item = &'a Memory> + use<'a> {
        self.places.get(place).into_iter().flatten().filter_map(|id| self.memories.get(id))
    }

    /// The vector row of an item in a space. If there is one, the item no longer waits for a vector.
    pub(crate) fn vector(&self, item: ItemId, space: &VectorSpace) -> Option<&StoredVector> {
        let space = self.spaces.iter().position(|known| known == space)?;
        self.vectors.get(&item)?.iter().find(|stored| stored.space == space)
    }
}
