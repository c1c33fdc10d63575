//! The memory as a library, for a program that brings its own agent (AS14): four calls over a store, without an actor
//! and without settings.
//!
//! ```
//! use std::sync::Arc;
//! use greenroom_core::{Message, Time, SystemClock, Viewer};
//! use greenroom_memory::{Knowledge, Library};
//! use greenroom_store_sqlite::SqliteStore;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! let store = Arc::new(SqliteStore::open(&directory.path().join("agent.db")).await?);
//! let library = Library::new(store, None, Arc::new(SystemClock)); // words alone, without an embedder
//! let viewer = Viewer::new("agent".parse()?, "api:den".parse()?, Some("jo".parse()?));
//!
//! library.add_knowledge(&viewer, "the harbour opens at nine", "handbook", None).await?;
//! library.persist_turn(&viewer, "is the boat ready?", "it needs paint").await?;
//! let context = library.get_context_for_message(&viewer, "when does the harbour open?").await?;
//! assert_eq!(context.knowledge[0].source, "handbook");
//! # Ok(())
//! # }
//! ```
//! An agent without memory makes none of these calls; nothing else is needed.

use std::sync::Arc;

use greenroom_core::{
    Author, Entropy, Kind, Memory as Stored, Message, Scope, Source, SystemEntropy, Tier, Time, Timestamp,
    Trust, TurnId, Usage, Viewer,
};
use greenroom_models::Embedder;
use greenroom_persona::{MemorySettings, Profile, Strategy};
use greenroom_store::{Item, NewTurn, Sources, Store, TurnCommit};

use crate::{Memory, MemoryError, RecallRequest, Remember};

/// The number of results of a search (AS14).
const SEARCHED: usize = 5;

/// A memory with a small interface for library users. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Library {
    memory: Memory,
    settings: MemorySettings,
}

/// The result of a recall or search: messages and knowledge in separate lists, each best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    /// Messages of people and of the agent.
    pub messages: Vec<Message>,
    /// Statements that the agent knows.
    pub knowledge: Vec<Knowledge>,
}

/// A statement with its source.
#[derive(Debug, Clone, PartialEq)]
pub struct Knowledge {
    /// The statement.
    pub content: String,
    /// The source it was added with.
    pub source: String,
    /// The expiry, from which on the statement is not found.
    pub expires_at: Option<Timestamp>,
    /// The stored memory.
    pub memory: Stored,
}

impl Library {
    /// Returns a library over a store. Without an embedder it searches by words alone.
    pub fn new(store: Arc<dyn Store>, embedder: Option<Arc<dyn Embedder>>, clock: Arc<dyn Time>) -> Self {
        let settings = MemorySettings { strategy: Strategy::Hybrid, ..Profile::Knowledge.settings() };
        Self { memory: Memory::new(store, embedder, clock), settings }
    }

    /// Recalls for a message: at most 5 past messages with a relevance of at least 0.3, and at most 10 knowledge
    /// entries.
    ///
    /// # Errors
    /// [`MemoryError`] if the store fails. If the embedder fails, the result contains only what was found by words.
    pub async fn get_context_for_message(
        &self,
        viewer: &Viewer,
        message: &str,
    ) -> Result<Context, MemoryError> {
        let window = [message.to_owned()];
        let request = RecallRequest::new(TurnId(SystemEntropy.uuid()), &window, &self.settings);
        let recalled = self.memory.recall(viewer, &request).await?;
        Ok(Context::of(recalled.items.into_iter().map(|found| found.item)))
    }

    /// Stores a person's message and the agent's reply, and embeds both.
    ///
    /// # Errors
    /// [`MemoryError`] if the viewer has no user, or if the store fails. Then nothing, or only the message, is stored.
    pub async fn persist_turn(&self, viewer: &Viewer, said: &str, reply: &str) -> Result<(), MemoryError> {
        let Memory { store, clock, .. } = &self.memory;
        let (at, id) = (clock.now(), TurnId(SystemEntropy.uuid()));
        let user = viewer.user().ok_or(MemoryError::Nobody)?;
        let author = Author::User { id: user.clone(), name: user.as_str().to_owned() };
        let message =
            Message { at, ..Message::new(viewer.channel().clone(), id.to_string(), author, said.to_owned()) };
        let turn = NewTurn { id, persona: viewer.persona().clone(), at, begins: true };
        store.accept_planned(message, vec![turn].into()).await?;
        let text = reply.to_owned();
        let usage = Usage::default();
        let sources = Sources::default();
        let commit = TurnCommit { text, at, usage, receipt: None, vector: None, sources, unhandled: false };
        store.commit_turn(id, commit).await?;
        self.memory.index_pending().await?;
        Ok(())
    }

    /// Stores a statement for the viewer's channel, with its source and an optional expiry.
    ///
    /// # Errors
    /// [`MemoryError`] if the text is empty or too long, or if the store fails.
    pub async fn add_knowledge(
        &self,
        viewer: &Viewer,
        content: &str,
        source: &str,
        expires_at: Option<Timestamp>,
    ) -> Result<Knowledge, MemoryError> {
        let statement = Remember {
            text: content.to_owned(),
            kind: Kind::new("fact"),
            tier: Tier::Semantic,
            scope: Scope::Channel(viewer.channel().clone()),
            source: Source { via: source.to_owned(), message: None, user: None },
            trust: Trust::Operator,
            key: None,
            expires_in: expires_at.map(|at| at.since(self.memory.clock.now())),
        };
        Ok(Knowledge::of(self.memory.remember(viewer, statement).await?.memory))
    }

    /// Returns the best 5 of messages and knowledge together.
    ///
    /// # Errors
    /// [`MemoryError`] if the store fails.
    pub async fn search(&self, viewer: &Viewer, query: &str) -> Result<Context, MemoryError> {
        let found = self.memory.search(viewer, query, SEARCHED).await?;
        Ok(Context::of(found.hits.into_iter().map(|hit| hit.item)))
    }
}

impl Context {
    fn of(items: impl Iterator<Item = Item>) -> Self {
        let mut context = Self::default();
        for item in items {
            match item {
                Item::Message(message) => context.messages.push(message),
                Item::Memory(memory) => context.knowledge.push(Knowledge::of(memory)),
            }
        }
        context
    }
}

impl Knowledge {
    fn of(memory: Stored) -> Self {
        Self {
            content: memory.text.clone(),
            source: memory.source.via.clone(),
            expires_at: memory.expires_at,
            memory,
        }
    }
}
