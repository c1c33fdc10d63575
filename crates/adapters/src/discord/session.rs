//! The stored data for resuming a session, also by the next process; and the meaning of close codes.

use serde::{Deserialize, Serialize};

use crate::Ended;

/// The name of the cursor with the session.
pub(super) const SESSION: &str = "session";

/// A session and its position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Session {
    /// `None` if Discord has ended the session.
    pub(super) id: Option<String>,
    /// The address for resuming it.
    pub(super) url: String,
    /// The number of the last stored event.
    pub(super) seq: u64,
    /// The greatest stored message id of all channels. Ids contain their time.
    pub(super) latest: u64,
}

/// The consequence of Discord's close code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closed {
    /// The session can be resumed.
    Resume,
    /// A new session is needed.
    Begin,
    /// The settings must change first.
    Stop,
}

impl Closed {
    /// The consequence, from Discord's table of close codes.
    pub(super) fn by(code: u16) -> Self {
        match code {
            1000 | 1001 | 4007 | 4009 => Self::Begin,
            4004 | 4010..=4014 => Self::Stop,
            _ => Self::Resume,
        }
    }
}

/// How the connection ends if Discord closed it permanently.
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
