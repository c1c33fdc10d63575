//! The settings of rooms, and the state of a room that is stored.

use greenroom_core::{ChannelKey, PersonaName, UserId};
use greenroom_floor::{Bound, Counters, Limits, Remaining, bound};
use greenroom_persona::{ChannelSettings, GlobalRoom, RoomPolicy};
use greenroom_store::JoinReason;
use serde::{Deserialize, Serialize};

/// The most foreign bots that a room remembers. The oldest is forgotten first.
const BOTS: usize = 64;

/// The settings of rooms: `[room]` and `[[channels]]`.
#[derive(Debug, Clone, Default)]
pub struct RoomsSettings {
    /// The defaults for all channels.
    pub room: GlobalRoom,
    /// The settings of single channels.
    pub channels: Vec<ChannelSettings>,
}

impl RoomsSettings {
    /// Who answers in a channel (RM3).
    pub fn policy(&self, channel: &ChannelKey) -> RoomPolicy {
        self.entry(channel).map_or_else(RoomPolicy::default, |entry| entry.policy)
    }

    /// How long bots may talk there (RM4).
    pub fn limits(&self, channel: &ChannelKey) -> Limits {
        let GlobalRoom { chain, pair, per_hour, tokens_per_answer, .. } = self.room;
        let entry = self.entry(channel);
        Limits {
            chain: entry.and_then(|entry| entry.chain).unwrap_or(chain),
            pair: entry.and_then(|entry| entry.pair).unwrap_or(pair),
            per_hour: entry.and_then(|entry| entry.per_hour).unwrap_or(per_hour),
            tokens_per_answer: entry.and_then(|entry| entry.tokens_per_answer).unwrap_or(tokens_per_answer),
        }
    }

    /// The personas that belong to a channel by the settings (RM1).
    pub fn members(&self, channel: &ChannelKey) -> Vec<PersonaName> {
        let entries = self.channels.iter().filter(|entry| entry.matches(channel));
        let mut members: Vec<_> =
            entries.flat_map(|entry| entry.members_of(channel).iter().cloned()).collect();
        members.sort();
        members.dedup();
        members
    }

    /// The personas that belong to a channel by settings and by files; `by_file` names the latter (RM1). The settings
    /// take precedence.
    pub(crate) fn belonging(
        &self,
        channel: &ChannelKey,
        by_file: impl IntoIterator<Item = PersonaName>,
    ) -> Vec<(PersonaName, JoinReason)> {
        let mut belonging: Vec<_> =
            self.members(channel).into_iter().map(|name| (name, JoinReason::Settings)).collect();
        for name in by_file {
            if belonging.iter().all(|(known, _)| *known != name) {
                belonging.push((name, JoinReason::File));
            }
        }
        belonging
    }

    /// The most that can follow the last message of a person (RM5).
    pub fn bound(&self, channel: &ChannelKey) -> Bound {
        bound(&self.limits(channel), Remaining::UNLIMITED)
    }

    fn entry(&self, channel: &ChannelKey) -> Option<&ChannelSettings> {
        self.channels.iter().find(|entry| entry.matches(channel))
    }
}

/// The state of a room that survives a restart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RoomLedger {
    pub(crate) counters: Counters,
    /// The foreign bots that spoke here, the newest last.
    pub(crate) bots: Vec<UserId>,
    /// The number of counted messages of persons and bots.
    pub(crate) heard: u64,
}

impl RoomLedger {
    /// Reads the stored state. If it cannot be read, the room starts with none: a person begins a new chain anyway.
    pub(crate) fn read(stored: Option<&str>) -> Self {
        let read = stored.map(serde_json::from_str).transpose();
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "the stored state of a room cannot be read; it begins anew");
            None
        })
        .unwrap_or_default()
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn has_bots(&self) -> bool {
        !self.bots.is_empty()
    }

    pub(crate) fn is_bot(&self, user: &UserId) -> bool {
        self.bots.contains(user)
    }

    /// Adds a user to the known bots.
    pub(crate) fn add_bot(&mut self, user: &UserId) {
        if !self.is_bot(user) {
            if self.bots.len() >= BOTS {
                self.bots.remove(0);
            }
            self.bots.push(user.clone());
        }
    }
}
