//! The decisions that need no endpoint.

use greenroom_persona::ModelEntry;

use super::*;
use greenroom_models::Window;

use crate::model_choice::Sourced;

fn choice(target: Target) -> Choice {
    let origin = || "a test".to_owned();
    let model = ChosenModel::Known(Sourced { value: "own".into(), origin: origin() });
    Choice { target, target_origin: origin(), model }
}

#[test]
fn fg5_a_small_model_has_its_own_name_and_endpoint_or_the_persona_s() {
    let at_home = choice(Target::Url("http://home/v1".into()));
    let mut persona = Persona::new("ada".parse().unwrap(), "You are Ada.");
    let asked = |persona: &Persona, role, choice: &Choice| {
        small(persona, role, choice).map(|(name, url, _)| format!("{name} at {url}"))
    };
    for role in [SmallRole::Retrieval, SmallRole::Capture] {
        assert_eq!(asked(&persona, role, &at_home), None, "nobody asked for {role:?}");
    }
    persona.memory.capture.facts = true;
    assert_eq!(asked(&persona, SmallRole::Capture, &at_home).as_deref(), Some("own at http://home/v1"));
    assert_eq!(asked(&persona, SmallRole::Retrieval, &at_home), None);
    let demonstration = choice(Target::BuiltIn);
    assert_eq!(asked(&persona, SmallRole::Capture, &demonstration), None);

    persona.memory.hyde.model = Some("tiny".into());
    assert_eq!(asked(&persona, SmallRole::Retrieval, &at_home).as_deref(), Some("tiny at http://home/v1"));
    persona.memory.hyde.base_url = Some("http://other/v1".into());
    for choice in [&at_home, &demonstration] {
        let asked = asked(&persona, SmallRole::Retrieval, choice);
        assert_eq!(asked.as_deref(), Some("tiny at http://other/v1"));
    }
}

#[test]
fn wb2_the_persona_the_settings_and_the_family_say_what_a_model_holds() {
    let entry = |context_window, tokenizer: Option<&str>| ModelEntry {
        context_window,
        tokenizer: tokenizer.map(str::to_owned),
        price: None,
    };
    let own = profile("gpt-4o", Some(9_000), &entry(Some(5_000), None), &ModelInfo::default());
    assert_eq!((own.window, own.counter.name()), (9_000, "o200k"));
    let set = profile("my-model", None, &entry(Some(5_000), Some("cl100k")), &ModelInfo::default());
    assert_eq!((set.window, set.counter.name()), (5_000, "cl100k"));
    let alike = profile("my-model", None, &entry(None, Some("gpt-4o")), &ModelInfo::default());
    assert_eq!((alike.window, alike.counter.name()), (200_000, "o200k"));
    let coarse = profile("gpt-4o", None, &entry(None, Some("len/4")), &ModelInfo::default());
    assert_eq!((coarse.window, coarse.counter.exact()), (128_000, false));
}

#[test]
fn a13_what_a_server_tells_counts_before_what_is_known_of_the_family() {
    let told = |tokens, firm| ModelInfo { window: Some(Window { tokens, firm }), counter: None };
    let entry = |context_window| ModelEntry { context_window, tokenizer: None, price: None };
    let window = |own, set, info: &ModelInfo| profile("llama3.2", own, &entry(set), info).window;
    let firm = told(4_096, true);
    assert_eq!(window(None, None, &firm), 4_096);
    assert_eq!(window(Some(2_000), None, &firm), 2_000, "less may be asked for");
    assert_eq!(window(Some(9_000), None, &firm), 4_096, "more is not there");
    assert_eq!(window(None, Some(9_000), &firm), 4_096);
    let usual = told(4_096, false);
    assert_eq!(window(None, None, &usual), 4_096);
    assert_eq!(window(Some(9_000), None, &usual), 9_000, "a setting knows better than the usual value");
    assert_eq!(window(None, None, &ModelInfo::default()), 131_072);
}
