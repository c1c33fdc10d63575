//! Parses YAML from the events of `saphyr-parser`. Rejects aliases, tags and further documents: settings need none of
//! them, and without aliases no text can expand exponentially (X12).

use std::{collections::HashSet, ops::Range};

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use crate::node::{Entry, MAX_DEPTH, Node, Problem, Tree};
use crate::syntax::too_long;

/// Parses a document that begins `offset` bytes into its file.
pub(crate) fn read(text: &str, offset: usize) -> (Node, Vec<Problem>) {
    let whole = offset..offset + text.len();
    let empty = Node { value: Tree::Null, span: whole };
    if let Some(problem) = too_long(text, offset) {
        return (empty, vec![problem]);
    }
    let mut reader = Reader {
        parser: Parser::new_from_str(text),
        places: Places::new(text, offset),
        problems: Vec::new(),
    };
    let node = reader.document().unwrap_or_else(|problem| {
        reader.problems.push(*problem);
        None
    });
    (node.unwrap_or(empty), reader.problems)
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    places: Places,
    problems: Vec<Problem>,
}

/// A problem after which parsing stops.
type Fatal = Box<Problem>;

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Range<usize>), Fatal> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, self.places.range(span))),
            Some(Err(e)) => {
                let at = self.places.byte(e.marker().index());
                // the scanner has its own limit for brackets
                if e.info().contains("recursion limit") {
                    return Err(Box::new(Problem::too_deep(at..at)));
                }
                Err(Box::new(Problem::new("syntax", at..at, e.info(), "valid YAML")))
            }
            None => Ok((Event::StreamEnd, self.places.end())),
        }
    }

    fn document(&mut self) -> Result<Option<Node>, Fatal> {
        let mut root = None;
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(root),
                (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
                (_, span) if root.is_some() => {
                    return Err(Box::new(Problem::new("syntax", span, "a second document", "one document")));
                }
                (event, span) => root = Some(self.node(event, span, 0)?),
            }
        }
    }

    fn node(&mut self, event: Event<'a>, span: Range<usize>, depth: usize) -> Result<Node, Fatal> {
        if depth > MAX_DEPTH {
            return Err(Box::new(Problem::too_deep(span)));
        }
        match event {
            Event::Scalar(text, style, _, tag) => {
                if tag.is_some() {
                    self.problems.push(Problem::new("syntax", span.clone(), "a YAML tag", "a plain value"));
                }
                let value =
                    if style == ScalarStyle::Plain { plain(&text) } else { Tree::Text(text.into_owned()) };
                Ok(Node { value, span })
            }
            Event::SequenceStart(..) => self.list(span, depth),
            Event::MappingStart(..) => self.table(span, depth),
            Event::Alias(_) => Err(Box::new(
                Problem::new("alias", span, "a YAML alias", "the value itself")
                    .help("write the value out again; aliases are not read"),
            )),
            _ => Ok(Node { value: Tree::Null, span }),
        }
    }

    fn list(&mut self, start: Range<usize>, depth: usize) -> Result<Node, Fatal> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd | Event::StreamEnd, end) => {
                    return Ok(Node { value: Tree::List(items), span: start.start..end.end.max(start.end) });
                }
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn table(&mut self, start: Range<usize>, depth: usize) -> Result<Node, Fatal> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen = HashSet::new();
        loop {
            let (key, key_span) = match self.next()? {
                (Event::MappingEnd | Event::StreamEnd, end) => {
                    return Ok(Node {
                        value: Tree::Table(entries),
                        span: start.start..end.end.max(start.end),
                    });
                }
                (Event::Scalar(key, ..), span) => (key.into_owned(), span),
                (_, span) => {
                    return Err(Box::new(Problem::new(
                        "syntax",
                        span,
                        "a key that is no word",
                        "a field's name",
                    )));
                }
            };
            let (event, span) = self.next()?;
            let node = self.node(event, span, depth + 1)?;
            if !seen.insert(key.clone()) {
                self.problems.push(Problem::new(
                    "duplicate",
                    key_span,
                    format!("`{key}` stands here twice"),
                    "each field once",
                ));
            } else {
                entries.push(Entry { key, key_span, node });
            }
        }
    }
}

/// Parses a plain scalar by the core schema of YAML 1.2.
fn plain(text: &str) -> Tree {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Tree::Null,
        "true" | "True" | "TRUE" => Tree::Bool(true),
        "false" | "False" | "FALSE" => Tree::Bool(false),
        _ if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => {
            Tree::Text(text.to_owned())
        }
        _ => match (text.parse(), text.parse()) {
            (Ok(n), _) => Tree::Integer(n),
            (_, Ok(f)) => Tree::Float(f),
            _ => Tree::Text(text.to_owned()),
        },
    }
}

/// Converts positions: the parser counts characters, files and spans count bytes.
struct Places {
    /// The byte position of each character. Empty if all characters are one byte long.
    bytes: Vec<usize>,
    length: usize,
    offset: usize,
}

impl Places {
    fn new(text: &str, offset: usize) -> Self {
        let bytes =
            if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(at, _)| at).collect() };
        Self { bytes, length: text.len(), offset }
    }

    fn byte(&self, index: usize) -> usize {
        let at =
            if self.bytes.is_empty() { index } else { self.bytes.get(index).copied().unwrap_or(self.length) };
        self.offset + at.min(self.length)
    }

    fn range(&self, span: Span) -> Range<usize> {
        self.byte(span.start.index())..self.byte(span.end.index())
    }

    fn end(&self) -> Range<usize> {
        self.offset + self.length..self.offset + self.length
    }
}
