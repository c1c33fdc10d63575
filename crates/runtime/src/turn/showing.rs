//! What a turn tells of what it recalled, remembered and assembled.

use greenroom_context::{AssembleError, nearly_full};
use greenroom_core::{ChatEvent, NoticeCode, SharedReceipt};

use super::{
    EventSink, Failure, Turn,
    context_builder::{ContextBuilder, ContextInputs, viewer},
    progress::Progress,
};
use crate::metrics::RecallOutcome;

impl Turn {
    pub(super) async fn show_recall(&self, sink: &EventSink, inputs: &ContextInputs) {
        // not under a message that wants nothing to do with memory (BD6): it waits for the next
        if !self.trigger.disable_memory {
            let viewer = viewer(&self.persona, &self.trigger.message);
            if self.services.capture_queue.has_decided(&viewer) {
                let followed = self.services.follow_erasures().await;
                for decided in self.services.capture_queue.decided(&viewer) {
                    sink.notice_as_of(followed, NoticeCode::Remembered, decided).await;
                }
            }
        }
        self.count_recall(inputs);
        if !inputs.snippets.is_empty() {
            sink.tell(ChatEvent::MemoryContext { memories: inputs.snippets.clone() }).await;
        }
        if let Some(why) = &inputs.degraded {
            sink.notice(NoticeCode::MemoryDegraded, why).await;
        }
    }

    /// A turn that wants nothing to do with memory recalls nothing, and that is no miss (BD6).
    pub(super) fn count_recall(&self, inputs: &ContextInputs) {
        let memory = &self.persona.memory;
        if self.trigger.disable_memory || !memory.enabled || !memory.auto_retrieve {
            return;
        }
        let found = match inputs.degraded {
            Some(_) => RecallOutcome::Degraded,
            None if inputs.snippets.is_empty() => RecallOutcome::Empty,
            None => RecallOutcome::Hit,
        };
        self.services.metrics.of(&self.persona.name).recalled(found);
    }

    /// What somebody asked to remember or prefers is remembered at once: a short local write, and the
    /// only capture that stands in front of a reply.
    pub(super) async fn capture(
        &self,
        sink: &EventSink,
        builder: &ContextBuilder<'_>,
    ) -> Result<(), Failure> {
        if !self.persona.memory.enabled || self.given.is_some() {
            return Ok(());
        }
        let settings = &self.persona.memory.capture;
        for cue in self.burst.iter().filter(|cue| !cue.disable_memory) {
            let captured = self.services.memory.capture_now(&builder.viewer(), &cue.message, settings).await;
            let report = match captured {
                Ok(report) => report,
                Err(greenroom_memory::MemoryError::Store(error)) => return Err(error.into()),
                Err(error) => {
                    sink.notice(NoticeCode::MemoryDegraded, error.to_string()).await;
                    continue;
                }
            };
            if let Some(told) = report.notice() {
                sink.notice(NoticeCode::Remembered, told).await;
            }
            for (_, error) in report.refused {
                sink.notice(NoticeCode::MemoryDegraded, error.to_string()).await;
            }
        }
        Ok(())
    }

    pub(super) async fn show_receipt(&self, sink: &EventSink, receipt: &SharedReceipt) {
        sink.tell(ChatEvent::ContextAssembled { receipt: receipt.clone() }).await;
        if let Some(message) = nearly_full(receipt) {
            sink.notice(NoticeCode::ContextWarning, message).await;
        }
    }

    /// No model call then; the receipt shows what took the room (WB14). One a turn is enough.
    pub(super) async fn context_full(
        &self,
        sink: &EventSink,
        progress: &Progress,
        full: AssembleError,
    ) -> Failure {
        let AssembleError::ContextFull { receipt, .. } = &full;
        if progress.receipt.is_none() {
            sink.tell(ChatEvent::ContextAssembled { receipt: (**receipt).clone().into() }).await;
        }
        full.into()
    }
}
