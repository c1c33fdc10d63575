//! The program `greenroom`: parses the command line, creates the services and runs a command.

// a closed output must not panic: write with `writeln!` and its error, or with `stderr_line!`
#![deny(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
mod stderr;

mod cli;
mod commands;
mod failure;
mod lock;
mod model_choice;
mod probe;
mod telemetry;
mod term;
mod wiring;

use std::process::ExitCode;

use term::Style;

// jemalloc's background threads return memory to the system some seconds after it was freed
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::read();
    let style = Style::stderr(cli.global.color);
    match start(cli) {
        Ok(outcome) => outcome.into(),
        Err(error) => failure::report(&error, style),
    }
}

fn start(cli: cli::Cli) -> anyhow::Result<failure::Outcome> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        #[cfg(unix)]
        survive_file_limit()?;
        commands::run(cli).await
    });
    // a thread may still wait for a line on standard input, which cannot be interrupted
    runtime.shutdown_background();
    outcome
}

/// Past the limit of a file's size (`ulimit -f`) a write shall fail, as on a full disk (S3). Without a handler the signal
/// ends the program.
#[cfg(unix)]
fn survive_file_limit() -> std::io::Result<()> {
    use nix::sys::signal::Signal;
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::from_raw(Signal::SIGXFSZ as i32)).map(|_| ())
}
