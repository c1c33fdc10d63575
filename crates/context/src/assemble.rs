//! The assembler: sections in, one request and its receipt out (WB1 to WB5, GR3, GR4).
//!
//! The required parts get their tokens first: the system prompt, the tools, the message being answered and this turn's
//! tool rounds. If they do not fit, there is no request (WB14). The other tokens go, in this order, to the messages
//! after the one being answered, to instructions and lorebook entries of a character, to the project, to the summary of
//! older messages, to the memories, to older history (WB1), and last to example messages. The texts are data: the
//! assembler interprets nothing in them (X7, X8).
//!
//! In the standard layout prompt, project, summary and memories are sections of one leading system message, because
//! the templates of many local models allow only one, and only there. The memories may come after the history instead
//! (GR5).

mod account;
mod character;
mod costs;
mod demonstration;
mod head;
mod memories;
mod project;
mod room;
mod settle;
mod standard;
mod summary;
mod texts;

use greenroom_core::{ChatMessage, MessageId, Offered, Receipt, Role, ToolCall};

use self::settle::Settled;
use crate::{CharacterBlock, Layout, MemoryBlock, ModelProfile};

pub use costs::Counts;
pub use room::{LARGER_WINDOW, nearly_full, usable};
pub use settle::steadiest;
pub use texts::texts;

/// The input of one context.
#[derive(Debug, Clone)]
pub struct Assembly<'a> {
    /// The model's name, for the receipt.
    pub model: &'a str,
    /// The model's tokenizer and window.
    pub profile: &'a ModelProfile,
    /// The remedy for a full context, for people: [`LARGER_WINDOW`], or the setting that makes the window smaller than
    /// the model's.
    pub larger: &'a str,
    /// Tokens kept free for the reply; at most half the window. The receipt states the number.
    pub reserve: usize,
    /// The persona's prompt.
    pub system: &'a str,
    /// The texts of the persona's card and lorebooks.
    pub character: &'a CharacterBlock,
    /// AGENTS.md files, root first.
    pub project: &'a [ProjectDocument],
    /// Tokens the project block may take, header included.
    pub project_budget: usize,
    /// The recalled memories.
    pub memories: &'a MemoryBlock,
    /// The limit of the memory block in its own measure, header included; 0 is unlimited.
    pub memory_budget: usize,
    /// A summary of the messages before the history, where older messages were summarised (FG12). Older history is
    /// shown only together with it.
    pub summary: Option<&'a str>,
    /// The conversation in the order it is shown.
    pub history: &'a [HistoryEntry],
    /// The index in the history of the message being answered. Later messages get their tokens right after it; if they
    /// do not all fit, the oldest of them are dropped.
    pub trigger: usize,
    /// The tool rounds of this turn so far, in order; they always come after the history.
    pub rounds: &'a [ChatMessage],
    /// The tools on offer: all that are counted, or none.
    pub tools: &'a [Offered],
    /// The cached token counts of history and tools.
    pub counts: &'a Counts,
}

impl Assembly<'_> {
    /// The index of the message being answered; always inside the history, unless that is empty.
    fn trigger(&self) -> usize {
        self.trigger.min(self.history.len().saturating_sub(1))
    }

    /// The summary, unless it is blank.
    fn summary(&self) -> Option<&str> {
        self.summary.map(str::trim).filter(|text| !text.is_empty())
    }
}

/// One AGENTS.md.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectDocument {
    /// Its path relative to the root of the project.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// One message of the conversation as this persona sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The stored message.
    pub id: MessageId,
    /// Assistant for the persona's own messages, user for all others.
    pub role: Role,
    /// The text, after the speaker's name where there are several speakers.
    pub content: String,
    /// The tool calls of this message, each with its result. Calls and results are kept or dropped together, because
    /// endpoints refuse a call without its result.
    pub calls: Vec<(ToolCall, String)>,
}

impl HistoryEntry {
    /// A message without tool calls.
    pub fn new(id: MessageId, role: Role, content: impl Into<String>) -> Self {
        Self { id, role, content: content.into(), calls: Vec::new() }
    }

    /// The entry as messages of a request.
    pub(crate) fn messages(&self) -> impl Iterator<Item = ChatMessage> {
        let tool_calls = self.calls.iter().map(|(call, _)| call.clone()).collect();
        let said = ChatMessage { tool_calls, ..ChatMessage::new(self.role, self.content.as_str()) };
        let results = self.calls.iter().map(|(call, result)| ChatMessage::tool_result(&call.id, result));
        std::iter::once(said).chain(results)
    }
}

/// A request ready to be sent, and its receipt.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembled {
    /// In the order they are sent.
    pub messages: Vec<ChatMessage>,
    /// What was kept, cut and dropped.
    pub receipt: Receipt,
}

/// Why there is no request.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// Not even the newest message fits (WB14).
    #[error(
        "the context is full: {needed} tokens are needed before any older history and {window} fit; {remedy}"
    )]
    ContextFull {
        /// Tokens needed.
        needed: usize,
        /// Tokens of the window without the reserve.
        window: usize,
        /// What to do: reset the conversation, shorten the prompt, choose a larger window.
        remedy: String,
        /// The receipt, with every part that did not fit as dropped.
        receipt: Box<Receipt>,
    },
}

/// The contents of a context, as indices into the [`Assembly`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Messages of the history, ascending.
    pub history: Vec<usize>,
    /// Entries of the memory block.
    pub memories: Vec<usize>,
    /// Whether the history contains a message that was recalled too.
    pub twice: bool,
}

impl Plan {
    fn of<M>(assembly: &Assembly<'_>, settled: &Settled<M>, memories: Vec<usize>) -> Self {
        let history = (0..assembly.history.len()).filter(|n| settled.shown.has(*n)).collect();
        Self { history, memories, twice: settled.in_history.contains(&true) }
    }
}

/// The contents that [`assemble`] would choose, without writing them; `None` if the context is full.
pub fn plan(assembly: &Assembly<'_>) -> Option<Plan> {
    match assembly.profile.layout {
        Layout::Standard => standard::plan(assembly),
        Layout::Demonstration => demonstration::plan(assembly),
    }
}

/// Assembles one context. The same input gives the same bytes (WB9).
///
/// # Errors
/// [`AssembleError::ContextFull`] when the required parts do not fit; do not call a model then.
pub fn assemble(assembly: &Assembly<'_>) -> Result<Assembled, AssembleError> {
    match assembly.profile.layout {
        Layout::Standard => standard::assemble(assembly),
        Layout::Demonstration => demonstration::assemble(assembly),
    }
}
