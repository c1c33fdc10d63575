//! The scripted model: it follows its file, or reports at which step and why it cannot.

use greenroom_core::ToolSchema;
use greenroom_models::ScriptedModel;
use serde_json::json;

use super::*;

/// A script of these steps, in TOML.
pub fn script(steps: &str) -> ScriptedModel {
    open("script.toml", steps).unwrap()
}

fn open(name: &str, text: &str) -> Result<ScriptedModel, ModelError> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    ScriptedModel::open(path)
}

const TWO_STEPS: &str = r#"
[[step]]
[step.expect]
last_user_contains = "Remember"
system_contains = ["You are Ada"]
not_contains = ["password"]
messages = 2
tools = ["remember", "recall"]
[[step.tool_calls]]
name = "remember"
arguments = { text = "likes tea" }
[[step.tool_calls]]
name = "recall"
arguments = "{oops"
id = "mine"

[[step]]
say = "Noted, really."
usage = { prompt_tokens = 40, completion_tokens = 2 }
"#;

fn first_request() -> ChatRequest {
    let mut request = ask("Remember that I like tea");
    request.messages.insert(0, ChatMessage::new(Role::System, "You are Ada."));
    let tool =
        |name: &str| ToolSchema { name: name.into(), description: String::new(), parameters: json!({}) };
    request.tools = vec![tool("recall").into(), tool("remember").into()];
    request
}

#[tokio::test]
async fn a_script_is_followed_step_by_step() {
    let model = script(TWO_STEPS);
    let outcome = run(&model, first_request()).await.unwrap();
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    let calls = [call("call_1_1", "remember", r#"{"text":"likes tea"}"#), call("mine", "recall", "{oops")];
    assert_eq!((outcome.tool_calls.as_slice(), outcome.reason), (&calls[..], FinishReason::ToolCalls));
    assert!(outcome.usage.estimated && !model.finished());
    let outcome = run(&model, ask("and now?")).await.unwrap();
    assert_eq!(outcome.text, "Noted, really.");
    assert_eq!(
        outcome.usage,
        Usage { prompt_tokens: 40, completion_tokens: 2, estimated: false, cost_micros: 0 }
    );
    assert!(model.finished());
}

#[tokio::test]
async fn a_request_that_is_not_the_expected_one_names_file_step_and_difference() {
    let mut wrong = Vec::new();
    let mut expect = |change: fn(&mut ChatRequest), says: &'static str| {
        let mut request = first_request();
        change(&mut request);
        wrong.push((request, says));
    };
    expect(|r| r.messages[1].content = "Hello".into(), "`Remember`; it is `Hello`");
    expect(|r| r.messages[0].content = "You are Bob".into(), "`You are Ada` in a system message");
    expect(|r| r.messages[1].content.push_str(" password"), "`password` nowhere");
    expect(|r| r.messages.truncate(1), "2 messages, not 1");
    expect(|r| r.tools.clear(), "the tools {\"recall\", \"remember\"}, not {}");
    let model = script(TWO_STEPS);
    for (request, says) in wrong {
        let error = run(&model, request).await.unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, ModelError::Script { .. }) && !error.is_transient(), "{error:?}");
        assert!(text.contains("script.toml") && text.contains("step 1") && text.contains(says), "{text}");
    }
    // a failed request uses no step
    run(&model, first_request()).await.unwrap();
}

#[tokio::test]
async fn a_script_that_is_used_up_says_so() {
    let model = script("[[step]]\nsay = 'once'");
    run(&model, ask("hi")).await.unwrap();
    let error = run(&model, ask("hi again")).await.unwrap_err();
    assert!(error.to_string().contains("all 1 steps are used, and `hi again` is asked"), "{error}");
}

#[tokio::test]
async fn a_script_may_be_json() {
    let model = open("script.json", r#"{ "step": [{ "say": "hi", "finish": "length" }] }"#).unwrap();
    assert_eq!(run(&model, ask("hi")).await.unwrap().reason, FinishReason::Length);
}

#[test]
fn a_mistake_in_a_script_is_found_when_it_is_opened() {
    for (name, text, says) in [
        ("a.toml", "[[step]]\nsay = 'hi'\nsya = 'hi'", "line 3: unknown field `sya`"),
        ("a.toml", "[[step]]\nsay = 'hi'\n[step.expect]\nlast = 'x'", "line 4: unknown field `last`"),
        ("a.toml", "[[step]]\nfail = 'often'", "line 2: unknown variant `often`"),
        ("a.toml", "[[step]]\n", "step 1: it answers nothing"),
        ("a.toml", "[[step]]\nsay = 'a'\n[[step]]\nfail = '5xx'\nretry_after = 1", "step 2: `retry_after`"),
        ("a.json", r#"{ "step": [{ "say": "hi", "loud": true }] }"#, "unknown field `loud`"),
    ] {
        let text = open(name, text).unwrap_err().to_string();
        assert!(text.contains(name) && text.contains(says), "{text}");
    }
    let error = ScriptedModel::open("nowhere/script.toml").unwrap_err();
    assert!(error.to_string().contains("cannot be read"), "{error}");
}
