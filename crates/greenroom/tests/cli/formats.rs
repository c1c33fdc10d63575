//! `greenroom persona import`, `export` and `convert`.

use std::{io::Write, process::Stdio};

use greenroom_tests::{Home, MockEndpoint};
use serde_json::{Value, json};

use crate::{greenroom, parts, run};

fn card() -> String {
    json!({ "spec": "chara_card_v2", "spec_version": "2.0", "data": {
        "name": "Nova", "description": "{{char}} flies with {{user}}.", "personality": "", "scenario": "",
        "first_mes": "Welcome, {{user}}.", "alternate_greetings": ["Ahoy, {{user}}."],
        "mes_example": "<START>\n{{user}}: Where to?\n{{char}}: Out.",
        "post_history_instructions": "Stay calm.", "extensions": {}, "tags": ["space"],
        "character_book": { "entries": [
            { "keys": ["engine"], "content": "The engine of {{char}} hums.", "enabled": true, "insertion_order": 1, "position": "before_char", "extensions": {} },
            { "keys": ["/drag(on)?/"], "content": "A beast.", "enabled": true, "insertion_order": 2, "extensions": {} }
        ]}
    }})
    .to_string()
}

#[expect(clippy::expect_used, reason = "a test may fail at what the program printed")]
fn json_of(text: &str) -> Value {
    serde_json::from_str(text).expect(text)
}

#[test]
fn pf1_a_newcomer_imports_a_card_and_sees_the_fate_of_each_field() {
    let home = Home::new();
    home.write("nova.json", &card());
    let (code, out, err) = run(&home, &["persona", "import", "nova.json"]);
    assert_eq!((code, out.replace('\\', "/").as_str()), (0, "personas/nova.md\n"), "{err}");
    for line in ["description", "effective", "tags", "words for people who search", "greenroom chat nova"] {
        assert!(err.contains(line), "{line}: {err}");
    }
    let (code, _, err) = run(&home, &["persona", "check"]);
    assert_eq!((code, err.as_str()), (0, "4 good personas, 0 problems\n"));
    let (_, out, err) = run(&home, &["persona", "import", "nova.json"]);
    assert_eq!(out.replace('\\', "/"), "personas/nova.md\n");
    assert!(err.contains("imported from the same data before"), "{err}");
    home.write("other.json", &card().replace("calm", "wild"));
    let (_, out, err) = run(&home, &["persona", "import", "other.json", "--greeting", "2"]);
    assert_eq!(out.replace('\\', "/"), "personas/nova-2.md\n");
    assert!(err.contains("the name nova was taken, so the persona is nova-2"), "{err}");
    let (_, out, _) = run(&home, &["persona", "export", "nova-2", "--as", "card-v2", "--out", "-"]);
    assert_eq!(json_of(&out)["data"]["first_mes"], "Welcome, {{user}}.");
}

#[test]
fn pf2_a_card_with_the_name_of_a_sample_gets_a_number_and_none_of_its_memories() {
    let home = Home::new();
    run(&home, &["memory", "add", "--persona", "ada", "The flood was in 1951"]);
    home.write("ada.json", &card().replace("Nova", "Ada"));
    let (_, out, err) = run(&home, &["persona", "import", "ada.json"]);
    assert_eq!(out.replace('\\', "/"), "personas/ada-2.md\n");
    assert!(err.contains("the name ada was taken, so the persona is ada-2"), "{err}");
    let (_, out, _) = run(&home, &["memory", "list", "--persona", "ada-2"]);
    assert!(!out.contains("flood"), "{out}");
    let (_, out, err) = run(&home, &["persona", "import", "ada.json"]);
    assert_eq!(out.replace('\\', "/"), "personas/ada-2.md\n", "{err}");
    assert!(err.contains("imported from the same data before"), "{err}");
}

#[test]
fn pf4_an_entry_is_in_the_context_with_its_trigger_and_pf5_the_card_around_it() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    home.write("nova.json", &card());
    run(&home, &["persona", "import", "nova.json"]);
    let url = endpoint.base_url();
    let ask = |text: &str| {
        let (code, out, err) = run(
            &home,
            &[
                "context",
                "nova",
                text,
                "--user",
                "mia",
                "--base-url",
                &url,
                "--model",
                "gpt-4o-mini",
                "--json",
            ],
        );
        assert_eq!(code, 0, "{err}");
        json_of(&out)
    };
    let shown = ask("How is the engine?");
    let messages = shown["messages"].as_array().unwrap();
    let system = messages[0]["content"].as_str().unwrap();
    assert!(
        system.starts_with("The engine of Nova hums.\n\nYou are Nova, in a conversation with mia."),
        "{system}"
    );
    assert!(
        system.contains("Nova flies with mia.") && system.contains("mia: Where to?\nNova: Out."),
        "{system}"
    );
    assert_eq!(messages[1], json!({ "role": "assistant", "content": "Welcome, mia." }));
    assert_eq!(messages.last().unwrap()["content"], "[Note: Stay calm.]");
    let items = shown["receipt"]["items"].as_array().unwrap();
    let entry = items.iter().find(|item| item["id"] == "lore:engine").unwrap();
    assert_eq!(entry["reason"], "triggered by “engine”, entry of lorebook");
    assert!(!ask("Hello?").to_string().contains("hums"));
    assert!(ask("a dragon!").to_string().contains("A beast."));
}

/// As in SillyTavern, the first message is searched too, and each text follows its speaker's name.
#[test]
fn pf4_the_first_message_and_names_are_searched_and_pf5_a_deep_note_is_before_them() {
    let home = Home::new();
    let mut shown: Value = json_of(&card());
    let entry = |key: &str| json!({ "keys": [key], "content": format!("Found {key}."), "enabled": true, "insertion_order": 9, "extensions": {} });
    shown["data"]["character_book"]["entries"] =
        json!([entry("welcome"), entry("{{user}}"), entry("absent")]);
    shown["data"]["extensions"]["depth_prompt"] =
        json!({ "prompt": "Fuel is low.", "depth": 2, "role": "system" });
    home.write("nova.json", &shown.to_string());
    run(&home, &["persona", "import", "nova.json"]);
    let url = MockEndpoint::start().base_url();
    let flags = ["--user", "mia", "--base-url", &url, "--model", "gpt-4o-mini", "--json"];
    let (_, out, err) = run(&home, &[&["context", "nova", "Hello."], &flags[..]].concat());
    let messages = &json_of(&out)["messages"];
    // of equal entries, the last one found comes first
    let system = messages[0]["content"].as_str().unwrap();
    assert!(system.contains("Found mia.\n\nFound welcome.") && !system.contains("absent"), "{system} {err}");
    let places = [1, 2, 3].map(|n| messages[n]["content"].as_str().unwrap());
    assert_eq!(places, ["[Note: Fuel is low.]", "Welcome, mia.", "Hello."]);
}

#[test]
fn pf4_a_lorebook_is_given_to_a_persona() {
    let home = Home::new();
    home.write("world.json", r#"{"entries":{"0":{"key":["castle"],"content":"Old.","order":1}}}"#);
    let (code, _, err) = run(&home, &["persona", "import", "world.json"]);
    assert_eq!(code, 1);
    assert!(err.contains("name it with --to NAME"), "{err}");
    run(&home, &["persona", "new", "zoe"]);
    let (code, out, err) = run(&home, &["persona", "import", "world.json", "--to", "zoe"]);
    assert_eq!((code, out.replace('\\', "/").as_str()), (0, "personas/zoe/lorebook.json\n"), "{err}");
    let (code, out, err) = run(&home, &["persona", "import", "world.json", "--to", "zoe"]);
    assert_eq!((code, out.replace('\\', "/").as_str()), (0, "personas/zoe/lorebook.json\n"), "{err}");
    assert!(err.contains("zoe has this lorebook already"), "{err}");
    let (_, _, err) = run(&home, &["persona", "import", "world.json", "--to", "ada"]);
    assert!(err.contains("it is built in"), "{err}");
}

#[test]
fn pf6_another_import_updates_the_memories_and_doubles_none() {
    let home = Home::new();
    let character =
        |knowledge: Value| json!({ "name": "Ada Byron", "bio": ["x"], "knowledge": knowledge }).to_string();
    home.write("docs/boats.md", "Boats float on water.");
    home.write(
        "ada.json",
        &character(json!(["Tea is brewed at noon.", { "path": "docs/boats.md" }, "Cats sleep a lot."])),
    );
    let (_, _, err) = run(&home, &["persona", "import", "ada.json"]);
    assert!(err.contains("3 memories for ada-byron"), "{err}");
    let list = || memories(&home, "ada-byron");
    assert_eq!(list(), ["Boats float on water.", "Cats sleep a lot.", "Tea is brewed at noon."]);
    run(&home, &["persona", "import", "ada.json"]);
    assert_eq!(list().len(), 3);
    home.write("ada.json", &character(json!(["Tea is brewed at one o'clock.", { "path": "docs/boats.md" }])));
    let (_, out, err) = run(&home, &["persona", "import", "ada.json", "--update", "ada-byron"]);
    assert_eq!(out.replace('\\', "/"), "personas/ada-byron.md\n");
    assert!(err.contains("1 memory of an earlier import forgotten"), "{err}");
    assert_eq!(list(), ["Boats float on water.", "Tea is brewed at one o'clock."]);
    // the documents are missing there, so memories learned from them stay
    home.write("elsewhere/ada.json", &character(json!([{ "path": "docs/boats.md" }])));
    let (_, _, err) = run(&home, &["persona", "import", "elsewhere/ada.json", "--update", "ada-byron"]);
    assert!(err.contains("1 memory of an earlier import forgotten"), "{err}");
    assert_eq!(list(), ["Boats float on water."]);
}

#[test]
fn pf7_a_persona_is_exported_and_no_file_is_overwritten() {
    let home = Home::new();
    let (code, out, err) = run(&home, &["persona", "export", "ada", "--as", "png"]);
    assert_eq!((code, out.as_str()), (0, "ada.png\n"), "{err}");
    let (_, out, _) = run(&home, &["persona", "export", "ada", "--as", "png"]);
    assert_eq!(out, "ada-2.png\n");
    let (_, out, _) = run(&home, &["persona", "export", "ada", "--as", "soul"]);
    assert_eq!(out, "ada\n");
    let (code, out, err) = run(&home, &["persona", "import", "--check", "--json", "ada.png", "ada"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!((&json_of(&out)[0]["lossless"], &json_of(&out)[1]["format"]), (&json!(true), &json!("soul")));
    home.write("nova.json", &card());
    let (code, out, err) = run(&home, &["persona", "convert", "nova.json", "--as", "eliza"]);
    assert_eq!((code, out.as_str()), (0, "nova-2.json\n"), "{err}");
    let (code, _, err) = run(&home, &["persona", "convert", "nova.json"]);
    assert_eq!(code, 2);
    assert!(err.contains("--as FORMAT"), "{err}");
}

#[test]
fn pf8_a_bad_file_is_named_with_its_place_and_a_remedy() {
    let home = Home::new();
    home.write("bad.json", "{\"name\": \"x\",\n \"first_mes\": \"say \"no\"\"}");
    let (code, out, err) = run(&home, &["persona", "import", "bad.json"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.starts_with("bad.json: 2:21: no valid JSON:") && err.contains("correct this place"), "{err}");
    home.write("huge.json", &" ".repeat((16 << 20) + 1));
    home.write("LICENSE.md", "# The MIT License");
    std::fs::create_dir(home.path().join("nothing")).unwrap();
    let (code, _, err) = run(&home, &["persona", "import", "--check", "nothing"]);
    assert!(code == 1 && err.contains("nothing: no known persona format: an empty folder"), "{err}");
    for (file, problem) in [
        ("missing.json", "it cannot be read: "),
        ("nothing", "no known persona format: an empty folder"),
        ("huge.json", "the file is larger than 16 MB"),
        ("LICENSE.md", "a licence, and no persona; if it does describe a persona, name it SOUL.md"),
    ] {
        for command in [&["import", file][..], &["convert", file, "--as", "soul"]] {
            let (_, _, err) = run(&home, &[&["persona"], command].concat());
            assert!(err.contains(&format!("{file}: {problem}")), "{err}");
            assert_eq!(err.matches(file).count(), 1, "the file is named once: {err}");
        }
    }
    home.write("personas/zoe.md", "---\n---\nYou are Zoe.\n");
    home.write("personas/zoe/source.json", "{");
    let (code, out, _) = run(&home, &["persona", "check"]);
    assert_eq!(code, 1);
    assert!(out.contains("no valid JSON"), "{out}");
}

#[test]
fn pf5_another_greeting_is_chosen_in_the_chat_and_shown_to_the_model() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    home.write("nova.json", &card());
    run(&home, &["persona", "import", "nova.json"]);
    let url = endpoint.base_url();
    let flags = ["chat", "nova", "--user", "mia", "--base-url", &url, "--model", "gpt-4o-mini"];
    let mut child = greenroom(&home, &flags).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"/greeting\n/greeting 3\n/greeting 2\nHello\n").unwrap();
    let (code, _, err) = parts(&child.wait_with_output().unwrap());
    assert_eq!(code, 0, "{err}");
    for line in ["→ 1  Welcome, mia.", "  2  Ahoy, mia.", "numbered from 1 to 2", "Nova: Ahoy, mia."] {
        assert!(err.contains(line), "{line}: {err}");
    }
    let asked = endpoint.chats().pop().unwrap();
    assert_eq!(asked["messages"][1]["content"], "Ahoy, mia.", "{asked}");
    let (_, out, _) = run(&home, &["persona", "export", "nova", "--as", "card-v2", "--out", "-"]);
    assert_eq!(json_of(&out)["data"]["first_mes"], "Welcome, {{user}}.");
}

/// A command line beside a server, or two command lines.
#[test]
fn pf2_processes_that_import_one_file_at_the_same_time_make_one_persona() {
    let home = Home::new();
    home.write("pack/SOUL.md", "Be kind.");
    // many files, so that writing takes long enough for the others to start meanwhile
    for n in 0..300 {
        home.write(&format!("pack/skills/{n}.bin"), "\0");
        home.write(&format!("pack/notes/{n}.md"), "A note.");
    }
    home.write("world.json", r#"{"entries":{"0":{"key":["castle"],"content":"Old.","order":1}}}"#);
    run(&home, &["persona", "new", "zoe"]);
    let commands = [&["persona", "import", "pack"][..], &["persona", "import", "world.json", "--to", "zoe"]];
    for command in commands {
        let begin = || {
            let mut program = greenroom(&home, command);
            program.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
        };
        let running: Vec<_> = (0..6).map(|_| begin()).collect();
        let printed: std::collections::BTreeSet<_> =
            running.into_iter().map(|child| parts(&child.wait_with_output().unwrap())).collect();
        assert_eq!(printed.len(), 1, "{printed:?}");
        assert_eq!(printed.first().unwrap().0, 0, "{printed:?}");
    }
}

#[test]
fn pf1_an_agents_md_alone_says_what_it_is_and_a_project_is_no_persona() {
    let home = Home::new();
    home.write("kim/AGENTS.md", "You are Kim.");
    home.write("kim/MEMORY.md", "Tea is hot.");
    home.write("shop/AGENTS.md", "Run the tests.");
    home.write("shop/src/main.rs", "fn main() {}");
    let (code, _, err) = run(&home, &["persona", "import", "--check", "kim"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("kim: SOUL.md family, kim (2 effective") && err.contains("without an import"),
        "{err}"
    );
    let (code, out, _) = run(&home, &["persona", "import", "kim"]);
    assert_eq!((code, out.replace('\\', "/").as_str()), (0, "personas/kim.md\n"));
    let (code, _, err) = run(&home, &["persona", "import", "shop"]);
    assert_eq!(code, 1);
    assert!(
        err.contains("a project, with src/main.rs beside AGENTS.md")
            && err.contains("import that file alone"),
        "{err}"
    );
    let (code, out, err) = run(&home, &["persona", "import", "shop/AGENTS.md"]);
    assert_eq!((code, out.replace('\\', "/").as_str()), (0, "personas/agents.md\n"), "{err}");
}

fn memories(home: &Home, persona: &str) -> Vec<String> {
    let (_, out, _) = run(home, &["memory", "list", "--persona", persona, "--json"]);
    let listed = json_of(&out);
    let mut texts: Vec<String> =
        listed.as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

/// The import ends between writing the persona and its memories; here because the store cannot be opened.
#[test]
fn pf6_the_next_start_learns_what_an_import_that_ended_too_early_did_not() {
    let home = Home::new();
    let ada = json!({ "name": "Zoe", "bio": "x", "knowledge": ["Tea is hot.", "Cats sleep."] });
    home.write("zoe.json", &ada.to_string());
    home.write("no-directory", "");
    let (code, _, err) = run(&home, &["persona", "import", "zoe.json", "--data", "no-directory/data"]);
    assert_eq!(code, 1, "{err}");
    let doctor = || run(&home, &["doctor"]).1;
    assert!(doctor().contains("an import ended before zoe knew all of its file"), "{}", doctor());
    assert_eq!(memories(&home, "zoe"), Vec::<String>::new());
    let url = MockEndpoint::start().base_url();
    let flags = ["--user", "mia", "--base-url", &url, "--model", "gpt-4o-mini", "--json"];
    let (code, out, err) = run(&home, &[&["context", "zoe", "Is tea hot?"], &flags[..]].concat());
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("Tea is hot."), "{out}");
    assert_eq!(memories(&home, "zoe"), ["Cats sleep.", "Tea is hot."]);
    assert!(!doctor().contains("an import ended"), "{}", doctor());
}

#[test]
fn pf6_statements_that_change_places_are_known_before_and_a_lorebook_forgets_none() {
    let home = Home::new();
    let zoe = |knowledge: Value| json!({ "name": "Zoe", "bio": "x", "knowledge": knowledge }).to_string();
    home.write("zoe.json", &zoe(json!(["Tea is hot.", "Cats sleep."])));
    run(&home, &["persona", "import", "zoe.json"]);
    let (_, _, err) = run(&home, &["persona", "import", "zoe.json"]);
    assert!(err.contains("2 memories for zoe, all of them known before\n"), "{err}");
    home.write("zoe.json", &zoe(json!(["Boats float.", "Cats sleep.", "Tea is hot."])));
    let (_, _, err) = run(&home, &["persona", "import", "zoe.json", "--update", "zoe"]);
    assert!(err.contains("3 memories for zoe, 1 of them new or changed\n"), "{err}");
    home.write("world.json", r#"{"entries":{"0":{"key":["castle"],"content":"Old.","order":1}}}"#);
    let (code, _, err) = run(&home, &["persona", "import", "world.json", "--to", "zoe"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(memories(&home, "zoe"), ["Boats float.", "Cats sleep.", "Tea is hot."]);
}
