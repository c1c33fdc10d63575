//! The progress of a turn: what it said and what it cost. It is kept outside the future that an interrupt drops, so
//! that nothing of it is lost.

use std::{sync::Arc, time::Duration};

use greenroom_context::TokenCounter;
use greenroom_core::{Instant, MemorySnippet, Section, SharedReceipt, Usage, real_time};
use greenroom_memory::ToolResult;
use greenroom_persona::Price;

/// What a turn has done so far.
#[derive(Default)]
pub(crate) struct Progress {
    /// Whether `turn_started` was published.
    pub(crate) started: bool,
    /// All streamed text that was not discarded: the deltas put together.
    pub(crate) said: String,
    /// The receipt of the last context.
    pub(crate) receipt: Option<SharedReceipt>,
    /// Whether there was more history than the context considers.
    pub(crate) history_cut: bool,
    /// The recalled memories that the context shows.
    pub(crate) recalled: Arc<[MemorySnippet]>,
    /// What tools answered.
    pub(crate) tool_results: Vec<ToolResult>,
    /// What the persona said before, the latest first, as far as a reply is compared with it.
    pub(crate) said_before: Vec<String>,
    /// Whether a tool forgot something.
    pub(crate) forgot: bool,
    /// Whether a tool was called: the turn cannot be repeated.
    pub(crate) acted: bool,
    /// The price of the model, if it is known.
    pub(crate) price: Option<Price>,
    /// The time from the first model call to its first text.
    pub(crate) first_token: Option<Duration>,
    usage: Usage,
    call: Option<Call>,
}

/// A model call under way.
struct Call {
    begun: Instant,
    prompt_tokens: u64,
    /// Where in `said` its text begins, in bytes.
    from: usize,
    counter: Arc<dyn TokenCounter>,
}

impl Progress {
    /// A model call begins.
    pub(crate) fn call(&mut self, prompt_tokens: u64, counter: Arc<dyn TokenCounter>) {
        self.call =
            Some(Call { begun: real_time().instant(), prompt_tokens, from: self.said.len(), counter });
    }

    /// The model call has ended and said what it cost.
    pub(crate) fn called(&mut self, usage: Usage) {
        self.usage = self.usage.plus(self.priced(usage));
        self.call = None;
    }

    /// The model call failed; what it used up by then is estimated (L14).
    pub(crate) fn call_failed(&mut self) {
        self.usage = self.cost();
        self.call = None;
    }

    /// Adds a piece of text and returns it as it is shown: a blank line separates the texts of tool rounds.
    pub(crate) fn say(&mut self, piece: String) -> String {
        let opens = self.call.as_ref().is_some_and(|call| call.from == self.said.len() && call.from > 0);
        if let Some(call) = self.call.as_ref().filter(|_| self.first_token.is_none()) {
            self.first_token = Some(real_time().elapsed(call.begun));
        }
        let shown = if opens { format!("\n\n{piece}") } else { piece };
        self.said.push_str(&shown);
        shown
    }

    /// Whether the running call has said anything.
    pub(crate) fn spoke(&self) -> bool {
        self.call.as_ref().is_some_and(|call| self.said.len() > call.from)
    }

    /// Discards what the running call said (L6). Returns the text of earlier rounds.
    pub(crate) fn discard(&mut self) -> String {
        if let Some(call) = &self.call {
            self.said.truncate(call.from);
        }
        self.said.clone()
    }

    /// Begins the turn anew. What was used up by then is paid for, and the beginning is not published again. Returns
    /// whether anything was said that is to be discarded.
    pub(crate) fn start_over(&mut self) -> bool {
        let usage = self.cost();
        let before = std::mem::take(self);
        *self = Self { started: before.started, first_token: before.first_token, usage, ..Self::default() };
        !before.said.is_empty()
    }

    /// Removes the texts of memories from the receipt, since a forgotten one may be among them (GR10).
    pub(crate) fn blank_memories(&mut self) {
        let items = self.receipt.iter_mut().flat_map(|receipt| &mut receipt.make_mut().items);
        items.filter(|item| item.section == Section::Memories).for_each(|item| item.preview.clear());
    }

    /// The usage of all calls of the turn. The usage of an interrupted call is estimated (WB12, L14).
    pub(crate) fn cost(&self) -> Usage {
        let Some(call) = &self.call else { return self.usage };
        let said = self.said.get(call.from..).unwrap_or_default();
        let completion_tokens = if said.is_empty() { 0 } else { call.counter.count(said) as u64 };
        let usage = Usage { completion_tokens, estimated: true, ..Usage::default() };
        self.usage.plus(self.priced(Usage { prompt_tokens: call.prompt_tokens, ..usage }))
    }

    fn priced(&self, usage: Usage) -> Usage {
        let cost = |price: Price| price.of(usage.prompt_tokens, usage.completion_tokens);
        Usage { cost_micros: self.price.map_or(0, cost), ..usage }
    }
}

#[cfg(test)]
mod tests {
    use greenroom_context::QuarterCounter;

    use super::*;

    #[test]
    fn the_deltas_put_together_are_the_reply_over_rounds_and_discards() {
        let mut progress = Progress::default();
        progress.call(10, Arc::new(QuarterCounter));
        assert_eq!(progress.say("Let me ".into()) + &progress.say("look.".into()), "Let me look.");
        progress.called(Usage { prompt_tokens: 10, completion_tokens: 3, estimated: false, cost_micros: 0 });
        progress.call(20, Arc::new(QuarterCounter));
        progress.say("It is f".into());
        assert!(progress.spoke());
        let mut shown = progress.discard();
        shown += &progress.say("It is four.".into());
        assert_eq!(shown, "Let me look.\n\nIt is four.");
        assert_eq!(shown, progress.said);
    }

    #[test]
    fn wb12_a_call_that_was_broken_off_is_paid_for() {
        let mut progress = Progress::default();
        progress.called(Usage { prompt_tokens: 10, completion_tokens: 3, estimated: false, cost_micros: 0 });
        progress.call(20, Arc::new(QuarterCounter));
        progress.say("12345678".into());
        assert_eq!(
            progress.cost(),
            Usage { prompt_tokens: 30, completion_tokens: 5, estimated: true, cost_micros: 0 }
        );
    }
}
