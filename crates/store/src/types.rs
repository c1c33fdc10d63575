//! Arguments and results of the calls to a store.

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
    ChannelKey, IdError, Kind, Memory, MemoryId, Message, MessageId, PersonaName, Relation, Scope, Source,
    Tier, Timestamp, Trust, TurnId, UserId,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a store refused a call or failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be opened.
    #[error("cannot open the store at {path}: {reason}; {remedy}")]
    Open {
        /// The file.
        path: String,
        /// The error message of the system.
        reason: String,
        /// The remedy.
        remedy: String,
    },
    /// Another process holds the write lock for too long, or reads for too long while something is erased (S4).
    #[error(
        "the store is busy: another process has been reading or writing for {seconds} s; try again, or end it"
    )]
    Busy {
        /// How long the store waited.
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
        /// The error message of the system.
        reason: String,
    },
    /// The file was deleted, moved or replaced while it was open.
    #[error(
        "the store at {path} was deleted, moved or replaced while it was open: nothing was stored; \
         put the file with its -wal and -shm back, or restart Greenroom"
    )]
    Gone {
        /// Its former path.
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
    /// A value is not allowed, or refers to something that does not exist. Nothing was changed.
    #[error("{0}")]
    Invalid(String),
    /// A persona answers a message once. After a turn that failed or was cancelled, another is allowed (GR6).
    #[error("{persona} answers message {} already, or has answered it", message.0)]
    AlreadyAnswered {
        /// The persona that answers it.
        persona: PersonaName,
        /// The message.
        message: MessageId,
    },
    /// A turn has already progressed: it runs, or has ended.
    #[error("turn {turn} is {state} already")]
    TurnMoved {
        /// The turn.
        turn: TurnId,
        /// Its state.
        state: TurnState,
    },
    /// Something on which the write depends, or from which it was derived, was erased (GR10).
    #[error("{0}")]
    Erased(String),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// Any other error of the database.
    #[error("the store failed: {0}")]
    Other(String),
}

impl StoreError {
    /// Whether the store works and refused the call.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Invalid(_) | Self::AlreadyAnswered { .. } | Self::TurnMoved { .. })
    }
}

/// The result of accepting a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The stored message; for a duplicate, the message that was stored first.
    pub message: Message,
    /// Whether the event id was already stored.
    pub duplicate: bool,
    /// The number of the newest erasure when it was stored ([`Sources::erased`]).
    pub erased: i64,
    /// Whether the channel is a group, this message included
    /// ([`HistoryStore::group_since`](crate::HistoryStore::group_since)).
    pub group: bool,
}

/// A channel that has messages.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChannelEntry {
    /// Its key.
    pub channel: ChannelKey,
    /// Its newest message.
    pub newest: MessageId,
    /// When it was said.
    pub at: Timestamp,
}

/// A memory to be written.
#[derive(Debug, Clone)]
pub struct NewMemory {
    /// The persona that remembers it.
    pub persona: PersonaName,
    /// The scope in which it holds.
    pub scope: Scope,
    /// The statement; not empty.
    pub text: String,
    /// Its kind.
    pub kind: Kind,
    /// How long it is meant to live.
    pub tier: Tier,
    /// Its source.
    pub source: Source,
    /// Who vouches for it.
    pub trust: Trust,
    /// A later memory with the same key replaces it.
    pub key: Option<String>,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// Now.
    pub at: Timestamp,
    /// The items that its author had read before.
    pub sources: Sources,
}

/// The changes to a memory; fields that are `None` stay unchanged.
#[derive(Debug, Clone)]
pub struct MemoryEdit {
    /// Another text; not empty.
    pub text: Option<String>,
    /// Another kind.
    pub kind: Option<Kind>,
    /// Another expiry; `Some(None)` removes it.
    pub expires_at: Option<Option<Timestamp>>,
    /// Whether it is private from now on; only for a memory that holds with a person (MP1).
    pub private: Option<bool>,
    /// Who vouches for it from now on.
    pub trust: Trust,
    /// Now.
    pub at: Timestamp,
}

/// Which memories to list.
#[derive(Debug, Clone)]
pub struct MemoryFilter {
    /// The present: memories that expired before are invisible (AS9).
    pub now: Timestamp,
    /// Only these scopes, by name (`channel`, `global`, `user`, `private`); all when empty.
    pub scopes: Vec<&'static str>,
    /// Only these ids; all when empty.
    pub ids: Vec<MemoryId>,
    /// Only memories that were learned from this person or hold for them: their profile (AS12).
    pub about: Option<UserId>,
    /// The greatest number of results.
    pub limit: usize,
}

/// Which of the newest memories to list.
#[derive(Debug, Clone)]
pub struct Newest {
    /// Only this scope.
    pub scope: Scope,
    /// Only this tier.
    pub tier: Tier,
    /// Only this kind; any kind if `None`.
    pub kind: Option<Kind>,
    /// The present: memories that expired before are invisible (AS9).
    pub now: Timestamp,
    /// Only memories last written from the first moment on and before the second (JV8).
    pub between: Option<(Timestamp, Timestamp)>,
    /// The greatest number of results.
    pub limit: usize,
}

/// What was removed when a memory was forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Forgotten {
    /// The memory.
    pub memory: Memory,
    /// The number of vectors.
    pub vectors: u64,
    /// The number of relations.
    pub relations: u64,
    /// The summaries of sessions that may have contained it and were removed as well. Omitted if there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<MemoryId>,
    /// Whether the store's log still contains its text, because another process was reading the whole time. The next
    /// removal or [`EraseStore::sweep`](crate::EraseStore::sweep) removes it from the log (X15).
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

/// The id of an item: a message or a memory, which can be recalled.
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

/// Reads `m12` or `msg:4`, as [`ItemId`] is displayed.
impl std::str::FromStr for ItemId {
    type Err = IdError;

    fn from_str(id: &str) -> std::result::Result<Self, IdError> {
        let message =
            id.strip_prefix("msg:").and_then(|number| number.parse().ok()).filter(|number| *number > 0);
        let item = message.map(|number| Self::Message(MessageId(number)));
        item.or_else(|| id.parse().ok().map(Self::Memory)).ok_or_else(|| IdError::ItemId(id.to_owned()))
    }
}

/// Full items, and the relations of the memories among them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemsWithRelations {
    /// The items, in the order asked for.
    pub items: Vec<Item>,
    /// The relations from and to these memories of which the viewer sees both ends.
    pub relations: Vec<Relation>,
}

/// A full item.
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

/// An embedding model and its dimension. Vectors of two spaces are never compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VectorSpace {
    /// The embedding model with its version, such as `static-words-256@4`.
    pub model: String,
    /// Numbers in a vector.
    pub dimension: usize,
}

/// A text that waits for its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Unembedded {
    /// Which item.
    pub item: ItemId,
    /// Its place.
    pub place: Place,
    /// Its text.
    pub text: String,
    /// The version of the text; 1 for a message.
    pub version: u32,
}

/// Recently written texts that wait for their vectors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewsWaiting {
    /// The texts.
    pub texts: Vec<Unembedded>,
    /// The end of the journal when they were read.
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

/// A vector that is stored together with its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// The model that made it.
    pub space: VectorSpace,
    /// Normalised to length 1.
    pub vector: Vec<f32>,
}

/// The state of a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Health {
    /// Where it is, for people.
    pub location: String,
    /// The engine and its version.
    pub engine: String,
    /// Whether a write succeeded just now.
    pub writable: bool,
    /// Stored messages.
    pub messages: u64,
    /// Stored memories.
    pub memories: u64,
    /// Turns whose exchange is not captured yet.
    pub postponed: u64,
    /// Stored vectors by model.
    pub vectors: Vec<(VectorSpace, u64)>,
}
