//! A document as a tree with positions; the same for TOML and YAML.

use std::ops::Range;

/// The deepest nesting of a document (X12). The settings need three levels.
pub(crate) const MAX_DEPTH: usize = 16;

/// A value and its byte range in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub value: Tree,
    pub span: Range<usize>,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    /// Null: counts as a missing field.
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// One field of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Range<usize>,
    pub node: Node,
}

impl Node {
    /// A field of a table.
    pub fn field(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Tree::Table(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node),
            _ => None,
        }
    }

    /// The kind of value, for messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Tree::Null => "nothing",
            Tree::Bool(_) => "true or false",
            Tree::Integer(_) | Tree::Float(_) => "a number",
            Tree::Text(_) => "text",
            Tree::List(_) => "a list",
            Tree::Table(_) => "a table",
        }
    }
}

/// A problem of a document and its position. It becomes a `Diagnostic` when the file is known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    pub code: &'static str,
    pub span: Range<usize>,
    pub message: String,
    pub expected: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn new(
        code: &'static str,
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self { code, span, message: message.into(), expected: expected.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A problem of nesting too deep (X12).
    pub fn too_deep(span: Range<usize>) -> Self {
        Self::new("too_deep", span, "nested too deeply", format!("at most {MAX_DEPTH} levels"))
    }
}
