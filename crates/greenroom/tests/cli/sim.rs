//! Tests `greenroom sim`: runs that are killed, replayed, branched and compared, and problems of scenarios.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use greenroom_tests::Home;
use serde_json::Value;

use crate::{greenroom, run};

/// How often a run is killed. The acceptance test of SM5 uses `GREENROOM_SIM_KILLS=1000`.
fn kills() -> u64 {
    std::env::var("GREENROOM_SIM_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(12)
}

/// Runs until the recording has `bytes`, then kills the process. Returns whether it was killed.
fn run_and_kill(mut command: Command, calls: &Path, bytes: u64) -> bool {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    loop {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        if fs::metadata(calls).is_ok_and(|file| file.len() >= bytes) {
            child.kill().unwrap();
            child.wait().unwrap();
            return true;
        }
        std::thread::yield_now();
    }
}

#[test]
fn sm5_a_run_that_is_killed_again_and_again_ends_in_the_same_trace() {
    let home = Home::new();
    assert_eq!(run(&home, &["sim", "new", "town", "town"]).0, 0);
    let scenario = "town/scenario.toml";
    assert_eq!(run(&home, &["sim", "run", scenario, "--out", "whole", "--threads", "1"]).0, 0);
    let at = |name: &str| home.path().join(name);
    let (trace, size) =
        (fs::read(at("whole/trace.jsonl")).unwrap(), fs::metadata(at("whole/calls.jsonl")).unwrap().len());
    let mut killed = 0;
    let mut runs = 0;
    while killed < kills() {
        runs += 1;
        let (out, mut part) = (format!("run-{runs}"), 0);
        let calls = at(&out).join("calls.jsonl");
        let mut args = vec!["sim", "run", scenario, "--out", &out];
        loop {
            // at another position in the rest each time
            part += size.saturating_sub(part) * (1 + (killed * 7 + runs * 3) % 5) / 7 + 1;
            let threads = ["1", "2", "16"][(killed % 3) as usize];
            args.extend(["--threads", threads]);
            if !run_and_kill(greenroom(&home, &args), &calls, part) {
                break;
            }
            killed += 1;
            args = vec!["sim", "resume", &out];
        }
        assert!(fs::read(at(&out).join("trace.jsonl")).unwrap() == trace, "run {runs}");
        fs::remove_dir_all(at(&out)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn sm8_ctrl_c_leaves_a_run_that_can_be_resumed() {
    let home = Home::new();
    run(&home, &["sim", "new", "town"]);
    assert_eq!(run(&home, &["sim", "run", "town/scenario.toml", "--out", "whole"]).0, 0);
    let mut child = greenroom(&home, &["sim", "run", "town/scenario.toml", "--out", "cut"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (calls, pid) = (home.path().join("cut/calls.jsonl"), child.id().to_string());
    while child.try_wait().unwrap().is_none() && !fs::metadata(&calls).is_ok_and(|file| file.len() > 20_000) {
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("greenroom sim resume cut"), "{said}");
    assert_eq!(run(&home, &["sim", "resume", "cut"]).0, 0);
    let trace = |run: &str| fs::read(home.path().join(run).join("trace.jsonl")).unwrap();
    assert!(trace("cut") == trace("whole"));
}

#[test]
fn sm4_sm5_sm9_a_run_is_replayed_branched_compared_and_reported() {
    let home = Home::new();
    assert_eq!(run(&home, &["sim", "new", "tea-party"]).1, "tea-party/scenario.toml\n");
    let (code, out, err) = run(&home, &["sim", "run", "tea-party", "--json"]);
    let outcome: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, outcome["ended"].as_str(), outcome["run"].as_str()),
        (0, Some("time"), Some("runs/tea-party-1")),
        "{err}"
    );
    let (code, out, _) = run(&home, &["sim", "replay", "runs/tea-party-1", "--json"]);
    assert_eq!((code, serde_json::from_str::<Value>(&out).unwrap()["same"].as_bool()), (0, Some(true)));
    let again = run(&home, &["sim", "run", "tea-party/scenario.toml", "--out", "runs/tea-party-1"]);
    assert!(again.0 == 1 && again.2.contains("holds a run already"), "{again:?}");
    let set = "encounter.0.say={{ me }}, the lights go out.";
    let (code, _, err) =
        run(&home, &["sim", "branch", "runs/tea-party-1", "--at", "20m", "--set", set, "--out", "dark"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, _) = run(&home, &["sim", "diff", "runs/tea-party-1", "dark"]);
    assert!(
        code == 1 && out.contains("the lights go out") && out.contains("later lines depend on it"),
        "{out}"
    );
    assert_eq!(run(&home, &["sim", "diff", "dark", "dark"]).0, 0);
    let (code, out, err) = run(&home, &["sim", "report", "dark"]);
    assert_eq!((code, out.as_str()), (0, "dark/report.html\n"), "{err}");
    let page = fs::read_to_string(home.path().join("dark/report.html")).unwrap();
    assert!(page.contains("the lights go out") && !page.contains("\"DATA\""));
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    assert!(!page.contains("http-equiv") && !page.contains("src=\"http"), "nothing comes from elsewhere");
    let table = fs::read_to_string(home.path().join("dark/tables/topics.csv")).unwrap();
    assert!(table.contains("bridge") && table.contains("pearl"), "{table}");
    // receipts refer to lines, charts contain their shape, and pairs are listed even without an exchange
    assert!(page.contains("\"line\":") && page.contains("\"shape\":\"steps\""));
    let table = fs::read_to_string(home.path().join("dark/tables/together.csv")).unwrap();
    assert!(table.starts_with("agent,other,place,times,ms\r\niris,mina,parlour,1,"), "{table}");
}

#[test]
fn sm1_problems_of_a_scenario_are_told_with_their_places() {
    let home = Home::new();
    home.write("s.toml", "name = \"n\"\n[[agent]]\nname = \"ada\"\nprompt = \"x\"\nat = \"cafe\"\n");
    let (code, out, err) = run(&home, &["sim", "check", "s.toml"]);
    assert_eq!((code, err.as_str()), (1, "1 problem\n"));
    assert_eq!(out, "s.toml:5:6: there is no place `cafe`; there is none yet\n");
    let (code, out, _) = run(&home, &["sim", "check", "s.toml", "--json"]);
    assert_eq!((code, serde_json::from_str::<Value>(&out).unwrap()[0]["line"].as_u64()), (1, Some(5)));
    let (code, _, err) = run(&home, &["sim", "run", "s.toml"]);
    assert!(code == 1 && err.contains("there is no place `cafe`"), "{err}");
    home.write(
        "t.toml",
        "name = \"n\"\n[[place]]\nname = \"p\"\n[[agent]]\nname = \"a\"\npersona = \"a.md\"\nat = \"p\"\n",
    );
    home.write("a.md", "---\ntools: [fly]\n---\nYou are A.\n");
    let (code, out, _) = run(&home, &["sim", "check", "t.toml"]);
    assert!(code == 1 && out.contains("unknown tool") && out.contains("a.md:2"), "{out}");
    // valid input that is probably a mistake gives a warning
    let mind = "name = \"n\"\n[[place]]\nname = \"p\"\n[[agent]]\nname = \"a\"\nprompt = \"A.\"\nat = \"p\"\n[[mind]]\nname = \"idle\"\n";
    home.write("w.toml", mind);
    let (code, out, err) = run(&home, &["sim", "check", "w.toml"]);
    assert_eq!((code, err.as_str()), (0, "0 problems, 1 warning\n"), "{out}");
    assert!(out.starts_with("w.toml:9:8: warning: no agent has the mind `idle`"), "{out}");
    // a missing file is a usage error for both commands
    for command in ["check", "run"] {
        let (code, _, err) = run(&home, &["sim", command, "none.toml"]);
        assert!(code == 2 && err.contains("none.toml") && err.contains("sim new"), "{command}: {code} {err}");
    }
    // a missing persona is reported before any file is written
    home.write(
        "m.toml",
        "name = \"n\"\n[[place]]\nname = \"p\"\n[[agent]]\nname = \"a\"\npersona = \"b.md\"\nat = \"p\"\n",
    );
    let (code, _, err) = run(
        &home,
        &["sim", "run", "m.toml", "--out", "m", "--model", "x", "--base-url", "http://127.0.0.1:9/v1"],
    );
    assert!(code == 1 && err.contains("m.toml:6:11: `b.md` cannot be read"), "{code} {err}");
    let (code, _, err) = run(&home, &["sim", "new", "tea-party", "."]);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = run(&home, &["sim", "new", "tea-party", "."]);
    assert!(
        code == 1 && err.contains("scenario.toml exists, so nothing was written; name another directory"),
        "{err}"
    );
    let schema = run(&home, &["sim", "check", "--schema"]).1;
    assert!(serde_json::from_str::<Value>(&schema).is_ok());
}

#[test]
fn sm6_the_agents_that_a_model_plays_have_to_be_there() {
    let home = Home::new();
    run(&home, &["sim", "new", "tea-party"]);
    let model = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1"];
    let args =
        [&["sim", "run", "tea-party/scenario.toml", "--out", "run", "--agents", "iri,otto"], &model[..]];
    let (code, _, err) = run(&home, &args.concat());
    assert!(code == 1 && err.contains("there is no agent `iri`; write `iris`"), "{err}");
    assert!(!home.path().join("run").exists(), "nothing is left behind");
}

#[test]
fn sm10_the_opinions_run_by_rule() {
    let home = Home::new();
    assert_eq!(run(&home, &["sim", "new", "opinions"]).0, 0);
    let args = ["sim", "run", "opinions/scenario.toml", "--set", "population.size=2000", "--json"];
    let (code, out, err) = run(&home, &args);
    let outcome: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, outcome["ended"].as_str()), (0, Some("quiescent")), "{err}");
    let trace = fs::read_to_string(home.path().join("runs/opinions-1/trace.jsonl")).unwrap();
    let last: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let clusters = last.iter().rev().find(|line| line["who"] == "clusters").unwrap();
    assert_eq!(clusters["value"].as_f64(), Some(2.0));
}

#[test]
fn sm6_what_is_wrong_is_told_before_a_model_is_looked_for_and_a_named_model_is_not_replaced() {
    let home = Home::new();
    run(&home, &["sim", "new", "tea-party"]);
    let scenario = "tea-party/scenario.toml";
    let (code, _, err) = run(&home, &["sim", "run", scenario, "--model", "gpt-4o", "--agents", "iri"]);
    assert_eq!((code, err.as_str()), (1, "error: there is no agent `iri`; write `iris`\n"));
    let (code, out, err) = run(&home, &["sim", "run", scenario, "--model", "gpt-4o"]);
    assert!(
        code == 2 && out.is_empty() && err.contains("no endpoint is known that has the model `gpt-4o`"),
        "{err}"
    );
    assert!(!home.path().join("runs").exists(), "nothing is left behind");
}

#[test]
fn sm5_a_branch_and_a_run_without_their_model_leave_nothing_behind() {
    let home = Home::new();
    run(&home, &["sim", "new", "tea-party"]);
    let scenario = "tea-party/scenario.toml";
    let model = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1"];
    let free = [&["sim", "run", scenario, "--out", "free", "--set", "stop.cost=1.0"], &model[..]].concat();
    let (code, _, err) = run(&home, &free);
    assert!(code == 1 && err.contains("its price is not known"), "{err}");
    assert!(!home.path().join("free").exists());
    assert_eq!(run(&home, &["sim", "run", scenario, "--out", "run"]).0, 0);
    // the override replaces the scripts by minds that this program does not have
    let without = "mind=[{name='iris'}, {name='otto'}, {name='mina'}, {name='tobias'}, {name='pearl'}]";
    let branch = ["sim", "branch", "run", "--at", "20m", "--out", "dark", "--set", without];
    let (code, _, err) = run(&home, &branch);
    assert!(code == 1 && err.contains("no model answers for"), "{err}");
    assert!(!home.path().join("dark").exists(), "{err}");
    let (code, _, err) = run(&home, &["sim", "resume", "run"]);
    assert!(code == 0 && err.contains("run has ended already"), "{err}");
    // a killed run of a model: no model is fetched, and the trace stays
    let file = home.path().join("run/run.json");
    let killed: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let killed = serde_json::json!({
        "name": killed["name"], "input": "input", "live_agents": "all", "models": { "iris": ["gpt-4o", 8192] },
    });
    fs::write(&file, killed.to_string()).unwrap();
    let trace = fs::read(home.path().join("run/trace.jsonl")).unwrap();
    let (code, _, err) = run(&home, &["sim", "resume", "run"]);
    assert!(code == 2 && err.starts_with("error: the run has asked the model `gpt-4o`"), "{err}");
    assert!(fs::read(home.path().join("run/trace.jsonl")).unwrap() == trace);
}

#[cfg(unix)]
#[test]
fn sm1_an_argument_that_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let home = Home::new();
    let mut command = greenroom(&home, &["sim", "check"]);
    let output = command.arg(std::ffi::OsStr::from_bytes(b"x\xff")).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn sm5_a_difference_of_populations_shows_their_values() {
    let home = Home::new();
    run(&home, &["sim", "new", "opinions"]);
    for (out, seed) in [("a", "1"), ("b", "2")] {
        let args = [
            "sim",
            "run",
            "opinions/scenario.toml",
            "--out",
            out,
            "--seed",
            seed,
            "--set",
            "population.size=200",
        ];
        assert_eq!(run(&home, &args).0, 0);
    }
    let (code, out, _) = run(&home, &["sim", "diff", "a", "b"]);
    let values: Vec<f64> = out.lines().filter_map(|line| line.rsplit_once(": ")?.1.parse().ok()).collect();
    assert!(code == 1 && values.len() == 2 && values[0] != values[1], "{out}");
    assert!(!out.contains("it reached"), "{out}");
    let (code, _, err) = run(&home, &["sim", "diff", "a", "c"]);
    assert!(code == 1 && err.contains("c holds no run"), "{err}");
}

/// A vote of five agents; the answers come from an endpoint that does not exist.
const VOTE: &str = r#"
name = "Vote"
[clock]
end = "20m"
[[place]]
name = "hall"
[[place]]
name = "out"
[[cast]]
prompt = "You are {{ name }}."
at = "hall"
generate = { count = 5, name = "v" }
[[probe]]
name = "vote"
at = "10m"
ask = "Do you agree?"
choices = ["yes", "no"]
[[move]]
at = "12m"
to = "out"
probe = "vote"
words = ["no"]
[[measure]]
name = "no votes"
probe = "vote"
words = ["no"]
"#;

#[test]
fn sm8_sm9_a_probe_that_fails_is_no_answer_and_a_run_of_failures_fails() {
    let home = Home::new();
    home.write("vote.toml", VOTE);
    let dead = ["--base-url", "http://127.0.0.1:1/v1", "--model", "mock"];
    let (code, out, err) =
        run(&home, &[&["sim", "run", "vote.toml", "--out", "vote", "--json"], &dead[..]].concat());
    let outcome: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &outcome["failed"], &outcome["answers"]), (1, &5.into(), &0.into()), "{out} {err}");
    assert!(err.contains("--retry-failed"), "{err}");
    assert_eq!(run(&home, &["sim", "report", "vote"]).0, 0);
    let table = |name: &str| fs::read_to_string(home.path().join("vote/tables").join(name)).unwrap();
    assert!(table("measures.csv").contains("600000,no votes,0.0"), "{}", table("measures.csv"));
    assert_eq!(table("moves.csv").lines().count(), 1, "nobody has said so: {}", table("moves.csv"));
    assert!(table("probes.csv").contains("600000,vote,v-1,,,cannot reach"), "{}", table("probes.csv"));
}

#[test]
fn sm5_runs_that_begin_together_have_directories_of_their_own() {
    let home = Home::new();
    assert_eq!(run(&home, &["sim", "new", "tea-party", "tea"]).0, 0);
    let start = |seed: u32| {
        let seed = seed.to_string();
        let mut command = greenroom(&home, &["sim", "run", "tea/scenario.toml", "--seed", &seed]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    };
    let running: Vec<_> = (1..=4).map(start).collect();
    let mut directories: Vec<_> = running
        .into_iter()
        .map(|child| {
            let done = child.wait_with_output().unwrap();
            assert!(done.status.success());
            String::from_utf8(done.stdout).unwrap()
        })
        .collect();
    directories.sort();
    directories.dedup();
    assert_eq!(directories.len(), 4, "{directories:?}");
}

#[test]
fn sm5_a_trace_that_was_changed_or_removed_is_made_again() {
    let home = Home::new();
    assert_eq!(run(&home, &["sim", "new", "tea-party", "tea"]).0, 0);
    assert_eq!(run(&home, &["sim", "run", "tea/scenario.toml", "--out", "r"]).0, 0);
    let file = home.path().join("r/trace.jsonl");
    let trace = fs::read_to_string(&file).unwrap();
    fs::write(&file, trace.replacen('a', "b", 1)).unwrap();
    assert_eq!(run(&home, &["sim", "replay", "r"]).0, 1, "it is another one");
    assert_eq!(run(&home, &["sim", "resume", "r"]).0, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), trace);
    fs::remove_file(&file).unwrap();
    for command in ["replay", "report"] {
        let (code, _, err) = run(&home, &["sim", command, "r"]);
        assert_ne!(code, 0);
        assert!(err.contains("r has no trace; `greenroom sim resume r` makes it again"), "{err}");
    }
    assert_eq!(run(&home, &["sim", "resume", "r"]).0, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), trace);
    let (_, _, err) = run(&home, &["sim", "resume", "r"]);
    assert!(err.contains("has ended already, and nothing was asked"), "{err}");
}
