//! The results of the turns of a place.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use greenroom_core::{ChatEvent, NoticeCode, Time, TurnEvent, TurnId};
use greenroom_runtime::EventObserver;

use super::{Answer, LivePlace, Reply, Shared};
use crate::{error::SimError, mind};

/// The result of a turn, and its agent's index.
type TurnResult = (usize, TurnId, Answer);

/// The results of the turns since the last event, in the order in which the turns ended. The runtime adds each one when
/// it publishes it. A subscription would not do: it loses events once an event of the scenario causes more of them than
/// the runtime keeps.
#[derive(Clone, Default)]
pub(super) struct TurnResults(Arc<Mutex<Vec<TurnResult>>>);

impl TurnResults {
    /// Adds the result of each turn that ends.
    pub(super) fn observer(&self, shared: &Arc<Shared>) -> EventObserver {
        let (results, shared) = (self.clone(), shared.clone());
        Arc::new(move |event: &TurnEvent| {
            let answer = match &event.event {
                ChatEvent::Done { text, .. } => Answer::Said(text.clone()),
                ChatEvent::Failed { message, .. } => Answer::Failed(mind::reason(message.clone())),
                ChatEvent::Notice { code: NoticeCode::NotSent, message } => Answer::Withheld(message.clone()),
                _ => return,
            };
            if let Some(agent) = shared.by_name.get(&event.persona) {
                results.lock().push((*agent, event.turn_id, answer));
            }
        })
    }

    fn take(&self) -> Vec<TurnResult> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<TurnResult>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LivePlace {
    /// The results of the turns since the last event.
    pub(super) async fn replies(&self) -> Result<Vec<Reply>, SimError> {
        let mut replies = Vec::new();
        for (agent, turn, answer) in self.results.take() {
            replies.push(self.reply(agent, turn, answer).await?);
        }
        Ok(replies)
    }

    async fn reply(&self, agent: usize, turn: TurnId, answer: Answer) -> Result<Reply, SimError> {
        let turn = self.shared.store.turn(turn).await?;
        let reply = turn.as_ref().and_then(|turn| turn.reply);
        let message = match reply {
            Some(id) => self.shared.store.message(id).await?,
            None => None,
        };
        let at = message.map_or_else(|| self.time.now(), |message| message.at);
        let (usage, receipt) = turn.map(|turn| (turn.usage, turn.receipt)).unwrap_or_default();
        Ok(Reply { agent, at, answer, choice: None, usage, receipt })
    }
}
