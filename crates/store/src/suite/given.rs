//! Short helpers for the cases.

use greenroom_core::{
    Author, ChannelKey, Entropy, Kind, Memory, MemoryId, Message, PersonaName, Scope, Source, SystemEntropy,
    Tier, Timestamp, Trust, TurnId, Usage, UserId, UserRef, Viewer,
};

use crate::{
    AskedPast, HistorySummary, ItemId, MemoryFilter, NewMemory, NewTurn, Place, Store, TurnCommit,
    VectorSpace,
};

pub(super) const NOW: Timestamp = Timestamp(1_800_000_000_000_000);

/// `NOW` plus this number of seconds.
pub(super) fn later(seconds: i64) -> Timestamp {
    Timestamp(NOW.0 + seconds * 1_000_000)
}

pub(super) fn persona(name: &str) -> PersonaName {
    name.parse().unwrap()
}

pub(super) fn channel(key: &str) -> ChannelKey {
    key.parse().unwrap()
}

pub(super) fn user(id: &str) -> UserId {
    id.parse().unwrap()
}

/// The scope of a person of a platform, `provider:id`.
pub(super) fn about(user: &str) -> Scope {
    Scope::User(user.parse::<UserRef>().unwrap())
}

pub(super) fn viewer(name: &str, key: &str, id: Option<&str>) -> Viewer {
    Viewer::new(persona(name), channel(key), id.map(user))
}

/// Ada as viewer in the terminal, talking with Bo.
pub(super) fn ada() -> Viewer {
    viewer("ada", "terminal:default", Some("bo"))
}

pub(super) fn said(key: &str, event: &str, text: &str, at: Timestamp) -> Message {
    let author = Author::User { id: user("bo"), name: "Bo".into() };
    Message { at, ..Message::new(channel(key), event, author, text) }
}

/// A message of another person.
pub(super) fn said_by(who: &str, key: &str, event: &str, text: &str, at: Timestamp) -> Message {
    let author = Author::User { id: user(who), name: who.into() };
    Message { author, ..said(key, event, text, at) }
}

/// Stores a message of Bo in the terminal.
pub(super) async fn say(store: &dyn Store, text: &str) -> Message {
    let event = SystemEntropy.uuid().to_string();
    store.accept(said("terminal:default", &event, text, NOW)).await.unwrap().message
}

pub(super) fn statement(name: &str, scope: Scope, text: &str) -> NewMemory {
    NewMemory {
        persona: persona(name),
        scope,
        text: text.into(),
        kind: Kind::new("fact"),
        tier: Tier::Semantic,
        source: Source { via: "cli".into(), message: None, user: None },
        trust: Trust::Operator,
        key: None,
        expires_at: None,
        at: NOW,
        sources: Default::default(),
    }
}

/// Stores a global memory of Ada.
pub(super) async fn know(store: &dyn Store, text: &str) -> Memory {
    store.remember(statement("ada", Scope::Global, text)).await.unwrap()
}

/// All live memories at `NOW`.
pub(super) fn all() -> MemoryFilter {
    MemoryFilter { now: NOW, scopes: Vec::new(), ids: Vec::new(), about: None, limit: usize::MAX }
}

/// Ada's memories that hold everywhere.
pub(super) fn everywhere() -> Place {
    Place::Memories(persona("ada"), Scope::Global)
}

/// The vectors of a place in a space, as an index loads them.
pub(super) async fn vectors(
    store: &dyn Store,
    place: &Place,
    space: &VectorSpace,
) -> Vec<(ItemId, Vec<f32>)> {
    let entries = store.load(place, Some(space), None, usize::MAX, NOW).await.unwrap();
    entries.into_iter().filter_map(|entry| Some((entry.item, entry.vector?))).collect()
}

pub(super) fn space(model: &str, dimension: usize) -> VectorSpace {
    VectorSpace { model: model.into(), dimension }
}

pub(super) fn turn_id() -> TurnId {
    TurnId(SystemEntropy.uuid())
}

pub(super) fn planned(name: &str) -> NewTurn {
    NewTurn { id: turn_id(), persona: persona(name), at: NOW, begins: false }
}

/// A running turn of Ada that answers `message`.
pub(super) async fn running(store: &dyn Store, message: &Message) -> TurnId {
    let turn = planned("ada");
    let id = turn.id;
    store.plan_turns(message.id, vec![turn].into()).await.unwrap();
    store.begin_turn(id, NOW).await.unwrap();
    id
}

pub(super) fn reply(text: &str) -> TurnCommit {
    let usage = Usage { prompt_tokens: 100, completion_tokens: 20, estimated: true, cost_micros: 0 };
    TurnCommit {
        text: text.into(),
        at: later(1),
        usage,
        receipt: None,
        vector: None,
        sources: Default::default(),
        unhandled: false,
    }
}

pub(super) async fn texts(store: &dyn Store, viewer: &Viewer) -> Vec<String> {
    store.memories(viewer, &all()).await.unwrap().into_iter().map(|memory| memory.text).collect()
}

pub(super) fn ids(memories: &[Memory]) -> Vec<MemoryId> {
    memories.iter().map(|memory| memory.id).collect()
}

/// Asks for the whole past of a persona in the terminal, where it answers Bo.
pub(super) fn past_of(name: &str) -> AskedPast {
    AskedPast {
        persona: persona(name),
        channel: channel("terminal:default"),
        user: Some("bo".parse().unwrap()),
        heard: true,
        summarised: true,
        other_chats: true,
        limit: 99,
        now: NOW,
    }
}

/// The persona's summary of a channel.
pub(super) async fn summary_of(
    store: &dyn Store,
    persona: &PersonaName,
    channel: &ChannelKey,
) -> Option<HistorySummary> {
    let asked = AskedPast { persona: persona.clone(), channel: channel.clone(), limit: 0, ..past_of("ada") };
    store.past(&asked).await.unwrap().summary
}
