//! Agents of coding tools, in Markdown and TOML, and agents of CrewAI.

use serde_json::Value;

use super::OWN_PROMPT;
use crate::{
    Fate::{self, Effective, Kept},
    character::{Character, Reading},
    receipt::Ledger,
    value::text,
};

/// Fields for the prompt of a TOML agent. The first one with a text counts.
pub(crate) const PROMPTS: [&str; 3] = ["developer_instructions", "instructions", "prompt"];

const KNOWN: &[(&str, Fate, &str)] = &[
    ("name", Effective, "the persona's name"),
    ("displayName", Effective, "the persona's name"),
    ("description", Effective, "the persona's description"),
    ("developer_instructions", Effective, "the system prompt"),
    ("instructions", Effective, "the system prompt"),
    ("prompt", Effective, "the system prompt"),
    ("tools", Kept, "tools of another program; `tools` in the persona file lists Greenroom's"),
    ("disallowedTools", Kept, "tools of another program"),
    ("model", Kept, "a model of another program; `model` in the persona file chooses one"),
    ("model_reasoning_effort", Kept, "a setting of another program"),
    ("sandbox_mode", Kept, "a setting of another program"),
    ("permissionMode", Kept, "a setting of another program"),
    ("mcpServers", Kept, "servers are approved in Greenroom, never by an imported file"),
    ("mcp_servers", Kept, "servers are approved in Greenroom, never by an imported file"),
    ("hooks", Fate::Refused, "commands of another program; they are kept as text and never run"),
    ("color", Kept, "a colour of another program"),
    ("emoji", Kept, "a sign of another program"),
    ("skills", Kept, "skills of another program"),
    ("category", Kept, "a word for people who search"),
    ("tags", Kept, "words for people who search"),
    ("version", Kept, "the version of the agent"),
    ("maxTurns", Kept, "a setting of another program"),
    ("max_turns", Kept, "a setting of another program"),
    ("max_iter", Kept, "a setting of another program"),
    ("steps", Kept, "a setting of another program"),
    ("mode", Kept, "a setting of another program"),
    ("kind", Kept, "a setting of another program"),
    ("target", Kept, "a setting of another program"),
    ("temperature", Kept, "a setting of another program"),
    ("top_p", Kept, "a setting of another program"),
    ("effort", Kept, "a setting of another program"),
    ("background", Kept, "a setting of another program"),
    ("isolation", Kept, "a setting of another program"),
    ("hidden", Kept, "a setting of another program"),
    ("disable", Kept, "a setting of another program"),
    ("permission", Kept, "permissions of another program"),
    ("permissions", Kept, "permissions of another program"),
    ("allowed-tools", Kept, "tools of another program"),
    ("handoffs", Kept, "agents of another program"),
    ("agents", Kept, "agents of another program"),
    ("argument-hint", Kept, "a hint for people"),
    ("user-invocable", Kept, "a setting of another program"),
    ("disable-model-invocation", Kept, "a setting of another program"),
    ("globs", Kept, "files of a project; a persona's instructions are always there"),
    ("alwaysApply", Kept, "a setting of another program; a persona's instructions are always there"),
    ("nickname_candidates", Kept, "names of another program"),
    ("license", Kept, "the licence"),
    ("metadata", Kept, "notes of another program"),
    ("memory", Kept, "a setting of another program"),
];

/// Markdown with front matter.
pub(super) fn markdown(data: &Value) -> Reading {
    let mut ledger = Ledger::default();
    let front = &data["front"];
    if data.get("front_text").is_some() {
        ledger.kept(
            "(front matter)",
            "it is no valid YAML; each line was read as `key: value`, and it is kept as it is",
        );
    }
    misspelt(front, &mut ledger);
    ledger.texts_only(front, "", &["name", "displayName", "description"]);
    ledger.fields(front, "", KNOWN);
    ledger.effective("(body)", "the system prompt");
    reading(front, text(data, "body").unwrap_or_default(), ledger)
}

/// TOML.
pub(super) fn toml(data: &Value) -> Reading {
    let mut ledger = Ledger::default();
    misspelt(data, &mut ledger);
    ledger.texts_only(data, "", &["name", "displayName", "description"]);
    ledger.texts_only(data, "", &PROMPTS);
    let in_use = PROMPTS.iter().find(|key| text(data, key).is_some());
    for other in PROMPTS.iter().filter(|key| Some(*key) != in_use && text(data, key).is_some()) {
        ledger.kept(other, format!("`{}` of the same meaning counts", in_use.unwrap_or(other)));
    }
    ledger.fields(data, "", KNOWN);
    let prompt = in_use.and_then(|key| text(data, key));
    reading(data, prompt.unwrap_or_default(), ledger)
}

fn reading(fields: &Value, prompt: String, ledger: Ledger) -> Reading {
    let name = text(fields, "name").unwrap_or_default();
    let description = text(fields, "description").unwrap_or_default();
    let prompt = if prompt.is_empty() { format!("{OWN_PROMPT}\n\n{description}") } else { prompt };
    let display_name = text(fields, "displayName").unwrap_or_else(|| name.clone());
    let character = Character { display_name, description, greeting: None, prompt };
    Reading { name, character, ledger, ..Reading::default() }
}

/// Adds receipt lines for misspelt fields, because other programs ignore them silently.
fn misspelt(fields: &Value, ledger: &mut Ledger) {
    for (key, _) in crate::value::fields(fields).filter(|(key, _)| KNOWN.iter().all(|(name, ..)| name != key))
    {
        if let Some((near, ..)) = KNOWN.iter().find(|(name, ..)| is_near(key, name)) {
            ledger.kept(key, format!("Greenroom does not know this field; did you mean `{near}`?"));
        }
    }
}

/// Whether two names differ by at most one letter, or by case only.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let ending = one.chars().rev().zip(other.chars().rev()).take_while(|(a, b)| a == b).count();
    let longest = one.chars().count().max(other.chars().count());
    longest > 3 && (one == other || shared + ending + 1 >= longest)
}

/// Whether a value describes an agent of CrewAI.
pub(crate) fn is_crew_agent(value: &Value) -> bool {
    ["role", "goal", "backstory"].iter().any(|key| value.get(key).is_some())
}

/// One agent of CrewAI's `agents.yaml`.
pub(super) fn crew(data: &Value, agent: Option<&str>) -> Reading {
    let mut ledger = Ledger::default();
    let key = agent.unwrap_or_default();
    let fields = &data[key];
    let prompt = crew_prompt(fields);
    ledger.texts_only(fields, "", &["role", "goal", "backstory"]);
    ledger.fields(
        fields,
        "",
        &[
            ("role", Effective, "the beginning of the system prompt, and the description"),
            ("goal", Effective, "in the system prompt, under “Goal”"),
            ("backstory", Effective, "in the system prompt, under “Background”"),
            ("llm", Kept, "a model of another program; `model` in the persona file chooses one"),
            ("tools", Kept, "tools of another program"),
            ("allow_delegation", Kept, "a setting of another program"),
            ("verbose", Kept, "a setting of another program"),
            ("function_calling_llm", Kept, "a model of another program"),
            ("max_iter", Kept, "a setting of another program"),
            ("max_rpm", Kept, "a setting of another program"),
            ("max_execution_time", Kept, "a setting of another program"),
            ("max_retry_limit", Kept, "a setting of another program"),
            ("memory", Kept, "a setting of another program"),
            ("cache", Kept, "a setting of another program"),
            ("reasoning", Kept, "a setting of another program"),
            ("max_reasoning_attempts", Kept, "a setting of another program"),
            ("respect_context_window", Kept, "a setting of another program"),
            ("allow_code_execution", Kept, "code of another program, which is not run"),
            ("code_execution_mode", Kept, "code of another program, which is not run"),
            ("multimodal", Kept, "a setting of another program"),
            ("inject_date", Kept, "a setting of another program"),
            ("knowledge_sources", Kept, "documents of another program"),
            ("system_template", Kept, "a template, which is not filled in"),
            ("prompt_template", Kept, "a template, which is not filled in"),
            ("response_template", Kept, "a template, which is not filled in"),
        ],
    );
    for (other, value) in crate::value::fields(data).filter(|(name, _)| *name != key) {
        match is_crew_agent(value) {
            true => ledger.kept(
                &format!("(agent {other})"),
                "another agent of the file, which becomes a persona of its own",
            ),
            false => ledger.kept(&format!("(root).{other}"), "beside the agents; Greenroom does not use it"),
        }
    }
    let display_name = super::outline::words(key);
    let description = text(fields, "role").unwrap_or_default();
    let character = Character { display_name, description, greeting: None, prompt };
    Reading { name: key.to_owned(), character, ledger, ..Reading::default() }
}

/// The prompt of an agent of CrewAI.
pub(crate) fn crew_prompt(fields: &Value) -> String {
    let mut prompt = match text(fields, "role") {
        Some(role) => format!("You are {}.", role.trim()),
        None => OWN_PROMPT.to_owned(),
    };
    for (name, heading) in [("goal", "Goal"), ("backstory", "Background")] {
        if let Some(text) = text(fields, name) {
            prompt += &format!("\n\n## {heading}\n\n{}", text.trim());
        }
    }
    prompt
}
