//! `greenroom key`: the arguments.

use clap::Subcommand;
use greenroom_core::UserId;
use greenroom_server::Role;

use super::named;

/// `greenroom key`
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key and print it; it is shown only now
    #[command(after_help = "\
A user key talks as one person, in the channels api:NAME and api:NAME:THREAD. An operator key may do
everything and speak for others. Once a key was made, every request to the server needs one.

Examples:
  greenroom key create --role operator
  greenroom key create --role user --user ann --label \"Ann's phone\"
  curl -H \"Authorization: Bearer $KEY\" http://127.0.0.1:7420/api/session")]
    Create {
        /// What the key may do: user, operator
        #[arg(long, value_name = "ROLE", value_parser = named::<Role>(&["user", "operator"]), hide_possible_values = true)]
        role: Role,
        /// The person the key speaks as; an operator speaks as `host` if not given
        #[arg(long, value_name = "NAME", required_if_eq("role", "user"))]
        user: Option<UserId>,
        /// A note for the list of keys
        #[arg(long, value_name = "TEXT", default_value = "")]
        label: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the keys: who they are for, not their text
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key; a running server refuses it and ends its streams
    Revoke {
        /// The key's number in `greenroom key list`
        id: i64,
    },
}
