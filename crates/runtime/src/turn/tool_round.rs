//! Tool rounds: the model calls tools, the tools answer, and the next request contains both (WB12).

use greenroom_core::{ChatEvent, ChatMessage, Offered, Role, ToolCall};
use greenroom_memory::ToolResult;
use greenroom_tools::{Forget, LoopGuard, ToolContext, ToolOutcome, Toolbox, Verdict};
use serde_json::Value;

use super::{event_sink::EventSink, model_call::ModelAnswer};

/// A result of at most this many bytes is not cut further.
const SHORT: usize = 200;
/// The end of a result that was cut to fit.
const CUT: &str = "\n[cut: the rest does not fit into the context]";

/// Writes `{}` as the arguments of a call that has none, if its tool takes no parameters. Many endpoints send empty
/// arguments for such tools. For every other tool, empty arguments are an error that the model is told (L15).
pub(crate) fn fill_empty_arguments(calls: &mut [ToolCall], tools: &[Offered]) {
    for call in calls.iter_mut().filter(|call| call.arguments.trim().is_empty()) {
        if tools.iter().any(|tool| tool.name == call.name && tool.takes_nothing()) {
            call.arguments = "{}".to_owned();
        }
    }
}

/// The tool rounds of one turn.
pub(crate) struct ToolRounds {
    /// The calls and the answers, as the next request contains them.
    pub(crate) messages: Vec<ChatMessage>,
    /// The answers, uncut.
    pub(crate) results: Vec<ToolResult>,
    /// Whether something may have been forgotten.
    pub(crate) forgot: bool,
    guard: LoopGuard,
    done: u32,
}

impl ToolRounds {
    /// At most `limit` rounds. `before` holds the rounds that were made before the turn.
    pub(crate) fn new(limit: u32, before: Vec<ChatMessage>) -> Self {
        Self { messages: before, results: Vec::new(), forgot: false, guard: LoopGuard::new(limit), done: 0 }
    }

    /// Whether any tool was called.
    pub(crate) fn any(&self) -> bool {
        !self.messages.is_empty()
    }

    /// Halves the longest result. Returns false if all of them are short already.
    pub(crate) fn shorten(&mut self) -> bool {
        let results = self.messages.iter_mut().filter(|message| message.role == Role::Tool);
        let Some(longest) = results.max_by_key(|message| message.content.len()) else { return false };
        let text = longest.content.strip_suffix(CUT).unwrap_or(&longest.content);
        if text.len() <= SHORT {
            return false;
        }
        let half = &text[..text.floor_char_boundary(text.len() / 2)];
        longest.content = format!("{half}{CUT}");
        true
    }

    /// Publishes the calls that the client has to make itself.
    pub(crate) async fn hand_over(&self, calls: &[ToolCall], sink: &EventSink) {
        for call in calls {
            sink.tell(call_event(call, self.done + 1)).await;
        }
    }

    /// Runs the calls of one answer in the model's order. Every call gets a result, which is an error if it failed
    /// (L15, L16). Returns why no more tool rounds follow, if so (L16, L17).
    pub(crate) async fn run(
        &mut self,
        toolbox: &Toolbox,
        context: &ToolContext,
        answer: ModelAnswer,
        sink: &EventSink,
    ) -> Option<String> {
        self.done += 1;
        let asked = ChatMessage::new(Role::Assistant, answer.text);
        self.messages.push(ChatMessage { tool_calls: answer.tool_calls.clone(), ..asked });
        let mut end = reason(self.guard.round());
        for call in answer.tool_calls {
            sink.tell(call_event(&call, self.done)).await;
            let verdict = match &end {
                None => self.guard.call(&call),
                Some(why) => Verdict::End { reason: why.clone() },
            };
            let not_run =
                |why: &str| ToolOutcome { ok: false, content: format!("not run: {why}"), known: true };
            let ToolOutcome { ok, content, known } = match &verdict {
                Verdict::Go => toolbox.run(context, &call).await,
                Verdict::Skip { reason } | Verdict::End { reason } => not_run(reason),
            };
            end = reason(verdict);
            self.forgot |= ok && call.name == Forget::NAME;
            if !known {
                end = end.or_else(|| reason(self.guard.unknown()));
            }
            self.messages.push(ChatMessage::tool_result(&call.id, &content));
            self.results.push(ToolResult {
                tool: call.name.clone(),
                arguments: call.arguments.clone(),
                content: content.clone(),
                ok,
            });
            sink.tell(ChatEvent::ToolResult { id: call.id, name: call.name, ok, content }).await;
        }
        end
    }
}

fn reason(verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Go | Verdict::Skip { .. } => None,
        Verdict::End { reason } => Some(reason),
    }
}

/// The event of a call. Arguments that are no JSON are shown as text.
fn call_event(call: &ToolCall, round: u32) -> ChatEvent {
    let arguments =
        serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone()));
    ChatEvent::ToolCall { id: call.id.clone(), name: call.name.clone(), arguments, round }
}

#[cfg(test)]
mod tests {
    use greenroom_core::ToolSchema;
    use serde_json::json;

    use super::*;

    #[test]
    fn l15_an_empty_text_is_written_out_for_a_tool_that_takes_nothing_and_for_no_other() {
        let tool = |name: &str, parameters: Value| {
            Offered::from(ToolSchema { name: name.into(), description: String::new(), parameters })
        };
        let tools = [
            tool("now", json!({ "type": "object", "properties": {} })),
            tool("ping", json!({ "type": "object" })),
            tool("list", json!({ "type": "object", "properties": { "limit": {} } })),
        ];
        let call = |name: &str, arguments: &str| ToolCall {
            id: "c".into(),
            name: name.into(),
            arguments: arguments.into(),
        };
        let mut calls =
            [call("now", ""), call("ping", " \n"), call("list", ""), call("fly", ""), call("now", "[]")];
        fill_empty_arguments(&mut calls, &tools);
        assert_eq!(calls.map(|call| call.arguments), ["{}", "{}", "", "", "[]"]);
    }

    #[test]
    fn wb14_the_longest_result_is_cut_until_all_are_short() {
        let mut rounds = ToolRounds::new(1, Vec::new());
        rounds.messages.push(ChatMessage::new(Role::Assistant, "é".repeat(5_000)));
        rounds.messages.push(ChatMessage::tool_result("a", "short"));
        rounds.messages.push(ChatMessage::tool_result("b", "é".repeat(1_000)));
        assert!(rounds.shorten());
        assert_eq!(rounds.messages[2].content, format!("{}{CUT}", "é".repeat(500)));
        while rounds.shorten() {}
        assert!(rounds.messages[2].content.len() <= SHORT + CUT.len());
        assert_eq!(rounds.messages[2].content.matches(CUT).count(), 1);
        assert_eq!(
            (rounds.messages[0].content.len(), rounds.messages[1].content.as_str()),
            (10_000, "short")
        );
    }
}
