//! Where a memory is valid, and who sees it (GR1). Only a recall takes a [`Viewer`].

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ChannelKey, PersonaName, UserId, UserRef};

/// Where a persona's memory is valid. The persona is a field of the memory, so that a scope never crosses personas.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(tag = "scope", content = "of", rename_all = "snake_case")]
pub enum Scope {
    /// This persona in this channel.
    Channel(ChannelKey),
    /// This persona everywhere.
    Global,
    /// This persona about or with this person of this platform.
    User(UserRef),
    /// The same, told one to one and visible one to one (MP1).
    Private(UserRef),
}

impl Scope {
    /// The word of the scope, as stored and shown.
    pub fn name(&self) -> &'static str {
        match self {
            Scope::Channel(_) => "channel",
            Scope::Global => "global",
            Scope::User(_) => "user",
            Scope::Private(_) => "private",
        }
    }
    /// The person, for a scope of one person.
    pub fn person(&self) -> Option<&UserRef> {
        match self {
            Scope::User(person) | Scope::Private(person) => Some(person),
            Scope::Channel(_) | Scope::Global => None,
        }
    }
    /// Whether a memory with this scope can be shown to any person in a channel.
    pub fn reaches(&self, channel: &ChannelKey) -> bool {
        match self {
            Scope::Global => true,
            Scope::Channel(of) => of == channel,
            Scope::User(user) | Scope::Private(user) => user.provider() == channel.provider(),
        }
    }
}

/// Who recalls, and for which channel and person: the only way into a recall (GR1, WB7, X6).
///
/// There is no wildcard. A viewer sees the persona's memories of this channel, its global memories, its memories about
/// this user of the channel's platform, and the messages of this channel. The user's private memories are visible to a
/// viewer made by [`Viewer::one_to_one`] alone, and a store shows them only while the channel is no group (MP1).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Viewer {
    persona: PersonaName,
    channel: ChannelKey,
    user: Option<UserId>,
    one_to_one: bool,
}

impl Viewer {
    /// The view of `persona` in `channel`, where others may listen; `user` is the person it talks with, if it is one
    /// person.
    pub fn new(persona: PersonaName, channel: ChannelKey, user: Option<UserId>) -> Self {
        Self { persona, channel, user, one_to_one: false }
    }
    /// The same view with the user's private memories: no other person listens.
    pub fn one_to_one(self) -> Self {
        Self { one_to_one: true, ..self }
    }
    /// The same view without private memories.
    pub fn in_a_group(self) -> Self {
        Self { one_to_one: false, ..self }
    }
    /// The same view with another person.
    pub fn with(self, user: UserId) -> Self {
        Self { user: Some(user), ..self }
    }
    /// The view of everything that the user told this persona, outside of every channel. Capture compares a new
    /// statement with these memories; no reply shows them.
    pub fn keeping(&self) -> Self {
        Self { channel: self.channel.nowhere_beside(), one_to_one: true, ..self.clone() }
    }
    /// Whether the view includes the user's private memories.
    pub fn is_one_to_one(&self) -> bool {
        self.one_to_one
    }
    /// The persona whose memories are visible.
    pub fn persona(&self) -> &PersonaName {
        &self.persona
    }
    /// In which channel.
    pub fn channel(&self) -> &ChannelKey {
        &self.channel
    }
    /// The person in the conversation.
    pub fn user(&self) -> Option<&UserId> {
        self.user.as_ref()
    }
    /// The person in the conversation, with the channel's platform.
    pub fn user_ref(&self) -> Option<UserRef> {
        self.user.as_ref().map(|user| UserRef::new(&self.channel, user))
    }
    /// Whether the viewer sees a memory of `persona` with this scope. The store implements the same rule in SQL; the
    /// store's test suite compares the two. The store adds that a group shows no private memory to any viewer (MP1).
    pub fn sees(&self, persona: &PersonaName, scope: &Scope) -> bool {
        persona == &self.persona
            && match scope {
                Scope::Global => true,
                Scope::Channel(c) => c == &self.channel,
                Scope::User(u) => Some(u) == self.user_ref().as_ref(),
                Scope::Private(u) => self.one_to_one && Some(u) == self.user_ref().as_ref(),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gr1_a_memory_reaches_the_channels_in_which_somebody_may_see_it() {
        let [here, thread, other, elsewhere] = ["api:ann", "api:ann:work", "api:bo", "discord:ann"]
            .map(|key| key.parse::<ChannelKey>().unwrap());
        let ann = Scope::User(UserRef::new(&here, &"ann".parse().unwrap()));
        let reached = |scope: &Scope| [&here, &thread, &other, &elsewhere].map(|key| scope.reaches(key));
        assert_eq!(reached(&Scope::Global), [true; 4]);
        assert_eq!(reached(&ann), [true, true, true, false]);
        assert_eq!(reached(&Scope::Channel(here.clone())), [true, false, false, false]);
    }
}
