//! The definition of the command line, for clap. `commands` runs the commands.

mod accounts;
mod eval;
mod key;
mod mcp;
mod memory;
mod persona;
mod room;
mod sim;

use std::{ffi::OsString, net::SocketAddr, path::PathBuf, time::Duration};

use clap::{
    Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use clap_complete::Shell;
use greenroom_core::{ChannelKey, UserId};
use greenroom_persona::{env, parse_duration};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{telemetry::LogFormat, term::Color};

pub use accounts::{AccountsArgs, AccountsCommand, ConnectArgs};
pub use eval::{EvalCommand, EvalFloorArgs, EvalRecallArgs};
pub use key::KeyCommand;
pub use mcp::{McpArgs, McpCommand, McpServeArgs};
pub use memory::{ForgetArgs, MemoryCommand, MemoryPlace};
pub use persona::{ExportArgs, ImportArgs, PersonaCommand};
pub use room::RoomCommand;
pub use sim::{SimArgs, SimCommand};

const EXAMPLES: &str = "\
Examples:
  greenroom chat                                 talk to the sample persona
  greenroom chat ada \"What is a WAL?\"            one question; only the answer is on stdout
  greenroom chat ada --project . < questions     every line is a message
  greenroom memory add \"The build takes 6 min\"   add a memory
  greenroom context ada \"How long is a build?\"   what a model would get, and why
  greenroom doctor                               check the installation

Exit codes:
  0    done
  1    the command failed: no reply, the answer no, problems in a file
  2    the command line or the settings are wrong
  3    the store cannot be used
  4    another process answers in the channel
  130  stopped with Ctrl-C";

const COMPLETIONS: &str = "\
Examples:
  greenroom completions bash > ~/.local/share/bash-completion/completions/greenroom
  greenroom completions zsh > ~/.zfunc/_greenroom          # a directory of $fpath
  greenroom completions fish > ~/.config/fish/completions/greenroom.fish";

/// The examples and the environment variables.
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
/// A persona is a file. It remembers across conversations, and shows every context it answers from,
/// item by item.
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
    /// The flags of every command.
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
    /// The log on stderr: error, warn (default), info, debug, trace
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
    /// Serve the cast over HTTP: OpenAI-compatible API, native API, MCP, the page
    Serve(ServeArgs),
    /// Connect an account on a chat platform: asks, tries it, adds it to greenroom.toml
    Connect(ConnectArgs),
    /// Accounts on chat platforms: state, what waits, what could not be delivered
    Accounts(AccountsArgs),
    /// Keys for the server: make, list and revoke them
    #[command(subcommand)]
    Key(KeyCommand),
    /// Assemble a context and show its receipt; calls no model and stores nothing
    Context(ContextArgs),
    /// A persona's memories: read, change, forget, export and import them
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Rooms: who belongs to a channel, who answers and why, how long bots may talk
    #[command(subcommand)]
    Room(RoomCommand),
    /// The store as a whole: write a backup while it is in use
    #[command(subcommand)]
    Store(StoreCommand),
    /// Simulations: run a scenario's cast in virtual time, replay, resume, branch, compare
    #[command(subcommand)]
    Sim(SimCommand),
    /// Serve a persona's memory over MCP, and approve MCP servers whose tools personas use
    Mcp(McpArgs),
    /// Persona files: list, check, make, import and export them
    #[command(subcommand)]
    Persona(PersonaCommand),
    /// Models that run in this program: list and fetch them
    #[command(subcommand)]
    Models(ModelsCommand),
    /// The present settings and their origins
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Measure recall and floor control by known answers
    #[command(subcommand)]
    Eval(EvalCommand),
    /// Check settings, store, embedder, model and personas; print remedies
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

/// `greenroom store`
#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Write a copy of the store to a new file, also while `serve` runs
    Backup {
        /// The new file
        file: PathBuf,
    },
}

/// The persona, the channel and the person of a message.
#[derive(Debug, Clone, Args)]
pub struct PlaceArgs {
    /// The persona to answer, instead of the first argument
    #[arg(long = "persona", value_name = "NAME")]
    pub to: Option<String>,
    /// The channel, as provider:chat_id
    #[arg(long, value_name = "KEY", default_value = "terminal:default")]
    pub channel: ChannelKey,
    /// Your name
    #[arg(long, value_name = "NAME")]
    pub user: Option<UserId>,
    /// Read AGENTS.md files of this project
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Use no memory
    #[arg(long)]
    pub no_memory: bool,
    #[command(flatten)]
    /// The model.
    pub models: ModelArgs,
}

/// The model and its endpoint.
#[derive(Debug, Clone, Default, Args)]
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
    /// The address to listen at
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7420", value_parser = address)]
    pub listen: SocketAddr,
    #[command(flatten)]
    /// The model.
    pub models: ModelArgs,
    /// The time for running turns when the server is stopped, as 30s or 2m
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time)]
    pub grace: Duration,
    /// The format of the log: text, json
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

impl Cli {
    /// Parses the command line; exits if it is wrong or asks for help. The help of `connect PLATFORM` shows the
    /// examples of that platform.
    pub fn read() -> Self {
        let mut args: Vec<OsString> = std::env::args_os().collect();
        // `greenroom help memory forget`, without a subcommand `help` in every list
        if args.get(1).is_some_and(|word| word == "help") {
            args.remove(1);
            args.push("--help".into());
        }
        // a lossy conversion to text suffices here: clap reads the original arguments
        let words: Vec<String> = args.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let mut command = Self::command().color(colors_of_help(&words));
        if let Some(platform) = accounts::platform_of(&words) {
            command = command.mut_subcommand("connect", |connect| {
                connect.after_help(accounts::connect_help(Some(platform)))
            });
        }
        Self::from_arg_matches(&command.get_matches_from(args)).unwrap_or_else(|error| error.exit())
    }
}

/// The colours of the help and of errors in the command line, which are written before the flags are read.
fn colors_of_help(words: &[String]) -> ColorChoice {
    let flags = words.iter().take_while(|word| *word != "--");
    let mut values = flags.clone().zip(flags.skip(1).map(String::as_str).chain([""])).filter_map(
        |(flag, next)| match flag.strip_prefix("--color")? {
            "" => Some(next),
            value => value.strip_prefix('='),
        },
    );
    match values.next() {
        Some("never") => ColorChoice::Never,
        Some("always") => ColorChoice::Always,
        _ => ColorChoice::Auto,
    }
}

/// Parses an address to listen at; `localhost` is 127.0.0.1.
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

/// A parser for the serde names of a type. The names are listed for shell completion.
fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| serde_json::from_value(Value::String(name)))
}

/// `greenroom chat`
#[derive(Debug, Args)]
#[command(after_help = "\
Without PERSONA the one of the settings answers. In the terminal, /help lists the commands. Ctrl-C
stops the reply; a second one leaves.

The endpoint and the model are each taken from the first of: flags, the environment, the persona's
file, greenroom.toml, OPENAI_BASE_URL and OPENAI_API_KEY, an Ollama or llama.cpp server on this
machine, the built-in demonstration model. The first line shows both with their origins.

Without MESSAGE each line is a message or a command, on a terminal and from a pipe; /help lists the
commands, and //text sends a message that begins with a slash.")]
pub struct ChatArgs {
    /// The persona to answer
    pub persona: Option<String>,
    /// Send this message, print the reply, end
    pub message: Option<String>,
    /// Further personas of the room
    #[arg(hide = true)]
    pub more: Vec<String>,
    /// Talk in the room terminal:NAME; the arguments are the personas to invite
    #[arg(long, value_name = "NAME", conflicts_with_all = ["channel", "to"])]
    pub room: Option<String>,
    #[command(flatten)]
    /// Where, and with which model.
    pub place: PlaceArgs,
    /// Print events as lines of JSON
    #[arg(long)]
    pub json: bool,
}

impl ChatArgs {
    /// Whether the command line has no message. A single argument that contains a space is a message.
    pub fn is_interactive(&self) -> bool {
        if self.room.is_some() {
            return true;
        }
        let first = self.persona.as_deref().unwrap_or_default();
        let says = self.place.to.is_some() && self.persona.is_some();
        self.message.is_none() && !says && !first.trim().contains(char::is_whitespace)
    }
}

/// `greenroom context`
#[derive(Debug, Args)]
pub struct ContextArgs {
    /// The persona to answer
    pub persona: Option<String>,
    /// The message
    pub message: Option<String>,
    #[command(flatten)]
    /// Where, and with which model.
    pub place: PlaceArgs,
    /// Also show the messages of the request
    #[arg(long)]
    pub full: bool,
    /// Print the receipt and the messages as JSON
    #[arg(long)]
    pub json: bool,
}

/// `greenroom models`
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// List the models: size, licence, whether installed
    List(JsonArgs),
    /// Fetch a model's files
    Pull {
        /// The model's name in the list
        name: String,
    },
}

/// `greenroom config`
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting, its value and its origin; secrets are hidden
    Show {
        /// The settings of this persona
        persona: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// The only flag of some commands.
#[derive(Debug, Clone, Copy, Args)]
pub struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_has_the_colours_that_are_asked_for() {
        for (line, colors) in [
            ("greenroom --color never memory --help", ColorChoice::Never),
            ("greenroom memory --help --color=never", ColorChoice::Never),
            ("greenroom --color always --help", ColorChoice::Always),
            ("greenroom --color auto --help", ColorChoice::Auto),
            ("greenroom --help --color", ColorChoice::Auto),
            ("greenroom chat -- --color never", ColorChoice::Auto),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(colors_of_help(&words), colors, "{line}");
        }
    }
}
