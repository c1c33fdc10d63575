//! `greenroom chat`: opens a conversation from the command line.
//!
//! ```text
//! session.rs   the conversation: lines in, turns out
//! input.rs     reads lines from a terminal or a pipe
//! slash.rs     parses commands, as /memory
//! command.rs   runs them
//! render.rs    prints the events of turns
//! signals.rs   Ctrl-C and SIGTERM
//! ```

mod command;
mod input;
mod render;
mod session;
pub mod signals;
pub mod slash;

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    sync::Arc,
};

use greenroom_core::{Author, PersonaName};
use greenroom_memory::PROMPT_HISTORY;
use greenroom_persona::watch;
use greenroom_runtime::MemberKind;
use greenroom_store::Unfinished;

pub use self::signals::{Signals, Stop};
use self::{
    input::Input,
    render::{Renderer, Show},
    session::{Next, Session},
};
use super::{
    models,
    who::{self, Names},
};
use crate::{
    cli::ChatArgs,
    failure::{Outcome, usage},
    lock::ChannelLock,
    model_choice::Target,
    term::{count, harmless, one_line},
    wiring::App,
};

/// The largest number of memories that the first line counts.
const MAX_COUNTED: usize = 1_000;

/// Runs the command.
pub async fn run(app: &App, args: ChatArgs) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    let names = app.names();
    let invited = invited(&args, &names).map_err(usage)?;
    let (persona, message) = match invited.first() {
        Some(first) => (first.clone(), None),
        None => who::addressed(
            args.place.to.as_deref(),
            args.persona.as_deref(),
            args.message.as_deref(),
            &names,
            &app.settings().persona,
        )
        .map_err(usage)?,
    };
    let channel = match &args.room {
        Some(room) => {
            format!("terminal:{room}").parse().map_err(|error| usage(format!("--room {room}: {error}")))?
        }
        None => args.place.channel,
    };
    let project = args.place.project.as_deref().map(project).transpose()?;
    let person = message.is_none() && io::stdin().is_terminal();
    let show = match (args.json, io::stdout().is_terminal()) {
        (true, _) => Show::Json,
        (false, true) => Show::Streamed,
        (false, false) => Show::Whole,
    };
    let mut signals = Signals::new()?;
    let store = app.store().await?;
    let lock = ChannelLock::take(&app.data, &channel)?;
    let models = app.models();
    let ready = async { tokio::join!(app.memory(&store), models.prepare(&persona)) };
    let (memory, choice) = tokio::select! {
        ready = ready => ready,
        stop = signals.next() => return Ok(stop.ends_conversation(person)),
    };
    let memory = memory?;
    // not for a single message, because the command ends before the download
    if person {
        app.fetch_embedder();
    }
    if choice.target == Target::BuiltIn {
        tokio::select! {
            fetched = models::fetch_demonstration(app) => fetched?,
            stop = signals.next() => return Ok(stop.ends_conversation(person)),
        }
    }
    let runtime = app.runtime(store.clone(), memory.clone(), models.clone()).await?;
    if !person {
        app.wait_for_tools().await;
    }
    let changes = watch(app.layers.clone(), app.cast.clone())
        .map_err(|error| stderr_line!("{}", app.err.yellow(error)))
        .ok();
    let mut renderer = Renderer::new(show, io::stdout(), io::stderr(), app.err);
    renderer.recast(&app.cast);
    let mut session = Session {
        runtime,
        store,
        memory,
        models,
        cast: app.cast.clone(),
        changes,
        renderer,
        signals,
        style: app.err,
        embedder: app.embedder_name(),
        data: app.data.clone(),
        lock,
        persona,
        channel,
        user: app.user(args.place.user.as_ref())?,
        project,
        disable_memory: args.place.no_memory,
        person,
        room: args.room.is_some(),
        quiet: args.json,
        unanswered: Vec::new(),
        stopped: false,
    };
    for persona in &invited {
        session.runtime.invite(&session.channel, persona).await?;
    }
    let outcome = session.open_and_talk(message).await;
    session.end().await;
    outcome
}

/// The remedy for a message of several arguments.
fn in_quotes(args: &ChatArgs, names: &Names) -> String {
    let words: Vec<&str> =
        args.persona.iter().chain(&args.message).chain(&args.more).map(|it| &**it).collect();
    let (persona, words) = match (&args.place.to, &words[..]) {
        (Some(persona), words) => (format!("--persona {persona} "), words),
        (None, [first, words @ ..]) if names.find(first).is_ok() => (format!("{first} "), words),
        (None, words) => (String::new(), words),
    };
    let message = one_line(&words.join(" "), 200);
    format!("put the message in quotes: greenroom chat {persona}\"{message}\"")
}

/// The personas to invite; with `--room` all arguments are names.
///
/// # Errors
/// An unknown name, or a message of several arguments.
fn invited(args: &ChatArgs, names: &Names) -> Result<Vec<PersonaName>, String> {
    if args.room.is_none() {
        return if args.more.is_empty() { Ok(Vec::new()) } else { Err(in_quotes(args, names)) };
    }
    args.persona.iter().chain(&args.message).chain(&args.more).map(|name| names.find(name)).collect()
}

/// Checks that the directory of a project exists.
pub fn project(path: &Path) -> anyhow::Result<PathBuf> {
    if !path.is_dir() {
        return Err(usage(format!(
            "--project {}: there is no such directory; name one with AGENTS.md files",
            path.display()
        )));
    }
    Ok(path.to_owned())
}

impl Session {
    async fn open_and_talk(&mut self, message: Option<String>) -> anyhow::Result<Outcome> {
        for problem in &self.cast.problems {
            stderr_line!("{}", self.style.yellow(one_line(&problem.line(), 300)));
        }
        let is_attended = !self.room || self.take_member().await?;
        if is_attended {
            self.introduce().await;
        } else if !self.quiet {
            stderr_line!("{} · channel {}", self.style.bold("nobody is here"), self.channel);
        }
        self.recover().await?;
        if let Some(message) = message {
            return Ok(match self.say(message).await? {
                Next::GoOn => Outcome::Done,
                // the reply was complete before a SIGTERM ended the program
                Next::Leave(_) if !self.stopped && self.unanswered.is_empty() => Outcome::Done,
                Next::Failed(outcome) | Next::Leave(outcome) => outcome,
            });
        }
        let mut input = if self.person {
            if is_attended {
                self.greet();
            } else {
                self.remark(
                    "no persona is in this room yet; /invite NAME brings one, /persona lists them all",
                );
            }
            self.remark("/help lists the commands");
            Input::terminal("> ".to_owned(), self.data.join(PROMPT_HISTORY))?
        } else {
            Input::pipe()?
        };
        self.converse(&mut input).await
    }

    /// Prints the first line: the persona, its model, its memory, the channel.
    pub async fn introduce(&mut self) {
        let choice = self.models.prepare(&self.persona).await;
        let name = self.renderer.name(&self.persona);
        if self.quiet {
            return;
        }
        let without = self.cast.get(&self.persona).is_some_and(|persona| !persona.memory.enabled);
        let memory = if self.disable_memory || without { "off".to_owned() } else { self.remembered().await };
        stderr_line!(
            "{} · {} · memory: {memory} · channel {}",
            self.style.bold(&name),
            harmless(&choice.describe()),
            self.channel
        );
        if choice.target == Target::BuiltIn {
            self.remark(
                "This is a demonstration: the model is tiny and often wrong. For a real one set OPENAI_API_KEY, \
                 start Ollama, or give --base-url and --model.",
            );
        }
    }

    async fn remembered(&self) -> String {
        match self.store.count_memories(&self.viewer(), self.now(), MAX_COUNTED).await {
            Ok(memories) => {
                let more = if memories == MAX_COUNTED { " or more" } else { "" };
                format!("{}, {}{more}", self.embedder, count(memories, "memory", "memories"))
            }
            Err(error) => format!("{}, not readable ({error})", self.embedder),
        }
    }

    /// Prints the persona's first message.
    fn greet(&self) {
        let persona = self.cast.get(&self.persona);
        if let Some(greeting) = persona.and_then(|persona| persona.greeting_for(self.user.as_str())) {
            stderr_line!(
                "{}: {}",
                self.style.bold(self.renderer.name(&self.persona)),
                harmless(greeting.trim())
            );
        }
    }

    /// In a room, the commands refer to its first persona, unless the named persona is a member. Returns whether there
    /// is a member.
    async fn take_member(&mut self) -> anyhow::Result<bool> {
        let room = self.runtime.room(&self.channel).await?;
        let personas = room.members.iter().filter(|member| member.kind == MemberKind::Persona);
        let ids: Vec<&str> = personas.map(|member| member.id.as_str()).collect();
        if let Some(first) = ids.first().filter(|_| !ids.contains(&self.persona.as_str())) {
            self.persona = first.parse()?;
        }
        Ok(!ids.is_empty())
    }

    /// Reports what a crash left: replies that were not shown (GR6), then messages without a reply (S1).
    pub async fn recover(&mut self) -> anyhow::Result<()> {
        for entry in self.store.outbox(&self.channel).await? {
            let speaker = match &entry.reply.author {
                Author::Persona { name } => self.renderer.name(name),
                Author::User { name, .. } => one_line(name, 80),
            };
            stderr_line!("{}", self.style.yellow("this reply was not shown last time:"));
            stderr_line!("{}: {}", self.style.bold(speaker), harmless(entry.reply.text.trim_end()));
            self.store.delivered(entry.id, self.now()).await?;
        }
        let unfinished = self.runtime.recover(&self.channel).await?;
        let Some(last) = unfinished.last() else { return Ok(()) };
        let (last, earlier): (Vec<_>, Vec<_>) =
            unfinished.iter().partition(|found| found.message.id == last.message.id);
        let persona = |found: &&Unfinished| found.turn.as_ref().map_or(&self.persona, |(_, who)| who).clone();
        self.unanswered = last.iter().map(|found| (found.message.id, persona(found))).collect();
        let names: Vec<_> = self.unanswered.iter().map(|(_, who)| self.renderer.name(who)).collect();
        let text = format!(
            "the last run ended before {} answered “{}”{}; {}",
            names.join(" and "),
            one_line(&last[0].message.text, 80),
            match earlier.len() {
                0 => String::new(),
                more => format!(" and {more} before it"),
            },
            if self.person { "/retry answers it now" } else { "/retry in a chat answers it" }
        );
        stderr_line!("{}", self.style.yellow(text));
        Ok(())
    }

    /// Replaces the cast, and returns lines that describe the changes.
    pub async fn recast(&mut self, now: Arc<greenroom_persona::Cast>) -> Vec<String> {
        let lines = changes(&self.cast, &now).into_iter().map(|line| self.style.dim(line));
        let problems = now.problems.iter().filter(|problem| !self.cast.problems.contains(problem));
        let problems = problems.map(|problem| self.style.yellow(one_line(&problem.line(), 300)));
        let mut lines: Vec<String> = lines.chain(problems).collect();
        self.models.recast(now.clone());
        self.renderer.recast(&now);
        self.runtime.set_personas(now.personas.clone()).await;
        self.cast = now;
        if self.cast.get(&self.persona).is_none() {
            lines.push(self.style.yellow(format!(
                "{} is gone and no longer answers; /persona NAME talks to another persona",
                self.persona
            )));
        } else {
            self.models.prepare(&self.persona).await;
        }
        lines
    }
}

/// Lines that describe added, changed and removed personas.
fn changes(before: &greenroom_persona::Cast, now: &greenroom_persona::Cast) -> Vec<String> {
    let mut lines = Vec::new();
    for persona in &now.personas {
        match before.get(&persona.name) {
            None => lines.push(format!("{} joined the cast", persona.name)),
            Some(old) if old != persona => {
                lines.push(format!("{} was read again; the next reply follows the new file", persona.name));
            }
            Some(_) => {}
        }
    }
    let gone = before.personas.iter().filter(|old| now.get(&old.name).is_none());
    lines.extend(gone.map(|persona| format!("{} left the cast", persona.name)));
    lines
}
