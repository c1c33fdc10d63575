//! Runs the commands of a chat.

use greenroom_core::{Author, ChannelKey, MemoryId, PersonaName};
use greenroom_runtime::RuntimeError;
use greenroom_store::MemoryFilter;

use super::{
    session::{Next, Session},
    slash::{HELP, Slash},
};
use crate::{
    commands::{memory as listing, room, who},
    failure::Outcome,
    lock::ChannelLock,
    term::{harmless, one_line},
};

/// The largest numbers of memories and of hits of `/memory`.
const LISTED: usize = 100;
const HITS: usize = 10;
/// Messages that `/why` looks at.
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
            Slash::Persona(Some(name)) => self.switch_persona(name).await,
            Slash::Channel(None) => self.remark(&format!("this is {}", self.channel)),
            Slash::Channel(Some(channel)) => self.switch_channel(channel).await?,
            Slash::Who => self.who().await,
            Slash::Why => self.why().await,
            Slash::Invite(name) => self.invite(&name).await,
            Slash::Leave(name) => {
                let left = self.runtime.leave(&self.channel, &name).await;
                self.told(left, &format!("{name} has left; whoever addresses it brings it back"));
            }
            Slash::Quiet(wait) => {
                let quiet = self.runtime.quiet(&self.channel, wait).await;
                self.told(quiet, "nobody answers here now; /quiet off lifts it");
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

    /// Invites a persona, and says what it is called.
    pub async fn invite(&self, name: &PersonaName) {
        let names: Vec<_> = self.cast.personas.iter().map(|persona| persona.name.clone()).collect();
        match who::existing(name.as_str(), &names) {
            Ok(name) => {
                let invited = self.runtime.invite(&self.channel, &name).await;
                self.told(invited, &format!("{} is here now", self.renderer.name(&name)));
            }
            Err(error) => self.complain(&error),
        }
    }

    async fn who(&self) {
        match self.runtime.room(&self.channel).await {
            Ok(view) => {
                room::lines(&view, self.now()).iter().for_each(|line| eprintln!("{}", harmless(line)))
            }
            Err(error) => self.complain(&error.to_string()),
        }
    }

    /// Why the last messages of people were answered, or not.
    async fn why(&self) {
        let history = match self.store.history(&self.channel, None, EXPLAINED).await {
            Ok(history) => history,
            Err(error) => return self.complain(&error.to_string()),
        };
        // from what a person said last
        let last = history.iter().rposition(|said| matches!(said.author, Author::User { .. })).unwrap_or(0);
        let mut told = false;
        for said in &history[last..] {
            let Ok(decision) = self.runtime.decision(said.id).await else { continue };
            if decision.rounds.is_empty() {
                continue;
            }
            told = true;
            self.remark(&format!("“{}”", one_line(&said.text, 80)));
            room::why(&decision).iter().for_each(|line| eprintln!("  {}", harmless(line)));
        }
        if !told {
            self.remark("there was nothing to decide: one persona is here, and it was addressed");
        }
    }

    fn help(&self) {
        let width = HELP.iter().map(|(usage, _)| usage.chars().count()).max().unwrap_or_default();
        for (usage, what) in HELP {
            eprintln!("  {usage:width$}  {}", self.style.dim(what));
        }
        self.remark("Ctrl-C stops a reply, a second one leaves. //text sends a message that begins with /");
    }

    fn context(&self) {
        match self.renderer.receipt() {
            Some(receipt) => eprint!("{}", harmless(&greenroom_context::render_receipt(receipt))),
            None => self.remark("there is no context yet: send a message first"),
        }
    }

    async fn list_memories(&self, query: Option<String>) {
        let viewer = self.viewer();
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
                        memories => listing::memory_table(memories),
                    })
                    .map_err(|error| error.to_string())
            }
            Some(query) => self
                .memory
                .search(&viewer, &query, HITS)
                .await
                .map(|found| {
                    let table = match found.hits.as_slice() {
                        [] => "nothing remembered is like it".to_owned(),
                        hits => listing::hit_table(hits),
                    };
                    [found.notes.join("\n"), table].join("\n").trim().to_owned()
                })
                .map_err(|error| error.to_string()),
        };
        match shown {
            Ok(text) => eprintln!("{}", text.trim_end()),
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
            eprintln!("{here} {name:width$}  {}", self.style.dim(one_line(&persona.description, 100)));
        }
    }

    async fn switch_persona(&mut self, name: PersonaName) {
        let names: Vec<_> = self.cast.personas.iter().map(|persona| persona.name.clone()).collect();
        match who::existing(name.as_str(), &names) {
            Ok(name) => {
                self.persona = name;
                self.unanswered.clear();
                self.introduce().await;
            }
            Err(error) => self.complain(&error),
        }
    }

    async fn switch_channel(&mut self, channel: ChannelKey) -> anyhow::Result<()> {
        if channel == self.channel {
            self.remark(&format!("this is {channel} already"));
            return Ok(());
        }
        // a thread shares the lock of its chat, which is held already
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
