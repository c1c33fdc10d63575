//! Enters rooms and tracks who is in them (XEP-0045).

use std::time::Duration;

use greenroom_core::{SystemClock, Time, Timestamp};

use super::{
    archive::{MAM, shown_time},
    event::{MUC_USER, OCCUPANT, Parsed, occupant, person},
    link::Live,
    session::{Occupant, Presence, Room, bare, resource},
    stream::CLIENT,
    xml::Element,
};
use crate::{Ended, Event, Place};

pub(super) const MUC: &str = "http://jabber.org/protocol/muc";
pub(super) const DISCO: &str = "http://jabber.org/protocol/disco#info";
const OWNER: &str = "http://jabber.org/protocol/muc#owner";
pub(super) const DATA: &str = "jabber:x:data";
/// The name of the cursor with the time up to which everything was stored.
const CURSOR: &str = "seen_until";
/// The name of the cursor with the time of the very first connection. Earlier messages do not concern the account.
const BEGAN: &str = "began";
/// Archives are read from this time before the cursor, because clocks differ and our own last messages must be found.
pub(super) const OVERLAP: Duration = Duration::from_secs(15 * 60);
/// The most messages that may arrive while the archives are read.
const LATER: usize = 10_000;
/// The most alternative nicks that are tried if the nick is taken.
const OTHER_NICKS: usize = 5;

impl Live<'_> {
    /// Enters the rooms and reads the missed messages.
    pub(super) async fn begin(&mut self) -> Result<(), Ended> {
        self.session.begin_again();
        let is_first = self.link.role.is_first;
        let seen_until = self.read_cursor(CURSOR).await?;
        if seen_until.is_none() && is_first {
            self.write_cursor(BEGAN).await;
        }
        let began = self.read_cursor(BEGAN).await?;
        let account = self.link.identity.jid.clone();
        self.session.archived = self.features(&account).await?.iter().any(|name| name == MAM);
        self.link.shared.set_archived("", self.session.archived);
        // the server routes messages to the account without a resource to the first connection
        let priority = Element::new("priority", CLIENT).text(if is_first { "1" } else { "-1" });
        self.send(&Element::new("presence", CLIENT).child(priority)).await?;
        for room in self.channels {
            self.enter(&room.to_lowercase(), seen_until).await?;
        }
        let since = seen_until.map(|at| at.before(OVERLAP).max(began.unwrap_or(at.before(OVERLAP))));
        self.since = since.or(began);
        let complete = match since {
            // Each connection looks for its own sent messages. The first one also stores the messages of others.
            Some(since) => self.catch_up(since).await?,
            None => true,
        };
        self.session.settle(complete && since.is_some());
        while let Some(stanza) = self.session.later.pop_front() {
            self.handle_stanza(stanza).await?;
        }
        self.session.ready = true;
        if self.session.managed.enabled {
            self.answer_count().await?;
        }
        self.is_new = true;
        self.keep_cursor().await;
        Ok(())
    }

    /// Sends a request and waits for the answer; `None` if that is an error. Meanwhile, messages are queued until the
    /// archives are read, except those for which `takes` returns true.
    pub(super) async fn ask(
        &mut self,
        to: &str,
        question: Element,
        mut takes: impl FnMut(&Element) -> bool + Send,
    ) -> Result<Option<Element>, Ended> {
        let id = self.question_id();
        let kind = if question.ns == DISCO { "get" } else { "set" };
        let iq = Element::new("iq", CLIENT).with("type", kind).with("id", &id).with("to", to);
        self.send(&iq.child(question)).await?;
        loop {
            let stanza = self.next().await?;
            let is_answer = stanza.is("iq", CLIENT)
                && stanza.attribute("id") == Some(&id)
                && stanza.attribute("from").is_none_or(|from| from == to);
            if is_answer {
                self.session.managed.handled(&stanza);
                return Ok(Some(stanza).filter(|stanza| stanza.attribute("type") == Some("result")));
            }
            if takes(&stanza) {
                self.session.managed.handled(&stanza);
                continue;
            }
            self.set_aside(stanza).await?;
        }
    }

    /// Handles a stanza that arrives before the archives are read: queues messages.
    async fn set_aside(&mut self, stanza: Element) -> Result<(), Ended> {
        match stanza.name.as_str() {
            "message" if self.session.later.len() >= LATER => {
                Err(Ended::Broken("more is said than can be kept while the past is read".into()))
            }
            "message" => {
                self.session.later.push_back(stanza);
                Ok(())
            }
            // the counter is sent after everything is stored
            "r" => Ok(()),
            _ => self.handle_stanza(stanza).await,
        }
    }

    async fn features(&mut self, of: &str) -> Result<Vec<String>, Ended> {
        let answer = self.ask(of, Element::new("query", DISCO), |_| false).await?;
        let query = answer.as_ref().and_then(|answer| answer.get("query", DISCO));
        let features = query.map(|query| query.children.iter().filter(|child| child.name == "feature"));
        Ok(features.into_iter().flatten().filter_map(|f| f.attribute("var").map(str::to_owned)).collect())
    }

    /// Enters a room and waits until it has let us in or refused us.
    async fn enter(&mut self, room: &str, seen_until: Option<Timestamp>) -> Result<(), Ended> {
        let features = self.features(room).await?;
        let has = |name: &str| features.iter().any(|feature| feature == name);
        let known = Room { archived: has(MAM), has_ids: has(OCCUPANT), ..Room::default() };
        self.link.shared.set_archived(room, known.archived);
        // a room without an archive sends its last messages again
        let history = Element::new("history", MUC);
        let history = match seen_until.filter(|_| !known.archived) {
            Some(seen) => history.with("since", shown_time(seen)),
            None => history.with("maxstanzas", "0"),
        };
        self.session.rooms.insert(room.to_owned(), known);
        for n in 0..=OTHER_NICKS {
            let nick = format!("{}{}", self.link.role.nick, "_".repeat(n));
            if let Some(known) = self.session.rooms.get_mut(room) {
                (known.presence, known.nick) = (Presence::Entering, nick.clone());
            }
            // the room shows our nick to all of our connections, which recognise echoes by it
            self.link.shared.set_nick(room, &nick);
            let enter = Element::new("presence", CLIENT).with("to", format!("{room}/{nick}"));
            self.send(&enter.child(Element::new("x", MUC).child(history.clone()))).await?;
            let mut conflict = false;
            while self.presence_in(room) == Presence::Entering && !conflict {
                let stanza = self.next().await?;
                conflict = stanza.is("presence", CLIENT)
                    && stanza.attribute("from").map(bare) == Some(room)
                    && condition(&stanza) == Some("conflict");
                match conflict {
                    true => self.session.managed.handled(&stanza),
                    false => self.set_aside(stanza).await?,
                }
            }
            if !conflict {
                return self.look_again(room, features.is_empty()).await;
            }
        }
        tracing::warn!(room, nick = self.link.role.nick, "a nick and those like it are taken in a room");
        Ok(())
    }

    /// Tries again to enter rooms that have refused us, and reads the messages missed there.
    pub(super) async fn enter_refused(&mut self) -> Result<(), Ended> {
        for room in self.refused.rooms() {
            self.enter(&room, None).await?;
            let is_archived = self.session.rooms.get(&room).is_some_and(|room| room.archived);
            let Some(since) = self.since.filter(|_| is_archived && !self.refused.contains(&room)) else {
                continue;
            };
            for result in self.past(&room, since).await?.messages {
                self.missed(&room, &result).await?;
            }
        }
        while let Some(stanza) = self.session.later.pop_front() {
            self.handle_stanza(stanza).await?;
        }
        Ok(())
    }

    /// Accepts the default settings of a room that we created. The room stays locked until then (XEP-0045, 10.1.2).
    async fn unlock(&mut self, room: &str) -> Result<(), Ended> {
        let id = format!("unlock-{}", self.question_id());
        let settings = Element::new("x", DATA).with("type", "submit");
        let accept = Element::new("iq", CLIENT).with("type", "set").with("id", id).with("to", room);
        self.send(&accept.child(Element::new("query", OWNER).child(settings))).await
    }

    /// Reads the features of a room again. A room that ended with its server has no features until someone enters it.
    async fn look_again(&mut self, room: &str, is_unknown: bool) -> Result<(), Ended> {
        if !is_unknown || self.presence_in(room) != Presence::There {
            return Ok(());
        }
        let features = self.features(room).await?;
        let has = |name: &str| features.iter().any(|feature| feature == name);
        self.link.shared.set_archived(room, has(MAM));
        if let Some(known) = self.session.rooms.get_mut(room) {
            (known.archived, known.has_ids) = (has(MAM), has(OCCUPANT));
        }
        Ok(())
    }

    fn presence_in(&self, room: &str) -> Presence {
        self.session.rooms.get(room).map_or(Presence::Refused, |room| room.presence)
    }

    /// Updates who is in a room, and whether we are.
    pub(super) async fn presence(&mut self, stanza: &Element) -> Result<(), Ended> {
        let Some(from) = stanza.attribute("from") else { return Ok(()) };
        let kind = stanza.attribute("type");
        if kind == Some("subscribe") {
            // people may add the account to their contact list
            let yes = Element::new("presence", CLIENT).with("type", "subscribed").with("to", bare(from));
            return self.send(&yes).await;
        }
        let room_name = bare(from).to_owned();
        let Some(has_ids) = self.session.rooms.get(&room_name).map(|room| room.has_ids) else {
            return Ok(());
        };
        let mut who = self.session.with_address(&room_name, occupant(stanza, has_ids));
        let Some(room) = self.session.rooms.get_mut(&room_name) else { return Ok(()) };
        let nick = resource(from).unwrap_or_default().to_owned();
        if kind == Some("error") {
            if room.presence == Presence::Entering {
                let why = condition(stanza).unwrap_or("no reason");
                room.presence = Presence::Refused;
                if self.refused.refused(&room_name) {
                    self.inlet.refused(&room_name, self.link.role.persona.as_ref(), Some(why));
                    tracing::warn!(room = room_name, why, "a room cannot be entered; it is tried again");
                }
            }
            return Ok(());
        }
        let notes = stanza.get("x", MUC_USER);
        let statuses: Vec<&str> = notes
            .map(|x| x.children.iter().filter(|child| child.name == "status"))
            .into_iter()
            .flatten()
            .filter_map(|status| status.attribute("code"))
            .collect();
        let is_us = statuses.contains(&"110");
        let place = Place::chat(room_name.as_str());
        if kind == Some("unavailable") {
            let known = room.occupants.remove(&nick).unwrap_or_default();
            if is_us {
                return self.sent_out(&room_name, &statuses);
            }
            let left = person(&room_name, &nick, &known);
            // a person may be there under a second nick
            let is_same = |(nick, who): &(&String, &Occupant)| person(&room_name, nick, who).id == left.id;
            let other = room.occupants.iter().find(is_same).map(|(nick, _)| format!("{room_name}/{nick}"));
            let is_there = other.is_some();
            self.link.shared.set_person(&room_name, &left.id, other);
            if is_there {
                return Ok(());
            }
            return self.note_presence(Event::Left { place, person: left }).await;
        }
        let known = room.occupants.get(&nick);
        let is_new = known.is_none();
        if let Some(known) = known {
            (who.is_asked, who.is_bot) = (known.is_asked, known.is_bot);
        }
        room.occupants.insert(nick.clone(), who.clone());
        if is_us {
            (room.presence, room.nick) = (Presence::There, nick.clone());
            self.link.shared.set_nick(&room_name, &nick);
            // The room may hide our address from other accounts. If we have just created it, we do not know its features
            // yet, but others do.
            let hidden = Occupant { jid: None, ..occupant(stanza, true) };
            let ids = [hidden, Occupant::default()].map(|who| person(&room_name, &nick, &who).id).to_vec();
            self.link.shared.set_ids(&room_name, ids);
            self.refused.entered(&room_name);
            self.inlet.refused(&room_name, self.link.role.persona.as_ref(), None);
            return match statuses.contains(&"201") {
                true => self.unlock(&room_name).await,
                false => Ok(()),
            };
        }
        let person = person(&room_name, &nick, &who);
        self.link.shared.set_person(&room_name, &person.id, Some(from.to_owned()));
        match is_new && !self.nicks(&room_name).iter().any(|(own, _)| *own == nick) {
            true => self.note_presence(Event::Joined { place, person }).await,
            false => Ok(()),
        }
    }

    /// We are no longer in a room. If a moderator removed us, we stay out until the next connection.
    fn sent_out(&mut self, room: &str, statuses: &[&str]) -> Result<(), Ended> {
        if statuses.iter().any(|code| matches!(*code, "301" | "303" | "307" | "321" | "322")) {
            if !statuses.contains(&"303") {
                tracing::warn!(room, "we were sent out of a room");
                let why = "a moderator sent us out";
                self.inlet.refused(room, self.link.role.persona.as_ref(), Some(why));
            }
            return Ok(());
        }
        self.session.ready = false;
        Err(Ended::Broken(format!("the room {room} has shut down")))
    }

    /// Reports again who is in the rooms, because a resumed stream does not repeat it.
    pub(super) async fn say_who_is_there(&mut self) -> Result<(), Ended> {
        let mut there = Vec::new();
        for (name, room) in &self.session.rooms {
            let own = self.nicks(name);
            let others = room.occupants.iter().filter(|(nick, _)| own.iter().all(|(own, _)| own != *nick));
            there.extend(others.map(|(nick, who)| (Place::chat(name.as_str()), person(name, nick, who))));
        }
        for (place, person) in there {
            self.note_presence(Event::Joined { place, person }).await?;
        }
        Ok(())
    }

    async fn note_presence(&mut self, event: Event) -> Result<(), Ended> {
        let is_read = match &event {
            Event::Joined { place, .. } | Event::Left { place, .. } => self.reads_room(&place.chat),
            _ => self.link.role.is_first,
        };
        match is_read {
            true => self.apply(Parsed::Event(event)).await,
            false => Ok(()),
        }
    }

    /// Reads a stored time of the account.
    async fn read_cursor(&self, name: &str) -> Result<Option<Timestamp>, Ended> {
        let kept = self.inlet.cursor(name).await.map_err(|error| Ended::Broken(error.to_string()))?;
        Ok(kept.and_then(|kept| kept.parse().ok()).map(Timestamp))
    }

    /// Stores the present time under a name. Returns whether it was stored.
    async fn write_cursor(&self, name: &str) -> bool {
        self.inlet.keep_cursor(name, &SystemClock.now().0.to_string()).await.is_ok()
    }

    /// Stores the time up to which everything is stored, if anything new was.
    pub(super) async fn keep_cursor(&mut self) {
        let is_due = self.link.role.is_first && self.is_new && self.session.ready;
        if is_due && self.write_cursor(CURSOR).await {
            self.is_new = false;
        }
    }
}

/// The condition of an error stanza.
pub(super) fn condition(stanza: &Element) -> Option<&str> {
    const STANZAS: &str = "urn:ietf:params:xml:ns:xmpp-stanzas";
    let error = stanza.get("error", CLIENT)?;
    error.children.iter().find(|child| child.ns == STANZAS && child.name != "text").map(|c| c.name.as_str())
}
