//! The MCP servers of a persona, as its file names them.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{
    check::{join, shorten},
    duration,
    node::{Entry, Node, Problem, Tree},
    settings::URL_PATTERN,
};

/// Matches a text that contains a reference to an environment variable.
pub(crate) const REFERENCE_PATTERN: &str = r"\$\{[A-Za-z_][A-Za-z0-9_]*\}";

/// An MCP server: a program to start (`command`, `env`) or an address (`url`, `headers`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct McpServer {
    /// A program and its arguments; it speaks MCP on its standard input and output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// What the program's environment holds beside PATH, HOME and the like, by reference to variables
    /// of Greenroom's own, as ${GITHUB_TOKEN}.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Reference>,
    /// The address of a server that speaks streamable HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = URL_PATTERN))]
    pub url: Option<String>,
    /// Headers of every request, by reference to environment variables, as Bearer ${GITHUB_TOKEN}.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Reference>,
    /// Tools of it the persona may use, beside those its tools name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// How long one call may take.
    #[serde(with = "duration")]
    #[schemars(with = "duration::Positive")]
    pub timeout: Duration,
}

impl Default for McpServer {
    /// Nowhere yet; a call may take 30 s.
    fn default() -> Self {
        Self {
            command: Vec::new(),
            env: BTreeMap::new(),
            url: None,
            headers: BTreeMap::new(),
            allow: Vec::new(),
            timeout: Duration::from_secs(30),
        }
    }
}

/// A text with references to environment variables: the one way a secret reaches a server (X5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reference(String);

impl Reference {
    /// A text as it stands in a file.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as it stands in the file.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The referenced variables, in the order of the text.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.0.as_str();
        std::iter::from_fn(move || {
            let (_, name, after) = first_reference(rest)?;
            rest = after;
            Some(name)
        })
    }

    /// The text with every reference replaced.
    ///
    /// # Errors
    /// The name of a variable that is not set.
    pub fn resolved(&self, variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
        let (mut out, mut rest) = (String::new(), self.0.as_str());
        while let Some((before, name, after)) = first_reference(rest) {
            out.push_str(before);
            out.push_str(&variable(name).ok_or_else(|| name.to_owned())?);
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }
}

impl JsonSchema for Reference {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Reference".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": REFERENCE_PATTERN })
    }
}

/// Whether a text refers to a variable.
pub(crate) fn refers(text: &str) -> bool {
    first_reference(text).is_some()
}

/// The text before the first `${NAME}`, the name, and the text after it.
fn first_reference(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices("${").find_map(|(at, open)| {
        let (name, after) = text[at + open.len()..].split_once('}')?;
        is_variable(name).then_some((&text[..at], name, after))
    })
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Checks of a file's servers that the schema cannot express. The name must be usable on a command line. A server must
/// be either a program or an address.
pub(crate) fn check_servers(node: &Node, problems: &mut Vec<Problem>) {
    let Some(Node { value: Tree::Table(servers), .. }) = node.field("mcp") else { return };
    problems.extend(servers.iter().take(crate::check::MAX_PROBLEMS).filter_map(wrong));
}

fn wrong(server: &Entry) -> Option<Problem> {
    let name = &server.key;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        let message = format!("`{}` is no name for a server", shorten(name));
        return Some(Problem::new(
            "bad_name",
            server.key_span.clone(),
            message,
            "1 to 64 of a-z, A-Z, 0-9, `-` and `_`",
        ));
    }
    let Tree::Table(_) = server.node.value else { return None };
    let path = join("mcp", name);
    let has = |field: &str| {
        server.node.field(field).is_some_and(|node| match &node.value {
            Tree::List(items) => !items.is_empty(),
            value => *value != Tree::Null,
        })
    };
    let message = match (has("command"), has("url")) {
        (true, true) => "has both a command and a url",
        (false, false) => "has neither a command nor a url",
        (true, false) if has("headers") => "has headers and no url",
        (false, true) if has("env") => "has an env and no command",
        _ => return None,
    };
    Some(Problem::new(
        "bad_value",
        server.key_span.clone(),
        format!("{path} {message}"),
        "`command` with `env`, or `url` with `headers`",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x5_a_reference_takes_the_variable_s_value_and_names_one_that_is_missing() {
        let variable = |name: &str| (name == "TOKEN").then(|| "t0ken".to_owned());
        let resolved = |text: &str| Reference::new(text).resolved(variable);
        assert_eq!(resolved("Bearer ${TOKEN}").as_deref(), Ok("Bearer t0ken"));
        assert_eq!(resolved("${TOKEN}:${TOKEN}$").as_deref(), Ok("t0ken:t0ken$"));
        assert_eq!(resolved("${NOBODY}"), Err("NOBODY".to_owned()));
        for literal in ["sk-1", "$TOKEN", "${}", "${1A}", "${TOKEN"] {
            assert!(!refers(literal), "{literal}");
        }
    }
}
