//! What everything costs, before anything is chosen.

use super::{Assembly, head::Head};

/// Tokens of the parts that are sent as messages of their own or as tools.
pub(super) struct Costs {
    /// The system prompt's message and the priming of the reply.
    pub system: usize,
    /// Each tool.
    pub tools: Vec<usize>,
    /// All of them, with what stands around the list.
    pub tool_list: usize,
    /// Each message of the conversation, oldest first.
    pub history: Vec<usize>,
    /// Each message of this turn's tool rounds.
    pub rounds: Vec<usize>,
    /// The message being answered.
    pub trigger: usize,
}

impl Costs {
    pub fn of(assembly: &Assembly<'_>, head: &Head) -> Self {
        let counter = &assembly.profile.counter;
        let tools: Vec<usize> = assembly.tools.iter().map(|tool| counter.count_tool(tool)).collect();
        let history: Vec<usize> = assembly
            .history
            .iter()
            .map(|entry| match entry.calls.is_empty() {
                true => counter.per_message() + counter.count(&entry.content),
                false => entry.messages().map(|message| counter.count_message(&message)).sum(),
            })
            .collect();
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

    /// What no request can do without.
    pub fn needed(&self) -> usize {
        self.system + self.tool_list + self.trigger + self.all_rounds()
    }
}
