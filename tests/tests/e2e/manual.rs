//! The manual stays true: every file it names is there.

use std::{
    fs,
    path::{Path, PathBuf},
};

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
