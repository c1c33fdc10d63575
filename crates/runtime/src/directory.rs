//! The directory of live rooms and channel actors: the state of each actor, and how many messages wait. It can be read
//! at any time without asking an actor (WB13).
//!
//! An entry belongs to its room: only the room adds, stops and removes it. The running turn may change its state and
//! nothing else. So a stopped persona never seems idle because its last turn ended a moment later.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use dashmap::{DashMap, DashSet, Entry};
use greenroom_core::{ActorState, ChannelKey, PersonaName};
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

use crate::{ActorStatus, RuntimeError};

/// Every state, so that a state without actors is counted as 0.
const STATES: [ActorState; 7] = [
    ActorState::Idle,
    ActorState::Thinking,
    ActorState::ToolCall,
    ActorState::Error,
    ActorState::Stopped,
    ActorState::BudgetExceeded,
    ActorState::ContextFull,
];

/// The live rooms and actors, and the number of waiting messages.
pub(crate) struct Directory {
    /// The channels with a live room; kept by the supervisor.
    pub(crate) rooms: DashSet<ChannelKey>,
    actors: DashMap<(PersonaName, ChannelKey), ActorState>,
    stopped: DashSet<PersonaName>,
    waiting: Arc<DashMap<ChannelKey, usize>>,
    queue_limit: usize,
    closed: AtomicBool,
    open: TaskTracker,
}

/// A place in a channel's queue, given back on drop (S9).
#[derive(Debug)]
pub(crate) struct QueueTicket {
    channel: ChannelKey,
    waiting: Arc<DashMap<ChannelKey, usize>>,
}

/// Keeps `shutdown` waiting until it is dropped.
pub(crate) type ShutdownToken = TaskTrackerToken;

impl Directory {
    pub(crate) fn new(queue_limit: usize) -> Self {
        let open = TaskTracker::new();
        // closed from the start, so that `wait` returns whenever nothing runs
        open.close();
        Self {
            rooms: DashSet::new(),
            actors: DashMap::new(),
            stopped: DashSet::new(),
            waiting: Arc::default(),
            queue_limit,
            closed: AtomicBool::new(false),
            open,
        }
    }

    // --- admission ---------------------------------------------------------------------------

    /// Admits a message, or returns how many wait already (S9).
    pub(crate) fn admit(&self, channel: &ChannelKey) -> Result<(QueueTicket, ShutdownToken), RuntimeError> {
        self.admit_below(channel, self.queue_limit)
    }

    /// Admits a message that no persona answers, however many wait: it waits until it is stored and no longer.
    pub(crate) fn admit_beside(
        &self,
        channel: &ChannelKey,
    ) -> Result<(QueueTicket, ShutdownToken), RuntimeError> {
        self.admit_below(channel, usize::MAX)
    }

    fn admit_below(
        &self,
        channel: &ChannelKey,
        limit: usize,
    ) -> Result<(QueueTicket, ShutdownToken), RuntimeError> {
        // the token comes first, so that a shutdown that begins after this line waits for it
        let open = self.open.token();
        if self.is_closed() {
            return Err(RuntimeError::Stopped);
        }
        let mut waiting = self.waiting.entry(channel.clone()).or_insert(0);
        if *waiting >= limit {
            return Err(RuntimeError::Busy { channel: channel.clone(), waiting: *waiting });
        }
        *waiting += 1;
        Ok((QueueTicket { channel: channel.clone(), waiting: self.waiting.clone() }, open))
    }

    /// Refuses every message from now on.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Resolves when nothing that was admitted is running or waiting.
    pub(crate) async fn drained(&self) {
        self.open.wait().await;
    }

    /// The channels whose rooms are live, in order.
    pub(crate) fn rooms(&self) -> Vec<ChannelKey> {
        let mut rooms: Vec<_> = self.rooms.iter().map(|room| room.clone()).collect();
        rooms.sort();
        rooms
    }

    /// The live rooms of one chat: of a channel and its threads.
    pub(crate) fn rooms_of_chat(&self, channel: &ChannelKey) -> Vec<ChannelKey> {
        let chat =
            |key: &ChannelKey| key.provider() == channel.provider() && key.chat_id() == channel.chat_id();
        self.rooms.iter().filter(|room| chat(room)).map(|room| room.clone()).collect()
    }

    /// How many admitted messages wait for their turn to begin.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.iter().map(|channel| *channel.value()).sum()
    }

    // --- states ------------------------------------------------------------------------------

    /// Every entry, by channel and persona.
    pub(crate) fn status(&self) -> Vec<ActorStatus> {
        let row = |entry: dashmap::mapref::multiple::RefMulti<'_, (PersonaName, ChannelKey), ActorState>| {
            let (persona, channel) = entry.key().clone();
            ActorStatus { persona, channel, state: *entry.value() }
        };
        let mut rows: Vec<_> = self.actors.iter().map(row).collect();
        rows.sort_by(|a, b| (&a.channel, &a.persona).cmp(&(&b.channel, &b.persona)));
        rows
    }

    /// How many actors are in each state.
    pub(crate) fn states(&self) -> [(ActorState, usize); STATES.len()] {
        let mut counts = STATES.map(|state| (state, 0));
        for entry in &self.actors {
            if let Some((_, count)) = counts.iter_mut().find(|(state, _)| state == entry.value()) {
                *count += 1;
            }
        }
        counts
    }

    /// Sets the state of a running actor; a stopped one stays stopped.
    pub(crate) fn set_state(&self, persona: &PersonaName, channel: &ChannelKey, state: ActorState) {
        if let Some(mut entry) = self.actors.get_mut(&(persona.clone(), channel.clone()))
            && *entry != ActorState::Stopped
        {
            *entry = state;
        }
    }

    /// A reset has emptied a full context (WB14).
    pub(crate) fn context_reset(&self, persona: &PersonaName, channel: &ChannelKey) {
        if let Some(mut entry) = self.actors.get_mut(&(persona.clone(), channel.clone()))
            && *entry == ActorState::ContextFull
        {
            *entry = ActorState::Idle;
        }
    }

    /// The room started an actor.
    pub(crate) fn actor_started(&self, persona: &PersonaName, channel: &ChannelKey) {
        self.actors.entry((persona.clone(), channel.clone())).or_insert(ActorState::Idle);
    }

    /// The room stopped an actor. It stays stopped until it is started.
    pub(crate) fn actor_halted(&self, persona: &PersonaName, channel: &ChannelKey) {
        self.actors.insert((persona.clone(), channel.clone()), ActorState::Stopped);
    }

    /// An actor has ended. A stopped one stays visible.
    pub(crate) fn actor_stopped(&self, persona: &PersonaName, channel: &ChannelKey) {
        if let Entry::Occupied(entry) = self.actors.entry((persona.clone(), channel.clone()))
            && *entry.get() != ActorState::Stopped
        {
            entry.remove();
        }
    }

    /// A room has crashed without removing its actors. Stopped ones stay visible.
    pub(crate) fn room_crashed(&self, channel: &ChannelKey) {
        self.actors.retain(|(_, place), state| place != channel || *state == ActorState::Stopped);
    }

    // --- stop and start (WB15) ---------------------------------------------------------------

    /// Whether a persona may answer in a channel.
    pub(crate) fn may_answer(&self, persona: &PersonaName, channel: &ChannelKey) -> bool {
        let state = self.actors.get(&(persona.clone(), channel.clone())).map(|state| *state);
        !self.stopped.contains(persona) && state != Some(ActorState::Stopped)
    }

    /// Whether a persona answers nowhere.
    pub(crate) fn is_stopped(&self, persona: &PersonaName) -> bool {
        self.stopped.contains(persona)
    }

    /// A persona answers nowhere from now on.
    pub(crate) fn stop(&self, persona: &PersonaName) {
        self.stopped.insert(persona.clone());
    }

    /// Every persona may answer again everywhere.
    pub(crate) fn start_all(&self) {
        self.actors.retain(|_, state| *state != ActorState::Stopped);
        self.stopped.clear();
    }

    /// A persona may answer again everywhere.
    pub(crate) fn start(&self, persona: &PersonaName) {
        self.actors.retain(|(name, _), state| name != persona || *state != ActorState::Stopped);
        self.stopped.remove(persona);
    }
}

impl Drop for QueueTicket {
    fn drop(&mut self) {
        if let Entry::Occupied(mut waiting) = self.waiting.entry(self.channel.clone()) {
            *waiting.get_mut() -= 1;
            if *waiting.get() == 0 {
                waiting.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel() -> ChannelKey {
        "terminal:default".parse().unwrap()
    }

    #[test]
    fn s9_a_channel_lets_in_so_many_and_then_says_busy() {
        let directory = Directory::new(2);
        let first = directory.admit(&channel()).unwrap();
        let _second = directory.admit(&channel()).unwrap();
        assert!(matches!(directory.admit(&channel()), Err(RuntimeError::Busy { waiting: 2, .. })));
        assert!(directory.admit(&"terminal:other".parse().unwrap()).is_ok(), "others are not affected");
        drop(first);
        assert!(directory.admit(&channel()).is_ok());
        drop(_second);
        assert!(directory.waiting.is_empty(), "an empty queue takes no room");
    }

    #[test]
    fn wb13_a_stopped_actor_stays_stopped_until_it_is_started() {
        let (directory, ada) = (Directory::new(1), "ada".parse().unwrap());
        directory.actor_started(&ada, &channel());
        directory.set_state(&ada, &channel(), ActorState::Thinking);
        assert_eq!(directory.status()[0].state, ActorState::Thinking);
        directory.actor_halted(&ada, &channel());
        directory.set_state(&ada, &channel(), ActorState::Idle);
        directory.actor_stopped(&ada, &channel());
        assert_eq!(directory.status()[0].state, ActorState::Stopped);
        assert!(!directory.may_answer(&ada, &channel()));
        directory.start(&ada);
        assert!(directory.may_answer(&ada, &channel()));
        assert!(directory.status().is_empty());
    }
}
