//! A model's tokenizer, window and prompt layout.
//!
//! A request costs more than its texts: every message has a frame, every tool its JSON, and the reply a priming. This
//! is the one place that counts all of it, so that the budget limits the request that is really sent (GR4).

mod estimate;
mod openai;

use std::{fmt, sync::Arc};

use greenroom_core::{ChatMessage, Offered};

pub use estimate::{EstimateCounter, SAMPLES, Weights};
pub use openai::{cl100k, o200k};

/// The overhead of one tool call of an assistant message: its braces, keys and type.
const PER_TOOL_CALL: usize = 8;
/// Tokens around the id by which a tool message names its call.
const PER_TOOL_RESULT: usize = 2;
/// Tokens around one tool schema, beside its JSON.
const PER_TOOL: usize = 4;
/// Tokens around the list of tools as a whole.
const PER_TOOL_LIST: usize = 12;

/// Counts tokens the way one family of models does (WB3).
pub trait TokenCounter: Send + Sync + fmt::Debug {
    /// `o200k`, `cl100k`, `len/4` …
    fn name(&self) -> &str;
    /// True when it is the model's own tokenizer.
    fn exact(&self) -> bool;
    /// Tokens of a text.
    fn count(&self, text: &str) -> usize;
    /// Tokens around every message of a request.
    fn per_message(&self) -> usize {
        4
    }
    /// Tokens around the whole request.
    fn per_request(&self) -> usize {
        3
    }
    /// Tokens of a message as it is sent: frame, text, tool calls, the call it answers.
    fn count_message(&self, message: &ChatMessage) -> usize {
        let calls = message.tool_calls.iter().map(|call| {
            PER_TOOL_CALL + self.count(&call.id) + self.count(&call.name) + self.count(&call.arguments)
        });
        let answers = message.tool_call_id.iter().map(|id| PER_TOOL_RESULT + self.count(id));
        self.per_message() + self.count(&message.content) + calls.sum::<usize>() + answers.sum::<usize>()
    }
    /// Tokens of a tool's schema, as the JSON in which it is sent.
    fn count_tool(&self, tool: &Offered) -> usize {
        let count = |json: &str| self.count(&format!(r#"{{"type":"function","function":{json}}}"#));
        PER_TOOL + tool.tokens(self.name(), count)
    }
    /// Tokens around a list of `tools` schemas; 0 for an empty list.
    fn tool_list(&self, tools: usize) -> usize {
        if tools == 0 { 0 } else { PER_TOOL_LIST }
    }
}

/// Tokens of a whole request: messages, tools and the reply's priming.
pub fn count_request(counter: &dyn TokenCounter, messages: &[ChatMessage], tools: &[Offered]) -> usize {
    let messages: usize = messages.iter().map(|m| counter.count_message(m)).sum();
    let schemas: usize = tools.iter().map(|t| counter.count_tool(t)).sum();
    counter.per_request() + messages + counter.tool_list(tools.len()) + schemas
}

/// The simplest estimate: a token for every four bytes begun (WB3). It is too low for anything but English prose;
/// settings and the budgets of profiles may choose it.
#[derive(Debug, Clone, Copy, Default)]
pub struct QuarterCounter;

impl TokenCounter for QuarterCounter {
    fn name(&self) -> &str {
        "len/4"
    }
    fn exact(&self) -> bool {
        false
    }
    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }
}

/// The tokenizer of a model that runs in this process, as a closure.
#[derive(Clone)]
pub struct FnCounter {
    name: String,
    count: Arc<dyn Fn(&str) -> usize + Send + Sync>,
}

impl FnCounter {
    /// A counter called `name` in receipts.
    pub fn new(name: impl Into<String>, count: impl Fn(&str) -> usize + Send + Sync + 'static) -> Self {
        Self { name: name.into(), count: Arc::new(count) }
    }
}

impl fmt::Debug for FnCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnCounter").field("name", &self.name).finish_non_exhaustive()
    }
}

impl TokenCounter for FnCounter {
    fn name(&self) -> &str {
        &self.name
    }
    fn exact(&self) -> bool {
        true
    }
    fn count(&self, text: &str) -> usize {
        (self.count)(text)
    }
    /// ChatML's frame, which local models use: two marks, the role and two line breaks.
    fn per_message(&self) -> usize {
        5
    }
}

/// The order of the parts of a context in the request.
///
/// The layout does not affect the budget: all layouts distribute it alike, so that a layout with the memories after
/// the history (GR5) is only one more variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// System prompt, project, memories as system text; then the history.
    Standard,
    /// For models of a few hundred million parameters: the best memory alone, inside the last user
    /// message, after two example exchanges.
    Demonstration,
}

impl Layout {
    /// Whether the model can be offered tools.
    pub fn knows_tools(self) -> bool {
        self == Self::Standard
    }
}

/// The facts about a model that the assembler needs.
#[derive(Debug, Clone)]
pub struct ModelProfile {
    /// The window in tokens.
    pub window: usize,
    /// Its counter.
    pub counter: Arc<dyn TokenCounter>,
    /// Its layout.
    pub layout: Layout,
}

#[cfg(test)]
mod tests {
    use greenroom_core::{Role, ToolCall, ToolSchema};
    use serde_json::json;

    use super::*;

    #[test]
    fn wb3_the_estimate_is_a_quarter_of_the_bytes_rounded_up() {
        let counts = ["", "a", "abcd", "abcde", "žluť"].map(|text| QuarterCounter.count(text));
        assert_eq!(counts, [0, 1, 1, 2, 2]);
        assert!(!QuarterCounter.exact());
    }

    #[test]
    fn wb3_a_closure_is_a_counter() {
        let words = FnCounter::new("words", |text: &str| text.split_whitespace().count());
        assert_eq!((words.name(), words.count("one two three"), words.exact()), ("words", 3, true));
    }

    #[test]
    fn gr4_tool_calls_and_their_answers_cost_tokens() {
        let counter = o200k();
        let plain = ChatMessage::new(Role::Assistant, "");
        let call =
            ToolCall { id: "call_1".into(), name: "recall".into(), arguments: r#"{"query":"x"}"#.into() };
        let calling = ChatMessage { tool_calls: vec![call], ..plain.clone() };
        assert_eq!(counter.count_message(&plain), 4);
        assert!(counter.count_message(&calling) > 4 + PER_TOOL_CALL + 5);
        let result = ChatMessage::tool_result("call_1", "");
        assert!(counter.count_message(&result) > 4 + PER_TOOL_RESULT);
    }

    #[test]
    fn gr4_a_request_is_its_messages_its_tools_and_the_priming() {
        let counter = QuarterCounter;
        let tool = ToolSchema { name: "recall".into(), description: "Looks".into(), parameters: json!({}) };
        let json =
            r#"{"type":"function","function":{"name":"recall","description":"Looks","parameters":{}}}"#;
        let messages = [ChatMessage::new(Role::User, "12345678")];
        assert_eq!(count_request(&counter, &messages, &[]), 3 + 4 + 2);
        let with_tool = 9 + PER_TOOL_LIST + PER_TOOL + json.len().div_ceil(4);
        assert_eq!(count_request(&counter, &messages, &[tool.into()]), with_tool);
    }
}
