//! What is asked: the body as it comes, and what is meant by it. Fields nobody knows are passed over;
//! what would change the answer and cannot be done is refused.

use greenroom_core::{ChannelKey, IdError, ToolSchema};
use greenroom_runtime::Wishes;
use http::HeaderMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::{ApiError, said::idempotency_key};

/// Fields that are the model's business and go to it as they are.
const PASSED_ON: [&str; 9] = [
    "frequency_penalty",
    "logit_bias",
    "presence_penalty",
    "reasoning_effort",
    "response_format",
    "seed",
    "stop",
    "top_p",
    "verbosity",
];
/// Tools a request may bring.
const MOST_TOOLS: usize = 128;
/// Texts a reply may be told to stop at.
const MOST_STOPS: usize = 4;

/// The body of a chat completion, as the OpenAI API has it.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::ChatBody)]
pub(super) struct ChatBody {
    /// A persona's name.
    pub(super) model: String,
    /// The conversation; in a channel only the last message of a user counts.
    #[schema(min_items = 1)]
    messages: Vec<Message>,
    /// Whether the answer comes in pieces.
    stream: Option<bool>,
    /// What a stream holds besides the answer.
    stream_options: Option<StreamOptions>,
    /// Sampling temperature; without it the persona's.
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f32>,
    /// Longest answer in tokens; the persona's limit holds all the same.
    #[schema(minimum = 1, maximum = 4_294_967_295u64)]
    max_completion_tokens: Option<u32>,
    /// The older name of `max_completion_tokens`.
    #[schema(minimum = 1, maximum = 4_294_967_295u64)]
    max_tokens: Option<u32>,
    /// Tools of whoever asks; their calls come back as `tool_calls`.
    #[schema(value_type = Option<Vec<Tool>>)]
    tools: Option<Vec<Value>>,
    /// `auto`, `none`, `required`, or one tool.
    tool_choice: Option<Value>,
    /// `channel`: say it in this channel. The rest is passed over.
    metadata: Option<Map<String, Value>>,
    /// Recall nothing for this message.
    disable_memory: Option<bool>,
    /// `stop`, `top_p`, `seed`, `response_format`, `presence_penalty`, `frequency_penalty`, `logit_bias`,
    /// `reasoning_effort`, `verbosity` go to the model as they are.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// What a stream holds besides the answer.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::StreamOptions)]
struct StreamOptions {
    /// Whether a chunk with the usage stands at its end.
    include_usage: Option<bool>,
}

/// One message of the conversation.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(as = openai::Message)]
pub(super) struct Message {
    /// Who says it.
    pub(super) role: Role,
    /// What is said; may be absent beside `tool_calls`.
    pub(super) content: Option<Content>,
    /// What to call whoever says it, where several do.
    pub(super) name: Option<String>,
    /// The tools an assistant called.
    pub(super) tool_calls: Option<Vec<Call>>,
    /// Which call a tool's message answers.
    pub(super) tool_call_id: Option<String>,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = openai::Role)]
pub(super) enum Role {
    /// Instructions.
    System,
    /// The same under its newer name.
    Developer,
    /// A person.
    User,
    /// The persona.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// What is said.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = openai::Content)]
pub(super) enum Content {
    /// A text.
    Text(String),
    /// Parts of one; only those of the type `text` and `refusal`.
    Parts(Vec<Part>),
}

/// A part of what is said.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(as = openai::Part)]
pub(super) struct Part {
    /// `text` or `refusal`.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// The text.
    pub(super) text: Option<String>,
    /// The text of a refusal.
    pub(super) refusal: Option<String>,
}

/// A tool call an assistant made.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(as = openai::Call)]
pub(super) struct Call {
    /// The call's id.
    pub(super) id: String,
    /// What is called.
    pub(super) function: Called,
}

/// What is called.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(as = openai::Called)]
pub(super) struct Called {
    /// The tool's name.
    pub(super) name: String,
    /// The arguments as JSON.
    pub(super) arguments: String,
}

/// A tool of whoever asks.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::Tool)]
pub(super) struct Tool {
    /// `function`, the only sort there is.
    #[serde(rename = "type")]
    kind: String,
    /// What it is.
    function: Function,
}

/// What a tool is.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::Function)]
struct Function {
    /// `a-z A-Z 0-9 _ -`, at most 64.
    name: String,
    /// What it is for.
    description: Option<String>,
    /// The JSON Schema of its arguments.
    parameters: Option<Value>,
}

/// What is meant by a request.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) messages: Vec<Message>,
    pub(super) stream: bool,
    pub(super) include_usage: bool,
    pub(super) wishes: Wishes,
    pub(super) tools: Vec<ToolSchema>,
    /// Whether the persona may use tools of its own, too: not where a call is wanted or forbidden.
    pub(super) own_tools: bool,
    pub(super) disable_memory: bool,
    pub(super) channel: Option<ChannelKey>,
    /// The `Idempotency-Key`.
    pub(super) key: Option<String>,
}

impl Asked {
    /// What is meant by a body and its headers.
    pub(super) fn of(body: ChatBody, headers: &HeaderMap) -> Result<Self, ApiError> {
        let header = |name| header(headers, name);
        let mut extra = passed_on(body.rest)?;
        let limits = [body.max_completion_tokens, body.max_tokens];
        let max_output_tokens = limits.into_iter().flatten().min();
        if max_output_tokens == Some(0) {
            return Err(ApiError::invalid("ask for at least 1 token").about("max_completion_tokens"));
        }
        if body.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            return Err(ApiError::invalid("the temperature is a number from 0 to 2").about("temperature"));
        }
        let channel = channel(header("x-greenroom-channel")?, body.metadata.as_ref())?;
        let brought = body.tools.unwrap_or_default();
        let choice = body.tool_choice.filter(|choice| !choice.is_null());
        let tools = tools(&brought)?;
        let own_tools = choose(choice.as_ref(), &tools)?;
        if !tools.is_empty() {
            if channel.is_some() {
                let message = "a channel keeps no tool calls: leave `tools` out, or leave the channel out and \
                               send the conversation";
                return Err(ApiError::invalid(message).about("tools"));
            }
            extra.insert("tools".into(), Value::Array(brought));
            extra.extend(choice.map(|choice| ("tool_choice".to_owned(), choice)));
        } else {
            extra.remove("parallel_tool_calls");
        }
        Ok(Self {
            messages: body.messages,
            stream: body.stream.unwrap_or_default(),
            include_usage: body.stream_options.and_then(|options| options.include_usage).unwrap_or_default(),
            wishes: Wishes { temperature: body.temperature, max_output_tokens, extra },
            tools,
            own_tools,
            disable_memory: body.disable_memory.unwrap_or_default()
                || switched(header("x-greenroom-no-memory")?)?,
            channel,
            key: idempotency_key(headers)?,
        })
    }
}

/// A header's value, if it is a text.
fn header<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a str>, ApiError> {
    let value = headers.get(name).map(|value| value.to_str().map(str::trim));
    value
        .transpose()
        .map_err(|_| ApiError::invalid(format!("{name} holds other characters than ASCII")).about(name))
}

fn switched(header: Option<&str>) -> Result<bool, ApiError> {
    match header.unwrap_or_default().to_ascii_lowercase().as_str() {
        "1" | "true" => Ok(true),
        "" | "0" | "false" => Ok(false),
        _ => Err(ApiError::invalid("X-Greenroom-No-Memory is 1 or 0").about("x-greenroom-no-memory")),
    }
}

/// The channel, named in the header or in the metadata.
fn channel(
    header: Option<&str>,
    metadata: Option<&Map<String, Value>>,
) -> Result<Option<ChannelKey>, ApiError> {
    let wrong = |message: String| ApiError::invalid(message).about("metadata.channel");
    let named = match metadata.and_then(|metadata| metadata.get("channel")).filter(|named| !named.is_null()) {
        Some(Value::String(named)) => Some(named.as_str()),
        Some(_) => return Err(wrong("metadata.channel is a text, as in \"api:mo\"".into())),
        None => None,
    };
    match (header, named) {
        (Some(one), Some(other)) if one != other => Err(wrong(format!(
            "X-Greenroom-Channel names {one} and metadata.channel names {other}: name one"
        ))),
        (Some(key), _) => {
            let wrong = |error: IdError| ApiError::invalid(error.to_string()).about("x-greenroom-channel");
            key.parse().map(Some).map_err(wrong)
        }
        (None, Some(key)) => key.parse().map(Some).map_err(|error: IdError| wrong(error.to_string())),
        (None, None) => Ok(None),
    }
}

/// What goes to the model of the fields that have no meaning here.
fn passed_on(rest: Map<String, Value>) -> Result<Map<String, Value>, ApiError> {
    let refused = |field: &str, value: &Value| match field {
        "n" if *value != json!(1) => Some("there is one answer to a request: leave `n` out"),
        "logprobs" if *value != json!(false) => Some("the probabilities of tokens are not known here"),
        "top_logprobs" if *value != json!(0) => Some("the probabilities of tokens are not known here"),
        "modalities" if *value != json!(["text"]) => Some("answers are text and nothing else"),
        "audio" | "web_search_options" => Some("this is not on offer here"),
        "functions" | "function_call" => Some("this was replaced: use `tools` and `tool_choice`"),
        "stop" if !stops(value) => Some("`stop` is a text or up to 4 of them"),
        _ => None,
    };
    let mut kept = Map::new();
    for (field, value) in rest.into_iter().filter(|(_, value)| !value.is_null()) {
        if let Some(why) = refused(&field, &value) {
            return Err(ApiError::invalid(why).about(field));
        }
        if PASSED_ON.contains(&field.as_str()) || field == "parallel_tool_calls" {
            kept.insert(field, value);
        }
    }
    Ok(kept)
}

fn stops(value: &Value) -> bool {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    text(value) || value.as_array().is_some_and(|all| all.len() <= MOST_STOPS && all.iter().all(text))
}

/// What the model is told of the tools that were brought.
fn tools(brought: &[Value]) -> Result<Vec<ToolSchema>, ApiError> {
    if brought.len() > MOST_TOOLS {
        return Err(ApiError::invalid(format!("bring at most {MOST_TOOLS} tools")).about("tools"));
    }
    let mut tools: Vec<ToolSchema> = Vec::new();
    for (n, tool) in brought.iter().enumerate() {
        let wrong = |message: String| ApiError::invalid(message).about(format!("tools[{n}]"));
        let Tool { kind, function } = Tool::deserialize(tool).map_err(|error| wrong(error.to_string()))?;
        let Function { name, description, parameters } = function;
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if kind != "function" {
            return Err(wrong("a tool is of the type `function`".into()));
        }
        if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
            return Err(wrong("a tool's name is 1 to 64 of a-z, A-Z, 0-9, `_` and `-`".into()));
        }
        if tools.iter().any(|known| known.name == name) {
            return Err(wrong(format!("there are two tools `{name}`")));
        }
        let parameters = parameters.unwrap_or_else(|| json!({ "type": "object", "properties": {} }));
        tools.push(ToolSchema { name, description: description.unwrap_or_default(), parameters });
    }
    Ok(tools)
}

/// Whether the persona may use its own tools, too.
fn choose(choice: Option<&Value>, tools: &[ToolSchema]) -> Result<bool, ApiError> {
    let wrong = |message: &str| Err(ApiError::invalid(message).about("tool_choice"));
    let Some(choice) = choice else { return Ok(true) };
    match choice.as_str() {
        Some("auto") => Ok(true),
        Some("none") => Ok(false),
        Some("required") if tools.is_empty() => wrong("there are no `tools` to choose from"),
        Some("required") => Ok(false),
        Some(_) => wrong("`tool_choice` is `auto`, `none`, `required` or a tool"),
        None => {
            let named = choice["function"]["name"].as_str();
            match tools.iter().any(|tool| Some(tool.name.as_str()) == named) {
                true => Ok(false),
                false => wrong("`tool_choice` names none of the `tools`"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(fields: Value, headers: &[(&'static str, &str)]) -> Result<Asked, ApiError> {
        let mut body = json!({ "model": "ada", "messages": [{ "role": "user", "content": "hi" }] });
        body.as_object_mut().unwrap().append(&mut fields.as_object().unwrap().clone());
        let headers = headers.iter().map(|(name, value)| ((*name).parse().unwrap(), value.parse().unwrap()));
        Asked::of(serde_json::from_value(body).unwrap(), &headers.collect())
    }

    fn refused(fields: Value) -> (http::StatusCode, String) {
        let error = asked(fields, &[]).unwrap_err();
        (error.status, error.param.unwrap_or_default())
    }

    #[test]
    fn what_is_the_models_business_is_passed_on_and_the_rest_is_passed_over() {
        let fields =
            json!({ "stop": ["END"], "seed": 7, "top_p": null, "user": "eve", "store": true, "n": 1 });
        let wishes = asked(fields, &[]).unwrap().wishes;
        assert_eq!(Value::Object(wishes.extra), json!({ "stop": ["END"], "seed": 7 }));
    }

    #[test]
    fn what_cannot_be_done_is_refused_by_name() {
        for (fields, param) in [
            (json!({ "n": 2 }), "n"),
            (json!({ "logprobs": true }), "logprobs"),
            (json!({ "functions": [] }), "functions"),
            (json!({ "modalities": ["text", "audio"] }), "modalities"),
            (json!({ "stop": ["a", "b", "c", "d", "e"] }), "stop"),
            (json!({ "temperature": 2.5 }), "temperature"),
            (json!({ "max_tokens": 0 }), "max_completion_tokens"),
            (json!({ "metadata": { "channel": 7 } }), "metadata.channel"),
            (json!({ "metadata": { "channel": "nowhere" } }), "metadata.channel"),
            (json!({ "tools": [{ "type": "web" }] }), "tools[0]"),
            (json!({ "tool_choice": "required" }), "tool_choice"),
        ] {
            assert_eq!(refused(fields), (http::StatusCode::BAD_REQUEST, param.to_owned()));
        }
    }

    #[test]
    fn both_limits_are_understood_and_the_smaller_holds() {
        let wishes = asked(json!({ "max_tokens": 9, "max_completion_tokens": 7 }), &[]).unwrap().wishes;
        assert_eq!(wishes.max_output_tokens, Some(7));
    }

    #[test]
    fn a_channel_is_named_in_a_header_or_in_the_metadata_and_not_two() {
        let named = json!({ "metadata": { "channel": "api:mo" } });
        assert_eq!(asked(named.clone(), &[]).unwrap().channel.unwrap().as_str(), "api:mo");
        let header = ("x-greenroom-channel", "api:mo");
        assert_eq!(asked(json!({}), &[header]).unwrap().channel.unwrap().as_str(), "api:mo");
        assert!(asked(named.clone(), &[header]).is_ok());
        assert!(asked(named, &[("x-greenroom-channel", "api:eve")]).is_err());
    }

    #[test]
    fn bd6_memory_is_switched_off_by_a_header_or_a_field() {
        assert!(asked(json!({ "disable_memory": true }), &[]).unwrap().disable_memory);
        assert!(asked(json!({}), &[("x-greenroom-no-memory", "1")]).unwrap().disable_memory);
        assert!(!asked(json!({}), &[("x-greenroom-no-memory", "0")]).unwrap().disable_memory);
        assert!(asked(json!({}), &[("x-greenroom-no-memory", "maybe")]).is_err());
    }

    #[test]
    fn tools_go_to_the_model_as_they_came_and_not_into_a_channel() {
        let tool = json!({ "type": "function", "function": { "name": "weather", "strict": true } });
        let fields = json!({ "tools": [tool], "tool_choice": "required" });
        let brought = asked(fields.clone(), &[]).unwrap();
        assert_eq!(brought.tools[0].name, "weather");
        assert_eq!(brought.wishes.extra["tools"], json!([tool]));
        assert!(!brought.own_tools, "a call of theirs is wanted");
        let error = asked(fields, &[("x-greenroom-channel", "api:mo")]).unwrap_err();
        assert_eq!(error.param.as_deref(), Some("tools"));
    }
}
