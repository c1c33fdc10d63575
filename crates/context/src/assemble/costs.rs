//! The tokens of every part, counted before the assembler chooses.

use greenroom_core::Offered;

use super::{Assembly, HistoryEntry, head::Head};
use crate::TokenCounter;

/// Tokens of the parts that are the same in every context of a turn, counted once for all of them.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Each message of the conversation, oldest first.
    history: Vec<usize>,
    /// Each tool.
    tools: Vec<usize>,
}

impl Counts {
    /// The counts of a conversation and the offered tools.
    pub fn of(counter: &dyn TokenCounter, history: &[HistoryEntry], tools: &[Offered]) -> Self {
        let entry = |entry: &HistoryEntry| match entry.calls.is_empty() {
            true => counter.per_message() + counter.count(&entry.content),
            false => entry.messages().map(|message| counter.count_message(&message)).sum(),
        };
        Self {
            history: history.iter().map(entry).collect(),
            tools: tools.iter().map(|tool| counter.count_tool(tool)).collect(),
        }
    }
}

/// Tokens of the parts that are sent as separate messages or as tools.
pub(super) struct Costs<'a> {
    /// The system prompt's message and the priming of the reply.
    pub system: usize,
    /// Each tool on offer.
    pub tools: &'a [usize],
    /// All tools, with the overhead of the list.
    pub tool_list: usize,
    /// Each message of the conversation, oldest first.
    pub history: &'a [usize],
    /// Each message of this turn's tool rounds.
    pub rounds: Vec<usize>,
    /// The message being answered.
    pub trigger: usize,
}

impl<'a> Costs<'a> {
    pub fn of(assembly: &Assembly<'a>, head: &Head) -> Self {
        let counter = &assembly.profile.counter;
        let Counts { history, tools } = assembly.counts;
        let offered = !assembly.tools.is_empty() && assembly.profile.layout.knows_tools();
        let tools = if offered { &tools[..] } else { &[] };
        Self {
            system: counter.per_request() + head.tokens,
            tool_list: counter.tool_list(tools.len()) + tools.iter().sum::<usize>(),
            tools,
            trigger: history.get(assembly.trigger()).copied().unwrap_or(0),
            history,
            rounds: assembly.rounds.iter().map(|message| counter.count_message(message)).collect(),
        }
    }

    /// All tool rounds.
    pub fn all_rounds(&self) -> usize {
        self.rounds.iter().sum()
    }

    /// Tokens of the required parts.
    pub fn needed(&self) -> usize {
        self.system + self.tool_list + self.trigger + self.all_rounds()
    }
}
