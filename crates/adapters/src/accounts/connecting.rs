//! Keeps an account connected. A lock lets one process connect an account; another process waits for the lock.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt;
use greenroom_core::ChannelKey;
use greenroom_runtime::HeldLock;
use tokio::time::Instant;

use super::{RunningAccount, intake::Intake, quota::HOUR, status::AccountState};
use crate::{ConnectionState, Ended, Inlet, Place};

/// The pause before the next attempt. It doubles while attempts fail. Half of it is random, so that the clients that a
/// server lost do not all reconnect at once.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The pause before the next attempt to take the account's lock.
const LOCK_PAUSE: Duration = Duration::from_secs(2);
/// The time for an adapter to return from `run` when the program stops.
const GOODBYE: Duration = Duration::from_secs(2);

/// Connects until the program stops, or the platform refuses the account.
pub(super) async fn keep_connected(account: Arc<RunningAccount>) {
    let Some(_lock) = locked(&account).await else { return };
    account.progress.hold();
    restore_quota(&account).await;
    let intake = Intake::new(account.clone());
    let mut pause = FIRST_PAUSE;
    while !account.closing.is_cancelled() {
        intake.report(ConnectionState::Connecting);
        let ended = connection(&account, &intake).await;
        let was_online = account.progress.went_offline();
        if was_online {
            pause = FIRST_PAUSE;
        }
        match ended {
            Ended::Stopped => return,
            Ended::Reconnect => {}
            Ended::Refused(why) => {
                tracing::error!(account = account.settings.name, why, "the platform refuses an account");
                account.progress.set(AccountState::Refused, Some(why));
                // keep the lock, so that `greenroom accounts` shows that the account runs and why it is not online
                account.closing.cancelled().await;
                return;
            }
            Ended::Broken(why) => {
                tracing::warn!(
                    account = account.settings.name,
                    why,
                    ?pause,
                    "a connection broke; it is made again"
                );
                account.progress.set(AccountState::Waiting, Some(why));
                let drawn = drawn(pause, getrandom::u32().unwrap_or_default());
                let _ = account.closing.run_until_cancelled(tokio::time::sleep(drawn)).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// A random duration between half of `pause` and all of it.
fn drawn(pause: Duration, random: u32) -> Duration {
    pause / 2 + (pause / 2).mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// Counts the messages of the last hour from the store, because a restart clears the quota.
async fn restore_quota(account: &RunningAccount) {
    let since = account.runtime.now().before(HOUR);
    match account.store.activity_since(account.adapter.platform(), since).await {
        Ok(mut heard) => {
            heard.retain(|one| account.adapter.serves(&Place::of(&one.channel)));
            account.quota.restore(&heard, Instant::now());
        }
        Err(error) => {
            tracing::warn!(account = account.settings.name, %error, "the limits of people begin anew");
        }
    }
}

/// Runs one connection. A panic of the adapter ends only this connection.
async fn connection(account: &RunningAccount, intake: &Intake) -> Ended {
    let run = AssertUnwindSafe(account.adapter.run(intake)).catch_unwind();
    let stopped = async {
        account.closing.cancelled().await;
        tokio::time::sleep(GOODBYE).await;
    };
    tokio::select! {
        ended = run => ended.unwrap_or_else(|_| Ended::Broken("the adapter crashed; the log says more".into())),
        () = stopped => Ended::Stopped,
    }
}

/// Waits for the lock of the account. `None` if the program stops first.
async fn locked(account: &RunningAccount) -> Option<HeldLock> {
    let key: ChannelKey = format!("account:{}", account.settings.name).parse().ok()?;
    loop {
        let why = match account.chats.lock_alone(&key) {
            Ok(lock) => return Some(lock),
            Err(why) => why.to_string(),
        };
        if account.progress.set(AccountState::Elsewhere, Some(why.clone())) {
            tracing::warn!(account = account.settings.name, why, "an account waits for another process");
        }
        account.closing.run_until_cancelled(tokio::time::sleep(LOCK_PAUSE)).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without the limit, an account stayed offline for up to two minutes after an outage of some minutes.
    #[test]
    fn ad3_the_pause_between_attempts_is_bounded_and_drawn() {
        let seconds = |random| drawn(LONGEST_PAUSE, random).as_secs();
        assert_eq!((seconds(0), seconds(u32::MAX)), (15, 30));
        assert!(drawn(FIRST_PAUSE, 7) >= FIRST_PAUSE / 2);
    }
}
