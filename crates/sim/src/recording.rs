//! The recording of a run: every call of a mind with its answer, a line each, written before the answer is used (SM4). A run
//! that was killed goes on from it, and a replay asks no mind.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use greenroom_core::{ChatMessage, ToolCall, Usage};
use greenroom_models::ChatRequest;
use serde::{Deserialize, Serialize};

use crate::{error::SimError, mind::Said};

/// A call and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// Which call it is: `TIME/PLACE/SOURCE/AGENT/N`.
    pub(crate) call: String,
    /// The model that was asked for.
    pub(crate) model: String,
    /// What it was asked: the numbers of messages, in the order in which the file introduces them. A context grows by a
    /// message or two, and each is written once.
    messages: Vec<usize>,
    /// What it said; nothing where it failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    /// The tools it called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall>,
    /// The state it is in then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// What it cost.
    #[serde(default)]
    usage: Usage,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
}

/// A line of a recording.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Entry {
    Message { message: ChatMessage },
    Call(Recorded),
}

/// A recorded call with its messages.
#[derive(Clone)]
struct Known {
    recorded: Recorded,
    messages: Vec<Arc<ChatMessage>>,
}

impl Recorded {
    /// When the event of the call began, in milliseconds from the start.
    fn ms(&self) -> i64 {
        self.call.split('/').next().and_then(|ms| ms.parse().ok()).unwrap_or(0)
    }

    /// The answer, or why there is none.
    pub(crate) fn answer(self) -> Result<Said, String> {
        match self.failed {
            Some(why) => Err(why),
            None => Ok(Said {
                text: self.text,
                tool_calls: self.tool_calls,
                state: self.state,
                usage: self.usage,
            }),
        }
    }
}

impl Known {
    /// The first difference to what is asked now, if there is one.
    fn difference(&self, request: &ChatRequest) -> Option<String> {
        let model = &self.recorded.model;
        if *model != request.model {
            return Some(format!("it asked the model `{model}`, and now `{}`", request.model));
        }
        let both = self.messages.iter().zip(&request.messages).enumerate();
        for (n, (before, now)) in both {
            if **before != *now {
                let (before, now) = first_difference(&before.content, &now.content);
                return Some(format!("its message {} read `{before}`, and now `{now}`", n + 1));
            }
        }
        let (before, now) = (self.messages.len(), request.messages.len());
        (before != now).then(|| format!("it had {before} messages, and now {now}"))
    }
}

/// Two texts from shortly before they differ.
fn first_difference(before: &str, now: &str) -> (String, String) {
    let same = before.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| text.chars().skip(same.saturating_sub(20)).take(80).collect::<String>();
    (part(before), part(now))
}

/// The recordings that a run reads, and the one it writes.
pub(crate) struct Recording {
    known: HashMap<String, Known>,
    /// None where nothing may be asked that is not recorded.
    writer: Option<Mutex<Writer>>,
}

struct Writer {
    file: File,
    /// The messages that are in the file, with their numbers.
    numbers: HashMap<Arc<ChatMessage>, usize, foldhash::fast::RandomState>,
}

/// What was read of a file.
#[derive(Default)]
struct ReadFile {
    calls: Vec<Known>,
    messages: Vec<Arc<ChatMessage>>,
    /// Where the last whole line ends.
    end: u64,
}

impl Recording {
    /// Reads recordings, the oldest first, and goes on with the last one of them unless `replay`. A line that was being
    /// written when the process was killed is removed. Of a parent's recording the calls before the moment of the branch
    /// count.
    pub(crate) fn open(files: &[(PathBuf, Option<i64>)], replay: bool) -> Result<Self, SimError> {
        let (mut known, mut last) = (HashMap::new(), ReadFile::default());
        for (file, until) in files {
            let mut found = read(file).map_err(|error| SimError::file(file, error))?;
            for call in std::mem::take(&mut found.calls) {
                if until.is_none_or(|until| call.recorded.ms() < until) {
                    known.insert(call.recorded.call.clone(), call);
                }
            }
            last = found;
        }
        let writer = match files.last() {
            Some((path, _)) if !replay => {
                let file = open(path, last.end).map_err(|error| SimError::file(path, error))?;
                let numbers =
                    last.messages.into_iter().enumerate().map(|(n, message)| (message, n)).collect();
                Some(Mutex::new(Writer { file, numbers }))
            }
            _ => None,
        };
        Ok(Self { known, writer })
    }

    /// The recorded answer of a call, if there is one.
    ///
    /// # Errors
    /// [`SimError::NotRecorded`] where the call is another than the recorded one, or a replay has none.
    pub(crate) fn find(&self, call: &str, request: &ChatRequest) -> Result<Option<Recorded>, SimError> {
        let differs = |difference| SimError::NotRecorded { call: call.to_owned(), difference };
        match self.known.get(call) {
            Some(found) => match found.difference(request) {
                Some(difference) => Err(differs(difference)),
                None => Ok(Some(found.recorded.clone())),
            },
            None if self.writer.is_none() => Err(differs("no such call was made".into())),
            None => Ok(None),
        }
    }

    /// Writes a call with its answer.
    pub(crate) fn add(
        &self,
        call: String,
        request: &ChatRequest,
        answer: &Result<Said, String>,
    ) -> Result<(), SimError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = Vec::new();
        let mut messages = Vec::with_capacity(request.messages.len());
        for message in &request.messages {
            let next = writer.numbers.len();
            let number = match writer.numbers.get(message) {
                Some(number) => *number,
                None => {
                    push(&mut lines, &Entry::Message { message: message.clone() })?;
                    writer.numbers.insert(Arc::new(message.clone()), next);
                    next
                }
            };
            messages.push(number);
        }
        let Said { text, tool_calls, state, usage } = answer.clone().unwrap_or_default();
        let failed = answer.as_ref().err().cloned();
        let model = request.model.clone();
        push(
            &mut lines,
            &Entry::Call(Recorded { call, model, messages, text, tool_calls, state, usage, failed }),
        )?;
        // one write: a kill leaves whole lines and at most one that is cut off
        writer.file.write_all(&lines).map_err(|error| SimError::Recording(error.to_string()))
    }
}

fn push(lines: &mut Vec<u8>, entry: &Entry) -> Result<(), SimError> {
    serde_json::to_writer(&mut *lines, entry).map_err(|error| SimError::Recording(error.to_string()))?;
    lines.push(b'\n');
    Ok(())
}

/// The whole lines of a recording; nothing where there is no file.
fn read(path: &Path) -> io::Result<ReadFile> {
    let mut found = ReadFile::default();
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        opened => opened?,
    };
    let (mut reader, mut line) = (BufReader::new(file), Vec::new());
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        // what was being written when the process was killed is no line
        let whole = line.last() == Some(&b'\n');
        let Some(entry) = serde_json::from_slice::<Entry>(&line).ok().filter(|_| whole) else { break };
        match entry {
            Entry::Message { message } => found.messages.push(Arc::new(message)),
            Entry::Call(recorded) => {
                let message = |n: &usize| found.messages.get(*n).cloned();
                let Some(messages) = recorded.messages.iter().map(message).collect() else { break };
                found.calls.push(Known { recorded, messages });
            }
        }
        found.end += length as u64;
    }
    Ok(found)
}

/// Opens a recording to go on with it after `end`.
fn open(path: &Path, end: u64) -> io::Result<File> {
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    file.set_len(end)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use greenroom_core::Role;
    use serde_json::Map;

    use super::*;

    fn request(text: &str) -> ChatRequest {
        ChatRequest {
            model: "script".into(),
            messages: vec![ChatMessage::new(Role::User, text)],
            tools: Vec::new(),
            temperature: 0.0,
            max_output_tokens: 10,
            prompt_tokens: 1,
            extra: Map::new(),
        }
    }

    fn added(files: &[(PathBuf, Option<i64>)], call: &str, asked: &str) {
        let answer = Ok(Said { text: "yes".into(), ..Said::default() });
        Recording::open(files, false).unwrap().add(call.into(), &request(asked), &answer).unwrap();
    }

    #[test]
    fn sm4_a_call_that_is_not_recorded_is_an_error_that_names_the_first_difference() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("calls.jsonl");
        let files = [(file, None)];
        added(&files, "1", "tea or milk?");
        let replay = Recording::open(&files, true).unwrap();
        assert_eq!(replay.find("1", &request("tea or milk?")).unwrap().unwrap().text, "yes");
        let error = replay.find("1", &request("tea or beer?")).unwrap_err().to_string();
        assert!(error.contains("message 1 read `tea or milk?`, and now `tea or beer?`"), "{error}");
        let error = replay.find("2", &request("tea")).unwrap_err().to_string();
        assert!(error.contains("no such call was made"), "{error}");
    }

    #[test]
    fn sm5_a_line_that_a_kill_cut_off_is_removed_and_the_recording_goes_on() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("calls.jsonl");
        let files = [(file.clone(), None)];
        added(&files, "1", "a");
        let whole = std::fs::read(&file).unwrap();
        for cut in 1..whole.len() {
            std::fs::write(&file, [&whole[..], &whole[..cut]].concat()).unwrap();
            added(&files, "2", "b");
            let calls: Vec<_> =
                read(&file).unwrap().calls.into_iter().map(|call| call.recorded.call).collect();
            assert_eq!(calls, ["1", "2"], "cut after {cut} bytes");
        }
    }
}
