//! Parses TOML with the `toml` crate's recovering parser, which reports spans.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document};

use crate::check::MAX_PROBLEMS;
use crate::node::{Entry, MAX_DEPTH, Node, Problem, Tree};
use crate::syntax::too_long;

/// Parses a document that begins `offset` bytes into its file.
pub(crate) fn read(text: &str, offset: usize) -> (Node, Vec<Problem>) {
    let whole = offset..offset + text.len();
    let deep = || too_deep(text).map(|at| Problem::too_deep(offset + at..offset + at + 1));
    if let Some(problem) = too_long(text, offset).or_else(deep) {
        return (Node { value: Tree::Null, span: whole }, vec![problem]);
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<Problem> = errors
        .iter()
        .take(MAX_PROBLEMS)
        .map(|e| {
            let span = e.span().unwrap_or(0..0);
            Problem::new("syntax", shift(span, offset), e.message().replace('\n', ", "), "valid TOML")
        })
        .collect();
    let entries = table_entries(table.into_inner(), offset, 1, &mut problems);
    (Node { value: Tree::Table(entries), span: whole }, problems)
}

/// The position where a document nests too deep, by brackets or by the dots of a key. Checked before the tree is built,
/// because building and dropping a tree recurse as deep as the text nests.
fn too_deep(text: &str) -> Option<usize> {
    let tokens = toml_parser::Source::new(text).lex().into_vec();
    let (mut nested, mut dots, mut found) = (0_usize, 0_usize, None);
    let mut count = |event: Event| {
        match event.kind() {
            EventKind::ArrayOpen | EventKind::InlineTableOpen => nested += 1,
            EventKind::ArrayClose | EventKind::InlineTableClose => nested = nested.saturating_sub(1),
            EventKind::KeySep => dots += 1,
            EventKind::SimpleKey | EventKind::Whitespace => {}
            _ => dots = 0,
        }
        if found.is_none() && (nested > MAX_DEPTH || dots > MAX_DEPTH) {
            found = Some(event.span().start());
        }
    };
    // one more than permitted, so that our own count reports the problem before the guard stops the parser
    let mut guard = RecursionGuard::new(&mut count, MAX_DEPTH as u32 + 1);
    parse_document(&tokens, &mut guard, &mut ());
    found
}

fn table_entries(table: DeTable<'_>, offset: usize, depth: usize, problems: &mut Vec<Problem>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = table
        .into_iter()
        .map(|(key, value)| Entry {
            key_span: shift(key.span(), offset),
            key: key.into_inner().into_owned(),
            node: node(value, offset, depth, problems),
        })
        .collect();
    entries.sort_by_key(|e| e.key_span.start);
    entries
}

fn node(value: Spanned<DeValue<'_>>, offset: usize, depth: usize, problems: &mut Vec<Problem>) -> Node {
    let span = shift(value.span(), offset);
    let value = match value.into_inner() {
        DeValue::String(s) => Tree::Text(s.into_owned()),
        DeValue::Boolean(b) => Tree::Bool(b),
        DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
            Ok(n) => Tree::Integer(n),
            Err(_) => Tree::Float(f64::INFINITY),
        },
        DeValue::Float(f) => Tree::Float(f.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Datetime(d) => Tree::Text(d.to_string()),
        DeValue::Array(_) | DeValue::Table(_) if depth >= MAX_DEPTH => {
            problems.push(Problem::too_deep(span.clone()));
            Tree::Null
        }
        DeValue::Array(list) => {
            Tree::List(list.into_iter().map(|v| node(v, offset, depth + 1, problems)).collect())
        }
        DeValue::Table(table) => Tree::Table(table_entries(table, offset, depth + 1, problems)),
    };
    Node { value, span }
}

fn shift(span: Range<usize>, offset: usize) -> Range<usize> {
    span.start + offset..span.end + offset
}
