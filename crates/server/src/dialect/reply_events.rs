//! The events of the turn that answers, as events of a reply.

use std::{collections::HashSet, future::Future, pin::Pin, time::Duration};

use greenroom_core::{ChatEvent, ErrorCode, MemorySnippet, PersonaName, ToolCall, TurnId, real_time};
use greenroom_runtime::TurnEvents;
use http::StatusCode;

use super::format::ReplyEnd;
use crate::{ApiError, Caller, Services, error::status_of};

/// OpenAI's code for a full context.
pub(super) const CONTEXT_FULL: &str = "context_length_exceeded";

/// The time that a running answer gets when the server stops (S10).
const GRACE: Duration = Duration::from_secs(10);

/// An event of a reply.
#[derive(Debug, PartialEq)]
pub(super) enum ReplyEvent {
    /// Text to append.
    Text(String),
    /// The reply begins again: all text before is void (L6).
    Restart,
    /// A call of a tool of the client.
    Call(ToolCall),
    /// The reply is whole.
    End(ReplyEnd),
}

/// The events of one turn. Dropping them ends a turn that stores nothing.
pub(super) struct ReplyEvents {
    events: TurnEvents,
    persona: PersonaName,
    /// The turn, as soon as it has begun.
    turn: Option<TurnId>,
    /// The recalled memories.
    pub(super) memories: Vec<MemorySnippet>,
    /// The names of the client's tools.
    client_tools: HashSet<String>,
    caller: Caller,
    /// Resolves when the caller loses access or the server stops, with the error.
    over: Pin<Box<dyn Future<Output = ApiError> + Send>>,
}

impl ReplyEvents {
    /// The events of the turn of a persona.
    pub(super) fn new(
        events: TurnEvents,
        persona: PersonaName,
        client_tools: Vec<String>,
        caller: &Caller,
        services: &Services,
    ) -> Self {
        let (asking, closing) = (caller.clone(), services.closing.clone());
        let over = Box::pin(async move {
            asking.revoked.cancelled().await;
            if !closing.is_cancelled() {
                return asking.ended();
            }
            real_time().sleep(GRACE).await;
            let message = "the answer was broken off: the server stops; ask again when it runs";
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "broken_off", message)
        });
        let client_tools = client_tools.into_iter().collect();
        let caller = caller.clone();
        Self { events, persona, turn: None, memories: Vec::new(), client_tools, caller, over }
    }

    /// The turn; waits until it has begun.
    pub(super) async fn turn(&mut self) -> Result<TurnId, ApiError> {
        loop {
            if let Some(turn) = self.turn {
                return Ok(turn);
            }
            self.event().await?;
        }
    }

    /// The next event, or why the reply broke off. No event follows an end or an error.
    pub(super) async fn next(&mut self) -> Result<ReplyEvent, ApiError> {
        loop {
            return Ok(match self.event().await? {
                ChatEvent::MemoryContext { memories } => {
                    self.memories = memories.to_vec();
                    continue;
                }
                ChatEvent::TokenDelta { text } => ReplyEvent::Text(text),
                ChatEvent::ReplyDiscarded { .. } => ReplyEvent::Restart,
                ChatEvent::ToolCall { id, name, arguments, .. } if self.client_tools.contains(&name) => {
                    let arguments = match arguments {
                        // not JSON: the text of the model
                        serde_json::Value::String(raw) => raw,
                        arguments => arguments.to_string(),
                    };
                    ReplyEvent::Call(ToolCall { id, name, arguments })
                }
                ChatEvent::Done { text, message_id, finish, usage } => {
                    ReplyEvent::End(ReplyEnd { text, finish, usage, reply: message_id })
                }
                ChatEvent::Failed { code, message } => {
                    return Err(failed(code, self.caller.visible_failure(code, message)));
                }
                ChatEvent::Cancelled { .. } => {
                    let message = "the reply was stopped before it was complete";
                    return Err(ApiError::new(StatusCode::CONFLICT, "cancelled", message));
                }
                _ => continue,
            });
        }
    }

    /// The next event of this turn. Other turns may answer the same message; their events are skipped.
    async fn event(&mut self) -> Result<ChatEvent, ApiError> {
        loop {
            let event = tokio::select! {
                event = self.events.recv() => event,
                error = &mut self.over => return Err(error),
            };
            let Some(event) = event else {
                let message = "the turn ended without a word; the log says more";
                return Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message));
            };
            if event.persona == self.persona && *self.turn.get_or_insert(event.turn_id) == event.turn_id {
                return Ok(event.event.clone());
            }
        }
    }
}

/// The error of a failed turn, with the time to wait before a retry.
fn failed(code: ErrorCode, message: String) -> ApiError {
    let error = ApiError::new(status_of(code), code.as_str(), message);
    match code {
        // the code by which clients recognise that they must shorten the conversation
        ErrorCode::ContextFull => ApiError { code: CONTEXT_FULL, ..error }.about("messages"),
        ErrorCode::BudgetExceeded => error.after(Duration::from_secs(60)),
        ErrorCode::RateLimited => error.after(Duration::from_secs(5)),
        _ => error,
    }
}
