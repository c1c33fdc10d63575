//! What a turn publishes about its recall, its captures and its context.

use greenroom_context::{AssembleError, nearly_full};
use greenroom_core::{ChatEvent, NoticeCode, SharedReceipt};

use super::{
    Turn,
    event_sink::EventSink,
    failure::Failure,
    progress::Progress,
    request::{ContextInputs, viewer},
};
use crate::metrics::RecallOutcome;

impl Turn {
    pub(super) async fn show_recall(&self, sink: &EventSink, inputs: &ContextInputs) {
        // with memory switched off (BD6) the notices of captures wait for the next turn
        if !self.trigger.envelope.disable_memory {
            let viewer = viewer(&self.persona, self.trigger.message(), self.trigger.envelope.group);
            if self.services.capture_queue.has_notices(&viewer) {
                let followed = self.services.erasures.follow().await;
                for notice in self.services.capture_queue.take_notices(&viewer) {
                    sink.notice_as_of(followed, NoticeCode::Remembered, notice);
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

    /// Counts the recall, unless memory is switched off (BD6).
    fn count_recall(&self, inputs: &ContextInputs) {
        let memory = &self.persona.memory;
        if self.trigger.envelope.disable_memory || !memory.enabled || !memory.auto_retrieve {
            return;
        }
        let found = match inputs.degraded {
            Some(_) => RecallOutcome::Degraded,
            None if inputs.snippets.is_empty() => RecallOutcome::Empty,
            None => RecallOutcome::Hit,
        };
        self.services.metrics.of(&self.persona.name).recalled(found);
    }

    /// Captures requests and preferences at once. This is a short local write, and the only capture before a reply.
    pub(super) async fn capture(&self, sink: &EventSink) -> Result<(), Failure> {
        if !self.persona.memory.enabled || !self.conversation.is_stored() {
            return Ok(());
        }
        let settings = &self.persona.memory;
        for cue in self.burst.iter().filter(|cue| !cue.envelope.disable_memory) {
            // as it was when the message was said
            let viewer = viewer(&self.persona, cue.message(), cue.envelope.group);
            let captured = self.services.memory.capture_now(&viewer, cue.message(), settings).await;
            let report = match captured {
                Ok(report) => report,
                Err(greenroom_memory::MemoryError::Store(error)) => return Err(error.into()),
                Err(error) => {
                    sink.notice(NoticeCode::MemoryDegraded, error.to_string()).await;
                    continue;
                }
            };
            if let Some(notice) = report.notice() {
                sink.notice(NoticeCode::Remembered, notice).await;
            }
            for (_, error) in report.refused {
                sink.notice(NoticeCode::MemoryDegraded, error.to_string()).await;
            }
        }
        Ok(())
    }

    pub(super) async fn show_receipt(&self, sink: &EventSink, receipt: &SharedReceipt, larger: &str) {
        sink.tell(ChatEvent::ContextAssembled { receipt: receipt.clone() }).await;
        if let Some(message) = nearly_full(receipt, larger) {
            sink.notice(NoticeCode::ContextWarning, message).await;
        }
    }

    /// The failure if no message of the history fits. The receipt shows what takes the tokens (WB14). It is published
    /// once per turn.
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
