//! `greenroom persona`, and personas that cannot play.

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
