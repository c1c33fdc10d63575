//! The conversation of a channel. The store keeps it, and the turn with its reply.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use greenroom_core::{ActorState, Author, Message, MessageId, PersonaName, UserId};
use greenroom_persona::Follow;
use greenroom_store::{AskedPast, ItemId, Sources, StoreError};

use super::{
    conversation::{Conversation, ConversationQuery, ReadConversation, TurnEnd},
    ending::conclude,
    event_sink::EventSink,
    failure::Failure,
    ordering::in_lived_order,
    past::{asked_past, cut},
};
use crate::{cue::Cue, services::Services};

/// The conversation of the channel in which the message was said.
pub(crate) struct StoredConversation;

#[async_trait]
impl Conversation for StoredConversation {
    fn is_stored(&self) -> bool {
        true
    }

    fn seen(&self, burst: &[Arc<Cue>]) -> Sources {
        Sources {
            erased: burst.iter().map(|cue| cue.erased).min().unwrap_or_default(),
            items: burst.iter().map(|cue| ItemId::Message(cue.message().id)).collect(),
            summary_of: None,
        }
    }

    /// Marks the turn as running, unless it was stored so, and the earlier messages of the burst as answered by it.
    async fn begin(&self, services: &Services, burst: &[Arc<Cue>]) -> Result<(), StoreError> {
        let Some((trigger, earlier)) = burst.split_last() else { return Ok(()) };
        let message = trigger.message();
        services.directory.set_state(&trigger.persona, &message.channel, ActorState::Thinking);
        for cue in earlier {
            services.store.coalesce_turn(cue.turn, message.id, services.now()).await?;
        }
        // the trigger's own option was stored with it
        let disable_memory = earlier.iter().any(|cue| cue.envelope.disable_memory);
        if disable_memory && !trigger.envelope.disable_memory {
            services.store.set_aside(message.id).await?;
        }
        if !trigger.begun {
            services.store.begin_turn(trigger.turn, services.now()).await?;
        }
        Ok(())
    }

    fn user<'a>(&'a self, trigger: &'a Message) -> Option<&'a UserId> {
        match &trigger.author {
            Author::User { id, .. } => Some(id),
            Author::Persona { .. } => None,
        }
    }

    async fn read(&self, query: &ConversationQuery<'_>) -> Result<ReadConversation, Failure> {
        let ConversationQuery { services, persona, burst, trigger } = *query;
        let user = self.user(trigger).filter(|_| persona.memory.summaries.limit > 0).cloned();
        let follows = persona.memory.follow == Follow::Person && services.memory.recalls_other_chats();
        let past = asked_past(persona, &trigger.channel);
        let asked = AskedPast { user, other_chats: follows, now: services.now(), ..past };
        let mut past = services.store.past(&asked).await?;
        let cut = cut(&mut past, persona.memory.place);
        let answered = answered_since(services, &persona.name, &past.messages, trigger).await?;
        let replies = replies_since(services, &persona.name, &past.messages, trigger).await?;
        past.messages = in_lived_order(&persona.name, past.messages, burst, &answered, &replies);
        let sources = Sources {
            erased: past.erased,
            items: past.messages.iter().map(|message| ItemId::Message(message.id)).collect(),
            summary_of: past.summary.as_ref().map(|_| trigger.channel.clone()),
        };
        let authors = past.messages.iter().map(|message| &message.author);
        let labels = services.memory.labels(&trigger.channel, authors).await?;
        Ok(ReadConversation { past, cut, labels, sources })
    }

    async fn conclude(
        &self,
        services: &Services,
        trigger: &Cue,
        sink: &EventSink,
        end: TurnEnd,
    ) -> Option<Arc<Message>> {
        conclude(services, trigger, sink, end.progress, end.ending, end.exchange).await
    }
}

/// The messages of people after `trigger` that the persona has answered, each with its reply. There are some only if
/// the trigger is answered again.
async fn answered_since(
    services: &Services,
    persona: &PersonaName,
    stored: &[Arc<Message>],
    trigger: &Message,
) -> Result<BTreeMap<MessageId, MessageId>, StoreError> {
    let own = |message: &Message| matches!(&message.author, Author::Persona { name } if name == persona);
    let last_reply = stored.iter().filter(|message| own(message)).map(|message| message.id).max();
    let mut answered = BTreeMap::new();
    for message in stored.iter().filter(|message| message.id > trigger.id && Some(message.id) < last_reply) {
        if matches!(message.author, Author::User { .. }) {
            let turns = services.store.answers(message.id).await?;
            let reply = turns.iter().find(|turn| turn.persona == *persona).and_then(|turn| turn.reply);
            answered.extend(reply.map(|reply| (message.id, reply)));
        }
    }
    Ok(answered)
}

/// The replies of other personas after `trigger`, each with the message that it answers.
async fn replies_since(
    services: &Services,
    persona: &PersonaName,
    stored: &[Arc<Message>],
    trigger: &Message,
) -> Result<BTreeMap<MessageId, MessageId>, StoreError> {
    let others =
        |message: &&Arc<Message>| matches!(&message.author, Author::Persona { name } if name != persona);
    let since = stored.iter().filter(|message| message.id > trigger.id);
    let replies: Vec<_> = since.filter(others).map(|message| message.id).collect();
    if replies.is_empty() {
        return Ok(BTreeMap::new());
    }
    Ok(services.store.triggers(&replies).await?.into_iter().collect())
}
