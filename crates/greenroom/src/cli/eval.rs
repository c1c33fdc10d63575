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
    /// Measure how well a room knows whom a message answers and who speaks next
    Floor(EvalFloorArgs),
}

/// `greenroom eval floor`
#[derive(Debug, Args)]
#[command(after_help = "\
FILE holds one log of a group chat a line:
  {\"id\": \"dev/1\",
   \"messages\": [{\"n\": 1, \"at\": 0, \"speaker\": \"ann\", \"text\": \"who has a ladder?\"},
                {\"n\": 2, \"at\": 60, \"speaker\": \"bo\", \"text\": \"I have one\"}],
   \"labels\":   [{\"n\": 2, \"replies_to\": [1]}]}
`at` is in seconds. Lines with `\"system\": true` are left out. A label with an empty list opens a
conversation. Logs whose id begins with `train/` are left out where there are others.

Every message goes through the window and the decision of a live room, with everybody as a persona.

  t1.accuracy   share of the answers whose addressee is found among the last 60 messages
  t2.balanced   mean of the recall of speaking and of silence, of a participant at a message
  t2.f1         F1 of speaking, at a point of its own
  decision_us   microseconds of CPU for a message: read, and decided on for all members

Examples:
  greenroom eval floor chats.jsonl
  greenroom eval floor chats.jsonl --json > figures.json

Exit code 1 means that the file is malformed.")]
pub struct EvalFloorArgs {
    /// The logs with labels that say what each message answers
    pub file: PathBuf,
    /// Print JSON, percentages
    #[arg(long)]
    pub json: bool,
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

The speaker `assistant` is the persona, and a single other speaker is who asks.
Every question is one recall, as in a conversation, with the settings of the profile `default` but
only past messages and no threshold. Each conversation is asked in a store of its own, then all of
them in one store: the figures must be the same. The stores are temporary; yours does not change.
The last table is the block of a live turn: the profile unchanged, with all sources and thresholds,
after the conversation was captured without a model and without summaries of sessions.

  recall@k  share of the gold messages that are among the first k hits
  hit@k     share of the questions with a gold message among the first k hits
  mrr       1 / rank of the first gold message
  ndcg@10   discounted gain of the ranks of the gold messages, as a share of the best order
  found     share of the gold messages in the block, themselves or as memories learned from them
  items     mean number of memories and messages in the block

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
    /// The embedder instead of that of the settings: static, multilingual, minilm, openai
    #[arg(
        long,
        value_name = "NAME",
        value_parser = named::<EmbedderKind>(&["static", "multilingual", "minilm", "openai"]),
        hide_possible_values = true
    )]
    pub embedder: Option<EmbedderKind>,
    /// Print JSON, fractions of 1
    #[arg(long)]
    pub json: bool,
}
