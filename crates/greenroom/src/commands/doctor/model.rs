//! Checks which models answer, and whether their endpoints have them.

use std::time::Duration;

use greenroom_core::PersonaName;
use greenroom_models::ModelError;
use greenroom_runtime::{Answering, ModelSource};

use super::{Finding, not_asked};
use crate::{
    model_choice::{BUILT_IN_MODEL, Target, shown},
    probe,
    term::size,
    wiring::App,
};

/// The model of the default persona, and every other model that a persona file chooses.
pub(super) async fn models(app: &App, waiting: impl Fn(&str, Duration)) -> Vec<Finding> {
    if !app.cast.settings_problems().is_empty() {
        return vec![not_asked("model")];
    }
    let (models, usual) = (app.models(), &app.settings().persona);
    let others = app.cast.personas.iter().map(|persona| &persona.name).filter(|name| *name != usual);
    // before any request, because one answer may determine the model of several personas
    let mut chosen: Vec<(&PersonaName, _)> = Vec::new();
    for persona in std::iter::once(usual).chain(others) {
        let choice = models.choice(persona);
        let (target, model) = (choice.target.clone(), choice.model().map(str::to_owned));
        if !chosen.iter().any(|(_, known)| *known == (target.clone(), model.clone())) {
            chosen.push((persona, (target, model)));
        }
    }
    let mut findings = Vec::new();
    for (persona, _) in chosen {
        findings.push(model(app, persona, &waiting).await);
    }
    findings
}

async fn model(app: &App, persona: &PersonaName, waiting: &impl Fn(&str, Duration)) -> Finding {
    let models = app.models();
    let list = async |url: &str| {
        let key = app.settings().key_for(url).map(|key| key.expose());
        probe::models_of(url, key, probe::LIST_TIMEOUT).await
    };
    // the choice below asks the endpoint of the settings too, so both run concurrently
    let configured = match models.choice(persona).target {
        Target::Url(url) => Some(url),
        Target::BuiltIn => None,
    };
    if let Some(url) = &configured {
        waiting(&format!("{} for its models", shown(url)), probe::LIST_TIMEOUT);
    }
    let listed = async {
        match &configured {
            Some(url) => Some(list(url).await),
            None => None,
        }
    };
    let (choice, listed) = tokio::join!(models.prepare(persona), listed);
    let described = format!("{} · {}", persona, choice.describe());
    let Target::Url(url) = &choice.target else { return demonstration(app, described) };
    let described = match app.cast.get(persona).and_then(|persona| models.answering(persona)) {
        Some(Answering { window: Some(window), counter: Some(counter), exact, .. }) => {
            let how = if exact { "counted" } else { "estimated" };
            format!("{described}\nits window holds {window} tokens, {how} by {counter}")
        }
        _ => described,
    };
    let withheld = app.settings().withheld(url);
    let listed = match listed.filter(|_| configured.as_ref() == Some(url)) {
        Some(listed) => listed,
        None => list(url).await,
    };
    let model = choice.model();
    let finding = match (listed, model) {
        (Ok(_), None) => {
            let finding = Finding::failed("model", described);
            Finding {
                remedy: Some("load a model there, or name one with --model or model.name".into()),
                ..finding
            }
        }
        (Ok(listed), Some(model)) if listed.is_empty() || listed.iter().any(|known| known.id == model) => {
            Finding::ok("model", described)
        }
        (Ok(_), Some(_)) => Finding::warning(
            "model",
            format!("{described}\nthe endpoint does not list it"),
            "choose one of its models with --model or model.name",
        ),
        (
            Err(ModelError::Broken { .. } | ModelError::Rejected { .. } | ModelError::UnknownModel { .. }),
            Some(_),
        ) => Finding::warning(
            "model",
            format!("{described}\nthe endpoint does not list its models"),
            "say something to it: greenroom chat \"hello there\"",
        ),
        (Err(error), Some(_)) => Finding::failed("model", format!("{persona} · {error}")),
        (Err(error), None) => Finding {
            remedy: Some("or name a model with --model or model.name".into()),
            ..Finding::failed("model", format!("{persona} · {error}"))
        },
    };
    let remedies: Vec<String> = finding.remedy.into_iter().chain(withheld).collect();
    Finding { remedy: (!remedies.is_empty()).then(|| remedies.join("; ")), ..finding }
}

/// The finding for the demonstration model.
fn demonstration(app: &App, described: String) -> Finding {
    let entry = app.weights().list().into_iter().find(|(entry, _)| entry.name == BUILT_IN_MODEL);
    match entry {
        Some((entry, None)) => Finding::warning(
            "model",
            format!("{described}; not installed yet"),
            format!(
                "`greenroom models pull {BUILT_IN_MODEL}` fetches it ({}); the first chat and the server do so \
                 too",
                size(entry.bytes())
            ),
        ),
        _ => Finding::warning(
            "model",
            described,
            "it is a demonstration; for a real model set OPENAI_API_KEY, start Ollama, or set model.base_url",
        ),
    }
}
