//! Why a member answers or stays silent, in words that fit a line.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::decision::{Decision, Verdict};

/// Why a member answers or stays silent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the words of `Display` say it")]
pub enum Reason {
    NamedFirst,
    RepliedTo,
    Named { place: u32 },
    Chosen { place: u32 },
    Addressed { p: f32 },
    Alone,
    Relevant { score: f32 },
    Drawn { p: f32 },
    Always,
    Turn,
    Author,
    Person,
    Bot,
    Never,
    Answered,
    Settled { by: String },
    NotMentioned,
    ForAnother { name: String, p: f32 },
    NotAddressed { p: f32 },
    Irrelevant { score: f32, threshold: f32 },
    NotDrawn { p: f32 },
    Quiet,
    NotItsTurn,
    NotChosen,
    Unknown,
}

impl Reason {
    /// Of a reason to answer, its class and strength: the lower class answers first, in it the greater strength. None
    /// for silence.
    pub(crate) fn precedence(&self) -> Option<(u8, f32)> {
        match self {
            Self::Chosen { place } => Some((0, -(*place as f32))),
            Self::NamedFirst => Some((1, 0.0)),
            Self::RepliedTo => Some((2, 0.0)),
            Self::Named { place } => Some((3, -(*place as f32))),
            Self::Addressed { p } => Some((4, *p)),
            Self::Alone => Some((4, 0.0)),
            Self::Relevant { score } => Some((5, *score)),
            Self::Drawn { .. } => Some((6, 0.0)),
            Self::Always | Self::Turn => Some((7, 0.0)),
            _ => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NamedFirst => write!(f, "named at the beginning"),
            Self::RepliedTo => write!(f, "the message replies to it"),
            Self::Named { .. } => write!(f, "mentioned"),
            Self::Chosen { .. } => write!(f, "the moderator chose it"),
            Self::Addressed { p } => write!(f, "the message goes on with their exchange ({p:.2})"),
            Self::Alone => write!(f, "nobody else is here"),
            Self::Relevant { score } => write!(f, "the message is relevant for it ({score:.2})"),
            Self::Drawn { p } => write!(f, "talkative, and drawn ({p:.2})"),
            Self::Always => write!(f, "it answers everything"),
            Self::Turn => write!(f, "it is its turn"),
            Self::Author => write!(f, "it said this"),
            Self::Person => write!(f, "a person"),
            Self::Bot => write!(f, "somebody else's program"),
            Self::Never => write!(f, "it answers nothing here"),
            Self::Answered => write!(f, "it has answered"),
            Self::Settled { by } => write!(f, "{by} has answered meanwhile"),
            Self::NotMentioned => write!(f, "not mentioned"),
            Self::ForAnother { name, p } => write!(f, "the message is for {name} ({p:.2})"),
            Self::NotAddressed { p } => write!(f, "not addressed ({p:.2})"),
            Self::Irrelevant { score, threshold } => {
                write!(f, "not relevant enough ({score:.2} of {threshold:.2})")
            }
            Self::NotDrawn { p } => write!(f, "talkative, but not drawn ({p:.2})"),
            Self::Quiet => write!(f, "the room is quiet and it was not mentioned"),
            Self::NotItsTurn => write!(f, "not its turn"),
            Self::NotChosen => write!(f, "the moderator did not choose it"),
            Self::Unknown => write!(f, "the message is not in the window"),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(1) => write!(f, "{} answers first: {}", self.name, self.reason),
            Some(n) => write!(f, "{} answers as number {n}: {}", self.name, self.reason),
            None => write!(f, "{} silent: {}", self.name, self.reason),
        }
    }
}

impl fmt::Display for Decision {
    /// A line for each member.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let silent = self.verdicts.iter().filter(|v| v.position.is_none());
        let lines: Vec<String> = self.speakers().into_iter().chain(silent).map(Verdict::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}
