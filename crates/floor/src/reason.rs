//! Why a member answers or stays silent, in words that fit a line.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::decision::{Decision, Verdict};
use crate::limits::Stop;
use crate::members::MemberId;

/// Why a member answers or stays silent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the words of `Display` say it")]
pub enum Reason {
    AddressedTo,
    NamedFirst,
    RepliedTo,
    Named { place: u32 },
    Chosen { place: u32 },
    Addressed { p: f32 },
    Alone,
    Usual,
    SpokeLast,
    Relevant { score: f32 },
    Drawn { p: f32 },
    Always,
    Turn,
    Author,
    Person,
    Bot,
    Never,
    Answered,
    Settled { by: MemberId },
    NotMentioned,
    ForAnother { who: MemberId, p: f32 },
    NotAddressed { p: f32 },
    Irrelevant { score: f32, threshold: f32 },
    NotDrawn { p: f32 },
    Quiet,
    NotItsTurn,
    NotChosen,
    NotMeant,
    Resting,
    Busy,
    Limit { stop: Stop },
    Unknown,
}

impl Reason {
    /// The class and the strength of a reason to answer; `None` for silence. A lower class answers first, and within a
    /// class the greater strength.
    pub(crate) fn precedence(&self) -> Option<(u8, f32)> {
        match self {
            Self::AddressedTo | Self::Usual | Self::SpokeLast => Some((0, 1.0)),
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

impl Reason {
    /// Whether the message asks for this answer. Otherwise the member answers by its own policy, or the room's.
    pub fn is_asked(&self) -> bool {
        matches!(
            self,
            Self::AddressedTo
                | Self::NamedFirst
                | Self::RepliedTo
                | Self::Named { .. }
                | Self::Addressed { .. }
                | Self::Alone
                | Self::Usual
                | Self::SpokeLast
        )
    }

    /// The reason in words. `called` returns the name of a member.
    pub fn text(&self, called: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::AddressedTo => "the message is addressed to it".into(),
            Self::NamedFirst => "named at the beginning".into(),
            Self::RepliedTo => "the message replies to it".into(),
            Self::Named { .. } => "mentioned".into(),
            Self::Chosen { .. } => "the moderator chose it".into(),
            Self::Addressed { p } => format!("the message goes on with their exchange ({p:.2})"),
            Self::Alone => "nobody else is here".into(),
            Self::Usual => {
                "the message is for the bot and names no persona, and it is the first that may answer".into()
            }
            Self::SpokeLast => {
                "the message is for the bot and names no persona, and it spoke last here".into()
            }
            Self::Relevant { score } => format!("the message is relevant for it ({score:.2})"),
            Self::Drawn { p } => format!("talkative, and drawn ({p:.2})"),
            Self::Always => "it answers everything".into(),
            Self::Turn => "it is its turn".into(),
            Self::Author => "it said this".into(),
            Self::Person => "a person".into(),
            Self::Bot => "somebody else's program".into(),
            Self::Never => "it answers nothing here".into(),
            Self::Answered => "it has answered".into(),
            Self::Settled { by } => format!("{} has answered meanwhile", called(by)),
            Self::NotMentioned => "not mentioned".into(),
            Self::ForAnother { who, p } => format!("the message is for {} ({p:.2})", called(who)),
            Self::NotAddressed { p } => format!("not addressed ({p:.2})"),
            Self::Irrelevant { score, threshold } => {
                format!("not relevant enough ({score:.2} of {threshold:.2})")
            }
            Self::NotDrawn { p } => format!("talkative, but not drawn ({p:.2})"),
            Self::Quiet => "only who is mentioned answers here".into(),
            Self::NotItsTurn => "not its turn".into(),
            Self::NotChosen => "the moderator did not choose it".into(),
            Self::NotMeant => "the message is addressed to somebody else".into(),
            Self::Resting => "it has just spoken, less than its room.cooldown ago".into(),
            Self::Busy => "it is about to speak anyway".into(),
            Self::Limit { stop } => stop.text().into(),
            Self::Unknown => "the message is not in the window".into(),
        }
    }
}

/// Shows the ids of members.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&str::to_owned))
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
    /// One line per member.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let silent = self.verdicts.iter().filter(|v| v.position.is_none());
        let lines: Vec<String> = self.speakers().into_iter().chain(silent).map(Verdict::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}
