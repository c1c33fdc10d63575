//! Scans a template in one pass before minijinja parses it (X12).
//!
//! minijinja's parser and compiler recurse for each unary operator, `elif`, attribute, filter and operator of a chain,
//! without a limit. So the scan limits the number of tokens in a tag and the depth of statements. It also rejects what
//! could build long strings. It recognises tags as minijinja does, and rejects text that could open another kind of
//! tag, a bracket or a raw block.

use std::fmt;

/// The permitted statements.
const STATEMENTS: [&str; 6] = ["for", "endfor", "if", "elif", "else", "endif"];
/// The permitted filters. None has an output longer than its input.
const FILTERS: [&str; 10] =
    ["capitalize", "first", "int", "last", "length", "lower", "round", "title", "trim", "upper"];
/// The most names, strings and signs in a tag.
const MOST_PIECES: usize = 100;
/// The deepest nesting of statements. An `elif` counts as a level, as in the parser.
const MOST_DEEP: usize = 16;

/// The reason why a template is rejected, with the line.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    line: usize,
    what: FaultKind,
}

#[derive(Debug, PartialEq)]
enum FaultKind {
    Foreign(String),
    LongTag,
    Deep,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of it: ", self.line)?;
        match &self.what {
            FaultKind::Foreign(piece) => {
                let filters = FILTERS.join(", ");
                write!(
                    f,
                    "`{piece}` has no place in it, only for, if, names, comparisons and the filters {filters}"
                )
            }
            FaultKind::LongTag => {
                write!(f, "a tag of more than {MOST_PIECES} names and signs; make it several shorter ones")
            }
            FaultKind::Deep => write!(
                f,
                "nested too deeply; at most {MOST_DEEP} levels of for and if, and an elif counts as one"
            ),
        }
    }
}

/// Rejects a template that may not be parsed or used.
pub(super) fn check(text: &str) -> Result<(), Fault> {
    let mut rest = text;
    // the number of levels of each open `for` or `if`; their sum is the depth
    let mut open: Vec<usize> = Vec::new();
    let line = |rest: &str| text[..text.len() - rest.len()].matches('\n').count() + 1;
    while let Some(at) = rest.find('{') {
        let here = &rest[at..];
        rest = match here.get(..2) {
            Some("{#") => here.split_once("#}").map_or("", |(_, after)| after),
            Some(opening @ ("{{" | "{%")) => {
                let tag = tag(&here[2..], opening == "{%")
                    .map_err(|(rest, what)| Fault { line: line(rest), what })?;
                match tag.statement {
                    Some("for" | "if") => open.push(1),
                    Some("elif") => open.last_mut().into_iter().for_each(|levels| *levels += 1),
                    Some("endfor" | "endif") => drop(open.pop()),
                    _ => {}
                }
                if open.iter().sum::<usize>() > MOST_DEEP {
                    return Err(Fault { line: line(here), what: FaultKind::Deep });
                }
                tag.rest
            }
            _ => &here[1..],
        };
    }
    Ok(())
}

/// A scanned tag.
struct Tag<'a> {
    /// The first word of a `{% … %}`.
    statement: Option<&'a str>,
    /// The text after the tag.
    rest: &'a str,
}

/// Scans a tag after its opening brackets. Returns an error with the position if the tag is not permitted.
fn tag(inside: &str, is_statement: bool) -> Result<Tag<'_>, (&str, FaultKind)> {
    let close = if is_statement { "%}" } else { "}}" };
    let (mut rest, mut statement, mut filter) = (inside, None, false);
    for _ in 0..MOST_PIECES {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(close) {
            return Ok(Tag { statement, rest: after });
        }
        let Some(c) = rest.chars().next() else { return Ok(Tag { statement, rest }) };
        let length = match c {
            '"' | '\'' => string(rest, c),
            _ if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            '.' | '=' | '<' | '>' | '!' | '-' | '|' => 1,
            _ => return Err((rest, FaultKind::Foreign(c.to_string()))),
        };
        let (piece, after) = rest.split_at(length);
        let names_statement = is_statement && statement.is_none() && is_word(c);
        let known: &[&str] = if filter { &FILTERS } else { &STATEMENTS };
        if (filter || names_statement) && !known.contains(&piece) {
            return Err((rest, FaultKind::Foreign(piece.chars().take(40).collect())));
        }
        if names_statement {
            statement = Some(piece);
        }
        filter = c == '|';
        rest = after;
    }
    Err((rest, FaultKind::LongTag))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the string literal at the beginning of a text, including its quotes.
fn string(text: &str, mark: char) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == mark && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}
