//! A turn starts over when something that it was shown was erased or changed, and its own messages are still there (GR10).
//!
//! In any channel a person may edit or delete a message while a persona answers another one. Over the API and in a terminal
//! the turn fails, and its caller asks again. People on a chat platform are not told to do so: they would wait for an
//! answer that never comes.

use std::time::Duration;

use greenroom_core::{ChatEvent, ErrorCode};
use greenroom_store::StoreError;

use super::{Turn, budget::Budget, ending::Ending, event_sink::EventSink, progress::Progress};

/// How often a turn is tried. With the pauses between, a bot may edit its own message for half a minute, as bots that
/// stream their answers do.
const TRIES: u32 = 7;
/// The pause after the first try. Each pause is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(500);

impl Turn {
    /// Answers, and starts over while something that the answer is made of is erased. Returns how the last try ended, and
    /// whether it panicked. `sink` and `progress` are those of the last try.
    pub(super) async fn answer_from_what_stays(
        &self,
        mut begun: Result<i64, StoreError>,
        sink: &mut EventSink,
        progress: &mut Progress,
        budget: &mut Budget<'_>,
    ) -> (Ending, bool) {
        let mut pause = PAUSE;
        for _ in 1..TRIES {
            let (ending, crashed) = self.answer_or_break_off(begun, sink, progress, budget).await;
            if !self.starts_over(&ending, sink, progress).await {
                return (ending, crashed);
            }
            tracing::info!(turn_id = %self.trigger.turn, "something a turn was shown was erased; it starts over");
            tokio::select! {
                biased;
                reason = self.interrupt.triggered() => return (reason.into(), false),
                () = self.services.clock.sleep(pause) => {}
            }
            pause *= 2;
            if progress.start_over() {
                let reason = "something it was shown was forgotten".to_owned();
                sink.publish_unchecked(ChatEvent::ReplyDiscarded { reason });
            }
            *sink = self.sink();
            self.services.memory.forget_recall(self.trigger.turn);
            begun = Ok(self.services.erasures.follow().await);
        }
        self.answer_or_break_off(begun, sink, progress, budget).await
    }

    /// Whether the turn is to be tried again. What a tool did is not undone, so that a turn with tool calls is not repeated.
    async fn starts_over(&self, ending: &Ending, sink: &EventSink, progress: &Progress) -> bool {
        if !self.trigger.message().channel.has_accounts() || progress.acted {
            return false;
        }
        let (store, shown) = (&self.services.store, sink.shown().get());
        let is_erased = match ending {
            Ending::Failed(failure) => failure.code == ErrorCode::ForgottenMeanwhile,
            // the store need not be asked if nothing was erased since
            Ending::Reply(_) if self.services.erasures.followed() <= shown.erased => false,
            Ending::Reply(_) => matches!(store.unerased(&shown).await, Err(StoreError::Erased(_))),
            Ending::Cancelled | Ending::Left | Ending::Repeats => false,
        };
        is_erased && store.unerased(&self.conversation.seen(&self.burst)).await.is_ok()
    }
}
