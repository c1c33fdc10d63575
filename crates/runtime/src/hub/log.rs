//! The logs of the hub: the newest events of a topic, in order and bounded.

use std::{collections::VecDeque, sync::Arc};

use greenroom_core::{ChannelKey, ChatEvent, TurnEvent, TurnId};
use tokio::sync::watch;

/// The most that a log may hold.
pub(super) struct Bounds {
    pub(super) events: usize,
    pub(super) bytes: usize,
}

/// The log that holds an event. A turn that is not stored has no channel and gets its own log, so that many such turns
/// at once do not displace each other's events.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum LogKey {
    Channel(ChannelKey),
    Turn(TurnId),
}

impl LogKey {
    pub(super) fn new(channel: &ChannelKey, turn: TurnId) -> Self {
        if channel.is_nowhere() { Self::Turn(turn) } else { Self::Channel(channel.clone()) }
    }

    pub(super) fn of(event: &TurnEvent) -> Self {
        Self::new(&event.channel, event.turn_id)
    }
}

/// The log of a channel or a turn, and its listeners.
#[derive(Default)]
pub(super) struct TopicLog {
    pub(super) log: Log,
    /// The newest event that later listeners do not get (GR10).
    pub(super) hidden_up_to: u64,
    /// Whether the room of the channel is live.
    pub(super) live: bool,
    pub(super) listeners: Listeners,
    /// The listeners that want no deltas.
    pub(super) result_listeners: Listeners,
}

/// The waiting listeners of a log. Created with the first and dropped with the last, because most live channels have
/// none.
#[derive(Default)]
pub(super) struct Listeners(Option<watch::Sender<()>>);

impl Listeners {
    pub(super) fn add(&mut self) -> watch::Receiver<()> {
        self.0.get_or_insert_default().subscribe()
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn count(&self) -> usize {
        self.0.as_ref().map_or(0, watch::Sender::receiver_count)
    }

    /// Wakes the listeners. Later listeners look at the log before they wait.
    pub(super) fn wake(&self) {
        if let Some(listeners) = self.0.as_ref().filter(|listeners| listeners.receiver_count() > 0) {
            listeners.send_replace(());
        }
    }
}

impl TopicLog {
    /// An empty log whose events begin after this one.
    pub(super) fn after(newest_dropped: u64) -> Self {
        Self {
            log: Log { newest_dropped, newest_dropped_result: newest_dropped, ..Log::default() },
            ..Self::default()
        }
    }

    /// Whether the log is still needed after `leaving` listeners left: by its room or by other listeners.
    pub(super) fn is_needed(&self, leaving: usize) -> bool {
        self.live || self.listened(leaving)
    }

    /// Whether more than `leaving` listeners exist.
    fn listened(&self, leaving: usize) -> bool {
        self.listeners.count() + self.result_listeners.count() > leaving
    }

    /// `leaving` listeners are about to be dropped. If no others exist, frees what was kept for them.
    pub(super) fn left(&mut self, leaving: usize) {
        if !self.listened(leaving) {
            (self.listeners, self.result_listeners) = Default::default();
        }
    }

    /// The newest event that a new listener does not get.
    pub(super) fn newest_unavailable(&self) -> u64 {
        self.log.newest_dropped.max(self.hidden_up_to)
    }

    /// The oldest event of a turn that is still kept.
    pub(super) fn first_of(&self, turn: TurnId) -> Option<&Entry> {
        self.log.entries.iter().find(|entry| entry.turns.contains(&turn))
    }

    /// Whether all events of a turn are kept, from the first; `None` if none of them is.
    pub(super) fn holds_whole(&self, turn: TurnId) -> Option<bool> {
        let first = self.first_of(turn)?;
        Some(first.id() > self.hidden_up_to && matches!(first.event.event, ChatEvent::TurnStarted { .. }))
    }
}

/// The newest events of a topic.
#[derive(Default)]
pub(super) struct Log {
    pub(super) entries: VecDeque<Entry>,
    pub(super) bytes: usize,
    /// The newest event that was dropped.
    pub(super) newest_dropped: u64,
    /// The newest dropped event that was not a delta.
    pub(super) newest_dropped_result: u64,
}

#[derive(Clone)]
pub(super) struct Entry {
    pub(super) event: Arc<TurnEvent>,
    /// The turns of the answered messages: one, or those of a burst.
    pub(super) turns: Arc<[TurnId]>,
    pub(super) bytes: usize,
}

impl Entry {
    pub(super) fn id(&self) -> u64 {
        self.event.id.0
    }

    pub(super) fn is_delta(&self) -> bool {
        matches!(self.event.event, ChatEvent::TokenDelta { .. })
    }
}

/// The next event for a listener.
pub(super) enum Next {
    Event(Arc<TurnEvent>),
    /// Events after the position were dropped.
    Lagged,
}

impl Log {
    /// Adds an event. Returns the oldest events, which were dropped to stay within the bounds.
    pub(super) fn push(&mut self, entry: Entry, bounds: &Bounds) -> Vec<Entry> {
        self.bytes += entry.bytes;
        self.entries.push_back(entry);
        let mut gone = Vec::new();
        while self.entries.len() > bounds.events || self.bytes > bounds.bytes && self.entries.len() > 1 {
            gone.extend(self.pop());
        }
        gone
    }

    /// Removes the oldest event.
    pub(super) fn pop(&mut self) -> Option<Entry> {
        let oldest = self.entries.pop_front()?;
        self.bytes -= oldest.bytes;
        self.newest_dropped = oldest.id();
        if !oldest.is_delta() {
            self.newest_dropped_result = self.newest_dropped;
        }
        Some(oldest)
    }

    /// Removes and returns the events for which `stays` is false. The others keep their order.
    pub(super) fn retain(&mut self, stays: impl Fn(&Entry) -> bool) -> VecDeque<Entry> {
        let (stay, gone): (VecDeque<Entry>, VecDeque<Entry>) = self.entries.drain(..).partition(stays);
        self.entries = stay;
        self.bytes -= gone.iter().map(|entry| entry.bytes).sum::<usize>();
        gone
    }

    /// The newest event, also if it was dropped.
    pub(super) fn newest(&self) -> u64 {
        self.entries.back().map_or(self.newest_dropped, Entry::id)
    }

    /// The first wanted event after a position. Moves the position to it, or to the end. `newest_dropped` is the newest
    /// wanted event that was dropped.
    pub(super) fn next(
        &self,
        position: &mut u64,
        newest_dropped: u64,
        wanted: impl Fn(&Entry) -> bool,
    ) -> Option<Next> {
        if *position < newest_dropped {
            return Some(Next::Lagged);
        }
        let from = self.entries.partition_point(|entry| entry.id() <= *position);
        for entry in self.entries.iter().skip(from) {
            *position = entry.id();
            if wanted(entry) {
                return Some(Next::Event(entry.event.clone()));
            }
        }
        None
    }
}

/// The approximate size of an event in bytes.
pub(super) fn size(event: &ChatEvent) -> usize {
    /// The overhead of every event, and of every part of a list.
    const EACH: usize = 128;
    let texts = match event {
        ChatEvent::TurnStarted { model, why, .. } => model.len() + why.len(),
        ChatEvent::MemoryContext { memories } => {
            memories.iter().map(|memory| EACH + memory.text.len() + memory.source.len()).sum()
        }
        // counted twice: as a value and as the JSON that listeners get
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
