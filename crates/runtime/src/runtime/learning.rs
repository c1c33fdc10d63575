//! Learning from a message that nobody answers: one that was edited long after it was said (AD1).

use std::{collections::BTreeSet, sync::Arc};

use greenroom_core::{Author, Message, PersonaName};
use greenroom_memory::MemoryError;
use greenroom_persona::Persona;
use greenroom_store::{ItemId, Sources, StoreError};

use super::Runtime;
use crate::{
    RuntimeError, capture_actor::postponed::postpone, capture_queue::Exchange, grant::Grant,
    mailbox::SupervisorMsg, turn::request::viewer,
};

impl Runtime {
    /// Lets personas learn from a stored message of a person as if they had answered it. Requests to remember are
    /// captured at once; a model finds facts in a task. Personas that the message mentions learn as well. A persona
    /// without memory learns nothing.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn learn(&self, message: &Message, personas: &[PersonaName]) -> Result<(), RuntimeError> {
        let services = &self.services;
        if !matches!(message.author, Author::User { .. }) {
            return Ok(());
        }
        let mut names = personas.to_vec();
        names.extend(services.cast.mentioned(&message.text));
        names.sort();
        names.dedup();
        // before the message is read: what is erased from here on is not captured (GR10)
        let erased = services.erasures.follow().await;
        let Some(message) = services.store.message(message.id).await? else { return Ok(()) };
        let since = services.store.group_since(&message.channel).await?;
        let is_group = since.is_some_and(|since| message.id >= since);
        for persona in names.iter().filter_map(|name| services.cast.persona(name)) {
            if persona.memory.enabled {
                self.learn_as(&persona, &message, is_group, erased).await?;
            }
        }
        let _ = self.tell(SupervisorMsg::TurnOver);
        Ok(())
    }

    /// Withdraws the permission of a message to tell others a private statement (MP1), for each persona that answered
    /// it. Called before the message is edited or deleted. What was learned from the message is erased with it.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn revoke(&self, message: &Message) -> Result<(), StoreError> {
        let services = &self.services;
        let since = services.store.group_since(&message.channel).await?;
        let is_group = since.is_some_and(|since| message.id >= since);
        let answers = services.store.answers(message.id).await?;
        let personas: BTreeSet<_> = answers.into_iter().map(|turn| turn.persona).collect();
        for persona in personas.iter().filter_map(|name| services.cast.persona(name)) {
            match services.memory.revoke(&viewer(&persona, message, is_group), message).await {
                Err(MemoryError::Store(error)) => return Err(error),
                Err(error) => {
                    tracing::warn!(persona = %persona.name, %error, "what a message opened stays open")
                }
                Ok(()) => {}
            }
        }
        Ok(())
    }

    async fn learn_as(
        &self,
        persona: &Arc<Persona>,
        message: &Message,
        is_group: bool,
        erased: i64,
    ) -> Result<(), RuntimeError> {
        let services = &self.services;
        let viewer = viewer(persona, message, is_group);
        match services.memory.capture_now(&viewer, message, &persona.memory).await {
            Ok(report) => services.capture_queue.add_notices(&viewer, report.notice().into_iter().collect()),
            Err(MemoryError::Store(error)) => return Err(error.into()),
            Err(error) => {
                tracing::warn!(persona = %persona.name, %error, "an edited message is not remembered")
            }
        }
        let capture = &persona.memory.capture;
        let judges = services.memory.judges_what_is_told();
        if capture.sessions || capture.facts || judges && capture.preferences {
            let limits = services.rooms.limits(&message.channel);
            let exchange = Exchange {
                turn: services.turn_id(),
                persona: persona.clone(),
                settings: capture.clone(),
                viewer,
                burst: vec![message.clone()],
                reply: String::new(),
                tool_results: Vec::new(),
                recalled: Arc::default(),
                sources: Sources { erased, items: vec![ItemId::Message(message.id)], summary_of: None },
                grant: is_group.then(|| Grant::new(limits.tokens_per_answer)),
                postponed: false,
            };
            let turns = services.capture_queue.push(exchange, judges);
            postpone(services, turns);
        }
        Ok(())
    }
}
