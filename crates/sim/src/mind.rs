//! What answers for an agent (SM6): a script, a model, a recording, a type of the program that uses this crate. To the
//! runtime each of them is the model of a persona.

mod model;
mod script;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::{StreamExt, future::BoxFuture, stream};
use greenroom_core::{Role, SimulatedTime, Time, Timestamp, ToolCall, Usage};
use greenroom_models::{ChatModel, ChatRequest, FinishReason, ModelError, ModelEvent, ModelStream};

pub(crate) use model::ModelMind;
pub(crate) use script::ScriptMind;

use crate::{
    draw::{draw, key},
    error::SimError,
    recording::Recording,
};

/// Answers for an agent.
pub trait Mind: Send + Sync + 'static {
    /// What the agent says. The same call has to give the same answer, unless the run is recorded.
    fn answer<'a>(&'a self, call: &'a MindCall) -> BoxFuture<'a, Result<MindAnswer, MindError>>;
}

/// What an agent has to answer.
#[derive(Debug, Clone)]
pub struct MindCall {
    /// The agent's name.
    pub agent: String,
    /// What others call it.
    pub me: String,
    /// Where it is.
    pub place: String,
    /// Who else is there, as they are called.
    pub others: Vec<String>,
    /// Who said what it answers, as it is called; nothing where that is no agent.
    pub speaker: Option<String>,
    /// The topics it knows.
    pub knows: Vec<String>,
    /// The state that its last answer left it in.
    pub state: Option<String>,
    /// The virtual time.
    pub now: Timestamp,
    /// The context that the runtime assembled, with what the agent heard and remembers.
    pub request: Arc<ChatRequest>,
    /// Chance for this call.
    pub draw: u64,
    /// Whether it is a question of a probe, which changes nothing.
    pub probe: bool,
}

/// What an agent says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MindAnswer {
    /// The text.
    pub text: String,
    /// The tools it calls first.
    pub tool_calls: Vec<ToolCall>,
    /// The state it is in from now on.
    pub state: Option<String>,
    /// What the call cost.
    pub usage: Usage,
}

/// Why a mind has no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct MindError(pub String);

/// The state of every agent, by its name.
pub(crate) type AgentStates = Arc<Mutex<HashMap<String, String>>>;

/// The event that happens in a place now, for the minds that are asked meanwhile.
#[derive(Debug, Clone, Default)]
pub(crate) struct CurrentEvent {
    /// Which event: the beginning of the key of each call.
    pub(crate) event: String,
    /// Of the draws: that of the scenario as it is then.
    pub(crate) seed: u64,
    pub(crate) probe: bool,
    /// Who is there: the name and what others call it.
    pub(crate) present: Vec<(String, String)>,
    /// The topics that each of them knows.
    pub(crate) knows: HashMap<String, Vec<String>>,
    /// How often each was asked in this event.
    pub(crate) asked: HashMap<String, u32>,
    pub(crate) usage: Usage,
    pub(crate) calls: u64,
    /// The first error that ends the run.
    pub(crate) broken: Option<String>,
}

/// The state of a place that its minds share.
pub(crate) struct PlaceState {
    pub(crate) place: String,
    pub(crate) time: SimulatedTime,
    pub(crate) words_per_minute: u32,
    pub(crate) recording: Arc<Recording>,
    pub(crate) states: AgentStates,
    pub(crate) current: Mutex<CurrentEvent>,
}

impl PlaceState {
    pub(crate) fn current(&self) -> MutexGuard<'_, CurrentEvent> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn states(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who said the last message of a request, as the context labels speakers: `name: text`.
fn speaker(request: &ChatRequest) -> Option<&str> {
    let last = request.messages.iter().rev().find(|message| message.role == Role::User)?;
    last.content.split_once(": ").map(|(label, _)| label)
}

/// A mind as the model of a persona in a place.
#[derive(Clone)]
pub(crate) struct MindModel {
    pub(crate) agent: String,
    pub(crate) me: String,
    pub(crate) mind: Option<Arc<dyn Mind>>,
    pub(crate) state: Arc<PlaceState>,
}

impl MindModel {
    /// Asks the recording, then the mind. What it says takes its time.
    async fn ask(&self, request: Arc<ChatRequest>) -> Result<MindAnswer, String> {
        let (call, id) = self.call(request.clone());
        let found = self.state.recording.find(&id, &request).map_err(|error| self.broken(error))?;
        let answer = match (found, &self.mind) {
            (Some(recorded), _) => recorded.answer(),
            (None, None) => {
                let difference = format!("no mind answers for `{}`", self.agent);
                return Err(self.broken(SimError::NotRecorded { call: id, difference }));
            }
            (None, Some(mind)) => {
                let answer = mind.answer(&call).await.map_err(|MindError(why)| why);
                self.state.recording.add(id, &request, &answer).map_err(|error| self.broken(error))?;
                answer
            }
        };
        let usage = answer.as_ref().map(|said| said.usage).unwrap_or_default();
        {
            let mut current = self.state.current();
            current.calls += 1;
            current.usage = current.usage.plus(usage);
        }
        let said = answer?;
        if !call.probe {
            if let Some(state) = &said.state {
                self.state.states().insert(self.agent.clone(), state.clone());
            }
            self.speak(&said.text);
        }
        Ok(said)
    }

    /// What is asked, and its key in the recording.
    fn call(&self, request: Arc<ChatRequest>) -> (MindCall, String) {
        let mut current = self.state.current();
        let asked = current.asked.get(&self.agent).copied().unwrap_or(0) + 1;
        current.asked.insert(self.agent.clone(), asked);
        let id = format!("{}/{}/{}", current.event, self.agent, asked);
        let speaker = speaker(&request).and_then(|label| {
            let named = |(name, shown): &&(String, String)| name == label || shown == label;
            current.present.iter().find(named).map(|(_, shown)| shown.clone())
        });
        let others = current.present.iter().filter(|(name, _)| *name != self.agent);
        let call = MindCall {
            agent: self.agent.clone(),
            me: self.me.clone(),
            place: self.state.place.clone(),
            others: others.map(|(_, shown)| shown.clone()).collect(),
            speaker,
            knows: current.knows.get(&self.agent).cloned().unwrap_or_default(),
            state: self.state.states().get(&self.agent).cloned(),
            now: self.state.time.now(),
            request,
            draw: draw(current.seed, key(&self.agent), key(&id)),
            probe: current.probe,
        };
        (call, id)
    }

    fn speak(&self, text: &str) {
        let words = u64::try_from(text.split_whitespace().count()).unwrap_or(u64::MAX);
        let millis = words.saturating_mul(60_000) / u64::from(self.state.words_per_minute.max(1));
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
                Err(reason) => vec![Err(ModelError::Broken { endpoint: "mind".into(), reason })],
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
