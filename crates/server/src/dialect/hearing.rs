//! The events of the turn that answers, as pieces of a reply.

use std::{collections::HashSet, future::Future, pin::Pin, time::Duration};

use greenroom_core::{ChatEvent, ErrorCode, Finish, MemorySnippet, MessageId, PersonaName, TurnId, Usage};
use greenroom_runtime::TurnEvents;
use http::StatusCode;

use crate::{ApiError, Caller, Services, error::status_of};

/// How long a running answer may take when the server stops (S10).
const GRACE: Duration = Duration::from_secs(10);

/// A piece of a reply.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    /// Text to append.
    Text(String),
    /// All text so far is void (L6).
    Void,
    /// A call of a tool of the client.
    Call(Call),
    /// The reply is whole.
    End(End),
}

/// A call of a tool of the client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    /// The model's id of it.
    pub(crate) id: String,
    /// Which tool.
    pub(crate) name: String,
    /// As the model wrote them.
    pub(crate) arguments: String,
}

/// How a reply ended.
#[derive(Debug, PartialEq)]
pub(crate) struct End {
    /// All of it.
    pub(crate) text: String,
    /// Why there is no more.
    pub(crate) finish: Finish,
    /// What it cost.
    pub(crate) usage: Usage,
    /// The stored reply, in a channel.
    pub(crate) reply: MessageId,
}

/// A listener to one turn. One that is dropped ends a turn that stores nothing.
pub(super) struct Hearing {
    events: TurnEvents,
    persona: PersonaName,
    /// Which turn, as soon as it has begun.
    pub(super) turn: Option<TurnId>,
    /// What was recalled.
    pub(super) memories: Vec<MemorySnippet>,
    /// The tools of the client.
    theirs: HashSet<String>,
    /// Resolves when nobody may listen any more.
    over: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Hearing {
    /// Listens to the turn of a persona.
    pub(super) fn new(
        events: TurnEvents,
        persona: PersonaName,
        theirs: Vec<String>,
        caller: &Caller,
        services: &Services,
    ) -> Self {
        let (revoked, closing) = (caller.revoked.clone(), services.closing.clone());
        let over = Box::pin(async move {
            revoked.cancelled().await;
            if closing.is_cancelled() {
                tokio::time::sleep(GRACE).await;
            }
        });
        let theirs = theirs.into_iter().collect();
        Self { events, persona, turn: None, memories: Vec::new(), theirs, over }
    }

    /// Waits until the turn has begun.
    pub(super) async fn begun(&mut self) -> Result<TurnId, ApiError> {
        loop {
            if let Some(turn) = self.turn {
                return Ok(turn);
            }
            self.event().await?;
        }
    }

    /// The next piece of the answer, or why there is none. Nothing comes after an end or an error.
    pub(super) async fn piece(&mut self) -> Result<Piece, ApiError> {
        loop {
            return Ok(match self.event().await? {
                ChatEvent::MemoryContext { memories } => {
                    self.memories = memories.to_vec();
                    continue;
                }
                ChatEvent::TokenDelta { text } => Piece::Text(text),
                ChatEvent::ReplyDiscarded { .. } => Piece::Void,
                ChatEvent::ToolCall { id, name, arguments, .. } if self.theirs.contains(&name) => {
                    let arguments = match arguments {
                        // what was no JSON is shown as the text it was
                        serde_json::Value::String(raw) => raw,
                        arguments => arguments.to_string(),
                    };
                    Piece::Call(Call { id, name, arguments })
                }
                ChatEvent::Done { text, message_id, finish, usage } => {
                    Piece::End(End { text, finish, usage, reply: message_id })
                }
                ChatEvent::Failed { code, message } => return Err(failed(code, message)),
                ChatEvent::Cancelled { .. } => {
                    let message = "the reply was stopped before it was complete";
                    return Err(ApiError::new(StatusCode::CONFLICT, "cancelled", message));
                }
                _ => continue,
            });
        }
    }

    /// The next event of the turn; those of others that answer the same message are passed over.
    async fn event(&mut self) -> Result<ChatEvent, ApiError> {
        loop {
            let event = tokio::select! {
                event = self.events.recv() => event,
                () = &mut self.over => {
                    let message = "the answer was broken off: the server stops, or the key was revoked";
                    return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "broken_off", message));
                }
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

/// What a failed turn is told as, and when another try is worth it.
fn failed(code: ErrorCode, message: String) -> ApiError {
    let error = ApiError::new(status_of(code), code.as_str(), message);
    match code {
        ErrorCode::BudgetExceeded => error.after(Duration::from_secs(60)),
        ErrorCode::RateLimited => error.after(Duration::from_secs(5)),
        _ => error,
    }
}
