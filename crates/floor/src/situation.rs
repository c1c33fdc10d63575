//! The situation of each speaker at a message: what the window knows of the speaker up to that message. The decision
//! uses its features.

mod row;

use crate::features::{Tempo, freshness, shared_words, yes};
use crate::window::{Entry, SpeakerIndex, Window, index};

pub use row::SITUATION;

/// What the window knows of one speaker, before the message.
#[derive(Debug, Clone, Copy, Default)]
struct SpeakerHistory {
    /// The number of its messages, and the same with older messages weighing less.
    said: f32,
    said_lately: f32,
    /// The index of its latest message.
    last: Option<usize>,
    /// How much the author recently said to it, it to the author, and it to others.
    from_author: f32,
    to_author: f32,
    elsewhere: f32,
    /// How much was said to it, in all and since it last spoke.
    wanted: f32,
    waiting: f32,
    /// The author's messages that were for it, and how much of them it answered.
    pair_meant: f32,
    pair_answered: f32,
    /// Messages of the author since it last spoke, and messages of others to the author since then.
    author_since: f32,
    rivals_since: f32,
    /// The rare words that its messages share with this one: the most, and the sum.
    shares: f32,
    sum_shares: f32,
    /// Its messages in the conversation of this message, and how much they answer others.
    in_thread: f32,
    thread_links: f32,
    /// The openings of conversations that it answered, and its own openings.
    openings: f32,
    own_openings: f32,
    /// The speakers that it answered, as a bit set.
    partners: u64,
}

/// The situation of every speaker at one message of the window.
pub(crate) struct Situation<'a> {
    window: &'a Window,
    message: &'a Entry,
    /// The index of the message.
    at: usize,
    others: Vec<SpeakerHistory>,
    tempo: Tempo,
    /// The number of speakers in the window.
    active: f32,
    /// How much the message says: the rarity of its words.
    content: f32,
    /// The index of the author's previous message.
    previous: Option<usize>,
    /// The two members that the message is most likely for.
    best: [(SpeakerIndex, f32); 2],
    /// The message that it most likely answers.
    parent: Option<&'a Entry>,
    /// The speaker that opened the conversation of the message, if the opening is in the window.
    opener: Option<SpeakerIndex>,
    /// How many messages the author sent in a row before this one.
    run: f32,
}

impl<'a> Situation<'a> {
    /// The situation at the message with this id; `None` if it is not in the window.
    pub(crate) fn of(window: &'a Window, id: u64) -> Option<Self> {
        let entries = &window.entries;
        let at = entries.iter().rposition(|e| e.id == id)?;
        let message = &entries[at];
        let others = survey(window, at);
        let mut best = [(SpeakerIndex::MAX, 0.0); 2];
        for &(slot, p) in &message.reading.to {
            if p > best[0].1 {
                best = [(slot, p), best[0]];
            } else if p > best[1].1 {
                best[1] = (slot, p);
            }
        }
        let is_own = |e: &&Entry| e.slot == message.slot;
        let parent = message.reading.links.first().and_then(|(seq, _)| index(entries, *seq));
        Some(Self {
            window,
            message,
            at,
            tempo: Tempo::of(window, at, message.at),
            active: others.iter().filter(|o| o.said > 0.0).count() as f32,
            content: message.words.hashes.iter().map(|w| (window.rarity(*w) - 1.5).max(0.0)).sum(),
            previous: (0..at).rev().find(|place| entries[*place].slot == message.slot),
            best,
            parent: parent.map(|place| &entries[place]),
            opener: index(entries, message.thread).map(|place| entries[place].slot),
            run: entries.iter().take(at).rev().take_while(is_own).count() as f32,
            others,
        })
    }

    pub(crate) fn message(&self) -> &Entry {
        self.message
    }

    /// Whether the member has spoken in the window before the message.
    pub(crate) fn is_around(&self, slot: SpeakerIndex) -> bool {
        slot != self.message.slot && self.others.get(usize::from(slot)).is_some_and(|o| o.last.is_some())
    }

    /// Messages since the speaker's last one before the message.
    pub(crate) fn silent_for(&self, slot: SpeakerIndex) -> Option<u32> {
        self.others.get(usize::from(slot))?.last.map(|at| (self.at - at) as u32)
    }

    /// The probability that the message is for the most likely speaker other than this one.
    pub(crate) fn rival(&self, slot: SpeakerIndex) -> f32 {
        if self.best[0].0 == slot { self.best[1].1 } else { self.best[0].1 }
    }
}

/// Walks the window backwards from the message at `at`.
fn survey(window: &Window, at: usize) -> Vec<SpeakerHistory> {
    let message = &window.entries[at];
    let author = message.slot;
    let mut others = vec![SpeakerHistory::default(); window.speakers.len()];
    let shared = shared_words(window, &message.words);
    let (mut author_said, mut to_author) = (0.0, 0.0);
    for (place, entry) in window.entries.iter().enumerate().take(at).rev() {
        let fresh = freshness(at - place);
        let me = usize::from(entry.slot);
        for &(slot, p) in &entry.reading.to {
            let to = &mut others[usize::from(slot)];
            to.wanted += p;
            if to.last.is_none() {
                to.waiting += p;
            }
            if entry.slot == author {
                to.from_author += p * fresh;
                to.pair_meant += p;
                to.pair_answered += p * entry.answered_by(slot).min(1.0);
            }
            let from = &mut others[me];
            *if slot == author { &mut from.to_author } else { &mut from.elsewhere } += p * fresh;
            if p > 0.4 {
                from.partners |= 1 << (slot % 64);
            }
        }
        let in_thread = yes(entry.thread == message.thread);
        let other = &mut others[me];
        if other.last.is_none() {
            (other.author_since, other.rivals_since) = (author_said, to_author);
        }
        other.last = other.last.or(Some(place));
        other.said += 1.0;
        other.said_lately += fresh;
        other.shares = other.shares.max(shared[place]);
        other.sum_shares += shared[place];
        other.in_thread += in_thread;
        other.thread_links += in_thread * (1.0 - entry.reading.opens - entry.reading.own);
        other.openings += openings_answered(window, entry);
        other.own_openings += entry.reading.opens;
        author_said += yes(entry.slot == author);
        to_author += entry.reading.meant_for(author);
    }
    others
}

/// How much a message answers openings of conversations.
fn openings_answered(window: &Window, entry: &Entry) -> f32 {
    let opens = |seq: u64| index(&window.entries, seq).map_or(0.0, |at| window.entries[at].reading.opens);
    entry.reading.links.iter().map(|(seq, p)| p * opens(*seq)).sum()
}
