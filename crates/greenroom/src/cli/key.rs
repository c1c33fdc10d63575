//! `greenroom key`: the arguments.

use clap::{Subcommand, ValueEnum};
use greenroom_core::UserId;
use greenroom_server::Role;

/// `greenroom key`
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key and print it; it is shown this once
    #[command(after_help = "\
A key of the role user talks as one person, in the channels api:NAME and api:NAME:THREAD. One of the
role operator does everything and may speak for others. From the first key on, nobody is let in
without one.

Examples:
  greenroom key create --role operator
  greenroom key create --role user --user ann --label \"Ann's phone\"
  curl -H \"Authorization: Bearer $KEY\" http://127.0.0.1:7420/api/session")]
    Create {
        /// What it may do: user, operator
        #[arg(long, value_name = "ROLE", value_enum, hide_possible_values = true)]
        role: RoleName,
        /// The person it speaks as; `operator` for an operator where none is named
        #[arg(long, value_name = "NAME", required_if_eq("role", "user"))]
        user: Option<UserId>,
        /// What it is for, for the list
        #[arg(long, value_name = "TEXT", default_value = "")]
        label: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Who has a key; never the keys themselves
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Let nobody in with this key any more; a running server ends what it answers there
    Revoke {
        /// Its number, as `greenroom key list` shows it
        id: i64,
    },
}

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoleName {
    /// Talks as one person
    User,
    /// Does everything
    Operator,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::User => Self::User,
            RoleName::Operator => Self::Operator,
        }
    }
}
