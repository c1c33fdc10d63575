//! The fields of a request that Greenroom does not use. Some go to the model unchanged. Fields that would change the
//! reply but have no effect here are refused. The rest is ignored. Pure.

use serde_json::{Map, Value, json};

use crate::{
    ApiError,
    dialect::request::{STOPS, is_stops},
};

/// The fields that go to the model as they are.
const PASSED_ON: [&str; 10] = [
    "frequency_penalty",
    "logit_bias",
    "parallel_tool_calls",
    "presence_penalty",
    "reasoning_effort",
    "response_format",
    "seed",
    "stop",
    "top_p",
    "verbosity",
];

/// The fields for the model.
///
/// # Errors
/// 400 for a field that would change the reply and has no effect here.
pub(super) fn passed_on(rest: Map<String, Value>) -> Result<Map<String, Value>, ApiError> {
    let refused = |field: &str, value: &Value| match field {
        "n" | "best_of" if *value != json!(1) => Some("there is one answer to a request: leave it out"),
        "logprobs" if !matches!(value, Value::Bool(false)) => {
            Some("the probabilities of tokens are not known here")
        }
        "top_logprobs" if *value != json!(0) => Some("the probabilities of tokens are not known here"),
        "modalities" if *value != json!(["text"]) => Some("answers are text and nothing else"),
        "audio" | "web_search_options" => Some("this is not on offer here"),
        "functions" | "function_call" => Some("this was replaced: use `tools` and `tool_choice`"),
        "suffix" => Some("a persona answers, and fills in nothing"),
        "echo" if *value != json!(false) => Some("the prompt is not repeated: leave it out"),
        "stop" if !is_stops(value) => Some(STOPS),
        _ => None,
    };
    let mut kept = Map::new();
    for (field, value) in rest.into_iter().filter(|(_, value)| !value.is_null()) {
        if let Some(why) = refused(&field, &value) {
            return Err(ApiError::invalid(why).about(field));
        }
        if PASSED_ON.contains(&field.as_str()) {
            kept.insert(field, value);
        }
    }
    Ok(kept)
}

/// The person a request speaks for: `user`, or else its newer name.
pub(super) fn user(rest: &Map<String, Value>) -> Result<Option<String>, ApiError> {
    for field in ["user", "safety_identifier"] {
        match rest.get(field) {
            None | Some(Value::Null) => {}
            Some(Value::String(user)) => return Ok(Some(user.clone())),
            Some(_) => return Err(ApiError::invalid(format!("`{field}` is a text")).about(field)),
        }
    }
    Ok(None)
}

/// The channel of `metadata.channel`.
pub(super) fn channel(metadata: Option<&Map<String, Value>>) -> Result<Option<String>, ApiError> {
    match metadata.and_then(|metadata| metadata.get("channel")) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(named)) => Ok(Some(named.clone())),
        Some(_) => {
            let message = "metadata.channel is a text, as in \"api:mo\"";
            Err(ApiError::invalid(message).about("metadata.channel"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn what_is_the_models_business_is_passed_on_and_the_rest_is_ignored() {
        let sent = json!({ "stop": ["END"], "seed": 7, "top_p": null, "user": "eve", "store": true, "n": 1 });
        assert_eq!(Value::Object(passed_on(fields(sent)).unwrap()), json!({ "stop": ["END"], "seed": 7 }));
    }

    #[test]
    fn what_cannot_be_done_is_refused_by_name() {
        for (sent, param) in [
            (json!({ "n": 2 }), "n"),
            (json!({ "best_of": 3 }), "best_of"),
            (json!({ "logprobs": true }), "logprobs"),
            (json!({ "logprobs": 5 }), "logprobs"),
            (json!({ "functions": [] }), "functions"),
            (json!({ "modalities": ["text", "audio"] }), "modalities"),
            (json!({ "stop": ["a", "b", "c", "d", "e"] }), "stop"),
            (json!({ "suffix": "end" }), "suffix"),
            (json!({ "echo": true }), "echo"),
        ] {
            assert_eq!(passed_on(fields(sent)).unwrap_err().param.as_deref(), Some(param));
        }
    }

    #[test]
    fn b6_the_person_is_named_in_either_field() {
        assert_eq!(
            user(&fields(json!({ "user": "jo", "safety_identifier": "x" }))).unwrap().as_deref(),
            Some("jo")
        );
        assert_eq!(user(&fields(json!({ "safety_identifier": "x" }))).unwrap().as_deref(), Some("x"));
        assert_eq!(user(&fields(json!({ "user": null }))).unwrap(), None);
        assert_eq!(user(&fields(json!({ "user": 7 }))).unwrap_err().param.as_deref(), Some("user"));
    }
}
