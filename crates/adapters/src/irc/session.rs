//! Turns IRC lines into events: messages, joins, parts and history. Returns the lines to send.

use std::{collections::HashSet, sync::Arc, time::Duration};

use greenroom_core::{Entropy, PersonaName, SystemClock, SystemEntropy, Time, Timestamp};
use sha2::{Digest, Sha256};

use super::{
    history::{CatchUp, read_time},
    line::{Line, folded, is_channel, without_marks},
    link::Shared,
    people::{People, SignedOn},
};
use crate::{Author, AuthorKind, Ended, Event, Inlet, Message, NotTaken, Place};

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
    account: String,
    /// The channels to join, as the settings write them.
    channels: Vec<String>,
    /// Whether this connection passes on channel messages. Of several connections, only the first does.
    reads_channels: bool,
    /// The persona whose nick it is.
    persona: Option<PersonaName>,
    /// The connections of the account.
    peers: Vec<Peer>,
    wished_nick: String,
    /// Channels that have answered the JOIN, folded.
    answered: HashSet<String>,
    people: People,
    catch_up: CatchUp,
    /// The time of the newest message.
    seen_until: Option<Timestamp>,
    /// The time that is stored as the cursor.
    kept_until: Option<Timestamp>,
}

impl Session {
    /// `seen_until`: the stored cursor, where the catch-up begins.
    pub(super) fn new(
        account: &str,
        channels: &[String],
        reads_channels: bool,
        persona: Option<PersonaName>,
        wished_nick: &str,
        seen_until: Option<Timestamp>,
    ) -> Self {
        Self {
            account: account.into(),
            channels: channels.to_vec(),
            reads_channels,
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
    fn is_ours(&self, nick: &str) -> bool {
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
        if !self.reads_channels || !is_caught_up || self.seen_until == self.kept_until {
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
                let events = self.people.quit(line.nick());
                self.store_events(events, inlet).await?;
                return Ok(self.reclaim_nick(line.nick(), shared));
            }
            "NICK" if own => shared.set_nick(line.param(0)),
            "NICK" => {
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
        let events = self.people.forget_channel(channel);
        self.store_events(events, inlet).await?;
        self.answered.insert(folded(channel));
        let at = line.tag("time").and_then(read_time).unwrap_or_else(|| SystemClock.now());
        let question = self.reads_channels.then(|| self.catch_up.joined(channel, at)).flatten();
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
        let events = self.people.forget_channel(channel);
        self.store_events(events, inlet).await
    }

    fn catch_up_refused(&mut self, line: &Line, inlet: &dyn Inlet) {
        self.catch_up.refused(line);
        self.report_catch_up(inlet);
    }

    /// Reports how far back the catch-up reached, after every channel is joined and read.
    fn report_catch_up(&mut self, inlet: &dyn Inlet) {
        if self.reads_channels
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
        match self.message(line, signed_on, shared) {
            Some(event) => self.store_event(event, inlet).await,
            None => Ok(()),
        }
    }

    fn message(&mut self, line: &Line, signed_on: SignedOn<'_>, shared: &Shared) -> Option<Event> {
        let (target, nick) = (line.param(0), line.nick());
        let in_channel = is_channel(target);
        if in_channel && !self.reads_channels || nick.is_empty() {
            return None;
        }
        let text = without_ctcp(line.param(1), nick)?;
        let said_at = line.tag("time").and_then(read_time);
        let kind = match () {
            () if self.is_ours(nick) => AuthorKind::Ourselves,
            () if line.tags.contains_key("bot") || line.tags.contains_key("inspircd.org/bot") => {
                AuthorKind::Bot
            }
            () => AuthorKind::Person,
        };
        let person = self.people.person(nick, signed_on);
        shared.spoke(&person.id, nick);
        let author = Author { person, kind };
        let place = match (in_channel, &self.persona) {
            (true, _) => Place::chat(format!("{}/{}", self.account, folded(target))),
            (false, Some(persona)) => {
                Place::thread(format!("{}/{}", self.account, folded(nick)), persona.as_str())
            }
            (false, None) => Place::chat(format!("{}/{}", self.account, folded(nick))),
        };
        let is_named =
            |peer: &&Peer| begins_with(&text, &peer.shared.nick()) || begins_with(&text, &peer.wished);
        let mentioned: Vec<_> = self.peers.iter().filter(is_named).collect();
        let mut mentions: Vec<PersonaName> =
            mentioned.iter().filter_map(|peer| peer.persona.clone()).collect();
        if !in_channel {
            mentions = self.persona.iter().cloned().collect();
        }
        let addressed = !in_channel || !mentioned.is_empty() || begins_with(&text, &shared.nick());
        if let Some(at) = said_at {
            self.seen_until = self.seen_until.max(Some(at));
        }
        let event_id = line.tag("msgid").map_or_else(|| made_up_id(line, said_at), str::to_owned);
        Some(Event::Message(Message {
            mentions,
            addressed,
            reply_to: line.tag("+draft/reply").or_else(|| line.tag("+reply")).map(str::to_owned),
            group: in_channel,
            said_at,
            ..Message::new(place, event_id, author, text)
        }))
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

    /// Passes on joins and leaves, if this connection reads the channels.
    async fn store_events(&self, events: Vec<Event>, inlet: &dyn Inlet) -> Result<(), Ended> {
        for event in events.into_iter().filter(|_| self.reads_channels) {
            self.store_event(event, inlet).await?;
        }
        Ok(())
    }

    async fn nick_joined(
        &mut self,
        channel: &str,
        nick: &str,
        signed_on: SignedOn<'_>,
        inlet: &dyn Inlet,
    ) -> Result<(), Ended> {
        // personas do not count as people, so neither their joins nor their leaves are passed on
        if nick.is_empty() || self.is_ours(nick) || self.is_awaited(nick) {
            return Ok(());
        }
        let events = self.people.joined(channel, nick, signed_on);
        self.store_events(events, inlet).await
    }

    async fn nick_left(&mut self, channel: &str, nick: &str, inlet: &dyn Inlet) -> Result<(), Ended> {
        let events = self.people.left(channel, nick);
        self.store_events(events, inlet).await
    }
}

/// The id of a message to which the server gives none. It is stable for messages of the history.
fn made_up_id(line: &Line, said_at: Option<Timestamp>) -> String {
    let moment = said_at.map_or_else(|| SystemEntropy.uuid().to_string(), |at| at.0.to_string());
    let digest = Sha256::digest(format!("{moment} {:?} {:?}", line.prefix, line.params));
    format!("made-up-{}", digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// The name of a channel of the settings without its key, as in `#tea secret`.
pub(super) fn key_of(channel: &str) -> &str {
    channel.split_whitespace().next().unwrap_or_default()
}

/// Whether a text addresses a nick at its beginning: `ada: hello`, `Ada, hello`.
fn begins_with(said: &str, nick: &str) -> bool {
    let rest = said.get(..nick.len()).filter(|head| !nick.is_empty() && folded(head) == folded(nick));
    rest.is_some_and(|_| said[nick.len()..].starts_with([':', ',']))
}

/// Removes formatting codes. `/me waves` becomes `*ann waves*`. `None` for a CTCP request of a client.
fn without_ctcp(said: &str, nick: &str) -> Option<String> {
    match said.strip_prefix('\u{1}') {
        Some(asked) => {
            let action = asked.trim_end_matches('\u{1}').strip_prefix("ACTION ")?;
            Some(format!("*{nick} {}*", without_marks(action)))
        }
        None => Some(without_marks(said)),
    }
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
    }
}
