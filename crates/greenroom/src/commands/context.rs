//! `greenroom context`: shows the request that a model would get, and the reasons. Runs a turn up to the model call;
//! calls no model and stores nothing.

use std::io::Write;

use greenroom_core::{Author, Entropy, Envelope, Message, SystemEntropy};
use greenroom_runtime::Preview;
use serde_json::json;

use super::{chat::project, mcp::ending_servers, who};
use crate::{
    cli::ContextArgs,
    failure::{Outcome, usage},
    term::{harmless, print_json},
    wiring::App,
};

/// The message of a command without one.
const GREETING: &str = "Hello!";

/// Runs the command.
pub async fn run(app: &App, args: ContextArgs) -> anyhow::Result<Outcome> {
    ending_servers(app, show(app, args)).await
}

async fn show(app: &App, args: ContextArgs) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    let (persona, message) = who::addressed(
        args.place.to.as_deref(),
        args.persona.as_deref(),
        args.message.as_deref(),
        &app.names(),
        &app.settings().persona,
    )
    .map_err(usage)?;
    let user = app.user(args.place.user.as_ref())?;
    let project = args.place.project.as_deref().map(project).transpose()?;
    let store = app.store().await?;
    let models = app.models();
    let (memory, choice) = tokio::join!(app.memory(&store), models.prepare(&persona));
    if !args.json {
        stderr_line!("{} · {}", app.err.bold(persona.as_str()), harmless(&choice.describe()));
    }
    if message.is_none() {
        stderr_line!("{}", app.err.dim(format!("for the message “{GREETING}”; give MESSAGE to see another")));
    }
    let author = Author::User { name: user.to_string(), id: user };
    let text = message.unwrap_or_else(|| GREETING.to_owned());
    let message = Message::new(args.place.channel, SystemEntropy.uuid(), author, text);
    let envelope = Envelope {
        to: Some(persona),
        project,
        disable_memory: args.place.no_memory,
        ..Envelope::new(message)
    };
    let runtime = app.runtime(store.clone(), memory?, models).await?;
    app.wait_for_tools().await;
    let preview = runtime.preview(envelope).await;
    runtime.shutdown(std::time::Duration::ZERO).await;
    store.close().await;
    let preview = preview?;
    print(&preview, args.full, args.json)?;
    Ok(match &preview.full {
        None => Outcome::Done,
        Some(remedy) => {
            stderr_line!("{} {}", app.err.red("error:"), harmless(remedy));
            Outcome::Failed
        }
    })
}

fn print(preview: &Preview, full: bool, as_json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    if as_json {
        let all = json!({
            "persona": preview.persona,
            "model": preview.model,
            "memories": preview.memories,
            "messages": preview.messages,
            "tools": preview.tools,
            "receipt": preview.receipt,
        });
        print_json(&all)?;
        return Ok(());
    }
    write!(out, "{}", harmless(&greenroom_context::render_receipt(&preview.receipt)))?;
    if full {
        for message in &preview.messages {
            let role = serde_json::to_value(message.role)?;
            let role = role.as_str().unwrap_or_default();
            writeln!(out, "\n--- {role} ---\n{}", harmless(&message.content))?;
        }
        for tool in &preview.tools {
            let text = format!("\n--- tool {} ---\n{}\n{}", tool.name, tool.description, tool.parameters);
            writeln!(out, "{}", harmless(&text))?;
        }
    }
    Ok(())
}
