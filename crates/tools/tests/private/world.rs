//! A simulated world of people, personas and channels (GR1, MP1). Each statement contains a mark, and people recall
//! through every entry point. The world records for each mark who told it to whom, where, and who may see it. It checks
//! the memory's output against these records, not against scopes.

use std::{collections::BTreeSet, sync::Arc};

use greenroom_core::{
    Author, ChannelKey, Entropy, Kind, ManualClock, MemoryId, Message, MessageId, Scope, Source,
    SystemEntropy, Tier, Time, Timestamp, Trust, TurnId, UserRef, Viewer,
};
use greenroom_memory::{
    Decision, Memory, RecallRequest, Remember, TimeZone, render, scope_of_said, snippets, speaks_of_oneself,
};
use greenroom_persona::{Follow, MemorySettings, SourceSettings};
use greenroom_store::{ItemId, MemoryFilter, Newest, Plan, prelude::*};
use greenroom_store_sqlite::{Options, SqliteStore};
use greenroom_tools::{Forget, List, Recall, Shown, Tool, ToolContext};
use serde_json::json;

const NOW: Timestamp = Timestamp(1_795_219_200_000_000);
const PERSONAS: [&str; 2] = ["ada", "kit"];
/// The same ids occur on two platforms, where they mean different people.
const PEOPLE: [&str; 4] = ["bo", "cy", "dee", "42"];
/// Private chats, shared chats, and a thread. Any of them may become a group.
const CHANNELS: [&str; 9] = [
    "discord:bo",
    "discord:cy",
    "discord:42",
    "discord:42:7",
    "discord:den",
    "discord:attic",
    "irc:bo",
    "irc:42",
    "irc:den",
];
/// The maximum number of memories. Beyond it, one is forgotten.
const MOST: usize = 300;

/// A reproducible generator of pseudo-random numbers (Knuth's MMIX).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }
    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A statement that a person told a persona.
struct Told {
    persona: &'static str,
    person: UserRef,
    channel: ChannelKey,
    /// Whether the channel was a group at that time, so that others listened.
    heard: bool,
    /// Whether the statement is about the person who told it.
    of_oneself: bool,
    /// Whether others may see it, if the person shared it or made it private. `None`: `heard` decides.
    shared: Option<bool>,
    id: MemoryId,
}

/// The world's state.
pub struct World {
    dice: Dice,
    memory: Memory,
    store: Arc<SqliteStore>,
    clock: Arc<ManualClock>,
    settings: MemorySettings,
    told: Vec<Told>,
    alive: Vec<usize>,
    /// The number of marks that were shown and were permitted.
    pub shown: usize,
    /// The number of recalls, through all entry points.
    pub recalls: usize,
    _directory: tempfile::TempDir,
}

impl World {
    /// An empty world.
    pub async fn new(seed: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Arc::new(
            SqliteStore::open_with(&directory.path().join("greenroom.db"), &Options::unsynced())
                .await
                .unwrap(),
        );
        let clock = Arc::new(ManualClock::at(NOW));
        let memory = Memory::new(store.clone(), None, clock.clone());
        let settings = MemorySettings {
            deadline: std::time::Duration::from_secs(60),
            notes: SourceSettings::ranked(20),
            knowledge: SourceSettings::ranked(20),
            ..MemorySettings::default()
        };
        let (told, alive) = (Vec::new(), Vec::new());
        let dice = Dice(seed);
        Self {
            dice,
            memory,
            store,
            clock,
            settings,
            told,
            alive,
            shown: 0,
            recalls: 0,
            _directory: directory,
        }
    }

    /// One random action: a statement, a change of privacy, a message, or (mostly) a recall.
    pub async fn step(&mut self) {
        match self.dice.below(100) {
            0..4 => self.tell().await,
            4 => self.share().await,
            5 if self.dice.below(50) == 0 => self.speak().await,
            _ => self.recall().await,
        }
    }

    fn viewer(&mut self) -> Viewer {
        let (persona, channel) = (self.dice.of(&PERSONAS), self.dice.of(&CHANNELS));
        let user = match self.dice.below(9) {
            0 => None,
            _ => Some(self.dice.of(&PEOPLE).parse().unwrap()),
        };
        let viewer = Viewer::new(persona.parse().unwrap(), channel.parse().unwrap(), user);
        // some viewers claim to be one to one although others listen
        if self.dice.below(3) == 0 { viewer } else { viewer.one_to_one() }
    }

    async fn is_group(&self, channel: &ChannelKey) -> bool {
        self.store.group_since(channel).await.unwrap().is_some()
    }

    /// A person writes in a channel, which may make the channel a group.
    async fn speak(&mut self) {
        let (channel, who) = (self.dice.of(&CHANNELS), self.dice.of(&PEOPLE));
        self.say(channel.parse().unwrap(), who).await;
    }

    async fn say(&mut self, channel: ChannelKey, who: &str) -> bool {
        let author = Author::User { id: who.parse().unwrap(), name: who.into() };
        let event = SystemEntropy.uuid().to_string();
        let message = Message { at: self.clock.now(), ..Message::new(channel, event, author, "hello") };
        self.store.accept_planned(message, Plan::default()).await.unwrap().group
    }

    /// A person tells a persona something, in some cases as a correction of an earlier statement.
    async fn tell(&mut self) {
        if self.alive.len() >= MOST {
            self.forget().await;
        }
        let (persona, at, who) = (self.dice.of(&PERSONAS), self.dice.of(&CHANNELS), self.dice.of(&PEOPLE));
        let channel: ChannelKey = at.parse().unwrap();
        // people mostly talk in their own chats
        let own = channel.chat_id() == who || self.dice.below(8) == 0;
        if !own {
            return;
        }
        let heard = self.say(channel.clone(), who).await;
        let viewer = Viewer::new(persona.parse().unwrap(), channel.clone(), Some(who.parse().unwrap()));
        let viewer = if heard { viewer } else { viewer.one_to_one() };
        let (n, topic) = (self.told.len(), self.dice.below(12));
        let of_oneself = self.dice.below(4) > 0;
        let whose = if of_oneself { "my" } else { "the" };
        let text = format!("{whose} secret number {topic} is zq{n}");
        self.told.push(Told {
            persona,
            person: viewer.user_ref().unwrap(),
            channel,
            heard,
            of_oneself,
            shared: None,
            id: MemoryId(0),
        });
        let statement = Remember {
            scope: scope_of_said(&viewer, Follow::Person, || speaks_of_oneself(&text)),
            text,
            kind: Kind::new("fact"),
            tier: Tier::Semantic,
            source: Source { via: "tool".into(), message: None, user: viewer.user().cloned() },
            trust: Trust::Stranger,
            key: (self.dice.below(3) == 0).then(|| format!("pref_{topic}")),
            expires_in: None,
        };
        self.clock.advance(std::time::Duration::from_secs(1));
        let remembered = self.memory.remember(&viewer, statement).await.unwrap();
        self.check(&viewer, &remembered.to_string(), "what was remembered").await;
        let memory = remembered.memory;
        if let Decision::Update(old) = remembered.decision {
            self.alive.retain(|n| self.told[*n].id != old);
        }
        if !matches!(remembered.decision, Decision::Ignore(..)) {
            self.told[n].id = memory.id;
            // an update stays in the scope of the memory that it replaces
            self.told[n].shared = matches!(memory.scope, Scope::User(_)).then_some(true).filter(|_| !heard);
            self.alive.push(n);
        }
    }

    /// A person shares a memory or makes it private.
    async fn share(&mut self) {
        let Some(n) = self.any() else { return };
        let open = self.dice.below(2) == 0;
        let told = &self.told[n];
        let user = told.person.as_str().split_once(':').unwrap().1.parse().unwrap();
        let viewer =
            Viewer::new(told.persona.parse().unwrap(), told.channel.clone(), Some(user)).one_to_one();
        if let Some(memory) = self.memory.set_private(&viewer, told.id, !open).await.unwrap() {
            self.told[n].shared = Some(matches!(memory.scope, Scope::User(_)));
        }
    }

    async fn forget(&mut self) {
        let Some(n) = self.any() else { return };
        let told = &self.told[n];
        let user = told.person.as_str().split_once(':').unwrap().1.parse().unwrap();
        let viewer = Viewer::new(told.persona.parse().unwrap(), told.channel.clone(), Some(user));
        let nowhere: ChannelKey = format!("{}:nobody-{n}", told.channel.provider()).parse().unwrap();
        for viewer in [
            viewer.clone(),
            Viewer::new(viewer.persona().clone(), nowhere, viewer.user().cloned()).one_to_one(),
        ] {
            self.store.forget(&viewer, told.id).await.unwrap();
        }
        self.alive.retain(|alive| *alive != n);
    }

    fn any(&mut self) -> Option<usize> {
        (!self.alive.is_empty()).then(|| self.alive[self.dice.below(self.alive.len())])
    }

    /// A viewer recalls through one of the entry points.
    async fn recall(&mut self) {
        self.recalls += 1;
        let (viewer, topic) = (self.viewer(), self.dice.below(12));
        let question = format!("what is secret number {topic}?");
        let way = self.dice.below(10);
        let now = self.clock.now();
        let shown = match way {
            0..3 => {
                let window = [question];
                let request = RecallRequest::new(TurnId(SystemEntropy.uuid()), &window, &self.settings);
                let recalled = self.memory.recall(&viewer, &request).await.unwrap();
                let block = render(&recalled, &self.settings, &TimeZone::UTC);
                let snippets = snippets(&recalled, &TimeZone::UTC);
                format!("{recalled:?} {block:?} {snippets:?}")
            }
            3 => format!("{:?}", self.memory.search(&viewer, &question, 50).await.unwrap()),
            4 => format!("{:?}", self.memory.list(&viewer, 1_000).await.unwrap()),
            5 => {
                self.tool(
                    &viewer,
                    &Recall::new(self.memory.clone()),
                    json!({ "query": question, "limit": 20 }),
                )
                .await
            }
            6 => self.tool(&viewer, &List::new(self.memory.clone()), json!({ "limit": 500 })).await,
            7 if self.dice.below(20) == 0 => {
                let gone =
                    self.tool(&viewer, &Forget::new(self.memory.clone()), json!({ "query": question })).await;
                let ids: BTreeSet<usize> = marks(&gone).collect();
                if gone.starts_with("Forgot") {
                    self.alive.retain(|n| !ids.contains(n));
                }
                gone
            }
            7 => {
                let scope = match viewer.user_ref() {
                    Some(person) if topic < 6 => Scope::Private(person),
                    Some(person) => Scope::User(person),
                    None => Scope::Channel(viewer.channel().clone()),
                };
                let key = format!("pref_{topic}");
                let keyed = self.store.keyed(&viewer, &scope, &key, now).await.unwrap();
                let tier = Tier::Semantic;
                let wanted = Newest { scope, tier, kind: None, now, between: None, limit: 50 };
                format!("{keyed:?} {:?}", self.store.newest(&viewer, &wanted).await.unwrap())
            }
            8 => {
                let ids: Vec<MemoryId> = self.alive.iter().map(|n| self.told[*n].id).collect();
                let filter = MemoryFilter { now, scopes: Vec::new(), ids, about: None, limit: 1_000 };
                format!("{:?}", self.store.memories(&viewer, &filter).await.unwrap())
            }
            _ => {
                let ids: Vec<ItemId> = self.alive.iter().map(|n| ItemId::Memory(self.told[*n].id)).collect();
                let whole = self.store.items(&viewer, &ids, now, true).await.unwrap();
                let items = whole.items.iter().map(|item| item.id());
                let seen: BTreeSet<ItemId> = items.collect();
                for edge in &whole.relations {
                    let both = [edge.from, edge.to].map(ItemId::Memory);
                    let known = |id| self.alive.iter().any(|n| ItemId::Memory(self.told[*n].id) == id);
                    assert!(
                        both.into_iter().all(|id| seen.contains(&id) || !known(id)),
                        "{edge:?} for {viewer:?}"
                    );
                }
                format!("{whole:?}")
            }
        };
        self.check(&viewer, &shown, &format!("way {way}")).await;
    }

    async fn tool(&self, viewer: &Viewer, tool: &dyn Tool, arguments: serde_json::Value) -> String {
        let context = ToolContext {
            viewer: viewer.clone(),
            turn_id: TurnId(SystemEntropy.uuid()),
            trigger: MessageId(i64::MAX),
            user: viewer.user().cloned(),
            name: String::new(),
            follow: Follow::Person,
            zone: TimeZone::UTC,
            witness: true,
            shown: Shown::default(),
        };
        let arguments = arguments.as_object().unwrap().clone();
        tool.call(&context, arguments).await.unwrap()
    }

    /// Checks that the viewer may see each mark in a text.
    async fn check(&mut self, viewer: &Viewer, shown: &str, how: &str) {
        let listened = !viewer.is_one_to_one() || self.is_group(viewer.channel()).await;
        for n in marks(shown) {
            let told = &self.told[n];
            let theirs = viewer.user_ref().as_ref() == Some(&told.person);
            let open = told.shared.unwrap_or(told.heard);
            let may = match told.heard && !told.of_oneself {
                true => viewer.channel() == &told.channel,
                false => theirs && (open || !listened),
            };
            assert!(
                may && told.persona == viewer.persona().as_str(),
                "{how}: {viewer:?} is shown zq{n}, told by {} to {} in {}",
                told.person,
                told.persona,
                told.channel
            );
            self.shown += 1;
        }
    }
}

/// The marks in a text.
fn marks(text: &str) -> impl Iterator<Item = usize> {
    text.split("zq").skip(1).filter_map(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    })
}
