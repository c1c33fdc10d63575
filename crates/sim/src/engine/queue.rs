//! Holds the unfinished events and decides which of them may begin (SM7).
//!
//! Each place has a queue: the events planned for it, and the next event of each agent there. An event may begin when
//! it is first in the queues of all places that it concerns. So finishing an event costs a check of its own places
//! only, however many places and events exist.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::{Action, Key};

/// The unfinished events.
pub(super) struct Queue {
    pending: BTreeMap<Key, Action>,
    /// The running events, each with the places that it concerns.
    running: BTreeMap<Key, Vec<usize>>,
    places: Vec<BTreeSet<Key>>,
    /// The moves and probes of each agent.
    agents: Vec<BTreeSet<Key>>,
    /// The place of each agent.
    location: Vec<usize>,
    /// The requests to the world process, which concern every place.
    world: BTreeSet<Key>,
    /// The places whose first event may have become ready.
    changed: BTreeSet<usize>,
}

impl Queue {
    /// A queue of these events. `location`: the place of each agent.
    pub(super) fn new(events: BTreeMap<Key, Action>, location: Vec<usize>, places: usize) -> Self {
        let mut queue = Self {
            pending: BTreeMap::new(),
            running: BTreeMap::new(),
            places: vec![BTreeSet::new(); places],
            agents: vec![BTreeSet::new(); location.len()],
            location,
            world: BTreeSet::new(),
            changed: (0..places).collect(),
        };
        for (key, action) in &events {
            match action {
                Action::Say { place, .. } | Action::Meet { place, .. } => {
                    _ = queue.places[*place].insert(*key)
                }
                Action::Move { agent, to, .. } => {
                    queue.places[*to].insert(*key);
                    queue.agents[*agent].insert(*key);
                }
                Action::Probe { agent, .. } => _ = queue.agents[*agent].insert(*key),
                Action::World => _ = queue.world.insert(*key),
            }
        }
        for agent in 0..queue.agents.len() {
            queue.enqueue_next_of(agent);
        }
        queue.pending = events;
        queue
    }

    /// The place of an agent.
    pub(super) fn location(&self, agent: usize) -> usize {
        self.location[agent]
    }

    /// The places of all agents.
    pub(super) fn locations(&self) -> &[usize] {
        &self.location
    }

    /// The first event that has not finished.
    pub(super) fn first(&self) -> Option<Key> {
        self.first_pending().into_iter().chain(self.running.keys().next().copied()).min()
    }

    /// The first event that has not begun.
    pub(super) fn first_pending(&self) -> Option<Key> {
        self.pending.keys().next().copied()
    }

    /// How many events are running.
    pub(super) fn running(&self) -> usize {
        self.running.len()
    }

    /// The places that an event concerns. It waits for every earlier event that concerns one of them.
    fn places_of(&self, action: &Action) -> Vec<usize> {
        match action {
            Action::Say { place, .. } | Action::Meet { place, .. } => vec![*place],
            Action::Move { agent, to, .. } if self.location[*agent] == *to => vec![*to],
            Action::Move { agent, to, .. } => vec![self.location[*agent], *to],
            Action::Probe { agent, .. } => vec![self.location[*agent]],
            Action::World => (0..self.places.len()).collect(),
        }
    }

    /// The events that may begin now and that `permits` allows. Refused events are checked again at the next call.
    pub(super) fn ready(&mut self, permits: impl Fn(Key) -> bool) -> Vec<Key> {
        // by time, so that limits favour the earliest events
        let mut first: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for place in std::mem::take(&mut self.changed) {
            let Some(key) = self.places[place].first().copied() else { continue };
            let Some(action) = self.pending.get(&key).filter(|action| self.is_first(key, action)) else {
                continue;
            };
            debug_assert!(!matches!(action, Action::World));
            first.entry(key).or_default().push(place);
        }
        let mut ready = BTreeSet::new();
        for (key, places) in first {
            match permits(key) {
                true => _ = ready.insert(key),
                false => self.changed.extend(places),
            }
        }
        let world = self.world.first().copied().filter(|key| self.pending.contains_key(key));
        ready.extend(world.filter(|key| self.is_first(*key, &Action::World) && permits(*key)));
        ready.into_iter().collect()
    }

    fn is_first(&self, key: Key, action: &Action) -> bool {
        let is_first_in = |queue: &BTreeSet<Key>| queue.first().is_none_or(|first| *first >= key);
        let before_world = is_first_in(&self.world);
        match action {
            Action::World => before_world && self.places.iter().all(is_first_in),
            _ => {
                before_world
                    && self.places_of(action).into_iter().all(|place| is_first_in(&self.places[place]))
            }
        }
    }

    /// Begins an event. Returns its action and its places, sorted.
    pub(super) fn begin(&mut self, key: Key) -> Option<(Action, Vec<usize>)> {
        let action = self.pending.remove(&key)?;
        let mut places = self.places_of(&action);
        places.sort_unstable();
        self.running.insert(key, places.clone());
        Some((action, places))
    }

    /// Removes a finished event. `agent`: the agent of the event. `moved`: the agents that changed places, with the new
    /// place.
    pub(super) fn finish(&mut self, key: Key, agent: Option<usize>, moved: &[(usize, usize)]) {
        let places = self.running.remove(&key).unwrap_or_default();
        for place in &places {
            self.places[*place].remove(&key);
        }
        self.changed.extend(places);
        self.world.remove(&key);
        if let Some(agent) = agent {
            self.agents[agent].remove(&key);
        }
        for (agent, to) in moved {
            let from = std::mem::replace(&mut self.location[*agent], *to);
            // a move is in the queue of its target place, whether or not the agent is there
            if let Some(next) = self.agents[*agent].first().filter(|next| next.place != from) {
                self.places[from].remove(next);
            }
            self.enqueue_next_of(*agent);
            self.changed.extend([from, *to]);
        }
        if let Some(agent) = agent {
            self.enqueue_next_of(agent);
        }
    }

    /// Puts the next event of an agent into the queue of its place.
    fn enqueue_next_of(&mut self, agent: usize) {
        if let Some(next) = self.agents[agent].first() {
            self.places[self.location[agent]].insert(*next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{below, draw};

    /// Random events of seven agents in five places. Some concern two places, and some all.
    fn events(seed: u64) -> BTreeMap<Key, Action> {
        let mut events = BTreeMap::new();
        for n in 0..200 {
            let pick = |what, end| below(draw(seed, n, what), end);
            let (place, agent) = (pick(1, 5), pick(2, 7));
            let (at, action) = match pick(3, 20) {
                0 => (5, Action::World),
                1..6 => (place, Action::Move { agent, to: place, step: n as usize }),
                6..8 => (6, Action::Probe { agent, probe: n as usize }),
                _ => (place, Action::Meet { place, encounter: n as usize }),
            };
            events.insert(Key::of(pick(4, 40) as i64, at, &action), action);
        }
        events
    }

    /// A direct implementation of the rule: an event waits for every earlier one that concerns one of its places.
    fn scan(queue: &Queue) -> Vec<Key> {
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        let mut running: Vec<_> = queue.running.iter().collect();
        let mut ready = Vec::new();
        for (key, action) in &queue.pending {
            while running.first().is_some_and(|(first, _)| *first < key) {
                taken.extend(running.remove(0).1);
            }
            let places = queue.places_of(action);
            let is_free = !places.iter().any(|place| {
                taken.contains(place) || running.iter().any(|(_, others)| others.contains(place))
            });
            if is_free {
                ready.push(*key);
            }
            taken.extend(places);
        }
        ready
    }

    #[test]
    fn sm7_the_queue_finds_the_events_that_a_scan_of_all_finds() {
        for seed in 0..50 {
            let mut queue = Queue::new(events(seed), vec![0, 1, 2, 3, 4, 0, 1], 5);
            let mut running: Vec<(Key, Action)> = Vec::new();
            let (mut step, mut begun) = (0, 0);
            while queue.first().is_some() {
                let expected = scan(&queue);
                let found = queue.ready(|_| true);
                assert_eq!(found, expected, "seed {seed}, after {begun} events");
                for key in found {
                    running.push((key, queue.begin(key).unwrap().0));
                    begun += 1;
                }
                step += 1;
                let (key, action) = running.remove(below(draw(seed, step, 9), running.len()));
                let (agent, moved) = match action {
                    Action::Move { agent, to, .. } if !draw(seed, step, 10).is_multiple_of(4) => {
                        (Some(agent), vec![(agent, to)])
                    }
                    Action::Move { agent, .. } | Action::Probe { agent, .. } => (Some(agent), Vec::new()),
                    Action::World => {
                        (None, vec![(below(draw(seed, step, 11), 7), below(draw(seed, step, 12), 5))])
                    }
                    _ => (None, Vec::new()),
                };
                queue.finish(key, agent, &moved);
            }
            assert_eq!(begun, queue_length(seed));
        }
    }

    fn queue_length(seed: u64) -> usize {
        events(seed).len()
    }

    #[test]
    fn sm7_an_event_that_is_held_back_is_found_later() {
        let mut queue = Queue::new(events(1), vec![0; 7], 5);
        let all = scan(&queue);
        assert_eq!(queue.ready(|_| false), []);
        assert_eq!(queue.ready(|_| true), all);
    }
}
