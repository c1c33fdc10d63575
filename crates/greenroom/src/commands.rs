//! The commands of the program, one file per command.

mod accounts;
pub mod chat;
mod config;
mod connect;
mod context;
mod doctor;
mod eval;
mod generate;
mod key;
mod mcp;
mod memory;
mod models;
mod persona;
pub mod room;
mod serve;
mod sim;
mod store;
pub mod who;

use std::io::{self, IsTerminal};

use crate::{
    cli::{Cli, Command, ConfigCommand},
    failure::Outcome,
    probe::{LIST_TIMEOUT, PROMPT_LIST_TIMEOUT},
    telemetry::{LogSettings, LogStyle, Telemetry},
    wiring::App,
};

/// Runs the command of the parsed command line.
pub async fn run(cli: Cli) -> anyhow::Result<Outcome> {
    let models = match &cli.command {
        Command::Chat(args) => Some(&args.place.models),
        Command::Context(args) => Some(&args.place.models),
        Command::Serve(args) => Some(&args.models),
        Command::Sim(command) => command.models(),
        _ => None,
    };
    let list_timeout = match &cli.command {
        Command::Chat(args) if args.is_interactive() && io::stdin().is_terminal() => PROMPT_LIST_TIMEOUT,
        _ => LIST_TIMEOUT,
    };
    let app = App::new(&cli.global, models, list_timeout)?;
    let server = match &cli.command {
        Command::Serve(args) => Some(args.log_format),
        _ => None,
    };
    let telemetry = Telemetry::start(&LogSettings {
        level: cli.global.log.as_deref(),
        color: cli.global.color,
        style: server.map_or(LogStyle::Command, LogStyle::Server),
        collector: server.and(app.settings().server.otlp_endpoint.as_deref()),
    })?;
    let outcome = run_command(&app, cli.command).await;
    telemetry.end().await;
    outcome
}

async fn run_command(app: &App, command: Command) -> anyhow::Result<Outcome> {
    match command {
        Command::Chat(args) => chat::run(app, args).await,
        Command::Serve(args) => serve::run(app, args).await,
        Command::Context(args) => context::run(app, args).await,
        Command::Connect(args) => connect::run(app, args).await,
        Command::Accounts(args) => accounts::run(app, args).await,
        Command::Key(command) => key::run(app, command).await,
        Command::Memory(command) => memory::run(app, command).await,
        Command::Room(command) => room::run(app, command).await,
        Command::Store(command) => store::run(app, command).await,
        Command::Sim(command) => sim::run_command(app, command).await,
        Command::Mcp(args) => mcp::run(app, args).await,
        Command::Persona(command) => persona::run(app, command).await,
        Command::Models(command) => models::run(app, command).await,
        Command::Config(ConfigCommand::Show { persona, json }) => config::run(app, persona.as_deref(), json),
        Command::Eval(command) => eval::run(app, command).await,
        Command::Doctor(format) => doctor::run(app, format.json).await,
        Command::Completions { shell } => generate::completions(shell),
        Command::Man { directory } => generate::manual(&directory),
    }
}
