//! Writes that are tried again while the store takes nothing, as on a full disk (S3).

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use greenroom_core::Time;
use greenroom_store::StoreError;

/// The wait before the first try; it doubles each time up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(4);

/// Tries a write again, in a task, until the store has taken it or refuses it for good: it has closed, or what the write
/// names is gone. What is not stored when the program ends is lost.
pub(crate) fn write_again(
    clock: Arc<dyn Time>,
    write: impl Fn() -> BoxFuture<'static, Result<(), StoreError>> + Send + 'static,
) {
    tokio::spawn(async move {
        let mut wait = FIRST_WAIT;
        loop {
            clock.sleep(wait).await;
            match write().await {
                Ok(()) | Err(StoreError::Erased(_) | StoreError::Closed) => return,
                Err(error) if error.is_refusal() => return,
                Err(_) => wait = (wait * 2).min(LONGEST_WAIT),
            }
        }
    });
}
