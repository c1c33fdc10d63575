//! What a branch can change: the same as a run with the change from that moment on, or refused.

use std::{fs, path::Path};

use greenroom_sim::{LineKind, branch, diff, moment, replay, resume, run, write_tables};

use crate::house::{lines, options};

const SCENARIO: &str = r#"
name = "Wool"
seed = 1
[clock]
end = "5h"
[[place]]
name = "p"
chain = 3
[[cast]]
prompt = "You are {{ name }}, of {{ k }}."
at = "p"
mind = "m"
answer = "talkative"
talkativeness = 0.3
generate = { count = 6, name = "g", draw = { k = ["a"] } }
[[topic]]
name = "t"
words = ["zebra"]
known_by = ["g-1"]
[[event]]
at = "1m"
every = "20m"
place = "p"
say = "Who speaks?"
[[event]]
at = "5m"
every = "30m"
place = "p"
to = "g-1"
say = "Is there news?"
[[event]]
at = "15m"
every = "30m"
place = "p"
to = "g-2"
say = "Is there news?"
[[mind]]
name = "m"
[[mind.rule]]
when = { knows = "t" }
say = ["I know of it, {{ others }}.", "Of that I know."]
[[mind.rule]]
say = ["One word on wool, {{ me }}.", "I know nothing of the kind at all, {{ others }}."]
"#;

const MORE: &str = "import sys\nfor line in sys.stdin: print('{\"says\": [{\"place\": \"p\", \"text\": \"TEXT\"}]}', flush=True)\n";

fn write(directory: &Path, more: &str) -> std::path::PathBuf {
    let file = directory.join("scenario.toml");
    fs::write(&file, format!("{SCENARIO}{more}")).unwrap();
    file
}

fn text(run: &Path) -> String {
    fs::read_to_string(run.join("trace.jsonl")).unwrap()
}

#[tokio::test]
async fn sm5_a_branch_at_the_start_is_the_run_with_its_changes() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(directory.path(), "");
    let parent = directory.path().join("run");
    run(&file, &[], &parent, &options(2)).await.unwrap();
    for (n, set) in [
        "seed=7",
        "topic.0.known_by=[\"g-2\", \"g-3\"]",
        "topic.0.known_by=[]",
        "clock.words_per_minute=10",
        "clock.start=2020-02-03T04:05:06Z",
        "clock.end=2h",
        "stop.calls=9",
        "mind.0.rule.1.say=[\"So be it, {{ me }}.\"]",
        "event.0.every=7m",
    ]
    .into_iter()
    .enumerate()
    {
        let sets = [set.to_owned()];
        let [changed, whole] = ["branch", "whole"].map(|name| directory.path().join(format!("{name}-{n}")));
        branch(&parent, 0, &sets, &changed).unwrap();
        resume(&changed, &options(2)).await.unwrap();
        run(&file, &sets, &whole, &options(1)).await.unwrap();
        assert!(text(&changed) == text(&whole), "{set}");
        assert!(text(&changed) != text(&parent) || set.starts_with("clock.start"), "{set}");
        assert_eq!(replay(&changed, &options(1)).await.unwrap().same, Some(true), "{set}");
    }
}

#[tokio::test]
async fn sm5_a_change_of_a_branch_holds_from_its_moment_on() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(directory.path(), "");
    let parent = directory.path().join("run");
    run(&file, &[], &parent, &options(2)).await.unwrap();
    let at = moment("2h").unwrap();
    for (n, set) in
        ["seed=7", "topic.0.known_by=[\"g-1\", \"g-2\"]", "clock.words_per_minute=10"].into_iter().enumerate()
    {
        let out = directory.path().join(format!("branch-{n}"));
        branch(&parent, at, &[set.to_owned()], &out).unwrap();
        resume(&out, &options(2)).await.unwrap();
        let difference = diff(&parent, &out).unwrap().unwrap_or_else(|| panic!("{set} changes nothing"));
        assert!(difference.a.unwrap().ms >= at, "{set}");
        let trace = text(&out);
        crate::house::as_killed(&out);
        resume(&out, &options(4)).await.unwrap();
        assert!(text(&out) == trace, "{set}");
    }
}

#[tokio::test]
async fn sm5_what_a_branch_cannot_undo_is_refused_with_a_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(directory.path(), "");
    let (parent, out) = (directory.path().join("run"), directory.path().join("branch"));
    run(&file, &["stop.calls=3".to_owned()], &parent, &options(2)).await.unwrap();
    for (set, says) in [
        ("topic.0.known_by=[]", "`g-1` knew of `t` from the start and cannot forget it; branch at 0s"),
        ("clock.start=2020-02-03T04:05:06Z", "branch at 0s, or run the scenario again"),
        ("place.0.chain=9", "a branch has the agents and places of its parent; run the scenario again"),
        ("world={command=[\"python3\", \"w.py\"], every=\"1m\"}", "there is no file `w.py`; put it into "),
    ] {
        let error = branch(&parent, 3_600_000, &[set.to_owned()], &out).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("--set "), "{error}");
        assert!(!out.exists());
    }
}

#[tokio::test]
async fn sm5_a_branch_can_have_another_world_process_or_none() {
    let directory = tempfile::tempdir().unwrap();
    let world = "[world]\ncommand = [\"python3\", \"w1.py\"]\nfiles = [\"w2.py\"]\nevery = \"30m\"\n";
    for (name, says) in [("w1.py", "First."), ("w2.py", "Second.")] {
        fs::write(directory.path().join(name), MORE.replace("TEXT", says)).unwrap();
    }
    let file = write(directory.path(), world);
    let [parent, none] = ["run", "none"].map(|name| directory.path().join(name));
    run(&file, &[], &parent, &options(2)).await.unwrap();
    let without = write(directory.path(), "");
    run(&without, &[], &none, &options(2)).await.unwrap();
    fs::copy(directory.path().join("w2.py"), none.join("input/w2.py")).unwrap();
    let at = moment("2h").unwrap();
    for (n, (run, set, first, second)) in [
        (&parent, "world.command=[\"python3\", \"w2.py\"]", 3, 7),
        (&none, "world={command=[\"python3\", \"w2.py\"], every=\"30m\"}", 0, 7),
    ]
    .into_iter()
    .enumerate()
    {
        let out = directory.path().join(format!("branch-{n}"));
        branch(run, at, &[set.to_owned()], &out).unwrap();
        for _ in 0..2 {
            resume(&out, &options(2)).await.unwrap();
            let told = |text: &str| lines(&out).iter().filter(|line| line.text == text).count();
            assert_eq!((told("First."), told("Second.")), (first, second), "{set}");
            crate::house::as_killed(&out);
        }
    }
}

#[tokio::test]
async fn sm9_what_a_branch_measures_is_in_its_tables() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(directory.path(), "");
    let (parent, out) = (directory.path().join("run"), directory.path().join("branch"));
    run(&file, &[], &parent, &options(2)).await.unwrap();
    branch(&parent, 60_000, &["measure.0={name=\"wool\", words=[\"wool\"]}".to_owned()], &out).unwrap();
    resume(&out, &options(2)).await.unwrap();
    assert!(lines(&out).iter().any(|line| line.kind == LineKind::Said && line.text.contains("wool")));
    write_tables(&out).unwrap();
    assert!(fs::read_to_string(out.join("tables/measures.csv")).unwrap().contains("wool"));
}
