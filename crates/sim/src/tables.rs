//! Writes the tables of a run (SM9), each as CSV and as JSON Lines.

mod measures;
mod presence;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::Value;

use crate::{
    error::SimError,
    run::Run,
    trace::{Line, LineKind, read},
};
pub(crate) use measures::curves;
pub(crate) use presence::{ended_at, stays, together_rows};

/// A row of the table of topics: which agent learned which topic, when, from whom.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TopicRow {
    pub(crate) ms: i64,
    pub(crate) topic: String,
    pub(crate) agent: String,
    pub(crate) from: String,
    pub(crate) place: String,
}

/// A row of the table of meetings: how many lines of one agent another one heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MeetingRow {
    pub(crate) speaker: String,
    pub(crate) hearer: String,
    pub(crate) lines: u64,
}

#[derive(Serialize)]
struct UtteranceRow<'a> {
    ms: i64,
    place: &'a str,
    kind: LineKind,
    who: &'a str,
    to: &'a str,
    text: &'a str,
    heard: String,
}

#[derive(Serialize)]
struct MoveRow<'a> {
    ms: i64,
    agent: &'a str,
    from: &'a str,
    to: &'a str,
}

#[derive(Serialize)]
struct ProbeRow<'a> {
    ms: i64,
    probe: &'a str,
    agent: &'a str,
    answer: &'a str,
    choice: &'a str,
    failed: &'a str,
}

#[derive(Serialize)]
struct MeasureRow<'a> {
    ms: i64,
    measure: &'a str,
    value: f64,
}

/// The rows of the table of topics.
pub(crate) fn topic_rows(lines: &[Line]) -> Vec<TopicRow> {
    let row = |line: &Line, learned: &String| {
        let (agent, topic) = learned.split_once(':')?;
        Some(TopicRow {
            ms: line.ms,
            topic: topic.into(),
            agent: agent.into(),
            from: line.who.clone(),
            place: line.place.clone(),
        })
    };
    lines.iter().flat_map(|line| line.learned.iter().filter_map(move |learned| row(line, learned))).collect()
}

/// The rows of the table of meetings.
pub(crate) fn meeting_rows(lines: &[Line]) -> Vec<MeetingRow> {
    let mut met = BTreeMap::new();
    for line in lines.iter().filter(|line| line.kind == LineKind::Said) {
        for hearer in &line.heard {
            *met.entry((&line.who, hearer)).or_insert(0) += 1;
        }
    }
    let row = |((speaker, hearer), lines): ((&String, &String), u64)| MeetingRow {
        speaker: speaker.clone(),
        hearer: hearer.clone(),
        lines,
    };
    met.into_iter().map(row).collect()
}

/// Writes the tables of a run into its directory `tables`. Returns their paths.
///
/// # Errors
/// The trace cannot be read, or a table cannot be written.
pub fn write_tables(directory: &Path) -> Result<Vec<PathBuf>, SimError> {
    let lines = read(&directory.join("trace.jsonl"))?;
    let run = Run::open(directory)?;
    let scenario = run.last_scenario()?;
    let tables = directory.join("tables");
    fs::create_dir_all(&tables).map_err(|error| SimError::file(&tables, error))?;
    let of = |kinds: &'static [LineKind]| lines.iter().filter(move |line| kinds.contains(&line.kind));
    let said = of(&[LineKind::Told, LineKind::Said, LineKind::Withheld, LineKind::Failed])
        .filter(|line| line.probe.is_none());
    let uttered = said.map(|line| UtteranceRow {
        ms: line.ms,
        place: &line.place,
        kind: line.kind,
        who: &line.who,
        to: line.to.as_deref().unwrap_or_default(),
        text: &line.text,
        heard: line.heard.join(" "),
    });
    let moved = of(&[LineKind::Moved]).map(|line| MoveRow {
        ms: line.ms,
        agent: &line.who,
        from: &line.text,
        to: &line.place,
    });
    let probed = lines.iter().filter(|line| line.probe.is_some()).map(|line| {
        let (answer, failed) = match line.kind {
            LineKind::Failed => ("", line.text.as_str()),
            _ => (line.text.as_str(), ""),
        };
        ProbeRow {
            ms: line.ms,
            probe: line.probe.as_deref().unwrap_or_default(),
            agent: &line.who,
            answer,
            choice: line.choice.as_deref().unwrap_or_default(),
            failed,
        }
    });
    let stays = stays(&scenario, &lines, ended_at(&run, &scenario, &lines));
    let curves = curves(&lines, &scenario.measures, &stays);
    let measured = curves.iter().flat_map(|curve| {
        curve.points.iter().map(|(ms, value)| MeasureRow { ms: *ms, measure: &curve.measure, value: *value })
    });
    let mut written = Vec::new();
    let mut table = |name: &str, columns: &[&str], rows: Result<Vec<Value>, serde_json::Error>| {
        let rows = rows.map_err(|error| SimError::file(&tables, error))?;
        let jsonl: String = rows.iter().map(|row| format!("{row}\n")).collect();
        for (ending, text) in [("jsonl", jsonl), ("csv", csv(columns, &rows))] {
            let file = tables.join(format!("{name}.{ending}"));
            fs::write(&file, text).map_err(|error| SimError::file(&file, error))?;
            written.push(file);
        }
        Ok::<_, SimError>(())
    };
    table(
        "utterances",
        &["ms", "place", "kind", "who", "to", "text", "heard"],
        uttered.map(serde_json::to_value).collect(),
    )?;
    table("moves", &["ms", "agent", "from", "to"], moved.map(serde_json::to_value).collect())?;
    table(
        "topics",
        &["ms", "topic", "agent", "from", "place"],
        topic_rows(&lines).iter().map(serde_json::to_value).collect(),
    )?;
    table(
        "meetings",
        &["speaker", "hearer", "lines"],
        meeting_rows(&lines).iter().map(serde_json::to_value).collect(),
    )?;
    table(
        "together",
        &["agent", "other", "place", "times", "ms"],
        together_rows(&stays).iter().map(serde_json::to_value).collect(),
    )?;
    table(
        "probes",
        &["ms", "probe", "agent", "answer", "choice", "failed"],
        probed.map(serde_json::to_value).collect(),
    )?;
    table("measures", &["ms", "measure", "value"], measured.map(serde_json::to_value).collect())?;
    Ok(written)
}

/// Formats rows as CSV (RFC 4180).
fn csv(columns: &[&str], rows: &[Value]) -> String {
    let field = |value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        }
    };
    let line = |fields: Vec<String>| format!("{}\r\n", fields.join(","));
    let header = line(columns.iter().map(ToString::to_string).collect());
    let row = |row: &Value| line(columns.iter().map(|name| field(&row[*name])).collect());
    std::iter::once(header).chain(rows.iter().map(row)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sm9_a_table_is_csv_that_a_spreadsheet_reads() {
        let rows =
            [json!({"who": "ada", "text": "\"Tea\", she said\nloudly"}), json!({"who": "jo", "text": "yes"})];
        let text = csv(&["who", "text"], &rows);
        assert!(text.contains("\"\"\"Tea\"\", she said\nloudly\""), "{text}");
        assert!(text.starts_with("who,text\r\nada,"), "{text}");
        assert_eq!(text.matches("\r\n").count(), 3);
    }

    #[test]
    fn sm9_the_tables_tell_who_learned_what_and_who_heard_whom() {
        let line = Line {
            heard: vec!["jo".into()],
            learned: vec!["jo:party".into(), "max:party".into()],
            ..Line::new(5, "cafe", LineKind::Said, "ada", "the party")
        };
        assert_eq!(topic_rows(std::slice::from_ref(&line))[0].from, "ada");
        assert_eq!(
            meeting_rows(&[line]),
            [MeetingRow { speaker: "ada".into(), hearer: "jo".into(), lines: 1 }]
        );
    }
}
