//! What goes wrong for people, and what they are told.

use greenroom_tests::Answer;

use crate::support::Stage;

#[test]
fn a_model_that_is_down_fails_the_turn_with_a_remedy_and_keeps_the_message() {
    let stage = Stage::new();
    // a port nobody listens at
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}/v1");
    let run = stage.run(&["chat", "ada", "Are you there?", "--base-url", &url, "--model", "mock"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("cannot reach the model") && run.stderr.contains(&url), "{}", run.stderr);
    let again = stage.ok(&["chat", "ada", "And now?"]);
    assert_eq!(again.stdout, "ok\n");
    let said: Vec<_> = stage.last_request().into_iter().map(|(_, text)| text).collect();
    assert!(said.contains(&"Are you there?".to_owned()), "the message stayed stored: {said:?}");
}

#[test]
fn l20_an_embedder_that_is_down_warns_and_the_turn_goes_on() {
    let stage = Stage::new();
    let settings = format!(
        "[embedder]\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"mock-embedding\"\ndimension = 64\n",
        stage.endpoint.base_url()
    );
    stage.home.write("greenroom.toml", &settings);
    for _ in 0..20 {
        stage.endpoint.push_embeddings(Answer::error(500, "out of order"));
    }
    let run = stage.ok(&["chat", "ada", "Hello"]);
    assert_eq!(run.stdout, "ok\n");
    assert!(run.stderr.contains("embedding"), "it says so: {}", run.stderr);
}

#[test]
fn s10_l20_an_embedder_that_never_answers_delays_the_program_and_does_not_keep_it() {
    for dimension in ["", "dimension = 64\n"] {
        let stage = Stage::new();
        let settings = format!(
            "[embedder]\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"mock-embedding\"\n{dimension}",
            stage.endpoint.base_url()
        );
        stage.home.write("greenroom.toml", &settings);
        for _ in 0..20 {
            stage.endpoint.push_embeddings(Answer::stall());
        }
        let begun = std::time::Instant::now();
        let run = stage.ok(&["chat", "ada", "Hello"]);
        assert_eq!(run.stdout, "ok\n");
        assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    }
}

#[test]
fn x5_the_key_is_shown_nowhere() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::error(401, "bad key sk-canary-0123456789"));
    let failed = stage.run(&["chat", "ada", "Hello", "--log", "trace"]);
    assert_eq!(failed.code, Some(1));
    let shown = stage.run(&["config", "show"]);
    let doctor = stage.run(&["doctor"]);
    for text in [&failed.stdout, &failed.stderr, &shown.stdout, &shown.stderr, &doctor.stdout, &doctor.stderr]
    {
        assert!(!text.contains("sk-canary"), "{text}");
    }
}

#[test]
fn s2_a_store_that_cannot_be_opened_says_which_and_what_to_do() {
    let stage = Stage::new();
    // a file stands where the directory should be
    std::fs::write(stage.home.data(), "").unwrap();
    let run = stage.run(&["chat", "ada", "Hello"]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("data"), "{}", run.stderr);
    assert_eq!(stage.endpoint.chats().len(), 0);
}

#[test]
fn s2_a_file_that_is_no_database_is_left_alone() {
    let stage = Stage::new();
    stage.ok(&["memory", "list"]);
    let store = std::fs::read_dir(stage.home.data())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|e| e == "db" || e == "sqlite"))
        .expect("the store");
    std::fs::write(&store, "this is no database, and long enough to be read as a header of one".repeat(50))
        .unwrap();
    let before = std::fs::read(&store).unwrap();
    let run = stage.run(&["chat", "ada", "Hello"]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("damaged"), "{}", run.stderr);
    assert_eq!(std::fs::read(&store).unwrap(), before);
}

#[test]
fn s1_a_kill_in_the_middle_of_a_turn_loses_no_accepted_message() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text("This will never be finished").stall_after(2));
    let mut live = stage.live(&["chat", "ada"]);
    live.say("A question before the crash");
    live.event_of("token_delta");
    live.child.kill().unwrap(); // SIGKILL
    live.child.wait().unwrap();
    let run = stage.ok(&["chat", "ada", "Are you back?"]);
    assert!(run.stderr.contains("A question before the crash"), "the next start says so: {}", run.stderr);
    let said: Vec<_> = stage.last_request().into_iter().map(|(_, text)| text).collect();
    assert!(said.contains(&"A question before the crash".to_owned()), "{said:?}");
    assert_eq!(stage.endpoint.chats().len(), 2, "it was not answered twice");
    let quiet = stage.ok(&["chat", "ada", "Again"]);
    assert!(!quiet.stderr.contains("before the crash"), "it is said once: {}", quiet.stderr);
}

#[test]
fn a_bad_persona_file_is_reported_and_the_others_still_load() {
    let stage = Stage::new();
    stage.home.write(
        "personas/bo.md",
        "---\nname: bo\nmodel: { temperature: hot }\nroom: { cooldwn: 3s }\n---\nYou are Bo.\n",
    );
    stage.home.write("personas/cy.md", "---\nname: cy\n---\nYou are Cy.\n");
    let run = stage.run(&["persona", "check", "personas"]);
    assert_eq!(run.code, Some(1));
    let said = run.stdout + &run.stderr;
    for part in ["bo.md", "hot", "cooldwn", "cooldown"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let run = stage.ok(&["chat", "cy", "Hello", "--personas", "personas"]);
    assert_eq!(run.stdout, "ok\n");
    assert!(run.stderr.contains("bo.md"), "{}", run.stderr);
}
