//! `greenroom memory`: the arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand, builder::RangedU64ValueParser};
use greenroom_core::{ChannelKey, MemoryId, PersonaName, RelationKind, UserId};
use greenroom_memory::Severity;
use greenroom_store::ItemId;

use super::named;

/// The persona, the channel and the person of a command, and the format of its output.
#[derive(Debug, Clone, Args)]
pub struct MemoryPlace {
    /// Whose memory; the persona of the settings if not given
    #[arg(long, value_name = "NAME")]
    pub persona: Option<PersonaName>,
    /// In this channel
    #[arg(long, value_name = "KEY", default_value = "terminal:default", conflicts_with = "global")]
    pub channel: ChannelKey,
    /// In every channel
    #[arg(long, conflicts_with = "user")]
    pub global: bool,
    /// With this person, by the platform's id of them, as libera/~ann on IRC
    #[arg(long, value_name = "ID")]
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
    /// Add a memory
    Add {
        /// The statement
        text: String,
        /// The kind: fact, preference, decision … or another word
        #[arg(long, value_name = "WORD", default_value = "general")]
        kind: String,
        /// How long it lasts, as 12h, 30d or 2w
        #[arg(long, value_name = "TIME")]
        expires_in: Option<String>,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// List memories, newest first
    #[command(after_help = "\
Examples:
  greenroom memory list --persona ada --channel api:den
  greenroom memory list --channel api:den --about jo     what is known of Jo there
  greenroom memory list --channel 'irc:libera/#tea' --user libera/~ann
  greenroom memory list --channel matrix:@ann:example.org --user @ann:example.org
`greenroom accounts link --help` has the ids of people on each platform, after the platform's name.")]
    List {
        /// Only memories learned from this person, or with them
        #[arg(long, value_name = "USER")]
        about: Option<UserId>,
        /// The largest number of memories
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = at_least_one())]
        limit: usize,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// Search memories and past messages, by meaning and by words
    Search {
        /// The query
        query: String,
        /// The largest number of hits
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least_one())]
        limit: usize,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// Show what a question recalls, what is near it, and why that stays away
    #[command(after_help = "\
Examples:
  greenroom memory why \"Where does Jo live?\" --persona ada --user jo
  greenroom memory why \"Where does Jo live?\" --persona ada --user jo --expect m9   let m9 be found by this question")]
    Why {
        /// The question, as a message to the persona
        question: String,
        /// Let this memory or message be found by the question: m12 or msg:12
        #[arg(long, value_name = "ID")]
        expect: Option<ItemId>,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// Show one memory with its versions and relations
    Show {
        /// Its id, as m12
        id: MemoryId,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// Let others know what a person told in private
    ///
    /// It is then recalled in groups as well, when that person speaks. In a chat the person may say so: "you may tell
    /// the others".
    Share {
        /// Its id, as m12
        id: MemoryId,
        /// Keep it private again
        #[arg(long)]
        stop: bool,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// Relate two memories
    #[command(after_help = "\
Examples:
  greenroom memory relate m12 supersedes m3      m3 is an earlier version of m12
  greenroom memory relate m12 refines m4         m12 says more exactly what m4 says
  greenroom memory relate m12 contradicts m5     they cannot both be true
  greenroom memory relate m12 relates-to m6      what recalls one recalls the other")]
    Relate {
        /// The memory, as m12
        from: MemoryId,
        /// supersedes, refines, contradicts or relates-to
        #[arg(
            value_name = "HOW",
            value_parser = named::<RelationKind>(&["supersedes", "refines", "contradicts", "relates-to"]),
            hide_possible_values = true
        )]
        kind: RelationKind,
        /// The other memory, as m3
        to: MemoryId,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// Forget memories and everything made from them, with a receipt
    Forget(ForgetArgs),
    /// Export memories with their relations as lines of JSON
    #[command(after_help = "\
Without --persona the memories of every persona are exported. Vectors are left out; the import makes
them anew.

Examples:
  greenroom memory export --out memories.jsonl
  greenroom memory export --persona ada | greenroom --data other memory import -")]
    Export {
        /// Write to this file instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Only memories of this persona
        #[arg(long, value_name = "NAME")]
        persona: Option<PersonaName>,
    },
    /// Import exported memories, all or none
    #[command(after_help = "\
A memory that exists already is not added twice. If another memory has the same id, the imported one
gets a new id.

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
    /// Tell a persona of an event of a machine or a service
    #[command(after_help = "\
Warnings and worse are remembered for 30 days, and so are resolved events. Events of the same type on
the same node on the same day are one memory with the text of the latest.

Examples:
  greenroom memory event --type disk_full --severity critical --node db1 \"/var is at 97 %\"
  greenroom memory event --type disk_full --severity info --node db1 --resolved \"/var is at 40 %\"")]
    Event {
        /// What happened, in a sentence
        message: String,
        /// The type of event, as disk_full
        #[arg(long = "type", value_name = "WORD")]
        kind: String,
        /// How bad it is: info, warning, error, critical
        #[arg(
            long,
            value_name = "HOW",
            value_parser = named::<Severity>(&["info", "warning", "error", "critical"]),
            hide_possible_values = true
        )]
        severity: Severity,
        /// The machine or service
        #[arg(long, value_name = "NAME")]
        node: Option<String>,
        /// The problem is over
        #[arg(long)]
        resolved: bool,
        #[command(flatten)]
        /// Whose.
        place: MemoryPlace,
    },
    /// Give every text a vector of the present embedder
    #[command(after_help = "\
For a changed embedder.kind. A chat does the same when it starts; until it is done, it recalls with
the earlier vectors.

Example:
  GREENROOM_EMBEDDER__KIND=minilm greenroom memory reembed")]
    Reembed {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// `greenroom memory forget`
#[derive(Debug, Args)]
#[command(after_help = "\
A memory with an id is forgotten at once. Everything else is shown first and needs a yes; without a
terminal it needs --yes. Forgotten items leave no text in the database: no vector, no summary
made of them, no reply that waits for delivery.

Examples:
  greenroom memory forget m12
  greenroom memory forget msg:4                                a message, of a person or a persona
  greenroom memory forget --query \"the old office\"
  greenroom memory forget --person ann                         in all terminal channels
  greenroom memory forget --person 42 --channel discord:7      in all discord channels
  greenroom memory forget --whole-channel --channel terminal:work
  greenroom memory forget --older-than 90d --yes

Exit code 1 means that the answer was no. With nothing to forget it is 0.")]
pub struct ForgetArgs {
    #[command(flatten)]
    /// What.
    pub target: ForgetTarget,
    /// With --person or --whole-channel: also replies to others, and memories, that quote the forgotten texts
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
    /// The memory with this id, as m12, or the message, as msg:4, with its replies and what was learned from it
    pub id: Option<ItemId>,
    /// All versions of the memories that contain each significant word of this text
    #[arg(long, value_name = "TEXT")]
    pub query: Option<String>,
    /// All messages of this person, and all memories from or about them, of every persona, in every
    /// channel of the provider of --channel
    #[arg(long, value_name = "NAME")]
    pub person: Option<UserId>,
    /// The channel: its messages, its summaries, and every persona's memories of it
    #[arg(long)]
    pub whole_channel: bool,
    /// The channel's messages, and the persona's memories of it, that are older than this, as 90d
    #[arg(long, value_name = "TIME")]
    pub older_than: Option<String>,
}
