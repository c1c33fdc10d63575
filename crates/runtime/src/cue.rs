//! A cue: one persona's part in answering one message. And the cue sheet, where a room keeps what
//! waits and what is being played.
//!
//! The sheet outlives the channel actors: one that crashed finds its cues there when it is back
//! (S7). It also holds the two rules of order: a persona plays one turn at a time, and a cue that
//! stands behind another persona's is ready only when that one has ended.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use greenroom_core::{Message, PersonaName, TurnEvent, TurnId};
use tokio::sync::mpsc;
use tracing::Span;

use crate::{
    Wishes,
    directory::{Open, Ticket},
    services::Project,
};

/// One persona's part in answering one message.
pub(crate) struct Cue {
    /// The planned turn.
    pub(crate) turn: TurnId,
    pub(crate) persona: PersonaName,
    /// The message to be answered.
    pub(crate) message: Arc<Message>,
    /// Where it was planned as begun: when that was about to be written.
    pub(crate) begun: Option<Instant>,
    /// The newest erasure that was followed when the message was not yet stored, or known to be.
    pub(crate) erased: i64,
    /// Why this persona answers.
    pub(crate) why: String,
    pub(crate) project: Project,
    pub(crate) disable_memory: bool,
    /// What whoever sent the message asks of the reply.
    pub(crate) wishes: Wishes,
    /// The span of whoever handed the message in.
    pub(crate) span: Span,
    /// Whoever sent the message listens here.
    pub(crate) events: mpsc::Sender<Arc<TurnEvent>>,
    /// Keeps `shutdown` waiting until the turn has ended.
    pub(crate) _open: Open,
}

/// What waits in a room and what is being played there.
#[derive(Default)]
pub(crate) struct CueSheet(Mutex<Vec<QueuedCue>>);

struct QueuedCue {
    cue: Arc<Cue>,
    /// The turn that must have ended first.
    after: Option<TurnId>,
    /// The message's place in the queue, given back when its turn begins.
    ticket: Option<Arc<Ticket>>,
    playing: bool,
}

impl CueSheet {
    /// Writes down the cues of one message, each behind the one before it.
    pub(crate) fn add(&self, cues: Vec<Cue>, ticket: Ticket) {
        let ticket = Arc::new(ticket);
        let mut after = None;
        let mut queued = self.queued();
        for cue in cues {
            let turn = cue.turn;
            queued.push(QueuedCue {
                cue: Arc::new(cue),
                after,
                ticket: Some(ticket.clone()),
                playing: false,
            });
            after = Some(turn);
        }
    }

    /// Everything that is ready for a persona: one burst, one turn. Nothing while it plays.
    pub(crate) fn take(&self, persona: &PersonaName) -> Vec<Arc<Cue>> {
        let mut queued = self.queued();
        if queued.iter().any(|line| &line.cue.persona == persona && line.playing) {
            return Vec::new();
        }
        let ready = queued.iter_mut().filter(|line| &line.cue.persona == persona && line.after.is_none());
        ready
            .map(|line| {
                line.playing = true;
                line.ticket = None;
                line.cue.clone()
            })
            .collect()
    }

    /// Turns have ended: who stands behind them is ready now.
    pub(crate) fn ended(&self, turns: &[TurnId]) {
        let mut queued = self.queued();
        queued.retain(|line| !turns.contains(&line.cue.turn));
        for line in queued.iter_mut() {
            line.after = line.after.filter(|after| !turns.contains(after));
        }
    }

    /// Takes back what waits, of one persona or of all; what is being played goes on.
    pub(crate) fn withdraw(&self, persona: Option<&PersonaName>) -> Vec<Arc<Cue>> {
        let mut queued = self.queued();
        let (gone, rest): (Vec<QueuedCue>, _) = std::mem::take(&mut *queued)
            .into_iter()
            .partition(|line| !line.playing && persona.is_none_or(|p| p == &line.cue.persona));
        *queued = rest;
        drop(queued);
        let gone: Vec<_> = gone.into_iter().map(|line| line.cue).collect();
        self.ended(&gone.iter().map(|cue| cue.turn).collect::<Vec<_>>());
        gone
    }

    /// Who has something ready to play.
    pub(crate) fn ready(&self) -> Vec<PersonaName> {
        let mut names: Vec<_> = self
            .queued()
            .iter()
            .filter(|line| !line.playing && line.after.is_none())
            .map(|line| line.cue.persona.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Whether anything waits or is being played, of one persona.
    pub(crate) fn has(&self, persona: &PersonaName) -> bool {
        self.queued().iter().any(|line| &line.cue.persona == persona)
    }

    /// Whether nothing waits and nothing is being played.
    pub(crate) fn is_empty(&self) -> bool {
        self.queued().is_empty()
    }

    fn queued(&self) -> MutexGuard<'_, Vec<QueuedCue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
