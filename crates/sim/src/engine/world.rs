//! The world process: it is asked what happens besides, one line of JSON in, one line of JSON out.

use std::{path::Path, process::Stdio, sync::Arc, time::Duration};

use greenroom_core::{ChatMessage, PersonaName, Role};
use greenroom_models::ChatRequest;
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command as Process},
    sync::Mutex,
};

use super::step::{EventTask, FinishedEvent};
use crate::{error::SimError, mind::MindAnswer, scenario::World, trace::Line};

impl EventTask {
    /// Asks the recording, then the process.
    async fn ask_world(
        &self,
        process: Option<&WorldProcess>,
        asked: &WorldRequest,
    ) -> Result<WorldAnswer, SimError> {
        let failed = |why: serde_json::Error| SimError::World(why.to_string());
        let line = serde_json::to_string(asked).map_err(failed)?;
        let call = format!("{}/world", self.event);
        let request = ChatRequest {
            model: "world".into(),
            messages: vec![ChatMessage::new(Role::User, line.clone())],
            tools: Vec::new(),
            temperature: 0.0,
            max_output_tokens: 0,
            prompt_tokens: 0,
            extra: Default::default(),
        };
        let recording = &self.shared.recording;
        let answer = match (recording.find(&call, &request)?, process) {
            (Some(recorded), None) => recorded.answer().map_err(SimError::World)?.text,
            // a process that a resumed run has started anew hears what was before, so that it remembers the same
            (Some(recorded), Some(process)) => {
                let recorded = recorded.answer().map_err(SimError::World)?.text;
                let again = process.ask(line).await?;
                if again.trim() != recorded.trim() {
                    let (was, is) = (recorded.trim(), again.trim());
                    return Err(SimError::World(format!(
                        "asked again from the beginning it answered `{is}` at {} ms, and before `{was}`: the same \
                         questions need the same answers",
                        self.key.ms
                    )));
                }
                recorded
            }
            (None, None) => return Err(SimError::World("it does not run".into())),
            (None, Some(process)) => {
                let text = process.ask(line).await?;
                recording.add(
                    call,
                    &request,
                    &Ok(MindAnswer { text: text.clone(), ..MindAnswer::default() }),
                )?;
                text
            }
        };
        serde_json::from_str(&answer).map_err(failed)
    }

    /// The agent that the world process names.
    fn agent(&self, name: &str) -> Result<usize, SimError> {
        let agent = name.parse().ok().and_then(|name: PersonaName| self.shared.by_name.get(&name).copied());
        agent.ok_or_else(|| SimError::World(format!("there is no agent `{name}`")))
    }

    pub(super) async fn world(
        mut self,
        process: Option<Arc<WorldProcess>>,
        said: Vec<WorldLine>,
    ) -> Result<FinishedEvent, SimError> {
        let mut done = self.done(Vec::new());
        let place = |(place, agents): &(usize, Arc<Vec<usize>>)| WorldPlace {
            name: self.scenario.places[*place].name.clone(),
            agents: agents.iter().map(|agent| self.name(*agent).to_string()).collect(),
        };
        let asked = WorldRequest { ms: self.key.ms, places: self.present.iter().map(place).collect(), said };
        let answered = self.ask_world(process.as_deref(), &asked).await;
        let WorldAnswer { moves, says } = answered.map_err(|error| match error {
            SimError::World(why) => SimError::World(format!("{why}, asked at {} ms", self.key.ms)),
            other => other,
        })?;
        let scenario = self.scenario.clone();
        let find = |name: &str| scenario.places.iter().position(|place| place.name == name);
        for WorldMove { who, to } in moves {
            let agent = self.agent(&who)?;
            let to = find(&to).ok_or_else(|| SimError::World(format!("there is no place `{to}`")))?;
            self.walk(&mut done, agent, to).await?;
        }
        for (n, WorldUtterance { place, to, text }) in says.into_iter().enumerate() {
            let Some(at) = find(&place) else {
                return Err(SimError::World(format!("there is no place `{place}`")));
            };
            let to = to.map(|name| self.agent(&name).map(|agent| self.name(agent).clone())).transpose()?;
            let event = format!("{}/{n}", self.event);
            self.speak_into(&mut done, at, "World", to, &text, event).await?;
        }
        Ok(done)
    }
}

/// What the world process is told.
#[derive(Serialize)]
struct WorldRequest {
    ms: i64,
    places: Vec<WorldPlace>,
    /// What agents have said since it was asked the last time.
    said: Vec<WorldLine>,
}

/// What an agent said.
#[derive(Serialize)]
pub(super) struct WorldLine {
    ms: i64,
    place: String,
    who: String,
    text: String,
}

impl WorldLine {
    pub(super) fn of(line: &Line) -> Self {
        let Line { ms, place, who, text, .. } = line;
        Self { ms: *ms, place: place.clone(), who: who.clone(), text: text.clone() }
    }
}

#[derive(Serialize)]
struct WorldPlace {
    name: String,
    agents: Vec<String>,
}

/// What it answers. Moves come before what is said.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WorldAnswer {
    moves: Vec<WorldMove>,
    says: Vec<WorldUtterance>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldMove {
    who: String,
    to: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldUtterance {
    place: String,
    to: Option<String>,
    text: String,
}

/// The world process of a run. It is asked one thing at a time.
pub(super) struct WorldProcess(Mutex<Pipes>);

struct Pipes {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    child: Child,
}

/// How long the world process may think.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a process that closed its pipes may take to end.
const LAST: Duration = Duration::from_secs(1);

impl WorldProcess {
    pub(super) fn start(world: &World, directory: &Path) -> Result<Self, SimError> {
        let failed = |why: String| SimError::World(why);
        let (program, arguments) =
            world.command.split_first().ok_or_else(|| failed("it has no program".into()))?;
        let mut child = Process::new(program)
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(format!("{program}: {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no pipes".into()));
        };
        Ok(Self(Mutex::new(Pipes { input, output: BufReader::new(output), child })))
    }

    async fn ask(&self, mut line: String) -> Result<String, SimError> {
        let failed = |why: String| SimError::World(why);
        line.push('\n');
        let Pipes { input, output, child } = &mut *self.0.lock().await;
        let mut answer = String::new();
        let asking = async {
            input.write_all(line.as_bytes()).await?;
            output.read_line(&mut answer).await
        };
        match greenroom_core::real_time().timeout(PATIENCE, asking).await {
            Err(_) => Err(failed("it did not answer within a minute".into())),
            // a pipe breaks where the process has ended
            Ok(Err(_) | Ok(0)) => Err(failed(ended(child).await)),
            Ok(Ok(_)) => Ok(answer),
        }
    }
}

/// How the process has ended.
async fn ended(child: &mut Child) -> String {
    match greenroom_core::real_time().timeout(LAST, child.wait()).await {
        Ok(Ok(status)) => format!("it has ended ({status})"),
        _ => "it writes no more".to_owned(),
    }
}
