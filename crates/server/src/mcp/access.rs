//! An MCP host's read access to a persona's memory, and the scope and trust of the memories it writes (GR1, X6, X7).

use greenroom_core::{ChannelKey, IdError, PersonaName, Scope, Trust, UserId, UserRef, Viewer};
use greenroom_tools::Host;

/// The channel of a host that names none. No chat has it.
const OWN_CHANNEL: &str = "mcp:host";

/// The access of a host to a persona's memory.
///
/// A host is a program with a model in it, which any text may have manipulated. Its memories therefore have the trust
/// of a stranger, never that of the operator or the persona (B3).
#[derive(Debug, Clone, PartialEq)]
pub struct McpAccess {
    viewer: Viewer,
    scope: Scope,
}

/// Why a host gets no access.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A person without a provider.
    #[error("{0} is a person of some provider: name a channel of it as well")]
    NoProvider(UserId),
    /// The text is not a channel key.
    #[error(transparent)]
    Channel(#[from] IdError),
}

impl McpAccess {
    /// The access of an operator's host: to a person's memories in a channel, to a channel, or to the host's own channel.
    ///
    /// # Errors
    /// A person without a channel.
    pub fn of_operator(
        persona: &PersonaName,
        channel: Option<ChannelKey>,
        user: Option<UserId>,
    ) -> Result<Self, AccessError> {
        let (channel, scope) = match (channel, &user) {
            (Some(channel), Some(user)) => {
                let person = UserRef::new(&channel, user);
                (channel, Scope::User(person))
            }
            (Some(channel), None) => (channel.clone(), Scope::Channel(channel)),
            (None, Some(user)) => return Err(AccessError::NoProvider(user.clone())),
            (None, None) => {
                let own: ChannelKey = OWN_CHANNEL.parse()?;
                (own.clone(), Scope::Channel(own))
            }
        };
        Ok(Self { viewer: Viewer::new(persona.clone(), channel, user).one_to_one(), scope })
    }

    /// The access of a user key: in a channel of the user. The memories it writes hold only there.
    ///
    /// # Errors
    /// A user whose name cannot be a channel's.
    pub fn of_user(
        persona: &PersonaName,
        channel: Option<ChannelKey>,
        user: UserId,
    ) -> Result<Self, AccessError> {
        let channel = channel.map_or_else(|| format!("api:{user}").parse(), Ok)?;
        let scope = Scope::Channel(channel.clone());
        Ok(Self { viewer: Viewer::new(persona.clone(), channel, Some(user)).one_to_one(), scope })
    }

    /// The channel.
    pub fn channel(&self) -> &ChannelKey {
        self.viewer.channel()
    }

    /// The viewer of the host's reads. The store shows private memories only where the channel is no group (MP1).
    pub(super) fn viewer(&self) -> &Viewer {
        &self.viewer
    }

    /// The scope and trust of the host's writes.
    pub(super) fn write_scope(&self) -> Host {
        Host { scope: self.scope.clone(), trust: Trust::Stranger }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada() -> PersonaName {
        PersonaName::default()
    }

    #[test]
    fn b3_an_operators_host_writes_in_its_own_channel_where_it_names_none() {
        let channel = |key: &str| Some(key.parse::<ChannelKey>().unwrap());
        let ann = || Some("ann".parse::<UserId>().unwrap());
        let scope = |channel, user| {
            McpAccess::of_operator(&ada(), channel, user).map(|access| access.write_scope().scope)
        };
        assert_eq!(scope(None, None).unwrap(), Scope::Channel(OWN_CHANNEL.parse().unwrap()));
        assert_eq!(McpAccess::of_operator(&ada(), None, None).unwrap().write_scope().trust, Trust::Stranger);
        assert_eq!(scope(channel("irc:a"), None).unwrap(), Scope::Channel("irc:a".parse().unwrap()));
        assert_eq!(scope(channel("irc:a"), ann()).unwrap(), Scope::User("irc:ann".parse().unwrap()));
        assert!(scope(None, ann()).unwrap_err().to_string().contains("name a channel"));
    }

    #[test]
    fn x7_a_user_writes_as_a_stranger_in_their_own_channel() {
        let access = McpAccess::of_user(&ada(), None, "ann".parse().unwrap()).unwrap();
        let host = access.write_scope();
        assert_eq!((host.scope, host.trust), (Scope::Channel("api:ann".parse().unwrap()), Trust::Stranger));
        assert!(!access.viewer().sees(&ada(), &Scope::Channel("api:bob".parse().unwrap())));
        assert!(McpAccess::of_user(&ada(), None, "an n".parse().unwrap()).is_err());
    }
}
