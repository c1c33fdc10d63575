//! Steps 1 and 2 of a turn alone: the context that a message would be answered from. Nothing is stored.

use greenroom_context::AssembleError;
use greenroom_core::{Envelope, Message};
use greenroom_persona::Persona;

use super::{
    budget::{Budget, instead},
    context_builder::ContextBuilder,
    failure::Failure,
    request::Request,
    stored::StoredConversation,
};
use crate::{Preview, RuntimeError, services::Services};

/// What `persona` would send to its model.
pub(crate) async fn preview(
    services: &Services,
    envelope: Envelope,
    persona: &Persona,
) -> Result<Preview, RuntimeError> {
    let (standing, _) = Budget::of(services, persona).standing().await?;
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
        grant: None,
        group,
        conversation: &StoredConversation,
    };
    let inputs = builder.gather().await?;
    let request = Request { persona, model: &model, window: builder.window(), rounds: &[], with_tools: true };
    let project_budget = services.settings.project_budget;
    let (messages, receipt, texts, full) = match request.assemble(&inputs, project_budget) {
        Ok(assembled) => {
            let texts = request.texts(&inputs, project_budget, &assembled);
            (assembled.messages, assembled.receipt, texts, None)
        }
        Err(error) => {
            let full = error.to_string();
            let AssembleError::ContextFull { receipt, .. } = error;
            (Vec::new(), *receipt, Vec::new(), Some(full))
        }
    };
    let (persona, model) = (persona.name.clone(), model.name.clone());
    let (memories, tools) = (inputs.snippets.to_vec(), inputs.schemas());
    Ok(Preview { persona, model, memories, messages, tools, receipt, texts, full })
}
