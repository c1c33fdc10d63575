//! The order of decision, row by row.

use super::*;

fn wish(base_url: &str, model: &str) -> Wish {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Wish { base_url: some(base_url), model: some(model) }
}

fn key() -> Option<Origin> {
    Some(Origin::Environment("OPENAI_API_KEY"))
}

/// Every layer says something.
fn all() -> Wishes {
    Wishes {
        flags: wish("http://flag/v1", "flag-model"),
        environment: wish("http://env/v1", "env-model"),
        persona: wish("http://persona/v1", "persona-model"),
        settings: wish("http://toml/v1", "toml-model"),
        openai_base_url: Some("http://openai-env/v1".into()),
        key: key(),
    }
}

fn ollama() -> Found {
    Found {
        server: "Ollama",
        base_url: "http://127.0.0.1:11434/v1".into(),
        models: vec!["nomic-embed-text".into(), "llama3.2".into()],
    }
}

fn url(choice: &Choice) -> &str {
    match &choice.endpoint {
        Endpoint::Url(url) => url,
        Endpoint::BuiltIn => BUILT_IN,
    }
}

/// Taking the layers away one after the other lets the next one decide.
#[test]
fn the_endpoint_is_decided_by_the_first_layer_that_names_one() {
    type Without = fn(&mut Wishes);
    let rows: [(Without, &str, &str); 7] = [
        (|_| {}, "http://flag/v1", "--base-url"),
        (|w| w.flags = Wish::default(), "http://env/v1", "GREENROOM_BASE_URL"),
        (|w| w.environment = Wish::default(), "http://persona/v1", "persona file"),
        (|w| w.persona = Wish::default(), "http://toml/v1", "greenroom.toml"),
        (|w| w.settings = Wish::default(), "http://openai-env/v1", "OPENAI_BASE_URL"),
        (|w| w.openai_base_url = None, OPENAI, "OPENAI_API_KEY"),
        (|w| w.key = None, "http://127.0.0.1:11434/v1", "Ollama found on this machine"),
    ];
    let mut wishes = all();
    for (without, expected, origin) in rows {
        without(&mut wishes);
        let choice = choose(&wishes, Some(&ollama()), &[]);
        assert_eq!((url(&choice), choice.endpoint_origin.to_string().as_str()), (expected, origin));
    }
    let choice = choose(&wishes, None, &[]);
    assert_eq!((choice.endpoint, choice.endpoint_origin), (Endpoint::BuiltIn, Origin::BuiltIn));
}

#[test]
fn the_model_is_decided_on_its_own() {
    type Without = fn(&mut Wishes);
    let rows: [(Without, &str, &str); 4] = [
        (|_| {}, "flag-model", "--model"),
        (|w| w.flags.model = None, "env-model", "GREENROOM_MODEL"),
        (|w| w.environment.model = None, "persona-model", "persona file"),
        (|w| w.persona.model = None, "toml-model", "greenroom.toml"),
    ];
    let mut wishes = all();
    for (without, expected, origin) in rows {
        without(&mut wishes);
        let choice = choose(&wishes, None, &["listed".into()]);
        assert_eq!((choice.model.as_str(), choice.model_origin.to_string().as_str()), (expected, origin));
        assert_eq!(choice.endpoint_origin, Origin::Flag("--base-url"), "the endpoint stays the flag's");
    }
}

#[test]
fn without_a_name_the_endpoint_is_asked_and_a_chat_model_preferred() {
    let wishes = Wishes { flags: wish("http://x/v1", ""), ..Wishes::default() };
    let rows: [(&[&str], &str, Origin); 5] = [
        (&["nomic-embed-text", "llama3.2"], "llama3.2", Origin::Listed),
        (&["llama3.2", "qwen3"], "llama3.2", Origin::Listed),
        (&["nomic-embed-text"], "nomic-embed-text", Origin::Listed),
        (&["gpt-4-0613", "gpt-4o-mini"], DEFAULT_MODEL, Origin::Default),
        (&[], DEFAULT_MODEL, Origin::Default),
    ];
    for (listed, expected, origin) in rows {
        let listed: Vec<String> = listed.iter().map(|&id| id.to_owned()).collect();
        let choice = choose(&wishes, None, &listed);
        assert_eq!((choice.model.as_str(), choice.model_origin), (expected, origin), "{listed:?}");
    }
}

#[test]
fn the_built_in_model_is_smollm2_whatever_a_persona_names() {
    let wishes = Wishes { persona: wish("", "gpt-4o"), ..Wishes::default() };
    let choice = choose(&wishes, None, &[]);
    assert_eq!((choice.model.as_str(), choice.model_origin), (BUILT_IN_MODEL, Origin::BuiltIn));
    let asked = Wishes { flags: wish(BUILT_IN, ""), key: key(), ..Wishes::default() };
    let choice = choose(&asked, Some(&ollama()), &[]);
    assert_eq!((choice.endpoint, choice.endpoint_origin), (Endpoint::BuiltIn, Origin::Flag("--base-url")));
}

#[test]
fn nothing_is_probed_once_anybody_decided() {
    assert!(endpoint(&Wishes::default()).is_none());
    assert!(endpoint(&Wishes { key: key(), ..Wishes::default() }).is_some());
    assert!(endpoint(&Wishes { persona: wish("http://p/v1", ""), ..Wishes::default() }).is_some());
    assert!(endpoint(&Wishes { flags: wish("  ", ""), ..Wishes::default() }).is_none(), "blank is nothing");
}

#[test]
fn x5_a_password_in_a_url_is_not_shown() {
    let wishes = Wishes { flags: wish("https://me:pw@host:8/v1?key=abc", "m"), ..Wishes::default() };
    let choice = choose(&wishes, None, &[]);
    assert_eq!(choice.describe(), "m (--model) at https://host:8/v1 (--base-url)");
}

#[test]
fn slashes_at_the_end_do_not_make_another_endpoint() {
    let wishes = Wishes { flags: wish(" http://x/v1// ", ""), ..Wishes::default() };
    assert_eq!(url(&choose(&wishes, None, &[])), "http://x/v1");
}
