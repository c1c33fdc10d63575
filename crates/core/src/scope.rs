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
}

impl Scope {
    /// The word of the scope, as stored and shown.
    pub fn name(&self) -> &'static str {
        match self {
            Scope::Channel(_) => "channel",
            Scope::Global => "global",
            Scope::User(_) => "user",
        }
    }
    /// Whether a memory with this scope can be shown to any person in a channel.
    pub fn reaches(&self, channel: &ChannelKey) -> bool {
        match self {
            Scope::Global => true,
            Scope::Channel(of) => of == channel,
            Scope::User(user) => user.provider() == channel.provider(),
        }
    }
}

/// Who recalls, and for which channel and person: the only way into a recall (GR1, WB7, X6).
///
/// There is no default and no wildcard. A viewer sees the persona's memories of this channel, its global memories,
/// its memories about this user of the channel's platform, and the messages of this channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Viewer {
    persona: PersonaName,
    channel: ChannelKey,
    user: Option<UserId>,
}

impl Viewer {
    /// The view of `persona` in `channel`; `user` is the person it talks with, if it is one person.
    pub fn new(persona: PersonaName, channel: ChannelKey, user: Option<UserId>) -> Self {
        Self { persona, channel, user }
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
    /// store's test suite compares the two.
    pub fn sees(&self, persona: &PersonaName, scope: &Scope) -> bool {
        persona == &self.persona
            && match scope {
                Scope::Global => true,
                Scope::Channel(c) => c == &self.channel,
                Scope::User(u) => Some(u) == self.user_ref().as_ref(),
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
