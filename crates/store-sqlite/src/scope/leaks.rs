//! Tests a million recalls over a thousand scopes (GR1, X6). They compare the predicate with [`Viewer::sees`] for every
//! viewer and memory, then make random calls of the store.

use std::collections::{HashMap, HashSet};

use futures::future::join_all;
use greenroom_core::{
    Author, ChannelKey, Kind, Memory, Message, MessageId, PersonaName, Scope, Source, Tier, Timestamp, Trust,
    UserRef, Viewer,
};
use greenroom_store::{Item, ItemId, MemoryFilter, NewMemory, Newest, Plan, prelude::*};
use sqlx::Row;

use crate::SqliteStore;

const NOW: Timestamp = Timestamp(1_800_000_000_000_000);
const PERSONAS: u64 = 20;
const CHANNELS: u64 = 25;
const USERS: u64 = 24;
const VIEWERS: usize = 1_000;
const CALLS: usize = 5_000;

/// Reproducible pseudo-random numbers (Knuth's MMIX generator).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn persona(n: u64) -> PersonaName {
    format!("persona_{n}").parse().unwrap()
}

/// A channel of one of three platforms that share user names; some channels are threads of others.
fn channel(n: u64) -> ChannelKey {
    let thread = if n.is_multiple_of(4) { ":7" } else { "" };
    format!("{}:{}{thread}", ["discord", "irc", "terminal"][n as usize % 3], n / 2).parse().unwrap()
}

fn person(n: u64) -> UserRef {
    format!("{}:user{}", ["discord", "irc", "terminal"][n as usize % 3], n / 3).parse().unwrap()
}

fn viewer(dice: &mut Dice) -> Viewer {
    let user = dice.below(USERS / 3 + 1);
    let user = (user > 0).then(|| format!("user{}", user - 1).parse().unwrap());
    let viewer = Viewer::new(persona(dice.below(PERSONAS)), channel(dice.below(CHANNELS)), user);
    if dice.below(3) == 0 { viewer } else { viewer.one_to_one() }
}

/// Whether a channel is known as a group: the platform reports every third as one (MP1).
fn is_group(channel: &ChannelKey) -> bool {
    (0..CHANNELS).any(|n| n.is_multiple_of(3) && channel == &self::channel(n))
}

/// The rule of [`Viewer::sees`], combined with the groups that only the store knows.
fn may_see(viewer: &Viewer, memory: &Memory) -> bool {
    let private = matches!(memory.scope, Scope::Private(_));
    viewer.sees(&memory.persona, &memory.scope) && !(private && is_group(viewer.channel()))
}

fn tea(persona: PersonaName, scope: Scope) -> NewMemory {
    NewMemory {
        persona,
        scope,
        text: "a cup of tea".into(),
        kind: Kind::default(),
        tier: Tier::Semantic,
        source: Source { via: "cli".into(), message: None, user: None },
        trust: Trust::Operator,
        key: None,
        expires_at: None,
        at: NOW,
        sources: Default::default(),
    }
}

/// One memory in each of a thousand scopes.
async fn remember(store: &SqliteStore) -> Vec<Memory> {
    let mut drafts = Vec::new();
    for n in 0..PERSONAS {
        let mut scopes = vec![Scope::Global];
        scopes.extend((0..CHANNELS).map(|n| Scope::Channel(channel(n))));
        scopes.extend((0..USERS / 2).map(|n| Scope::User(person(n))));
        scopes.extend((0..USERS / 2).map(|n| Scope::Private(person(n))));
        drafts.extend(scopes.into_iter().map(|scope| tea(persona(n), scope)));
    }
    let memories = join_all(drafts.into_iter().map(|draft| store.remember(draft))).await;
    memories.into_iter().map(Result::unwrap).collect()
}

/// Which memories each viewer sees according to the database. The predicate's text is used with the columns of a table
/// in place of its parameters.
async fn decided(store: &SqliteStore, viewers: &[Viewer]) -> HashSet<(i64, i64)> {
    let predicate = [("?1", "v.persona"), ("?2", "v.channel"), ("?3", "v.person"), ("?4", "v.alone")]
        .iter()
        .fold(visible!().to_owned(), |sql, (parameter, column)| sql.replace(parameter, column));
    let viewers: Vec<_> = viewers
        .iter()
        .map(|v| {
            let person = v.user_ref().map(|user| user.to_string());
            let alone = person.clone().filter(|_| v.is_one_to_one());
            (v.persona().as_str(), v.channel().as_str(), person, alone)
        })
        .collect();
    let sql = format!(
        "WITH v AS MATERIALIZED (SELECT key AS id, value ->> 0 AS persona, value ->> 1 AS channel,
                                        value ->> 2 AS person, value ->> 3 AS alone FROM json_each(?))
         SELECT v.id, m.id FROM v CROSS JOIN memories m WHERE {predicate}"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(serde_json::to_string(&viewers).unwrap())
        .fetch_all(&mut *store.reader().await.unwrap())
        .await
        .unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

#[tokio::test]
async fn gr1_a_million_recalls_over_a_thousand_scopes_show_nothing_foreign() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&directory.path().join("greenroom.db")).await.unwrap();
    let mut dice = Dice(42);
    let witnessed = talk(&store, &mut dice).await;
    let memories = remember(&store).await;
    let scopes: HashSet<_> = memories.iter().map(|memory| (&memory.persona, &memory.scope)).collect();
    assert_eq!(scopes.len(), 1_000);
    let viewers: Vec<Viewer> = (0..VIEWERS).map(|_| viewer(&mut dice)).collect();

    let decided = decided(&store, &viewers).await;
    let (mut decisions, mut seen) = (0, 0);
    for (n, viewer) in (0i64..).zip(&viewers) {
        for memory in &memories {
            let sees = may_see(viewer, memory);
            assert_eq!(decided.contains(&(n, memory.id.0)), sees, "{viewer:?} and {memory:?}");
            decisions += 1;
            seen += usize::from(sees);
        }
    }
    assert_eq!((decisions, seen), (1_000_000, decided.len()));
    assert!(seen > 2 * VIEWERS, "the global one, the channel's, and often one about the user");

    let mut items = 0;
    for n in 0..CALLS {
        let viewer = &viewers[dice.below(VIEWERS as u64) as usize];
        items += recall(&store, viewer, &witnessed, &mut dice, n).await;
    }
    assert!(items > CALLS, "{items}");
}

/// The messages that each persona heard.
type Witnessed = HashMap<PersonaName, HashSet<MessageId>>;

/// Messages in every channel; some personas are present for some of them.
async fn talk(store: &SqliteStore, dice: &mut Dice) -> Witnessed {
    let author = Author::User { id: "user1".parse().unwrap(), name: "User".into() };
    let drafts = (0..500u64).map(|n| Message {
        at: NOW,
        ..Message::new(channel(n % CHANNELS), n.to_string(), author.clone(), "a cup of tea")
    });
    let messages = join_all(drafts.map(|draft| {
        let group = is_group(&draft.channel);
        store.accept_planned(draft, Plan { group, ..Plan::default() })
    }))
    .await;
    let messages: Vec<_> = messages.into_iter().map(|accepted| accepted.unwrap().message).collect();
    let mut witnessed = Witnessed::new();
    for n in 0..PERSONAS {
        for key in (0..CHANNELS).map(channel) {
            let from = dice.below(700) as i64;
            let until = from + dice.below(400) as i64;
            store.enter(&persona(n), &key, MessageId(from)).await.unwrap();
            store.leave(&persona(n), &key, MessageId(until)).await.unwrap();
            let heard = messages.iter().filter(|m| m.channel == key && (from..until).contains(&m.id.0));
            witnessed.entry(persona(n)).or_default().extend(heard.map(|message| message.id));
        }
    }
    witnessed
}

/// Makes one call of one of four kinds, asserts that the viewer may see every returned item, and returns their number.
async fn recall(store: &SqliteStore, viewer: &Viewer, heard: &Witnessed, dice: &mut Dice, n: usize) -> usize {
    let items: Vec<Item> = match n % 4 {
        0 | 1 => {
            let number = |dice: &mut Dice| dice.below(1_000) as i64 + 1;
            let mut ids: Vec<_> =
                (0..300).map(|_| ItemId::Memory(greenroom_core::MemoryId(number(dice)))).collect();
            ids.extend((0..200).map(|_| ItemId::Message(MessageId(number(dice)))));
            store.items(viewer, &ids, NOW, true).await.unwrap().items
        }
        2 => {
            let scope = Scope::Channel(channel(dice.below(CHANNELS)));
            let wanted =
                Newest { scope, tier: Tier::Semantic, kind: None, now: NOW, between: None, limit: 30 };
            let memories = store.newest(viewer, &wanted).await.unwrap();
            memories.into_iter().map(Item::Memory).collect()
        }
        _ => {
            let filter =
                MemoryFilter { now: NOW, scopes: Vec::new(), ids: Vec::new(), about: None, limit: 30 };
            let memories = store.memories(viewer, &filter).await.unwrap();
            memories.into_iter().map(Item::Memory).collect()
        }
    };
    for item in &items {
        let allowed = match item {
            Item::Memory(memory) => may_see(viewer, memory),
            Item::Message(message) => {
                &message.channel == viewer.channel() && heard[viewer.persona()].contains(&message.id)
            }
        };
        assert!(allowed, "{viewer:?} got {item:?}");
    }
    items.len()
}
