//! `greenroom doctor`.

use greenroom_tests::{Home, MockEndpoint};

use crate::{greenroom, parts, run, shown};

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let doctor = |url: &str| {
        let output = greenroom(&home, &["doctor"]).env("GREENROOM_BASE_URL", url).output().unwrap();
        let (code, out, _) = parts(&output);
        (code, shown(&home, &out))
    };
    let (code, out) = doctor(&endpoint.base_url());
    assert_eq!(code, 0, "{out}");
    assert_eq!(out.lines().filter(|line| line.starts_with('✓')).count(), 5, "{out}");
    let url = endpoint.base_url();
    drop(endpoint);
    let (code, out) = doctor(&url);
    assert_eq!(code, 1);
    let line = out.lines().find(|line| line.starts_with('✗')).unwrap();
    assert!(line.contains("cannot reach the model"), "{out}");
}

#[test]
fn each_model_that_a_persona_file_chooses_is_asked() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    home.write(
        "personas/ann.md",
        "---\nname: ann\nmodel: { base_url: \"http://127.0.0.1:1/v1\" }\n---\nYou are Ann.\n",
    );
    home.write("personas/bea.md", "---\nname: bea\n---\nYou are Bea.\n");
    home.write("greenroom.toml", &format!("[model]\nbase_url = \"{}\"\n", endpoint.base_url()));
    let (code, out, _) = run(&home, &["doctor"]);
    let models: Vec<&str> = out.lines().filter(|line| line.contains(" model     ")).collect();
    assert_eq!(
        (code, models.len()),
        (1, 2),
        "one of the settings, which two personas share, and Ann's: {out}"
    );
    assert!(models[0].starts_with('✓') && models[1].starts_with('✗'), "{out}");
    assert!(models[1].contains("127.0.0.1:1"), "{out}");
}

#[test]
fn x5_an_endpoint_that_was_rejected_is_not_taken_for_an_absent_one() {
    let home = Home::new();
    home.write("greenroom.toml", "[model]\nbase_url = \"my-llm.internal:8080/v1\"\napi_key = \"k\"\n");
    let (code, out, _) = run(&home, &["doctor"]);
    assert_eq!(code, 1);
    assert!(out.contains("model     not asked: the settings are wrong"), "{out}");
    assert!(out.contains("✓ personas"), "settings are no persona problem: {out}");
    assert!(!run(&home, &["config", "show"]).1.contains("api.openai.com"));
    assert_eq!(run(&home, &["chat", "ada", "hi"]).0, 2);
}

#[test]
fn the_built_in_model_can_be_asked_for_in_the_environment() {
    let output = greenroom(&Home::new(), &["doctor"]).env("GREENROOM_BASE_URL", "builtin").output().unwrap();
    let (_, out, _) = parts(&output);
    assert!(out.contains("the built-in demonstration model"), "{out}");
}

#[test]
fn the_doctor_says_at_once_which_endpoint_it_waits_for() {
    // accepts connections and never answers
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", silent.local_addr().unwrap());
    let output = greenroom(&Home::new(), &["doctor"]).env("GREENROOM_BASE_URL", &url).output().unwrap();
    let (code, out, err) = parts(&output);
    assert_eq!(code, 1, "{out}");
    assert!(err.contains(&format!("asking {url} for its models, at most 3 s …")), "{err}");
}

/// Two tokens of one account once passed the check.
#[test]
fn ad5_two_accounts_that_the_platform_knows_as_one_are_named() {
    use std::io::{BufRead, BufReader, Write};
    let homeserver = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = homeserver.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in homeserver.incoming().map(Result::unwrap) {
            let head = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<_> = head.map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
            let user = if head.iter().any(|line| line.ends_with("Bearer three")) { "tea" } else { "bot" };
            let body = format!(r#"{{"user_id":"@{user}:test"}}"#);
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
        }
    });
    let home = Home::new();
    let account = |name: &str| {
        format!(
            "[[accounts]]\nname = \"{name}\"\nplatform = \"matrix\"\nserver = \"http://{address}\"\ntls = false\n\
             token_env = \"MATRIX_{name}\"\n"
        )
    };
    home.write("greenroom.toml", &["one", "two", "three"].map(account).concat());
    let mut doctor = greenroom(&home, &["doctor"]);
    for name in ["one", "two", "three"] {
        doctor.env(format!("MATRIX_{name}"), name);
    }
    let (code, out, _) = parts(&doctor.output().unwrap());
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("two is the same account as one on the platform"), "{out}");
    assert_eq!(out.matches("the same account").count(), 1, "{out}");
}
