//! Tracks the people in the channels and their ids.
//!
//! A person who has signed on to the network's services has the id `net/ann`. Any other person has the id `net/~nick`,
//! because a nick alone proves nothing. The account is known from `account-tag`, `extended-join` and `account-notify`.
//! If it becomes known after the person joined, the old id leaves and the new one joins, so that each person is present
//! once.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::line::{Line, folded};
use crate::{Event, Person, Place, place::escaped, text::clean_name};

/// A line's information about its sender's account at the network's services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignedOn<'a> {
    /// The sender has signed on as this account.
    As(&'a str),
    /// The sender has not signed on.
    Not,
    /// The line does not tell.
    Unknown,
}

/// The id of a person who has not signed on.
pub(super) fn unsigned_id(network: &str, nick: &str) -> String {
    format!("{network}/~{}", escaped(&folded(nick)))
}

/// A person in at least one of the channels.
struct Present {
    nick: String,
    account: Option<String>,
    /// The channels of the person, folded.
    channels: BTreeSet<String>,
}

/// The people in the channels of a connection.
pub(super) struct People {
    /// The name of our account, the first part of ids.
    network: String,
    /// Whether messages name the account of their sender (`account-tag`).
    has_tags: bool,
    /// Whether joins name the account (`extended-join`) and it stays up to date.
    has_extended_join: bool,
    /// The people by folded nick.
    present: HashMap<String, Present>,
}

impl People {
    pub(super) fn new(network: &str) -> Self {
        Self { network: network.into(), has_tags: false, has_extended_join: false, present: HashMap::new() }
    }

    /// Notes the capabilities that concern accounts.
    pub(super) fn begin(&mut self, capabilities: &HashSet<String>) {
        let has = |name: &str| capabilities.contains(name);
        self.has_tags = has("account-tag");
        // an account named at a join becomes outdated if the server does not report changes
        self.has_extended_join = has("extended-join") && (self.has_tags || has("account-notify"));
    }

    /// A line's information about its sender's account.
    pub(super) fn signed_on<'a>(&self, line: &'a Line) -> SignedOn<'a> {
        let named = match line.command.as_str() {
            "ACCOUNT" => Some(line.param(0)),
            "JOIN" if self.has_extended_join => Some(line.param(1)),
            _ => line.tag("account"),
        };
        match named {
            Some("*" | "") => SignedOn::Not,
            Some(account) => SignedOn::As(account),
            None if self.has_tags => SignedOn::Not,
            None => SignedOn::Unknown,
        }
    }

    /// The person who uses a nick.
    pub(super) fn person(&self, nick: &str, signed_on: SignedOn<'_>) -> Person {
        let known = self.present.get(&folded(nick)).and_then(|present| present.account.as_deref());
        let account = match signed_on {
            SignedOn::As(account) => Some(account),
            SignedOn::Not => None,
            SignedOn::Unknown => known,
        };
        let id = match account {
            Some(account) => format!("{}/{}", self.network, folded(account)),
            None => unsigned_id(&self.network, nick),
        };
        Person { id, name: clean_name(nick, nick) }
    }

    /// A person joined a channel or was in it.
    pub(super) fn joined(&mut self, channel: &str, nick: &str, signed_on: SignedOn<'_>) -> Vec<Event> {
        let mut events = self.learned(nick, signed_on);
        let account = match signed_on {
            SignedOn::As(account) => Some(folded(account)),
            SignedOn::Not | SignedOn::Unknown => None,
        };
        let present = self.present.entry(folded(nick)).or_insert_with(|| Present {
            nick: nick.to_owned(),
            account,
            channels: BTreeSet::new(),
        });
        if present.channels.insert(folded(channel)) {
            let person = self.person(nick, SignedOn::Unknown);
            events.push(Event::Joined { place: self.place(channel), person });
        }
        events
    }

    /// A person left a channel.
    pub(super) fn left(&mut self, channel: &str, nick: &str) -> Vec<Event> {
        let person = self.person(nick, SignedOn::Unknown);
        let channel = folded(channel);
        let Some(present) = self.present.get_mut(&folded(nick)) else { return Vec::new() };
        if !present.channels.remove(&channel) {
            return Vec::new();
        }
        if present.channels.is_empty() {
            // from now on the server tells nothing about the person
            self.present.remove(&folded(nick));
        }
        match self.is_there(&channel, &person.id) {
            true => Vec::new(),
            false => vec![Event::Left { place: self.place(&channel), person }],
        }
    }

    /// A person left every channel.
    pub(super) fn quit(&mut self, nick: &str) -> Vec<Event> {
        self.channels_of(nick).iter().flat_map(|channel| self.left(channel, nick)).collect()
    }

    /// A person changed the nick.
    pub(super) fn renamed(&mut self, old: &str, new: &str) -> Vec<Event> {
        let account = self.present.get(&folded(old)).and_then(|present| present.account.clone());
        let signed_on = account.as_deref().map_or(SignedOn::Not, SignedOn::As);
        let (channels, mut events) = (self.channels_of(old), self.quit(old));
        events.extend(channels.iter().flat_map(|channel| self.joined(channel, new, signed_on)));
        events
    }

    /// A line named the account of a person, or told that the person has none.
    pub(super) fn learned(&mut self, nick: &str, signed_on: SignedOn<'_>) -> Vec<Event> {
        let known = self.present.get(&folded(nick)).map(|present| present.account.clone());
        let account = match signed_on {
            SignedOn::As(account) => Some(folded(account)),
            SignedOn::Not => None,
            SignedOn::Unknown => return Vec::new(),
        };
        match known {
            Some(known) if known != account => {
                let (channels, mut events) = (self.channels_of(nick), self.quit(nick));
                events.extend(channels.iter().flat_map(|channel| self.joined(channel, nick, signed_on)));
                events
            }
            _ => Vec::new(),
        }
    }

    /// We left a channel. The server no longer tells who is in it, so its people leave.
    pub(super) fn forget_channel(&mut self, channel: &str) -> Vec<Event> {
        let channel = folded(channel);
        let there = self.present.values().filter(|present| present.channels.contains(&channel));
        let nicks: Vec<String> = there.map(|present| present.nick.clone()).collect();
        nicks.iter().flat_map(|nick| self.left(&channel, nick)).collect()
    }

    fn channels_of(&self, nick: &str) -> Vec<String> {
        let present = self.present.get(&folded(nick));
        present.into_iter().flat_map(|present| present.channels.iter().cloned()).collect()
    }

    /// Whether a person is in a channel under any nick. One account may have several connections.
    fn is_there(&self, channel: &str, id: &str) -> bool {
        self.present.values().any(|present| {
            present.channels.contains(channel) && self.person(&present.nick, SignedOn::Unknown).id == id
        })
    }

    fn place(&self, channel: &str) -> Place {
        Place::chat(format!("{}/{}", self.network, folded(channel)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(events: &[Event]) -> Vec<String> {
        let shown = |event: &Event| match event {
            Event::Joined { place, person } => format!("+ {} {}", place.chat, person.id),
            Event::Left { place, person } => format!("- {} {}", place.chat, person.id),
            other => format!("{other:?}"),
        };
        events.iter().map(shown).collect()
    }

    /// A person had the id `net/ann` in messages but `net/~ann` in the list of present people.
    #[test]
    fn ad6_a_person_has_one_id_in_joins_messages_and_quits() {
        let mut people = People::new("net");
        people.begin(&["account-tag", "extended-join"].map(str::to_owned).into());
        let line = |text: &str| Line::parse(text).unwrap();
        let joins = line(":Ann!a@h JOIN #tea Ann_account :Ann");
        let told = people.joined("#tea", "Ann", people.signed_on(&joins));
        assert_eq!(shown(&told), ["+ net/#tea net/ann_account"]);
        let says = line("@account=Ann_account :Ann!a@h PRIVMSG #tea :hi");
        assert_eq!(people.learned("Ann", people.signed_on(&says)), [], "nothing new");
        assert_eq!(people.person("Ann", people.signed_on(&says)).id, "net/ann_account");
        assert_eq!(shown(&people.quit("ann")), ["- net/#tea net/ann_account"]);
        assert_eq!(
            people.person("ann", SignedOn::Unknown).id,
            "net/~ann",
            "the next one may be another person"
        );
    }

    #[test]
    fn ad6_a_person_who_signs_on_later_is_there_once() {
        let mut people = People::new("net");
        people.joined("#tea", "bo", SignedOn::Unknown);
        people.joined("#den", "bo", SignedOn::Unknown);
        let account = Line::parse(":bo!b@h ACCOUNT bob").unwrap();
        let told = people.learned("bo", people.signed_on(&account));
        let (left, joined) =
            (["- net/#den net/~bo", "- net/#tea net/~bo"], ["+ net/#den net/bob", "+ net/#tea net/bob"]);
        assert_eq!(shown(&told), [left, joined].concat());
        // a second connection of the account
        assert_eq!(shown(&people.joined("#tea", "bo2", SignedOn::As("bob"))), ["+ net/#tea net/bob"]);
        assert_eq!(people.left("#tea", "bo2"), [], "the first one is still there");
        assert_eq!(
            shown(&people.renamed("bo", "bob")),
            ["- net/#den net/bob", "- net/#tea net/bob", "+ net/#den net/bob", "+ net/#tea net/bob"]
        );
        assert_eq!(shown(&people.forget_channel("#tea")), ["- net/#tea net/bob"]);
        assert_eq!(shown(&people.quit("bob")), ["- net/#den net/bob"]);
    }
}
