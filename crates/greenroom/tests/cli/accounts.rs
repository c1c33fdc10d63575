//! Tests `greenroom accounts` without a server, and global flags before a subcommand of a command.

use std::{net::TcpListener, process::Stdio};

use greenroom_tests::{Home, MockEndpoint};

use crate::{greenroom, parts, run};

#[test]
fn mp1_an_operator_links_accounts_of_people() {
    let home = Home::new();
    let data = home.path().join("elsewhere");
    let data = data.to_str().unwrap();
    let (code, _, err) =
        run(&home, &["accounts", "--data", data, "link", "irc:net/ann", "xmpp:ann@example.org", "--yes"]);
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

/// A typing error in an account or a person was once linked without a warning.
#[test]
fn mp1_a_person_who_was_never_heard_is_linked_only_where_the_operator_is_sure() {
    let home = Home::new();
    let connect = ["connect", "irc", "--name", "net", "--server", "localhost:6667", "--no-tls"];
    assert_eq!(run(&home, &[&connect[..], &["--channel", "#tea", "--untried"]].concat()).0, 0);
    for (one, what) in [
        (
            "irc:nett/ann",
            "irc:nett/ann names no account on irc: a person is irc:ACCOUNT/ID there; did you mean net?",
        ),
        ("irc:ann", "there are net"),
        ("slack:net/U1", "the settings have none"),
        ("irk:net/ann", "did you mean irc?"),
        ("matrixx:@ann:example.org", "did you mean matrix?"),
        ("irc:net/ann", "irc:net/ann has said nothing to an account of this data directory; --yes links"),
    ] {
        let (code, _, err) = run(&home, &["accounts", "link", one, "api:ann"]);
        assert!(code == 2 && err.contains(what), "{one}: {err}");
        assert_eq!(run(&home, &["accounts", "unlink", one]).0, 2, "nothing was linked");
    }
    let link = ["accounts", "link", "irc:net/ann", "api:ann", "--yes"];
    assert_eq!(run(&home, &link).0, 0);
    // a person who is linked already counts as known
    assert_eq!(run(&home, &link[..4]).0, 0);
    let (code, _, err) = run(&home, &["accounts", "link", "irc:net/ann", "api:anne"]);
    assert!(code == 2 && err.contains("api:anne has said nothing"), "{err}");
    // a nick alone proves nothing, but an account of the network's services does
    let (code, _, err) = run(&home, &["accounts", "link", "irc:net/~bo", "api:bo", "--yes"]);
    assert!(code == 0 && err.contains("irc:net/~bo is a nick alone") && err.contains("sign on"), "{err}");
    let (_, _, err) = run(&home, &link);
    assert!(!err.contains("nick alone"), "{err}");
    let (_, out, _) = run(&home, &["accounts", "link", "--help"]);
    assert!(out.contains("xmpp:ann@example.org") && out.contains("telegram:42"), "{out}");
    let (_, out, _) = run(&home, &["memory", "list", "--help"]);
    assert!(out.contains("--user libera/~ann"), "{out}");
}

/// Global flags were once refused between `accounts` and its subcommand.
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

/// The help of every platform once showed the examples of IRC.
#[test]
fn ad5_the_help_of_connect_has_the_examples_of_the_platform() {
    let home = Home::new();
    for (platform, example) in [
        ("irc", "connect irc --server localhost:6667 --no-tls --channel '#tea'"),
        ("matrix", "connect matrix --server http://localhost:8008 --no-tls --user @my-bot:localhost"),
        ("xmpp", "connect xmpp --user bot@localhost --channel tea@rooms.localhost --ca-file cert.pem"),
        ("telegram", "connect telegram --persona ada --persona vesper"),
        ("discord", "connect discord --persona ada --persona vesper"),
        ("slack", "connect slack --app-token-env SLACK_SIGNING_SECRET --persona ada"),
        ("bridge", "connect bridge --name mychat --server http://127.0.0.1:8099 --persona ada --untried"),
    ] {
        let (code, out, err) = run(&home, &["connect", platform, "--help"]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains(example) && out.contains(&format!("docs/platforms/{platform}.md")), "{out}");
        let foreign = out.lines().filter(|line| line.starts_with("  greenroom connect "));
        assert!(foreign.clone().all(|line| line.contains(&format!("connect {platform} "))), "{out}");
        // the help without a platform has one example for each
        let (_, out, _) = run(&home, &["connect", "--help"]);
        assert!(out.contains(&format!("  greenroom connect {platform} ")), "{out}");
    }
}

/// Two accounts at local servers once got the same name.
#[test]
fn ad5_accounts_at_local_servers_get_names_of_their_own() {
    let home = Home::new();
    let connect = |flags: &[&str]| run(&home, &[&["connect"][..], flags, &["--untried"]].concat());
    let irc = ["irc", "--server", "localhost:6667", "--no-tls", "--channel", "#tea"];
    let (code, _, err) = connect(&irc);
    assert!(code == 0 && err.contains("irc is in greenroom.toml"), "{err}");
    let matrix = ["matrix", "--server", "http://localhost:8008", "--no-tls", "--user", "@bot:localhost"];
    let (code, _, err) = connect(&matrix);
    assert!(code == 0 && err.contains("matrix is in greenroom.toml"), "{err}");
    let (code, _, err) = connect(&["irc", "--server", "localhost:6668", "--no-tls", "--channel", "#tea"]);
    assert!(code == 0 && err.contains("irc-2 is in greenroom.toml"), "{err}");
    let (code, _, err) = connect(&irc);
    assert!(code == 2 && err.contains("the account irc is the same one"), "{err}");
    let (code, _, err) = connect(&[&irc[..], &["--name", "irc"]].concat());
    assert!(code == 2 && err.contains("there is an account irc already"), "{err}");
}

/// `serve` once refused such an account at each start.
#[test]
fn x5_an_account_without_encryption_at_another_machine_is_not_written() {
    let home = Home::new();
    let irc = ["connect", "irc", "--server", "example.org:6667", "--no-tls", "--channel", "#tea"];
    let xmpp = ["connect", "xmpp", "--user", "bot@example.org", "--channel", "tea@example.org", "--no-tls"];
    for flags in [&irc, &xmpp] {
        let (code, _, err) = run(&home, &[&flags[..], &["--untried"]].concat());
        let why = "is not on this machine and may not be reached without encryption; remove `tls = false` (--no-tls)";
        assert!(code == 2 && err.contains(why), "{err}");
    }
    assert!(!home.path().join("greenroom.toml").exists());
    let (code, _, err) =
        run(&home, &["connect", "irc", "--server", "example.org", "--channel", "tea", "--untried"]);
    assert!(code == 2 && err.contains("tea is no channel of irc"), "{err}");
}

/// If one bot has two names, each message reaches only one of them.
#[test]
fn ad5_an_account_is_connected_under_one_name() {
    let home = Home::new();
    let connect = |name: &str, variable: &str, token: &str| {
        // an address without a server
        let server = ["--server", "http://127.0.0.1:9", "--no-tls"];
        let args = ["connect", "telegram", "--name", name, "--token-env", variable, "--untried"];
        let args = [&args[..], &server].concat();
        let output = greenroom(&home, &args).env(variable, token).env("TELEGRAM_TOKEN", "42:a").output();
        parts(&output.unwrap())
    };
    let (code, _, err) = connect("one", "TELEGRAM_TOKEN", "42:a");
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = connect("two", "OTHER_TELEGRAM_TOKEN", "42:renewed");
    assert!(code == 2 && err.contains("one is this account already, by its token, user or nick"), "{err}");
    let (code, _, err) = connect("three", "OTHER_TELEGRAM_TOKEN", "43:a");
    assert_eq!(code, 0, "{err}");
    // a duplicate account written by hand
    let doctor = greenroom(&home, &["doctor"])
        .env("TELEGRAM_TOKEN", "42:a")
        .env("OTHER_TELEGRAM_TOKEN", "42:a")
        .output();
    let (_, out, _) = parts(&doctor.unwrap());
    assert!(out.contains("account three: it is the same account as one"), "{out}");
}

/// For five seconds after its start, an account was once shown as off although its process ran.
#[test]
fn ad8_an_account_is_off_then_connecting_before_its_first_connection_and_off_again() {
    let home = Home::new();
    // a server that accepts every connection and sends nothing
    let network = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = network.local_addr().unwrap().to_string();
    let connect = ["connect", "irc", "--server", &address, "--no-tls", "--channel", "#tea", "--untried"];
    let (code, _, err) = run(&home, &connect);
    assert_eq!(code, 0, "{err}");
    let accounts = || {
        let (code, out, err) = run(&home, &["accounts"]);
        assert_eq!(code, 0, "{err}");
        out
    };
    let off = "irc (irc) off: start greenroom serve, or restart it if it runs\n  0 events\n  replies: 0 waiting, 0 uncertain, 0 given up\n";
    assert_eq!(accounts(), off);
    let url = MockEndpoint::start().base_url();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--base-url", &url, "--model", "mock"];
    let mut serving = greenroom(&home, &serve).stderr(Stdio::null()).spawn().unwrap();
    let _there = network.accept().unwrap();
    assert_eq!(accounts(), off.replace("off: start greenroom serve, or restart it if it runs", "connecting"));
    let (_, out, _) = run(&home, &["accounts", "--json"]);
    assert!(out.contains("\"state\": \"connecting\""), "{out}");
    serving.kill().unwrap();
    serving.wait().unwrap();
    assert_eq!(accounts(), off);
}
