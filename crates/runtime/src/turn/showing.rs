//! What a turn tells of what it recalled, remembered and assembled.

use greenroom_context::{AssembleError, nearly_full};
use greenroom_core::{ChatEvent, NoticeCode, SharedReceipt};

use super::{
    Audience, Failure, Turn,
    progress::Progress,
    scene::{Props, Scene, viewer},
};
use crate::metrics::Found;

impl Turn {
    pub(super) async fn show_recall(&self, audience: &Audience, props: &Props) {
        // not under a message that wants nothing to do with memory (BD6): it waits for the next
        if !self.trigger.disable_memory {
            let viewer = viewer(&self.persona, &self.trigger.message);
            if self.stage.exchanges.has_decided(&viewer) {
                let followed = self.stage.follow_erasures().await;
                for decided in self.stage.exchanges.decided(&viewer) {
                    audience.notice_as_of(followed, NoticeCode::Remembered, decided).await;
                }
            }
        }
        self.count_recall(props);
        if !props.snippets.is_empty() {
            audience.tell(ChatEvent::MemoryContext { memories: props.snippets.clone() }).await;
        }
        if let Some(why) = &props.degraded {
            audience.notice(NoticeCode::MemoryDegraded, why).await;
        }
    }

    /// A turn that wants nothing to do with memory recalls nothing, and that is no miss (BD6).
    pub(super) fn count_recall(&self, props: &Props) {
        let memory = &self.persona.memory;
        if self.trigger.disable_memory || !memory.enabled || !memory.auto_retrieve {
            return;
        }
        let found = match props.degraded {
            Some(_) => Found::Degraded,
            None if props.snippets.is_empty() => Found::Empty,
            None => Found::Hit,
        };
        self.stage.metrics.of(&self.persona.name).recalled(found);
    }

    /// What somebody asked to remember or prefers is remembered at once: a short local write, and the
    /// only capture that stands in front of a reply.
    pub(super) async fn capture(&self, audience: &Audience, scene: &Scene<'_>) -> Result<(), Failure> {
        if !self.persona.memory.enabled || self.given.is_some() {
            return Ok(());
        }
        let settings = &self.persona.memory.capture;
        for cue in self.burst.iter().filter(|cue| !cue.disable_memory) {
            let captured = self.stage.memory.capture_now(&scene.viewer(), &cue.message, settings).await;
            let report = match captured {
                Ok(report) => report,
                Err(greenroom_memory::MemoryError::Store(error)) => return Err(error.into()),
                Err(error) => {
                    audience.notice(NoticeCode::MemoryDegraded, error.to_string()).await;
                    continue;
                }
            };
            if let Some(told) = report.notice() {
                audience.notice(NoticeCode::Remembered, told).await;
            }
            for (_, error) in report.refused {
                audience.notice(NoticeCode::MemoryDegraded, error.to_string()).await;
            }
        }
        Ok(())
    }

    pub(super) async fn show_receipt(&self, audience: &Audience, receipt: &SharedReceipt) {
        audience.tell(ChatEvent::ContextAssembled { receipt: receipt.clone() }).await;
        if let Some(message) = nearly_full(receipt) {
            audience.notice(NoticeCode::ContextWarning, message).await;
        }
    }

    /// No model call then; the receipt shows what took the room (WB14). One a turn is enough.
    pub(super) async fn context_full(
        &self,
        audience: &Audience,
        progress: &Progress,
        full: AssembleError,
    ) -> Failure {
        let AssembleError::ContextFull { receipt, .. } = &full;
        if progress.receipt.is_none() {
            audience.tell(ChatEvent::ContextAssembled { receipt: (**receipt).clone().into() }).await;
        }
        full.into()
    }
}
