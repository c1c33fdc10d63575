//! Compares groups of every kind of write, with repeats among them, with a simple model (GR6).
//!
//! The writes of a group run concurrently, so that a store may put them into one transaction. A repeat must be reported
//! as a repeat whatever precedes it in the transaction, and nothing may refer to a message of another channel.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use futures::future::{join, join_all};
use greenroom_core::{MemoryId, Message, MessageId, Relation, RelationKind, Scope, Source, Trust, TurnId};
use proptest::{
    collection::vec,
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use super::given::*;
use crate::{
    Departure, Embedded, Erase, HistorySummary, ItemId, JoinReason, MemoryEdit, NewMemory, NewTurn,
    NewVector, Plan, Quotes, Sources, Store, StoreError, TurnCommit, TurnEnd, TurnState,
};

const CHANNELS: [&str; 5] = ["api:one", "api:one:thread", "discord:two", "terminal:default", "api:three"];
const PERSONAS: [&str; 3] = ["ada", "kit", "vesper"];

/// One write. The numbers choose among the existing items.
#[derive(Debug, Clone)]
enum Write {
    /// Channel and event; a repeat if the event was used before.
    Accept(usize, usize),
    /// The same, with turns for a number of personas, and everything else that a plan may contain.
    Planned(usize, usize, usize, usize),
    /// A turn for a stored message.
    Plan(usize, usize),
    Commit(usize),
    Fail(usize),
    Remember(usize),
    Edit(usize),
    Forget(usize),
    Relate(usize),
    Embed(usize),
    PassOver(usize),
    Summarise(usize),
    Presence(usize, bool),
    Reset(usize),
    SetAside(usize),
    Sweep,
}

fn write() -> impl Strategy<Value = Write> {
    let n = || 0..1_000usize;
    prop_oneof![
        8 => (0..5usize, 0..40usize).prop_map(|(c, e)| Write::Accept(c, e)),
        12 => (0..5usize, 0..40usize, 0..4usize, n()).prop_map(|(c, e, t, n)| Write::Planned(c, e, t, n)),
        2 => (n(), 0..3usize).prop_map(|(m, p)| Write::Plan(m, p)),
        8 => n().prop_map(Write::Commit),
        2 => n().prop_map(Write::Fail),
        6 => n().prop_map(Write::Remember),
        1 => n().prop_map(Write::Edit),
        1 => n().prop_map(Write::Forget),
        1 => n().prop_map(Write::Relate),
        2 => n().prop_map(Write::Embed),
        1 => n().prop_map(Write::PassOver),
        1 => n().prop_map(Write::Summarise),
        1 => (n(), any::<bool>()).prop_map(|(n, joins)| Write::Presence(n, joins)),
        1 => n().prop_map(Write::Reset),
        1 => n().prop_map(Write::SetAside),
        1 => Just(Write::Sweep),
    ]
}

/// The result of a write, as far as the model follows it.
enum Outcome {
    Accepted { key: (usize, usize), message: Message, duplicate: bool, turns: Vec<NewTurn> },
    Planned(NewTurn, MessageId, bool),
    Ended { turn: TurnId, reply: Option<MessageId>, done: bool },
    Remembered(MemoryId),
    Nothing,
}

#[derive(Debug)]
struct Planned {
    persona: String,
    trigger: MessageId,
    state: TurnState,
    reply: Option<MessageId>,
}

/// The expected content of the store.
#[derive(Default)]
struct Model {
    /// The message of each event.
    events: HashMap<(usize, usize), MessageId>,
    /// The channel and the text of each message.
    messages: BTreeMap<MessageId, (usize, String)>,
    turns: BTreeMap<TurnId, Planned>,
    memories: Vec<MemoryId>,
    ids: HashSet<MessageId>,
    /// The number of replies that were ever stored.
    replies: usize,
}

impl Model {
    fn message(&self, n: usize) -> Option<MessageId> {
        self.messages.keys().nth(n % self.messages.len().max(1)).copied()
    }

    /// A message of a person.
    fn heard(&self, n: usize) -> Option<MessageId> {
        let heard: BTreeSet<_> = self.events.values().collect();
        heard.into_iter().nth(n % self.events.len().max(1)).copied()
    }

    /// One of the newest turns, including ended ones.
    fn turn(&self, n: usize) -> Option<TurnId> {
        let of = |open: bool| self.turns.iter().filter(move |(_, turn)| is_open(turn.state) == open);
        let turns: Vec<_> = of(true).chain(of(false).take(3)).collect();
        turns.get(n % turns.len().max(1)).map(|(id, _)| **id)
    }

    async fn act(&self, store: &dyn Store, write: &Write) -> Outcome {
        let space = space("m@1", 2);
        let embedded = |n: usize| Embedded { space: space.clone(), vector: vec![1.0, n as f32] };
        match *write {
            Write::Accept(channel, event) => {
                let text = format!("event {event} of {channel}");
                let new = said(CHANNELS[channel], &event.to_string(), &text, NOW);
                let accepted = store.accept(new).await.unwrap();
                let (message, duplicate) = (accepted.message, accepted.duplicate);
                Outcome::Accepted { key: (channel, event), message, duplicate, turns: Vec::new() }
            }
            Write::Planned(channel, event, personas, n) => {
                let text = format!("event {event} of {channel}");
                let new = said(CHANNELS[channel], &event.to_string(), &text, NOW);
                let turns: Vec<_> = PERSONAS[..personas].iter().map(|name| planned(name)).collect();
                let plan = Plan {
                    turns: turns.clone(),
                    vector: (n.is_multiple_of(2)).then(|| embedded(n)),
                    joins: if n.is_multiple_of(3) {
                        vec![(persona("vesper"), JoinReason::File)]
                    } else {
                        Vec::new()
                    },
                    leaves: if n.is_multiple_of(5) {
                        vec![(persona("ada"), Departure::Left)]
                    } else {
                        Vec::new()
                    },
                    without_memory: n.is_multiple_of(7),
                    group: n.is_multiple_of(11),
                    ..Plan::default()
                };
                let accepted = store.accept_planned(new, plan).await.unwrap();
                let (message, duplicate) = (accepted.message, accepted.duplicate);
                Outcome::Accepted { key: (channel, event), message, duplicate, turns }
            }
            Write::Plan(n, who) => {
                let Some(message) = self.heard(n) else { return Outcome::Nothing };
                let turn = planned(PERSONAS[who]);
                let added = store.plan_turns(message, vec![turn.clone()].into()).await;
                assert!(matches!(added, Ok(()) | Err(StoreError::AlreadyAnswered { .. })), "{added:?}");
                Outcome::Planned(turn, message, added.is_ok())
            }
            Write::Commit(n) => {
                let Some(turn) = self.turn(n) else { return Outcome::Nothing };
                let vector = (n.is_multiple_of(2)).then(|| embedded(n));
                let commit = TurnCommit { vector, ..reply(&format!("reply of {turn}")) };
                let committed = store.commit_turn(turn, commit).await;
                assert!(matches!(committed, Ok(_) | Err(StoreError::TurnMoved { .. })), "{committed:?}");
                let done = committed.is_ok();
                Outcome::Ended { turn, reply: committed.ok(), done }
            }
            Write::Fail(n) => {
                let Some(turn) = self.turn(n) else { return Outcome::Nothing };
                let (state, usage) = (TurnState::Failed, reply("").usage);
                let end = TurnEnd { state, code: None, message: "no".into(), at: later(1), usage };
                let ended = store.end_turn(turn, end).await;
                assert!(matches!(ended, Ok(()) | Err(StoreError::TurnMoved { .. })), "{ended:?}");
                Outcome::Ended { turn, reply: None, done: ended.is_ok() }
            }
            Write::Remember(n) => {
                let message = self.message(n).filter(|_| n.is_multiple_of(2));
                let new = NewMemory {
                    key: (n.is_multiple_of(3)).then(|| format!("key_{}", n % 7)),
                    expires_at: (n.is_multiple_of(4)).then(|| later(60)),
                    source: Source { via: "asked".into(), message, user: None },
                    ..statement("ada", Scope::Global, &format!("box {n} is red"))
                };
                Outcome::Remembered(store.remember(new).await.unwrap().id)
            }
            _ => {
                self.act_aside(store, write).await;
                Outcome::Nothing
            }
        }
    }

    /// Makes the writes that the model does not follow: they must not disturb the others.
    async fn act_aside(&self, store: &dyn Store, write: &Write) {
        let space = space("m@1", 2);
        let memory = |n: usize| self.memories.get(n % self.memories.len().max(1)).copied();
        let there = |n: usize| channel(CHANNELS[n % CHANNELS.len()]);
        match *write {
            Write::Edit(n) => {
                let text = Some(format!("box {n} is blue"));
                let edit = MemoryEdit {
                    text,
                    kind: None,
                    expires_at: None,
                    private: None,
                    trust: Trust::Operator,
                    at: later(1),
                };
                if let Some(id) = memory(n) {
                    store.edit(&ada(), id, edit).await.unwrap();
                }
            }
            Write::Forget(n) => {
                if let Some(id) = memory(n) {
                    store.forget(&ada(), id).await.unwrap();
                }
            }
            Write::Relate(n) => {
                if let (Some(from), Some(to)) = (memory(n), memory(n / 3)) {
                    let _ = store.relate(&ada(), Relation { from, to, kind: RelationKind::Supersedes }).await;
                }
            }
            Write::Embed(n) => {
                let item = self.message(n).map_or(ItemId::Message(MessageId(1)), ItemId::Message);
                let new = NewVector { item, version: 1, vector: vec![n as f32, 1.0] };
                store.put_vectors(&space, vec![new]).await.unwrap();
            }
            Write::PassOver(n) => {
                let item = memory(n).map_or(ItemId::Message(MessageId(1)), ItemId::Memory);
                store.pass_over(&space, vec![(item, 1)]).await.unwrap();
            }
            Write::Summarise(n) => {
                let until = self.message(n).unwrap_or(MessageId(1));
                let summary = HistorySummary { until, text: format!("summary {n}"), at: NOW };
                store.put_summary(&persona("ada"), &there(n), summary, Sources::default()).await.unwrap();
            }
            Write::Presence(n, joins) => {
                let (who, from) = (persona(PERSONAS[n % 3]), self.message(n).unwrap_or(MessageId(1)));
                match joins {
                    true => store.enter(&who, &there(n), from).await.unwrap(),
                    false => store.leave(&who, &there(n), from).await.unwrap(),
                }
            }
            Write::Reset(n) => {
                let after = self.message(n).unwrap_or(MessageId(1));
                store.reset_context(&persona("ada"), &there(n), after).await.unwrap();
            }
            Write::SetAside(n) => {
                if let Some(message) = self.heard(n) {
                    store.set_aside(message).await.unwrap();
                }
            }
            Write::Sweep => drop(store.sweep(later(61)).await.unwrap()),
            _ => {}
        }
    }

    /// Applies the results of a group; each must be possible for some order of its writes.
    fn take(&mut self, outcomes: Vec<Outcome>) {
        let before: HashSet<(usize, usize)> = self.events.keys().copied().collect();
        let mut fresh: HashMap<(usize, usize), usize> = HashMap::new();
        for outcome in outcomes {
            match outcome {
                Outcome::Accepted { key, message, duplicate, turns } => {
                    let known = *self.events.entry(key).or_insert(message.id);
                    assert_eq!(message.id, known, "a repeat of {key:?} is the message it repeats");
                    assert_eq!(message.channel, channel(CHANNELS[key.0]));
                    assert_eq!(message.event_id, key.1.to_string());
                    *fresh.entry(key).or_default() += usize::from(!duplicate);
                    assert!(duplicate || !before.contains(&key), "{key:?} was taken for a new message");
                    self.messages.insert(message.id, (key.0, message.text));
                    if !duplicate {
                        assert!(self.ids.insert(message.id), "an id is used once");
                        turns.into_iter().for_each(|turn| self.plan(turn, message.id));
                    }
                }
                Outcome::Planned(turn, trigger, true) => self.plan(turn, trigger),
                Outcome::Ended { turn, reply, done: true } => {
                    let planned = self.turns.get_mut(&turn).unwrap();
                    assert!(is_open(planned.state), "a turn ends once");
                    planned.state = if reply.is_some() { TurnState::Done } else { TurnState::Failed };
                    planned.reply = reply;
                    let channel = self.messages[&planned.trigger].0;
                    if let Some(reply) = reply {
                        assert!(self.ids.insert(reply), "an id is used once");
                        self.replies += 1;
                        self.messages.insert(reply, (channel, format!("reply of {turn}")));
                    }
                }
                Outcome::Remembered(id) => self.memories.push(id),
                _ => {}
            }
        }
        for (key, times) in fresh {
            assert_eq!(times, usize::from(!before.contains(&key)), "{key:?} is new once");
        }
    }

    fn plan(&mut self, turn: NewTurn, trigger: MessageId) {
        let (persona, state) = (turn.persona.to_string(), TurnState::Waiting);
        self.turns.insert(turn.id, Planned { persona, trigger, state, reply: None });
    }

    /// Erases a channel with everything that depends on its messages.
    fn erase(&mut self, channel: usize) {
        self.events.retain(|(at, _), _| *at != channel);
        let gone: BTreeSet<_> =
            self.messages.iter().filter(|(_, (at, _))| *at == channel).map(|(id, _)| *id).collect();
        self.messages.retain(|id, _| !gone.contains(id));
        self.turns.retain(|_, turn| !gone.contains(&turn.trigger));
    }

    /// Asserts that the store contains what the model contains, and that nothing refers to another channel.
    async fn compare(&self, store: &dyn Store) {
        for (n, key) in CHANNELS.iter().enumerate() {
            let stored = store.history(&channel(key), None, usize::MAX).await.unwrap();
            let stored: Vec<_> = stored.into_iter().map(|message| (message.id, message.text)).collect();
            let here = self.messages.iter().filter(|(_, (at, _))| *at == n);
            assert_eq!(stored, here.map(|(id, (_, text))| (*id, text.clone())).collect::<Vec<_>>(), "{key}");
        }
        for message in self.events.values() {
            let mut replied = HashSet::new();
            for turn in store.answers(*message).await.unwrap() {
                let planned = &self.turns[&turn.id];
                assert_eq!(
                    (turn.trigger, turn.persona.as_str()),
                    (planned.trigger, planned.persona.as_str())
                );
                assert_eq!(turn.channel, channel(CHANNELS[self.messages[message].0]));
                assert!(turn.reply.is_none() || replied.insert(turn.persona), "one reply a persona");
            }
        }
        let mut answers = HashSet::new();
        for (id, planned) in &self.turns {
            let turn = store.turn(*id).await.unwrap().unwrap();
            assert_eq!(
                (turn.state, turn.reply, turn.trigger),
                (planned.state, planned.reply, planned.trigger)
            );
            let lives = planned.state != TurnState::Failed;
            assert!(!lives || answers.insert((planned.trigger, &planned.persona)), "one live turn a persona");
        }
        let open: BTreeSet<_> = store
            .unfinished(None)
            .await
            .unwrap()
            .into_iter()
            .filter_map(|left| left.turn)
            .map(|(id, _)| id)
            .collect();
        let expected = self.turns.iter().filter(|(_, turn)| is_open(turn.state)).map(|(id, _)| *id);
        assert_eq!(open, expected.collect());
        assert_eq!(store.stray_turns().await.unwrap(), []);
    }
}

fn is_open(state: TurnState) -> bool {
    matches!(state, TurnState::Waiting | TurnState::Running)
}

/// Groups of every kind of write in random order: the answers and the stored content equal those of a simple model.
pub async fn gr6_repeats_among_every_kind_of_write_are_told_as_repeats(store: &dyn Store) {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[14; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let groups = vec(vec(write(), 1..24), 60).new_tree(&mut runner).unwrap().current();
    let mut model = Model::default();
    for (n, group) in groups.iter().enumerate() {
        let outcomes = join_all(group.iter().map(|write| model.act(store, write))).await;
        model.take(outcomes);
        if n % 15 == 14 {
            let erased = n / 15 % CHANNELS.len();
            store.erase(&Erase::Channel(channel(CHANNELS[erased])), Quotes::Stay).await.unwrap();
            model.erase(erased);
        }
        if n % 10 == 9 {
            model.compare(store).await;
        }
    }
    assert!(model.replies > 50, "{}", model.replies);
}

/// People say "Remember …", which writes memories, while others repeat earlier messages. A repeat is never taken for a
/// new message, and is reported in its own channel (finding A1).
pub async fn gr6_a_repeat_beside_memories_is_a_repeat(store: &dyn Store) {
    let mut first = Vec::new();
    for n in 0..8 {
        let new = said(&format!("api:v{n}"), "once", &format!("my pin is {n}"), NOW);
        first.push(store.accept_planned(new, vec![planned("ada")].into()).await.unwrap().message);
    }
    for round in 0..40 {
        let remember = (0..8).map(|n| async move {
            let (event, text) = (format!("{n}-{round}"), format!("Remember that box {n}-{round} is red"));
            let accepted = store.accept(said(&format!("api:r{n}"), &event, &text, NOW)).await.unwrap();
            let source = Source { via: "asked".into(), message: Some(accepted.message.id), user: None };
            let new = NewMemory { source, ..statement("ada", Scope::Global, &text) };
            store.remember(new).await.unwrap();
        });
        let repeat = first.iter().map(|known| async move {
            let again = said(known.channel.as_str(), "once", "my pin is another", NOW);
            let again = store.accept_planned(again, vec![planned("kit")].into()).await.unwrap();
            assert!(again.duplicate, "round {round}");
            assert_eq!(again.message, *known);
        });
        join(join_all(remember), join_all(repeat)).await;
    }
    for known in &first {
        let turns = store.answers(known.id).await.unwrap();
        assert_eq!(turns.len(), 1, "nobody but Ada was asked to answer");
    }
}
