//! Tells the author of a message in one short line, once, that a turn failed (AD1). The line is a notice to one person:
//! it is not stored, so no persona answers it. Bots get none.

use std::sync::Arc;

use greenroom_core::{ChatEvent, ErrorCode, MessageId, PersonaName};
use greenroom_runtime::TurnEvents;
use greenroom_store::Store;
use tokio::{sync::Semaphore, time::Instant};

use super::RunningAccount;
use crate::{Notice, Person, Place, text};

/// Messages whose turns are watched at the same time. Failures of further turns are only in the log.
const WATCHED: usize = 256;
/// The placeholder for the persona's name in the setting `failure_notice`.
const PERSONA: &str = "{persona}";

/// Watches the turns that answer messages.
pub(super) struct Failures(Arc<Semaphore>);

impl Default for Failures {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(WATCHED)))
    }
}

impl Failures {
    /// Notifies a person if the turns that answer their message fail.
    pub(super) fn watch(
        &self,
        account: &Arc<RunningAccount>,
        place: Place,
        person: Person,
        message: MessageId,
        turns: TurnEvents,
    ) {
        if account.settings.failure_notice.is_empty() {
            return;
        }
        let Ok(permit) = self.0.clone().try_acquire_owned() else { return };
        let (account, closing) = (account.clone(), account.closing.clone());
        tokio::spawn(async move {
            let failed = closing.run_until_cancelled(failed(turns, message, &*account.store)).await.flatten();
            if let Some(persona) = failed
                && account.quota.permits_failure(&format!("{} {}", place.chat, person.id), Instant::now())
            {
                let name = text::clean_line(&account.face(&persona).name);
                let text = text::neutralise(&account.settings.failure_notice.replace(PERSONA, &name));
                let notice = Notice { place, to: person.id, answer_to: None, text };
                let outcome = account.tell(notice).await;
                tracing::debug!(account = account.settings.name, ?outcome, "a failed turn was told");
            }
            drop(permit);
        });
    }
}

/// The first persona whose turn failed. A turn does not count as failed if its message was erased: then nobody waits for
/// an answer. It does if only something else was erased that it was shown.
async fn failed(mut turns: TurnEvents, message: MessageId, store: &dyn Store) -> Option<PersonaName> {
    while let Some(event) = turns.recv().await {
        let ChatEvent::Failed { code, .. } = &event.event else { continue };
        if *code != ErrorCode::ForgottenMeanwhile || matches!(store.message(message).await, Ok(Some(_))) {
            return Some(event.persona.clone());
        }
    }
    None
}
