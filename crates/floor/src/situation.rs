//! Whether a member answers a message: the features of its situation.

use crate::candidates::{Row, log1, shared_words, yes};
use crate::naming::How;
use crate::window::{Entry, Slot, Window, index};

/// Features of a member's situation.
pub const SITUATION: usize = 84;

/// What the window holds about one speaker, seen from a message.
#[derive(Debug, Clone, Copy, Default)]
struct Other {
    said: f32,
    said_lately: f32,
    last: Option<usize>,
    /// Decayed: the author to it, it to the author, it to others.
    inn: f32,
    out: f32,
    elsewhere: f32,
    /// Meant for it since it last spoke.
    waiting: f32,
    shares: f32,
    sum_shares: f32,
    in_thread: f32,
    thread_links: f32,
    /// Answers to openings
    openings: f32,
    own_openings: f32,
    wanted: f32,
    partners: u64,
    /// The author's messages that were for it, and how much of them it answered.
    pair_meant: f32,
    pair_answered: f32,
}

/// The situation of every speaker with regard to one message of the window.
pub(crate) struct Situation<'a> {
    window: &'a Window,
    message: &'a Entry,
    at: usize,
    others: Vec<Other>,
    active: f32,
    pace: f32,
    beat: f32,
    mean_len: f32,
    content: f32,
    /// The author's message before.
    previous: Option<usize>,
    best: [(Slot, f32); 2],
    first_parent: Option<usize>,
    /// Who opened the conversation of the message, if that is in the window.
    opener: Option<Slot>,
    /// Messages of the author without one of somebody else between, up to this one.
    run: f32,
}

impl<'a> Situation<'a> {
    /// Of the message with this id; none if it is not in the window.
    pub(crate) fn of(window: &'a Window, id: u64) -> Option<Self> {
        let at = window.entries.iter().rposition(|e| e.id == id)?;
        let message = &window.entries[at];
        let mut others = vec![Other::default(); window.speakers.len()];
        let shared = shared_words(window, &message.words);
        let author = message.slot;
        let mut previous = None;
        let (mut beat, mut mean_len, mut before) = (0.0, 0.0, message.at);
        for (place, entry) in window.entries.iter().enumerate().take(at).rev() {
            beat += ((before - entry.at).max(0) as f32 + 20.0).ln();
            before = entry.at;
            mean_len += log1(entry.words.count as f32);
            let d = (at - place) as f32;
            let fresh = 0.93_f32.powf(d);
            let me = usize::from(entry.slot);
            let for_author = entry.reading.meant_for(author);
            if entry.slot == author && previous.is_none() {
                previous = Some(place);
            }
            let opens_answered: f32 = entry
                .reading
                .links
                .iter()
                .map(|(seq, p)| index(&window.entries, *seq).map_or(0.0, |i| p * window.entries[i].reading.opens))
                .sum();
            for &(slot, p) in &entry.reading.to {
                let to = &mut others[usize::from(slot)];
                to.wanted += p;
                if to.last.is_none() {
                    to.waiting += p;
                }
                if entry.slot == author {
                    to.inn += p * fresh;
                    to.pair_meant += p;
                    to.pair_answered += p * entry.answered_by(slot).min(1.0);
                }
                let from = &mut others[me];
                if slot == author {
                    from.out += p * fresh;
                } else {
                    from.elsewhere += p * fresh;
                }
                if p > 0.4 {
                    from.partners |= 1 << (slot % 64);
                }
            }
            let other = &mut others[me];
            other.said += 1.0;
            other.said_lately += fresh;
            other.last = other.last.or(Some(place));
            other.shares = other.shares.max(shared[place]);
            other.sum_shares += shared[place];
            other.in_thread += yes(entry.thread == message.thread);
            other.thread_links += yes(entry.thread == message.thread) * (1.0 - entry.reading.opens - entry.reading.own);
            other.openings += opens_answered;
            other.own_openings += entry.reading.opens;
            let _ = for_author;
        }
        let n = at.max(1) as f32;
        let mut best = [(Slot::MAX, 0.0); 2];
        for &(slot, p) in &message.reading.to {
            if p > best[0].1 {
                best[1] = best[0];
                best[0] = (slot, p);
            } else if p > best[1].1 {
                best[1] = (slot, p);
            }
        }
        let opener = index(&window.entries, message.thread).map(|i| window.entries[i].slot);
        let run = window.entries.iter().take(at).rev().take_while(|e| e.slot == author).count() as f32;
        let content = message.words.hashes.iter().map(|w| (window.rarity(*w) - 1.5).max(0.0)).sum::<f32>();
        let active = others.iter().filter(|o| o.said > 0.0).count() as f32;
        let first = window.entries.front().map_or(0, |e| e.at);
        Some(Self {
            window,
            message,
            at,
            others,
            active,
            pace: (message.at - first).max(0) as f32 / n,
            beat: beat / n,
            mean_len: mean_len / n,
            content,
            previous,
            best,
            opener,
            run,
            first_parent: message.reading.links.first().and_then(|(seq, _)| index(&window.entries, *seq)),
        })
    }

    pub(crate) fn message(&self) -> &Entry {
        self.message
    }

    /// The member has spoken in the window before the message.
    pub(crate) fn is_around(&self, slot: Slot) -> bool {
        slot != self.message.slot && self.others.get(usize::from(slot)).is_some_and(|o| o.last.is_some())
    }

    /// Messages since the speaker's last one before the message.
    pub(crate) fn silent_for(&self, slot: Slot) -> Option<u32> {
        self.others.get(usize::from(slot))?.last.map(|at| (self.at - at) as u32)
    }

    /// The probability that the message is for the most likely speaker other than this one.
    pub(crate) fn rival(&self, slot: Slot) -> f32 {
        if self.best[0].0 == slot { self.best[1].1 } else { self.best[0].1 }
    }

    /// The features of a speaker's situation.
    pub(crate) fn row(&self, slot: Slot) -> [f32; SITUATION] {
        let o = &self.others[usize::from(slot)];
        let m = self.message;
        let p = &self.window.speakers[usize::from(slot)];
        let author = &self.window.speakers[usize::from(m.slot)];
        let to = m.reading.meant_for(slot);
        let direct = m.reading.answers.iter().find(|(s, _)| *s == slot).map_or(0.0, |(_, p)| *p);
        let rival = self.rival(slot);
        let named = m.named.iter().find(|n| n.slot == slot);
        let named_first = yes(named.is_some_and(|n| n.how.is_address()));
        let named_else = named.filter(|n| !n.how.is_address()).map_or(0.0, |n| if n.how == How::At { 1.0 } else { n.rarity });
        let other_first = yes(m.addressed().is_some_and(|s| s != slot));
        let other_named = m.named.iter().filter(|n| n.slot != slot).map(|n| n.rarity).fold(0.0, f32::max);
        let last = o.last.map(|at| &self.window.entries[at]);
        let d = o.last.map_or(80.0, |at| (self.at - at) as f32);
        let dt = last.map_or(1e5, |l| (m.at - l.at).max(0) as f32);
        let last_to_author = last.map_or(0.0, |l| l.reading.meant_for(m.slot));
        let last_for_all: f32 = last.map_or(0.0, |l| l.reading.to.iter().map(|(_, p)| p).sum());
        let burst = self.previous.map_or(80.0, |at| (self.at - at) as f32);
        let previous = self.previous.map(|at| &self.window.entries[at]);
        let heard = (m.seq - p.before) as f32;
        let rate = (p.answered + 1.0) / (p.meant + 2.0);
        let volunteers = (p.volunteered + 0.3) / (heard + 30.0) * 30.0;
        let opener = (p.opened + 0.2) / (self.window.openings - p.openings_before + 3.0);
        let logit = ((to + 0.003) / (1.003 - to)).ln();
        let q = yes(m.words.question);
        let len = log1(m.words.count as f32);
        let sigil = if m.words.sigil == 0 { 0.0 } else {
            let count = |list: &[(u32, f32)]| list.iter().find(|(s, _)| *s == m.words.sigil).map_or(0.0, |(_, n)| *n);
            (count(&p.sigils)) / (count(&self.window.sigils) + 1.0)
        };
        let goes_on = (author.goes_on + 1.0) / (author.said + 3.0);
        let parent_to_me = self.first_parent.map_or(0.0, |at| yes(self.window.entries[at].slot == slot));
        let mut row = Row::<SITUATION>::new();
        row.put_all(&[to, logit, direct, rival, m.reading.opens, m.reading.own, to - rival]);
        row.put_all(&[named_first, named_else, other_first, other_named]);
        row.put_all(&[d.ln(), yes(d == 1.0), ((dt + 15.0) / (self.pace + 15.0)).ln(), (dt + 20.0).ln() - self.beat]);
        row.put_all(&[last_to_author, last_for_all - last_to_author, last.map_or(0.0, |l| l.reading.opens), last.map_or(0.0, |l| yes(l.words.question))]);
        row.put_all(&[burst.ln(), yes(burst == 1.0), previous.map_or(0.0, |l| l.reading.meant_for(slot)), previous.map_or(0.0, |l| l.answered_by(slot))]);
        row.put_all(&[rate, volunteers, opener, log1(p.said), log1(heard), log1(p.meant)]);
        row.put_all(&[sigil, yes(m.words.sigil != 0)]);
        row.put_all(&[log1(o.inn), log1(o.out), log1(o.elsewhere), log1(o.said), log1(o.said_lately), log1(o.waiting)]);
        row.put_all(&[q, len - self.mean_len, len, self.content.sqrt(), self.content / (m.words.count as f32 + 1.0)]);
        row.put_all(&[o.shares, log1(o.sum_shares), log1(self.active), o.said / self.at.max(1) as f32]);
        row.put_all(&[log1(o.in_thread), log1(o.thread_links), yes(last.is_some_and(|l| l.thread == m.thread))]);
        row.put_all(&[log1(o.openings), log1(o.own_openings), log1(o.wanted), o.partners.count_ones() as f32]);
        row.put_all(&[yes(author.said <= 1.0), log1(author.said), goes_on, (p.goes_on + 1.0) / (p.said + 3.0)]);
        row.put_all(&[parent_to_me, (author.answered + 1.0) / (author.meant + 2.0), self.window.naming, (p.naming + 0.6) / (p.said + 2.0)]);
        row.put_all(&[(p.answered + p.volunteered) / (p.said + 1.0), m.reading.opens * opener, m.reading.opens * q, logit * rate]);
        let parent = self.first_parent.map(|at| &self.window.entries[at]).filter(|e| e.slot == slot);
        row.put_all(&[yes(m.words.closes), log1(o.pair_meant), (o.pair_answered + 0.5) / (o.pair_meant + 1.0)]);
        row.put_all(&[yes(self.opener == Some(slot)), yes(self.opener == Some(m.slot)), log1(self.run)]);
        row.put_all(&[parent.map_or(0.0, |e| yes(e.words.question)), parent.map_or(-1.0, |e| log1((m.seq - e.seq) as f32))]);
        row.put_all(&[last.map_or(0.0, |l| yes(parent.is_some_and(|e| e.seq == l.seq)))]);
        row.put_all(&[last.map_or(0.0, |l| yes(l.words.closes)), self.best[0].1, parent.map_or(0.0, |e| e.answered_by(m.slot))]);
        debug_assert!(row.at <= SITUATION, "{}", row.at);
        row.values
    }
}
