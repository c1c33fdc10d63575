//! Checks of memory settings that a schema cannot express: whether a time zone exists, and whether a required template
//! is set.

use crate::node::{Node, Problem, Tree};

/// Accepts every non-empty text; the template parser checks the rest.
pub(crate) const TEMPLATE_PATTERN: &str = "^[\\s\\S]+$";

/// The form of a time zone name; the database decides whether it exists.
pub(crate) const TIME_ZONE_PATTERN: &str = "^[A-Za-z][A-Za-z0-9_+/-]{0,59}$";

/// The remedy for an unknown time zone: the zone of that city, or to leave the field out.
pub(crate) fn time_zone_remedy(text: &str) -> String {
    let names: Vec<String> = jiff::tz::db().available().map(|name| name.as_str().to_owned()).collect();
    let city = |name: &&String| name.rsplit('/').next().is_some_and(|city| city.eq_ignore_ascii_case(text));
    match names.iter().find(city) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "leave it out to use that of this machine".into(),
    }
}

/// A problem if a file requires its own template but has none, unless another source sets one (`known`).
pub(crate) fn missing_template(file: &Node, known: bool) -> Option<Problem> {
    let memory = file.field("memory")?;
    let render = memory.field("render").filter(|node| node.value == Tree::Text("template".into()))?;
    let written = memory.field("template").is_some_and(|node| node.value != Tree::Null);
    let message = "memory.render is `template` and there is no template";
    let problem = Problem::new("missing_template", render.span.clone(), message, "memory.template beside it");
    (!known && !written).then(|| problem.help("write one, or choose another format"))
}
