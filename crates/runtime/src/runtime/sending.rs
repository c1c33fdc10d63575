//! How a message is handed in: a new one, one that comes again, and one that is to be answered once more.

use std::{path::PathBuf, sync::Arc};

use greenroom_core::{Author, ChannelKey, Message, MessageId, PersonaName};
use greenroom_store::{DeadLetter, NewMessage};
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use super::{EVENTS, Runtime, author};
use crate::{
    Inbound, RuntimeError, Sent, TurnEvents, Wishes,
    directory::{Open, Ticket},
    room::{Incoming, IncomingMessage, Recipient, SettledMessage},
    services::Services,
    supervisor::SupervisorMsg,
};

impl Runtime {
    /// Hands a message to its room, which stores it. Resolves when the message is durable and it is
    /// settled who answers.
    pub async fn send(&self, inbound: Inbound) -> Result<Sent, RuntimeError> {
        self.send_with(inbound, Wishes::default()).await
    }

    /// The same with what the reply is to be like.
    pub async fn send_with(&self, inbound: Inbound, wishes: Wishes) -> Result<Sent, RuntimeError> {
        self.known(inbound.to.as_ref())?;
        let _passing = self.services.pending_events.pass(&inbound.channel, &inbound.event_id).await;
        let mut what = IncomingMessage::New(said(&inbound, &self.services));
        loop {
            let to = Recipient::Floor(inbound.to.clone());
            let (project, disable_memory) = (inbound.project.clone(), inbound.disable_memory);
            let how = AnswerOptions { project, disable_memory, wishes: wishes.clone() };
            let admitted = self.services.directory.admit(&inbound.channel)?;
            match self.settle(what, to, how, admitted).await {
                Ok((SettledMessage::Known(message), _)) if self.is_unsettled(&message).await? => {
                    what = IncomingMessage::Stored(message);
                }
                Ok((settled, events)) => {
                    let mut sent = sent(settled, events);
                    if sent.duplicate {
                        let turns = self.services.store.answers(sent.message).await?;
                        sent.turns = turns.into_iter().map(|turn| turn.id).collect();
                    }
                    return Ok(sent);
                }
                Err(error @ RuntimeError::Crashed { .. }) => {
                    // it may have happened before the message was stored
                    self.services.store.accept(said(&inbound, &self.services)).await?;
                    return Err(error);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Hands a message to its room; resolves when it is stored and settled who answers.
    async fn settle(
        &self,
        what: IncomingMessage,
        to: Recipient,
        how: AnswerOptions,
        (ticket, open): (Ticket, Open),
    ) -> Result<(SettledMessage, TurnEvents), RuntimeError> {
        let AnswerOptions { project, disable_memory, wishes } = how;
        let (events, heard) = mpsc::channel(EVENTS);
        let (settled, settling) = oneshot::channel();
        let (channel, span) = (what.channel().clone(), Span::current());
        let said =
            Incoming { what, to, project, disable_memory, wishes, span, events, ticket, open, settled };
        self.tell(SupervisorMsg::Incoming(Box::new(said)))?;
        Ok((settling.await.map_err(|_| RuntimeError::Crashed { channel })??, heard))
    }

    /// Answers a message once more whose turn failed or was cancelled: a new turn for the message as
    /// it is stored, by `who` did not answer it. Not one that broke every turn so far (S8).
    pub async fn retry(
        &self,
        channel: &ChannelKey,
        message: MessageId,
        who: &PersonaName,
        project: Option<PathBuf>,
        disable_memory: bool,
    ) -> Result<Sent, RuntimeError> {
        if let Some(DeadLetter { persona, tries, .. }) = self.services.store.dead_letter(message, who).await?
        {
            return Err(RuntimeError::DeadLetter { message, persona, tries });
        }
        self.retry_anyway(channel, message, who, project, disable_memory).await
    }

    /// The same for a person who decides it: however often it broke.
    pub async fn retry_anyway(
        &self,
        channel: &ChannelKey,
        message: MessageId,
        who: &PersonaName,
        project: Option<PathBuf>,
        disable_memory: bool,
    ) -> Result<Sent, RuntimeError> {
        self.known(Some(who))?;
        let admitted = self.services.directory.admit(channel)?;
        let stored = self.services.store.message(message).await?;
        let Some(stored) = stored.filter(|stored| stored.channel == *channel) else {
            return Err(RuntimeError::UnknownMessage { channel: channel.clone(), message });
        };
        if let Author::Persona { name } = stored.author {
            return Err(RuntimeError::SaidByPersona { name, message });
        }
        let how = AnswerOptions { project, disable_memory, wishes: Wishes::default() };
        let again = Recipient::Again(who.clone());
        let (settled, events) =
            self.settle(IncomingMessage::Stored(Arc::new(stored)), again, how, admitted).await?;
        Ok(sent(settled, events))
    }

    /// Whether it was stored and never settled who answers, as when the store failed in between. Nobody
    /// else is about to settle it: the event is held while it is pending.
    async fn is_unsettled(&self, message: &Message) -> Result<bool, RuntimeError> {
        if !self.services.store.answers(message.id).await?.is_empty() {
            return Ok(false);
        }
        let unfinished = self.services.store.unfinished(Some(&message.channel)).await?;
        Ok(unfinished.iter().any(|left| left.message.id == message.id))
    }
}

/// How a message is to be answered.
struct AnswerOptions {
    project: Option<PathBuf>,
    disable_memory: bool,
    wishes: Wishes,
}

/// What is told of a message; of one that was known before without its turns.
fn sent(settled: SettledMessage, events: TurnEvents) -> Sent {
    let (message, duplicate, answering) = match settled {
        SettledMessage::Answered { message, answering } => (message.id, false, answering),
        SettledMessage::Known(message) => (message.id, true, Vec::new()),
    };
    let (turns, answering) = answering.into_iter().map(|(turn, who, why)| (turn, (who, why))).unzip();
    Sent { message, duplicate, answering, turns, events }
}

fn said(inbound: &Inbound, services: &Services) -> NewMessage {
    NewMessage {
        channel: inbound.channel.clone(),
        event_id: inbound.event_id.clone(),
        author: author(inbound),
        text: inbound.text.clone(),
        at: services.now(),
    }
}
