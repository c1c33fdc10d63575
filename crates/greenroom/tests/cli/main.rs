//! Tests the command line from a user's view: help, arguments, lists, exit codes; one file per command. The tests in
//! `greenroom-tests` cover conversations with the whole program.

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

/// The output, without the path of the temporary home.
fn shown(home: &Home, text: &str) -> String {
    text.replace(&*home.path().to_string_lossy(), "~")
}
