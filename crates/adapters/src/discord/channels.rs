//! The channels that the bot knows: threads with their parents, guild channels, direct messages.

use dashmap::DashMap;
use serde_json::Value;

use crate::Place;

/// Discord's numbers of channel types.
const DIRECT: u64 = 1;
const GROUP_DIRECT: u64 = 3;
const THREADS: std::ops::RangeInclusive<u64> = 10..=12;
/// The most channels that are kept.
const MOST: usize = 50_000;

/// The known channels by id.
#[derive(Default)]
pub(super) struct Channels(DashMap<String, Channel>);

#[derive(Debug, Clone)]
struct Channel {
    name: String,
    kind: u64,
    parent: Option<String>,
    /// The guild; `None` for a direct message.
    guild: Option<String>,
    /// The newest message when Discord described the channel. `None` if Discord did not tell.
    latest: Option<u64>,
}

impl Channels {
    /// Notes a channel with the guild that its description names.
    pub(super) fn note(&self, channel: &Value) {
        self.note_in(channel["guild_id"].as_str(), channel);
    }

    /// Notes a channel of a guild. The channels in a guild's description do not name the guild again.
    pub(super) fn note_in(&self, guild: Option<&str>, channel: &Value) {
        let (Some(id), Some(kind)) = (channel["id"].as_str(), channel["type"].as_u64()) else { return };
        if self.0.len() >= MOST && !self.0.contains_key(id) {
            return;
        }
        let thread = THREADS.contains(&kind);
        let entry = Channel {
            name: channel["name"].as_str().unwrap_or(id).to_owned(),
            kind,
            parent: channel["parent_id"].as_str().filter(|_| thread).map(str::to_owned),
            guild: guild.map(str::to_owned),
            latest: channel["last_message_id"].as_str().and_then(|latest| latest.parse().ok()),
        };
        self.0.insert(id.to_owned(), entry);
    }

    /// Notes a channel of direct messages.
    pub(super) fn note_direct(&self, id: &str) {
        let channel = Channel { name: id.to_owned(), kind: DIRECT, parent: None, guild: None, latest: None };
        self.0.entry(id.to_owned()).or_insert(channel);
    }

    pub(super) fn knows(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    pub(super) fn name(&self, id: &str) -> Option<String> {
        self.0.get(id).map(|channel| channel.name.clone())
    }

    pub(super) fn is_direct(&self, id: &str) -> bool {
        self.0.get(id).is_some_and(|channel| matches!(channel.kind, DIRECT | GROUP_DIRECT))
    }

    /// The place of a channel. A thread is a thread in the place of its parent.
    pub(super) fn place(&self, id: &str) -> Place {
        match self.0.get(id).and_then(|channel| channel.parent.clone()) {
            Some(parent) => Place::thread(parent, id),
            None => Place::chat(id),
        }
    }

    /// The text channels of a guild without threads, in the order of their ids.
    pub(super) fn of_guild(&self, guild: &str) -> Vec<String> {
        let is_theirs =
            |channel: &Channel| channel.guild.as_deref() == Some(guild) && matches!(channel.kind, 0 | 5);
        let mut ids: Vec<String> =
            self.0.iter().filter(|entry| is_theirs(entry)).map(|entry| entry.key().clone()).collect();
        ids.sort_unstable();
        ids
    }

    /// Removes a deleted channel and its threads.
    pub(super) fn forget(&self, id: &str) {
        self.0.retain(|known, channel| known != id && channel.parent.as_deref() != Some(id));
    }

    /// Removes the channels of a guild that the bot has left.
    pub(super) fn forget_guild(&self, guild: &str) {
        self.0.retain(|_, channel| channel.guild.as_deref() != Some(guild));
    }

    /// The channels of direct messages.
    pub(super) fn directs(&self) -> Vec<String> {
        let direct = self.0.iter().filter(|entry| matches!(entry.kind, DIRECT | GROUP_DIRECT));
        direct.map(|entry| entry.key().clone()).collect()
    }

    /// Whether a channel may have messages newer than `seen`.
    pub(super) fn may_be_newer(&self, id: &str, seen: u64) -> bool {
        let text = |kind: u64| matches!(kind, 0 | 5 | DIRECT | GROUP_DIRECT) || THREADS.contains(&kind);
        self.0
            .get(id)
            .is_some_and(|channel| text(channel.kind) && channel.latest.is_none_or(|latest| latest > seen))
    }
}
