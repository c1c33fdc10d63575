//! The inputs of floor control beside the conversation: how near a message is to what a persona is about, whom a
//! moderator chooses, and what a persona may still spend (RM3, RM4).

use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use dashmap::DashMap;
use futures::FutureExt;
use greenroom_context::indented;
use greenroom_core::{Message, PersonaName, Timestamp};
use greenroom_floor::{MemberId, Remaining};
use greenroom_memory::Memory;
use greenroom_persona::{Answer, Persona};
use serde::{Deserialize, Serialize};

use crate::{
    SmallRole,
    floor::persona_id,
    grant::Grant,
    ledger::{DAY, HOUR},
    services::Services,
};

/// The time limit for embedding a message.
const EMBED_WAIT: Duration = Duration::from_secs(1);
/// The time limit of a moderator.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most tokens of a moderator's answer.
const ANSWER: u32 = 60;
/// How many messages before the one in question a moderator sees.
const SHOWN: usize = 10;
/// How many messages are read to find these. More are read, because newer messages may wait behind that one.
const LOOK_BACK: usize = 50;
const MODERATOR: &str = "You moderate a group chat. Choose who of the personas should answer the message, if anybody. \
                         Most messages need one answer or none. Answer with their names in order, separated by commas, \
                         or with the word nobody. Do not explain.";

/// What personas are about, as vectors. Each is made when it is first needed.
#[derive(Default)]
pub(crate) struct Relevance(DashMap<PersonaName, About>);

struct About {
    /// The hash of the text that the vector was made of.
    hash: u64,
    model: String,
    vector: Vec<f32>,
}

impl Relevance {
    /// How near a text is to what each persona is about: the cosine, 0 to 1. For personas whose policy is relevance
    /// alone.
    pub(crate) async fn scores(
        &self,
        memory: &Memory,
        text: &str,
        personas: &[Arc<Persona>],
    ) -> HashMap<MemberId, f32> {
        let mut scores = HashMap::new();
        let relevant: Vec<_> =
            personas.iter().filter(|persona| persona.room.answer == Answer::Relevant).collect();
        if relevant.is_empty() {
            return scores;
        }
        // a slow endpoint must not delay the room: the message is then not scored
        let embedded = memory.clock().timeout(EMBED_WAIT, memory.embeddings(&[text.to_owned()])).await;
        let Ok(Ok(Some(mut embedded))) = embedded else { return scores };
        let Some(message) = embedded.vectors.pop() else { return scores };
        for persona in relevant {
            let about = format!("{} {}\n{}", persona.display_name, persona.description, persona.prompt);
            let hash = greenroom_floor::hash(&about);
            let known = |entry: &About| entry.hash == hash && entry.model == embedded.model;
            if !self.0.get(&persona.name).is_some_and(|entry| known(&entry)) {
                let Ok(Some(made)) = memory.embeddings(&[about]).await else { continue };
                let Some(vector) = made.vectors.into_iter().next() else { continue };
                self.0.insert(persona.name.clone(), About { hash, model: made.model, vector });
            }
            if let Some(entry) = self.0.get(&persona.name).filter(|entry| known(entry)) {
                let cosine: f32 = entry.vector.iter().zip(&message).map(|(a, b)| a * b).sum();
                scores.insert(persona_id(&persona.name), cosine.clamp(0.0, 1.0));
            }
        }
        scores
    }
}

/// Why no moderator chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unmoderated {
    /// No persona that belongs to the channel has a small model.
    None,
    /// The budget of the persona that pays is used up.
    Budget,
    /// The small model failed, or named neither a persona nor nobody.
    Failed,
}

/// The choice of a moderator.
pub(crate) struct Choice {
    /// The chosen members in order, or why there is no choice.
    pub(crate) chosen: Result<Vec<MemberId>, Unmoderated>,
    /// The grant of the first answer, which pays for the moderator.
    pub(crate) grant: Arc<Grant>,
}

impl Services {
    /// Lets a small model choose who answers. Its tokens count for the persona whose model it is, and are taken from
    /// the grant of the first answer.
    pub(crate) async fn moderate(&self, message: &Message, personas: &[Arc<Persona>]) -> Choice {
        let grant = Grant::new(self.rooms.limits(&message.channel).tokens_per_answer);
        let asked = self.ask_moderator(message, personas, &grant);
        // if the model's client panics, the room has no moderator, but still answers
        let asked = AssertUnwindSafe(asked).catch_unwind();
        let chosen = self.closing.run_until_cancelled(asked).await;
        let chosen = chosen.and_then(|chosen| chosen.ok()).unwrap_or(Err(Unmoderated::Failed));
        Choice { chosen, grant }
    }

    async fn ask_moderator(
        &self,
        message: &Message,
        personas: &[Arc<Persona>],
        grant: &Arc<Grant>,
    ) -> Result<Vec<MemberId>, Unmoderated> {
        let failed = || Unmoderated::Failed;
        let small = |persona: &Arc<Persona>| self.models.small(persona, SmallRole::Retrieval, Some(grant));
        let (payer, small) =
            personas.iter().find_map(|persona| Some((persona, small(persona)?))).ok_or(Unmoderated::None)?;
        let remaining = self.remaining(Some(payer), true, self.now()).await;
        if remaining.tokens == 0 || remaining.cost == 0 {
            tracing::info!(persona = %payer.name, "no moderator is asked: its budget is used up");
            return Err(Unmoderated::Budget);
        }
        let about = |persona: &Arc<Persona>| format!("- {}: {}", persona.name, persona.description);
        let list: Vec<_> = personas.iter().map(about).collect();
        let history = self.store.history(&message.channel, None, LOOK_BACK).await.map_err(|_| failed())?;
        let before: Vec<_> = history.iter().filter(|said| said.id < message.id).collect();
        let before = &before[before.len().saturating_sub(SHOWN)..];
        let said: Vec<_> = before.iter().copied().chain([message]).collect();
        // labels and indents keep a text from looking like another speaker's (RM7)
        let authors = said.iter().map(|said| &said.author);
        let labels = self.memory.labels(&message.channel, authors).await.map_err(|_| failed())?;
        let line = |said: &&Message| format!("{}: {}", labels.label(&said.author), indented(&said.text));
        let said: Vec<_> = said.iter().map(line).collect();
        let asked = format!("Personas:\n{}\n\nConversation:\n{}", list.join("\n"), said.join("\n"));
        let answer = self.clock.timeout(PATIENCE, small.complete(MODERATOR, &asked, ANSWER)).await;
        let answer = answer.map_err(|_| failed())?;
        let answer = answer.inspect_err(|error| tracing::warn!(%error, "the moderator failed"));
        let answer = answer.map_err(|_| failed())?;
        let chosen = chosen(&answer, personas);
        if chosen.is_none() {
            tracing::warn!("the moderator named neither a persona nor nobody");
        }
        chosen.ok_or_else(failed)
    }

    /// What a persona may still spend on answers to personas and bots: the tokens left of its hour, and the tokens that
    /// the money left of its day buys. Answers to people have no such limit here: their turns fail visibly instead.
    pub(crate) async fn remaining(
        &self,
        persona: Option<&Persona>,
        counts: bool,
        now: Timestamp,
    ) -> Remaining {
        let Some(persona) = persona.filter(|_| counts) else { return Remaining::UNLIMITED };
        let mut remaining = Remaining::UNLIMITED;
        let limits = &persona.limits;
        // the turn reports a failure of the store
        let used =
            async |window| self.store.used(&persona.name, now.before(window), now).await.unwrap_or_default();
        if limits.tokens_per_hour > 0 {
            remaining.tokens = limits.tokens_per_hour.saturating_sub(used(HOUR).await.total());
        }
        if let Some(limit) = limits.cost_limit() {
            remaining.cost = limit.saturating_sub(used(DAY).await.cost_micros);
            // without a price, the turn fails for its cost limit and says so
            let model = self.models.resolve(persona, None);
            let price = model.ok().and_then(|model| self.models.price(&model.name));
            let tokens = price.map_or(u64::MAX, |price| price.tokens_for(remaining.cost));
            if tokens == 0 {
                // the rest buys no token
                remaining.cost = 0;
            }
            remaining.tokens = remaining.tokens.min(tokens);
        }
        remaining
    }
}

/// The personas that a moderator's answer names, in its order. `None` if it names no persona and does not say that
/// nobody should answer, because then the model did not do what it was asked.
fn chosen(answer: &str, personas: &[Arc<Persona>]) -> Option<Vec<MemberId>> {
    let answer = answer.to_lowercase();
    let at = |name: &str| {
        let mut found = answer.match_indices(name);
        let edge = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
        found.find_map(|(at, _)| {
            let (before, after) = (&answer[..at], &answer[at + name.len()..]);
            (edge(before.chars().next_back()) && edge(after.chars().next())).then_some(at)
        })
    };
    let place = |persona: &Arc<Persona>| {
        let by_name = at(persona.name.as_str());
        Some((by_name.or_else(|| at(&persona.display_name.to_lowercase()))?, persona_id(&persona.name)))
    };
    let mut chosen: Vec<_> = personas.iter().filter_map(place).collect();
    chosen.sort();
    let says_nobody = || ["nobody", "no one", "none"].iter().any(|word| at(word).is_some());
    (!chosen.is_empty() || says_nobody()).then(|| chosen.into_iter().map(|(_, id)| id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rm3_a_moderator_names_who_answers() {
        let persona = |name: &str| Arc::new(Persona::new(name.parse().unwrap(), ""));
        let personas = [persona("ada"), persona("bob"), persona("ada-two")];
        let names = |answer| {
            chosen(answer, &personas).map(|ids| ids.iter().map(|id| id.to_string()).collect::<Vec<_>>())
        };
        let some = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(names("Bob, ada"), some(&["bob", "ada"]));
        assert_eq!(names("ada-two"), some(&["ada-two"]));
        assert_eq!(names("Nobody."), some(&[]));
        assert_eq!(names("Adam"), None, "it did not do what it was asked");
        assert_eq!(names("I am a language model."), None);
    }
}
