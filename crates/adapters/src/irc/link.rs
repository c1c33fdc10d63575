//! One connection to a server: passes incoming lines to the session, sends messages and confirms them.
//!
//! A PING follows each message. The PONG proves that the server has read the message. An error before the PONG means
//! that the server refuses the message. If the server echoes the message, the echo contains its id. If the connection
//! breaks before the PONG, the outcome of the message is uncertain.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use greenroom_core::PersonaName;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, interval, sleep_until},
};

use super::{
    line::{Line, folded},
    registration::{Identity, Registered, register},
    session::Session,
    stream::Stream,
};
use crate::{Ended, Inlet, Outcome};

/// After this time without a line, we ping the server. After the same time again, the connection counts as broken.
const SILENCE: Duration = Duration::from_secs(90);
/// The most messages that wait for their confirmation.
const UNDER_WAY: usize = 16;
/// People whose nicks are kept. When full, the list is cleared and filled again.
const PEOPLE: usize = 4096;

/// A message to send.
pub(super) struct Outgoing {
    /// A channel or a nick.
    pub(super) target: String,
    pub(super) text: String,
    /// `PRIVMSG` or `NOTICE`.
    pub(super) command: &'static str,
    pub(super) key: String,
    pub(super) done: oneshot::Sender<Outcome>,
}

/// The state of a connection that other tasks may read.
#[derive(Default)]
pub(super) struct Shared {
    state: Mutex<State>,
}

struct Speaker {
    nick: String,
    /// Whether the person spoke in the history only, so that another person may use the nick now.
    is_past: bool,
}

#[derive(Default)]
struct State {
    sender: Option<mpsc::Sender<Outgoing>>,
    nick: String,
    /// `nick!user@host`, as the server relays it.
    prefix: Option<String>,
    /// Each person who spoke, by the person's id.
    people: HashMap<String, Speaker>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The nick; empty while there is no connection.
    pub(super) fn nick(&self) -> String {
        self.state().nick.clone()
    }

    pub(super) fn set_nick(&self, nick: &str) {
        nick.clone_into(&mut self.state().nick);
    }

    pub(super) fn set_prefix(&self, prefix: &str) {
        self.state().prefix = Some(prefix.to_owned());
    }

    /// The nick of a person who spoke, as far as the server told of changes.
    pub(super) fn nick_of(&self, person: &str) -> Option<String> {
        self.state().people.get(person).map(|speaker| speaker.nick.clone())
    }

    /// Whether another person than this one uses a nick, as far as they have spoken.
    pub(super) fn is_of_another(&self, nick: &str, person: &str) -> bool {
        let has = |(id, other): (&String, &Speaker)| {
            id != person && !other.is_past && folded(&other.nick) == folded(nick)
        };
        self.state().people.iter().any(has)
    }

    /// Notes who uses a nick. The history changes nothing that is known of the present.
    pub(super) fn spoke(&self, person: &str, nick: &str, is_past: bool) {
        if !is_past {
            self.left_nick(nick);
        }
        let people = &mut self.state().people;
        if people.len() >= PEOPLE {
            people.clear();
        }
        if !is_past || people.get(person).is_none_or(|speaker| speaker.is_past) {
            people.insert(person.to_owned(), Speaker { nick: nick.to_owned(), is_past });
        }
    }

    pub(super) fn renamed(&self, old: &str, new: &str) {
        self.left_nick(new);
        for speaker in self.state().people.values_mut().filter(|it| folded(&it.nick) == folded(old)) {
            new.clone_into(&mut speaker.nick);
        }
    }

    /// A nick is not used any more, or by another person than before.
    pub(super) fn left_nick(&self, nick: &str) {
        self.state().people.retain(|_, other| folded(&other.nick) != folded(nick));
    }

    /// The longest prefix, in bytes, that the server may add to our messages when it relays them.
    pub(super) fn prefix_len(&self) -> usize {
        // a nick of 30, a user of 12, a host of 64
        self.state().prefix.as_ref().map_or(30 + 1 + 12 + 1 + 64, String::len)
    }

    /// Sends a message and waits for its confirmation.
    pub(super) async fn say(&self, target: &str, text: &str, command: &'static str, key: &str) -> Outcome {
        let Some(sender) = self.state().sender.clone() else { return Outcome::Offline };
        let (done, outcome) = oneshot::channel();
        let said = Outgoing { target: target.into(), text: text.into(), command, key: key.into(), done };
        if sender.send(said).await.is_err() {
            return Outcome::Offline;
        }
        // a message that was queued but not sent is answered as offline before its sender is dropped
        outcome.await.unwrap_or(Outcome::Offline)
    }
}

/// A sent message without a confirmation.
struct UnderWay {
    said: Outgoing,
    refused: Option<String>,
}

/// One connection of an account.
pub(super) struct Link {
    pub(super) shared: Arc<Shared>,
    pub(super) identity: Identity,
    /// The persona whose nick it is, if each persona has a connection.
    pub(super) persona: Option<PersonaName>,
}

/// The address of a server.
pub(super) struct Address<'a> {
    pub(super) server: &'a str,
    pub(super) tls: bool,
    pub(super) ca_file: Option<&'a std::path::Path>,
}

struct OpenConnection<'a> {
    link: &'a Link,
    stream: Stream,
    capabilities: HashSet<String>,
    under_way: VecDeque<UnderWay>,
}

impl Link {
    /// Connects, joins the channels and runs until the connection ends. Calls `ready` when messages can be sent.
    pub(super) async fn run(
        &self,
        address: &Address<'_>,
        session: &mut Session,
        inlet: &dyn Inlet,
        ready: impl Fn() + Send,
    ) -> Ended {
        let stream = Stream::dial(address.server, address.tls, address.ca_file).await;
        let mut stream = match stream {
            Ok(stream) => stream,
            Err(why) => return Ended::Broken(why),
        };
        let Registered { nick, capabilities } = match register(&mut stream, &self.identity).await {
            Ok(registered) => registered,
            Err(ended) => return ended,
        };
        let (sender, mut says) = mpsc::channel(UNDER_WAY);
        self.shared.set_nick(&nick);
        let mut connection = OpenConnection { link: self, stream, capabilities, under_way: VecDeque::new() };
        let ended = connection.run(session, inlet, &mut says, sender, ready).await;
        self.shared.state().sender = None;
        self.shared.set_nick("");
        // sent messages are uncertain, queued messages were certainly not sent
        for UnderWay { said, .. } in connection.under_way {
            let _ = said
                .done
                .send(Outcome::Uncertain("the connection broke before the server confirmed it".into()));
        }
        says.close();
        while let Ok(said) = says.try_recv() {
            let _ = said.done.send(Outcome::Offline);
        }
        ended
    }
}

impl OpenConnection<'_> {
    async fn run(
        &mut self,
        session: &mut Session,
        inlet: &dyn Inlet,
        says: &mut mpsc::Receiver<Outgoing>,
        sender: mpsc::Sender<Outgoing>,
        ready: impl Fn() + Send,
    ) -> Ended {
        let closing = inlet.closing();
        for line in session.begin(&self.link.shared.nick(), &self.capabilities) {
            if let Err(why) = self.stream.send(&line).await {
                return Ended::Broken(why);
            }
        }
        let mut sender = Some(sender);
        let (mut heard_at, mut asked) = (Instant::now(), false);
        let mut notes = interval(Duration::from_secs(10));
        loop {
            if session.is_joined()
                && let Some(sender) = sender.take()
            {
                self.link.shared.state().sender = Some(sender);
                ready();
            }
            let room = self.under_way.len() < UNDER_WAY;
            tokio::select! {
                line = self.stream.line() => match line {
                    Ok(Some(text)) => {
                        (heard_at, asked) = (Instant::now(), false);
                        let Some(line) = Line::parse(&text) else { continue };
                        if let Some(ended) = self.handle_line(&line, session, inlet).await {
                            return ended;
                        }
                    }
                    Ok(None) => return Ended::Broken("the server closed the connection".into()),
                    Err(why) => return Ended::Broken(why),
                },
                Some(said) = says.recv(), if room => {
                    if let Err(why) = self.say(said).await {
                        return Ended::Broken(why);
                    }
                }
                () = sleep_until(heard_at + SILENCE) => {
                    if asked {
                        return Ended::Broken("the server is silent".into());
                    }
                    (heard_at, asked) = (Instant::now(), true);
                    if let Err(why) = self.stream.send("PING :there").await {
                        return Ended::Broken(why);
                    }
                }
                _ = notes.tick() => session.keep_cursor(inlet).await,
                () = closing.cancelled() => {
                    session.keep_cursor(inlet).await;
                    let _ = self.stream.send("QUIT :Greenroom ends").await;
                    return Ended::Stopped;
                }
            }
        }
    }

    async fn say(&mut self, said: Outgoing) -> Result<(), String> {
        let tags = match self.capabilities.contains("labeled-response") {
            true => format!("@label={} ", said.key),
            false => String::new(),
        };
        let lines =
            [format!("{tags}{} {} :{}", said.command, said.target, said.text), format!("PING :{}", said.key)];
        self.under_way.push_back(UnderWay { said, refused: None });
        for line in &lines {
            self.stream.send(line).await?;
        }
        Ok(())
    }

    /// Handles a line. Returns a value if the connection must end.
    async fn handle_line(&mut self, line: &Line, session: &mut Session, inlet: &dyn Inlet) -> Option<Ended> {
        match line.command.as_str() {
            "PING" => {
                let pong = format!("PONG :{}", line.param(0));
                return self.stream.send(&pong).await.err().map(Ended::Broken);
            }
            "PONG" => self.confirmed(line.params.last().map_or("", String::as_str)),
            "ERROR" => return Some(Ended::Broken(format!("the server said: {}", line.param(0)))),
            "PRIVMSG" | "NOTICE" if self.is_echo(line) => self.echoed(line),
            // no such nick, no such channel, cannot send, no text, not an operator
            "401" | "403" | "404" | "412" | "415" | "416" | "417" | "477" | "482" => self.refused(line),
            _ => {}
        }
        let answers = match session.handle_line(line, &self.link.shared, inlet).await {
            Ok(answers) => answers,
            Err(ended) => return Some(ended),
        };
        for answer in answers {
            if let Err(why) = self.stream.send(&answer).await {
                return Some(Ended::Broken(why));
            }
        }
        None
    }

    fn is_echo(&self, line: &Line) -> bool {
        folded(line.nick()) == folded(&self.link.shared.nick())
    }

    fn echoed(&mut self, line: &Line) {
        let label = line.tag("label");
        let target = folded(line.param(0));
        let echo = self.under_way.iter().position(|one| match label {
            Some(label) => one.said.key == label,
            None => {
                one.refused.is_none() && folded(&one.said.target) == target && one.said.text == line.param(1)
            }
        });
        // Report the id now and not at the PONG: a reply to the message may arrive before the PONG.
        if let Some(event_id) = line.tag("msgid")
            && let Some(one) = echo.and_then(|n| self.under_way.remove(n))
        {
            let _ = one.said.done.send(Outcome::Done { event_id: Some(event_id.to_owned()) });
        }
    }

    /// An error names only its target. It is assigned to the oldest message to that target that is not refused yet.
    fn refused(&mut self, line: &Line) {
        let target = folded(line.param(1));
        let one =
            self.under_way.iter_mut().find(|one| one.refused.is_none() && folded(&one.said.target) == target);
        if let Some(one) = one {
            let why = line.params.last().map_or("", String::as_str);
            one.refused = Some(format!("the server refuses it: {why} ({})", line.command));
        }
    }

    /// The server has read all messages up to the one with this key.
    fn confirmed(&mut self, key: &str) {
        while self.under_way.iter().any(|one| one.said.key == key) {
            let Some(UnderWay { said, refused }) = self.under_way.pop_front() else { return };
            let is_last = said.key == key;
            let outcome = match refused {
                Some(why) => Outcome::Refused(why),
                None => Outcome::Done { event_id: None },
            };
            let _ = said.done.send(outcome);
            if is_last {
                return;
            }
        }
    }
}
