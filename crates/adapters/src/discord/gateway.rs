//! One connection to the gateway, from HELLO to its end.

use std::{collections::HashSet, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep_until;

use super::{
    Discord, Me,
    catch_up::{beginning, broken},
    link::{Down, Link},
    rest::Refusal,
    session::{Closed, SESSION, Session, stopped},
};
use crate::{
    ConnectionState, Ended, Event, Inlet,
    http::{patience, pause},
    registry::is_local,
};

/// The intent for joining and leaving members. It is requested only if the bot's owner has enabled it, because
/// otherwise Discord refuses the connection.
const MEMBERS: u64 = 1 << 1;
/// The flags of an application with this intent: of a large bot, and of a small one.
const HAS_MEMBERS: u64 = 1 << 14 | 1 << 15;
/// The intents for guilds, guild messages, direct messages and message content.
const INTENTS: u64 = 1 | 1 << 9 | 1 << 12 | 1 << 15;
/// After op 9, Discord wants a pause of one to five seconds before the next IDENTIFY.
const AFTER_INVALID: Duration = Duration::from_secs(5);

/// Connects, resumes or begins a session, and passes events on until the connection ends.
pub(super) async fn run(discord: &Discord, inlet: &dyn Inlet) -> Ended {
    let closing = inlet.closing();
    inlet.report(ConnectionState::Connecting);
    let begin = async {
        let me = discord.sign_in().await.map_err(Refusal::ended)?;
        discord.recall_direct(inlet).await?;
        let kept = inlet.cursor(SESSION).await.map_err(broken)?;
        let session: Option<Session> = kept.and_then(|kept| serde_json::from_str(&kept).ok());
        let session = match session {
            Some(session) => session,
            None => {
                // at the first start, stores a cursor, so that a later absence has a start
                let session = Session { latest: beginning(), ..Session::default() };
                keep(inlet, &session).await?;
                session
            }
        };
        let url = match &session.id {
            Some(_) => session.url.clone(),
            None => address(discord, inlet).await?,
        };
        let url = discord.permitted(&url)?;
        // before the connection opens, because an open connection needs heartbeats
        let intents = if session.id.is_none() { intents(discord).await } else { INTENTS };
        match Link::open(&format!("{url}?v=10&encoding=json")).await {
            Ok(link) => Ok((Gateway::new(discord, inlet, me, session, intents), link)),
            Err(why) => {
                // the session's address may no longer exist; without it the next attempt requests a new one
                forget(inlet, session).await?;
                Err(Ended::Broken(why))
            }
        }
    };
    let (mut gateway, mut link) = tokio::select! {
        begun = begin => match begun {
            Ok(begun) => begun,
            Err(ended) => return ended,
        },
        () = closing.cancelled() => return Ended::Stopped,
    };
    let ended = tokio::select! {
        ended = gateway.serve(&mut link) => ended.err().unwrap_or(Ended::Reconnect),
        () = closing.cancelled() => Ended::Stopped,
    };
    link.close().await;
    ended
}

/// The gateway's address. Waits until the daily limit of IDENTIFYs permits another.
async fn address(discord: &Discord, inlet: &dyn Inlet) -> Result<String, Ended> {
    let answer =
        discord.rest.call(Method::GET, "/gateway/bot", &Value::Null).await.map_err(Refusal::ended)?;
    let limit = &answer["session_start_limit"];
    if limit["remaining"] == 0 {
        let wait = Duration::from_millis(limit["reset_after"].as_u64().unwrap_or(60_000));
        tracing::warn!("Discord permits no further session for {wait:?}: something keeps reconnecting");
        if !patience(wait, inlet).await {
            return Err(Ended::Stopped);
        }
    }
    answer["url"]
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| Ended::Broken("Discord gives no address".to_owned()))
}

/// The intents for a new session.
async fn intents(discord: &Discord) -> u64 {
    match discord.rest.call(Method::GET, "/applications/@me", &Value::Null).await {
        Ok(found) if found["flags"].as_u64().unwrap_or_default() & HAS_MEMBERS != 0 => INTENTS | MEMBERS,
        Ok(_) => INTENTS,
        Err(refusal) => {
            tracing::info!("Discord does not describe the application: {refusal}");
            INTENTS
        }
    }
}

/// Ends a session. Keeps the id of its newest message.
async fn forget(inlet: &dyn Inlet, session: Session) -> Result<(), Ended> {
    keep(inlet, &Session { id: None, seq: 0, ..session }).await
}

async fn keep(inlet: &dyn Inlet, session: &Session) -> Result<(), Ended> {
    let value = serde_json::to_string(session).map_err(broken)?;
    inlet.keep_cursor(SESSION, &value).await.map_err(broken)
}

/// The state of a connection: the session and the handling of its dispatches.
struct Gateway<'a> {
    discord: &'a Discord,
    inlet: &'a dyn Inlet,
    me: Me,
    session: Session,
    intents: u64,
    /// The newest message id that was stored when the session began.
    seen: u64,
    /// Guilds that Discord has not described yet. Their missed messages are not read yet.
    awaited: HashSet<String>,
}

impl<'a> Gateway<'a> {
    fn new(discord: &'a Discord, inlet: &'a dyn Inlet, me: Me, session: Session, intents: u64) -> Self {
        let seen = session.latest;
        Self { discord, inlet, me, session, intents, seen, awaited: HashSet::new() }
    }

    async fn serve(&mut self, link: &mut Link) -> Result<(), Ended> {
        let token = self.discord.rest.token();
        let begin = match &self.session.id {
            Some(id) => {
                json!({ "op": 6, "d": { "token": token, "session_id": id, "seq": self.session.seq } })
            }
            None => json!({ "op": 2, "d": { "token": token, "intents": self.intents,
                "properties": { "os": std::env::consts::OS, "browser": "greenroom", "device": "greenroom" } } }),
        };
        link.send(&begin).await?;
        loop {
            let beat = link.next_beat();
            let frame = tokio::select! {
                // read all frames that have arrived before a missing heartbeat answer counts
                biased;
                frame = link.receive() => match frame {
                    Ok(frame) => frame,
                    Err(Down::Closed(code)) => return Err(self.closed(code).await),
                    Err(Down::Broken(why)) => return Err(Ended::Broken(why)),
                },
                () = sleep_until(beat) => {
                    link.beat(self.session.seq).await?;
                    continue;
                }
            };
            self.handle(frame, link).await?;
        }
    }

    async fn closed(&mut self, code: u16) -> Ended {
        match Closed::by(code) {
            Closed::Stop => return stopped(code),
            Closed::Resume => {}
            Closed::Begin => {
                if let Err(ended) = forget(self.inlet, self.session.clone()).await {
                    return ended;
                }
            }
        }
        Ended::Broken(format!("Discord closed the connection with code {code}"))
    }

    async fn handle(&mut self, mut frame: Value, link: &mut Link) -> Result<(), Ended> {
        let before = self.session.seq;
        match frame["op"].as_u64() {
            Some(0) => {
                let seq = frame["s"].as_u64().unwrap_or_default();
                let name = frame["t"].as_str().unwrap_or_default().to_owned();
                let data = frame["d"].take();
                let mut dispatch = std::pin::pin!(self.dispatch(&name, &data, seq));
                // a catch-up may take longer than the heartbeat interval
                loop {
                    tokio::select! {
                        done = dispatch.as_mut() => break done,
                        () = sleep_until(link.next_beat()) => link.beat_while_busy(before).await?,
                    }
                }
            }
            Some(1) => link.beat_while_busy(before).await,
            Some(7) => Err(Ended::Reconnect),
            Some(9) => {
                if frame["d"] != true {
                    forget(self.inlet, self.session.clone()).await?;
                    if !pause(AFTER_INVALID, &self.inlet.closing()).await {
                        return Err(Ended::Stopped);
                    }
                }
                Err(Ended::Reconnect)
            }
            Some(11) => {
                link.is_answered();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    async fn dispatch(&mut self, name: &str, data: &Value, seq: u64) -> Result<(), Ended> {
        match name {
            "READY" => {
                self.session.id = data["session_id"].as_str().map(str::to_owned);
                self.session.url = data["resume_gateway_url"].as_str().unwrap_or_default().to_owned();
                self.session.seq = seq;
                // Discord replays nothing to a new session, so missed messages are read from the channels
                let guilds = data["guilds"].as_array().into_iter().flatten();
                self.awaited = guilds.filter_map(|guild| guild["id"].as_str().map(str::to_owned)).collect();
                self.online();
                self.discord.register_commands(&self.me).await;
                let directs = self.discord.channels.directs();
                self.discord.catch_up(self.inlet, &self.me, self.seen, &directs).await?;
            }
            "RESUMED" => self.online(),
            "GUILD_CREATE" => {
                let lists = [&data["channels"], &data["threads"]];
                let guild = data["id"].as_str().unwrap_or_default();
                if !self.awaited.contains(guild) {
                    tracing::info!(guild, name = data["name"].as_str(), "the bot was added to a guild");
                }
                for channel in lists.into_iter().filter_map(Value::as_array).flatten() {
                    self.discord.channels.note_in(Some(guild), channel);
                }
                let ids = lists.into_iter().filter_map(Value::as_array).flatten();
                let ids: Vec<String> =
                    ids.filter_map(|channel| channel["id"].as_str().map(str::to_owned)).collect();
                self.discord.catch_up(self.inlet, &self.me, self.seen, &ids).await?;
                self.awaited.remove(guild);
            }
            // an outage; the guild becomes available again
            "GUILD_DELETE" if data["unavailable"] == true => {}
            "GUILD_DELETE" => {
                let guild = data["id"].as_str().unwrap_or_default();
                tracing::info!(guild, "the bot was removed from a guild");
                self.discord.channels.forget_guild(guild);
                self.awaited.remove(guild);
            }
            "CHANNEL_DELETE" | "THREAD_DELETE" => {
                self.discord.channels.forget(data["id"].as_str().unwrap_or_default());
            }
            "GUILD_MEMBER_ADD" | "GUILD_MEMBER_REMOVE" => {
                for event in self.discord.events(name, data, &self.me) {
                    self.inlet.take(event).await.map_err(broken)?;
                }
            }
            "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE" => {
                self.discord.channels.note(data);
            }
            "INTERACTION_CREATE" if data["type"] == 2 => {
                if let Some(call) = self.discord.command(data).await {
                    self.inlet.take(Event::Command(call)).await.map_err(broken)?;
                }
            }
            _ => self.take(name, data).await?,
        }
        // the stored number: events up to it are not replayed
        self.session.seq = seq;
        keep(self.inlet, &self.session).await
    }

    async fn take(&mut self, name: &str, data: &Value) -> Result<(), Ended> {
        let Some(channel) = data["channel_id"].as_str() else { return Ok(()) };
        self.know(channel, data).await?;
        for event in self.discord.events(name, data, &self.me) {
            self.inlet.take(event).await.map_err(broken)?;
        }
        // Do not move `latest` before all guilds are read: the next catch-up must begin at the old id.
        if name == "MESSAGE_CREATE" && self.awaited.is_empty() {
            let id = data["id"].as_str().and_then(|id| id.parse().ok()).unwrap_or_default();
            self.session.latest = self.session.latest.max(id);
        }
        Ok(())
    }

    /// Finds out the kind of a channel, from the message or from Discord.
    async fn know(&self, channel: &str, data: &Value) -> Result<(), Ended> {
        if self.discord.channels.knows(channel) {
            return Ok(());
        }
        if data["guild_id"].is_null() {
            self.discord.channels.note_direct(channel);
            return self.discord.keep_direct(self.inlet, channel).await;
        }
        // a thread that began before the bot joined
        match self.discord.rest.call(Method::GET, &format!("/channels/{channel}"), &Value::Null).await {
            Ok(found) => self.discord.channels.note(&found),
            Err(refusal) => tracing::info!("Discord does not describe a channel: {refusal}"),
        }
        Ok(())
    }

    fn online(&self) {
        self.inlet.report(ConnectionState::Online { as_user: self.me.name.clone() });
    }
}

impl Discord {
    /// Checks the gateway's address, because the token is sent there. It must be encrypted, unless the API is on this
    /// machine.
    fn permitted(&self, url: &str) -> Result<String, Ended> {
        let url = url.trim_end_matches('/');
        let local = self.rest.is_local() && url.starts_with("ws://") && is_local(url);
        match url.starts_with("wss://") || local {
            // the query needs a path before it
            true if url.matches('/').count() == 2 => Ok(format!("{url}/")),
            true => Ok(url.to_owned()),
            false => Err(Ended::Broken("Discord gives an address without encryption".to_owned())),
        }
    }
}
