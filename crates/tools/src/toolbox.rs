//! The tool policy: a persona has the tools its file lists, and only those.

use std::sync::Arc;

use greenroom_core::{Offered, ToolCall};
use greenroom_memory::Memory;

use crate::{Forget, Recall, Remember, Tool, ToolContext, ToolError, arguments::object};

/// The most characters of a result that the model gets, including the note of a cut.
const LONGEST: usize = 8_000;

/// The result of a tool call. Always goes to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutcome {
    /// False when `content` is an error.
    pub ok: bool,
    /// The text that the model gets.
    pub content: String,
    /// False when this persona has no such tool (L16).
    pub known: bool,
}

/// The memory tools; for [`Toolbox::for_persona`] to choose from.
pub fn memory_tools(memory: &Memory) -> Toolbox {
    Toolbox::default().with(vec![
        Arc::new(Remember::new(memory.clone())),
        Arc::new(Recall::new(memory.clone())),
        Arc::new(Forget::new(memory.clone())),
    ])
}

/// The tools of one persona, or all available tools.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Vec<(Offered, Arc<dyn Tool>)>,
}

impl Toolbox {
    /// The tools among `available` that `names` lists, in its order. A name without a tool is skipped; `greenroom
    /// persona check` reports it.
    pub fn for_persona(names: &[String], available: &Self) -> Self {
        let mut tools: Vec<(Offered, Arc<dyn Tool>)> = Vec::new();
        for name in names {
            let listed = available.tools.iter().find(|(schema, _)| schema.name == *name);
            tools.extend(listed.filter(|_| tools.iter().all(|(known, _)| known.name != *name)).cloned());
        }
        Self { tools }
    }

    /// Adds tools; an existing tool keeps its name.
    #[must_use]
    pub fn with(mut self, others: Vec<Arc<dyn Tool>>) -> Self {
        for tool in others {
            let schema = tool.schema();
            if self.tools.iter().all(|(taken, _)| taken.name != schema.name) {
                self.tools.push((schema.into(), tool));
            }
        }
        self
    }

    /// Whether there is a tool of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|(schema, _)| schema.name == name)
    }

    /// The schemas for the model; empty when the persona has no tools.
    pub fn schemas(&self) -> Vec<Offered> {
        self.tools.iter().map(|(schema, _)| schema.clone()).collect()
    }

    /// Runs a call. Every failure is an outcome for the model: arguments that are no JSON object (L15), a tool that
    /// it does not have (L16), a tool that fails (AS7).
    pub async fn run(&self, context: &ToolContext, call: &ToolCall) -> ToolOutcome {
        let Some((_, tool)) = self.tools.iter().find(|(schema, _)| schema.name == call.name) else {
            let error = ToolError::Unknown { tool: shown(&call.name), known: self.names() };
            return ToolOutcome { ok: false, content: error.to_string(), known: false };
        };
        let result = match object(&call.arguments) {
            Ok(arguments) => tool.call(context, arguments).await,
            Err(reason) => Err(ToolError::Arguments { tool: call.name.clone(), reason }),
        };
        let (ok, content) = match result {
            Ok(content) => (true, content),
            Err(error) => (false, error.to_string()),
        };
        ToolOutcome { ok, content: bounded(content), known: true }
    }

    fn names(&self) -> String {
        let names: Vec<&str> = self.tools.iter().map(|(schema, _)| schema.name.as_str()).collect();
        if names.is_empty() { "none".into() } else { names.join(", ") }
    }
}

/// A tool name that the model invented, shortened for the answer to it.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}

/// The content, or as much of it as a model is given.
fn bounded(content: String) -> String {
    let length = content.chars().count();
    if length <= LONGEST {
        return content;
    }
    let note = format!("\n[cut here: the result has {length} characters]");
    let kept = LONGEST - note.chars().count();
    content.chars().take(kept).chain(note.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_result_is_cut_and_says_so() {
        assert_eq!(bounded("é".repeat(LONGEST)), "é".repeat(LONGEST));
        let cut = bounded("é".repeat(LONGEST + 1));
        assert_eq!(cut.chars().count(), LONGEST);
        assert!(cut.ends_with("é\n[cut here: the result has 8001 characters]"), "{}", &cut[cut.len() - 60..]);
    }
}
