//! What the program says of itself, and of command lines it does not understand.

use greenroom_tests::Home;
use insta::assert_snapshot;

use crate::run;

#[test]
fn the_help_says_what_there_is() {
    let help = |command: &[&str]| {
        let (code, out, err) = run(&Home::new(), &[command, &["--help"]].concat());
        assert_eq!(code, 0, "{err}");
        out
    };
    assert_snapshot!("greenroom", help(&[]));
    assert_snapshot!("chat", help(&["chat"]));
    assert_snapshot!("mcp", help(&["mcp"]));
    assert_snapshot!("memory", help(&["memory"]));
    assert_snapshot!("memory_add", help(&["memory", "add"]));
    assert_snapshot!("memory_event", help(&["memory", "event"]));
    assert_snapshot!("memory_forget", help(&["memory", "forget"]));
    assert_snapshot!("memory_import", help(&["memory", "import"]));
    assert_snapshot!("eval_recall", help(&["eval", "recall"]));
}

#[test]
fn without_a_command_there_is_help() {
    let (code, out, err) = run(&Home::new(), &[]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("Usage: greenroom"), "{err}");
}

#[test]
fn what_is_written_wrong_is_a_usage_error() {
    let home = Home::new();
    let (code, out, err) = run(&home, &["persona", "check", "nope"]);
    assert_eq!((code, out.as_str(), err.lines().count()), (2, "", 1), "{err}");
    assert!(err.contains("there is no file or directory nope"), "{err}");
    let (code, _, err) = run(&home, &["memory", "list", "--log", "nonsense="]);
    assert_eq!(code, 2);
    assert!(err.contains("--log"), "{err}");
}
