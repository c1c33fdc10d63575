//! The examples run, and print what their pages say.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{fs, path::Path, process::Command};

/// What the page of an example shows below the command.
fn promised(example: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(example).join("README.md");
    let page = fs::read_to_string(page).unwrap();
    let command = format!("$ cargo run -p greenroom-examples --bin {example}\n");
    let (_, shown) = page.split_once(&command).unwrap();
    shown.split_once("```").unwrap().0.to_owned()
}

fn printed(program: &str) -> String {
    let output = Command::new(program).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn as14_the_library_example_prints_what_its_page_says() {
    assert_eq!(printed(env!("CARGO_BIN_EXE_library")), promised("library"));
}

#[test]
fn the_custom_tool_example_prints_what_its_page_says() {
    assert_eq!(printed(env!("CARGO_BIN_EXE_custom_tool")), promised("custom_tool"));
}

#[test]
fn the_custom_embedder_example_prints_what_its_page_says() {
    assert_eq!(printed(env!("CARGO_BIN_EXE_custom_embedder")), promised("custom_embedder"));
}
