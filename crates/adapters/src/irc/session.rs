//! Turns IRC lines into events: messages, joins, parts and history. Returns the lines to send.

use std::{collections::HashSet, sync::Arc, time::Duration};

use greenroom_core::{PersonaName, SystemClock, Time, Timestamp};

use super::{
    earlier::EarlierConnections,
    history::{CatchUp, read_time},
    line::{Line, folded, is_channel},
    link::Shared,
    people::{People, SignedOn},
};
use crate::{Ended, Event, Inlet, NotTaken};

/// Attempts to store an event. IRC does not deliver an event again.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_secs(1);
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

/// The state of one connection.
pub(super) struct Session {
    pub(super) account: String,
    /// The channels to join, as the settings write them.
    channels: Vec<String>,
    /// The number of this connection among those of the account. The first one catches up with what was missed.
    number: usize,
    /// The earlier connections that read a channel in place of this one.
    pub(super) earlier: EarlierConnections,
    /// The persona whose nick it is.
    pub(super) persona: Option<PersonaName>,
    /// The connections of the account.
    pub(super) peers: Vec<Peer>,
    wished_nick: String,
    /// Channels that have answered the JOIN, folded.
    answered: HashSet<String>,
    pub(super) people: People,
    catch_up: CatchUp,
    /// The time of the newest message.
    pub(super) seen_until: Option<Timestamp>,
    /// The time that is stored as the cursor.
    kept_until: Option<Timestamp>,
}

impl Session {
    /// `seen_until`: the stored cursor, where the catch-up begins.
    pub(super) fn new(
        account: &str,
        channels: &[String],
        number: usize,
        persona: Option<PersonaName>,
        wished_nick: &str,
        seen_until: Option<Timestamp>,
    ) -> Self {
        Self {
            account: account.into(),
            channels: channels.to_vec(),
            number,
            earlier: EarlierConnections::default(),
            persona,
            peers: Vec::new(),
            wished_nick: wished_nick.into(),
            answered: HashSet::new(),
            people: People::new(account),
            catch_up: CatchUp::new(seen_until),
            seen_until,
            kept_until: seen_until,
        }
    }

    /// Sets all connections of the account. Their messages are echoes.
    pub(super) fn set_peers(&mut self, peers: Vec<Peer>) {
        self.peers = peers;
    }

    /// Whether a connection of the account has this nick. Another person may have a nick that one of our connections
    /// wants.
    pub(super) fn is_ours(&self, nick: &str) -> bool {
        self.peers.iter().any(|peer| folded(&peer.shared.nick()) == folded(nick))
    }

    /// Whether a connection of the account that has not signed on yet wants this nick. It may join a moment later.
    fn is_awaited(&self, nick: &str) -> bool {
        self.peers.iter().any(|peer| peer.shared.nick().is_empty() && folded(&peer.wished) == folded(nick))
    }

    /// The lines to send after signing on.
    pub(super) fn begin(&mut self, nick: &str, capabilities: &HashSet<String>) -> Vec<String> {
        self.people.begin(capabilities);
        self.catch_up.begin(capabilities);
        // marks the connection as a bot; servers that do not know the mode ignore it
        let mut lines = vec![format!("MODE {nick} +B")];
        lines.extend(self.channels.iter().map(|channel| format!("JOIN {channel}")));
        lines
    }

    /// Whether each channel has been joined or has refused.
    pub(super) fn is_joined(&self) -> bool {
        self.channels.iter().all(|channel| self.answered.contains(&folded(key_of(channel))))
    }

    /// Whether the settings name the channel.
    fn names_channel(&self, channel: &str) -> bool {
        self.channels.iter().any(|ours| folded(key_of(ours)) == folded(channel))
    }

    /// Stores the time of the newest message if it has changed. Not before all channels have caught up: after a broken
    /// connection, the next one must begin at the old time again.
    pub(super) async fn keep_cursor(&mut self, inlet: &dyn Inlet) {
        let is_caught_up = self.is_joined() && self.catch_up.is_over();
        if self.number > 0 || !is_caught_up || self.seen_until == self.kept_until {
            return;
        }
        if let Some(seen) = self.seen_until {
            match inlet.keep_cursor(CURSOR, &seen.0.to_string()).await {
                Ok(()) => self.kept_until = self.seen_until,
                Err(error) => {
                    tracing::warn!(account = self.account, %error, "the time of the newest message is not stored");
                }
            }
        }
    }

    /// Reads the cursor of an account; `None` before the first connection.
    ///
    /// # Errors
    /// The store fails. Going on would skip the messages missed during the absence.
    pub(super) async fn read_cursor(inlet: &dyn Inlet) -> Result<Option<Timestamp>, Ended> {
        let kept = inlet.cursor(CURSOR).await.map_err(|error| Ended::Broken(error.to_string()))?;
        Ok(kept.and_then(|kept| kept.parse().ok()).map(Timestamp))
    }

    /// Handles a line. Returns the lines to send.
    ///
    /// # Errors
    /// The reason why the connection ends.
    pub(super) async fn handle_line(
        &mut self,
        line: &Line,
        shared: &Shared,
        inlet: &dyn Inlet,
    ) -> Result<Vec<String>, Ended> {
        let own = folded(line.nick()) == folded(&shared.nick());
        let is_past = self.catch_up.is_past(line);
        match line.command.as_str() {
            "PRIVMSG" => self.message_came(line, is_past, shared, inlet).await?,
            // joins and parts in the history do not change who is present now
            _ if is_past => {}
            "BATCH" => {
                let next = self.catch_up.batch(line);
                self.report_catch_up(inlet);
                return Ok(next.into_iter().collect());
            }
            "005" => self.catch_up.supported(line),
            "FAIL" if line.param(0) == "CHATHISTORY" => self.catch_up_refused(line, inlet),
            "421" if line.param(1) == "CHATHISTORY" => self.catch_up_refused(line, inlet),
            "JOIN" if own => {
                if let Some(prefix) = &line.prefix {
                    shared.set_prefix(prefix);
                }
                inlet.refused(&folded(line.param(0)), self.persona.as_ref(), None);
                return self.joined(line, inlet).await;
            }
            "JOIN" => {
                self.nick_joined(line.param(0), line.nick(), self.people.signed_on(line), inlet).await?
            }
            "ACCOUNT" => {
                let events = self.people.learned(line.nick(), self.people.signed_on(line));
                self.store_events(events, inlet).await?;
            }
            "PART" if own => {
                self.sent_out(line.param(0), &format!("the server parted us: {}", line.param(1)), inlet)
                    .await?
            }
            "PART" => self.nick_left(line.param(0), line.nick(), inlet).await?,
            "KICK" if folded(line.param(1)) == folded(&shared.nick()) => {
                let why = format!("{} sent us out: {}", line.nick(), line.param(2));
                self.sent_out(line.param(0), &why, inlet).await?;
            }
            "KICK" => self.nick_left(line.param(0), line.param(1), inlet).await?,
            "QUIT" => {
                if let Some(earlier) = self.earlier_with(line.nick()) {
                    self.earlier.quit(earlier);
                }
                shared.left_nick(line.nick());
                let events = self.people.quit(line.nick());
                self.store_events(events, inlet).await?;
                return Ok(self.reclaim_nick(line.nick(), shared));
            }
            "NICK" if own => shared.set_nick(line.param(0)),
            "NICK" => {
                shared.renamed(line.nick(), line.param(0));
                let events = self.people.renamed(line.nick(), line.param(0));
                self.store_events(events, inlet).await?;
                return Ok(self.reclaim_nick(line.nick(), shared));
            }
            "353" => {
                for name in line.param(3).split_whitespace() {
                    let nick = name.trim_start_matches(['~', '&', '@', '%', '+', '!']);
                    let nick = nick.split('!').next().unwrap_or_default();
                    self.nick_joined(line.param(2), nick, SignedOn::Unknown, inlet).await?;
                }
            }
            // no such channel, too many channels, full, invite only, banned, wrong key, registered nicks only
            "403" | "405" | "437" | "471" | "473" | "474" | "475" | "476" | "477" | "489" | "520"
                if is_channel(line.param(1)) =>
            {
                let why = line.params.last().cloned().unwrap_or_default();
                self.not_let_in(line.param(1), &why, inlet);
            }
            // the server lets us into another channel instead: nobody asked for the persona there
            "470" if is_channel(line.param(1)) && is_channel(line.param(2)) => {
                let (channel, other) = (line.param(1), line.param(2));
                self.not_let_in(channel, &format!("the server leads to {other} instead"), inlet);
                if !self.names_channel(other) {
                    return Ok(vec![format!("PART {other} :not asked for")]);
                }
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    /// A channel of the settings cannot be joined.
    fn not_let_in(&mut self, channel: &str, why: &str, inlet: &dyn Inlet) {
        tracing::warn!(account = self.account, channel, why, "a channel cannot be joined");
        let channel = folded(channel);
        inlet.refused(&channel, self.persona.as_ref(), Some(why));
        self.answered.insert(channel);
        self.report_catch_up(inlet);
    }

    /// A channel was joined. Requests the messages missed there, if the server keeps them.
    async fn joined(&mut self, line: &Line, inlet: &dyn Inlet) -> Result<Vec<String>, Ended> {
        let channel = line.param(0);
        // the server sends the names of the people in the channel next
        self.earlier.forget(channel);
        let events = self.people.forget_channel(channel);
        self.store_events(events, inlet).await?;
        self.answered.insert(folded(channel));
        let at = line.tag("time").and_then(read_time).unwrap_or_else(|| SystemClock.now());
        let question = (self.number == 0).then(|| self.catch_up.joined(channel, at)).flatten();
        self.report_catch_up(inlet);
        Ok(question.into_iter().collect())
    }

    /// We were kicked or parted. The server no longer tells us who joins and leaves there.
    async fn sent_out(&mut self, channel: &str, why: &str, inlet: &dyn Inlet) -> Result<(), Ended> {
        // a channel that a server led us to is left by our own wish
        if self.names_channel(channel) {
            tracing::warn!(account = self.account, channel, why, "we were sent out of a channel");
            inlet.refused(&folded(channel), self.persona.as_ref(), Some(why));
        }
        self.catch_up.left(channel);
        self.report_catch_up(inlet);
        self.earlier.forget(channel);
        let events = self.people.forget_channel(channel);
        self.store_events(events, inlet).await
    }

    fn catch_up_refused(&mut self, line: &Line, inlet: &dyn Inlet) {
        self.catch_up.refused(line);
        self.report_catch_up(inlet);
    }

    /// Reports how far back the catch-up reached, after every channel is joined and read.
    fn report_catch_up(&mut self, inlet: &dyn Inlet) {
        if self.number == 0
            && self.is_joined()
            && let Some(looked) = self.catch_up.looked_back()
        {
            inlet.looked_back(looked);
        }
    }

    /// Requests the wanted nick when it becomes free.
    fn reclaim_nick(&self, free: &str, shared: &Shared) -> Vec<String> {
        let wished = folded(free) == folded(&self.wished_nick) && folded(&shared.nick()) != folded(free);
        if wished { vec![format!("NICK {}", self.wished_nick)] } else { Vec::new() }
    }

    async fn message_came(
        &mut self,
        line: &Line,
        is_past: bool,
        shared: &Shared,
        inlet: &dyn Inlet,
    ) -> Result<(), Ended> {
        let signed_on = match self.people.signed_on(line) {
            // at that time another person may have used the nick
            SignedOn::Unknown if is_past => SignedOn::Not,
            signed_on => signed_on,
        };
        if !is_past {
            let events = self.people.learned(line.nick(), signed_on);
            self.store_events(events, inlet).await?;
        }
        match self.message(line, signed_on, is_past, shared) {
            Some(event) => self.store_event(event, inlet).await,
            None => Ok(()),
        }
    }

    /// Passes an event on. IRC does not deliver it again, so a failed write is tried again.
    async fn store_event(&self, event: Event, inlet: &dyn Inlet) -> Result<(), Ended> {
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

    /// Passes on joins and leaves of the channels that this connection reads.
    async fn store_events(&self, events: Vec<Event>, inlet: &dyn Inlet) -> Result<(), Ended> {
        let is_read = |event: &Event| match event {
            Event::Joined { place, .. } | Event::Left { place, .. } => {
                let channel = place.chat.strip_prefix(&self.account).and_then(|chat| chat.strip_prefix('/'));
                channel.is_none_or(|channel| !self.earlier.is_in(channel))
            }
            _ => true,
        };
        for event in events.into_iter().filter(is_read) {
            self.store_event(event, inlet).await?;
        }
        Ok(())
    }

    /// The number of an earlier connection of the account that has this nick, or is about to have it.
    fn earlier_with(&self, nick: &str) -> Option<usize> {
        let has = |peer: &Peer| {
            let own = peer.shared.nick();
            folded(if own.is_empty() { &peer.wished } else { &own }) == folded(nick)
        };
        self.peers.iter().take(self.number).position(has)
    }

    async fn nick_joined(
        &mut self,
        channel: &str,
        nick: &str,
        signed_on: SignedOn<'_>,
        inlet: &dyn Inlet,
    ) -> Result<(), Ended> {
        if let Some(earlier) = self.earlier_with(nick) {
            self.earlier.joined(channel, earlier);
        }
        // personas do not count as people, so neither their joins nor their leaves are passed on
        if nick.is_empty() || self.is_ours(nick) || self.is_awaited(nick) {
            return Ok(());
        }
        let events = self.people.joined(channel, nick, signed_on);
        self.store_events(events, inlet).await
    }

    async fn nick_left(&mut self, channel: &str, nick: &str, inlet: &dyn Inlet) -> Result<(), Ended> {
        if let Some(earlier) = self.earlier_with(nick) {
            self.earlier.left(channel, earlier);
        }
        let events = self.people.left(channel, nick);
        self.store_events(events, inlet).await
    }
}

/// The name of a channel of the settings without its key, as in `#tea secret`.
pub(super) fn key_of(channel: &str) -> &str {
    channel.split_whitespace().next().unwrap_or_default()
}
