//! The recording of a run: every call of a mind with its answer, a line each, written before the answer is used (SM4). A run
//! that was killed goes on from it, and a replay asks no mind.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use greenroom_core::{ChatMessage, ToolCall, Usage};
use greenroom_models::ChatRequest;
use serde::{Deserialize, Serialize};

use crate::{error::SimError, mind::Said};

/// A call and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Which call it is: `TIME/PLACE/SOURCE/AGENT/N`.
    pub call: String,
    /// The model that was asked for.
    pub model: String,
    /// What it was asked.
    pub messages: Vec<ChatMessage>,
    /// What it said; nothing where it failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The tools it called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The state it is in then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What it cost.
    #[serde(default)]
    pub usage: Usage,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
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
            None => {
                Ok(Said { text: self.text, tool_calls: self.tool_calls, state: self.state, usage: self.usage })
            }
        }
    }

    /// The first difference to what is asked now, if there is one.
    fn difference(&self, request: &ChatRequest) -> Option<String> {
        if self.model != request.model {
            return Some(format!("it asked the model `{}`, and now `{}`", self.model, request.model));
        }
        let both = self.messages.iter().zip(&request.messages).enumerate();
        for (n, (before, now)) in both {
            if before != now {
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
    known: Mutex<HashMap<String, Recorded>>,
    /// None where nothing may be asked that is not recorded.
    file: Option<Mutex<File>>,
}

impl Recording {
    /// Reads recordings, the oldest first, and goes on with the last one of them unless `replay`. A line that was being
    /// written when the process was killed is removed.
    /// Of a parent's recording the calls before the moment of the branch count.
    pub(crate) fn open(files: &[(PathBuf, Option<i64>)], replay: bool) -> Result<Self, SimError> {
        let mut known = HashMap::new();
        for (file, until) in files {
            for recorded in read(file).map_err(|error| SimError::file(file, error))? {
                if until.is_none_or(|until| recorded.ms() < until) {
                    known.insert(recorded.call.clone(), recorded);
                }
            }
        }
        let file = match files.last() {
            Some((last, _)) if !replay => {
                let opened = open(last).map_err(|error| SimError::file(last, error))?;
                Some(Mutex::new(opened))
            }
            _ => None,
        };
        Ok(Self { known: Mutex::new(known), file })
    }

    /// The recorded answer of a call, if there is one.
    ///
    /// # Errors
    /// [`SimError::NotRecorded`] where the call is another than the recorded one, or a replay has none.
    pub(crate) fn find(&self, call: &str, request: &ChatRequest) -> Result<Option<Recorded>, SimError> {
        let found = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(call).cloned();
        let differs = |difference| SimError::NotRecorded { call: call.to_owned(), difference };
        match found {
            Some(found) => match found.difference(request) {
                Some(difference) => Err(differs(difference)),
                None => Ok(Some(found)),
            },
            None if self.file.is_none() => Err(differs("no such call was made".into())),
            None => Ok(None),
        }
    }

    /// Writes a call.
    pub(crate) fn add(&self, recorded: &Recorded) -> Result<(), SimError> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut line = serde_json::to_vec(recorded).map_err(|error| SimError::Recording(error.to_string()))?;
        line.push(b'\n');
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // one write: a kill leaves a whole line or a broken last one
        file.write_all(&line).map_err(|error| SimError::Recording(error.to_string()))
    }
}

/// The whole lines of a recording.
pub(crate) fn read(path: &Path) -> io::Result<Vec<Recorded>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened?,
    };
    let mut recorded = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        // what was being written when the process was killed is no call
        match serde_json::from_slice(&line?) {
            Ok(call) => recorded.push(call),
            Err(_) => break,
        }
    }
    Ok(recorded)
}

/// Opens a recording to go on with it, after its last whole line.
fn open(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
    let mut whole = 0;
    let mut reader = BufReader::new(&mut file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if read == 0 || line.last() != Some(&b'\n') || serde_json::from_slice::<Recorded>(&line).is_err() {
            break;
        }
        whole += read as u64;
    }
    drop(reader);
    file.set_len(whole)?;
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

    fn recorded(call: &str, asked: &str) -> Recorded {
        Recorded {
            call: call.into(),
            model: "script".into(),
            messages: request(asked).messages,
            text: "yes".into(),
            tool_calls: Vec::new(),
            state: None,
            usage: Usage::default(),
            failed: None,
        }
    }

    #[test]
    fn sm4_a_call_that_is_not_recorded_is_an_error_that_names_the_first_difference() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("calls.jsonl");
        let files = [(file, None)];
        Recording::open(&files, false).unwrap().add(&recorded("1", "tea or milk?")).unwrap();
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
        Recording::open(&files, false).unwrap().add(&recorded("1", "a")).unwrap();
        let whole = std::fs::read(&file).unwrap();
        for cut in 1..whole.len() {
            std::fs::write(&file, [&whole[..], &whole[..cut]].concat()).unwrap();
            let again = Recording::open(&files, false).unwrap();
            again.add(&recorded("2", "b")).unwrap();
            let calls: Vec<_> = read(&file).unwrap().into_iter().map(|call| call.call).collect();
            assert_eq!(calls, ["1", "2"], "cut after {cut} bytes");
        }
    }
}
