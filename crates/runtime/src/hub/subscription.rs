//! Subscriptions to the hub: which events a listener gets, and its position among them.

use std::sync::Arc;

use greenroom_core::{ChannelKey, EventId, PersonaName, TurnEvent, TurnId};
use tokio::sync::watch;

use super::{
    Hub,
    log::{LogKey, Next},
};

/// The events that a listener wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topic {
    /// The events of a channel.
    Channel(ChannelKey),
    /// The events of a persona in all channels.
    Persona(PersonaName),
    /// The events of one turn of a channel, or of the turn that answers its message as well. Ends with that turn.
    Turn(ChannelKey, TurnId),
}

/// What a listener receives next.
#[derive(Debug, Clone, PartialEq)]
pub enum NextEvent {
    /// An event.
    Event(Arc<TurnEvent>),
    /// Events after the requested position were dropped: the listener has to read the history. Later events follow.
    Missed,
    /// The listener was too slow and the log has moved past its position. Nothing follows.
    Lagged,
}

/// A listener. Dropping it ends the subscription.
pub struct Subscription {
    hub: Arc<Hub>,
    topic: Topic,
    /// The last event that was examined.
    position: u64,
    /// Whether events after the requested position were dropped.
    missed: bool,
    /// Whether the turn has ended, so that nothing more is published.
    ended: bool,
    over: bool,
    woken: watch::Receiver<()>,
    deltas: bool,
}

impl Topic {
    /// The log that holds the events. The events of a persona are in the log of all events.
    fn log_key(&self) -> Option<LogKey> {
        match self {
            Self::Channel(channel) => Some(LogKey::Channel(channel.clone())),
            Self::Turn(channel, turn) => Some(LogKey::new(channel, *turn)),
            Self::Persona(_) => None,
        }
    }
}

impl Hub {
    /// Subscribes to the events from now on, or to those after `after`. Without `after`, a turn starts at its first
    /// event.
    pub(crate) fn subscribe(self: &Arc<Self>, topic: Topic, after: Option<EventId>) -> Subscription {
        let mut state = self.state();
        let newest = state.newest;
        // where a turn starts; one that has not begun starts now
        let mut turn_from = Some(newest);
        // all events after this position are kept
        let (newest_unavailable, woken) = match &topic {
            Topic::Persona(persona) => {
                let persona = state.personas.entry(persona.clone()).or_default();
                (persona.newest_dropped.max(persona.hidden_up_to), persona.listeners.add())
            }
            Topic::Channel(channel) => {
                let topic = state.topic(&LogKey::Channel(channel.clone()));
                (topic.newest_unavailable(), topic.listeners.add())
            }
            Topic::Turn(channel, turn) => {
                let topic = state.topic(&LogKey::new(channel, *turn));
                if let Some(first) = topic.first_of(*turn) {
                    turn_from = (topic.holds_whole(*turn) == Some(true)).then(|| first.id() - 1);
                }
                (topic.newest_unavailable(), topic.listeners.add())
            }
        };
        let position = match (after, &topic) {
            (Some(EventId(after)), _) => (newest_unavailable..=newest).contains(&after).then_some(after),
            (None, Topic::Turn(..)) => turn_from,
            (None, _) => Some(newest),
        };
        drop(state);
        let (missed, position) = (position.is_none(), position.unwrap_or(newest));
        Subscription {
            hub: self.clone(),
            topic,
            position,
            missed,
            ended: false,
            over: false,
            woken,
            deltas: true,
        }
    }

    fn next(&self, topic: &Topic, position: &mut u64, deltas: bool) -> Option<Next> {
        let state = self.state();
        let Some(key) = topic.log_key() else {
            let Topic::Persona(persona) = topic else { return None };
            let newest_dropped = state.personas.get(persona)?.newest_dropped;
            return state.all.next(position, newest_dropped, |entry| &entry.event.persona == persona);
        };
        let log = &state.topics.get(&key)?.log;
        let turn = if let Topic::Turn(_, turn) = topic { Some(turn) } else { None };
        let newest_dropped = if deltas { log.newest_dropped } else { log.newest_dropped_result };
        log.next(position, newest_dropped, |entry| {
            (deltas || !entry.is_delta()) && turn.is_none_or(|turn| entry.turns.contains(turn))
        })
    }
}

impl Subscription {
    /// The same subscription to a channel or a turn without deltas: deltas neither wake it nor make it lag.
    #[must_use]
    pub fn without_deltas(mut self) -> Self {
        if let Some(key) = self.topic.log_key() {
            self.woken = self.hub.state().topic(&key).result_listeners.add();
            self.deltas = false;
        }
        self
    }

    /// The same subscription to a turn that has ended: it ends after the events that are still kept.
    #[must_use]
    pub fn of_ended_turn(mut self) -> Self {
        self.ended = true;
        self
    }

    /// The next event; `None` at the end. Cancel safe.
    pub async fn next(&mut self) -> Option<NextEvent> {
        if std::mem::take(&mut self.missed) {
            return Some(NextEvent::Missed);
        }
        while !self.over {
            match self.hub.next(&self.topic, &mut self.position, self.deltas) {
                Some(Next::Event(event)) => {
                    self.over = matches!(self.topic, Topic::Turn(..)) && event.event.is_last();
                    return Some(NextEvent::Event(event));
                }
                Some(Next::Lagged) => {
                    self.over = true;
                    return Some(NextEvent::Lagged);
                }
                None if self.ended => self.over = true,
                None => self.over = self.woken.changed().await.is_err(),
            }
        }
        None
    }

    /// Goes on after a gap, with the oldest event that is still kept.
    pub(crate) fn resume(&mut self) {
        if let Some(key) = self.topic.log_key() {
            self.position = self.position.max(self.hub.state().topic(&key).newest_unavailable());
            self.over = false;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(key) = self.topic.log_key() {
            // this subscription is still counted
            self.hub.state().left(&key, 1);
        }
    }
}
