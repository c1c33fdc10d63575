//! What was said in rooms and in private during an absence (XEP-0313).

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
/// The number of messages of a page.
const PAGE: usize = 100;
/// The greatest number of pages of a chat that are read after an absence.
const PAGES: usize = 10;

/// The messages of a chat in the archive, since a moment.
#[derive(Default)]
pub(super) struct ChatArchive {
    pub(super) messages: Vec<Element>,
    complete: bool,
}

/// A page of an archive.
struct Page {
    messages: Vec<Element>,
    /// The archive's ids of the first and of the last message.
    first: Option<String>,
    last: Option<String>,
    /// Whether no further page follows.
    complete: bool,
}

impl Live<'_> {
    /// Reads what was said since a moment in every chat. Returns whether all of it was seen.
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

    /// The past of a chat, oldest first: what follows the last message that was taken in there. Where that is not known, or more
    /// follows than is read, the newest pages since a moment.
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

    /// What follows a message in the archive of a chat; `None` where the archive does not know it, or more follows than is
    /// read.
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

    /// A page of the archive of a chat, from a moment on where one is given; `None` where the archive refuses.
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
                // another sender may claim to be the archive
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

    /// Takes in a message of the past.
    pub(super) async fn missed(&mut self, chat: &str, result: &Element) -> Result<(), Ended> {
        let Some(wrapped) = forwarded(result) else { return Ok(()) };
        let Some(stanza) = wrapped.get("message", CLIENT) else { return Ok(()) };
        let is_room = self.session.rooms.contains_key(chat);
        // the archive of a room holds what was said there, and that alone
        if is_room && stanza.attribute("from").map(bare) != Some(chat) {
            return Ok(());
        }
        if !is_room && stanza.attribute("type") == Some("groupchat") {
            return Ok(());
        }
        let archived = Archived { id: result.attribute("id"), at: delayed(wrapped) };
        let heard = self.message(stanza, &archived);
        // a retraction or a correction in the past was done then, or is done again without effect
        self.happened(heard).await?;
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
