//! The command line as a person meets it: help, arguments, lists, exit codes; a file a command.
//! Conversations are tested with the whole program in `greenroom-tests`.

// outside of `#[test]` functions clippy does not know that this is a test
#![allow(clippy::unwrap_used)]

mod accounts;
mod chat;
mod config;
mod context;
mod doctor;
mod eval;
mod forget;
mod formats;
mod help;
mod memory;
mod models;
mod persona;
mod room;
mod sim;

use std::process::{Command, Output, Stdio};

use greenroom_tests::Home;

fn greenroom(home: &Home, args: &[&str]) -> Command {
    let mut command = home.command(env!("CARGO_BIN_EXE_greenroom"));
    command.args(args).env("COLUMNS", "100");
    command
}

/// Exit code, stdout, stderr.
fn run(home: &Home, args: &[&str]) -> (i32, String, String) {
    let output = greenroom(home, args).stdin(Stdio::null()).output().unwrap();
    parts(&output)
}

fn parts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// What it says, with the home's own path left out.
fn shown(home: &Home, text: &str) -> String {
    text.replace(&*home.path().to_string_lossy(), "~")
}
