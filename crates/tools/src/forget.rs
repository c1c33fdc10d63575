//! The `forget` tool (X7, GR10): one memory of this channel or person at a time. A persona has it only if its file
//! lists it.

use async_trait::async_trait;
use greenroom_core::{Scope, ToolSchema};
use greenroom_memory::{Memory, Withdrawn};
use greenroom_store::ItemId;
use serde_json::{Map, Value, json};

use crate::{Tool, ToolContext, ToolError, arguments::Arguments};

/// Forgets a memory of this persona in this channel, or of what the person told it. Global memories and memories written
/// by the operator are out of reach, whatever the model was persuaded to do.
#[derive(Debug, Clone)]
pub struct Forget {
    memory: Memory,
    reach: Option<Scope>,
}

impl Forget {
    /// The tool's name. After a call of it a memory may be gone.
    pub const NAME: &str = "forget";

    /// The tool over a memory.
    pub fn new(memory: Memory) -> Self {
        Self { memory, reach: None }
    }

    /// The tool for an external program (MCP): it forgets memories of the scope in which the program writes.
    pub fn for_host(memory: Memory, reach: Scope) -> Self {
        Self { memory, reach: Some(reach) }
    }
}

/// The scopes in which a persona may forget while it answers a person: the channel, and what that person told it.
/// Memories from a linked account are forgotten under that account.
fn reach_of(context: &ToolContext) -> Vec<Scope> {
    let viewer = &context.viewer;
    let person = viewer.user_ref().into_iter();
    let personal = person.flat_map(|person| [Scope::User(person.clone()), Scope::Private(person)]);
    personal.chain([Scope::Channel(viewer.channel().clone())]).collect()
}

#[async_trait]
impl Tool for Forget {
    fn schema(&self) -> ToolSchema {
        ToolSchema {
            name: Self::NAME.into(),
            description:
                "Forget one thing in long-term memory, by its id or by what it says. Use it only when \
                asked to forget something."
                    .into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "id": { "type": "string", "description": "The id of the memory, as m12" },
                    "query": { "type": "string", "description": "What the memory says, if its id is not known" }
                },
                "additionalProperties": false
            }),
        }
    }

    async fn call(&self, context: &ToolContext, arguments: Map<String, Value>) -> Result<String, ToolError> {
        let mut arguments = Arguments::new(Self::NAME, arguments);
        let (id, query) = (arguments.text("id")?, arguments.text("query")?);
        let reach = match &self.reach {
            Some(scope) => vec![scope.clone()],
            None => reach_of(context),
        };
        let withdrawn = match (id, query) {
            (Some(id), None) => {
                let id = id
                    .trim()
                    .parse()
                    .map_err(|error: greenroom_core::IdError| arguments.wrong(error.to_string()))?;
                arguments.finish("id, query")?;
                self.memory.withdraw(&context.viewer, &reach, id).await
            }
            (None, Some(query)) => {
                arguments.finish("id, query")?;
                self.memory.withdraw_by(&context.viewer, &reach, &query).await
            }
            (None, None) => return Err(arguments.wrong("give `id` or `query`: what to forget")),
            (Some(_), Some(_)) => return Err(arguments.wrong("give `id` alone, not `id` and `query`")),
        };
        let failed = |reason: String| ToolError::Failed { tool: Self::NAME.into(), reason };
        match withdrawn.map_err(|error| failed(error.to_string()))? {
            Withdrawn::Gone(memory) => {
                context.shown.forgot(memory.id);
                Ok(format!("Forgot {}: {}", memory.id, memory.text))
            }
            Withdrawn::Nothing => Ok("There is no such memory.".into()),
            Withdrawn::Several(memories) => {
                context.shown.add(memories.iter().map(|memory| ItemId::Memory(memory.id)));
                let lines = memories.iter().map(|memory| format!("- {}: {}", memory.id, memory.text));
                let lines = lines.collect::<Vec<_>>().join("\n");
                Ok(format!("Nothing was forgotten: several memories fit. Give the id of one:\n{lines}"))
            }
            Withdrawn::NotYours(id) => Err(failed(format!(
                "{id} does not belong to what may be forgotten here; \
                whoever runs Greenroom can forget it with `greenroom memory forget {id}`"
            ))),
        }
    }
}
