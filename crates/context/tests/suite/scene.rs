//! An owned [`Assembly`](greenroom_context::Assembly) for tests: a context before it is assembled.

use std::sync::Arc;

use greenroom_context::{
    AssembleError, Assembled, Assembly, CharacterBlock, Counts, HistoryEntry, LARGER_WINDOW, Layout,
    MemoryBlock, MemoryEntry, ModelProfile, Plan, ProjectDocument, TokenCounter, assemble, o200k, plan,
    texts,
};
use greenroom_core::{ChatMessage, MessageId, Offered, Outcome, Receipt, Role, ToolSchema};
use serde_json::json;

pub const PROMPT: &str = "You are Ada, a patient engineer.";

#[derive(Debug, Clone)]
pub struct Scene {
    pub counter: Arc<dyn TokenCounter>,
    pub window: usize,
    pub larger: &'static str,
    pub layout: Layout,
    pub reserve: usize,
    pub system: String,
    pub character: CharacterBlock,
    pub project: Vec<ProjectDocument>,
    pub project_budget: usize,
    pub memories: MemoryBlock,
    pub memory_budget: usize,
    pub summary: Option<String>,
    pub history: Vec<HistoryEntry>,
    /// The index of the message being answered; the newest message if `None`.
    pub trigger: Option<usize>,
    pub rounds: Vec<ChatMessage>,
    pub tools: Vec<Offered>,
}

impl Scene {
    pub fn new() -> Self {
        Self {
            counter: o200k(),
            window: 8_000,
            larger: LARGER_WINDOW,
            layout: Layout::Standard,
            reserve: 0,
            system: PROMPT.into(),
            character: CharacterBlock::default(),
            project: Vec::new(),
            project_budget: 4_000,
            memories: MemoryBlock::default(),
            memory_budget: 1_200,
            summary: None,
            history: Vec::new(),
            trigger: None,
            rounds: Vec::new(),
            tools: Vec::new(),
        }
    }
    pub fn window(self, window: usize) -> Self {
        Self { window, ..self }
    }
    pub fn larger(self, larger: &'static str) -> Self {
        Self { larger, ..self }
    }
    pub fn reserve(self, reserve: usize) -> Self {
        Self { reserve, ..self }
    }
    pub fn layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }
    pub fn system(self, system: &str) -> Self {
        Self { system: system.into(), ..self }
    }
    pub fn counter(self, counter: impl TokenCounter + 'static) -> Self {
        Self { counter: Arc::new(counter), ..self }
    }
    pub fn project_budget(self, project_budget: usize) -> Self {
        Self { project_budget, ..self }
    }
    pub fn memory_budget(self, memory_budget: usize) -> Self {
        Self { memory_budget, ..self }
    }
    pub fn project(mut self, path: &str, text: &str) -> Self {
        self.project.push(ProjectDocument { path: path.into(), text: text.into() });
        self
    }
    pub fn tool(mut self, name: &str) -> Self {
        let parameters = json!({ "type": "object", "properties": { "query": { "type": "string" } } });
        let tool = ToolSchema { name: name.into(), description: "Looks things up.".into(), parameters };
        self.tools.push(tool.into());
        self
    }
    pub fn memory(mut self, id: &str, line: &str) -> Self {
        self.memories.header = "## Relevant Memories".into();
        let text = line.split_once("] ").map_or(line, |(_, text)| text);
        let (id, line, text) = (id.to_owned(), line.to_owned(), text.to_owned());
        self.memories.entries.push(MemoryEntry {
            id,
            message: None,
            reply: false,
            is_from_other_chat: false,
            line,
            text,
            score: 0.9,
        });
        self
    }
    pub fn past_message(self, id: i64, line: &str) -> Self {
        let mut scene = self.memory(&format!("msg:{id}"), line);
        if let Some(entry) = scene.memories.entries.last_mut() {
            entry.message = Some(MessageId(id));
        }
        scene
    }
    /// Adds these messages, in turns of user and persona, so that the last one is the user's.
    pub fn say(mut self, lines: &[&str]) -> Self {
        for (n, line) in lines.iter().enumerate() {
            let role = if (lines.len() - n) % 2 == 1 { Role::User } else { Role::Assistant };
            self.history.push(HistoryEntry::new(MessageId(n as i64 + 1), role, *line));
        }
        self
    }
    pub fn round(mut self, message: ChatMessage) -> Self {
        self.rounds.push(message);
        self
    }
    pub fn try_assemble(&self) -> Result<Assembled, AssembleError> {
        self.with_assembly(assemble)
    }
    pub fn plan(&self) -> Option<Plan> {
        self.with_assembly(plan)
    }
    pub fn texts(&self, assembled: &Assembled) -> Vec<String> {
        self.with_assembly(|assembly| texts(assembly, assembled))
    }
    fn with_assembly<T>(&self, with: impl Fn(&Assembly<'_>) -> T) -> T {
        let profile =
            ModelProfile { window: self.window, counter: self.counter.clone(), layout: self.layout };
        let counts = Counts::of(&*self.counter, &self.history, &self.tools);
        with(&Assembly {
            model: "test",
            profile: &profile,
            larger: self.larger,
            reserve: self.reserve,
            system: &self.system,
            character: &self.character,
            project: &self.project,
            project_budget: self.project_budget,
            memories: &self.memories,
            memory_budget: self.memory_budget,
            summary: self.summary.as_deref(),
            history: &self.history,
            trigger: self.answering(),
            rounds: &self.rounds,
            tools: &self.tools,
            counts: &counts,
        })
    }
    /// The index of the message being answered.
    pub fn answering(&self) -> usize {
        self.trigger.unwrap_or(self.history.len().saturating_sub(1))
    }
    pub fn trigger(self, trigger: usize) -> Self {
        Self { trigger: Some(trigger), ..self }
    }
    pub fn assemble(&self) -> Assembled {
        self.try_assemble().unwrap()
    }
}

/// `count` words of about a token each.
pub fn words(count: usize) -> String {
    vec!["word"; count].join(" ")
}

/// The outcome of an item, and the reason.
pub fn fate<'a>(receipt: &'a Receipt, id: &str) -> (Outcome, &'a str) {
    let item = receipt.items.iter().find(|item| item.id == id).unwrap();
    (item.outcome, &item.reason)
}

/// Messages as text.
pub fn show(messages: &[ChatMessage]) -> String {
    messages.iter().map(|m| format!("--- {:?}\n{}\n", m.role, m.content)).collect()
}
