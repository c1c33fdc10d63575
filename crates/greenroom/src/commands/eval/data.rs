//! Conversations with questions whose answers are known: read from a file, one conversation per line.

use std::{
    collections::HashSet,
    io::{self, BufRead},
};

use greenroom_core::{Timestamp, UserId};
use jiff::{civil, fmt::strtime::BrokenDownTime, tz::TimeZone};
use serde::Deserialize;
use serde_json::error::Category;

/// The format of a line.
const SHAPE: &str = "a line is one conversation, {\"id\", \"messages\": [{\"id\", \"speaker\", \"text\", \
                     \"at\"}], \"questions\": [{\"id\", \"text\", \"category\", \"gold\": [message id]}]}";

/// Formats of a date that people write, after removal of commas and parenthesised text.
const DATES: [&str; 12] = [
    "%I:%M %p on %d %B %Y",
    "%I:%M %p on %B %d %Y",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%d %B %Y %H:%M",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d %Y %H:%M",
    "%B %d %Y",
    "%b %d %Y",
    "%d.%m.%Y",
];

/// Why a file of conversations cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file cannot be read any further.
    #[error("cannot read {file}: {source}; check the path and its permissions")]
    Io {
        /// The file.
        file: String,
        /// The system's error.
        source: io::Error,
    },
    /// A line is no valid conversation.
    #[error("{file}:{line}: {reason}")]
    ConversationLine {
        /// The file.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// The mistake, and the correct form.
        reason: String,
    },
    /// The file contains no question.
    #[error("{file} holds no conversation; {SHAPE}")]
    Empty {
        /// The file.
        file: String,
    },
}

/// A conversation.
#[derive(Debug, PartialEq)]
pub struct Conversation {
    /// Its messages in order; at least one.
    pub messages: Vec<Utterance>,
    /// The questions about it.
    pub questions: Vec<Question>,
}

/// One message of a conversation.
#[derive(Debug, PartialEq)]
pub struct Utterance {
    /// The id that `gold` refers to; unique in the conversation.
    pub id: String,
    /// The speaker.
    pub speaker: UserId,
    /// The text.
    pub text: String,
    /// The time; if the file gives none, not before the previous message.
    pub at: Timestamp,
}

/// A question and the messages that answer it.
#[derive(Debug, PartialEq, Deserialize)]
pub struct Question {
    /// Its id.
    #[serde(default)]
    pub id: String,
    /// The question.
    pub text: String,
    /// The kind of question.
    #[serde(default = "unsorted")]
    pub category: String,
    /// The ids of the messages that answer it.
    #[serde(default)]
    pub gold: Vec<String>,
}

fn unsorted() -> String {
    "unsorted".into()
}

#[derive(Deserialize)]
struct ConversationLine {
    messages: Vec<RawUtterance>,
    #[serde(default)]
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct RawUtterance {
    id: String,
    #[serde(default)]
    session: Option<String>,
    speaker: String,
    text: String,
    #[serde(default)]
    at: Option<String>,
}

/// Reads all conversations of a file. Errors use `name` for the file. Empty lines are skipped.
pub fn read(name: &str, file: impl BufRead) -> Result<Vec<Conversation>, DataError> {
    let mut conversations = Vec::new();
    for (number, text) in file.lines().enumerate() {
        let text = text.map_err(|source| DataError::Io { file: name.into(), source })?;
        if text.trim().is_empty() {
            continue;
        }
        let wrong = |reason| DataError::ConversationLine { file: name.into(), line: number + 1, reason };
        let line: ConversationLine =
            serde_json::from_str(&text).map_err(|error| wrong(format!("{}; {SHAPE}", told(&error))))?;
        conversations.push(conversation(line).map_err(wrong)?);
    }
    if conversations.is_empty() {
        return Err(DataError::Empty { file: name.into() });
    }
    Ok(conversations)
}

/// The error message for an unreadable line.
fn told(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    match error.classify() {
        Category::Eof => "the JSON breaks off before its end".into(),
        Category::Syntax => format!("no JSON from column {} on", error.column()),
        _ => error.to_string().replace(&place, &format!(" (column {})", error.column())),
    }
}

fn conversation(line: ConversationLine) -> Result<Conversation, String> {
    let mut seen = HashSet::new();
    let mut messages = Vec::with_capacity(line.messages.len());
    let mut now = Timestamp(0);
    for raw in line.messages {
        if !seen.insert(raw.id.clone()) {
            return Err(format!("two messages have the id `{}`; give each its own", raw.id));
        }
        let said = |what: String| format!("message `{}`: {what}", raw.id);
        now = when(&raw, now).map_err(said)?;
        let speaker = raw.speaker.parse().map_err(|error| said(format!("{error}")))?;
        messages.push(Utterance { id: raw.id, speaker, text: raw.text, at: now });
    }
    if messages.is_empty() {
        return Err("the conversation has no messages; take the line out or add some".into());
    }
    if let Some(empty) = line.questions.iter().find(|question| question.text.trim().is_empty()) {
        return Err(format!(
            "the text of question `{}` is empty; say what is asked or take it out",
            empty.id
        ));
    }
    Ok(Conversation { messages, questions: line.questions })
}

/// The time of a message: from `at`, else from the session if that is a date, else that of the previous message.
fn when(raw: &RawUtterance, before: Timestamp) -> Result<Timestamp, String> {
    match raw.at.as_deref().filter(|at| !at.trim().is_empty()) {
        Some(at) => moment(at).ok_or_else(|| {
            format!("`{at}` is no time; write it as 2023-05-08T13:56:00Z, 2023-05-08 13:56 or 8 May 2023")
        }),
        None => Ok(raw.session.as_deref().and_then(moment).unwrap_or(before)),
    }
}

/// A moment in ISO 8601 or in a common written form; without an offset it is UTC.
fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let at = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let civil = text.parse::<civil::DateTime>().ok().or_else(|| written(&plain(text)))?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })?;
    Some(Timestamp(at.as_microsecond()))
}

fn written(text: &str) -> Option<civil::DateTime> {
    DATES.iter().find_map(|format| {
        let parts = BrokenDownTime::parse(format, text).ok()?;
        let time = parts.to_time().unwrap_or_else(|_| civil::Time::midnight());
        Some(parts.to_date().ok()?.to_datetime(time))
    })
}

/// The text without commas and parenthesised parts, with one space between words.
fn plain(text: &str) -> String {
    let mut depth = 0usize;
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' => kept.push(' '),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<Conversation>, String> {
        read("talks.jsonl", text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_line_is_a_conversation() {
        let line = r#"{"id": "c", "messages": [
            {"id": "a", "session": "s1", "speaker": "Ann", "text": "Hi", "at": "2023-05-08T13:56:00Z"},
            {"id": "b", "speaker": "Bob", "text": "Hello"}],
            "questions": [{"text": "Who?", "gold": ["b"]}]}"#
            .replace('\n', " ");
        let all = read_text(&format!("{line}\n\n{line}\n")).unwrap();
        assert_eq!(all.len(), 2);
        let [ann, bob] = all[0].messages.as_slice() else { panic!("{all:?}") };
        assert_eq!((ann.speaker.as_str(), bob.text.as_str()), ("Ann", "Hello"));
        assert_eq!(ann.at, bob.at, "without a time it was said with the one before");
        assert_eq!(all[0].questions[0].category, "unsorted");
    }

    #[test]
    fn a_moment_is_read_as_people_write_it() {
        let noon = moment("2023-05-08T13:56:00Z").unwrap();
        for same in [
            "2023-05-08T15:56:00+02:00",
            "2023-05-08 13:56",
            "2023-05-08T13:56",
            "1:56 pm on 8 May, 2023",
            "2023/05/08 (Mon) 13:56",
            "8 May 2023, 13:56",
            "May 8, 2023 13:56",
        ] {
            assert_eq!(moment(same), Some(noon), "{same}");
        }
        let midnight = moment("2023-05-08T00:00:00Z");
        for same in ["2023-05-08", "8 May 2023", "May 8, 2023", "2023/05/08", "8 Aug 2023"] {
            let expected = if same.contains("Aug") { moment("2023-08-08T00:00:00Z") } else { midnight };
            assert_eq!(moment(same), expected, "{same}");
        }
        for no in ["", "session_1", "soon", "2023-13-01", "8 Mai 2023"] {
            assert_eq!(moment(no), None, "{no}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_file_line_and_remedy() {
        let said = |at: &str| format!(r#"{{"id":"a","speaker":"Ann","text":"x","at":"{at}"}}"#);
        let line = |messages: &str| format!(r#"{{"id":"c","messages":[{messages}],"questions":[]}}"#);
        let good = line(&said("2023-05-08"));
        let error = |bad: String| read_text(&format!("{good}\n{bad}\n")).unwrap_err();
        assert_eq!(
            error(line(&said("soon"))),
            "talks.jsonl:2: message `a`: `soon` is no time; write it as 2023-05-08T13:56:00Z, \
             2023-05-08 13:56 or 8 May 2023"
        );
        assert!(error(line("")).starts_with("talks.jsonl:2: the conversation has no messages;"));
        let twice = line(&format!("{0},{0}", said("2023-05-08")));
        assert!(error(twice).contains("two messages have the id `a`; give each its own"));
        assert!(error("{".into()).starts_with("talks.jsonl:2: the JSON breaks off"));
        assert!(error("{]".into()).starts_with("talks.jsonl:2: no JSON from column 2 on; "));
        let asked = good.replace("[]", r#"[{"id":"q7","text":" ","gold":["a"]}]"#);
        assert!(error(asked).contains("the text of question `q7` is empty"));
        assert!(
            error("{}".into()).contains("missing field `messages`") && error("{}".into()).contains(SHAPE)
        );
        let nobody = line(&said("2023-05-08")).replace("Ann", " ");
        assert!(error(nobody).contains("message `a`: ` ` is not a user id"));
        assert!(read_text("\n").unwrap_err().contains("talks.jsonl holds no conversation"));
    }
}
