//! A message of a channel: stored before it is answered, and answered once. A repeated message gets the stored
//! reply.

use std::sync::Arc;

use greenroom_core::{
    Author, ChannelKey, Envelope, ErrorCode, Finish, Message, MessageId, PersonaName, SystemClock, Time,
    Timestamp, TurnId,
};
use greenroom_runtime::{Retry, RetryRefusal, RuntimeError, Sent, TurnEvents};
use greenroom_store::{StoreError, Turn, TurnState};
use http::StatusCode;

use super::{
    conversation::Said,
    format::ReplyEnd,
    headers::RequestHeaders,
    repeats::{MessageIdentity, NewestMessage, REPEATED},
    request::ReplyRequest,
    speaker::Speaker,
    unanswered::{PendingMessage, Unanswered},
};
use crate::{ApiError, Caller, Services, api::answer::finish_of, edited::present_id, error::status_of};

/// The reply to a message.
pub(super) enum ChannelReply {
    /// A turn that runs. The message is closed when the client has got the reply.
    Live(TurnEvents, Option<PendingMessage>),
    /// The stored reply of an earlier turn.
    Stored(TurnId, ReplyEnd),
}

/// A request that is sent to a channel.
pub(super) struct SentRequest<'a> {
    pub(super) caller: &'a Caller,
    pub(super) speaker: Speaker,
    pub(super) request: ReplyRequest,
    pub(super) headers: &'a RequestHeaders,
}

/// A persona in a channel.
pub(super) struct Addressee<'a> {
    pub(super) services: &'a Services,
    pub(super) persona: &'a PersonaName,
    pub(super) channel: &'a ChannelKey,
}

impl Addressee<'_> {
    /// Sends the last message of a user to the persona. `started` is the start of this run of the server.
    pub(super) async fn send(
        &self,
        sent: SentRequest<'_>,
        unanswered: &Arc<Unanswered>,
        started: Timestamp,
    ) -> Result<ChannelReply, ApiError> {
        let Self { services, persona, channel } = *self;
        let SentRequest { caller, speaker, request, headers } = sent;
        let ReplyRequest { messages, reply_options, disable_memory, .. } = request;
        let said = Said::of(messages)?;
        let _in_use = services.enter(caller, channel).await?;
        let (event_id, pending) = match &headers.key {
            Some(key) => (present_id(services, channel, &speaker.id, key).await?, None),
            None => {
                let identity = MessageIdentity::new(channel, persona, &speaker.id, &said.text);
                let may_repeat = headers.retried
                    || unanswered.knows(&identity)
                    || SystemClock.now().since(started) < REPEATED;
                let newest = match may_repeat {
                    true => NewestMessage::read(services, &identity, &said, started).await?,
                    false => None,
                };
                let pending = unanswered.open(identity, headers.retried, newest.as_ref());
                (pending.id().to_owned(), Some(pending))
            }
        };
        let author = Author::User { id: speaker.id, name: speaker.name };
        let message = Message::new(channel.clone(), event_id, author, said.text);
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
        let turns = self.services.store.answers(message).await?;
        // a key may have been used for another persona before; that persona has then answered the message
        let is_answered_by_others =
            pending.is_none() && !turns.is_empty() && turns.iter().all(|turn| turn.persona != *self.persona);
        let turn = self.own(turns);
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
        let runtime = &self.services.runtime;
        let sent =
            if is_answered_by_others { runtime.retry(retry).await } else { runtime.repeat(retry).await };
        match sent {
            Ok(sent) if sent.answering.iter().any(|(name, _)| name == self.persona) => {
                Ok(ChannelReply::Live(sent.events, pending))
            }
            Ok(_) => Err(nobody_answers(self.persona)),
            // another request was faster
            Err(RuntimeError::Store(StoreError::AlreadyAnswered { .. })) => {
                let turns = self.services.store.answers(message).await?;
                let turn = self.own(turns).ok_or_else(in_progress)?;
                let reply = self.stored(&turn).await?.ok_or_else(in_progress)?;
                if let Some(pending) = pending {
                    pending.close();
                }
                Ok(reply)
            }
            Err(error) => Err(not_repeated(error)),
        }
    }

    /// The newest turn of this persona among the turns of a message.
    fn own(&self, turns: Vec<Turn>) -> Option<Turn> {
        turns.into_iter().find(|turn| turn.persona == *self.persona)
    }

    /// The stored reply of a turn, if it has one.
    async fn stored(&self, turn: &Turn) -> Result<Option<ChannelReply>, ApiError> {
        let Some(reply) = turn.reply else { return Ok(None) };
        let Some(message) = self.services.store.message(reply).await? else { return Ok(None) };
        // without the events of the turn it is unknown how the reply ended
        let finish = finish_of(self.services, turn).await?.unwrap_or(Finish::Stop);
        let end = ReplyEnd { text: message.text, finish, usage: turn.usage, reply };
        Ok(Some(ChannelReply::Stored(turn.id, end)))
    }
}

fn in_progress() -> ApiError {
    let message = "this message is being answered; ask for it again in a moment";
    ApiError::new(StatusCode::CONFLICT, "in_progress", message).after(std::time::Duration::from_secs(1))
}

/// A repeated message that no persona answers either gets the same status as a new one.
fn not_repeated(error: RuntimeError) -> ApiError {
    let RuntimeError::NotRetried { why, .. } = &error else { return error.into() };
    let (status, code) = match why {
        RetryRefusal::NeverAsked => return error.into(),
        RetryRefusal::Stopped => (status_of(ErrorCode::PersonaStopped), ErrorCode::PersonaStopped.as_str()),
        RetryRefusal::NoMember | RetryRefusal::Never | RetryRefusal::Limit(_) => {
            (StatusCode::UNPROCESSABLE_ENTITY, "nobody_answers")
        }
    };
    ApiError::new(status, code, error.to_string())
}

fn nobody_answers(persona: &PersonaName) -> ApiError {
    let message = format!(
        "{persona} does not answer here: its file forbids it, the channel is quiet, or a limit of the room is \
         reached; `greenroom room explain CHANNEL` says which"
    );
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "nobody_answers", message)
}
