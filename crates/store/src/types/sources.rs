//! The sources of a text: a store refuses a text if one of its sources was erased meanwhile (GR10).

use greenroom_core::{ChannelKey, MemoryId, MessageId};

use super::ItemId;

/// The items that the author of a text had read before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sources {
    /// The number of the newest erasure when the author began to read.
    pub erased: i64,
    /// The items that were read.
    pub items: Vec<ItemId>,
    /// The channel whose summary was read too. Any message of that channel may be part of the summary.
    pub summary_of: Option<ChannelKey>,
}

impl Sources {
    /// Whether there are no sources, so that no erasure can affect the text.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.summary_of.is_none()
    }

    /// The messages among the items.
    pub fn messages(&self) -> impl Iterator<Item = MessageId> {
        self.items.iter().filter_map(|item| match item {
            ItemId::Message(id) => Some(*id),
            ItemId::Memory(_) => None,
        })
    }

    /// The memories among the items.
    pub fn memories(&self) -> impl Iterator<Item = MemoryId> {
        self.items.iter().filter_map(|item| match item {
            ItemId::Memory(id) => Some(*id),
            ItemId::Message(_) => None,
        })
    }
}

/// The greatest number of erasures that are listed one by one; if there are more, they count as erased anywhere.
pub const ERASURES_TOLD: i64 = 1_000;

/// What was erased since a moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ErasedSince {
    /// The number of the newest erasure.
    pub end: i64,
    /// The channels in which an erased item may have been shown.
    pub channels: Vec<ChannelKey>,
    /// Whether an erased item may have been shown in any channel.
    pub anywhere: bool,
}

impl ErasedSince {
    /// Whether an erased item may have been shown in this channel.
    pub fn reaches(&self, channel: &ChannelKey) -> bool {
        self.anywhere || self.channels.contains(channel)
    }
}
