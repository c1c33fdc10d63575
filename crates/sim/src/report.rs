//! The report of a run: one HTML file without anything from elsewhere (SM9).

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{
    error::SimError,
    run::Run,
    tables::{curves, meeting_rows, topic_rows},
    trace::read,
};

/// The page; `"DATA"` becomes the run's data.
const PAGE: &str = include_str!("report/page.html");

/// Writes `report.html` into the directory of a run; returns the file.
///
/// # Errors
/// Where the trace cannot be read or the report cannot be written.
pub fn write_report(directory: &Path) -> Result<PathBuf, SimError> {
    let run = Run::open(directory)?;
    let scenario = run.scenario()?;
    let lines = read(&directory.join("trace.jsonl"))?;
    let data = json!({
        "name": scenario.name,
        "about": scenario.about,
        "seed": scenario.seed,
        "start": scenario.clock.start,
        "ended": run.ended,
        "topics": scenario.topics.iter().map(|topic| json!({
            "name": topic.name, "words": topic.words, "known_by": topic.known_by,
        })).collect::<Vec<_>>(),
        "learned": topic_rows(&lines),
        "met": meeting_rows(&lines),
        "curves": curves(&lines, &scenario.measures),
        "lines": lines,
    });
    // no text of the run ends the script or begins a tag
    let data = data
        .to_string()
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    let file = directory.join("report.html");
    fs::write(&file, PAGE.replace("\"DATA\"", &data)).map_err(|error| SimError::file(&file, error))?;
    Ok(file)
}
