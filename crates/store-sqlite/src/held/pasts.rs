//! Pasts of channels as personas have them, by chat: a person's sitting goes over all threads of a chat.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::Arc,
};

use greenroom_core::{Author, ChannelKey, Message, MessageId, UserId};
use greenroom_store::{AskedPast, HistorySummary, Past, Presence, SESSION_GAP, Session};

/// What a message, a past and a chat take beside their texts, in bytes.
const MESSAGE: usize = 300;
const PAST: usize = 500;
const CHAT: usize = 500;

/// The pasts that are held.
#[derive(Debug)]
pub(crate) struct Pasts {
    /// Bytes that the young may take; then those that were not asked for meanwhile go. So twice that may be
    /// held.
    half: usize,
    /// Those asked for lately.
    young: HashMap<String, Chat>,
    /// Those that were not asked for since the young were too many the last time.
    old: HashMap<String, Chat>,
    /// Bytes of the young, about.
    bytes: usize,
    /// Bytes of the old when they became it; some of them may be young again.
    old_bytes: usize,
    /// Counts what changes.
    count: u64,
}

/// What is held of a chat.
#[derive(Debug, Default)]
struct Chat {
    /// The number of its last change.
    changed: u64,
    /// The last sittings of people, where that is known.
    sessions: Vec<(UserId, Option<Session>)>,
    pasts: Vec<HeldPast>,
}

/// A persona's past in a channel, nobody's sitting with it.
#[derive(Debug)]
struct HeldPast {
    asked: AskedPast,
    presence: Vec<Presence>,
    summary: Option<HistorySummary>,
    messages: VecDeque<Arc<Message>>,
    erased: i64,
}

/// A past is being read from the file.
pub(crate) struct Reading {
    /// The last change of its chat when that began.
    changed: u64,
}

impl Pasts {
    /// Nothing yet; they may take so many bytes together.
    pub(super) fn new(bytes: usize) -> Self {
        let (young, old) = (HashMap::new(), HashMap::new());
        Self { half: bytes / 2, young, old, bytes: 0, old_bytes: 0, count: 0 }
    }

    pub(super) fn forget(&mut self) {
        *self = Self { count: self.count, ..Self::new(2 * self.half) };
    }

    /// At most so many bytes are held, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.old_bytes
    }

    /// Lets go of what was not asked for since the last call.
    pub(super) fn release(&mut self) {
        self.old = mem::take(&mut self.young);
        self.old_bytes = mem::take(&mut self.bytes);
    }

    /// A past as it was last read, with what was said since.
    pub(crate) fn get(&mut self, asked: &AskedPast) -> Option<Past> {
        let chat = self.chat(&asked.channel)?;
        let past = chat.pasts.iter().find(|past| past.answers(asked))?;
        let session = match &asked.user {
            None => None,
            Some(user) => chat.sessions.iter().find(|(whose, _)| whose == user)?.1.clone(),
        };
        // a clock that was put back: another sitting may be the last then
        if session.as_ref().is_some_and(|session| session.started_at > asked.now) {
            return None;
        }
        Some(Past {
            messages: past.messages.iter().cloned().collect(),
            summary: past.summary.clone(),
            session,
            presence: past.presence.clone(),
            erased: past.erased,
        })
    }

    /// Somebody is about to read.
    pub(super) fn reads(&mut self, asked: &AskedPast) -> Reading {
        self.count += 1;
        let count = self.count;
        if self.chat(&asked.channel).is_none() {
            self.young.insert(chat_of(&asked.channel).to_owned(), Chat { changed: count, ..Chat::default() });
            self.grown(CHAT);
        }
        Reading { changed: self.chat(&asked.channel).map_or(0, |chat| chat.changed) }
    }

    /// What was read, unless something has changed since.
    pub(super) fn keep(&mut self, reading: Reading, asked: &AskedPast, read: &Past) {
        let Some(chat) = self.chat(&asked.channel).filter(|chat| chat.changed == reading.changed) else {
            return;
        };
        if let Some(user) = &asked.user {
            chat.sessions.retain(|(whose, _)| whose != user);
            chat.sessions.push((user.clone(), read.session.clone()));
        }
        let before: usize =
            chat.pasts.extract_if(.., |past| past.answers(asked)).map(|past| past.bytes()).sum();
        let past = HeldPast {
            asked: AskedPast { user: None, ..asked.clone() },
            presence: read.presence.clone(),
            summary: read.summary.clone(),
            messages: read.messages.iter().cloned().collect(),
            erased: read.erased,
        };
        let bytes = past.bytes();
        chat.pasts.push(past);
        self.bytes = self.bytes.saturating_sub(before);
        self.grown(bytes);
    }

    /// A message was stored.
    pub(crate) fn said(&mut self, message: &Arc<Message>) {
        self.count += 1;
        let count = self.count;
        let Some(chat) = self.chat(&message.channel) else { return };
        chat.changed = count;
        if let Author::User { id, .. } = &message.author {
            chat.sat(id, message);
        }
        let (mut more, mut less) = (0, 0);
        for past in chat.pasts.iter_mut().filter(|past| past.asked.channel == message.channel) {
            if past.says(message) {
                more += size(message);
                less += past.cut();
            }
        }
        self.bytes = self.bytes.saturating_sub(less);
        self.grown(more);
    }

    /// Presence, summary or beginning of a context changed in a channel.
    pub(crate) fn changed(&mut self, channel: &ChannelKey) {
        self.count += 1;
        let count = self.count;
        if let Some(chat) = self.chat(channel) {
            chat.changed = count;
            let gone = chat.pasts.extract_if(.., |past| &past.asked.channel == channel);
            let bytes: usize = gone.map(|past| past.bytes()).sum();
            self.bytes = self.bytes.saturating_sub(bytes);
        }
    }

    /// A chat that is held; it counts as young from now on.
    fn chat(&mut self, channel: &ChannelKey) -> Option<&mut Chat> {
        let key = chat_of(channel);
        if let Some(chat) = self.old.remove(key) {
            let bytes = chat.bytes();
            self.bytes += bytes;
            self.old_bytes = self.old_bytes.saturating_sub(bytes);
            self.young.insert(key.to_owned(), chat);
        }
        self.young.get_mut(key)
    }

    fn grown(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes > self.half {
            self.release();
        }
    }
}

impl Chat {
    fn bytes(&self) -> usize {
        CHAT + self.pasts.iter().map(HeldPast::bytes).sum::<usize>()
    }

    /// Somebody said something: their sitting goes on, or another has begun of which nothing is known.
    fn sat(&mut self, user: &UserId, message: &Message) {
        self.sessions.retain_mut(|(whose, session)| {
            if whose != user {
                return true;
            }
            let since = message.at.before(SESSION_GAP);
            let goes_on =
                |session: &&mut Session| session.started_at <= message.at && session.last_at >= since;
            let Some(session) = session.as_mut().filter(goes_on) else { return false };
            session.last_at = session.last_at.max(message.at);
            true
        });
    }
}

impl HeldPast {
    fn bytes(&self) -> usize {
        PAST + self.messages.iter().map(|message| size(message)).sum::<usize>()
    }

    /// Whether it is the answer to a question.
    fn answers(&self, asked: &AskedPast) -> bool {
        let held = &self.asked;
        held.channel == asked.channel
            && held.persona == asked.persona
            && (held.heard, held.summarised, held.limit) == (asked.heard, asked.summarised, asked.limit)
    }

    /// Takes in what was said, if the persona knows of it; whether it did.
    fn says(&mut self, message: &Arc<Message>) -> bool {
        let newest = self.messages.back().map(|newest| newest.id);
        // one that was read from the file before this was noted stands here already
        if newest.is_some_and(|newest| newest >= message.id) || !self.heard(message) {
            return false;
        }
        self.messages.push_back(message.clone());
        true
    }

    /// Lets the oldest messages go that are more than was asked for; their bytes.
    fn cut(&mut self) -> usize {
        let more = self.messages.len().saturating_sub(self.asked.limit);
        self.messages.drain(..more).map(|message| size(&message)).sum()
    }

    /// See `heard!` in `scope.rs` (GR2).
    fn heard(&self, message: &Message) -> bool {
        let own = matches!(&message.author, Author::Persona { name } if *name == self.asked.persona);
        own || !self.asked.heard || self.was_present(message.id)
    }

    fn was_present(&self, id: MessageId) -> bool {
        self.presence.iter().any(|stretch| stretch.from <= id && stretch.until.is_none_or(|until| id < until))
    }
}

/// The part of a channel's key that names the chat, without a thread.
fn chat_of(channel: &ChannelKey) -> &str {
    let chat = channel.provider().len() + 1 + channel.chat_id().len();
    channel.as_str().get(..chat).unwrap_or(channel.as_str())
}

fn size(message: &Message) -> usize {
    MESSAGE + message.text.len()
}
