//! The `list` tool: memories with their ids, newest first. For external programs (MCP); a persona searches instead.

use async_trait::async_trait;
use greenroom_core::ToolSchema;
use greenroom_memory::{Memory, MemoryError, attributed};
use greenroom_store::Item;
use serde_json::{Map, Value, json};

use crate::{Tool, ToolContext, ToolError, arguments::Arguments};

const NAME: &str = "list";
const USUAL: u64 = 50;
const MOST: u64 = 500;

/// Lists the memories that are seen from here.
#[derive(Debug, Clone)]
pub struct List {
    memory: Memory,
}

impl List {
    /// The tool over a memory.
    pub fn new(memory: Memory) -> Self {
        Self { memory }
    }
}

#[async_trait]
impl Tool for List {
    fn schema(&self) -> ToolSchema {
        ToolSchema {
            name: NAME.into(),
            description: "List what is in long-term memory, newest first, each with its id.".into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MOST,
                        "default": USUAL,
                        "description": "How many at most"
                    }
                },
                "additionalProperties": false
            }),
        }
    }

    async fn call(&self, context: &ToolContext, arguments: Map<String, Value>) -> Result<String, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments);
        let limit = arguments.number("limit", 1, MOST)?.unwrap_or(USUAL);
        arguments.finish("limit")?;
        let failed = |error: MemoryError| ToolError::Failed { tool: NAME.into(), reason: error.to_string() };
        let memories = self.memory.list(&context.viewer, limit as usize).await.map_err(failed)?;
        let labels = self.memory.source_labels(&context.viewer, &memories).await;
        let labels = labels.map_err(|error| failed(error.into()))?;
        let lines = memories.into_iter().zip(labels).map(|(memory, from)| {
            let id = memory.id;
            let line = attributed(&Item::Memory(memory), from.as_deref(), &context.zone);
            format!("{id} {}", line.trim_start_matches("- "))
        });
        let lines: Vec<String> = lines.collect();
        Ok(if lines.is_empty() { "Nothing is remembered here yet.".to_owned() } else { lines.join("\n") })
    }
}
