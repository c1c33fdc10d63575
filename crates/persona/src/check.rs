//! Checks a tree against its schema. Finds all problems at once and returns the values that are valid.

use figment::value::{Dict, Value};
use serde_json::Value as Schema;

use crate::{
    accounts::{ACCOUNT_PATTERN, VARIABLE_PATTERN},
    diagnostic::SourceFile,
    duration,
    global::{FILE_NAME_PATTERN, HOST_PATTERN, ORIGIN_PATTERN},
    mcp::{REFERENCE_PATTERN, refers},
    memory::{
        checks::{TEMPLATE_PATTERN, TIME_ZONE_PATTERN, time_zone_remedy},
        template::template_fault,
    },
    node::{Entry, Node, Problem, Tree},
    persona::NAME_PATTERN,
    rooms::CHANNELS_PATTERN,
    schema::{choices, has_type, keys},
    settings::URL_PATTERN,
};

/// The most problems per document. More would not help, and would cost memory (X12).
pub(crate) const MAX_PROBLEMS: usize = 50;

/// Checks a whole document and returns its valid part. `problems` already contains those of the parser. Values in a
/// line that could not be parsed are not checked.
pub(crate) fn check_document(
    source: &SourceFile,
    node: &Node,
    schema: &Schema,
    problems: &mut Vec<Problem>,
) -> Dict {
    let unread: Vec<usize> = problems.iter().map(|p| source.line(p.span.start)).collect();
    let mut wrong = Vec::new();
    let values = check(node, schema, "", &mut wrong).and_then(Value::into_dict).unwrap_or_default();
    wrong.retain(|p| !unread.contains(&source.line(p.span.start)));
    problems.append(&mut wrong);
    values
}

/// Checks a node and returns its valid part. `None` if nothing is valid, or the node is null.
pub(crate) fn check(node: &Node, schema: &Schema, path: &str, problems: &mut Vec<Problem>) -> Option<Value> {
    if problems.len() >= MAX_PROBLEMS {
        return None;
    }
    match &node.value {
        Tree::Null => None,
        Tree::Table(entries) if has_type(schema, "object") => {
            let values = table(entries, schema, path, problems);
            let required = schema.get("required").and_then(Schema::as_array).into_iter().flatten();
            let Some(field) = required.filter_map(Schema::as_str).find(|field| !values.contains_key(*field))
            else {
                return Some(Value::from(values));
            };
            // a wrong value is a problem already
            if !entries.iter().any(|entry| entry.key == field) {
                let inner = schema.get("properties").and_then(|fields| fields.get(field));
                let wanted = expected(inner.unwrap_or(&Schema::Null));
                let missing = format!("`{field}` is missing in {path}");
                problems.push(Problem::new("missing_field", node.span.clone(), missing, wanted));
            }
            None
        }
        Tree::List(items) if has_type(schema, "array") => {
            let inner = schema.get("items").unwrap_or(&Schema::Null);
            problems.extend(list(items, node, schema, path));
            Some(Value::from(
                items.iter().filter_map(|n| check(n, inner, path, problems)).collect::<Vec<Value>>(),
            ))
        }
        _ => match scalar(&node.value, schema) {
            Ok(value) => Some(value),
            Err(wrong) => {
                problems.push(explain(wrong, node, schema, path));
                None
            }
        },
    }
}

fn table(entries: &[Entry], schema: &Schema, path: &str, problems: &mut Vec<Problem>) -> Dict {
    let fields = schema.get("properties").and_then(Schema::as_object);
    let free = schema.get("additionalProperties").filter(|s| s.is_object());
    let mut out = Dict::new();
    for entry in entries {
        let key = join(path, &entry.key);
        let inner = fields.and_then(|f| f.get(&entry.key)).or(free);
        match inner {
            Some(inner) => {
                if let Some(value) = check(&entry.node, inner, &key, problems) {
                    out.insert(entry.key.clone(), value);
                }
            }
            None if problems.len() < MAX_PROBLEMS => {
                let known: Vec<&str> =
                    fields.map(|f| f.keys().map(String::as_str).collect()).unwrap_or_default();
                problems.push(unknown_field(entry, path, &known, schema));
            }
            None => {}
        }
    }
    out
}

fn unknown_field(entry: &Entry, path: &str, known: &[&str], schema: &Schema) -> Problem {
    let place = if path.is_empty() { String::new() } else { format!(" in {path}") };
    let shown = shorten(&entry.key);
    let problem = Problem::new(
        "unknown_field",
        entry.key_span.clone(),
        format!("unknown field `{shown}`{place}"),
        one_of(known),
    );
    // the key may be right but in the wrong table
    let below =
        || keys(schema).into_iter().map(|(key, _)| key).find(|key| key.ends_with(&format!(".{}", entry.key)));
    match did_you_mean(&entry.key, known).map(String::from).or_else(below) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None if entry.key == "api_key" => {
            problem.help("keys stand in greenroom.toml or GREENROOM_API_KEY, never in a persona file")
        }
        None => problem,
    }
}

/// The problem of a list as a whole: too short, or a repeated item.
fn list(items: &[Node], node: &Node, schema: &Schema, path: &str) -> Option<Problem> {
    let least = schema.get("minItems").and_then(Schema::as_u64).unwrap_or(0);
    if (items.len() as u64) < least {
        let empty = format!("{path} is empty");
        return Some(Problem::new("out_of_range", node.span.clone(), empty, expected(schema)));
    }
    let unique = schema.get("uniqueItems").is_some_and(|unique| unique == true);
    let again = |n: &usize| items[..*n].iter().any(|earlier| earlier.value == items[*n].value);
    // bounded, because it compares all pairs; unique lists have at most a few dozen items
    let twice = (0..items.len().min(MAX_PROBLEMS)).find(|n| unique && again(n))?;
    let problem = Problem::new(
        "duplicate",
        items[twice].span.clone(),
        format!("{path} names this twice"),
        "each one once".to_owned(),
    );
    Some(problem.help("take one of them out"))
}

/// The way in which a value misses its schema.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wrong {
    Type,
    Range,
    Text,
}

fn scalar(value: &Tree, schema: &Schema) -> Result<Value, Wrong> {
    if let Some(words) = choices(schema) {
        return match value {
            Tree::Text(t) if words.contains(&t.as_str()) => Ok(Value::from(t.as_str())),
            Tree::Text(_) => Err(Wrong::Text),
            _ => Err(Wrong::Type),
        };
    }
    match value {
        Tree::Bool(b) if has_type(schema, "boolean") => Ok(Value::from(*b)),
        Tree::Integer(n) if has_type(schema, "integer") => within(*n as f64, schema).map(|_| Value::from(*n)),
        Tree::Integer(n) if has_type(schema, "number") => within(*n as f64, schema).map(|_| Value::from(*n)),
        Tree::Float(n) if has_type(schema, "number") => within(*n, schema).map(|_| Value::from(*n)),
        Tree::Text(t) if has_type(schema, "string") => text(t, schema).map(|_| Value::from(t.as_str())),
        _ => Err(Wrong::Type),
    }
}

fn within(number: f64, schema: &Schema) -> Result<(), Wrong> {
    let (low, high) = range(schema);
    if number >= low.unwrap_or(f64::NEG_INFINITY) && number <= high.unwrap_or(f64::INFINITY) {
        Ok(())
    } else {
        Err(Wrong::Range)
    }
}

fn range(schema: &Schema) -> (Option<f64>, Option<f64>) {
    let bound = |word| schema.get(word).and_then(Schema::as_f64);
    (bound("minimum"), bound("maximum"))
}

fn text(text: &str, schema: &Schema) -> Result<(), Wrong> {
    let length = text.chars().count() as u64;
    let bound = |word, missing| schema.get(word).and_then(Schema::as_u64).unwrap_or(missing);
    let pattern = schema.get("pattern").and_then(Schema::as_str);
    if length < bound("minLength", 0) || length > bound("maxLength", u64::MAX) {
        Err(Wrong::Range)
    } else if pattern.is_none_or(|p| fits(p, text)) {
        Ok(())
    } else {
        Err(Wrong::Text)
    }
}

/// Whether a text matches a pattern. The patterns of the schema exist here as functions, so that program and editor
/// agree.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern {
        duration::PATTERN => duration::parse(text).is_some(),
        duration::PATTERN_POSITIVE => duration::parse(text).is_some_and(|d| !d.is_zero()),
        NAME_PATTERN => text.parse::<greenroom_core::PersonaName>().is_ok(),
        URL_PATTERN => is_url(text),
        FILE_NAME_PATTERN => !text.is_empty() && !text.contains(['/', '\\']) && text != ".." && text != ".",
        HOST_PATTERN => is_host(text),
        ORIGIN_PATTERN => text
            .split_once("://")
            .is_some_and(|(scheme, host)| matches!(scheme, "http" | "https") && is_host(host)),
        TIME_ZONE_PATTERN => jiff::tz::TimeZone::get(text).is_ok(),
        TEMPLATE_PATTERN => template_fault(text).is_none(),
        REFERENCE_PATTERN => refers(text),
        ACCOUNT_PATTERN => text.len() <= 32 && text.parse::<greenroom_core::PersonaName>().is_ok(),
        VARIABLE_PATTERN => {
            !text.starts_with(|c: char| c.is_ascii_digit())
                && !text.is_empty()
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        }
        CHANNELS_PATTERN => (1..=200).contains(&text.chars().count()) && !text.contains(char::is_whitespace),
        _ => false,
    }
}

#[cfg(test)]
pub(crate) fn knows_pattern(pattern: &str) -> bool {
    let known = [NAME_PATTERN, URL_PATTERN, FILE_NAME_PATTERN, TIME_ZONE_PATTERN, TEMPLATE_PATTERN];
    let accounts = [ACCOUNT_PATTERN, VARIABLE_PATTERN];
    let ours = [duration::PATTERN, duration::PATTERN_POSITIVE, REFERENCE_PATTERN, CHANNELS_PATTERN];
    known.contains(&pattern)
        || [HOST_PATTERN, ORIGIN_PATTERN].contains(&pattern)
        || ours.contains(&pattern)
        || accounts.contains(&pattern)
}

/// A host as `greenroom.example:8443` or `[::1]:7420`.
fn is_host(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(|c: char| matches!(c, '/' | '@') || c.is_whitespace() || c.is_control())
}

fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    rest.is_some_and(|rest| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // in "http://me:a/b@host" the password contains a slash, so the text before the slash is no valid port
        let port = host.rfind(']').map_or(host, |v6| &host[v6 + 1..]).split_once(':').map(|(_, port)| port);
        !host.is_empty()
            && !host.contains('@')
            && port.is_none_or(|port| port.parse::<u16>().is_ok())
            && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
    })
}

fn explain(wrong: Wrong, node: &Node, schema: &Schema, path: &str) -> Problem {
    let path = if path.is_empty() { "all of it" } else { path };
    let (code, message) = match wrong {
        Wrong::Type => ("wrong_type", format!("{path} is {}", node.kind())),
        Wrong::Range if has_type(schema, "string") => {
            ("out_of_range", format!("{path} is too short or too long"))
        }
        Wrong::Range => ("out_of_range", format!("{path} is out of range")),
        Wrong::Text => ("bad_value", format!("{path} cannot be this")),
    };
    let problem = Problem::new(code, node.span.clone(), message, expected(schema));
    let near = match (&node.value, choices(schema)) {
        (Tree::Text(t), Some(words)) => did_you_mean(t, &words).map(|w| format!("did you mean `{w}`?")),
        (Tree::Integer(n), None) if is_duration(schema) => Some(format!("did you mean `{n}s`?")),
        (Tree::Text(t), None)
            if has_type(schema, "boolean") && matches!(t.as_str(), "yes" | "no" | "on" | "off") =>
        {
            Some("without quotes, and not yes or no".into())
        }
        (Tree::Text(t), None)
            if t.contains('@') && schema.get("pattern").is_some_and(|p| p == URL_PATTERN) =>
        {
            Some("credentials do not belong in an address; use model.api_key".into())
        }
        (Tree::Text(t), None) if schema.get("pattern").is_some_and(|p| p == TEMPLATE_PATTERN) => {
            template_fault(t)
        }
        (Tree::Text(t), None) if schema.get("pattern").is_some_and(|p| p == TIME_ZONE_PATTERN) => {
            Some(time_zone_remedy(t))
        }
        _ => None,
    };
    match near {
        Some(help) => problem.help(help),
        None => problem,
    }
}

fn is_duration(schema: &Schema) -> bool {
    let pattern = schema.get("pattern").and_then(Schema::as_str);
    matches!(pattern, Some(duration::PATTERN | duration::PATTERN_POSITIVE))
}

/// The expectation of a schema, in words.
pub(crate) fn expected(schema: &Schema) -> String {
    if let Some(words) = choices(schema) {
        return one_of(&words);
    }
    match schema.get("pattern").and_then(Schema::as_str) {
        Some(duration::PATTERN) => return "a duration up to a day, as 30s, 500ms, 2m or 1h".into(),
        Some(duration::PATTERN_POSITIVE) => {
            return "a duration above zero and up to a day, as 30s, 500ms, 2m or 1h".into();
        }
        Some(NAME_PATTERN) => {
            return "1 to 64 of a-z, 0-9, `-` and `_`, beginning with a letter or a digit".into();
        }
        Some(URL_PATTERN) => return "an address as http://localhost:11434/v1, without credentials".into(),
        Some(HOST_PATTERN) => return "a host, as greenroom.example or greenroom.example:8443".into(),
        Some(ORIGIN_PATTERN) => return "a site, as https://app.example, without a path".into(),
        Some(FILE_NAME_PATTERN) => return "a file's bare name, as CONTRIBUTING.md".into(),
        Some(TIME_ZONE_PATTERN) => return "the name of a time zone, as Europe/Berlin".into(),
        Some(ACCOUNT_PATTERN) => return "1 to 32 of a-z, 0-9, `-` and `_`, as libera".into(),
        Some(VARIABLE_PATTERN) => return "the name of an environment variable, as IRC_PASSWORD".into(),
        Some(CHANNELS_PATTERN) => return "channels, as api:tea or discord:*".into(),
        Some(REFERENCE_PATTERN) => {
            return "a text that refers to an environment variable, as ${GITHUB_TOKEN}".into();
        }
        Some(TEMPLATE_PATTERN) => {
            return "a template, as {% for m in memories %}{{ m.text }} {% endfor %}".into();
        }
        _ => {}
    }
    let of = |what: &str| match range(schema) {
        (Some(low), Some(high)) => format!("{what} from {low} to {high}"),
        (Some(low), None) => format!("{what} of at least {low}"),
        _ => what.to_owned(),
    };
    let longest = schema.get("maxLength").and_then(Schema::as_u64);
    match (has_type(schema, "integer"), has_type(schema, "number")) {
        (true, _) => of("a whole number"),
        (_, true) => of("a number"),
        _ if has_type(schema, "boolean") => "true or false".into(),
        _ if has_type(schema, "array") => {
            format!("a list, each {}", expected(schema.get("items").unwrap_or(&Schema::Null)))
        }
        _ if has_type(schema, "object") => "a table".into(),
        _ => longest.map_or("text".into(), |n| format!("text of at most {n} characters")),
    }
}

fn one_of(words: &[&str]) -> String {
    match words {
        [] => "nothing".into(),
        [one] => format!("`{one}`"),
        _ => format!("one of `{}`", words.join("`, `")),
    }
}

/// The nearest known word, if it is near enough to be a typo.
pub(crate) fn did_you_mean<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    // the comparison costs the product of the lengths (X12)
    if word.len() > 64 {
        return None;
    }
    let near = |k: &&&str| strsim::damerau_levenshtein(&word.to_lowercase(), k);
    known.iter().min_by_key(near).filter(|k| near(k) <= 1 + k.chars().count() / 4).copied()
}

/// Appends a key to a path. A bare word is joined by a dot; any other key is quoted.
pub(crate) fn join(path: &str, key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let key = if bare { shorten(key) } else { format!("\"{}\"", shorten(key)) };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

/// Shortens a text for a message.
pub(crate) fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().filter(|c| !c.is_control()).take(80).collect();
    if short.len() < text.trim_end().len() {
        short.push('…');
    }
    short
}
