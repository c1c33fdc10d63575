//! What may stand in a template of one's own.
//!
//! A persona file may come from anywhere, and a template that builds strings out of strings is a bomb
//! of a few lines (X12). So a template shows what it is given and makes nothing new of it: loops,
//! conditions, names, comparisons and filters that give no more than they are given.

use std::sync::{Arc, Mutex, PoisonError};

use minijinja::{
    Environment, UndefinedBehavior, context,
    value::{Object, Value},
};

/// What a template knows of a memory.
pub const TEMPLATE_FIELDS: [&str; 12] = [
    "id",
    "text",
    "quoted",
    "kind",
    "scope",
    "tier",
    "source",
    "who",
    "date",
    "score",
    "version",
    "supersedes",
];

/// Steps the samples may take.
const FUEL: u64 = 100_000;
const STATEMENTS: [&str; 6] = ["for", "endfor", "if", "elif", "else", "endif"];
const FILTERS: [&str; 10] =
    ["capitalize", "first", "int", "last", "length", "lower", "round", "title", "trim", "upper"];

/// Why a text is no template that may be used.
pub(crate) fn template_fault(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return Some("it is empty".into());
    }
    if let Err(error) = Environment::new().template_from_str(text) {
        let line = error.line().map(|line| format!("line {line} of it: ")).unwrap_or_default();
        return Some(format!(
            "{line}{}",
            error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
        ));
    }
    let allowed = "only for, if, names, comparisons and the filters";
    foreign(text)
        .map(|what| format!("`{what}` has no place in it, {allowed} {}", FILTERS.join(", ")))
        .or_else(|| unfillable(text))
}

/// Why it cannot be filled with samples of everything a memory may be.
fn unfillable(text: &str) -> Option<String> {
    let unknown = Arc::new(Mutex::new(None));
    let sample = |tier| Value::from_object(Sample { tier, unknown: unknown.clone() });
    let memories = ["semantic", "episodic", "conversation", ""].map(sample);
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    let error = environment.render_str(text, context! { memories }).err()?;
    let line = error.line().map(|line| format!("line {line} of it: ")).unwrap_or_default();
    let name = unknown.lock().unwrap_or_else(PoisonError::into_inner).take();
    Some(match name {
        Some(name) => format!("{line}a memory has no `{name}`, only {}", TEMPLATE_FIELDS.join(", ")),
        None => format!("{line}{}", error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)),
    })
}

/// A memory as a template is given it, which notes what it was asked for and does not have.
#[derive(Debug)]
struct Sample {
    tier: &'static str,
    unknown: Arc<Mutex<Option<String>>>,
}

impl Object for Sample {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        match name {
            "tier" => Some(self.tier.into()),
            "score" => Some(0.5.into()),
            "version" => Some(1.into()),
            "supersedes" => Some(vec![context! { id => "m1", text => "text", date => "2026-11-21" }].into()),
            _ if TEMPLATE_FIELDS.contains(&name) => Some(name.into()),
            _ => {
                *self.unknown.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.to_owned());
                None
            }
        }
    }
}

/// The first thing in the tags of a template that might build something.
fn foreign(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (open, inside) = match rest.get(at..at + 2) {
            Some(open @ ("{{" | "{%" | "{#")) => (open, &rest[at + 2..]),
            _ => {
                rest = &rest[at + 1..];
                continue;
            }
        };
        rest = match open {
            "{#" => inside.split_once("#}").map_or("", |(_, after)| after),
            _ => match tag(inside, open == "{%") {
                Ok(after) => after,
                Err(what) => return Some(what),
            },
        };
    }
    None
}

/// What comes after a tag, or what in it may not be there.
fn tag(inside: &str, statement: bool) -> Result<&str, &str> {
    let close = if statement { "%}" } else { "}}" };
    let (mut rest, mut first, mut filter) = (inside, statement, false);
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(close) {
            return Ok(after);
        }
        let Some(c) = rest.chars().next() else { return Ok("") };
        let length = match c {
            '"' | '\'' => string(rest, c),
            _ if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            '.' | '=' | '<' | '>' | '!' | '-' | '|' => 1,
            _ => return Err(&rest[..c.len_utf8()]),
        };
        let (piece, after) = rest.split_at(length);
        let known: &[&str] = if filter { &FILTERS } else { &STATEMENTS };
        if (filter || first && is_word(c)) && !known.contains(&piece) {
            return Err(piece);
        }
        first &= !is_word(c);
        filter = c == '|';
        rest = after;
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How long the string at the beginning of a text is, its marks included.
fn string(text: &str, mark: char) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == mark && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_may_loop_ask_and_show() {
        for template in [
            "just text, a { brace and 100 %",
            "{# a \"comment #}{% for m in memories -%} {{ m.text }}{% if not loop.last %}\n{% endif %}{% endfor %}",
            "{% for m in memories if m.score > 0.5 %}{{ m.kind|upper }}: {{ m.quoted }}{% else %}~{% endfor %}",
            "{{ memories | length }} {{ '{{ ~ }}' }} {{ 'it\\'s (' if true else \"[\" }}",
        ] {
            assert_eq!(template_fault(template), None, "{template}");
        }
    }

    #[test]
    fn a_template_that_asks_for_what_no_memory_has_is_refused() {
        let fault = |template: &str| template_fault(template).unwrap();
        insta::assert_snapshot!(fault("{% for m in memories %}\n{{ m.txt }}{% endfor %}"), @"line 2 of it: a memory has no `txt`, only id, text, quoted, kind, scope, tier, source, who, date, score, version, supersedes");
        let hidden =
            "{% for m in memories %}{% if m.tier == 'episodic' %}{{ m.when }}{% endif %}{% endfor %}";
        assert!(fault(hidden).contains("a memory has no `when`"), "{}", fault(hidden));
        assert!(fault("{{ memory }}").starts_with("line 1 of it: "), "{}", fault("{{ memory }}"));
        let every: String = TEMPLATE_FIELDS.map(|field| format!("{{{{ m.{field} }}}}")).concat();
        assert_eq!(template_fault(&format!("{{% for m in memories %}}{every}{{% endfor %}}")), None);
    }

    #[test]
    fn x12_a_template_that_could_build_a_bomb_is_refused() {
        for (template, what) in [
            ("{% set x = 'a' %}", "set"),
            ("{%- set x %}{{ x }}{{ x }}{% endset %}", "set"),
            ("{% with x = 'a' %}{% endwith %}", "with"),
            ("{% raw %}{{ ' {% endraw %}{{ x ~ x }}", "raw"),
            ("{{ 'a' ~ 'b' }}", "~"),
            ("{{ 'a' * 100000000 }}", "*"),
            ("{{ 'a' + 'b' }}", "+"),
            ("{% for a in [[1, 1], [1, 1]] %}{% endfor %}", "["),
            ("{% for a in range(100) %}{% endfor %}", "("),
            ("{{ {'a': 1} }}", "{"),
            ("{{ memories | pprint | pprint }}", "pprint"),
            ("{{ 'x' | replace('x', 'xx') }}", "replace"),
            ("{# # #}{# '#}{{ a ~ b }}", "~"),
        ] {
            let fault = template_fault(template).unwrap();
            assert!(fault.starts_with(&format!("`{what}` has no place in it")), "{template}: {fault}");
        }
    }
}
