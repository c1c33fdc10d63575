//! Selects the mind of each agent: a script of the scenario, a mind of the program, or a model of the settings.

use std::sync::Arc;

use greenroom_context::{Layout, ModelProfile, QuarterCounter, profile_for};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{Options, Run};
use crate::{
    error::SimError,
    mind::{Mind, ModelMind, ScriptMind},
    place::AgentMind,
    scenario::{Agent, Scenario, suggestion},
};

/// The agents for which a model answers (SM6).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LiveAgents {
    /// Only agents whose mind is `model` in the scenario.
    #[default]
    AsWritten,
    /// Every agent, also those with a script.
    All,
    /// These agents in addition, also those with a script.
    Named(Vec<String>),
}

impl LiveAgents {
    /// Whether a model replaces the script of an agent.
    fn replaces_script_of(&self, agent: &str) -> bool {
        match self {
            Self::AsWritten => false,
            Self::All => true,
            Self::Named(names) => names.iter().any(|name| name == agent),
        }
    }

    /// Checks that every named agent exists.
    ///
    /// # Errors
    /// [`SimError::NoAgent`] for the first one that does not exist.
    pub(super) fn check(&self, agents: &[String]) -> Result<(), SimError> {
        let Self::Named(names) = self else { return Ok(()) };
        match names.iter().find(|name| !agents.contains(name)) {
            None => Ok(()),
            Some(name) => Err(SimError::NoAgent {
                name: name.clone(),
                remedy: suggestion(name, agents.iter().map(String::as_str)),
            }),
        }
    }
}

/// The context window of a script in tokens.
const SCRIPT_WINDOW: usize = 8_192;

/// Selects the minds of agents.
pub(super) struct MindResolver<'a> {
    pub(super) options: &'a Options,
    pub(super) replays: bool,
    pub(super) at_once: Arc<Semaphore>,
    pub(super) closing: CancellationToken,
}

impl MindResolver<'_> {
    pub(super) fn minds(
        &self,
        run: &mut Run,
        scenario: &Scenario,
        agents: &[Agent],
    ) -> Result<Vec<AgentMind>, SimError> {
        agents.iter().map(|agent| self.mind(run, scenario, agent)).collect()
    }

    fn mind(&self, run: &mut Run, scenario: &Scenario, agent: &Agent) -> Result<AgentMind, SimError> {
        let script = scenario.minds.iter().find(|script| script.name == agent.mind);
        let own = self.options.minds.get(&agent.mind);
        if !run.live_agents.replaces_script_of(agent.persona.name.as_str())
            && (script.is_some() || own.is_some())
        {
            if own.is_none() && script.is_some_and(|script| script.rules.is_empty()) && !self.replays {
                let reason =
                    format!("the mind `{}` has no rules, and this program has none of the name", agent.mind);
                return Err(SimError::NoModel { agent: agent.persona.name.to_string(), reason });
            }
            let mind = own.cloned().or_else(|| Some(Arc::new(ScriptMind(script?.clone())) as Arc<dyn Mind>));
            let profile = ModelProfile {
                window: SCRIPT_WINDOW,
                counter: Arc::new(QuarterCounter),
                layout: Layout::Standard,
            };
            return Ok(AgentMind {
                mind: mind.filter(|_| !self.replays),
                summarises: own.is_some() || script.is_none_or(|script| script.rules.is_empty()),
                model: agent.mind.clone(),
                profile,
            });
        }
        let name = agent.persona.name.to_string();
        let mut mind = None;
        if !self.replays {
            let failed = |reason: String| SimError::NoModel { agent: name.clone(), reason };
            let live = self.options.live.as_ref().ok_or_else(|| failed("there is none".into()))?;
            let model = live.resolve(&agent.persona, None).map_err(|error| failed(error.to_string()))?;
            let price = live.price(&model.name);
            if price.is_none() && scenario.stop.cost.is_some() {
                return Err(SimError::NoPrice { model: model.name });
            }
            let known = (model.name.clone(), model.profile.window);
            let asked = run.models.entry(name.clone()).or_insert(known);
            if asked.0 != model.name {
                return Err(failed(format!(
                    "the run asked `{}`, and now it would be `{}`; name the same --model and --base-url",
                    asked.0, model.name
                )));
            }
            let (at_once, closing) = (self.at_once.clone(), self.closing.clone());
            mind = Some(Arc::new(ModelMind { model: model.model, price, at_once, closing }) as Arc<dyn Mind>);
        }
        let (model, window) = run
            .models
            .get(&name)
            .cloned()
            .ok_or_else(|| SimError::NoModel { agent: name, reason: "the run never asked one".into() })?;
        // depends on name and window only, so that a replay counts tokens as the run did
        Ok(AgentMind { mind, summarises: true, profile: profile_for(&model, Some(window)), model })
    }
}
