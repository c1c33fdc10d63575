//! The template language for users' own memory blocks.
//!
//! A persona file may come from anywhere, and a template that builds strings from strings could grow without limit
//! (X12). So a template can only show its input: loops, conditions, names, comparisons and filters whose output is no
//! longer than their input.

mod shape;

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use minijinja::{
    Environment, UndefinedBehavior, context,
    value::{Object, Value},
};

/// The fields of a memory in a template.
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

/// The most steps for rendering the samples.
const FUEL: u64 = 100_000;
/// The most bytes of a template.
const LONGEST: usize = 16_000;
/// The most bytes that a template may write for the samples.
const MOST_WRITTEN: usize = 200_000;
/// The reason why a text is not a permitted template. `None` if it is one.
pub(crate) fn template_fault(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return Some("it is empty".into());
    }
    if text.len() > LONGEST {
        return Some(format!("it is longer than {LONGEST} bytes; write a shorter one"));
    }
    // Checked before parsing: the parser recurses for each `-`, `not`, `elif`, `.name` and filter.
    if let Err(fault) = shape::check(text) {
        return Some(fault.to_string());
    }
    match Environment::new().template_from_str(text) {
        Err(error) => Some(reason(&error)),
        Ok(_) => unfillable(text),
    }
}

/// The error of minijinja, with the line of the template.
fn reason(error: &minijinja::Error) -> String {
    let line = error.line().map(|line| format!("line {line} of it: ")).unwrap_or_default();
    format!("{line}{}", error.detail().map_or_else(|| error.kind().to_string(), str::to_owned))
}

/// The reason why the template cannot be rendered with samples of all kinds of memories.
fn unfillable(text: &str) -> Option<String> {
    let unknown = Arc::new(Mutex::new(None));
    let sample = |tier| Value::from_object(Sample { tier, unknown: unknown.clone() });
    let memories = ["semantic", "episodic", "conversation", ""].map(sample);
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    let mut written = Limited { left: MOST_WRITTEN };
    let filled = environment
        .template_from_str(text)
        .and_then(|template| template.render_captured_to(context! { memories }, &mut written).map(drop));
    let error = filled.err()?;
    let name = unknown.lock().unwrap_or_else(PoisonError::into_inner).take();
    let line = error.line().map(|line| format!("line {line} of it: ")).unwrap_or_default();
    Some(match name {
        Some(name) => format!("{line}a memory has no `{name}`, only {}", TEMPLATE_FIELDS.join(", ")),
        None if written.left == 0 => format!("it writes more than {MOST_WRITTEN} bytes for four memories"),
        None => reason(&error),
    })
}

/// A writer that counts the output and discards it. Exceeding the limit is an error.
struct Limited {
    left: usize,
}

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.left.checked_sub(bytes.len()) {
            Some(left) => self.left = left,
            None => {
                self.left = 0;
                return Err(io::ErrorKind::StorageFull.into());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A sample memory for templates. It notes requested fields that do not exist.
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
            let start = format!("line 1 of it: `{what}` has no place in it");
            assert!(fault.starts_with(&start), "{template}: {fault}");
        }
    }

    /// A6: each of these templates made minijinja's parser or compiler recurse thousands of times.
    #[test]
    fn x12_a_template_that_nests_without_end_is_refused_before_it_is_parsed() {
        let n = 5_000;
        let tag = |inside: String| format!("\n{{{{ {inside} }}}}");
        for (template, fault) in [
            (tag("-".repeat(9_900) + "1"), "a tag of more than 100"),
            (tag("not ".repeat(3_900) + "x"), "a tag of more than 100"),
            (tag("- ".repeat(n) + "1"), "a tag of more than 100"),
            (tag("x".to_owned() + &".a".repeat(n)), "a tag of more than 100"),
            (tag("x".to_owned() + &"|trim".repeat(3_000)), "a tag of more than 100"),
            (tag("x".to_owned() + &"-x".repeat(n)), "a tag of more than 100"),
            (tag("x".to_owned() + &" or x".repeat(3_000)), "a tag of more than 100"),
            (tag("x".to_owned() + &" == x".repeat(3_000)), "a tag of more than 100"),
            (tag("x".to_owned() + &" is odd".repeat(2_000)), "a tag of more than 100"),
            (tag("x".to_owned() + &" if x else x".repeat(1_000)), "a tag of more than 100"),
            (tag("(".repeat(n)), "`(` has no place in it"),
            (tag("[".repeat(n)), "`[` has no place in it"),
            (tag("x".to_owned() + &"[x".repeat(n)), "`[` has no place in it"),
            (tag("1".to_owned() + &"**1".repeat(n)), "`*` has no place in it"),
            (tag("{'a': ".repeat(2_000)), "`{` has no place in it"),
            ("\n".to_owned() + &"{% if x %}".repeat(1_500), "nested too deeply"),
            ("\n".to_owned() + &"{% for m in memories %}".repeat(600), "nested too deeply"),
            ("\n{% if x %}".to_owned() + &"{% elif x %}".repeat(1_300), "nested too deeply"),
            ("\n{% if x %}".to_owned() + &"{% elif x %}{% if x %}".repeat(600), "nested too deeply"),
        ] {
            let said = template_fault(&template).unwrap();
            assert!(said.starts_with("line 2 of it: ") && said.contains(fault), "{said}");
        }
        // as long as a front matter may be, as in the finding
        let long = template_fault(&tag("-".repeat(120_000) + "1")).unwrap();
        assert_eq!(long, "it is longer than 16000 bytes; write a shorter one");
    }

    #[test]
    fn x12_a_template_as_deep_as_allowed_is_parsed_and_filled() {
        let deep = "{% if true %}".repeat(16) + "x" + &"{% endif %}".repeat(16);
        assert_eq!(template_fault(&deep), None);
        let kinds = "{% if true %}a".to_owned() + &"{% elif true %}b".repeat(15) + "{% endif %}";
        assert_eq!(template_fault(&kinds.repeat(20)), None);
        let chain = format!("{{{{ memories{} }}}}", " and true".repeat(49));
        assert_eq!(template_fault(&chain), None);
    }

    #[test]
    fn x12_what_a_template_writes_for_the_samples_is_bounded() {
        let text = "x".repeat(15_000);
        let loops = "{% for m in memories %}".repeat(4);
        let template = format!("{loops}{text}{}", "{% endfor %}".repeat(4));
        assert_eq!(template_fault(&template).unwrap(), "it writes more than 200000 bytes for four memories");
    }
}
