//! The engine on the samples: one trace for any number of threads, replay, resume.

use std::{collections::HashSet, fs, path::Path};

use greenroom_sim::{EndReason, Line, LineKind, Options, branch, diff, moment, replay, resume, run};

use crate::house::{lines, options, sample, trace};

#[tokio::test]
async fn sm3_the_tea_party_has_one_trace() {
    let one = trace(&sample("tea-party"), 1).await;
    assert!(one.lines().count() > 20, "{one}");
    for threads in [1, 2, 16] {
        assert_eq!(trace(&sample("tea-party"), threads).await, one, "{threads} threads");
    }
}

#[tokio::test]
async fn sm3_sm7_the_town_has_one_trace() {
    let one = trace(&sample("town"), 1).await;
    for threads in [2, 16] {
        assert!(trace(&sample("town"), threads).await == one, "{threads} threads");
    }
    let directory = tempfile::tempdir().unwrap();
    let barrier = Options { barrier: true, ..options(2) };
    run(&sample("town"), &[], &directory.path().join("run"), &barrier).await.unwrap();
    assert!(
        fs::read_to_string(directory.path().join("run/trace.jsonl")).unwrap() == one,
        "a barrier changes nothing"
    );
}

/// Compares with Generative Agents, where one agent knew at the start, 12 of 25 had heard of the party after two days,
/// and 5 came.
#[tokio::test]
async fn sm10_an_invitation_spreads_through_the_town() {
    let directory = tempfile::tempdir().unwrap();
    run(&sample("town"), &[], &directory.path().join("run"), &options(2)).await.unwrap();
    let lines = lines(&directory.path().join("run"));
    let told: HashSet<_> = lines.iter().flat_map(|line| line.learned.iter()).collect();
    let came = lines.iter().filter(|line| line.kind == LineKind::Moved && line.place == "party").count();
    let knew = lines.iter().filter(|line| line.probe.is_some() && line.text.contains("Isabella gives"));
    assert!((8..25).contains(&told.len()), "{} were told", told.len());
    assert!(knew.count() >= 8);
    assert!((4..=told.len() + 1).contains(&came), "{came} came of {}", told.len());
    // nobody mentions the party before hearing of it
    let mut knows = HashSet::from(["isabella".to_owned()]);
    for line in &lines {
        if line.kind == LineKind::Said && line.text.contains("party") {
            assert!(knows.contains(&line.who), "{line:?}");
        }
        knows.extend(line.learned.iter().filter_map(|learned| Some(learned.split_once(':')?.0.to_owned())));
    }
}

#[tokio::test]
async fn sm6_a_world_process_moves_people_and_its_answers_are_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run(&sample("weather"), &[], &out, &options(2)).await.unwrap();
    let moved = lines(&out).iter().filter(|line| line.kind == LineKind::Moved).count();
    assert_eq!(moved, 3, "three seek shelter");
    let rain = lines(&out).into_iter().find(|line| line.text.contains("begins to rain")).unwrap();
    assert_eq!((rain.heard.len(), rain.learned.len()), (3, 3), "who has come hears it: {rain:?}");
    assert_eq!(replay(&out, &options(1)).await.unwrap().same, Some(true));
}

#[tokio::test]
async fn sm8_a_run_ends_when_its_calls_are_used_up() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let outcome = run(&sample("tea-party"), &["stop.calls=5".into()], &out, &options(2)).await.unwrap();
    assert_eq!(outcome.ended, EndReason::Calls);
    assert!((5..12).contains(&outcome.calls), "{outcome:?}");
}

#[tokio::test]
async fn sm8_a_run_ends_when_nobody_says_anything_or_nothing_is_left() {
    let directory = tempfile::tempdir().unwrap();
    let quiet = ["clock.end=3h".into(), "encounter=[]".into(), "stop.silence=10m".into()];
    let outcome =
        run(&sample("tea-party"), &quiet, &directory.path().join("quiet"), &options(1)).await.unwrap();
    assert_eq!(outcome.ended, EndReason::Silence, "the probe comes after a long silence");
    let left = ["encounter=[]".into(), "probe=[]".into()];
    let outcome =
        run(&sample("tea-party"), &left, &directory.path().join("left"), &options(1)).await.unwrap();
    assert_eq!(outcome.ended, EndReason::Quiescent);
}

#[tokio::test]
async fn sm4_a_replay_asks_nobody_and_gives_the_same_trace() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run(&sample("tea-party"), &[], &out, &options(2)).await.unwrap();
    let outcome = replay(&out, &options(3)).await.unwrap();
    assert_eq!(outcome.same, Some(true));
    // a replay without one of the recorded calls fails
    let calls = fs::read_to_string(out.join("calls.jsonl")).unwrap();
    let last = calls.lines().count() - 1;
    let fewer: String = calls.lines().take(last).map(|line| format!("{line}\n")).collect();
    fs::write(out.join("calls.jsonl"), fewer).unwrap();
    let error = replay(&out, &options(1)).await.unwrap_err().to_string();
    assert!(error.contains("is not in the recording"), "{error}");
}

#[tokio::test]
async fn sm5_a_run_that_was_cut_off_anywhere_is_resumed_to_the_same_trace() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run(&sample("tea-party"), &[], &out, &options(2)).await.unwrap();
    let (whole, calls) =
        (fs::read(out.join("trace.jsonl")).unwrap(), fs::read(out.join("calls.jsonl")).unwrap());
    // the state that a kill leaves: a part of the recording, and any part of the trace
    for part in 0..8 {
        fs::write(out.join("calls.jsonl"), &calls[..calls.len() * part / 8]).unwrap();
        fs::write(out.join("trace.jsonl"), &whole[..whole.len() * part / 9]).unwrap();
        resume(&out, &options(1 + part % 3)).await.unwrap();
        assert!(fs::read(out.join("trace.jsonl")).unwrap() == whole, "cut off after {part} eighths");
        let again = fs::read(out.join("calls.jsonl")).unwrap();
        assert_eq!(
            again.iter().filter(|byte| **byte == b'\n').count(),
            calls.iter().filter(|byte| **byte == b'\n').count()
        );
    }
}

#[tokio::test]
async fn sm5_a_branch_shares_the_past_and_a_difference_names_what_comes_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let (out, other) = (directory.path().join("run"), directory.path().join("branch"));
    run(&sample("tea-party"), &[], &out, &options(2)).await.unwrap();
    let at = moment("17m").unwrap();
    let sets = ["encounter.0.say={{ me }}, a pigeon has come in by the window.".to_owned()];
    branch(&out, at, &sets, &other).unwrap();
    let files: Vec<_> = fs::read_dir(&other).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["run.json"], "nothing is copied");
    resume(&other, &options(2)).await.unwrap();
    let before = |lines: Vec<Line>| lines.into_iter().filter(|line| line.ms < at).collect::<Vec<_>>();
    assert_eq!(before(lines(&out)), before(lines(&other)));
    let found = diff(&out, &other).unwrap().unwrap();
    let first = found.b.unwrap();
    assert!(first.ms >= at && first.text.contains("pigeon"), "{first:?}");
    assert!(found.depend_b.0 > 0);
    assert_eq!(diff(&out, &out).unwrap(), None);
    let same = directory.path().join("same");
    branch(&out, at, &[], &same).unwrap();
    resume(&same, &options(2)).await.unwrap();
    assert_eq!(diff(&out, &same).unwrap(), None, "a branch without a change is the same run");
    let grandchild = directory.path().join("grandchild");
    branch(
        &other,
        moment("30m").unwrap(),
        &["event.1={at=\"35m\", place=\"parlour\", say=\"Fire!\"}".into()],
        &grandchild,
    )
    .unwrap();
    resume(&grandchild, &options(1)).await.unwrap();
    assert_eq!(diff(&other, &grandchild).unwrap().unwrap().b.unwrap().text, "Fire!");
    let error =
        branch(&other, moment("5m").unwrap(), &[], &directory.path().join("early")).unwrap_err().to_string();
    assert!(error.contains("the parent itself branched off 1020000 ms after the start"), "{error}");
}

#[tokio::test]
async fn sm8_a_branch_may_have_other_limits() {
    let directory = tempfile::tempdir().unwrap();
    let (out, other) = (directory.path().join("run"), directory.path().join("branch"));
    let outcome = run(&sample("tea-party"), &["stop.calls=9".into()], &out, &options(1)).await.unwrap();
    assert_eq!(outcome.ended, EndReason::Calls);
    branch(&out, moment("5m").unwrap(), &["stop.calls=18".to_owned()], &other).unwrap();
    let outcome = resume(&other, &options(1)).await.unwrap();
    assert!((18..24).contains(&outcome.calls), "{outcome:?}");
}

#[tokio::test]
async fn sm9_a_probe_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (with, without) = (directory.path().join("with"), directory.path().join("without"));
    let often = ["probe.0.at=7m".to_owned(), "probe.0.every=7m".to_owned()];
    run(&sample("tea-party"), &often, &with, &options(2)).await.unwrap();
    run(&sample("tea-party"), &["probe=[]".into()], &without, &options(2)).await.unwrap();
    let story =
        |out: &Path| lines(out).into_iter().filter(|line| line.kind != LineKind::Probe).collect::<Vec<_>>();
    assert_eq!(story(&with), story(&without));
    assert!(lines(&with).len() > story(&with).len());
}

const CARRIED: &str = r#"
name = "Carried"
[clock]
end = "3h"
[[place]]
name = "park"
[[place]]
name = "cafe"
[[agent]]
name = "ada"
prompt = "You are Ada."
at = "park"
mind = "asked"
answer = "mentioned"
[[agent]]
name = "bo"
prompt = "You are Bo."
at = "cafe"
mind = "asked"
answer = "mentioned"
[[event]]
at = "1m"
place = "park"
from = "Max"
say = "The password of the garden gate is plum blossom."
[[move]]
at = "2h"
who = ["ada"]
to = "cafe"
[[event]]
at = "150m"
place = "cafe"
from = "Kim"
to = "ada"
say = "What is the password of the garden gate?"
[[event]]
at = "160m"
place = "cafe"
from = "Kim"
to = "bo"
say = "Bo, what is the password of the garden gate?"
[[mind]]
name = "asked"
[[mind.rule]]
when = { remembers = ["plum blossom"] }
say = ["I know it."]
[[mind.rule]]
say = ["I do not know it."]
"#;

/// As in a live chat, a persona recalls in one place what it witnessed in another, and nobody else recalls it.
#[tokio::test]
async fn gr2_gr8_what_an_agent_witnessed_elsewhere_comes_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let (file, out) = (directory.path().join("s.toml"), directory.path().join("run"));
    fs::write(&file, CARRIED).unwrap();
    run(&file, &[], &out, &options(2)).await.unwrap();
    let said: Vec<_> = lines(&out).into_iter().filter(|line| line.kind == LineKind::Said).collect();
    let said: Vec<_> = said.iter().map(|line| (line.who.as_str(), line.text.as_str())).collect();
    assert_eq!(said, [("ada", "I know it."), ("bo", "I do not know it.")]);
}
