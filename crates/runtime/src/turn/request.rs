//! Step 2 of a turn: the request to the model, assembled from its inputs. The same inputs give the same bytes (WB9).

use std::{borrow::Cow, collections::HashSet, sync::Arc};

use greenroom_context::{
    AssembleError, Assembled, Assembly, CharacterBlock, Counts, HistoryEntry, Layout, MemoryBlock,
    ModelProfile, Plan, Project, assemble, plan, texts,
};
use greenroom_core::{
    Author, ChatMessage, MemorySnippet, Message, MessageId, Offered, Receipt, ToolSchema, Viewer,
};
use greenroom_persona::Persona;
use greenroom_store::Sources;
use greenroom_tools::Toolbox;

use crate::ResolvedModel;

/// Everything that the context is made of, read once for all tool rounds of a turn (BD10).
pub(crate) struct ContextInputs {
    pub(super) history: Vec<HistoryEntry>,
    /// The index of the trigger in the history.
    pub(super) trigger: usize,
    /// The prompt with the macros of the persona's card expanded, if the persona has a card.
    pub(super) prompt: Option<String>,
    /// What the persona's card and lorebooks add.
    pub(super) character: CharacterBlock,
    pub(super) project: Project,
    pub(super) memories: MemoryBlock,
    /// What the system prompt says about memory (JV11).
    pub(super) notice: Option<&'static str>,
    /// The summary of what was said before the history (FG12).
    pub(super) summary: Option<String>,
    /// Whether there is more history than the context considers.
    pub(crate) cut: bool,
    /// Notes on history and recall, for the receipt.
    pub(super) notes: Vec<String>,
    /// The persona's tools.
    pub(crate) toolbox: Toolbox,
    /// Their schemas for the model; empty when it may use none.
    pub(crate) tools: Vec<Offered>,
    /// What would make more room, for people.
    pub(super) larger: &'static str,
    /// The tokens of history and tools.
    pub(super) counts: Counts,
    /// The stored items in all inputs, which an erasure may concern.
    pub(crate) sources: Sources,
    /// What was recalled, as it is shown (BD5).
    pub(crate) snippets: Arc<[MemorySnippet]>,
    /// Why the recall is incomplete, if it is (L20).
    pub(crate) degraded: Option<String>,
}

/// One request to the model, apart from its inputs.
pub(crate) struct Request<'a> {
    pub(crate) persona: &'a Persona,
    pub(crate) model: &'a ResolvedModel,
    pub(crate) window: usize,
    pub(crate) rounds: &'a [ChatMessage],
    pub(crate) with_tools: bool,
}

impl Request<'_> {
    /// Assembles the request.
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

    /// What the request shows; `None` if the context is full.
    pub(super) fn plan(&self, inputs: &ContextInputs, project_budget: usize) -> Option<Plan> {
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
        let prompt = inputs.prompt.as_deref().unwrap_or(&persona.prompt);
        let system = inputs.system(prompt, profile.layout);
        with(&Assembly {
            model: &model.name,
            profile: &profile,
            larger: inputs.larger,
            reserve: persona.model.max_output_tokens as usize,
            system: &system,
            character: &inputs.character,
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
    /// The persona's prompt and the notice about memory. The demonstration model is too small for the notice.
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

    /// Adds the notes of the inputs, which the assembler does not know.
    fn note(&self, receipt: &mut Receipt) {
        receipt.notes.extend(self.project.notes.iter().cloned());
        receipt.notes.extend(self.degraded.iter().chain(&self.notes).cloned());
    }
}

/// The viewer of a persona that answers a message, in a group or one to one (GR1, MP1).
pub(crate) fn viewer(persona: &Persona, trigger: &Message, group: bool) -> Viewer {
    let user = match &trigger.author {
        Author::User { id, .. } => Some(id.clone()),
        Author::Persona { .. } => None,
    };
    let viewer = Viewer::new(persona.name.clone(), trigger.channel.clone(), user);
    if group { viewer } else { viewer.one_to_one() }
}

/// The oldest message that the history shows beside the memories, if the context shows a recalled message twice.
pub(super) fn oldest_duplicate(plan: &Plan, inputs: &ContextInputs) -> Option<MessageId> {
    let shown = plan.history.iter().filter_map(|n| inputs.history.get(*n)).map(|entry| entry.id);
    shown.min().filter(|_| plan.twice)
}

/// The snippets of the memories that found room in the context (BD5).
pub(super) fn shown(
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
