//! A turn: one persona's answer to one message, or to a burst of messages.
//!
//! ```text
//! 0 open        opening.rs           the model, and the limit of cost
//! 1 gather      context_builder.rs   history, recall, tools: once for all tool rounds (BD10)
//! 2 assemble    request.rs           messages and receipt under the budget
//! 3 stream      model_call.rs        deltas as they come; tool rounds (tool_round.rs) lead back to 2
//! 4 conclude    ending.rs            the reply and its outbox row, or why there is none
//! ```
//! The channel actor starts a turn in a task of its own, never inside a message handler. `answer.rs` runs the steps.
//! However a turn ends, also by a panic, its end is stored and published as exactly one last event.

mod answer;
pub(crate) mod budget;
mod character;
mod context_builder;
pub(crate) mod contexts;
mod conversation;
pub(crate) mod ending;
mod event_sink;
pub(crate) mod failure;
pub(crate) mod given;
mod images;
pub(crate) mod interrupt;
pub(crate) mod last_request;
mod model_call;
mod opening;
pub(crate) mod options;
mod ordering;
pub(crate) mod past;
pub(crate) mod preview;
mod progress;
pub(crate) mod request;
mod showing;
mod starting_over;
pub(crate) mod stored;
mod tool_round;

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt;
use greenroom_core::{ActorState, Author, Message, MessageId, real_time};
use greenroom_floor::nearly_repeats;
use greenroom_persona::Persona;
use greenroom_store::StoreError;

use budget::Budget;
use conversation::{Conversation, TurnEnd};
use ending::{Ending, fail_earlier, log_done};
use event_sink::EventSink;
use failure::Failure;
use interrupt::Interrupt;
use last_request::LastRequest;
use progress::Progress;
use request::viewer;

use crate::{capture_queue::Exchange, cue::Cue, grant::Grant, services::Services, summary::outgrown};

/// A turn that is about to run.
pub(crate) struct Turn {
    pub(crate) services: Arc<Services>,
    /// The persona when the turn began. A reload meanwhile does not change it.
    pub(crate) persona: Arc<Persona>,
    /// The messages that it answers, oldest first.
    pub(crate) burst: Vec<Arc<Cue>>,
    /// The last one of them.
    pub(crate) trigger: Arc<Cue>,
    pub(crate) conversation: Box<dyn Conversation>,
    pub(crate) interrupt: Interrupt,
    /// What the actor's last turn sent.
    pub(crate) last_request: LastRequest,
}

/// The result of a turn, for its actor and its room.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// Whether it panicked (S7).
    pub(crate) crashed: bool,
    /// The stored reply, if there is one.
    pub(crate) reply: Option<Arc<Message>>,
    /// Whether the reply nearly repeated the persona's last words and was not sent (RM4).
    pub(crate) repeats: bool,
    /// Up to which message the history has to be summarised, if it has outgrown its context (FG12).
    pub(crate) outgrown: Option<MessageId>,
    /// The grant of the answer. Its remaining tokens are for the summary.
    pub(crate) grant: Option<Arc<Grant>>,
}

impl Turn {
    /// Runs the turn to its end.
    pub(crate) async fn run(self) -> Outcome {
        let cued = real_time().instant();
        let mut sink = self.sink();
        let mut progress = Progress::default();
        // the budget is dropped last, when the cost of the turn is stored; until then its tokens stay reserved
        let room = self.services.rooms.limits(&self.trigger.message().channel);
        let mut budget = Budget::of(&self.services, &self.persona)
            .with_grant(self.trigger.terms.grant.as_ref(), room.tokens_per_answer);
        // read before the start of the turn is stored, so that what the turn reads is never older
        let erased = if self.trigger.begun { self.trigger.erased } else { self.services.erasures.followed() };
        // no interrupt here: it would leave half of a burst unfinished in the store
        let begun = self.conversation.begin(&self.services, &self.burst).await;
        if let Err(error) = &begun {
            let earlier = self.burst.iter().map(|cue| cue.turn).filter(|turn| *turn != self.trigger.turn);
            fail_earlier(&self.services, earlier, &Failure::from(error)).await;
        }
        let begun = begun.map(|()| erased);
        let (mut ending, crashed) =
            self.answer_from_what_stays(begun, &mut sink, &mut progress, &mut budget).await;
        let repeats = matches!(ending, Ending::Reply(_)) && self.repeats(&progress);
        if repeats {
            ending = Ending::Repeats;
        }

        let steps = &self.services.metrics.steps;
        if let Some(first_token) = progress.first_token {
            steps.first_token.observe(first_token.as_secs_f64());
        }
        if progress.forgot {
            progress.blank_memories();
            self.forget_turns();
        }
        let usage = progress.cost();
        if let Some(grant) = &self.trigger.terms.grant {
            grant.set_own(usage.total());
        }
        let outgrown = self.outgrown(&progress, &ending);
        let exchange = self.exchange(&mut progress, &ending, &sink);
        let end = TurnEnd { progress, ending, exchange };
        let reply = self.conversation.conclude(&self.services, &self.trigger, &sink, end).await;
        let took = real_time().elapsed(cued);
        steps.turn.observe(took.as_secs_f64());
        if reply.is_some() {
            log_done(usage, took);
        }
        Outcome { crashed, reply, repeats, outgrown, grant: self.trigger.terms.grant.clone() }
    }

    /// The sink of the turn's events, for one try.
    fn sink(&self) -> EventSink {
        let seen = self.conversation.seen(&self.burst);
        EventSink::for_burst(&self.services, &self.trigger, &self.burst, seen)
    }

    /// Answers until there is a reply, a failure, a panic, an interrupt or a timeout. Also returns whether it panicked.
    /// `begun` is the newest erasure that was followed before the turn began.
    async fn answer_or_break_off(
        &self,
        begun: Result<i64, StoreError>,
        sink: &EventSink,
        progress: &mut Progress,
        budget: &mut Budget<'_>,
    ) -> (Ending, bool) {
        let limit = self.persona.model.timeouts.turn;
        let answer = AssertUnwindSafe(self.answer(begun, sink, progress, budget)).catch_unwind();
        let answer = self.services.clock.timeout(limit, answer);
        let ending = tokio::select! {
            biased;
            reason = self.interrupt.triggered() => reason.into(),
            () = sink.erased() => Ending::Failed(Failure::forgotten()),
            // what it finds is handled above
            never = sink.watch_erasures(&self.services) => match never {},
            answered = answer => match answered {
                Ok(Ok(Ok(finish))) => Ending::Reply(finish),
                Ok(Ok(Err(failure))) => Ending::Failed(failure),
                Ok(Err(_panic)) => return (Ending::Failed(Failure::crash()), true),
                Err(_elapsed) => Ending::Failed(Failure::out_of_time(limit)),
            },
        };
        (ending, false)
    }

    /// Whether a reply to a persona or a bot nearly repeats the persona's own last words (RM4). A reply to a person may
    /// repeat itself, because a person may ask the same twice.
    fn repeats(&self, progress: &Progress) -> bool {
        let said_before = progress.said_before.iter().map(String::as_str);
        self.trigger.terms.answers.is_some() && nearly_repeats(&progress.said, said_before)
    }

    /// Drops what is kept of the turns in this channel, because the persona forgot something that they may show (GR10).
    /// Called after the tool round, and again before the end, because the turn goes on to speak of it.
    fn forget_turns(&self) {
        let followed = self.services.erasures.followed();
        let here = &self.trigger.message().channel;
        self.services.erasures.forget_turns(|channel| channel == here, followed);
    }

    /// The exchange to capture after the reply; `None` if memory is off (FG17). If one message of the burst switched
    /// memory off, nothing is captured, because the reply answers all of them.
    fn exchange(&self, progress: &mut Progress, ending: &Ending, sink: &EventSink) -> Option<Exchange> {
        let capture = &self.persona.memory.capture;
        let judged = capture.preferences && self.services.memory.judges_what_is_told();
        // what personas tell each other is no fact about a person
        let wanted = (capture.sessions || capture.facts || capture.tool_results || judged)
            && matches!(self.trigger.message().author, Author::User { .. })
            && self.may_remember()
            && matches!(ending, Ending::Reply(_));
        wanted.then(|| Exchange {
            turn: self.trigger.turn,
            persona: self.persona.clone(),
            settings: capture.clone(),
            // what was told one to one stays private, even if the last message of the burst was said in a group
            viewer: viewer(
                &self.persona,
                self.trigger.message(),
                self.burst.iter().all(|cue| cue.envelope.group),
            ),
            burst: self.burst.iter().map(|cue| cue.message().clone()).collect(),
            reply: progress.said.clone(),
            tool_results: std::mem::take(&mut progress.tool_results),
            recalled: progress.recalled.clone(),
            sources: sink.shown().get(),
            grant: self.trigger.terms.grant.clone(),
            postponed: false,
        })
    }

    /// Up to which message the history has to be summarised, if it has to. Only a reply leads to a summary, because
    /// what failed may be said again.
    fn outgrown(&self, progress: &Progress, ending: &Ending) -> Option<MessageId> {
        let wanted = self.persona.memory.summarise_history
            && self.may_remember()
            && matches!(ending, Ending::Reply(_));
        let receipt = progress.receipt.as_ref().filter(|_| wanted)?;
        outgrown(receipt, self.trigger.message().id, progress.history_cut)
    }

    /// Whether anything of the turn may be remembered (FG17, BD6).
    fn may_remember(&self) -> bool {
        self.conversation.is_stored()
            && self.persona.memory.enabled
            && !self.burst.iter().any(|cue| cue.envelope.disable_memory)
    }

    fn set_state(&self, state: ActorState) {
        self.services.directory.set_state(&self.persona.name, &self.trigger.message().channel, state);
    }
}
