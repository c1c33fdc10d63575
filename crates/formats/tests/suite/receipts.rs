//! Receipts: each field has a line, and the line is true (PF3).

use greenroom_formats::{Asset, Exporting, Fate, Imported, Source, Target, detect, export, read_path};
use serde_json::{Value, json};

fn import(name: &str, data: &Value) -> Imported {
    Imported::all(detect(name, data.to_string().as_bytes()).unwrap()).remove(0)
}

fn line<'a>(imported: &'a Imported, field: &str) -> (Fate, &'a str) {
    let line = imported.receipt.iter().find(|line| line.field == field);
    let line = line.unwrap_or_else(|| panic!("{field}: {:#?}", imported.receipt));
    (line.fate, &line.reason)
}

#[test]
fn pf3_unknown_fields_of_lorebooks_have_lines_and_an_entry_that_never_enters_is_not_effective() {
    let entries = json!([
        { "keys": ["a"], "content": "A", "mode": "folder", "extensions": { "probability": 0, "useProbability": true } },
        { "keys": ["b"], "content": "B", "comment": "n", "id": 4, "mode": "normal", "extensions": { "risu_case": 1, "depth": 3 } },
        { "keys": ["c"], "content": "@@dont_activate\nC" },
        { "keys": ["d"], "content": "D", "probability": 0, "useProbability": false },
    ]);
    let book = json!({ "name": "L", "entries": entries, "author": "me", "scanDepth": 3 });
    let card =
        json!({ "spec": "chara_card_v2", "data": { "name": "N", "first_mes": "x", "character_book": book } });
    let whole = json!({ "spec": "lorebook_v3", "data": book, "beside": 1 });
    for (imported, prefix) in [
        (import("b.json", &book), ""),
        (import("c.json", &card), "character_book."),
        (import("w.json", &whole), ""),
    ] {
        let line = |field: &str| line(&imported, &format!("{prefix}{field}"));
        assert_eq!(line("author").0, Fate::Kept);
        assert_eq!(line("scanDepth").0, Fate::Effective);
        assert!(line("entries[0]").0 == Fate::Kept && line("entries[0]").1.contains("probability"));
        assert_eq!(line("entries[1]").0, Fate::Effective);
        assert_eq!(
            (line("entries[1].mode").0, line("entries[1].extensions.risu_case").0),
            (Fate::Kept, Fate::Kept)
        );
        assert!(
            !imported
                .receipt
                .iter()
                .any(|it| it.field.ends_with("[1].comment") || it.field.ends_with(".depth"))
        );
        assert_eq!((line("entries[2]").0, line("entries[3]").0), (Fate::Kept, Fate::Effective));
    }
    assert_eq!(line(&import("w.json", &whole), "(root).beside").0, Fate::Kept);
}

#[test]
fn pf3_a_document_that_is_missing_is_not_effective() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("da.md"), "Tee ist heiß.").unwrap();
    let eliza = json!({ "name": "E", "bio": "b", "knowledge": [{ "path": "da.md" }, { "path": "weg.md" }] });
    let mut imported = import("e.json", &eliza);
    let problems = imported.read_documents(Some(home.path()));
    assert_eq!((imported.knowledge.len(), problems.len()), (1, 1));
    assert_eq!(imported.unread, ["da.md", "weg.md"]);
    assert_eq!(line(&imported, "knowledge[0]").0, Fate::Effective);
    assert!(
        line(&imported, "knowledge[1]").0 == Fate::Kept
            && line(&imported, "knowledge[1]").1.contains("weg.md")
    );
    let mut imported = import("e.json", &eliza);
    imported.read_documents(None);
    assert!(imported.knowledge.is_empty());
    assert_eq!(line(&imported, "knowledge").0, Fate::Kept);
    assert!(line(&imported, "knowledge[0]").1.contains("import it from its folder"));
}

#[test]
fn pf7_knowledge_goes_where_the_format_has_a_place_for_it() {
    let letta = json!({ "agents": [{ "id": "a", "name": "c", "system": "s", "block_ids": ["b"] }], "tools": [],
        "blocks": [{ "id": "b", "label": "human", "value": "Mia mag Tee.\n\nMia hat ein Boot." }] });
    let letta = import("a.af", &letta);
    let write = |target, source: &Source| {
        let Imported { name, character, play, .. } = &letta;
        let persona = Exporting { name, character, play, source: Some(source), books: &[] };
        export(target, &persona).unwrap()
    };
    for target in [Target::Eliza, Target::Soul] {
        let written = write(target, &letta.source);
        assert!(!written.notes.iter().any(|note| note.contains("knowledge")), "{:?}", written.notes);
        let again = match target {
            Target::Soul => greenroom_formats::detect_folder("x", written.files).unwrap(),
            _ => detect("x.json", &written.files[0].content).unwrap(),
        };
        let known: Vec<String> =
            Imported::all(again).remove(0).knowledge.into_iter().map(|it| it.text).collect();
        assert_eq!(known, ["Mia mag Tee.", "Mia hat ein Boot."], "{target:?}");
    }
    assert!(
        write(Target::CardV2, &letta.source)
            .notes
            .iter()
            .any(|note| note.starts_with("knowledge (2): left out"))
    );
}

#[test]
fn pf3_code_in_an_older_agent_file_is_refused_and_every_field_has_one_line() {
    let old = json!({ "agent_type": "memgpt_agent", "name": "o", "system": "s", "core_memory": [{ "label": "persona", "value": "I." }],
        "llm_config": { "model": "m" }, "tools": [{ "name": "run", "source_code": "import os" }, { "name": "send" }] });
    let imported = import("o.af", &old);
    assert_eq!(
        (line(&imported, "tools.run").0, line(&imported, "tools.send").0),
        (Fate::Refused, Fate::Kept)
    );
    let inner = json!({ "agents": [{ "name": "i", "system": "s", "tools": [{ "name": "run", "source_code": "x" }] }], "blocks": [] });
    assert_eq!(line(&import("i.af", &inner), "agents.tools.run").0, Fate::Refused);
    for imported in [&imported, &import("i.af", &inner)] {
        let mut fields: Vec<&String> = imported.receipt.iter().map(|line| &line.field).collect();
        fields.sort();
        fields.dedup();
        assert_eq!(fields.len(), imported.receipt.len(), "{:#?}", imported.receipt);
        assert!(!fields.iter().any(|field| field.as_str() == "tools" || field.as_str() == "agents.tools"));
    }
}

#[cfg(unix)]
#[test]
fn pf3_what_is_left_out_of_a_folder_is_named() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("SOUL.md"), "Be kind.").unwrap();
    std::fs::write(home.path().join(".env"), "A=b").unwrap();
    std::fs::create_dir_all(home.path().join("a/b/c/d/e")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(home.path().join("queue")).status();
    let socket = std::os::unix::net::UnixListener::bind(home.path().join("socket")).unwrap();
    let imported = Imported::all(read_path(home.path()).unwrap()).remove(0);
    for field in [".env", "socket", "a/b/c/d/e"]
        .into_iter()
        .chain(pipe.is_ok_and(|it| it.success()).then_some("queue"))
    {
        assert_eq!(line(&imported, field).0, Fate::Refused, "{field}");
    }
    drop(socket);
}

#[test]
fn pf3_a_field_that_is_there_twice_has_a_line() {
    let twice = |name: &str, text: &str, field: &str| {
        let imported = Imported::all(detect(name, text.as_bytes()).unwrap()).remove(0);
        assert!(
            imported.receipt.iter().any(|it| it.field == field && it.reason.contains("twice")),
            "{:#?}",
            imported.receipt
        );
    };
    twice("a.json", r#"{"name":"A","first_mes":"x","first_mes":"y"}"#, "first_mes");
    twice("a.md", "---\nname: a\nmodel: x\nmodel: y\n---\nBe.\n", "model");
    twice("agents.yaml", "a:\n  role: x\n  role: y\n", "role");
    let files = [("SOUL.md", "Be."), ("soul.json", r#"{"name":"x","name":"y"}"#)];
    let files = files.map(|(path, text)| Asset { path: path.into(), content: text.into() });
    let imported = Imported::all(greenroom_formats::detect_folder("x", files.into()).unwrap()).remove(0);
    assert!(imported.receipt.iter().any(|it| it.field == "name" && it.reason.contains("twice")));
}

#[test]
fn pf3_every_macro_that_stays_as_written_has_a_line() {
    let names: Vec<String> = (0..25).map(|n| format!("{{{{a_rather_long_name_of_a_macro_{n}}}}}")).collect();
    let first_mes = format!("{}{}", "{{weekday}}".repeat(30), names.join(" "));
    let card = json!({ "spec": "chara_card_v2", "data": { "name": "N", "first_mes": first_mes } });
    let imported = import("c.json", &card);
    let is_macro = |field: &str| field.starts_with("(macro a_rather_long_name_of_a_macro_");
    assert_eq!(imported.receipt.iter().filter(|line| is_macro(&line.field)).count(), 20);
    assert_eq!(line(&imported, "(macros)"), (Fate::Kept, "and 6 more that are not expanded"));
}
