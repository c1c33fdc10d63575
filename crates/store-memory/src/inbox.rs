//! The inbox: stores each message once, usually together with its plan.

use std::collections::BTreeSet;

use async_trait::async_trait;
use greenroom_core::{
    Author, ChannelKey, ErrorCode, Message, MessageId, PersonaName, Scope, Timestamp, UserId, UserRef,
};
use greenroom_store::{
    Accepted, ENDED_BEFORE_TURN, ENDED_DURING_TURN, InboxStore, ItemId, NewTurn, Plan, Result, SESSION_GAP,
    Session, StoreError, StoredDecision, TurnState, Unfinished,
    rules::vectors::{checked_new, checked_with},
};

use crate::{
    InMemoryStore,
    state::{ChangeRow, Channel, Erasure, State, StoredMessage, StoredTurn, chat, same_chat},
};

#[async_trait]
impl InboxStore for InMemoryStore {
    async fn accept(&self, message: Message) -> Result<Accepted> {
        self.state()?.accept(message, None)
    }

    async fn accept_planned(&self, message: Message, plan: Plan) -> Result<Accepted> {
        let vector = plan.vector.map(checked_new).transpose()?;
        self.state()?.accept(message, Some(Plan { vector, ..plan }))
    }

    async fn plan_turns(&self, message: MessageId, plan: Plan) -> Result<()> {
        let checked = |new| checked_with(ItemId::Message(message), new);
        let vector = plan.vector.map(checked).transpose()?;
        self.state()?.plan(message, Plan { vector, ..plan })
    }

    async fn set_aside(&self, message: MessageId) -> Result<()> {
        if let Some(said) = self.state()?.messages.get_mut(&message) {
            said.aside = true;
        }
        Ok(())
    }

    async fn note_decision(&self, message: MessageId, after: MessageId, decision: &str) -> Result<()> {
        if let Some(said) = self.state()?.messages.get_mut(&message) {
            said.decisions.insert(after, decision.to_owned());
        }
        Ok(())
    }

    async fn decisions(&self, message: MessageId) -> Result<Vec<StoredDecision>> {
        let state = self.state()?;
        let decisions = state.messages.get(&message).into_iter().flat_map(|said| &said.decisions);
        Ok(decisions.map(|(after, text)| StoredDecision { after: *after, decision: text.clone() }).collect())
    }

    async fn unfinished(&self, chat: Option<&ChannelKey>) -> Result<Vec<Unfinished>> {
        let state = self.state()?;
        let ours = |key: &ChannelKey| chat.is_none_or(|chat| same_chat(key, chat));
        let channels = state.channels.iter().filter(|(key, _)| ours(key));
        Ok(state.unfinished(channels.map(|(_, channel)| channel)))
    }

    async fn close_unfinished(&self, channel: &ChannelKey, at: Timestamp) -> Result<Vec<Unfinished>> {
        let mut state = self.state()?;
        let found = state.unfinished(state.channels.get(channel).into_iter());
        for left in &found {
            match &left.turn {
                Some((turn, _)) => state.turn_ended(*turn, |turn| {
                    let has_begun = turn.state != TurnState::Waiting;
                    turn.state = TurnState::Failed;
                    turn.ended_at = Some(at);
                    turn.code = Some(ErrorCode::Interrupted);
                    turn.note = Some(if has_begun { ENDED_DURING_TURN } else { ENDED_BEFORE_TURN }.into());
                }),
                None => {
                    // who answers a reply is still to be decided (RM4), and the author on a chat platform still waits
                    // for an answer
                    let said = state.messages.get_mut(&left.message.id);
                    if let Some(said) = said.filter(|said| is_said(&said.message) && !channel.has_accounts())
                    {
                        said.unhandled = false;
                    }
                }
            }
        }
        Ok(found)
    }

    async fn unanswered_since(&self, since: Timestamp) -> Result<Vec<Unfinished>> {
        let state = self.state()?;
        let mut unanswered = Vec::new();
        let waiting = |said: &&StoredMessage| {
            is_said(&said.message) && said.message.at >= since && said.message.channel.has_accounts()
        };
        for said in state.messages.values().filter(waiting) {
            let turns: Vec<_> = state.turns_for(said.message.id).collect();
            let is_last =
                |at: usize| turns[at + 1..].iter().all(|(_, later)| later.persona != turns[at].1.persona);
            let interrupted = turns
                .iter()
                .enumerate()
                .filter(|(at, (_, turn))| turn.code == Some(ErrorCode::Interrupted) && is_last(*at));
            let message = || Message::clone(&said.message);
            unanswered.extend(interrupted.map(|(_, (id, turn))| Unfinished {
                message: message(),
                turn: Some((*id, turn.persona.clone())),
            }));
            unanswered.extend(said.unhandled.then(|| Unfinished { message: message(), turn: None }));
        }
        Ok(unanswered)
    }
}

/// Whether a person wrote the message.
fn is_said(message: &Message) -> bool {
    matches!(message.author, Author::User { .. })
}

impl State {
    fn accept(&mut self, new: Message, plan: Option<Plan>) -> Result<Accepted> {
        let turns = plan.as_ref().map_or(&[][..], |plan| &plan.turns);
        if matches!(new.author, Author::Persona { .. }) && !turns.is_empty() {
            return Err(StoreError::Invalid("what a persona said is answered by nobody".into()));
        }
        let known = self.channels.get(&new.channel).and_then(|channel| channel.events.get(&new.event_id));
        if let Some(message) = known.and_then(|id| self.message(*id)) {
            return Ok(Accepted {
                message: Message::clone(message),
                duplicate: true,
                erased: self.erasures.end(),
                group: self.group_since(&new.channel).is_some(),
            });
        }
        let id = self.next_message(&new.channel);
        self.check_turns(id, turns)?;
        let unhandled = plan.as_ref().is_none_or(|plan| plan.undecided);
        let message = self.add_message(Message { id, turn_id: None, ..new }, unhandled);
        let others = match &message.author {
            Author::User { id, .. } => self.others_spoke(&message.channel, id),
            Author::Persona { .. } => false,
        };
        let said_to_be = plan.as_ref().is_some_and(|plan| plan.group);
        let known = self.group_since(&message.channel);
        let group = known.is_some() || others || said_to_be;
        if let Some(since) = known {
            self.inherit_group(&message.channel, since);
        }
        if let Author::User { id: user, .. } = &message.author {
            self.touch_session(&message.channel, user, message.at);
        }
        if group && known.is_none() {
            self.mark_group(&message.channel, id);
        }
        if let Some(plan) = plan {
            self.settle(id, &message.channel, plan);
        }
        let (message, erased) = (Message::clone(&message), self.erasures.end());
        Ok(Accepted { message, duplicate: false, erased, group })
    }

    /// Whether a person other than this one has spoken in the chat of a channel.
    fn others_spoke(&self, channel: &ChannelKey, user: &UserId) -> bool {
        let sessions = self.chats.get(&chat(channel)).into_iter().flatten();
        sessions.filter(|(_, sessions)| !sessions.is_empty()).any(|(other, _)| other != user)
    }

    /// See [`greenroom_store::HistoryStore::group_since`].
    pub(crate) fn group_since(&self, channel: &ChannelKey) -> Option<MessageId> {
        let threads = self.channels.iter().filter(|(key, _)| same_chat(key, channel));
        threads.filter_map(|(_, thread)| thread.group_since).min()
    }

    /// Marks a new thread of a group as a group.
    fn inherit_group(&mut self, channel: &ChannelKey, since: MessageId) {
        if let Some(thread) = self.channels.get_mut(channel) {
            thread.group_since.get_or_insert(since);
        }
    }

    /// Marks a chat with all its threads as a group from this message on (MP1). The chat must not be marked yet.
    ///
    /// The private memories that the personas in this chat have of its people count as erased where they may have been
    /// shown (GR10). The receipts of the private conversation are removed.
    fn mark_group(&mut self, channel: &ChannelKey, since: MessageId) {
        let mut threads = Vec::new();
        let mut personas = BTreeSet::new();
        let mut was_spoken_in = false;
        for (key, thread) in self.channels.iter_mut().filter(|(key, _)| same_chat(key, channel)) {
            thread.group_since = Some(since);
            was_spoken_in |= thread.messages.first().is_some_and(|first| *first < since);
            personas.extend(thread.speakers.keys().filter_map(|author| match author {
                Author::Persona { name } => Some(name.clone()),
                Author::User { .. } => None,
            }));
            let turns =
                thread.messages.iter().filter_map(|id| self.messages.get(id)).flat_map(|said| &said.turns);
            let open = turns.filter_map(|id| self.turns.get(id)).filter(|turn| turn.ended_at.is_none());
            personas.extend(open.map(|turn| turn.persona.clone()));
            threads.push((key.clone(), thread.receipts.values().copied().collect::<Vec<_>>()));
        }
        let only = if let [(only, _)] = &threads[..] { Some(only.clone()) } else { None };
        for (thread, turns) in threads {
            for turn in turns {
                self.drop_receipt(&thread, turn);
            }
        }
        if was_spoken_in {
            self.erasures.push(Erasure { item: None, channel: only.clone() });
        }
        let people = self.chats.get(&chat(channel)).into_iter().flatten();
        let mut people: BTreeSet<_> = people
            .filter(|(_, sessions)| !sessions.is_empty())
            .map(|(user, _)| UserRef::new(channel, user))
            .collect();
        let linked: Vec<_> = people.iter().flat_map(|account| self.linked(account)).collect();
        people.extend(linked);
        let private = self.memories.values().filter_map(|memory| match &memory.scope {
            Scope::Private(person) if people.contains(person) && personas.contains(&memory.persona) => {
                Some(memory.id)
            }
            _ => None,
        });
        for id in private.collect::<Vec<_>>() {
            self.erasures.push(Erasure { item: Some(ItemId::Memory(id)), channel: only.clone() });
        }
    }

    /// Extends the session of a person, or opens one if the last has ended. A late delivery belongs to the last
    /// session.
    fn touch_session(&mut self, channel: &ChannelKey, user: &UserId, at: Timestamp) {
        let theirs = self.chats.entry(chat(channel)).or_default().entry(user.clone()).or_default();
        let last = theirs.iter_mut().max_by_key(|session| (session.last_at, session.id));
        if let Some(last) = last.filter(|last| last.last_at >= at.before(SESSION_GAP)) {
            last.last_at = last.last_at.max(at);
            return;
        }
        self.last.session += 1;
        theirs.push(Session {
            id: self.last.session,
            provider: channel.provider().to_owned(),
            chat_id: channel.chat_id().to_owned(),
            user: user.clone(),
            started_at: at,
            last_at: at,
        });
    }

    fn plan(&mut self, trigger: MessageId, plan: Plan) -> Result<()> {
        self.check_turns(trigger, &plan.turns)?;
        let Some(said) = self.messages.get_mut(&trigger) else {
            return Err(StoreError::Invalid(format!("there is no message {}", trigger.0)));
        };
        said.unhandled = false;
        let channel = said.message.channel.clone();
        if plan.group && self.group_since(&channel).is_none() {
            self.mark_group(&channel, trigger);
        }
        self.settle(trigger, &channel, plan);
        Ok(())
    }

    /// Another turn of a persona is allowed only after one that failed or was cancelled (GR6).
    fn check_turns(&self, trigger: MessageId, turns: &[NewTurn]) -> Result<()> {
        let answers = |persona: &PersonaName| {
            self.turns_for(trigger).any(|(_, turn)| {
                turn.persona == *persona && !matches!(turn.state, TurnState::Failed | TurnState::Cancelled)
            })
        };
        for (n, new) in turns.iter().enumerate() {
            let twice = |other: &NewTurn| other.persona == new.persona || other.id == new.id;
            let before = turns.iter().take(n).any(twice);
            if before || self.turns.contains_key(&new.id) || answers(&new.persona) {
                let persona = new.persona.clone();
                return Err(StoreError::AlreadyAnswered { persona, message: trigger });
            }
        }
        Ok(())
    }

    /// Applies a plan to a stored message.
    fn settle(&mut self, trigger: MessageId, channel: &ChannelKey, plan: Plan) {
        let Plan { turns, vector, joins, leaves, without_memory, group: _, undecided: _, room, decision } =
            plan;
        if let Some(vector) = vector {
            self.put_with(trigger, vector);
        }
        for (persona, via) in joins {
            self.participation_mut(&persona, channel).join(trigger, Some(via));
        }
        let answers: Vec<_> = turns.iter().map(|turn| turn.persona.clone()).collect();
        for turn in turns {
            self.add_turn(trigger, channel, turn);
        }
        if let Some(said) = self.messages.get_mut(&trigger) {
            said.aside |= without_memory;
            said.decisions.extend(decision.map(|decision| (trigger, decision)));
        }
        if let (Some(room), Some(channel)) = (room, self.channels.get_mut(channel)) {
            channel.room = Some(room);
        }
        for (persona, why) in leaves {
            // a persona that answers the message nevertheless hears it, but no later message
            let until = MessageId(trigger.0 + i64::from(answers.contains(&persona)));
            self.participation_mut(&persona, channel).go(until, why);
        }
    }

    fn add_turn(&mut self, trigger: MessageId, channel: &ChannelKey, new: NewTurn) {
        let NewTurn { id, persona, at: _, begins } = new;
        let participation = self.participation_mut(&persona, channel);
        let first = participation.turns == 0;
        participation.turns += 1;
        participation.arrive(trigger);
        if first {
            self.changes.push(ChangeRow::FirstTurn(channel.clone(), persona.clone()));
        }
        self.last.turn += 1;
        let turn = StoredTurn {
            persona,
            trigger,
            planned: self.last.turn,
            state: if begins { TurnState::Running } else { TurnState::Waiting },
            ended_at: None,
            reply: None,
            answered_with: None,
            code: None,
            note: None,
            usage: Default::default(),
            receipt: None,
        };
        self.turns.insert(id, turn);
        if let Some(said) = self.messages.get_mut(&trigger) {
            said.turns.push(id);
        }
    }

    /// The unfinished work, in the order of the messages and then of their turns.
    fn unfinished<'a>(&'a self, channels: impl Iterator<Item = &'a Channel>) -> Vec<Unfinished> {
        let messages: BTreeSet<_> = channels.flat_map(|channel| &channel.messages).copied().collect();
        let mut found = Vec::new();
        for said in messages.iter().filter_map(|id| self.messages.get(id)) {
            let message = &said.message;
            let open = self.turns_for(message.id).filter(|(_, turn)| turn.ended_at.is_none());
            found.extend(open.map(|(id, turn)| Unfinished {
                message: Message::clone(message),
                turn: Some((id, turn.persona.clone())),
            }));
            if said.unhandled {
                found.push(Unfinished { message: Message::clone(message), turn: None });
            }
        }
        found
    }
}
