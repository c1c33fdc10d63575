//! Steps 1 and 2 of a turn alone: the context from which a message would be answered. Nothing is stored.

use std::{collections::BTreeSet, sync::Arc};

use greenroom_context::AssembleError;
use greenroom_core::{Author, Envelope, Message};
use greenroom_persona::Persona;
use greenroom_store::StoreError;

use super::{
    budget::{Budget, instead},
    context_builder::ContextBuilder,
    failure::Failure,
    options::limit_to_grant,
    request::Request,
    stored::StoredConversation,
};
use crate::{
    Preview, RuntimeError, grant::Grant, presence::PresenceTracker, rooms::RoomLedger, services::Services,
};

/// The context that `persona` would send to its model.
pub(crate) async fn preview(
    services: &Services,
    envelope: Envelope,
    persona: Arc<Persona>,
) -> Result<Preview, RuntimeError> {
    let grant = grant(services, &envelope, &persona).await.map_err(Failure::from)?;
    let persona = limit_to_grant(persona, grant.as_deref());
    let persona = &*persona;
    let tokens_per_answer = services.rooms.limits(&envelope.message.channel).tokens_per_answer;
    let budget = Budget::of(services, persona).with_grant(grant.as_ref(), tokens_per_answer);
    let (standing, _) = budget.standing().await?;
    let model = services.models.resolve(persona, instead(persona, standing)).map_err(Failure::from)?;
    let Envelope { message, project, disable_memory, group, .. } = envelope;
    let group = group || services.store.group_since(&message.channel).await.map_err(Failure::from)?.is_some();
    let trigger = Message { at: services.now(), ..message };
    let builder = ContextBuilder {
        services,
        persona,
        model: &model,
        turn_id: services.turn_id(),
        burst: &[&trigger],
        trigger: &trigger,
        project: project.as_deref(),
        disable_memory,
        grant: grant.as_ref(),
        group,
        conversation: &StoredConversation,
    };
    let inputs = builder.gather().await?;
    let mut request =
        Request { persona, model: &model, window: builder.window(), rounds: &[], with_tools: true };
    let project_budget = services.settings.project_budget;
    let mut assembled = request.assemble(&inputs, project_budget);
    if assembled.is_err() && builder.by_grant() {
        // as in a turn
        request.with_tools = false;
        assembled = request.assemble(&inputs, project_budget);
    }
    let tools = if request.with_tools { inputs.schemas() } else { Vec::new() };
    let (messages, receipt, texts, full) = match assembled {
        Ok(assembled) => {
            let texts = request.texts(&inputs, project_budget, &assembled);
            (assembled.messages, assembled.receipt, texts, None)
        }
        Err(error) => {
            let full = if builder.by_grant() { budget.beyond_grant().message } else { error.to_string() };
            let AssembleError::ContextFull { receipt, .. } = error;
            (Vec::new(), *receipt, Vec::new(), Some(full))
        }
    };
    let (persona, model) = (persona.name.clone(), model.name.clone());
    let memories = inputs.snippets.to_vec();
    Ok(Preview { persona, model, memories, messages, tools, receipt, texts, full })
}

/// The grant of the answer, if the limits of rooms apply (RM4): several personas belong to the channel, including those
/// that come because of the message, or a bot speaks there.
async fn grant(
    services: &Services,
    envelope: &Envelope,
    persona: &Persona,
) -> Result<Option<Arc<Grant>>, StoreError> {
    let Message { channel, author, text, .. } = &envelope.message;
    let room = services.store.room(channel).await?;
    let ledger = RoomLedger::read(room.state.as_deref());
    let is_bot = envelope.bot || matches!(author, Author::User { id, .. } if ledger.is_bot(id));
    let presence = PresenceTracker::of(room.members, 0);
    let belonging = services.rooms.belonging(channel, services.cast.belonging(channel));
    let change = presence.change(&belonging, |name| services.why_away(name, channel));
    let mut members: BTreeSet<_> = presence.members_after(&change).cloned().collect();
    if !services.settings.by_invitation {
        let mentioned = if envelope.bot { Vec::new() } else { services.cast.mentioned(text) };
        let is_here = |name: &_| services.why_away(name, channel).is_none();
        members.extend(mentioned.into_iter().chain(envelope.to.clone()).filter(is_here));
        members.insert(persona.name.clone());
    }
    if members.len() < 2 && !is_bot && !ledger.has_bots() {
        return Ok(None);
    }
    let remaining = services.remaining(Some(persona), is_bot, services.now()).await;
    Ok(Some(Grant::new(remaining.tokens.min(services.rooms.limits(channel).tokens_per_answer))))
}
