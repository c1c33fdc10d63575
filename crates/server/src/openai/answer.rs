//! An answer in one document, as the OpenAI API has it.

use greenroom_core::{Finish, MemorySnippet, TurnId, Usage};
use serde::Serialize;
use utoipa::ToSchema;

use super::hearing::{Call, End, Hearing, Piece};
use crate::ApiError;

/// A whole answer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::ChatCompletion)]
pub(super) struct ChatCompletion {
    /// `chatcmpl-` and the turn.
    id: String,
    /// Always `chat.completion`.
    object: &'static str,
    /// When, in seconds since 1970.
    created: i64,
    /// Who answered.
    model: String,
    /// Always one.
    choices: Vec<Choice>,
    /// What it cost.
    usage: TokenUsage,
    /// Where it comes from.
    greenroom: Provenance,
}

/// The answer itself.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::Choice)]
struct Choice {
    index: u32,
    message: Reply,
    /// Always absent.
    logprobs: Option<()>,
    /// `stop`, `length`, `tool_calls` or `content_filter`.
    finish_reason: &'static str,
}

/// What was said.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::Reply)]
struct Reply {
    /// Always `assistant`.
    role: &'static str,
    /// The text; absent when there are only calls.
    content: Option<String>,
    /// Always absent.
    refusal: Option<()>,
    /// Calls of tools of whoever asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall>,
}

/// A call of a tool of whoever asked.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = openai::ToolCall)]
pub(super) struct ToolCall {
    /// Its place among the calls; in a stream alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    kind: &'static str,
    function: Called,
}

/// What is called.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = openai::Called)]
struct Called {
    name: String,
    /// As the model wrote them: usually JSON.
    arguments: String,
}

/// What an answer cost, all calls of the turn together.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = openai::TokenUsage)]
pub(super) struct TokenUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}

/// Where an answer comes from.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::Provenance)]
pub(super) struct Provenance {
    /// The turn.
    turn_id: TurnId,
    /// What was recalled for it, best first; empty for a stored reply that is told again.
    memories: Vec<MemorySnippet>,
}

impl ToolCall {
    /// A call, in a stream with its place.
    pub(super) fn new(call: Call, index: Option<usize>) -> Self {
        let Call { id, name, arguments } = call;
        Self { index, id, kind: "function", function: Called { name, arguments } }
    }
}

impl From<Usage> for TokenUsage {
    fn from(usage: Usage) -> Self {
        Self {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            total_tokens: usage.total(),
        }
    }
}

/// The words of the OpenAI API for how an answer ended.
pub(super) fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::ToolLimit => "stop",
        Finish::Length => "length",
        Finish::Refused => "content_filter",
        Finish::ToolCalls => "tool_calls",
    }
}

/// How an answer is known.
pub(super) fn answer_id(turn: TurnId) -> String {
    format!("chatcmpl-{turn}")
}

impl ChatCompletion {
    /// The answer of a turn.
    pub(super) fn new(
        turn: TurnId,
        model: &str,
        created: i64,
        end: End,
        calls: Vec<ToolCall>,
        memories: Vec<MemorySnippet>,
    ) -> Self {
        let content = Some(end.text).filter(|text| calls.is_empty() || !text.is_empty());
        let message = Reply { role: "assistant", content, refusal: None, tool_calls: calls };
        let finish_reason = finish_reason(end.finish);
        Self {
            id: answer_id(turn),
            object: "chat.completion",
            created,
            model: model.to_owned(),
            choices: vec![Choice { index: 0, message, logprobs: None, finish_reason }],
            usage: end.usage.into(),
            greenroom: Provenance { turn_id: turn, memories },
        }
    }
}

/// Hears a turn to its end.
pub(super) async fn whole(hearing: &mut Hearing) -> Result<(End, Vec<ToolCall>), ApiError> {
    let mut calls = Vec::new();
    loop {
        match hearing.piece().await? {
            Piece::Call(call) => calls.push(ToolCall::new(call, None)),
            Piece::End(end) => return Ok((end, calls)),
            // the end brings all of the text
            Piece::Text(_) | Piece::Void => {}
        }
    }
}
