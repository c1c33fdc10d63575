//! Agents that call tools.

use std::{fs, sync::Arc};

use futures::{StreamExt, stream};
use greenroom_context::profile_for;
use greenroom_core::{Role, ToolCall, Usage};
use greenroom_models::{ChatModel, ChatRequest, FinishReason, ModelEvent, ModelStream};
use greenroom_runtime::ResolvedModel;
use greenroom_sim::{LiveAgents, Options, replay, resume, run};

use crate::house::{as_killed, options};

/// A model that remembers what it hears, and tells what the tool answered.
struct Remembering;

impl ChatModel for Remembering {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let answer = async move {
            let last = request.messages.last().map(|message| (message.role, message.content.clone()));
            let (role, heard) = last.unwrap_or((Role::User, String::new()));
            // calls of other places come in between
            for _ in 0..heard.len() % 7 * 30 {
                tokio::task::yield_now().await;
            }
            let usage = Usage { prompt_tokens: 10, completion_tokens: 10, ..Usage::default() };
            let (letters, messages) = (heard.len(), request.messages.len());
            let arguments = format!("{{\"content\":\"Visitor {messages} left {letters} coins\"}}");
            let call = ToolCall { id: "c".into(), name: "remember".into(), arguments };
            let (text, tool_calls, reason) = match role {
                Role::Tool => (heard, Vec::new(), FinishReason::Stop),
                _ => (String::new(), vec![call], FinishReason::ToolCalls),
            };
            stream::iter([
                Ok(ModelEvent::Delta(text)),
                Ok(ModelEvent::Finished { tool_calls, reason, usage }),
            ])
        };
        stream::once(answer).flatten().boxed()
    }
}

/// Three places that talk at the same time, each with agents of the usual tools.
const SCENARIO: &str = r#"
name = "Rumours"
[clock]
end = "1h"
[[place]]
name = "inn"
[[place]]
name = "mill"
[[place]]
name = "ford"
[[cast]]
template = "villager.md"
rows = [
  { name = "anna", at = "inn" }, { name = "bert", at = "inn" },
  { name = "cleo", at = "mill" }, { name = "dora", at = "mill" },
  { name = "emil", at = "ford" }, { name = "fred", at = "ford" },
]
[[encounter]]
every = "5m"
say = "{{ me }}, you meet {{ others }} at the {{ place }}."
[[move]]
at = "20m"
who = ["anna", "cleo"]
to = "ford"
"#;

fn live(threads: usize) -> Options {
    let profile = profile_for("gpt-4o-mini", None);
    let model = ResolvedModel { model: Arc::new(Remembering), name: "gpt-4o-mini".into(), profile };
    Options { live: Some(Arc::new(model)), live_agents: LiveAgents::AsWritten, ..options(threads) }
}

/// What an agent is told of its memories does not depend on what others remember meanwhile.
#[tokio::test]
async fn sm3_sm4_agents_that_remember_have_one_trace_and_replay() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = directory.path().join("scenario.toml");
    fs::write(&scenario, SCENARIO).unwrap();
    fs::write(directory.path().join("villager.md"), "---\nname: \"{{ name }}\"\n---\nYou are {{ name }}.\n")
        .unwrap();
    let mut traces = Vec::new();
    for (n, threads) in [1, 3, 3, 16].into_iter().enumerate() {
        let out = directory.path().join(format!("run{n}"));
        run(&scenario, &[], &out, &live(threads)).await.unwrap();
        traces.push(fs::read_to_string(out.join("trace.jsonl")).unwrap());
    }
    let told = traces[0].matches("Remembered as m").count();
    assert!(told > 20, "{told}");
    assert!(traces.iter().all(|trace| *trace == traces[0]));
    let out = directory.path().join("run3");
    assert_eq!(replay(&out, &options(2)).await.unwrap().same, Some(true));
    as_killed(&out);
    resume(&out, &live(2)).await.unwrap();
    assert!(fs::read_to_string(out.join("trace.jsonl")).unwrap() == traces[0]);
}
