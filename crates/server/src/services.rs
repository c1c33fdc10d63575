//! The services that every handler gets: runtime, store, memory, settings.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use greenroom_adapters::Accounts;
use greenroom_core::ChannelKey;
use greenroom_memory::Memory;
use greenroom_persona::Settings;
use greenroom_runtime::{ChannelUse, Runtime};
use greenroom_store::Store;
use tokio_util::sync::CancellationToken;

use crate::{ApiError, Caller, Chats};

/// The services of every handler. Clones are handles to the same services.
#[derive(Clone)]
pub struct Services {
    /// The actors.
    pub runtime: Runtime,
    /// The store.
    pub store: Arc<dyn Store>,
    /// The memory service over the same store.
    pub memory: Memory,
    /// The settings of the whole program.
    pub settings: Arc<Settings>,
    /// The chats this process answers in.
    pub chats: Arc<Chats>,
    /// The accounts on chat platforms, once they run.
    pub accounts: Arc<OnceLock<Accounts>>,
    /// The data directory.
    pub data: PathBuf,
    /// The directory of persona files.
    pub personas: PathBuf,
    /// Cancelled when the server begins to stop: it refuses requests, and open streams end (S10).
    pub closing: CancellationToken,
    /// Cancelled after that, when the last turn has ended and its last event is published.
    pub ended: CancellationToken,
}

impl Services {
    /// Locks the chat of a channel for this process. Call this before a message is sent, and hold the result until it
    /// has been sent. The first call for a chat ends the turns that a crash left unfinished there (S1).
    ///
    /// # Errors
    /// 409 if another process answers there, 429 if the caller has too many live channels, 503 if the
    /// store or the system fails.
    pub async fn enter(&self, caller: &Caller, channel: &ChannelKey) -> Result<ChannelUse, ApiError> {
        self.chats.enter(&self.runtime, caller, channel).await
    }
}
