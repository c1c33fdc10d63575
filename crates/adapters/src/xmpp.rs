//! The XMPP adapter. Each persona has its own connection and its own nick in rooms, or all personas share one
//! connection.
//!
//! ```text
//! xmpp/xml.rs       XML elements
//! xmpp/stream.rs    the XML stream, over TLS
//! xmpp/sasl.rs      SCRAM and PLAIN
//! xmpp/login.rs     signs on, and resumes a broken stream
//! xmpp/managed.rs   stream management: counters of stanzas
//! xmpp/session.rs   the state of a connection that the next connection continues with
//! xmpp/event.rs     turns message stanzas into events
//! xmpp/link.rs      one connection, and the confirmation of sent messages
//! xmpp/hearing.rs   handles incoming stanzas
//! xmpp/rooms.rs     enters rooms and tracks who is in them
//! xmpp/archive.rs   reads the messages missed during an absence
//! xmpp/check.rs     checks the account and its rooms
//! ```

mod archive;
mod check;
mod event;
mod hearing;
mod link;
mod login;
mod managed;
mod rooms;
mod sasl;
mod session;
mod stream;
mod xml;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use futures::stream::FuturesUnordered;
use greenroom_core::{Entropy, PersonaName, Platform, SystemEntropy};
use greenroom_persona::FaceSetting;

use self::{
    event::{MUC_USER, RETRACT, SID, partner_in_room},
    link::Link,
    login::Identity,
    rooms::OVERLAP,
    session::{Role, bare},
    stream::{CLIENT, Target},
    xml::Element,
};
use crate::{
    Account, AccountError, Adapter, ConnectionState, Dialect, Ended, Face, Faces, Finding, Inlet, Limits,
    Notice, Outcome, Place, Post, Rate, Request, Unit,
    http::{self, Http},
    registry::is_local,
    together::{until_one_ends, when_all},
};

const STATES: &str = "http://jabber.org/protocol/chatstates";
const HINTS: &str = "urn:xmpp:hints";
/// The resource and the nick of a connection that all personas share.
const SHARED_NAME: &str = "greenroom";

/// An XMPP account.
pub(crate) struct Xmpp {
    account: Account,
    /// `ada@example.org`.
    jid: String,
    domain: String,
    server: String,
    rooms: Vec<String>,
    /// Downloads files. Messages use the connections.
    http: Http,
    links: Mutex<Vec<Arc<Link>>>,
}

impl Xmpp {
    /// # Errors
    /// The JID or the password is missing.
    pub(crate) fn new(account: &Account) -> Result<Self, AccountError> {
        let jid = account.need("user", "my-bot@example.org", account.settings.user.clone())?;
        account.need("token_env", "token_env = \"XMPP_PASSWORD\"", account.token.as_ref())?;
        let setting = |why| AccountError::Setting { account: account.settings.name.clone(), why };
        let jid = bare(&jid).to_lowercase();
        let Some((_, domain)) =
            jid.split_once('@').filter(|(user, domain)| !user.is_empty() && !domain.is_empty())
        else {
            return Err(setting(format!(
                "user is {jid}; write the account's address, as my-bot@example.org"
            )));
        };
        let domain = domain.to_owned();
        let server = account.settings.server.clone().unwrap_or_else(|| domain.clone());
        let rooms = account.settings.channels.iter().map(|room| bare(room).to_lowercase()).collect();
        let http = Http::trusting("", account.settings.ca_file.as_deref()).map_err(setting)?;
        Ok(Self { account: account.clone(), jid, domain, server, rooms, http, links: Mutex::default() })
    }

    fn target(&self) -> Target<'_> {
        let settings = &self.account.settings;
        Target {
            domain: &self.domain,
            server: &self.server,
            tls: settings.tls,
            ca_file: settings.ca_file.as_deref(),
        }
    }

    fn identity(&self, resource: &str) -> Identity {
        let password = self.account.token.clone();
        let account = self.account.settings.name.clone();
        Identity { account, jid: self.jid.clone(), resource: resource.to_owned(), password }
    }

    /// One connection per persona, or one that all share.
    fn new_links(&self, faces: &[Face]) -> Vec<Arc<Link>> {
        let link = |n: usize, face: &Face| {
            let role =
                Role { persona: Some(face.persona.clone()), nick: face.name.clone(), is_first: n == 0 };
            Arc::new(Link::new(self.identity(face.persona.as_str()), role))
        };
        match faces {
            [only] => vec![link(0, only)],
            faces if self.account.settings.faces == FaceSetting::Own && !faces.is_empty() => {
                faces.iter().enumerate().map(|(n, face)| link(n, face)).collect()
            }
            _ => {
                let user = self.jid.split('@').next().unwrap_or(SHARED_NAME);
                let role = Role { persona: None, nick: user.to_owned(), is_first: true };
                vec![Arc::new(Link::new(self.identity(SHARED_NAME), role))]
            }
        }
    }

    fn links(&self) -> Vec<Arc<Link>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The connections of these faces. If the faces have not changed, the earlier connections, whose sessions can be
    /// resumed.
    fn links_of(&self, faces: &[Face]) -> Vec<Arc<Link>> {
        let new = self.new_links(faces);
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let key = |link: &Arc<Link>| (link.role.persona.clone(), link.role.nick.clone());
        if links.iter().map(key).ne(new.iter().map(key)) {
            *links = new;
        }
        links.clone()
    }

    /// The connection that speaks for a persona.
    fn link(&self, persona: &PersonaName) -> Option<Arc<Link>> {
        let links = self.links();
        let own = links.iter().find(|link| link.role.persona.as_ref() == Some(persona));
        let shared = || links.iter().find(|link| link.role.persona.is_none());
        // a persona without a connection speaks by the first one, with its name before the message
        own.or_else(shared).or_else(|| links.first()).cloned()
    }

    /// The other side of a place: a room, or the person of a direct chat of this account.
    fn peer<'a>(&self, place: &'a Place) -> Option<&'a str> {
        let own =
            place.chat.strip_prefix(&self.account.settings.name).and_then(|rest| rest.strip_prefix('/'));
        own.or_else(|| Some(place.chat.as_str()).filter(|chat| self.rooms.iter().any(|room| room == chat)))
    }

    /// A message stanza to a room, a person, or an occupant of a room.
    fn stanza(&self, to: &str, id: &str) -> Element {
        let is_room = self.rooms.iter().any(|room| room == to);
        let kind = if is_room { "groupchat" } else { "chat" };
        let stanza = Element::new("message", CLIENT).with("to", to).with("type", kind).with("id", id);
        match !is_room && self.rooms.iter().any(|room| bare(to) == room) {
            // to a single occupant of a room
            true => stanza.child(Element::new("x", MUC_USER)),
            false => stanza,
        }
    }

    async fn send(&self, post: &Post) -> Outcome {
        let (Some(link), Some(peer)) = (self.link(&post.face.persona), self.peer(&post.place)) else {
            return Outcome::Offline;
        };
        let Some(to) = address(&link, peer) else { return not_there() };
        let stanza = self
            .stanza(&to, &post.key)
            .child(Element::new("body", CLIENT).text(&post.text))
            .child(Element::new("origin-id", SID).with("id", &post.key))
            .child(Element::new("active", STATES));
        link.shared.say(stanza, post.reply_to.clone(), &post.key).await
    }

    /// Sends an answer to a command. In a room, sends it privately to the person.
    async fn notice(&self, notice: &Notice) -> Outcome {
        let links = self.links();
        let of_thread = notice.place.thread.as_ref().and_then(|thread| thread.parse().ok());
        let link = of_thread.and_then(|persona| self.link(&persona)).or_else(|| links.first().cloned());
        let Some(link) = link else { return Outcome::Offline };
        let Some(peer) = self.peer(&notice.place) else { return Outcome::Offline };
        let to = match self.rooms.iter().any(|room| room == peer) {
            true => links.iter().find_map(|link| link.shared.person(peer, &notice.to)),
            false => address(&link, peer),
        };
        let Some(to) = to else { return not_there() };
        let key = format!("notice-{}", SystemEntropy.uuid());
        let stanza = self.stanza(&to, &key).child(Element::new("body", CLIENT).text(&notice.text));
        link.shared.say(stanza, None, &key).await
    }

    /// Retracts a message (XEP-0424).
    async fn retract(&self, place: &Place, event_id: &str, face: Option<Face>) -> Outcome {
        let links = self.links();
        let link = face.and_then(|face| self.link(&face.persona)).or_else(|| links.first().cloned());
        let (Some(link), Some(peer)) = (link, self.peer(place)) else { return Outcome::Offline };
        let Some(to) = address(&link, peer) else { return not_there() };
        let key = format!("retract-{event_id}");
        let stanza = self
            .stanza(&to, &key)
            .child(Element::new("retract", RETRACT).with("id", event_id))
            .child(Element::new("fallback", "urn:xmpp:fallback:0").with("for", RETRACT))
            .child(Element::new("body", CLIENT).text("This message was retracted."))
            .child(Element::new("store", HINTS));
        match link.shared.say(stanza, None, &key).await {
            Outcome::Done { .. } => Outcome::Done { event_id: None },
            outcome => outcome,
        }
    }
}

/// The address of a [peer](Xmpp::peer). `None`: an occupant who is not in the room any more.
fn address(link: &Link, peer: &str) -> Option<String> {
    match partner_in_room(peer) {
        Some((room, id)) => link.shared.person(room, id),
        None => Some(peer.to_owned()),
    }
}

fn not_there() -> Outcome {
    Outcome::Refused("the person is not in the room any more".into())
}

#[async_trait]
impl Adapter for Xmpp {
    fn platform(&self) -> Platform {
        Platform::Xmpp
    }

    fn serves(&self, place: &Place) -> bool {
        self.peer(place).is_some()
    }

    fn own_ids(&self, place: &Place) -> Vec<String> {
        let in_room = self.links().into_iter().flat_map(|link| link.shared.ids(&place.chat));
        std::iter::once(self.jid.clone()).chain(in_room).collect()
    }

    fn limits(&self, place: &Place) -> Limits {
        let links = self.links();
        let is_room = self.rooms.contains(&place.chat);
        let archive = if is_room { place.chat.as_str() } else { "" };
        let archived = !links.is_empty() && links.iter().all(|link| link.shared.is_archived(archive));
        let shares = links.iter().any(|link| link.role.persona.is_none());
        Limits {
            // servers permit stanzas of 64 kB or more
            longest: 8 * 1024,
            unit: Unit::Bytes,
            lines: true,
            dialect: Dialect::Plain,
            per_chat: Rate { burst: 8, every: Duration::from_millis(500) },
            in_all: Rate { burst: 16, every: Duration::from_millis(100) },
            // The archive shows which messages arrived. It is read before anything is sent again.
            key_lives: archived.then_some(OVERLAP - Duration::from_secs(5 * 60)),
            faces: if shares { Faces::Prefix } else { Faces::Connected },
        }
    }

    async fn run(&self, inlet: &dyn Inlet) -> Ended {
        inlet.report(ConnectionState::Connecting);
        let links = self.links_of(&inlet.faces());
        let is_ready = when_all(links.len(), || {
            let names: Vec<_> = links.iter().map(|link| link.shared.jid()).collect();
            inlet.report(ConnectionState::Online { as_user: names.join(", ") });
        });
        let target = self.target();
        let running: FuturesUnordered<_> =
            links.iter().map(|link| link.run(&target, &self.rooms, &links, inlet, &is_ready)).collect();
        until_one_ends(running).await
    }

    async fn perform(&self, request: Request) -> Outcome {
        match request {
            Request::Post(post) => self.send(&post).await,
            Request::Notice(notice) => self.notice(&notice).await,
            Request::Delete { place, event_id, face } => self.retract(&place, &event_id, face).await,
            Request::Typing { place, face } => {
                if let (Some(link), Some(peer)) = (self.link(&face.persona), self.peer(&place))
                    && let Some(to) = address(&link, peer)
                {
                    let stanza = self.stanza(&to, "typing").child(Element::new("composing", STATES));
                    link.shared.mention(stanza.child(Element::new("no-store", HINTS)));
                }
                Outcome::Done { event_id: None }
            }
        }
    }

    async fn fetch(&self, source: &str, most: usize) -> Result<Vec<u8>, String> {
        let local = is_local(&self.server);
        let below = format!(".{}", self.domain);
        // a message may contain any address, so files are fetched from the account's own server only
        let is_permitted =
            |host: String| host == self.domain || host.ends_with(&below) || local && is_local(&host);
        if !http::host(source, local).is_some_and(is_permitted) {
            return Err("it is not on the account's own server".to_owned());
        }
        http::fetch(self.http.get_absolute(source), most).await
    }

    async fn check(&self) -> Vec<Finding> {
        self.look().await
    }

    async fn enter(&self) -> Vec<Finding> {
        self.try_rooms().await
    }
}
