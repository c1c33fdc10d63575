//! Steps 1 and 2 of a turn without the rest: the context a message would be answered from.

use greenroom_context::{AssembleError, Assembled};
use greenroom_core::{Author, Message, MessageId};
use greenroom_persona::Persona;

use super::{Failure, Scene};
use crate::{Inbound, Preview, RuntimeError, stage::Stage};

/// What `persona` would send to its model. Stores nothing.
pub(crate) async fn preview(
    stage: &Stage,
    inbound: &Inbound,
    persona: &Persona,
) -> Result<Preview, RuntimeError> {
    let model = stage.models.resolve(persona).map_err(Failure::from)?;
    // as if it had been stored just now: later than everything that was
    let trigger = Message {
        id: MessageId::UNSTORED,
        channel: inbound.channel.clone(),
        event_id: inbound.event_id.clone(),
        author: Author::User { id: inbound.user.clone(), name: inbound.user_name.clone() },
        text: inbound.text.clone(),
        at: stage.now(),
        turn_id: None,
    };
    let scene = Scene {
        stage,
        persona,
        model: &model,
        turn_id: stage.turn_id(),
        burst: &[&trigger],
        trigger: &trigger,
        project: inbound.project.as_deref(),
        recall: !inbound.disable_memory,
        given: None,
    };
    let props = scene.gather().await?;
    let (messages, receipt, full) = match scene.assemble(&props, scene.window(), &[], true) {
        Ok(Assembled { messages, receipt }) => (messages, receipt, None),
        Err(full) => {
            let message = full.to_string();
            let AssembleError::ContextFull { receipt, .. } = full;
            (Vec::new(), *receipt, Some(message))
        }
    };
    let (persona, model) = (persona.name.clone(), model.name.clone());
    Ok(Preview { persona, model, memories: props.snippets, messages, tools: props.tools, receipt, full })
}

impl From<Failure> for RuntimeError {
    fn from(failure: Failure) -> Self {
        Self::Context { code: failure.code, message: failure.message }
    }
}
