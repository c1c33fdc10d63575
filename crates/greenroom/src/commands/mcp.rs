//! `greenroom mcp`: serves a persona's memory to an MCP host, and lists and approves the MCP servers of personas.

use std::{io::Write, time::Duration};

use greenroom_core::{PersonaName, visible};
use greenroom_persona::{BUILT_IN_TOOLS, McpServer, Persona};
use greenroom_server::{McpAccess, mcp_stdio};
use greenroom_tools::mcp::{
    Approvals, Definition, ServerState, ServerStatus, ServerTool, Verdict, look, unoffered, unusable,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::chat::{Signals, Stop};
use crate::{
    cli::{McpArgs, McpCommand, McpServeArgs},
    failure::{Outcome, usage},
    term::{Style, confirm, count, harmless, one_line, print_json, table},
    wiring::App,
};

/// How long listing waits for servers; after that it shows their current state.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the command.
pub async fn run(app: &App, args: McpArgs) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    if args.command.is_some() && args.serve != McpServeArgs::default() {
        return Err(usage(
            "a persona, --channel and --user before a command are of `greenroom mcp serve`; write them after it",
        ));
    }
    match args.command {
        None => serve(app, args.serve).await,
        Some(McpCommand::Serve(args)) => serve(app, args).await,
        Some(McpCommand::List { persona, json }) => {
            ending_servers(app, list(app, persona.as_deref(), json)).await
        }
        Some(McpCommand::Approve { persona, server, yes }) => {
            ending_servers(app, approve(app, &persona, server.as_deref(), yes)).await
        }
    }
}

/// Runs a command that starts MCP servers. A signal ends the command together with the servers, which are in process
/// groups of their own and get no signal.
pub async fn ending_servers(
    app: &App,
    command: impl Future<Output = anyhow::Result<Outcome>>,
) -> anyhow::Result<Outcome> {
    let mut signals = Signals::new()?;
    let outcome = tokio::select! {
        outcome = command => Some(outcome),
        _ = signals.next() => None,
    };
    app.mcp.close().await;
    outcome.unwrap_or(Ok(Outcome::Interrupted))
}

/// Asks a question in a thread, so that a signal ends the command meanwhile.
async fn agreed(yes: bool, question: String) -> anyhow::Result<bool> {
    tokio::task::spawn_blocking(move || confirm(yes, &question, "nothing was approved")).await?
}

fn persona<'a>(app: &'a App, name: &str) -> anyhow::Result<&'a Persona> {
    let name: PersonaName = app.names().find(name).map_err(usage)?;
    app.cast.get(&name).ok_or_else(|| usage(format!("{name} has no file")))
}

/// Standard output carries the protocol; all other output goes to standard error.
async fn serve(app: &App, args: McpServeArgs) -> anyhow::Result<Outcome> {
    let persona = persona(app, args.persona.as_deref().unwrap_or(app.settings().persona.as_str()))?;
    if !persona.memory.enabled {
        let name = &persona.name;
        return Err(usage(format!("{name} has no memory; its file says memory.enabled: false")));
    }
    let access =
        McpAccess::of_operator(&persona.name, args.channel, args.user).map_err(|e| usage(e.to_string()))?;
    let mut signals = Signals::new()?;
    let store = app.store().await?;
    let memory = app.memory(&store).await?;
    app.learn_the_rest(&memory).await;
    tracing::info!("the memory of {} is served on standard input and output", persona.name);
    let stop = CancellationToken::new();
    let serving = mcp_stdio(&memory, persona, access, stop.clone());
    tokio::pin!(serving);
    let outcome = tokio::select! {
        served = &mut serving => served.map(|()| Outcome::Done),
        signal = signals.next() => {
            stop.cancel();
            serving.await.map(|()| match signal {
                Stop::Interrupt => Outcome::Interrupted,
                Stop::Terminate => Outcome::Done,
            })
        }
    };
    store.close().await;
    Ok(outcome?)
}

async fn list(app: &App, of: Option<&str>, as_json: bool) -> anyhow::Result<Outcome> {
    let personas: Vec<&Persona> = match of {
        Some(name) => vec![persona(app, name)?],
        None => app.cast.personas.iter().filter(|persona| !persona.mcp.is_empty()).collect(),
    };
    app.mcp.set(personas.iter().copied());
    app.mcp.settled(PATIENCE).await;
    let all: Vec<(&Persona, Vec<ServerStatus>)> =
        personas.into_iter().map(|persona| (persona, app.mcp.status(persona))).collect();
    let mut out = std::io::stdout();
    if as_json {
        let rows: Vec<_> =
            all.iter().flat_map(|(persona, servers)| servers.iter().map(|s| as_row(persona, s))).collect();
        print_json(&rows)?;
        return Ok(Outcome::Done);
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .flat_map(|(persona, servers)| servers.iter().flat_map(|server| rows(&persona.name, server)))
        .collect();
    if rows.is_empty() {
        stderr_line!("no persona uses an MCP server; a persona's file names one under mcp");
        return Ok(Outcome::Done);
    }
    write!(out, "{}", table(&["PERSONA", "SERVER", "TOOL", "STATE"], &rows))?;
    for (persona, servers) in &all {
        let notes = servers.iter().flat_map(|server| server.notes(&persona.name));
        for note in notes.chain(unoffered(persona, servers, |name| BUILT_IN_TOOLS.contains(&name))) {
            stderr_line!("{}: {}", persona.name, harmless(&note));
        }
    }
    Ok(Outcome::Done)
}

/// A server as JSON.
fn as_row(persona: &Persona, server: &ServerStatus) -> serde_json::Value {
    let tools: Vec<_> = server
        .tools
        .iter()
        .map(|(tool, verdict)| {
            json!({
                "name": tool.schema.name,
                "description": tool.schema.description,
                "hash": tool.hash,
                "state": word(verdict),
            })
        })
        .collect();
    json!({
        "persona": persona.name,
        "server": server.name,
        "state": state(&server.state),
        "tools": tools,
        "notes": server.notes(&persona.name),
    })
}

fn state(state: &ServerState) -> &'static str {
    match state {
        ServerState::Connecting => "connecting",
        ServerState::NotApproved => "not approved",
        ServerState::Down(_) => "down",
        ServerState::Connected => "connected",
    }
}

/// The verdict on a tool, in short.
fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Offered => "offered",
        Verdict::NotNamed => "not named",
        Verdict::BadName | Verdict::TooLarge => "left out",
        Verdict::BuiltIn | Verdict::Clash(_) => "refused",
        Verdict::NotApproved => "not approved",
        Verdict::Changed => "quarantined",
    }
}

/// A server as table rows: one row per tool, or one row without tools.
fn rows(persona: &PersonaName, server: &ServerStatus) -> Vec<Vec<String>> {
    let row = |tool: &str, state: &str| {
        vec![persona.to_string(), one_line(&server.name, 30), one_line(tool, 40), state.to_owned()]
    };
    if server.tools.is_empty() {
        return vec![row("", state(&server.state))];
    }
    server.tools.iter().map(|(tool, verdict)| row(&tool.schema.name, word(verdict))).collect()
}

/// Shows each server and asks before starting it, then shows its tools and asks before approving them.
async fn approve(app: &App, name: &str, only: Option<&str>, yes: bool) -> anyhow::Result<Outcome> {
    let persona = persona(app, name)?;
    let servers: Vec<(&String, &McpServer)> =
        persona.mcp.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).collect();
    if servers.is_empty() {
        let known: Vec<&str> = persona.mcp.keys().map(String::as_str).collect();
        return Err(usage(match only {
            Some(only) if !known.is_empty() => {
                format!("{} has no MCP server {only}; there are: {}", persona.name, known.join(", "))
            }
            _ => format!("the file of {} names no MCP server", persona.name),
        }));
    }
    let mut outcome = Outcome::Done;
    for (name, spec) in servers {
        stderr_line!("{}", app.err.bold(format!("{name} of {}", persona.name)));
        // the same value is shown, asked about and approved
        let definition = match Definition::of(spec) {
            Ok(definition) => definition,
            Err(reason) => {
                stderr_line!("{}: {reason}", app.err.red("it cannot be started"));
                outcome = Outcome::Failed;
                continue;
            }
        };
        definition.lines().iter().for_each(|line| stderr_line!("{line}"));
        for warning in definition.warnings() {
            stderr_line!("{} {warning}", app.err.yellow("warning:"));
        }
        if !agreed(yes, "start it and look at its tools?".to_owned()).await? {
            outcome = Outcome::Failed;
            continue;
        }
        let offered = match look(name, &definition).await {
            Ok(offered) => offered,
            Err(reason) => {
                stderr_line!("{}: {}", app.err.red("it cannot be asked"), harmless(&reason));
                outcome = Outcome::Failed;
                continue;
            }
        };
        let named = |tool: &&ServerTool| {
            spec.allow.iter().chain(&persona.tools).any(|name| *name == tool.schema.name)
        };
        let (wanted, others): (Vec<&ServerTool>, Vec<&ServerTool>) = offered.iter().partition(named);
        let names = |tools: &[&ServerTool]| -> Vec<String> {
            tools.iter().map(|tool| one_line(&visible(&tool.schema.name).to_string(), 80)).collect()
        };
        let (mut tools, mut lost) = (Vec::new(), Vec::new());
        for tool in wanted {
            match unusable(tool).and_then(|verdict| verdict.remedy(&persona.name, name)) {
                None => tools.push(tool),
                Some(reason) => lost.push((tool, reason)),
            }
        }
        for tool in &tools {
            stderr_text!("{}", described(tool, app.err));
        }
        for (tool, reason) in lost {
            stderr_line!("{}: {reason}", names(&[tool]).join(""));
        }
        if !others.is_empty() {
            stderr_line!("not named in the file, and so not used: {}", names(&others).join(", "));
        }
        let question = format!("let {} use {} as above?", persona.name, count(tools.len(), "tool", "tools"));
        if !agreed(yes, question).await? {
            outcome = Outcome::Failed;
            continue;
        }
        // read again, because another process may have changed the file while the question was open
        let file = app.approvals_file()?;
        let mut approvals = Approvals::read(&file)?;
        approvals.approve(&persona.name, name, &definition, tools.iter().copied());
        approvals.write(&file)?;
        writeln!(std::io::stdout(), "{} may use of {name}: {}", persona.name, or_nothing(&names(&tools)))?;
    }
    Ok(outcome)
}

fn or_nothing(names: &[String]) -> String {
    if names.is_empty() { "nothing; its file names no tool it offers".to_owned() } else { names.join(", ") }
}

/// A tool with its full text, which its hash covers. Each line begins with a bar, so that no line can imitate output of
/// Greenroom.
fn described(tool: &ServerTool, style: Style) -> String {
    let ServerTool { schema, .. } = tool;
    let parameters = format!("{:#}", schema.parameters);
    let mut out = format!("  {}\n", style.bold(&schema.name));
    for line in [schema.description.as_str(), &parameters].iter().flat_map(|text| text.split('\n')) {
        out.push_str(&format!("  {} {}\n", style.dim("│"), visible(line)));
    }
    out
}

#[cfg(test)]
mod tests {
    use greenroom_core::ToolSchema;

    use super::*;
    use crate::term::Color;

    /// Finding A7: 152 of 2,152 characters of a description were not shown, and neither were invisible ones.
    #[test]
    fn x9_a_tool_is_shown_word_for_word() {
        let description = format!(
            "Reads.\n{}\nlet ada use 1 tool as above? [y/N] y\r\u{1b}[2J\u{e0041}",
            "x".repeat(9_000)
        );
        let parameters =
            json!({ "type": "object", "properties": { "a\u{202e}": { "default": "\u{200b}" } } });
        let schema = ToolSchema { name: "read".into(), description, parameters };
        let shown = described(&ServerTool::new(schema), Style::stderr(Color::Never));
        assert!(shown.contains(&"x".repeat(9_000)));
        assert!(
            shown.contains(r"  │ let ada use 1 tool as above? [y/N] y\u{d}\u{1b}[2J\u{e0041}"),
            "{shown}"
        );
        assert!(shown.contains(r#""a\u{202e}": {"#) && shown.contains(r#""default": "\u{200b}""#), "{shown}");
        assert!(shown.lines().skip(1).all(|line| line.starts_with("  │ ")), "{shown}");
    }
}
