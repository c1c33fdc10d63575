//! Step 3 of a turn: one model call, streamed to the listeners.

use std::sync::Arc;

use futures::StreamExt;
use greenroom_core::{ChatEvent, ErrorCode, Finish, NoticeCode, ToolCall};
use greenroom_models::{ChatRequest, FinishReason, ModelError, ModelEvent};

use super::{event_sink::EventSink, failure::Failure, progress::Progress};
use crate::ResolvedModel;

/// The result of a model call.
pub(crate) struct ModelAnswer {
    /// The text of this call.
    pub(crate) text: String,
    /// The complete tool calls.
    pub(crate) tool_calls: Vec<ToolCall>,
    /// Why it ended.
    pub(crate) reason: FinishReason,
}

/// The most bytes that a token of an answer has on average: eight times the usual number. A longer answer is cut off.
/// So an endpoint that ignores the token limit cannot fill memory and store (L9).
const TOKEN_BYTES: usize = 32;

/// Calls the model and publishes its text. A stream that ends without a finish event is a failure (L7).
pub(crate) async fn stream(
    model: &ResolvedModel,
    request: ChatRequest,
    sink: &EventSink,
    progress: &mut Progress,
) -> Result<ModelAnswer, ModelError> {
    progress.call(request.prompt_tokens, model.profile.counter.clone());
    let from = progress.said.len();
    let longest = (request.max_output_tokens as usize).saturating_mul(TOKEN_BYTES);
    let mut events = model.model.stream(Arc::new(request));
    let mut cause = String::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(ModelEvent::Delta(piece)) if piece.is_empty() => {}
            Ok(ModelEvent::Delta(piece)) => {
                let text = progress.say(piece);
                sink.tell(ChatEvent::TokenDelta { text }).await;
                if progress.said.len() - from > longest {
                    tracing::warn!(model = %model.name, "an answer was cut off: it has {TOKEN_BYTES} times as many bytes as tokens were asked for");
                    progress.call_failed();
                    let text = said_since(progress, from);
                    return Ok(ModelAnswer { text, tool_calls: Vec::new(), reason: FinishReason::Length });
                }
            }
            Ok(ModelEvent::Discarded { reason }) => {
                cause.clone_from(&reason);
                discard(reason, sink, progress).await;
            }
            Ok(ModelEvent::Retrying { attempt, reason }) => {
                let again = format!("trying again ({attempt})");
                // the same cause is not repeated
                let message = if reason == cause { again } else { format!("{reason}; {again}") };
                cause = reason;
                sink.notice(NoticeCode::Retrying, message).await;
            }
            Ok(ModelEvent::Finished { tool_calls, reason, usage }) => {
                progress.called(usage);
                return Ok(ModelAnswer { text: said_since(progress, from), tool_calls, reason });
            }
            Err(error) => {
                let again = matches!(error, ModelError::ContextLength { .. });
                if again && progress.spoke() {
                    discard(error.to_string(), sink, progress).await;
                }
                progress.call_failed();
                return Err(error);
            }
        }
    }
    progress.call_failed();
    Err(ModelError::Broken {
        endpoint: model.name.clone(),
        reason: "the stream ended before the answer did".into(),
    })
}

/// What the turn has said from this byte on.
fn said_since(progress: &Progress, from: usize) -> String {
    progress.said.get(from..).unwrap_or_default().trim_start().to_owned()
}

/// Discards what this call streamed (L6). For the listeners, all text is void then, so the text of earlier tool rounds
/// is published again. The deltas since the last discard always make up the whole reply.
async fn discard(reason: String, sink: &EventSink, progress: &mut Progress) {
    let text = progress.discard();
    sink.tell(ChatEvent::ReplyDiscarded { reason }).await;
    if !text.is_empty() {
        sink.tell(ChatEvent::TokenDelta { text }).await;
    }
}

/// How a reply finished. An empty reply is a failure, because an empty message would stay in the history for good.
pub(crate) fn finish(said: &str, reason: FinishReason, tools_cut_off: bool) -> Result<Finish, Failure> {
    let empty = said.trim().is_empty();
    match reason {
        FinishReason::ContentFilter if empty => Err(Failure::new(
            ErrorCode::ModelRejected,
            "the provider's content filter refused to answer; say it differently",
        )),
        FinishReason::ContentFilter => Ok(Finish::Refused),
        FinishReason::Length if empty => Err(Failure::new(
            ErrorCode::ModelBroken,
            "the model used up its output limit without saying anything; raise model.max_output_tokens",
        )),
        _ if empty => Err(Failure::new(
            ErrorCode::ModelBroken,
            "the model answered with nothing; try again, or choose another with --model",
        )),
        _ if tools_cut_off => Ok(Finish::ToolLimit),
        FinishReason::Length => Ok(Finish::Length),
        FinishReason::Stop | FinishReason::ToolCalls => Ok(Finish::Stop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l11_a_refusal_is_visible() {
        assert_eq!(finish("I can", FinishReason::ContentFilter, false).unwrap(), Finish::Refused);
        assert_eq!(
            finish("", FinishReason::ContentFilter, false).unwrap_err().code,
            ErrorCode::ModelRejected
        );
    }

    #[test]
    fn an_empty_reply_is_a_failure_and_never_a_message() {
        for reason in [FinishReason::Stop, FinishReason::Length, FinishReason::ToolCalls] {
            assert_eq!(finish(" \n", reason, true).unwrap_err().code, ErrorCode::ModelBroken);
        }
    }

    #[test]
    fn as4_a_reply_cut_short_says_so() {
        assert_eq!(finish("so far", FinishReason::Stop, true).unwrap(), Finish::ToolLimit);
        assert_eq!(finish("so far", FinishReason::Length, false).unwrap(), Finish::Length);
    }
}
