//! The trait of a tool, the context of a call, and the errors.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use greenroom_core::{MemoryId, MessageId, ToolSchema, TurnId, UserId, Viewer};
use greenroom_memory::TimeZone;
use greenroom_persona::Follow;
use greenroom_store::{ItemId, Sources};
use serde_json::{Map, Value};

/// The viewer and the turn of a tool call. A tool sees what this viewer sees.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// The persona, its channel, and the person it talks with.
    pub viewer: Viewer,
    /// The turn.
    pub turn_id: TurnId,
    /// The message being answered.
    pub trigger: MessageId,
    /// The author of the message.
    pub user: Option<UserId>,
    /// The author's name.
    pub name: String,
    /// Where the author's statements are kept (MP1).
    pub follow: Follow,
    /// The time zone in which days begin (JV8).
    pub zone: TimeZone,
    /// Whether recall finds past messages only if the persona was present for them (GR2).
    pub witness: bool,
    /// The stored items in the turn's context so far: the sources of everything the turn writes.
    pub shown: Shown,
}

/// The stored items that a turn's context contained. If one of them is erased meanwhile, neither the turn's reply nor
/// its memories are stored (GR10). Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Shown(Arc<Mutex<Sources>>);

impl Shown {
    /// The given items as the first sources.
    pub fn new(sources: Sources) -> Self {
        Self(Arc::new(Mutex::new(sources)))
    }

    /// Replaces the sources by the items of a newly assembled context.
    pub fn set(&self, sources: Sources) {
        *self.sources() = sources;
    }

    /// Adds items that a tool showed to the model.
    pub fn add(&self, items: impl IntoIterator<Item = ItemId>) {
        self.sources().items.extend(items);
    }

    /// Removes a memory that a tool forgot in this turn. The turn may still speak of it, so it is not stopped.
    pub fn forgot(&self, memory: MemoryId) {
        self.sources().items.retain(|item| *item != ItemId::Memory(memory));
    }

    /// All sources so far.
    pub fn get(&self) -> Sources {
        self.sources().clone()
    }

    fn sources(&self) -> MutexGuard<'_, Sources> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The model's answer for a failed tool. Never ends a turn by itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The arguments do not fit the schema (L15).
    #[error("invalid arguments for {tool}: {reason}")]
    Arguments {
        /// Which tool.
        tool: String,
        /// The mistake, and what was expected.
        reason: String,
    },
    /// No such tool, or not for this persona (L16).
    #[error("unknown tool `{tool}`; there are: {known}")]
    Unknown {
        /// The requested tool.
        tool: String,
        /// The available tools.
        known: String,
    },
    /// The tool ran and failed (AS7).
    #[error("{tool} failed: {reason}")]
    Failed {
        /// Which tool.
        tool: String,
        /// Why.
        reason: String,
    },
}

/// A tool that a model can call.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// Name, purpose and arguments.
    fn schema(&self) -> ToolSchema;
    /// Runs the tool. The text goes to the model.
    async fn call(&self, context: &ToolContext, arguments: Map<String, Value>) -> Result<String, ToolError>;
}
