//! What can be said to the program itself while chatting.

use greenroom_core::{ChannelKey, MemoryId, PersonaName};

/// The commands and what they do, as `/help` prints them.
pub const HELP: &[(&str, &str)] = &[
    ("/context", "what the last reply was made from, item by item"),
    ("/memory [QUERY]", "what is remembered, or what is remembered of something"),
    ("/forget ID", "remove a memory"),
    ("/persona [NAME]", "who there is, or talk to somebody else"),
    ("/channel [KEY]", "where we are, or go elsewhere"),
    ("/reset", "start the conversation afresh; memories stay"),
    ("/budget", "show the token budget after each reply, or stop showing it"),
    ("/retry", "have the last unanswered message answered"),
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
    /// `/persona`, with a name to talk to.
    Persona(Option<PersonaName>),
    /// `/channel`, with a key to go to.
    Channel(Option<ChannelKey>),
    /// `/reset`
    Reset,
    /// `/budget`
    Budget,
    /// `/retry`
    Retry,
    /// `/quit`
    Quit,
}

/// Reads a line: `None` when it is a message and no command. The error is for the person.
/// A message that should begin with a slash is written with two.
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
        "persona" => parsed(rest).map(Slash::Persona),
        "channel" => parsed(rest).map(Slash::Channel),
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

/// The known word a mistyped one was probably meant to be.
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
        assert_eq!(parse("/persona bo"), Some(Ok(Slash::Persona(Some("bo".parse().unwrap())))));
    }

    #[test]
    fn a_mistyped_command_is_told_what_it_was_meant_to_be() {
        let said = |line| parse(line).unwrap().unwrap_err();
        assert_eq!(said("/memroy"), "there is no /memroy; did you mean /memory? /help lists them all");
        assert_eq!(said("/b"), "there is no /b; did you mean /budget? /help lists them all");
        assert_eq!(said("/xyzzy"), "there is no /xyzzy; /help lists them all");
        assert!(said("/forget").contains("/forget m12"));
        assert!(said("/forget x").contains("not a memory id"));
        assert!(said("/channel nowhere").contains("not a channel"));
    }

    #[test]
    fn everything_in_the_help_is_understood() {
        for (usage, _) in HELP {
            let name = usage.split(' ').next().unwrap_or_default();
            let line = if name == "/forget" { "/forget m1".to_owned() } else { name.to_owned() };
            assert!(matches!(parse(&line), Some(Ok(_))), "{usage}");
        }
    }
}
