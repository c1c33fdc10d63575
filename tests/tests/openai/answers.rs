//! Answers to messages that were sent along: whole and in pieces.

use greenroom_tests::Answer;
use serde_json::{Value, json};

use crate::support::Served;

#[test]
fn a_persona_is_a_model() {
    let served = Served::with(&[("bo", "---\nname: bo\n---\nYou are Bo.")]);
    let said = served.script(
        r#"
out([model.id for model in client.models.list()])
out(client.models.retrieve("bo").id)
out(refusal(lambda: client.models.retrieve("eve")))
"#,
    );
    let names: Vec<&str> = said[0].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(names.contains(&"bo") && names.is_sorted(), "{names:?}");
    assert_eq!(said[1], "bo");
    assert_eq!(said[2], json!(["NotFoundError", 404, "model_not_found", "model"]));
}

#[test]
fn the_messages_sent_are_the_conversation_and_instructions_stand_after_the_prompt() {
    let served = Served::with(&[("bo", "---\nname: bo\n---\nYou are Bo.")]);
    served.endpoint.push(Answer::text("Fine, thanks.").usage(21, 4));
    let said = served.script(
        r#"
raw = client.chat.completions.with_raw_response.create(model="bo", messages=[
    {"role": "system", "content": "Be brief."},
    user("hello"),
    {"role": "assistant", "content": "hi"},
    {"role": "user", "content": [{"type": "text", "text": "how are"}, {"type": "text", "text": "you?"}]},
])
answer = raw.parse()
choice = answer.choices[0]
out([choice.message.role, choice.message.content, choice.finish_reason, answer.model, answer.object])
out(answer.usage.model_dump(exclude_none=True))
out([raw.headers["x-greenroom-turn"], answer.greenroom["turn_id"], answer.id])
"#,
    );
    assert_eq!(said[0], json!(["assistant", "Fine, thanks.", "stop", "bo", "chat.completion"]));
    assert_eq!(said[1], json!({ "prompt_tokens": 21, "completion_tokens": 4, "total_tokens": 25 }));
    assert_eq!(said[2][0], said[2][1]);
    assert_eq!(said[2][2], format!("chatcmpl-{}", said[2][0].as_str().unwrap()));
    let sent = served.last_messages();
    assert_eq!(
        sent,
        ["system: You are Bo.\n\nBe brief.", "user: hello", "assistant: hi", "user: how are\nyou?"]
    );
}

#[test]
fn a_stream_is_the_same_answer_in_pieces() {
    let served = Served::new();
    served.endpoint.push(Answer::text("one two three").usage(21, 3));
    served.endpoint.push(Answer::text("one two three"));
    let said = served.script(
        r#"
for options in [{"include_usage": True}, None]:
    chunks = list(ask("count", stream=True, **({"stream_options": options} if options else {})))
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    out([deltas[0].role, "".join(delta.content or "" for delta in deltas), len(deltas) > 4])
    out([choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason])
    out([[len(chunk.choices), chunk.usage.total_tokens] for chunk in chunks if chunk.usage])
    out(len({chunk.id for chunk in chunks}))
"#,
    );
    for part in [&said[..4], &said[4..]] {
        assert_eq!(part[0], json!(["assistant", "one two three", true]));
        assert_eq!(part[1], json!(["stop"]));
        assert_eq!(part[3], 1, "all chunks are of one answer");
    }
    assert_eq!(said[2], json!([[0, 24]]), "a chunk of its own, without choices");
    assert_eq!(said[6], json!([]));
}

#[test]
fn the_fields_of_the_api_reach_the_model_within_the_limits_of_the_persona() {
    let served = Served::with(&[("bo", "---\nmodel: { max_output_tokens: 50 }\n---\nYou are Bo.")]);
    served.endpoint.push(Answer::text("cut").finish("length"));
    let said = served.script(
        r#"
def to_bo(**more):
    return client.chat.completions.create(model="bo", messages=[user("hello")], user="mo", store=False, **more)

out(to_bo(stop=["END"], max_tokens=7, temperature=0.25, seed=3, top_p=0.5,
          response_format={"type": "json_object"}).choices[0].finish_reason)
to_bo(max_completion_tokens=4000)
"#,
    );
    assert_eq!(said[0], "length");
    let requests = served.endpoint.chats();
    let first = &requests[0];
    assert_eq!((&first["max_tokens"], &first["temperature"]), (&json!(7), &json!(0.25)));
    assert_eq!((&first["stop"], &first["seed"]), (&json!(["END"]), &json!(3)));
    assert_eq!((&first["top_p"], &first["response_format"]["type"]), (&json!(0.5), &json!("json_object")));
    assert!(first.get("user").is_none() && first.get("store").is_none());
    assert_eq!(requests[1]["max_tokens"], 50, "never more than the persona may");
}

#[test]
fn nothing_of_it_is_stored() {
    let served = Served::new();
    served.script(r#"ask("Remember that my cat is called Fip"); ask("What is my cat called?")"#);
    let sent = served.last_messages().join("\n");
    assert!(!sent.contains("Fip"), "{sent}");
    let exported = served.greenroom(&["memory", "list", "--persona", "ada"]);
    assert!(!exported.contains("Fip"), "{exported}");
}

#[test]
fn many_ask_at_once_and_each_gets_their_own_answer() {
    let served = Served::new();
    let said = served.script(
        r#"
answers = [None] * 16
def one(n):
    text = "".join(c.choices[0].delta.content or "" for c in ask(f"say {n}", stream=True)) if n % 2 else \
        ask(f"say {n}").choices[0].message.content
    answers[n] = text
threads = [threading.Thread(target=one, args=(n,)) for n in range(16)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
out(answers)
"#,
    );
    assert_eq!(said[0], json!(vec!["ok"; 16]));
    let mut asked: Vec<String> = served
        .endpoint
        .chats()
        .iter()
        .map(|request| {
            request["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().into()
        })
        .collect();
    let mut expected: Vec<String> = (0..16).map(|n| format!("say {n}")).collect();
    asked.sort();
    expected.sort();
    assert_eq!(asked, expected);
}

#[test]
fn whoever_hangs_up_ends_a_turn_that_nobody_else_hears() {
    let served = Served::new();
    for _ in 0..2 {
        served.endpoint.push(Answer::text("one two three").stall_after(1));
    }
    served.script(
        r#"
stream = ask("count", stream=True)
for chunk in stream:
    if chunk.choices[0].delta.content:
        break
stream.close()
"#,
    );
    served.endpoint.wait_for_hang_ups(1);
    served.script(
        r#"
try:
    ask("count", timeout=1)
except openai.APITimeoutError:
    pass
"#,
    );
    served.endpoint.wait_for_hang_ups(2);
}
