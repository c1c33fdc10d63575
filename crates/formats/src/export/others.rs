//! Writes edits of the persona's file back into formats that have no export of their own: CrewAI, Backyard, Letta,
//! AIEOS and `soul.json`. The notes list what a format cannot contain.

use serde_json::{Value, json};

use super::{Exporting, card::prompt_parts, sections};
use crate::{
    Character, Format, Source,
    read::{OWN_PROMPT, agent::crew_prompt, aieos, byaf, card::SCENARIO, letta},
    value::{object, text},
};

/// The source with the edits. `before`: the persona as the import wrote it.
pub(super) fn edited(
    persona: &Exporting<'_>,
    source: &Source,
    before: &Character,
    notes: &mut Vec<String>,
) -> Value {
    let mut data = source.data.clone();
    let now = persona.character;
    let mut edit = Edit { now, before, format: source.format, notes };
    match source.format {
        Format::CrewAi => edit.crew(&mut data, source.agent.as_deref().unwrap_or_default()),
        Format::Byaf => edit.backyard(&mut data),
        Format::Letta => edit.letta(&mut data, source.agent.as_deref()),
        Format::Aieos => edit.aieos(&mut data),
        Format::SoulJson => edit.manifest(&mut data),
        _ => {}
    }
    data
}

struct Edit<'a> {
    now: &'a Character,
    before: &'a Character,
    format: Format,
    notes: &'a mut Vec<String>,
}

impl Edit<'_> {
    /// Adds a note if a field was changed but the format cannot contain it.
    fn no_place(&mut self, field: &str) {
        let (now, before) = (self.now, self.before);
        let is_changed = match field {
            "display_name" => now.display_name != before.display_name,
            "description" => now.description != before.description,
            "greeting" => now.greeting != before.greeting,
            _ => now.prompt != before.prompt,
        };
        if is_changed {
            self.notes
                .push(format!("{field}: the change is left out, {} has no place for it", self.format.name()));
        }
    }

    fn crew(&mut self, data: &mut Value, agent: &str) {
        // these fields stay: tasks name an agent by its key, and lists show its role
        ["display_name", "description", "greeting"].iter().for_each(|field| self.no_place(field));
        if self.now.prompt == self.before.prompt {
            return;
        }
        let (head, parts) = sections(&self.now.prompt, &["## Goal", "## Background"]);
        let role = head.strip_prefix("You are ").and_then(|rest| rest.strip_suffix('.'));
        let part = |heading: &str| parts.iter().find(|(name, _)| name == heading).map(|(_, text)| *text);
        let before = data[agent].clone();
        let fields = object(&mut data[agent]);
        let values = [
            ("role", Some(role.unwrap_or(head)).filter(|_| head != OWN_PROMPT)),
            ("goal", part("## Goal")),
            ("backstory", part("## Background")),
        ];
        for (key, value) in values {
            let is_same = text(&before, key).as_deref().map(str::trim) == value;
            if !is_same && (value.is_some() || fields.contains_key(key)) {
                fields.insert(key.into(), value.unwrap_or_default().into());
            }
        }
        if crew_prompt(&data[agent]) != self.now.prompt {
            self.notes.push("the prompt has the form “You are ROLE.”, “## Goal”, “## Background” in CrewAI; what is before them is the role".into());
        }
    }

    fn backyard(&mut self, data: &mut Value) {
        self.no_place("description");
        let card = byaf::card(data);
        let character = byaf::first(data, "characters");
        let (now, before) = (self.now, self.before);
        let mut set =
            |path: &str, key: &str, value: Value| drop(object(&mut data[path]).insert(key.into(), value));
        if let Some(path) = &character {
            if now.display_name != before.display_name {
                set(path, "displayName", now.display_name.clone().into());
            }
            if now.prompt != before.prompt {
                let (_, description, _) = prompt_parts(&card.opening(), &now.prompt, &[SCENARIO]);
                set(path, "persona", byaf::single_braces(description).into());
            }
        }
        let (system, _, parts) = prompt_parts(&card.opening(), &now.prompt, &[SCENARIO]);
        let narrative = parts.first().map_or("", |(_, text)| *text);
        let greeting = now.greeting.as_deref().unwrap_or_default();
        let is_offered = card.greetings.iter().any(|it| it.trim() == greeting);
        let mut scene: Vec<(&str, Value)> = Vec::new();
        if let Some(system) = system.filter(|_| now.prompt != before.prompt) {
            scene.push(("formattingInstructions", byaf::single_braces(system).into()));
        }
        if now.prompt != before.prompt && narrative != card.scenario.trim() {
            scene.push(("narrative", byaf::single_braces(narrative).into()));
        }
        if now.greeting != before.greeting && !is_offered {
            scene.push(("firstMessages", json!([{ "text": byaf::single_braces(greeting) }])));
        }
        if scene.is_empty() {
            return;
        }
        let path = byaf::first(data, "scenarios").unwrap_or_else(|| {
            let path = "scenarios/scenario1.json";
            data["manifest.json"]["scenarios"] = json!([path]);
            path.to_owned()
        });
        let fields = object(&mut data[&path]);
        for (key, value) in scene {
            match (key, fields.get_mut(key).and_then(Value::as_array_mut).and_then(|list| list.first_mut())) {
                // other first messages, and the other fields of this one, stay
                ("firstMessages", Some(first)) => {
                    drop(object(first).insert("text".into(), value[0]["text"].clone()))
                }
                _ => drop(fields.insert(key.into(), value)),
            }
        }
    }

    fn letta(&mut self, data: &mut Value, wanted: Option<&str>) {
        self.no_place("greeting");
        let (now, before) = (self.now, self.before);
        let agent = letta::place(data, wanted);
        let mut set = |place: &str, key: &str, value: &str| {
            if let Some(fields) = data.pointer_mut(place).and_then(Value::as_object_mut) {
                fields.insert(key.into(), value.into());
            }
        };
        for (key, now, before) in [
            ("name", &now.display_name, &before.display_name),
            ("description", &now.description, &before.description),
        ] {
            if now != before {
                set(&agent, key, now);
            }
        }
        if now.prompt == before.prompt {
            return;
        }
        let blocks = letta::persona_blocks(data, &agent);
        let headings: Vec<&str> = blocks.iter().map(|(_, heading)| heading.as_str()).collect();
        let (head, parts) = sections(&now.prompt, &headings);
        let has_system = data.pointer(&agent).is_some_and(|agent| text(agent, "system").is_some());
        let mut set = |place: &str, key: &str, value: &str| {
            if let Some(fields) = data.pointer_mut(place).and_then(Value::as_object_mut) {
                fields.insert(key.into(), value.into());
            }
        };
        if has_system || head != OWN_PROMPT {
            set(&agent, "system", head);
        }
        for (place, heading) in &blocks {
            set(place, "value", parts.iter().find(|(name, _)| name == heading).map_or("", |(_, text)| *text));
        }
    }

    fn aieos(&mut self, data: &mut Value) {
        ["description", "greeting"].iter().for_each(|field| self.no_place(field));
        if self.now.prompt != self.before.prompt && !aieos::set_prompt(data, &self.now.prompt) {
            self.notes.push(
                "prompt: it is no outline of the fields any more, so it is in `extensions.greenroom.prompt`, which other \
                 programs do not read"
                    .into(),
            );
        }
        if self.now.display_name == self.before.display_name {
            return;
        }
        let names = object(object(&mut data["identity"]).entry("names").or_insert(json!({})));
        let key = if names.get("nickname").is_some_and(Value::is_string) { "nickname" } else { "first" };
        names.insert(key.into(), self.now.display_name.clone().into());
    }

    fn manifest(&mut self, data: &mut Value) {
        let (now, before) = (self.now, self.before);
        let name = if data.get("displayName").is_some() { "displayName" } else { "name" };
        for (key, now, before) in [
            (name, &now.display_name, &before.display_name),
            ("description", &now.description, &before.description),
        ] {
            if now != before {
                object(data).insert(key.into(), now.clone().into());
            }
        }
    }
}
