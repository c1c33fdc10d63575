//! The memory actor embeds stored texts and deletes expired memories, always after a reply and never before one. Reads
//! do not use it: recall reads the index and the store directly. While no persona has a memory, there is no such actor
//! (FG17).

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use greenroom_core::Timestamp;
use ractor::{Actor, ActorProcessingErr, ActorRef};

use crate::services::Services;

/// Expired memories are invisible at once (AS9). Their rows are deleted at most this often.
const SWEEP_EVERY: Duration = Duration::from_secs(3600);

/// There is something to embed.
pub(crate) struct Index;

pub(crate) struct MemoryActor;

/// What a memory actor starts with.
pub(crate) struct MemoryArgs {
    pub(crate) services: Arc<Services>,
    /// True while an [`Index`] is in the mailbox. One is enough, so the mailbox stays short.
    pub(crate) asked: Arc<AtomicBool>,
}

pub(crate) struct MemoryActorState {
    args: MemoryArgs,
    swept: Option<Timestamp>,
}

impl Actor for MemoryActor {
    type Msg = Index;
    type State = MemoryActorState;
    type Arguments = MemoryArgs;

    async fn pre_start(
        &self,
        _: ActorRef<Index>,
        args: MemoryArgs,
    ) -> Result<MemoryActorState, ActorProcessingErr> {
        Ok(MemoryActorState { args, swept: None })
    }

    async fn handle(
        &self,
        _: ActorRef<Index>,
        _: Index,
        state: &mut MemoryActorState,
    ) -> Result<(), ActorProcessingErr> {
        state.args.asked.store(false, Ordering::SeqCst);
        let closing = state.args.services.closing.clone();
        let work = async {
            state.index().await;
            state.sweep().await;
        };
        // an embedder that does not answer must not delay the end of the program (S10)
        tokio::select! {
            biased;
            () = closing.cancelled() => {}
            () = work => {}
        }
        Ok(())
    }
}

impl MemoryActorState {
    /// Embeds the pending texts. A text that cannot be embedded now stays pending until the next time (L18).
    async fn index(&self) {
        let MemoryArgs { services, .. } = &self.args;
        match services.memory.index_pending_of(&services.cast.remembering()).await {
            Ok(report) => tracing::debug!(report.embedded, report.pending, "indexed"),
            Err(error) => tracing::warn!(%error, "could not index; what waits stays pending"),
        }
    }

    /// Deletes expired memories, once an hour.
    async fn sweep(&mut self) {
        if !self.args.services.settings.sweeps {
            return;
        }
        let now = self.args.services.now();
        // a moment in the future comes from a clock that was set back since (S5)
        if self.swept.is_some_and(|at| at <= now && now.since(at) < SWEEP_EVERY) {
            return;
        }
        match self.args.services.store.sweep(now).await {
            Ok(swept) => {
                tracing::debug!(swept, "swept expired memories");
                self.swept = Some(now);
            }
            Err(error) => tracing::warn!(%error, "could not sweep expired memories"),
        }
    }
}
