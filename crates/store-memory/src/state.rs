//! The data model: everything that is stored, in plain structures.
//!
//! What a channel, a message or a memory has is kept with it, so that the calls of a turn look nothing up by walking
//! through what others have. What is asked for seldom (erasing, counting) walks through everything. Nothing is
//! answered in the order of a hash map: the same calls give the same answers.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use greenroom_core::{
    Author, ChannelKey, ErrorCode, Memory, MemoryId, Message, MessageId, PersonaName, Relation,
    SharedReceipt, Timestamp, TurnId, Usage, UserId, UserRef,
};
use greenroom_store::{
    AccessKey, Departure, HistorySummary, ItemId, Place, Presence, Retraction, Session, TurnState,
    VectorSpace, Via,
};
use half::f16;

use crate::{accounts::StoredDelivery, log::Log};

/// Everything that is stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) closed: bool,
    /// The newest number of each kind. A number outlives what bore it.
    pub(crate) last: Numbers,
    /// The next number of a memory of each persona, and of a message of each channel, that has a series of its own.
    pub(crate) memory_series: HashMap<PersonaName, i64>,
    pub(crate) message_series: HashMap<ChannelKey, i64>,

    pub(crate) messages: BTreeMap<MessageId, StoredMessage>,
    pub(crate) channels: BTreeMap<ChannelKey, Channel>,
    /// The channels of each person by the message with which they began to speak there, with the author that they are there.
    pub(crate) talks: HashMap<UserRef, BTreeMap<MessageId, (ChannelKey, Author)>>,
    /// The sessions of people by chat (see [`chat`]), each person's in the order of their ids.
    pub(crate) chats: BTreeMap<String, BTreeMap<UserId, Vec<Session>>>,

    pub(crate) turns: BTreeMap<TurnId, StoredTurn>,
    /// The turns of a persona that ended at a moment: for its budget.
    pub(crate) ended: BTreeMap<(PersonaName, Timestamp), BTreeSet<TurnId>>,
    /// What personas used beside stored turns.
    pub(crate) used_aside: BTreeMap<(PersonaName, Timestamp), Usage>,
    /// Replies that were not delivered yet, by the turns they come from.
    pub(crate) outbox: BTreeMap<i64, TurnId>,
    /// How far each reply is delivered, also of those that are over.
    pub(crate) deliveries: BTreeMap<i64, StoredDelivery>,
    /// What platforms are to delete, in order.
    pub(crate) retractions: Vec<Retraction>,
    /// Marks of what has no effect any more.
    pub(crate) settled: BTreeMap<String, Timestamp>,
    /// The accounts of people who have several, in order.
    pub(crate) links: Vec<Vec<UserRef>>,
    /// Values that adapters keep, by account and name.
    pub(crate) cursors: BTreeMap<(String, String), String>,
    /// Turns of whose exchange nothing was captured yet. Ids of turns ascend with time.
    pub(crate) postponed: BTreeSet<TurnId>,
    /// In which turns' receipts the beginning of an item stands.
    pub(crate) shown: BTreeMap<ItemId, BTreeSet<TurnId>>,

    pub(crate) memories: BTreeMap<MemoryId, Memory>,
    /// The memories of a persona and a scope.
    pub(crate) places: HashMap<Place, BTreeSet<MemoryId>>,
    /// Of messages the parts from which something was learned that was corrected or replaced since; an empty one is all of
    /// the message, of which something was forgotten.
    pub(crate) taken_back: BTreeMap<MessageId, BTreeSet<String>>,
    /// The relations at a memory; each stands at both of its ends.
    pub(crate) relations: BTreeMap<MemoryId, Vec<Relation>>,

    /// Embedding models, in the order in which they were first seen.
    pub(crate) spaces: Vec<VectorSpace>,
    pub(crate) vectors: BTreeMap<ItemId, Vec<StoredVector>>,
    /// The items that wait for a vector in each space, by the place in [`State::spaces`].
    pub(crate) waiting: Vec<BTreeSet<ItemId>>,

    pub(crate) changes: Log<ChangeRow>,
    pub(crate) erasures: Log<Erasure>,
    pub(crate) keys: Vec<AccessKey>,
}

/// The newest numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Numbers {
    pub(crate) message: i64,
    pub(crate) session: i64,
    pub(crate) memory: i64,
    pub(crate) outbox: i64,
    pub(crate) retraction: i64,
    /// Counts planned turns: their order.
    pub(crate) turn: u64,
}

/// A message and what hangs on it.
#[derive(Debug, Clone)]
pub(crate) struct StoredMessage {
    pub(crate) message: Arc<Message>,
    /// It is not settled yet who answers it.
    pub(crate) unhandled: bool,
    /// It is kept out of summaries, and so are the replies to it (BD6).
    pub(crate) aside: bool,
    /// The turns that were to answer it, in the order they were planned.
    pub(crate) turns: Vec<TurnId>,
    /// Turns of earlier messages that are answered together with it.
    pub(crate) coalesced: Vec<TurnId>,
    /// Personas of whom an operator does not want it answered (S8).
    pub(crate) dismissed: BTreeSet<PersonaName>,
    /// Why personas answer it or does not, by the newest message that was known.
    pub(crate) decisions: BTreeMap<MessageId, String>,
}

/// A channel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Channel {
    pub(crate) messages: BTreeSet<MessageId>,
    /// The messages by the platform's ids: a repeat has the same. Replies are never repeated.
    pub(crate) events: HashMap<String, MessageId>,
    pub(crate) speakers: HashMap<Author, Speaker>,
    pub(crate) personas: BTreeMap<PersonaName, Participation>,
    /// The replies with a receipt.
    pub(crate) receipts: BTreeMap<MessageId, TurnId>,
    /// The state of its room, as the runtime wrote it.
    pub(crate) room: Option<String>,
    /// From which message on it is known as a group.
    pub(crate) group_since: Option<MessageId>,
}

/// An author of a channel, under one name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speaker {
    pub(crate) since: MessageId,
    /// How many messages of theirs are left.
    pub(crate) messages: usize,
}

/// What a persona has of a channel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Participation {
    /// The stretches it was present for, in order; the last may be open.
    pub(crate) presence: Vec<Presence>,
    /// How it came to each of them, and why it went.
    pub(crate) reasons: Vec<(Option<Via>, Option<Departure>)>,
    /// The last message before its context begins.
    pub(crate) context_start: Option<MessageId>,
    pub(crate) summary: Option<HistorySummary>,
    /// How many turns it has here.
    pub(crate) turns: usize,
}

/// A turn. Its channel is that of its message.
#[derive(Debug, Clone)]
pub(crate) struct StoredTurn {
    pub(crate) persona: PersonaName,
    pub(crate) trigger: MessageId,
    /// Its number in the order of plans.
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

/// A vector of an item; nothing where the model finds nothing in the text (FG2).
#[derive(Debug, Clone)]
pub(crate) struct StoredVector {
    /// Its space, by the place in [`State::spaces`].
    pub(crate) space: usize,
    /// Stores keep half precision, so this is exact.
    pub(crate) vector: Option<Box<[f16]>>,
}

/// A row of the journal. It holds no texts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ChangeRow {
    /// A message is new or gone.
    Message(MessageId, ChannelKey),
    /// A memory is new or has another text.
    Memory(MemoryId),
    /// A memory is gone from a place.
    Gone(MemoryId, Place),
    /// A vector of this space was written.
    Vector(ItemId, usize),
    /// A persona's first turn in a channel: what was said there is its to recall (FG17).
    FirstTurn(ChannelKey, PersonaName),
    /// What stood before was erased.
    Cut,
}

/// Something that is gone, or says something else than it did (GR10).
#[derive(Debug, Clone)]
pub(crate) struct Erasure {
    /// Nothing where a chat became a group, to which nothing of other chats is told (MP1).
    pub(crate) item: Option<ItemId>,
    /// Where it may have been shown; anywhere where that is not known.
    pub(crate) channel: Option<ChannelKey>,
}

/// The chat of a channel, all its threads: `provider:chat_id`.
pub(crate) fn chat(channel: &ChannelKey) -> String {
    format!("{}:{}", channel.provider(), channel.chat_id())
}

/// Whether two channels are threads of one chat.
pub(crate) fn same_chat(one: &ChannelKey, other: &ChannelKey) -> bool {
    (one.provider(), one.chat_id()) == (other.provider(), other.chat_id())
}

impl State {
    /// A message that is there.
    pub(crate) fn message(&self, id: MessageId) -> Option<&Arc<Message>> {
        self.messages.get(&id).map(|said| &said.message)
    }

    /// What a persona has of a channel.
    pub(crate) fn participation(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
    ) -> Option<&Participation> {
        self.channels.get(channel)?.personas.get(persona)
    }

    /// The same, to be written; the channel is made on first sight.
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

    /// The vector of an item in a space, and whether the item waits for none any more.
    pub(crate) fn vector(&self, item: ItemId, space: &VectorSpace) -> Option<&StoredVector> {
        let space = self.spaces.iter().position(|known| known == space)?;
        self.vectors.get(&item)?.iter().find(|stored| stored.space == space)
    }
}
