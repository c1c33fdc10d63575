//! Delayed messages to actors. ractor's own timers know only real time, not that of a simulation.

use std::time::Duration;

use ractor::{ActorRef, Message};
use tokio::task::AbortHandle;

use crate::services::Services;

/// Sends `message` after `wait`, unless the handle aborts it or the actor has ended by then.
pub(crate) fn send_after<M: Message>(
    services: &Services,
    wait: Duration,
    actor: &ActorRef<M>,
    message: M,
) -> AbortHandle {
    let (slept, actor) = (services.clock.sleep(wait), actor.clone());
    let sending = tokio::spawn(async move {
        slept.await;
        // the actor may have ended
        let _ = actor.send_message(message);
    });
    sending.abort_handle()
}
