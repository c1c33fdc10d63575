//! The hub keeps and distributes every event of every turn. Turns publish to it; the terminal, APIs and event streams
//! subscribe to it.
//!
//! Events are kept in logs of bounded size: one per live channel, one per turn that is not stored, and one log of all
//! events, which bounds the others together. A listener holds a position in a log and no buffer. So ten thousand idle
//! listeners cost next to nothing, and a slow listener delays neither the turn nor other listeners. When the log has
//! moved past the position of a listener, the listener learns that it lags. Events of other topics do not wake it. A
//! listener that wants results without deltas is woken twice per turn.

mod log;
mod subscription;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use greenroom_core::{ChannelKey, ChatEvent, EventId, PersonaName, TurnEvent, TurnId};
use log::{Bounds, Entry, Listeners, Log, LogKey, TopicLog, size};
pub use subscription::{NextEvent, Subscription, Topic};

use crate::options::EventObserver;

/// The bounds of the log of a channel, or of a turn that is not stored.
const TOPIC: Bounds = Bounds { events: 4_096, bytes: 1 << 20 };
/// The default bounds of all logs together.
const ALL: Bounds = Bounds { events: 1 << 18, bytes: 64 << 20 };

/// The published events and their listeners.
pub(crate) struct Hub(Mutex<HubState>);

struct HubState {
    newest: u64,
    /// The newest erasure that was followed: see [`Hub::forget`].
    erased: i64,
    all: Log,
    /// The bounds of `all`.
    bounds: Bounds,
    topics: HashMap<LogKey, TopicLog>,
    /// The newest event of the logs that were removed.
    dropped: u64,
    personas: HashMap<PersonaName, PersonaEvents>,
    /// Called with each published event.
    observer: Option<EventObserver>,
}

/// The state of a persona's events. The events themselves are in the log of all events.
#[derive(Default)]
struct PersonaEvents {
    /// The newest event that was dropped.
    newest_dropped: u64,
    /// The newest event that late listeners do not get.
    hidden_up_to: u64,
    listeners: Listeners,
}

impl Default for Hub {
    fn default() -> Self {
        Self::new(ALL.bytes, None)
    }
}

impl Hub {
    /// A hub whose events may take this many bytes together. The observer gets each event before any is dropped.
    pub(crate) fn new(bytes: usize, observer: Option<EventObserver>) -> Self {
        Self(Mutex::new(HubState {
            newest: 0,
            erased: 0,
            all: Log::default(),
            bounds: Bounds { bytes, ..ALL },
            topics: HashMap::new(),
            dropped: 0,
            personas: HashMap::new(),
            observer,
        }))
    }

    /// About how many bytes the events take.
    pub(crate) fn bytes(&self) -> usize {
        self.state().all.bytes
    }

    /// Drops the events of channels without a live room and without a listener. Late listeners of their personas read
    /// the history instead.
    pub(crate) fn release(&self) {
        let mut state = self.state();
        let HubState { all, topics, personas, .. } = &mut *state;
        for gone in all.retain(|entry| topics.contains_key(&LogKey::of(&entry.event))) {
            if let Some(persona) = personas.get_mut(&gone.event.persona) {
                persona.newest_dropped = persona.newest_dropped.max(gone.id());
            }
        }
    }

    /// Publishes an event of these turns and gives it its id.
    ///
    /// `checked` is for an event that may contain what the turn was shown: the newest erasure that the turn was checked
    /// against. If the hub has followed a newer one, it publishes nothing and returns false. The turn has to be checked
    /// first (GR10).
    pub(crate) fn publish(&self, mut event: TurnEvent, turns: &Arc<[TurnId]>, checked: Option<i64>) -> bool {
        let mut state = self.state();
        let state = &mut *state;
        if checked.is_some_and(|checked| checked < state.erased) {
            return false;
        }
        state.newest += 1;
        event.id = EventId(state.newest);
        if let Some(observer) = &state.observer {
            observer(&event);
        }
        let event = Arc::new(event);
        let entry = Entry { event: event.clone(), turns: turns.clone(), bytes: size(&event.event) };
        let key = LogKey::of(&event);
        let topic = state.topic(&key);
        topic.log.push(entry.clone(), &TOPIC);
        topic.listeners.wake();
        if !is_followed_at_once(&event.event) {
            topic.result_listeners.wake();
        }
        for gone in state.all.push(entry, &state.bounds) {
            state.remove_from_topic(&gone);
            if let Some(persona) = state.personas.get_mut(&gone.event.persona) {
                persona.newest_dropped = gone.id();
            }
        }
        state.drop_unneeded(&key, 0);
        if let Some(persona) = state.personas.get(&event.persona) {
            persona.listeners.wake();
        } else {
            state.personas.insert(event.persona.clone(), PersonaEvents::default());
        }
        true
    }

    /// The newest published event.
    pub(crate) fn newest(&self) -> EventId {
        EventId(self.state().newest)
    }

    /// The newest erasure that was followed.
    pub(crate) fn erased(&self) -> i64 {
        self.state().erased
    }

    /// Whether all events of a turn are kept, from the first.
    pub(crate) fn has_whole(&self, channel: &ChannelKey, turn: TurnId) -> bool {
        let state = self.state();
        let topic = state.topics.get(&LogKey::new(channel, turn));
        topic.and_then(|topic| topic.holds_whole(turn)) == Some(true)
    }

    /// The room of a channel is live, so its events are kept.
    pub(crate) fn opened(&self, channel: &ChannelKey) {
        self.state().topic(&LogKey::Channel(channel.clone())).live = true;
    }

    /// The room has ended. Its events are kept as long as there is a listener.
    pub(crate) fn closed(&self, channel: &ChannelKey) {
        let mut state = self.state();
        let key = LogKey::Channel(channel.clone());
        if let Some(topic) = state.topics.get_mut(&key) {
            topic.live = false;
        }
        state.drop_unneeded(&key, 0);
    }

    /// Hides the events of these channels so far from late listeners, which read the history instead. Current listeners
    /// still receive them. `erased` is the number of the erasure that this follows. From now on, events of turns that
    /// were checked only against older erasures are refused.
    pub(crate) fn forget(&self, concerned: impl Fn(&ChannelKey) -> bool, erased: i64) {
        let mut state = self.state();
        state.erased = state.erased.max(erased);
        let HubState { all, topics, personas, .. } = &mut *state;
        let nowhere = ChannelKey::nowhere();
        for (key, topic) in topics {
            let channel = if let LogKey::Channel(channel) = key { channel } else { &nowhere };
            if concerned(channel) {
                topic.hidden_up_to = topic.log.newest().max(topic.hidden_up_to);
            }
        }
        for entry in all.entries.iter().filter(|entry| concerned(&entry.event.channel)) {
            if let Some(persona) = personas.get_mut(&entry.event.persona) {
                // an earlier erasure may have hidden newer events of another channel
                persona.hidden_up_to = entry.id().max(persona.hidden_up_to);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, HubState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HubState {
    /// The log of a topic, created when it is first needed.
    fn topic(&mut self, key: &LogKey) -> &mut TopicLog {
        let dropped = self.dropped;
        self.topics.entry(key.clone()).or_insert_with(|| TopicLog::after(dropped))
    }

    /// `leaving` listeners are about to be dropped.
    fn left(&mut self, key: &LogKey, leaving: usize) {
        if let Some(topic) = self.topics.get_mut(key) {
            topic.left(leaving);
        }
        self.drop_unneeded(key, leaving);
    }

    /// Removes a log without a live room and without listeners other than those that are leaving.
    fn drop_unneeded(&mut self, key: &LogKey, leaving: usize) {
        if self.topics.get(key).is_some_and(|topic| !topic.is_needed(leaving))
            && let Some(topic) = self.topics.remove(key)
        {
            self.dropped = self.dropped.max(topic.log.newest());
        }
    }

    /// An event that is dropped from the log of all events is dropped from its topic's log too.
    fn remove_from_topic(&mut self, gone: &Entry) {
        if let Some(topic) = self.topics.get_mut(&LogKey::of(&gone.event))
            && topic.log.entries.front().is_some_and(|oldest| oldest.id() == gone.id())
        {
            topic.log.pop();
        }
    }
}

/// Whether another event usually follows at once. A listener without deltas is woken for both together.
fn is_followed_at_once(event: &ChatEvent) -> bool {
    matches!(
        event,
        ChatEvent::TurnStarted { .. } | ChatEvent::MemoryContext { .. } | ChatEvent::TokenDelta { .. }
    )
}

#[cfg(test)]
mod tests;
