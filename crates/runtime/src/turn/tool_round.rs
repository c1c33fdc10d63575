//! Tool rounds: the model asks, the tools answer, and both stand in the next request (WB12).

use greenroom_core::{ChatEvent, ChatMessage, Role, ToolCall};
use greenroom_tools::{LoopGuard, ToolContext, Toolbox};
use serde_json::Value;

use super::{Audience, speech::Spoken};

/// The tool rounds of one turn.
#[derive(Default)]
pub(crate) struct ToolRounds {
    /// How many there were.
    pub(crate) done: u32,
    /// What was asked and answered, as it stands in the next request.
    pub(crate) messages: Vec<ChatMessage>,
    guard: LoopGuard,
}

impl ToolRounds {
    /// Runs the calls of one answer, in the model's order. Every call gets a result, an error
    /// where it failed (L15, L16). Says why tools must be cut off, if they must (L16, L17).
    pub(crate) async fn run(
        &mut self,
        tools: &Toolbox,
        allowed: &[String],
        context: &ToolContext,
        spoken: Spoken,
        audience: &Audience,
    ) -> Option<String> {
        self.done += 1;
        let asked = ChatMessage { tool_calls: spoken.tool_calls.clone(), ..ChatMessage::new(Role::Assistant, spoken.text) };
        self.messages.push(asked);
        let mut cut_off = None;
        for call in spoken.tool_calls {
            audience.tell(shown(&call, self.done)).await;
            let result = match &cut_off {
                None => tools.call(allowed, context, &call).await.map_err(|error| error.to_string()),
                Some(_) => Err("not run: tool calls were cut off".to_owned()),
            };
            cut_off = cut_off.or(self.guard.verdict(&call, &result));
            let ok = result.is_ok();
            let content = result.unwrap_or_else(|error| error);
            self.messages.push(ChatMessage::tool_result(&call.id, &content));
            audience.tell(ChatEvent::ToolResult { id: call.id, name: call.name, ok, content }).await;
        }
        cut_off
    }
}

/// A call as the audience sees it: arguments that are no JSON are shown as the text they are.
fn shown(call: &ToolCall, round: u32) -> ChatEvent {
    let arguments =
        serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone()));
    ChatEvent::ToolCall { id: call.id.clone(), name: call.name.clone(), arguments, round }
}
