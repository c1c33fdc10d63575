//! The features of a speaker's situation, in the order in which the trees expect them.

use super::{Situation, SpeakerHistory};
use crate::features::{Row, log1, yes};
use crate::window::{Entry, Speaker, SpeakerIndex};

/// Number of features.
pub const SITUATION: usize = 83;
/// A distance beyond the window.
const FAR: f32 = 80.0;

/// One speaker, as seen at the message.
struct View<'a> {
    situation: &'a Situation<'a>,
    message: &'a Entry,
    slot: SpeakerIndex,
    other: &'a SpeakerHistory,
    speaker: &'a Speaker,
    author: &'a Speaker,
    /// The speaker's latest message, and the author's previous one.
    last: Option<&'a Entry>,
    previous: Option<&'a Entry>,
    /// The message that is most likely answered, if it is the speaker's.
    parent: Option<&'a Entry>,
    /// The probability that the message is for the speaker, and the logarithm of its odds.
    to: f32,
    odds: f32,
    /// The share of the messages for the speaker that it has answered.
    rate: f32,
}

impl Situation<'_> {
    /// The features of a speaker's situation.
    pub(crate) fn row(&self, slot: SpeakerIndex) -> [f32; SITUATION] {
        let (message, entries) = (self.message, &self.window.entries);
        let (other, speaker) = (&self.others[usize::from(slot)], &self.window.speakers[usize::from(slot)]);
        let to = message.reading.meant_for(slot);
        let view = View {
            situation: self,
            message,
            slot,
            other,
            speaker,
            author: &self.window.speakers[usize::from(message.slot)],
            last: other.last.map(|at| &entries[at]),
            previous: self.previous.map(|at| &entries[at]),
            parent: self.parent.filter(|e| e.slot == slot),
            to,
            odds: ((to + 0.003) / (1.003 - to)).ln(),
            rate: (speaker.answered + 1.0) / (speaker.meant + 2.0),
        };
        let mut row = Row::new();
        view.meaning(&mut row);
        view.distance(&mut row);
        view.habits(&mut row);
        view.exchange(&mut row);
        view.author(&mut row);
        view.continuation(&mut row);
        row.done()
    }
}

type Features = Row<SITUATION>;

impl View<'_> {
    /// Whom the message is for, and whom it names.
    fn meaning(&self, row: &mut Features) {
        let m = self.message;
        let rival = self.situation.rival(self.slot);
        let direct = m.reading.answers.iter().find(|(s, _)| *s == self.slot).map_or(0.0, |(_, p)| *p);
        row.put(&[self.to, self.odds, direct, rival, m.reading.opens, m.reading.own, self.to - rival]);
        let named = m.named.iter().find(|n| n.slot == self.slot);
        let vaguely = named.filter(|n| !n.how.is_address());
        let others = m.named.iter().filter(|n| n.slot != self.slot);
        row.put(&[
            yes(named.is_some_and(|n| n.how.is_address())),
            vaguely.map_or(0.0, |n| if n.how.is_sure() { 1.0 } else { n.rarity }),
            yes(m.addressed().is_some_and(|s| s != self.slot)),
            others.map(|n| n.rarity).fold(0.0, f32::max),
        ]);
    }

    /// How far its latest message and the author's message before are.
    fn distance(&self, row: &mut Features) {
        let at = self.situation.at;
        let d = self.other.last.map_or(FAR, |place| (at - place) as f32);
        let gap = self.last.map_or(100_000, |l| self.message.at - l.at);
        let tempo = &self.situation.tempo;
        row.put(&[d.ln(), yes(d == 1.0), tempo.against_pace(gap), tempo.against_beat(gap)]);
        let to_author = self.last.map_or(0.0, |l| l.reading.meant_for(self.message.slot));
        let to_all: f32 = self.last.map_or(0.0, |l| l.reading.to.iter().map(|(_, p)| p).sum());
        row.put(&[to_author, to_all - to_author]);
        row.put(&[
            self.last.map_or(0.0, |l| l.reading.opens),
            self.last.map_or(0.0, |l| yes(l.words.question)),
        ]);
        let burst = self.situation.previous.map_or(FAR, |place| (at - place) as f32);
        row.put(&[burst.ln(), yes(burst == 1.0)]);
        row.put(&[self.previous.map_or(0.0, |l| l.reading.meant_for(self.slot))]);
        row.put(&[self.previous.map_or(0.0, |l| l.answered_by(self.slot))]);
    }

    /// What it usually answers.
    fn habits(&self, row: &mut Features) {
        let (p, window) = (self.speaker, self.situation.window);
        let heard = self.message.seq.saturating_sub(p.before) as f32;
        row.put(&[self.rate, (p.volunteered + 0.3) / (heard + 30.0) * 30.0, self.answers_openings()]);
        row.put(&[log1(p.said), log1(heard), log1(p.meant)]);
        let sigil = self.message.words.sigil;
        let count = |list: &[(u32, f32)]| list.iter().find(|(s, _)| *s == sigil).map_or(0.0, |(_, n)| *n);
        row.put(&[count(&p.sigils) / (count(&window.sigils) + 1.0), yes(sigil != 0)]);
    }

    /// The share of the openings since the speaker came that it has answered.
    fn answers_openings(&self) -> f32 {
        let heard = self.situation.window.openings - self.speaker.openings_before;
        (self.speaker.opened + 0.2) / (heard + 3.0)
    }

    /// What it, the author and others have said to each other, and what this message says.
    fn exchange(&self, row: &mut Features) {
        let (s, o, words) = (self.situation, self.other, &self.message.words);
        row.put(&[log1(o.from_author), log1(o.to_author), log1(o.elsewhere)]);
        row.put(&[log1(o.said), log1(o.said_lately), log1(o.waiting)]);
        row.put(&[yes(words.question), words.length - s.tempo.length, words.length]);
        row.put(&[s.content.sqrt(), s.content / (words.count as f32 + 1.0)]);
        row.put(&[o.shares, log1(o.sum_shares), log1(s.active), o.said / s.at.max(1) as f32]);
        row.put(&[log1(o.in_thread), log1(o.thread_links)]);
        row.put(&[yes(self.last.is_some_and(|l| l.thread == self.message.thread))]);
        row.put(&[log1(o.openings), log1(o.own_openings), log1(o.wanted), o.partners.count_ones() as f32]);
    }

    /// What the author usually does.
    fn author(&self, row: &mut Features) {
        let (p, a, m) = (self.speaker, self.author, self.message);
        row.put(&[yes(a.said <= 1.0), log1(a.said)]);
        row.put(&[(a.goes_on + 1.0) / (a.said + 3.0), (p.goes_on + 1.0) / (p.said + 3.0)]);
        row.put(&[yes(self.parent.is_some()), (a.answered + 1.0) / (a.meant + 2.0)]);
        row.put(&[self.situation.window.naming, (p.naming + 0.6) / (p.said + 2.0)]);
        row.put(&[(p.answered + p.volunteered) / (p.said + 1.0), m.reading.opens * self.answers_openings()]);
        row.put(&[m.reading.opens * yes(m.words.question), self.odds * self.rate]);
    }

    /// Whether the author seems to go on, and whether the exchange is over.
    fn continuation(&self, row: &mut Features) {
        let (s, o, m) = (self.situation, self.other, self.message);
        row.put(&[yes(m.words.closes), log1(o.pair_meant), (o.pair_answered + 0.5) / (o.pair_meant + 1.0)]);
        row.put(&[yes(s.opener == Some(self.slot)), yes(s.opener == Some(m.slot)), log1(s.run)]);
        row.put(&[self.parent.map_or(0.0, |e| yes(e.words.question))]);
        row.put(&[self.parent.map_or(-1.0, |e| log1((m.seq - e.seq) as f32))]);
        row.put(&[yes(self.last.is_some_and(|l| self.parent.is_some_and(|e| e.seq == l.seq)))]);
        row.put(&[self.last.map_or(0.0, |l| yes(l.words.closes)), s.best[0].1]);
        row.put(&[self.parent.map_or(0.0, |e| e.answered_by(m.slot))]);
        row.put(&[log1(o.author_since), log1(o.rivals_since)]);
        row.put(&[m.words.ending, self.previous.map_or(0.0, |l| l.words.ending)]);
        row.put(&[self.previous.map_or(9.0, |l| s.tempo.against_beat(m.at - l.at))]);
        row.put(&[self.author.goes_on / (self.author.said + 1.0) * (1.0 - self.to)]);
    }
}
