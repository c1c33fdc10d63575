//! Entry point for messages: new ones, repeats, and stored ones to be answered again. Each is handed to its room, which
//! decides who answers.

use std::path::PathBuf;

use greenroom_core::{Author, ChannelKey, Envelope, Message, MessageId, PersonaName};
use greenroom_store::DeadLetter;
use tokio::sync::oneshot;
use tracing::Span;

use super::Runtime;
use crate::{
    RuntimeError, Sent,
    directory::{QueueTicket, ShutdownToken},
    mailbox::{Accepted, Incoming, StoredUndecided, SupervisorMsg},
};

/// A request that a persona answer a stored message again.
#[derive(Debug, Clone)]
pub struct Retry {
    /// Where it was said.
    pub channel: ChannelKey,
    /// Which message.
    pub message: MessageId,
    /// The persona whose turn failed or was cancelled.
    pub persona: PersonaName,
    /// The directory of the project whose instruction files the persona reads.
    pub project: Option<PathBuf>,
    /// Switches memory off for the turn (BD6).
    pub disable_memory: bool,
    /// Whether a message that broke every turn so far is answered too (S8).
    pub force: bool,
}

impl Runtime {
    /// Hands a new message to its room. Resolves when the message is stored and the room has decided who answers.
    ///
    /// # Errors
    /// [`RuntimeError::Busy`] if too many messages wait in the channel; then nothing is stored.
    pub async fn send(&self, mut envelope: Envelope) -> Result<Sent, RuntimeError> {
        self.check_persona(envelope.to.as_ref())?;
        let now = self.services.now();
        envelope.message.at = envelope.said_at.map_or(now, |at| at.min(now));
        let message = envelope.message.clone();
        let admitted = match envelope.unanswered {
            // no turn answers it, so the limit of the queue does not apply
            Some(_) => self.services.directory.admit_beside(&message.channel)?,
            None => self.services.directory.admit(&message.channel)?,
        };
        let sent = self.hand_in(envelope, admitted, None, false).await;
        if let Err(RuntimeError::Crashed { .. }) = &sent {
            // the room may have crashed before the message was stored
            self.services.store.accept(message).await?;
        }
        let mut sent = sent?;
        if sent.duplicate {
            let turns = self.services.store.answers(sent.message).await?;
            sent.turns = turns.into_iter().map(|turn| turn.id).collect();
        }
        Ok(sent)
    }

    /// Has a stored message answered again, by a new turn of a persona whose turn for it failed or was stopped. If a
    /// crash left the message undecided, the room decides it now, as addressed to the persona.
    ///
    /// # Errors
    /// [`RuntimeError::DeadLetter`] if the message broke every turn so far, [`RuntimeError::NotRetried`] if the persona
    /// may not answer it.
    pub async fn retry(&self, retry: Retry) -> Result<Sent, RuntimeError> {
        self.answer_again(retry, false).await
    }

    /// Has a stored message answered that its sender repeats because no persona answered it. Like a new message it
    /// addresses the persona. The persona joins the channel, and answers even if it had no turn for the message.
    ///
    /// # Errors
    /// As [`Runtime::retry`].
    pub async fn repeat(&self, retry: Retry) -> Result<Sent, RuntimeError> {
        self.answer_again(retry, true).await
    }

    async fn answer_again(&self, retry: Retry, addresses: bool) -> Result<Sent, RuntimeError> {
        let Retry { channel, message, persona, project, disable_memory, force } = retry;
        if !force
            && let Some(DeadLetter { persona, tries, .. }) =
                self.services.store.dead_letter(message, &persona).await?
        {
            return Err(RuntimeError::DeadLetter { message, persona, tries });
        }
        self.check_persona(Some(&persona))?;
        let admitted = self.services.directory.admit(&channel)?;
        let stored = self.services.store.message(message).await?;
        let Some(stored) = stored.filter(|stored| stored.channel == channel) else {
            return Err(RuntimeError::UnknownMessage { channel, message });
        };
        let is_from_user = matches!(stored.author, Author::User { .. });
        let undecided = (is_from_user && !self.services.is_settled(message).await?)
            .then_some(StoredUndecided { duplicate: true });
        let envelope = Envelope { to: Some(persona), project, disable_memory, ..Envelope::new(stored) };
        self.hand_in(envelope, admitted, undecided, addresses).await
    }

    /// Hands a message to its room and waits until it is accepted.
    async fn hand_in(
        &self,
        envelope: Envelope,
        (ticket, token): (QueueTicket, ShutdownToken),
        undecided: Option<StoredUndecided>,
        addresses: bool,
    ) -> Result<Sent, RuntimeError> {
        let Message { channel, event_id, .. } = envelope.message.clone();
        let (accepted, accepting) = oneshot::channel();
        let incoming =
            Incoming { envelope, span: Span::current(), ticket, token, undecided, addresses, accepted };
        self.tell(SupervisorMsg::Incoming(Box::new(incoming)))?;
        let crashed = || RuntimeError::Crashed { channel: channel.clone() };
        let Accepted { message, duplicate, turns, events } = accepting.await.map_err(|_| crashed())??;
        let (turns, answering) = turns.into_iter().map(|turn| (turn.id, (turn.persona, turn.why))).unzip();
        Ok(Sent { message, event_id, duplicate, answering, turns, events })
    }
}
