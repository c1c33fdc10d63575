//! Tools of whoever asks: offered to the model, called, answered.

use greenroom_tests::Answer;
use serde_json::json;

use crate::support::Served;

/// Asks, runs the tools itself, asks again, as every user of the SDK does; whole and in pieces.
const ROUND_TRIP: &str = r#"
messages = [user("How is the weather in Oslo and Rome?")]
answer = client.chat.completions.create(model="ada", messages=messages, tools=[WEATHER])
message = answer.choices[0].message
out([answer.choices[0].finish_reason, message.content])
out([[call.id, call.type, call.function.name, json.loads(call.function.arguments)] for call in message.tool_calls])
messages.append(message)
for call in message.tool_calls:
    messages.append({"role": "tool", "tool_call_id": call.id, "content": "rain in " + call.function.arguments})
answer = client.chat.completions.create(model="ada", messages=messages, tools=[WEATHER])
out(answer.choices[0].message.content)
messages.append(answer.choices[0].message)
messages.append(user("And tomorrow?"))
out(client.chat.completions.create(model="ada", messages=messages, tools=[WEATHER]).choices[0].message.content)
"#;

#[test]
fn a_call_comes_back_is_answered_and_stays_in_the_conversation() {
    let served = Served::new();
    let calls = [("weather", json!({ "place": "Oslo" })), ("weather", json!({ "place": "Rome" }))];
    served.endpoint.push(Answer::tool_calls(&calls));
    served.endpoint.push(Answer::text("Rain in both."));
    served.endpoint.push(Answer::text("Sun."));
    let said = served.script(ROUND_TRIP);
    assert_eq!(said[0], json!(["tool_calls", null]));
    let call = |id: &str, place: &str| json!([id, "function", "weather", { "place": place }]);
    assert_eq!(said[1], json!([call("call_1", "Oslo"), call("call_2", "Rome")]));
    assert_eq!((&said[2], &said[3]), (&json!("Rain in both."), &json!("Sun.")));

    let requests = served.endpoint.chats();
    let offered = requests[0]["tools"].as_array().unwrap();
    let weather = offered.iter().find(|tool| tool["function"]["name"] == "weather").unwrap();
    assert_eq!(weather["function"]["strict"], true, "as it came: {weather}");
    let names: Vec<_> = offered.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["recall", "weather"], "of its own tools the persona has those that read");
    for (request, place) in [(&requests[1], 3), (&requests[2], 3)] {
        let messages = request["messages"].as_array().unwrap();
        assert_eq!(messages[place - 1]["tool_calls"].as_array().unwrap().len(), 2, "{request:#}");
        assert_eq!(
            (&messages[place]["role"], &messages[place]["tool_call_id"]),
            (&json!("tool"), &json!("call_1"))
        );
        assert_eq!(messages[place + 1]["tool_call_id"], "call_2");
    }
}

#[test]
fn calls_are_streamed_with_their_place_id_and_function() {
    let served = Served::new();
    let calls = [("weather", json!({ "place": "Oslo" })), ("weather", json!({ "place": "Rome" }))];
    served.endpoint.push(Answer::tool_calls(&calls));
    let said = served.script(
        r#"
chunks = list(ask("How is the weather?", tools=[WEATHER], stream=True))
calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []]
out([[call.index, call.id, call.type, call.function.name, call.function.arguments] for call in calls])
out([chunk.choices[0].finish_reason for chunk in chunks][-1])
"#,
    );
    assert_eq!(
        said[0],
        json!([
            [0, "call_1", "function", "weather", "{\"place\":\"Oslo\"}"],
            [1, "call_2", "function", "weather", "{\"place\":\"Rome\"}"],
        ])
    );
    assert_eq!(said[1], "tool_calls");
}

#[test]
fn the_personas_own_tools_run_here_and_are_not_shown_as_calls() {
    let served = Served::new();
    served.endpoint.push(Answer::tool_call("recall", &json!({ "query": "weather" })));
    served.endpoint.push(Answer::tool_call("weather", &json!({ "place": "Oslo" })));
    let said = served.script(
        r#"
choice = ask("How is the weather?", tools=[WEATHER]).choices[0]
out([choice.finish_reason, [call.function.name for call in choice.message.tool_calls]])
"#,
    );
    assert_eq!(said[0], json!(["tool_calls", ["weather"]]));
    assert_eq!(served.endpoint.chats().len(), 2);
}

#[test]
fn a_choice_is_passed_on_and_then_the_persona_brings_no_tools_of_its_own() {
    let served = Served::new();
    served.endpoint.push(Answer::tool_call("weather", &json!({ "place": "Oslo" })));
    served.script(
        r#"
choice = {"type": "function", "function": {"name": "weather"}}
ask("How is the weather?", tools=[WEATHER], tool_choice=choice, parallel_tool_calls=False)
"#,
    );
    let request = served.last_request();
    assert_eq!(request["tool_choice"]["function"]["name"], "weather");
    assert_eq!(request["parallel_tool_calls"], false);
    assert_eq!(request["tools"].as_array().unwrap().len(), 1);
}
