//! `greenroom connect` and `greenroom accounts`: the arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use greenroom_core::{PersonaName, Platform, UserRef};

use super::named;

/// The platforms with an adapter.
const PLATFORMS: &[&str] = &["irc", "matrix", "xmpp", "telegram", "discord", "slack", "bridge"];

/// How an account of each platform is added.
const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "irc",
        &[
            "--server irc.libera.chat:6697 --channel '#my-channel' --persona ada",
            "--server localhost:6667 --no-tls --channel '#tea'",
        ],
    ),
    (
        "matrix",
        &[
            "--server https://matrix.org --user @my-bot:matrix.org --persona ada",
            "--server http://localhost:8008 --no-tls --user @my-bot:localhost",
        ],
    ),
    (
        "xmpp",
        &[
            "--user my-bot@example.org --channel tea@muc.example.org --persona ada",
            "--user bot@localhost --channel tea@rooms.localhost --ca-file cert.pem",
        ],
    ),
    ("telegram", &["--persona ada --persona vesper"]),
    ("discord", &["--persona ada --persona vesper"]),
    ("slack", &["--persona ada", "--app-token-env SLACK_SIGNING_SECRET --persona ada"]),
    ("bridge", &["--name mychat --server http://127.0.0.1:8099 --persona ada --untried"]),
];

/// What follows the flags in the help of `greenroom connect`, with the examples of one platform or of each.
pub(super) fn connect_help(platform: Option<&str>) -> String {
    let page = platform.map_or_else(
        || "docs/platforms has a page for each platform.".to_owned(),
        |platform| format!("docs/platforms/{platform}.md has every step."),
    );
    let mut help = format!(
        "What is not given is asked for, on a terminal. The account is tried, then added to greenroom.toml; its \
         secret stays in the environment or in a file that you alone can read. {page}\n\nExamples:"
    );
    for (name, examples) in EXAMPLES {
        // one line per platform, or all lines of one platform
        let examples = match platform {
            Some(platform) if platform == *name => examples,
            Some(_) => &[][..],
            None => &examples[..1],
        };
        examples.iter().for_each(|flags| help.push_str(&format!("\n  greenroom connect {name} {flags}")));
    }
    help
}

/// The platform of `connect PLATFORM` among the words of a command line.
pub(super) fn platform_of(words: &[String]) -> Option<&'static str> {
    let pair = words.windows(2).find(|pair| pair[0] == "connect")?;
    PLATFORMS.iter().find(|platform| **platform == pair[1]).copied()
}

/// `greenroom connect`
#[derive(Debug, Args)]
#[command(after_help = connect_help(None))]
pub struct ConnectArgs {
    /// The platform: irc, matrix, xmpp, telegram, discord, slack or bridge
    #[arg(value_parser = named::<Platform>(PLATFORMS), hide_possible_values = true)]
    pub platform: Platform,
    /// What the account is called here; made from the server or the platform if not given
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The server
    #[arg(long, value_name = "HOST:PORT")]
    pub server: Option<String>,
    /// The account's name on the platform
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// A channel to join; may be given several times
    // allow negative numbers: the ids of Telegram's groups are negative
    #[arg(long = "channel", value_name = "CHANNEL", allow_negative_numbers = true)]
    pub channels: Vec<String>,
    /// A persona of the account; may be given several times
    #[arg(long = "persona", value_name = "PERSONA")]
    pub on_it: Vec<PersonaName>,
    /// The environment variable of the token or password
    #[arg(long, value_name = "VARIABLE")]
    pub token_env: Option<String>,
    /// The environment variable of the second secret, as Slack's app token
    #[arg(long, value_name = "VARIABLE")]
    pub app_token_env: Option<String>,
    /// A file of certificates to trust, beside those of the system
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Connect without encryption; to a server on this machine alone
    #[arg(long)]
    pub no_tls: bool,
    /// Add the account without trying it
    #[arg(long)]
    pub untried: bool,
}

/// `greenroom accounts`
#[derive(Debug, Args)]
pub struct AccountsArgs {
    /// What to do; lists the accounts if not given
    #[command(subcommand)]
    pub command: Option<AccountsCommand>,
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

/// The forms of people in commands.
const PEOPLE: &str = "\
People are PLATFORM:ID; `greenroom room explain CHANNEL --json` has those of a channel:
  irc:ACCOUNT/~ann, irc:ACCOUNT/ann   a nick; the name that somebody has signed on to services with
  matrix:@ann:example.org
  xmpp:ann@example.org                xmpp:ROOM#ID where the room hides addresses
  telegram:42, discord:42             the number of the person
  slack:ACCOUNT/U012AB3CD
  bridge:ACCOUNT/ann                  the id that the bridge gives
  api:ann                             the `user` of the API";

/// `greenroom accounts …`
#[derive(Debug, Subcommand)]
pub enum AccountsCommand {
    /// Send a reply again that was given up, or of which it is not known whether it arrived
    Resend {
        /// The number that `greenroom accounts` shows
        delivery: i64,
    },
    /// Make two accounts of people one person's: what either told is recalled for both
    #[command(after_help = PEOPLE)]
    Link {
        /// A person on a platform, as irc:libera/ann
        one: UserRef,
        /// The same person on another
        other: UserRef,
        /// Link them although one has said nothing here
        #[arg(long)]
        yes: bool,
    },
    /// Take an account out of its person's
    #[command(after_help = PEOPLE)]
    Unlink {
        /// A person on a platform, as irc:libera/ann
        account: UserRef,
    },
    /// Give such a reply up: it is no longer listed
    Drop {
        /// The number that `greenroom accounts` shows
        delivery: i64,
    },
}
