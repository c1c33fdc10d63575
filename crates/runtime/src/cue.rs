//! A cue is one persona's part in answering one message. The cue queue holds the waiting and the running cues of a
//! room.
//!
//! The queue outlives the channel actors: an actor that restarts after a crash finds its cues there (S7). The queue
//! also keeps two rules of order. A persona runs one turn at a time. A cue behind another persona's cue is ready only
//! when that one has ended.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use greenroom_core::{Envelope, Message, PersonaName, TurnId};
use greenroom_floor::MemberId;
use tracing::Span;

use crate::{
    directory::{QueueTicket, ShutdownToken},
    grant::Grant,
};

/// The terms on which a cue is answered: what floor control decided besides who answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplyTerms {
    /// Whether other members hear the answer and may answer it (RM4).
    pub(crate) is_heard: bool,
    /// The person whom the answer is for, if it is for one person alone. Others answer it if it mentions them.
    pub(crate) meant_for: Option<MemberId>,
    /// The member that is answered, if it is no person.
    pub(crate) answers: Option<MemberId>,
    /// The tokens that the answer may take; `None` without a limit.
    pub(crate) grant: Option<Arc<Grant>>,
    /// For an answer that counts against the limits: the newest message of a person when it was counted.
    pub(crate) chain: Option<Option<u64>>,
    /// Whether a person asked for the answer.
    pub(crate) asked: bool,
}

impl ReplyTerms {
    /// Whether the next message of a person ends the cue (RM5): it counts against the limits, and no person asked for
    /// it.
    pub(crate) fn ends_with_chain(&self) -> bool {
        self.chain.is_some() && !self.asked
    }
}

/// One persona's part in answering one message.
pub(crate) struct Cue {
    /// The planned turn.
    pub(crate) turn: TurnId,
    pub(crate) persona: PersonaName,
    /// The message to be answered, with what its sender asks for.
    pub(crate) envelope: Arc<Envelope>,
    /// Whether the turn was stored as running; otherwise it was stored as waiting.
    pub(crate) begun: bool,
    /// The newest erasure that was followed, or known, before the message was stored.
    pub(crate) erased: i64,
    /// Why this persona answers, for people.
    pub(crate) why: String,
    pub(crate) terms: ReplyTerms,
    /// The sender's span.
    pub(crate) span: Span,
    /// Keeps `shutdown` waiting until the turn has ended.
    pub(crate) token: ShutdownToken,
}

impl Cue {
    /// The message to be answered.
    pub(crate) fn message(&self) -> &Message {
        &self.envelope.message
    }
}

/// The cues of a room.
#[derive(Default)]
pub(crate) struct CueQueue(Mutex<Vec<QueuedCue>>);

struct QueuedCue {
    cue: Arc<Cue>,
    /// The turn that must end before this cue is ready.
    after: Option<TurnId>,
    /// The message's place in the channel's queue, given back when the turn begins.
    ticket: Option<Arc<QueueTicket>>,
    running: bool,
    /// Whether the cue begins no turn for now, because it is about to be withdrawn.
    held: bool,
}

/// Cues that begin no turn until they are withdrawn or this value is dropped.
pub(crate) struct HeldCues {
    queue: Arc<CueQueue>,
    turns: Vec<TurnId>,
    /// How many turns of such cues were running when the others were held.
    pub(crate) under_way: usize,
}

impl HeldCues {
    /// Withdraws the cues.
    pub(crate) fn withdraw(self) -> Vec<Arc<Cue>> {
        self.turns.iter().filter_map(|turn| self.queue.withdraw_turn(*turn)).collect()
    }
}

impl Drop for HeldCues {
    fn drop(&mut self) {
        for entry in self.queue.queued().iter_mut().filter(|entry| self.turns.contains(&entry.cue.turn)) {
            entry.held = false;
        }
    }
}

impl CueQueue {
    /// Adds the cues of one message, each behind the one before it.
    pub(crate) fn add(&self, cues: Vec<Cue>, ticket: QueueTicket) {
        let ticket = Arc::new(ticket);
        add(&mut self.queued(), cues, None, Some(&ticket));
    }

    /// Adds the cues that follow a reply behind all waiting cues, because personas answer one after another. They take
    /// no place in the channel's queue.
    pub(crate) fn add_behind(&self, cues: Vec<Cue>) {
        let mut queued = self.queued();
        let last = queued.iter().rev().find(|entry| !entry.running).map(|entry| entry.cue.turn);
        add(&mut queued, cues, last, None);
    }

    /// The waiting cues that `wanted` selects.
    pub(crate) fn waiting(&self, wanted: impl Fn(&Cue) -> bool) -> Vec<Arc<Cue>> {
        let queued = self.queued();
        let waiting = queued.iter().filter(|entry| !entry.running && wanted(&entry.cue));
        waiting.map(|entry| entry.cue.clone()).collect()
    }

    /// Holds the waiting cues that `wanted` selects, and counts its running ones. One look at the queue does both:
    /// between two looks a turn could begin, and its cue would be missed or counted twice.
    pub(crate) fn hold(self: &Arc<Self>, wanted: impl Fn(&Cue) -> bool) -> HeldCues {
        let mut queued = self.queued();
        let (mut turns, mut under_way) = (Vec::new(), BTreeSet::new());
        for entry in queued.iter_mut().filter(|entry| wanted(&entry.cue)) {
            if entry.running {
                under_way.insert(&entry.cue.persona);
            } else {
                entry.held = true;
                turns.push(entry.cue.turn);
            }
        }
        let under_way = under_way.len();
        HeldCues { queue: self.clone(), turns, under_way }
    }

    /// The personas with a waiting or a running cue.
    pub(crate) fn busy(&self) -> Vec<PersonaName> {
        self.queued().iter().map(|entry| entry.cue.persona.clone()).collect()
    }

    /// Removes one cue, if it still waits.
    pub(crate) fn withdraw_turn(&self, turn: TurnId) -> Option<Arc<Cue>> {
        let mut queued = self.queued();
        let at = queued.iter().position(|entry| !entry.running && entry.cue.turn == turn)?;
        let cue = queued.remove(at).cue;
        drop(queued);
        self.ended(&[turn]);
        Some(cue)
    }

    /// Takes all cues that are ready for a persona, oldest message first, so that one turn answers them all. Takes none
    /// while a turn of the persona runs.
    pub(crate) fn take(&self, persona: &PersonaName) -> Vec<Arc<Cue>> {
        let mut queued = self.queued();
        if queued.iter().any(|entry| &entry.cue.persona == persona && entry.running) {
            return Vec::new();
        }
        let ready = queued
            .iter_mut()
            .filter(|entry| &entry.cue.persona == persona && entry.after.is_none() && !entry.held);
        let mut burst: Vec<_> = ready
            .map(|entry| {
                entry.running = true;
                entry.ticket = None;
                entry.cue.clone()
            })
            .collect();
        // the cue of a message that is answered again is behind those of newer messages
        burst.sort_by_key(|cue| cue.message().id);
        burst
    }

    /// Removes turns that have ended. The cues behind them become ready.
    pub(crate) fn ended(&self, turns: &[TurnId]) {
        let mut queued = self.queued();
        queued.retain(|entry| !turns.contains(&entry.cue.turn));
        for entry in queued.iter_mut() {
            entry.after = entry.after.filter(|after| !turns.contains(after));
        }
    }

    /// Removes the waiting cues of one persona or of all. Running turns go on.
    pub(crate) fn withdraw(&self, persona: Option<&PersonaName>) -> Vec<Arc<Cue>> {
        let mut queued = self.queued();
        let waiting = queued
            .extract_if(.., |entry| !entry.running && persona.is_none_or(|p| p == &entry.cue.persona))
            .map(|entry| entry.cue);
        let waiting: Vec<_> = waiting.collect();
        drop(queued);
        self.ended(&waiting.iter().map(|cue| cue.turn).collect::<Vec<_>>());
        waiting
    }

    /// The personas with a ready cue.
    pub(crate) fn ready(&self) -> Vec<PersonaName> {
        let mut names: Vec<_> = self
            .queued()
            .iter()
            .filter(|entry| !entry.running && entry.after.is_none() && !entry.held)
            .map(|entry| entry.cue.persona.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Whether a persona has a waiting or a running cue.
    pub(crate) fn has(&self, persona: &PersonaName) -> bool {
        self.queued().iter().any(|entry| &entry.cue.persona == persona)
    }

    /// Whether the queue is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.queued().is_empty()
    }

    fn queued(&self) -> MutexGuard<'_, Vec<QueuedCue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds cues, each behind the one before it, and the first behind `after`.
fn add(
    queued: &mut Vec<QueuedCue>,
    cues: Vec<Cue>,
    mut after: Option<TurnId>,
    ticket: Option<&Arc<QueueTicket>>,
) {
    for cue in cues {
        let turn = cue.turn;
        queued.push(QueuedCue {
            cue: Arc::new(cue),
            after,
            ticket: ticket.cloned(),
            running: false,
            held: false,
        });
        after = Some(turn);
    }
}

#[cfg(test)]
mod tests;
