//! Where a memory is valid, and who looks (GR1). A recall takes a [`Viewer`]; nothing else does.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ChannelKey, PersonaName, UserId, UserRef};

/// Where a persona's memory holds. The persona itself is a field of the memory, so that a scope
/// never crosses personas.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(tag = "scope", content = "of", rename_all = "snake_case")]
pub enum Scope {
    /// This persona in this channel.
    Channel(ChannelKey),
    /// This persona everywhere.
    Global,
    /// This persona about or with this person, on the platform that knows them by this id.
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
    /// Whether a memory with this scope can be shown in a channel, to whomever.
    pub fn reaches(&self, channel: &ChannelKey) -> bool {
        match self {
            Scope::Global => true,
            Scope::Channel(of) => of == channel,
            Scope::User(user) => user.provider() == channel.provider(),
        }
    }
}

/// Who recalls, and for what: the only way into a recall (GR1, WB7, X6).
///
/// There is no default and no wildcard: a viewer sees this persona's memories of this channel,
/// its global ones and those about this user of the channel's platform, and the messages of this
/// channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Viewer {
    persona: PersonaName,
    channel: ChannelKey,
    user: Option<UserId>,
}

impl Viewer {
    /// The view of `persona` in `channel`, talking with `user` if one person is meant.
    pub fn new(persona: PersonaName, channel: ChannelKey, user: Option<UserId>) -> Self {
        Self { persona, channel, user }
    }
    /// Whose memories.
    pub fn persona(&self) -> &PersonaName {
        &self.persona
    }
    /// In which channel.
    pub fn channel(&self) -> &ChannelKey {
        &self.channel
    }
    /// With whom.
    pub fn user(&self) -> Option<&UserId> {
        self.user.as_ref()
    }
    /// With whom, on the channel's platform.
    pub fn user_ref(&self) -> Option<UserRef> {
        self.user.as_ref().map(|user| UserRef::new(&self.channel, user))
    }
    /// Whether a memory of `persona` with this scope may be seen. The store states the same rule
    /// as a predicate; its test suite holds both against each other.
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
