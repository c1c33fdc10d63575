//! The input of a run: its own copy of what the scenario and its changes name.

use std::{env, fs, path::Path, process::Command};

use greenroom_sim::{SimError, branch, check_is_free, run};

use crate::house::{lines, options};

const SCENARIO: &str = "name = \"n\"\n[clock]\nend = \"10m\"\n[[place]]\nname = \"p\"\n[[agent]]\nname = \"ada\"\npersona = \"ada.md\"\n\
    at = \"p\"\nmind = \"m\"\n[[event]]\nat = \"1m\"\nevery = \"30s\"\nplace = \"p\"\nto = \"ada\"\nsay = \"Well, what do you say?\"\n\
    [[mind]]\nname = \"m\"\n[[mind.rule]]\nsay = [\"Hm.\", \"Let me think of it.\", \"I do not know yet.\"]\n";

fn write(directory: &Path) -> std::path::PathBuf {
    let file = directory.join("scenario.toml");
    fs::create_dir_all(directory.join("alt")).unwrap();
    fs::write(&file, SCENARIO).unwrap();
    fs::write(directory.join("ada.md"), "---\nname: ada\n---\nYou are Ada.").unwrap();
    fs::write(directory.join("alt/ada.md"), "---\nname: ada\n---\nYou are another Ada.").unwrap();
    fs::write(directory.join("w.py"), "import sys\nfor line in sys.stdin: print('{}', flush=True)\n")
        .unwrap();
    file
}

#[tokio::test]
async fn sm4_files_that_a_change_names_belong_to_the_input() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(directory.path());
    for (n, (set, copied)) in [
        ("agent.0.persona=alt/ada.md", "alt/ada.md"),
        ("world={command=[\"python3\", \"w.py\"], every=\"1m\"}", "w.py"),
        ("world={command=[\"true\"], every=\"1h\", files=[\"w.py\"]}", "w.py"),
    ]
    .into_iter()
    .enumerate()
    {
        let out = directory.path().join(format!("run-{n}"));
        run(&file, &[set.to_owned()], &out, &options(1)).await.unwrap();
        assert!(out.join("input").join(copied).is_file(), "{set}");
    }
    let out = directory.path().join("none");
    let set = ["agent.0.persona=alt/eve.md".to_owned()];
    let error = run(&file, &set, &out, &options(1)).await.unwrap_err().to_string();
    assert!(error.contains("--set agent.0.persona=alt/eve.md: `alt/eve.md` cannot be read"), "{error}");
    assert!(!out.exists());
}

/// What a directory holds of another run is neither used nor written over.
#[tokio::test]
async fn sm4_a_part_of_another_run_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(directory.path());
    let whole = directory.path().join("whole");
    run(&file, &[], &whole, &options(1)).await.unwrap();
    for part in ["calls.jsonl", "trace.jsonl", "input"] {
        let out = directory.path().join(format!("with-{part}"));
        fs::create_dir(&out).unwrap();
        match part {
            "input" => {
                fs::create_dir(out.join(part)).unwrap();
                fs::write(out.join("input/scenario.toml"), "mine").unwrap();
            }
            _ => _ = fs::copy(whole.join(part), out.join(part)).unwrap(),
        }
        for error in [
            run(&file, &[], &out, &options(1)).await.unwrap_err(),
            branch(&whole, 60_000, &[], &out).unwrap_err(),
            check_is_free(&out).unwrap_err(),
        ] {
            assert!(matches!(&error, SimError::Occupied { part: found, .. } if *found == part), "{error}");
            assert!(error.to_string().contains("name another directory"), "{error}");
        }
        assert!(!out.join("run.json").exists());
    }
    let mine = directory.path().join("with-input/input/scenario.toml");
    assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
}

/// An hour of virtual time has as many tokens as the scenario needs; `[stop]` limits them.
#[tokio::test]
async fn sm8_an_agent_has_no_limit_of_an_hour_but_that_of_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(directory.path());
    let long = "Tell us in your own words what you saw on that evening. ".repeat(20);
    let text =
        SCENARIO.replace("Well, what do you say?", &long).replace("every = \"30s\"", "every = \"10s\"");
    fs::write(&file, &text).unwrap();
    let prompt = directory.path().join("prompt.toml");
    fs::write(&prompt, text.replace("persona = \"ada.md\"", "prompt = \"You are Ada.\"")).unwrap();
    for (n, scenario) in [&file, &prompt].into_iter().enumerate() {
        let outcome =
            run(scenario, &[], &directory.path().join(format!("run-{n}")), &options(2)).await.unwrap();
        assert!(outcome.usage.total() > 100_000, "{outcome:?}");
        assert_eq!(outcome.failed, 0, "{outcome:?}");
    }
    let limited = "---\nname: ada\nlimits: { tokens_per_hour: 2000 }\n---\nYou are Ada.";
    fs::write(directory.path().join("ada.md"), limited).unwrap();
    let out = directory.path().join("limited");
    assert!(run(&file, &[], &out, &options(2)).await.unwrap().failed > 0);
    assert!(lines(&out).iter().any(|line| line.text.contains("raise limits.tokens_per_hour")));
}

#[test]
fn sm4_settings_of_the_working_directory_are_no_part_of_a_run() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("greenroom.toml"), "[limits]\ntokens_per_hour = 10\n").unwrap();
    // only a process of its own can have another working directory
    let test = "inputs::sm8_an_agent_has_no_limit_of_an_hour_but_that_of_its_file";
    let mut tests = Command::new(env::current_exe().unwrap());
    let done = tests.args(["--exact", test]).current_dir(directory.path()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

/// An interview is no decision of a room.
#[tokio::test]
async fn sm9_a_probe_is_answered_by_an_agent_that_answers_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(directory.path());
    let sets = ["agent.0.answer=never", "probe.0={name=\"mood\", at=\"2m\", ask=\"How are you?\"}"];
    let out = directory.path().join("run");
    run(&file, &sets.map(str::to_owned), &out, &options(1)).await.unwrap();
    let lines = lines(&out);
    let answers: Vec<_> = lines.iter().filter(|line| line.who == "ada").collect();
    assert!(matches!(&answers[..], [only] if only.probe.as_deref() == Some("mood")), "{answers:?}");
}
