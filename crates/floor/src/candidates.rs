//! The messages that a message may answer, and the features by which the model chooses among them.

use crate::features::{Row, Tempo, freshness, log1, shared_words, yes};
use crate::naming::NameForm;
use crate::window::{Entry, SpeakerIndex, Window};

/// The number of features of another speaker's message.
pub const OTHER: usize = 64;
/// The number of features of the author's own message.
pub const OWN: usize = 20;
/// The number of features of answering nothing.
pub const OPENING: usize = 18;
/// How many of the author's own messages are considered.
const OWN_MESSAGES: usize = 8;

/// The messages that a message may answer, with their features.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// The features of each message of another speaker in the window.
    pub others: Vec<[f32; OTHER]>,
    /// The indices of these messages in the window; 0 is the oldest.
    pub places: Vec<usize>,
    /// Their ids.
    pub ids: Vec<u64>,
    /// Their speakers.
    pub who: Vec<u16>,
    /// The features of the author's own latest messages.
    pub own: Vec<[f32; OWN]>,
    /// The indices of these messages in the window.
    pub own_places: Vec<usize>,
    /// Their ids.
    pub own_ids: Vec<u64>,
    /// The features of answering nothing.
    pub opening: [f32; OPENING],
}

/// What the window knows of a speaker in relation to the author, before the message.
#[derive(Debug, Clone, Copy, Default)]
struct SpeakerCounts {
    /// The messages of the speaker in the window.
    said: f32,
    /// How much the author recently said to the speaker, and the speaker to the author.
    from_author: f32,
    to_author: f32,
    /// How much all speakers said to it.
    wanted: f32,
    /// How the message names it.
    named: [f32; NameForm::KINDS],
    /// The most words shared with one of its messages.
    shares: f32,
    /// Its messages after the candidate.
    later: f32,
    /// How surely it has spoken to another member, and to the author, after the candidate.
    turned: f32,
    back: f32,
}

impl Candidates {
    /// Without candidates, with capacity for this many messages of others.
    fn with_room(others: usize) -> Self {
        Self {
            others: Vec::with_capacity(others),
            places: Vec::with_capacity(others),
            ids: Vec::with_capacity(others),
            who: Vec::with_capacity(others),
            own: Vec::with_capacity(OWN_MESSAGES),
            own_places: Vec::with_capacity(OWN_MESSAGES),
            own_ids: Vec::with_capacity(OWN_MESSAGES),
            opening: [0.0; OPENING],
        }
    }

    /// The candidates of a message that is not in the window yet.
    pub(crate) fn of(window: &Window, message: &Entry) -> Self {
        let room = Room::of(window, message);
        let mut others: Vec<SpeakerCounts> = vec![SpeakerCounts::default(); window.speakers.len()];
        let shared = shared_words(window, &message.words);
        room.survey(&mut others, &shared);
        let mut found = Self::with_room(window.entries.len());
        let mut after = After::default();
        let mut seen: Vec<SpeakerIndex> = Vec::with_capacity(32);
        for (at, entry) in window.entries.iter().enumerate().rev() {
            after.entries += 1.0;
            if entry.slot == message.slot {
                if found.own.len() < OWN_MESSAGES {
                    found.own.push(room.own_row(entry, &after, shared[at], found.own.len()));
                    found.own_places.push(at);
                    found.own_ids.push(entry.id);
                }
                after.own += 1.0;
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
            if !after.threads.contains(&entry.thread) {
                after.threads.push(entry.thread);
            }
            after.for_author += entry.reading.meant_for(message.slot);
        }
        found.opening = room.opening_row(&after);
        found
    }
}

/// What came after the candidate.
#[derive(Default)]
struct After {
    entries: f32,
    own: f32,
    others: f32,
    for_author: f32,
    threads: Vec<u64>,
}

/// The inputs that the features of all candidates share.
struct Room<'a> {
    window: &'a Window,
    message: &'a Entry,
    tempo: Tempo,
    /// The author's latest message.
    last: Option<&'a Entry>,
    /// Whether the message begins with a name; how surely it names any member.
    names_first: f32,
    names_any: f32,
    /// Its length relative to the usual length in this room, as a logarithm.
    length: f32,
    /// How often the author begins a message with a name.
    habit: f32,
    /// Whether it is the author's first message.
    new: f32,
}

impl<'a> Room<'a> {
    fn of(window: &'a Window, message: &'a Entry) -> Self {
        let is_sure = message.named.iter().any(|n| n.how.is_sure());
        let vague = message.named.iter().map(|n| n.rarity).fold(0.0, f32::max);
        let me = &window.speakers[usize::from(message.slot)];
        let tempo = Tempo::of(window, window.entries.len(), message.at);
        Self {
            window,
            message,
            tempo,
            last: window.entries.iter().rev().find(|e| e.slot == message.slot),
            names_first: yes(message.addressed().is_some()),
            names_any: if is_sure { 1.0 } else { vague },
            length: message.words.length - tempo.length,
            habit: (me.naming + window.naming * 2.0) / (me.said + 2.0),
            new: yes(me.said == 0.0),
        }
    }

    fn survey(&self, others: &mut [SpeakerCounts], shared: &[f32]) {
        let count = self.window.entries.len();
        for (at, entry) in self.window.entries.iter().enumerate() {
            let speaker = usize::from(entry.slot);
            let fresh = freshness(count - at);
            let other = &mut others[speaker];
            other.said += 1.0;
            other.shares = other.shares.max(shared[at]);
            for &(slot, p) in &entry.reading.to {
                others[usize::from(slot)].wanted += p;
                if entry.slot == self.message.slot {
                    others[usize::from(slot)].from_author += p * fresh;
                } else if slot == self.message.slot {
                    others[speaker].to_author += p * fresh;
                }
            }
        }
        for named in &self.message.named {
            let other = &mut others[usize::from(named.slot)];
            other.named[named.how as usize] = if named.how.is_sure() { 1.0 } else { named.rarity };
        }
    }

    fn other_row(
        &self,
        entry: &Entry,
        other: &SpeakerCounts,
        after: &After,
        shared: f32,
        distinct: usize,
    ) -> [f32; OTHER] {
        let me = self.message.slot;
        let d = after.entries;
        let gap = self.message.at - entry.at;
        let (dt, beats) = (self.tempo.against_pace(gap), self.tempo.against_beat(gap));
        let for_me = entry.reading.meant_for(me);
        let for_all: f32 = entry.reading.to.iter().map(|(_, p)| p).sum();
        let addressed = entry.addressed();
        let mine_answered = entry.answered_by(me);
        let mentions_me = entry
            .named
            .iter()
            .filter(|n| n.slot == me && !n.how.is_address())
            .map(|n| n.rarity)
            .fold(0.0, f32::max);
        let last_to = self.last.map_or(0.0, |l| l.reading.meant_for(entry.slot));
        let same_thread = yes(self.last.is_some_and(|l| l.thread == entry.thread));
        let latest = yes(other.later == 0.0);
        let speaker = &self.window.speakers[usize::from(entry.slot)];
        let u = 1.0 - self.names_any;
        let q = yes(entry.words.question);
        let mut row = Row::<OTHER>::new();
        row.put(&[d.ln(), yes(d == 1.0), yes(d == 2.0), log1(after.others), log1(distinct as f32)]);
        row.put(&[dt, beats, log1(other.later), latest]);
        row.put(&other.named);
        row.put(&[yes(addressed == Some(me)), mentions_me, yes(addressed.is_some_and(|a| a != me))]);
        row.put(&[for_me, for_all - for_me, entry.reading.opens, entry.reading.own]);
        row.put(&[
            mine_answered,
            log1(entry.answered - mine_answered),
            for_me * (1.0 - mine_answered).max(0.0),
        ]);
        row.put(&[
            log1(other.from_author),
            log1(other.to_author),
            (other.from_author * other.to_author).sqrt(),
            last_to,
            last_to * u,
        ]);
        row.put(&[shared, other.shares, (other.shares - shared)]);
        row.put(&[
            q,
            q * yes(!self.message.words.question),
            yes(self.message.words.question && !entry.words.question),
        ]);
        row.put(&[entry.words.length - self.tempo.length, (self.length) * d.ln()]);
        row.put(&[yes(speaker.said <= 1.0), self.new * d.ln(), log1(after.own), yes(after.own > 0.0)]);
        row.put(&[other.turned, other.back, same_thread, yes(!after.threads.contains(&entry.thread))]);
        row.put(&[u * d.ln(), u * latest, u * log1(other.to_author), u * for_me, u * log1(distinct as f32)]);
        row.put(&[u * self.habit * for_me, u * self.habit * d.ln(), log1(other.wanted)]);
        row.put(&[same_thread * u, entry.reading.opens * u, log1(after.own) * u, log1(other.said)]);
        row.put(&[self.sigil(entry), yes(for_me < 0.3) * log1(entry.answered)]);
        row.put(&[yes(entry.thread == entry.seq) * self.new]);
        row.done()
    }

    /// How much the author answers messages that begin with the same sign.
    fn sigil(&self, entry: &Entry) -> f32 {
        let sigil = entry.words.sigil;
        if sigil == 0 {
            return 0.0;
        }
        let me = &self.window.speakers[usize::from(self.message.slot)];
        let count = |list: &[(u32, f32)]| list.iter().find(|(s, _)| *s == sigil).map_or(0.0, |(_, n)| *n);
        count(&me.sigils) / (count(&self.window.sigils) + 2.0)
    }

    fn own_row(&self, entry: &Entry, after: &After, shared: f32, rank: usize) -> [f32; OWN] {
        let gap = self.message.at - entry.at;
        let (dt, beats) = (self.tempo.against_pace(gap), self.tempo.against_beat(gap));
        let addressed = self.message.addressed();
        let same = addressed.is_some() && entry.addressed() == addressed;
        let me = &self.window.speakers[usize::from(self.message.slot)];
        let d = after.entries;
        let mut row = Row::<OWN>::new();
        row.put(&[1.0, d.ln(), yes(rank == 0), yes(d == 1.0), log1(rank as f32), dt, beats]);
        row.put(&[
            self.names_first,
            yes(same),
            self.names_any,
            shared,
            log1(after.for_author),
            yes(entry.words.question),
        ]);
        row.put(&[self.length, entry.words.length - self.tempo.length, (me.goes_on + 1.0) / (me.said + 3.0)]);
        row.put(&[yes(self.message.words.question), log1(entry.answered), entry.reading.opens]);
        row.put(&[self.habit * (1.0 - self.names_any)]);
        row.done()
    }

    fn opening_row(&self, after: &After) -> [f32; OPENING] {
        let me = &self.window.speakers[usize::from(self.message.slot)];
        let since = self.last.map_or(80.0, |l| (self.window.seq - l.seq) as f32);
        let mut row = Row::<OPENING>::new();
        row.put(&[
            1.0,
            self.new,
            log1(me.said),
            log1(since),
            self.names_first,
            self.names_any,
            self.habit * (1.0 - self.names_any),
        ]);
        row.put(&[yes(self.message.words.question), self.length, log1(after.for_author)]);
        row.put(&[yes(self.last.is_some()), yes(self.message.words.sigil != 0), self.window.naming]);
        row.put(&[
            self.new * yes(self.message.words.question),
            self.new * (self.length + self.tempo.length),
            log1(after.threads.len() as f32),
        ]);
        let gap = self.window.entries.back().map_or(0.0, |l| self.tempo.against_beat(self.message.at - l.at));
        row.put(&[gap, (me.goes_on + 1.0) / (me.said + 3.0)]);
        row.done()
    }
}
