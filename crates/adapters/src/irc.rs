//! The IRC adapter. Each persona has its own connection and nick, or all personas share one connection.
//!
//! ```text
//! irc/line.rs          parses lines, compares names, removes formatting codes
//! irc/stream.rs        the stream to a server, over TLS
//! irc/registration.rs  signs on: capabilities, SASL, nicks
//! irc/session.rs       turns lines into events
//! irc/people.rs        the people in the channels, and the id of each person
//! irc/history.rs       reads the messages missed during an absence
//! irc/link.rs          one connection, and the confirmation of sent messages
//! irc/check.rs         checks the account and its channels
//! ```
//! IRC acknowledges no messages and keeps none. A PONG confirms a sent message ([`link`]). Missed messages are
//! available only if the server has `chathistory`.

mod check;
mod earlier;
mod history;
mod line;
mod link;
mod message;
mod people;
mod registration;
mod session;
mod stream;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use futures::stream::FuturesUnordered;
use greenroom_core::{PersonaName, Platform};
use greenroom_persona::{AccountSettings, FaceSetting};

use self::{
    line::{LONGEST, folded, is_channel, nick_of},
    link::{Address, Link, Shared},
    message::private_partner,
    registration::Identity,
    session::{Peer, Session},
};
use crate::{
    Account, AccountError, Adapter, ConnectionState, Dialect, Ended, Face, Faces, Finding, Inlet, Limits,
    Notice, Outcome, Place, Post, Rate, Request, Unit, text, tls,
    together::{until_one_ends, when_all},
};

/// The nick of a connection that all personas share.
const SHARED_NICK: &str = "greenroom";
/// The default ports, for servers without a port in the settings.
const TLS_PORT: u16 = 6697;
const PLAIN_PORT: u16 = 6667;
/// The most lines of a notice; the rest is cut. `!more` sends 8 lines, and each may have to be split once more.
const NOTICE_LINES: usize = 16;

/// The nicks that an account uses. `cast`: all personas.
fn nicks(settings: &AccountSettings, cast: &[PersonaName]) -> Vec<String> {
    let nick = |name: &str| folded(&nick_of(name));
    let user = settings.user.as_deref();
    let personas = if settings.personas.is_empty() { cast } else { &settings.personas };
    match personas {
        [only] => vec![nick(user.unwrap_or(only.as_str()))],
        personas if settings.faces == FaceSetting::Own && !personas.is_empty() => {
            personas.iter().map(|persona| nick(persona.as_str())).collect()
        }
        _ => vec![nick(user.unwrap_or(SHARED_NICK))],
    }
}

/// Whether two accounts want the same nick on the same network. One of them would get another nick, and both would
/// answer the same messages. `cast`: all personas.
pub(crate) fn is_same(one: &AccountSettings, other: &AccountSettings, cast: &[PersonaName]) -> bool {
    let server = |of: &AccountSettings| {
        let server = of.server.as_deref()?.to_lowercase();
        tls::address(&server, if of.tls { TLS_PORT } else { PLAIN_PORT }).ok()
    };
    let others = nicks(other, cast);
    let share = nicks(one, cast).iter().any(|nick| others.contains(nick));
    share && server(one).is_some() && server(one) == server(other)
}

/// An account on an IRC network.
pub struct Irc {
    account: Account,
    server: String,
    links: Mutex<Vec<(Option<PersonaName>, Arc<Shared>)>>,
}

impl Irc {
    /// The adapter of an account.
    ///
    /// # Errors
    /// The server is not set, or one of `channels` is not a channel.
    pub fn new(account: &Account) -> Result<Self, AccountError> {
        let server = account.need("server", "irc.libera.chat:6697", account.settings.server.clone())?;
        let AccountSettings { name, platform, channels, .. } = &account.settings;
        if let Some(channel) = channels.iter().find(|channel| !is_channel(channel)) {
            return Err(AccountError::NoChannel {
                account: name.clone(),
                platform: *platform,
                channel: channel.clone(),
                example: "\"#tea\", or \"#tea secret\" with its key",
            });
        }
        Ok(Self { account: account.clone(), server, links: Mutex::default() })
    }

    fn address(&self) -> Address<'_> {
        let settings = &self.account.settings;
        Address { server: &self.server, tls: settings.tls, ca_file: settings.ca_file.as_deref() }
    }

    /// The identities to sign on with: one per persona, or one that all share.
    fn identities(&self, faces: &[Face]) -> Vec<(Option<PersonaName>, Identity)> {
        let settings = &self.account.settings;
        let identity = |nick: &str, real_name: &str| Identity {
            nick: nick_of(nick),
            user: settings.user.clone(),
            real_name: text::clean_line(real_name),
            password: self.account.token.clone(),
        };
        match faces {
            [only] => {
                let nick = settings.user.as_deref().unwrap_or(only.persona.as_str());
                vec![(Some(only.persona.clone()), identity(nick, &only.name))]
            }
            faces if settings.faces == FaceSetting::Own && !faces.is_empty() => {
                let one =
                    |face: &Face| (Some(face.persona.clone()), identity(face.persona.as_str(), &face.name));
                faces.iter().map(one).collect()
            }
            _ => vec![(None, identity(settings.user.as_deref().unwrap_or(SHARED_NICK), "Greenroom"))],
        }
    }

    fn links(&self) -> Vec<(Option<PersonaName>, Arc<Shared>)> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The connection that speaks for a persona.
    fn link(&self, persona: &PersonaName) -> Option<Arc<Shared>> {
        let links = self.links();
        let own = links.iter().find(|(of, _)| of.as_ref() == Some(persona));
        let shared = || links.iter().find(|(of, _)| of.is_none());
        // a persona without a connection speaks by the first one, with its name before the message
        own.or_else(shared).or_else(|| links.first()).map(|(_, shared)| shared.clone())
    }

    /// The channel of a place, or its [private chat](message::private_partner).
    fn target<'a>(&self, place: &'a Place) -> Option<&'a str> {
        place.chat.strip_prefix(self.account.settings.name.as_str())?.strip_prefix('/')
    }

    /// The channel of a target, or the nick of the person whose private chat it is. `None`: another person uses the
    /// nick by now.
    fn receiver(&self, link: &Shared, target: &str) -> Option<String> {
        if is_channel(target) {
            return Some(target.to_owned());
        }
        let (nick, person) = private_partner(&self.account.settings.name, target);
        let has_signed_on = nick != target;
        let now = link.nick_of(&person);
        now.or_else(|| (!has_signed_on || !link.is_of_another(nick, &person)).then(|| nick.to_owned()))
    }

    async fn notice(&self, notice: Notice) -> Outcome {
        let links = self.links();
        let of_thread = notice.place.thread.as_deref().and_then(|thread| thread.parse().ok());
        let link =
            of_thread.and_then(|persona| self.link(&persona)).or_else(|| links.first().map(|l| l.1.clone()));
        let Some(link) = link else { return Outcome::Offline };
        // a NOTICE to the nick: only this person sees it, and bots do not answer notices
        let Some(nick) = links.iter().find_map(|(_, shared)| shared.nick_of(&notice.to)) else {
            return Outcome::Refused("the person is not here any more".into());
        };
        let room = LONGEST.saturating_sub(link.prefix_len() + nick.len() + 16);
        let lines = notice.text.lines().flat_map(|line| text::split_line(line, room, Unit::Bytes));
        let mut outcome = Outcome::Done { event_id: None };
        for (n, line) in lines.take(NOTICE_LINES).enumerate() {
            outcome = link.say(&nick, &line, "NOTICE", &format!("notice-{n}")).await;
        }
        outcome
    }
}

#[async_trait]
impl Adapter for Irc {
    fn platform(&self) -> Platform {
        Platform::Irc
    }

    fn serves(&self, place: &Place) -> bool {
        self.target(place).is_some()
    }

    fn limits(&self, place: &Place) -> Limits {
        let target = self.target(place).map_or(0, str::len);
        let links = self.links();
        let prefix = links.iter().map(|(_, shared)| shared.prefix_len()).max().unwrap_or(108);
        // :prefix PRIVMSG target :text\r\n
        let longest = LONGEST.saturating_sub(1 + prefix + " PRIVMSG ".len() + target + " :".len() + 2);
        let shares = links.iter().any(|(persona, _)| persona.is_none());
        let rate = Rate { burst: 5, every: Duration::from_secs(2) };
        Limits {
            longest,
            unit: Unit::Bytes,
            lines: false,
            dialect: Dialect::Plain,
            per_chat: rate,
            in_all: rate,
            key_lives: None,
            faces: if shares { Faces::Prefix } else { Faces::Connected },
        }
    }

    async fn run(&self, inlet: &dyn Inlet) -> Ended {
        let settings = &self.account.settings;
        let links: Vec<Link> = self
            .identities(&inlet.faces())
            .into_iter()
            .map(|(persona, identity)| Link { shared: Arc::default(), identity, persona })
            .collect();
        let shared = |link: &Link| (link.persona.clone(), link.shared.clone());
        *self.links.lock().unwrap_or_else(PoisonError::into_inner) = links.iter().map(shared).collect();
        let peer = |link: &Link| Peer {
            shared: link.shared.clone(),
            wished: link.identity.nick.clone(),
            persona: link.persona.clone(),
        };
        let peers: Vec<_> = links.iter().map(peer).collect();
        let seen_until = match Session::read_cursor(inlet).await {
            Ok(seen_until) => seen_until,
            Err(ended) => return ended,
        };
        inlet.report(ConnectionState::Connecting);
        let is_ready = when_all(links.len(), || {
            let names: Vec<_> = links.iter().map(|link| link.shared.nick()).collect();
            inlet.report(ConnectionState::Online { as_user: names.join(", ") });
        });
        let address = self.address();
        let running: FuturesUnordered<_> = links
            .iter()
            .enumerate()
            .map(|(n, link)| {
                // with several connections, a private conversation with a nick addresses the nick's persona
                let persona = link.persona.clone().filter(|_| links.len() > 1);
                let nick = &link.identity.nick;
                let mut session =
                    Session::new(&settings.name, &settings.channels, n, persona, nick, seen_until);
                session.set_peers(peers.clone());
                let (address, is_ready) = (&address, &is_ready);
                async move { link.run(address, &mut session, inlet, is_ready).await }
            })
            .collect();
        until_one_ends(running).await
    }

    async fn perform(&self, request: Request) -> Outcome {
        match request {
            Request::Post(Post { place, text, face, key, .. }) => {
                let (Some(link), Some(target)) = (self.link(&face.persona), self.target(&place)) else {
                    return Outcome::Offline;
                };
                let Some(receiver) = self.receiver(&link, target) else {
                    return Outcome::Refused(format!("another person has the nick of {target} now"));
                };
                link.say(&receiver, &text, "PRIVMSG", &key).await
            }
            Request::Notice(notice) => self.notice(notice).await,
            // IRC cannot delete messages
            Request::Delete { .. } => Outcome::Refused("IRC deletes nothing".into()),
            Request::Typing { .. } => Outcome::Done { event_id: None },
        }
    }

    async fn check(&self) -> Vec<Finding> {
        self.look().await
    }

    async fn enter(&self) -> Vec<Finding> {
        self.try_channels().await
    }
}
