//! A message of a channel: stored before it is answered, answered once, told again when it comes
//! again.

use greenroom_core::{Author, ChannelKey, Finish, MessageId, PersonaName, TurnId};
use greenroom_runtime::{Inbound, RuntimeError, Sent, TurnEvents};
use greenroom_store::{StoreError, Turn};
use http::StatusCode;
use uuid::Uuid;

use super::{conversation::last_said, hearing::End, request::Asked};
use crate::{ApiError, Caller, Services};

/// So many messages after a repeated one are searched for its reply.
const LOOKED_AT: usize = 1_000;

/// What became of a message.
pub(super) enum Said {
    /// It is being answered.
    Events(TurnEvents),
    /// It was answered before, in this turn.
    Before(TurnId, End),
}

/// Says the last message of a user in a channel, to a persona.
pub(super) async fn say(
    services: &Services,
    caller: &Caller,
    persona: &PersonaName,
    channel: &ChannelKey,
    asked: &Asked,
) -> Result<Said, ApiError> {
    let text = last_said(&asked.messages)?;
    let user = caller.speak_as(None)?;
    let _passing = services.enter(channel).await?;
    let inbound = Inbound {
        channel: channel.clone(),
        event_id: asked.key.clone().unwrap_or_else(|| format!("v1-{}", Uuid::now_v7())),
        user_name: user.to_string(),
        user,
        text,
        to: Some(persona.clone()),
        project: None,
        disable_memory: asked.disable_memory,
    };
    let Sent { message, duplicate, answering, events, .. } =
        services.runtime.send_with(inbound, asked.wishes.clone()).await?;
    if duplicate {
        return again(services, persona, channel, message, asked.disable_memory).await;
    }
    match answering.iter().any(|(name, _)| name == persona) {
        true => Ok(Said::Events(events)),
        false => Err(silent(persona)),
    }
}

/// A message that was said before: its stored reply; where it has none and none is under way, another
/// turn.
async fn again(
    services: &Services,
    persona: &PersonaName,
    channel: &ChannelKey,
    message: MessageId,
    disable_memory: bool,
) -> Result<Said, ApiError> {
    if let Some(reply) = reply(services, persona, channel, message, |turn| turn.trigger == message).await? {
        return Ok(reply);
    }
    let underway = services.store.unfinished(Some(channel)).await?;
    if underway.iter().any(|unfinished| unfinished.message.id == message) {
        return Err(in_progress());
    }
    match services.runtime.retry(channel, message, persona, None, disable_memory).await {
        Ok(sent) => Ok(Said::Events(sent.events)),
        // answered together with a later one, or just now by another request
        Err(RuntimeError::Store(StoreError::State(_))) => {
            let later = reply(services, persona, channel, message, |turn| turn.trigger > message).await?;
            later.ok_or_else(in_progress)
        }
        Err(error) => Err(error.into()),
    }
}

/// The first reply of a persona after a message whose turn is the right one.
async fn reply(
    services: &Services,
    persona: &PersonaName,
    channel: &ChannelKey,
    message: MessageId,
    right: impl Fn(&Turn) -> bool,
) -> Result<Option<Said>, ApiError> {
    for said in services.store.history(channel, Some(message), LOOKED_AT).await? {
        let theirs = matches!(&said.author, Author::Persona { name } if name == persona);
        let Some(turn) = said.turn_id.filter(|_| theirs) else { continue };
        let Some(turn) = services.store.turn(turn).await?.filter(&right) else { continue };
        let end = End { text: said.text, finish: Finish::Stop, usage: turn.usage, reply: said.id };
        return Ok(Some(Said::Before(turn.id, end)));
    }
    Ok(None)
}

fn in_progress() -> ApiError {
    let message = "this message is being answered; ask for it again in a moment";
    ApiError::new(StatusCode::CONFLICT, "in_progress", message).after(std::time::Duration::from_secs(1))
}

fn silent(persona: &PersonaName) -> ApiError {
    let message = format!("{persona} answers nobody: its file says so");
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "nobody_answers", message)
}
