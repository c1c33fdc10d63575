//! `greenroom mcp`: the arguments.

use clap::{Args, Subcommand};
use greenroom_core::{ChannelKey, UserId};

/// `greenroom mcp`
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Without a command it serves: a host (an editor, a desktop assistant) starts `greenroom mcp ada` and
speaks MCP on its standard input and output. The tools are remember, recall, forget and list.

Personas use the tools of other servers where their file names them (mcp) and you approved them."
)]
pub struct McpArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<McpCommand>,
    /// What to serve.
    #[command(flatten)]
    pub serve: McpServeArgs,
}

/// The commands of `greenroom mcp`.
#[derive(Debug, Subcommand)]
pub enum McpCommand {
    /// Serve a persona's memory on standard input and output
    Serve(McpServeArgs),
    /// The MCP servers personas use: what they offer, what is approved, what is missing and why
    List {
        /// Of this persona only
        persona: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Look at a persona's MCP servers, and let it use the tools its file names, as they are now
    Approve {
        /// Whose
        persona: String,
        /// Only this server
        server: Option<String>,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

/// `greenroom mcp serve`
#[derive(Debug, Args)]
pub struct McpServeArgs {
    /// Whose memory; the persona of the settings if not given
    pub persona: Option<String>,
    /// What is remembered holds in this channel alone; in a place of its own that no chat shows if not given
    #[arg(long, value_name = "KEY")]
    pub channel: Option<ChannelKey>,
    /// What is remembered is about this person of the channel's platform
    #[arg(long, value_name = "NAME", requires = "channel")]
    pub user: Option<UserId>,
}
