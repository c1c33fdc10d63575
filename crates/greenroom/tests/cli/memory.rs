//! Tests `greenroom memory`: adding, listing, showing and relating memories.

use greenroom_tests::Home;
use insta::assert_snapshot;
use serde_json::json;

use crate::{greenroom, parts, run};

#[test]
fn memories_are_added_listed_found_and_forgotten() {
    let home = Home::new();
    let (code, out, err) = run(&home, &["memory", "list"]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert_snapshot!(err, @r#"ada remembers nothing in terminal:default yet; add something with: greenroom memory add "…" --persona ada"#);

    let (code, out, err) = run(&home, &["memory", "list", "--about", "jo"]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert_snapshot!(err, @"ada remembers nothing in terminal:default that comes from jo or holds with jo; leave out --about to see all memories there");

    let (code, out, _) = run(&home, &["memory", "add", "The build takes 6 minutes", "--kind", "fact"]);
    assert_eq!(code, 0);
    assert_snapshot!(out, @"ada remembers m1 (terminal:default)");
    let (_, out, _) = run(&home, &["memory", "add", "Tea, not coffee", "--kind", "preference", "--global"]);
    assert_snapshot!(out, @"ada remembers m2 (everywhere)");

    let (_, out, _) = run(&home, &["memory", "list", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    let texts: Vec<_> =
        all.as_array().unwrap().iter().map(|memory| memory["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Tea, not coffee", "The build takes 6 minutes"]);
    let (_, out, _) = run(&home, &["memory", "list", "--global"]);
    assert!(out.contains("m2") && !out.contains("m1 "), "{out}");
    let (_, out, _) = run(&home, &["memory", "search", "how long is a build?"]);
    assert!(out.lines().nth(1).unwrap().starts_with("m1"), "{out}");
    let (_, out, _) = run(&home, &["memory", "list", "--persona", "wick"]);
    assert_eq!(out, "", "another persona's memory is another's");

    let (code, out, _) = run(&home, &["memory", "forget", "m1"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("ada forgot m1: “The build takes 6 minutes”"), "{out}");
    let (code, out, err) = run(&home, &["memory", "forget", "m1"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("ada has no memory m1"), "{err}");
    let (code, _, err) = run(&home, &["memory", "forget", "x1"]);
    assert_eq!(code, 2);
    assert!(err.contains("m12"), "{err}");
}

#[test]
fn as9_a_memory_with_an_end_says_when() {
    let home = Home::new();
    let (code, _, err) = run(&home, &["memory", "add", "Ann is away", "--expires-in", "soon"]);
    assert_eq!(code, 2);
    assert!(err.contains("30d"), "{err}");
    let (code, out, _) = run(&home, &["memory", "add", "Ann is away", "--expires-in", "2w", "--json"]);
    assert_eq!(code, 0);
    let added: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(added["memory"]["expires_at"].is_i64(), "{added}");
}

#[test]
fn memory_commands_mean_the_scope_they_name() {
    let home = Home::new();
    run(&home, &["memory", "add", "The build takes 6 minutes on the old machine", "--global"]);
    for n in 0..3 {
        run(&home, &["memory", "add", &format!("The build takes 6 minutes, build {n}")]);
    }
    let search = ["memory", "search", "The build takes 6 minutes", "--global", "--limit", "1"];
    let (_, out, _) = run(&home, &search);
    assert!(out.contains("everywhere"), "filtered before it is cut: {out}");
    let (_, _, err) = run(&home, &["memory", "list", "--global", "--persona", "wick"]);
    assert!(err.starts_with("wick remembers nothing that holds everywhere yet"), "{err}");
    for wrong in [
        &["memory", "add", "  "][..],
        &["memory", "list", "--limit", "0"],
        &["memory", "list", "--global", "--user", "ann"],
    ] {
        let (code, _, err) = run(&home, wrong);
        assert_eq!(code, 2, "{wrong:?} {err}");
    }
}

#[cfg(unix)]
#[test]
fn the_store_is_for_its_owner_s_eyes_only_in_any_directory() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    std::fs::create_dir(home.data()).unwrap();
    run(&home, &["memory", "add", "a secret"]);
    for file in std::fs::read_dir(home.data()).unwrap() {
        let file = file.unwrap();
        if file.file_name().to_string_lossy().starts_with("greenroom.db") {
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
        }
    }
}

#[test]
fn s2_a_store_that_cannot_be_opened_is_exit_code_3() {
    let home = Home::new();
    home.write("data", "a file where a directory should be");
    let (code, _, err) = run(&home, &["memory", "list"]);
    assert_eq!(code, 3);
    assert!(err.contains("cannot open the store") && err.contains("--data"), "{err}");
}

#[test]
fn fg13_a_memory_is_shown_with_its_versions_and_relations() {
    let home = Home::new();
    for text in ["The build takes 8 minutes", "The release is in May", "A full build needs 6 minutes"] {
        run(&home, &["memory", "add", text]);
    }
    let (code, out, err) = run(&home, &["memory", "relate", "m3", "supersedes", "m1"]);
    assert_eq!((code, out.as_str()), (0, "m3 supersedes m1\n"), "{err}");
    run(&home, &["memory", "relate", "m2", "relates-to", "m3"]);
    let (code, out, _) = run(&home, &["memory", "show", "m3", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&out).unwrap();
    let versions: Vec<_> =
        shown["versions"].as_array().unwrap().iter().map(|version| version["id"].as_str().unwrap()).collect();
    assert_eq!((code, versions), (0, vec!["m3", "m1"]));
    let (_, out, _) = run(&home, &["memory", "show", "m3"]);
    assert!(
        out.starts_with("m3 · general · semantic · v1 · terminal:default\nA full build needs 6 minutes\n")
    );
    let tail = out.split_once("VERSIONS").unwrap().1;
    assert!(tail.contains("m3 supersedes m1") && tail.contains("m2 relates-to m3"), "{out}");

    for missing in [&["memory", "show", "m9"][..], &["memory", "relate", "m1", "refines", "m9"]] {
        let (code, out, err) = run(&home, missing);
        assert_eq!((code, out.as_str()), (1, ""));
        assert!(err.contains("ada has no memory m9"), "{err}");
    }
    assert_eq!(run(&home, &["memory", "relate", "m1", "refines", "m1"]).0, 2);
    assert_eq!(run(&home, &["memory", "relate", "m1", "likes", "m2"]).0, 2);
}

#[test]
fn mp1_sharing_what_holds_with_no_person_says_where_it_holds() {
    let home = Home::new();
    run(&home, &["memory", "add", "The build takes 8 minutes"]);
    let (code, _, err) = run(&home, &["memory", "share", "m1"]);
    assert_eq!(code, 1);
    assert!(err.contains("m1 holds with no person (terminal:default)"), "{err}");
    let (_, _, err) = run(&home, &["memory", "share", "m9"]);
    assert!(err.contains("ada has no memory m9"), "{err}");
}

#[test]
fn bd13_reembedding_says_what_it_did() {
    let home = Home::new();
    run(&home, &["memory", "add", "The build takes 6 minutes"]);
    let (code, out, err) = run(&home, &["memory", "reembed"]);
    assert_eq!((code, out.as_str()), (0, "0 texts embedded, 0 pending\n"), "{err}");
    home.write("greenroom.toml", "[embedder]\nkind = \"none\"\n");
    let (code, _, err) = run(&home, &["memory", "reembed"]);
    assert_eq!(code, 2);
    assert!(err.contains("embedder.kind is none"), "{err}");
}

#[test]
fn jv3_an_event_that_matters_is_remembered_and_its_end_takes_its_place() {
    let home = Home::new();
    let event = |rest: &[&str]| {
        let begin = ["memory", "event", "--type", "disk_full", "--node", "db1"];
        run(&home, &[&begin[..], rest].concat())
    };
    let (code, out, err) = event(&["--severity", "info", "/var is at 60 %"]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert_snapshot!(err, @"not remembered: only warnings and worse are, and events with --resolved");
    let (code, out, _) = event(&["--severity", "info", "/var is at 60 %", "--json"]);
    let nothing: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &nothing["memory"], &nothing["known"]),
        (0, &json!(null), &json!(false)),
        "a script reads it"
    );
    let (code, out, err) = event(&["--severity", "critical", "/var is at 97 %"]);
    assert_eq!((code, out.as_str()), (0, "ada remembers m1 (terminal:default)\n"), "{err}");
    let (_, out, _) = event(&["--severity", "info", "--resolved", "/var is at 40 %"]);
    assert_snapshot!(out, @"ada remembers m1 (terminal:default), now version 2");
    let (_, out, _) = run(&home, &["memory", "list", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((all[0]["tier"].as_str(), all[0]["version"].as_u64()), (Some("episodic"), Some(2)));
    assert_eq!(all[0]["text"], "db1: /var is at 40 % (resolved)");
    assert_eq!(event(&["--severity", "dreadful", "x"]).0, 2);
}

#[test]
fn jv9_what_became_of_a_statement_is_said() {
    let home = Home::new();
    let add = |text: &str| run(&home, &["memory", "add", text, "--json"]).1;
    let decision = |text: &str| {
        let shown: serde_json::Value = serde_json::from_str(&add(text)).unwrap();
        shown["decision"].to_string()
    };
    assert_eq!(decision("The build takes 6 minutes"), r#""add""#);
    assert_eq!(decision("The build takes 6 minutes."), r#"{"ignore":["m1","known"]}"#);
    let (_, out, _) = run(&home, &["memory", "add", "The build takes 6 minutes"]);
    assert_snapshot!(out, @"ada knew that already, as m1 (terminal:default)");
}

#[test]
fn mp8_a_search_without_hits_shows_the_nearest_and_says_so() {
    let home = Home::new();
    home.write("personas/ada.md", "---\nname: ada\n---\nYou are Ada.\n");
    run(&home, &["memory", "add", "I prefer concise responses"]);
    let (code, out, err) = run(&home, &["memory", "search", "zebra stripes"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("is like it; the nearest are below the threshold:"), "{err}");
    assert!(out.contains("m1") && out.contains("concise"), "{out}");
    let (_, out, _) = run(&home, &["memory", "search", "zebra stripes", "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((rows[0]["below_threshold"].as_bool(), rows.as_array().unwrap().len()), (Some(true), 1));
    let (_, out, _) = run(&home, &["memory", "search", "responses", "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(rows[0].get("below_threshold").is_none(), "{rows}");
}

#[test]
fn mp8_why_tells_what_is_near_and_what_decided() {
    let home = Home::new();
    home.write(
        "personas/ada.md",
        "---\nname: ada\nmemory: { focus: 0, knowledge: { limit: 1, threshold: 0.2 } }\n---\nYou are Ada.\n",
    );
    for text in ["The build takes 6 minutes", "The build runs on two machines"] {
        run(&home, &["memory", "add", text]);
    }
    let why = |more: &[&str]| run(&home, &[&["memory", "why", "how long is the build?"], more].concat());
    let (code, out, err) = why(&[]);
    assert_eq!(code, 0, "{err}");
    let told: Vec<_> = out.lines().collect();
    assert_eq!(told.iter().filter(|line| line.starts_with('m')).count(), 2, "{out}");
    assert!(out.contains("number 2 of its source, and memory.knowledge.limit is 1"), "{out}");
    let near = out.split("near, and not recalled").nth(1).unwrap();
    let id = near.lines().find(|line| line.starts_with('m')).and_then(|line| line.split(' ').next()).unwrap();
    assert!(out.contains(&format!("--expect {id}")), "{out}");

    let (code, out, err) = why(&["--expect", id]);
    assert_eq!(code, 0, "{err}");
    let first = out.lines().find(|line| line.starts_with('m')).unwrap();
    assert!(first.starts_with(&format!("{id} ")), "now it is the best: {out}");
    let (code, _, err) = why(&["--expect", id]);
    assert_eq!(code, 2);
    assert!(err.contains("recalls it already"), "{err}");
    let (_, out, _) = why(&["--json"]);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["recalled"][0]["id"], id);

    for n in 0..30 {
        run(&home, &["memory", "add", &format!("Build number {n} took {n} minutes")]);
    }
    run(&home, &["memory", "add", "Canteen: closed on Fridays"]);
    let (code, out, err) = why(&["--expect", "m33"]);
    assert!(code == 0 && out.contains("m33"), "an item that is not near can be expected: {out}{err}");
    let (code, _, err) = why(&["--expect", "m99"]);
    assert!(code == 2 && err.contains("ada sees nothing of this name here"), "{err}");
    let (code, _, err) = why(&["--expect", "canteen"]);
    assert!(code == 2 && err.contains("m12"), "{err}");
}

/// A memory of the 28th in Greenwich, which is the 29th on Kiritimati.
#[test]
fn jv8_days_of_searches_and_tables_begin_in_the_persona_s_time_zone() {
    let home = Home::new();
    let memory = serde_json::json!({
        "id": "m1", "persona": "ada", "scope": "channel", "of": "terminal:default", "text": "The ferry is late",
        "kind": "fact", "tier": "semantic", "source": { "via": "cli" }, "trust": "operator", "version": 1,
        "created_at": 1_774_699_200_000_000_i64, "updated_at": 1_774_699_200_000_000_i64
    });
    home.write("m.jsonl", &format!("{memory}\n"));
    run(&home, &["memory", "import", "m.jsonl"]);
    for (zone, day) in [("Pacific/Kiritimati", "2026-03-29"), ("UTC", "2026-03-28")] {
        let in_zone = |args: &[&str]| {
            let mut command = greenroom(&home, args);
            parts(&command.env("GREENROOM_MEMORY__TIME_ZONE", zone).output().unwrap())
        };
        let (_, out, err) = in_zone(&["memory", "list"]);
        assert!(out.contains(day), "{out}{err}");
        let (_, out, err) = in_zone(&["memory", "search", &format!("on {day}")]);
        assert!(out.contains("The ferry is late") && out.contains(day), "{out}{err}");
        let (_, out, err) = in_zone(&["memory", "show", "m1"]);
        assert!(out.contains(day), "{out}{err}");
    }
}

#[test]
fn fg13_a_version_cannot_supersede_its_newer_version() {
    let home = Home::new();
    run(&home, &["memory", "add", "Ann lives in Lyon"]);
    run(&home, &["memory", "add", "Ann moved to Oslo"]);
    run(&home, &["memory", "relate", "m2", "supersedes", "m1"]);
    let (code, _, err) = run(&home, &["memory", "relate", "m1", "supersedes", "m2"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("m2 supersedes m1 already"), "{err}");
    let (code, _, err) = run(&home, &["memory", "relate", "m2", "supersedes", "m1"]);
    assert_eq!(code, 0, "{err}");
}

/// `ulimit -f` stands for a full disk: the signal ended the program without a word.
#[cfg(target_os = "linux")]
#[test]
fn s3_past_the_limit_of_a_file_s_size_a_write_fails_and_a_read_does_not() {
    let home = Home::new();
    run(&home, &["memory", "add", "The build takes six minutes"]);
    let limited = |args: &str| {
        let mut shell = home.command("sh");
        let program = env!("CARGO_BIN_EXE_greenroom");
        parts(&shell.args(["-c", &format!("ulimit -f 8; exec {program} {args}")]).output().unwrap())
    };
    let (code, out, err) = limited("memory add more");
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    let (code, out, err) = limited("memory list");
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("six minutes"), "{out}");
}

#[test]
fn a_backup_contains_what_is_stored_and_replaces_no_file() {
    let home = Home::new();
    let (code, _, err) = run(&home, &["store", "backup", "copy.db"]);
    assert_eq!(code, 3, "there is no store yet: {err}");
    run(&home, &["memory", "add", "The build takes six minutes"]);
    let (code, out, err) = run(&home, &["store", "backup", "restored/greenroom.db"]);
    assert_eq!((code, out.as_str()), (3, ""), "there is no directory: {err}");
    std::fs::create_dir(home.path().join("restored")).unwrap();
    let (code, out, err) = run(&home, &["store", "backup", "restored/greenroom.db"]);
    assert_eq!((code, out.as_str()), (0, "restored/greenroom.db\n"), "{err}");
    assert_eq!(run(&home, &["store", "backup", "restored/greenroom.db"]).0, 3);
    let (_, out, err) = run(&home, &["memory", "list", "--data", "restored"]);
    assert!(out.contains("six minutes"), "{out}{err}");
}
