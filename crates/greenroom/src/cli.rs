//! The command line: what can be said to the program. What it does stands in `commands`.

mod eval;
mod key;
mod mcp;
mod memory;

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use greenroom_core::{ChannelKey, PersonaName, UserId};
use greenroom_persona::{env, parse_duration};

use crate::{telemetry::LogFormat, term::Color};

pub use eval::{EvalCommand, EvalRecallArgs};
pub use key::KeyCommand;
pub use mcp::{McpArgs, McpCommand, McpServeArgs};
pub use memory::{ForgetArgs, MemoryCommand, MemoryPlace};

const EXAMPLES: &str = "\
Examples:
  greenroom chat                                 talk to the sample persona
  greenroom chat ada \"What is a WAL?\"            one question, the answer alone on stdout
  greenroom chat ada --project . < questions     every line is a message
  greenroom memory add \"The build takes 6 min\"   remembered from now on
  greenroom context ada \"How long is a build?\"   what a model would be sent, and why
  greenroom doctor                               is everything in order?

Exit codes:
  0    done
  1    what was asked for failed: no reply, a no to a question, problems in a file
  2    the command line or the settings are wrong
  3    the store cannot be used
  4    another process answers in the channel
  130  stopped with Ctrl-C";

const COMPLETIONS: &str = "\
Examples:
  greenroom completions bash > ~/.local/share/bash-completion/completions/greenroom
  greenroom completions zsh > ~/.zfunc/_greenroom          # a directory of $fpath
  greenroom completions fish > ~/.config/fish/completions/greenroom.fish";

/// The examples, and every environment variable there is.
fn manual() -> String {
    let rows = env::VARIABLES.iter().filter(|variable| variable.name != env::BLESS);
    let rows = rows.map(|variable| format!("  {:24} {}\n", variable.name, variable.meaning));
    format!(
        "{EXAMPLES}\n\nEnvironment:\n{}  {:24} any setting, as GREENROOM_MODEL__TEMPERATURE=0.2\n",
        rows.collect::<String>(),
        "GREENROOM_SECTION__NAME"
    )
}

/// Talk to AI personas that remember.
///
/// A persona is a file. It remembers what it is told across conversations, and every context it
/// answers from can be shown item by item.
#[derive(Debug, Parser)]
#[command(
    name = "greenroom",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = EXAMPLES,
    after_long_help = manual(),
    arg_required_else_help = true,
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// What holds for every command.
    #[command(flatten)]
    pub global: Global,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Global {
    /// Directory of persona files
    #[arg(long, global = true, value_name = "DIR")]
    pub personas: Option<PathBuf>,
    /// Directory for the store, weights and history
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Settings file instead of ./greenroom.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What to log to stderr: error, warn (default), info, debug, trace
    #[arg(long, global = true, value_name = "LEVEL", env = env::LOG, hide_env = true)]
    pub log: Option<String>,
    /// When to use colours: auto, always, never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        value_enum,
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub color: Color,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Talk to a persona; without MESSAGE in the terminal, with it once
    Chat(ChatArgs),
    /// Serve the cast over HTTP: OpenAI-compatible API, native API, MCP, the inspector page
    Serve(ServeArgs),
    /// Keys for the server: who may come in, and as whom
    #[command(subcommand)]
    Key(KeyCommand),
    /// Assemble a context and show its receipt; no model is called, nothing is stored
    Context(ContextArgs),
    /// What a persona remembers: read it, change it, forget it, take it along
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// A persona's memory for an MCP host, and the MCP servers whose tools personas use
    Mcp(McpArgs),
    /// The cast: list, check, new
    #[command(subcommand)]
    Persona(PersonaCommand),
    /// Models that run in this program: list, pull
    #[command(subcommand)]
    Models(ModelsCommand),
    /// The settings in force and where each comes from
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Measure recall on conversations whose answers are known
    #[command(subcommand)]
    Eval(EvalCommand),
    /// Check settings, store, embedder, model and personas, and say what to do
    Doctor(JsonArgs),
    /// Print the script that completes command lines in a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Write the manual pages into a directory; packages use this
    #[command(hide = true)]
    Man {
        /// Which directory; made where it is missing
        directory: PathBuf,
    },
}

/// Who talks with whom, and where.
#[derive(Debug, Clone, Args)]
pub struct PlaceArgs {
    /// Who should answer, as the first argument
    #[arg(long = "persona", value_name = "NAME")]
    pub to: Option<String>,
    /// The channel, as provider:chat_id
    #[arg(long, value_name = "KEY", default_value = "terminal:default")]
    pub channel: ChannelKey,
    /// Who you are
    #[arg(long, value_name = "NAME")]
    pub user: Option<UserId>,
    /// Read AGENTS.md files of this project
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Recall nothing
    #[arg(long)]
    pub no_memory: bool,
    #[command(flatten)]
    /// Which model answers.
    pub models: ModelArgs,
}

/// Which model answers, and where it is.
#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    /// The model endpoint, OpenAI-compatible; `builtin` for the demonstration model
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// The model's name at its endpoint
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
}

/// `greenroom serve`
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where to listen
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7420", value_parser = address)]
    pub listen: SocketAddr,
    #[command(flatten)]
    /// Which model answers.
    pub models: ModelArgs,
    /// How long running turns may take when the server is stopped, as 30s or 2m
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time)]
    pub grace: Duration,
    /// How to write the log: text, json
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        value_enum,
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub log_format: LogFormat,
}

/// An address to listen at; `localhost` is 127.0.0.1.
fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    let remedy = "write an IP address and a port, as 127.0.0.1:7420, 0.0.0.0:7420 or [::1]:7420";
    numeric.parse().map_err(|_| remedy.to_owned())
}

fn time(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "write a number and a unit, as 500ms, 30s, 2m or 1h".to_owned())
}

/// `greenroom chat`
#[derive(Debug, Args)]
#[command(after_help = "\
Without PERSONA the one named in the settings answers. In the terminal, /help lists what else can
be said. Ctrl-C stops the reply and not the program; a second one leaves.

Which endpoint and which model answer is decided each on its own: flags, the environment, the
persona's file, greenroom.toml, OPENAI_BASE_URL and OPENAI_API_KEY, an Ollama or llama.cpp server
on this machine, else the built-in demonstration model. The first line says who decided.")]
pub struct ChatArgs {
    /// Who should answer
    pub persona: Option<String>,
    /// Say this, print the reply, end
    pub message: Option<String>,
    #[command(flatten)]
    /// Where and with what.
    pub place: PlaceArgs,
    /// Print every event as a line of JSON
    #[arg(long)]
    pub json: bool,
}

impl ChatArgs {
    /// Whether nothing is said on the command line; a sentence alone is a message.
    pub fn talks(&self) -> bool {
        let first = self.persona.as_deref().unwrap_or_default();
        let says = self.place.to.is_some() && self.persona.is_some();
        self.message.is_none() && !says && !first.trim().contains(char::is_whitespace)
    }
}

/// `greenroom context`
#[derive(Debug, Args)]
pub struct ContextArgs {
    /// Who would answer
    pub persona: Option<String>,
    /// What would be said
    pub message: Option<String>,
    #[command(flatten)]
    /// Where and with what.
    pub place: PlaceArgs,
    /// Show the messages as they would be sent, too
    #[arg(long)]
    pub full: bool,
    /// Print receipt and messages as JSON
    #[arg(long)]
    pub json: bool,
}

/// `greenroom persona`
#[derive(Debug, Subcommand)]
pub enum PersonaCommand {
    /// Who there is
    List(JsonArgs),
    /// Report every problem in persona files; exit code 1 if there is one
    Check {
        /// A file or a directory; the personas directory if not given
        path: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a file to begin from
    New {
        /// The name: a-z, 0-9, - and _
        name: PersonaName,
    },
}

/// `greenroom models`
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// What there is, how large it is, under which licence, and whether it is installed
    List(JsonArgs),
    /// Fetch a model's files
    Pull {
        /// Which one
        name: String,
    },
}

/// `greenroom config`
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Every setting, its value and who decided it; secrets stay hidden
    Show {
        /// With the settings of this persona's file
        persona: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Commands that only choose their format.
#[derive(Debug, Clone, Copy, Args)]
pub struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
