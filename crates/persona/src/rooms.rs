//! Room settings in `greenroom.toml`: the members of channels, who answers there, and how long bots may talk (RM1, RM3,
//! RM4).

use std::slice;

use greenroom_core::{ChannelKey, PersonaName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{RoomSettings, persona::NAME_PATTERN};

/// A channel or a pattern of channels: `api:tea`, `discord:*`.
pub(crate) const CHANNELS_PATTERN: &str = "^\\S{1,200}$";

/// The room settings of `greenroom.toml`: those of a persona, and how long bots may talk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GlobalRoom {
    /// What a persona may say as well.
    #[serde(flatten)]
    pub settings: RoomSettings,
    /// Replies of personas and bots since the last message of a person (RM4).
    #[schemars(range(min = 0, max = 1_000))]
    pub chain: u32,
    /// Of these, answers between the same two, in both directions.
    #[schemars(range(min = 0, max = 1_000))]
    pub pair: u32,
    /// Answers to personas and bots in any hour. What people ask is answered all the same.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub per_hour: u32,
    /// Tokens that one answer may take there, with its tool rounds, what small models use for it, and the moderator.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub tokens_per_answer: u64,
}

impl Default for GlobalRoom {
    /// 4 replies, 3 between the same two, 120 an hour, 32,768 tokens an answer.
    fn default() -> Self {
        Self {
            settings: RoomSettings::default(),
            chain: 4,
            pair: 3,
            per_hour: 120,
            tokens_per_answer: 32_768,
        }
    }
}

/// What holds in some channels. The first entry that matches a channel decides; members are those of all that match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChannelSettings {
    /// Which channels: a key as `api:tea`, or a pattern as `discord:*`. A chat stands for its threads, too.
    #[serde(rename = "match")]
    #[schemars(regex(pattern = CHANNELS_PATTERN))]
    pub pattern: String,
    /// Personas that belong there.
    #[schemars(with = "Vec<String>", inner(regex(pattern = NAME_PATTERN)))]
    pub members: Vec<PersonaName>,
    /// Who answers.
    pub policy: RoomPolicy,
    /// Instead of `room.chain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000))]
    pub chain: Option<u32>,
    /// Instead of `room.pair`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000))]
    pub pair: Option<u32>,
    /// Instead of `room.per_hour`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub per_hour: Option<u32>,
    /// Instead of `room.tokens_per_answer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000_000))]
    pub tokens_per_answer: Option<u64>,
    /// Whether it stands for the channels of an account. In a private chat with a persona's own nick, whose thread is the
    /// persona's name, only that persona belongs by such an entry.
    #[serde(skip)]
    pub is_of_account: bool,
}

impl Default for ChannelSettings {
    /// Every channel, nobody in particular, each persona by its own policy.
    fn default() -> Self {
        Self {
            pattern: "*".into(),
            members: Vec::new(),
            policy: RoomPolicy::Free,
            chain: None,
            pair: None,
            per_hour: None,
            tokens_per_answer: None,
            is_of_account: false,
        }
    }
}

impl ChannelSettings {
    /// The personas that belong to a channel by this entry, if it applies there (RM1).
    pub fn members_of(&self, channel: &ChannelKey) -> &[PersonaName] {
        let own = |nick: &str| self.members.iter().find(|member| member.as_str() == nick);
        match self.is_of_account.then(|| channel.thread().and_then(own)).flatten() {
            // what is told to one persona's nick is not told to the others
            Some(member) => slice::from_ref(member),
            None => &self.members,
        }
    }

    /// Whether the entry applies to a channel.
    pub fn matches(&self, channel: &ChannelKey) -> bool {
        matches_channel(&self.pattern, channel)
    }
}

/// Who answers in a room (RM3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoomPolicy {
    /// Each persona by its own policy.
    #[default]
    Free,
    /// One persona a message, in turn; who is mentioned comes first.
    RoundRobin,
    /// Those that a small model chooses; as free where it fails or there is none.
    Moderator,
    /// Those that are mentioned.
    Quiet,
}

/// Whether a pattern matches a channel. `*` stands for any text. The pattern of a chat also matches its threads.
pub fn matches_channel(pattern: &str, channel: &ChannelKey) -> bool {
    let key = channel.as_str();
    let chat = &key[..channel.provider().len() + 1 + channel.chat_id().len()];
    fits(pattern, key) || (chat.len() < key.len() && fits(pattern, chat))
}

fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rm1_a_pattern_means_channels_and_a_chat_its_threads() {
        let channel = |key: &str| key.parse::<ChannelKey>().unwrap();
        for (pattern, key, means) in [
            ("*", "api:tea", true),
            ("api:tea", "api:tea", true),
            ("api:tea", "api:tea:42", true),
            ("api:tea", "api:team", false),
            ("api:tea:42", "api:tea", false),
            ("discord:*", "discord:1234", true),
            ("discord:*", "api:discord:", false),
            ("api:t*a", "api:tea", true),
            ("api:t*a", "api:ta", true),
            ("api:te*ea", "api:tea", false),
            ("*:tea", "irc:tea", true),
        ] {
            let Ok(key) = key.parse::<ChannelKey>() else { continue };
            assert_eq!(matches_channel(pattern, &key), means, "{pattern} {key}");
        }
        assert!(ChannelSettings::default().matches(&channel("terminal:default")));
    }
}
