//! The recording of a run: every call of a mind with its answer, one per line, written before the answer is used (SM4).
//! A killed run continues from it, and a replay asks no mind.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use greenroom_core::{ChatMessage, ToolCall, Usage};
use greenroom_models::ChatRequest;
use serde::{Deserialize, Serialize};

use crate::{error::SimError, mind::MindAnswer};

/// A call and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallEntry {
    /// The key of the call: `TIME/PLACE/SOURCE/AGENT/N`.
    pub(crate) call: String,
    /// The requested model.
    pub(crate) model: String,
    /// The messages of the request, by their numbers in the file. Each message is written once, because a context grows
    /// by only a message or two per call.
    messages: Vec<usize>,
    /// The answer; empty if the call failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    /// The tools that it called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall>,
    /// The agent's state after the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// The cost of the call.
    #[serde(default)]
    usage: Usage,
    /// The error, if the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
}

/// A line of a recording.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Entry {
    Message {
        message: ChatMessage,
    },
    Call(CallEntry),
    /// Marks where the run continued with `retry_failed`: earlier failed calls are asked again.
    Retry {
        retry_failed: bool,
    },
}

/// A recorded call with its messages.
#[derive(Clone)]
struct StoredCall {
    recorded: CallEntry,
    messages: Vec<Arc<ChatMessage>>,
    /// Whether a retry of failed calls follows it. Then the call is used only if the present request is the same.
    is_before_retry: bool,
}

impl CallEntry {
    /// The time of the call's event in milliseconds from the start.
    fn ms(&self) -> i64 {
        self.call.split('/').next().and_then(|ms| ms.parse().ok()).unwrap_or(0)
    }

    /// The answer or the error.
    pub(crate) fn answer(self) -> Result<MindAnswer, String> {
        match self.failed {
            Some(why) => Err(why),
            None => Ok(MindAnswer {
                text: self.text,
                tool_calls: self.tool_calls,
                state: self.state,
                usage: self.usage,
            }),
        }
    }
}

impl StoredCall {
    /// The first difference between the recorded request and the present one.
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

/// The parts of two texts around their first difference.
fn first_difference(before: &str, now: &str) -> (String, String) {
    let same = before.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| text.chars().skip(same.saturating_sub(20)).take(80).collect::<String>();
    (part(before), part(now))
}

/// The recordings that a run reads, and the one that it writes.
pub(crate) struct Recording {
    calls: HashMap<String, StoredCall>,
    /// `None` if calls that are not recorded are errors.
    writer: Option<Mutex<Writer>>,
}

struct Writer {
    file: File,
    /// The messages in the file, with their numbers.
    numbers: HashMap<Arc<ChatMessage>, usize, foldhash::fast::RandomState>,
}

/// The content of a recording file.
#[derive(Default)]
struct ReadFile {
    calls: Vec<StoredCall>,
    /// The keys of the calls.
    keys: Vec<String>,
    messages: Vec<Arc<ChatMessage>>,
    /// The end of the last complete line in bytes.
    end: u64,
}

/// A recording to read.
pub(crate) struct Source {
    pub(crate) file: PathBuf,
    /// For a parent: only calls before this time are used, in milliseconds.
    pub(crate) until: Option<i64>,
    /// For a parent: the length of the recording when the run branched off.
    pub(crate) bytes: Option<u64>,
}

/// The purpose of opening a recording.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Unrecorded calls are made and recorded.
    Record,
    /// As `Record`, and failed calls of the last source are made again.
    RetryFailed,
    /// Unrecorded calls are errors.
    Replay,
}

impl Recording {
    /// Reads recordings, the oldest first. Appends to the last one, unless `mode` is a replay. Removes a line that was
    /// cut off when the process was killed.
    pub(crate) fn open(sources: &[Source], mode: Mode) -> Result<Self, SimError> {
        let mut calls: HashMap<String, StoredCall> = HashMap::new();
        let mut last = ReadFile::default();
        for Source { file, until, bytes } in sources {
            let mut found = read(file, *bytes).map_err(|error| SimError::file(file, error))?;
            for call in std::mem::take(&mut found.calls) {
                if until.is_none_or(|until| call.recorded.ms() < until) {
                    calls.insert(call.recorded.call.clone(), call);
                }
            }
            last = found;
        }
        let writer = match sources.last() {
            Some(Source { file: path, .. }) if mode != Mode::Replay => {
                let mut file = open(path, last.end).map_err(|error| SimError::file(path, error))?;
                let is_failed =
                    |key: &String| calls.get(key).is_some_and(|call| call.recorded.failed.is_some());
                if mode == Mode::RetryFailed && last.keys.iter().any(is_failed) {
                    let mut line = Vec::new();
                    push(&mut line, &Entry::Retry { retry_failed: true })?;
                    file.write_all(&line).map_err(|error| SimError::file(path, error))?;
                    for key in &last.keys {
                        if let Some(call) = calls.get_mut(key) {
                            call.is_before_retry = true;
                        }
                    }
                }
                let numbers =
                    last.messages.into_iter().enumerate().map(|(n, message)| (message, n)).collect();
                Some(Mutex::new(Writer { file, numbers }))
            }
            _ => None,
        };
        Ok(Self { calls, writer })
    }

    /// The recorded answer of a call, if any.
    ///
    /// # Errors
    /// [`SimError::NotRecorded`] if the call differs from the recorded one, or a replay has no such call.
    pub(crate) fn find(&self, call: &str, request: &ChatRequest) -> Result<Option<CallEntry>, SimError> {
        let error = |difference| SimError::NotRecorded { call: call.to_owned(), difference };
        let missing = match self.calls.get(call) {
            None => "no such call was made".to_owned(),
            Some(found) => match found.difference(request) {
                None if found.is_before_retry && found.recorded.failed.is_some() => "it failed".to_owned(),
                None => return Ok(Some(found.recorded.clone())),
                Some(difference) if found.is_before_retry => difference,
                Some(difference) => return Err(error(difference)),
            },
        };
        if self.writer.is_none() { Err(error(missing)) } else { Ok(None) }
    }

    /// Writes a call with its answer.
    pub(crate) fn add(
        &self,
        call: String,
        request: &ChatRequest,
        answer: &Result<MindAnswer, String>,
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
        let MindAnswer { text, tool_calls, state, usage } = answer.clone().unwrap_or_default();
        let failed = answer.as_ref().err().cloned();
        let model = request.model.clone();
        push(
            &mut lines,
            &Entry::Call(CallEntry { call, model, messages, text, tool_calls, state, usage, failed }),
        )?;
        // a single write, so that a kill cuts off at most one line
        writer.file.write_all(&lines).map_err(|error| SimError::Recording(error.to_string()))
    }
}

fn push(lines: &mut Vec<u8>, entry: &Entry) -> Result<(), SimError> {
    serde_json::to_writer(&mut *lines, entry).map_err(|error| SimError::Recording(error.to_string()))?;
    lines.push(b'\n');
    Ok(())
}

/// Reads the complete lines of a recording. Empty if there is no file.
fn read(path: &Path, bytes: Option<u64>) -> io::Result<ReadFile> {
    let (mut found, mut lines) = (ReadFile::default(), 0_u64);
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        opened => opened?,
    };
    let (mut reader, mut line) = (BufReader::new(file.take(bytes.unwrap_or(u64::MAX))), Vec::new());
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        // a line without its end was cut off when the process was killed
        let whole = line.last() == Some(&b'\n');
        if !whole {
            break;
        }
        lines += 1;
        // a kill only cuts off a line, so an unreadable complete line means damage
        let damaged = || {
            let what =
                format!("line {lines} is no call and no message; restore the file, or remove the rest of it");
            io::Error::new(io::ErrorKind::InvalidData, what)
        };
        let entry = serde_json::from_slice::<Entry>(&line).map_err(|_| damaged())?;
        match entry {
            Entry::Message { message } => found.messages.push(Arc::new(message)),
            Entry::Call(recorded) => {
                let message = |n: &usize| found.messages.get(*n).cloned();
                let messages: Option<_> = recorded.messages.iter().map(message).collect();
                let messages = messages.ok_or_else(damaged)?;
                found.keys.push(recorded.call.clone());
                found.calls.push(StoredCall { recorded, messages, is_before_retry: false });
            }
            Entry::Retry { .. } => found.calls.iter_mut().for_each(|call| call.is_before_retry = true),
        }
        found.end += length as u64;
    }
    Ok(found)
}

/// Opens a recording for appending after `end`.
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

    fn sources(file: &Path) -> [Source; 1] {
        [Source { file: file.to_owned(), until: None, bytes: None }]
    }

    fn add(file: &Path, mode: Mode, call: &str, asked: &str, answer: Result<&str, &str>) {
        let answer = answer.map(|text| MindAnswer { text: text.into(), ..MindAnswer::default() });
        let recording = Recording::open(&sources(file), mode).unwrap();
        recording.add(call.into(), &request(asked), &answer.map_err(str::to_owned)).unwrap();
    }

    fn found(file: &Path, mode: Mode, call: &str, asked: &str) -> Result<Option<String>, SimError> {
        let found = Recording::open(&sources(file), mode).unwrap().find(call, &request(asked))?;
        Ok(found.map(|call| call.text))
    }

    #[test]
    fn sm4_a_call_that_is_not_recorded_is_an_error_that_names_the_first_difference() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("calls.jsonl");
        add(&file, Mode::Record, "1", "tea or milk?", Ok("yes"));
        assert_eq!(found(&file, Mode::Replay, "1", "tea or milk?").unwrap().unwrap(), "yes");
        let error = found(&file, Mode::Replay, "1", "tea or beer?").unwrap_err().to_string();
        assert!(error.contains("message 1 read `tea or milk?`, and now `tea or beer?`"), "{error}");
        let error = found(&file, Mode::Replay, "2", "tea").unwrap_err().to_string();
        assert!(error.contains("no such call was made"), "{error}");
    }

    #[test]
    fn sm5_a_line_that_a_kill_cut_off_is_removed_and_the_recording_goes_on() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("calls.jsonl");
        add(&file, Mode::Record, "1", "a", Ok("yes"));
        let whole = std::fs::read(&file).unwrap();
        for cut in 1..whole.len() {
            std::fs::write(&file, [&whole[..], &whole[..cut]].concat()).unwrap();
            add(&file, Mode::Record, "2", "b", Ok("yes"));
            let calls: Vec<_> =
                read(&file, None).unwrap().calls.into_iter().map(|call| call.recorded.call).collect();
            assert_eq!(calls, ["1", "2"], "cut after {cut} bytes");
        }
    }

    #[test]
    fn sm5_failed_calls_are_asked_again_and_so_is_what_depends_on_them() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("calls.jsonl");
        add(&file, Mode::Record, "0", "elsewhere", Ok("independent"));
        add(&file, Mode::Record, "1", "a", Err("the model is down"));
        add(&file, Mode::Record, "2", "b, after a failure", Ok("dependent"));
        assert_eq!(found(&file, Mode::RetryFailed, "1", "a").unwrap(), None);
        // the process may end here; the recording already contains the mark of the retry
        assert_eq!(found(&file, Mode::Record, "1", "a").unwrap(), None);
        assert!(found(&file, Mode::Replay, "1", "a").is_err(), "a replay has no answer");
        assert_eq!(found(&file, Mode::Record, "0", "elsewhere").unwrap().unwrap(), "independent");
        add(&file, Mode::Record, "1", "a", Ok("answer"));
        assert_eq!(found(&file, Mode::Record, "2", "b, after an answer").unwrap(), None);
        add(&file, Mode::Record, "2", "b, after an answer", Ok("another"));
        assert_eq!(found(&file, Mode::Replay, "1", "a").unwrap().unwrap(), "answer");
        assert_eq!(found(&file, Mode::Replay, "2", "b, after an answer").unwrap().unwrap(), "another");
        assert!(found(&file, Mode::Record, "2", "b, after something else").is_err());
        let size = std::fs::metadata(&file).unwrap().len();
        found(&file, Mode::RetryFailed, "0", "elsewhere").unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().len(), size, "no call is failed any more");
    }

    #[test]
    fn sm5_a_branch_reads_what_its_parent_had_recorded_by_then() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("calls.jsonl");
        add(&file, Mode::Record, "1", "a", Ok("before"));
        let bytes = std::fs::metadata(&file).unwrap().len();
        add(&file, Mode::Record, "2", "b", Ok("after"));
        let own = Source { file: directory.path().join("own.jsonl"), until: None, bytes: None };
        let parent = Source { file, until: Some(1_000), bytes: Some(bytes) };
        let recording = Recording::open(&[parent, own], Mode::Record).unwrap();
        assert!(recording.find("1", &request("a")).unwrap().is_some());
        assert!(recording.find("2", &request("b")).unwrap().is_none());
    }
}
