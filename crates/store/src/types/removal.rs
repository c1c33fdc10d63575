//! Forgetting, export and import (GR10, X15).

use std::ops::AddAssign;

use greenroom_core::{
    ChannelKey, Memory, MemoryId, MessageId, PersonaName, RelationKind, Timestamp, UserRef,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ItemId;

/// What to remove (GR10, X15).
#[derive(Debug, Clone, PartialEq)]
pub enum Erase {
    /// A person on a platform: what they said anywhere there, the replies to it and to those, what
    /// was learned from or about them, the summaries of every channel they spoke in and of every
    /// session at which they were.
    Person(UserRef),
    /// What a person may have erased without the operator: what they said in their own chat, all its
    /// threads, the replies to it and to those, the memories learned from that or from them there, those that
    /// hold for them alone, and the summaries of that chat. A statement of the operator stays, and
    /// so does everything of other chats.
    Own {
        /// The person.
        person: UserRef,
        /// Any channel of the chat.
        chat: ChannelKey,
    },
    /// A channel: its messages, every persona's memories of it and what was learned from its
    /// messages, and its summaries. Its chat's sessions go when no other thread holds messages.
    Channel(ChannelKey),
    /// One message of a person, as when they edit it: the message, the replies to it and to those, what was learned
    /// from any of them, and the summaries of the sessions it was part of. A statement of the operator
    /// stays.
    Message(MessageId),
    /// What a persona's channel holds from before a moment: messages and the persona's memories of
    /// the channel. What was learned from those messages elsewhere stays.
    Older {
        /// Whose.
        persona: PersonaName,
        /// Where.
        channel: ChannelKey,
        /// What was said or last written before this.
        before: Timestamp,
    },
}

/// The receipt of a removal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Erased {
    /// Messages people wrote, and personas' replies to them.
    pub messages: u64,
    /// Memories, session summaries among them.
    pub memories: u64,
    /// Summaries of history.
    pub summaries: u64,
    /// Vectors.
    pub vectors: u64,
    /// Relations.
    pub relations: u64,
    /// Replies that waited for delivery.
    pub outbox: u64,
    /// Turns, with their receipts.
    pub turns: u64,
    /// Sessions.
    pub sessions: u64,
}

impl AddAssign for Erased {
    fn add_assign(&mut self, more: Self) {
        self.messages += more.messages;
        self.memories += more.memories;
        self.summaries += more.summaries;
        self.vectors += more.vectors;
        self.relations += more.relations;
        self.outbox += more.outbox;
        self.turns += more.turns;
        self.sessions += more.sessions;
    }
}

/// What becomes of texts that quote what is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// They stay.
    Stay,
    /// They are erased as well.
    Go,
}

impl Quotes {
    /// They go where that is wanted.
    pub fn go_if(wanted: bool) -> Self {
        if wanted { Self::Go } else { Self::Stay }
    }
}

/// Something that quotes what is to be forgotten, and would stay.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// A reply, or a memory.
    pub item: ItemId,
    /// Whose.
    pub persona: PersonaName,
    /// Where it was said, or where it holds; nothing for a memory that holds beyond a channel.
    pub channel: Option<ChannelKey>,
    /// Its text.
    pub text: String,
    /// The run of words it quotes.
    pub words: String,
}

/// A memory as it is exported: itself and what it says of others. One line of JSON each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    /// The memory.
    #[serde(flatten)]
    pub memory: Memory,
    /// The edges that start here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<ExportedRelation>,
}

/// An edge of an exported memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedRelation {
    /// The memory it leads to.
    pub to: MemoryId,
    /// How they stand to each other.
    pub kind: RelationKind,
}

/// What an import did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Imported {
    /// Memories that were not there.
    pub added: u64,
    /// Memories that were there already, exactly so.
    pub known: u64,
    /// Relations.
    pub relations: u64,
}
