//! Writes the report of a run: one self-contained HTML file (SM9).

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use greenroom_core::{Outcome, Section};
use serde_json::{Value, json};

use crate::{
    error::SimError,
    run::Run,
    tables::{curves, ended_at, meeting_rows, stays, together_rows},
    trace::{Line, LineKind, read},
};

/// The page. `"DATA"` is replaced by the data of the run.
const PAGE: &str = include_str!("report/page.html");

/// The most rows about pairs that a page can show without delay.
const MOST_PAIRS: usize = 50_000;

/// Writes `report.html` into the directory of a run. Returns its path.
///
/// # Errors
/// The trace cannot be read, or the report cannot be written.
pub fn write_report(directory: &Path) -> Result<PathBuf, SimError> {
    let run = Run::open(directory)?;
    let scenario = run.last_scenario()?;
    let lines = read(&directory.join("trace.jsonl"))?;
    let end = ended_at(&run, &scenario, &lines);
    let stays = stays(&scenario, &lines, end);
    let mut together = together_rows(&stays);
    together.sort_by_key(|row| std::cmp::Reverse(row.ms));
    together.truncate(MOST_PAIRS);
    let data = json!({
        "name": scenario.name,
        "about": scenario.about,
        "seed": scenario.seed,
        "start": scenario.clock.start,
        "end": end,
        "ended": run.ended,
        "sets": run.sets,
        "branches": run.parents.iter().map(|parent| json!({
            "of": parent.directory.file_name().map(|name| name.to_string_lossy()),
            "at": parent.at_ms,
            "sets": parent.sets,
        })).collect::<Vec<_>>(),
        "population": scenario.population.is_some(),
        "topics": scenario.topics.iter().map(|topic| json!({
            "name": topic.name, "words": topic.words, "known_by": topic.known_by,
        })).collect::<Vec<_>>(),
        "met": meeting_rows(&lines),
        "together": together,
        "curves": curves(&lines, &scenario.measures, &stays),
        "lines": with_history(&lines)?,
    });
    // escaped, so that no text of the run can end the script or begin a tag
    let data = data
        .to_string()
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    let file = directory.join("report.html");
    fs::write(&file, PAGE.replace("\"DATA\"", &data)).map_err(|error| SimError::file(&file, error))?;
    Ok(file)
}

/// By agent and place: the numbers of the lines that the agent said or heard there.
type KnownLines<'a> = HashMap<(&'a str, &'a str), Vec<usize>>;

/// The line that an agent heard elsewhere and that became this memory. The trace contains only the beginning of the
/// memory.
fn heard_line(memory: &str, agent: &str, known: &KnownLines<'_>, lines: &[Line]) -> Option<usize> {
    let (place, told) = memory.strip_prefix("Heard at the ")?.split_once(". ")?;
    let (_, beginning) = told.strip_suffix('…')?.split_once(": ")?;
    let beginning = beginning.trim_end();
    let first = beginning.split(' ').next().unwrap_or_default();
    // a receipt collapses white space to single spaces
    let begins_so = |text: &str| {
        text.trim_start().starts_with(first)
            && text.split_whitespace().collect::<Vec<_>>().join(" ").starts_with(beginning)
    };
    let is_it = |line: &Line| line.who != agent && begins_so(&line.text);
    known.get(&(agent, place))?.iter().rev().copied().find(|number| is_it(&lines[*number]))
}

/// The lines for the page. The trace omits the texts of a context's history, because these are lines of the trace: the
/// newest ones that the agent said or heard in the place. This adds the number of its line to each history item, and to
/// each memory of a line heard elsewhere.
fn with_history(lines: &[Line]) -> Result<Vec<Value>, SimError> {
    let mut known = KnownLines::new();
    let mut values = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let mut value = serde_json::to_value(line).map_err(|error| SimError::Recording(error.to_string()))?;
        if let Some(context) = &line.context {
            let is_message = |n: &usize| {
                let item = &context.items[*n];
                item.section == Section::History && item.outcome != Outcome::Dropped
            };
            let mut items: Vec<usize> = (0..context.items.len()).filter(is_message).collect();
            if line.kind == LineKind::Probe {
                // the probe's question, which is not in the trace
                items.pop();
            }
            let heard = known.get(&(line.who.as_str(), line.place.as_str())).map_or(&[][..], Vec::as_slice);
            for (item, of) in items.iter().rev().zip(heard.iter().rev()) {
                value["context"]["items"][*item]["line"] = json!(of);
            }
            let memories =
                context.items.iter().enumerate().filter(|(_, item)| item.section == Section::Memories);
            for (item, memory) in memories {
                if let Some(of) = heard_line(&memory.text, &line.who, &known, lines) {
                    value["context"]["items"][item]["line"] = json!(of);
                }
            }
        }
        if matches!(line.kind, LineKind::Told | LineKind::Said) {
            let speaker = std::iter::once(&line.who).filter(|_| line.kind == LineKind::Said);
            for agent in line.heard.iter().chain(speaker) {
                known.entry((agent, &line.place)).or_default().push(number);
            }
        }
        values.push(value);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{ContextAccount, ContextItem};

    #[test]
    fn sm9_the_history_of_a_receipt_names_the_lines_it_consists_of() {
        let item = |section, outcome| ContextItem { section, text: String::new(), tokens: 5, outcome };
        let line = |place: &str, kind, who: &str, heard: &[&str], history: usize| Line {
            heard: heard.iter().map(ToString::to_string).collect(),
            context: (history > 0).then(|| ContextAccount {
                tokens: 9,
                memories: 0,
                history: 5,
                items: [item(Section::System, Outcome::Kept), item(Section::History, Outcome::Dropped)]
                    .into_iter()
                    .chain((0..history).map(|_| item(Section::History, Outcome::Kept)))
                    .collect(),
                notes: Vec::new(),
            }),
            ..Line::new(1, place, kind, who, "text")
        };
        let lines = [
            line("cafe", LineKind::Told, "Narrator", &["ada", "bo"], 0),
            line("park", LineKind::Told, "Narrator", &["cy"], 0),
            line("cafe", LineKind::Said, "ada", &["bo"], 1),
            line("cafe", LineKind::Said, "bo", &["ada"], 2),
            line("cafe", LineKind::Probe, "ada", &[], 3),
        ];
        let values = with_history(&lines).unwrap();
        let of = |n: usize| -> Vec<Option<u64>> {
            let items = values[n]["context"]["items"].as_array().unwrap();
            items.iter().map(|item| item["line"].as_u64()).collect()
        };
        assert_eq!(of(2), [None, None, Some(0)]);
        assert_eq!(of(3), [None, None, Some(0), Some(2)]);
        // the last history item of a probe is its question
        assert_eq!(of(4), [None, None, Some(2), Some(3), None]);
    }

    #[test]
    fn sm9_a_memory_of_a_receipt_that_is_cut_names_the_line_that_was_heard() {
        let long = "I was  just\nthinking of you, Tom, and of the election that comes";
        let said = |text: &str| Line {
            heard: vec!["tom".into()],
            ..Line::new(1, "pub", LineKind::Said, "john", text)
        };
        let item = |text: &str| ContextItem {
            section: Section::Memories,
            text: text.into(),
            tokens: 5,
            outcome: Outcome::Kept,
        };
        let items = vec![
            item("Heard at the pub. John Lin: I was just thinking of you, Tom …"),
            item("Heard at the pub. John Lin: Another beginning of another te…"),
            item("Tom collects stamps"),
        ];
        let context = ContextAccount { tokens: 9, memories: 9, history: 0, items, notes: Vec::new() };
        let asked = Line { context: Some(context), ..Line::new(5, "home", LineKind::Said, "tom", "Hm.") };
        let values = with_history(&[said("Good evening."), said(long), asked]).unwrap();
        let items = values[2]["context"]["items"].as_array().unwrap();
        let of: Vec<_> = items.iter().map(|item| item["line"].as_u64()).collect();
        assert_eq!(of, [Some(1), None, None]);
    }

    #[test]
    fn sm9_the_page_keeps_names_as_they_are_and_tells_of_what_run_it_is_a_branch() {
        // a browser trims and collapses spaces in the text of an option, but not in its value
        assert_eq!(PAGE.matches("make('option'").count(), PAGE.matches("make('option', { value").count());
        assert!(PAGE.contains("data.branches") && PAGE.contains("data.sets"));
    }
}
