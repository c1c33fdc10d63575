//! What a store holds in memory says the same as the file, whoever writes there.
//!
//! Two stores on one file: one writes and reads what it holds, the other reads the file. They must agree
//! after everything that can happen.

use std::collections::BTreeMap;

use greenroom_core::{
    Author, ChannelKey, MemoryId, Message, MessageId, PersonaName, Relation, RelationKind, Scope, Timestamp,
    Trust, TurnId, Usage, Viewer,
};
use greenroom_store::{
    AskedPast, Changes, Embedded, Entry, Erase, HistorySummary, ItemId, MemoryEdit, NewMemory, NewTurn,
    NewVector, Place, Plan, Quotes, Sources, TurnCommit, VectorSpace, prelude::*,
};
use greenroom_store_sqlite::{Options, SqliteStore};
use proptest::prelude::*;

use crate::given::*;

/// What happens: which of these, with a number that chooses the details.
const KINDS: u8 = 17;

#[derive(Debug, Clone, Copy)]
struct Step {
    kind: u8,
    pick: usize,
    /// Another process does it.
    elsewhere: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0..KINDS * 2, 0..1_000usize, prop::bool::weighted(0.1));
    // messages and replies happen most
    let step = step.prop_map(|(kind, pick, elsewhere)| Step {
        kind: if kind < KINDS { kind } else { kind % 3 },
        pick,
        elsewhere,
    });
    prop::collection::vec(step, 1..40)
}

fn space() -> VectorSpace {
    VectorSpace { model: "m@1".into(), dimension: 2 }
}

fn embedded(pick: usize) -> Option<Embedded> {
    (!pick.is_multiple_of(3)).then(|| Embedded { space: space(), vector: vec![0.6, 0.8] })
}

/// What the steps know of what was done.
struct World {
    clock: i64,
    turns: u64,
    open: Vec<(TurnId, MessageId)>,
    messages: Vec<(MessageId, ChannelKey)>,
    memories: Vec<MemoryId>,
}

fn persona(pick: usize) -> PersonaName {
    ["ada", "kit"][pick % 2].parse().unwrap()
}

fn channel(pick: usize) -> ChannelKey {
    ["terminal:one", "terminal:one:thread", "api:two"][pick % 3].parse().unwrap()
}

impl World {
    fn now(&mut self, pick: usize) -> Timestamp {
        // now and then somebody comes back after a pause
        self.clock += if pick.is_multiple_of(11) { 3_600_000_000 } else { 1_000_000 };
        Timestamp(NOW.0 + self.clock)
    }

    fn turn(&mut self, persona: PersonaName, at: Timestamp) -> NewTurn {
        self.turns += 1;
        NewTurn { id: format!("{:032x}", self.turns).parse().unwrap(), persona, at, begins: true }
    }

    async fn step(&mut self, store: &SqliteStore, Step { kind, pick, .. }: Step) {
        let at = self.now(pick);
        let (who, here) = (persona(pick / 3), channel(pick / 7));
        let newest = self.messages.last().map_or(MessageId(1), |(id, _)| *id);
        let some = |list: &[MemoryId]| list.get(pick % list.len().max(1)).copied();
        // nobody comes, goes, resets or summarises at a message that was never said
        if (4..=7).contains(&kind) && self.messages.is_empty() {
            return;
        }
        match kind {
            0 | 3 => {
                let user = ["bo", "mo"][pick % 2];
                let author = Author::User { id: user.parse().unwrap(), name: user.into() };
                let event_id = format!("e{}", self.clock);
                let new = Message { at, ..Message::new(here.clone(), event_id, author, "hello") };
                let message = if kind == 0 {
                    store.accept(new).await.unwrap().message
                } else {
                    let turns: Vec<_> = (0..pick % 3).map(|n| self.turn(persona(pick + n), at)).collect();
                    let ids: Vec<_> = turns.iter().map(|turn| turn.id).collect();
                    let vector = embedded(pick).filter(|_| !turns.is_empty());
                    let come = (0..pick % 4 / 2).map(|n| persona(pick + n + 1)).collect();
                    let gone = (0..pick % 6 / 4).map(|n| persona(pick + n + 2)).collect();
                    let plan = Plan { turns, vector, come, gone, aside: pick.is_multiple_of(7) };
                    let message = store.accept_planned(new, plan).await.unwrap().message;
                    self.open.extend(ids.into_iter().map(|id| (id, message.id)));
                    message
                };
                self.messages.push((message.id, here));
            }
            1 => {
                let turn = self.turn(who, at);
                let Some((message, _)) = self.messages.last() else { return };
                let id = turn.id;
                let gone = (0..pick % 5 / 3).map(|n| persona(pick + n + 1)).collect();
                let plan = Plan { turns: vec![turn], vector: embedded(pick), gone, ..Plan::default() };
                // who answers already does not answer again
                if store.plan_turns(*message, plan).await.is_ok() {
                    self.open.push((id, *message));
                }
            }
            2 => {
                let Some((turn, _)) = self.open.pop() else { return };
                let usage = Usage::default();
                let vector = embedded(pick);
                let commit = TurnCommit {
                    text: "a reply".into(),
                    at,
                    usage,
                    receipt: None,
                    vector,
                    sources: Default::default(),
                };
                if let Ok(id) = store.commit_turn(turn, commit).await {
                    let reply = store.message(id).await.unwrap().unwrap();
                    self.messages.push((id, reply.channel));
                }
            }
            4 => store.enter(&who, &here, newest).await.unwrap(),
            5 => store.leave(&who, &here, newest).await.unwrap(),
            6 => store.reset_context(&who, &here, newest).await.unwrap(),
            7 => {
                let summary = HistorySummary { until: newest, text: "so far".into(), at };
                store.put_summary(&who, &here, summary, Sources::default()).await.unwrap();
            }
            8 | 9 => {
                let scope = match pick % 3 {
                    0 => Scope::Global,
                    1 => Scope::Channel(here),
                    _ => Scope::User("terminal:bo".parse().unwrap()),
                };
                let key = pick.is_multiple_of(5).then(|| format!("k{}", pick % 2));
                let new = NewMemory { persona: who, scope, key, at, ..statement("Bo likes tea") };
                let memory = store.remember(new).await.unwrap();
                self.memories.retain(|id| *id != memory.id);
                self.memories.push(memory.id);
            }
            10 => {
                let (Some(from), Some(to)) = (some(&self.memories), self.memories.last()) else { return };
                let relation = Relation { from, to: *to, kind: RelationKind::RelatesTo };
                let viewer = viewer(&who, &here);
                let _ = store.relate(&viewer, relation).await; // both ends must be in sight
            }
            11 => {
                let Some(id) = some(&self.memories) else { return };
                let text = Some(format!("Bo likes {pick}"));
                let trust = Trust::Operator;
                let edit = MemoryEdit { text, kind: None, expires_at: None, trust, at };
                store.edit(&viewer(&who, &here), id, edit).await.unwrap();
            }
            12 => {
                let Some(id) = some(&self.memories) else { return };
                store.forget(&viewer(&who, &here), id).await.unwrap();
            }
            13 => {
                let vectors = self.messages.last().map(|(id, _)| NewVector {
                    item: ItemId::Message(*id),
                    version: 1,
                    vector: vec![1.0, 0.0],
                });
                store.put_vectors(&space(), vectors.into_iter().collect()).await.unwrap();
            }
            14 => store.use_aside(&who, at, Usage::default()).await.unwrap(),
            15 if pick.is_multiple_of(4) => {
                store.erase(&Erase::Channel(here), Quotes::Stay).await.unwrap();
            }
            16 => drop(store.set_aside(newest).await),
            _ => {}
        }
    }
}

fn viewer(persona: &PersonaName, channel: &ChannelKey) -> Viewer {
    Viewer::new(persona.clone(), channel.clone(), Some("bo".parse().unwrap()))
}

/// An index that follows the journal.
#[derive(Default)]
struct Follower {
    after: i64,
    items: BTreeMap<ItemId, (Place, Entry)>,
}

impl Follower {
    /// What there is.
    async fn whole(store: &SqliteStore) -> Self {
        let mut whole = Self { after: store.journal_end().await.unwrap(), ..Self::default() };
        let mut scopes: Vec<Scope> = (0..3).map(|n| Scope::Channel(channel(n))).collect();
        scopes.extend([Scope::Global, Scope::User("terminal:bo".parse().unwrap())]);
        let memories = |scope: &Scope| [0, 1].map(|n| Place::Memories(persona(n), scope.clone()));
        let messages = (0..3).map(|n| Place::Messages(channel(n)));
        for place in messages.chain(scopes.iter().flat_map(memories)) {
            for entry in store.load(&place, Some(&space()), None, 10_000, NOW).await.unwrap() {
                whole.items.insert(entry.item, (place.clone(), entry));
            }
        }
        whole
    }

    async fn follow(&mut self, store: &SqliteStore) {
        let changes =
            store.changes(Some(&space()), self.after, 1_000, std::time::Instant::now()).await.unwrap();
        let Changes::Rows { rows, end } = changes else {
            // an erasure took the journal with it
            *self = Self::whole(store).await;
            return;
        };
        for change in rows {
            match change.now {
                Some(entry) => _ = self.items.insert(change.item, (change.place, entry)),
                None => {
                    self.items.retain(|item, (place, _)| (*item, &*place) != (change.item, &change.place))
                }
            }
        }
        self.after = end;
    }
}

/// Every answer that may be held, of the one as of the other.
async fn agree(held: &SqliteStore, file: &SqliteStore, world: &World, follower: &mut Follower) {
    let personas = [persona(0), persona(1)];
    let news = |store: SqliteStore, since| async move {
        store.unembedded_since(&space(), Some(&[persona(0), persona(1)]), since, None, 100).await.unwrap()
    };
    assert_eq!(news(held.clone(), follower.after).await, news(file.clone(), follower.after).await);
    follower.follow(held).await;
    let mut anew = Follower::default();
    anew.follow(file).await;
    assert_eq!((follower.after, &follower.items), (anew.after, &anew.items));

    let ids: Vec<ItemId> = world.memories.iter().map(|id| ItemId::Memory(*id)).collect();
    let now = Timestamp(NOW.0 + world.clock);
    for persona in &personas {
        for channel in [channel(0), channel(1), channel(2)] {
            let viewer = viewer(persona, &channel);
            let expected = file.items(&viewer, &ids, now, true, std::time::Instant::now()).await.unwrap();
            for _ in 0..2 {
                assert_eq!(
                    held.items(&viewer, &ids, now, true, std::time::Instant::now()).await.unwrap(),
                    expected
                );
            }
            for user in [None, Some("bo"), Some("mo")] {
                let asked = AskedPast {
                    persona: persona.clone(),
                    channel: channel.clone(),
                    user: user.map(|user| user.parse().unwrap()),
                    heard: true,
                    summarised: true,
                    limit: 4,
                    now,
                    as_of: std::time::Instant::now(),
                };
                let expected = file.past(&asked).await.unwrap();
                for _ in 0..2 {
                    assert_eq!(held.past(&asked).await.unwrap(), expected, "{asked:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn gr1_s4_what_is_held_says_what_the_file_says(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (held, directory) = fresh().await;
            let path = directory.path().join("greenroom.db");
            let from_file = Options { from_file: true, ..Options::default() };
            let file = SqliteStore::open_with(&path, &from_file).await.unwrap();
            let elsewhere = SqliteStore::open(&path).await.unwrap();
            let mut world = World { clock: 0, turns: 0, open: Vec::new(), messages: Vec::new(), memories: Vec::new() };
            let mut follower = Follower::default();
            for step in steps {
                world.step(if step.elsewhere { &elsewhere } else { &held }, step).await;
                // with a write the store looks at what others wrote
                held.use_aside(&persona(0), NOW, Usage::default()).await.unwrap();
                agree(&held, &file, &world, &mut follower).await;
            }
        });
    }
}

/// A past that is read from the file while something is said there is not held as it was before.
#[tokio::test(flavor = "multi_thread")]
async fn s4_nothing_that_is_said_while_a_past_is_read_is_missing() {
    let (held, directory) = fresh().await;
    let from_file = Options { from_file: true, ..Options::default() };
    let file = SqliteStore::open_with(&directory.path().join("greenroom.db"), &from_file).await.unwrap();
    let asked = AskedPast {
        persona: persona(0),
        channel: here(),
        user: Some("bo".parse().unwrap()),
        heard: false,
        summarised: true,
        limit: 300,
        now: NOW,
        as_of: std::time::Instant::now(),
    };
    let (writing, written) = tokio::sync::watch::channel(());
    let readers = (0..3).map(|_| {
        let (store, asked, written) = (held.clone(), asked.clone(), written.clone());
        tokio::spawn(async move {
            while written.has_changed().is_ok() {
                let past = store.past(&asked).await.unwrap();
                assert!(past.messages.is_sorted_by(|one, next| one.id < next.id));
                // what was read goes now and then, so that it is read again
                store.put_summary(&asked.persona, &channel(2), summary(), Sources::default()).await.unwrap();
                store.leave(&asked.persona, &asked.channel, MessageId(1)).await.unwrap();
            }
        })
    });
    let readers: Vec<_> = readers.collect();
    for n in 0..300 {
        let message = held.accept(said(&format!("e{n}"), "hello")).await.unwrap().message;
        let past = held.past(&asked).await.unwrap();
        assert_eq!(past.messages.last().map(|newest| newest.id), Some(message.id));
    }
    drop(writing);
    for reader in readers {
        reader.await.unwrap();
    }
    assert_eq!(held.past(&asked).await.unwrap(), file.past(&asked).await.unwrap());
}

/// What is written in one call is held in the order in which it was written.
#[tokio::test(flavor = "multi_thread")]
async fn s4_what_is_written_together_is_held_in_its_order() {
    let (held, directory) = fresh().await;
    let from_file = Options { from_file: true, ..Options::default() };
    let file = SqliteStore::open_with(&directory.path().join("greenroom.db"), &from_file).await.unwrap();
    let mut world =
        World { clock: 0, turns: 0, open: Vec::new(), messages: Vec::new(), memories: Vec::new() };
    let mut follower = Follower::default();
    for round in 0..5 {
        agree(&held, &file, &world, &mut follower).await;
        let received = (0..40).map(|n: usize| {
            let at = world.now(n);
            // nobody, one, one and two; among them a message that is known
            let turns: Vec<_> = (0..[0, 1, 1, 2][n % 4]).map(|k| world.turn(persona(k), at)).collect();
            let ids: Vec<_> = turns.iter().map(|turn| turn.id).collect();
            let vector = embedded(n).filter(|_| !turns.is_empty());
            let author = Author::User { id: "bo".parse().unwrap(), name: "bo".into() };
            let (event_id, text) = (format!("e{round}-{}", n % 38), format!("hello {n}"));
            let new = Message { at, ..Message::new(channel(n), event_id, author, text) };
            let store = held.clone();
            let come = (0..n % 5 / 3).map(|k| persona(n + k)).collect();
            let gone = (0..n % 7 / 5).map(|k| persona(n + k + 1)).collect();
            let plan = Plan { turns, vector, come, gone, aside: n.is_multiple_of(9) };
            async move { (store.accept_planned(new, plan).await.unwrap(), ids) }
        });
        let received: Vec<_> = received.collect();
        for (accepted, ids) in futures::future::join_all(received).await {
            if !accepted.duplicate {
                world.open.extend(ids.into_iter().map(|id| (id, accepted.message.id)));
                world.messages.push((accepted.message.id, accepted.message.channel));
            }
        }
        agree(&held, &file, &world, &mut follower).await;
        let commits = std::mem::take(&mut world.open).into_iter().enumerate().map(|(n, (turn, _))| {
            let (text, at, usage) = (format!("reply {n}"), world.now(n), Usage::default());
            held.commit_turn(
                turn,
                TurnCommit {
                    text,
                    at,
                    usage,
                    receipt: None,
                    vector: embedded(n),
                    sources: Default::default(),
                },
            )
        });
        let commits: Vec<_> = commits.collect();
        for reply in futures::future::join_all(commits).await {
            let reply = file.message(reply.unwrap()).await.unwrap().unwrap();
            world.messages.push((reply.id, reply.channel));
        }
    }
    agree(&held, &file, &world, &mut follower).await;
}

fn summary() -> HistorySummary {
    HistorySummary { until: MessageId(1), text: "so far".into(), at: NOW }
}

/// D, S9: however many chats are read, what is held of them stays within its limit, and the answers stay right.
#[tokio::test]
async fn s9_what_is_held_stays_within_its_limit() {
    const LIMIT: usize = 200_000;
    let (_, directory) = fresh().await;
    let path = directory.path().join("greenroom.db");
    let options = Options { held_bytes: Some(LIMIT), ..Options::default() };
    let store = SqliteStore::open_with(&path, &options).await.unwrap();
    let file = Options { from_file: true, ..Options::default() };
    let file = SqliteStore::open_with(&path, &file).await.unwrap();
    let mut held = 0;
    for n in 0..100 {
        let asked = long_past(&store, n).await;
        assert_eq!(store.past(&asked).await.unwrap(), file.past(&asked).await.unwrap());
        held = held.max(store.held_bytes());
    }
    assert!(held > LIMIT / 2, "something is held: {held}");
    // a past is held whole
    assert!(held < LIMIT + 30_000, "{held}");
}

/// GR9: what nobody asks for any more is let go, and read again when somebody does.
#[tokio::test]
async fn gr9_what_is_not_asked_for_is_released() {
    let (store, _directory) = fresh().await;
    let asked = long_past(&store, 0).await;
    let past = store.past(&asked).await.unwrap();
    let before = store.held_bytes();
    store.release_idle();
    store.past(&asked).await.unwrap();
    assert!(store.held_bytes() >= before, "it was asked for since");
    store.release_idle();
    store.release_idle();
    assert!(store.held_bytes() + 20_000 < before, "{} of {before}", store.held_bytes());
    assert_eq!(store.past(&asked).await.unwrap(), past);
}

/// A channel with twenty messages of a thousand bytes, and the question for its past.
async fn long_past(store: &SqliteStore, n: usize) -> AskedPast {
    let channel: ChannelKey = format!("api:c{n}").parse().unwrap();
    for message in 0..20 {
        let text = "word ".repeat(200);
        let message = Message { channel: channel.clone(), ..said(&format!("e{n}-{message}"), &text) };
        store.accept(message).await.unwrap();
    }
    let asked = AskedPast {
        persona: persona(0),
        channel,
        user: None,
        heard: false,
        summarised: true,
        limit: 300,
        as_of: std::time::Instant::now(),
        now: NOW,
    };
    store.past(&asked).await.unwrap();
    asked
}
