//! `greenroom accounts` without a server, and the flags of every command before a command of a command.

use greenroom_tests::Home;

use crate::run;

#[test]
fn mp1_an_operator_links_accounts_of_people() {
    let home = Home::new();
    let data = home.path().join("elsewhere");
    let data = data.to_str().unwrap();
    let (code, _, err) =
        run(&home, &["accounts", "--data", data, "link", "irc:net/ann", "xmpp:ann@example.org"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("irc:net/ann is one person with xmpp:ann@example.org"), "{err}");
    let unlink = ["accounts", "unlink", "irc:net/ann", "--data", data];
    assert_eq!(run(&home, &unlink).0, 0);
    let (code, _, err) = run(&home, &unlink);
    assert!(code == 2 && err.contains("is linked with no other account"), "{err}");
    let (code, _, err) = run(&home, &["accounts", "--json", "drop", "1"]);
    assert!(code == 2 && err.contains("--json is of the list"), "{err}");
    let (code, out, _) = run(&home, &["accounts", "--json"]);
    assert_eq!((code, out.trim()), (0, "[]"));
}

/// The flags were refused between `accounts` and its command.
#[test]
fn flags_of_every_command_stand_before_a_command_of_a_command_as_well() {
    let home = Home::new();
    let data = home.path().join("elsewhere");
    let data = data.to_str().unwrap();
    for command in [
        &["accounts", "unlink", "irc:net/ann"][..],
        &["mcp", "list"],
        &["room", "list"],
        &["memory", "list"],
        &["persona", "list"],
        &["models", "list"],
        &["config", "show"],
        &["key", "list"],
    ] {
        let mut args = vec![command[0], "--data", data, "--log", "error"];
        args.extend(&command[1..]);
        let (_, _, err) = run(&home, &args);
        assert!(!err.contains("Usage:") && !err.contains("cannot be used with"), "{args:?}: {err}");
    }
    let (code, _, err) = run(&home, &["mcp", "ada", "list"]);
    assert!(code == 2 && err.contains("write them after it"), "{err}");
}
