//! What the lines of a connection mean: messages, people who come and go, channels that are joined, history.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use greenroom_core::{PersonaName, Timestamp};
use sha2::{Digest, Sha256};

use super::{
    line::{Line, folded, is_channel, without_marks},
    link::Shared,
};
use crate::{
    Author, AuthorKind, Ended, Event, Inlet, LookedBack, Message, NotTaken, Person, Place, place::escaped,
    text::clean_name,
};

/// Attempts to store an event; IRC delivers nothing twice.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_secs(1);
/// Messages of the past that are asked for, where the server keeps some.
const HISTORY: usize = 100;
/// The name of the cursor with the time of the newest message.
const CURSOR: &str = "seen_until";

/// A connection of the account.
#[derive(Clone)]
pub(super) struct Peer {
    pub(super) shared: Arc<Shared>,
    pub(super) wished: String,
    /// The persona whose nick it is.
    pub(super) persona: Option<PersonaName>,
}

/// What a connection knows while it lasts.
pub(super) struct Session {
    account: String,
    /// The channels it joins, as the settings name them.
    channels: Vec<String>,
    /// Whether what is said in channels is taken in here. Of several connections the first does so.
    hears_channels: bool,
    /// The persona whose nick it is.
    persona: Option<PersonaName>,
    /// The connections of the account.
    peers: Vec<Peer>,
    wished_nick: String,
    /// Channels of which an answer to JOIN came, in small letters.
    answered: HashSet<String>,
    /// Who is where: by nick in small letters.
    present: HashMap<String, HashSet<String>>,
    /// Open batches of history.
    history: HashSet<String>,
    asks_history: bool,
    got_history: bool,
    /// The newest time that a message had, and what of it is kept.
    seen_until: Option<Timestamp>,
    kept_until: Option<Timestamp>,
    count: u64,
}

impl Session {
    pub(super) fn new(
        account: &str,
        channels: &[String],
        hears_channels: bool,
        persona: Option<PersonaName>,
        wished_nick: &str,
        seen_until: Option<Timestamp>,
    ) -> Self {
        Self {
            account: account.into(),
            channels: channels.to_vec(),
            hears_channels,
            persona,
            peers: Vec::new(),
            wished_nick: wished_nick.into(),
            answered: HashSet::new(),
            present: HashMap::new(),
            history: HashSet::new(),
            asks_history: false,
            got_history: false,
            seen_until,
            kept_until: seen_until,
            count: 0,
        }
    }

    /// All connections of the account: what these say is an echo.
    pub(super) fn set_peers(&mut self, peers: Vec<Peer>) {
        self.peers = peers;
    }

    /// Whether a nick is of a connection of the account. Others may have a nick that one of ours wishes.
    fn is_ours(&self, nick: &str) -> bool {
        self.peers.iter().any(|peer| folded(&peer.shared.nick()) == folded(nick))
    }

    /// The lines that follow signing on.
    pub(super) fn begin(&mut self, nick: &str, capabilities: &HashSet<String>) -> Vec<String> {
        self.asks_history =
            capabilities.contains("draft/chathistory") || capabilities.contains("chathistory");
        // bots say that they are bots; servers that do not know the mode ignore it
        let mut lines = vec![format!("MODE {nick} +B")];
        lines.extend(self.channels.iter().map(|channel| format!("JOIN {channel}")));
        lines
    }

    /// Whether each channel is joined, or refused.
    pub(super) fn is_joined(&self) -> bool {
        self.channels.iter().all(|channel| self.answered.contains(&folded(key_of(channel))))
    }

    /// Keeps the time of the newest message, where it has changed.
    pub(super) async fn keep_cursor(&mut self, inlet: &dyn Inlet) {
        if !self.hears_channels || self.seen_until == self.kept_until {
            return;
        }
        if let Some(seen) = self.seen_until
            && inlet.keep_cursor(CURSOR, &seen.0.to_string()).await.is_ok()
        {
            self.kept_until = self.seen_until;
        }
    }

    /// The cursor of an account.
    pub(super) async fn read_cursor(inlet: &dyn Inlet) -> Option<Timestamp> {
        let kept = inlet.cursor(CURSOR).await.ok()??;
        kept.parse().ok().map(Timestamp)
    }

    /// Handles a line; returns what is to be sent.
    ///
    /// # Errors
    /// How the connection ends.
    pub(super) async fn heard(
        &mut self,
        line: &Line,
        shared: &Shared,
        inlet: &dyn Inlet,
    ) -> Result<Vec<String>, Ended> {
        let own = folded(line.nick()) == folded(&shared.nick());
        match line.command.as_str() {
            "PRIVMSG" => {
                if let Some(event) = self.message(line, shared) {
                    self.take(event, inlet).await?;
                }
            }
            "BATCH" => {
                let name = line.param(0);
                match (name.strip_prefix('+'), name.strip_prefix('-')) {
                    (Some(name), _) if line.param(1).ends_with("chathistory") => {
                        self.history.insert(name.to_owned());
                        self.got_history = true;
                    }
                    (_, Some(name)) => {
                        self.history.remove(name);
                    }
                    _ => {}
                }
            }
            "JOIN" if own => {
                if let Some(prefix) = &line.prefix {
                    shared.set_prefix(prefix);
                }
                inlet.refused(&folded(line.param(0)), self.persona.as_ref(), None);
                return Ok(self.joined(line.param(0), inlet));
            }
            "JOIN" => self.came(line.param(0), line.nick(), inlet).await?,
            "PART" => self.went(line.param(0), line.nick(), inlet).await?,
            "KICK" if folded(line.param(1)) == folded(&shared.nick()) => {
                tracing::warn!(
                    account = self.account,
                    channel = line.param(0),
                    "we were sent out of a channel"
                );
                let why = format!("{} sent us out: {}", line.nick(), line.param(2));
                inlet.refused(&folded(line.param(0)), self.persona.as_ref(), Some(&why));
            }
            "KICK" => self.went(line.param(0), line.param(1), inlet).await?,
            "QUIT" => {
                let nick = line.nick().to_owned();
                self.went_everywhere(&nick, inlet).await?;
                return Ok(self.wish(&nick, shared));
            }
            "NICK" if own => shared.set_nick(line.param(0)),
            "NICK" => {
                let (old, new) = (line.nick().to_owned(), line.param(0).to_owned());
                for channel in self.channels_of(&old) {
                    self.went(&channel, &old, inlet).await?;
                    self.came(&channel, &new, inlet).await?;
                }
                return Ok(self.wish(&old, shared));
            }
            "353" => {
                let (channel, names) = (line.param(2).to_owned(), line.param(3).to_owned());
                for name in names.split_whitespace() {
                    let nick = name.trim_start_matches(['~', '&', '@', '%', '+', '!']);
                    let nick = nick.split('!').next().unwrap_or_default();
                    self.came(&channel, nick, inlet).await?;
                }
            }
            // no such channel, too many channels, full, for invited people, banned, key, registered nicks alone
            "403" | "405" | "437" | "471" | "473" | "474" | "475" | "476" | "477" | "489" | "520"
                if is_channel(line.param(1)) =>
            {
                let why = line.params.last().cloned().unwrap_or_default();
                tracing::warn!(
                    account = self.account,
                    channel = line.param(1),
                    why,
                    "a channel cannot be joined"
                );
                let channel = folded(line.param(1));
                inlet.refused(&channel, self.persona.as_ref(), Some(&why));
                self.answered.insert(channel);
                self.look_back(inlet);
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    /// A channel is joined: asks for what was said there meanwhile, where the server keeps that.
    fn joined(&mut self, channel: &str, inlet: &dyn Inlet) -> Vec<String> {
        self.answered.insert(folded(channel));
        self.look_back(inlet);
        match self.seen_until.filter(|_| self.asks_history && self.hears_channels) {
            Some(seen) => {
                vec![format!("CHATHISTORY AFTER {channel} timestamp={} {HISTORY}", shown_time(seen))]
            }
            None => Vec::new(),
        }
    }

    /// Says how far back was looked, when every channel is joined.
    fn look_back(&self, inlet: &dyn Inlet) {
        if self.hears_channels && self.is_joined() && self.seen_until.is_some() {
            // a server that keeps history sends it after this; how much it kept is not known
            let since = self.seen_until.filter(|_| self.asks_history);
            inlet.looked_back(LookedBack { since, complete: false });
        }
    }

    /// Takes the nick that is wished, when it is free.
    fn wish(&self, free: &str, shared: &Shared) -> Vec<String> {
        let wished = folded(free) == folded(&self.wished_nick) && folded(&shared.nick()) != folded(free);
        if wished { vec![format!("NICK {}", self.wished_nick)] } else { Vec::new() }
    }

    fn message(&mut self, line: &Line, shared: &Shared) -> Option<Event> {
        let (target, nick) = (line.param(0), line.nick());
        let in_channel = is_channel(target);
        if in_channel && !self.hears_channels || nick.is_empty() {
            return None;
        }
        let said = without_ctcp(line.param(1), nick)?;
        let said_at = line.tag("time").and_then(read_time);
        let kind = match () {
            () if self.is_ours(nick) => AuthorKind::Ourselves,
            () if line.tags.contains_key("bot") || line.tags.contains_key("inspircd.org/bot") => {
                AuthorKind::Bot
            }
            () => AuthorKind::Person,
        };
        // who has signed on to the network's services is known by that; a nick alone proves nothing
        let id = match line.tag("account") {
            Some(account) if account != "*" => format!("{}/{}", self.account, folded(account)),
            _ => format!("{}/~{}", self.account, escaped(&folded(nick))),
        };
        shared.spoke(&id, nick);
        let author = Author { person: Person { id, name: clean_name(nick, nick) }, kind };
        let place = match (in_channel, &self.persona) {
            (true, _) => Place::chat(format!("{}/{}", self.account, folded(target))),
            (false, Some(persona)) => {
                Place::thread(format!("{}/{}", self.account, folded(nick)), persona.as_str())
            }
            (false, None) => Place::chat(format!("{}/{}", self.account, folded(nick))),
        };
        let is_named =
            |peer: &&Peer| begins_with(&said, &peer.shared.nick()) || begins_with(&said, &peer.wished);
        let mentioned: Vec<_> = self.peers.iter().filter(is_named).collect();
        let mut mentions: Vec<PersonaName> =
            mentioned.iter().filter_map(|peer| peer.persona.clone()).collect();
        if !in_channel {
            mentions = self.persona.iter().cloned().collect();
        }
        let addressed = !in_channel || !mentioned.is_empty() || begins_with(&said, &shared.nick());
        if let Some(at) = said_at {
            self.seen_until = self.seen_until.max(Some(at));
        }
        let event_id = match line.tag("msgid") {
            Some(id) => id.to_owned(),
            None => self.made_up_id(line, said_at),
        };
        let text = said;
        Some(Event::Message(Message {
            mentions,
            addressed,
            reply_to: line.tag("+draft/reply").or_else(|| line.tag("+reply")).map(str::to_owned),
            group: in_channel,
            said_at,
            ..Message::new(place, event_id, author, text)
        }))
    }

    /// The id of a message that the server gives none. One of the history has the same each time.
    fn made_up_id(&mut self, line: &Line, said_at: Option<Timestamp>) -> String {
        self.count += 1;
        let moment = match said_at {
            Some(at) => at.0.to_string(),
            None => format!("{:?} {}", std::time::SystemTime::now(), self.count),
        };
        let digest = Sha256::digest(format!("{moment} {:?} {:?}", line.prefix, line.params));
        format!("made-up-{}", digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    /// Hands an event in. IRC delivers nothing twice, so a store that is full for a moment is tried again.
    async fn take(&self, event: Event, inlet: &dyn Inlet) -> Result<(), Ended> {
        for _ in 0..TRIES {
            match inlet.take(event.clone()).await {
                Ok(_) => return Ok(()),
                Err(NotTaken::Stopped) => return Err(Ended::Stopped),
                Err(NotTaken::Elsewhere(why)) => {
                    tracing::warn!(account = self.account, why, "an event is left to another process");
                    return Ok(());
                }
                Err(NotTaken::Store(error)) => {
                    tracing::warn!(account = self.account, %error, "an event is not stored yet");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        Err(Ended::Broken("what people say cannot be stored".into()))
    }

    async fn came(&mut self, channel: &str, nick: &str, inlet: &dyn Inlet) -> Result<(), Ended> {
        if !self.hears_channels || nick.is_empty() {
            return Ok(());
        }
        self.present.entry(folded(channel)).or_default().insert(folded(nick));
        let (place, person) = self.person_at(channel, nick);
        match self.is_ours(nick) {
            true => Ok(()),
            false => self.take(Event::Joined { place, person }, inlet).await,
        }
    }

    async fn went(&mut self, channel: &str, nick: &str, inlet: &dyn Inlet) -> Result<(), Ended> {
        let known = self.present.get_mut(&folded(channel)).is_some_and(|nicks| nicks.remove(&folded(nick)));
        let (place, person) = self.person_at(channel, nick);
        if known { self.take(Event::Left { place, person }, inlet).await } else { Ok(()) }
    }

    async fn went_everywhere(&mut self, nick: &str, inlet: &dyn Inlet) -> Result<(), Ended> {
        for channel in self.channels_of(nick) {
            self.went(&channel, nick, inlet).await?;
        }
        Ok(())
    }

    fn channels_of(&self, nick: &str) -> Vec<String> {
        let there = self.present.iter().filter(|(_, nicks)| nicks.contains(&folded(nick)));
        there.map(|(channel, _)| channel.clone()).collect()
    }

    fn person_at(&self, channel: &str, nick: &str) -> (Place, Person) {
        let place = Place::chat(format!("{}/{}", self.account, folded(channel)));
        (
            place,
            Person {
                id: format!("{}/~{}", self.account, escaped(&folded(nick))),
                name: clean_name(nick, nick),
            },
        )
    }
}

/// The name of a channel of the settings without its key: `#tea secret`.
pub(super) fn key_of(channel: &str) -> &str {
    channel.split_whitespace().next().unwrap_or_default()
}

/// Whether a text is for a nick because it begins with it: `ada: hello`, `Ada, hello`.
fn begins_with(said: &str, nick: &str) -> bool {
    let rest = said.get(..nick.len()).filter(|head| !nick.is_empty() && folded(head) == folded(nick));
    rest.is_some_and(|_| said[nick.len()..].starts_with([':', ',']))
}

/// A text without the marks of clients; `/me waves` as `*ann waves*`. Nothing where a client asks another something.
fn without_ctcp(said: &str, nick: &str) -> Option<String> {
    match said.strip_prefix('\u{1}') {
        Some(asked) => {
            let action = asked.trim_end_matches('\u{1}').strip_prefix("ACTION ")?;
            Some(format!("*{nick} {}*", without_marks(action)))
        }
        None => Some(without_marks(said)),
    }
}

/// `2026-11-24T15:00:00.123Z`.
fn read_time(text: &str) -> Option<Timestamp> {
    text.parse::<jiff::Timestamp>().ok().map(|at| Timestamp(at.as_microsecond()))
}

fn shown_time(at: Timestamp) -> String {
    jiff::Timestamp::from_microsecond(at.0).map(|at| format!("{at:.3}")).unwrap_or_default()
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
        let at = read_time("2026-11-24T15:00:00.123Z").unwrap();
        assert_eq!(shown_time(at), "2026-11-24T15:00:00.123Z");
    }
}
