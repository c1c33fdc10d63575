//! Reads a line as a command of a person (AD6).

use std::time::Duration;

use greenroom_persona::parse_duration;

/// A command of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Who,
    Why,
    Quiet(Option<Duration>),
    Loud,
    Leave(String),
    ForgetMe {
        sure: bool,
    },
    /// Without a code: asks for a code. With a code: redeems it.
    Link(Option<(String, bool)>),
    Unlink,
    /// The page of the lines that a long answer left out.
    More(usize),
    Help,
}

/// The commands with their usage texts.
pub(super) const COMMANDS: [(&str, &str); 9] = [
    ("who", "!who: who is here"),
    ("why", "!why: why a persona answered, or not"),
    ("quiet", "!quiet 1h, !quiet off"),
    ("leave", "!leave NAME"),
    ("forget-me", "!forget-me: erases what you said, after !forget-me yes"),
    ("link", "!link: your account on another platform is yours here, too"),
    ("unlink", "!unlink"),
    ("more", "!more: further lines of a long answer"),
    ("help", "!help"),
];

impl Command {
    /// Parses a line without its prefix. `None` if it is no command, but a message. A command is the whole line: "forget-me
    /// yes or no? what does it do" is a message.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let lower = line.to_ascii_lowercase();
        let mut words = lower.split_whitespace();
        // Telegram appends the bot's name to the command: /who@ada_bot
        let name = words.next()?.split('@').next().unwrap_or_default();
        let arguments: Vec<&str> = words.collect();
        let as_typed = || line.split_whitespace().nth(1).unwrap_or_default();
        let is_code = |code: &str| code.len() == 8 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        match (name, &arguments[..]) {
            ("who", []) => Some(Self::Who),
            ("why", []) => Some(Self::Why),
            ("quiet", []) => Some(Self::Quiet(None)),
            ("quiet", ["off"]) => Some(Self::Loud),
            ("quiet", [time]) => parse_duration(time).map(|time| Self::Quiet(Some(time))),
            ("leave", [_]) => Some(Self::Leave(as_typed().trim_start_matches('@').to_owned())),
            ("forget-me" | "forget_me" | "forgetme", []) | ("forget", ["me"]) => {
                Some(Self::ForgetMe { sure: false })
            }
            ("forget-me" | "forget_me" | "forgetme", ["yes"]) | ("forget", ["me", "yes"]) => {
                Some(Self::ForgetMe { sure: true })
            }
            ("link", []) => Some(Self::Link(None)),
            ("link", [code]) if is_code(code) => Some(Self::Link(Some((as_typed().to_owned(), false)))),
            ("link", [code, "yes"]) if is_code(code) => Some(Self::Link(Some((as_typed().to_owned(), true)))),
            ("unlink", []) => Some(Self::Unlink),
            ("more", []) => Some(Self::More(1)),
            ("more", [page]) => page.parse().ok().map(Self::More),
            ("greenroom", [] | ["help"]) | ("help", [] | ["greenroom"]) => Some(Self::Help),
            _ => None,
        }
    }

    /// The command that a line without its prefix misspells: wrong in the name by one edit, or wrong in its arguments.
    /// A line of more than three words is a message.
    pub(super) fn nearest_command(line: &str) -> Option<(&'static str, &'static str)> {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_ascii_lowercase();
        let name = name.split('@').next().unwrap_or_default();
        let distance = |(known, _): &(&str, &str)| strsim::osa_distance(name, known);
        let nearest = COMMANDS.into_iter().min_by_key(distance);
        nearest.filter(|command| distance(command) <= 1 && words.count() <= 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad6_the_commands_of_people_are_the_same_on_every_platform() {
        for (line, command) in [
            ("who", Some(Command::Who)),
            ("WHY", Some(Command::Why)),
            ("quiet", Some(Command::Quiet(None))),
            ("quiet 1h", Some(Command::Quiet(Some(Duration::from_secs(3600))))),
            ("quiet off", Some(Command::Loud)),
            ("quiet please", None),
            ("leave @Ada", Some(Command::Leave("Ada".into()))),
            ("leave", None),
            ("forget-me", Some(Command::ForgetMe { sure: false })),
            ("forget_me@ada_bot yes", Some(Command::ForgetMe { sure: true })),
            ("forget-me Yes", Some(Command::ForgetMe { sure: true })),
            ("quiet OFF", Some(Command::Loud)),
            ("quiet 1H", Some(Command::Quiet(Some(Duration::from_secs(3600))))),
            ("link abcd2345 YES", Some(Command::Link(Some(("abcd2345".into(), true))))),
            ("who is that", None),
            ("shrug", None),
            ("link", Some(Command::Link(None))),
            ("link abcd2345", Some(Command::Link(Some(("abcd2345".into(), false))))),
            ("link ABCD2345 yes", Some(Command::Link(Some(("ABCD2345".into(), true))))),
            ("link to the page", None),
            ("unlink", Some(Command::Unlink)),
            ("forget me", Some(Command::ForgetMe { sure: false })),
            ("forget me yes", Some(Command::ForgetMe { sure: true })),
            ("forget it", None),
            ("help", Some(Command::Help)),
            ("help me", None),
            ("more", Some(Command::More(1))),
            ("more 3", Some(Command::More(3))),
            ("more tea", None),
            ("forget-me yes or no? what does it do", None),
            ("forget-me yes but only the part about the dog", None),
            ("forget-me please", None),
            ("forget me yes please", None),
            ("leave wick alone, he is busy", None),
            ("leave ada out", None),
            ("quiet 2h of sleep is what I got, ada", None),
            ("quiet off the record stuff please", None),
            ("link abcd2345 now", None),
            ("more 3 of them", None),
        ] {
            assert_eq!(Command::parse(line), command, "{line}");
        }
    }

    #[test]
    fn ad6_what_platforms_list_is_known_and_explained() {
        #[cfg(feature = "http")]
        for listed in crate::slash::COMMANDS {
            let (name, form) = Command::nearest_command(listed.name).unwrap();
            assert!(name == listed.name && form.starts_with(&format!("!{name}")), "{name}: {form}");
        }
        for (name, form) in COMMANDS {
            let used = form.trim_start_matches('!').split([':', ',']).next().unwrap();
            assert!(Command::parse(used).is_some(), "{name}: {form}");
        }
    }

    /// Misspelled commands and `!help` once went to the persona as messages.
    #[test]
    fn ad6_a_slip_is_told_which_command_is_meant_and_other_words_are_a_message() {
        for (line, meant) in [
            ("hepl", Some("help")),
            ("Wyh", Some("why")),
            ("quite 1h", Some("quiet")),
            ("forgetme", Some("forget-me")),
            ("hlep@ada_bot", Some("help")),
            ("weather Bonn", None),
            ("hello", None),
            ("line up, all of you", None),
            ("quiet 1 hour", Some("quiet")),
            ("link AAAAAA", Some("link")),
            ("why not", Some("why")),
            ("help me with this sum", None),
            ("", None),
        ] {
            assert_eq!(Command::nearest_command(line).map(|(name, _)| name), meant, "{line}");
        }
    }
}
