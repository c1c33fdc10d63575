//! Handles the incoming stanzas of a connection.

use std::sync::Arc;

use greenroom_core::PersonaName;

use super::{
    event::{Archived, OwnNames, Parsed},
    link::{Link, Live},
    managed::{SM, count},
    rooms::condition,
    session::{Occupant, bare, resource},
    stream::{CLIENT, STREAM, problem},
    xml::Element,
};
use crate::{Ended, Event, NotTaken, Outcome};

const PING: &str = "urn:xmpp:ping";
const DISCO: &str = "http://jabber.org/protocol/disco#info";
/// The wait if a room asks to wait without a duration.
const WAIT: std::time::Duration = std::time::Duration::from_secs(10);
const CANNOT_READ: &str = "I cannot read encrypted messages. Please switch encryption off here.";

impl Live<'_> {
    /// Handles a stanza, then counts it as handled.
    pub(super) async fn handle_stanza(&mut self, stanza: Element) -> Result<(), Ended> {
        self.heard_something();
        match (stanza.name.as_str(), stanza.ns.as_str()) {
            ("r", SM) => self.answer_count().await?,
            ("a", SM) => {
                let taken = count(&stanza).map(|handled| self.session.managed.acknowledge(handled));
                self.session.taken(&taken.unwrap_or_default());
            }
            ("message", CLIENT) if stanza.attribute("type") == Some("error") => self.refused(&stanza)?,
            ("message", CLIENT) => {
                let heard = self.message(&stanza, &Archived::default());
                let is_said = matches!(heard, Parsed::Event(Event::Message(_)));
                self.apply(heard).await?;
                self.session.note_seen(&stanza);
                if is_said {
                    self.ask_what_it_is(&stanza).await?;
                }
            }
            ("presence", CLIENT) => self.presence(&stanza).await?,
            ("iq", CLIENT) => self.asked(&stanza).await?,
            ("error", STREAM) => return Err(self.stream_error(&stanza)),
            _ => {}
        }
        self.session.managed.handled(&stanza);
        Ok(())
    }

    fn stream_error(&mut self, stanza: &Element) -> Ended {
        self.session.ready = false;
        Ended::Broken(problem(stanza))
    }

    /// Classifies a message stanza.
    pub(super) fn message(&mut self, stanza: &Element, archived: &Archived<'_>) -> Parsed {
        let from = stanza.attribute("from").unwrap_or_default();
        let us = OwnNames {
            account: &self.link.identity.account,
            jid: &self.link.identity.jid,
            role: &self.link.role,
            resources: &self.resources,
            nicks: self.nicks(bare(from)),
        };
        let heard = self.session.message(stanza, archived, &us);
        // all connections of the account get room messages and the archive
        let is_of_room = stanza.attribute("type") == Some("groupchat");
        let is_elsewhere = match archived.id.is_some() {
            true => !self.link.role.is_first,
            false => is_of_room && !self.reads_room(bare(from)),
        };
        match heard {
            Parsed::Event(_) | Parsed::Encrypted { .. } if is_elsewhere => Parsed::Nothing,
            heard => heard,
        }
    }

    /// Whether this connection passes on what happens in a room. The first connection that is in the room does. A
    /// connection decides this from the occupants that its own stream tells, since the room sends presence and messages to
    /// all in the same order. If two of them read a message while one comes or goes, its id tells that it is the same.
    pub(super) fn reads_room(&self, room: &str) -> bool {
        let occupants = self.session.rooms.get(room).map(|room| &room.occupants);
        let is_in = |link: &Arc<Link>| {
            let nick = link.shared.nick(room);
            nick.zip(occupants).is_some_and(|(nick, occupants)| occupants.contains_key(&nick))
        };
        !self.links.iter().take_while(|link| !std::ptr::eq(&***link, self.link)).any(is_in)
    }

    /// The nicks of the account's connections in a room.
    pub(super) fn nicks(&self, room: &str) -> Vec<(String, Option<PersonaName>)> {
        let links = self.links.iter();
        links.filter_map(|link| Some((link.shared.nick(room)?, link.role.persona.clone()))).collect()
    }

    /// Handles a classified message.
    pub(super) async fn apply(&mut self, heard: Parsed) -> Result<(), Ended> {
        match heard {
            Parsed::Nothing => Ok(()),
            Parsed::Echo { key, event_id } => {
                self.is_new = true;
                self.session.arrived(&key, &event_id);
                Ok(())
            }
            Parsed::Encrypted { to, group } => self.cannot_read(to, group).await,
            Parsed::Event(event) => {
                self.is_new = true;
                match self.inlet.take(event).await {
                    Ok(_) => Ok(()),
                    Err(NotTaken::Stopped) => Err(Ended::Stopped),
                    Err(NotTaken::Elsewhere(why)) => {
                        tracing::warn!(why, "an event is left to another process");
                        Ok(())
                    }
                    // the message is not acknowledged, so the server or the archive delivers it again
                    Err(NotTaken::Store(error)) => Err(Ended::Broken(error.to_string())),
                }
            }
        }
    }

    async fn cannot_read(&mut self, to: String, group: bool) -> Result<(), Ended> {
        if self.session.told_encrypted.len() >= 1000 || !self.session.told_encrypted.insert(to.clone()) {
            return Ok(());
        }
        tracing::warn!(chat = to, "messages of a chat are encrypted and cannot be read");
        let kind = if group { "groupchat" } else { "chat" };
        let says = Element::new("message", CLIENT).with("to", to).with("type", kind);
        self.send(&says.child(Element::new("body", CLIENT).text(CANNOT_READ))).await
    }

    /// The server returned one of our messages with an error.
    fn refused(&mut self, stanza: &Element) -> Result<(), Ended> {
        let condition = condition(stanza).unwrap_or("no reason").to_owned();
        let Some(key) = stanza.attribute("id") else { return Ok(()) };
        let Some(one) = self.session.under_way.remove(key) else {
            tracing::info!(condition, key, "a message was refused after the server had taken it");
            return Ok(());
        };
        let waits = stanza.get("error", CLIENT).and_then(|error| error.attribute("type")) == Some("wait");
        let has_left = one.group && condition == "not-acceptable";
        let _ = one.done.send(match () {
            () if has_left => Outcome::Failed("the room does not know us any more".into()),
            () if waits => Outcome::RetryAfter(WAIT),
            () => Outcome::Refused(format!("the server refuses it: {condition}")),
        });
        if has_left {
            self.session.ready = false;
            return Err(Ended::Broken(format!("the room {} does not know us any more", one.chat)));
        }
        Ok(())
    }

    /// Asks a new speaker in a room whether it is a program. Bots count against the limits of the room.
    async fn ask_what_it_is(&mut self, stanza: &Element) -> Result<(), Ended> {
        let from = stanza.attribute("from").unwrap_or_default();
        let id = format!("what-{}", self.question_id());
        match self.occupant(from) {
            Some(occupant) if !occupant.is_asked => occupant.is_asked = true,
            _ => return Ok(()),
        }
        let asks = Element::new("iq", CLIENT).with("type", "get").with("id", id).with("to", from);
        self.send(&asks.child(Element::new("query", DISCO))).await
    }

    fn occupant(&mut self, jid: &str) -> Option<&mut Occupant> {
        let nick = resource(jid)?;
        self.session.rooms.get_mut(bare(jid))?.occupants.get_mut(nick)
    }

    /// The answer of an occupant to that question.
    fn told_what_it_is(&mut self, stanza: &Element) {
        let identities = stanza.get("query", DISCO).map(|query| query.children.iter());
        let is_bot = identities.into_iter().flatten().any(|identity| {
            identity.name == "identity"
                && identity.attribute("category") == Some("client")
                && identity.attribute("type") == Some("bot")
        });
        if let Some(occupant) = self.occupant(stanza.attribute("from").unwrap_or_default()) {
            occupant.is_bot = is_bot;
        }
    }

    /// Handles an IQ stanza: a request to us or a response.
    async fn asked(&mut self, stanza: &Element) -> Result<(), Ended> {
        let id = stanza.attribute("id").unwrap_or_default();
        let kind = stanza.attribute("type").unwrap_or_default();
        if matches!(kind, "result" | "error") {
            if id.starts_with("what-") {
                self.told_what_it_is(stanza);
            }
            if let Some(key) = id.strip_prefix("ping-") {
                let is_direct = self.session.under_way.get(key).is_some_and(|one| !one.group);
                if is_direct {
                    self.session.arrived(key, key);
                }
            }
            return Ok(());
        }
        let answer = Element::new("iq", CLIENT).with("id", id).with_some("to", stanza.attribute("from"));
        let question = stanza.children.first();
        let answer = match question {
            Some(question) if question.is("ping", PING) && kind == "get" => answer.with("type", "result"),
            Some(question) if question.is("query", DISCO) && kind == "get" => {
                answer.with("type", "result").child(description(question))
            }
            _ => {
                let condition = Element::new("service-unavailable", "urn:ietf:params:xml:ns:xmpp-stanzas");
                let error = Element::new("error", CLIENT).with("type", "cancel").child(condition);
                answer.with("type", "error").child(error)
            }
        };
        self.send(&answer).await
    }
}

/// Describes us as a bot, so that other bots recognise us.
fn description(question: &Element) -> Element {
    let identity = Element::new("identity", DISCO)
        .with("category", "client")
        .with("type", "bot")
        .with("name", "Greenroom");
    let features = [DISCO, PING, super::event::SID, super::event::REPLY, super::event::RETRACT];
    let query = Element::new("query", DISCO).with_some("node", question.attribute("node")).child(identity);
    features
        .into_iter()
        .fold(query, |query, name| query.child(Element::new("feature", DISCO).with("var", name)))
}
