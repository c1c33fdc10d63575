//! What the program does, a file a command.

pub mod chat;
mod config;
mod context;
mod doctor;
mod eval;
mod generate;
mod key;
mod mcp;
mod memory;
mod models;
mod persona;
mod serve;
pub mod who;

use std::io::{self, IsTerminal};

use crate::{
    cli::{Cli, Command, ConfigCommand},
    failure::Outcome,
    probe::{LIST, LIST_FOR_A_PROMPT},
    telemetry::{Lines, Telemetry, Wanted},
    wiring::App,
};

/// Runs the command of a command line.
pub async fn run(cli: Cli) -> anyhow::Result<Outcome> {
    let models = match &cli.command {
        Command::Chat(args) => Some(&args.place.models),
        Command::Context(args) => Some(&args.place.models),
        Command::Serve(args) => Some(&args.models),
        _ => None,
    };
    let patience = match &cli.command {
        Command::Chat(args) if args.talks() && io::stdin().is_terminal() => LIST_FOR_A_PROMPT,
        _ => LIST,
    };
    let app = App::new(&cli.global, models, patience)?;
    let server = match &cli.command {
        Command::Serve(args) => Some(args.log_format),
        _ => None,
    };
    let telemetry = Telemetry::start(&Wanted {
        level: cli.global.log.as_deref(),
        color: cli.global.color,
        lines: server.map_or(Lines::Command, Lines::Server),
        collector: server.and(app.settings().server.otlp_endpoint.as_deref()),
    })?;
    let outcome = obey(&app, cli.command).await;
    telemetry.end().await;
    outcome
}

async fn obey(app: &App, command: Command) -> anyhow::Result<Outcome> {
    match command {
        Command::Chat(args) => chat::run(app, args).await,
        Command::Serve(args) => serve::run(app, args).await,
        Command::Context(args) => context::run(app, args).await,
        Command::Key(command) => key::run(app, command).await,
        Command::Memory(command) => memory::run(app, command).await,
        Command::Mcp(args) => mcp::run(app, args).await,
        Command::Persona(command) => persona::run(app, command),
        Command::Models(command) => models::run(app, command).await,
        Command::Config(ConfigCommand::Show { persona, json }) => config::run(app, persona.as_deref(), json),
        Command::Eval(command) => eval::run(app, command).await,
        Command::Doctor(format) => doctor::run(app, format.json).await,
        Command::Completions { shell } => generate::completions(shell),
        Command::Man { directory } => generate::manual(&directory),
    }
}
