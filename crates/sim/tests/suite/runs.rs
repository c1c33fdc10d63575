//! The directory of a run: moved, damaged, limited runs.

use std::fs;

use greenroom_context::profile_for;
use greenroom_runtime::ResolvedModel;
use greenroom_sim::{EndReason, LiveAgents, Options, SimError, branch, replay, resume, run, write_report};

use crate::{
    house::{as_killed, options, sample},
    minds::Silent,
};

#[tokio::test]
async fn sm5_a_run_and_its_branch_can_be_moved() {
    let directory = tempfile::tempdir().unwrap();
    let (before, after) = (directory.path().join("before"), directory.path().join("after"));
    fs::create_dir(&before).unwrap();
    run(&sample("tea-party"), &[], &before.join("run"), &options(2)).await.unwrap();
    let change = ["seed=9".to_owned()];
    branch(&before.join("run"), 10 * 60_000, &change, &before.join("branch")).unwrap();
    resume(&before.join("branch"), &options(2)).await.unwrap();
    fs::rename(&before, &after).unwrap();
    for name in ["run", "branch"] {
        assert_eq!(replay(&after.join(name), &options(1)).await.unwrap().same, Some(true), "{name}");
    }
    let error = branch(&after.join("run"), 99 * 3_600_000, &change, &after.join("late")).unwrap_err();
    assert!(error.to_string().contains("nothing is left to be otherwise"), "{error}");
}

#[tokio::test]
async fn sm4_a_damaged_recording_is_told_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run(&sample("tea-party"), &[], &out, &options(2)).await.unwrap();
    let calls = out.join("calls.jsonl");
    let mut lines: Vec<_> = fs::read_to_string(&calls).unwrap().lines().map(str::to_owned).collect();
    "garbage".clone_into(&mut lines[2]);
    fs::write(&calls, lines.join("\n")).unwrap();
    for error in [
        replay(&out, &options(1)).await.unwrap_err().to_string(),
        resume(&out, &options(1)).await.unwrap_err().to_string(),
    ] {
        assert!(error.contains("calls.jsonl: line 3 is no call"), "{error}");
    }
}

#[tokio::test]
async fn sm8_places_make_no_more_calls_ahead_than_are_left() {
    let directory = tempfile::tempdir().unwrap();
    for (limit, most) in [(1, 6), (10, 20)] {
        let out = directory.path().join(format!("run-{limit}"));
        let outcome =
            run(&sample("town"), &[format!("stop.calls={limit}")], &out, &options(4)).await.unwrap();
        assert_eq!(outcome.ended, EndReason::Calls);
        assert!(outcome.calls + outcome.unused_calls <= most, "{outcome:?}");
    }
}

#[tokio::test]
async fn sm8_a_limit_of_cost_needs_a_price() {
    let directory = tempfile::tempdir().unwrap();
    let model = ResolvedModel {
        model: std::sync::Arc::new(Silent),
        name: "no-price".into(),
        profile: profile_for("no-price", None),
    };
    let live = Options { live: Some(std::sync::Arc::new(model)), live_agents: LiveAgents::All, ..options(1) };
    let sets = ["stop.cost=0.5".to_owned()];
    let error = run(&sample("tea-party"), &sets, &directory.path().join("run"), &live).await.unwrap_err();
    assert!(matches!(&error, SimError::NoPrice { model } if model == "no-price"), "{error}");
}

/// Errors name the user's original files, not copies, and a run that does not start leaves nothing behind.
#[tokio::test]
async fn sm1_a_run_of_a_scenario_with_problems_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = directory.path().join("scenario.toml");
    let text = "name = \"n\"\n[[place]]\nname = \"p\"\n[[agent]]\nname = \"ada\"\npersona = \"ada.md\"\nat = \"p\"\n\
                mind = \"m\"\n[[mind]]\nname = \"m\"\n[[mind.rule]]\nsay = [\"Hm.\"]\n";
    fs::write(&scenario, text).unwrap();
    fs::write(directory.path().join("ada.md"), "---\nname: [\n---\n").unwrap();
    let out = directory.path().join("run");
    let error = run(&scenario, &[], &out, &options(1)).await.unwrap_err().to_string();
    let file = directory.path().join("ada.md");
    assert!(error.contains(&file.display().to_string()), "{error}");
    assert!(!out.exists(), "{error}");
}

/// The folder that an import keeps beside a persona's file belongs to the input of a run.
#[tokio::test]
async fn sm4_the_folder_of_an_imported_persona_is_copied_with_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let personas = directory.path().join("personas");
    fs::create_dir_all(personas.join("ada/lore")).unwrap();
    fs::write(personas.join("ada.md"), "---\nname: ada\n---\nYou are Ada.").unwrap();
    fs::write(personas.join("ada/lore/pier.txt"), "The pier is closed.").unwrap();
    let scenario = directory.path().join("scenario.toml");
    let text = "name = \"n\"\n[[place]]\nname = \"p\"\n[[agent]]\nname = \"ada\"\npersona = \"personas/ada.md\"\nat = \"p\"\n\
                mind = \"m\"\n[[mind]]\nname = \"m\"\n[[mind.rule]]\nsay = [\"Hm.\"]\n";
    fs::write(&scenario, text).unwrap();
    let out = directory.path().join("run");
    run(&scenario, &[], &out, &options(1)).await.unwrap();
    let copied = fs::read_to_string(out.join("input/personas/ada/lore/pier.txt")).unwrap();
    assert_eq!(copied, "The pier is closed.");
}

#[tokio::test]
async fn sm5_a_resume_that_fails_leaves_the_trace_and_one_of_a_finished_run_does_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let outcome = run(&sample("tea-party"), &[], &out, &options(2)).await.unwrap();
    let trace = fs::read(out.join("trace.jsonl")).unwrap();
    let scenario = out.join("input/scenario.toml");
    let text = fs::read_to_string(&scenario).unwrap();
    // a seed other than the recording's, and a mind that does not exist
    for (from, to) in [("seed = ", "seed = 7"), ("mind = \"", "mind = \"no")] {
        fs::write(&scenario, text.replace(from, to)).unwrap();
        assert_eq!(resume(&out, &options(2)).await.unwrap(), outcome, "it has ended already");
        as_killed(&out);
        resume(&out, &options(2)).await.unwrap_err();
        assert!(fs::read(out.join("trace.jsonl")).unwrap() == trace, "{to}");
        assert!(!out.join("trace.jsonl.new").exists());
        fs::write(&scenario, &text).unwrap();
        assert_eq!(resume(&out, &options(2)).await.unwrap(), outcome);
    }
    // a damaged trace is rebuilt
    let longer = [&trace[..], b"{\n"].concat();
    for damaged in [vec![0; trace.len()], longer, trace[..trace.len() / 2].to_vec()] {
        fs::write(out.join("trace.jsonl"), damaged).unwrap();
        resume(&out, &options(2)).await.unwrap();
        assert!(fs::read(out.join("trace.jsonl")).unwrap() == trace);
    }
}

#[tokio::test]
async fn sm5_a_branch_with_an_event_of_the_past_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let (out, other) = (directory.path().join("run"), directory.path().join("branch"));
    run(&sample("tea-party"), &[], &out, &options(2)).await.unwrap();
    for set in [
        "event.0={at=\"10m\", place=\"parlour\", say=\"Fire!\"}",
        "move=[{at=\"10m\", to=\"parlour\"}]",
        "probe=[{name=\"p\", at=\"10m\", ask=\"Well?\"}]",
    ] {
        let error = branch(&out, 30 * 60_000, &[set.to_owned()], &other).unwrap_err().to_string();
        assert!(
            error.contains("at 10m is before the branch, which begins 1800 s after the start"),
            "{error}"
        );
        assert!(!other.exists());
    }
}

#[tokio::test]
async fn sm9_a_damaged_trace_is_told_with_its_line_and_its_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run(&sample("tea-party"), &[], &out, &options(2)).await.unwrap();
    let trace = fs::read_to_string(out.join("trace.jsonl")).unwrap();
    fs::write(out.join("trace.jsonl"), trace.replacen("\"kind\":\"said\"", "\"kind\":\"sa", 1)).unwrap();
    let error = write_report(&out).unwrap_err().to_string();
    assert!(error.contains("trace.jsonl: line 2 is no line of a trace; remove the file"), "{error}");
    // the last line of a killed run's trace may be incomplete
    fs::write(out.join("trace.jsonl"), &trace[..trace.len() - 9]).unwrap();
    write_report(&out).unwrap();
    fs::write(out.join("run.json"), "{").unwrap();
    let error = write_report(&out).unwrap_err().to_string();
    assert!(error.contains("run.json: this is no file of a run"), "{error}");
}

#[tokio::test]
async fn sm4_a_run_without_an_end_is_to_be_resumed_before_its_replay() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run(&sample("tea-party"), &[], &out, &options(2)).await.unwrap();
    as_killed(&out);
    let error = replay(&out, &options(1)).await.unwrap_err();
    assert!(matches!(error, SimError::Unended { .. }), "{error}");
    assert!(error.to_string().contains("greenroom sim resume"), "{error}");
    resume(&out, &options(2)).await.unwrap();
    assert_eq!(replay(&out, &options(1)).await.unwrap().same, Some(true));
}

#[tokio::test]
async fn sm2_the_time_of_day_before_1970_is_that_of_the_clock() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let sets = ["clock.start=1637-02-03T09:07:00Z", "encounter.0={every=\"1h\", say=\"It is {{ time }}.\"}"];
    run(&sample("tea-party"), &sets.map(str::to_owned), &out, &options(2)).await.unwrap();
    let trace = fs::read_to_string(out.join("trace.jsonl")).unwrap();
    assert!(trace.contains("It is 9:07."), "{trace}");
}
