//! A persona with a tool of the program's own. The model is a script, so that the example needs no endpoint; put
//! `OpenAiModel` in its place for a real one.

use std::{error::Error, path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use greenroom_context::profile_for;
use greenroom_core::{Author, ChatEvent, Envelope, Message, SystemClock, ToolSchema};
use greenroom_memory::Memory;
use greenroom_models::ScriptedModel;
use greenroom_persona::Persona;
use greenroom_runtime::{ResolvedModel, Runtime, RuntimeOptions};
use greenroom_store_sqlite::SqliteStore;
use greenroom_tools::{Tool, ToolContext, ToolError};
use serde_json::{Map, Value, json};

/// Knows when the tide is high.
struct Tide;

#[async_trait]
impl Tool for Tide {
    fn schema(&self) -> ToolSchema {
        ToolSchema {
            name: "tide".into(),
            description: "When the next high tide of a harbour is.".into(),
            parameters: json!({
                "type": "object",
                "properties": { "harbour": { "type": "string" } },
                "required": ["harbour"],
                "additionalProperties": false
            }),
        }
    }

    /// The text goes to the model, also an error: it does not end the turn, and the model may try again.
    async fn call(&self, _: &ToolContext, arguments: Map<String, Value>) -> Result<String, ToolError> {
        let tool = self.schema().name;
        match arguments.get("harbour").and_then(Value::as_str) {
            Some("Dover") => Ok("high tide in Dover at 14:20".into()),
            Some(other) => Err(ToolError::Failed { tool, reason: format!("there is no table for {other}") }),
            None => Err(ToolError::Arguments { tool, reason: "`harbour` must be a string".into() }),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let store = Arc::new(SqliteStore::open(&directory.path().join("greenroom.db")).await?);
    let memory = Memory::new(store.clone(), None, Arc::new(SystemClock));

    // a persona has the tools that its file names; one made in code has those in its `tools`
    let mut ada = Persona::new("ada".parse()?, "You are Ada, the harbour master.");
    ada.tools = vec!["tide".into()];
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("custom_tool/script.toml");
    let model = ResolvedModel {
        model: Arc::new(ScriptedModel::open(script)?),
        name: "script".into(),
        profile: profile_for("script", None),
    };
    let mut options = RuntimeOptions::new(store, memory, Arc::new(model), vec![ada]);
    options.tools.push(Arc::new(Tide));
    let runtime = Runtime::start(options).await?;

    let jo = Author::User { id: "jo".parse()?, name: "Jo".into() };
    // the same event id again is the same message: it gets no second reply
    let message = Message::new("harbour:office".parse()?, "event-1", jo, "When can I leave Dover?");
    // without `to`, she answers only if the message mentions her
    let envelope = Envelope { to: Some("ada".parse()?), ..Envelope::new(message) };
    let mut sent = runtime.send(envelope).await?;
    while let Some(told) = sent.events.recv().await {
        match &told.event {
            ChatEvent::ToolCall { name, arguments, .. } => println!("call: {name} {arguments}"),
            ChatEvent::ToolResult { content, .. } => println!("result: {content}"),
            ChatEvent::Done { text, .. } => println!("ada: {text}"),
            ChatEvent::Failed { message, .. } => return Err(message.as_str().into()),
            _ => {}
        }
    }
    runtime.shutdown(Duration::from_secs(5)).await;
    Ok(())
}
