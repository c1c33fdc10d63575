//! The tables of a run (SM9), each as CSV and as JSON Lines.

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
    scenario::{Measure, holds_word},
    trace::{Line, LineKind, read},
};

/// A row of the table of topics: who learned what, when, of whom.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TopicRow {
    pub(crate) ms: i64,
    pub(crate) topic: String,
    pub(crate) agent: String,
    pub(crate) from: String,
    pub(crate) place: String,
}

/// A row of the table of meetings: how often one was heard by another.
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
}

#[derive(Serialize)]
struct MeasureRow<'a> {
    ms: i64,
    measure: &'a str,
    value: f64,
}

/// A point of a curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Point {
    pub(crate) ms: i64,
    pub(crate) measure: String,
    pub(crate) value: f64,
}

/// Who learned what.
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

/// Who was heard by whom.
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

impl Measure {
    fn counts(&self, line: &Line) -> bool {
        let of = |names: &[String], name: &str| names.is_empty() || names.iter().any(|known| known == name);
        let text = line.text.to_lowercase();
        let is_of_kind = match &self.probe {
            Some(probe) => line.kind == LineKind::Probe && line.probe.as_ref() == Some(probe),
            None => line.kind == LineKind::Said,
        };
        is_of_kind
            && of(&self.who, &line.who)
            && of(&self.places, &line.place)
            && (self.words.is_empty()
                || self.words.iter().any(|word| holds_word(&text, &word.to_lowercase())))
    }
}

/// The measures as curves: those of the scenario; values of a population; of agents what was said so far, and who knows
/// each topic.
pub(crate) fn curves(lines: &[Line], measures: &[Measure]) -> Vec<Point> {
    let mut points = built_in_curves(lines);
    for measure in measures {
        let (mut value, mut asked) = (0.0, None);
        for line in lines {
            let is_answer = measure.probe.is_some() && line.probe == measure.probe;
            // each time it is asked everybody may have changed their mind
            if is_answer && asked != Some(line.ms) {
                (value, asked) = (0.0, Some(line.ms));
            }
            let counts = measure.counts(line);
            value += f64::from(u8::from(counts));
            if counts || is_answer {
                points.push(Point { ms: line.ms, measure: measure.name.clone(), value });
            }
        }
    }
    // of one moment the last value alone, in the order of time
    points.sort_by(|a, b| (&a.measure, a.ms).cmp(&(&b.measure, b.ms)));
    points.dedup_by(|later, earlier| {
        let same = (&later.measure, later.ms) == (&earlier.measure, earlier.ms);
        if same {
            earlier.value = later.value;
        }
        same
    });
    points
}

fn built_in_curves(lines: &[Line]) -> Vec<Point> {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    let mut points = Vec::new();
    let mut add = |ms: i64, measure: String, value: f64| points.push(Point { ms, measure, value });
    for line in lines {
        match line.kind {
            LineKind::Value => add(line.ms, line.who.clone(), line.value.unwrap_or_default()),
            LineKind::Said => {
                let said = counts.entry("said".into()).or_default();
                *said += 1.0;
                add(line.ms, "said".into(), *said);
            }
            _ => {}
        }
        for learned in &line.learned {
            let Some((_, topic)) = learned.split_once(':') else { continue };
            let measure = format!("told of {topic}");
            let known = counts.entry(measure.clone()).or_default();
            *known += 1.0;
            add(line.ms, measure, *known);
        }
    }
    points
}

/// Writes the tables of a run into its directory `tables`; returns their files.
///
/// # Errors
/// Where the trace cannot be read or a table cannot be written.
pub fn write_tables(directory: &Path) -> Result<Vec<PathBuf>, SimError> {
    let lines = read(&directory.join("trace.jsonl"))?;
    let scenario = Run::open(directory)?.scenario()?;
    let tables = directory.join("tables");
    fs::create_dir_all(&tables).map_err(|error| SimError::file(&tables, error))?;
    let of = |kinds: &'static [LineKind]| lines.iter().filter(move |line| kinds.contains(&line.kind));
    let uttered = of(&[LineKind::Told, LineKind::Said, LineKind::Failed]).map(|line| UtteranceRow {
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
    let probed = of(&[LineKind::Probe]).map(|line| ProbeRow {
        ms: line.ms,
        probe: line.probe.as_deref().unwrap_or_default(),
        agent: &line.who,
        answer: &line.text,
    });
    let measured = curves(&lines, &scenario.measures);
    let measured =
        measured.iter().map(|point| MeasureRow { ms: point.ms, measure: &point.measure, value: point.value });
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
    table("probes", &["ms", "probe", "agent", "answer"], probed.map(serde_json::to_value).collect())?;
    table("measures", &["ms", "measure", "value"], measured.map(serde_json::to_value).collect())?;
    Ok(written)
}

/// Rows as CSV (RFC 4180).
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
    fn sm9_a_measure_counts_lines_and_answers_to_a_probe() {
        let said = |ms, who: &str, text: &str| Line::new(ms, "cafe", LineKind::Said, who, text);
        let answer = |ms, who: &str, text: &str| Line {
            probe: Some("party".into()),
            ..Line::new(ms, "cafe", LineKind::Probe, who, text)
        };
        let measure = |name: &str, words: &[&str], probe: Option<&str>| Measure {
            name: name.into(),
            words: words.iter().map(ToString::to_string).collect(),
            probe: probe.map(str::to_owned),
            who: Vec::new(),
            places: Vec::new(),
        };
        let lines = [
            said(1, "ada", "Thank you!"),
            said(2, "bo", "Thanks? For what."),
            answer(5, "ada", "Yes, I come."),
            answer(5, "bo", "No."),
            said(6, "bo", "thank you"),
            answer(9, "ada", "yes"),
            answer(9, "bo", "Yes!"),
        ];
        let measures = [measure("thanks", &["thank"], None), measure("coming", &["yes"], Some("party"))];
        let found = curves(&lines, &measures);
        let of = |name| -> Vec<(i64, f64)> {
            found.iter().filter(|point| point.measure == name).map(|point| (point.ms, point.value)).collect()
        };
        assert_eq!(of("thanks"), [(1, 1.0), (6, 2.0)]);
        assert_eq!(of("coming"), [(5, 1.0), (9, 2.0)]);
    }

    #[test]
    fn sm9_a_curve_counts_who_knows_a_topic() {
        let line = Line {
            heard: vec!["jo".into()],
            learned: vec!["jo:party".into(), "max:party".into()],
            ..Line::new(5, "cafe", LineKind::Said, "ada", "the party")
        };
        let points = curves(std::slice::from_ref(&line), &[]);
        assert_eq!(
            points.last().map(|point| (point.measure.as_str(), point.value)),
            Some(("told of party", 2.0))
        );
        assert_eq!(topic_rows(std::slice::from_ref(&line))[0].from, "ada");
        assert_eq!(
            meeting_rows(&[line]),
            [MeetingRow { speaker: "ada".into(), hearer: "jo".into(), lines: 1 }]
        );
    }
}
