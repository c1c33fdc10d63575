//! `greenroom room`: the arguments.

use std::time::Duration;

use clap::Subcommand;
use greenroom_core::ChannelKey;

use super::time;

/// `greenroom room`
#[derive(Debug, Subcommand)]
pub enum RoomCommand {
    /// List the channels with their personas
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Explain a room: members, limits and their bound, the last decisions
    Explain {
        /// The channel, as provider:chat_id
        channel: ChannelKey,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Invite a persona: it hears what is said from now on
    Invite {
        /// The channel
        channel: ChannelKey,
        /// The persona, by its file or by the name that is shown
        persona: String,
    },
    /// Let a persona leave; it comes back when it is invited or addressed
    Leave {
        /// The channel
        channel: ChannelKey,
        /// The persona, by its file or by the name that is shown
        persona: String,
    },
    /// Nobody answers in a channel, for a while or until it is lifted
    Quiet {
        /// The channel
        channel: ChannelKey,
        /// For so long, as 30m or 1h
        #[arg(long = "for", value_name = "TIME", value_parser = time, conflicts_with = "off")]
        wait: Option<Duration>,
        /// Lift it
        #[arg(long)]
        off: bool,
    },
}
