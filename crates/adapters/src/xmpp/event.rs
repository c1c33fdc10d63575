//! Turns stanzas into events: messages, corrections, retractions, files.

use greenroom_core::Timestamp;

use super::{
    session::{Occupant, Role, Session, bare, resource},
    stream::CLIENT,
    xml::Element,
};
use crate::{
    Attachment, Author, AuthorKind, Edit, Event, Message, Person, Place, place::escaped, text::clean_name,
};

pub(super) const SID: &str = "urn:xmpp:sid:0";
pub(super) const MUC_USER: &str = "http://jabber.org/protocol/muc#user";
pub(super) const OCCUPANT: &str = "urn:xmpp:occupant-id:0";
pub(super) const RETRACT: &str = "urn:xmpp:message-retract:1";
pub(super) const REPLY: &str = "urn:xmpp:reply:0";
const CORRECT: &str = "urn:xmpp:message-correct:0";
const FALLBACK: &str = "urn:xmpp:fallback:0";
const DELAY: &str = "urn:xmpp:delay";
const OOB: &str = "jabber:x:oob";
const ENCRYPTED: [&str; 3] = ["eu.siacs.conversations.axolotl", "urn:xmpp:omemo:2", "urn:xmpp:openpgp:0"];

/// The meaning of a message stanza.
#[derive(Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "most are events, and none is kept")]
pub(super) enum Parsed {
    Event(Event),
    /// A message that we sent, as the platform returns it.
    Echo {
        key: String,
        event_id: String,
    },
    /// An encrypted message, which cannot be read, and the chat to answer to.
    Encrypted {
        to: String,
        group: bool,
    },
    Nothing,
}

/// What the archive tells about a message. Empty for a live message.
#[derive(Default)]
pub(super) struct Archived<'a> {
    /// The archive's id, which is the message's stanza id.
    pub(super) id: Option<&'a str>,
    pub(super) at: Option<Timestamp>,
}

/// The account's own names, to recognise echoes and addressed messages.
pub(super) struct OwnNames<'a> {
    /// The account's name in the settings. Direct chats have it in their place.
    pub(super) account: &'a str,
    /// The account's JID without a resource.
    pub(super) jid: &'a str,
    pub(super) role: &'a Role,
    /// The personas of the other connections' resources. A message to a resource addresses its persona.
    pub(super) resources: &'a [(String, greenroom_core::PersonaName)],
    /// The nicks of the account's connections in the room.
    pub(super) nicks: Vec<(String, Option<greenroom_core::PersonaName>)>,
}

impl Session {
    /// Classifies a message stanza.
    pub(super) fn message(&mut self, stanza: &Element, archived: &Archived<'_>, us: &OwnNames<'_>) -> Parsed {
        let kind = stanza.attribute("type").unwrap_or("normal");
        let from = stanza.attribute("from").unwrap_or(us.jid).to_owned();
        match kind {
            "groupchat" => self.said_in_room(stanza, &from, archived, us),
            "chat" | "normal" => self.said_in_private(stanza, &from, archived, us),
            _ => Parsed::Nothing,
        }
    }

    fn said_in_room(
        &mut self,
        stanza: &Element,
        from: &str,
        archived: &Archived<'_>,
        us: &OwnNames<'_>,
    ) -> Parsed {
        let chat = bare(from).to_owned();
        let Some(room) = self.rooms.get(&chat) else { return Parsed::Nothing };
        let (has_ids, occupants) = (room.has_ids, &room.occupants);
        let place = Place::chat(chat.as_str());
        let Some(nick) = resource(from) else {
            // a message of the room itself: a moderator retracts a message
            return match stanza.get("retract", RETRACT).and_then(|retract| retract.attribute("id")) {
                Some(id) => Parsed::Event(Event::Deleted { place, event_id: id.to_owned(), by: None }),
                None => Parsed::Nothing,
            };
        };
        let occupant = match archived.id {
            None => occupants.get(nick).cloned().unwrap_or_default(),
            // the room writes its own data into the archive and removes such data from authors
            Some(_) => self.with_address(&chat, occupant(stanza, has_ids)),
        };
        let stanza_id = archived.id.map(str::to_owned).or_else(|| stanza_id(stanza, &chat));
        let given = stanza.attribute("id").unwrap_or_default();
        let event_id = stanza_id.unwrap_or_else(|| given_id(given, nick));
        // at the time of an archived message, another person may have used the nick
        let is_ours = match (archived.id, occupant.jid.as_deref()) {
            (Some(_), Some(jid)) => jid == us.jid,
            (_, jid) => us.nicks.iter().any(|(own, _)| own == nick) || jid == Some(us.jid),
        };
        if is_ours {
            return self.echo(stanza, event_id);
        }
        let person = self::person(&chat, nick, &occupant);
        let said = Incoming { stanza, place, chat: &chat, person, event_id, given, archived };
        let heard = self.said(said);
        let Parsed::Event(Event::Message(mut message) | Event::Edited(Edit { mut message })) = heard else {
            return heard;
        };
        let mentioned: Vec<_> = us.nicks.iter().filter(|(own, _)| is_for(&message.text, own)).collect();
        message.mentions = mentioned.iter().filter_map(|(_, persona)| persona.clone()).collect();
        message.addressed = !mentioned.is_empty();
        let occupants = self.rooms.get(&chat).into_iter().flat_map(|room| &room.occupants);
        let named = occupants.filter(|(nick, _)| is_for(&message.text, nick));
        message.mentioned = named.map(|(nick, who)| self::person(&chat, nick, who).id).collect();
        if occupant.is_bot {
            message.author.kind = AuthorKind::Bot;
        }
        self.event(stanza, &chat, message)
    }

    fn said_in_private(
        &mut self,
        stanza: &Element,
        from: &str,
        archived: &Archived<'_>,
        us: &OwnNames<'_>,
    ) -> Parsed {
        let in_room = self.rooms.contains_key(bare(from)) || stanza.get("x", MUC_USER).is_some();
        let given = stanza.attribute("id").unwrap_or_default();
        if bare(from) == us.jid {
            // our own message, from the archive
            return self.echo(stanza, given.to_owned());
        }
        let (chat, person) = match in_room {
            true => (from.to_owned(), self.occupant_of(stanza, from, archived)),
            false => {
                let peer = bare(from).to_owned();
                let name = clean_name(peer.split('@').next().unwrap_or_default(), &peer);
                (peer.clone(), Person { id: peer, name })
            }
        };
        let to_resource = stanza.attribute("to").and_then(resource).unwrap_or_default();
        let spoken_to = us.resources.iter().find(|(own, _)| own == to_resource).map(|(_, of)| of.clone());
        let own_chat = match in_room {
            true => format!("{}/{}", us.account, chat_with_occupant(bare(from), &person)),
            false => format!("{}/{chat}", us.account),
        };
        let place = match (&spoken_to, in_room) {
            // a private message to a persona's nick in a room is a chat with that persona
            (Some(persona), true) => Place::thread(own_chat, persona.as_str()),
            _ => Place::chat(own_chat),
        };
        let stanza_id = archived.id.map(str::to_owned).or_else(|| stanza_id(stanza, us.jid));
        let event_id = stanza_id.unwrap_or_else(|| given_id(given, from));
        let said = Incoming { stanza, place, chat: &chat, person, event_id, given, archived };
        let heard = self.said(said);
        let Parsed::Event(Event::Message(mut message) | Event::Edited(Edit { mut message })) = heard else {
            return heard;
        };
        message.group = false;
        message.addressed = true;
        // a message to the account's own address addresses no persona
        let usual = us.role.persona.clone().filter(|_| in_room);
        message.mentions = spoken_to.or(usual).into_iter().collect();
        self.event(stanza, &chat, message)
    }

    /// The occupant of a room who sent a private message.
    fn occupant_of(&self, stanza: &Element, from: &str, archived: &Archived<'_>) -> Person {
        let (room, nick) = (bare(from), resource(from).unwrap_or_default());
        let known = self.rooms.get(room);
        let who = match archived.id {
            None => known.and_then(|room| room.occupants.get(nick)).cloned().unwrap_or_default(),
            // another person may have the nick now
            Some(_) => occupant(stanza, known.is_some_and(|room| room.has_ids)),
        };
        person(room, nick, &who)
    }

    fn echo(&mut self, stanza: &Element, event_id: String) -> Parsed {
        let key = stanza.get("origin-id", SID).and_then(|origin| origin.attribute("id"));
        match key.or_else(|| stanza.attribute("id")) {
            Some(key) => Parsed::Echo { key: key.to_owned(), event_id },
            None => Parsed::Nothing,
        }
    }

    /// A message or a retraction of another author.
    fn said(&mut self, said: Incoming<'_>) -> Parsed {
        let Incoming { stanza, place, chat, person, event_id, given, archived } = said;
        if let Some(id) = retracted(stanza) {
            let event_id = self.event_id(chat, &person.id, id);
            return Parsed::Event(Event::Deleted { place, event_id, by: Some(person.id) });
        }
        let group = stanza.attribute("type") == Some("groupchat");
        if ENCRYPTED.iter().any(|ns| stanza.get_ns(ns).is_some()) {
            return Parsed::Encrypted { to: chat.to_owned(), group };
        }
        let Some(body) = stanza.get("body", CLIENT) else { return Parsed::Nothing };
        let (text, attachments) = match stanza.get("x", OOB).and_then(|file| file.get("url", OOB)) {
            Some(url) if url.text == body.text => (String::new(), vec![file(&url.text)]),
            Some(url) => (body.text.clone(), vec![file(&url.text)]),
            None => (without_quote(stanza, &body.text), Vec::new()),
        };
        let text = action(&text, &person.name);
        if !given.is_empty() {
            let own = (chat.to_owned(), person.id.clone(), given.to_owned());
            self.event_ids.insert(own, event_id.clone());
            self.given_ids.insert((chat.to_owned(), event_id.clone()), given.to_owned());
        }
        let reply = stanza.get("reply", REPLY).and_then(|reply| reply.attribute("id"));
        let author = Author { person, kind: AuthorKind::Person };
        Parsed::Event(Event::Message(Message {
            reply_to: reply.map(|id| self.any_event_id(chat, id)),
            attachments,
            said_at: archived.at.or_else(|| delayed(stanza)),
            ..Message::new(place, event_id, author, text)
        }))
    }

    /// The event of a message: a message, or an edit if it corrects an earlier message of the same author.
    fn event(&self, stanza: &Element, chat: &str, message: Message) -> Parsed {
        let corrected = stanza.get("replace", CORRECT).and_then(|replace| replace.attribute("id"));
        let known = corrected.and_then(|id| {
            self.event_ids.get(&(chat.to_owned(), message.author.person.id.clone(), id.to_owned()))
        });
        Parsed::Event(match known {
            Some(event_id) => {
                Event::Edited(Edit { message: Message { event_id: event_id.clone(), ..message } })
            }
            None => Event::Message(message),
        })
    }

    /// The event id of a message, by the id that its author gave.
    fn event_id(&self, chat: &str, author: &str, id: &str) -> String {
        let known = self.event_ids.get(&(chat.to_owned(), author.to_owned(), id.to_owned()));
        known.cloned().unwrap_or_else(|| id.to_owned())
    }

    /// The event id of a message that another author refers to. In a direct chat that is the id that its author gave.
    fn any_event_id(&self, chat: &str, id: &str) -> String {
        self.event_id(chat, chat, id)
    }
}

/// The parsed parts of a message.
struct Incoming<'a> {
    stanza: &'a Element,
    place: Place,
    chat: &'a str,
    person: Person,
    event_id: String,
    given: &'a str,
    archived: &'a Archived<'a>,
}

/// The stanza id that `by` gave. Ids that others wrote in its name are ignored (XEP-0359).
pub(super) fn stanza_id(stanza: &Element, by: &str) -> Option<String> {
    let ids = stanza.children.iter().filter(|child| child.is("stanza-id", SID));
    ids.filter(|id| id.attribute("by") == Some(by)).find_map(|id| id.attribute("id").map(str::to_owned))
}

/// The id of a message to which the server gave none. Made of the author's id for it, which is unique per author only.
fn given_id(given: &str, author: &str) -> String {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(author);
    let author: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{given}~{author}")
}

/// The data about an occupant that a room adds to a stanza.
pub(super) fn occupant(stanza: &Element, has_ids: bool) -> Occupant {
    let item = stanza.get("x", MUC_USER).and_then(|x| x.get("item", MUC_USER));
    let id = stanza.get("occupant-id", OCCUPANT).filter(|_| has_ids);
    Occupant {
        jid: item.and_then(|item| item.attribute("jid")).map(|jid| bare(jid).to_owned()),
        id: id.and_then(|id| id.attribute("id")).map(str::to_owned),
        ..Occupant::default()
    }
}

/// A person in a room. The id is the JID, else the room's own id, else the nick, which proves nothing.
pub(super) fn person(room: &str, nick: &str, occupant: &Occupant) -> Person {
    let id = match (&occupant.jid, &occupant.id) {
        (Some(jid), _) => jid.clone(),
        (None, Some(id)) => format!("{room}#{id}"),
        (None, None) => format!("{room}/{}", escaped(nick)),
    };
    Person { id, name: clean_name(nick, nick) }
}

/// The private chat with an occupant of a room: `room/id`. It is with the person: the next occupant with the same nick
/// has another id, enters another chat and hears nothing of this one (MP1).
fn chat_with_occupant(room: &str, person: &Person) -> String {
    format!("{room}/{}", person.id)
}

/// The room and the person's id of a [`chat_with_occupant`]; `None` for a room and for the chat with an address.
pub(super) fn partner_in_room(chat: &str) -> Option<(&str, &str)> {
    chat.split_once('/')
}

/// The id of the message that an author retracts. Reads the present and the previous version of XEP-0424.
fn retracted(stanza: &Element) -> Option<&str> {
    if let Some(retract) = stanza.get("retract", RETRACT) {
        return retract.attribute("id");
    }
    let apply = stanza.get("apply-to", "urn:xmpp:fasten:0")?;
    apply.get("retract", "urn:xmpp:message-retract:0").and_then(|_| apply.attribute("id"))
}

/// A file at a web address.
fn file(url: &str) -> Attachment {
    let name = url.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let media_type = match ending.as_str() {
        "png" | "gif" | "webp" => Some(format!("image/{ending}")),
        "jpg" | "jpeg" => Some("image/jpeg".into()),
        "mp3" | "ogg" | "opus" | "m4a" => Some("audio/ogg".into()),
        "mp4" | "webm" => Some("video/mp4".into()),
        _ => None,
    };
    Attachment { name: name.to_owned(), media_type, bytes: None, source: Some(url.to_owned()) }
}

/// Removes the quotation that a reply contains for old clients (XEP-0461, XEP-0428).
fn without_quote(stanza: &Element, text: &str) -> String {
    let quote = stanza
        .children
        .iter()
        .find(|child| child.is("fallback", FALLBACK) && child.attribute("for") == Some(REPLY));
    let range = quote.and_then(|quote| quote.get("body", FALLBACK)).and_then(|body| {
        let number = |name| body.attribute(name)?.parse::<usize>().ok();
        Some((number("start")?, number("end")?))
    });
    match range {
        Some((start, end)) if start <= end => {
            let chars = text.chars().enumerate();
            chars.filter(|(n, _)| !(start..end).contains(n)).map(|(_, c)| c).collect()
        }
        _ => text.to_owned(),
    }
}

/// Turns `/me waves` into `*ann waves*`.
fn action(text: &str, name: &str) -> String {
    match text.strip_prefix("/me ") {
        Some(action) => format!("*{name} {action}*"),
        None => text.to_owned(),
    }
}

/// Whether a text addresses a nick: `ada: hello`, `Ada, hello`, `hello @ada`.
fn is_for(text: &str, nick: &str) -> bool {
    let (text, nick) = (text.to_lowercase(), nick.to_lowercase());
    if nick.is_empty() {
        return false;
    }
    let ends = |rest: &str| rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-');
    let named = text.strip_prefix(&nick).is_some_and(|rest| rest.starts_with([':', ',']));
    let mut marked = text.match_indices('@').filter_map(|(at, _)| text[at + 1..].strip_prefix(&nick));
    named || marked.any(ends)
}

/// The time that a server noted for a delayed message.
pub(super) fn delayed(stanza: &Element) -> Option<Timestamp> {
    stanza.get("delay", DELAY).and_then(|delay| delay.attribute("stamp")).and_then(read_time)
}

/// Parses `2026-11-24T15:00:00Z`.
fn read_time(text: &str) -> Option<Timestamp> {
    text.parse::<jiff::Timestamp>().ok().map(|at| Timestamp(at.as_microsecond()))
}

#[cfg(test)]
mod tests;
