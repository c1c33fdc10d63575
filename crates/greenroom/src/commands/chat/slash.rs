//! Parses the commands of a chat, such as `/memory`.

use std::time::Duration;

use greenroom_core::{ChannelKey, MemoryId};
use greenroom_persona::parse_duration;

/// The lines of `/help`.
pub const HELP: &[(&str, &str)] = &[
    ("/context", "the context of the last reply, item by item"),
    ("/memory [QUERY]", "list memories, or search them"),
    ("/forget ID", "forget a memory"),
    ("/persona [NAME]", "list the personas, or talk to another one"),
    ("/greeting [N]", "list the first messages of the persona's card, or choose one"),
    ("/channel [KEY]", "show the channel, or go to another one"),
    ("/who", "who belongs to the room, and who answers"),
    ("/why [N]", "why personas answered the last message, or the last N, or did not"),
    ("/invite NAME", "invite a persona to the room"),
    ("/leave NAME", "let a persona leave the room"),
    ("/quiet [1h|off]", "nobody answers, for a while or until it is lifted"),
    ("/reset", "start the conversation afresh; memories stay"),
    ("/budget", "show or hide the token budget after each reply"),
    ("/retry", "answer the last unanswered message"),
    ("/help", "this list"),
    ("/quit", "leave; Ctrl-D does the same"),
];

/// A parsed command.
#[derive(Debug, PartialEq, Eq)]
pub enum Slash {
    /// `/help`
    Help,
    /// `/context`
    Context,
    /// `/memory`, with a query to search.
    Memory(Option<String>),
    /// `/forget`
    Forget(MemoryId),
    /// `/persona`, with the name of a file or a display name.
    Persona(Option<String>),
    /// `/greeting`, with the number of a first message to begin with.
    Greeting(Option<usize>),
    /// `/channel`, with a key to go to.
    Channel(Option<ChannelKey>),
    /// `/who`
    Who,
    /// `/why`, with the number of people's messages to explain.
    Why(usize),
    /// `/invite`
    Invite(String),
    /// `/leave`
    Leave(String),
    /// `/quiet`, for a while
    Quiet(Option<Duration>),
    /// `/quiet off`
    Loud,
    /// `/reset`
    Reset,
    /// `/budget`
    Budget,
    /// `/retry`
    Retry,
    /// `/quit`
    Quit,
}

/// Parses a line; `None` for a message. A message that begins with a slash is written with two slashes.
///
/// # Errors
/// The mistake, for the person.
pub fn parse(line: &str) -> Option<Result<Slash, String>> {
    let body = line.strip_prefix('/').filter(|body| !body.starts_with('/'))?;
    let (name, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
    let rest = Some(rest.trim()).filter(|rest| !rest.is_empty());
    Some(command(name, rest))
}

fn command(name: &str, rest: Option<&str>) -> Result<Slash, String> {
    match name {
        "help" | "?" => Ok(Slash::Help),
        "context" => Ok(Slash::Context),
        "memory" => Ok(Slash::Memory(rest.map(str::to_owned))),
        "forget" => match rest.map(str::parse) {
            Some(Ok(id)) => Ok(Slash::Forget(id)),
            Some(Err(error)) => Err(format!("{error}")),
            None => Err("which memory? write /forget m12; /memory shows the ids".into()),
        },
        "persona" => Ok(Slash::Persona(rest.map(str::to_owned))),
        "greeting" | "greetings" => match rest.map(str::parse) {
            None => Ok(Slash::Greeting(None)),
            Some(Ok(number)) => Ok(Slash::Greeting(Some(number))),
            Some(Err(_)) => Err("which greeting? write /greeting 2; /greeting lists them".into()),
        },
        "channel" => parsed(rest).map(Slash::Channel),
        "who" => Ok(Slash::Who),
        "why" => match rest.map_or(Ok(1), str::parse) {
            Ok(messages @ 1..) => Ok(Slash::Why(messages)),
            _ => Err("about how many messages? write /why or /why 5".into()),
        },
        "invite" | "leave" => match (rest.map(str::to_owned), name) {
            (None, _) => Err(format!("whom? write /{name} NAME; /persona lists the personas")),
            (Some(persona), "invite") => Ok(Slash::Invite(persona)),
            (Some(persona), _) => Ok(Slash::Leave(persona)),
        },
        "quiet" => match rest {
            None => Ok(Slash::Quiet(None)),
            Some("off") => Ok(Slash::Loud),
            Some(time) => match parse_duration(time) {
                Some(wait) => Ok(Slash::Quiet(Some(wait))),
                None => Err("for how long? write /quiet 30m, /quiet 1h, /quiet or /quiet off".into()),
            },
        },
        "reset" => Ok(Slash::Reset),
        "budget" => Ok(Slash::Budget),
        "retry" => Ok(Slash::Retry),
        "quit" | "exit" | "q" => Ok(Slash::Quit),
        _ => {
            let known = HELP.iter().filter_map(|(usage, _)| usage[1..].split(' ').next());
            let near = nearest(name, known).map(|near| format!("did you mean /{near}? ")).unwrap_or_default();
            Err(format!("there is no /{name}; {near}/help lists them all"))
        }
    }
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(text: Option<&str>) -> Result<Option<T>, String> {
    text.map(str::parse::<T>).transpose().map_err(|error| error.to_string())
}

/// The known word that is most similar to a mistyped one.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let likeness = |other: &str| {
        let begins = !word.is_empty() && other.starts_with(&word);
        if begins { 1.0 } else { strsim::normalized_damerau_levenshtein(&word, other) }
    };
    known
        .map(|other| (likeness(other), other))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_no_command() {
        for line in ["hello", "", "a /help", "//etc", "//"] {
            assert_eq!(parse(line), None, "{line}");
        }
    }

    #[test]
    fn commands_take_what_follows_them() {
        assert_eq!(parse("/help"), Some(Ok(Slash::Help)));
        assert_eq!(parse("/memory"), Some(Ok(Slash::Memory(None))));
        assert_eq!(parse("/memory  tea or coffee "), Some(Ok(Slash::Memory(Some("tea or coffee".into())))));
        assert_eq!(parse("/forget m3"), Some(Ok(Slash::Forget(MemoryId(3)))));
        assert_eq!(parse("/forget 3"), Some(Ok(Slash::Forget(MemoryId(3)))));
        assert_eq!(parse("/persona bo"), Some(Ok(Slash::Persona(Some("bo".into())))));
        assert_eq!(parse("/leave Old Tobin"), Some(Ok(Slash::Leave("Old Tobin".into()))));
        assert_eq!(parse("/why"), Some(Ok(Slash::Why(1))));
        assert_eq!(parse("/why 5"), Some(Ok(Slash::Why(5))));
        assert!(parse("/why 0").unwrap().unwrap_err().contains("/why 5"));
        assert_eq!(parse("/greeting 2"), Some(Ok(Slash::Greeting(Some(2)))));
        assert_eq!(parse("/greeting"), Some(Ok(Slash::Greeting(None))));
    }

    #[test]
    fn a_mistyped_command_is_told_what_it_was_meant_to_be() {
        let said = |line| parse(line).unwrap().unwrap_err();
        assert_eq!(said("/memroy"), "there is no /memroy; did you mean /memory? /help lists them all");
        assert_eq!(said("/b"), "there is no /b; did you mean /budget? /help lists them all");
        assert_eq!(said("/xyzzy"), "there is no /xyzzy; /help lists them all");
        assert!(said("/forget").contains("/forget m12"));
        assert!(said("/forget x").contains("not a memory id"));
        assert!(said("/greeting last").contains("/greeting 2"));
        assert!(said("/channel nowhere").contains("not a channel"));
    }

    #[test]
    fn everything_in_the_help_is_understood() {
        for (usage, _) in HELP {
            let name = usage.split(' ').next().unwrap_or_default();
            let line = match name {
                "/forget" => "/forget m1".to_owned(),
                "/invite" | "/leave" => format!("{name} ada"),
                _ => name.to_owned(),
            };
            assert!(matches!(parse(&line), Some(Ok(_))), "{usage}");
        }
    }
}
