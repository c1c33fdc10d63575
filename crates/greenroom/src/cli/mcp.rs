//! `greenroom mcp`: the arguments.

use clap::{Args, Subcommand};
use greenroom_core::{ChannelKey, UserId};

/// `greenroom mcp`
#[derive(Debug, Args)]
#[command(after_help = "\
Without a command it serves: a host (an editor, a desktop assistant) starts `greenroom mcp ada` and
speaks MCP on its standard input and output. The tools are remember, recall, forget and list.

A persona uses the tools of other MCP servers that its file names (mcp) and that you have approved.")]
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
    /// List the MCP servers of personas: their tools, which are approved, and why others are not used
    List {
        /// Only servers of this persona
        persona: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a persona's MCP servers, and let it use the tools that its file names, as they are now
    Approve {
        /// The persona
        persona: String,
        /// Only this server
        server: Option<String>,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

/// `greenroom mcp serve`
#[derive(Debug, Default, PartialEq, Args)]
pub struct McpServeArgs {
    /// Whose memory; the persona of the settings if not given
    pub persona: Option<String>,
    /// The channel to read and write; a channel of the host's own, which no chat has, if not given
    #[arg(long, value_name = "KEY")]
    pub channel: Option<ChannelKey>,
    /// The person to read and write about, of the channel's provider
    #[arg(long, value_name = "NAME", requires = "channel")]
    pub user: Option<UserId>,
}
