//! `greenroom persona`: the arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use greenroom_core::PersonaName;
use greenroom_formats::Target;

use super::JsonArgs;

const IMPORT: &str = "\
The format is found in the content: Character Card V1, V2 and V3 (JSON, PNG, .charx), lorebooks (World
Info, lorebook_v3), ElizaOS characters, Letta .af, folders with SOUL.md, soul.json, AIEOS, agents of
coding tools (Markdown, TOML), Backyard .byaf, CrewAI agents.yaml.

Each import writes NAME.md and the folder NAME/ with the data of the file, and prints the fate of each
field: effective, kept without effect, or refused. Secrets are removed; code and templates are never run.

Examples:
  greenroom persona import nova.png                   a card; then: greenroom chat nova
  greenroom persona import castle.json --to nova      a lorebook for a persona
  greenroom persona import --check downloads/         what would become of each file
  curl -s URL | greenroom persona import -            from standard input";

const EXPORT: &str = "\
Examples:
  greenroom persona export nova                       the format that it was imported from
  greenroom persona export nova --as png              a picture with the card in V2 and V3
  greenroom persona export ada --as soul --out ada/   a folder with SOUL.md";

/// `greenroom persona`
#[derive(Debug, Subcommand)]
pub enum PersonaCommand {
    /// List the personas
    List(JsonArgs),
    /// Check persona files; exit code 1 if one has a problem
    Check {
        /// A file or a directory; the directory of personas if not given
        path: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a persona file to edit
    New {
        /// The name: a-z, 0-9, - and _
        name: PersonaName,
    },
    /// Import a character card or another persona format
    #[command(after_help = IMPORT)]
    Import(ImportArgs),
    /// Write a persona in another program's format
    #[command(after_help = EXPORT)]
    Export {
        /// The persona
        name: PersonaName,
        #[command(flatten)]
        /// What and where.
        output: ExportArgs,
    },
    /// Convert a file from one format to another; no persona is made
    Convert {
        /// The file, the folder, or - for standard input
        file: PathBuf,
        #[command(flatten)]
        /// What and where.
        output: ExportArgs,
    },
}

/// `greenroom persona import`
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Files, folders of one persona, or - for standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write nothing; a directory is searched for files
    #[arg(long, conflicts_with_all = ["to", "update"])]
    pub check: bool,
    /// The persona that gets the lorebook
    #[arg(long, value_name = "NAME", conflicts_with = "update")]
    pub to: Option<PersonaName>,
    /// Replace this persona, which was imported before and not edited since
    #[arg(long, value_name = "NAME")]
    pub update: Option<PersonaName>,
    /// The first message: 1 is the usual one, the others are alternatives
    #[arg(long, value_name = "N")]
    pub greeting: Option<usize>,
    /// Write no memories of the knowledge in the file
    #[arg(long)]
    pub no_knowledge: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The format and the place of an export.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The format; without it the one of the import, else a card V3
    #[arg(long = "as", value_name = "FORMAT", value_enum)]
    pub format: Option<PersonaFormat>,
    /// The file or folder, or - for standard output; a name that is taken gets a number
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// A format that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PersonaFormat {
    /// The format of the import
    Original,
    /// Character Card V2, JSON
    CardV2,
    /// Character Card V3, JSON
    CardV3,
    /// A picture with the card in V2 and V3
    Png,
    /// An ElizaOS character
    Eliza,
    /// A folder with SOUL.md
    Soul,
    /// Markdown with front matter, as coding tools read agents
    Agent,
}

impl From<PersonaFormat> for Target {
    fn from(format: PersonaFormat) -> Self {
        match format {
            PersonaFormat::Original => Self::Original,
            PersonaFormat::CardV2 => Self::CardV2,
            PersonaFormat::CardV3 => Self::CardV3,
            PersonaFormat::Png => Self::Png,
            PersonaFormat::Eliza => Self::Eliza,
            PersonaFormat::Soul => Self::Soul,
            PersonaFormat::Agent => Self::Agent,
        }
    }
}
