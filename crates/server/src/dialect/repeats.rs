//! The message that a request without a key may repeat: the newest one of its author in the channel.
//!
//! If the reply to a first attempt was lost (the connection broke, the client timed out, the turn failed, the server
//! died), the message is stored. If the server refused it (a limit, a stopping server) or was not reached, it is not
//! stored. A retry looks the same in both cases. So it counts as a repeat of a stored message only
//! - while that is the newest message of its author there: after a newer one, the author sent the same text again;
//! - for the same persona;
//! - while the request does not show the reply to it: a client that sends the reply along has it.
//!
//! One case stays ambiguous: a client that sends no history and the same text twice in a row, and whose second message
//! was refused. It gets the first reply again.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use greenroom_core::{
    Author, ChannelKey, Entropy, Message, PersonaName, SystemClock, SystemEntropy, Time, Timestamp, UserId,
};
use greenroom_store::Turn;

use super::conversation::Said;
use crate::{ApiError, Services};

/// The time in which a repeated message without a key is the same message. SDKs give up earlier.
pub(super) const REPEATED: Duration = Duration::from_secs(15 * 60);
/// The page sizes for searching the newest message of a person in a channel: the first page, and later ones. Then the
/// greatest number of messages read.
const FIRST_PAGE: usize = 16;
const PAGE: usize = 128;
const LOOKED_AT: usize = 4_096;
/// The prefix of the event ids that this server assigns.
const OURS: &str = "v1-";
/// The length of a UUID.
const UUID: usize = 36;

/// The identity of a message without a key: the same text of the same person to the same persona.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MessageIdentity {
    /// The hash of the text. Two texts of one person with the same hash within a quarter of an hour count as one.
    hash: u64,
    pub(super) user: UserId,
    pub(super) persona: PersonaName,
    pub(super) channel: ChannelKey,
}

impl MessageIdentity {
    pub(super) fn new(channel: &ChannelKey, persona: &PersonaName, user: &UserId, text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let (channel, persona, user) = (channel.clone(), persona.clone(), user.clone());
        Self { channel, persona, user, hash: hasher.finish() }
    }

    /// A new event id. It names the persona, so that a later run of the server knows whom the message addressed.
    pub(super) fn new_id(&self) -> String {
        format!("{OURS}{}-{}", SystemEntropy.uuid(), self.persona)
    }
}

/// The persona that was addressed by a message whose event id this server assigned.
fn addressed(event_id: &str) -> Option<&str> {
    event_id.strip_prefix(OURS)?.get(UUID..)?.strip_prefix('-')
}

/// The newest stored message of a person in a channel, apart from the one being sent.
#[derive(Debug)]
pub(super) struct NewestMessage {
    pub(super) event_id: String,
    pub(super) at: Timestamp,
    /// Whether it has the same text, is for the same persona, and had no key.
    pub(super) is_same: bool,
    /// Whether the request shows the reply to it.
    pub(super) is_read: bool,
    /// Whether an earlier run of the server left it without a reply: its turn failed, or a crash ended it.
    pub(super) is_left_over: bool,
}

impl NewestMessage {
    /// Reads the message, if it was sent within [`REPEATED`]. `started` is the start of this run of the server.
    pub(super) async fn read(
        services: &Services,
        identity: &MessageIdentity,
        said: &Said,
        started: Timestamp,
    ) -> Result<Option<Self>, ApiError> {
        let Some(message) = newest_of(services, identity).await? else { return Ok(None) };
        let Message { id, event_id, text, at, .. } = message;
        let persona = identity.persona.as_str();
        let is_same = text == said.text && addressed(&event_id) == Some(persona);
        let mut newest = Self { event_id, at, is_same, is_read: false, is_left_over: false };
        if is_same {
            let turns = services.store.answers(id).await?;
            let turn = turns.into_iter().find(|turn| turn.persona == identity.persona);
            let reply = turn.and_then(|Turn { reply, .. }| reply);
            if let Some(reply) = reply {
                let text = services.store.message(reply).await?.map(|reply| reply.text);
                newest.is_read = text.is_some_and(|text| said.shows_reply(&text));
            }
            newest.is_left_over = at < started && reply.is_none();
        }
        Ok(Some(newest))
    }
}

/// The newest message of the person in the channel, if it was sent within [`REPEATED`].
async fn newest_of(services: &Services, identity: &MessageIdentity) -> Result<Option<Message>, ApiError> {
    let now = SystemClock.now();
    let is_recent = |said: &Message| now.since(said.at) < REPEATED;
    let is_theirs = |said: &Message| matches!(&said.author, Author::User { id, .. } if *id == identity.user);
    let (mut before, mut size, mut read) = (None, FIRST_PAGE, 0);
    while read < LOOKED_AT {
        let mut page = services.store.page(&identity.channel, before, size).await?;
        if let Some(at) = page.iter().rposition(is_theirs) {
            return Ok(Some(page.swap_remove(at)).filter(is_recent));
        }
        let Some(oldest) = page.first().filter(|said| is_recent(said)) else { break };
        (before, read, size) = (Some(oldest.id), read + size, PAGE);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gr6_an_event_id_names_the_persona_that_the_message_addressed() {
        let (channel, persona) = ("api:den".parse().unwrap(), "ada-2".parse().unwrap());
        let identity = MessageIdentity::new(&channel, &persona, &"jo".parse().unwrap(), "yes");
        assert_eq!(addressed(&identity.new_id()), Some("ada-2"));
        for other in ["v1-7", "v1-", "order-17", "v1-0190a6a2-0000-7000-8000-000000000000"] {
            assert_eq!(addressed(other), None, "{other}");
        }
    }
}
