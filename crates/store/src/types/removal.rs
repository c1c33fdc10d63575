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
    /// A person on a platform: their messages anywhere there, the replies to these and further replies to those, the
    /// memories learned from or about them, the summaries of every channel they spoke in and of every session in which
    /// they took part.
    Person(UserRef),
    /// What a person may have erased without the operator: their messages in their own chat with all its threads, the
    /// replies to these and further replies to those, the memories learned from these or from the person there, the
    /// memories that hold for them alone, and the summaries of that chat. Statements of the operator stay, and so does
    /// everything in other chats.
    Own {
        /// The person.
        person: UserRef,
        /// Any channel of the chat.
        chat: ChannelKey,
    },
    /// A channel: its messages, every persona's memories of it, the memories learned from its messages, and its
    /// summaries. The sessions of its chat are erased if no other thread has messages.
    Channel(ChannelKey),
    /// One message of a person, for example when they edit it: the message, the replies to it and further replies to
    /// those, the memories learned from any of them, and the summaries of the sessions it was part of. Statements of
    /// the operator stay.
    Message(MessageId),
    /// What a persona's channel contains from before a moment: messages, and the persona's memories of the channel.
    /// Memories learned from those messages in other scopes stay.
    Older {
        /// The persona.
        persona: PersonaName,
        /// The channel.
        channel: ChannelKey,
        /// Erases what was said or last written before this moment.
        before: Timestamp,
    },
}

/// The receipt of a removal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Erased {
    /// Messages of people, and personas' replies to them.
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

/// What happens to texts that quote erased texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// They stay.
    Stay,
    /// They are erased as well.
    Go,
}

impl Quotes {
    /// `Go` if that is wanted.
    pub fn go_if(wanted: bool) -> Self {
        if wanted { Self::Go } else { Self::Stay }
    }
}

/// A text that quotes a text to be forgotten, and that would itself stay.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// A reply, or a memory.
    pub item: ItemId,
    /// The persona that said or remembers it.
    pub persona: PersonaName,
    /// The channel in which it was said or holds; `None` for a memory that holds beyond a channel.
    pub channel: Option<ChannelKey>,
    /// Its text.
    pub text: String,
    /// The run of words it quotes.
    pub words: String,
}

/// An exported memory with its relations; one line of JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    /// The memory.
    #[serde(flatten)]
    pub memory: Memory,
    /// The relations that start at it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<ExportedRelation>,
}

/// A relation of an exported memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedRelation {
    /// The memory at its other end.
    pub to: MemoryId,
    /// Its kind.
    pub kind: RelationKind,
}

/// The result of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Imported {
    /// Memories that were added.
    pub added: u64,
    /// Memories that were already stored, identically.
    pub known: u64,
    /// Relations that were added.
    pub relations: u64,
}
