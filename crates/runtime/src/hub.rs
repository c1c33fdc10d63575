//! The hub: every event of every turn, for whoever listens, and for a while for whoever comes late.
//!
//! What was published stands in logs of bounded size: one for each channel that is live, and one of
//! all events, which bounds the others together. A listener holds its place in a log and no buffer of
//! its own, so that ten thousand idle ones cost next to nothing and a slow one costs nobody else
//! anything: when the log has moved past its place it is told so, and that is the end of it. It is woken
//! by events of its own topic alone. Whoever wants to know what became of a turn and not how it was said
//! hears no deltas: it is woken twice, not with every word.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use greenroom_core::{ChannelKey, ChatEvent, EventId, PersonaName, TurnEvent, TurnId};
use tokio::sync::watch;

/// What a channel's log holds.
const CHANNEL: Bounds = Bounds { events: 4_096, bytes: 1 << 20 };
/// What all of them hold together, where nothing else is said.
const ALL: Bounds = Bounds { events: 1 << 18, bytes: 64 << 20 };

/// Which events somebody wants to hear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topic {
    /// Those of a channel.
    Channel(ChannelKey),
    /// Those of a persona, wherever it plays.
    Persona(PersonaName),
    /// Those of one turn of a channel, or of the turn that answers its message as well; ends with it.
    Turn(ChannelKey, TurnId),
}

/// What a listener hears next.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// Something happened.
    Event(Arc<TurnEvent>),
    /// What happened after the place that was asked for is no longer known: the history is to be read.
    /// What happens from now on follows.
    Missed,
    /// The listener was too slow and the log has moved past it. Nothing follows.
    Lagged,
}

/// What is published and who listens.
#[derive(Default)]
pub(crate) struct Hub(Mutex<HubState>);

#[derive(Default)]
struct HubState {
    newest: u64,
    /// The newest erasure that was followed: see [`Hub::forget`].
    erased: i64,
    all: Log,
    /// What `all` may hold.
    limit: Limit,
    channels: HashMap<ChannelKey, ChannelLog>,
    /// Up to which event logs of channels were given up.
    given_up: u64,
    personas: HashMap<PersonaName, PersonaEvents>,
}

/// What is known of a persona's events, which stand in the log of all.
#[derive(Default)]
struct PersonaEvents {
    /// The newest that is no longer there.
    lost: u64,
    /// The newest that nobody who comes late is told.
    forgotten: u64,
    listeners: watch::Sender<()>,
}

#[derive(Default)]
struct ChannelLog {
    log: Log,
    /// The newest event that nobody who comes late is told.
    forgotten: u64,
    /// Whether the room of the channel is live.
    live: bool,
    listeners: watch::Sender<()>,
    /// Those who hear no deltas.
    summary: watch::Sender<()>,
}

/// The newest events of something, in order.
#[derive(Default)]
struct Log {
    entries: VecDeque<Entry>,
    bytes: usize,
    /// The newest event that is no longer here.
    lost: u64,
    /// The newest of those that was no delta.
    lost_but_deltas: u64,
}

struct Bounds {
    events: usize,
    bytes: usize,
}

/// The bounds of the log of all events.
struct Limit(Bounds);

impl Default for Limit {
    fn default() -> Self {
        Self(ALL)
    }
}

#[derive(Clone)]
struct Entry {
    event: Arc<TurnEvent>,
    /// The turns whose messages are answered here: one, or those of a burst.
    turns: Arc<[TurnId]>,
    bytes: usize,
}

impl Entry {
    fn id(&self) -> u64 {
        self.event.id.0
    }

    fn is_delta(&self) -> bool {
        matches!(self.event.event, ChatEvent::TokenDelta { .. })
    }
}

impl Log {
    /// Adds an event; gives back those there is no room for any more.
    fn push(&mut self, entry: Entry, bounds: &Bounds) -> Vec<Entry> {
        self.bytes += entry.bytes;
        self.entries.push_back(entry);
        let mut gone = Vec::new();
        while self.entries.len() > bounds.events || self.bytes > bounds.bytes && self.entries.len() > 1 {
            gone.extend(self.pop());
        }
        gone
    }

    fn pop(&mut self) -> Option<Entry> {
        let oldest = self.entries.pop_front()?;
        self.bytes -= oldest.bytes;
        self.lost = oldest.id();
        if !oldest.is_delta() {
            self.lost_but_deltas = self.lost;
        }
        Some(oldest)
    }

    /// Takes out what is not to stay. The others keep their places.
    fn retain(&mut self, stays: impl Fn(&Entry) -> bool) -> VecDeque<Entry> {
        let (stay, gone): (VecDeque<Entry>, VecDeque<Entry>) = self.entries.drain(..).partition(stays);
        self.entries = stay;
        self.bytes -= gone.iter().map(|entry| entry.bytes).sum::<usize>();
        gone
    }

    /// The newest event there was.
    fn newest(&self) -> u64 {
        self.entries.back().map_or(self.lost, Entry::id)
    }

    /// The first event after a place that is wanted; moves the place to it, or to the end. `lost` is the
    /// newest wanted one that is no longer here.
    fn next(&self, place: &mut u64, lost: u64, wanted: impl Fn(&Entry) -> bool) -> Option<Heard> {
        if *place < lost {
            return Some(Heard::Lagged);
        }
        let from = self.entries.partition_point(|entry| entry.id() <= *place);
        for entry in self.entries.iter().skip(from) {
            *place = entry.id();
            if wanted(entry) {
                return Some(Heard::Event(entry.event.clone()));
            }
        }
        None
    }
}

impl Hub {
    /// A hub whose events take so many bytes together.
    pub(crate) fn new(bytes: usize) -> Self {
        let limit = Limit(Bounds { bytes, ..ALL });
        Self(Mutex::new(HubState { limit, ..HubState::default() }))
    }

    /// About how many bytes the events take.
    pub(crate) fn bytes(&self) -> usize {
        self.state().all.bytes
    }

    /// Lets go of the events of channels that are at rest and nobody listens to: whoever comes late to
    /// their personas reads the history.
    pub(crate) fn release(&self) {
        let mut state = self.state();
        let HubState { all, channels, personas, .. } = &mut *state;
        for gone in all.retain(|entry| channels.contains_key(&entry.event.channel)) {
            if let Some(persona) = personas.get_mut(&gone.event.persona) {
                persona.lost = persona.lost.max(gone.id());
            }
        }
    }

    /// Gives an event its id and lets everybody know who listens. `turns` are those it is for.
    ///
    /// `checked` is the newest erasure the turn was checked against, where the event tells of what it was shown. One
    /// that has followed a newer erasure publishes nothing: the turn is to be checked first (GR10).
    pub(crate) fn publish(
        &self,
        mut event: TurnEvent,
        turns: &Arc<[TurnId]>,
        checked: Option<i64>,
    ) -> Option<Arc<TurnEvent>> {
        let mut state = self.state();
        let state = &mut *state;
        if checked.is_some_and(|checked| checked < state.erased) {
            return None;
        }
        state.newest += 1;
        event.id = EventId(state.newest);
        let event = Arc::new(event);
        let bytes = size(&event.event);
        let entry = Entry { event: event.clone(), turns: turns.clone(), bytes };
        let channel = state.channel(&event.channel);
        channel.log.push(entry.clone(), &CHANNEL);
        wake(&channel.listeners);
        if !goes_on(&event.event) {
            wake(&channel.summary);
        }
        let kept = channel.live;
        for gone in state.all.push(entry, &state.limit.0) {
            state.drop_from_channel(&gone);
            if let Some(persona) = state.personas.get_mut(&gone.event.persona) {
                persona.lost = gone.id();
            }
        }
        if !kept {
            state.tidy(&event.channel, 0);
        }
        if let Some(persona) = state.personas.get(&event.persona) {
            wake(&persona.listeners);
        } else {
            state.personas.insert(event.persona.clone(), PersonaEvents::default());
        }
        Some(event)
    }

    /// Somebody listens from now on, or from the event after `after` on. A turn is heard from its
    /// beginning where no place is given.
    pub(crate) fn subscribe(self: &Arc<Self>, topic: Topic, after: Option<EventId>) -> Subscription {
        let mut state = self.state();
        let newest = state.newest;
        // behind this place everything can be told
        let (known, woken) = match &topic {
            Topic::Channel(channel) | Topic::Turn(channel, _) => {
                let ChannelLog { log, forgotten, listeners, .. } = state.channel(channel);
                (log.lost.max(*forgotten), listeners.subscribe())
            }
            Topic::Persona(persona) => {
                let persona = state.personas.entry(persona.clone()).or_default();
                let PersonaEvents { lost, forgotten, listeners } = persona;
                (*lost.max(forgotten), listeners.subscribe())
            }
        };
        let place = match (after, &topic) {
            (Some(EventId(after)), _) if (known..=newest).contains(&after) => Some(after),
            (None, Topic::Turn(channel, turn)) => {
                (state.is_whole(channel, *turn) != Some(false)).then_some(known)
            }
            (None, _) => Some(newest),
            _ => None,
        };
        drop(state);
        let (missed, place) = (place.is_none(), place.unwrap_or(newest));
        Subscription { hub: self.clone(), topic, place, missed, over: false, woken, deltas: true }
    }

    /// The newest event that was published.
    pub(crate) fn newest(&self) -> EventId {
        EventId(self.state().newest)
    }

    /// The newest erasure that was followed.
    pub(crate) fn erased(&self) -> i64 {
        self.state().erased
    }

    /// Whether a turn can be told from its beginning.
    pub(crate) fn knows(&self, channel: &ChannelKey, turn: TurnId) -> bool {
        self.state().is_whole(channel, turn) == Some(true)
    }

    /// The room of a channel is live: its events are kept.
    pub(crate) fn opened(&self, channel: &ChannelKey) {
        self.state().channel(channel).live = true;
    }

    /// The room is gone: its events are kept as long as somebody listens.
    pub(crate) fn closed(&self, channel: &ChannelKey) {
        let mut state = self.state();
        if let Some(log) = state.channels.get_mut(channel) {
            log.live = false;
        }
        state.tidy(channel, 0);
    }

    /// From now on nobody who comes late is told what happened in these channels so far; who comes with
    /// an old place reads the history. Whoever listens already hears the rest and is not cut. `erased` is the number
    /// of the erasure that is followed: turns that were checked against older ones alone are refused from now on.
    pub(crate) fn forget(&self, concerned: impl Fn(&ChannelKey) -> bool, erased: i64) {
        let mut state = self.state();
        state.erased = state.erased.max(erased);
        let HubState { all, channels, personas, .. } = &mut *state;
        for (_, channel) in channels.iter_mut().filter(|(key, _)| concerned(key)) {
            channel.forgotten = channel.log.newest().max(channel.forgotten);
        }
        for entry in all.entries.iter().filter(|entry| concerned(&entry.event.channel)) {
            if let Some(persona) = personas.get_mut(&entry.event.persona) {
                // an earlier erasure may have reached newer events of another channel
                persona.forgotten = entry.id().max(persona.forgotten);
            }
        }
    }

    fn next(&self, topic: &Topic, place: &mut u64, deltas: bool) -> Option<Heard> {
        let state = self.state();
        match topic {
            Topic::Channel(channel) | Topic::Turn(channel, _) => {
                let log = &state.channels.get(channel)?.log;
                let turn = if let Topic::Turn(_, turn) = topic { Some(turn) } else { None };
                let lost = if deltas { log.lost } else { log.lost_but_deltas };
                log.next(place, lost, |entry| {
                    (deltas || !entry.is_delta()) && turn.is_none_or(|turn| entry.turns.contains(turn))
                })
            }
            Topic::Persona(persona) => {
                let lost = state.personas.get(persona)?.lost;
                state.all.next(place, lost, |entry| &entry.event.persona == persona)
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, HubState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HubState {
    /// The log of a channel, made when it is first needed.
    fn channel(&mut self, channel: &ChannelKey) -> &mut ChannelLog {
        let lost = self.given_up;
        let log = || Log { lost, lost_but_deltas: lost, ..Log::default() };
        self.channels
            .entry(channel.clone())
            .or_insert_with(|| ChannelLog { log: log(), ..ChannelLog::default() })
    }

    /// Gives a log up that nobody needs: its room is gone and `but` listeners are left.
    fn tidy(&mut self, channel: &ChannelKey, but: usize) {
        let unneeded = |log: &ChannelLog| {
            !log.live && log.listeners.receiver_count() + log.summary.receiver_count() <= but
        };
        if self.channels.get(channel).is_some_and(unneeded)
            && let Some(ChannelLog { log, .. }) = self.channels.remove(channel)
        {
            self.given_up = self.given_up.max(log.newest());
        }
    }

    /// What leaves the log of all events leaves that of its channel.
    fn drop_from_channel(&mut self, gone: &Entry) {
        if let Some(channel) = self.channels.get_mut(&gone.event.channel)
            && channel.log.entries.front().is_some_and(|oldest| oldest.id() == gone.id())
        {
            channel.log.pop();
        }
    }

    /// Whether a turn can be told from its first event on; `None` where it has none that is known.
    fn is_whole(&self, channel: &ChannelKey, turn: TurnId) -> Option<bool> {
        let ChannelLog { log, forgotten, .. } = self.channels.get(channel)?;
        let first = log.entries.iter().find(|entry| entry.turns.contains(&turn))?;
        Some(first.id() > *forgotten && matches!(first.event.event, ChatEvent::TurnStarted { .. }))
    }
}

/// Somebody who listens; ends when it is dropped.
pub struct Subscription {
    hub: Arc<Hub>,
    topic: Topic,
    /// The last event that was looked at.
    place: u64,
    /// Something lies between the place that was asked for and this one.
    missed: bool,
    over: bool,
    woken: watch::Receiver<()>,
    deltas: bool,
}

impl Subscription {
    /// The same without deltas, of a channel or a turn: it is not woken for them and misses nothing by them,
    /// however many there are.
    #[must_use]
    pub fn without_deltas(mut self) -> Self {
        if let Topic::Channel(channel) | Topic::Turn(channel, _) = &self.topic {
            self.woken = self.hub.state().channel(channel).summary.subscribe();
            self.deltas = false;
        }
        self
    }

    /// What happens next; `None` at the end. May be dropped and asked again without a loss.
    pub async fn next(&mut self) -> Option<Heard> {
        if std::mem::take(&mut self.missed) {
            return Some(Heard::Missed);
        }
        while !self.over {
            let heard = self.hub.next(&self.topic, &mut self.place, self.deltas);
            self.over = match (&heard, &self.topic) {
                (Some(Heard::Lagged), _) => true,
                (Some(Heard::Event(event)), Topic::Turn(..)) => event.event.is_last(),
                _ => false,
            };
            if heard.is_some() {
                return heard;
            }
            self.over = self.woken.changed().await.is_err();
        }
        None
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Topic::Channel(channel) | Topic::Turn(channel, _) = &self.topic {
            // this one is still counted
            self.hub.state().tidy(channel, 1);
        }
    }
}

/// Wakes whoever listens. Who comes later looks before it waits.
fn wake(listeners: &watch::Sender<()>) {
    if listeners.receiver_count() > 0 {
        listeners.send_replace(());
    }
}

/// Whether another event follows at once, most often: whoever hears no deltas hears both then.
fn goes_on(event: &ChatEvent) -> bool {
    matches!(
        event,
        ChatEvent::TurnStarted { .. } | ChatEvent::MemoryContext { .. } | ChatEvent::TokenDelta { .. }
    )
}

/// About what an event takes, in bytes.
fn size(event: &ChatEvent) -> usize {
    /// What every event takes, and every part of a list.
    const EACH: usize = 128;
    let texts = match event {
        ChatEvent::TurnStarted { model, why, .. } => model.len() + why.len(),
        ChatEvent::MemoryContext { memories } => {
            memories.iter().map(|memory| EACH + memory.text.len() + memory.source.len()).sum()
        }
        // once as it is and once as the JSON it is told in
        ChatEvent::ContextAssembled { receipt } => {
            receipt.items.iter().map(|item| 2 * (EACH + item.preview.len() + item.reason.len())).sum()
        }
        ChatEvent::TokenDelta { text } | ChatEvent::Done { text, .. } | ChatEvent::Cancelled { text } => {
            text.len()
        }
        ChatEvent::ReplyDiscarded { reason } => reason.len(),
        ChatEvent::ToolCall { arguments, .. } => arguments.to_string().len(),
        ChatEvent::ToolResult { content, .. } => content.len(),
        ChatEvent::Notice { message, .. } | ChatEvent::Failed { message, .. } => message.len(),
    };
    2 * EACH + texts
}

#[cfg(test)]
mod tests;
