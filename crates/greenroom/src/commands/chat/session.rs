//! One conversation: reads lines, sends messages and shows their turns.

mod replies;

use std::{collections::HashSet, io, mem, path::PathBuf, pin::pin, sync::Arc, time::Duration};

use greenroom_core::{
    Author, ChannelKey, ChatEvent, Entropy, Envelope, ErrorCode, EventId, Message, MessageId, PersonaName,
    SystemClock, SystemEntropy, Time, Timestamp, TurnEvent, TurnId, UserId, Viewer, real_time,
};
use greenroom_memory::Memory;
use greenroom_persona::{Answer, Cast};
use greenroom_runtime::{Retry, RetryRefusal, Runtime, RuntimeError};
use greenroom_store::Store;
use tokio::sync::watch;

use super::{
    input::{Input, InputLine, MESSAGE_LIMIT},
    render::Renderer,
    signals::{Signals, Stop},
    slash,
};
use crate::{commands::room, failure::Outcome, lock::ChannelLock, term::Style, wiring::Models};

/// How long a reply may go on after a request to end the program (S10).
const GRACE: Duration = Duration::from_secs(5);

/// How long the end of a conversation waits for its memories to be captured (AS12), and the part of that time without a
/// notice.
const CAPTURE: Duration = Duration::from_secs(15);
const SILENTLY: Duration = Duration::from_secs(1);

/// How often the session checks whether personas still answer each other.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// The state of one conversation.
pub struct Session {
    pub runtime: Runtime,
    pub store: Arc<dyn Store>,
    pub memory: Memory,
    pub models: Arc<Models>,
    pub cast: Arc<Cast>,
    /// The cast after each change of its files; `None` when no watcher runs.
    pub changes: Option<watch::Receiver<Arc<Cast>>>,
    pub renderer: Renderer<io::Stdout, io::Stderr>,
    pub signals: Signals,
    /// For stderr.
    pub style: Style,
    /// The embedder's name for people.
    pub embedder: &'static str,
    /// The data directory, for locks and history.
    pub data: PathBuf,
    pub lock: ChannelLock,
    pub persona: PersonaName,
    pub channel: ChannelKey,
    pub user: UserId,
    pub project: Option<PathBuf>,
    pub disable_memory: bool,
    /// Whether a person types at a prompt and sees failures. Otherwise a failure determines the exit code.
    pub person: bool,
    /// Whether the room decides who answers, instead of the person at the prompt.
    pub room: bool,
    /// Whether only events are printed.
    pub quiet: bool,
    /// The last unanswered messages, with the personas that should have answered; `/retry` has these answer again.
    pub unanswered: Vec<(MessageId, PersonaName)>,
    /// Whether the user asked the program to end at once.
    pub stopped: bool,
}

/// The result of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The conversation goes on.
    GoOn,
    /// The conversation goes on; the command failed.
    Failed(Outcome),
    /// The conversation ends.
    Leave(Outcome),
}

impl Session {
    /// Reads lines until the input ends. A line is a message or a command, on a terminal and from a pipe.
    pub async fn converse(&mut self, input: &mut Input) -> anyhow::Result<Outcome> {
        let person = self.person;
        let (mut outcome, mut warned) = (Outcome::Done, false);
        loop {
            let line = tokio::select! {
                line = input.next() => line,
                cast = changed(&mut self.changes) => {
                    let lines = self.recast(cast).await;
                    lines.iter().for_each(|line| input.print_above(line));
                    continue;
                }
                stop = self.signals.next() => {
                    self.stopped = true;
                    return Ok(stop.ends_conversation(person));
                }
            };
            let next = match line {
                InputLine::Text(text) if text.trim().is_empty() => continue,
                InputLine::Text(text) => {
                    warned = false;
                    match slash::parse(text.trim()) {
                        Some(Ok(command)) => self.run_command(command).await?,
                        Some(Err(mistake)) => {
                            self.complain(&mistake);
                            Next::Failed(Outcome::Failed)
                        }
                        None => self.say(message(&text)).await?,
                    }
                }
                InputLine::TooLong => {
                    self.complain(&too_long());
                    Next::Failed(Outcome::Failed)
                }
                InputLine::Interrupted if warned => return Ok(Outcome::Interrupted),
                InputLine::Interrupted => {
                    self.remark("Ctrl-C again to leave");
                    warned = true;
                    Next::GoOn
                }
                InputLine::End => return Ok(outcome),
                InputLine::Failed(reason) => anyhow::bail!("cannot read the input: {reason}"),
            };
            match next {
                Next::GoOn => {}
                // Ctrl-C stopped the reply, so the next Ctrl-C ends the chat
                Next::Failed(Outcome::Interrupted) if person => warned = true,
                Next::Failed(_) if person => {}
                Next::Failed(how) => outcome = how,
                // `/quit` of a script after a message that failed
                Next::Leave(Outcome::Done) if !self.stopped => return Ok(outcome),
                Next::Leave(Outcome::Failed) if !self.stopped => {
                    self.remark("stopped before the end of the input");
                    return Ok(Outcome::Failed);
                }
                Next::Leave(outcome) => return Ok(outcome),
            }
        }
    }

    /// Sends a message and shows its turns.
    pub async fn say(&mut self, text: String) -> anyhow::Result<Next> {
        if text.len() > MESSAGE_LIMIT {
            self.complain(&too_long());
            return Ok(Next::Failed(Outcome::Failed));
        }
        let author = Author::User { id: self.user.clone(), name: self.user.to_string() };
        let message = Message::new(self.channel.clone(), SystemEntropy.uuid(), author, text);
        let envelope = Envelope {
            to: (!self.room).then(|| self.persona.clone()),
            project: self.project.clone(),
            disable_memory: self.disable_memory,
            ..Envelope::new(message)
        };
        self.unanswered.clear();
        self.await_model().await;
        let before = self.runtime.newest_event();
        match self.runtime.send(envelope).await {
            Ok(sent) => {
                let told: HashSet<TurnId> = sent.turns.iter().copied().collect();
                match self.follow(sent).await? {
                    Next::GoOn => self.follow_on(before, told).await,
                    next => Ok(next),
                }
            }
            Err(error) => self.refused(&error),
        }
    }

    /// If an endpoint has not listed its models yet, asks it again and prints the result.
    async fn await_model(&self) {
        if self.models.is_ready(&self.persona) {
            return;
        }
        let before = self.models.choice(&self.persona);
        let choice = self.models.prepare(&self.persona).await;
        if choice != before && !self.quiet {
            self.remark(&crate::term::harmless(&choice.describe()));
        }
    }

    /// Asks the personas that did not answer to answer the unanswered messages again.
    pub async fn retry(&mut self) -> anyhow::Result<Next> {
        self.await_model().await;
        let mut next = Next::GoOn;
        let mut waiting = mem::take(&mut self.unanswered).into_iter();
        for (message, persona) in waiting.by_ref() {
            let asked = (message, persona.clone());
            let retry = Retry {
                channel: self.channel.clone(),
                message,
                persona,
                project: self.project.clone(),
                disable_memory: self.disable_memory,
                force: true,
            };
            next = match self.runtime.retry(retry).await {
                Ok(sent) => self.follow(sent).await?,
                Err(error) => {
                    let never =
                        matches!(error, RuntimeError::NotRetried { why: RetryRefusal::NeverAsked, .. });
                    self.unanswered.extend((!never).then_some(asked));
                    self.refused(&error)?
                }
            };
            // Ctrl-C stops all retries
            if matches!(next, Next::Leave(_) | Next::Failed(Outcome::Interrupted)) {
                break;
            }
        }
        self.unanswered.extend(waiting);
        Ok(next)
    }

    /// Aborts the reply that is being shown.
    fn leave(&mut self, stop: Stop) -> anyhow::Result<Next> {
        self.renderer.close_line()?;
        self.stopped = true;
        Ok(Next::Leave(stop.ends_conversation(self.person)))
    }

    /// Handles a message that no persona answers.
    async fn nobody(&mut self, message: MessageId) -> anyhow::Result<Next> {
        if self.room {
            self.remark("nobody answers; /why says why");
            return Ok(Next::GoOn);
        }
        let why = self.why_nobody(message).await?;
        self.failed(ErrorCode::PersonaStopped, why, Outcome::Failed)
    }

    /// Why the persona does not answer a message, with a remedy.
    async fn why_nobody(&self, message: MessageId) -> anyhow::Result<String> {
        let (name, now) = (self.renderer.name(&self.persona), self.now());
        let room = self.runtime.room(&self.channel).await?;
        if let Some(until) = room.quiet_until.filter(|until| now < *until) {
            let until = room::quiet_line(until.0 / 1_000_000, now);
            let lifts = match self.person {
                true => "/quiet off".to_owned(),
                false => format!("`greenroom room quiet {} --off`", self.channel),
            };
            return Ok(format!(
                "{name} does not answer, because the channel is quiet: {until}; {lifts} lifts it"
            ));
        }
        let elsewhere = if self.person { "/persona NAME talks" } else { "name another persona to talk" };
        if self.cast.get(&self.persona).is_some_and(|persona| persona.room.answer == Answer::Never) {
            return Ok(format!(
                "{name} answers nobody, its file says room.answer: never; change that, or {elsewhere} to \
                 somebody else"
            ));
        }
        let reasons = room::why(&self.runtime.decision(message).await?, false);
        Ok(format!("{name} does not answer this: {}; {elsewhere} to somebody else", reasons.join("; ")))
    }

    /// Reports a message that the runtime refused.
    fn refused(&mut self, error: &RuntimeError) -> anyhow::Result<Next> {
        let (code, outcome) = match error {
            RuntimeError::Store(_) => (ErrorCode::StoreFailed, Outcome::StoreFailed),
            RuntimeError::UnknownMessage { .. }
            | RuntimeError::NotRetried { .. }
            | RuntimeError::DeadLetter { .. } => (ErrorCode::Internal, Outcome::Failed),
            RuntimeError::UnknownPersona { .. } | RuntimeError::Stopped => {
                (ErrorCode::PersonaStopped, Outcome::Failed)
            }
            RuntimeError::Busy { .. } => (ErrorCode::RateLimited, Outcome::Failed),
            RuntimeError::Context { code, .. } => (*code, Outcome::Failed),
            RuntimeError::NobodyAnswers { .. } | RuntimeError::Crashed { .. } => {
                (ErrorCode::Internal, Outcome::Failed)
            }
        };
        self.failed(code, error.to_string(), outcome)
    }

    /// Reports a message that did not become a turn like a failed turn, so that a reader of events sees an end for
    /// every message.
    fn failed(&mut self, code: ErrorCode, message: String, outcome: Outcome) -> anyhow::Result<Next> {
        self.renderer.event(&TurnEvent {
            id: EventId::default(),
            turn_id: TurnId(SystemEntropy.uuid()),
            persona: self.persona.clone(),
            channel: self.channel.clone(),
            event: ChatEvent::Failed { code, message },
        })?;
        Ok(Next::Failed(outcome))
    }

    /// The viewer of the commands about memories.
    pub fn viewer(&self) -> Viewer {
        // the store shows private memories only if the channel is no group (MP1)
        Viewer::new(self.persona.clone(), self.channel.clone(), Some(self.user.clone())).one_to_one()
    }

    /// The present time.
    pub fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    /// Prints a dim line for the person.
    pub fn remark(&self, text: &str) {
        stderr_line!("{}", self.style.dim(text));
    }

    /// Prints an error.
    pub fn complain(&self, text: &str) {
        stderr_line!("{} {}", self.style.red("error:"), crate::term::harmless(text));
    }

    /// Stops running turns, embeds waiting texts, and closes the store. The user may interrupt this: nothing is lost,
    /// and waiting texts are embedded at the next start (S10).
    pub async fn end(mut self) {
        if !self.stopped {
            self.learn().await;
        }
        let Self { runtime, store, mut signals, .. } = self;
        let ending = async {
            runtime.shutdown(Duration::ZERO).await;
            store.close().await;
        };
        tokio::select! {
            () = ending => {}
            _ = signals.next() => {}
        }
    }

    /// Waits until a model has read the last messages for memories, for a limited time and until Ctrl-C.
    async fn learn(&mut self) {
        let style = self.style;
        let captured = async {
            let mut captured = pin!(self.runtime.captured());
            if real_time().timeout(SILENTLY, &mut captured).await.is_err() {
                stderr_line!(
                    "{}",
                    style.dim("looking for what to remember of this; Ctrl-C leaves without it")
                );
                // the rest is captured without the model, and the log says so
                let _ = real_time().timeout(CAPTURE, captured).await;
            }
        };
        tokio::select! {
            () = captured => {}
            _ = self.signals.next() => {}
        }
    }
}

/// The cast after its next change; never resolves if no change can come.
async fn changed(changes: &mut Option<watch::Receiver<Arc<Cast>>>) -> Arc<Cast> {
    if let Some(receiver) = changes
        && receiver.changed().await.is_ok()
    {
        return receiver.borrow_and_update().clone();
    }
    *changes = None;
    std::future::pending().await
}

/// Converts a line to a message. `//` stands for a message that begins with a slash.
fn message(line: &str) -> String {
    let text = line.trim();
    let text = if text.starts_with("//") { &text[1..] } else { text };
    text.to_owned()
}

fn too_long() -> String {
    format!(
        "a message may have {} kB and this one has more; nothing was sent. Put long texts into a file \
         of the project",
        MESSAGE_LIMIT / 1024
    )
}
