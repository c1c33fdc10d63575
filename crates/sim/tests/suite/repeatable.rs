//! What happens in one place affects another place only once an agent carries it there. The tests compare traces of
//! agents that remember, forget and draw.

use std::{fs, sync::Arc};

use futures::{StreamExt, stream};
use greenroom_context::profile_for;
use greenroom_core::{Role, ToolCall, Usage};
use greenroom_models::{ChatModel, ChatRequest, FinishReason, ModelEvent, ModelStream};
use greenroom_runtime::ResolvedModel;
use greenroom_sim::{LiveAgents, Options, replay, resume, run};

use crate::house::{as_killed, options, trace};

/// A model that remembers what it hears, and repeats the tool's result.
struct Remembering;

impl ChatModel for Remembering {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let answer = async move {
            let last = request.messages.last().map(|message| (message.role, message.content.clone()));
            let (role, heard) = last.unwrap_or((Role::User, String::new()));
            // gives calls of other places a chance to run in between
            for _ in 0..heard.len() % 7 * 30 {
                tokio::task::yield_now().await;
            }
            let usage = Usage { prompt_tokens: 10, completion_tokens: 10, ..Usage::default() };
            let (letters, messages) = (heard.len(), request.messages.len());
            let arguments = format!("{{\"content\":\"Visitor {messages} left {letters} coins\"}}");
            let call = ToolCall { id: "c".into(), name: "remember".into(), arguments };
            let told = heard.strip_prefix("Remembered as ").and_then(|rest| rest.split_once(':'));
            let (text, tool_calls, reason) = match (role, told) {
                // some memories are forgotten again
                (Role::Tool, Some((id, _))) if letters % 2 == 0 => {
                    let arguments = format!("{{\"id\":\"{id}\"}}");
                    let call = ToolCall { id: "f".into(), name: "forget".into(), arguments };
                    (String::new(), vec![call], FinishReason::ToolCalls)
                }
                (Role::Tool, _) => (heard, Vec::new(), FinishReason::Stop),
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

/// Three places that talk at the same time, with agents that have the usual tools.
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

const VILLAGER: &str = "---
name: \"{{ name }}\"
tools: [remember, recall, forget]
room: { answer: talkative, talkativeness: 0.6 }
memory: { capture: { facts: true } }
---
You are {{ name }}.
";

fn live(threads: usize) -> Options {
    let profile = profile_for("gpt-4o-mini", None);
    let model = ResolvedModel { model: Arc::new(Remembering), name: "gpt-4o-mini".into(), profile };
    Options { live: Some(Arc::new(model)), live_agents: LiveAgents::AsWritten, ..options(threads) }
}

/// What an agent is told of its memories does not depend on what others remember meanwhile.
#[tokio::test]
async fn sm3_sm4_agents_that_remember_and_forget_have_one_trace_and_replay() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = directory.path().join("scenario.toml");
    fs::write(&scenario, SCENARIO).unwrap();
    fs::write(directory.path().join("villager.md"), VILLAGER).unwrap();
    let mut traces = Vec::new();
    for (n, threads) in [1, 3, 3, 16].into_iter().enumerate() {
        let out = directory.path().join(format!("run{n}"));
        run(&scenario, &[], &out, &live(threads)).await.unwrap();
        traces.push(fs::read_to_string(out.join("trace.jsonl")).unwrap());
    }
    let told = traces[0].matches("Remembered as m").count();
    assert!(told > 5 && traces[0].contains("Forgot m"), "{told}");
    assert!(traces.iter().all(|trace| *trace == traces[0]));
    let out = directory.path().join("run3");
    assert_eq!(replay(&out, &options(2)).await.unwrap().same, Some(true));
    as_killed(&out);
    resume(&out, &live(2)).await.unwrap();
    assert!(fs::read_to_string(out.join("trace.jsonl")).unwrap() == traces[0]);
}

/// Runs a scripted scenario several times, on one thread and on many.
async fn traces(scenario: &str, files: &[(&str, &str)]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files.iter().chain(&[("scenario.toml", scenario)]) {
        let file = directory.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let mut traces = Vec::new();
    for threads in [1, 16, 2, 16, 1, 16] {
        traces.push(trace(&directory.path().join("scenario.toml"), threads).await);
    }
    traces
}

/// An agent's statements are embedded in the agent's own place, however long the place that it left takes.
#[tokio::test]
async fn sm3_what_agents_tell_and_carry_along_is_the_same_in_every_run() {
    let scenario = r#"
name = "Told"
[clock]
end = "90m"
[[place]]
name = "inn"
[[place]]
name = "mill"
[[cast]]
template = "v.md"
at = "inn"
mind = "m"
rows = [{ name = "anna" }, { name = "bert" }, { name = "cleo" }, { name = "dora" }]
[[event]]
at = "1m"
every = "4m"
place = "inn"
from = "Radio"
say = "Please remember that my favourite colour is green."
[[event]]
at = "1m"
every = "4m"
place = "mill"
from = "Radio"
say = "My favourite colour is blue. What is my favourite colour?"
[[move]]
at = "3m"
every = "8m"
to = "mill"
chance = 0.5
[[move]]
at = "7m"
every = "8m"
to = "inn"
chance = 0.5
[[mind]]
name = "m"
[[mind.rule]]
say = ["I like tea.", "I moved to Rome last week.", "My favourite colour is red.", "I'm allergic to nuts."]
"#;
    let villager = "---\nroom: { answer: talkative, talkativeness: 0.8 }\n---\nYou are {{ name }}.\n";
    let traces = traces(scenario, &[("v.md", villager)]).await;
    assert!(traces[0].matches(r#""kind":"said""#).count() > 20, "{}", traces[0]);
    assert!(traces.iter().all(|trace| *trace == traces[0]));
}

/// The random draws of a card's macros do not depend on how many messages other places have.
#[tokio::test]
async fn sm3_the_macros_of_cards_draw_the_same_in_every_run() {
    let scenario = r#"
name = "Cards"
[clock]
end = "30m"
[[place]]
name = "inn"
[[place]]
name = "mill"
[[agent]]
name = "nova"
persona = "nova.md"
at = "inn"
mind = "m"
answer = "always"
[[agent]]
name = "bert"
prompt = "You are Bert."
at = "mill"
mind = "m"
answer = "always"
[[event]]
at = "1m"
every = "1m"
place = "inn"
say = "How are you?"
[[event]]
at = "1m"
every = "1m"
place = "mill"
say = "How are you?"
[[mind]]
name = "m"
[[mind.rule]]
say = ["Well.", "I am well today, thank you."]
"#;
    let card = r#"{"format":"card-v2","carrier":"text","file":"c.json","data":{"spec":"chara_card_v2","spec_version":"2.0",
        "data":{"name":"Nova","description":"{{char}} is {{random:tall,short,round}}.","first_mes":"Hi","mes_example":"",
        "personality":"","scenario":"","system_prompt":"","post_history_instructions":"Be {{random:kind,rude,wild}}."}}}"#;
    let nova = "---\ngreeting: \"Hi\"\n---\n{{random:tall,short,round,wide}} is {{char}}.\n";
    let traces = traces(scenario, &[("nova.md", nova), ("nova/source.json", card)]).await;
    let drawn = ["tall is", "short is", "round is", "wide is"];
    assert!(drawn.iter().filter(|drawn| traces[0].contains(**drawn)).count() > 1, "{}", traces[0]);
    assert!(traces.iter().all(|trace| *trace == traces[0]));
}
