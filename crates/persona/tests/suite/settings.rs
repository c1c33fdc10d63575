//! Settings and their precedence: defaults, `greenroom.toml`, persona front matter, environment, flags.

use std::path::Path;

use greenroom_persona::{Cast, EmbedderKind, Flag, Layers, Origin, env};

use super::{files, lines};

fn layers(dir: &Path, environment: &[(&str, &str)], flags: &[(&str, &str, &str)]) -> Layers {
    let flag = |(name, key, value): &(&str, &str, &str)| Flag {
        name: name.to_string(),
        key: key.to_string(),
        value: value.to_string(),
    };
    Layers {
        directory: dir.to_owned(),
        environment: environment.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect(),
        flags: flags.iter().map(flag).collect(),
        ..Layers::default()
    }
}

fn directory(settings: &str, ada: &str) -> tempfile::TempDir {
    let dir = files(&[("greenroom.toml", settings)]);
    std::fs::create_dir(dir.path().join("personas")).unwrap();
    std::fs::write(dir.path().join("personas/ada.md"), ada).unwrap();
    dir
}

fn origin<'a>(origins: &'a [Origin], key: &str) -> (&'a str, &'a str) {
    let found = origins.iter().find(|o| o.key == key).unwrap_or_else(|| panic!("no {key}"));
    (&found.value, &found.origin)
}

#[test]
fn each_layer_lies_over_the_one_before_and_says_where_a_value_came_from() {
    let dir = directory(
        "[model]\nname = 'm-toml'\ntemperature = 0.1\nretries = 1\nfallback = 'f-toml'\n",
        "---\nmodel:\n  name: m-persona\n  temperature: 0.2\n  retries: 3\n---\nYou are Ada.\n",
    );
    let environment = [("GREENROOM_MODEL", "m-env"), ("GREENROOM_MODEL__TEMPERATURE", "0.3")];
    let cast = Cast::load(&layers(dir.path(), &environment, &[("--model", "model.name", "m-flag")]));
    assert_eq!(lines(&cast.problems, dir.path()), "");
    let name = "ada".parse().unwrap();
    let model = &cast.get(&name).unwrap().model;
    assert_eq!(model.name.as_deref(), Some("m-flag"));
    assert_eq!(model.temperature, 0.3);
    assert_eq!(model.retries, 3);
    assert_eq!(model.fallback.as_deref(), Some("f-toml"));

    let shown: String = cast.persona_origins[&name]
        .iter()
        .filter(|o| o.key.starts_with("model.") && !o.key.contains("timeouts"))
        .map(|o| format!("{} = {}   {}\n", o.key, o.value, o.origin))
        .collect();
    let shown = shown.replace(&format!("{}/", dir.path().display()), "");
    insta::assert_snapshot!(shown, @r"
    model.fallback = f-toml   greenroom.toml:5
    model.max_output_tokens = 4096   default
    model.name = m-flag   flag --model
    model.retries = 3   personas/ada.md:5
    model.temperature = 0.3   environment GREENROOM_MODEL__TEMPERATURE
    ");
    // The general settings do not contain the persona's values.
    assert_eq!(cast.settings.model.settings.retries, 1);
}

#[test]
fn bd7_a_global_false_wins_over_a_personas_true() {
    let ada = "---\nmemory: { auto_retrieve: true }\n---\nYou are Ada.\n";
    let dir = directory("[memory]\nauto_retrieve = false\n", ada);
    let name = "ada".parse().unwrap();
    let cast = Cast::load(&layers(dir.path(), &[], &[]));
    assert!(!cast.get(&name).unwrap().memory.auto_retrieve);
    let (value, from) = origin(&cast.persona_origins[&name], "memory.auto_retrieve");
    assert_eq!(value, "false");
    assert!(from.ends_with("greenroom.toml:2"), "{from}");

    let on = [("GREENROOM_MEMORY__AUTO_RETRIEVE", "true")];
    let cast = Cast::load(&layers(dir.path(), &on, &[]));
    assert!(cast.get(&name).unwrap().memory.auto_retrieve, "the environment lies over the file");
}

#[test]
fn the_profile_of_a_persona_brings_its_numbers_and_its_name_as_their_origin() {
    let dir =
        directory("[memory]\nwindow = 6\n", "---\nmemory: { profile: recall-visible }\n---\nYou are Ada.\n");
    let cast = Cast::load(&layers(dir.path(), &[], &[]));
    let name = "ada".parse().unwrap();
    let memory = &cast.get(&name).unwrap().memory;
    assert_eq!((memory.knowledge.limit, memory.knowledge.threshold), (3, Some(0.5)));
    assert_eq!(memory.window, 6, "what the settings say lies over the preset");
    let origins = &cast.persona_origins[&name];
    assert_eq!(origin(origins, "memory.knowledge.limit"), ("3", "profile recall-visible"));
    assert_eq!(origin(origins, "memory.enabled").0, "true");
    // A preset without a threshold does not keep another preset's threshold.
    let dir = directory("", "---\nmemory: { profile: assembler }\n---\nYou are Ada.\n");
    let cast = Cast::load(&layers(dir.path(), &[], &[]));
    assert_eq!(cast.get(&name).unwrap().memory, greenroom_persona::Profile::Assembler.settings());
}

#[test]
fn wb2_every_section_of_the_settings_file_is_read() {
    let dir = files(&[(
        "greenroom.toml",
        "persona = 'vesper'
[model]
base_url = 'http://localhost:8080/v1'
api_key = 'sk-canary'
share_key_with = ['http://localhost:9090/v1']
[embedder]
kind = 'openai'
model = 'text-embedding-3-small'
dimension = 512
[project]
budget_tokens = 2000
fallback_names = ['CONTRIBUTING.md']
[models.'gpt-4.1']
context_window = 1_000_000
tokenizer = 'o200k'
[runtime]
idle_after = '1m'
queue_limit = 8
[server]
hosts = ['greenroom.example', '[::1]:7420']
origins = ['https://app.example:8443']
[limits]
tokens_per_hour = 0
[room]
answer = 'always'
",
    )]);
    let cast = Cast::load(&layers(dir.path(), &[], &[]));
    assert_eq!(lines(&cast.problems, dir.path()), "");
    let settings = &cast.settings;
    assert_eq!(settings.persona.as_str(), "vesper");
    assert_eq!(settings.embedder.kind, EmbedderKind::OpenAi);
    assert_eq!(settings.models["gpt-4.1"].context_window, Some(1_000_000));
    assert_eq!(settings.runtime.queue_limit, 8);
    assert_eq!(settings.server.hosts, ["greenroom.example", "[::1]:7420"]);
    assert_eq!(settings.server.origins, ["https://app.example:8443"]);
    assert_eq!(settings.key_for("http://localhost:9090/v1").unwrap().expose(), "sk-canary");
    let (value, from) = origin(&cast.origins, "models.\"gpt-4.1\".tokenizer");
    assert_eq!(value, "o200k");
    assert!(from.ends_with("greenroom.toml:15"), "{from}");
    assert_eq!(origin(&cast.origins, "model.api_key").0, "set (hidden)");
    let everything = format!("{cast:?} {}", serde_json::to_string(&cast.settings).unwrap());
    assert!(!everything.contains("canary"), "X5");
}

#[test]
fn a_bad_settings_file_is_reported_at_once_and_what_is_good_of_it_holds() {
    let dir = files(&[(
        "greenroom.toml",
        "persona = \"Ada\"\n[model]\nname = \"good\"\ntemperature = 5\n[embeder]\nkind = \"static\"\n[embedder]\nkind = \"bert\"\n[project]\nfallback_names = [\"../x.md\"]\n[models.x]\nwindow = 1\n[server]\nhosts = [\"http://a.example\"]\norigins = [\"https://a.example/\"]\n",
    )]);
    let cast = Cast::load(&layers(dir.path(), &[], &[]));
    insta::assert_snapshot!(lines(&cast.problems, dir.path()), @r#"
    greenroom.toml:1:11: persona cannot be this (`"Ada"`): expected 1 to 64 of a-z, 0-9, `-` and `_`, beginning with a letter or a digit
    greenroom.toml:4:15: model.temperature is out of range (`5`): expected a number from 0 to 2
    greenroom.toml:5:2: unknown field `embeder`: expected one of `accounts`, `channels`, `embedder`, `limits`, `memory`, `model`, `models`, `persona`, `project`, `room`, `runtime`, `server`; did you mean `embedder`?
    greenroom.toml:8:8: embedder.kind cannot be this (`"bert"`): expected one of `auto`, `static`, `multilingual`, `minilm`, `openai`, `none`
    greenroom.toml:10:19: project.fallback_names cannot be this (`"../x.md"`): expected a file's bare name, as CONTRIBUTING.md
    greenroom.toml:12:1: unknown field `window` in models.x: expected one of `context_window`, `price`, `tokenizer`
    greenroom.toml:14:10: server.hosts cannot be this (`"http://a.example"`): expected a host, as greenroom.example or greenroom.example:8443
    greenroom.toml:15:12: server.origins cannot be this (`"https://a.example/"`): expected a site, as https://app.example, without a path
    "#);
    assert_eq!(cast.settings.model.settings.name.as_deref(), Some("good"));
    assert_eq!(cast.settings.model.settings.temperature, 0.7);
    assert_eq!(cast.personas.len(), 3);
}

#[test]
fn ad5_a_bad_account_is_reported_with_its_line() {
    let dir = files(&[(
        "greenroom.toml",
        "[[accounts]]\nname = \"My Account\"\nplatform = \"irk\"\nstale_after = \"0s\"\ntoken_env = \"a-b\"\ntoken = \"canary\"\n",
    )]);
    let cast = Cast::load(&layers(dir.path(), &[], &[]));
    insta::assert_snapshot!(lines(&cast.problems, dir.path()), @r#"
    greenroom.toml:2:8: accounts.name cannot be this (`"My Account"`): expected 1 to 32 of a-z, 0-9, `-` and `_`, as libera
    greenroom.toml:3:12: accounts.platform cannot be this (`"irk"`): expected one of `irc`, `matrix`, `xmpp`, `telegram`, `discord`, `slack`, `bridge`; did you mean `irc`?
    greenroom.toml:4:15: accounts.stale_after cannot be this (`"0s"`): expected a duration above zero and up to a day, as 30s, 500ms, 2m or 1h
    greenroom.toml:5:13: accounts.token_env cannot be this (`*****`): expected the name of an environment variable, as IRC_PASSWORD
    greenroom.toml:6:1: unknown field `token` in accounts: expected one of `answers_per_person`, `app_token_env`, `app_token_file`, `ca_file`, `channels`, `enabled`, `faces`, `failure_notice`, `lines_per_answer`, `messages_per_person`, `name`, `new_chats_per_hour`, `personas`, `platform`, `resend_uncertain`, `server`, `stale_after`, `tls`, `token_env`, `token_file`, `user`
    "#);
}

/// An account without a platform was taken for one of IRC.
#[test]
fn ad5_an_account_without_a_platform_is_reported_and_does_not_count() {
    let dir = files(&[(
        "greenroom.toml",
        "[[accounts]]\nname = \"one\"\ntoken_env = \"TELEGRAM_TOKEN\"\n[[accounts]]\nname = \"two\"\nplatform = \"irk\"\n\
         [[accounts]]\nname = \"three\"\nplatform = \"irc\"\n",
    )]);
    let cast = Cast::load(&layers(dir.path(), &[], &[]));
    insta::assert_snapshot!(lines(&cast.problems, dir.path()), @r#"
    greenroom.toml:1:1: `platform` is missing in accounts (`[[accounts]]`): expected one of `irc`, `matrix`, `xmpp`, `telegram`, `discord`, `slack`, `bridge`
    greenroom.toml:6:12: accounts.platform cannot be this (`"irk"`): expected one of `irc`, `matrix`, `xmpp`, `telegram`, `discord`, `slack`, `bridge`; did you mean `irc`?
    "#);
    let names: Vec<&str> = cast.settings.accounts.iter().map(|account| &*account.name).collect();
    assert_eq!(names, ["three"]);
}

#[test]
fn a_bad_variable_or_flag_is_named_with_what_was_expected() {
    let dir = files(&[]);
    let environment = [
        ("GREENROOM_MODEL__TEMPERATURE", "warm"),
        ("GREENROOM_MODEL__RETRIES", "99"),
        ("GREENROOM_EMBEDDER", "statik"),
        ("GREENROOM_ROOM__COOLDOWN", "30"),
        ("GREENROOM_MODLE", "x"),
        ("GREENROOM_MODEL__NONE", "x"),
        ("GREENROOM_TEAM_OF_SOMEBODY", "no business of ours"),
        ("GREENROOM_USER", ""),
        ("OPENAI_BASE_URL", "http://me:canary@host/v1"),
    ];
    let cast =
        Cast::load(&layers(dir.path(), &environment, &[("--base-url", "model.base_url", "localhost")]));
    insta::assert_snapshot!(lines(&cast.problems, dir.path()), @r"
    environment GREENROOM_MODEL__NONE: unknown variable GREENROOM_MODEL__NONE: expected a setting, as GREENROOM_MODEL__TEMPERATURE; did you mean GREENROOM_MODEL__NAME?
    environment GREENROOM_MODEL__RETRIES: model.retries cannot be this (`99`): expected a whole number from 0 to 10
    environment GREENROOM_MODEL__TEMPERATURE: model.temperature cannot be this (`warm`): expected a number from 0 to 2
    environment GREENROOM_ROOM__COOLDOWN: room.cooldown cannot be this (`30`): expected a duration up to a day, as 30s, 500ms, 2m or 1h
    environment GREENROOM_EMBEDDER: embedder.kind cannot be this (`statik`): expected one of `auto`, `static`, `multilingual`, `minilm`, `openai`, `none`; did you mean `static`?
    environment GREENROOM_MODLE: unknown variable GREENROOM_MODLE: expected a setting, as GREENROOM_MODEL__TEMPERATURE; did you mean GREENROOM_MODEL?
    flag --base-url: model.base_url cannot be this (`localhost`): expected an address as http://localhost:11434/v1, without credentials
    environment OPENAI_BASE_URL: model.base_url cannot be this (`http://*********@host/v1`): expected an address as http://localhost:11434/v1, without credentials; credentials do not belong in an address; use model.api_key
    ");
}

#[test]
fn the_settings_file_is_looked_for_in_the_documented_order() {
    let [a, b, c, d] =
        ["a", "b", "c", "d"].map(|n| files(&[("greenroom.toml", &format!("persona = '{n}'"))]));
    let nowhere = files(&[]);
    let file = |dir: &tempfile::TempDir| dir.path().join("greenroom.toml");
    let mut layers = layers(c.path(), &[(env::CONFIG, file(&b).to_str().unwrap())], &[]);
    layers.config = Some(file(&a));
    layers.user_config = Some(d.path().to_owned());
    let mut meant = Vec::new();
    meant.push(Cast::load(&layers).settings.persona.to_string());
    layers.config = None;
    meant.push(Cast::load(&layers).settings.persona.to_string());
    layers.environment = Default::default();
    meant.push(Cast::load(&layers).settings.persona.to_string());
    layers.directory = nowhere.path().to_owned();
    meant.push(Cast::load(&layers).settings.persona.to_string());
    assert_eq!(meant, ["a", "b", "c", "d"]);
    layers.config = Some(nowhere.path().join("none.toml"));
    assert_eq!(Cast::load(&layers).problems[0].code, "unreadable");
}

#[test]
fn openais_variables_stand_below_the_settings_file() {
    let dir = files(&[]);
    let key = [("OPENAI_API_KEY", "sk-canary")];
    let cast = Cast::load(&layers(dir.path(), &key, &[]));
    let ada = cast.get(&"ada".parse().unwrap()).unwrap();
    let endpoint = ada.model.base_url.as_deref().unwrap();
    assert_eq!(endpoint, "https://api.openai.com/v1", "a key alone means OpenAI");
    assert_eq!(cast.settings.key_for(endpoint).unwrap().expose(), "sk-canary");
    assert_eq!(origin(&cast.origins, "model.base_url").1, "environment OPENAI_API_KEY");
    assert!(!format!("{cast:?}").contains("canary"), "X5");

    let both = [("OPENAI_API_KEY", "sk-canary"), ("OPENAI_BASE_URL", "http://localhost:1/v1")];
    let cast = Cast::load(&layers(dir.path(), &both, &[]));
    assert_eq!(origin(&cast.origins, "model.base_url").0, "http://localhost:1/v1");
    std::fs::write(dir.path().join("greenroom.toml"), "model.base_url = 'http://localhost:2/v1'").unwrap();
    let cast = Cast::load(&layers(dir.path(), &both, &[]));
    assert_eq!(origin(&cast.origins, "model.base_url").0, "http://localhost:2/v1");
    assert_eq!(cast.settings.key_for("http://localhost:2/v1"), None, "another's endpoint gets no key");
}

#[test]
fn x5_an_endpoint_named_by_a_persona_file_gets_no_key() {
    let ada = "---\nmodel: { base_url: 'https://evil.example/v1' }\n---\nYou are Ada.\n";
    let dir = directory("[model]\napi_key = 'sk-canary'\n", ada);
    let cast = Cast::load(&layers(dir.path(), &[("OPENAI_API_KEY", "sk-canary")], &[]));
    let endpoint = cast.get(&"ada".parse().unwrap()).unwrap().model.base_url.clone().unwrap();
    assert_eq!(endpoint, "https://evil.example/v1");
    assert_eq!(cast.settings.key_for(&endpoint), None);
}

#[test]
fn x5_the_models_of_memory_have_keys_as_the_main_model_has() {
    let key = |text: &str, environment: &[(&str, &str)], url: &str| {
        let dir =
            directory(text, "---\nmemory: { hyde: { base_url: 'https://evil.example/v1' } }\n---\nAda.\n");
        let cast = Cast::load(&layers(dir.path(), environment, &[]));
        assert_eq!(lines(&cast.problems, dir.path()), "");
        cast.settings.key_for(url).map(|key| key.expose().to_owned())
    };
    let file = "model.api_key = 'file'\nmemory.hyde.base_url = 'https://small.example/v1'\n";
    assert_eq!(key(file, &[], "https://small.example/v1").as_deref(), Some("file"));
    let found = "memory.capture.base_url = 'https://small.example/v1'\n";
    let own = ("GREENROOM_API_KEY", "own");
    assert_eq!(key(found, &[own], "https://small.example/v1"), None, "a file that was found leads no key");
    let named = ("GREENROOM_MEMORY__CAPTURE__BASE_URL", "https://other.example/v1");
    assert_eq!(key("", &[own, named], "https://other.example/v1").as_deref(), Some("own"));
    assert_eq!(key(file, &[own, named], "https://evil.example/v1"), None, "nor does a persona file");
}

#[test]
fn a_template_may_stand_in_the_settings_file_or_the_environment() {
    let ada = "---\nmemory: { render: template }\n---\nYou are Ada.\n";
    let dir = directory("memory.template = '{{ memories | length }}'\n", ada);
    assert_eq!(lines(&Cast::load(&layers(dir.path(), &[], &[])).problems, dir.path()), "");
    let dir = directory("[memory]\nrender = 'template'\n", "---\n---\nYou are Ada.\n");
    let problems = Cast::load(&layers(dir.path(), &[], &[])).problems;
    insta::assert_snapshot!(lines(&problems, dir.path()), @"greenroom.toml:2:10: memory.render is `template` and there is no template (`'template'`): expected memory.template beside it; write one, or choose another format");
    let environment = [("GREENROOM_MEMORY__TEMPLATE", "{{ memories | length }}")];
    assert_eq!(lines(&Cast::load(&layers(dir.path(), &environment, &[])).problems, dir.path()), "");
}

#[test]
fn x5_a_rejected_endpoint_does_not_lead_its_key_to_openai() {
    let dir =
        files(&[("greenroom.toml", "model.base_url = 'my-llm.internal:8080/v1'\nmodel.api_key = 'k'\n")]);
    let cast = Cast::load(&layers(dir.path(), &[("OPENAI_API_KEY", "sk-canary")], &[]));
    assert_eq!(cast.settings_problems().len(), 1);
    assert_eq!(cast.settings.model.settings.base_url, None);
    assert!(cast.personas.iter().all(|persona| persona.model.base_url.is_none()));
}

#[test]
fn x5_a_settings_file_that_was_found_leads_no_key_of_the_environment() {
    let text = "model.base_url = 'http://localhost:2/v1'\nmodel.share_key_with = ['http://localhost:3/v1']\n";
    let dir = files(&[("greenroom.toml", text)]);
    let environment = [("OPENAI_API_KEY", "openai"), ("GREENROOM_API_KEY", "own")];
    let mut layers = layers(dir.path(), &environment, &[]);
    let key = |layers: &Layers, url: &str| {
        Cast::load(layers).settings.key_for(url).map(|key| key.expose().to_owned())
    };
    assert_eq!(key(&layers, "http://localhost:2/v1"), None);
    assert_eq!(key(&layers, "http://localhost:3/v1"), None);
    let why = Cast::load(&layers).settings.withheld("http://localhost:2/v1").unwrap();
    assert!(why.contains("no key was sent") && why.contains("--base-url"), "{why}");
    layers.config = Some(dir.path().join("greenroom.toml"));
    assert_eq!(key(&layers, "http://localhost:2/v1").as_deref(), Some("own"));
    assert_eq!(key(&layers, "http://localhost:3/v1").as_deref(), Some("own"));
}

#[test]
fn every_setting_has_a_variable_and_every_variable_a_line_in_the_manual() {
    let table = env::table();
    assert!(env::VARIABLES.iter().all(|v| table.contains(v.name)));
    let nested = env::nested();
    assert!(nested.contains(&("GREENROOM_MEMORY__KNOWLEDGE__LIMIT".into(), "memory.knowledge.limit".into())));
    let dir = files(&[]);
    for (name, key) in nested {
        // For most settings this value has the wrong type. The key must be known all the same.
        let cast = Cast::load(&layers(dir.path(), &[(&name, "\u{1}")], &[]));
        assert!(cast.problems.iter().all(|p| p.code != "unknown_field"), "{name} for {key}");
    }
}

#[test]
fn jv7_a_budget_written_by_hand_holds_beside_a_small_model_too() {
    let budget = |memory: &str| {
        let dir = directory("", &format!("---\nmemory: {memory}\n---\nYou are Ada.\n"));
        let cast = Cast::load(&layers(dir.path(), &[], &[]));
        assert_eq!(lines(&cast.problems, dir.path()), "");
        let ada = cast.personas.iter().find(|persona| persona.name.as_str() == "ada").unwrap();
        ada.memory.budget_for(4_096)
    };
    assert_eq!(budget("{ profile: tiers }"), 200);
    assert_eq!(budget("{ profile: tiers, budget_tokens: 600 }"), 600);
    assert_eq!(budget("{ profile: tiers, budget_tokens: 500 }"), 500);
}
