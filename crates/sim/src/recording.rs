//! The recording of a run: every call of a mind with its answer, a line each, written before the answer is used (SM4). A run
//! that was killed goes on from it, and a replay asks no mind.

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
    Message {
        message: ChatMessage,
    },
    Call(CallEntry),
    /// The run went on from here with its failed calls asked again.
    Retry {
        retry_failed: bool,
    },
}

/// A recorded call with its messages.
#[derive(Clone)]
struct StoredCall {
    recorded: CallEntry,
    messages: Vec<Arc<ChatMessage>>,
    /// Whether failed calls were asked again after it: then it counts only where the same is asked now.
    is_before_retry: bool,
}

impl CallEntry {
    /// When the event of the call began, in milliseconds from the start.
    fn ms(&self) -> i64 {
        self.call.split('/').next().and_then(|ms| ms.parse().ok()).unwrap_or(0)
    }

    /// The answer, or why there is none.
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
    calls: HashMap<String, StoredCall>,
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
    calls: Vec<StoredCall>,
    /// The keys of the calls.
    keys: Vec<String>,
    messages: Vec<Arc<ChatMessage>>,
    /// Where the last whole line ends.
    end: u64,
}

/// A recording that is read.
pub(crate) struct Source {
    pub(crate) file: PathBuf,
    /// Of a parent: the calls before this moment count, in milliseconds.
    pub(crate) until: Option<i64>,
    /// Of a parent: the bytes that it had when the run branched off.
    pub(crate) bytes: Option<u64>,
}

/// What a recording is opened for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// What is not recorded is asked and recorded.
    Record,
    /// The same, and failed calls of the last source are asked again.
    RetryFailed,
    /// What is not recorded is an error.
    Replay,
}

impl Recording {
    /// Reads recordings, the oldest first, and goes on with the last one of them unless `mode` is a replay. A line that was
    /// being written when the process was killed is removed.
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

    /// The recorded answer of a call, if there is one.
    ///
    /// # Errors
    /// [`SimError::NotRecorded`] where the call is another than the recorded one, or a replay has none.
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
        // what was being written when the process was killed is no line
        let whole = line.last() == Some(&b'\n');
        if !whole {
            break;
        }
        lines += 1;
        // a kill cuts a line off and changes none
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
        // the process may end here: the recording knows that failed calls are asked again
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
