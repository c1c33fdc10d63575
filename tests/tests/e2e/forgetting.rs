//! What is forgotten is gone from the disk, and what is exported comes back.

use std::{fs, path::Path};

use greenroom_tests::Answer;

use crate::support::Stage;

/// A word nobody else uses.
const CANARY: &str = "zanzibarquill";

/// The files below a directory that hold the canary, in any case.
fn holding_the_canary(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding_the_canary(&path));
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).to_lowercase().contains(CANARY) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn x15_a_person_who_is_forgotten_leaves_no_trace_in_any_file_of_the_data_directory() {
    let stage = Stage::new();
    let say = |user: &str, channel: &str, persona: &str, text: &str| {
        stage.endpoint.push(Answer::text(&format!("So you said {text}")));
        stage.ok(&["chat", persona, text, "--user", user, "--channel", channel]);
    };
    say("ann", "terminal:default", "ada", &format!("Please remember that my boat is called {CANARY}"));
    say("ann", "terminal:work", "wick", &format!("I prefer {CANARY} to tea"));
    say("bob", "terminal:default", "ada", "Please remember that I sail on Sundays");
    stage.ok(&["memory", "add", &format!("Ann likes {CANARY}"), "--user", "ann"]);
    stage.home.write("data/history.txt", &format!("my boat is called {CANARY}\n"));
    assert!(!holding_the_canary(&stage.home.data()).is_empty());

    let refused = stage.run(&["memory", "forget", "--person", "ann"]);
    assert_eq!(refused.code, Some(2), "nobody can be asked: {}", refused.stderr);
    assert!(!holding_the_canary(&stage.home.data()).is_empty());

    let receipt = stage.ok(&["memory", "forget", "--person", "ann", "--yes"]).stdout;
    assert!(receipt.starts_with("forgot terminal:ann: 4 messages, "), "{receipt}");
    for part in ["memor", "vectors", "2 turns", "2 sessions", "the lines the prompt kept"] {
        assert!(receipt.contains(part), "{part} in {receipt}");
    }
    assert_eq!(holding_the_canary(&stage.home.data()), Vec::<String>::new());
    let again = stage.run(&["memory", "forget", "--person", "ann", "--yes"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""), "{}", again.stderr);
    let bob = stage.ok(&["memory", "list", "--user", "bob"]).stdout;
    assert!(bob.contains("Sundays"), "the others stay: {bob}");
}

#[test]
fn gr10_exported_memories_are_the_same_in_another_home() {
    let (here, there) = (Stage::new(), Stage::new());
    here.ok(&["memory", "add", "The build takes 8 minutes", "--kind", "fact"]);
    here.ok(&["memory", "add", "A whole build now needs 6 minutes", "--global", "--expires-in", "30d"]);
    here.ok(&["memory", "add", "Ünïcode “quotes” and 🙂", "--user", "ann", "--persona", "wick"]);
    here.ok(&["memory", "relate", "m2", "supersedes", "m1"]);
    let file = here.home.path().join("memories.jsonl");
    let file = file.to_str().unwrap();
    here.ok(&["memory", "export", "--out", file]);
    there.ok(&["memory", "import", file]);
    let both = [&here, &there].map(|stage| stage.ok(&["memory", "export"]).stdout);
    assert_eq!(both[0], both[1]);
    assert_eq!(both[0], fs::read_to_string(file).unwrap());
    let lists = [&here, &there].map(|stage| stage.ok(&["memory", "show", "m2", "--json"]).stdout);
    assert_eq!(lists[0], lists[1]);
    let alone = here.ok(&["memory", "export", "--persona", "wick"]).stdout;
    assert!(alone.contains("Ünïcode") && alone.lines().count() == 1, "{alone}");
}
