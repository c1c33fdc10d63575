//! One turn: one persona's answer to one message, or to one burst of them.
//!
//! ```text
//! 0 open        opening.rs           begun in the store, with a model, within the limit of cost
//! 1 recall      context_builder.rs   what matters, once for all tool rounds (BD10); told by showing.rs
//! 2 assemble    context_builder.rs   messages and receipt under the budget
//! 3 stream      speech.rs            deltas as they come; tool rounds (tool_round.rs) loop to 2
//! 4 commit      ending.rs            reply and outbox row, or why there is none
//! ```
//! A turn runs in a task of its own, never inside a message handler. However it ends, a defect of
//! ours included, it ends in the store and with exactly one last event.

mod budget;
mod context_builder;
mod contexts;
mod conversation;
mod ending;
mod event_sink;
mod given;
mod interrupt;
mod last_request;
mod opening;
mod past;
mod preview;
mod progress;
mod showing;
mod speech;
mod tool_round;

use std::{panic::AssertUnwindSafe, sync::Arc, time::Instant};

use futures::FutureExt;
use greenroom_context::Outline;
use greenroom_core::{ActorState, Finish, Message, MessageId, NoticeCode, SharedReceipt, Timestamp};
use greenroom_models::{ChatRequest, FinishReason, ModelError};
use greenroom_persona::Persona;
use greenroom_store::{ItemId, Sources, StoreError};
use serde_json::{Map, Value};
use tracing::info_span;

use context_builder::{ContextBuilder, ContextInputs};
use contexts::Ingredients;
use ending::Ending;
use event_sink::EventSink;
use given::Given;
use progress::Progress;
use tool_round::{ToolRounds, write_out};

pub(crate) use {
    budget::{Budget, instead, standing},
    context_builder::{viewer, window},
    contexts::Contexts,
    ending::{Failure, call_off, refuse},
    given::complete,
    interrupt::{Interrupt, InterruptReason},
    last_request::LastRequest,
    past::Beginning,
    preview::preview,
};

use crate::{
    capture_queue::Exchange,
    cue::Cue,
    metrics::{step, step_at_once},
    services::Services,
    summary::outgrown,
};

/// A turn about to be played.
pub(crate) struct Turn {
    pub(crate) services: Arc<Services>,
    /// As it was when the turn began, whatever is reloaded meanwhile.
    pub(crate) persona: Arc<Persona>,
    /// The messages it answers, oldest first.
    pub(crate) burst: Vec<Arc<Cue>>,
    /// The last one of them.
    pub(crate) trigger: Arc<Cue>,
    pub(crate) interrupt: Interrupt,
    /// What the actor's last turn sent.
    pub(crate) last_request: LastRequest,
    /// The conversation, where it is given; otherwise it is the channel's, and the turn is stored.
    pub(crate) given: Option<Given>,
}

/// So often a turn gathers what it is made of, while some of that is erased each time.
const GATHERINGS: usize = 3;

/// How a turn began.
#[derive(Debug, Clone, Copy)]
struct TurnStart {
    /// When: what other processes had written by then is seen.
    at: Instant,
    /// The newest erasure that had been followed before that.
    erased: i64,
}

/// What became of a turn, for its actor and its room.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outcome {
    /// It panicked (S7).
    pub(crate) crashed: bool,
    /// When the persona spoke, if it did.
    pub(crate) spoke: Option<Timestamp>,
    /// How far its history is to be summarised, if it has outgrown its context (FG12).
    pub(crate) outgrown: Option<MessageId>,
}

impl Turn {
    /// Plays the turn to its end.
    pub(crate) async fn play(self) -> Outcome {
        let cued = Instant::now();
        let sink = EventSink::of(&self.services, &self.trigger, &self.burst, self.seen(), &self.interrupt);
        let mut progress = Progress::default();
        // given back at the very end, when the cost of the turn is stored
        let mut budget = Budget::of(&self.services, &self.persona);
        let mut crashed = false;
        // known before the moment from which on what is held is true: what was erased up to here is not read
        let erased =
            if self.trigger.begun.is_some() { self.trigger.erased } else { self.services.followed() };
        // not to be broken off: half a burst would stay unfinished in the store
        let begun = if self.given.is_none() { self.begin().await } else { Ok(cued) };
        if let Err(error) = &begun {
            let earlier = self.burst.iter().map(|cue| cue.turn).filter(|turn| *turn != self.trigger.turn);
            ending::fail_earlier(&self.services, earlier, &Failure::from(error)).await;
        }
        let begun = begun.map(|at| TurnStart { at, erased });
        let ending = {
            let answer = tokio::time::timeout(
                self.persona.model.timeouts.turn,
                AssertUnwindSafe(self.answer(begun, &sink, &mut progress, &mut budget)).catch_unwind(),
            );
            tokio::select! {
                biased;
                why = self.interrupt.heard() => match why {
                    InterruptReason::Asked => Ending::Cancelled,
                    InterruptReason::Crashed => Ending::Failed(Failure::crash()),
                    InterruptReason::Forgotten => Ending::Failed(Failure::forgotten()),
                },
                // it interrupts the turn, which is heard above
                never = sink.watch_erasures(&self.services) => match never {},
                answered = answer => match answered {
                    Ok(Ok(Ok(finish))) => Ending::Reply(finish),
                    Ok(Ok(Err(failure))) => Ending::Failed(failure),
                    Ok(Err(_panic)) => {
                        crashed = true;
                        Ending::Failed(Failure::crash())
                    }
                    Err(_elapsed) => Ending::Failed(Failure::out_of_time(self.persona.model.timeouts.turn)),
                },
            }
        };
        let steps = &self.services.metrics.steps;
        if let Some(first_token) = progress.first_token {
            steps.first_token.observe(first_token.as_secs_f64());
        }
        if self.given.is_some() {
            given::close(&self.services, &self.trigger, &sink, progress, ending).await;
            steps.turn.observe(cued.elapsed().as_secs_f64());
            return Outcome { crashed, ..Outcome::default() };
        }
        if progress.forgot {
            progress.blank();
            self.forget_turns();
        }
        let usage = progress.cost();
        let outgrown = self.outgrown(&progress, &ending);
        let exchange = self.exchange(&mut progress, &ending, &sink);
        let spoke = ending::conclude(&self.services, &self.trigger, &sink, progress, ending, exchange).await;
        steps.turn.observe(cued.elapsed().as_secs_f64());
        if spoke.is_some() {
            ending::log_done(usage, cued.elapsed());
        }
        Outcome { crashed, spoke, outgrown }
    }

    /// What the turn has seen when it begins: the messages it answers, where they are stored.
    fn seen(&self) -> Sources {
        if self.given.is_some() {
            return Sources { erased: self.trigger.erased, ..Sources::default() };
        }
        Sources {
            erased: self.burst.iter().map(|cue| cue.erased).min().unwrap_or_default(),
            items: self.burst.iter().map(|cue| ItemId::Message(cue.message.id)).collect(),
            summary_of: None,
        }
    }

    /// The persona forgot something: what this turn and those before it were shown, it was shown here
    /// (GR10). At once, and again before its end is told, for the turn goes on to speak of it.
    fn forget_turns(&self) {
        let followed = self.services.followed();
        self.services.forget_turns(|channel| *channel == self.trigger.message.channel, followed);
    }

    /// The way of one message, from its persona's side.
    async fn answer(
        &self,
        begun: Result<TurnStart, StoreError>,
        sink: &EventSink,
        progress: &mut Progress,
        budget: &mut Budget<'_>,
    ) -> Result<Finish, Failure> {
        let (model, begun) = self.open(begun, sink, progress, budget).await?;
        let burst: Vec<&Message> = self.burst.iter().map(|cue| &*cue.message).collect();
        let mut builder = ContextBuilder {
            services: &self.services,
            persona: &self.persona,
            model: &model,
            turn_id: self.trigger.turn,
            burst: &burst,
            trigger: &self.trigger.message,
            project: self.trigger.project.as_deref(),
            recall: !self.trigger.disable_memory,
            given: self.given.as_ref(),
            as_of: begun.at,
        };

        // before anything may fail or take long
        self.capture(sink, &builder).await?;

        // 1 recall
        let steps = &self.services.metrics.steps;
        // boxed, as it is by far the largest part of a turn: the rest of it would drag the room for it along
        let gathering = Box::pin(self.gather(&mut builder, begun.erased));
        let inputs = Arc::new(step(info_span!("recall"), &steps.recall, gathering).await?);
        progress.history_cut = inputs.cut;
        progress.recalled = inputs.snippets.clone();
        sink.show(inputs.sources.clone()).await?;
        self.show_recall(sink, &inputs).await;

        let since = self.given.as_ref().map(|given| given.since.clone()).unwrap_or_default();
        let mut rounds = ToolRounds::new(self.persona.limits.tool_rounds, since);
        let mut window = builder.window();
        let mut with_tools = !inputs.tools.is_empty();
        let mut cut_off = false;
        loop {
            // 2 assemble
            let assembled = step_at_once(&info_span!("assemble"), &steps.assemble, || {
                builder.assemble(&inputs, window, &rounds.messages, with_tools)
            });
            let mut assembled = match assembled {
                Ok(assembled) => assembled,
                // what the tools said takes too much: no more of it, and then less (WB14)
                Err(_) if with_tools && rounds.any() => {
                    let why = "what the tools answered fills the context; the reply is made of what there is";
                    sink.notice(NoticeCode::ToolsCutOff, why).await;
                    (with_tools, cut_off) = (false, true);
                    continue;
                }
                Err(_) if rounds.shorten() => continue,
                Err(full) => return Err(self.context_full(sink, progress, full).await),
            };
            let outline = Outline::of(&assembled.messages);
            assembled.receipt.reusable_prefix = self.last_request.share_of(&outline);
            let receipt = SharedReceipt::from(assembled.receipt);
            if progress.receipt.is_none() {
                self.show_receipt(sink, &receipt).await;
            }
            let request = ChatRequest {
                model: model.name.clone(),
                messages: assembled.messages,
                tools: if with_tools { inputs.tools.clone() } else { Vec::new() },
                temperature: self.persona.model.temperature,
                max_output_tokens: u32::try_from(receipt.reserve).unwrap_or(u32::MAX),
                prompt_tokens: receipt.budget.total_tokens as u64,
                extra: self.extra(with_tools),
            };
            progress.receipt = Some(receipt);
            if !budget.allows(progress.cost().total(), request.prompt_tokens).await? {
                if !(with_tools && rounds.any()) {
                    return Err(budget.exceeded());
                }
                let why = "the hourly token budget is almost used up; the reply is made of what there is";
                sink.notice(NoticeCode::ToolsCutOff, why).await;
                (with_tools, cut_off) = (false, true);
                continue;
            }

            // 3 stream
            self.last_request.sent(outline);
            let ingredients = Ingredients {
                channel: self.trigger.message.channel.clone(),
                persona: self.persona.clone(),
                model: model.clone(),
                inputs: inputs.clone(),
                window,
                rounds: rounds.messages.clone(),
                with_tools,
                reusable_prefix: progress.receipt.as_ref().and_then(|receipt| receipt.reusable_prefix),
            };
            let keep = |checked| self.services.contexts.keep(self.trigger.turn, &ingredients, checked);
            sink.checked_against(keep).await;
            self.state(ActorState::Thinking);
            let spoken = speech::stream(&model, request, sink, progress);
            let spoken = match step(info_span!("model"), &steps.model, spoken).await {
                Ok(mut spoken) => {
                    write_out(&mut spoken.tool_calls, &inputs.tools);
                    spoken
                }
                // once, with a quarter less: the endpoint's window is smaller than we were told (L12)
                Err(ModelError::ContextLength { .. }) if window == builder.window() => {
                    window = window / 4 * 3;
                    let message =
                        format!("the model's window is smaller than expected; trying with {window} tokens");
                    sink.notice(NoticeCode::Retrying, message).await;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if !with_tools || spoken.tool_calls.is_empty() || spoken.reason == FinishReason::ContentFilter {
                return speech::finish(&progress.said, spoken.reason, cut_off);
            }
            let theirs = self.given.as_ref().map(|given| given.handed_over(&spoken.tool_calls));
            if let Some(theirs) = theirs.filter(|theirs| !theirs.is_empty()) {
                rounds.hand_over(&theirs, sink).await;
                return Ok(Finish::ToolCalls);
            }
            self.state(ActorState::ToolCall);
            let context = builder.tool_context(sink.shown().clone());
            let ended = rounds.run(&inputs.toolbox, &context, spoken, sink);
            let ended = step(info_span!("tools"), &steps.tools, ended).await;
            progress.tool_results.append(&mut rounds.results);
            progress.forgot |= rounds.forgot;
            if rounds.forgot {
                self.forget_turns();
            }
            if let Some(why) = ended {
                sink.notice(NoticeCode::ToolsCutOff, why).await;
                (with_tools, cut_off) = (false, true);
            }
        }
    }

    /// Gathers what the context is made of. What was read may be held from before something was erased: where any of
    /// it was erased since the number that was known before, it is all read again (GR10).
    async fn gather(
        &self,
        builder: &mut ContextBuilder<'_>,
        mut erased: i64,
    ) -> Result<ContextInputs, Failure> {
        for tries_left in (0..GATHERINGS).rev() {
            let mut inputs = builder.gather().await?;
            if inputs.sources.erased <= erased {
                return Ok(inputs);
            }
            inputs.sources.erased = erased;
            match self.services.store.unerased(&inputs.sources).await {
                Ok(newest) => {
                    inputs.sources.erased = newest;
                    return Ok(inputs);
                }
                Err(StoreError::Erased(_)) if tries_left > 0 => {
                    self.services.memory.forget_recall(self.trigger.turn);
                    erased = self.services.follow_erasures().await;
                    builder.as_of = Instant::now();
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Failure::forgotten())
    }

    /// What whoever asked wants passed on; without tools nothing that speaks of them.
    fn extra(&self, with_tools: bool) -> Map<String, Value> {
        let mut extra = self.trigger.wishes.extra.clone();
        if !with_tools {
            extra.retain(|field, _| {
                !matches!(field.as_str(), "tools" | "tool_choice" | "parallel_tool_calls")
            });
        }
        extra
    }

    /// What is to be captured behind the reply (FG17: nothing where memory is off). Where one message
    /// of the burst switched it off for itself, all of it is left alone, for the reply answers both.
    fn exchange(&self, progress: &mut Progress, ending: &Ending, sink: &EventSink) -> Option<Exchange> {
        let capture = &self.persona.memory.capture;
        let wanted = self.persona.memory.enabled
            && (capture.sessions || capture.facts || capture.tool_results)
            && !self.is_aside()
            && matches!(ending, Ending::Reply(_));
        wanted.then(|| Exchange {
            turn: self.trigger.turn,
            persona: self.persona.clone(),
            viewer: viewer(&self.persona, &self.trigger.message),
            burst: self.burst.iter().map(|cue| cue.message.clone()).collect(),
            reply: progress.said.clone(),
            tool_results: std::mem::take(&mut progress.tool_results),
            recalled: progress.recalled.clone(),
            sources: sink.shown().get(),
            postponed: false,
        })
    }

    /// Whether a message of the burst switched memory off for itself (BD6): the reply answers it, too.
    fn is_aside(&self) -> bool {
        self.burst.iter().any(|cue| cue.disable_memory)
    }

    /// Only a reply is followed by a summary: what failed may be said again. One that has nothing to do
    /// with memory is not (BD6).
    fn outgrown(&self, progress: &Progress, ending: &Ending) -> Option<MessageId> {
        let memory = &self.persona.memory;
        let wanted = memory.enabled
            && memory.summarise_history
            && !self.is_aside()
            && matches!(ending, Ending::Reply(_));
        let receipt = progress.receipt.as_ref().filter(|_| wanted)?;
        outgrown(receipt, self.trigger.message.id, progress.history_cut)
    }

    fn state(&self, state: ActorState) {
        self.services.directory.play(&self.persona.name, &self.trigger.message.channel, state);
    }
}
