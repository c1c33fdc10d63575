//! The layout for every model but the smallest: one leading system message with prompt, project, memories and example
//! messages in this order, then the history, then this turn's tool rounds (WB1, WB8). Lorebook entries are around the
//! prompt or among the messages.

use std::borrow::Cow;

use greenroom_core::{ChatMessage, Outcome, Role, Section};

use super::{
    AssembleError, Assembled, Assembly, Plan,
    account::{Account, context_full},
    character,
    costs::Costs,
    head::Head,
    memories::{self, Limits},
    project::{self, Share},
    room::Room,
    settle::{Settled, Shown, settle},
    summary,
};
use crate::{Measure, MemoryPlace};

/// How the usable tokens are distributed.
struct Shares<'a> {
    costs: Costs<'a>,
    character: character::Fitted,
    /// Tokens left for project, summary, memories and older history.
    free: usize,
    project: project::Fitted,
    summary: summary::Fitted,
    /// Tokens of each memory's line.
    lines: Vec<usize>,
    settled: Settled<memories::Fitted>,
    /// Tokens that none of these parts needs.
    spare: usize,
}

/// Distributes the usable tokens. Returns the required costs if they exceed them.
fn share<'a>(assembly: &Assembly<'a>, room: &Room) -> Result<Shares<'a>, Costs<'a>> {
    let counter = &*assembly.profile.counter;
    let head = Head::new(counter, assembly.system);
    let costs = Costs::of(assembly, &head);
    let Some(free) = room.usable.checked_sub(costs.needed()) else { return Err(costs) };

    let (shown, since) = Shown::since_the_trigger(assembly, costs.history, free, usize::MAX);
    let character = character::fit(assembly, &head, free - since);
    let free = free - since - character.tokens;
    let project = project::fit(counter, &character.head, assembly.project, assembly.project_budget.min(free));
    let summary = summary::fit(counter, &project.head, assembly.summary(), free - project.tokens);
    let budget = memory_limit(assembly);
    let lines: Vec<usize> = assembly.memories.entries.iter().map(|e| counter.count(&e.line) + 1).collect();
    let left = free - project.tokens - summary.tokens;
    // Older history without the summary of the messages before it would lack its beginning.
    let most = if summary.dropped { shown.count(assembly.history.len()) } else { usize::MAX };
    let beginning = match assembly.memories.place {
        // memories before the history differ from turn to turn, so nothing after them could be reused
        MemoryPlace::System => 0,
        MemoryPlace::AfterHistory => {
            shown.steady_beginning(assembly, costs.history, left - budget.min(left / 2))
        }
    };
    let settled = settle(assembly, costs.history, shown, left, most, beginning, |excluded, left| {
        let limits = Limits { budget, left };
        let fitted = memories::fit(counter, &summary.head, assembly.memories, &lines, excluded, limits);
        let tokens = fitted.tokens;
        (fitted, tokens)
    });
    let older: usize = costs.history.iter().take(settled.shown.trigger).skip(settled.shown.first).sum();
    let spare = left.saturating_sub(older + settled.memories.tokens);
    Ok(Shares { costs, character, free, project, summary, lines, settled, spare })
}

pub(super) fn plan(assembly: &Assembly<'_>) -> Option<Plan> {
    let Shares { settled, .. } = share(assembly, &Room::of(assembly)).ok()?;
    Some(Plan::of(assembly, &settled, settled.memories.kept.clone()))
}

pub(super) fn assemble(assembly: &Assembly<'_>) -> Result<Assembled, AssembleError> {
    let room = Room::of(assembly);
    let shares = share(assembly, &room);
    let Shares { costs, mut character, free, project, summary, lines, mut settled, spare } = match shares {
        Ok(shares) => shares,
        Err(costs) => return Err(context_full(assembly, room, &costs)),
    };
    let head = settled.memories.head.clone();
    let (head, used) = character::fill(assembly, &mut character, head, settled.shown, spare);
    settled.memories.head = head;
    let mut account = Account::open(assembly, &costs);
    character.account(&mut account, assembly, used);
    account_for_project(&mut account, assembly, &project, free);
    account_for_memories(&mut account, assembly, &settled, &lines);
    if let Some(text) = assembly.summary() {
        let (outcome, reason) = match summary.dropped {
            true => (Outcome::Dropped, "over what the window leaves"),
            false => (Outcome::Kept, "in place of older messages"),
        };
        account.summary(text, summary.cost, outcome, reason);
    }
    let older = match settled.in_blocks {
        true => "older than what fits, in whole blocks, so that the prefix stays the same",
        false => "older than what fits",
    };
    account.history(assembly, &costs, settled.shown, older);
    account.budget.exhausted |= account.budget.history_messages < assembly.history.len();
    let messages = lay_out(assembly, &character, settled.memories, settled.shown);
    Ok(account.close(assembly, room, messages))
}

/// Puts the parts in order. A message, its tool calls and their results stay together.
fn lay_out(
    assembly: &Assembly<'_>,
    character: &character::Fitted,
    memories: memories::Fitted,
    shown: Shown,
) -> Vec<ChatMessage> {
    let entries = assembly.history.iter().enumerate().filter(|(n, _)| shown.has(*n));
    let mut groups: Vec<Vec<ChatMessage>> = entries.map(|(_, entry)| entry.messages().collect()).collect();
    let all = groups.len();
    if let Some(block) = memories.message {
        let before = (shown.trigger - shown.first).min(all);
        groups.insert(before, vec![ChatMessage::new(memories::ROLE, block)]);
    }
    groups.splice(0..0, character.opening(assembly).map(|message| vec![message]));
    // from the end, so that earlier indices stay valid; the memory block is no message of the conversation
    let mut among = character.messages(assembly);
    among.reverse();
    among.sort_by_key(|(depth, _)| *depth);
    let end = groups.len();
    for (depth, message) in among {
        groups.insert(end.saturating_sub(depth), vec![message]);
    }
    let head = memories.head.text;
    let system = (!head.is_empty()).then(|| ChatMessage::new(Role::System, head));
    let said = groups.into_iter().flatten();
    system.into_iter().chain(said).chain(assembly.rounds.iter().cloned()).collect()
}

/// The memory budget; 0 means no limit.
pub(super) fn memory_limit(assembly: &Assembly<'_>) -> usize {
    if assembly.memory_budget == 0 { usize::MAX } else { assembly.memory_budget }
}

fn account_for_project(
    account: &mut Account,
    assembly: &Assembly<'_>,
    project: &project::Fitted,
    free: usize,
) {
    let limit = match assembly.project_budget {
        budget if budget <= free => format!("the project budget is {budget} tokens"),
        _ => format!("the window leaves {free} tokens"),
    };
    for ((document, share), whole) in assembly.project.iter().zip(&project.shares).zip(&project.costs) {
        let (tokens, outcome, reason) = match *share {
            Share::Whole => (*whole, Outcome::Kept, "fits".to_owned()),
            Share::Lines { shown, of } => {
                let text: String = project::body(document).split_inclusive('\n').take(shown).collect();
                (
                    assembly.profile.counter.count(&text),
                    Outcome::Cut,
                    format!("cut to {shown} of {of} lines: {limit}"),
                )
            }
            Share::Nothing => (*whole, Outcome::Dropped, format!("no room: {limit}")),
        };
        account.budget.exhausted |= outcome != Outcome::Kept;
        account.add(Section::Project, &document.path, &document.text, tokens, outcome, reason);
    }
    account.budget.project_tokens = project.tokens;
}

fn account_for_memories(
    account: &mut Account,
    assembly: &Assembly<'_>,
    settled: &Settled<memories::Fitted>,
    lines: &[usize],
) {
    let over = over(assembly, settled);
    let fitted = &settled.memories;
    if let Some(reason) = &fitted.failed {
        account.notes.push(format!("memory.template cannot be used, the usual block is shown: {reason}"));
    }
    if assembly.memories.measure == Measure::Quarters && !fitted.kept.is_empty() {
        account.notes.push(format!("the memory block is {} tokens by len/4", fitted.measured));
    }
    let mut ended = false;
    for (n, entry) in assembly.memories.entries.iter().enumerate() {
        let (outcome, reason) = if fitted.kept.contains(&n) {
            let reason = if entry.is_from_other_chat { "fits; it was told in another chat" } else { "fits" };
            (Outcome::Kept, Cow::Borrowed(reason))
        } else if settled.in_history[n] {
            (Outcome::Dropped, "already in the history".into())
        } else if std::mem::replace(&mut ended, true) {
            (Outcome::Dropped, "less relevant than one that did not fit".into())
        } else {
            (Outcome::Dropped, over.clone())
        };
        account.add(Section::Memories, &entry.id, &entry.text, lines[n], outcome, reason).score =
            Some(entry.score);
    }
    account.budget.exhausted |= ended;
    account.budget.memory_tokens = fitted.tokens;
}

/// Why the first dropped memory does not fit.
fn over(assembly: &Assembly<'_>, settled: &Settled<memories::Fitted>) -> Cow<'static, str> {
    let by = match assembly.memories.measure {
        Measure::Tokens => "",
        Measure::Quarters => " by len/4",
    };
    match assembly.memory_budget {
        0 => "over what the window leaves".into(),
        budget if budget > settled.left => "over what the window leaves".into(),
        budget => format!("over the memory budget of {budget} tokens{by}").into(),
    }
}
