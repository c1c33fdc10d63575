//! Events in places: independent of events in other places, and visible only to the agents who are there.

use std::{
    fs,
    path::{Path, PathBuf},
};

use greenroom_sim::{LineKind, SimError, replay, resume, run};

use crate::house::{lines, options, sample};

/// Writes a scenario of two minutes: the places, agents with one script, and additional text.
fn scenario(directory: &Path, places: &[&str], agents: &[(&str, &str)], more: &str) -> PathBuf {
    let mut text = "name = \"harbour\"\n[clock]\nend = \"4h\"\n".to_owned();
    for place in places {
        text.push_str(&format!("[[place]]\nname = \"{place}\"\nchain = 4\npair = 2\n"));
    }
    for (name, at) in agents {
        text.push_str(&format!(
            "[[agent]]\nname = \"{name}\"\nprompt = \"You are {name}.\"\nat = \"{at}\"\nmind = \"m\"\nanswer = \"talkative\"\n\
             talkativeness = 0.5\n"
        ));
    }
    text.push_str(more);
    text.push_str(
        "[[mind]]\nname = \"m\"\n[[mind.rule]]\nsay = [\"The ferry is late.\", \"I saw a seal today.\", \"Who mended \
         the nets?\", \"It will rain.\"]\n",
    );
    let file = directory.join("scenario.toml");
    fs::write(&file, text).unwrap();
    file
}

/// One store numbers the messages of all places, in the order in which threads reach it. The numbers must not affect
/// random draws.
#[tokio::test]
async fn sm3_what_agents_draw_does_not_depend_on_what_is_said_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let agents: Vec<_> = (0..12).map(|n| (format!("a{n}"), ["quay", "tavern", "market"][n % 3])).collect();
    let agents: Vec<_> = agents.iter().map(|(name, at)| (name.as_str(), *at)).collect();
    let events: String = ["quay", "tavern", "market"]
        .iter()
        .map(|place| {
            format!(
                "[[event]]\nat = \"1m\"\nevery = \"10m\"\nplace = \"{place}\"\nsay = \"The bell rings.\"\n"
            )
        })
        .collect();
    let file = scenario(directory.path(), &["quay", "tavern", "market"], &agents, &events);
    let mut seen: Option<(String, u64)> = None;
    for (n, threads) in [1, 4, 2, 4, 16, 4].into_iter().enumerate() {
        let out = directory.path().join(format!("run-{n}"));
        let calls = run(&file, &[], &out, &options(threads)).await.unwrap().calls;
        let trace = fs::read_to_string(out.join("trace.jsonl")).unwrap();
        let (first, made) = seen.get_or_insert_with(|| (trace.clone(), calls));
        assert!(*first == trace && *made == calls, "run {n} on {threads} threads");
    }
}

#[tokio::test]
async fn sm7_who_is_elsewhere_neither_hears_nor_answers() {
    let directory = tempfile::tempdir().unwrap();
    let events = "[[move]]\nat = \"1h\"\nwho = [\"runa\"]\nto = \"market\"\n\
        [[event]]\nat = \"2h\"\nplace = \"quay\"\nto = \"runa\"\nsay = \"Runa, are you there?\"\n\
        [[event]]\nat = \"3h\"\nplace = \"quay\"\nsay = \"@runa and Liv, the ferry!\"\n\
        [[event]]\nat = \"3h\"\nplace = \"quay\"\nto = \"liv\"\nsay = \"Liv, come down here!\"\n";
    let agents = [("runa", "quay"), ("bjorn", "quay"), ("liv", "tavern")];
    let file = scenario(directory.path(), &["quay", "tavern", "market"], &agents, events);
    let out = directory.path().join("run");
    run(&file, &["agent.1.answer=always".to_owned()], &out, &options(2)).await.unwrap();
    let lines = lines(&out);
    let said: Vec<_> =
        lines.iter().filter(|line| line.kind == LineKind::Said && line.ms > 3_600_000).collect();
    assert!(said.iter().all(|line| line.who == "bjorn"), "{said:?}");
    assert!(!said.is_empty(), "who is there answers what was meant for another");
    let told = lines.iter().filter(|line| line.kind == LineKind::Told && line.ms > 3_600_000);
    assert!(told.into_iter().all(|line| line.to.is_none() && line.heard == ["bjorn"]), "{lines:?}");
}

const WORLD: &str = "import json, sys\nimport rules\n\
for line in sys.stdin:\n    asked = json.loads(line)\n    print(json.dumps(rules.answer(asked)), flush=True)\n";
const RULES: &str = "def answer(asked):\n    says = [{\"place\": said[\"place\"], \"text\": said[\"who\"] + \" has spoken.\"} \
for said in asked[\"said\"]]\n    return {\"says\": says[:1]}\n";

#[tokio::test]
async fn sm6_a_world_process_hears_what_was_said_and_has_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let more = "[world]\ncommand = [\"python3\", \"world.py\"]\nfiles = [\"rules.py\"]\nevery = \"30m\"\n\
        [[event]]\nat = \"1m\"\nplace = \"quay\"\nto = \"runa\"\nsay = \"Good morning.\"\n";
    let file = scenario(directory.path(), &["quay"], &[("runa", "quay")], more);
    fs::write(directory.path().join("world.py"), WORLD).unwrap();
    fs::write(directory.path().join("rules.py"), RULES).unwrap();
    let out = directory.path().join("run");
    run(&file, &[], &out, &options(2)).await.unwrap();
    assert!(lines(&out).iter().any(|line| line.text == "runa has spoken." && line.ms == 1_800_000));
}

#[tokio::test]
async fn sm6_a_world_process_that_ends_is_told_with_its_exit_code_and_time() {
    let directory = tempfile::tempdir().unwrap();
    let more = "[world]\ncommand = [\"python3\", \"-c\", \"exit(3)\"]\nevery = \"30m\"\n";
    let file = scenario(directory.path(), &["quay"], &[("runa", "quay")], more);
    let error = run(&file, &[], &directory.path().join("run"), &options(1)).await.unwrap_err();
    assert!(matches!(error, SimError::World(_)));
    let error = error.to_string();
    assert!(
        error.contains("exit status: 3") && error.contains("asked 1800000 ms after the start"),
        "{error}"
    );
}

#[tokio::test]
async fn sm10_who_says_that_it_goes_goes() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run(&sample("town"), &[], &out, &options(3)).await.unwrap();
    let lines = lines(&out);
    let say_so = lines
        .iter()
        .filter(|line| line.probe.as_deref() == Some("five o'clock") && line.text.contains("party"));
    let come = lines.iter().filter(|line| line.kind == LineKind::Moved && line.place == "party");
    let [mut say_so, mut come]: [Vec<_>; 2] =
        [say_so.map(|line| line.who.as_str()).collect(), come.map(|line| line.who.as_str()).collect()];
    say_so.sort_unstable();
    come.sort_unstable();
    assert!(come.len() > 3, "{come:?}");
    assert_eq!(say_so, come);
}

#[tokio::test]
async fn sm6_a_game_master_decides_what_comes_of_what_people_do() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run(&sample("dinner"), &[], &out, &options(2)).await.unwrap();
    let lines = lines(&out);
    let told =
        |text: &str| lines.iter().filter(|line| line.who == "World" && line.text.contains(text)).count();
    assert_eq!(told("takes a helping"), 3, "the pot holds three");
    assert!(told("the pot is empty") > 0);
    assert_eq!(replay(&out, &options(1)).await.unwrap().same, Some(true));
}

/// A scenario with this Python program as world process, which is asked every 5 minutes.
fn with_world(directory: &Path, program: &str) -> PathBuf {
    let more = "[world]\ncommand = [\"python3\", \"w.py\"]\nevery = \"5m\"\n\
        [[event]]\nat = \"1m\"\nplace = \"quay\"\nto = \"runa\"\nsay = \"Good morning.\"\n";
    fs::write(directory.join("w.py"), program).unwrap();
    scenario(directory, &["quay"], &[("runa", "quay")], more)
}

const ANSWERS: &str = "import sys\nfor line in sys.stdin: print('{}', flush=True)\n";

#[tokio::test]
async fn sm6_a_world_process_that_answers_wrongly_is_mended_and_the_run_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    for (n, (wrong, says)) in [
        ("hello", "it wrote `hello`: expected value"),
        (r#"{"moves": [{"who": "runa", "to": "moon"}]}"#, "there is no place `moon`"),
        (r#"{"says": [{"place": "quay", "to": "eve", "text": "x"}]}"#, "there is no agent `eve`"),
        (r#"{"move": []}"#, "unknown field `move`"),
        ("\\xff", "it wrote `\u{fffd}`, which is not UTF-8"),
    ]
    .into_iter()
    .enumerate()
    {
        let program = format!(
            "import sys\nfor n, line in enumerate(sys.stdin):\n    sys.stdout.buffer.write(b'{wrong}\\n' if n == 2 else b'{{}}\\n')\n    \
             sys.stdout.flush()\n"
        );
        let file = with_world(directory.path(), &program);
        let out = directory.path().join(format!("run-{n}"));
        let error = run(&file, &[], &out, &options(2)).await.unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("asked 900000 ms after the start"), "{error}");
        fs::write(out.join("input/w.py"), ANSWERS).unwrap();
        resume(&out, &options(2)).await.unwrap();
        assert_eq!(replay(&out, &options(1)).await.unwrap().same, Some(true), "{wrong}");
    }
}

#[tokio::test]
async fn sm6_a_line_of_the_world_process_without_a_question_or_without_an_end_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    for (n, (program, says)) in [
        (
            "import sys\nprint('{}', flush=True)\nfor line in sys.stdin: print('{\"moves\": []}', flush=True)\n",
            // the error quotes either of the two lines
            "` without a question: one line for each that it reads",
        ),
        (
            "import sys\nfor line in sys.stdin: print('{}'); print('debug', flush=True)\n",
            "it wrote `debug` without",
        ),
        ("import sys\nfor line in sys.stdin:\n    while True: sys.stdout.write('x' * 1000000)\n", "it wrote 16 MB without the end of a line"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = with_world(directory.path(), program);
        let out = directory.path().join(format!("run-{n}"));
        let error = run(&file, &[], &out, &options(2)).await.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        fs::write(out.join("input/w.py"), ANSWERS).unwrap();
        resume(&out, &options(2)).await.unwrap();
    }
}

/// An answer that nearly repeats the agent's previous answer reaches nobody, but is a line of the trace (RM4, SM9).
#[tokio::test]
async fn sm9_an_answer_that_is_withheld_is_a_line_of_the_trace_that_nobody_heard() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("votes.toml");
    let agent = |name: &str| {
        format!(
            "[[agent]]\nname = \"{name}\"\nprompt = \"x\"\nat = \"a\"\nmind = \"m\"\nanswer = \"always\"\n"
        )
    };
    let text = format!(
        "name = \"Votes\"\n[clock]\nend = \"20m\"\n[[place]]\nname = \"a\"\n{}{}\
         [[event]]\nat = \"1m\"\nplace = \"a\"\nto = \"al\"\nsay = \"Al, what do you vote?\"\n\
         [[mind]]\nname = \"m\"\n[[mind.rule]]\nsay = [\"{{{{ speaker }}}}, I vote yes on this one.\"]\n",
        agent("al"),
        agent("bo"),
    );
    fs::write(&file, text).unwrap();
    let out = directory.path().join("run");
    let outcome = run(&file, &[], &out, &options(2)).await.unwrap();
    let lines = lines(&out);
    let withheld: Vec<_> = lines.iter().filter(|line| line.kind == LineKind::Withheld).collect();
    let answers = lines.iter().filter(|line| line.kind == LineKind::Said).count() + withheld.len();
    assert_eq!((answers as u64, withheld.len()), (outcome.calls, 1), "{lines:?}");
    assert!(withheld[0].heard.is_empty() && withheld[0].text.contains("nearly repeats"), "{withheld:?}");
    assert_eq!(replay(&out, &options(1)).await.unwrap().same, Some(true));
}
