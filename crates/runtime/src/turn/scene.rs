//! Steps 1 and 2 of a turn: recall what matters, assemble the context. A turn and a preview take
//! the same way; the preview just never calls the model.

use std::path::{Path, PathBuf};

use greenroom_context::{
    AssembleError, Assembled, Assembly, HistoryEntry, MemoryBlock, MemoryEntry, ModelProfile, Project,
    assemble, discover_project, history_for,
};
use greenroom_core::{
    Author, ChatMessage, MemorySnippet, Message, MessageId, Receipt, ToolSchema, TurnId, UserId, Viewer,
};
use greenroom_memory::{Degraded, RecallRequest, Recalled, RenderedMemories, render, snippets};
use greenroom_persona::Persona;
use greenroom_tools::{ToolContext, Toolbox};

use super::{Failure, conversation::conversation};
use crate::{ResolvedModel, stage::Stage};

/// Messages of a channel that are considered at all; the budget decides how many are kept.
const HISTORY: usize = 200;

/// Who answers what, by which model.
pub(crate) struct Scene<'a> {
    pub(crate) stage: &'a Stage,
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
}

/// Everything the context is made of, read once for all tool rounds of a turn (BD10).
pub(crate) struct Props {
    history: Vec<HistoryEntry>,
    /// The place of the trigger in it.
    trigger: usize,
    project: Project,
    memories: MemoryBlock,
    /// The persona's tools.
    pub(crate) toolbox: Toolbox,
    /// What the model is told of them; empty when it may use none.
    pub(crate) tools: Vec<ToolSchema>,
    /// What was recalled, as it is shown (BD5).
    pub(crate) snippets: Vec<MemorySnippet>,
    /// Why the recall is less than it could be, if it is (L20).
    pub(crate) degraded: Option<String>,
}

impl Scene<'_> {
    /// Whom the persona answers.
    pub(crate) fn user(&self) -> Option<&UserId> {
        match &self.trigger.author {
            Author::User { id, .. } => Some(id),
            Author::Persona { .. } => None,
        }
    }

    /// Whose memories this turn may see (GR1).
    pub(crate) fn viewer(&self) -> Viewer {
        Viewer::new(self.persona.name.clone(), self.trigger.channel.clone(), self.user().cloned())
    }

    /// For whom a tool is called: it sees what this turn sees.
    pub(crate) fn tool_context(&self) -> ToolContext {
        ToolContext {
            viewer: self.viewer(),
            turn_id: self.turn_id,
            trigger: self.trigger.id,
            user: self.user().cloned(),
        }
    }

    /// 1 recall, and everything else the context is made of.
    pub(crate) async fn gather(&self) -> Result<Props, Failure> {
        let store = &self.stage.store;
        let start = store.context_start(&self.persona.name, &self.trigger.channel).await?;
        let stored = store.history(&self.trigger.channel, start, HISTORY).await?;
        let said = conversation(&self.persona.name, stored, self.burst);

        let Persona { memory, limits, tools, .. } = self.persona;
        let toolbox = Toolbox::for_persona(tools, &self.stage.tools);
        let may_call = memory.enabled && self.recall && limits.tool_rounds > 0;
        let mut props = Props {
            history: history_for(&self.persona.name, &said),
            trigger: self.place_of_trigger(&said),
            project: self.project().await,
            memories: MemoryBlock::default(),
            tools: if may_call { toolbox.schemas() } else { Vec::new() },
            toolbox,
            snippets: Vec::new(),
            degraded: None,
        };
        if self.recall && memory.enabled && memory.auto_retrieve {
            let recalled = self.recall(&said, self.oldest_shown(&props)).await?;
            props.memories = block(render(&recalled, memory.profile.into()));
            props.snippets = snippets(&recalled);
            props.degraded = recalled.degraded.as_ref().map(said_of);
        }
        Ok(props)
    }

    /// The oldest message the history has room for beside a full memory block. What is older may
    /// be recalled; the rest stands in the request anyway and would only take the places of others.
    fn oldest_shown(&self, props: &Props) -> MessageId {
        let window = self.window();
        let block = match self.persona.memory.budget_tokens {
            0 => window,
            tokens => tokens,
        };
        let shown = match self.assemble(props, window - block.min(window / 4), &[], true) {
            Ok(assembled) => assembled.receipt.budget.history_messages,
            Err(_) => 1,
        };
        let newest = props.history.iter().rev().take(shown);
        newest.map(|entry| entry.id).chain([self.trigger.id]).min().unwrap_or(self.trigger.id)
    }

    /// The conversation always holds it.
    fn place_of_trigger(&self, said: &[Message]) -> usize {
        said.iter().position(|m| m.id == self.trigger.id).unwrap_or(said.len().saturating_sub(1))
    }

    /// The query is the last few messages up to the trigger (WB6); the replies other personas gave
    /// to it since are no part of it.
    async fn recall(&self, said: &[Message], before: MessageId) -> Result<Recalled, Failure> {
        let settings = &self.persona.memory;
        let until = self.place_of_trigger(said) + 1;
        let from = until.saturating_sub(settings.window.max(1));
        let window: Vec<String> = said[from..until].iter().map(|m| m.text.clone()).collect();
        let request =
            RecallRequest { before: Some(before), ..RecallRequest::new(self.turn_id, &window, settings) };
        Ok(self.stage.memory.recall(&self.viewer(), &request).await?)
    }

    /// Reads the project's files off the async threads.
    async fn project(&self) -> Project {
        let Some(dir) = self.project.map(PathBuf::from) else { return Project::default() };
        let names = self.stage.project_fallback_names.clone();
        match tokio::task::spawn_blocking(move || discover_project(&dir, &names)).await {
            Ok(project) => project,
            Err(_) => Project { notes: vec!["the project could not be read".into()], ..Project::default() },
        }
    }

    /// 2 assemble, for a window of so many tokens.
    pub(crate) fn assemble(
        &self,
        props: &Props,
        window: usize,
        rounds: &[ChatMessage],
        with_tools: bool,
    ) -> Result<Assembled, AssembleError> {
        let profile = ModelProfile { window, ..self.model.profile.clone() };
        let noted = |receipt: &mut Receipt| {
            receipt.notes.extend(props.project.notes.iter().cloned());
            receipt.notes.extend(props.degraded.iter().cloned());
        };
        let assembled = assemble(&Assembly {
            model: &self.model.name,
            profile: &profile,
            reserve: self.persona.model.max_output_tokens as usize,
            system: &self.persona.prompt,
            project: &props.project.documents,
            project_budget: self.stage.project_budget,
            memories: &props.memories,
            memory_budget: self.persona.memory.budget_tokens,
            history: &props.history,
            trigger: props.trigger,
            rounds,
            tools: if with_tools { &props.tools } else { &[] },
        });
        match assembled {
            Ok(mut assembled) => {
                noted(&mut assembled.receipt);
                Ok(assembled)
            }
            Err(AssembleError::ContextFull { needed, window, remedy, mut receipt }) => {
                noted(&mut receipt);
                Err(AssembleError::ContextFull { needed, window, remedy, receipt })
            }
        }
    }

    /// Tokens the model's context holds: what the persona says, else what the model has (WB2).
    pub(crate) fn window(&self) -> usize {
        self.persona.model.context_window.unwrap_or(self.model.profile.window)
    }
}

fn block(rendered: RenderedMemories) -> MemoryBlock {
    let entries = rendered.entries.into_iter().map(|e| MemoryEntry {
        id: e.id,
        message: e.message,
        reply: e.reply,
        line: e.line,
        text: e.text,
        score: e.score,
    });
    MemoryBlock { header: rendered.header, entries: entries.collect() }
}

fn said_of(degraded: &Degraded) -> String {
    match degraded {
        Degraded::Embedder(reason) => format!("nothing was recalled by meaning: {reason}"),
        Degraded::Deadline => "recall took too long; what was found by then is used".to_owned(),
    }
}
