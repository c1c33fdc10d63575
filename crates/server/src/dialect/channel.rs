//! A message of a channel: stored before it is answered, and answered once. A repeated message gets the stored
//! reply.

use greenroom_core::{Author, ChannelKey, Envelope, Finish, Message, MessageId, PersonaName, TurnId};
use greenroom_runtime::{Retry, RuntimeError, Sent, TurnEvents};
use greenroom_store::{StoreError, Turn, TurnState};
use http::StatusCode;

use super::{
    conversation::last_said,
    format::ReplyEnd,
    headers::RequestHeaders,
    request::ReplyRequest,
    speaker::Speaker,
    unanswered::{MessageIdentity, PendingMessage, Unanswered},
};
use crate::{ApiError, Caller, Services};

/// The reply to a message.
pub(super) enum ChannelReply {
    /// A turn that runs. The message is closed when the client has got the reply.
    Live(TurnEvents, Option<PendingMessage>),
    /// The stored reply of an earlier turn.
    Stored(TurnId, ReplyEnd),
}

/// A persona in a channel.
pub(super) struct Addressee<'a> {
    pub(super) services: &'a Services,
    pub(super) persona: &'a PersonaName,
    pub(super) channel: &'a ChannelKey,
}

impl Addressee<'_> {
    /// Sends the last message of a user to the persona.
    pub(super) async fn send(
        &self,
        caller: &Caller,
        speaker: Speaker,
        request: ReplyRequest,
        headers: &RequestHeaders,
        unanswered: &std::sync::Arc<Unanswered>,
    ) -> Result<ChannelReply, ApiError> {
        let Self { services, persona, channel } = *self;
        let ReplyRequest { messages, reply_options, disable_memory, .. } = request;
        let text = last_said(messages)?;
        let _in_use = services.enter(caller, channel).await?;
        let (event_id, pending) = match &headers.key {
            Some(key) => (key.clone(), None),
            None => {
                let identity = MessageIdentity::new(channel, persona, &speaker.id, &text);
                let stored = if headers.retried { identity.stored(services, &text).await? } else { None };
                let pending = unanswered.open(identity, headers.retried, stored);
                (pending.id().to_owned(), Some(pending))
            }
        };
        let author = Author::User { id: speaker.id, name: speaker.name };
        let message = Message::new(channel.clone(), event_id, author, text);
        let to = Some(persona.clone());
        let envelope = Envelope { to, disable_memory, reply_options, ..Envelope::new(message) };
        let Sent { message, duplicate, answering, events, .. } = services.runtime.send(envelope).await?;
        if duplicate {
            return self.repeat(message, disable_memory, pending).await;
        }
        match answering.iter().any(|(name, _)| name == persona) {
            true => Ok(ChannelReply::Live(events, pending)),
            false => Err(nobody_answers(persona)),
        }
    }

    /// The stored reply to a repeated message. If it has none and no turn runs, another turn begins.
    async fn repeat(
        &self,
        message: MessageId,
        disable_memory: bool,
        pending: Option<PendingMessage>,
    ) -> Result<ChannelReply, ApiError> {
        let turn = self.newest_turn(message).await?;
        if let Some(turn) = &turn {
            if let Some(reply) = self.stored(turn).await? {
                if let Some(pending) = pending {
                    pending.close();
                }
                return Ok(reply);
            }
            if matches!(turn.state, TurnState::Waiting | TurnState::Running) {
                return Err(in_progress());
            }
        }
        let retry = Retry {
            channel: self.channel.clone(),
            // a message answered together with later ones is answered again under the last of them
            message: turn.map_or(message, |turn| turn.trigger),
            persona: self.persona.clone(),
            project: None,
            disable_memory,
            force: false,
        };
        match self.services.runtime.retry(retry).await {
            Ok(sent) => Ok(ChannelReply::Live(sent.events, pending)),
            // another request was faster
            Err(RuntimeError::Store(StoreError::AlreadyAnswered { .. })) => {
                let turn = self.newest_turn(message).await?.ok_or_else(in_progress)?;
                let reply = self.stored(&turn).await?.ok_or_else(in_progress)?;
                if let Some(pending) = pending {
                    pending.close();
                }
                Ok(reply)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The newest turn in which the persona answers a message.
    async fn newest_turn(&self, message: MessageId) -> Result<Option<Turn>, ApiError> {
        let turns = self.services.store.answers(message).await?;
        Ok(turns.into_iter().find(|turn| turn.persona == *self.persona))
    }

    /// The stored reply of a turn, if it has one.
    async fn stored(&self, turn: &Turn) -> Result<Option<ChannelReply>, ApiError> {
        let Some(reply) = turn.reply else { return Ok(None) };
        let Some(message) = self.services.store.message(reply).await? else { return Ok(None) };
        let end = ReplyEnd { text: message.text, finish: Finish::Stop, usage: turn.usage, reply };
        Ok(Some(ChannelReply::Stored(turn.id, end)))
    }
}

fn in_progress() -> ApiError {
    let message = "this message is being answered; ask for it again in a moment";
    ApiError::new(StatusCode::CONFLICT, "in_progress", message).after(std::time::Duration::from_secs(1))
}

fn nobody_answers(persona: &PersonaName) -> ApiError {
    let message = format!(
        "{persona} does not answer here: its file forbids it, or a limit of the room does; `greenroom room explain \
         CHANNEL` says which"
    );
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "nobody_answers", message)
}
