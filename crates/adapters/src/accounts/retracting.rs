//! Deletes replies on the platform after the message that they answer was edited or deleted. The transaction that
//! erases a reply also notes it for deletion, so that neither a failure nor a killed process leaves it on the platform.

use std::{sync::Arc, time::Duration};

use greenroom_store::StoreError;

use super::RunningAccount;
use crate::{Outcome, Place, Request};

/// Retractions per page that is read from the store.
const PAGE: usize = 100;
/// The pause after a failed attempt. It doubles while attempts fail.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// The longest time between two reads. Another process may have erased a message.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Deletes the erased replies of an account until the program stops.
pub(super) async fn retract(account: Arc<RunningAccount>) {
    let mut noted = account.retractions.subscribe();
    let mut pause = FIRST_PAUSE;
    loop {
        noted.borrow_and_update();
        let mut wait = LOOK_AGAIN;
        if account.progress.is_online() {
            match look(&account).await {
                Ok(None) => pause = FIRST_PAUSE,
                Ok(Some(asked)) => {
                    wait = asked.max(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(error) => {
                    let account = &account.settings.name;
                    tracing::warn!(account, %error, "what is to be deleted on the platform cannot be read");
                }
            }
        }
        tokio::select! {
            () = account.closing.cancelled() => return,
            _ = noted.changed() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Tries to delete each reply once. If any are left, returns the longest wait that the platform asks for.
async fn look(account: &RunningAccount) -> Result<Option<Duration>, StoreError> {
    let (mut due, mut after) = (Vec::new(), 0);
    // older retractions may belong to other accounts, also to accounts that do not run
    loop {
        let page = account.store.retractions(account.adapter.platform(), after, PAGE).await?;
        let is_last = page.len() < PAGE;
        after = page.last().map_or(after, |last| last.id);
        due.extend(page.into_iter().filter(|one| account.is_first(&one.channel, &one.persona)));
        if is_last || due.len() >= PAGE {
            break;
        }
    }
    let mut left = None;
    for retraction in due {
        let request = Request::Delete {
            place: Place::of(&retraction.channel),
            event_id: retraction.event_id,
            face: Some(account.face(&retraction.persona)),
        };
        match account.adapter.perform(request).await {
            Outcome::Done { .. } => account.store.retracted(retraction.id).await?,
            Outcome::Refused(why) => {
                let account_name = &account.settings.name;
                tracing::warn!(
                    account = account_name,
                    why,
                    "a reply to an erased message stays on the platform"
                );
                account.store.retracted(retraction.id).await?;
            }
            Outcome::RetryAfter(wait) => left = left.max(Some(wait)),
            // repeating a deletion is harmless
            Outcome::Offline | Outcome::Denied(_) | Outcome::Failed(_) | Outcome::Uncertain(_) => {
                left = left.max(Some(Duration::ZERO))
            }
        }
    }
    Ok(left)
}
