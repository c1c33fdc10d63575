//! Arguments of a tool call as a model wrote them: checked strictly, with clear error messages (L15).

use serde_json::{Map, Value};

use crate::ToolError;

/// The arguments of one call, taken one by one. Arguments left over at the end are unknown to the tool.
pub(crate) struct Arguments {
    tool: &'static str,
    values: Map<String, Value>,
}

impl Arguments {
    /// `null` is how some models leave an argument out.
    pub(crate) fn new(tool: &'static str, mut values: Map<String, Value>) -> Self {
        values.retain(|_, value| !value.is_null());
        Self { tool, values }
    }

    /// A text, if it is there; not an empty one.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, ToolError> {
        match self.values.remove(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => {
                Err(self.wrong(format!("`{name}` is empty")))
            }
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(format!("`{name}` must be a string, not {}", sort_of(&other)))),
        }
    }

    /// A whole number from `min` to `max`, if it is there.
    pub(crate) fn number(&mut self, name: &str, min: u64, max: u64) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.values.remove(name) else { return Ok(None) };
        match value.as_u64() {
            Some(number) if (min..=max).contains(&number) => Ok(Some(number)),
            _ => Err(self.wrong(format!("`{name}` must be a whole number from {min} to {max}"))),
        }
    }

    /// Takes a boolean argument; `None` if it is missing.
    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<bool>, ToolError> {
        match self.values.remove(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => {
                Err(self.wrong(format!("`{name}` must be true or false, not {}", sort_of(&other))))
            }
        }
    }

    /// Refuses arguments that were not taken; `known` names the valid ones.
    pub(crate) fn finish(self, known: &str) -> Result<(), ToolError> {
        match self.values.keys().next() {
            None => Ok(()),
            Some(name) => Err(self.wrong(format!("there is no argument `{name}`; there are: {known}"))),
        }
    }

    /// An error about these arguments.
    pub(crate) fn wrong(&self, reason: impl Into<String>) -> ToolError {
        ToolError::Arguments { tool: self.tool.into(), reason: reason.into() }
    }
}

/// The arguments as an object, or why they are invalid; invalid arguments never become `{}` (L15).
pub(crate) fn object(arguments: &str) -> Result<Map<String, Value>, String> {
    if arguments.trim().is_empty() {
        return Err("they are empty; a call without arguments is written {}".to_owned());
    }
    match serde_json::from_str(arguments) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => Err(format!("they must be a JSON object, not {}", sort_of(&other))),
        Err(error) => Err(format!("they are not valid JSON: {error}")),
    }
}

fn sort_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn l15_what_is_no_object_is_an_error_and_never_an_empty_object() {
        for (arguments, reason) in [
            ("", "they are empty; a call without arguments is written {}"),
            (" \n", "they are empty; a call without arguments is written {}"),
            ("{\"query\": \"x", "they are not valid JSON: EOF while parsing a string at line 1 column 12"),
            ("[]", "they must be a JSON object, not a list"),
            ("null", "they must be a JSON object, not null"),
            ("\"x\"", "they must be a JSON object, not a string"),
        ] {
            assert_eq!(object(arguments).unwrap_err(), reason);
        }
        assert!(object("{}").unwrap().is_empty());
    }

    #[test]
    fn l15_deep_nesting_is_an_error_and_no_overflow() {
        assert!(object(&"[".repeat(100_000)).unwrap_err().contains("recursion limit"));
    }

    proptest! {
        #[test]
        fn l15_a_truncated_object_is_always_an_error(text in "[a-z]{1,10}", cut in 1usize..8) {
            let whole = format!("{{\"query\":\"{text}\"}}");
            prop_assert!(object(&whole[..whole.len() - cut]).is_err());
        }
    }
}
