//! Where an MCP host sits: what it sees, and what becomes of what it writes (GR1, X6, X7).

use greenroom_core::{ChannelKey, IdError, PersonaName, Scope, Trust, UserId, UserRef, Viewer};
use greenroom_tools::Host;

/// The place of a host that names none. Nobody talks there.
const NOWHERE: &str = "mcp:host";

/// A place in a persona's memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Seat {
    viewer: Viewer,
    scope: Scope,
    trust: Trust,
}

/// Why there is no such place.
#[derive(Debug, thiserror::Error)]
pub enum SeatError {
    /// A person without the platform that knows them.
    #[error("{0} is somebody on a platform: name a channel of it as well")]
    Platform(UserId),
    /// A channel that cannot be.
    #[error(transparent)]
    Channel(#[from] IdError),
}

impl Seat {
    /// Of the operator: about a person, else in a channel, else in a place of its own that no chat shows. A host
    /// is a program with a model in it, which anybody may have talked into something: what it writes is a
    /// stranger's word, never the operator's or the persona's.
    ///
    /// # Errors
    /// A person without a channel.
    pub fn of_operator(
        persona: &PersonaName,
        channel: Option<ChannelKey>,
        user: Option<UserId>,
    ) -> Result<Self, SeatError> {
        let (channel, scope) = match (channel, &user) {
            (Some(channel), Some(user)) => {
                let person = UserRef::new(&channel, user);
                (channel, Scope::User(person))
            }
            (Some(channel), None) => (channel.clone(), Scope::Channel(channel)),
            (None, Some(user)) => return Err(SeatError::Platform(user.clone())),
            (None, None) => {
                let own: ChannelKey = NOWHERE.parse()?;
                (own.clone(), Scope::Channel(own))
            }
        };
        Ok(Self { viewer: Viewer::new(persona.clone(), channel, user), scope, trust: Trust::Stranger })
    }

    /// Of a person with a key: in a channel of theirs. What comes from them stays there.
    ///
    /// # Errors
    /// Somebody whose name cannot be a channel's.
    pub fn of_person(
        persona: &PersonaName,
        channel: Option<ChannelKey>,
        user: UserId,
    ) -> Result<Self, SeatError> {
        let channel = channel.map_or_else(|| format!("api:{user}").parse(), Ok)?;
        let scope = Scope::Channel(channel.clone());
        Ok(Self { viewer: Viewer::new(persona.clone(), channel, Some(user)), scope, trust: Trust::Stranger })
    }

    /// The channel it is in.
    pub fn channel(&self) -> &ChannelKey {
        self.viewer.channel()
    }

    /// What is seen from here.
    pub(super) fn viewer(&self) -> &Viewer {
        &self.viewer
    }

    /// As whom the host writes.
    pub(super) fn host(&self) -> Host {
        Host { scope: self.scope.clone(), trust: self.trust }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada() -> PersonaName {
        PersonaName::default()
    }

    #[test]
    fn b3_an_operators_host_writes_where_it_sits_and_in_its_own_place_without_a_seat() {
        let place = |key: &str| Some(key.parse::<ChannelKey>().unwrap());
        let ann = || Some("ann".parse::<UserId>().unwrap());
        let scope = |channel, user| Seat::of_operator(&ada(), channel, user).map(|seat| seat.host().scope);
        assert_eq!(scope(None, None).unwrap(), Scope::Channel(NOWHERE.parse().unwrap()));
        assert_eq!(Seat::of_operator(&ada(), None, None).unwrap().host().trust, Trust::Stranger);
        assert_eq!(scope(place("irc:a"), None).unwrap(), Scope::Channel("irc:a".parse().unwrap()));
        assert_eq!(scope(place("irc:a"), ann()).unwrap(), Scope::User("irc:ann".parse().unwrap()));
        assert!(scope(None, ann()).unwrap_err().to_string().contains("name a channel"));
    }

    #[test]
    fn x7_a_person_writes_as_a_stranger_in_their_own_channel() {
        let seat = Seat::of_person(&ada(), None, "ann".parse().unwrap()).unwrap();
        let host = seat.host();
        assert_eq!((host.scope, host.trust), (Scope::Channel("api:ann".parse().unwrap()), Trust::Stranger));
        assert!(!seat.viewer().sees(&ada(), &Scope::Channel("api:bob".parse().unwrap())));
        assert!(Seat::of_person(&ada(), None, "an n".parse().unwrap()).is_err());
    }
}
