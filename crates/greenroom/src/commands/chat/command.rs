//! Runs the commands of a chat.

use std::sync::Arc;

use greenroom_core::{Author, ChannelKey, MemoryId, PersonaName};
use greenroom_formats::Folder;
use greenroom_memory::{SearchOptions, TimeZone};
use greenroom_persona::Cast;
use greenroom_runtime::{RuntimeError, quiet_until};
use greenroom_store::MemoryFilter;
use tokio::task::spawn_blocking;

use super::{
    session::{Next, Session},
    slash::{HELP, Slash},
};
use crate::{
    commands::{memory as listing, room, who::Names},
    failure::Outcome,
    lock::ChannelLock,
    term::{harmless, one_line},
};

/// The largest numbers of memories and of hits of `/memory`.
const LISTED: usize = 100;
const HITS: usize = 10;
/// The number of messages that `/why` examines.
const EXPLAINED: usize = 30;

impl Session {
    /// Runs a command.
    pub async fn run_command(&mut self, command: Slash) -> anyhow::Result<Next> {
        match command {
            Slash::Help => self.help(),
            Slash::Context => self.context(),
            Slash::Memory(query) => self.list_memories(query).await,
            Slash::Forget(id) => self.forget(id).await,
            Slash::Persona(None) => self.list_personas(),
            Slash::Persona(Some(name)) => self.switch_persona(&name).await,
            Slash::Greeting(None) => self.list_greetings(),
            Slash::Greeting(Some(number)) => self.choose_greeting(number).await,
            Slash::Channel(None) => self.remark(&format!("this is {}", self.channel)),
            Slash::Channel(Some(channel)) => self.switch_channel(channel).await?,
            Slash::Who => self.who().await,
            Slash::Why(messages) => self.why(messages).await,
            Slash::Invite(name) => match Names::of(&self.cast).find(&name) {
                Ok(persona) => self.invite(&persona).await,
                Err(error) => self.complain(&error),
            },
            Slash::Leave(name) => match Names::of(&self.cast).find(&name) {
                Ok(persona) => {
                    let left = self.runtime.leave(&self.channel, &persona).await;
                    let name = self.renderer.name(&persona);
                    self.told(
                        left,
                        &format!("{name} has left; @{persona} or /invite {persona} brings it back"),
                    );
                }
                Err(error) => self.complain(&error),
            },
            Slash::Quiet(wait) => {
                let quiet = self.runtime.quiet(&self.channel, wait).await;
                let until = room::quiet_line(quiet_until(self.now(), wait), self.now());
                self.told(quiet, &format!("{until}; /quiet off lifts it"));
            }
            Slash::Loud => {
                let loud = self.runtime.lift_quiet(&self.channel).await;
                self.told(loud, "personas may answer again");
            }
            Slash::Reset => match self.runtime.reset(&self.persona, &self.channel).await {
                Ok(()) => self.remark("the conversation starts afresh; memories stay"),
                Err(error) => self.complain(&error.to_string()),
            },
            Slash::Budget => {
                self.renderer.budget = !self.renderer.budget;
                let now = if self.renderer.budget { "shown after" } else { "no longer shown after" };
                self.remark(&format!("the token budget is {now} each reply"));
            }
            Slash::Retry if self.unanswered.is_empty() => {
                self.remark("no message of this chat waits for a reply");
            }
            Slash::Retry => return self.retry().await,
            Slash::Quit => return Ok(Next::Leave(Outcome::Done)),
        }
        Ok(Next::GoOn)
    }

    fn told(&self, what: Result<(), RuntimeError>, remark: &str) {
        match what {
            Ok(()) => self.remark(remark),
            Err(error) => self.complain(&error.to_string()),
        }
    }

    async fn invite(&self, persona: &PersonaName) {
        let invited = self.runtime.invite(&self.channel, persona).await;
        self.told(invited, &format!("{} is here now", self.renderer.name(persona)));
    }

    async fn who(&self) {
        match self.runtime.room(&self.channel).await {
            Ok(view) => {
                room::lines(&view, self.now()).iter().for_each(|line| stderr_line!("{}", harmless(line)))
            }
            Err(error) => self.complain(&error.to_string()),
        }
    }

    /// Prints why the last messages of people, and the replies to them, were answered or not.
    async fn why(&self, messages: usize) {
        let history = match self.store.history(&self.channel, None, EXPLAINED).await {
            Ok(history) => history,
            Err(error) => return self.complain(&error.to_string()),
        };
        let of_people =
            history.iter().enumerate().rev().filter(|(_, m)| matches!(m.author, Author::User { .. }));
        let first = of_people.take(messages).last().map_or(0, |(at, _)| at);
        let authors = history.iter().map(|said| &said.author);
        let labels = match self.memory.labels(&self.channel, authors).await {
            Ok(labels) => labels,
            Err(error) => return self.complain(&error.to_string()),
        };
        let mut told = false;
        for said in &history[first..] {
            let Ok(decision) = self.runtime.decision(said.id).await else { continue };
            if decision.rounds.is_empty() && decision.tries.is_empty() {
                continue;
            }
            told = true;
            let speaker = match &said.author {
                Author::Persona { name } => self.renderer.name(name),
                author => labels.label(author).into_owned(),
            };
            self.remark(&format!("{}: “{}”", one_line(&speaker, 40), one_line(&said.text, 80)));
            room::why(&decision, false).iter().for_each(|line| stderr_line!("  {}", harmless(line)));
        }
        if !told {
            let is_silent = !history.iter().any(|said| matches!(said.author, Author::User { .. }));
            self.remark(match is_silent {
                true => "nothing was said here yet",
                false => "there was nothing to decide: one persona was here, and all was for it",
            });
        }
    }

    fn help(&self) {
        let width = HELP.iter().map(|(usage, _)| usage.chars().count()).max().unwrap_or_default();
        for (usage, what) in HELP {
            stderr_line!("  {usage:width$}  {}", self.style.dim(what));
        }
        self.remark("Ctrl-C stops a reply, a second one leaves. //text sends a message that begins with /");
    }

    fn context(&self) {
        match self.renderer.receipt() {
            Some(receipt) => stderr_text!("{}", harmless(&greenroom_context::render_receipt(receipt))),
            None => self.remark("there is no context yet: send a message first"),
        }
    }

    async fn list_memories(&self, query: Option<String>) {
        let viewer = self.viewer();
        let persona = self.cast.get(&self.persona);
        let zone = persona.map_or_else(TimeZone::system, |persona| persona.memory.zone());
        let options = SearchOptions { zone: zone.clone(), ..SearchOptions::default() };
        let shown = match query {
            None => {
                let filter = MemoryFilter {
                    now: self.now(),
                    scopes: Vec::new(),
                    ids: Vec::new(),
                    about: None,
                    limit: LISTED,
                };
                self.store
                    .memories(&viewer, &filter)
                    .await
                    .map(|memories| match memories.as_slice() {
                        [] => listing::no_memories_there(&viewer),
                        memories => listing::memory_table(memories, &zone),
                    })
                    .map_err(|error| error.to_string())
            }
            Some(query) => self
                .memory
                .search_from(&viewer, &query, HITS, &options)
                .await
                .map(|found| {
                    let table = match (found.hits.as_slice(), found.near.as_slice()) {
                        ([], []) => "nothing remembered is like it".to_owned(),
                        ([], near) => format!(
                            "nothing remembered is like it; the nearest are below the threshold:\n{}",
                            listing::hit_table(near, &zone)
                        ),
                        (hits, _) => listing::hit_table(hits, &zone),
                    };
                    [found.notes.join("\n"), table].join("\n").trim().to_owned()
                })
                .map_err(|error| error.to_string()),
        };
        match shown {
            Ok(text) => stderr_line!("{}", text.trim_end()),
            Err(error) => self.complain(&error),
        }
    }

    async fn forget(&self, id: MemoryId) {
        let viewer = self.viewer();
        match self.store.forget(&viewer, id).await {
            Ok(Some(gone)) => {
                let text = one_line(&gone.memory.text, 80);
                self.remark(&format!("forgot {id}: “{text}”"));
            }
            Ok(None) => self.complain(&format!("there is no memory {id} here; /memory lists the memories")),
            Err(error) => self.complain(&error.to_string()),
        }
    }

    fn list_personas(&self) {
        let names = self.cast.personas.iter().map(|persona| persona.name.as_str().chars().count());
        let width = names.max().unwrap_or_default();
        for persona in &self.cast.personas {
            let here = if persona.name == self.persona { "→" } else { " " };
            let name = persona.name.as_str();
            stderr_line!("{here} {name:width$}  {}", self.style.dim(one_line(&persona.description, 100)));
        }
    }

    fn list_greetings(&self) {
        let Some(persona) = self.cast.get(&self.persona) else { return };
        let greetings = persona.play.as_ref().map(|play| play.greetings.as_slice()).unwrap_or_default();
        if greetings.is_empty() {
            self.remark(
                "this persona has no card with first messages; `greeting` in its file is the one it has",
            );
        }
        for (n, greeting) in greetings.iter().enumerate() {
            let is_chosen = persona.greeting.as_deref() == Some(greeting.trim());
            let mark = if is_chosen { "→" } else { " " };
            let text = persona.filled(greeting, self.user.as_str());
            stderr_line!("{mark} {}  {}", n + 1, one_line(&text, 300));
        }
    }

    /// Chooses another first message from the persona's card, which counts in every chat from now on (PF5).
    async fn choose_greeting(&mut self, number: usize) {
        let Some(persona) = self.cast.get(&self.persona) else { return };
        let folder = Folder::of(&persona.file);
        match spawn_blocking(move || folder.choose_greeting(number)).await {
            Ok(Ok(greeting)) => {
                let mut cast = Cast::clone(&self.cast);
                let chosen = cast.personas.iter_mut().find(|persona| persona.name == self.persona);
                chosen.into_iter().for_each(|persona| persona.greeting = Some(greeting.clone()));
                self.recast(Arc::new(cast)).await;
                self.greet();
            }
            Ok(Err(error)) => self.complain(&error.to_string()),
            Err(error) => self.complain(&error.to_string()),
        }
    }

    async fn switch_persona(&mut self, name: &str) {
        match Names::of(&self.cast).find(name) {
            Ok(persona) => {
                self.persona = persona;
                self.unanswered.clear();
                self.introduce().await;
                if self.room {
                    let persona = &self.persona;
                    self.remark(&format!(
                        "/context, /memory and /reset are about {persona} now; the room decides who answers, and \
                         @{persona} addresses it"
                    ));
                }
            }
            Err(error) => self.complain(&error),
        }
    }

    async fn switch_channel(&mut self, channel: ChannelKey) -> anyhow::Result<()> {
        if channel == self.channel {
            self.remark(&format!("this is {channel} already"));
            return Ok(());
        }
        // a thread shares the lock of its chat, which is already held
        let held = ChannelLock::is_shared(&channel, &self.channel);
        match (!held).then(|| ChannelLock::take(&self.data, &channel)).transpose() {
            Ok(lock) => {
                if let Some(lock) = lock {
                    self.lock = lock;
                }
                self.channel = channel;
                self.unanswered.clear();
                self.introduce().await;
                self.recover().await?;
            }
            Err(error) => self.complain(&error.to_string()),
        }
        Ok(())
    }
}
