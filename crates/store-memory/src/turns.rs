//! The life of a turn: its begin, its single end with or without a reply, and its cost (GR6).

use std::collections::BTreeMap;

use async_trait::async_trait;
use greenroom_core::{
    ChannelKey, Message, MessageId, PersonaName, Receipt, ReceiptItem, Section, SharedReceipt, Timestamp,
    TurnId, Usage,
};
use greenroom_store::{
    RECEIPTS_KEPT, Result, StoreError, Turn, TurnCommit, TurnEnd, TurnState, TurnStore,
    rules::vectors::checked_new,
};

use crate::{
    InMemoryStore,
    accounts::StoredDelivery,
    rows::shown,
    state::{State, StoredTurn},
};

#[async_trait]
impl TurnStore for InMemoryStore {
    async fn begin_turn(&self, id: TurnId, _: Timestamp) -> Result<()> {
        let mut state = self.state()?;
        match state.turns.get_mut(&id) {
            Some(turn) if turn.state == TurnState::Waiting => turn.state = TurnState::Running,
            _ => return Err(state.unexpected(id)),
        }
        Ok(())
    }

    async fn commit_turn(&self, turn: TurnId, mut commit: TurnCommit) -> Result<MessageId> {
        commit.vector = commit.vector.map(checked_new).transpose()?;
        self.state()?.commit(turn, commit)
    }

    async fn end_turn(&self, id: TurnId, end: TurnEnd) -> Result<()> {
        if !matches!(end.state, TurnState::Failed | TurnState::Cancelled) {
            let state = end.state;
            return Err(StoreError::Invalid(format!("a turn does not end without a reply as {state:?}")));
        }
        let mut state = self.state()?;
        state.open_turn(id)?;
        state.turn_ended(id, |turn| {
            turn.state = end.state;
            turn.ended_at = Some(end.at);
            turn.code = end.code;
            turn.note = Some(end.message);
            turn.usage = end.usage;
        });
        Ok(())
    }

    async fn coalesce_turn(&self, turn: TurnId, answered_with: MessageId, at: Timestamp) -> Result<()> {
        self.state()?.coalesce(turn, answered_with, at)
    }

    async fn turn(&self, turn: TurnId) -> Result<Option<Turn>> {
        Ok(self.state()?.told_turn(turn))
    }

    async fn answers(&self, message: MessageId) -> Result<Vec<Turn>> {
        Ok(self.state()?.answers(message))
    }

    async fn without_reply(&self, messages: &[MessageId]) -> Result<Vec<Turn>> {
        let state = self.state()?;
        let mut messages = messages.to_vec();
        messages.sort_unstable();
        messages.dedup();
        let turns = messages.iter().flat_map(|message| state.turns_for(*message));
        let without =
            turns.filter(|(_, turn)| matches!(turn.state, TurnState::Failed | TurnState::Cancelled));
        Ok(without.filter_map(|(id, _)| state.told_turn(id)).collect())
    }

    async fn used(&self, persona: &PersonaName, since: Timestamp, now: Timestamp) -> Result<Usage> {
        let state = self.state()?;
        if since > now {
            return Ok(Usage::default());
        }
        let then = (persona.clone(), since)..=(persona.clone(), now);
        let ended = state.ended.range(then.clone()).flat_map(|(_, ended)| ended);
        let turns = ended.filter_map(|id| state.turns.get(id)).map(|turn| &turn.usage);
        let aside = state.used_aside.range(then);
        let used = turns.chain(aside.map(|(_, usage)| usage)).fold(Usage::default(), sum);
        Ok(Usage { estimated: false, ..used })
    }

    async fn record_side_usage(&self, persona: &PersonaName, at: Timestamp, usage: Usage) -> Result<()> {
        let mut state = self.state()?;
        let used = state.used_aside.entry((persona.clone(), at)).or_default();
        *used = sum(*used, &usage);
        Ok(())
    }
}

fn sum(one: Usage, other: &Usage) -> Usage {
    Usage {
        prompt_tokens: one.prompt_tokens.saturating_add(other.prompt_tokens),
        completion_tokens: one.completion_tokens.saturating_add(other.completion_tokens),
        estimated: one.estimated || other.estimated,
        cost_micros: one.cost_micros.saturating_add(other.cost_micros),
    }
}

impl State {
    /// A turn that has not ended, or an error.
    fn open_turn(&self, id: TurnId) -> Result<&StoredTurn> {
        self.turns.get(&id).filter(|turn| turn.ended_at.is_none()).ok_or_else(|| self.unexpected(id))
    }

    /// The error for a turn that is not in the expected state.
    fn unexpected(&self, id: TurnId) -> StoreError {
        match self.turns.get(&id) {
            Some(turn) => StoreError::TurnMoved { turn: id, state: turn.state },
            // a turn is deleted only together with the message it answers
            None => StoreError::Erased(format!("turn {id} is gone with the message it answers")),
        }
    }

    fn commit(&mut self, id: TurnId, commit: TurnCommit) -> Result<MessageId> {
        let turn = self.open_turn(id)?;
        let (persona, trigger) = (turn.persona.clone(), turn.trigger);
        self.check_sources(&commit.sources)?;
        let Some(channel) = self.message(trigger).map(|message| message.channel.clone()) else {
            return Err(self.unexpected(id));
        };
        let reply = self.next_message(&channel);
        let message = Message::reply(reply, channel.clone(), persona, commit.text, commit.at, id);
        self.add_message(message, commit.unhandled);
        self.turn_ended(id, |turn| {
            turn.state = TurnState::Done;
            turn.ended_at = Some(commit.at);
            turn.reply = Some(reply);
            turn.usage = commit.usage;
        });
        if let Some(vector) = commit.vector {
            self.put_with(reply, vector);
        }
        if channel.is_delivered_to() {
            self.last.outbox += 1;
            self.outbox.insert(self.last.outbox, id);
            self.deliveries.insert(self.last.outbox, StoredDelivery::new(id));
        }
        if let Some(receipt) = commit.receipt {
            self.keep_receipt(id, &channel, reply, receipt);
        }
        Ok(reply)
    }

    /// Stores the receipt of a reply without the texts of its history, and removes all but the newest receipts of the
    /// channel.
    fn keep_receipt(&mut self, id: TurnId, channel: &ChannelKey, reply: MessageId, receipt: SharedReceipt) {
        for item in receipt.items.iter().filter_map(shown) {
            self.shown.entry(item).or_default().insert(id);
        }
        if let Some(turn) = self.turns.get_mut(&id) {
            turn.receipt = Some(without_history(&receipt).into());
        }
        let kept = &mut self.channels.entry(channel.clone()).or_default().receipts;
        kept.insert(reply, id);
        if kept.len() > RECEIPTS_KEPT
            && let Some((_, outdated)) = kept.pop_first()
        {
            self.drop_receipt(channel, outdated);
        }
    }

    fn coalesce(&mut self, id: TurnId, answered_with: MessageId, at: Timestamp) -> Result<()> {
        let Some(later) = self.message(answered_with) else {
            return Err(StoreError::Erased(format!(
                "message {} is gone that turn {id} was to be answered with",
                answered_with.0
            )));
        };
        let trigger = self.open_turn(id)?.trigger;
        let here = self.message(trigger).is_some_and(|message| message.channel == later.channel);
        if trigger >= answered_with || !here {
            return Err(self.unexpected(id));
        }
        self.turn_ended(id, |turn| {
            turn.state = TurnState::Coalesced;
            turn.ended_at = Some(at);
            turn.answered_with = Some(answered_with);
            turn.note = Some("answered together with a later message".into());
        });
        if let Some(said) = self.messages.get_mut(&answered_with) {
            said.coalesced.push(id);
        }
        Ok(())
    }

    /// A turn in the form that callers get.
    pub(crate) fn told_turn(&self, id: TurnId) -> Option<Turn> {
        let turn = self.turns.get(&id)?;
        Some(Turn {
            id,
            persona: turn.persona.clone(),
            channel: self.message(turn.trigger)?.channel.clone(),
            trigger: turn.trigger,
            state: turn.state,
            reply: turn.reply,
            code: turn.code,
            message: turn.note.clone(),
            ended_at: turn.ended_at,
            usage: turn.usage,
            receipt: turn.receipt.clone(),
        })
    }

    /// The turn of a burst's last message answers the burst; of several, the newest. That message may itself have been
    /// answered with a later one. Message ids increase, so the loop ends.
    fn answers(&self, message: MessageId) -> Vec<Turn> {
        // the last planned turn of each persona, in the order of planning
        let mut answers: BTreeMap<u64, (&PersonaName, TurnId)> = BTreeMap::new();
        for (mut id, planned) in self.turns_for(message) {
            let mut turn = planned;
            while let Some(with) = turn.answered_with {
                let later = self.turns_for(with).filter(|(_, later)| later.persona == turn.persona).last();
                let Some(newest) = later else { break };
                (id, turn) = newest;
            }
            if turn.answered_with.is_none() {
                answers.retain(|_, (persona, _)| *persona != &turn.persona);
                answers.insert(planned.planned, (&turn.persona, id));
            }
        }
        answers.values().filter_map(|(_, id)| self.told_turn(*id)).collect()
    }
}

/// A receipt without the previews of its history, which are in the messages.
fn without_history(receipt: &Receipt) -> Receipt {
    let kept = |item: &ReceiptItem| match item.section {
        Section::History => {
            ReceiptItem { id: item.id.clone(), preview: String::new(), reason: item.reason.clone(), ..*item }
        }
        _ => item.clone(),
    };
    Receipt {
        model: receipt.model.clone(),
        counter: receipt.counter.clone(),
        items: receipt.items.iter().map(kept).collect(),
        notes: receipt.notes.clone(),
        ..*receipt
    }
}
