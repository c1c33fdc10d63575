//! The settings a persona ends up with, after defaults, `greenroom.toml`, its file, the
//! environment and flags have been laid over one another.

use std::time::Duration;

/// Which model answers a persona, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// The model's name, where a persona, the settings or a flag decides it.
    pub name: Option<String>,
    /// The endpoint, where one of them decides it.
    pub base_url: Option<String>,
    /// Sampling temperature; 0.7 (WB12).
    pub temperature: f32,
    /// Longest reply in tokens; 4096 (WB12).
    pub max_output_tokens: u32,
    /// The window in tokens; that of the model's profile where `None` (WB2).
    pub context_window: Option<usize>,
    /// A model of the same endpoint to ask when the first one fails (L3).
    pub fallback: Option<String>,
    /// Tries after the first one; 2 (L3).
    pub retries: u32,
    /// How long to wait for what (L4).
    pub timeouts: Timeouts,
}

/// How long to wait for a model (L4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection; 5 s.
    pub connect: Duration,
    /// For the first token; 120 s.
    pub first_token: Duration,
    /// Between two tokens; 30 s.
    pub stall: Duration,
    /// For the whole turn, waiting included; 600 s.
    pub turn: Duration,
}

/// A preset of memory settings; the seeds' own numbers stand behind the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The best of all.
    Default,
    /// BD.
    RecallVisible,
    /// WB.
    Assembler,
    /// AS.
    Knowledge,
}

/// What a persona remembers, and how much of it is recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct MemorySettings {
    /// The preset the other values began from.
    pub profile: Profile,
    /// False: nothing is recalled, captured or offered as a tool (FG17).
    pub enabled: bool,
    /// False: nothing is recalled by itself (BD7); the tools still work.
    pub auto_retrieve: bool,
    /// Tokens of the memory block, header included; 0 is unlimited.
    pub budget_tokens: usize,
    /// How many of the last messages make the query (WB6).
    pub window: usize,
    /// Past messages of the channel (AS2).
    pub messages: SourceSettings,
    /// Memories (AS3).
    pub knowledge: SourceSettings,
    /// How long recall may take (FG8).
    pub deadline: Duration,
}

/// One source of recall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SourceSettings {
    /// At most so many; 0 switches it off.
    pub limit: usize,
    /// At least this similar, inclusive; `None` for the best by rank alone.
    pub threshold: Option<f32>,
}

/// When a persona answers among others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoomSettings {
    /// To what it answers.
    pub answer: Answer,
    /// After a reply, so long only a mention makes it answer; 30 s (WB12). Not in a direct chat.
    pub cooldown: Duration,
    /// How readily it speaks unasked, 0 to 1.
    pub talkativeness: f32,
}

/// To what a persona answers in a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// To whoever mentions or addresses it.
    Mentioned,
    /// To every person's message.
    Always,
    /// To nobody.
    Never,
}

/// What a persona may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitSettings {
    /// Tokens in any hour; 100,000 (WB12). 0 is unlimited.
    pub tokens_per_hour: u64,
    /// Tool rounds of a turn; 10, and never more (WB12).
    pub tool_rounds: u32,
}
