//! Why a turn has no reply, for programs and for people.

use std::time::Duration;

use greenroom_context::AssembleError;
use greenroom_core::{ActorState, ChatEvent, ErrorCode};
use greenroom_memory::MemoryError;
use greenroom_models::ModelError;
use greenroom_store::StoreError;

use crate::RuntimeError;

/// The failure of a turn.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    /// For programs.
    pub(crate) code: ErrorCode,
    /// For people: what happened and what to do.
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The turn took too long.
    pub(crate) fn out_of_time(limit: Duration) -> Self {
        let message =
            format!("the turn took longer than {limit:?}; raise model.timeouts.turn if it is only slow");
        Self::new(ErrorCode::ModelTimeout, message)
    }

    /// Something that the turn was shown has been erased (GR10).
    pub(crate) fn forgotten() -> Self {
        Self::new(
            ErrorCode::ForgottenMeanwhile,
            "something it was shown was forgotten meanwhile, or is not for somebody who has come, so what it answered is not \
             kept; say it again",
        )
    }

    /// A defect of Greenroom (S7). The log shows the panic's message, the chat does not.
    pub(crate) fn crash() -> Self {
        Self::new(ErrorCode::Internal, "something broke inside greenroom; the log says what. Try again")
    }

    /// The event that ends the turn.
    pub(crate) fn into_event(self) -> ChatEvent {
        ChatEvent::Failed { code: self.code, message: self.message }
    }

    /// The state of the persona after this failure (WB13).
    pub(crate) fn state(&self) -> ActorState {
        match self.code {
            ErrorCode::BudgetExceeded => ActorState::BudgetExceeded,
            ErrorCode::ContextFull => ActorState::ContextFull,
            _ => ActorState::Error,
        }
    }
}

impl From<&StoreError> for Failure {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::Erased(_) => Self::forgotten(),
            other => Self::new(ErrorCode::StoreFailed, other.to_string()),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::from(&error)
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Store(error) => error.into(),
            other => Self::new(ErrorCode::StoreFailed, other.to_string()),
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<AssembleError> for Failure {
    fn from(error: AssembleError) -> Self {
        Self::new(ErrorCode::ContextFull, error.to_string())
    }
}

impl From<Failure> for RuntimeError {
    fn from(failure: Failure) -> Self {
        Self::Context { code: failure.code, message: failure.message }
    }
}
