//! `greenroom memory`: the arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, builder::RangedU64ValueParser};
use greenroom_core::{ChannelKey, MemoryId, PersonaName, RelationKind, UserId};
use greenroom_memory::Severity;

/// Whose memories, and how to print them.
#[derive(Debug, Clone, Args)]
pub struct MemoryPlace {
    /// Whose memory; the persona of the settings if not given
    #[arg(long, value_name = "NAME")]
    pub persona: Option<PersonaName>,
    /// In which channel
    #[arg(long, value_name = "KEY", default_value = "terminal:default", conflicts_with = "global")]
    pub channel: ChannelKey,
    /// In every channel
    #[arg(long, conflicts_with = "user")]
    pub global: bool,
    /// About or with this person
    #[arg(long, value_name = "NAME")]
    pub user: Option<UserId>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

/// `greenroom memory`
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Remember something from now on
    Add {
        /// The statement
        text: String,
        /// What sort: fact, preference, decision … or a word of your own
        #[arg(long, value_name = "WORD", default_value = "general")]
        kind: String,
        /// How long it holds, as 12h, 30d or 2w
        #[arg(long, value_name = "TIME")]
        expires_in: Option<String>,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// What is remembered, newest first
    #[command(after_help = "\
Examples:
  greenroom memory list --persona ada --channel api:den
  greenroom memory list --channel api:den --about jo     what is known of Jo there")]
    List {
        /// Only what was learned from this person or holds for them
        #[arg(long, value_name = "USER")]
        about: Option<UserId>,
        /// At most so many
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = at_least_one())]
        limit: usize,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// What is remembered of something, by meaning and by words
    Search {
        /// What to look for
        query: String,
        /// At most so many
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least_one())]
        limit: usize,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// One memory with its earlier and later versions and its relations
    Show {
        /// Its id, as m12
        id: MemoryId,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// Say how two memories stand to each other
    #[command(after_help = "\
Examples:
  greenroom memory relate m12 supersedes m3      m3 is an earlier version of m12
  greenroom memory relate m12 refines m4         m12 says more exactly what m4 says
  greenroom memory relate m12 contradicts m5     they cannot both be true
  greenroom memory relate m12 relates-to m6      what recalls one recalls the other")]
    Relate {
        /// From this one, as m12
        from: MemoryId,
        /// supersedes, refines, contradicts or relates-to
        #[arg(value_name = "HOW", hide_possible_values = true)]
        kind: RelationName,
        /// To this one, as m3
        to: MemoryId,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// Remove memories and everything made from them, with a receipt
    Forget(ForgetArgs),
    /// Write memories with their relations as lines of JSON
    #[command(after_help = "\
Without --persona every persona's memories are written. Vectors are not among them: they are made
anew where the file is imported.

Examples:
  greenroom memory export --out memories.jsonl
  greenroom memory export --persona ada | greenroom --data other memory import -")]
    Export {
        /// Write to this file instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Only this persona's
        #[arg(long, value_name = "NAME")]
        persona: Option<PersonaName>,
    },
    /// Read exported memories, all or none
    #[command(after_help = "\
What is there already, exactly so, is not added twice. Where another memory has an id, the imported
one gets a new one.

Examples:
  greenroom memory import memories.jsonl
  greenroom memory export | greenroom --data other memory import -")]
    Import {
        /// The file; - is standard input
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Tell of something that happened to a machine or a service
    #[command(after_help = "\
Warnings and worse are remembered for 30 days, and so is whatever is resolved. The same type on the
same node on the same day is one memory, whose text is the latest.

Examples:
  greenroom memory event --type disk_full --severity critical --node db1 \"/var is at 97 %\"
  greenroom memory event --type disk_full --severity info --node db1 --resolved \"/var is at 40 %\"")]
    Event {
        /// What happened, in a sentence
        message: String,
        /// What sort, as disk_full
        #[arg(long = "type", value_name = "WORD")]
        kind: String,
        /// How bad: info, warning, error, critical
        #[arg(long, value_name = "HOW", value_enum, hide_possible_values = true)]
        severity: SeverityName,
        /// Which machine or service
        #[arg(long, value_name = "NAME")]
        node: Option<String>,
        /// It is over
        #[arg(long)]
        resolved: bool,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// Give every text a vector of the present embedder
    #[command(after_help = "\
For a changed embedder.kind. A chat does the same by itself when it starts; until all is done, it
recalls with the vectors there were.

Example:
  GREENROOM_EMBEDDER__KIND=minilm greenroom memory reembed")]
    Reembed {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// How one memory stands to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RelationName {
    /// It is the later version
    Supersedes,
    /// It says the same more exactly
    Refines,
    /// They cannot both be true
    Contradicts,
    /// They belong together
    RelatesTo,
}

impl From<RelationName> for RelationKind {
    fn from(how: RelationName) -> Self {
        match how {
            RelationName::Supersedes => Self::Supersedes,
            RelationName::Refines => Self::Refines,
            RelationName::Contradicts => Self::Contradicts,
            RelationName::RelatesTo => Self::RelatesTo,
        }
    }
}

/// How bad an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SeverityName {
    /// Worth a line in a log
    Info,
    /// Somebody should look
    Warning,
    /// Something fails
    Error,
    /// Something is down
    Critical,
}

impl From<SeverityName> for Severity {
    fn from(name: SeverityName) -> Self {
        match name {
            SeverityName::Info => Self::Info,
            SeverityName::Warning => Self::Warning,
            SeverityName::Error => Self::Error,
            SeverityName::Critical => Self::Critical,
        }
    }
}

/// `greenroom memory forget`
#[derive(Debug, Args)]
#[command(after_help = "\
An ID is forgotten at once. Everything else is shown first and asked about; without a terminal it
needs --yes, and without --yes nothing goes. What is forgotten leaves no text in the database:
no vector, no summary made of it, no reply waiting for delivery.

Examples:
  greenroom memory forget m12
  greenroom memory forget --query \"the old office\"
  greenroom memory forget --person ann                         wherever she talked at the terminal
  greenroom memory forget --person 42 --channel discord:7      wherever 42 talked on discord
  greenroom memory forget --whole-channel --channel terminal:work
  greenroom memory forget --older-than 90d --yes

Exit code 1 means that the answer was no. With nothing to forget it is 0.")]
pub struct ForgetArgs {
    #[command(flatten)]
    /// What.
    pub what: ForgetTarget,
    /// With --person or --whole-channel: also the replies to others, and the memories, that quote what goes
    #[arg(long, conflicts_with_all = ["id", "query", "older_than"])]
    pub quotes: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    /// Whose.
    pub place: MemoryPlace,
}

/// What to forget: one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ForgetTarget {
    /// The memory with this id, as m12
    pub id: Option<MemoryId>,
    /// The memories that hold every telling word of it, in all versions
    #[arg(long, value_name = "TEXT")]
    pub query: Option<String>,
    /// All that this person said, and all that was learned from or about them, in every channel of
    /// the provider of --channel and by every persona
    #[arg(long, value_name = "NAME")]
    pub person: Option<UserId>,
    /// The channel: its messages, every persona's memories of it, its summaries
    #[arg(long)]
    pub whole_channel: bool,
    /// What the channel and the persona's memories of it hold from before so long, as 90d
    #[arg(long, value_name = "TIME")]
    pub older_than: Option<String>,
}
