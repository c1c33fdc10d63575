//! What a message may answer, and the features by which the model tells.

use crate::naming::How;
use crate::text::Words;
use crate::window::{Entry, Slot, Window};

/// Features of another speaker's message.
pub const OTHER: usize = 64;
/// Features of the author's own message.
pub const OWN: usize = 20;
/// Features of answering nothing.
pub const OPENING: usize = 20;
/// Own messages that are considered.
const OWN_MESSAGES: usize = 8;

/// The messages that a message may answer, with their features.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// Of each message of another speaker in the window.
    pub others: Vec<[f32; OTHER]>,
    /// Where they stand in the window, 0 is the oldest.
    pub places: Vec<usize>,
    /// Their ids.
    pub ids: Vec<u64>,
    /// Who said them.
    pub who: Vec<u16>,
    /// Of the author's own latest messages.
    pub own: Vec<[f32; OWN]>,
    /// Where they stand.
    pub own_places: Vec<usize>,
    /// Their ids.
    pub own_ids: Vec<u64>,
    /// Of answering nothing.
    pub opening: [f32; OPENING],
}

/// Fills a row of features one by one.
pub(crate) struct Row<const N: usize> {
    pub(crate) values: [f32; N],
    pub(crate) at: usize,
}

impl<const N: usize> Row<N> {
    pub(crate) fn new() -> Self {
        Self { values: [0.0; N], at: 0 }
    }
    pub(crate) fn put(&mut self, value: f32) {
        self.values[self.at] = value;
        self.at += 1;
    }
    pub(crate) fn put_all(&mut self, values: &[f32]) {
        values.iter().for_each(|v| self.put(*v));
    }
}

pub(crate) fn yes(condition: bool) -> f32 {
    f32::from(u8::from(condition))
}

pub(crate) fn log1(value: f32) -> f32 {
    (1.0 + value).ln()
}

/// What is known of each speaker with regard to the author, before the message.
#[derive(Debug, Clone, Copy, Default)]
struct Other {
    /// Messages in the window.
    said: f32,
    /// How much the author has said to it, and it to the author, lately.
    out: f32,
    inn: f32,
    /// The same without decay
    /// How much all have said to it.
    wanted: f32,
    /// How the message names it.
    named: [f32; How::KINDS],
    is_named: bool,
    /// The most words shared with one of its messages.
    shares: f32,
    /// Messages of it that came after the one looked at.
    later: f32,
    /// It has said something to somebody else after the one looked at.
    turned: f32,
    /// It has said something to the author after.
    back: f32,
}

impl Candidates {
    /// Of a message that is not in the window yet.
    pub(crate) fn of(window: &Window, message: &Entry) -> Self {
        let room = Room::of(window, message);
        let mut others: Vec<Other> = vec![Other::default(); window.speakers.len()];
        let shared = shared_words(window, &message.words);
        room.survey(&mut others, &shared);
        let mut found = Self::default();
        let mut after = After::default();
        let mut seen: Vec<Slot> = Vec::with_capacity(32);
        for (at, entry) in window.entries.iter().enumerate().rev() {
            after.entries += 1.0;
            if entry.slot == message.slot {
                if found.own.len() < OWN_MESSAGES {
                    found.own.push(room.own_row(entry, &after, shared[at], found.own.len()));
                    found.own_places.push(at);
                    found.own_ids.push(entry.id);
                }
                after.own += 1.0;
                after.own_to.push(&entry.reading.to);
            } else {
                let distinct = seen.len();
                if !seen.contains(&entry.slot) {
                    seen.push(entry.slot);
                }
                let speaker = usize::from(entry.slot);
                found.others.push(room.other_row(entry, &others[speaker], &after, shared[at], distinct));
                found.places.push(at);
                found.ids.push(entry.id);
                found.who.push(entry.slot);
                after.others += 1.0;
                let other = &mut others[speaker];
                let for_author = entry.reading.meant_for(message.slot);
                let for_all: f32 = entry.reading.to.iter().map(|(_, p)| p).sum();
                other.later += 1.0;
                other.turned = other.turned.max(for_all - for_author);
                other.back = other.back.max(for_author);
            }
            let thread_seen = after.threads.contains(&entry.thread);
            if !thread_seen {
                after.threads.push(entry.thread);
            }
            after.for_author += entry.reading.meant_for(message.slot);
        }
        found.opening = room.opening_row(&after);
        found
    }
}

/// What came after the message looked at.
#[derive(Default)]
struct After<'a> {
    entries: f32,
    own: f32,
    others: f32,
    for_author: f32,
    threads: Vec<u64>,
    own_to: Vec<&'a [(Slot, f32)]>,
}

/// What all candidates have in common.
struct Room<'a> {
    window: &'a Window,
    message: &'a Entry,
    pace: f32,
    /// Mean of the logarithms of the gaps.
    beat: f32,
    /// The author's latest message.
    last: Option<&'a Entry>,
    names_first: f32,
    names_any: f32,
    unnamed: f32,
    len: f32,
    mean_len: f32,
    /// What the author usually does.
    habit: f32,
    new: f32,
}

impl<'a> Room<'a> {
    fn of(window: &'a Window, message: &'a Entry) -> Self {
        let names_first = yes(message.addressed().is_some());
        let strong = message.named.iter().any(|n| n.how.is_address() || n.how == How::At);
        let vague = message.named.iter().map(|n| n.rarity).fold(0.0, f32::max);
        let me = &window.speakers[usize::from(message.slot)];
        let n = window.entries.len().max(1) as f32;
        let mut previous = message.at;
        let mut beat = 0.0;
        let mut mean_len = 0.0;
        for entry in window.entries.iter().rev() {
            beat += ((previous - entry.at).max(0) as f32 + 20.0).ln();
            previous = entry.at;
            mean_len += log1(entry.words.count as f32);
        }
        Self {
            window,
            message,
            pace: window.pace(message.at),
            beat: beat / n,
            last: window.entries.iter().rev().find(|e| e.slot == message.slot),
            names_first,
            names_any: if strong { 1.0 } else { vague },
            unnamed: 1.0 - if strong { 1.0 } else { vague },
            len: log1(message.words.count as f32),
            mean_len: mean_len / n,
            habit: (me.naming + window.naming * 2.0) / (me.said + 2.0),
            new: yes(me.said == 0.0),
        }
    }

    fn survey(&self, others: &mut [Other], shared: &[f32]) {
        let count = self.window.entries.len();
        for (at, entry) in self.window.entries.iter().enumerate() {
            let speaker = usize::from(entry.slot);
            let fresh = 0.93_f32.powi((count - at) as i32);
            let other = &mut others[speaker];
            other.said += 1.0;
            other.shares = other.shares.max(shared[at]);
            for &(slot, p) in &entry.reading.to {
                others[usize::from(slot)].wanted += p;
                if entry.slot == self.message.slot {
                    others[usize::from(slot)].out += p * fresh;
                } else if slot == self.message.slot {
                    others[speaker].inn += p * fresh;
                }
            }
        }
        for named in &self.message.named {
            let other = &mut others[usize::from(named.slot)];
            let value = if named.how.is_address() || named.how == How::At { 1.0 } else { named.rarity };
            other.named[named.how as usize] = value;
            other.is_named = true;
        }
    }

    fn dt(&self, entry: &Entry) -> (f32, f32) {
        let dt = (self.message.at - entry.at).max(0) as f32;
        (((dt + 15.0) / (self.pace + 15.0)).ln(), (dt + 20.0).ln() - self.beat)
    }

    fn other_row(&self, entry: &Entry, other: &Other, after: &After<'_>, shared: f32, distinct: usize) -> [f32; OTHER] {
        let me = self.message.slot;
        let d = after.entries;
        let (dt, beats) = self.dt(entry);
        let for_me = entry.reading.meant_for(me);
        let for_all: f32 = entry.reading.to.iter().map(|(_, p)| p).sum();
        let addressed = entry.addressed();
        let mine_answered = entry.answered_by(me);
        let mentions_me = entry.named.iter().filter(|n| n.slot == me && !n.how.is_address()).map(|n| n.rarity).fold(0.0, f32::max);
        let last_to = self.last.map_or(0.0, |l| l.reading.meant_for(entry.slot));
        let same_thread = yes(self.last.is_some_and(|l| l.thread == entry.thread));
        let latest = yes(other.later == 0.0);
        let speaker = &self.window.speakers[usize::from(entry.slot)];
        let u = self.unnamed;
        let q = yes(entry.words.question);
        let mut row = Row::<OTHER>::new();
        row.put_all(&[d.ln(), yes(d == 1.0), yes(d == 2.0), log1(after.others), log1(distinct as f32)]);
        row.put_all(&[dt, beats, log1(other.later), latest]);
        row.put_all(&other.named);
        row.put_all(&[yes(addressed == Some(me)), mentions_me, yes(addressed.is_some_and(|a| a != me))]);
        row.put_all(&[for_me, for_all - for_me, entry.reading.opens, entry.reading.own]);
        row.put_all(&[mine_answered, log1(entry.answered - mine_answered), for_me * (1.0 - mine_answered).max(0.0)]);
        row.put_all(&[log1(other.out), log1(other.inn), (other.out * other.inn).sqrt(), last_to, last_to * u]);
        row.put_all(&[shared, other.shares, (other.shares - shared)]);
        row.put_all(&[q, q * yes(!self.message.words.question), yes(self.message.words.question && !entry.words.question)]);
        row.put_all(&[log1(entry.words.count as f32) - self.mean_len, (self.len - self.mean_len) * d.ln()]);
        row.put_all(&[yes(speaker.said <= 1.0), self.new * d.ln(), log1(after.own), yes(after.own > 0.0)]);
        row.put_all(&[other.turned, other.back, same_thread, yes(!after.threads.contains(&entry.thread))]);
        row.put_all(&[u * d.ln(), u * latest, u * log1(other.inn), u * for_me, u * log1(distinct as f32)]);
        row.put_all(&[u * self.habit * for_me, u * self.habit * d.ln(), log1(other.wanted)]);
        row.put_all(&[same_thread * u, entry.reading.opens * u, log1(after.own) * u, log1(other.said)]);
        row.put_all(&[self.sigil(entry), yes(for_me < 0.3) * log1(entry.answered)]);
        row.put(yes(entry.thread == entry.seq) * self.new);
        debug_assert!(row.at <= OTHER, "{}", row.at);
        row.values
    }

    /// The author answers messages that begin so.
    fn sigil(&self, entry: &Entry) -> f32 {
        let sigil = entry.words.sigil;
        if sigil == 0 {
            return 0.0;
        }
        let me = &self.window.speakers[usize::from(self.message.slot)];
        let count = |list: &[(u32, f32)]| list.iter().find(|(s, _)| *s == sigil).map_or(0.0, |(_, n)| *n);
        count(&me.sigils) / (count(&self.window.sigils) + 2.0)
    }

    fn own_row(&self, entry: &Entry, after: &After<'_>, shared: f32, rank: usize) -> [f32; OWN] {
        let (dt, beats) = self.dt(entry);
        let addressed = self.message.addressed();
        let same = addressed.is_some() && entry.addressed() == addressed;
        let me = &self.window.speakers[usize::from(self.message.slot)];
        let d = after.entries;
        let mut row = Row::<OWN>::new();
        row.put_all(&[1.0, d.ln(), yes(rank == 0), yes(d == 1.0), log1(rank as f32), dt, beats]);
        row.put_all(&[self.names_first, yes(same), self.names_any, shared, log1(after.for_author), yes(entry.words.question)]);
        row.put_all(&[self.len - self.mean_len, log1(entry.words.count as f32) - self.mean_len, (me.goes_on + 1.0) / (me.said + 3.0)]);
        row.put_all(&[yes(self.message.words.question), log1(entry.answered), entry.reading.opens]);
        row.put(self.habit * self.unnamed);
        debug_assert!(row.at <= OWN);
        row.values
    }

    fn opening_row(&self, after: &After<'_>) -> [f32; OPENING] {
        let me = &self.window.speakers[usize::from(self.message.slot)];
        let since = self.last.map_or(80.0, |l| (self.window.seq - l.seq) as f32);
        let mut row = Row::<OPENING>::new();
        row.put_all(&[1.0, self.new, log1(me.said), log1(since), self.names_first, self.names_any, self.habit * self.unnamed]);
        row.put_all(&[yes(self.message.words.question), self.len - self.mean_len, log1(after.for_author)]);
        row.put_all(&[yes(self.last.is_some()), yes(self.message.words.sigil != 0), self.window.naming]);
        row.put_all(&[self.new * yes(self.message.words.question), self.new * self.len, log1(after.threads.len() as f32)]);
        let gap = self.window.entries.back().map_or(0.0, |l| self.dt(l).1);
        row.put_all(&[gap, (me.goes_on + 1.0) / (me.said + 3.0)]);
        debug_assert!(row.at <= OPENING);
        row.values
    }
}

/// How much each message in the window shares rare words with the new one: the sum of their rarity over the root of the
/// lengths.
pub(crate) fn shared_words(window: &Window, words: &Words) -> Vec<f32> {
    let rarity: Vec<f32> = words.hashes.iter().map(|w| (window.rarity(*w) - 1.5).max(0.0)).collect();
    let norm = |n: usize| (n as f32 + 3.0).sqrt();
    window
        .entries
        .iter()
        .map(|entry| {
            let (mut sum, mut at) = (0.0, 0);
            let theirs = &entry.words.hashes;
            for (word, rarity) in words.hashes.iter().zip(&rarity) {
                while at < theirs.len() && theirs[at] < *word {
                    at += 1;
                }
                if at < theirs.len() && theirs[at] == *word {
                    sum += rarity;
                }
            }
            sum / (norm(words.hashes.len()) * norm(theirs.len()).sqrt())
        })
        .collect()
}
