//! A cue is one persona's part in answering one message. The cue queue holds what waits in a room and what runs
//! there.
//!
//! The queue outlives the channel actors: one that crashed finds its cues there when it is back (S7). It also holds
//! the two rules of order: a persona runs one turn at a time, and a cue that stands behind another persona's is ready
//! only when that one has ended.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use greenroom_core::{Envelope, Message, PersonaName, TurnId};
use tracing::Span;

use crate::directory::{QueueTicket, ShutdownToken};

/// One persona's part in answering one message.
pub(crate) struct Cue {
    /// The planned turn.
    pub(crate) turn: TurnId,
    pub(crate) persona: PersonaName,
    /// The message to be answered, with what its sender asks for.
    pub(crate) envelope: Arc<Envelope>,
    /// Whether the turn was stored as running; otherwise it was stored as waiting.
    pub(crate) begun: bool,
    /// The newest erasure that was followed before the message was stored, or known to be.
    pub(crate) erased: i64,
    /// Why this persona answers, for people.
    pub(crate) why: String,
    /// The sender's span.
    pub(crate) span: Span,
    /// Keeps `shutdown` waiting until the turn has ended.
    pub(crate) _token: ShutdownToken,
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
    /// The turn that must have ended first.
    after: Option<TurnId>,
    /// The message's place in the channel's queue, given back when its turn begins.
    ticket: Option<Arc<QueueTicket>>,
    running: bool,
}

impl CueQueue {
    /// Adds the cues of one message, each behind the one before it.
    pub(crate) fn add(&self, cues: Vec<Cue>, ticket: QueueTicket) {
        let ticket = Arc::new(ticket);
        let mut after = None;
        let mut queued = self.queued();
        for cue in cues {
            let turn = cue.turn;
            queued.push(QueuedCue {
                cue: Arc::new(cue),
                after,
                ticket: Some(ticket.clone()),
                running: false,
            });
            after = Some(turn);
        }
    }

    /// Takes everything that is ready for a persona: one turn answers it all. Nothing while its turn runs.
    pub(crate) fn take(&self, persona: &PersonaName) -> Vec<Arc<Cue>> {
        let mut queued = self.queued();
        if queued.iter().any(|entry| &entry.cue.persona == persona && entry.running) {
            return Vec::new();
        }
        let ready = queued.iter_mut().filter(|entry| &entry.cue.persona == persona && entry.after.is_none());
        ready
            .map(|entry| {
                entry.running = true;
                entry.ticket = None;
                entry.cue.clone()
            })
            .collect()
    }

    /// Removes turns that have ended; cues behind them become ready.
    pub(crate) fn ended(&self, turns: &[TurnId]) {
        let mut queued = self.queued();
        queued.retain(|entry| !turns.contains(&entry.cue.turn));
        for entry in queued.iter_mut() {
            entry.after = entry.after.filter(|after| !turns.contains(after));
        }
    }

    /// Takes back what waits, of one persona or of all; running turns go on.
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

    /// The personas that have something ready.
    pub(crate) fn ready(&self) -> Vec<PersonaName> {
        let mut names: Vec<_> = self
            .queued()
            .iter()
            .filter(|entry| !entry.running && entry.after.is_none())
            .map(|entry| entry.cue.persona.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Whether anything of a persona waits or runs.
    pub(crate) fn has(&self, persona: &PersonaName) -> bool {
        self.queued().iter().any(|entry| &entry.cue.persona == persona)
    }

    /// Whether nothing waits and nothing runs.
    pub(crate) fn is_empty(&self) -> bool {
        self.queued().is_empty()
    }

    fn queued(&self) -> MutexGuard<'_, Vec<QueuedCue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
