//! `greenroom sim diff`: shows where two runs diverge, and the consequences.

use std::{
    io::{self, Write},
    path::Path,
};

use greenroom_sim::{Line, LineKind, diff};

use super::clock;
use crate::{
    failure::Outcome,
    term::{harmless, one_line, print_json},
};

/// A line of a trace: time, place, and the text or the movement of an agent.
fn shown_line(line: &Line, width: usize) -> String {
    let (at, text) = (clock(line.ms), one_line(&line.text, width));
    match line.kind {
        LineKind::Moved => format!("{at} {} {} comes from {text}", line.place, line.who),
        LineKind::Value => format!("{at} {}: {}", line.who, line.value.unwrap_or_default()),
        _ => format!("{at} {} {}: {text}", line.place, line.who),
    }
}

pub(super) fn different(a: &Path, b: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    let found = diff(a, b)?;
    if as_json {
        print_json(&found)?;
    }
    let Some(found) = found else {
        stderr_line!("the same");
        return Ok(Outcome::Done);
    };
    if as_json {
        return Ok(Outcome::Failed);
    }
    writeln!(io::stdout(), "line {}", found.line)?;
    for (run, line, (_, later)) in [(a, &found.a, found.depend_a), (b, &found.b, found.depend_b)] {
        let said = match line {
            None if later > 0 => "has no such line".into(),
            None => "has ended".into(),
            Some(line) => shown_line(line, 100),
        };
        writeln!(io::stdout(), "  {}: {}", run.display(), harmless(&said))?;
    }
    if [&found.a, &found.b].into_iter().flatten().any(|line| line.kind == LineKind::Value) {
        return Ok(Outcome::Failed);
    }
    writeln!(
        io::stdout(),
        "it reached {}",
        if found.reached.is_empty() { "nobody".into() } else { found.reached.join(", ") }
    )?;
    for (run, (depend, rest)) in [(a, found.depend_a), (b, found.depend_b)] {
        writeln!(io::stdout(), "  {}: {depend} of {rest} later lines depend on it", run.display())?;
    }
    for line in &found.first_b {
        writeln!(io::stdout(), "    {}", harmless(&shown_line(line, 90)))?;
    }
    Ok(Outcome::Failed)
}
