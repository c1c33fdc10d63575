//! Tests `greenroom persona`, and persona files with mistakes.

use greenroom_tests::Home;
use insta::assert_snapshot;

use crate::run;

#[test]
fn personas_are_listed_written_and_checked() {
    let home = Home::new();
    let (code, out, _) = run(&home, &["persona", "list"]);
    assert_eq!(code, 0);
    assert_snapshot!(out, @r"
    NAME           CALLED        FILE                  WHO
    ada (default)  Ada           (built in)/ada.md     A patient systems engineer who has seen it break before
    vesper         Vesper Quill  (built in)/vesper.md  A detective who notices; invite her together with @wick
    wick           Wick          (built in)/wick.md    Vesper's sceptical partner, who counts before he believes
    ");
    let (code, out, _) = run(&home, &["persona", "new", "zoe"]);
    assert_eq!((code, out.replace('\\', "/").as_str()), (0, "personas/zoe.md\n"));
    let (code, _, err) = run(&home, &["persona", "new", "zoe"]);
    assert_eq!(code, 1);
    assert!(err.contains("there already"), "{err}");
    let (code, _, err) = run(&home, &["persona", "check"]);
    assert_eq!((code, err.as_str()), (0, "4 good personas, 0 problems\n"));

    home.write("personas/bad.md", "---\nmodel: { temperature: warm }\ntools: [fly]\n---\nYou are bad.\n");
    let (code, out, err) = run(&home, &["persona", "check"]);
    assert_eq!((code, err.as_str()), (1, "4 good personas, 2 problems\n"));
    assert_snapshot!(out.replace('\\', "/"), @r"
     × model.temperature is text
      ╭─[personas/bad.md:2:23]
    1 │ ---
    2 │ model: { temperature: warm }
      ·                       ──┬─
      ·                         ╰── expected a number from 0 to 2
    3 │ tools: [fly]
      ╰────

     × unknown tool `fly`
      ╭─[personas/bad.md:3:9]
    2 │ model: { temperature: warm }
    3 │ tools: [fly]
      ·         ─┬─
      ·          ╰── expected one of `remember`, `recall`, `forget`
    4 │ ---
      ╰────
    ");
    let (code, out, _) = run(&home, &["persona", "check", "personas/bad.md", "--json"]);
    let problems: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, problems.as_array().unwrap().len()), (1, 2));
}

/// A room shows only display names.
#[test]
fn rm7_personas_whose_names_look_alike_are_told_from_one_another() {
    let home = Home::new();
    for (file, name) in [("one", "Mara"), ("two", "Маra"), ("three", "Marla")] {
        home.write(
            &format!("personas/{file}.md"),
            &format!("---\ndisplay_name: {name}\n---\nYou are kind.\n"),
        );
    }
    let (code, _, err) = run(&home, &["persona", "check"]);
    assert_eq!(code, 0, "{err}");
    let warnings: Vec<&str> = err.lines().filter(|line| line.starts_with("warning")).collect();
    let [warning] = warnings[..] else { panic!("{err}") };
    let warning = warning.replace('\\', "/");
    assert!(warning.contains("personas/one.md") && warning.contains("personas/two.md"), "{warning}");
}

#[test]
fn a_persona_whose_file_is_bad_is_not_said_to_be_absent() {
    let home = Home::new();
    home.write("personas/ada.md", "---\ntools: [fly]\n---\nYou are Ada.\n");
    for args in [&["chat", "ada"][..], &["chat"], &["memory", "list"], &["context", "ada", "hi"]] {
        let (code, _, err) = run(&home, args);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains("ada cannot play:") && err.contains("ada.md:2:9: unknown tool `fly`"), "{err}");
    }
    let (code, out, _) = run(&home, &["doctor"]);
    assert_eq!(code, 1);
    assert!(out.contains("unknown tool `fly`"), "{out}");
}

/// B7: the content of a file is printed, but cannot control the terminal.
#[test]
fn x14_no_command_prints_a_control_character_of_a_file() {
    let home = Home::new();
    let escape = r"\e]0;owned\a\e[2J\u009b31m\u202e";
    let front = format!(
        "display_name: \"Ada{escape}\"\ndescription: \"Who{escape}\"\ngreeting: \"Hi{escape}\"\n\
         model: {{ name: \"mock{escape}\" }}\nmcp:\n  own: {{ command: [\"sh\", \"{escape}\"], \
         env: {{ \"A{escape}\": \"{escape}${{HOME}}\" }} }}\n  away: {{ url: \"http://127.0.0.1:1/x\", \
         headers: {{ \"B{escape}\": \"{escape}${{HOME}}\" }} }}\n"
    );
    home.write("personas/ada.md", &format!("---\n{front}---\nYou are Ada. \u{1b}[2J\u{9b}\u{202e}\n"));
    let raw = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}";
    home.write(
        "personas/bad.md",
        &format!("---\n# {raw}\nnope: 1 # {raw}\nmodel: {{ name: {raw} }}\n---\n{raw}\n"),
    );
    home.write(
        "odd/greenroom.toml",
        &format!("# {raw}\nnope = 1 # {raw}\n[model]\nname = \"\\u001b[2J\"\nx\u{1b} = 1"),
    );
    home.write("project/AGENTS.md", &format!("Rules {raw}\n"));
    home.write("import.jsonl", &format!("{{\"a\": \"{raw}\"}}\n"));
    let commands: [&[&str]; 18] = [
        &["persona", "list"],
        &["persona", "check"],
        &["persona", "check", "personas/bad.md"],
        &["config", "show"],
        &["config", "show", "ada"],
        &["config", "show", "--config", "odd/greenroom.toml"],
        &["doctor", "--config", "odd/greenroom.toml"],
        &["doctor"],
        &["context", "ada", "Hello", "--full", "--base-url", "http://127.0.0.1:1/v1", "--project", "project"],
        &["chat", "ada", "Hello", "--base-url", "http://127.0.0.1:1/v1"],
        &["chat", "bad"],
        &["chat", raw],
        &["mcp", "list"],
        &["mcp", "approve", "ada"],
        &["mcp", "approve", "ada", "--yes"],
        &["memory", "add", raw],
        &["memory", "list"],
        &["memory", "import", "import.jsonl"],
    ];
    for arguments in commands {
        let (_, out, err) = run(&home, arguments);
        let bad =
            |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || ('\u{202a}'..='\u{202e}').contains(&c);
        for text in [out, err] {
            assert!(!text.contains(bad), "{arguments:?}: {text:?}");
        }
    }
}
