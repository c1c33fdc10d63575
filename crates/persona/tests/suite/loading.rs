//! Which files make up the cast, and which are not even opened.

use greenroom_persona::{Answer, Cast, Layers, Persona, Profile};
use std::time::Duration;

use super::{check, files, lines};

fn names(cast: &Cast) -> Vec<&str> {
    cast.personas.iter().map(|p| p.name.as_str()).collect()
}

fn in_directory(dir: &tempfile::TempDir) -> Layers {
    Layers { personas: Some(dir.path().to_owned()), ..Layers::default() }
}

#[test]
fn wb12_a_persona_has_the_documented_defaults() {
    let dir = files(&[("ada.md", "---\n---\nYou are Ada.\n")]);
    let cast = check(dir.path());
    let ada = &cast.personas[0];
    assert_eq!((ada.name.as_str(), ada.display_name.as_str()), ("ada", "Ada"));
    assert_eq!(ada.prompt, "You are Ada.");
    assert_eq!((ada.model.temperature, ada.model.max_output_tokens), (0.7, 4096));
    assert_eq!((ada.room.answer, ada.room.cooldown), (Answer::Mentioned, Duration::from_secs(30)));
    assert_eq!((ada.limits.tokens_per_hour, ada.limits.tool_rounds), (100_000, 10));
    assert_eq!(ada.tools, ["remember", "recall"]);
    let plain = Persona::new("ada".parse().unwrap(), "You are Ada.");
    assert_eq!(Persona { file: plain.file.clone(), ..ada.clone() }, plain);
}

#[test]
fn wb12_both_formats_say_the_same() {
    let yaml = "---
name: ada
display_name: Ada
model: { name: gpt-4o-mini, temperature: 0.5, max_output_tokens: 1024, timeouts: { stall: 500ms } }
memory: { profile: recall-visible, budget_tokens: 900, knowledge: { limit: 7 } }
room: { answer: always, cooldown: 2m, talkativeness: 1 }
limits: { tokens_per_hour: 5, tool_rounds: 3 }
tools: [recall]
---
You are Ada.
";
    let toml = "+++
name = \"ada\"
display_name = \"Ada\"
tools = [\"recall\"]
model = { name = \"gpt-4o-mini\", temperature = 0.5, max_output_tokens = 1024, timeouts.stall = \"500ms\" }
[memory]
profile = \"recall-visible\"
budget_tokens = 900
knowledge.limit = 7
[room]
answer = \"always\"
cooldown = \"2m\"
talkativeness = 1
[limits]
tokens_per_hour = 5
tool_rounds = 3
+++
You are Ada.
";
    let load = |text| {
        let dir = files(&[("ada.md", text)]);
        let mut cast = check(dir.path());
        assert_eq!(lines(&cast.problems, dir.path()), "");
        Persona { file: "ada.md".into(), ..cast.personas.remove(0) }
    };
    let ada = load(yaml);
    assert_eq!(ada, load(toml));
    assert_eq!(ada.model.timeouts.stall, Duration::from_millis(500));
    assert_eq!(ada.memory.profile, Profile::RecallVisible);
    // Values in the file override the preset. Missing values come from the preset.
    assert_eq!((ada.memory.knowledge.limit, ada.memory.knowledge.threshold), (7, Some(0.5)));
}

#[test]
fn a_file_takes_the_place_of_the_sample_of_its_name_even_if_it_is_bad() {
    let dir = files(&[
        ("ada.md", "---\ndescription: mine\n---\nYou are my Ada.\n"),
        ("wick.md", "---\nnope: 1\n---\nYou are Wick.\n"),
        ("zoe.md", "---\n---\nYou are Zoe.\n"),
        ("README.md", "no persona"),
        ("notes.txt", "no persona"),
        (".hidden.md", "no persona"),
    ]);
    let cast = Cast::load(&in_directory(&dir));
    assert_eq!(names(&cast), ["ada", "vesper", "zoe"]);
    assert_eq!(cast.get(&"ada".parse().unwrap()).unwrap().description, "mine");
    assert_eq!(cast.problems.len(), 1);
}

#[test]
fn without_any_file_the_samples_play() {
    let dir = files(&[]);
    let cast = Cast::load(&Layers { directory: dir.path().to_owned(), ..Layers::default() });
    assert_eq!(names(&cast), ["ada", "vesper", "wick"]);
    assert!(cast.problems.is_empty() && cast.directory.is_none() && cast.config.is_none());
    assert_eq!(cast.settings.persona.as_str(), "ada");
}

#[test]
fn a_directory_that_was_asked_for_and_is_not_there_is_a_problem() {
    let dir = files(&[]);
    let cast = Cast::load(&Layers { personas: Some(dir.path().join("none")), ..Layers::default() });
    assert_eq!(cast.problems[0].code, "unreadable");
    assert_eq!(names(&cast).len(), 3);
}

#[cfg(unix)]
#[test]
fn x11_a_link_out_of_the_directory_is_not_followed() {
    let outside = files(&[("secret.md", "---\n---\ncanary\n")]);
    let dir = files(&[("ada.md", "---\n---\nYou are Ada.\n")]);
    std::os::unix::fs::symlink(outside.path().join("secret.md"), dir.path().join("eve.md")).unwrap();
    std::os::unix::fs::symlink("ada.md", dir.path().join("bea.md")).unwrap();
    std::os::unix::fs::symlink("nowhere", dir.path().join("gone.md")).unwrap();
    let cast = check(dir.path());
    assert_eq!(names(&cast), ["ada", "bea"], "a link within the directory is a file like any other");
    insta::assert_snapshot!(lines(&cast.problems, dir.path()).replace(&dir.path().display().to_string(), "personas"), @r"
    eve.md: is a link out of its directory: expected a file in personas; copy the file there
    gone.md: cannot be read: No such file or directory (os error 2): expected a readable file; check that it is there and that you may read it
    ");
    assert!(!format!("{cast:?}").contains("canary"));
}

#[cfg(unix)]
#[test]
fn x11_what_is_no_regular_file_is_not_opened() {
    let dir = files(&[]);
    std::fs::create_dir(dir.path().join("dir.md")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", dir.path().join("zero.md")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("sock.md")).unwrap();
    let codes: Vec<&str> = check(dir.path()).problems.iter().map(|p| p.code).collect();
    assert_eq!(codes, ["not_followed", "unreadable", "unreadable"]);
}

#[test]
fn a_file_that_is_no_text_says_where() {
    let dir = files(&[]);
    std::fs::write(dir.path().join("ada.md"), b"---\n---\nHello \xff\n").unwrap();
    insta::assert_snapshot!(lines(&check(dir.path()).problems, dir.path()), @"ada.md:3:7: is not UTF-8 from here on: expected UTF-8");
}

#[test]
fn a_new_persona_loads_as_it_is_and_nothing_is_overwritten() {
    let dir = files(&[]);
    let name = "night-porter".parse().unwrap();
    let path = greenroom_persona::create(&dir.path().join("personas"), &name).unwrap();
    let cast = Cast::check(&path, &Layers::default());
    assert_eq!(lines(&cast.problems, dir.path()), "");
    assert_eq!(cast.personas[0].name, name);
    std::fs::write(&path, "mine").unwrap();
    let again = greenroom_persona::create(&dir.path().join("personas"), &name).unwrap_err();
    assert!(again.to_string().contains("is there already"), "{again}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
}
