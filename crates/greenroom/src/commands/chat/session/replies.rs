//! Follows the replies to a message until their ends.

use std::{
    collections::HashSet,
    io::{self, IsTerminal},
};

use greenroom_core::{ChatEvent, ErrorCode, EventId, Instant, MessageId, TurnId, real_time};
use greenroom_runtime::{NextEvent, Sent, Topic};

use super::{GRACE, LOOK_AGAIN, Next, Session, changed};
use crate::{
    commands::chat::{render::Ended, signals::Stop},
    failure::Outcome,
};

impl Session {
    /// Shows the answers of personas to each other, until none answers any more (RM4). `told` are the turns that were
    /// already shown.
    pub(super) async fn follow_on(
        &mut self,
        before: EventId,
        mut told: HashSet<TurnId>,
    ) -> anyhow::Result<Next> {
        if self.store.unfinished(Some(&self.channel)).await?.is_empty() {
            return Ok(Next::GoOn);
        }
        self.renderer.headings = true;
        let topic = Topic::Channel(self.channel.clone());
        let mut events = self.runtime.subscribe(topic, Some(before)).await;
        loop {
            let heard = tokio::select! {
                heard = events.next() => heard,
                () = real_time().sleep(LOOK_AGAIN) => {
                    // an unanswered reply makes no event
                    match self.store.unfinished(Some(&self.channel)).await?.is_empty() {
                        true => return Ok(Next::GoOn),
                        false => continue,
                    }
                }
                stop = self.signals.next() => match stop {
                    Stop::Interrupt => {
                        self.runtime.cancel(&self.channel).await;
                        continue;
                    }
                    stop => return self.leave(stop),
                },
            };
            let Some(NextEvent::Event(event)) = heard else { return Ok(Next::GoOn) };
            if told.contains(&event.turn_id) {
                continue;
            }
            if let ChatEvent::Done { message_id, .. } = event.event {
                self.delivered(message_id).await;
            }
            if self.renderer.event(&event)?.is_some() {
                told.insert(event.turn_id);
            }
        }
    }

    /// Shows the turns of a message. A first Ctrl-C stops the reply, a second one ends the program. On SIGTERM the
    /// reply may continue for a while (S10).
    pub(super) async fn follow(&mut self, sent: Sent) -> anyhow::Result<Next> {
        let expected = match sent.answering.as_slice() {
            [] => return self.nobody(sent.message).await,
            [(who, _)] => *who == self.persona && !self.room,
            _ => false,
        };
        // a single reply of the addressed persona needs no heading
        self.renderer.headings = !expected || (self.person && io::stdout().is_terminal());
        let mut events = sent.events;
        let asked = sent.answering.into_iter().map(|(who, _)| (sent.message, who));
        self.unanswered.extend(asked);
        let mut failed = None;
        let mut stopping = false;
        let mut deadline = None;
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                // a persona that is removed while another answers does not hear the answer (GR2)
                cast = changed(&mut self.changes) => {
                    let lines = self.recast(cast).await;
                    lines.iter().filter(|_| !self.quiet).for_each(|line| self.remark(line));
                    continue;
                }
                () = until(deadline) => return self.leave(Stop::Terminate),
                stop = self.signals.next() => {
                    match stop {
                        Stop::Interrupt if !stopping => self.runtime.cancel(&self.channel).await,
                        Stop::Terminate if !stopping => deadline = Some(real_time().deadline(GRACE)),
                        stop => return self.leave(stop),
                    }
                    stopping = true;
                    continue;
                }
            };
            let Some(event) = event else {
                return Ok(match failed {
                    // further lines of a script are not read
                    _ if deadline.is_some() && !self.person => Next::Leave(Outcome::Failed),
                    _ if deadline.is_some() => Next::Leave(Outcome::Done),
                    None if self.unanswered.is_empty() => Next::GoOn,
                    None => Next::Failed(Outcome::Failed),
                    Some(outcome) => Next::Failed(outcome),
                });
            };
            let ended = self.renderer.event(&event)?;
            if let ChatEvent::Done { message_id, .. } = event.event {
                self.delivered(message_id).await;
            }
            match ended {
                None => {}
                Some(Ended::Replied) => {
                    self.unanswered.retain(|waiting| *waiting != (sent.message, event.persona.clone()));
                }
                Some(Ended::Failed(ErrorCode::StoreFailed)) => failed = Some(Outcome::StoreFailed),
                Some(Ended::Failed(_)) => failed = Some(Outcome::Failed),
                Some(Ended::Cancelled) => failed = Some(Outcome::Interrupted),
            }
        }
    }

    /// Marks a shown reply as delivered. If this fails, the reply is shown again at the next start.
    pub(super) async fn delivered(&self, reply: MessageId) {
        if let Err(error) = self.runtime.delivered(&self.channel, reply).await {
            tracing::warn!("a shown reply could not be marked as delivered: {error}");
        }
    }
}

/// Resolves at the deadline, if there is one.
async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => real_time().sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
