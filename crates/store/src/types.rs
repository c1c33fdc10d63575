//! What goes into a store and what comes out.

mod access;
mod deliveries;
mod follow;
mod past;
mod removal;
mod rooms;
mod sources;
mod turns;

pub use access::*;
pub use deliveries::*;
pub use follow::*;
pub use past::*;
pub use removal::*;
pub use rooms::*;
pub use sources::*;
pub use turns::*;

use greenroom_core::{
    ChannelKey, Kind, Memory, MemoryId, Message, MessageId, PersonaName, Relation, Scope, Source, Tier,
    Timestamp, Trust, TurnId, UserId,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a store did not do what was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be opened.
    #[error("cannot open the store at {path}: {reason}; {remedy}")]
    Open {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
        /// What to do about it.
        remedy: String,
    },
    /// Another process holds the write lock, or reads on while something is erased, for too long (S4).
    #[error(
        "the store is busy: another process has been reading or writing for {seconds} s; try again, or end it"
    )]
    Busy {
        /// How long we waited.
        seconds: u64,
    },
    /// The disk is full (S3).
    #[error("the disk is full: nothing was stored; free some space and try again")]
    Full,
    /// The file or its directory cannot be written.
    #[error("the store at {path} cannot be written; check the permissions of the file and its directory")]
    ReadOnly {
        /// The file.
        path: String,
    },
    /// The file is no store, or a damaged one.
    #[error("the store at {path} is damaged: {reason}; restore a backup or move the file away to start anew")]
    Damaged {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// The file was deleted, moved or replaced while it was open.
    #[error(
        "the store at {path} was deleted, moved or replaced while it was open: nothing was stored; \
         put the file with its -wal and -shm back, or restart Greenroom"
    )]
    Gone {
        /// Where it was.
        path: String,
    },
    /// A vector that must not be stored (L18).
    #[error("refused a vector for {item}: {reason}")]
    BadVector {
        /// Which item.
        item: ItemId,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A value is not allowed, or what it names does not exist. Nothing was changed.
    #[error("{0}")]
    Invalid(String),
    /// A persona answers a message once. A turn that failed or was cancelled makes room for another (GR6).
    #[error("{persona} answers message {} already, or has answered it", message.0)]
    AlreadyAnswered {
        /// Who answers it.
        persona: PersonaName,
        /// The message.
        message: MessageId,
    },
    /// A turn is further than the caller thought: it runs already, or has ended.
    #[error("turn {turn} is {state} already")]
    TurnMoved {
        /// The turn.
        turn: TurnId,
        /// What it is.
        state: TurnState,
    },
    /// Something was erased that this depends on, or was made of (GR10).
    #[error("{0}")]
    Erased(String),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// Anything else the database said.
    #[error("the store failed: {0}")]
    Other(String),
}

impl StoreError {
    /// Whether the store is well and refused what it was asked for.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Invalid(_) | Self::AlreadyAnswered { .. } | Self::TurnMoved { .. })
    }
}

/// What became of an accepted message.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The stored message; the first one when this was a repetition.
    pub message: Message,
    /// True when the event id had been seen before.
    pub duplicate: bool,
    /// The number of the newest erasure when it was stored ([`Sources::erased`]).
    pub erased: i64,
    /// Whether the channel is a group, with this message ([`HistoryStore::group_since`](crate::HistoryStore::group_since)).
    pub group: bool,
}

/// A channel where something was said.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChannelEntry {
    /// Its key.
    pub channel: ChannelKey,
    /// What was said last.
    pub newest: MessageId,
    /// When.
    pub at: Timestamp,
}

/// A memory to be written.
#[derive(Debug, Clone)]
pub struct NewMemory {
    /// Whose.
    pub persona: PersonaName,
    /// Where it holds.
    pub scope: Scope,
    /// The statement; not empty.
    pub text: String,
    /// What sort.
    pub kind: Kind,
    /// How long it is meant to live.
    pub tier: Tier,
    /// Where it came from.
    pub source: Source,
    /// Who stands behind it.
    pub trust: Trust,
    /// Under which a later one replaces it.
    pub key: Option<String>,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// Now.
    pub at: Timestamp,
    /// What it was made of, where its author had read something.
    pub sources: Sources,
}

/// What is to change about a memory; the rest stays.
#[derive(Debug, Clone)]
pub struct MemoryEdit {
    /// Another text; not empty.
    pub text: Option<String>,
    /// Another sort.
    pub kind: Option<Kind>,
    /// Another end, or none at all.
    pub expires_at: Option<Option<Timestamp>>,
    /// Whether it is private from now on; only of a memory that holds with a person (MP1).
    pub private: Option<bool>,
    /// Who stands behind it from now on.
    pub trust: Trust,
    /// Now.
    pub at: Timestamp,
}

/// Which memories to list.
#[derive(Debug, Clone)]
pub struct MemoryFilter {
    /// The present: what expired before is invisible (AS9).
    pub now: Timestamp,
    /// Only these scopes, by name (`channel`, `global`, `user`, `private`); all when empty.
    pub scopes: Vec<&'static str>,
    /// Only these ids; all when empty.
    pub ids: Vec<MemoryId>,
    /// Only what was learned from this person or holds for them: their profile (AS12).
    pub about: Option<UserId>,
    /// At most so many.
    pub limit: usize,
}

/// Which memories are asked for by their age alone.
#[derive(Debug, Clone)]
pub struct Newest {
    /// In this scope.
    pub scope: Scope,
    /// Of this tier.
    pub tier: Tier,
    /// Of this kind; of any kind where none is named.
    pub kind: Option<Kind>,
    /// The present: what expired before is invisible (AS9).
    pub now: Timestamp,
    /// Last written from a moment until before another (JV8).
    pub between: Option<(Timestamp, Timestamp)>,
    /// At most so many.
    pub limit: usize,
}

/// What went when a memory was forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Forgotten {
    /// The memory.
    pub memory: Memory,
    /// How many vectors.
    pub vectors: u64,
    /// How many relations.
    pub relations: u64,
    /// Whether its text still stands in the store's log, because another process was reading all the
    /// while. The next removal or [`EraseStore::sweep`](crate::EraseStore::sweep) takes it out (X15).
    pub in_log: bool,
}

/// The two kinds of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// A past message.
    Message,
    /// A memory.
    Memory,
}

/// An item: what can be recalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemId {
    /// A message.
    Message(MessageId),
    /// A memory.
    Memory(MemoryId),
}

impl ItemId {
    /// Its number; unique among the items of its kind.
    pub fn number(self) -> i64 {
        match self {
            ItemId::Message(id) => id.0,
            ItemId::Memory(id) => id.0,
        }
    }
}

impl std::fmt::Display for ItemId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ItemId::Message(id) => id.fmt(f),
            ItemId::Memory(id) => id.fmt(f),
        }
    }
}

/// Whole items, and the relations of the memories among them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemsWithRelations {
    /// The items, in the order asked for.
    pub items: Vec<Item>,
    /// The relations at the memories asked for, in both directions, both ends in sight.
    pub relations: Vec<Relation>,
}

/// An item, whole.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A past message.
    Message(Message),
    /// A memory.
    Memory(Memory),
}

impl Item {
    /// Its id.
    pub fn id(&self) -> ItemId {
        match self {
            Item::Message(m) => ItemId::Message(m.id),
            Item::Memory(m) => ItemId::Memory(m.id),
        }
    }
    /// Its text.
    pub fn text(&self) -> &str {
        match self {
            Item::Message(m) => &m.text,
            Item::Memory(m) => &m.text,
        }
    }
    /// When it was said or last written.
    pub fn at(&self) -> Timestamp {
        match self {
            Item::Message(m) => m.at,
            Item::Memory(m) => m.updated_at,
        }
    }
}

/// The model a vector came from and its dimension: vectors of two spaces are never compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VectorSpace {
    /// The embedding model with its version, as `static-minilm-256@3`.
    pub model: String,
    /// Numbers in a vector.
    pub dimension: usize,
}

/// A text that waits for its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Unembedded {
    /// Which item.
    pub item: ItemId,
    /// Where it lies.
    pub place: Place,
    /// Its text.
    pub text: String,
    /// Memories: the version the text belongs to; messages: 1.
    pub version: u32,
}

/// What waits for its vector of what was written lately.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewsWaiting {
    /// The texts.
    pub texts: Vec<Unembedded>,
    /// Where the journal ended when they were read.
    pub end: i64,
}

/// A vector to be stored.
#[derive(Debug, Clone)]
pub struct NewVector {
    /// Which item.
    pub item: ItemId,
    /// The version of the text it was made from.
    pub version: u32,
    /// Normalised to length 1.
    pub vector: Vec<f32>,
}

/// The vector of a text that is stored with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// What it is of.
    pub space: VectorSpace,
    /// Normalised to length 1.
    pub vector: Vec<f32>,
}

/// What a store says of itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Health {
    /// Where it is, for people.
    pub location: String,
    /// The engine and its version.
    pub engine: String,
    /// Whether a write went through just now.
    pub writable: bool,
    /// Stored messages.
    pub messages: u64,
    /// Stored memories.
    pub memories: u64,
    /// Turns of whose exchanges nothing was captured yet.
    pub postponed: u64,
    /// Stored vectors by model.
    pub vectors: Vec<(VectorSpace, u64)>,
}
