//! What agents hear in a place goes with them.
//!
//! A place is a channel, and what is said in a channel stays in it (GR2): a live persona tells nobody in one room what was
//! said in another. The agents of a simulation are meant to. So what an agent heard becomes memories of its own when it
//! goes, as the observations of Generative Agents do, and is recalled elsewhere as any memory is.

use greenroom_core::{Kind, PersonaName, Scope, Source, Tier, Trust, Viewer};
use greenroom_memory::Remember;

use super::{Reply, LivePlace};
use crate::error::SimError;

/// Lines that an agent takes along from a place, the newest.
const TAKEN_ALONG: usize = 50;

impl LivePlace {
    /// Notes what those who are here have heard, for when they go.
    pub(super) fn hear(&mut self, from: Option<&str>, replies: &[Reply], present: &[(String, String)]) {
        let told = from.into_iter().map(|told| (String::new(), told.to_owned()));
        let said = replies.iter().filter_map(|reply| {
            let shown =
                present.iter().find(|(name, _)| *name == reply.agent.as_str()).map(|(_, shown)| shown)?;
            Some((reply.agent.to_string(), format!("{shown}: {}", reply.said.as_ref().ok()?)))
        });
        for (speaker, line) in told.chain(said) {
            for (name, _) in present.iter().filter(|(name, _)| *name != speaker) {
                let Ok(name) = name.parse() else { continue };
                let heard = self.heard.entry(name).or_default();
                if heard.len() >= TAKEN_ALONG {
                    heard.pop_front();
                }
                heard.push_back(format!("Heard at the {}. {line}", self.state.place));
            }
        }
    }

    /// Makes memories of what an agent has heard here.
    pub(super) async fn take_along(&mut self, name: &PersonaName) -> Result<(), SimError> {
        let heard = self.heard.remove(name).unwrap_or_default();
        if !self.cast.iter().any(|persona| persona.name == *name && persona.memory.enabled) {
            return Ok(());
        }
        let viewer = Viewer::new(name.clone(), self.channel.clone(), None);
        for text in heard {
            let statement = Remember {
                text,
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
