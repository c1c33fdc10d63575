//! `greenroom eval`: the arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, builder::RangedU64ValueParser};
use greenroom_persona::EmbedderKind;

/// `greenroom eval`
#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// How often recall finds the messages that answer a question
    Recall(EvalRecallArgs),
}

/// `greenroom eval recall`
#[derive(Debug, Args)]
#[command(after_help = "\
FILE holds one conversation a line:
  {\"id\": \"c1\",
   \"messages\":  [{\"id\": \"a\", \"session\": \"s1\", \"speaker\": \"Ann\", \"text\": \"I moved to Oslo.\",
                  \"at\": \"2023-05-08T13:56:00Z\"}],
   \"questions\": [{\"id\": \"q1\", \"text\": \"Where does Ann live?\", \"category\": \"single-hop\",
                  \"gold\": [\"a\"]}]}

Every question is one recall, as in a conversation, with the settings of the profile `default` but
past messages alone and no threshold. Each conversation is asked in a store of its own, then all of
them in one: the figures must be the same. The stores are temporary; yours is not touched.

  recall@k  share of the messages that answer which are among the first k
  hit@k     share of questions with one of them among the first k
  mrr       1 / rank of the first of them
  ndcg@10   their ranks, discounted by log2, of what was possible

Questions of the category `adversarial` are reported apart and are not in `overall`.

Examples:
  greenroom eval recall talks.jsonl
  greenroom eval recall talks.jsonl --embedder minilm --k 5,10
  greenroom eval recall talks.jsonl --json > figures.json

Exit code 1 means that the file is malformed, that the figures of one store differ, or that a
message of another conversation was recalled.")]
pub struct EvalRecallArgs {
    /// The conversations, their questions and the ids of the messages that answer them
    pub file: PathBuf,
    /// How many hits to look at
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        default_value = "3,5,10,20",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=100)
    )]
    pub k: Vec<usize>,
    /// What embeds, instead of the embedder of the settings: static, minilm, openai
    #[arg(long, value_name = "NAME", value_enum, hide_possible_values = true)]
    pub embedder: Option<EmbedderName>,
    /// Print JSON, fractions of 1
    #[arg(long)]
    pub json: bool,
}

/// An embedder, as the settings name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmbedderName {
    /// The table compiled into the program
    Static,
    /// MiniLM, run in this program
    Minilm,
    /// The endpoint of the settings
    #[value(name = "openai")]
    OpenAi,
}

impl From<EmbedderName> for EmbedderKind {
    fn from(name: EmbedderName) -> Self {
        match name {
            EmbedderName::Static => Self::Static,
            EmbedderName::Minilm => Self::Minilm,
            EmbedderName::OpenAi => Self::OpenAi,
        }
    }
}
