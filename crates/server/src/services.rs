//! What every handler is given: the runtime, the store, the memory, and where we listen.

use std::{path::PathBuf, sync::Arc};

use greenroom_core::ChannelKey;
use greenroom_memory::Memory;
use greenroom_persona::Settings;
use greenroom_runtime::Runtime;
use greenroom_store::Store;
use tokio_util::sync::CancellationToken;

use crate::{ApiError, Caller, ChannelUse, Gate};

/// What every handler is given. Clones are handles to the same.
#[derive(Clone)]
pub struct Services {
    /// The actors.
    pub runtime: Runtime,
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The memory service over the same store.
    pub memory: Memory,
    /// The settings of the whole program.
    pub settings: Arc<Settings>,
    /// Which channels this process may answer in.
    pub gate: Arc<Gate>,
    /// The data directory.
    pub data: PathBuf,
    /// Cancelled when the server stops: open streams end (S10).
    pub closing: CancellationToken,
    /// Cancelled when no turn runs any more, after that: whatever has become of them was told.
    pub ended: CancellationToken,
}

impl Services {
    /// Takes a channel before something is said in it; what a crash left unfinished there is ended
    /// the first time (S1). What comes back is kept until it is said.
    ///
    /// # Errors
    /// 409 where another process answers there, 429 where the caller keeps too many channels live, 503 where the
    /// store or the system fails.
    pub async fn enter(&self, caller: &Caller, channel: &ChannelKey) -> Result<ChannelUse, ApiError> {
        self.gate.enter(self, caller, channel).await
    }
}
