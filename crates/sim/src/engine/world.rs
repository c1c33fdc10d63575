//! The world process: an external program that adds events. It reads one line of JSON per request and writes one line.

use std::{collections::BTreeMap, path::Path, process::Stdio, sync::Arc, time::Duration};

use greenroom_core::{ChatMessage, PersonaName, Role};
use greenroom_models::ChatRequest;
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command as Process},
    sync::Mutex,
};

use super::step::{EventTask, FinishedEvent};
use crate::{
    error::SimError,
    mind::MindAnswer,
    scenario::World,
    trace::{Line, LineKind},
};

impl EventTask {
    /// Asks the recording, then the process.
    async fn ask_world(
        &self,
        process: Option<&WorldProcess>,
        asked: &WorldRequest,
    ) -> Result<WorldAnswer, SimError> {
        let line = serde_json::to_string(asked).map_err(|why| SimError::World(why.to_string()))?;
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
            // After a resume the process is new. It gets the earlier requests again, so that its state becomes the
            // same.
            (Some(recorded), Some(process)) => {
                let recorded = recorded.answer().map_err(SimError::World)?.text;
                let again = process.ask(line).await?;
                if again.trim() != recorded.trim() {
                    let (was, is) = (recorded.trim(), again.trim());
                    return Err(SimError::World(format!(
                        "it answered `{}`, and before `{}`: a resumed run asks everything again from the beginning, and the \
                         same questions need the same answers",
                        shortened(is),
                        shortened(was)
                    )));
                }
                recorded
            }
            (None, None) => return Err(SimError::World("it does not run".into())),
            (None, Some(process)) => {
                let text = process.ask(line).await?;
                // a rejected answer is not recorded, so that a corrected program is asked again
                self.accepted(&text)?;
                recording.add(
                    call,
                    &request,
                    &Ok(MindAnswer { text: text.clone(), ..MindAnswer::default() }),
                )?;
                text
            }
        };
        self.accepted(&answer)
    }

    /// Parses an answer and checks that its agents and places exist.
    fn accepted(&self, text: &str) -> Result<WorldAnswer, SimError> {
        let answer: WorldAnswer = serde_json::from_str(text)
            .map_err(|why| SimError::World(format!("it wrote `{}`: {why}", shortened(text))))?;
        for WorldMove { who, to } in &answer.moves {
            self.agent(who)?;
            self.place(to)?;
        }
        for WorldUtterance { place, to, text } in &answer.says {
            self.place(place)?;
            if text.trim().is_empty() {
                return Err(SimError::World(format!("what it says in `{place}` is empty")));
            }
            to.as_ref().map(|name| self.agent(name)).transpose()?;
        }
        for (name, value) in &answer.values {
            let is_title = !name.trim().is_empty() && name.trim() == name && !name.contains(char::is_control);
            if !is_title || !value.is_finite() {
                return Err(SimError::World(format!(
                    "the value `{name}` needs a name on one line and a number"
                )));
            }
        }
        Ok(answer)
    }

    /// The place that the world process names.
    fn place(&self, name: &str) -> Result<usize, SimError> {
        let place = self.scenario.places.iter().position(|place| place.name == name);
        place.ok_or_else(|| SimError::World(format!("there is no place `{name}`")))
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
        let WorldAnswer { moves, says, values } = answered.map_err(|error| match error {
            SimError::World(why) => {
                SimError::World(format!("asked {} ms after the start, {why}", self.key.ms))
            }
            other => other,
        })?;
        for WorldMove { who, to } in moves {
            let (agent, to) = (self.agent(&who)?, self.place(&to)?);
            self.walk(&mut done, agent, to).await?;
        }
        for (n, WorldUtterance { place, to, text }) in says.into_iter().enumerate() {
            let at = self.place(&place)?;
            let to = to.map(|name| self.agent(&name).map(|agent| self.name(agent).clone())).transpose()?;
            let event = format!("{}/{n}", self.event);
            self.speak_into(&mut done, at, "World", to, &text, event).await?;
        }
        for (name, value) in values {
            let line = Line::new(self.key.ms, "", LineKind::Value, &name, "");
            done.result.lines.push(Line { value: Some(value), ..line });
        }
        Ok(done)
    }
}

/// A request to the world process.
#[derive(Serialize)]
struct WorldRequest {
    ms: i64,
    places: Vec<WorldPlace>,
    /// The lines of agents since the last request.
    said: Vec<WorldLine>,
}

/// A line of an agent.
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

/// The answer of the process. Its moves happen before its messages.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WorldAnswer {
    moves: Vec<WorldMove>,
    says: Vec<WorldUtterance>,
    /// Measured values; each becomes a curve in the report.
    values: BTreeMap<String, f64>,
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

/// The world process of a run. It handles one request at a time.
pub(super) struct WorldProcess(Mutex<Pipes>);

struct Pipes {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    child: Child,
    /// Whether it has not answered yet.
    is_new: bool,
}

/// The longest answer in bytes. It suffices for some moves of each of 100,000 agents.
const LONGEST: u64 = 16 << 20;

/// How long to wait for a second line after the first answer. The first line may have been an unrequested greeting.
const UNASKED: Duration = Duration::from_millis(50);

/// The time limit for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time limit for a process to end after closing its pipes.
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
        Ok(Self(Mutex::new(Pipes { input, output: BufReader::new(output), child, is_new: true })))
    }

    async fn ask(&self, mut line: String) -> Result<String, SimError> {
        let failed = |why: String| SimError::World(why);
        line.push('\n');
        let Pipes { input, output, child, is_new } = &mut *self.0.lock().await;
        expect_silence(output, Duration::ZERO).await?;
        let mut answer = Vec::new();
        let asking = async {
            input.write_all(line.as_bytes()).await?;
            (&mut *output).take(LONGEST).read_until(b'\n', &mut answer).await
        };
        let answered = greenroom_core::real_time().timeout(PATIENCE, asking).await;
        match answered {
            Err(_) => Err(failed("it did not answer within a minute".into())),
            // a broken pipe or an end of file means that the process has ended
            Ok(Err(_) | Ok(0)) => Err(failed(ended(child).await)),
            Ok(Ok(_)) if answer.len() as u64 == LONGEST => {
                Err(failed(format!("it wrote {} MB without the end of a line", LONGEST >> 20)))
            }
            Ok(Ok(_)) => {
                expect_silence(output, if std::mem::take(is_new) { UNASKED } else { Duration::ZERO }).await?;
                String::from_utf8(answer).map_err(|error| {
                    let text = String::from_utf8_lossy(error.as_bytes());
                    failed(format!("it wrote `{}`, which is not UTF-8", shortened(&text)))
                })
            }
        }
    }
}

/// Fails if the process has written an unrequested line. Otherwise each line would count as the answer to the next
/// request.
async fn expect_silence(output: &mut BufReader<ChildStdout>, wait: Duration) -> Result<(), SimError> {
    let Ok(Ok(unasked)) = greenroom_core::real_time().timeout(wait, output.fill_buf()).await else {
        return Ok(());
    };
    let line = unasked.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match unasked.is_empty() {
        true => Ok(()),
        false => Err(SimError::World(format!(
            "it wrote `{}` without a question: one line for each that it reads",
            shortened(&String::from_utf8_lossy(line))
        ))),
    }
}

/// The beginning of the process's output, on one line.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 80;
    let text = text.trim();
    let start: String = text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

/// How the process has ended.
async fn ended(child: &mut Child) -> String {
    match greenroom_core::real_time().timeout(LAST, child.wait()).await {
        Ok(Ok(status)) => format!("it has ended ({status})"),
        _ => "it writes no more".to_owned(),
    }
}
