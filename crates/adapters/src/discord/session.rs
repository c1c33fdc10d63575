//! What a session needs to be resumed, also by the next process; and what a close code means.

use serde::{Deserialize, Serialize};

use crate::Ended;

/// The cursor of the session.
pub(super) const SESSION: &str = "session";

/// A session, and how far it was taken in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Session {
    /// Nothing where Discord has ended the session.
    pub(super) id: Option<String>,
    /// Where it is resumed.
    pub(super) url: String,
    /// The number of the last event that is stored.
    pub(super) seq: u64,
    /// The greatest message that was seen in any channel; ids are times.
    pub(super) latest: u64,
}

/// What follows from the code by which Discord closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closed {
    /// The session can be resumed.
    Resume,
    /// A new session is needed.
    Begin,
    /// The settings have to change first.
    Stop,
}

impl Closed {
    /// By Discord's table of close codes.
    pub(super) fn by(code: u16) -> Self {
        match code {
            1000 | 1001 | 4007 | 4009 => Self::Begin,
            4004 | 4010..=4014 => Self::Stop,
            _ => Self::Resume,
        }
    }
}

/// How a connection ends that was closed for good.
pub(super) fn stopped(code: u16) -> Ended {
    let reason = match code {
        4004 => {
            "Discord does not know the token; reset it at https://discord.com/developers/applications under Bot, and set \
             the variable of the token anew"
        }
        4013 | 4014 => {
            "the bot lacks an intent; switch on Message Content Intent at https://discord.com/developers/applications \
             under Bot, Privileged Gateway Intents"
        }
        4011 => "the bot is in too many guilds for one connection; take it out of those that do not need it",
        _ => "Discord does not accept how the bot connects; update Greenroom",
    };
    Ended::Refused(format!("{reason} (close code {code})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad2_a_close_code_says_whether_to_resume_to_begin_or_to_stop() {
        for code in [4004, 4010, 4011, 4012, 4013, 4014] {
            assert_eq!(Closed::by(code), Closed::Stop, "{code}");
        }
        for code in [1000, 1001, 4007, 4009] {
            assert_eq!(Closed::by(code), Closed::Begin, "{code}");
        }
        for code in [1005, 1006, 4000, 4001, 4002, 4003, 4005, 4008] {
            assert_eq!(Closed::by(code), Closed::Resume, "{code}");
        }
    }
}
