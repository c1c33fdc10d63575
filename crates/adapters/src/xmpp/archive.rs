//! Reads the messages missed in rooms and direct chats during an absence, from message archives (XEP-0313).

use greenroom_core::Timestamp;

use super::{
    event::{Archived, delayed},
    link::Live,
    rooms::DATA,
    session::{Presence, bare},
    stream::CLIENT,
    xml::Element,
};
use crate::{Ended, LookedBack};

pub(super) const MAM: &str = "urn:xmpp:mam:2";
const RSM: &str = "http://jabber.org/protocol/rsm";
const FORWARD: &str = "urn:xmpp:forward:0";
/// Messages per page.
const PAGE: usize = 100;
/// The most pages that are read of a chat after an absence.
const PAGES: usize = 10;

/// The archived messages of a chat since a time.
#[derive(Default)]
pub(super) struct ChatArchive {
    pub(super) messages: Vec<Element>,
    complete: bool,
}

/// A page of an archive.
struct Page {
    messages: Vec<Element>,
    /// The archive's ids of the first and the last message.
    first: Option<String>,
    last: Option<String>,
    /// Whether this is the last page.
    complete: bool,
}

impl Live<'_> {
    /// Reads the messages of every chat since a time. Returns whether it has read all of them.
    pub(super) async fn catch_up(&mut self, since: Timestamp) -> Result<bool, Ended> {
        let mut chats: Vec<String> = Vec::new();
        if self.session.archived {
            chats.push(self.link.identity.jid.clone());
        }
        let rooms = self.session.rooms.iter();
        chats.extend(
            rooms.filter(|(_, room)| room.archived && room.presence == Presence::There).map(|r| r.0.clone()),
        );
        let everything = self.session.archived && self.session.rooms.values().all(|room| room.archived);
        let (mut complete, mut oldest) = (true, None);
        for chat in chats {
            let past = self.past(&chat, since).await?;
            complete &= past.complete;
            let first = past.messages.first().and_then(|result| delayed(forwarded(result)?));
            oldest = if past.complete { oldest } else { oldest.max(first) };
            for result in past.messages {
                self.missed(&chat, &result).await?;
            }
        }
        if self.link.role.is_first {
            let seen_all = complete && everything;
            self.inlet.looked_back(LookedBack { since: oldest.filter(|_| !seen_all), complete: seen_all });
        }
        Ok(complete)
    }

    /// The archived messages of a chat, oldest first: those after the last known message. If that is unknown, or if
    /// more messages follow than the limit, returns the newest pages since a time.
    pub(super) async fn past(&mut self, chat: &str, since: Timestamp) -> Result<ChatArchive, Ended> {
        if let Some(after) = self.session.seen.get(chat).cloned()
            && let Some(messages) = self.past_after(chat, after).await?
        {
            return Ok(ChatArchive { messages, complete: true });
        }
        let (mut pages, mut before, mut complete) = (Vec::new(), String::new(), false);
        for _ in 0..PAGES {
            let Some(page) = self.page(chat, Some(since), ("before", &before)).await? else { break };
            let is_empty = page.messages.is_empty();
            pages.push(page.messages);
            match page.first {
                Some(first) if !page.complete && !is_empty => before = first,
                _ => {
                    complete = true;
                    break;
                }
            }
        }
        pages.reverse();
        Ok(ChatArchive { messages: pages.into_iter().flatten().collect(), complete })
    }

    /// The messages after a message in a chat's archive. `None` if the archive does not know the message, or if more
    /// follow than the limit.
    async fn past_after(&mut self, chat: &str, after: String) -> Result<Option<Vec<Element>>, Ended> {
        let (mut messages, mut after) = (Vec::new(), after);
        for _ in 0..PAGES {
            let Some(page) = self.page(chat, None, ("after", &after)).await? else { return Ok(None) };
            messages.extend(page.messages);
            match page.last {
                Some(last) if !page.complete => after = last,
                _ => return Ok(Some(messages)),
            }
        }
        Ok(None)
    }

    /// A page of a chat's archive, from `start` on if it is given. `None` if the archive refuses.
    async fn page(
        &mut self,
        chat: &str,
        start: Option<Timestamp>,
        (direction, from): (&str, &str),
    ) -> Result<Option<Page>, Ended> {
        let field = |name: &str, value: &str| {
            let value = Element::new("value", DATA).text(value);
            Element::new("field", DATA).with("var", name).child(value)
        };
        let form = Element::new("x", DATA).with("type", "submit").child(field("FORM_TYPE", MAM));
        let form = match start {
            Some(start) => form.child(field("start", &shown_time(start))),
            None => form,
        };
        let set = Element::new("set", RSM)
            .child(Element::new("max", RSM).text(&PAGE.to_string()))
            .child(Element::new(direction, RSM).text(from));
        let query_id = format!("past-{}", self.question_id());
        let query = Element::new("query", MAM).with("queryid", &query_id).child(form).child(set);
        let mut messages = Vec::new();
        let account = self.link.identity.jid.clone();
        let answer = self
            .ask(chat, query, |stanza| {
                // another sender may pretend to be the archive
                let from = stanza.attribute("from").unwrap_or(&account);
                let result = stanza.get("result", MAM).filter(|_| from == chat);
                let is_ours = result.is_some_and(|result| result.attribute("queryid") == Some(&query_id));
                if is_ours {
                    messages.extend(result.cloned());
                }
                is_ours
            })
            .await?;
        let Some(fin) = answer.as_ref().and_then(|answer| answer.get("fin", MAM)) else { return Ok(None) };
        let end = |name| fin.get("set", RSM).and_then(|set| set.get(name, RSM)).map(|id| id.text.clone());
        let complete = fin.attribute("complete") == Some("true");
        Ok(Some(Page { messages, first: end("first"), last: end("last"), complete }))
    }

    /// Handles an archived message.
    pub(super) async fn missed(&mut self, chat: &str, result: &Element) -> Result<(), Ended> {
        let Some(wrapped) = forwarded(result) else { return Ok(()) };
        let Some(stanza) = wrapped.get("message", CLIENT) else { return Ok(()) };
        let is_room = self.session.rooms.contains_key(chat);
        // the archive of a room must contain only messages of that room
        if is_room && stanza.attribute("from").map(bare) != Some(chat) {
            return Ok(());
        }
        if !is_room && stanza.attribute("type") == Some("groupchat") {
            return Ok(());
        }
        let archived = Archived { id: result.attribute("id"), at: delayed(wrapped) };
        let heard = self.message(stanza, &archived);
        // repeating an archived retraction or correction has no effect
        self.apply(heard).await?;
        if is_room && let Some(id) = archived.id {
            self.session.seen.insert(chat.to_owned(), id.to_owned());
        }
        Ok(())
    }
}

fn forwarded(result: &Element) -> Option<&Element> {
    result.get("forwarded", FORWARD)
}

pub(super) fn shown_time(at: Timestamp) -> String {
    jiff::Timestamp::from_microsecond(at.0).map(|at| format!("{at:.0}")).unwrap_or_default()
}
