//! What one person is told: answers to commands, and that a turn failed. None of it is stored.

use std::time::Duration;

use tokio::time::Instant;

use super::RunningAccount;
use crate::{Notice, Outcome, Request};

/// How long a person is to be told something while the platform asks to wait; after that it is of no use.
const PATIENCE: Duration = Duration::from_secs(120);

impl RunningAccount {
    /// Tells a person something, later where the platform asks to wait.
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
