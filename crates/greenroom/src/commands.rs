//! What the program does, a file a command.

pub mod chat;
mod config;
mod context;
mod doctor;
mod eval;
mod key;
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
    wiring::App,
};

/// Runs the command of a command line.
pub async fn run(cli: Cli) -> anyhow::Result<Outcome> {
    let place = match &cli.command {
        Command::Chat(args) => Some(&args.place),
        Command::Context(args) => Some(&args.place),
        _ => None,
    };
    let patience = match &cli.command {
        Command::Chat(args) if args.talks() && io::stdin().is_terminal() => LIST_FOR_A_PROMPT,
        _ => LIST,
    };
    let app = App::new(&cli.global, place, patience)?;
    match cli.command {
        Command::Chat(args) => chat::run(&app, args).await,
        Command::Serve(args) => serve::run(&app, args).await,
        Command::Context(args) => context::run(&app, args).await,
        Command::Key(command) => key::run(&app, command).await,
        Command::Memory(command) => memory::run(&app, command).await,
        Command::Persona(command) => persona::run(&app, command),
        Command::Models(command) => models::run(&app, command).await,
        Command::Config(ConfigCommand::Show { persona, json }) => config::run(&app, persona.as_deref(), json),
        Command::Eval(command) => eval::run(&app, command).await,
        Command::Doctor(format) => doctor::run(&app, format.json).await,
    }
}
