//! The recent conversation of one room, with what the model needs to read its next message.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;

use crate::candidates::Candidates;
use crate::features::log_gap;
use crate::members::{MemberId, Members};
use crate::model::Model;
use crate::naming::{self, NameForm, Named};
use crate::reading::{self, Reading};
use crate::text::Words;

/// How many messages a window holds.
pub const WINDOW: usize = 60;
/// How many speakers are remembered, also after they have left the window.
const SPEAKERS: usize = 192;
/// Buckets of the table of word counts: at first, and at most.
const BUCKETS: (usize, usize) = (128, 2048);
/// Buckets per text, until the table has its full size.
const BUCKETS_PER_TEXT: usize = 8;
/// After this many texts, all counts are halved, so that old ones weigh less.
const HALF_LIFE: f32 = 4096.0;

/// A message as floor control sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Unique in the room.
    pub id: u64,
    /// The member that said it.
    pub author: MemberId,
    /// What it says.
    pub text: String,
    /// The message that it replies to, if the platform says so.
    pub reply_to: Option<u64>,
    /// Seconds since any fixed moment.
    pub at: i64,
}

/// The index of a speaker in the window's tables.
pub(crate) type SpeakerIndex = u16;

/// A message in the window.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) seq: u64,
    pub(crate) id: u64,
    pub(crate) slot: SpeakerIndex,
    pub(crate) at: i64,
    /// The time since the message before it, in seconds as a logarithm.
    pub(crate) pause: f32,
    pub(crate) words: Words,
    pub(crate) named: Vec<Named>,
    /// The `seq` of the message that it replies to, if the platform says so and that message is in the window.
    pub(crate) reply_to: Option<u64>,
    /// What it answers, whom it is for.
    pub(crate) reading: Reading,
    /// How much of it others have answered since (0 and up).
    pub(crate) answered: f32,
    /// The same for each speaker that answered.
    pub(crate) answered_by: Vec<(SpeakerIndex, f32)>,
    /// The conversation it most likely belongs to: the `seq` of the message that opened it.
    pub(crate) thread: u64,
}

impl Entry {
    /// The member it is addressed to by name at its beginning.
    pub(crate) fn addressed(&self) -> Option<SpeakerIndex> {
        self.named.iter().find(|n| n.how.is_address()).map(|n| n.slot)
    }

    pub(crate) fn answered_by(&self, slot: SpeakerIndex) -> f32 {
        share(&self.answered_by, slot)
    }
}

/// The index of the message with this `seq`.
pub(crate) fn index(entries: &VecDeque<Entry>, seq: u64) -> Option<usize> {
    let first = entries.front()?.seq;
    seq.checked_sub(first).map(|at| at as usize).filter(|at| *at < entries.len())
}

pub(crate) fn share(list: &[(SpeakerIndex, f32)], slot: SpeakerIndex) -> f32 {
    list.iter().find(|(s, _)| *s == slot).map_or(0.0, |(_, p)| *p)
}

pub(crate) fn add_share(list: &mut Vec<(SpeakerIndex, f32)>, slot: SpeakerIndex, p: f32) {
    match list.iter_mut().find(|(s, _)| *s == slot) {
        Some((_, known)) => *known += p,
        None => list.push((slot, p)),
    }
}

/// What is known of a speaker beyond the messages in the window.
#[derive(Debug, Clone, Default)]
pub(crate) struct Speaker {
    pub(crate) id: Option<MemberId>,
    /// Its names in lower case, to be compared letter by letter.
    pub(crate) spelt: Vec<Vec<char>>,
    /// `seq` when it last spoke or was last named.
    pub(crate) touched: u64,
    /// `seq` of its latest message.
    pub(crate) last: Option<u64>,
    /// Messages it has said.
    pub(crate) said: f32,
    /// How many of them begin with a name.
    pub(crate) naming: f32,
    /// How many of them continue its own previous message.
    pub(crate) goes_on: f32,
    /// Messages that were for it.
    pub(crate) meant: f32,
    /// How many of them it has answered.
    pub(crate) answered: f32,
    /// Messages of others that it answered although they were for no member or for another one.
    pub(crate) volunteered: f32,
    /// Openings of conversations it answered.
    pub(crate) opened: f32,
    /// Openings in the room before it came.
    pub(crate) openings_before: f32,
    /// Messages in the room before it came.
    pub(crate) before: u64,
    /// How often it answered a message that begins with a sigil, a sign such as bots' commands have, for each sigil.
    pub(crate) sigils: Vec<(u32, f32)>,
}

/// The last [`WINDOW`] messages of a room and what is remembered of its speakers. Bounded in size.
#[derive(Debug, Clone)]
pub struct Window {
    pub(crate) model: &'static Model,
    pub(crate) entries: VecDeque<Entry>,
    pub(crate) speakers: Vec<Speaker>,
    slots: HashMap<MemberId, SpeakerIndex, RandomState>,
    /// The version of the members when their names were last read.
    names: u64,
    pub(crate) seq: u64,
    pub(crate) texts: f32,
    word_counts: Vec<u16>,
    /// Openings of conversations so far.
    pub(crate) openings: f32,
    /// Share of the recent messages that begin with a name.
    pub(crate) naming: f32,
    /// How many messages have begun with a sigil so far, for each sigil.
    pub(crate) sigils: Vec<(u32, f32)>,
}

impl Default for Window {
    fn default() -> Self {
        Self::new()
    }
}

impl Window {
    /// The window of a room in which nothing was said.
    pub fn new() -> Self {
        Self::with(Model::built_in())
    }

    /// The same with another model, for the program that fits it.
    pub(crate) fn with(model: &'static Model) -> Self {
        Self {
            model,
            entries: VecDeque::new(),
            speakers: Vec::new(),
            slots: HashMap::default(),
            names: 0,
            seq: 0,
            texts: 0.0,
            word_counts: Vec::new(),
            openings: 0.0,
            naming: 0.3,
            sigils: Vec::new(),
        }
    }

    /// Adds a message and reads it. A message whose id is in the window already changes nothing.
    pub fn push(&mut self, message: &Message, members: &Members) {
        self.push_watched(message, members, &mut |_| {});
    }

    /// Like `push`. Also shows `watch` the candidates among which the model chose, for the program that fits it.
    pub(crate) fn push_watched(
        &mut self,
        message: &Message,
        members: &Members,
        watch: &mut dyn FnMut(&Candidates),
    ) {
        if self.entries.iter().any(|e| e.id == message.id) {
            return;
        }
        // the window keeps WINDOW other messages while the new one is read
        if self.entries.len() > WINDOW {
            self.entries.pop_front();
        }
        self.seq += 1;
        self.read_names(members);
        let slot = self.slot(&message.author, members);
        let words = Words::of(&message.text);
        let named = naming::named(self, members, slot, &message.text);
        let reply_to = message.reply_to.and_then(|id| self.entries.iter().position(|e| e.id == id));
        let mut entry = Entry {
            seq: self.seq,
            id: message.id,
            slot,
            at: message.at,
            pause: self.entries.back().map_or(0.0, |before| log_gap(message.at - before.at)),
            words,
            named,
            reply_to: reply_to.map(|at| self.entries[at].seq),
            reading: Reading::default(),
            answered: 0.0,
            answered_by: Vec::new(),
            thread: self.seq,
        };
        let candidates = Candidates::of(self, &entry);
        watch(&candidates);
        entry.reading = reading::read(self, slot, &candidates, reply_to);
        self.learn(&mut entry, &message.text);
        self.entries.push_back(entry);
    }

    /// Sets the id of a message in the window, which was not known when it was pushed.
    pub fn rename(&mut self, from: u64, to: u64) {
        if let Some(entry) = self.entries.iter_mut().rev().find(|e| e.id == from) {
            entry.id = to;
        }
    }

    /// Reads the current names of the speakers.
    fn read_names(&mut self, members: &Members) {
        if self.names == members.version() {
            return;
        }
        self.names = members.version();
        for speaker in &mut self.speakers {
            if let Some(member) = speaker.id.as_ref().and_then(|id| members.get(id)) {
                speaker.spelt = spelt(&member.names);
            }
        }
    }

    /// Updates what is remembered of the room and of its speakers.
    fn learn(&mut self, entry: &mut Entry, text: &str) {
        let author = entry.slot;
        let reading = &entry.reading;
        for &(seq, p) in &reading.links {
            let Some(parent) = index(&self.entries, seq).map(|at| &mut self.entries[at]) else { continue };
            add_share(&mut parent.answered_by, author, p);
            parent.answered += p;
            let (for_author, opens) = (parent.reading.meant_for(author), parent.reading.opens);
            let sigil = parent.words.sigil;
            let me = &mut self.speakers[usize::from(author)];
            me.answered += p * for_author;
            me.volunteered += p * (1.0 - for_author);
            me.opened += p * opens;
            if sigil != 0 {
                add_sigil(&mut me.sigils, sigil, p);
            }
        }
        let best = reading
            .links
            .iter()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|b| b.1 > reading.opens.max(reading.own));
        let own = (reading.own > reading.opens)
            .then(|| self.entries.iter().rposition(|e| e.slot == author))
            .flatten();
        if let Some(parent) = best.and_then(|(seq, _)| index(&self.entries, *seq)).or(own) {
            entry.thread = self.entries[parent].thread;
        }
        for &(slot, p) in &reading.to {
            self.speakers[usize::from(slot)].meant += p;
        }
        self.openings += reading.opens;
        let named_first = f32::from(u8::from(entry.addressed().is_some()));
        self.naming += 0.02 * (named_first - self.naming);
        if entry.words.sigil != 0 {
            add_sigil(&mut self.sigils, entry.words.sigil, 1.0);
        }
        let me = &mut self.speakers[usize::from(author)];
        me.said += 1.0;
        me.naming += named_first;
        me.goes_on += reading.own;
        me.last = Some(entry.seq);
        me.touched = entry.seq;
        for named in &entry.named {
            self.speakers[usize::from(named.slot)].touched = entry.seq;
        }
        self.count_words(entry, text);
    }

    /// Counts the words of a text, without the name it begins with.
    fn count_words(&mut self, entry: &Entry, text: &str) {
        let wanted = (self.texts as usize * BUCKETS_PER_TEXT).clamp(BUCKETS.0, BUCKETS.1).next_power_of_two();
        if self.word_counts.len() < wanted {
            // a grown table repeats the old counts in each of its halves
            let grown =
                (0..wanted).map(|at| self.word_counts.get(at % self.word_counts.len().max(1)).copied());
            self.word_counts = grown.map(Option::unwrap_or_default).collect();
        }
        let skips =
            entry.named.iter().any(|n| matches!(n.how, NameForm::FirstMarked | NameForm::ShortMarked));
        let name = text.split_whitespace().next().filter(|_| skips).map(Words::of);
        for word in &entry.words.hashes {
            if name.as_ref().is_none_or(|n| !n.hashes.contains(word)) {
                let at = *word as usize % self.word_counts.len();
                let count = &mut self.word_counts[at];
                *count = count.saturating_add(1);
            }
        }
        self.texts += 1.0;
        if self.texts >= HALF_LIFE {
            self.texts /= 2.0;
            self.word_counts.iter_mut().for_each(|c| *c /= 2);
        }
    }

    /// How rare a word is here: the logarithm of the number of texts per occurrence.
    pub(crate) fn rarity(&self, word: u32) -> f32 {
        self.rarity_after(word, 50.0)
    }

    /// The same, with `before` more texts that lack the word.
    pub(crate) fn rarity_after(&self, word: u32, before: f32) -> f32 {
        let count = self.word_counts.get(word as usize % self.word_counts.len().max(1)).copied().unwrap_or(0);
        ((self.texts + before) / (f32::from(count) + 0.5)).ln()
    }

    /// The slot of a member. Creates one if it has none.
    pub(crate) fn slot(&mut self, id: &MemberId, members: &Members) -> SpeakerIndex {
        if let Some(&slot) = self.slots.get(id) {
            return slot;
        }
        let slot = self.free_slot();
        let names = members.get(id).map_or_else(|| vec![id.to_string()], |m| m.names.clone());
        self.speakers[usize::from(slot)] = Speaker {
            id: Some(id.clone()),
            spelt: spelt(&names),
            touched: self.seq,
            openings_before: self.openings,
            before: self.seq,
            ..Speaker::default()
        };
        self.slots.insert(id.clone(), slot);
        slot
    }

    /// An unused slot. If there are [`SPEAKERS`], it frees the slot of the speaker that was silent longest and is not
    /// in the window.
    fn free_slot(&mut self) -> SpeakerIndex {
        let oldest = self.entries.front().map_or(self.seq, |e| e.seq);
        // a message that names a member may stay in the window that long
        let gone = self.speakers.iter().enumerate().filter(|(_, s)| s.touched + 2 * (WINDOW as u64) < oldest);
        let gone = gone.min_by_key(|(_, s)| s.touched).map(|(at, _)| at);
        match gone.filter(|_| self.speakers.len() >= SPEAKERS) {
            Some(at) => {
                if let Some(id) = self.speakers[at].id.take() {
                    self.slots.remove(&id);
                }
                at as SpeakerIndex
            }
            None => {
                self.speakers.push(Speaker::default());
                (self.speakers.len() - 1) as SpeakerIndex
            }
        }
    }

    pub(crate) fn slot_of(&self, id: &str) -> Option<SpeakerIndex> {
        self.slots.get(id).copied()
    }

    pub(crate) fn id_of(&self, slot: SpeakerIndex) -> Option<&MemberId> {
        self.speakers.get(usize::from(slot))?.id.as_ref()
    }

    /// The number of a speaker's latest message.
    pub(crate) fn last_of(&self, slot: SpeakerIndex) -> Option<u64> {
        self.speakers.get(usize::from(slot))?.last
    }
}

fn spelt(names: &[String]) -> Vec<Vec<char>> {
    names.iter().map(|name| name.to_lowercase().chars().collect()).collect()
}

fn add_sigil(list: &mut Vec<(u32, f32)>, sigil: u32, p: f32) {
    if let Some((_, known)) = list.iter_mut().find(|(s, _)| *s == sigil) {
        *known += p;
    } else if list.len() < 8 {
        // a speaker or a room has no habit of more sigils than this
        list.push((sigil, p));
    }
}
