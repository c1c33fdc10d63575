//! Sends notices to one person: answers to commands, and that a turn failed. Notices are not stored.

use std::time::Duration;

use tokio::time::Instant;

use super::RunningAccount;
use crate::{Notice, Outcome, Request};

/// How long a notice may wait if the platform asks to wait. After that it is dropped.
const PATIENCE: Duration = Duration::from_secs(120);

impl RunningAccount {
    /// Sends a notice. Waits and tries again if the platform asks to wait.
    pub(super) async fn tell(&self, notice: Notice) -> Outcome {
        let until = Instant::now() + PATIENCE;
        loop {
            let outcome = self.adapter.perform(Request::Notice(notice.clone())).await;
            match outcome {
                Outcome::RetryAfter(wait) if Instant::now() + wait < until => {
                    let waited = self.closing.run_until_cancelled(tokio::time::sleep(wait)).await;
                    if waited.is_none() {
                        return outcome;
                    }
                }
                outcome => return outcome,
            }
        }
    }
}
