//! The events of the turns that one message caused, as its sender reads them from the hub.

use std::{collections::VecDeque, sync::Arc};

use greenroom_core::{ChannelKey, ChatEvent, ErrorCode, EventId, Finish, TurnEvent, TurnId};
use greenroom_store::{Store, StoreError, Turn, TurnState};
use tokio_util::sync::DropGuard;

use crate::hub::{Hub, NextEvent, Subscription, Topic};

/// The reason for a reader that was too slow, when the reply is sent again.
const TOO_SLOW: &str = "the reader was too slow and missed a part";

/// The events of the turns that one message caused, in order. Ends after the last event of the last turn.
///
/// The turns never wait for the reader. A reader that falls behind what the hub keeps misses deltas and notices. It
/// then gets [`ChatEvent::ReplyDiscarded`], the whole reply at once, and the end of the turn.
pub struct TurnEvents {
    store: Arc<dyn Store>,
    /// The turns whose events are still to come.
    turns: VecDeque<(TurnId, Subscription)>,
    gap: Gap,
    /// The events to return next.
    pending: VecDeque<Arc<TurnEvent>>,
    /// Ends a turn that is not stored, when its reader leaves.
    _on_leave: Option<DropGuard>,
}

/// Whether the reader missed events of the current turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    No,
    /// It did, and it is not known yet whether the turn has ended.
    Unchecked,
    /// It did, and the turn goes on.
    Yes,
}

impl TurnEvents {
    /// Subscribes to turns of a channel from their beginning.
    pub(crate) fn of(
        store: &Arc<dyn Store>,
        hub: &Arc<Hub>,
        channel: &ChannelKey,
        turns: impl Iterator<Item = TurnId>,
    ) -> Self {
        let turns = turns.map(|turn| (turn, hub.subscribe(Topic::Turn(channel.clone(), turn), None)));
        Self {
            store: store.clone(),
            turns: turns.collect(),
            gap: Gap::No,
            pending: VecDeque::new(),
            _on_leave: None,
        }
    }

    /// A subscription to each remaining turn, in order, for readers that handle gaps themselves. Each starts at the
    /// beginning of its turn, because it was made before the turn could begin.
    pub fn into_subscriptions(self) -> impl Iterator<Item = (TurnId, Subscription)> {
        self.turns.into_iter()
    }

    /// Drops the guard when the reader leaves.
    pub(crate) fn with_guard(self, guard: DropGuard) -> Self {
        Self { _on_leave: Some(guard), ..self }
    }

    /// The next event; `None` at the end. Cancel safe.
    pub async fn recv(&mut self) -> Option<Arc<TurnEvent>> {
        loop {
            if let Some(event) = self.pending.pop_front() {
                return Some(event);
            }
            let (turn, subscription) = self.turns.front_mut()?;
            if self.gap == Gap::Unchecked {
                match stored_end(&*self.store, *turn).await {
                    Ok(Some(end)) => self.tell_anew(Arc::new(end)),
                    Ok(None) => self.gap = Gap::Yes,
                    Err(error) => {
                        tracing::warn!(%turn, %error, "the end of a turn is not known to its reader");
                        self.turns.pop_front();
                        self.gap = Gap::No;
                    }
                }
                continue;
            }
            match subscription.next().await {
                Some(NextEvent::Event(event)) if self.gap == Gap::No => return Some(event),
                Some(NextEvent::Event(event)) if event.event.is_last() => self.tell_anew(event),
                Some(NextEvent::Event(_)) => {}
                Some(NextEvent::Missed | NextEvent::Lagged) => {
                    subscription.resume();
                    self.gap = Gap::Unchecked;
                }
                None => {
                    self.turns.pop_front();
                    self.gap = Gap::No;
                }
            }
        }
    }

    /// Gives the end of a turn, with the whole reply, to a reader that missed a part of it.
    fn tell_anew(&mut self, end: Arc<TurnEvent>) {
        self.turns.pop_front();
        self.gap = Gap::No;
        if let ChatEvent::Done { text, .. } = &end.event {
            let told = |event| Arc::new(TurnEvent { event, ..TurnEvent::clone(&end) });
            self.pending.push_back(told(ChatEvent::ReplyDiscarded { reason: TOO_SLOW.into() }));
            self.pending.push_back(told(ChatEvent::TokenDelta { text: text.clone() }));
        }
        self.pending.push_back(end);
    }
}

/// The last event of an ended turn, as far as the store knows it. `None` while the turn runs, and for a turn that is
/// not stored.
async fn stored_end(store: &dyn Store, turn: TurnId) -> Result<Option<TurnEvent>, StoreError> {
    let Some(mut turn) = store.turn(turn).await? else { return Ok(None) };
    if turn.state == TurnState::Coalesced {
        // the turn was answered together with a later message
        let answers = store.answers(turn.trigger).await?;
        turn = answers.into_iter().find(|answer| answer.persona == turn.persona).unwrap_or(turn);
    }
    let event = match turn.state {
        TurnState::Waiting | TurnState::Running => return Ok(None),
        _ => {
            let text = match turn.reply {
                Some(reply) => store.message(reply).await?.map(|message| message.text),
                None => None,
            };
            last_event(&turn, text)
        }
    };
    let Turn { id: turn_id, persona, channel, .. } = turn;
    Ok(Some(TurnEvent { id: EventId::default(), turn_id, persona, channel, event }))
}

/// The last event of a stored turn. A reply always ends with [`Finish::Stop`], because the store does not keep how it
/// finished.
pub fn last_event(turn: &Turn, text: Option<String>) -> ChatEvent {
    match (turn.state, turn.reply) {
        (TurnState::Done, Some(message_id)) => ChatEvent::Done {
            text: text.unwrap_or_default(),
            message_id,
            finish: Finish::Stop,
            usage: turn.usage,
        },
        (TurnState::Failed, _) => ChatEvent::Failed {
            code: turn.code.unwrap_or(ErrorCode::Internal),
            message: turn.message.clone().unwrap_or_default(),
        },
        _ => ChatEvent::Cancelled { text: String::new() },
    }
}
