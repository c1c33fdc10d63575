//! The steps of a turn in order: open, gather, assemble, stream, tools. `turn.rs` calls them and ends the turn.

use std::sync::Arc;

use greenroom_context::{Assembled, Outline};
use greenroom_core::{ActorState, Finish, Message, NoticeCode, Role, SharedReceipt};
use greenroom_floor::COMPARED;
use greenroom_models::{ChatRequest, FinishReason, ModelError};
use greenroom_store::StoreError;
use serde_json::{Map, Value};
use tracing::info_span;

use super::{
    Turn,
    budget::Budget,
    context_builder::ContextBuilder,
    contexts::SentRequest,
    event_sink::EventSink,
    failure::Failure,
    images::TurnImages,
    model_call::{ModelAnswer, finish, stream},
    progress::Progress,
    request::ContextInputs,
    tool_round::{ToolRounds, fill_empty_arguments},
};
use crate::{
    ResolvedModel,
    metrics::{step, step_at_once},
};

/// How often a turn gathers its inputs at most, if some of them are erased each time.
const GATHERINGS: usize = 3;

/// The result of a step in the loop of model calls.
enum Next<T> {
    /// Go on with this result.
    Go(T),
    /// Assemble another request.
    Again,
}

/// The loop of model calls and tool rounds.
struct ModelLoop<'a> {
    turn: &'a Turn,
    builder: &'a ContextBuilder<'a>,
    model: &'a ResolvedModel,
    inputs: Arc<ContextInputs>,
    sink: &'a EventSink,
    rounds: ToolRounds,
    images: TurnImages,
    /// The most tokens of a request, without its images.
    window: usize,
    with_tools: bool,
    /// Whether tools were taken away before the model was done with them.
    cut_off: bool,
    /// Whether the grant of the answer sets `window`, and not the model.
    by_grant: bool,
    /// Whether the endpoint has refused a request as too long.
    shortened: bool,
}

impl Turn {
    /// Answers the trigger.
    pub(super) async fn answer(
        &self,
        begun: Result<i64, StoreError>,
        sink: &EventSink,
        progress: &mut Progress,
        budget: &mut Budget<'_>,
    ) -> Result<Finish, Failure> {
        let (model, erased) = self.open(begun, sink, progress, budget).await?;
        let burst: Vec<&Message> = self.burst.iter().map(|cue| cue.message()).collect();
        let builder = ContextBuilder {
            services: &self.services,
            persona: &self.persona,
            model: &model,
            turn_id: self.trigger.turn,
            burst: &burst,
            trigger: self.trigger.message(),
            project: self.trigger.envelope.project.as_deref(),
            disable_memory: self.trigger.envelope.disable_memory,
            grant: self.trigger.terms.grant.as_ref(),
            group: self.trigger.envelope.group,
            conversation: &*self.conversation,
        };

        // before anything that may fail or take long, so that a request to remember is kept in any case
        self.capture(sink).await?;

        // boxed: gathering is by far the largest part of the future, and the rest would reserve its size
        let gathering = Box::pin(self.gather(&builder, erased));
        let steps = &self.services.metrics.steps;
        let inputs = Arc::new(step(info_span!("recall"), &steps.recall, gathering).await?);
        progress.history_cut = inputs.cut;
        if self.trigger.terms.answers.is_some() {
            let own = inputs.history.iter().rev().filter(|entry| entry.role == Role::Assistant);
            progress.said_before = own.take(COMPARED).map(|entry| entry.content.clone()).collect();
        }
        progress.recalled = inputs.snippets.clone();
        sink.show(inputs.sources.clone()).await?;
        self.show_recall(sink, &inputs).await;

        let images = self.images(&model, builder.window()).await;
        let model_loop = ModelLoop {
            turn: self,
            builder: &builder,
            model: &model,
            rounds: ToolRounds::new(self.persona.limits.tool_rounds, self.conversation.since()),
            window: builder.window().saturating_sub(images.tokens()),
            images,
            with_tools: !inputs.tools.is_empty(),
            cut_off: false,
            by_grant: false,
            shortened: false,
            inputs,
            sink,
        };
        model_loop.run(progress, budget).await
    }

    /// Gathers the inputs of the context. What was read from memory may be older than an erasure. If any input was
    /// erased since `erased`, all of them are read again (GR10).
    async fn gather(&self, builder: &ContextBuilder<'_>, mut erased: i64) -> Result<ContextInputs, Failure> {
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
                    erased = self.services.erasures.follow().await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Failure::forgotten())
    }
}

impl ModelLoop<'_> {
    async fn run(mut self, progress: &mut Progress, budget: &mut Budget<'_>) -> Result<Finish, Failure> {
        loop {
            if let Some(grant) = self.builder.grant {
                // tool rounds use tokens of the grant as well
                let left = usize::try_from(grant.left(progress.cost().total())).unwrap_or(usize::MAX);
                let left = left.saturating_sub(self.images.tokens());
                self.by_grant = left <= self.window;
                self.window = self.window.min(left);
            }
            let Next::Go(assembled) = self.assemble(progress, budget).await? else { continue };
            let Next::Go(request) = self.request(assembled, progress, budget).await? else { continue };
            let Next::Go(answer) = self.stream(request, progress).await? else { continue };
            if !self.with_tools
                || answer.tool_calls.is_empty()
                || answer.reason == FinishReason::ContentFilter
            {
                return finish(&progress.said, answer.reason, self.cut_off);
            }
            let client_calls = self.turn.conversation.client_calls(&answer.tool_calls);
            if !client_calls.is_empty() {
                self.rounds.hand_over(&client_calls, self.sink).await;
                return Ok(Finish::ToolCalls);
            }
            self.run_tools(answer, progress).await;
        }
    }

    /// Step 2: assembles the context. If it is full, takes the tools away, then shortens their results (WB14).
    async fn assemble(
        &mut self,
        progress: &Progress,
        budget: &Budget<'_>,
    ) -> Result<Next<Assembled>, Failure> {
        let steps = &self.turn.services.metrics.steps;
        let assembled = step_at_once(&info_span!("assemble"), &steps.assemble, || {
            self.builder.assemble(&self.inputs, self.window, &self.rounds.messages, self.with_tools)
        });
        match assembled {
            Ok(assembled) => Ok(Next::Go(assembled)),
            Err(_) if self.with_tools && self.rounds.any() => {
                let why = "what the tools answered fills the context; the reply is made of what there is";
                self.cut_tools_off(why).await;
                Ok(Next::Again)
            }
            Err(_) if self.rounds.shorten() => Ok(Next::Again),
            Err(_) if self.by_grant && self.with_tools => {
                let why =
                    "an answer may take too few tokens in this room for tools; raise room.tokens_per_answer";
                self.cut_tools_off(why).await;
                Ok(Next::Again)
            }
            Err(_) if self.by_grant => Err(budget.beyond_grant()),
            Err(full) => Err(self.turn.context_full(self.sink, progress, full).await),
        }
    }

    /// The request, if the budget allows it.
    async fn request(
        &mut self,
        mut assembled: Assembled,
        progress: &mut Progress,
        budget: &mut Budget<'_>,
    ) -> Result<Next<(ChatRequest, Outline)>, Failure> {
        let outline = Outline::of(&assembled.messages);
        assembled.receipt.reusable_prefix = self.turn.last_request.share_of(&outline);
        self.images.add_to(&mut assembled, &self.inputs);
        let receipt = SharedReceipt::from(assembled.receipt);
        if progress.receipt.is_none() {
            self.turn.show_receipt(self.sink, &receipt, self.inputs.larger).await;
        }
        let request = ChatRequest {
            model: self.model.name.clone(),
            messages: assembled.messages,
            tools: if self.with_tools { self.inputs.tools.clone() } else { Vec::new() },
            temperature: self.turn.persona.model.temperature,
            max_output_tokens: u32::try_from(receipt.reserve).unwrap_or(u32::MAX),
            prompt_tokens: (receipt.budget.total_tokens + self.images.tokens()) as u64,
            extra: self.extra(),
        };
        progress.receipt = Some(receipt);
        if budget.allows(progress.cost().total(), request.prompt_tokens).await? {
            return Ok(Next::Go((request, outline)));
        }
        if !(self.with_tools && self.rounds.any()) {
            return Err(budget.exceeded());
        }
        let why = "the hourly token budget is almost used up; the reply is made of what there is";
        self.cut_tools_off(why).await;
        Ok(Next::Again)
    }

    /// Step 3: calls the model. If the endpoint's window is smaller than it said, repeats the call once with three
    /// quarters of the tokens (L12).
    async fn stream(
        &mut self,
        (request, outline): (ChatRequest, Outline),
        progress: &mut Progress,
    ) -> Result<Next<ModelAnswer>, Failure> {
        let services = &self.turn.services;
        self.turn.last_request.sent(outline);
        let sent = SentRequest {
            channel: self.turn.trigger.message().channel.clone(),
            persona: self.turn.persona.clone(),
            model: self.model.clone(),
            inputs: self.inputs.clone(),
            window: self.window,
            rounds: self.rounds.messages.clone(),
            with_tools: self.with_tools,
            reusable_prefix: progress.receipt.as_ref().and_then(|receipt| receipt.reusable_prefix),
        };
        self.sink
            .checked_against(|checked| services.contexts.keep(self.turn.trigger.turn, &sent, checked))
            .await;
        self.turn.set_state(ActorState::Thinking);
        let answer = stream(self.model, request, self.sink, progress);
        match step(info_span!("model"), &services.metrics.steps.model, answer).await {
            Ok(mut answer) => {
                fill_empty_arguments(&mut answer.tool_calls, &self.inputs.tools);
                Ok(Next::Go(answer))
            }
            Err(ModelError::ContextLength { .. }) if !self.shortened => {
                self.shortened = true;
                self.window = self.window / 4 * 3;
                let message = format!(
                    "the model's window is smaller than expected; trying with {} tokens",
                    self.window
                );
                self.sink.notice(NoticeCode::Retrying, message).await;
                Ok(Next::Again)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Runs the tools that an answer calls.
    async fn run_tools(&mut self, answer: ModelAnswer, progress: &mut Progress) {
        self.turn.set_state(ActorState::ToolCall);
        progress.acted = true;
        let context = self.builder.tool_context(self.sink.shown().clone());
        let steps = &self.turn.services.metrics.steps;
        let ended = self.rounds.run(&self.inputs.toolbox, &context, answer, self.sink);
        let ended = step(info_span!("tools"), &steps.tools, ended).await;
        progress.tool_results.append(&mut self.rounds.results);
        progress.forgot |= self.rounds.forgot;
        if self.rounds.forgot {
            self.turn.forget_turns();
        }
        if let Some(why) = ended {
            self.cut_tools_off(why).await;
        }
    }

    /// Takes the tools away for the rest of the turn.
    async fn cut_tools_off(&mut self, why: impl Into<String>) {
        self.sink.notice(NoticeCode::ToolsCutOff, why).await;
        (self.with_tools, self.cut_off) = (false, true);
    }

    /// The extra fields of the request. Without tools, the fields about tools are left out.
    fn extra(&self) -> Map<String, Value> {
        let mut extra = self.turn.trigger.envelope.reply_options.extra.clone();
        if !self.with_tools {
            extra.retain(|field, _| {
                !matches!(field.as_str(), "tools" | "tool_choice" | "parallel_tool_calls")
            });
        }
        extra
    }
}
