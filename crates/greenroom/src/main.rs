//! The program: command line and wiring. Nothing else depends on it.

mod choose;
mod cli;
mod commands;
mod failure;
mod lock;
mod probe;
mod term;
mod wiring;

use std::process::ExitCode;

use clap::Parser;
use term::Style;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let style = Style::stderr(cli.global.color);
    match start(cli) {
        Ok(outcome) => outcome.into(),
        Err(error) => failure::report(&error, style),
    }
}

fn start(cli: cli::Cli) -> anyhow::Result<failure::Outcome> {
    log(&cli.global)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(commands::run(cli));
    // a thread may still wait for a line on standard input, which nobody can interrupt
    runtime.shutdown_background();
    outcome
}

/// Logs go to stderr and never hold a key or a prompt (X5).
fn log(global: &cli::Global) -> anyhow::Result<()> {
    let level = global.log.as_deref().unwrap_or("warn");
    if level.split(',').any(|directive| directive.trim_end().ends_with('=')) {
        return Err(failure::usage(format!("--log {level}: a level is missing after `=`; try --log info")));
    }
    let filter = tracing_subscriber::EnvFilter::try_new(level)
        .map_err(|error| failure::usage(format!("--log {level}: {error}; try --log info")))?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(Style::stderr(global.color).color())
        .with_target(false)
        .without_time()
        .init();
    Ok(())
}
