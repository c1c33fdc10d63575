//! Faults that a test orders: for calls of the bot, and for events to the bot.

use std::{
    collections::VecDeque,
    future,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    extract::{Request, State},
    http::StatusCode,
    middleware::Next,
    response::{IntoResponse, Response},
};
use tokio::time::sleep;

use crate::{fake::Shared, server::Connection};

/// A fault of one call of the bot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CallFault {
    /// The call takes effect, but the connection breaks before the answer.
    LoseAnswer,
    /// The connection breaks before the call takes effect.
    LoseCall,
    /// The call takes effect, but its answer is delayed by this time.
    Delay(Duration),
    /// The call has no effect and is answered with this status, without a body.
    Status(u16),
}

/// A fault of one event to the bot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventFault {
    /// The event is delivered twice.
    Twice,
    /// The event is delivered after the next one.
    AfterNext,
    /// The event is delivered later by this time.
    Late(Duration),
}

/// The ordered faults that have not happened yet.
#[derive(Debug, Default)]
pub struct Faults {
    calls: Mutex<Vec<(String, CallFault)>>,
    events: Mutex<VecDeque<Option<EventFault>>>,
}

impl Faults {
    /// Orders a fault for the next call whose method and path contain `part`: `POST /api/v10/channels/7/messages`
    /// contains `messages`. Several faults for the same part happen to one call each, in order.
    pub fn next_call(&self, part: &str, fault: CallFault) {
        locked(&self.calls).push((part.to_owned(), fault));
    }

    /// Orders a fault for the next event that has none yet.
    pub fn next_event(&self, fault: EventFault) {
        locked(&self.events).push_back(Some(fault));
    }

    /// Leaves the next event without a fault.
    pub fn pass_event(&self) {
        locked(&self.events).push_back(None);
    }

    pub(crate) fn take_event(&self) -> Option<EventFault> {
        locked(&self.events).pop_front().flatten()
    }

    fn take_call(&self, call: &str) -> Option<CallFault> {
        let mut calls = locked(&self.calls);
        let position = calls.iter().position(|(part, _)| call.contains(part.as_str()))?;
        Some(calls.remove(position).1)
    }
}

/// Applies the ordered faults to calls.
pub(crate) async fn layer<P: Send + 'static>(
    State(shared): State<Shared<P>>,
    request: Request,
    next: Next,
) -> Response {
    let call = format!("{} {}", request.method(), request.uri());
    let Some(fault) = shared.faults().take_call(&call) else { return next.run(request).await };
    let connection = request.extensions().get::<Connection>().cloned();
    match fault {
        CallFault::LoseAnswer => {
            next.run(request).await;
            break_off(connection).await
        }
        CallFault::LoseCall => break_off(connection).await,
        CallFault::Delay(delay) => {
            let response = next.run(request).await;
            sleep(delay).await;
            response
        }
        CallFault::Status(status) => {
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR).into_response()
        }
    }
}

async fn break_off(connection: Option<Connection>) -> Response {
    if let Some(Connection(ended)) = connection {
        ended.cancel();
    }
    future::pending().await
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
