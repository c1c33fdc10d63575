//! `greenroom eval`: the arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand, builder::RangedU64ValueParser};
use greenroom_persona::EmbedderKind;

use super::named;

/// `greenroom eval`
#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// Measure how often recall finds the messages that answer a question
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
only past messages and no threshold. Each conversation is asked in a store of its own, then all of
them in one store: the figures must be the same. The stores are temporary; yours does not change.

  recall@k  share of the gold messages that are among the first k hits
  hit@k     share of the questions with a gold message among the first k hits
  mrr       1 / rank of the first gold message
  ndcg@10   discounted gain of the ranks of the gold messages, as a share of the best order

Questions of the category `adversarial` are reported apart and are not in `overall`.

Examples:
  greenroom eval recall talks.jsonl
  greenroom eval recall talks.jsonl --embedder minilm --k 5,10
  greenroom eval recall talks.jsonl --json > figures.json

Exit code 1 means that the file is malformed, that the figures with one store differ, or that a
message of another conversation was recalled.")]
pub struct EvalRecallArgs {
    /// The conversations with questions and the ids of the messages that answer them
    pub file: PathBuf,
    /// Numbers of hits to report
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        default_value = "3,5,10,20",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=100)
    )]
    pub k: Vec<usize>,
    /// The embedder instead of that of the settings: static, minilm, openai
    #[arg(
        long,
        value_name = "NAME",
        value_parser = named::<EmbedderKind>(&["static", "minilm", "openai"]),
        hide_possible_values = true
    )]
    pub embedder: Option<EmbedderKind>,
    /// Print JSON, fractions of 1
    #[arg(long)]
    pub json: bool,
}
