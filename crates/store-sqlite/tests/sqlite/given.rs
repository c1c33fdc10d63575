//! Helpers: stores in temporary directories, and test data.

use greenroom_core::{Author, ChannelKey, Kind, Message, Scope, Source, Tier, Timestamp, Trust, Viewer};
use greenroom_store::{MemoryFilter, NewMemory, prelude::*};
use greenroom_store_sqlite::SqliteStore;
use tempfile::TempDir;

pub(crate) const NOW: Timestamp = Timestamp(1_800_000_000_000_000);

/// An empty store in a new directory.
pub(crate) async fn fresh() -> (SqliteStore, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&directory.path().join("greenroom.db")).await.unwrap();
    (store, directory)
}

pub(crate) fn here() -> ChannelKey {
    "terminal:default".parse().unwrap()
}

pub(crate) fn ada() -> Viewer {
    Viewer::new("ada".parse().unwrap(), here(), None)
}

pub(crate) fn said(event: &str, text: &str) -> Message {
    let author = Author::User { id: "bo".parse().unwrap(), name: "Bo".into() };
    Message { at: NOW, ..Message::new(here(), event, author, text) }
}

pub(crate) fn statement(text: &str) -> NewMemory {
    NewMemory {
        persona: "ada".parse().unwrap(),
        scope: Scope::Global,
        text: text.into(),
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

pub(crate) fn all() -> MemoryFilter {
    MemoryFilter { now: NOW, scopes: Vec::new(), ids: Vec::new(), about: None, limit: usize::MAX }
}

/// The event ids of the whole history.
pub(crate) async fn events(store: &SqliteStore) -> Vec<String> {
    let history = store.history(&here(), None, usize::MAX).await.unwrap();
    history.into_iter().map(|message| message.event_id).collect()
}
