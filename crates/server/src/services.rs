//! What every handler is given: the runtime, the store, the memory, and where we listen.

use std::{path::PathBuf, sync::Arc};

use greenroom_core::ChannelKey;
use greenroom_memory::Memory;
use greenroom_persona::Settings;
use greenroom_runtime::Runtime;
use greenroom_store::Store;
use http::StatusCode;
use tokio_util::sync::CancellationToken;

use crate::ApiError;

/// Lets this process answer in a channel, or says who else does: one process answers in a channel.
pub trait ChannelGate: Send + Sync + 'static {
    /// Takes the channel for this process; false when it has it already.
    ///
    /// # Errors
    /// What to tell whoever wanted to talk there.
    fn enter(&self, channel: &ChannelKey) -> Result<bool, String>;
}

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
    pub gate: Arc<dyn ChannelGate>,
    /// The data directory.
    pub data: PathBuf,
    /// Cancelled when the server stops: open streams end (S10).
    pub closing: CancellationToken,
}

impl Services {
    /// Takes a channel before something is said in it; what a crash left unfinished there is ended
    /// the first time (S1).
    ///
    /// # Errors
    /// 409 where another process answers there, 503 where the store fails.
    pub async fn enter(&self, channel: &ChannelKey) -> Result<(), ApiError> {
        let elsewhere = |message| ApiError::new(StatusCode::CONFLICT, "channel_elsewhere", message);
        if self.gate.enter(channel).map_err(elsewhere)? {
            self.runtime.recover(channel).await?;
        }
        Ok(())
    }
}
