//! The layout for every model but the smallest: one leading system message with prompt, project
//! and memories in this order, then the history, then this turn's tool rounds (WB1, WB8).

use greenroom_core::{ChatMessage, Outcome, Role, Section};

use super::{
    AssembleError, Assembled, Assembly,
    account::{Account, context_full},
    costs::Costs,
    head::Head,
    memories,
    project::{self, Share},
    room::Room,
    settle::{Settled, Shown, settle},
};

pub(super) fn assemble(assembly: &Assembly<'_>) -> Result<Assembled, AssembleError> {
    let counter = &*assembly.profile.counter;
    let room = Room::of(assembly);
    let head = Head::new(counter, assembly.system);
    let costs = Costs::of(assembly, &head);
    let Some(free) = room.usable.checked_sub(costs.needed()) else {
        return Err(context_full(assembly, room, &costs));
    };

    let (shown, since) = Shown::since_the_trigger(assembly, &costs.history, free, usize::MAX);
    let free = free - since;
    let project = project::fit(counter, &head, assembly.project, assembly.project_budget.min(free));
    let budget = memory_limit(assembly);
    let lines: Vec<usize> = assembly.memories.entries.iter().map(|e| counter.count(&e.line) + 1).collect();
    let left = free - project.tokens;
    let settled = settle(assembly, &costs.history, shown, left, usize::MAX, |excluded, left| {
        let limit = budget.min(left);
        let fitted = memories::fit(counter, &project.head, assembly.memories, &lines, excluded, limit);
        let tokens = fitted.tokens;
        (fitted, tokens)
    });

    let mut account = Account::open(assembly, &costs);
    account_for_project(&mut account, assembly, &project, free);
    account_for_memories(&mut account, assembly, &settled, &lines);
    account.history(assembly, &costs, settled.shown, "older than what fits");
    account.budget.exhausted |= account.budget.history_messages < assembly.history.len();
    let messages = lay_out(assembly, settled.memories.head.text, settled.shown);
    Ok(account.close(assembly, room, messages))
}

/// Where everything stands.
fn lay_out(assembly: &Assembly<'_>, head: String, shown: Shown) -> Vec<ChatMessage> {
    let system = (!head.is_empty()).then(|| ChatMessage::new(Role::System, head));
    system.into_iter().chain(shown.messages(assembly)).chain(assembly.rounds.iter().cloned()).collect()
}

/// The memory budget, 0 being none.
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
    let budget = assembly.memory_budget;
    let over = match budget {
        0 => "over what the window leaves".to_owned(),
        _ if budget > settled.left => "over what the window leaves".to_owned(),
        _ => format!("over the memory budget of {budget} tokens"),
    };
    let mut ended = false;
    for (n, entry) in assembly.memories.entries.iter().enumerate() {
        let (outcome, reason) = if settled.memories.kept.contains(&n) {
            (Outcome::Kept, "fits")
        } else if settled.in_history[n] {
            (Outcome::Dropped, "already in the history")
        } else if std::mem::replace(&mut ended, true) {
            (Outcome::Dropped, "less relevant than one that did not fit")
        } else {
            (Outcome::Dropped, over.as_str())
        };
        account.add(Section::Memories, &entry.id, &entry.text, lines[n], outcome, reason).score =
            Some(entry.score);
    }
    account.budget.exhausted |= ended;
    account.budget.memory_tokens = settled.memories.tokens;
}
