//! Repeats writes while the store takes none, for example because the disk is full (S3).

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use greenroom_core::Time;
use greenroom_store::StoreError;

/// The wait before the first try. It doubles each time, up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(4);

/// Repeats a write in a task until the store takes it or refuses it for good: the store has closed, or the write names
/// something that is gone. A write that is still pending when the program ends is lost.
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
