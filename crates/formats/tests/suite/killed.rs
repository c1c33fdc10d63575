//! A killed import leaves nothing that disturbs the next import (PF2).

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use greenroom_formats::{Folder, Imported, Source, detect};

use crate::samples::{card_v2, zipped};

/// The environment variable with the directory into which the killed process imports.
const INTO: &str = "GREENROOM_TEST_IMPORT_INTO";
/// The number of files in the card's archive.
const FILES: usize = 200;

/// A card with many files.
fn nova() -> Imported {
    let mut card = card_v2();
    card["spec"] = "chara_card_v3".into();
    let card = card.to_string();
    let names: Vec<String> = (0..FILES).map(|n| format!("assets/{n}.bin")).collect();
    let content = vec![7; 4_000];
    let files = names.iter().map(|name| (&**name, &content[..]));
    let files: Vec<(&str, &[u8])> = [("card.json", card.as_bytes())].into_iter().chain(files).collect();
    Imported::all(detect("nova.charx", zipped(&files)).unwrap()).remove(0)
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The code of the process that is killed. Without the variable it does nothing.
#[test]
fn pf2_the_process_that_is_killed() {
    if let Some(directory) = std::env::var_os(INTO) {
        Folder::create(Path::new(&directory), &nova(), &[]).unwrap();
    }
}

#[test]
fn pf2_an_import_that_is_killed_leaves_its_name_free() {
    let nova = nova();
    let mut cut_short = 0;
    for files in [0, 1, 20, 100, FILES - 1] {
        let home = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::pf2_the_process_that_is_killed"])
            .env(INTO, home.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let staged = home.path().join(".importing/nova");
        let is_at_work =
            || staged.join("source.json").exists() && names(&staged.join("files")).len() >= files;
        while !is_at_work() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        cut_short += usize::from(!home.path().join("nova.md").exists());
        let written = Folder::create(home.path(), &nova, &[]).unwrap();
        assert_eq!((written.name.as_str(), written.is_numbered), ("nova", false));
        assert_eq!(names(home.path()), [".import.lock", "nova", "nova.md"]);
        let source = Folder::of(&written.file).whole_source().unwrap().unwrap();
        assert_eq!((source.assets.len(), &source.data), (FILES, &nova.source.data));
    }
    assert!(cut_short > 0, "no process was killed at work");
}

/// Covers the states between the renames of an import and of an update, and the remains of older versions.
#[test]
fn pf2_an_import_that_was_moving_its_files_is_finished() {
    let nova = nova();
    let newer = {
        let data = serde_json::json!({ "name": "Nova", "first_mes": "newer" });
        Imported { source: Source { data, ..nova.source.clone() }, ..nova.clone() }
    };
    let other = Imported::all(detect("o.json", br#"{"name":"Zoe","first_mes":"x"}"#).unwrap()).remove(0);
    let whole = |imported: &Imported| {
        let home = tempfile::tempdir().unwrap();
        let file = Folder::create(home.path(), imported, &[]).unwrap().file;
        (home, file)
    };
    let moved = |from: &Path, to: &Path| {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(from, to).unwrap();
    };
    let greeting = |home: &Path| fs::read_to_string(home.join("nova.md")).unwrap();
    let clean = [".import.lock", "nova", "nova.md", "zoe", "zoe.md"];

    // the folder was moved, the file was not
    let (home, file) = whole(&nova);
    moved(&file, &home.path().join(".importing/nova.md"));
    Folder::create(home.path(), &other, &[]).unwrap();
    assert_eq!(names(home.path()), clean);

    // nothing was moved yet
    let (home, file) = whole(&nova);
    moved(&file, &home.path().join(".importing/nova.md"));
    moved(&home.path().join("nova"), &home.path().join(".importing/nova"));
    Folder::create(home.path(), &other, &[]).unwrap();
    assert_eq!(names(home.path()), [".import.lock", "zoe", "zoe.md"]);

    // an update: first the old folder is moved away, then the new one is moved in
    for steps in 1..=2 {
        let (home, _) = whole(&nova);
        let staging = home.path().join(".importing");
        let (fresh, fresh_file) = whole(&newer);
        moved(&fresh_file, &staging.join("nova.md"));
        moved(&fresh.path().join("nova"), &staging.join("nova"));
        moved(&home.path().join("nova"), &staging.join("nova.old"));
        if steps == 2 {
            moved(&staging.join("nova"), &home.path().join("nova"));
        }
        Folder::create(home.path(), &other, &[]).unwrap();
        assert_eq!(names(home.path()), clean);
        let source = Folder::of(&home.path().join("nova.md")).source().unwrap().unwrap();
        assert_eq!(source.data["first_mes"], "newer");
        assert_eq!(greeting(home.path()), newer.character.to_markdown());
    }

    // a folder without a persona file, complete or with a truncated source
    for cut in [false, true] {
        let (home, file) = whole(&nova);
        fs::remove_file(&file).unwrap();
        if cut {
            fs::write(home.path().join("nova/source.json"), "{\"format\":").unwrap();
        }
        assert!(!Folder::create(home.path(), &nova, &[]).unwrap().is_numbered);
        assert!(Folder::of(&file).source().unwrap().is_some());
        // the folder belongs to another import, so this one must not take it
        fs::remove_file(&file).unwrap();
        assert!(Folder::create(home.path(), &newer, &[]).unwrap().is_numbered);
    }
}

#[test]
fn pf2_an_update_keeps_the_lorebooks_of_the_persona() {
    let home = tempfile::tempdir().unwrap();
    let file = Folder::create(home.path(), &nova(), &[]).unwrap().file;
    let book = detect("b.json", br#"{"entries":[{"keys":["a"],"content":"b"}]}"#).unwrap();
    Folder::of(&file).add_book(&book).unwrap();
    Folder::of(&file).update(&nova()).unwrap();
    assert_eq!(Folder::of(&file).books().unwrap().len(), 1);
    assert_eq!(names(home.path()), [".import.lock", "nova", "nova.md"]);
}
