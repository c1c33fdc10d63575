//! Listening to the hub.

use std::sync::Arc;

use greenroom_core::{ChannelKey, EventId, PersonaName, TurnEvent, TurnId};
use tokio::sync::watch;

use super::{
    Hub,
    log::{LogKey, Next},
};

/// Which events a listener wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topic {
    /// Those of a channel.
    Channel(ChannelKey),
    /// Those of a persona in all channels.
    Persona(PersonaName),
    /// Those of one turn of a channel, or of the turn that answers its message as well; ends with it.
    Turn(ChannelKey, TurnId),
}

/// What a listener hears next.
#[derive(Debug, Clone, PartialEq)]
pub enum NextEvent {
    /// An event.
    Event(Arc<TurnEvent>),
    /// Events after the requested position are gone: the history has to be read. Later events follow.
    Missed,
    /// The listener was too slow and the log has moved past its position. Nothing follows.
    Lagged,
}

/// A listener; it leaves when it is dropped.
pub struct Subscription {
    hub: Arc<Hub>,
    topic: Topic,
    /// The last event that was looked at.
    position: u64,
    /// Whether events between the requested position and this one are gone.
    missed: bool,
    /// Whether the turn has ended: nothing is published any more.
    ended: bool,
    over: bool,
    woken: watch::Receiver<()>,
    deltas: bool,
}

impl Topic {
    /// The log that holds the events; a persona's stand in the log of all.
    fn log_key(&self) -> Option<LogKey> {
        match self {
            Self::Channel(channel) => Some(LogKey::Channel(channel.clone())),
            Self::Turn(channel, turn) => Some(LogKey::new(channel, *turn)),
            Self::Persona(_) => None,
        }
    }
}

impl Hub {
    /// Listens from now on, or from the event after `after` on. A turn is heard from its beginning where no position is
    /// given.
    pub(crate) fn subscribe(self: &Arc<Self>, topic: Topic, after: Option<EventId>) -> Subscription {
        let mut state = self.state();
        let newest = state.newest;
        // where a turn is heard from; one that has not begun is heard from now on
        let mut turn_from = Some(newest);
        // everything behind this position can be told
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
    /// The same without deltas, of a channel or a turn: deltas neither wake it nor make it lag.
    #[must_use]
    pub fn without_deltas(mut self) -> Self {
        if let Some(key) = self.topic.log_key() {
            self.woken = self.hub.state().topic(&key).result_listeners.add();
            self.deltas = false;
        }
        self
    }

    /// The same for a turn that has ended: when the events that are still in memory have been told, there are no more to
    /// wait for.
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

    /// Goes on, after a gap, with the oldest event that can still be told.
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
            // this one is still counted
            self.hub.state().left(&key, 1);
        }
    }
}
