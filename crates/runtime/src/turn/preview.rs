//! Steps 1 and 2 of a turn without the rest: the context a message would be answered from.

use greenroom_context::AssembleError;
use greenroom_core::{Author, Message, MessageId};
use greenroom_persona::Persona;

use super::{Budget, ContextBuilder, Failure, context_builder::Request, instead};
use crate::{Inbound, Preview, RuntimeError, services::Services};

/// What `persona` would send to its model. Stores nothing.
pub(crate) async fn preview(
    services: &Services,
    inbound: &Inbound,
    persona: &Persona,
) -> Result<Preview, RuntimeError> {
    let (standing, _) = Budget::of(services, persona).standing().await?;
    let model = services.models.resolve(persona, instead(persona, standing)).map_err(Failure::from)?;
    // as if it had been stored just now: later than everything that was
    let trigger = Message {
        id: MessageId::UNSTORED,
        channel: inbound.channel.clone(),
        event_id: inbound.event_id.clone(),
        author: Author::User { id: inbound.user.clone(), name: inbound.user_name.clone() },
        text: inbound.text.clone(),
        at: services.now(),
        turn_id: None,
    };
    let builder = ContextBuilder {
        services,
        persona,
        model: &model,
        turn_id: services.turn_id(),
        burst: &[&trigger],
        trigger: &trigger,
        project: inbound.project.as_deref(),
        recall: !inbound.disable_memory,
        given: None,
        as_of: std::time::Instant::now(),
    };
    let inputs = builder.gather().await?;
    let request = Request { persona, model: &model, window: builder.window(), rounds: &[], with_tools: true };
    let (context, full) = match request.assemble(&inputs, services.project_budget) {
        Ok(assembled) => {
            let texts = request.texts(&inputs, services.project_budget, &assembled);
            ((assembled.messages, assembled.receipt, texts), None)
        }
        Err(full) => {
            let message = full.to_string();
            let AssembleError::ContextFull { receipt, .. } = full;
            ((Vec::new(), *receipt, Vec::new()), Some(message))
        }
    };
    let (messages, receipt, texts) = context;
    let (persona, model) = (persona.name.clone(), model.name.clone());
    let (memories, tools) = (inputs.snippets.to_vec(), inputs.schemas());
    Ok(Preview { persona, model, memories, messages, tools, receipt, texts, full })
}

impl From<Failure> for RuntimeError {
    fn from(failure: Failure) -> Self {
        Self::Context { code: failure.code, message: failure.message }
    }
}
