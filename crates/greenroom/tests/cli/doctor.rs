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
    // accepts connections and answers nothing
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", silent.local_addr().unwrap());
    let output = greenroom(&Home::new(), &["doctor"]).env("GREENROOM_BASE_URL", &url).output().unwrap();
    let (code, out, err) = parts(&output);
    assert_eq!(code, 1, "{out}");
    assert!(err.contains(&format!("asking {url} for its models, at most 3 s …")), "{err}");
}
