//! A model that follows a script: a file of expected requests and answers, for tests and examples. If a request differs
//! from the expected one, the model fails with the step and the difference. It never invents an answer.
//!
//! A script is TOML or, in a file ending in `.json`, the same as JSON. Each request takes the
//! next step:
//!
//! ```toml
//! [[step]]
//! [step.expect]                              # every line is optional
//! model = "gpt-4o-mini"                      # the model asked for
//! messages = 2                               # how many messages the request holds
//! last_user_contains = "Remember"            # in the last message of a user
//! last_contains = "Remember"                 # in the last message of any role
//! system_contains = ["You are Ada", "- "]    # each in some system message
//! contains = ["concise"]                     # each in some message
//! not_contains = ["password"]                # in no message
//! tools = ["recall", "remember"]             # exactly these, in any order
//! [[step.tool_calls]]                        # the answer: calls of tools …
//! name = "remember"
//! arguments = { text = "prefers concise responses" }   # or a string, sent as it stands
//! id = "call_7"                              # optional; `call_STEP_N` without
//!
//! [[step]]
//! say = "Noted."                             # … or text, streamed word by word
//! finish = "stop"                            # or `length`, `content_filter`
//! usage = { prompt_tokens = 40, completion_tokens = 2 }   # without it, an estimate
//!
//! [[step]]
//! say = "I was about to"                     # what went out before the failure; optional
//! fail = "reset"                             # the call breaks off
//!
//! [[step]]
//! fail = "429"                               # or `5xx`, `unreachable`, `unauthorized`,
//! retry_after = 2                            # `unknown_model`, `context_length`, `stall`
//! ```
//!
//! `stall` never ends by itself. A field that is not listed here is an error.

use std::{
    collections::{BTreeSet, VecDeque},
    fmt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt, stream};
use greenroom_core::{ChatMessage, Role, ToolCall, Usage};
use serde::Deserialize;
use serde_json::Value;

use crate::{ChatModel, ChatRequest, FinishReason, ModelError, ModelEvent, ModelStream};

/// How much of a text that differs is shown, in characters.
const MAX_SHOWN: usize = 200;

/// A model that follows a script.
#[derive(Clone)]
pub struct ScriptedModel(Arc<Inner>);

struct Inner {
    name: String,
    steps: Vec<Step>,
    taken: AtomicUsize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    step: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[serde(default)]
    expect: Expect,
    say: Option<String>,
    #[serde(default)]
    tool_calls: Vec<Call>,
    finish: Option<Finish>,
    usage: Option<Tokens>,
    fail: Option<Fail>,
    retry_after: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Expect {
    model: Option<String>,
    messages: Option<usize>,
    last_user_contains: Option<String>,
    last_contains: Option<String>,
    system_contains: Vec<String>,
    contains: Vec<String>,
    not_contains: Vec<String>,
    tools: Option<BTreeSet<String>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    name: String,
    arguments: Value,
    id: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tokens {
    prompt_tokens: u64,
    completion_tokens: u64,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Finish {
    Stop,
    Length,
    ContentFilter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fail {
    #[serde(rename = "429")]
    RateLimited,
    #[serde(rename = "5xx")]
    Server,
    Reset,
    Stall,
    Unreachable,
    Unauthorized,
    UnknownModel,
    ContextLength,
}

impl ScriptedModel {
    /// Reads a script.
    ///
    /// # Errors
    /// [`ModelError::Script`] with the place of the mistake when it cannot be read or understood.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let wrong = |reason: String| ModelError::Script { script: name.clone(), reason };
        let text =
            std::fs::read_to_string(path).map_err(|error| wrong(format!("it cannot be read: {error}")))?;
        let script: Script = if path.extension().is_some_and(|extension| extension == "json") {
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?
        } else {
            toml::from_str(&text).map_err(|error| {
                let at = error.span().map_or(0, |span| span.start);
                let line = 1 + text.get(..at).map_or(0, |before| before.matches('\n').count());
                wrong(format!("line {line}: {}", error.message()))
            })?
        };
        for (n, step) in script.step.iter().enumerate() {
            step.check().map_err(|reason| wrong(format!("step {}: {reason}", n + 1)))?;
        }
        Ok(Self(Arc::new(Inner { name, steps: script.step, taken: AtomicUsize::new(0) })))
    }

    /// Whether every step was used.
    pub fn finished(&self) -> bool {
        self.0.taken.load(Ordering::SeqCst) == self.0.steps.len()
    }

    /// Takes the next step, if the request matches it.
    fn take(&self, request: &ChatRequest) -> Result<(usize, &Step), ModelError> {
        let Inner { name, steps, taken } = &*self.0;
        let wrong = |reason: String| ModelError::Script { script: name.clone(), reason };
        let n = taken.load(Ordering::SeqCst);
        let Some(step) = steps.get(n) else {
            let asked = last(request, |message| message.role == Role::User);
            let reason = format!("all {n} steps are used, and `{}` is asked", shown(asked));
            return Err(wrong(reason));
        };
        step.expect.check(request).map_err(|reason| wrong(format!("step {}: {reason}", n + 1)))?;
        // of two concurrent requests the second one is checked against the following step
        match taken.compare_exchange(n, n + 1, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => Ok((n + 1, step)),
            Err(_) => self.take(request),
        }
    }
}

impl ChatModel for ScriptedModel {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let model = self.clone();
        let answer = async move {
            let (events, stalls) = match model.take(&request) {
                Ok((n, step)) => (step.answer(n, &request), step.fail == Some(Fail::Stall)),
                Err(error) => (VecDeque::from([Err(error)]), false),
            };
            let rest = if stalls { stream::pending().boxed() } else { stream::empty().boxed() };
            stream::iter(events).chain(rest)
        };
        stream::once(answer).flatten().boxed()
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScriptedModel").field(&self.0.name).finish()
    }
}

impl Step {
    /// Rejects contradictory combinations of fields.
    fn check(&self) -> Result<(), &'static str> {
        if self.say.is_none() && self.tool_calls.is_empty() && self.fail.is_none() {
            Err("it answers nothing; give it `say`, `tool_calls` or `fail`")
        } else if self.fail.is_some()
            && (!self.tool_calls.is_empty() || self.finish.is_some() || self.usage.is_some())
        {
            Err("what fails has no `tool_calls`, no `finish` and no `usage`")
        } else if self.retry_after.is_some() && self.fail != Some(Fail::RateLimited) {
            Err("`retry_after` belongs to `fail = \"429\"`")
        } else {
            Ok(())
        }
    }

    fn answer(&self, n: usize, request: &ChatRequest) -> VecDeque<Result<ModelEvent, ModelError>> {
        let said = self.say.as_deref().unwrap_or_default();
        let words = said.split_inclusive(' ').map(|word| Ok(ModelEvent::Delta(word.to_owned())));
        let end = match self.fail {
            Some(Fail::Stall) => None,
            Some(fail) => Some(Err(fail.error(&request.model, self.retry_after))),
            None => Some(Ok(self.end(n, said, request))),
        };
        words.chain(end).collect()
    }

    fn end(&self, n: usize, said: &str, request: &ChatRequest) -> ModelEvent {
        let tool_calls: Vec<_> =
            self.tool_calls.iter().enumerate().map(|(m, call)| call.made(n, m + 1)).collect();
        let reason = match self.finish {
            Some(Finish::Length) => FinishReason::Length,
            Some(Finish::ContentFilter) => FinishReason::ContentFilter,
            Some(Finish::Stop) | None if tool_calls.is_empty() => FinishReason::Stop,
            Some(Finish::Stop) | None => FinishReason::ToolCalls,
        };
        let written = said.len() + tool_calls.iter().map(|call| call.arguments.len()).sum::<usize>();
        let usage = match self.usage {
            Some(Tokens { prompt_tokens, completion_tokens }) => {
                Usage { prompt_tokens, completion_tokens, estimated: false, cost_micros: 0 }
            }
            None => Usage {
                prompt_tokens: request.prompt_tokens,
                completion_tokens: written.div_ceil(4) as u64,
                estimated: true,
                cost_micros: 0,
            },
        };
        ModelEvent::Finished { tool_calls, reason, usage }
    }
}

impl Call {
    fn made(&self, step: usize, n: usize) -> ToolCall {
        ToolCall {
            id: self.id.clone().unwrap_or_else(|| format!("call_{step}_{n}")),
            name: self.name.clone(),
            arguments: match &self.arguments {
                Value::String(raw) => raw.clone(),
                object => object.to_string(),
            },
        }
    }
}

impl Fail {
    fn error(self, model: &str, retry_after: Option<u64>) -> ModelError {
        let (endpoint, reason) = ("script".to_owned(), "the script says so".to_owned());
        match self {
            Self::RateLimited => ModelError::RateLimited {
                endpoint,
                reason,
                retry_after: retry_after.map(Duration::from_secs),
            },
            Self::Server => ModelError::Server { endpoint, reason },
            Self::Reset | Self::Stall => ModelError::Broken { endpoint, reason },
            Self::Unreachable => ModelError::Unreachable { endpoint, reason },
            Self::Unauthorized => ModelError::Unauthorized { endpoint, reason },
            Self::UnknownModel => ModelError::UnknownModel { endpoint, model: model.to_owned(), reason },
            Self::ContextLength => ModelError::ContextLength { endpoint, reason },
        }
    }
}

impl Expect {
    /// The first difference between the request and the step's expectation.
    fn check(&self, request: &ChatRequest) -> Result<(), String> {
        let holds = |text: &str, keep: fn(&ChatMessage) -> bool| {
            request
                .messages
                .iter()
                .filter(|message| keep(message))
                .any(|message| message.content.contains(text))
        };
        if let Some(model) = self.model.as_ref().filter(|model| **model != request.model) {
            return Err(format!("it expects the model `{model}`, not `{}`", request.model));
        }
        if let Some(count) = self.messages.filter(|count| *count != request.messages.len()) {
            return Err(format!("it expects {count} messages, not {}", request.messages.len()));
        }
        let user: fn(&ChatMessage) -> bool = |message| message.role == Role::User;
        for (expected, found, whose) in [
            (&self.last_user_contains, last(request, user), "the last message of a user"),
            (&self.last_contains, last(request, |_| true), "the last message"),
        ] {
            if let Some(text) = expected.as_ref().filter(|text| !found.contains(text.as_str())) {
                return Err(format!("it expects {whose} to hold `{text}`; it is `{}`", shown(found)));
            }
        }
        let system = |message: &ChatMessage| message.role == Role::System;
        if let Some(text) = self.system_contains.iter().find(|text| !holds(text, system)) {
            return Err(format!("it expects `{text}` in a system message, and none holds it"));
        }
        if let Some(text) = self.contains.iter().find(|text| !holds(text, |_| true)) {
            return Err(format!("it expects `{text}` in a message, and none holds it"));
        }
        if let Some(text) = self.not_contains.iter().find(|text| holds(text, |_| true)) {
            return Err(format!("it expects `{text}` nowhere, and a message holds it"));
        }
        let tools: BTreeSet<_> = request.tools.iter().map(|tool| tool.name.clone()).collect();
        if let Some(expected) = self.tools.as_ref().filter(|expected| **expected != tools) {
            return Err(format!("it expects the tools {expected:?}, not {tools:?}"));
        }
        Ok(())
    }
}

/// The text of the last message of a kind; empty without one.
fn last(request: &ChatRequest, keep: impl Fn(&ChatMessage) -> bool) -> &str {
    request.messages.iter().rev().find(|message| keep(message)).map_or("", |message| &message.content)
}

/// The beginning of a text as one line.
fn shown(text: &str) -> String {
    text.chars().take(MAX_SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
