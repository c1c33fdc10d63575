//! Letta agent files: agents with memory blocks, tools and messages, linked by ids.

use std::collections::HashSet;

use serde_json::Value;

use super::{OWN_PROMPT, learn};
use crate::{
    character::{Character, Reading},
    receipt::Ledger,
    value::{fields, is_empty, items, text, texts},
};

/// The names of the agents. `None` for the older format, which contains one agent. An agent without a unique id gets
/// its number.
pub(super) fn agents(data: &Value) -> Vec<Option<String>> {
    let mut taken = HashSet::new();
    let name = |(n, agent): (usize, &Value)| {
        let id = text(agent, "id").filter(|id| taken.insert(id.clone()));
        Some(id.unwrap_or_else(|| format!("#{n}")))
    };
    items(data, "agents").iter().enumerate().map(name).collect()
}

pub(super) fn read(data: &Value, wanted: Option<&str>) -> Reading {
    let mut ledger = Ledger::default();
    let agents = items(data, "agents");
    let place = place(data, wanted);
    let agent = data.pointer(&place).unwrap_or(data);
    for (n, other) in agents.iter().enumerate().filter(|(n, _)| place != format!("/agents/{n}")) {
        let name = text(other, "name").unwrap_or_default();
        ledger.kept(&format!("agents[{n}]"), format!("the agent {name}, which becomes a persona of its own"));
    }

    let blocks = block_places(data, &place);
    let blocks = blocks.iter().filter_map(|place| data.pointer(place));
    let mut prompt =
        text(agent, "system").map_or_else(|| OWN_PROMPT.to_owned(), |text| text.trim().to_owned());
    let mut knowledge = Vec::new();
    for block in blocks {
        let label = text(block, "label").unwrap_or_else(|| "block".into());
        let Some(value) = text(block, "value") else { continue };
        let place = format!("blocks.{label}");
        if let Some(heading) = heading(&label) {
            prompt += &format!("\n\n{heading}\n\n{}", value.trim());
            ledger.effective(&place, "in the system prompt");
        } else {
            learn(&mut knowledge, &place, &value);
            ledger.effective(&place, "memories of the persona");
        }
    }
    let places = block_places(data, &place);
    for (n, block) in items(data, "blocks").iter().enumerate() {
        let label = text(block, "label").unwrap_or_else(|| n.to_string());
        if !places.contains(&format!("/blocks/{n}")) {
            ledger.kept(&format!("blocks.{label}"), "a block that is not this agent's");
        }
    }
    account(data, agent, &mut ledger);
    let name = text(agent, "name").unwrap_or_default();
    let description = text(agent, "description").unwrap_or_default();
    let character = Character { display_name: name.clone(), description, greeting: None, prompt };
    Reading { name, character, knowledge, ledger, ..Reading::default() }
}

/// The JSON pointer of an agent. In the older format the whole file is the agent.
pub(crate) fn place(data: &Value, wanted: Option<&str>) -> String {
    let agents = items(data, "agents");
    let by_id = || agents.iter().position(|agent| text(agent, "id").as_deref() == wanted);
    // older versions of Greenroom stored `agent-0`
    let number =
        |wanted: &str| wanted.strip_prefix('#').or(wanted.strip_prefix("agent-"))?.parse::<usize>().ok();
    let at = wanted.and_then(|wanted| by_id().or_else(|| number(wanted).filter(|n| *n < agents.len())));
    if agents.is_empty() { String::new() } else { format!("/agents/{}", at.unwrap_or(0)) }
}

/// The JSON pointers of the agent's blocks.
fn block_places(data: &Value, agent: &str) -> Vec<String> {
    let fields = data.pointer(agent).unwrap_or(data);
    let ids = texts(fields, "block_ids");
    let all = |list: &Value, key: &str, place: &str| -> Vec<String> {
        (0..items(list, key).len()).map(|n| format!("{place}/{key}/{n}")).collect()
    };
    let joined = items(data, "blocks").iter().enumerate();
    let joined = joined.filter(|(_, block)| text(block, "id").is_some_and(|id| ids.contains(&id)));
    let mut places: Vec<String> = joined.map(|(n, _)| format!("/blocks/{n}")).collect();
    places.extend(all(fields, "memory_blocks", agent));
    places.extend(all(data, "core_memory", ""));
    places
}

/// The JSON pointers of the blocks that belong to the prompt, with their headings.
pub(crate) fn persona_blocks(data: &Value, agent: &str) -> Vec<(String, String)> {
    let heading = |place: String| {
        let block = data.pointer(&place)?;
        text(block, "value")?;
        Some((place, heading(&text(block, "label")?)?))
    };
    block_places(data, agent).into_iter().filter_map(heading).collect()
}

/// The heading of a block in the prompt. `None` for a block of knowledge.
fn heading(label: &str) -> Option<String> {
    let is_persona = label.contains("persona") || label == "soul" || label == "about_me";
    is_persona.then(|| format!("## {}", super::outline::words(label)))
}

fn account(data: &Value, agent: &Value, ledger: &mut Ledger) {
    if text(agent, "name").is_some() {
        ledger.effective("agents.name", "the persona's name");
    }
    if text(agent, "system").is_some() {
        ledger.effective("agents.system", "the system prompt; tools that it names are not here");
    }
    if text(agent, "description").is_some() {
        ledger.effective("agents.description", "the persona's description");
    }
    let is_whole = std::ptr::eq(data, agent);
    tools(data, "", ledger);
    if !is_whole {
        tools(agent, "agents.", ledger);
    }
    for (key, value) in fields(agent).filter(|(_, value)| !is_empty(value)) {
        let reason = match key.as_str() {
            "name" | "system" | "description" | "block_ids" | "memory_blocks" | "id" | "core_memory" => {
                continue;
            }
            "tools" if value.is_array() => continue,
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
    // in the older format the file itself is the agent, whose fields already have their lines
    for (key, _) in fields(data).filter(|(_, value)| !is_whole && !is_empty(value)) {
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

/// Adds the receipt's lines about tools, which are objects or names.
fn tools(data: &Value, prefix: &str, ledger: &mut Ledger) {
    for (n, tool) in items(data, "tools").iter().enumerate() {
        let name =
            text(tool, "name").or_else(|| crate::value::as_text(tool)).unwrap_or_else(|| n.to_string());
        let is_code = ["source_code", "code"].iter().any(|key| text(tool, key).is_some());
        match is_code {
            true => {
                ledger.refused(&format!("{prefix}tools.{name}"), "code; it is kept as text and never run")
            }
            false => ledger.kept(&format!("{prefix}tools.{name}"), "a tool of another program"),
        }
    }
}
