//! A message of a channel: stored before it is answered, answered once, told again when it comes
//! again.

use greenroom_core::{Author, ChannelKey, Envelope, Finish, Message, MessageId, PersonaName, TurnId};
use greenroom_runtime::{Retry, RuntimeError, Sent, TurnEvents};
use greenroom_store::{StoreError, Turn, TurnState};
use http::StatusCode;

use super::{
    ask::Ask,
    conversation::last_said,
    headers::RequestHeaders,
    hearing::End,
    kept::{Event, Open},
    speaker::Speaker,
};
use crate::{ApiError, Caller, Services};

/// What became of a message.
pub(super) enum Delivery {
    /// It is being answered. What is open is closed when the reply was handed over.
    Events(TurnEvents, Option<Open>),
    /// It was answered before, in this turn.
    Before(TurnId, End),
}

/// Says the last message of a user in a channel, to a persona.
pub(super) async fn say(
    services: &Services,
    caller: &Caller,
    persona: &PersonaName,
    channel: &ChannelKey,
    speaker: Speaker,
    ask: Ask,
    headers: &RequestHeaders,
) -> Result<Delivery, ApiError> {
    let Ask { messages, reply_options, disable_memory, .. } = ask;
    let text = last_said(messages)?;
    let _passing = services.enter(caller, channel).await?;
    let (event_id, open) = match &headers.key {
        Some(key) => (key.clone(), None),
        None => {
            let event = Event::new(channel, persona, &speaker.id, &text);
            let stored = if headers.retried { event.stored(services, &text).await? } else { None };
            let open = headers.kept.unanswered.open(event, headers.retried, stored);
            (open.id().to_owned(), Some(open))
        }
    };
    let author = Author::User { id: speaker.id, name: speaker.name };
    let message = Message::new(channel.clone(), event_id, author, text);
    let to = Some(persona.clone());
    let envelope = Envelope { to, disable_memory, reply_options, ..Envelope::new(message) };
    let Sent { message, duplicate, answering, events, .. } = services.runtime.send(envelope).await?;
    if duplicate {
        let again = again(services, persona, channel, message, disable_memory).await?;
        return Ok(match again {
            Delivery::Events(events, _) => Delivery::Events(events, open),
            Delivery::Before(turn, end) => {
                if let Some(open) = open {
                    open.close();
                }
                Delivery::Before(turn, end)
            }
        });
    }
    match answering.iter().any(|(name, _)| name == persona) {
        true => Ok(Delivery::Events(events, open)),
        false => Err(silent(persona)),
    }
}

/// A message that was said before: its stored reply; where it has none and none is under way, another turn.
async fn again(
    services: &Services,
    persona: &PersonaName,
    channel: &ChannelKey,
    message: MessageId,
    disable_memory: bool,
) -> Result<Delivery, ApiError> {
    let turn = answering(services, persona, message).await?;
    if let Some(turn) = &turn {
        if let Some(reply) = reply(services, turn).await? {
            return Ok(reply);
        }
        if matches!(turn.state, TurnState::Waiting | TurnState::Running) {
            return Err(in_progress());
        }
    }
    // a message that was answered together with later ones is answered again by the last of them
    let retry = Retry {
        channel: channel.clone(),
        message: turn.map_or(message, |turn| turn.trigger),
        persona: persona.clone(),
        project: None,
        disable_memory,
        force: false,
    };
    match services.runtime.retry(retry).await {
        Ok(sent) => Ok(Delivery::Events(sent.events, None)),
        // another request was faster
        Err(RuntimeError::Store(StoreError::AlreadyAnswered { .. })) => {
            let turn = answering(services, persona, message).await?.ok_or_else(in_progress)?;
            reply(services, &turn).await?.ok_or_else(in_progress)
        }
        Err(error) => Err(error.into()),
    }
}

/// The newest turn in which a persona answers a message.
async fn answering(
    services: &Services,
    persona: &PersonaName,
    message: MessageId,
) -> Result<Option<Turn>, ApiError> {
    let turns = services.store.answers(message).await?;
    Ok(turns.into_iter().find(|turn| turn.persona == *persona))
}

/// The stored reply of a turn, if it has one.
async fn reply(services: &Services, turn: &Turn) -> Result<Option<Delivery>, ApiError> {
    let Some(reply) = turn.reply else { return Ok(None) };
    let Some(said) = services.store.message(reply).await? else { return Ok(None) };
    let end = End { text: said.text, finish: Finish::Stop, usage: turn.usage, reply };
    Ok(Some(Delivery::Before(turn.id, end)))
}

fn in_progress() -> ApiError {
    let message = "this message is being answered; ask for it again in a moment";
    ApiError::new(StatusCode::CONFLICT, "in_progress", message).after(std::time::Duration::from_secs(1))
}

fn silent(persona: &PersonaName) -> ApiError {
    let message = format!("{persona} answers nobody: its file says so");
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "nobody_answers", message)
}
