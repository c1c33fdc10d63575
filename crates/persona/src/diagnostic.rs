//! What is wrong with a file, where, and what was expected: for a terminal, a log line or JSON.

use std::{fmt, ops::Range, sync::Arc};

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};
use serde::Serialize;

use crate::{check::shorten, node::Problem, secret};

/// One problem of a persona file, a settings file, an environment variable or a flag.
///
/// Holds no secret: keys and passwords are blotted out of `text` and of the source that is shown
/// around it (X5).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diagnostic {
    /// The file, or `environment NAME`, or `flag --name`.
    pub file: String,
    /// From 1; 0 where there is no line: an environment variable, a file that cannot be read.
    pub line: usize,
    /// From 1, in characters; 0 where there is no line.
    pub column: usize,
    /// The offending text, cut to a line.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What was expected.
    pub expected: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The class of the problem, as `unknown_field`.
    pub code: &'static str,
    #[serde(skip)]
    source: Option<Arc<SourceFile>>,
    #[serde(skip)]
    span: Range<usize>,
}

impl Diagnostic {
    /// A problem of something without lines.
    pub(crate) fn without_place(
        file: impl Into<String>,
        code: &'static str,
        text: &str,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            line: 0,
            column: 0,
            text: shorten(text),
            message: message.into(),
            expected: expected.into(),
            help: None,
            code,
            source: None,
            span: 0..0,
        }
    }

    /// Gives an advice.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// In one line, as compilers do: `file:line:column: message (text): expected …; help`.
    pub fn line(&self) -> String {
        let place = if self.line > 0 { format!(":{}:{}", self.line, self.column) } else { String::new() };
        let said = self.text.is_empty() || self.message.contains(&self.text);
        let text = if said { String::new() } else { format!(" (`{}`)", self.text) };
        let help = self.help.as_ref().map(|h| format!("; {h}")).unwrap_or_default();
        format!("{}{place}: {}{text}: expected {}{help}", self.file, self.message, self.expected)
    }

    /// Drawn with the lines around it; ends with a line feed.
    pub fn fancy(&self, color: bool) -> String {
        let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let mut out = String::new();
        let drawn = GraphicalReportHandler::new_themed(theme).with_width(100).render_report(&mut out, self);
        match self.source {
            Some(_) if drawn.is_ok() => out,
            _ => format!("{}\n", self.line()),
        }
    }
}

/// What is wrong, without the place.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

impl miette::Diagnostic for Diagnostic {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_deref().map(|s| s as &dyn SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source.as_ref()?;
        let label =
            LabeledSpan::new_with_span(Some(format!("expected {}", self.expected)), self.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

/// A file's name and text, ready to say where a problem stands in it.
#[derive(Debug, PartialEq)]
pub(crate) struct SourceFile {
    pub name: String,
    blotted: String,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl SourceFile {
    pub fn new(name: impl Into<String>, text: &str) -> Self {
        let blotted = secret::blot(text);
        let lines = std::iter::once(0).chain(blotted.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name: name.into(), blotted, lines }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|begin| *begin <= at)
    }

    /// A problem with its place.
    pub fn diagnose(self: &Arc<Self>, problem: Problem) -> Diagnostic {
        let start = self.boundary(problem.span.start);
        let end = self.boundary(problem.span.end).max(start);
        let line = self.line(start);
        let begin = self.lines.get(line - 1).copied().unwrap_or_default();
        let first_line = self.blotted[start..end].split_inclusive('\n').next().unwrap_or_default();
        Diagnostic {
            file: self.name.clone(),
            line,
            column: self.blotted[begin..start].chars().count() + 1,
            text: shorten(&self.blotted[start..end]),
            message: problem.message,
            expected: problem.expected,
            help: problem.help,
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

    /// The nearest place at or before a byte where the text may be cut.
    fn boundary(&self, at: usize) -> usize {
        self.blotted.floor_char_boundary(at.min(self.blotted.len()))
    }
}

impl SourceCode for SourceFile {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.blotted.read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            inner.data(),
            *inner.span(),
            inner.line(),
            inner.column(),
            inner.line_count(),
        )))
    }
}
