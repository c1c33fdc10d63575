//! The `recall` tool: the model searches its persona's memories and past messages of the channel (AS8, BD12). It only
//! reads; `greenroom-memory` ranks the results.

use async_trait::async_trait;
use greenroom_core::ToolSchema;
use greenroom_memory::{Memory, SearchOptions, attributed};
use serde_json::{Map, Value, json};

use crate::{Tool, ToolContext, ToolError, arguments::Arguments};

const NAME: &str = "recall";
/// Results of a call that gives no limit (BD12).
const DEFAULT_RESULTS: u64 = 5;
const MAX_RESULTS: u64 = 20;

/// Searches this persona's memories and past messages in this channel, best first.
#[derive(Debug, Clone)]
pub struct Recall {
    memory: Memory,
}

impl Recall {
    /// The tool over a memory.
    pub fn new(memory: Memory) -> Self {
        Self { memory }
    }
}

#[async_trait]
impl Tool for Recall {
    fn schema(&self) -> ToolSchema {
        ToolSchema {
            name: NAME.into(),
            description: "Search long-term memory and past messages. Use it when asked about something said \
                earlier that is not in the conversation."
                .into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "What to search for" },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_RESULTS,
                        "default": DEFAULT_RESULTS,
                        "description": "How many results at most"
                    }
                },
                "required": ["query"],
                "additionalProperties": false
            }),
        }
    }

    async fn call(&self, context: &ToolContext, arguments: Map<String, Value>) -> Result<String, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments);
        let query = arguments.text("query")?;
        let limit = arguments.number("limit", 1, MAX_RESULTS)?.unwrap_or(DEFAULT_RESULTS);
        let Some(query) = query else {
            return Err(arguments.wrong("`query` is missing: give what to search for"));
        };
        arguments.finish("query, limit")?;

        let standpoint = SearchOptions {
            before: Some(context.trigger),
            zone: context.zone.clone(),
            witness: context.witness,
            follow: context.follow,
            scope: None,
        };
        let found = self
            .memory
            .search_from(&context.viewer, &query, limit as usize, &standpoint)
            .await
            .map_err(|error| ToolError::Failed { tool: NAME.into(), reason: error.to_string() })?;
        context.shown.add(found.hits.iter().map(|hit| hit.item.id()));
        let notes = found.notes.iter().map(|note| format!("({note})"));
        let hits = found.hits.iter().map(|hit| attributed(&hit.item, hit.from.as_deref(), &context.zone));
        let nothing = found.hits.is_empty().then(|| "No relevant memories found.".to_owned());
        Ok(notes.chain(hits).chain(nothing).collect::<Vec<_>>().join("\n"))
    }
}
