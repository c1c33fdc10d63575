//! The function tools of a request, in the form of the chat completions API, which models get. Pure.

use greenroom_core::ToolSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::ApiError;

/// The greatest number of tools in a request.
const MOST_TOOLS: usize = 128;

/// The tools of a request.
#[derive(Debug)]
pub(crate) struct Tools {
    /// The schemas for the model.
    pub(crate) schemas: Vec<ToolSchema>,
    /// Whether the persona may also use its own tools: not if the request demands or forbids a call.
    pub(crate) own: bool,
}

impl Default for Tools {
    fn default() -> Self {
        Self { schemas: Vec::new(), own: true }
    }
}

/// A tool of the client.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::Tool)]
pub(crate) struct Tool {
    /// `function`, the only sort there is.
    #[serde(rename = "type")]
    kind: String,
    /// The function.
    function: Function,
}

/// The function of a tool.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::Function)]
struct Function {
    /// `a-z A-Z 0-9 _ -`, at most 64.
    name: String,
    /// Its purpose, for the model.
    description: Option<String>,
    /// The JSON Schema of its arguments.
    parameters: Option<Value>,
}

impl Tools {
    /// Reads tools and the choice among them, and adds both to the fields for the model. `convert` gets a tool and
    /// its place, and returns it in that form.
    pub(crate) fn read(
        brought: Option<Vec<Value>>,
        convert: impl Fn(Value, usize) -> Result<Value, ApiError>,
        choice: Option<Value>,
        extra: &mut Map<String, Value>,
    ) -> Result<Self, ApiError> {
        let brought = brought.unwrap_or_default().into_iter().enumerate().map(|(n, tool)| convert(tool, n));
        let brought = brought.collect::<Result<Vec<_>, _>>()?;
        let choice = choice.filter(|choice| !choice.is_null());
        let schemas = schemas(&brought)?;
        let own = choose(choice.as_ref(), &schemas)?;
        if schemas.is_empty() {
            extra.remove("parallel_tool_calls");
        } else {
            extra.insert("tools".into(), Value::Array(brought));
            extra.extend(choice.map(|choice| ("tool_choice".to_owned(), choice)));
        }
        Ok(Self { schemas, own })
    }

    /// The names of the tools.
    pub(crate) fn names(&self) -> Vec<String> {
        self.schemas.iter().map(|tool| tool.name.clone()).collect()
    }
}

/// The arguments of a call as an object, even if the model wrote something else.
pub(crate) fn object_arguments(arguments: &str) -> Value {
    match serde_json::from_str::<Map<String, Value>>(arguments) {
        Ok(arguments) => Value::Object(arguments),
        Err(_) => json!({ "not_json": arguments }),
    }
}

/// The schemas of a request's tools.
fn schemas(brought: &[Value]) -> Result<Vec<ToolSchema>, ApiError> {
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

/// Whether the persona may use its own tools as well.
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
