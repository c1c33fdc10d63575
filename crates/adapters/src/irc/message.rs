//! Reads a PRIVMSG line: who says what where, and whom it addresses.

use greenroom_core::{Entropy, PersonaName, SystemEntropy, Timestamp};

use super::{
    history::read_time,
    line::{Line, folded, is_channel, without_marks},
    link::Shared,
    people::{SignedOn, unsigned_id},
    session::{Peer, Session},
};
use crate::{Author, AuthorKind, Event, Message, Place, text::short_hash};

impl Session {
    /// Reads a line. `is_past`: it is of the history, and another person may use the nick now.
    pub(super) fn message(
        &mut self,
        line: &Line,
        signed_on: SignedOn<'_>,
        is_past: bool,
        shared: &Shared,
    ) -> Option<Event> {
        let (target, nick) = (line.param(0), line.nick());
        let in_channel = is_channel(target);
        if in_channel && self.earlier.is_in(target) || nick.is_empty() {
            return None;
        }
        let text = without_ctcp(line.param(1), nick)?;
        let said_at = line.tag("time").and_then(read_time);
        let kind = match () {
            () if self.is_ours(nick) => AuthorKind::Ourselves,
            () if line.tags.contains_key("bot") || line.tags.contains_key("inspircd.org/bot") => {
                AuthorKind::Bot
            }
            () => AuthorKind::Person,
        };
        let person = self.people.person(nick, signed_on);
        shared.spoke(&person.id, nick, is_past);
        let chat = match in_channel {
            true => format!("{}/{}", self.account, folded(target)),
            false => private_chat(&self.account, nick, &person.id),
        };
        let place = match &self.persona {
            Some(persona) if !in_channel => Place::thread(chat, persona.as_str()),
            _ => Place::chat(chat),
        };
        let author = Author { person, kind };
        let is_named =
            |peer: &&Peer| begins_with(&text, &peer.shared.nick()) || begins_with(&text, &peer.wished);
        let mentioned: Vec<_> = self.peers.iter().filter(is_named).collect();
        let mut mentions: Vec<PersonaName> =
            mentioned.iter().filter_map(|peer| peer.persona.clone()).collect();
        if !in_channel {
            mentions = self.persona.iter().cloned().collect();
        }
        let addressed = !in_channel || !mentioned.is_empty() || begins_with(&text, &shared.nick());
        if let Some(at) = said_at {
            self.seen_until = self.seen_until.max(Some(at));
        }
        let event_id = line.tag("msgid").map_or_else(|| made_up_id(line, said_at), str::to_owned);
        Some(Event::Message(Message {
            mentions,
            addressed,
            reply_to: line.tag("+draft/reply").or_else(|| line.tag("+reply")).map(str::to_owned),
            group: in_channel,
            said_at,
            ..Message::new(place, event_id, author, text)
        }))
    }
}

/// The private chat with a nick: `net/ann`, or `net/ann@account` with a person who has signed on. So the next holder of
/// the nick, who has not signed on as this account, enters another chat and hears nothing of this one (MP1).
fn private_chat(network: &str, nick: &str, person: &str) -> String {
    let account = person.strip_prefix(network).and_then(|id| id.strip_prefix('/')).unwrap_or(person);
    let nick = folded(nick);
    match account.starts_with('~') {
        true => format!("{network}/{nick}"),
        false => format!("{network}/{nick}@{account}"),
    }
}

/// The nick of a [`private_chat`] when it began, and the id of the person.
pub(super) fn private_partner<'a>(network: &str, chat: &'a str) -> (&'a str, String) {
    match chat.split_once('@') {
        Some((nick, account)) => (nick, format!("{network}/{account}")),
        None => (chat, unsigned_id(network, chat)),
    }
}

/// The id of a message to which the server gives none. It is stable for messages of the history.
fn made_up_id(line: &Line, said_at: Option<Timestamp>) -> String {
    let moment = said_at.map_or_else(|| SystemEntropy.uuid().to_string(), |at| at.0.to_string());
    format!("made-up-{}", short_hash(&format!("{moment} {:?} {:?}", line.prefix, line.params)))
}

/// Whether a text addresses a nick at its beginning: `ada: hello`, `Ada, hello`.
fn begins_with(said: &str, nick: &str) -> bool {
    let rest = said.get(..nick.len()).filter(|head| !nick.is_empty() && folded(head) == folded(nick));
    rest.is_some_and(|_| said[nick.len()..].starts_with([':', ',']))
}

/// Removes formatting codes. `/me waves` becomes `*ann waves*`. `None` for a CTCP request of a client.
fn without_ctcp(said: &str, nick: &str) -> Option<String> {
    match said.strip_prefix('\u{1}') {
        Some(asked) => {
            let action = asked.trim_end_matches('\u{1}').strip_prefix("ACTION ")?;
            Some(format!("*{nick} {}*", without_marks(action)))
        }
        None => Some(without_marks(said)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad2_who_is_meant_and_what_was_said_is_read_from_the_text() {
        assert!(begins_with("Ada: hello", "ada") && begins_with("ada, hello", "ada"));
        assert!(
            !begins_with("adah: hello", "ada")
                && !begins_with("hello ada:", "ada")
                && !begins_with("é", "ada")
        );
        assert_eq!(without_ctcp("\u{1}ACTION waves\u{1}", "ann").as_deref(), Some("*ann waves*"));
        assert_eq!(without_ctcp("\u{1}VERSION\u{1}", "ann"), None);
        assert_eq!(without_ctcp("\u{2}hi", "ann").as_deref(), Some("hi"));
    }
}
