//! The `remember` tool (AS7, BD12).

use std::time::Duration;

use async_trait::async_trait;
use greenroom_core::{Kind, Scope, Source, Tier, ToolSchema, Trust};
use greenroom_memory::{Decision, Memory, MemoryError, is_about, scope_of_said, speaks_of_oneself};
use serde_json::{Map, Value, json};

use crate::{Tool, ToolContext, ToolError, arguments::Arguments};

const NAME: &str = "remember";
const DAY: u64 = 24 * 60 * 60;
/// A hundred years. A model that means a longer time leaves the argument out, which stores the memory for ever.
const MOST_DAYS: u64 = 36_500;

/// Stores a statement for this persona where the person's statements are kept: with the person (private if no other
/// person listens), or in the channel (MP1).
///
/// A statement that a model writes while it answers a person has that person as its source, whatever the model was
/// persuaded to do: it has the trust of a stranger and never holds beyond the channel and the person (X7).
#[derive(Debug, Clone)]
pub struct Remember {
    memory: Memory,
    host: Option<Host>,
}

/// The identity of an external program that calls the tool outside a turn (MCP).
#[derive(Debug, Clone)]
pub struct Host {
    /// The scope of its memories.
    pub scope: Scope,
    /// The trust of its memories.
    pub trust: Trust,
}

impl Remember {
    /// The tool over a memory.
    pub fn new(memory: Memory) -> Self {
        Self { memory, host: None }
    }

    /// The tool for an external program; its memories have the source `mcp`.
    pub fn for_host(memory: Memory, host: Host) -> Self {
        Self { memory, host: Some(host) }
    }

    /// Scope, source and trust of a statement made in this context; `open` if the person said that others may know it.
    fn origin(&self, context: &ToolContext, content: &str, open: bool) -> (Scope, Source, Trust) {
        let user = context.user.clone();
        match &self.host {
            Some(Host { scope, trust }) => {
                (scope.clone(), Source { via: "mcp".into(), message: None, user }, *trust)
            }
            None => {
                let trust = if user.is_some() { Trust::Stranger } else { Trust::Persona };
                let source = Source { via: "tool".into(), message: Some(context.trigger), user };
                let opened = open && context.viewer.is_one_to_one();
                let viewer = context.viewer.clone();
                let viewer = if opened { viewer.in_a_group() } else { viewer };
                let of_themselves =
                    || opened || speaks_of_oneself(content) || is_about(content, &context.name);
                (scope_of_said(&viewer, context.follow, of_themselves), source, trust)
            }
        }
    }
}

#[async_trait]
impl Tool for Remember {
    fn schema(&self) -> ToolSchema {
        ToolSchema {
            name: NAME.into(),
            description:
                "Store a fact, preference or decision in long-term memory, as one sentence that can be \
                understood without the conversation."
                    .into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "content": { "type": "string", "description": "What to remember" },
                    "category": {
                        "type": "string",
                        "description": "fact, preference, decision, event, or a word of your own"
                    },
                    "others_may_know": {
                        "type": "boolean",
                        "default": false,
                        "description": "True only if the person said that others may know it"
                    },
                    "expires_in_days": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MOST_DAYS,
                        "description": "Days until it is forgotten; leave it out for things that stay true"
                    }
                },
                "required": ["content"],
                "additionalProperties": false
            }),
        }
    }

    async fn call(&self, context: &ToolContext, arguments: Map<String, Value>) -> Result<String, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments);
        // BD12 calls it `text`
        let (content, text) = (arguments.text("content")?, arguments.text("text")?);
        let kind = arguments.text("category")?.map(|word| Kind::new(&word)).unwrap_or_default();
        let open = arguments.flag("others_may_know")?.unwrap_or(false);
        let days = arguments.number("expires_in_days", 1, MOST_DAYS)?;
        let content = match (content, text) {
            (Some(content), None) | (None, Some(content)) => content,
            (None, None) => return Err(arguments.wrong("`content` is missing: give the text to remember")),
            (Some(_), Some(_)) => {
                return Err(arguments.wrong("give `content` alone, not `content` and `text`"));
            }
        };
        arguments.finish("content, category, others_may_know, expires_in_days")?;

        let (scope, source, trust) = self.origin(context, &content, open);
        let statement = greenroom_memory::Remember {
            text: content,
            kind,
            tier: Tier::Semantic,
            scope,
            source,
            trust,
            key: None,
            expires_in: days.map(|days| Duration::from_secs(days * DAY)),
        };
        let remembered =
            self.memory.remember_of(&context.viewer, statement, context.shown.get()).await.map_err(
                |error| match error {
                    MemoryError::Empty | MemoryError::TooLong { .. } => {
                        ToolError::Arguments { tool: NAME.into(), reason: error.to_string() }
                    }
                    other => ToolError::Failed { tool: NAME.into(), reason: other.to_string() },
                },
            )?;
        let id = remembered.memory.id;
        let how = match remembered.decision {
            Decision::Ignore(..) => return Ok(format!("Already known: {id}")),
            Decision::Add => String::new(),
            Decision::Update(_) => format!(" (version {})", remembered.memory.version),
            Decision::Supersede(old) => format!(" (supersedes {old})"),
        };
        Ok(format!("Remembered as {id}{how}: {}", remembered.memory.text))
    }
}
