//! Retries of model calls; the only module that waits and tries again (L1 to L3, L5, L6).
//!
//! After a transient failure the call is repeated, at most `retries` times in all. Then the fallback model is asked
//! once, if there is one. If text was already sent, the call restarts at most once. It first sends `Discarded`, so that
//! two halves are never joined. No tool call is lost or run in part, because an answer contains its calls only at its
//! end.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use futures::{StreamExt, stream};
use greenroom_core::{Entropy, Instant, real_time};

use crate::{ChatModel, ChatRequest, ModelError, ModelEvent, ModelStream};

/// The first wait without a `Retry-After`; it doubles with every attempt (L2).
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The longest wait without a `Retry-After`.
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// A model with retries, a fallback and a deadline. It is created for each turn, because all calls of the turn's tool
/// rounds share the turn's deadline.
#[derive(Clone)]
pub struct Resilient {
    model: Arc<dyn ChatModel>,
    fallback: Option<(Arc<dyn ChatModel>, String)>,
    retries: u32,
    entropy: Arc<dyn Entropy>,
    turn: Duration,
    deadline: Instant,
}

impl Resilient {
    /// Wraps `model` for a turn that begins now and may last `turn`, including waits.
    pub fn for_turn(
        model: Arc<dyn ChatModel>,
        retries: u32,
        turn: Duration,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        let deadline = real_time().deadline(turn);
        Self { model, fallback: None, retries, entropy, turn, deadline }
    }

    /// Adds a fallback: `model` is asked for the model `name` when the first one has finally failed (L3).
    pub fn with_fallback(mut self, model: Arc<dyn ChatModel>, name: impl Into<String>) -> Self {
        self.fallback = Some((model, name.into()));
        self
    }
}

impl ChatModel for Resilient {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let run = Run {
            retries_left: self.retries,
            afresh_left: true,
            attempt: 1,
            request,
            plan: self.clone(),
            current: None,
            wait_until: None,
            spoke: false,
            events: VecDeque::new(),
            ended: false,
        };
        // boxed: it is handed on with every event
        stream::unfold(Box::new(run), |mut run| async { Some((run.next().await?, run)) }).boxed()
    }
}

/// What to do after a failure.
#[derive(Debug, Clone, PartialEq)]
enum Next {
    /// Repeat the call after this wait.
    Again(Duration),
    /// Ask the fallback model.
    Fallback,
    /// No attempt is left.
    GiveUp,
}

/// A call with all its attempts.
struct Run {
    plan: Resilient,
    request: Arc<ChatRequest>,
    retries_left: u32,
    afresh_left: bool,
    /// The number of the current attempt, from 1.
    attempt: u32,
    current: Option<ModelStream>,
    wait_until: Option<Instant>,
    /// Whether text was sent that is not discarded.
    spoke: bool,
    /// Events to return before the call continues.
    events: VecDeque<Result<ModelEvent, ModelError>>,
    ended: bool,
}

impl Run {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            if self.ended {
                return None;
            }
            if let Some(until) = self.wait_until.take() {
                real_time().sleep_until(until).await;
            }
            let stream = self.current.get_or_insert_with(|| self.plan.model.stream(self.request.clone()));
            let event = match real_time().timeout_at(self.plan.deadline, stream.next()).await {
                Ok(Some(event)) => event,
                Ok(None) => Err(ModelError::Broken {
                    endpoint: self.request.model.clone(),
                    reason: "the stream ended early".to_owned(),
                }),
                Err(_) => {
                    let error = self.out_of_time();
                    self.give_up(error);
                    continue;
                }
            };
            match event {
                Ok(event) => {
                    match event {
                        ModelEvent::Delta(_) => self.spoke = true,
                        ModelEvent::Discarded { .. } => self.spoke = false,
                        ModelEvent::Finished { .. } => self.ended = true,
                        ModelEvent::Retrying { .. } => {}
                    }
                    return Some(Ok(event));
                }
                Err(error) => self.after(error),
            }
        }
    }

    /// Decides about a failure and emits the events of the decision.
    fn after(&mut self, error: ModelError) {
        self.current = None;
        match self.decide(&error) {
            Next::Again(wait) => {
                self.retries_left = self.retries_left.saturating_sub(1);
                self.afresh_left &= !self.spoke;
                self.wait_until = Some(real_time().deadline(wait));
                self.discard(&error);
                self.again(error.to_string());
            }
            Next::Fallback => {
                self.discard(&error);
                if let Some((model, name)) = self.plan.fallback.take() {
                    self.again(format!("{error}; asking {name} instead"));
                    self.plan.model = model;
                    Arc::make_mut(&mut self.request).model = name;
                }
                self.retries_left = 0;
                self.afresh_left = false;
            }
            Next::GiveUp => self.give_up(error),
        }
    }

    /// Decides by the rule: repeat if attempts are left (after sent text, one restart) and the wait fits into the turn.
    fn decide(&self, error: &ModelError) -> Next {
        let may_again = if self.spoke { self.afresh_left } else { self.retries_left > 0 };
        let wait = match error {
            ModelError::RateLimited { retry_after: Some(wait), .. } => *wait,
            _ => backoff(self.attempt, self.plan.entropy.bits()),
        };
        if !error.is_transient() {
            Next::GiveUp
        } else if may_again && wait < self.left() {
            Next::Again(wait)
        } else if self.plan.fallback.is_some() {
            Next::Fallback
        } else {
            Next::GiveUp
        }
    }

    fn left(&self) -> Duration {
        self.plan.deadline.saturating_duration_since(real_time().instant())
    }

    fn again(&mut self, reason: String) {
        self.attempt += 1;
        self.events.push_back(Ok(ModelEvent::Retrying { attempt: self.attempt, reason }));
    }

    /// Sends `Discarded` if text was sent (L6).
    fn discard(&mut self, error: &ModelError) {
        if std::mem::take(&mut self.spoke) {
            self.events.push_back(Ok(ModelEvent::Discarded { reason: error.to_string() }));
        }
    }

    fn give_up(&mut self, error: ModelError) {
        self.discard(&error);
        let error = match error {
            ModelError::RateLimited { endpoint, reason, retry_after: Some(wait) } if wait >= self.left() => {
                let left = Duration::from_secs(self.left().as_secs());
                let reason = format!("{reason}; it asks to wait {wait:?}, and {left:?} of the turn are left");
                ModelError::RateLimited { endpoint, reason, retry_after: Some(wait) }
            }
            error => error,
        };
        self.events.push_back(Err(error));
        self.ended = true;
        self.current = None;
    }

    fn out_of_time(&self) -> ModelError {
        ModelError::Timeout {
            endpoint: self.request.model.clone(),
            what: "finish the turn",
            after: self.plan.turn,
        }
    }
}

/// The wait before the next attempt: it doubles each time. The result is random between half and all of it, so that
/// many callers do not retry at the same moment (L2).
fn backoff(attempt: u32, chance: u64) -> Duration {
    let whole = FIRST_WAIT.saturating_mul(1 << attempt.saturating_sub(1).min(10)).min(LONGEST_WAIT);
    // the upper half of the bits as a number from 0 to 1
    let share = (chance >> 32) as f64 / f64::from(u32::MAX);
    whole.mul_f64(0.5 + share / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l2_waits_double_and_vary_within_their_bounds() {
        let ms = Duration::from_millis;
        assert_eq!((backoff(1, 0), backoff(1, u64::MAX)), (ms(250), ms(500)));
        assert_eq!((backoff(2, 0), backoff(2, u64::MAX)), (ms(500), ms(1000)));
        assert_eq!(backoff(99, u64::MAX), LONGEST_WAIT);
    }
}
