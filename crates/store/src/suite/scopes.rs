//! Compares the scope predicate with a naive model: in random worlds, every viewer reads everything.

use std::collections::{BTreeMap, BTreeSet};

use greenroom_core::{ChannelKey, Memory, Message, Relation, RelationKind, Scope, Tier, Viewer};
use proptest::{
    collection::vec,
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use super::given::*;
use crate::{ItemId, NewMemory, NewVector, Newest, Place, Plan, Store, VectorSpace};

// differ in one character
const PERSONAS: [&str; 3] = ["ada", "kit-2", "kit_2"];
// one is a prefix of another, two share a chat id
const CHANNELS: [&str; 5] = ["terminal:default", "discord:42", "discord:42:7", "irc:42", "discord:43"];
// the channel for which the platform reports a group: the third
const GROUP: &str = CHANNELS[2];
// a user may have the name of a channel, or of another user on another platform
const USERS: [&str; 3] = ["bo", "42", "discord:42"];
const PEOPLE: [&str; 5] = ["terminal:bo", "discord:bo", "discord:42", "irc:42", "discord:discord:42"];
const WORDS: [&str; 6] = ["apple", "birch", "canary", "dahlia", "ember", "fjord"];
/// The world grows in rounds within one store; in every round all viewers read again.
const ROUNDS: u64 = 4;

/// A memory or message before it is stored: persona, scope or channel, words, vector.
#[derive(Debug, Clone)]
struct Draft {
    persona: usize,
    scope: usize,
    channel: usize,
    person: usize,
    words: Vec<usize>,
    vector: Vec<f32>,
}

fn draft() -> impl Strategy<Value = Draft> {
    let direction = vec(-1.0f32..1.0, 4).prop_filter("a direction", |v| v.iter().any(|x| x.abs() > 0.1));
    (0..3usize, 0..4usize, 0..5usize, 0..5usize, vec(0..6usize, 1..4), direction).prop_map(
        |(persona, scope, channel, person, words, vector)| Draft {
            persona,
            scope,
            channel,
            person,
            words,
            vector,
        },
    )
}

impl Draft {
    fn text(&self) -> String {
        self.words.iter().map(|&word| WORDS[word]).collect::<Vec<_>>().join(" ")
    }
    fn memory(&self) -> NewMemory {
        let scope = match self.scope {
            0 => Scope::Global,
            1 => Scope::Channel(channel(CHANNELS[self.channel])),
            2 => Scope::Private(PEOPLE[self.person].parse().unwrap()),
            _ => about(PEOPLE[self.person]),
        };
        statement(PERSONAS[self.persona], scope, &self.text())
    }
    fn message(&self, n: usize) -> Message {
        said(CHANNELS[self.channel], &n.to_string(), &self.text(), NOW)
    }
}

/// All stored items in lists, to compare the store with.
#[derive(Default)]
struct World {
    memories: Vec<(Memory, Vec<f32>)>,
    messages: Vec<(Message, Vec<f32>)>,
    relations: Vec<Relation>,
}

/// Every call returns to a viewer exactly what it sees (GR1, X6).
pub async fn gr1_a_viewer_finds_all_it_sees_and_nothing_else(store: &dyn Store) {
    let space = space("m@1", 4);
    let mut world = World::default();
    let first = said(GROUP, "first", "hello", NOW);
    store.accept_planned(first, Plan { group: true, ..Plan::default() }).await.unwrap();
    store.accept(said(CHANNELS[1], "first", "hello", NOW)).await.unwrap();
    for round in 0..ROUNDS {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&round.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let mut random = |count| vec(draft(), count).new_tree(&mut runner).unwrap().current();
        world.grow(store, &space, random(30), random(30)).await;
        world.forget_one(store, round as usize * 7).await;
        for viewer in viewers() {
            world.look(store, &space, &viewer).await;
        }
    }
}

fn viewers() -> Vec<Viewer> {
    let mut viewers = Vec::new();
    for name in PERSONAS {
        for key in CHANNELS {
            viewers.push(viewer(name, key, None));
            viewers.extend(USERS.iter().map(|id| viewer(name, key, Some(id))));
            viewers.extend(USERS.iter().map(|id| viewer(name, key, Some(id)).one_to_one()));
        }
    }
    viewers
}

impl World {
    /// Stores the drafts, and relates each new memory of a persona to its previous one.
    async fn grow(
        &mut self,
        store: &dyn Store,
        space: &VectorSpace,
        memories: Vec<Draft>,
        messages: Vec<Draft>,
    ) {
        let mut vectors = Vec::new();
        for draft in memories {
            let memory = store.remember(draft.memory()).await.unwrap();
            let item = ItemId::Memory(memory.id);
            vectors.push(NewVector { item, version: 1, vector: draft.vector.clone() });
            let before = self.memories.iter().rev().find(|(m, _)| m.persona == memory.persona);
            if let Some((before, _)) = before {
                let edge = Relation { from: memory.id, to: before.id, kind: RelationKind::RelatesTo };
                let both = all_seeing(&memory, before);
                // no viewer can relate two memories that it does not see together
                if let Some(viewer) = both {
                    store.relate(&viewer, edge).await.unwrap();
                    self.relations.push(edge);
                }
            }
            self.memories.push((memory, draft.vector));
        }
        for draft in messages {
            let message = store.accept(draft.message(self.messages.len())).await.unwrap().message;
            let item = ItemId::Message(message.id);
            vectors.push(NewVector { item, version: 1, vector: draft.vector.clone() });
            self.messages.push((message, draft.vector));
        }
        store.put_vectors(space, vectors).await.unwrap();
    }

    async fn forget_one(&mut self, store: &dyn Store, n: usize) {
        let (memory, _) = self.memories.remove(n % self.memories.len());
        let viewer = all_seeing(&memory, &memory).unwrap();
        assert!(store.forget(&viewer, memory.id).await.unwrap().is_some());
        self.relations.retain(|edge| edge.from != memory.id && edge.to != memory.id);
    }

    /// One viewer reads with every call.
    async fn look(&self, store: &dyn Store, space: &VectorSpace, viewer: &Viewer) {
        let memories = self.memories.iter().filter(|(m, _)| shows(viewer, m));
        let memories: BTreeSet<_> = memories.map(|(m, _)| ItemId::Memory(m.id)).collect();
        let messages = self.messages.iter().filter(|(m, _)| &m.channel == viewer.channel());
        let messages: BTreeSet<_> = messages.map(|(m, _)| ItemId::Message(m.id)).collect();

        let listed = store.memories(viewer, &all()).await.unwrap();
        assert_eq!(listed.iter().map(|memory| ItemId::Memory(memory.id)).collect::<BTreeSet<_>>(), memories,);
        let seen = ids(&listed);
        let everything: Vec<_> = self.memories.iter().map(|(memory, _)| memory.id).collect();
        let mut edges = store.relations(viewer, &everything).await.unwrap();
        edges.sort_by_key(|edge| edge.from);
        let visible = |edge: &&Relation| seen.contains(&edge.from) && seen.contains(&edge.to);
        assert_eq!(edges, self.relations.iter().filter(visible).copied().collect::<Vec<_>>());

        // asked for by id: all items, in another order
        let ids: Vec<_> = self.items().map(|(id, _)| id).rev().collect();
        let whole = store.items(viewer, &ids, NOW, false).await.unwrap();
        let shown: Vec<_> = whole.items.iter().map(|item| item.id()).collect();
        let expected: Vec<_> =
            ids.iter().copied().filter(|id| memories.contains(id) || messages.contains(id)).collect();
        assert_eq!(shown, expected);
        assert_eq!(whole.relations, edges);

        for scope in self.memories.iter().map(|(memory, _)| &memory.scope) {
            let (scope, tier) = (scope.clone(), Tier::Semantic);
            let wanted =
                Newest { scope: scope.clone(), tier, kind: None, now: NOW, between: None, limit: usize::MAX };
            let newest = store.newest(viewer, &wanted).await.unwrap();
            let of_scope = listed.iter().filter(|memory| memory.scope == scope);
            assert_eq!(newest, of_scope.cloned().collect::<Vec<_>>());
            assert_eq!(store.keyed(viewer, &scope, "none", NOW).await.unwrap(), None);
        }

        // an index loads the places that this viewer sees: all visible items, with their vectors
        let mut loaded = BTreeMap::new();
        for place in places(viewer) {
            loaded.extend(vectors(store, &place, space).await);
        }
        assert_eq!(loaded.keys().copied().collect::<BTreeSet<_>>(), &memories | &messages);
        for (id, vector) in self.items() {
            if let Some(loaded) = loaded.get(&id) {
                assert!(cosine(loaded, vector) > 0.999, "{id}");
            }
        }
    }

    /// All items with their vectors.
    fn items(&self) -> impl DoubleEndedIterator<Item = (ItemId, &Vec<f32>)> {
        let memories = self.memories.iter().map(|(memory, vector)| (ItemId::Memory(memory.id), vector));
        let messages = self.messages.iter().map(|(message, vector)| (ItemId::Message(message.id), vector));
        memories.chain(messages)
    }
}

/// The places that a viewer sees (GR1).
fn places(viewer: &Viewer) -> Vec<Place> {
    let memories = |scope| Place::Memories(viewer.persona().clone(), scope);
    let mut places = vec![
        Place::Messages(viewer.channel().clone()),
        memories(Scope::Channel(viewer.channel().clone())),
        memories(Scope::Global),
    ];
    places.extend(viewer.user_ref().map(|user| memories(Scope::User(user))));
    let alone = viewer.is_one_to_one() && !is_group(viewer.channel());
    places.extend(viewer.user_ref().filter(|_| alone).map(|user| memories(Scope::Private(user))));
    places
}

/// A viewer that sees both memories.
fn all_seeing(one: &Memory, other: &Memory) -> Option<Viewer> {
    viewers().into_iter().find(|viewer| shows(viewer, one) && shows(viewer, other))
}

/// The rule of [`Viewer::sees`], and what only the store knows: a group and its threads show nothing private (MP1).
fn shows(viewer: &Viewer, memory: &Memory) -> bool {
    let private = matches!(memory.scope, Scope::Private(_));
    viewer.sees(&memory.persona, &memory.scope) && !(private && is_group(viewer.channel()))
}

fn is_group(key: &ChannelKey) -> bool {
    let group = channel(GROUP);
    (key.provider(), key.chat_id()) == (group.provider(), group.chat_id())
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
