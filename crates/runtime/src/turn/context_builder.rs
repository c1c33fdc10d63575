//! Step 1 of a turn: gathers everything that the context is made of. A turn and a preview share this code; the preview
//! never calls the model.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use greenroom_context::{
    AssembleError, Assembled, CharacterBlock, Counts, HistoryEntry, LARGER_WINDOW, MemoryBlock, Plan,
    Project, Speakers, discover_project, history_for, indented,
};
use greenroom_core::{ChatMessage, Message, MessageId, Offered, Role, TurnId, UserId, Viewer};
use greenroom_memory::{RecallRequest, Recalled, RecalledItem, notice, render, snippets};
use greenroom_persona::{BUILT_IN_TOOLS, Persona, Strategy};
use greenroom_store::{ItemId, Past, SESSION_GAP, rules::summaries::session_summary_key};
use greenroom_tools::{Shown, ToolContext, Toolbox};

use super::{
    character,
    conversation::{Conversation, ConversationQuery, ReadConversation},
    failure::Failure,
    past::HISTORY,
    request::{ContextInputs, Request, oldest_duplicate, shown},
};
use crate::{ResolvedModel, SmallRole, grant::Grant, models::window, services::Services};

/// What would make more room when the grant of the room, not the model, limits the window.
const LARGER_GRANT: &str = "a larger room.tokens_per_answer";

/// Builds the context of one turn.
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
    /// Whether memory is switched off for the message (BD6).
    pub(crate) disable_memory: bool,
    /// Tokens that the answer may take, its requests included (RM4).
    pub(crate) grant: Option<&'a Arc<Grant>>,
    /// Whether people other than its author listen (MP1).
    pub(crate) group: bool,
    pub(crate) conversation: &'a dyn Conversation,
}

impl ContextBuilder<'_> {
    /// The person whom the persona answers, where it is known.
    fn user(&self) -> Option<&UserId> {
        self.conversation.user(self.trigger)
    }

    /// Whose memories this turn may see (GR1).
    pub(crate) fn viewer(&self) -> Viewer {
        let viewer =
            Viewer::new(self.persona.name.clone(), self.trigger.channel.clone(), self.user().cloned());
        if self.group { viewer } else { viewer.one_to_one() }
    }

    /// The context of a tool call: the tool sees what this turn sees.
    pub(crate) fn tool_context(&self, shown: Shown) -> ToolContext {
        ToolContext {
            shown,
            viewer: self.viewer(),
            turn_id: self.turn_id,
            trigger: self.trigger.id,
            user: self.user().cloned(),
            name: self.trigger.author.name().to_owned(),
            follow: self.persona.memory.follow,
            zone: self.persona.memory.zone(),
            witness: self.persona.memory.witness,
        }
    }

    /// Gathers the inputs: history, tools, project files, recalled memories.
    pub(crate) async fn gather(&self) -> Result<ContextInputs, Failure> {
        let query = ConversationQuery {
            services: self.services,
            persona: self.persona,
            burst: self.burst,
            trigger: self.trigger,
        };
        let ReadConversation { mut past, cut, labels, sources } = self.conversation.read(&query).await?;
        let mut history = history_for(&self.persona.name, &past.messages, &labels);
        self.conversation.add_calls(&mut history);

        let memory = &self.persona.memory;
        let remembers = memory.enabled && !self.disable_memory;
        let (toolbox, tools, tool_notes) = self.tools(remembers);
        let (prompt, character) = self.character(&history, &past, cut, &labels).unzip();
        let mut inputs = ContextInputs {
            prompt,
            character: character.unwrap_or_default(),
            counts: Counts::of(&*self.model.profile.counter, &history, &tools),
            trigger: self.trigger_index(&past.messages),
            project: self.project().await,
            memories: MemoryBlock::default(),
            notice: notice(memory).filter(|_| remembers),
            larger: if self.by_grant() { LARGER_GRANT } else { LARGER_WINDOW },
            summary: past.summary.take().map(|summary| summary.text),
            cut,
            notes: Vec::new(),
            toolbox,
            tools,
            history,
            sources,
            snippets: Arc::default(),
            degraded: None,
        };
        if cut {
            inputs.notes.push(format!(
                "of the history the newest {HISTORY} messages were considered; what is older is left out"
            ));
        }
        if memory.enabled && self.disable_memory {
            inputs.notes.push("memory is switched off for it".to_owned());
        }
        inputs.notes.extend(self.note_of_grant());
        inputs.notes.extend(tool_notes);
        if remembers && memory.auto_retrieve {
            self.add_memories(&mut inputs, &past, &labels).await?;
        }
        Ok(inputs)
    }

    /// The prompt of a persona with a card, and what its card and lorebooks add (PF4, PF5).
    fn character(
        &self,
        history: &[HistoryEntry],
        past: &Past,
        cut: bool,
        labels: &Speakers,
    ) -> Option<(String, CharacterBlock)> {
        let play = self.persona.play.as_deref()?;
        let is_whole = !cut && past.summary.is_none() && self.conversation.is_stored() && !self.group;
        let answered = self.trigger_index(&past.messages);
        let before = past.messages.iter().take(answered).map(|message| &message.author);
        let user = labels.label(character::person(&self.trigger.author, before));
        let scene = character::Scene {
            persona: self.persona,
            play,
            user: &user,
            channel: self.trigger.channel.as_str(),
            answered: &history[..(answered + 1).min(history.len())],
            window: self.window(),
            is_whole,
            is_group: self.group,
        };
        Some((scene.prompt(), scene.block()))
    }

    /// The persona's tools, what the model is offered of them and of the client's tools, and notes for the receipt.
    fn tools(&self, remembers: bool) -> (Toolbox, Vec<Offered>, Vec<String>) {
        let Persona { limits, tools: own, .. } = self.persona;
        let available = &self.services.tools.available;
        let servers = self.services.tools.mcp.offered(self.persona, available);
        // without memory, its tools would promise what they cannot do; the other tools do not depend on it
        let is_of_memory = |name: &String| BUILT_IN_TOOLS.contains(&name.as_str());
        let names: Vec<String> =
            own.iter().filter(|name| remembers || !is_of_memory(name)).cloned().collect();
        let toolbox = Toolbox::for_persona(&names, available).with(servers.tools);
        let mut tools = if limits.tool_rounds > 0 { toolbox.schemas() } else { Vec::new() };
        let client = self.conversation.client_tools();
        tools.retain(|own| client.iter().all(|theirs| theirs.name != own.name));
        tools.extend(client.iter().cloned());
        let mut notes = servers.notes;
        if !self.model.profile.layout.knows_tools() && !tools.is_empty() {
            tools.clear();
            notes.push(format!("{} knows no tools, so it is offered none", self.model.name));
        }
        (toolbox, tools, notes)
    }

    /// Recalls memories. If they take fewer tokens than they may, more history fits, and may show messages that were
    /// recalled too. Then recall runs again, for older messages only. It does not run again with hypotheses, which are
    /// written once per turn (FG9).
    async fn add_memories(
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
        if let Some(before) = plan.as_ref().and_then(|it| oldest_duplicate(it, inputs)).filter(|_| !once) {
            recalled = self.recall(past, labels, before).await?;
            inputs.memories = render(&recalled, settings, &settings.zone());
            plan = self.plan(inputs, self.window());
        }
        inputs.sources.items.extend(recalled.items.iter().flat_map(items_of));
        inputs.snippets = shown(plan.as_ref(), inputs, snippets(&recalled, &settings.zone())).into();
        inputs.degraded = recalled.degraded.as_ref().map(ToString::to_string);
        inputs.notes.extend(recalled.notes);
        if settings.strategy == Strategy::Hyde
            && self.services.models.small(self.persona, SmallRole::Retrieval, None).is_none()
        {
            let name = &self.persona.name;
            inputs.notes.push(format!(
                "{name} recalls nothing: its strategy is hyde and there is no model for it; set memory.hyde.model"
            ));
        }
        Ok(())
    }

    /// What the context shows in a window of this many tokens; `None` if it is full.
    fn plan(&self, inputs: &ContextInputs, window: usize) -> Option<Plan> {
        let Self { persona, model, .. } = *self;
        Request { persona, model, window, rounds: &[], with_tools: true }
            .plan(inputs, self.services.settings.project_budget)
    }

    /// The oldest message that fits into the history beside the largest permitted memory block. Only older messages are
    /// recalled: newer ones are in the request anyway, and would take the places of others.
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

    /// The index of the trigger, which the conversation always contains.
    fn trigger_index(&self, said: &[Arc<Message>]) -> usize {
        said.iter().position(|m| m.id == self.trigger.id).unwrap_or(said.len().saturating_sub(1))
    }

    /// Recalls what is older than `before`. The query is the last few messages up to the trigger (WB6), without later
    /// replies of other personas to it.
    async fn recall(&self, past: &Past, labels: &Speakers, before: MessageId) -> Result<Recalled, Failure> {
        let settings = &self.persona.memory;
        let said = &past.messages;
        let until = self.trigger_index(said) + 1;
        let from = until.saturating_sub(settings.window.max(1));
        let window: Vec<String> = said[from..until].iter().map(|m| m.text.clone()).collect();
        let hypothesising = settings.strategy == Strategy::Hyde;
        let small = match hypothesising {
            true => self.services.models.small(self.persona, SmallRole::Retrieval, self.grant),
            false => None,
        };
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
            presence: self.conversation.is_stored().then_some(&past.presence),
            linked: past.linked.as_ref(),
            other_chats: past.other_chats.as_deref(),
            ..RecallRequest::new(self.turn_id, &window, settings)
        };
        Ok(self.services.memory.recall(&self.viewer(), &request).await?)
    }

    /// The messages as `role: text` (FG12). Further lines of a text are indented, so that none looks like another
    /// speaker's (RM7).
    fn dialogue(&self, said: &[Arc<Message>], labels: &Speakers) -> Vec<String> {
        let line = |entry: HistoryEntry| {
            let role = if entry.role == Role::Assistant { "assistant" } else { "user" };
            format!("{role}: {}", indented(&entry.content))
        };
        history_for(&self.persona.name, said, labels).into_iter().map(line).collect()
    }

    /// The key of the running session's summary. It is not recalled, because the history shows the same.
    fn session_key(&self, past: &Past) -> Option<String> {
        let now = self.services.now();
        let running = past.session.as_ref().filter(|session| now.since(session.last_at) < SESSION_GAP);
        running.map(|session| session_summary_key(session.id))
    }

    /// Reads the project's files on a blocking thread.
    async fn project(&self) -> Project {
        let Some(dir) = self.project.map(PathBuf::from) else { return Project::default() };
        let names = self.services.settings.project_fallback_names.clone();
        match tokio::task::spawn_blocking(move || discover_project(&dir, &names)).await {
            Ok(project) => project,
            Err(_) => Project { notes: vec!["the project could not be read".into()], ..Project::default() },
        }
    }

    /// Assembles a request for a window of this many tokens.
    pub(crate) fn assemble(
        &self,
        inputs: &ContextInputs,
        window: usize,
        rounds: &[ChatMessage],
        with_tools: bool,
    ) -> Result<Assembled, AssembleError> {
        let budget = self.services.settings.project_budget;
        let request = Request { persona: self.persona, model: self.model, window, rounds, with_tools };
        request.assemble(inputs, budget)
    }

    /// The most tokens of a request.
    pub(crate) fn window(&self) -> usize {
        let window = window(self.persona, &self.model.profile);
        self.granted().map_or(window, |granted| window.min(granted))
    }

    /// Whether the grant of the room is smaller than the model's window.
    pub(crate) fn by_grant(&self) -> bool {
        self.granted().is_some_and(|granted| granted < window(self.persona, &self.model.profile))
    }

    fn granted(&self) -> Option<usize> {
        self.grant.map(|grant| usize::try_from(grant.left(0)).unwrap_or(usize::MAX))
    }

    /// Why the window is smaller than that of the model, for the receipt.
    fn note_of_grant(&self) -> Option<String> {
        let granted = self.granted().filter(|_| self.by_grant())?;
        let limit = self.services.rooms.limits(&self.trigger.channel).tokens_per_answer;
        let whole = window(self.persona, &self.model.profile);
        let why = match self.grant.is_some_and(|grant| grant.limit() < limit) {
            true => format!("the limits of {} leave no more for an answer to others", self.persona.name),
            false => "room.tokens_per_answer says so".to_owned(),
        };
        Some(format!("an answer may take {granted} tokens in this room, not the window of {whole}: {why}"))
    }
}

/// A recalled item and the older versions that it replaces.
fn items_of(recalled: &RecalledItem) -> impl Iterator<Item = ItemId> {
    let older = recalled.supersedes.iter().map(|older| ItemId::Memory(older.id));
    std::iter::once(recalled.item.id()).chain(older)
}
