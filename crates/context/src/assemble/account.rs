//! Writes the receipt: which items were kept, cut and dropped, and why, in plain words (GR3).

use std::borrow::Cow;

use greenroom_core::{ChatMessage, ContextBudget, Outcome, Receipt, ReceiptItem, Role, Section, add_frames};

use super::{AssembleError, Assembled, Assembly, character, costs::Costs, room::Room, settle::Shown};
use crate::{nearly_full, plain};

/// Longest preview, in characters.
const PREVIEW_LIMIT: usize = 60;

/// A receipt being written.
#[derive(Default)]
pub(super) struct Account {
    shown: Vec<ReceiptItem>,
    dropped: Vec<ReceiptItem>,
    pub notes: Vec<String>,
    pub budget: ContextBudget,
}

impl Account {
    /// A receipt with the items that every context has.
    pub fn open(assembly: &Assembly<'_>, costs: &Costs<'_>) -> Self {
        let mut account = Self::default();
        account.budget.system_tokens = costs.system;
        account.budget.tool_tokens = costs.tool_list;
        account.add(Section::System, "system", assembly.system, costs.system, Outcome::Kept, "always there");
        for (tool, tokens) in assembly.tools.iter().zip(costs.tools) {
            account.add(Section::Tools, &tool.name, &tool.description, *tokens, Outcome::Kept, "on offer");
        }
        account
    }

    /// Marks the prompt as cut to its beginning.
    pub fn prompt_was_cut(&mut self, reason: String) {
        if let Some(system) = self.shown.first_mut() {
            system.outcome = Outcome::Cut;
            system.reason = reason.into();
        }
    }

    /// Adds one item; returns it so that a score can be set.
    pub fn add(
        &mut self,
        section: Section,
        id: &str,
        text: &str,
        tokens: usize,
        outcome: Outcome,
        reason: impl Into<Cow<'static, str>>,
    ) -> &mut ReceiptItem {
        let item = ReceiptItem {
            section,
            id: id.to_owned(),
            preview: preview(text),
            tokens,
            score: None,
            outcome,
            reason: reason.into(),
        };
        let list = if outcome == Outcome::Dropped { &mut self.dropped } else { &mut self.shown };
        let at = list.len();
        list.push(item);
        &mut list[at]
    }

    /// Adds the summary of the messages before the history.
    pub fn summary(&mut self, summary: &str, tokens: usize, outcome: Outcome, reason: &'static str) {
        self.add(Section::History, "summary", summary, tokens, outcome, reason);
        if outcome == Outcome::Kept {
            self.budget.history_tokens += tokens;
        } else {
            self.budget.exhausted = true;
        }
    }

    /// Adds the conversation, as far as it is `shown`, and this turn's tool rounds.
    pub fn history(&mut self, assembly: &Assembly<'_>, costs: &Costs<'_>, shown: Shown, older: &'static str) {
        for (n, (entry, tokens)) in assembly.history.iter().zip(costs.history).enumerate() {
            let (outcome, reason) = match n {
                n if n < shown.first => (Outcome::Dropped, older),
                n if n == shown.trigger => (Outcome::Kept, "the message being answered"),
                n if !shown.has(n) => (Outcome::Dropped, "said since, and there is no place for it"),
                _ => (Outcome::Kept, "fits"),
            };
            self.add(Section::History, &entry.id.to_string(), &entry.content, *tokens, outcome, reason);
        }
        for (n, (message, tokens)) in assembly.rounds.iter().zip(&costs.rounds).enumerate() {
            let id = format!("round:{}", n + 1);
            self.add(
                Section::History,
                &id,
                &round_text(message),
                *tokens,
                Outcome::Kept,
                "a tool round of this turn",
            );
        }
        let kept = costs.history.iter().enumerate().filter(|(n, _)| shown.has(*n));
        self.budget.history_messages = kept.clone().count();
        self.budget.history_tokens += kept.map(|(_, tokens)| tokens).sum::<usize>() + costs.all_rounds();
    }

    /// The finished request.
    pub fn close(self, assembly: &Assembly<'_>, room: Room, messages: Vec<ChatMessage>) -> Assembled {
        let mut receipt = self.receipt(assembly, room);
        receipt.notes.extend(nearly_full(&receipt, assembly.larger));
        Assembled { messages, receipt }
    }

    fn receipt(self, assembly: &Assembly<'_>, room: Room) -> Receipt {
        let mut budget = self.budget;
        budget.total_tokens = budget.system_tokens
            + budget.tool_tokens
            + budget.project_tokens
            + budget.memory_tokens
            + budget.history_tokens;
        let mut items = self.shown;
        for section in [Section::System, Section::Project, Section::Memories] {
            share_out(budget.of(section), &mut items, section);
        }
        add_frames(&budget, &mut items);
        items.extend(self.dropped);
        let mut notes = room.notes;
        notes.extend(self.notes);
        Receipt {
            model: assembly.model.to_owned(),
            window: assembly.profile.window,
            reserve: room.reserve,
            counter: assembly.profile.counter.name().to_owned(),
            exact: assembly.profile.counter.exact(),
            budget,
            items,
            notes,
            reusable_prefix: None,
        }
    }
}

/// Reduces the tokens of the parts in proportion when their sum exceeds `total`: parts are counted one by one, and
/// their sum may be more than the count of the whole.
fn share_out(total: usize, items: &mut [ReceiptItem], section: Section) {
    let mut items: Vec<&mut ReceiptItem> = items.iter_mut().filter(|item| item.section == section).collect();
    let sum: usize = items.iter().map(|item| item.tokens).sum();
    if sum <= total {
        return;
    }
    let mut left = total;
    for item in &mut items {
        item.tokens = item.tokens * total / sum;
        left -= item.tokens;
    }
    // distributes the rounding rest, one token each
    items.iter_mut().take(left).for_each(|item| item.tokens += 1);
}

/// The error when the required parts do not fit: only prompt and tools count as shown, everything else as dropped
/// (WB14).
pub(super) fn context_full(assembly: &Assembly<'_>, room: Room, costs: &Costs<'_>) -> AssembleError {
    let reason = "the context is full";
    let counter = &assembly.profile.counter;
    let mut account = Account::open(assembly, costs);
    account.budget.exhausted = true;
    character::drop_all(&mut account, assembly, reason);
    for document in assembly.project {
        let tokens = counter.count(&document.text);
        account.add(Section::Project, &document.path, &document.text, tokens, Outcome::Dropped, reason);
    }
    for entry in &assembly.memories.entries {
        let tokens = counter.count(&entry.line);
        account.add(Section::Memories, &entry.id, &entry.text, tokens, Outcome::Dropped, reason).score =
            Some(entry.score);
    }
    if let Some(summary) = assembly.summary() {
        account.summary(summary, counter.count(summary), Outcome::Dropped, reason);
    }
    for (entry, tokens) in assembly.history.iter().zip(costs.history) {
        let id = entry.id.to_string();
        account.add(Section::History, &id, &entry.content, *tokens, Outcome::Dropped, reason);
    }
    for (n, (message, tokens)) in assembly.rounds.iter().zip(&costs.rounds).enumerate() {
        let id = format!("round:{}", n + 1);
        account.add(Section::History, &id, &round_text(message), *tokens, Outcome::Dropped, reason);
    }
    let (needed, window, remedy) = (costs.needed(), room.usable, remedy(costs, assembly.larger));
    account.notes.push(format!("no model was called: {needed} tokens are needed and {window} fit; {remedy}"));
    let receipt = Box::new(account.receipt(assembly, room));
    AssembleError::ContextFull { needed, window, remedy, receipt }
}

/// The remedy, chosen by the largest part.
fn remedy(costs: &Costs<'_>, larger: &str) -> String {
    let parts = [
        (costs.system, "shorten the persona's prompt"),
        (costs.tool_list, "give the persona fewer tools"),
        (costs.trigger, "start afresh with a shorter message"),
        (
            costs.all_rounds(),
            "start afresh with /reset and ask for less at a time, the tools answered at length",
        ),
    ];
    // `max_by_key` takes the last of equals; the array is never empty
    let (_, first) = parts.into_iter().max_by_key(|(tokens, _)| *tokens).unwrap_or_default();
    format!("{first}, or choose {larger}")
}

/// The beginning of a text on one line, without control characters of a terminal.
fn preview(text: &str) -> String {
    let head = &text.as_bytes()[..text.len().min(PREVIEW_LIMIT + 1)];
    if plain(head) && !text.starts_with(' ') {
        return match text.get(..PREVIEW_LIMIT).filter(|_| text.len() > PREVIEW_LIMIT) {
            Some(beginning) => [beginning, "…"].concat(),
            None => text.trim_end().to_owned(),
        };
    }
    let mut out = String::with_capacity(2 * PREVIEW_LIMIT);
    let (mut length, mut spaced) = (0, true);
    for c in text.chars() {
        let blank = !c.is_ascii_graphic() && (c.is_whitespace() || c.is_control());
        if blank && spaced {
            continue;
        }
        if length == PREVIEW_LIMIT {
            out.push('…');
            break;
        }
        out.push(if blank { ' ' } else { c });
        (length, spaced) = (length + 1, blank);
    }
    out.truncate(out.trim_end().len());
    out
}

/// A tool round as text: its calls, or a tool's answer.
pub(super) fn round_text(message: &ChatMessage) -> String {
    let calls = message.tool_calls.iter().map(|call| format!("{}({}) ", call.name, call.arguments));
    let speaker = if message.role == Role::Tool { "result: " } else { "" };
    calls.chain([format!("{speaker}{}", message.content)]).collect()
}
