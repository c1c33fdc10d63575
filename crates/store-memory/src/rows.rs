//! Writes and removes messages, turns and memories together with everything that depends on them. Several calls share
//! these functions.

use std::sync::Arc;

use greenroom_core::{
    Author, ChannelKey, ErrorCode, Memory, MemoryId, Message, MessageId, ReceiptItem, Relation, RelationKind,
    Scope, Section, Tier, TurnId, UserRef,
};
use greenroom_store::{ItemId, Place, TurnState};

use crate::state::{ChangeRow, Erasure, Speaker, State, StoredMessage, StoredTurn};

impl State {
    /// The id of the next message of a channel.
    pub(crate) fn next_message(&self, channel: &ChannelKey) -> MessageId {
        let step = self.message_series.len() as i64 + 1;
        let of_all = || (self.last.message / step + 1) * step;
        MessageId(self.message_series.get(channel).copied().unwrap_or_else(of_all))
    }

    /// Stores a new message that has the next id of its channel.
    pub(crate) fn add_message(&mut self, message: Message, unhandled: bool) -> Arc<Message> {
        let (id, message) = (message.id, Arc::new(message));
        let step = self.message_series.len() as i64 + 1;
        if let Some(next) = self.message_series.get_mut(&message.channel) {
            *next = id.0 + step;
        }
        self.last.message = self.last.message.max(id.0);
        let channel = self.channels.entry(message.channel.clone()).or_default();
        channel.messages.insert(id);
        if message.turn_id.is_none() {
            channel.events.insert(message.event_id.clone(), id);
        }
        let first = Speaker { since: id, messages: 0 };
        let speaker = channel.speakers.entry(message.author.clone()).or_insert(first);
        speaker.messages += 1;
        if speaker.since == id
            && let Author::User { id: user, .. } = &message.author
        {
            let talks = self.talks.entry(UserRef::new(&message.channel, user)).or_default();
            talks.insert(id, (message.channel.clone(), message.author.clone()));
        }
        let said = StoredMessage {
            message: message.clone(),
            unhandled,
            aside: false,
            turns: Vec::new(),
            coalesced: Vec::new(),
            dismissed: Default::default(),
            decisions: Default::default(),
        };
        self.messages.insert(id, said);
        self.await_vectors(ItemId::Message(id));
        self.changes.push(ChangeRow::Message(id, message.channel.clone()));
        message
    }

    /// Removes a message with the turns that were to answer it. A turn of which it is the reply becomes a failed turn,
    /// and so does a turn that was coalesced with it: their messages may be answered again.
    pub(crate) fn remove_message(&mut self, id: MessageId) {
        let Some(said) = self.messages.remove(&id) else { return };
        let message = said.message;
        for turn in said.turns {
            self.remove_turn(&message.channel, turn);
        }
        if let Some(turn) = message.turn_id {
            self.forget_answer(&message.channel, turn, "its reply was forgotten");
        }
        for turn in said.coalesced {
            self.forget_answer(&message.channel, turn, "the message it was answered with was forgotten");
        }
        if let Some(channel) = self.channels.get_mut(&message.channel) {
            channel.messages.remove(&id);
            if channel.events.get(&message.event_id) == Some(&id) {
                channel.events.remove(&message.event_id);
            }
            if let Some(speaker) = channel.speakers.get_mut(&message.author) {
                speaker.messages -= 1;
                if speaker.messages == 0
                    && let Some(gone) = channel.speakers.remove(&message.author)
                    && let Author::User { id: user, .. } = &message.author
                    && let Some(talks) = self.talks.get_mut(&UserRef::new(&message.channel, user))
                {
                    talks.remove(&gone.since);
                }
            }
        }
        self.taken_back.remove(&id);
        let item = ItemId::Message(id);
        self.drop_vectors(item);
        self.changes.push(ChangeRow::Message(id, message.channel.clone()));
        self.erasures.push(Erasure { item: Some(item), channel: Some(message.channel.clone()) });
        self.blank(item);
    }

    fn forget_answer(&mut self, channel: &ChannelKey, id: TurnId, note: &str) {
        self.drop_receipt(channel, id);
        self.outbox.retain(|_, of| *of != id);
        self.deliveries.retain(|_, delivery| delivery.turn != id);
        if let Some(turn) = self.turns.get_mut(&id) {
            turn.state = TurnState::Failed;
            turn.code = Some(ErrorCode::ForgottenMeanwhile);
            turn.note = Some(note.to_owned());
            (turn.reply, turn.answered_with) = (None, None);
        }
    }

    fn remove_turn(&mut self, channel: &ChannelKey, id: TurnId) {
        self.drop_receipt(channel, id);
        self.outbox.retain(|_, of| *of != id);
        self.deliveries.retain(|_, delivery| delivery.turn != id);
        self.postponed.remove(&id);
        let Some(turn) = self.turns.remove(&id) else { return };
        if let Some(at) = turn.ended_at
            && let Some(ended) = self.ended.get_mut(&(turn.persona.clone(), at))
        {
            ended.remove(&id);
        }
        self.participation_mut(&turn.persona, channel).turns -= 1;
    }

    /// Removes the receipt of a turn.
    pub(crate) fn drop_receipt(&mut self, channel: &ChannelKey, id: TurnId) {
        let Some(turn) = self.turns.get_mut(&id) else { return };
        let (Some(receipt), Some(reply)) = (turn.receipt.take(), turn.reply) else { return };
        if let Some(channel) = self.channels.get_mut(channel) {
            channel.receipts.remove(&reply);
        }
        for item in receipt.items.iter().filter_map(shown) {
            if let Some(turns) = self.shown.get_mut(&item) {
                turns.remove(&id);
                if turns.is_empty() {
                    self.shown.remove(&item);
                }
            }
        }
    }

    /// Blanks what receipts show of an erased item.
    fn blank(&mut self, item: ItemId) {
        for id in self.shown.remove(&item).unwrap_or_default() {
            let Some(receipt) = self.turns.get_mut(&id).and_then(|turn| turn.receipt.as_mut()) else {
                continue;
            };
            for line in &mut receipt.make_mut().items {
                if shown(line) == Some(item) {
                    line.preview = "(forgotten)".into();
                }
            }
        }
    }

    /// Blanks what receipts show of all erased items. An item may be erased while a turn that shows it assembles its
    /// context.
    pub(crate) fn blank_what_is_gone(&mut self) {
        let is_gone = |item: &&ItemId| match item {
            ItemId::Message(id) => !self.messages.contains_key(id),
            ItemId::Memory(id) => !self.memories.contains_key(id),
        };
        let gone: Vec<_> = self.shown.keys().filter(is_gone).copied().collect();
        gone.into_iter().for_each(|item| self.blank(item));
    }

    /// Stores a new memory. No other memory of its place may have its key.
    pub(crate) fn add_memory(&mut self, memory: Memory) {
        let place = place_of(&memory);
        self.last.memory = self.last.memory.max(memory.id.0);
        self.places.entry(place).or_default().insert(memory.id);
        self.changes.push(ChangeRow::Memory(memory.id));
        self.await_vectors(ItemId::Memory(memory.id));
        self.memories.insert(memory.id, memory);
    }

    /// Updates the vectors and the journal after a memory's text changed.
    pub(crate) fn memory_changed(&mut self, id: MemoryId) {
        self.drop_vectors(ItemId::Memory(id));
        self.await_vectors(ItemId::Memory(id));
        self.changes.push(ChangeRow::Memory(id));
    }

    /// Removes a memory with its vectors and relations. The memory that superseded it now supersedes the memory that it
    /// had superseded, so that the oldest version of a chain does not become current again (FG7).
    pub(crate) fn remove_memory(&mut self, id: MemoryId) {
        let Some(memory) = self.memories.remove(&id) else { return };
        if let Some(said) = said_in(&memory) {
            self.taken_back.entry(said).or_default().insert(String::new());
        }
        let edges = self.relations.remove(&id).unwrap_or_default();
        for other in edges.iter().map(|edge| if edge.from == id { edge.to } else { edge.from }) {
            if let Some(theirs) = self.relations.get_mut(&other) {
                theirs.retain(|edge| edge.from != id && edge.to != id);
            }
        }
        let supersedes = |edge: &&Relation| edge.kind == RelationKind::Supersedes;
        for newer in edges.iter().filter(supersedes).filter(|edge| edge.to == id) {
            for older in edges.iter().filter(supersedes).filter(|edge| edge.from == id) {
                if newer.from != older.to {
                    self.add_relation(Relation { from: newer.from, to: older.to, kind: newer.kind });
                }
            }
        }
        let place = place_of(&memory);
        if let Some(there) = self.places.get_mut(&place) {
            there.remove(&id);
            if there.is_empty() {
                self.places.remove(&place);
            }
        }
        let item = ItemId::Memory(id);
        self.drop_vectors(item);
        self.changes.push(ChangeRow::Gone(id, place));
        self.memory_erased(&memory);
        self.blank(item);
    }

    /// Records the erasure of a memory's text. Only a memory of a channel tells where it may have been shown.
    pub(crate) fn memory_erased(&mut self, memory: &Memory) {
        let channel = match &memory.scope {
            Scope::Channel(channel) => Some(channel).filter(|key| self.channels.contains_key(key)).cloned(),
            Scope::Global | Scope::User(_) | Scope::Private(_) => None,
        };
        self.erasures.push(Erasure { item: Some(ItemId::Memory(memory.id)), channel });
    }

    /// Adds a relation; returns whether it is new.
    pub(crate) fn add_relation(&mut self, relation: Relation) -> bool {
        let known = self.relations.entry(relation.from).or_default();
        if known.contains(&relation) {
            return false;
        }
        known.push(relation);
        self.relations.entry(relation.to).or_default().push(relation);
        if relation.kind == RelationKind::Supersedes
            && let Some(old) = self.memories.get(&relation.to)
        {
            let old = old.clone();
            self.take_back_statement(&old);
        }
        true
    }

    /// No longer shows this part of a message in other chats; see [`greenroom_store::ContextStore::take_back`].
    pub(crate) fn take_back(&mut self, message: MessageId, part: &str) {
        let Some(message) = self.messages.get(&message) else { return };
        let part = if message.message.text.contains(part) { part } else { "" };
        self.taken_back.entry(message.message.id).or_default().insert(part.to_owned());
    }

    /// Takes back a statement that no longer holds.
    pub(crate) fn take_back_statement(&mut self, old: &Memory) {
        if let Some(said) = said_in(old) {
            self.take_back(said, &old.text);
        }
    }

    /// Ends a turn, with or without a reply.
    pub(crate) fn turn_ended(&mut self, id: TurnId, end: impl FnOnce(&mut StoredTurn)) {
        if let Some(turn) = self.turns.get_mut(&id) {
            end(turn);
            if let Some(at) = turn.ended_at {
                self.ended.entry((turn.persona.clone(), at)).or_default().insert(id);
            }
        }
    }
}

/// The item whose beginning a line of a receipt shows.
pub(crate) fn shown(line: &ReceiptItem) -> Option<ItemId> {
    if line.section == Section::History || line.preview.is_empty() {
        return None;
    }
    match line.id.strip_prefix("msg:") {
        Some(number) => number.parse().ok().map(|id| ItemId::Message(MessageId(id))),
        None => line.id.parse().ok().map(ItemId::Memory),
    }
}

/// The place of a memory.
pub(crate) fn place_of(memory: &Memory) -> Place {
    Place::Memories(memory.persona.clone(), memory.scope.clone())
}

/// The message from which a memory was learned. A session summary has none, because it is rewritten.
pub(crate) fn said_in(memory: &Memory) -> Option<MessageId> {
    memory.source.message.filter(|_| memory.tier != Tier::Conversation)
}
