//! The manual stays true: every file it names is there, and the README's commands do what they say.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::support::Stage;

/// Paths from the root in backticks, as `crates/core/src/ids.rs`, and the targets of links, which
/// are relative to the page.
fn named_in(page: &Path, root: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(page).unwrap();
    let rooms = ["crates/", "tests/", "docs/", "scripts/", "personas/", "migrations/"];
    let quoted = text.split('`').skip(1).step_by(2);
    let paths =
        quoted.filter(|q| rooms.iter().any(|room| q.starts_with(room)) && !q.contains([' ', '*', '{', '<']));
    let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let links = links.filter(|link| !link.is_empty() && !link.contains("://"));
    let here = page.parent().unwrap();
    paths.map(|path| root.join(path)).chain(links.map(|link| here.join(link))).collect()
}

#[test]
fn every_file_the_manual_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages =
        docs.filter(|path| path.extension().is_some_and(|e| e == "md")).chain([root.join("README.md")]);
    let named: Vec<(PathBuf, PathBuf)> = pages
        .flat_map(|page| named_in(&page, root).into_iter().map(move |path| (page.clone(), path)))
        .collect();
    assert!(named.len() > 50, "the manual names files: {}", named.len());
    let missing: Vec<_> = named.iter().filter(|(_, path)| !path.exists()).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The words of a shell's line, with double quotes and a comment at its end.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    for c in line.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '#' if !quoted && word.is_none() => break,
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// E: a newcomer types what the README says, in its order, in an empty home.
#[test]
fn every_command_of_the_readme_succeeds_in_its_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = fs::read_to_string(root.join("README.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<Vec<String>> = blocks.flat_map(str::lines).map(words).collect();
    let stage = Stage::new();
    let mut ran = 0;
    for words in &lines {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            // `serve` runs until it is stopped; tests/tests/api and others start it
            ["greenroom", "serve", ..] | ["scripts/test"] | ["export", ..] => {}
            // it tries a network; crates/adapters/tests/accounts does that with servers on this machine
            ["greenroom", "connect", ..] => {}
            ["cargo", "run", "--release", "--", ref arguments @ ..] | ["greenroom", ref arguments @ ..] => {
                stage.ok(arguments);
                ran += 1;
            }
            _ => panic!("the README has a command this test does not know: {words:?}"),
        }
    }
    assert!(ran >= 10, "only {ran} commands of {lines:?}");
}
