//! Carries what agents heard in a place to their next place.
//!
//! A place is a channel, and memories of a channel stay in it (GR2): a live persona tells nobody in one room what was
//! said in another. The agents of a simulation are meant to. So when an agent leaves, the lines it heard become its own
//! memories, as the observations of Generative Agents. In other places they are recalled as any memory.

use std::sync::Arc;

use greenroom_core::{Kind, Scope, Source, Tier, Trust, Viewer};
use greenroom_memory::Remember;

use super::{LivePlace, Reply};
use crate::error::SimError;

/// The most lines, the newest, that an agent takes along from a place.
const TAKEN_ALONG: usize = 50;

impl LivePlace {
    /// Notes the lines that the agents here have heard, until they leave.
    pub(super) fn hear(&mut self, from: Option<&str>, replies: &[Reply], present: &[usize]) {
        let told = from.into_iter().map(|told| (None, told.to_owned()));
        let said = replies.iter().filter(|reply| present.contains(&reply.agent)).filter_map(|reply| {
            let text = reply.answer.heard()?;
            Some((Some(reply.agent), format!("{}: {text}", self.state.display_name(reply.agent))))
        });
        for (speaker, line) in told.chain(said) {
            let line: Arc<str> = format!("Heard at the {}. {line}", self.state.place).into();
            for agent in present.iter().filter(|agent| Some(**agent) != speaker) {
                let heard = self.heard.entry(*agent).or_default();
                if heard.len() >= TAKEN_ALONG {
                    heard.pop_front();
                }
                heard.push_back(line.clone());
            }
        }
    }

    /// Stores the lines that an agent has heard here as memories.
    pub(super) async fn take_along(&mut self, agent: usize) -> Result<(), SimError> {
        let heard = self.heard.remove(&agent).unwrap_or_default();
        let persona = &self.shared.agents[agent].persona;
        if !persona.memory.enabled {
            return Ok(());
        }
        let viewer = Viewer::new(persona.name.clone(), self.channel.clone(), None);
        for text in heard {
            let statement = Remember {
                text: text.to_string(),
                kind: Kind::new("event"),
                tier: Tier::Episodic,
                scope: Scope::Global,
                source: Source { via: "heard".into(), message: None, user: None },
                trust: Trust::Persona,
                key: None,
                expires_in: None,
            };
            let remembered = self.memory.remember(&viewer, statement).await;
            remembered.map_err(|error| SimError::Broken(error.to_string()))?;
        }
        Ok(())
    }
}
