//! Steps 1 and 2 of a turn: recall what matters, assemble the context. A turn and a preview take
//! the same way; the preview just never calls the model.

use std::{
    borrow::Cow,
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use greenroom_context::{
    AssembleError, Assembled, Assembly, Counts, HistoryEntry, Layout, MemoryBlock, ModelProfile, Plan,
    Project, Speakers, assemble, discover_project, history_for, indented, plan, texts,
};
use greenroom_core::{
    Author, ChatMessage, MemorySnippet, Message, MessageId, Offered, Receipt, Role, ToolSchema, TurnId,
    UserId, Viewer,
};
use greenroom_memory::{RecallRequest, Recalled, RecalledItem, notice, render, snippets};
use greenroom_persona::{BUILT_IN_TOOLS, Persona, Strategy};
use greenroom_store::{AskedPast, ItemId, Past, SESSION_GAP, Sources};
use greenroom_tools::{Shown, ToolContext, Toolbox};

use super::{
    Failure,
    conversation::conversation,
    given::Given,
    past::{HISTORY, asked_past, cut},
};
use crate::{ResolvedModel, SmallRole, services::Services};

/// Who answers what, by which model.
pub(crate) struct ContextBuilder<'a> {
    pub(crate) services: &'a Services,
    pub(crate) persona: &'a Persona,
    pub(crate) model: &'a ResolvedModel,
    pub(crate) turn_id: TurnId,
    /// The messages to be answered, oldest first.
    pub(crate) burst: &'a [&'a Message],
    /// The last one of them.
    pub(crate) trigger: &'a Message,
    pub(crate) project: Option<&'a Path>,
    /// False for BD6.
    pub(crate) recall: bool,
    /// The conversation, where it is given.
    pub(crate) given: Option<&'a Given>,
    /// When the turn began: what other processes had written by then is seen.
    pub(crate) as_of: Instant,
}

/// Everything the context is made of, read once for all tool rounds of a turn (BD10).
pub(crate) struct ContextInputs {
    history: Vec<HistoryEntry>,
    /// The place of the trigger in it.
    trigger: usize,
    project: Project,
    memories: MemoryBlock,
    /// What the system prompt says of the memory (JV11).
    notice: Option<&'static str>,
    /// What was said before the history, in short (FG12).
    summary: Option<String>,
    /// Whether there is more history than is considered.
    pub(crate) cut: bool,
    /// What the receipt says of history and recall.
    notes: Vec<String>,
    /// The persona's tools.
    pub(crate) toolbox: Toolbox,
    /// What the model is told of them; empty when it may use none.
    pub(crate) tools: Vec<Offered>,
    /// What history and tools cost.
    counts: Counts,
    /// What of all this is stored.
    pub(crate) sources: Sources,
    /// What was recalled, as it is shown (BD5).
    pub(crate) snippets: Arc<[MemorySnippet]>,
    /// Why the recall is less than it could be, if it is (L20).
    pub(crate) degraded: Option<String>,
}

impl ContextBuilder<'_> {
    /// Whom the persona answers. Who brings the conversation along says whom, or may be anybody.
    fn user(&self) -> Option<&UserId> {
        match self.given {
            Some(given) => given.person.as_ref(),
            None => user(self.trigger),
        }
    }

    /// Whose memories this turn may see (GR1).
    pub(crate) fn viewer(&self) -> Viewer {
        Viewer::new(self.persona.name.clone(), self.trigger.channel.clone(), self.user().cloned())
    }

    /// For whom a tool is called: it sees what this turn sees.
    pub(crate) fn tool_context(&self, shown: Shown) -> ToolContext {
        ToolContext {
            shown,
            viewer: self.viewer(),
            turn_id: self.turn_id,
            trigger: self.trigger.id,
            user: self.user().cloned(),
            zone: self.persona.memory.zone(),
            witness: self.persona.memory.witness,
        }
    }

    /// 1 recall, and everything else the context is made of.
    pub(crate) async fn gather(&self) -> Result<ContextInputs, Failure> {
        let (mut past, cut) = match self.given {
            Some(given) => (
                Past { messages: given.said.iter().cloned().map(Arc::new).collect(), ..Past::default() },
                false,
            ),
            None => self.past().await?,
        };
        let labels = self.labels().await?;
        let history = history_for(&self.persona.name, &past.messages, &labels);

        let Persona { memory, limits, tools, .. } = self.persona;
        let remembers = memory.enabled && self.recall;
        let available = &self.services.tools;
        let servers = self.services.mcp.offered(self.persona, available);
        // without memory its tools would promise what they cannot do; the others have nothing to do with it
        let of_memory = |name: &String| BUILT_IN_TOOLS.contains(&name.as_str());
        let names: Vec<String> = tools.iter().filter(|name| remembers || !of_memory(name)).cloned().collect();
        let toolbox = Toolbox::for_persona(&names, available);
        let toolbox = toolbox.with(servers.tools);
        let mut tools = if limits.tool_rounds > 0 { toolbox.schemas() } else { Vec::new() };
        if let Some(given) = self.given {
            tools.retain(|own| given.tools.iter().all(|theirs| theirs.name != own.name));
            tools.extend(given.tools.iter().cloned());
        }
        let mut notes = servers.notes;
        if !self.model.profile.layout.knows_tools() && !tools.is_empty() {
            tools.clear();
            notes.push(format!("{} knows no tools, so it is offered none", self.model.name));
        }
        let history = match self.given {
            Some(given) => given.with_calls(history),
            None => history,
        };
        // a given conversation is not stored: its numbers mean nothing
        let sources = match self.given {
            Some(_) => Sources { erased: self.services.follow_erasures().await, ..Sources::default() },
            None => Sources {
                erased: past.erased,
                items: past.messages.iter().map(|message| ItemId::Message(message.id)).collect(),
                summary_of: past.summary.as_ref().map(|_| self.trigger.channel.clone()),
            },
        };
        let switched_off =
            (memory.enabled && !self.recall).then(|| "memory is switched off for it".to_owned());
        let mut inputs = ContextInputs {
            counts: Counts::of(&*self.model.profile.counter, &history, &tools),
            history,
            trigger: self.place_of_trigger(&past.messages),
            project: self.project().await,
            memories: MemoryBlock::default(),
            notice: notice(memory).filter(|_| remembers),
            summary: past.summary.take().map(|summary| summary.text),
            cut,
            notes: cut.then(longer).into_iter().chain(switched_off).chain(notes).collect(),
            tools,
            toolbox,
            sources,
            snippets: Arc::default(),
            degraded: None,
        };
        if self.recall && memory.enabled && memory.auto_retrieve {
            self.remind(&mut inputs, &past, &labels).await?;
        }
        Ok(inputs)
    }

    /// Recalls. Where the block is smaller than it may be, there is room for more history, and what
    /// was recalled may stand there; then what is older than that is recalled in its place. Not with
    /// hypotheses: they are written once a turn (FG9).
    async fn remind(
        &self,
        inputs: &mut ContextInputs,
        past: &Past,
        labels: &Speakers,
    ) -> Result<(), Failure> {
        let settings = &self.persona.memory;
        let mut recalled = self.recall(past, labels, self.oldest_shown(inputs)).await?;
        inputs.memories = render(&recalled, settings, &settings.zone());
        let once = settings.strategy == Strategy::Hyde || recalled.degraded.is_some();
        let mut plan = self.plan(inputs, self.window());
        if let Some(before) = plan.as_ref().and_then(|it| told_twice(it, inputs)).filter(|_| !once) {
            recalled = self.recall(past, labels, before).await?;
            inputs.memories = render(&recalled, settings, &settings.zone());
            plan = self.plan(inputs, self.window());
        }
        inputs.sources.items.extend(recalled.items.iter().flat_map(items_of));
        inputs.snippets = shown(plan.as_ref(), inputs, snippets(&recalled, &settings.zone())).into();
        inputs.degraded = recalled.degraded.as_ref().map(ToString::to_string);
        inputs.notes.extend(recalled.notes);
        if settings.strategy == Strategy::Hyde
            && self.services.small(self.persona, SmallRole::Retrieval).is_none()
        {
            let name = &self.persona.name;
            inputs.notes.push(format!(
                "{name} recalls nothing: its strategy is hyde and there is no model for it; set memory.hyde.model"
            ));
        }
        Ok(())
    }

    /// What the context shows as it stands, in a window of so many tokens; nothing where it is full.
    fn plan(&self, inputs: &ContextInputs, window: usize) -> Option<Plan> {
        let Self { persona, model, .. } = *self;
        Request { persona, model, window, rounds: &[], with_tools: true }
            .plan(inputs, self.services.project_budget)
    }

    /// The oldest message the history has room for beside a full memory block. What is older may
    /// be recalled; the rest stands in the request anyway and would only take the places of others.
    fn oldest_shown(&self, inputs: &ContextInputs) -> MessageId {
        let window = self.window();
        let block = match self.persona.memory.budget_for(window) {
            0 => window,
            tokens => tokens,
        };
        let plan = self.plan(inputs, window - block.min(window / 4));
        let shown = plan.map_or(1, |plan| plan.history.len());
        let newest = inputs.history.iter().rev().take(shown);
        newest.map(|entry| entry.id).chain([self.trigger.id]).min().unwrap_or(self.trigger.id)
    }

    /// The conversation always holds it.
    fn place_of_trigger(&self, said: &[Arc<Message>]) -> usize {
        said.iter().position(|m| m.id == self.trigger.id).unwrap_or(said.len().saturating_sub(1))
    }

    /// The query is the last few messages up to the trigger (WB6); the replies other personas gave
    /// to it since are no part of it.
    async fn recall(&self, past: &Past, labels: &Speakers, before: MessageId) -> Result<Recalled, Failure> {
        let settings = &self.persona.memory;
        let said = &past.messages;
        let until = self.place_of_trigger(said) + 1;
        let from = until.saturating_sub(settings.window.max(1));
        let window: Vec<String> = said[from..until].iter().map(|m| m.text.clone()).collect();
        let hypothesising = settings.strategy == Strategy::Hyde;
        let small =
            if hypothesising { self.services.small(self.persona, SmallRole::Retrieval) } else { None };
        let dialogue = if hypothesising { self.dialogue(&said[from..until], labels) } else { Vec::new() };
        let session_key = self.session_key(past);
        let burst: Vec<MessageId> = self.burst.iter().map(|message| message.id).collect();
        let request = RecallRequest {
            burst: &burst,
            before: Some(before),
            dialogue: &dialogue,
            hyde: small.as_ref(),
            session_key: session_key.as_deref(),
            asker: self.user().map(|_| self.trigger.author.name()),
            presence: self.given.is_none().then_some(&past.presence),
            as_of: self.as_of,
            ..RecallRequest::new(self.turn_id, &window, settings)
        };
        Ok(self.services.memory.recall(&self.viewer(), &request).await?)
    }

    /// What was said, as `role: text` (FG12); what tools answered is no part of the history. No text begins a
    /// line that looks like another's (RM7).
    fn dialogue(&self, said: &[Arc<Message>], labels: &Speakers) -> Vec<String> {
        let line = |entry: HistoryEntry| {
            let role = if entry.role == Role::Assistant { "assistant" } else { "user" };
            format!("{role}: {}", indented(&entry.content))
        };
        history_for(&self.persona.name, said, labels).into_iter().map(line).collect()
    }

    /// What those who speak here are called.
    async fn labels(&self) -> Result<Arc<Speakers>, Failure> {
        match self.given {
            Some(_) => Ok(self.services.memory.no_labels()),
            None => Ok(self.services.memory.labels(&self.trigger.channel).await?),
        }
    }

    /// The channel's past as the persona lived it, and whether there is more of it than is considered.
    async fn past(&self) -> Result<(Past, bool), Failure> {
        let user = self.user().filter(|_| self.persona.memory.summaries.limit > 0).cloned();
        let asked = asked_past(self.persona, &self.trigger.channel);
        let asked = AskedPast { user, now: self.services.now(), as_of: self.as_of, ..asked };
        let mut past = self.services.store.past(&asked).await?;
        let cut = cut(&mut past, self.persona.memory.place);
        past.messages = conversation(&self.persona.name, past.messages, self.burst);
        Ok((past, cut))
    }

    /// The key of the summary of the sitting that is going on: it holds what the history shows.
    fn session_key(&self, past: &Past) -> Option<String> {
        let now = self.services.now();
        let running = past.session.as_ref().filter(|session| now.since(session.last_at) < SESSION_GAP);
        running.map(|session| format!("session_{}_summary", session.id))
    }

    /// Reads the project's files off the async threads.
    async fn project(&self) -> Project {
        let Some(dir) = self.project.map(PathBuf::from) else { return Project::default() };
        let names = self.services.project_fallback_names.clone();
        match tokio::task::spawn_blocking(move || discover_project(&dir, &names)).await {
            Ok(project) => project,
            Err(_) => Project { notes: vec!["the project could not be read".into()], ..Project::default() },
        }
    }

    /// 2 assemble, for a window of so many tokens.
    pub(crate) fn assemble(
        &self,
        inputs: &ContextInputs,
        window: usize,
        rounds: &[ChatMessage],
        with_tools: bool,
    ) -> Result<Assembled, AssembleError> {
        let budget = self.services.project_budget;
        let request = Request { persona: self.persona, model: self.model, window, rounds, with_tools };
        request.assemble(inputs, budget)
    }

    /// Tokens the model's context holds: what the persona says, but no more than the model has (WB2).
    pub(crate) fn window(&self) -> usize {
        window(self.persona, &self.model.profile)
    }
}

/// What a request is made of beside the props.
pub(crate) struct Request<'a> {
    pub(crate) persona: &'a Persona,
    pub(crate) model: &'a ResolvedModel,
    pub(crate) window: usize,
    pub(crate) rounds: &'a [ChatMessage],
    pub(crate) with_tools: bool,
}

impl Request<'_> {
    /// The request. The same props give the same bytes (WB9).
    pub(crate) fn assemble(
        &self,
        inputs: &ContextInputs,
        project_budget: usize,
    ) -> Result<Assembled, AssembleError> {
        self.assembly(inputs, project_budget, assemble)
            .map(|mut assembled| {
                inputs.note(&mut assembled.receipt);
                assembled
            })
            .map_err(|AssembleError::ContextFull { needed, window, remedy, mut receipt }| {
                inputs.note(&mut receipt);
                AssembleError::ContextFull { needed, window, remedy, receipt }
            })
    }

    /// What the request shows; nothing where the context is full.
    fn plan(&self, inputs: &ContextInputs, project_budget: usize) -> Option<Plan> {
        self.assembly(inputs, project_budget, plan)
    }

    /// The exact texts of a request's items.
    pub(crate) fn texts(
        &self,
        inputs: &ContextInputs,
        project_budget: usize,
        assembled: &Assembled,
    ) -> Vec<String> {
        self.assembly(inputs, project_budget, |assembly| texts(assembly, assembled))
    }

    fn assembly<T>(
        &self,
        inputs: &ContextInputs,
        project_budget: usize,
        with: impl Fn(&Assembly<'_>) -> T,
    ) -> T {
        let Self { persona, model, window, .. } = *self;
        let profile = ModelProfile { window, ..model.profile.clone() };
        let system = inputs.system(&persona.prompt, profile.layout);
        with(&Assembly {
            model: &model.name,
            profile: &profile,
            reserve: persona.model.max_output_tokens as usize,
            system: &system,
            project: &inputs.project.documents,
            project_budget,
            memories: &inputs.memories,
            memory_budget: persona.memory.budget_for(window),
            summary: inputs.summary.as_deref(),
            history: &inputs.history,
            trigger: inputs.trigger,
            rounds: self.rounds,
            tools: if self.with_tools { &inputs.tools } else { &[] },
            counts: &inputs.counts,
        })
    }
}

impl ContextInputs {
    /// The persona's prompt, and what it says of the memory. The demonstration model is too small for that.
    fn system<'a>(&self, prompt: &'a str, layout: Layout) -> Cow<'a, str> {
        match self.notice {
            Some(notice) if layout == Layout::Standard => format!("{}\n\n{notice}", prompt.trim_end()).into(),
            _ => prompt.into(),
        }
    }

    /// The tools as they are shown.
    pub(crate) fn schemas(&self) -> Vec<ToolSchema> {
        self.tools.iter().map(|tool| ToolSchema::clone(tool)).collect()
    }

    /// What is to be said of the context beside what the assembler says.
    fn note(&self, receipt: &mut Receipt) {
        receipt.notes.extend(self.project.notes.iter().cloned());
        receipt.notes.extend(self.degraded.iter().chain(&self.notes).cloned());
    }
}

/// Tokens of a request to the persona's model. The profile has them from its file already, where the server
/// does not hold less.
pub(crate) fn window(persona: &Persona, profile: &ModelProfile) -> usize {
    persona.model.context_window.map_or(profile.window, |asked| asked.min(profile.window))
}

/// Whose memories a persona may see when it answers a message (GR1).
pub(crate) fn viewer(persona: &Persona, trigger: &Message) -> Viewer {
    Viewer::new(persona.name.clone(), trigger.channel.clone(), user(trigger).cloned())
}

fn user(message: &Message) -> Option<&UserId> {
    match &message.author {
        Author::User { id, .. } => Some(id),
        Author::Persona { .. } => None,
    }
}

/// The oldest message of the history as it is shown beside the block, if that shows what was recalled as
/// well.
fn told_twice(plan: &Plan, inputs: &ContextInputs) -> Option<MessageId> {
    let shown = plan.history.iter().filter_map(|n| inputs.history.get(*n)).map(|entry| entry.id);
    shown.min().filter(|_| plan.twice)
}

/// The snippets of what the context holds: what found no room in it is not shown either (BD5).
fn shown(
    plan: Option<&Plan>,
    inputs: &ContextInputs,
    mut snippets: Vec<MemorySnippet>,
) -> Vec<MemorySnippet> {
    if let Some(plan) = plan {
        let entries = plan.memories.iter().filter_map(|n| inputs.memories.entries.get(*n));
        let kept: HashSet<&str> = entries.map(|entry| entry.id.as_str()).collect();
        snippets.retain(|snippet| kept.contains(snippet.id.as_str()));
    }
    snippets
}

/// An item that was recalled, and what it took the place of.
fn items_of(recalled: &RecalledItem) -> impl Iterator<Item = ItemId> {
    let older = recalled.supersedes.iter().map(|older| ItemId::Memory(older.id));
    std::iter::once(recalled.item.id()).chain(older)
}

/// What the receipt says where a history is longer than what is considered of it.
fn longer() -> String {
    format!("of the history the newest {HISTORY} messages were considered; what is older is left out")
}
