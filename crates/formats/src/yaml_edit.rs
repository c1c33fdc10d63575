//! Changes values in nested YAML text and keeps its comments and order.

use serde_json::Value;

use crate::{
    value::fields,
    yaml::{parse_named, scalar},
};

/// Changes the texts of an object of objects, and removes fields that are missing in `now`. Keeps comments and order.
/// `None` if `now` has other differences, or the text has an unusual form.
pub(crate) fn updated(text: &str, now: &Value) -> Option<String> {
    let (before, twice) = parse_named(text).ok()?;
    let mut changed = text.to_owned();
    for (section, old) in fields(&before) {
        let new = now.get(section)?;
        let gone = fields(old).filter(|(key, _)| new.get(key.as_str()).is_none()).map(|(key, _)| (key, None));
        let edited = fields(new).filter(|(key, value)| old.get(key.as_str()) != Some(*value));
        for (key, value) in gone.chain(edited.map(|(key, value)| (key, Some(value)))) {
            let old = old.get(key).and_then(Value::as_str).unwrap_or_default();
            changed = with_field(&changed, section, key, old, value)?;
        }
    }
    let is_it = |(after, again): (Value, Vec<String>)| after == *now && again == twice;
    parse_named(&changed).is_ok_and(is_it).then_some(changed)
}

/// The text with a new value of a field, or without the field.
fn with_field(text: &str, section: &str, key: &str, old: &str, value: Option<&Value>) -> Option<String> {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_filled = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let first = lines.iter().position(|line| is_key(line, section, 0))? + 1;
    let last = lines[first..].iter().position(|line| is_filled(line) && depth(line) == 0);
    let last = last.map_or(lines.len(), |at| first + at);
    let indent = depth(lines[first..last].iter().find(|line| is_filled(line))?);
    let found = (first..last).find(|n| is_key(lines[*n], key, indent));
    let from =
        found.unwrap_or_else(|| (first..last).rfind(|n| is_filled(&lines[*n])).map_or(last, |n| n + 1));
    let to = match found {
        // replaces the lines of its value; blank lines and comments after it stay
        Some(from) => {
            let goes_on = |n: &usize| lines[*n].trim().is_empty() || depth(lines[*n]) > indent;
            let rest = (from + 1..last).take_while(goes_on).filter(|n| !lines[*n].trim().is_empty());
            rest.last().unwrap_or(from) + 1
        }
        None => from,
    };
    let comment = match (&lines[from..to], value) {
        ([line], Some(_)) => line.rsplit_once(" #").map(|(_, comment)| comment.trim_end()),
        _ => None,
    };
    let comment = comment.filter(|comment| !old.contains(&format!("#{comment}")));
    let space = " ".repeat(indent);
    let field = value.map(|value| {
        let text = value.as_str().filter(|text| text.contains('\n') && !text.contains(['\r', '\t']));
        let written = match text {
            Some(text) => {
                let lines = text
                    .lines()
                    .map(|line| if line.is_empty() { line.into() } else { format!("{space}  {line}") });
                format!("|-{end}{}", lines.collect::<Vec<String>>().join(end))
            }
            None => scalar(value) + &comment.map_or(String::new(), |comment| format!("  #{comment}")),
        };
        format!("{space}{key}: {written}{end}")
    });
    let before = lines[..from].concat();
    let joint = if before.ends_with('\n') { "" } else { end };
    Some(before + joint + &field.unwrap_or_default() + &lines[to..].concat())
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_key(line: &str, key: &str, indent: usize) -> bool {
    let rest = line.trim_start_matches(' ').strip_prefix(key).and_then(|rest| rest.strip_prefix(':'));
    depth(line) == indent && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\n', '\r']))
}
