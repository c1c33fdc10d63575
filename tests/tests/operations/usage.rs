//! A mistake in flags or settings says what to do, and the exit code is 2.

use std::{net::TcpListener, process::Stdio};

use greenroom_tests::{Home, MockEndpoint};

use crate::support::{Start, command};

/// How a start that fails ends, and what it says.
fn failed(settings: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let mut command = command(&home, &endpoint, &Start { settings, arguments, ..Start::default() });
    let output = command.stdin(Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_port_in_use_says_which_and_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let home = Home::new();
    home.write("personas/ada.md", "---\n---\nYou are Ada.\n");
    let output =
        home.command(greenroom_tests::greenroom()).args(["serve", "--listen", &address]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(&address) && said.contains("choose another with --listen"), "{said}");
}

#[test]
fn a_flag_that_is_wrong_says_what_to_write() {
    for (arguments, remedy) in [
        (["--grace", "soon"], "500ms, 30s, 2m or 1h"),
        (["--log-format", "xml"], "text, json"),
        (["--log", "greenroom="], "try --log info"),
    ] {
        let (code, said) = failed("", &arguments);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(remedy), "{said}");
    }
    let home = Home::new();
    let output =
        home.command(greenroom_tests::greenroom()).args(["serve", "--listen", "here"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("127.0.0.1:7420"), "{said}");
}

#[test]
fn a_setting_that_is_wrong_is_named_with_its_place() {
    for (settings, named) in [
        ("[server]\nbody_limit = 3\n", "server.body_limit"),
        ("[server]\nconcurency = 3\n", "concurrency"),
        ("[server]\norigins = [\"everybody\"]\n", "origins"),
        ("[server]\notlp_endpoint = \"localhost\"\n", "otlp_endpoint"),
    ] {
        let (code, said) = failed(settings, &[]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(named) && said.contains("greenroom.toml:3"), "{said}");
    }
}
