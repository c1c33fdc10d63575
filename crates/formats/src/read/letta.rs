//! Letta agent files: agents, their memory blocks, tools and messages, joined by ids of the file.

use serde_json::Value;

use super::{OWN_PROMPT, statements};
use crate::{
    character::{Character, Reading},
    receipt::Ledger,
    value::{fields, is_empty, items, text, texts},
};

/// The names of the agents; none in the older format, which holds one agent.
pub(super) fn agents(data: &Value) -> Vec<Option<String>> {
    let agents = items(data, "agents").iter().enumerate();
    agents.map(|(n, agent)| Some(text(agent, "id").unwrap_or_else(|| format!("agent-{n}")))).collect()
}

pub(super) fn read(data: &Value, wanted: Option<&str>) -> Reading {
    let mut ledger = Ledger::default();
    let agents = items(data, "agents");
    let at = agents.iter().enumerate().position(|(n, agent)| {
        wanted.is_some() && (text(agent, "id").as_deref() == wanted || wanted == Some(&format!("agent-{n}")))
    });
    let agent = agents.get(at.unwrap_or(0)).unwrap_or(data);
    for (n, other) in agents.iter().enumerate().filter(|(n, _)| *n != at.unwrap_or(0)) {
        let name = text(other, "name").unwrap_or_default();
        ledger.kept(&format!("agents[{n}]"), format!("the agent {name}, which becomes a persona of its own"));
    }

    let ids = texts(agent, "block_ids");
    let joined =
        items(data, "blocks").iter().filter(|block| text(block, "id").is_some_and(|id| ids.contains(&id)));
    let blocks: Vec<&Value> =
        joined.chain(items(agent, "memory_blocks")).chain(items(data, "core_memory")).collect();
    let mut prompt =
        text(agent, "system").map_or_else(|| OWN_PROMPT.to_owned(), |text| text.trim().to_owned());
    let mut knowledge = Vec::new();
    for block in blocks {
        let label = text(block, "label").unwrap_or_else(|| "block".into());
        let Some(value) = text(block, "value") else { continue };
        let place = format!("blocks.{label}");
        if label.contains("persona") || label == "soul" || label == "about_me" {
            prompt += &format!("\n\n## {}\n\n{}", super::outline::words(&label), value.trim());
            ledger.effective(&place, "in the system prompt");
        } else {
            knowledge.extend(statements(&place, &value));
            ledger.effective(&place, "memories of the persona");
        }
    }
    account(data, agent, &mut ledger);
    let name = text(agent, "name").unwrap_or_default();
    let description = text(agent, "description").unwrap_or_default();
    let character = Character { display_name: name.clone(), description, greeting: None, prompt };
    Reading { name, character, knowledge, ledger, ..Reading::default() }
}

fn account(data: &Value, agent: &Value, ledger: &mut Ledger) {
    ledger.effective("agents.name", "the persona's name");
    if text(agent, "system").is_some() {
        ledger.effective("agents.system", "the system prompt; tools that it names are not here");
    }
    for (n, tool) in items(data, "tools").iter().enumerate() {
        let name = text(tool, "name").unwrap_or_else(|| n.to_string());
        let code = text(tool, "source_code").is_some();
        match code {
            true => ledger.refused(&format!("tools.{name}"), "code; it is kept as text and never run"),
            false => ledger.kept(&format!("tools.{name}"), "a tool of another program"),
        }
    }
    for (key, _) in fields(agent).filter(|(_, value)| !is_empty(value)) {
        let reason = match key.as_str() {
            "name" | "system" | "description" | "block_ids" | "memory_blocks" | "id" => continue,
            "messages" | "in_context_message_ids" => {
                "the agent's past conversation; Greenroom begins a new one"
            }
            "llm_config" | "model" | "context_window_limit" | "model_settings" => {
                "`model` in the persona file chooses a model"
            }
            "embedding_config" | "embedding" => "Greenroom's settings choose the embedder",
            "tool_rules" | "tool_ids" | "tools" => "tools of another program",
            _ => "a setting of another program",
        };
        ledger.kept(&format!("agents.{key}"), reason);
    }
    for (key, _) in fields(data).filter(|(_, value)| !is_empty(value)) {
        let reason = match key.as_str() {
            "agents" | "blocks" | "tools" | "core_memory" | "system" | "name" => continue,
            "mcp_servers" => "servers are approved in Greenroom, never by an imported file",
            "groups" => "groups of agents; personas meet in rooms",
            "files" | "sources" => "documents of another program; the file does not hold their texts",
            "skills" => "skills of another program",
            _ => "Greenroom does not use this field",
        };
        ledger.kept(key, reason);
    }
}
