//! What answers for an agent (SM6): a script, a model, a recording, or a type of the program that uses this crate. The
//! runtime sees each mind as the model of a persona.

mod model;
mod script;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::{StreamExt, future::BoxFuture, stream};
use greenroom_core::{PersonaName, Role, SimulatedTime, Time, Timestamp, ToolCall, Usage};
use greenroom_models::{ChatModel, ChatRequest, FinishReason, ModelError, ModelEvent, ModelStream};

pub(crate) use model::ModelMind;
pub(crate) use script::ScriptMind;

use crate::{
    draw::{draw, key},
    error::SimError,
    place::Shared,
};

/// Answers for an agent.
pub trait Mind: Send + Sync + 'static {
    /// Returns the agent's answer. The same call must give the same answer, unless the run is recorded.
    fn answer<'a>(&'a self, call: &'a MindCall) -> BoxFuture<'a, Result<MindAnswer, MindError>>;
}

/// A request to a mind.
#[derive(Debug, Clone)]
pub struct MindCall {
    /// The agent's name.
    pub agent: String,
    /// The agent's display name.
    pub me: String,
    /// The agent's place.
    pub place: String,
    /// The display names of the other agents there.
    pub others: Vec<String>,
    /// The display name of the agent whose message it answers. `None` if that is no agent.
    pub speaker: Option<String>,
    /// The topics that the agent knows.
    pub knows: Vec<String>,
    /// The state that its last answer set.
    pub state: Option<String>,
    /// The virtual time.
    pub now: Timestamp,
    /// The context that the runtime assembled, with what the agent heard and remembers.
    pub request: Arc<ChatRequest>,
    /// A random number for this call.
    pub draw: u64,
    /// Whether this is the question of a probe. Then the answer changes nothing.
    pub probe: bool,
}

/// The answer of a mind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MindAnswer {
    /// The text.
    pub text: String,
    /// The tools to call first.
    pub tool_calls: Vec<ToolCall>,
    /// The agent's state from now on.
    pub state: Option<String>,
    /// The cost of the call.
    pub usage: Usage,
}

/// Why a mind has no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct MindError(pub String);

/// The name of the endpoint in the errors of a mind.
const MIND: &str = "mind";

/// The mind's own message in a model error. Removes the text that the runtime adds around it.
pub(crate) fn reason(message: String) -> String {
    let around = ModelError::Broken { endpoint: MIND.into(), reason: String::new() }.to_string();
    message.strip_prefix(&around).map(str::to_owned).unwrap_or(message)
}

/// The topics that an agent knows.
pub(crate) type Topics = Arc<Vec<String>>;

/// The event that now happens in a place, for the minds that it asks. Agents are given by index.
#[derive(Debug, Clone, Default)]
pub(crate) struct CurrentEvent {
    /// The event's id: the prefix of the keys of its calls.
    pub(crate) event: String,
    /// The seed for draws, from the scenario that applies now.
    pub(crate) seed: u64,
    /// How fast agents speak, from the same scenario.
    pub(crate) words_per_minute: u32,
    pub(crate) probe: bool,
    /// The agents in the place.
    pub(crate) present: Arc<Vec<usize>>,
    /// The topics that each of them knows, in the same order.
    pub(crate) knows: Vec<Topics>,
    /// The number of calls of each agent in this event.
    pub(crate) asked: HashMap<usize, u32>,
    pub(crate) usage: Usage,
    pub(crate) calls: u64,
    /// The first error that ends the run.
    pub(crate) broken: Option<String>,
}

/// The state of a place that its minds share.
pub(crate) struct PlaceState {
    pub(crate) place: String,
    pub(crate) time: SimulatedTime,
    pub(crate) shared: Arc<Shared>,
    pub(crate) current: Mutex<CurrentEvent>,
}

impl PlaceState {
    pub(crate) fn current(&self) -> MutexGuard<'_, CurrentEvent> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of an agent.
    pub(crate) fn name(&self, agent: usize) -> &PersonaName {
        &self.shared.agents[agent].persona.name
    }

    /// The display name of an agent.
    pub(crate) fn display_name(&self, agent: usize) -> &str {
        &self.shared.agents[agent].persona.display_name
    }
}

/// The author of the last message of a request, from the label in the context: `name: text`.
fn speaker(request: &ChatRequest) -> Option<&str> {
    let last = request.messages.iter().rev().find(|message| message.role == Role::User)?;
    last.content.split_once(": ").map(|(label, _)| label)
}

/// A mind as the model of a persona in a place.
#[derive(Clone)]
pub(crate) struct MindModel {
    /// The agent's index.
    pub(crate) agent: usize,
    pub(crate) mind: Option<Arc<dyn Mind>>,
    pub(crate) state: Arc<PlaceState>,
    /// Whether the call is for facts or a summary and not an answer. Then nobody hears it, and it takes no virtual
    /// time.
    pub(crate) is_aside: bool,
}

impl MindModel {
    /// Asks the recording, then the mind. The answer takes virtual time.
    async fn ask(&self, request: Arc<ChatRequest>) -> Result<MindAnswer, String> {
        let shared = &self.state.shared;
        if shared.closing.is_cancelled() {
            return Err(self.broken(SimError::Ended));
        }
        let (id, is_probe) = self.next_call();
        let found = shared.recording.find(&id, &request).map_err(|error| self.broken(error))?;
        let answer = match (found, &self.mind) {
            (Some(recorded), _) => recorded.answer(),
            (None, None) => {
                let difference = format!("no mind answers for `{}`", self.state.name(self.agent));
                return Err(self.broken(SimError::NotRecorded { call: id, difference }));
            }
            (None, Some(mind)) => {
                let call = self.call(&id, request.clone());
                let answer = mind.answer(&call).await.map_err(|MindError(why)| why);
                if answer.is_err() && shared.closing.is_cancelled() {
                    // the call may never have been sent
                    return Err(self.broken(SimError::Ended));
                }
                shared.recording.add(id, &request, &answer).map_err(|error| self.broken(error))?;
                answer
            }
        };
        let usage = answer.as_ref().map(|said| said.usage).unwrap_or_default();
        shared.count(usage);
        {
            let mut current = self.state.current();
            current.calls += 1;
            current.usage = current.usage.plus(usage);
        }
        let said = answer?;
        if !is_probe && !self.is_aside {
            if let Some(state) = &said.state {
                shared.states().insert(self.agent, state.clone());
            }
            self.speak(&said.text);
        }
        Ok(said)
    }

    /// The key of the next call in the recording, and whether it belongs to a probe.
    fn next_call(&self) -> (String, bool) {
        let mut current = self.state.current();
        let asked = current.asked.entry(self.agent).or_insert(0);
        *asked += 1;
        let asked = *asked;
        (format!("{}/{}/{asked}", current.event, self.state.name(self.agent)), current.probe)
    }

    /// The request to the mind.
    fn call(&self, id: &str, request: Arc<ChatRequest>) -> MindCall {
        let PlaceState { place, time, shared, .. } = &*self.state;
        let current = self.state.current();
        let present = || current.present.iter().copied();
        let shown = |agent: usize| self.state.display_name(agent).to_owned();
        let speaker = speaker(&request).and_then(|label| {
            let is_named = |agent: &usize| {
                self.state.name(*agent).as_str() == label || self.state.display_name(*agent) == label
            };
            present().find(is_named).map(shown)
        });
        let knows = present().zip(&current.knows).find(|(agent, _)| *agent == self.agent);
        let agent = self.state.name(self.agent).to_string();
        MindCall {
            draw: draw(current.seed, key(&agent), key(id)),
            agent,
            me: shown(self.agent),
            place: place.clone(),
            others: present().filter(|other| *other != self.agent).map(shown).collect(),
            speaker,
            knows: knows.map(|(_, topics)| topics.to_vec()).unwrap_or_default(),
            state: shared.states().get(&self.agent).cloned(),
            now: time.now(),
            request,
            probe: current.probe,
        }
    }

    fn speak(&self, text: &str) {
        let words = u64::try_from(text.split_whitespace().count()).unwrap_or(u64::MAX);
        let words_per_minute = self.state.current().words_per_minute.max(1);
        let millis = words.saturating_mul(60_000) / u64::from(words_per_minute);
        let time = &self.state.time;
        time.advance_to(time.now().after(Duration::from_millis(millis)));
    }

    /// Notes an error that ends the run.
    fn broken(&self, error: SimError) -> String {
        let why = error.to_string();
        self.state.current().broken.get_or_insert_with(|| why.clone());
        why
    }
}

impl ChatModel for MindModel {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let this = self.clone();
        let answer = async move {
            let events = match this.ask(request).await {
                Err(reason) => vec![Err(ModelError::Broken { endpoint: MIND.into(), reason })],
                Ok(MindAnswer { text, tool_calls, usage, .. }) => {
                    let reason = match tool_calls.is_empty() {
                        true => FinishReason::Stop,
                        false => FinishReason::ToolCalls,
                    };
                    vec![Ok(ModelEvent::Delta(text)), Ok(ModelEvent::Finished { tool_calls, reason, usage })]
                }
            };
            stream::iter(events)
        };
        stream::once(answer).flatten().boxed()
    }
}
