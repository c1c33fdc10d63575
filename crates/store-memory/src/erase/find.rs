//! Finds the items of a person, of a channel, or from before a moment.

use std::collections::BTreeSet;

use greenroom_core::{
    Author, ChannelKey, Memory, Message, MessageId, Scope, Timestamp, Trust, UserId, UserRef,
};
use greenroom_store::{Erase, SESSION_GAP, Session, rules::summaries::session_summary_key};

use super::ItemsToErase;
use crate::state::{State, chat, same_chat};

impl State {
    /// All items to erase.
    pub(super) fn doomed(&self, what: &Erase) -> ItemsToErase {
        let found = match what {
            Erase::Person(person) => {
                let mut found = self.of_person(person);
                for account in self.linked(person) {
                    let other = self.of_person(&account);
                    found.messages.extend(other.messages);
                    found.memories.extend(other.memories);
                    found.sessions.extend(other.sessions);
                }
                found
            }
            Erase::Own { person, chat } => self.own(person, chat),
            Erase::Channel(channel) => self.of_channel(channel),
            Erase::Message(message) => self.of_message(*message),
            Erase::Older { persona, channel, before } => ItemsToErase {
                messages: self.said(|message| message.channel == *channel && message.at < *before),
                memories: self.known(|memory| {
                    memory.persona == *persona
                        && memory.scope == Scope::Channel(channel.clone())
                        && memory.updated_at < *before
                }),
                sessions: self.sessions_with(channel, *before),
            },
        };
        self.with_what_follows(what, found)
    }

    /// Adds the replies to the messages, the replies to those, and the memories learned from any of them. [`Erase::Older`]
    /// adds nothing.
    pub(super) fn with_what_follows(&self, what: &Erase, mut doomed: ItemsToErase) -> ItemsToErase {
        if matches!(what, Erase::Older { .. }) {
            return doomed;
        }
        let mut answered: Vec<_> = doomed.messages.iter().copied().collect();
        while let Some(id) = answered.pop() {
            for reply in self.turns_for(id).filter_map(|(_, turn)| turn.reply) {
                if doomed.messages.insert(reply) {
                    answered.push(reply);
                }
            }
        }
        let keeps_memories_of_operators = matches!(what, Erase::Own { .. } | Erase::Message(_));
        let learned = self.known(|memory| {
            let spared = keeps_memories_of_operators && memory.trust == Trust::Operator;
            !spared && memory.source.message.is_some_and(|source| doomed.messages.contains(&source))
        });
        doomed.memories.extend(learned);
        doomed
    }

    /// A person's messages on their platform, the memories about or learned from them there, and the summaries of every
    /// session they took part in. A memory names the person without the platform; its scope, or the message it was
    /// learned from, names the platform. If neither exists any more, the memory is erased for every person with this
    /// id: erasing too much is better than too little.
    fn of_person(&self, person: &UserRef) -> ItemsToErase {
        let (provider, user) = person.as_str().split_once(':').unwrap_or_default();
        let sessions =
            self.sessions_where(|session| session.provider == provider && session.user.as_str() == user);
        let summaries = self.summary_keys(&sessions);
        let memories = self.known(|memory| {
            let theirs = is_named(memory.source.user.as_ref(), user);
            let on_platform = match &memory.scope {
                Scope::Channel(channel) => theirs && channel.provider() == provider,
                Scope::User(of) | Scope::Private(of) => of == person || theirs && of.provider() == provider,
                Scope::Global => {
                    theirs && memory.source.message.is_none_or(|source| self.message(source).is_none())
                }
            };
            on_platform || memory.key.as_ref().is_some_and(|key| summaries.contains(key))
        });
        ItemsToErase {
            messages: self.said(|message| message.channel.provider() == provider && is_by(message, user)),
            memories,
            sessions: ids(&sessions),
        }
    }

    /// What a person may erase without an operator. Global memories are included if the person's message is their source.
    fn own(&self, person: &UserRef, chat: &ChannelKey) -> ItemsToErase {
        let (_, user) = person.as_str().split_once(':').unwrap_or_default();
        let sessions = self.sessions_where(|session| is_in(session, chat) && session.user.as_str() == user);
        let summaries = self.summary_keys(&sessions);
        let memories = self.known(|memory| {
            let theirs = match &memory.scope {
                Scope::User(of) | Scope::Private(of) => of == person,
                Scope::Channel(channel) => {
                    let summarises = || memory.key.as_ref().is_some_and(|key| summaries.contains(key));
                    same_chat(channel, chat) && (is_named(memory.source.user.as_ref(), user) || summarises())
                }
                Scope::Global => false,
            };
            theirs && memory.trust != Trust::Operator
        });
        ItemsToErase {
            messages: self.said(|message| same_chat(&message.channel, chat) && is_by(message, user)),
            memories,
            sessions: ids(&sessions),
        }
    }

    /// One message, with the summaries of the sessions it was part of.
    pub(super) fn of_message(&self, id: MessageId) -> ItemsToErase {
        let Some(message) = self.message(id) else { return ItemsToErase::default() };
        let (at, channel) = (message.at, &message.channel);
        let during = |session: &Session| {
            is_in(session, channel)
                && session.started_at <= at.after(SESSION_GAP)
                && session.last_at >= at.before(SESSION_GAP)
        };
        let summaries: BTreeSet<_> =
            self.sessions_where(during).iter().map(|session| session_summary_key(session.id)).collect();
        let memories = self.known(|memory| memory.key.as_ref().is_some_and(|key| summaries.contains(key)));
        ItemsToErase { messages: BTreeSet::from([id]), memories, sessions: BTreeSet::new() }
    }

    /// The messages of a channel and the memories about it. Sessions belong to the whole chat: they are erased with the
    /// last of its channels that contains messages, their summaries with the first.
    fn of_channel(&self, channel: &ChannelKey) -> ItemsToErase {
        let of_chat = self.chats.get(&chat(channel)).into_iter().flat_map(|people| people.values());
        let summaries: BTreeSet<_> =
            of_chat.flatten().map(|session| session_summary_key(session.id)).collect();
        let memories = self.known(|memory| match &memory.scope {
            Scope::Channel(of) => of == channel,
            Scope::Global | Scope::User(_) | Scope::Private(_) => {
                memory.key.as_ref().is_some_and(|key| summaries.contains(key))
            }
        });
        ItemsToErase {
            messages: self.said(|message| message.channel == *channel),
            memories,
            sessions: self.sessions_with(channel, Timestamp(i64::MAX)),
        }
    }

    /// The sessions of a channel's chat that ended before a moment, unless another channel of the chat contains
    /// messages.
    fn sessions_with(&self, channel: &ChannelKey, before: Timestamp) -> BTreeSet<i64> {
        let others = self.channels.iter().filter(|(key, _)| *key != channel && same_chat(key, channel));
        if others.into_iter().any(|(_, other)| !other.messages.is_empty()) {
            return BTreeSet::new();
        }
        let of_chat = self.chats.get(&chat(channel)).into_iter().flat_map(|people| people.values());
        of_chat.flatten().filter(|session| session.last_at < before).map(|session| session.id).collect()
    }

    /// The keys of the summaries of all sessions that overlap one of `own` in the same chat.
    fn summary_keys(&self, own: &[&Session]) -> BTreeSet<String> {
        let at_once = |own: &Session, other: &Session| {
            (&other.provider, &other.chat_id) == (&own.provider, &own.chat_id)
                && other.started_at <= own.last_at.after(SESSION_GAP)
                && other.last_at >= own.started_at.before(SESSION_GAP)
        };
        let shared = self.sessions_where(|other| own.iter().any(|own| at_once(own, other)));
        shared.iter().map(|session| session_summary_key(session.id)).collect()
    }

    fn sessions_where(&self, wanted: impl Fn(&Session) -> bool) -> Vec<&Session> {
        let all = self.chats.values().flat_map(|people| people.values()).flatten();
        all.filter(|session| wanted(session)).collect()
    }

    fn said(&self, wanted: impl Fn(&Message) -> bool) -> BTreeSet<greenroom_core::MessageId> {
        let wanted = self.messages.values().filter(|said| wanted(&said.message));
        wanted.map(|said| said.message.id).collect()
    }

    fn known(&self, wanted: impl Fn(&Memory) -> bool) -> BTreeSet<greenroom_core::MemoryId> {
        self.memories.values().filter(|memory| wanted(memory)).map(|memory| memory.id).collect()
    }
}

fn ids(sessions: &[&Session]) -> BTreeSet<i64> {
    sessions.iter().map(|session| session.id).collect()
}

/// Whether a session belongs to the chat of a channel.
fn is_in(session: &Session, channel: &ChannelKey) -> bool {
    (session.provider.as_str(), session.chat_id.as_str()) == (channel.provider(), channel.chat_id())
}

fn is_named(user: Option<&UserId>, id: &str) -> bool {
    user.is_some_and(|user| user.as_str() == id)
}

fn is_by(message: &Message, user: &str) -> bool {
    matches!(&message.author, Author::User { id, .. } if id.as_str() == user)
}
