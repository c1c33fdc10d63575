//! Tests the order of the sources, one row per source, with settings read from real files.

use std::fs;

use greenroom_persona::{Flag, Layers, env::Environment};

use super::*;

const TOML: &str = "[model]\nname = \"toml-model\"\nbase_url = \"http://toml/v1\"\n";
const PERSONA: &str =
    "---\nmodel:\n  name: persona-model\n  base_url: http://persona/v1\n---\nYou are Zoe.\n";
const ENV: [(&str, &str); 2] = [("GREENROOM_BASE_URL", "http://env/v1"), ("GREENROOM_MODEL", "env-model")];
const OPENAI: [(&str, &str); 2] =
    [("OPENAI_BASE_URL", "http://openai-env/v1"), ("OPENAI_API_KEY", "sk-canary")];

/// The values of each layer; by default every layer is empty.
#[derive(Default)]
struct World {
    flags: Vec<(&'static str, &'static str, &'static str)>,
    environment: Vec<(&'static str, &'static str)>,
    persona: &'static str,
    toml: &'static str,
}

impl World {
    /// Every layer has a value.
    fn full() -> Self {
        Self {
            flags: vec![
                ("--base-url", "model.base_url", "http://flag/v1"),
                ("--model", "model.name", "flag-model"),
            ],
            environment: ENV.into_iter().chain(OPENAI).collect(),
            persona: PERSONA,
            toml: TOML,
        }
    }

    fn configured(&self) -> Configured {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("personas")).unwrap();
        let persona = if self.persona.is_empty() { "---\n---\nYou are Zoe.\n" } else { self.persona };
        fs::write(directory.path().join("personas/zoe.md"), persona).unwrap();
        fs::write(directory.path().join("greenroom.toml"), self.toml).unwrap();
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let flag = |(name, key, value): &(&str, &str, &str)| Flag {
            name: (*name).into(),
            key: (*key).into(),
            value: (*value).into(),
        };
        let layers = Layers {
            directory: directory.path().to_owned(),
            environment: self.environment.iter().map(owned).collect::<Environment>(),
            flags: self.flags.iter().map(flag).collect(),
            ..Layers::default()
        };
        let cast = Cast::load(&layers);
        assert_eq!(cast.problems, []);
        Configured::of(&cast, &"zoe".parse().unwrap(), false)
    }
}

fn ollama() -> LocalServer {
    let models = listed(&["nomic-embed-text", "llama3.2"]);
    LocalServer { server: "Ollama", base_url: "http://127.0.0.1:11434/v1".into(), models }
}

fn listed(ids: &[&str]) -> Vec<ListedModel> {
    ids.iter().map(|&id| ListedModel { id: id.to_owned(), window: None }).collect()
}

/// The model of a choice and its origin.
fn model(choice: &Choice) -> (&str, &str) {
    match &choice.model {
        ChosenModel::Known(said) => (&said.value, &said.origin),
        ChosenModel::NotYet(why) => ("", why),
    }
}

fn said(value: &str) -> Option<Sourced> {
    Some(Sourced { value: value.into(), origin: "--flag".into() })
}

fn url(choice: &Choice) -> &str {
    match &choice.target {
        Target::Url(url) => url,
        Target::BuiltIn => BUILT_IN,
    }
}

/// Removes the layers one after the other; each time the next one decides.
#[test]
fn the_endpoint_is_decided_by_the_first_layer_that_names_one() {
    type Without = fn(&mut World);
    let rows: [(Without, &str, &str); 7] = [
        (|_| {}, "http://flag/v1", "--base-url"),
        (|w| w.flags.clear(), "http://env/v1", "GREENROOM_BASE_URL"),
        (|w| w.environment = OPENAI.into(), "http://persona/v1", "persona file zoe.md:4"),
        (|w| w.persona = "", "http://toml/v1", "greenroom.toml:3"),
        (|w| w.toml = "", "http://openai-env/v1", "OPENAI_BASE_URL"),
        (|w| w.environment = vec![OPENAI[1]], "https://api.openai.com/v1", "OPENAI_API_KEY"),
        (|w| w.environment.clear(), "http://127.0.0.1:11434/v1", "Ollama on this machine"),
    ];
    let mut world = World::full();
    for (without, expected, origin) in rows {
        without(&mut world);
        let choice = choose(&world.configured(), Some(&ollama()), Ok(&[]));
        assert_eq!((url(&choice), choice.target_origin.as_str()), (expected, origin));
    }
    assert_eq!(choose(&world.configured(), None, Ok(&[])).target, Target::BuiltIn);
}

#[test]
fn the_model_is_decided_on_its_own() {
    type Without = fn(&mut World);
    let flag = ("--base-url", "model.base_url", "http://flag/v1");
    let rows: [(Without, &str, &str); 5] = [
        (|_| {}, "flag-model", "--model"),
        (|w| w.flags.truncate(1), "env-model", "GREENROOM_MODEL"),
        (|w| w.environment = OPENAI.into(), "persona-model", "persona file zoe.md:3"),
        (|w| w.persona = "", "toml-model", "greenroom.toml:2"),
        (|w| w.toml = "", "listed", "the first it lists"),
    ];
    let mut world = World::full();
    assert_eq!(world.flags[0], flag);
    for (without, expected, origin) in rows {
        without(&mut world);
        let choice = choose(&world.configured(), None, Ok(&listed(&["listed"])));
        assert_eq!(model(&choice), (expected, origin));
        assert_eq!(url(&choice), "http://flag/v1", "the endpoint stays the flag's");
    }
}

#[test]
fn without_a_name_the_endpoint_is_asked_and_a_chat_model_preferred() {
    let configured = Configured { base_url: said("http://x/v1"), model: None };
    let none = "none of its models is for chat by its name; load one there";
    let rows: [(&[&str], &str, &str); 7] = [
        (&["nomic-embed-text", "llama3.2"], "llama3.2", "the first it lists"),
        (&["llama3.2", "qwen3"], "llama3.2", "the first it lists"),
        (&["nomic-embed-text"], "", none),
        (&["", " "], "", none),
        (
            &["llama-guard3:8b", "shieldgemma:2b", "paraphrase-multilingual", "qwen3"],
            "qwen3",
            "the first it lists",
        ),
        (&["gpt-4-0613", "gpt-4o-mini"], DEFAULT_MODEL, "default"),
        (&[], "", "it has no models; load one there"),
    ];
    for (ids, expected, origin) in rows {
        let choice = choose(&configured, None, Ok(&listed(ids)));
        assert_eq!(model(&choice), (expected, origin), "{ids:?}");
    }
}

#[test]
fn the_built_in_model_is_smollm2_whatever_a_persona_names() {
    for base_url in [None, said(BUILT_IN)] {
        let choice = choose(&Configured { base_url, model: said("gpt-4o") }, None, Ok(&[]));
        assert_eq!((choice.target.clone(), choice.model()), (Target::BuiltIn, Some(BUILT_IN_MODEL)));
    }
}

#[test]
fn asking_for_the_built_in_model_is_enough_to_have_it() {
    let choice = choose(&Configured { base_url: said(BUILT_IN), model: None }, Some(&ollama()), Ok(&[]));
    assert_eq!(choice.target, Target::BuiltIn);
}

#[test]
fn x5_an_endpoint_is_shown_without_query_user_and_password() {
    for (url, expected) in [
        ("https://x.example/v1", "https://x.example/v1"),
        ("https://x.example/v1?api-key=canary", "https://x.example/v1?…"),
        ("https://x.example?canary", "https://x.example?…"),
        ("https://me:canary@x.example/a@b#canary", "https://x.example/a@b?…"),
    ] {
        assert_eq!(shown(url), expected);
        let configured = Configured { base_url: said(url), model: None };
        assert!(!choose(&configured, None, Ok(&[])).describe().contains("canary"));
    }
}

#[test]
fn nothing_is_probed_once_anybody_decided() {
    assert_eq!(target(&World::default().configured()), None);
    for world in [
        World { environment: vec![OPENAI[1]], ..World::default() },
        World { persona: PERSONA, ..World::default() },
        World { toml: TOML, ..World::default() },
    ] {
        assert!(target(&world.configured()).is_some());
    }
}

/// Without an answer from the endpoint, no model is guessed.
#[test]
fn a3_without_a_name_and_without_a_list_there_is_no_model() {
    let configured = Configured { base_url: said("http://x/v1"), model: None };
    let choice = choose(&configured, None, Err("it does not answer".into()));
    assert_eq!((choice.model(), model(&choice).1), (None, "it does not answer"));
    assert_eq!(choice.describe(), "no model yet at http://x/v1 (--flag): it does not answer");
    let named = Configured { model: said("llama3.2"), ..configured };
    assert_eq!(choose(&named, None, Err("it does not answer".into())).model(), Some("llama3.2"));
}

#[test]
fn a13_a_file_is_shown_by_its_stem() {
    let configured = Configured { base_url: said("http://x/v1"), model: None };
    let path = "/home/jo/.cache/models/long/way/down/Qwen2.5-7B-Instruct-Q4_K_M.gguf";
    let choice = choose(&configured, None, Ok(&listed(&[path])));
    assert_eq!(choice.model(), Some(path));
    assert!(choice.describe().starts_with("Qwen2.5-7B-Instruct-Q4_K_M (the first it lists)"));
}

#[test]
fn a_models_name_is_shown_on_one_line() {
    let configured = Configured { base_url: said("http://x/v1"), model: said("two\nlines") };
    assert!(choose(&configured, None, Ok(&[])).describe().starts_with("two lines ("));
}
