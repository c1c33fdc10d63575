//! AIEOS: a persona as a tree of traits.

use serde_json::Value;

use super::{
    OWN_PROMPT,
    outline::{edit, outline},
};
use crate::{
    character::{Character, Reading},
    receipt::Ledger,
    value::{as_texts, fields, is_empty, object, text},
};

/// Sections that describe the persona, with their headings.
const SECTIONS: [(&str, &str); 8] = [
    ("identity", "Identity"),
    ("physicality", "Appearance"),
    ("psychology", "Character"),
    ("linguistics", "Manner of speaking"),
    ("history", "History"),
    ("interests", "Interests"),
    ("motivations", "Motivations"),
    ("capabilities", "Capabilities"),
];
/// Fields without meaning for a prompt: pictures, voices and formats.
const WITHOUT: [&str; 3] = ["image_prompts", "tts_config", "acoustics"];

/// Whether a document is AIEOS: it says so, or it contains an identity and another section.
pub(crate) fn is_one(data: &Value) -> bool {
    let identity = &data["identity"];
    let is_filled = identity["names"].is_object() || identity.get("bio").is_some();
    data["standard"]["protocol"] == "AIEOS"
        || identity.is_object()
            && (is_filled || SECTIONS[1..].iter().any(|(key, _)| data.get(*key).is_some()))
}

/// The field for a prompt that is not made of the other fields. Greenroom's exports write it.
const PROMPT: &str = "/extensions/greenroom/prompt";

/// The prompt in Greenroom's own field.
fn own_prompt(data: &Value) -> Option<&str> {
    data.pointer(PROMPT).and_then(Value::as_str).map(str::trim).filter(|own| !own.is_empty())
}

/// The prompt. Adds a receipt line for each section in it.
fn prompt(data: &Value, ledger: &mut Ledger) -> String {
    if let Some(own) = own_prompt(data) {
        ledger.effective("extensions.greenroom.prompt", "the system prompt, in the place of the sections");
        for (key, _) in SECTIONS.iter().filter(|(key, _)| !is_empty(&data[*key])) {
            ledger.kept(key, "`extensions.greenroom.prompt` is the whole prompt");
        }
        return own.to_owned();
    }
    let mut prompt = OWN_PROMPT.to_owned();
    for (key, heading) in SECTIONS {
        let written = outline(&data[key], &WITHOUT);
        if written.is_empty() {
            continue;
        }
        prompt += &format!("\n\n## {heading}\n\n{}", written.trim_end());
        ledger.effective(key, format!("in the system prompt, under “{heading}”"));
    }
    prompt
}

/// Writes an edited prompt back into the fields. Returns whether they contain all of it. If not, Greenroom's own field
/// contains it.
pub(crate) fn set_prompt(data: &mut Value, edited: &str) -> bool {
    let mut changed = data.clone();
    if let Some(own) = changed.pointer_mut("/extensions/greenroom").filter(|own| own.is_object()) {
        object(own).remove("prompt");
    }
    let headings = SECTIONS.map(|(_, heading)| format!("## {heading}"));
    let (_, parts) = crate::export::sections(edited, &headings.each_ref().map(String::as_str));
    for ((key, _), heading) in SECTIONS.iter().zip(&headings) {
        let text = parts.iter().find(|(name, _)| name == heading).map_or("", |(_, text)| *text);
        if let Some(section) = changed.get_mut(*key) {
            edit(section, text, &WITHOUT);
        }
    }
    let is_whole = prompt(&changed, &mut Ledger::default()) == edited;
    if is_whole {
        *data = changed;
    } else {
        let extensions = object(data).entry("extensions").or_insert(Value::Null);
        let own = object(extensions).entry("greenroom").or_insert(Value::Null);
        object(own).insert("prompt".into(), edited.into());
    }
    is_whole
}

pub(super) fn read(data: &Value) -> Reading {
    let mut ledger = Ledger::default();
    let names = &data["identity"]["names"];
    let full: Vec<String> = ["first", "middle", "last"].iter().filter_map(|part| text(names, part)).collect();
    let name = text(names, "nickname")
        .or_else(|| text(names, "first"))
        .or_else(|| text(data, "name"))
        .unwrap_or_default();
    let prompt = prompt(data, &mut ledger);
    for place in ["physicality.image_prompts", "linguistics.voice.tts_config", "linguistics.voice.acoustics"]
    {
        let value = place.split('.').fold(data, |value, key| &value[key]);
        if !is_empty(value) {
            ledger.kept(place, "for pictures and voices, which Greenroom does not make");
        }
    }
    for (key, value) in fields(data).filter(|(key, _)| SECTIONS.iter().all(|(name, _)| name != key)) {
        let reason = match key.as_str() {
            "standard" | "metadata" | "@context" | "@type" => "the format, dates and ids",
            "presence" => "addresses and accounts, which Greenroom does not use",
            _ if is_empty(value) => continue,
            "extensions" if own_prompt(data).is_some() => continue,
            _ => "Greenroom does not know this field",
        };
        ledger.kept(key, reason);
    }
    let occupation = text(&data["history"]["occupation"], "title");
    let styles = as_texts(&data["linguistics"]["text_style"]["style_descriptors"]);
    let description: Vec<String> =
        full.first().map(|_| full.join(" ")).into_iter().chain(occupation).chain(styles).collect();
    let character =
        Character { display_name: name.clone(), description: description.join(", "), greeting: None, prompt };
    Reading { name, character, ledger, ..Reading::default() }
}
