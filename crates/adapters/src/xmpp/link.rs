//! One connection to a server: handles incoming stanzas and then acknowledges them, sends messages and confirms them.
//!
//! A room confirms a message by its echo, which contains the room's id of the message. A direct message is confirmed
//! when the server counts it, or answers a ping that follows it. If the connection breaks before that, it is resumed if
//! the server permits it. Otherwise the archive shows the outcome of each message ([`Session::settle`]).

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use greenroom_core::{PersonaName, Timestamp};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::{Instant, interval},
};

use super::{
    login::{Identity, Login, log_in},
    managed::Managed,
    session::{Refusals, Role, SOON, Session, UnderWay, bare},
    stream::{CLIENT, Reader, Target, Writer},
    xml::Element,
};
use crate::{Ended, Inlet, Outcome};

/// The length of two queues: stanzas that were read ahead, and messages to send.
const AHEAD: usize = 64;
/// The time limit for an answer to a request, and for the confirmation of a message.
const ANSWER_TIME: Duration = Duration::from_secs(20);
/// The interval of the connection's checks.
const TICK: Duration = Duration::from_secs(5);
/// After this time without a stanza, we ping the server. After twice this time, the connection counts as broken.
const SILENCE: Duration = Duration::from_secs(60);
/// The interval of further attempts to enter rooms that refuse us, because a room may be created later. The first few
/// attempts follow with each check: another of our connections may have created a room and be about to open it.
const REFUSED: Duration = Duration::from_secs(30);

/// A stanza to send.
pub(super) struct Outgoing {
    pub(super) stanza: Element,
    /// The event id of the message that this one answers.
    pub(super) reply_to: Option<String>,
    /// The key and the channel for the outcome. `None` for stanzas without a confirmation.
    pub(super) done: Option<(String, oneshot::Sender<Outcome>)>,
}

/// The state of a connection that other tasks may read.
#[derive(Default)]
pub(super) struct Shared {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sender: Option<mpsc::Sender<Outgoing>>,
    jid: String,
    /// Our nick in each room.
    nicks: HashMap<String, String>,
    /// Our ids in each room, as the room may tell them to others.
    ids: HashMap<String, Vec<String>>,
    /// The private addresses of people, by room and id.
    people: HashMap<(String, String), String>,
    /// The chats that have an archive. The empty name stands for direct chats.
    archived: HashSet<String>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn jid(&self) -> String {
        self.state().jid.clone()
    }

    pub(super) fn nick(&self, room: &str) -> Option<String> {
        self.state().nicks.get(room).cloned()
    }

    pub(super) fn set_nick(&self, room: &str, nick: &str) {
        self.state().nicks.insert(room.to_owned(), nick.to_owned());
    }

    /// Our ids in a room.
    pub(super) fn ids(&self, room: &str) -> Vec<String> {
        self.state().ids.get(room).cloned().unwrap_or_default()
    }

    pub(super) fn set_ids(&self, room: &str, ids: Vec<String>) {
        self.state().ids.insert(room.to_owned(), ids);
    }

    pub(super) fn set_person(&self, room: &str, id: &str, jid: Option<String>) {
        let key = (room.to_owned(), id.to_owned());
        let people = &mut self.state().people;
        match jid {
            Some(jid) => people.insert(key, jid),
            None => people.remove(&key),
        };
    }

    /// The private address of a person in a room.
    pub(super) fn person(&self, room: &str, id: &str) -> Option<String> {
        self.state().people.get(&(room.to_owned(), id.to_owned())).cloned()
    }

    pub(super) fn set_archived(&self, chat: &str, archived: bool) {
        let all = &mut self.state().archived;
        if archived {
            all.insert(chat.to_owned())
        } else {
            all.remove(chat)
        };
    }

    pub(super) fn is_archived(&self, chat: &str) -> bool {
        self.state().archived.contains(chat)
    }

    /// Sends a stanza without a confirmation. Drops it if there is no connection.
    pub(super) fn mention(&self, stanza: Element) {
        if let Some(sender) = self.state().sender.clone() {
            let _ = sender.try_send(Outgoing { stanza, reply_to: None, done: None });
        }
    }

    /// Sends a message and waits for its confirmation.
    pub(super) async fn say(&self, stanza: Element, reply_to: Option<String>, key: &str) -> Outcome {
        let Some(sender) = self.state().sender.clone() else { return Outcome::Offline };
        let (done, outcome) = oneshot::channel();
        if sender.send(Outgoing { stanza, reply_to, done: Some((key.to_owned(), done)) }).await.is_err() {
            return Outcome::Offline;
        }
        // the connection may break and be resumed in this time
        match tokio::time::timeout(ANSWER_TIME + TICK, outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Outcome::Uncertain("another attempt at it began".into()),
            Err(_) => Outcome::Uncertain("the server did not confirm it in time".into()),
        }
    }
}

/// One connection of an account.
pub(super) struct Link {
    pub(super) shared: Shared,
    pub(super) identity: Identity,
    pub(super) role: Role,
    /// The session that the next connection continues. Taken while a connection runs.
    session: Mutex<Option<Box<Session>>>,
}

/// The session of a running connection. Dropping the lease returns it to the link, however the connection ends.
struct Lease<'a> {
    link: &'a Link,
    session: Option<Box<Session>>,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut state = self.link.shared.state();
        state.sender = None;
        drop(state);
        *self.link.session.lock().unwrap_or_else(PoisonError::into_inner) = self.session.take();
    }
}

/// A running connection.
pub(super) struct Live<'a> {
    pub(super) link: &'a Link,
    pub(super) session: &'a mut Session,
    pub(super) inlet: &'a dyn Inlet,
    /// All connections of the account, including this one.
    pub(super) links: &'a [Arc<Link>],
    /// The rooms of the settings.
    pub(super) channels: &'a [String],
    pub(super) resources: Vec<(String, PersonaName)>,
    writer: Writer,
    stanzas: mpsc::Receiver<Result<Element, String>>,
    reading: JoinHandle<()>,
    pub(super) heard_at: Instant,
    asked: bool,
    /// Whether anything was stored since the cursor was last stored.
    pub(super) is_new: bool,
    questions: u32,
    /// Rooms that refuse us, with the number of refusals.
    pub(super) refused: Refusals,
    tried_at: Instant,
    tries: u32,
    /// The time from which archives are read.
    pub(super) since: Option<Timestamp>,
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Link {
    pub(super) fn new(identity: Identity, role: Role) -> Self {
        Self { shared: Shared::default(), identity, role, session: Mutex::default() }
    }

    /// Connects, enters the rooms, catches up and runs until the connection ends. Calls `ready` when messages can be
    /// sent.
    pub(super) async fn run(
        &self,
        target: &Target<'_>,
        channels: &[String],
        links: &[Arc<Link>],
        inlet: &dyn Inlet,
        ready: impl Fn() + Send,
    ) -> Ended {
        let taken = self.session.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut lease = Lease { link: self, session: Some(taken.unwrap_or_default()) };
        let Some(session) = lease.session.as_deref_mut() else { return Ended::Stopped };
        if !session.ready {
            session.managed = Managed::default();
        }
        let Login { stream, jid, resumed, acknowledged } =
            match log_in(target, &self.identity, &mut session.managed).await {
                Ok(logged_on) => logged_on,
                Err(ended) => return ended,
            };
        session.taken(&acknowledged);
        self.shared.state().jid = jid;
        let (stanzas, reading) = read(stream.reader);
        let resources = links.iter().skip(1).filter_map(|link| {
            link.role.persona.clone().map(|persona| (link.identity.resource.clone(), persona))
        });
        let mut live = Live {
            link: self,
            session,
            inlet,
            links,
            channels,
            resources: resources.collect(),
            writer: stream.writer,
            stanzas,
            reading,
            heard_at: Instant::now(),
            asked: false,
            is_new: false,
            questions: 0,
            refused: Refusals::default(),
            tried_at: Instant::now(),
            tries: 0,
            since: None,
        };
        let begun = if resumed { live.resume().await } else { live.begin().await };
        match begun {
            Err(ended) => ended,
            Ok(()) => live.run(ready).await,
        }
    }
}

/// Reads elements in a separate task. `Reader::next` is not cancel-safe: a cancelled call loses a partly read element.
fn read(mut reader: Reader) -> (mpsc::Receiver<Result<Element, String>>, JoinHandle<()>) {
    let (sender, stanzas) = mpsc::channel(AHEAD);
    let reading = tokio::spawn(async move {
        loop {
            let next = match reader.next().await {
                Ok(Some(element)) => Ok(element),
                Ok(None) => Err("the server closed the stream".to_owned()),
                Err(why) => Err(why),
            };
            let is_over = next.is_err();
            if sender.send(next).await.is_err() || is_over {
                return;
            }
        }
    });
    (stanzas, reading)
}

impl Live<'_> {
    /// Continues the session of a broken stream.
    async fn resume(&mut self) -> Result<(), Ended> {
        for stanza in self.session.managed.unacknowledged() {
            self.writer.send(&stanza).await.map_err(Ended::Broken)?;
        }
        // restart the timeouts: the echo of a message that the server took earlier may arrive only now
        let now = Instant::now();
        self.session.under_way.values_mut().for_each(|one| one.sent_at = now);
        self.say_who_is_there().await?;
        self.ask_for_count().await
    }

    async fn run(&mut self, ready: impl Fn() + Send) -> Ended {
        let closing = self.inlet.closing();
        let (sender, mut says) = mpsc::channel(AHEAD);
        self.link.shared.state().sender = Some(sender);
        ready();
        let mut ticks = interval(TICK);
        loop {
            let ended = tokio::select! {
                next = self.stanzas.recv() => match next {
                    Some(Ok(stanza)) => self.handle_stanza(stanza).await.err(),
                    Some(Err(why)) => Some(Ended::Broken(why)),
                    None => Some(Ended::Broken("the server closed the stream".into())),
                },
                Some(said) = says.recv() => self.say(said).await.err(),
                _ = ticks.tick() => self.tick().await.err(),
                () = closing.cancelled() => {
                    self.keep_cursor().await;
                    let leave = Element::new("presence", CLIENT).with("type", "unavailable");
                    let _ = self.writer.send(&leave).await;
                    self.writer.close().await;
                    self.session.ready = false;
                    Some(Ended::Stopped)
                }
            };
            if let Some(ended) = ended {
                says.close();
                while let Ok(said) = says.try_recv() {
                    if let Some((_, done)) = said.done {
                        let _ = done.send(Outcome::Offline);
                    }
                }
                return ended;
            }
        }
    }

    /// Sends an element. Counts it if stream management is on.
    pub(super) async fn send(&mut self, element: &Element) -> Result<(), Ended> {
        self.session.managed.sending(element);
        self.writer.send(element).await.map_err(Ended::Broken)
    }

    async fn say(&mut self, said: Outgoing) -> Result<(), Ended> {
        let Outgoing { mut stanza, reply_to, done } = said;
        let Some((key, done)) = done else { return self.send(&stanza).await };
        if let Some(event_id) = self.session.sent.get(&key) {
            let _ = done.send(Outcome::Done { event_id: Some(event_id.clone()) });
            return Ok(());
        }
        let to = stanza.attribute("to").unwrap_or_default().to_owned();
        let group = stanza.attribute("type") == Some("groupchat");
        if let Some(event_id) = reply_to {
            let chat = if group { bare(&to).to_owned() } else { to.clone() };
            let given = self.session.given_ids.get(&(chat, event_id.clone()));
            // in a room, a reply refers to the room's id of the message (XEP-0461)
            let id = given.filter(|_| !group).cloned().unwrap_or(event_id);
            stanza = stanza.child(Element::new("reply", super::event::REPLY).with("to", &to).with("id", id));
        }
        let again = self.session.under_way.remove(&key);
        let is_sent = again.is_some();
        let sent_at = again.map_or_else(Instant::now, |one| one.sent_at);
        let one = UnderWay { chat: bare(&to).to_owned(), group, sent_at, done };
        self.session.under_way.insert(key.clone(), one);
        // The first attempt may still arrive. Sending again would make a second message.
        if !is_sent {
            self.send(&stanza).await?;
            self.confirm(&key).await?;
        }
        Ok(())
    }

    /// Makes the server confirm that it has taken what was sent.
    async fn confirm(&mut self, key: &str) -> Result<(), Ended> {
        if self.session.managed.enabled {
            return self.ask_for_count().await;
        }
        let ping = Element::new("iq", CLIENT).with("type", "get").with("id", format!("ping-{key}"));
        self.send(&ping.child(Element::new("ping", "urn:xmpp:ping"))).await
    }

    async fn ask_for_count(&mut self) -> Result<(), Ended> {
        self.writer.send(&Managed::request()).await.map_err(Ended::Broken)
    }

    /// The next element, within the time limit for an answer.
    pub(super) async fn next(&mut self) -> Result<Element, Ended> {
        let closing = self.inlet.closing();
        let next = tokio::select! {
            next = tokio::time::timeout(ANSWER_TIME, self.stanzas.recv()) => next,
            () = closing.cancelled() => return Err(Ended::Stopped),
        };
        match next {
            Ok(Some(Ok(element))) => Ok(element),
            Ok(Some(Err(why))) => Err(Ended::Broken(why)),
            Ok(None) => Err(Ended::Broken("the server closed the stream".into())),
            Err(_) => Err(Ended::Broken("the server does not answer".into())),
        }
    }

    /// A new id for a request.
    pub(super) fn question_id(&mut self) -> String {
        self.questions += 1;
        format!("q{}", self.questions)
    }

    pub(super) async fn answer_count(&mut self) -> Result<(), Ended> {
        let answer = self.session.managed.answer();
        self.writer.send(&answer).await.map_err(Ended::Broken)
    }

    pub(super) fn heard_something(&mut self) {
        (self.heard_at, self.asked) = (Instant::now(), false);
    }

    async fn tick(&mut self) -> Result<(), Ended> {
        self.keep_cursor().await;
        let unconfirmed = self.session.under_way.values().any(|one| one.sent_at.elapsed() > ANSWER_TIME);
        if unconfirmed {
            return Err(Ended::Broken("the server does not confirm what is said".into()));
        }
        let silent = self.heard_at.elapsed();
        if silent > 2 * SILENCE {
            return Err(Ended::Broken("the server is silent".into()));
        }
        if silent > SILENCE && !self.asked {
            self.asked = true;
            self.confirm("there").await?;
        }
        if !self.refused.rooms().is_empty() && (self.tries < SOON || self.tried_at.elapsed() > REFUSED) {
            (self.tried_at, self.tries) = (Instant::now(), self.tries.saturating_add(1));
            self.enter_refused().await?;
        }
        Ok(())
    }
}
