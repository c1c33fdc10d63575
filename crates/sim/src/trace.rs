//! The trace of a run: the lines of all events, in the order of `(time, place, source)`. The same scenario, seed and
//! recording give the same bytes (SM3). The trace also decides where a run ends (SM8), because only here are all events
//! in one order.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
};

use greenroom_core::{Outcome, Receipt, Section, Usage};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::value::RawValue;

use crate::{
    error::SimError,
    scenario::{Stop, parse_wait},
};

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// The scenario sent a message.
    Told,
    /// An agent sent a message.
    Said,
    /// The turn of an agent failed.
    Failed,
    /// A message was withheld, because it nearly repeats the agent's previous one (RM4). The text is the reason.
    Withheld,
    /// An agent moved to a place.
    Moved,
    /// An agent answered a probe.
    Probe,
    /// A measured value of a population.
    Value,
}

/// A line of the trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Milliseconds from the start.
    pub ms: i64,
    /// The place; empty for a population.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// What it tells.
    pub kind: LineKind,
    /// The speaker, or the agent that moved or was asked; for a value, the measure.
    pub who: String,
    /// The addressee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The message; for a move, the place that the agent left.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// A measured value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "exact")]
    pub value: Option<f64>,
    /// The agents that heard it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heard: Vec<String>,
    /// The topics that agents learned from it, as `agent:topic`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<String>,
    /// The probe that the line answers, or that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<String>,
    /// The planned time of the probe. In a busy place the answer comes later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<i64>,
    /// For a probe with choices: the chosen one; empty if the answer names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// The tokens of the calls: prompt and completion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<[u64; 2]>,
    /// The receipt of the context that the answer was generated from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextAccount>,
}

/// Parses a number exactly. Without this, serde_json rounds some numbers to a neighbouring one.
fn exact<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let written = Box::<RawValue>::deserialize(from)?;
    match written.get() {
        "null" => Ok(None),
        number => number.parse().map(Some).map_err(D::Error::custom),
    }
}

impl Line {
    pub(crate) fn new(ms: i64, place: &str, kind: LineKind, who: &str, text: &str) -> Self {
        Self {
            ms,
            place: place.to_owned(),
            kind,
            who: who.to_owned(),
            to: None,
            text: text.to_owned(),
            value: None,
            heard: Vec::new(),
            learned: Vec::new(),
            probe: None,
            asked: None,
            choice: None,
            tokens: None,
            context: None,
        }
    }

    /// The answer to a probe: the choice if there are choices, else the text.
    pub(crate) fn answer(&self) -> &str {
        self.choice.as_ref().unwrap_or(&self.text)
    }
}

/// A receipt without ids, because ids depend on the order in which places write.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextAccount {
    /// Tokens of the whole request.
    pub tokens: usize,
    /// Tokens of memories.
    pub memories: usize,
    /// Tokens of the conversation.
    pub history: usize,
    /// The items in the order of the request.
    pub items: Vec<ContextItem>,
    /// Notes of the receipt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// An item of a context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextItem {
    /// The section of the context.
    pub section: Section,
    /// The beginning of its text.
    pub text: String,
    /// Its tokens.
    pub tokens: usize,
    /// Whether it was kept, cut or dropped.
    pub outcome: Outcome,
}

impl From<&Receipt> for ContextAccount {
    fn from(receipt: &Receipt) -> Self {
        let item = |item: &greenroom_core::ReceiptItem| ContextItem {
            section: item.section,
            text: item.preview.clone(),
            tokens: item.tokens,
            outcome: item.outcome,
        };
        Self {
            tokens: receipt.budget.total_tokens,
            memories: receipt.budget.memory_tokens,
            history: receipt.budget.history_tokens,
            items: receipt.items.iter().map(item).collect(),
            notes: receipt.notes.clone(),
        }
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The scenario's time is over.
    Time,
    /// No events are left.
    Quiescent,
    /// No agent said anything for the time limit.
    Silence,
    /// The limit of calls is reached.
    Calls,
    /// The limit of tokens is reached.
    Tokens,
    /// The limit of cost is reached.
    Cost,
    /// The run was interrupted and can be resumed.
    Interrupted,
}

/// The result of an event.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventResult {
    /// The time of the event in milliseconds from the start.
    pub(crate) ms: i64,
    /// The delay against the plan in milliseconds. Its places were still busy.
    pub(crate) late_ms: i64,
    pub(crate) lines: Vec<Line>,
    pub(crate) calls: u64,
    pub(crate) usage: Usage,
}

/// What is left of a run's limits. `None` without a limit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Left {
    pub(crate) calls: Option<u64>,
    pub(crate) tokens: Option<u64>,
    /// In millionths of the currency.
    pub(crate) cost_micros: Option<u64>,
}

/// The size of the write buffer. A line with the receipt of a context has some kilobytes.
const BUFFER: usize = 256 << 10;

/// Writes the trace. If a trace exists, the new one is written to another file until it is longer or complete, so that
/// a failed resume leaves the old one intact.
pub(crate) struct Trace {
    file: BufWriter<File>,
    path: PathBuf,
    /// The length of the old trace while it exists.
    old: Option<u64>,
    bytes: u64,
    stop: Stop,
    silence: Option<i64>,
    last_said: i64,
    /// The time of the last line.
    last: i64,
    /// The checksum of the written bytes.
    sum: crc32fast::Hasher,
    /// The longest delay of an event against its plan, in milliseconds.
    pub(crate) late_ms: i64,
    /// Answers of agents to messages and probes.
    pub(crate) answers: u64,
    /// Failed answers.
    pub(crate) failed: u64,
    pub(crate) calls: u64,
    pub(crate) usage: Usage,
    pub(crate) lines: u64,
}

impl Trace {
    pub(crate) fn create(path: &Path, stop: Stop) -> Result<Self, SimError> {
        let old = fs::metadata(path).ok().map(|file| file.len()).filter(|length| *length > 0);
        let at = if old.is_some() { beside(path) } else { path.to_owned() };
        let file = File::create(&at).map_err(|error| SimError::file(&at, error))?;
        let mut trace = Self {
            file: BufWriter::with_capacity(BUFFER, file),
            path: path.to_owned(),
            old,
            bytes: 0,
            stop: Stop::default(),
            silence: None,
            last_said: 0,
            last: 0,
            sum: crc32fast::Hasher::new(),
            late_ms: 0,
            answers: 0,
            failed: 0,
            calls: 0,
            usage: Usage::default(),
            lines: 0,
        };
        trace.limit(stop);
        Ok(trace)
    }

    /// Sets the limits that apply from now on.
    pub(crate) fn limit(&mut self, stop: Stop) {
        let silence = stop.silence.as_deref().and_then(parse_wait);
        self.silence = silence.map(|wait| i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
        self.stop = stop;
    }

    /// Adds the next event in order. Returns the reason if the run ends with it. Later events are not written.
    pub(crate) fn add(&mut self, event: EventResult) -> Result<Option<EndReason>, SimError> {
        if self.silence.is_some_and(|silence| event.ms - self.last_said > silence) {
            return Ok(Some(EndReason::Silence));
        }
        for line in &event.lines {
            if line.kind == LineKind::Said {
                self.last_said = self.last_said.max(line.ms);
            }
            self.write(line)?;
        }
        self.late_ms = self.late_ms.max(event.late_ms);
        self.calls += event.calls;
        self.usage = self.usage.plus(event.usage);
        let cost = self.usage.cost_micros as f64 / 1e6;
        Ok(if self.stop.calls.is_some_and(|limit| self.calls >= limit) {
            Some(EndReason::Calls)
        } else if self.stop.tokens.is_some_and(|limit| self.usage.total() >= limit) {
            Some(EndReason::Tokens)
        } else if self.stop.cost.is_some_and(|limit| cost >= limit) {
            Some(EndReason::Cost)
        } else {
            None
        })
    }

    /// What is left of the limits.
    pub(crate) fn left(&self) -> Left {
        let Stop { calls, tokens, cost, .. } = &self.stop;
        Left {
            calls: calls.map(|limit| limit.saturating_sub(self.calls)),
            tokens: tokens.map(|limit| limit.saturating_sub(self.usage.total())),
            // the limit is positive, so the cast only truncates its fraction
            cost_micros: cost.map(|limit| ((limit * 1e6) as u64).saturating_sub(self.usage.cost_micros)),
        }
    }

    /// When silence would end the run, in milliseconds. `None` without a limit.
    pub(crate) fn silent_at(&self) -> Option<i64> {
        self.silence.map(|silence| self.last_said.saturating_add(silence))
    }

    /// The end of a run in milliseconds. `reached`: the time of the next event. `end`: the end of the scenario.
    pub(crate) fn ended_at(&self, ended: EndReason, reached: i64, end: i64) -> i64 {
        match ended {
            EndReason::Time => end,
            EndReason::Quiescent | EndReason::Interrupted => reached.max(self.last),
            EndReason::Silence => self.last_said.saturating_add(self.silence.unwrap_or(0)),
            EndReason::Calls | EndReason::Tokens | EndReason::Cost => self.last,
        }
    }

    pub(crate) fn write(&mut self, line: &Line) -> Result<(), SimError> {
        self.lines += 1;
        self.last = self.last.max(line.ms);
        self.failed += u64::from(line.kind == LineKind::Failed);
        self.answers += u64::from(matches!(line.kind, LineKind::Said | LineKind::Probe));
        let mut text = serde_json::to_vec(line).map_err(|error| SimError::Recording(error.to_string()))?;
        text.push(b'\n');
        self.bytes += text.len() as u64;
        self.sum.update(&text);
        let written = self.file.write_all(&text).and_then(|()| match self.old {
            Some(old) if self.bytes > old => self.replace(),
            _ => Ok(()),
        });
        written.map_err(|error| SimError::Recording(error.to_string()))
    }

    /// Flushes the new trace and puts it in place of the old one.
    fn replace(&mut self) -> io::Result<()> {
        self.file.flush()?;
        match self.old.take() {
            Some(_) => fs::rename(beside(&self.path), &self.path),
            None => Ok(()),
        }
    }

    /// Completes the trace. Returns its CRC-32.
    pub(crate) fn finish(mut self) -> Result<u32, SimError> {
        self.replace().map_err(|error| SimError::Recording(error.to_string()))?;
        Ok(self.sum.clone().finalize())
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if self.old.is_some() {
            // a file that could not be removed is overwritten by the next run
            let _ = fs::remove_file(beside(&self.path));
        }
    }
}

fn beside(path: &Path) -> PathBuf {
    path.with_extension("jsonl.new")
}

/// The lines of a trace.
pub(crate) fn read(path: &Path) -> Result<Vec<Line>, SimError> {
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            SimError::NoTrace { run: path.parent().unwrap_or(path).display().to_string() }
        }
        _ => SimError::file(path, error),
    })?;
    let mut lines = Vec::new();
    let (mut reader, mut line) = (BufReader::new(file), Vec::new());
    while reader.read_until(b'\n', &mut line).map_err(|error| SimError::file(path, error))? > 0 {
        // a line without its end was cut off when the process was killed
        if line.last() != Some(&b'\n') {
            break;
        }
        lines.push(serde_json::from_slice(&line).map_err(|_| SimError::Damaged {
            file: path.display().to_string(),
            reason: format!(
                "line {} is no line of a trace; remove the file, and `greenroom sim resume RUN` makes it again",
                lines.len() + 1
            ),
        })?);
        line.clear();
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sm9_a_value_is_read_as_it_was_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trace.jsonl");
        let mut trace = Trace::create(&path, Stop::default()).unwrap();
        let values: Vec<f64> =
            (1..2_000).map(|n| f64::from(n).sqrt().sin()).chain([0.498_106_437_078_716_44]).collect();
        for value in &values {
            let line = Line { value: Some(*value), ..Line::new(1, "", LineKind::Value, "mean", "") };
            trace.write(&line).unwrap();
        }
        trace.finish().unwrap();
        let found: Vec<_> = read(&path).unwrap().into_iter().filter_map(|line| line.value).collect();
        assert!(found == values);
    }
}
