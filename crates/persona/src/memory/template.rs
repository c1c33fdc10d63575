//! What may stand in a template of one's own.
//!
//! A persona file may come from anywhere, and a template that builds strings out of strings is a bomb
//! of a few lines (X12). So a template shows what it is given and makes nothing new of it: loops,
//! conditions, names, comparisons and filters that give no more than they are given.

const STATEMENTS: [&str; 6] = ["for", "endfor", "if", "elif", "else", "endif"];
const FILTERS: [&str; 10] =
    ["capitalize", "first", "int", "last", "length", "lower", "round", "title", "trim", "upper"];

/// Why a text is no template that may be used.
pub(crate) fn template_fault(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return Some("it is empty".into());
    }
    if let Err(error) = minijinja::Environment::new().template_from_str(text) {
        let line = error.line().map(|line| format!("line {line} of it: ")).unwrap_or_default();
        return Some(format!(
            "{line}{}",
            error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
        ));
    }
    let allowed = "only for, if, names, comparisons and the filters";
    foreign(text).map(|what| format!("`{what}` has no place in it, {allowed} {}", FILTERS.join(", ")))
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
