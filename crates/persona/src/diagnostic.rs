//! Problems of files with position and expectation, for a terminal, a log line or JSON.

use std::{borrow::Cow, fmt, ops::Range, sync::Arc};

use greenroom_core::harmless;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use serde::Serialize;

use crate::{check::shorten, node::Problem, secret};

/// One problem of a persona file, a settings file, an environment variable or a flag.
///
/// Contains no secret: keys and passwords are masked in `text` and in the shown source (X5). Contains no control
/// characters, so that it can be printed (X14).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diagnostic {
    /// The file, or `environment NAME`, or `flag --name`.
    pub file: String,
    /// From 1; 0 if there is no line, as for an environment variable or an unreadable file.
    pub line: usize,
    /// From 1, in characters; 0 if there is no line.
    pub column: usize,
    /// The wrong text, cut to one line.
    pub text: String,
    /// The problem.
    pub message: String,
    /// The expected value.
    pub expected: String,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The class of the problem, as `unknown_field`.
    pub code: &'static str,
    #[serde(skip)]
    source: Option<Arc<SourceFile>>,
    #[serde(skip)]
    span: Range<usize>,
}

fn printable(text: impl Into<String>) -> String {
    let text = text.into();
    match harmless(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    }
}

impl Diagnostic {
    /// A problem without a position.
    pub(crate) fn without_place(
        file: impl Into<String>,
        code: &'static str,
        text: &str,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            file: printable(file),
            line: 0,
            column: 0,
            text: printable(shorten(text)),
            message: printable(message),
            expected: printable(expected),
            help: None,
            code,
            source: None,
            span: 0..0,
        }
    }

    /// Adds a remedy.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(printable(help));
        self
    }

    /// Formats the problem in one line, as compilers do: `file:line:column: message (text): expected …; help`.
    pub fn line(&self) -> String {
        let place = if self.line > 0 { format!(":{}:{}", self.line, self.column) } else { String::new() };
        let said = self.text.is_empty() || self.message.contains(&self.text);
        let text = if said { String::new() } else { format!(" (`{}`)", self.text) };
        let help = self.help.as_ref().map(|h| format!("; {h}")).unwrap_or_default();
        format!("{}{place}: {}{text}: expected {}{help}", self.file, self.message, self.expected)
    }

    /// Formats the problem with the lines around it. Ends with a line feed.
    pub fn fancy(&self, color: bool) -> String {
        let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let mut out = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_width(100);
        match Drawing::of(self).map(|drawing| handler.render_report(&mut out, &drawing)) {
            Some(Ok(())) => out,
            _ => format!("{}\n", self.line()),
        }
    }
}

/// Shows the problem without its position.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// A problem with the text around it, both without control characters (X14).
#[derive(Debug)]
struct Drawing<'a> {
    problem: &'a Diagnostic,
    source: NamedSource<String>,
    span: Range<usize>,
}

impl<'a> Drawing<'a> {
    fn of(problem: &'a Diagnostic) -> Option<Self> {
        let source = problem.source.as_ref()?;
        let printed = |at: usize| harmless(&source.blotted[..at]).len();
        let span = printed(problem.span.start)..printed(problem.span.end);
        let source = NamedSource::new(&problem.file, harmless(&source.blotted).into_owned());
        Some(Self { problem, source, span })
    }
}

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for Drawing<'_> {}

impl miette::Diagnostic for Drawing<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let expected = format!("expected {}", self.problem.expected);
        let label = LabeledSpan::new_with_span(Some(expected), self.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

/// A file's name and text, to compute positions of problems.
#[derive(Debug, PartialEq)]
pub(crate) struct SourceFile {
    pub name: String,
    blotted: String,
    /// The start of each line in bytes.
    lines: Vec<usize>,
}

impl SourceFile {
    pub fn new(name: impl Into<String>, text: &str) -> Self {
        let blotted = secret::blot(text);
        let lines = std::iter::once(0).chain(blotted.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name: name.into(), blotted, lines }
    }

    /// The line of a byte position, from 1.
    pub fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|begin| *begin <= at)
    }

    /// Adds the position to a problem.
    pub fn diagnose(self: &Arc<Self>, problem: Problem) -> Diagnostic {
        let start = self.boundary(problem.span.start);
        let end = self.boundary(problem.span.end).max(start);
        let line = self.line(start);
        let begin = self.lines.get(line - 1).copied().unwrap_or_default();
        let first_line = self.blotted[start..end].split_inclusive('\n').next().unwrap_or_default();
        Diagnostic {
            file: printable(&self.name),
            line,
            column: self.blotted[begin..start].chars().count() + 1,
            text: printable(shorten(&self.blotted[start..end])),
            message: printable(problem.message),
            expected: printable(problem.expected),
            help: problem.help.map(printable),
            code: problem.code,
            span: start..start + first_line.trim_end().len(),
            source: self.is_drawable(line).then(|| self.clone()),
        }
    }

    /// Whether a line and its neighbours are short enough to be shown (X12).
    fn is_drawable(&self, line: usize) -> bool {
        let last = self.blotted.len();
        let begin = |n: usize| self.lines.get(n).copied().unwrap_or(last);
        (line.saturating_sub(2)..=line).all(|n| begin(n + 1) - begin(n) <= 400)
    }

    /// The nearest character boundary at or before a byte position.
    fn boundary(&self, at: usize) -> usize {
        self.blotted.floor_char_boundary(at.min(self.blotted.len()))
    }
}
