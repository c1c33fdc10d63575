//! Capture over a real store: the helpers of the tests before and after the reply.

mod behind;
mod in_front;
mod told;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::{StreamExt, stream};
use greenroom_context::profile_for;
use greenroom_core::{
    Author, Memory as Stored, Message, MessageId, Scope, Tier, Time, Timestamp, Trust, Usage, Viewer,
};
use greenroom_models::{ChatModel, ChatRequest, FinishReason, ModelError, ModelEvent, ModelStream};
use greenroom_persona::{CaptureSettings, Follow, MemorySettings};
use greenroom_store::{MemoryFilter, prelude::*};
use jiff::tz::TimeZone;

use super::given::{Mood, Stage, ada, stage, told};
use crate::{
    CaptureReport, Decision, Edit, Event, Exchange, IgnoreReason, Remember, Remembered, Severity, SmallModel,
    ToolResult,
};

/// A model that always returns the same answer, and records its prompts.
#[derive(Default)]
struct Says {
    answer: Mutex<String>,
    asked: Mutex<Vec<String>>,
}

impl ChatModel for Says {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        self.asked.lock().unwrap().push(request.messages[1].content.clone());
        let answer = self.answer.lock().unwrap().clone();
        let broken =
            || ModelError::Server { endpoint: "http://127.0.0.1:1/v1".into(), reason: "down".into() };
        let finished = ModelEvent::Finished {
            tool_calls: Vec::new(),
            reason: FinishReason::Stop,
            usage: Usage::default(),
        };
        match answer.as_str() {
            "down" => stream::iter(vec![Err(broken())]).boxed(),
            _ => stream::iter(vec![Ok(ModelEvent::Delta(answer)), Ok(finished)]).boxed(),
        }
    }
}

impl Says {
    fn answers(&self, answer: impl Into<String>) {
        *self.answer.lock().unwrap() = answer.into();
    }
}

fn small(model: &Arc<Says>) -> SmallModel {
    SmallModel {
        model: model.clone(),
        name: "small".into(),
        temperature: 0.0,
        profile: profile_for("small", None),
    }
}

/// The answer `{"memories": […]}` that adds these statements.
fn adds(statements: &[&str]) -> String {
    let entry = |text: &&str| format!(r#"{{"text":"{text}","kind":"fact","action":"add"}}"#);
    format!(r#"{{"memories":[{}]}}"#, statements.iter().map(entry).collect::<Vec<_>>().join(","))
}

fn said_by(who: &str, text: &str) -> Message {
    Message {
        id: MessageId(1),
        ..Message::new(
            "terminal:default".parse().unwrap(),
            "e1",
            Author::User { id: who.to_lowercase().parse().unwrap(), name: who.into() },
            text,
        )
    }
}

fn exchange(said: &str, reply: &str) -> Exchange {
    Exchange {
        session: None,
        burst: vec![said_by("Jo", said)],
        reply: reply.into(),
        tool_results: Vec::new(),
        recalled: Vec::new(),
        settings: CaptureSettings { facts: true, tool_results: true, ..CaptureSettings::default() },
        follow: Default::default(),
        model: None,
        zone: TimeZone::UTC,
        sources: Default::default(),
    }
}

impl Stage {
    async fn hears(&self, who: &str, text: &str) -> CaptureReport {
        self.hears_with(Follow::Person, who, text).await
    }

    /// Captures a message for the channel, in which several people share keys.
    async fn hears_for_the_channel(&self, who: &str, text: &str) -> CaptureReport {
        self.hears_with(Follow::Channel, who, text).await
    }

    async fn hears_with(&self, follow: Follow, who: &str, text: &str) -> CaptureReport {
        let viewer = Viewer::new(
            "ada".parse().unwrap(),
            "terminal:default".parse().unwrap(),
            Some(who.to_lowercase().parse().unwrap()),
        );
        let settings = MemorySettings { follow, ..MemorySettings::default() };
        self.memory.capture_now(&viewer, &said_by(who, text), &settings).await.unwrap()
    }

    /// Captures a one-to-one message; returns the memories that are then visible there, oldest first.
    async fn hears_in_private(&self, who: &str, text: &str) -> Vec<Stored> {
        let user = Some(who.to_lowercase().parse().unwrap());
        let channel = "terminal:default".parse().unwrap();
        let viewer = Viewer::new("ada".parse().unwrap(), channel, user).one_to_one();
        let message = said_by(who, text);
        self.memory.capture_now(&viewer, &message, &MemorySettings::default()).await.unwrap();
        self.seen_by(&viewer).await
    }

    async fn after(&self, exchange: &Exchange) -> CaptureReport {
        self.memory.capture_after(&ada(), exchange).await.unwrap()
    }

    /// All memories that ada sees here, oldest first.
    async fn all(&self) -> Vec<Stored> {
        self.seen_by(&ada()).await
    }

    async fn seen_by(&self, viewer: &Viewer) -> Vec<Stored> {
        let filter = MemoryFilter {
            now: self.clock.now(),
            scopes: Vec::new(),
            ids: Vec::new(),
            about: None,
            limit: 1000,
        };
        let mut all = self.store.memories(viewer, &filter).await.unwrap();
        all.sort_by_key(|memory| memory.id);
        all
    }
}

fn lines(report: &CaptureReport) -> Vec<String> {
    report.remembered.iter().map(ToString::to_string).collect()
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
