//! Helpers that the tests share.

use std::{
    fs,
    path::{Path, PathBuf},
};

use greenroom_sim::{Line, Options, run};

pub fn options(threads: usize) -> Options {
    Options { threads, ..Options::default() }
}

pub fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name).join("scenario.toml")
}

pub fn lines(out: &Path) -> Vec<Line> {
    let text = fs::read_to_string(out.join("trace.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Edits a run's directory so that the run looks killed before its end.
pub fn as_killed(out: &Path) {
    let file = out.join("run.json");
    let mut run: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    run["ended"] = serde_json::Value::Null;
    run.as_object_mut().unwrap().remove("finished");
    fs::write(&file, run.to_string()).unwrap();
}

pub async fn trace(scenario: &Path, threads: usize) -> String {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run(scenario, &[], &out, &options(threads)).await.unwrap();
    fs::read_to_string(out.join("trace.jsonl")).unwrap()
}
