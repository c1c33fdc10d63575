//! Results of tools as facts (JV4). They are treated as data, never as instructions, and secrets in them are masked.

use greenroom_core::{Kind, Scope, Source, Tier, Timestamp, Trust, Viewer};
use greenroom_persona::blot;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::events::day;
use crate::{
    Remember,
    words::{clipped, slug},
};

/// The maximum number of characters of a stored result.
const LONGEST: usize = 300;

/// The tools of the memory itself, whose results are already known.
const MEMORY_TOOLS: [&str; 3] = ["remember", "recall", "forget"];

/// The arguments that best describe a call, best first.
const TELLING: [&str; 9] = ["query", "topic", "name", "node", "city", "location", "path", "url", "id"];

/// A tool result, as the model saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The tool.
    pub tool: String,
    /// The arguments, as the model wrote them.
    pub arguments: String,
    /// The result.
    pub content: String,
    /// False if the result is an error.
    pub ok: bool,
}

/// The fact in a tool result: its first telling lines, under the key `fact_{topic}_{date}`, for 30 days. Returns `None`
/// for an error, for a memory tool, and for a result without a word.
pub(crate) fn fact_of(
    result: &ToolResult,
    viewer: &Viewer,
    now: Timestamp,
    zone: &TimeZone,
) -> Option<Remember> {
    if !result.ok || MEMORY_TOOLS.contains(&result.tool.as_str()) {
        return None;
    }
    let content = telling_lines(&result.content)?;
    let about = main_argument(&result.arguments).map(|a| clipped(&unsecret(&a), 60)).unwrap_or_default();
    let topic = slug(&format!("{} {about}", result.tool));
    Some(Remember {
        text: clipped(&format!("{}({about}): {content}", result.tool), LONGEST),
        kind: Kind::new("fact"),
        tier: Tier::Episodic,
        scope: Scope::Channel(viewer.channel().clone()),
        source: Source { via: "tool_result".into(), message: None, user: None },
        trust: Trust::Stranger,
        key: Some(format!("fact_{topic}_{}", day(now, zone))),
        expires_in: None,
    })
}

/// The first lines with a word or number, joined to one line, up to a length that is enough for the fact.
fn telling_lines(content: &str) -> Option<String> {
    let telling = |line: &&str| line.chars().filter(|c| c.is_alphanumeric()).count() >= 2;
    let mut kept = String::new();
    for line in unsecret(content).lines().filter(telling) {
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(line.trim());
        if kept.len() > LONGEST * 4 {
            break;
        }
    }
    (!kept.is_empty()).then_some(kept)
}

/// The text with everything that looks like a secret masked by up to three stars.
fn unsecret(text: &str) -> String {
    // the first 20,000 bytes are far more than is stored
    let head = &text[..text.floor_char_boundary(20_000)];
    let mut stars = 0;
    let blotted = blot(head);
    let few = |c: &char| {
        stars = if *c == '*' { stars + 1 } else { 0 };
        stars <= 3
    };
    blotted.chars().filter(few).collect()
}

/// The argument that best describes the call.
fn main_argument(arguments: &str) -> Option<String> {
    let map: Map<String, Value> = serde_json::from_str(arguments).ok()?;
    let text = |value: &Value| match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let named = TELLING.iter().find_map(|name| map.get(*name).and_then(text));
    named.or_else(|| map.values().find_map(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(tool: &str, arguments: &str, content: &str) -> Option<Remember> {
        let result =
            ToolResult { tool: tool.into(), arguments: arguments.into(), content: content.into(), ok: true };
        let viewer = Viewer::new("ada".parse().unwrap(), "terminal:default".parse().unwrap(), None);
        fact_of(&result, &viewer, Timestamp(1_795_219_200_000_000), &TimeZone::UTC)
    }

    #[test]
    fn jv4_an_answer_is_kept_with_its_tool_and_what_was_asked() {
        let fact =
            fact("disk_usage", r#"{"deep":true,"node":"pve-1"}"#, "{\n\n/dev/sda1  85 %\n---\n").unwrap();
        assert_eq!(fact.text, "disk_usage(pve-1): /dev/sda1 85 %");
        assert_eq!(fact.key.as_deref(), Some("fact_disk_usage_pve_1_2026-11-21"));
        assert_eq!((fact.tier, fact.trust), (Tier::Episodic, Trust::Stranger));
    }

    #[test]
    fn jv4_errors_empty_answers_and_the_memorys_own_tools_are_nothing_new() {
        assert!(fact("recall", r#"{"query":"tea"}"#, "- [fact] tea is green").is_none());
        assert!(fact("weather", "{}", " \n{}\n---").is_none());
        let failed = ToolResult {
            tool: "x".into(),
            arguments: "{}".into(),
            content: "no such node".into(),
            ok: false,
        };
        let viewer = Viewer::new("ada".parse().unwrap(), "terminal:default".parse().unwrap(), None);
        assert!(fact_of(&failed, &viewer, Timestamp(0), &TimeZone::UTC).is_none());
    }

    #[test]
    fn x5_no_secret_of_an_answer_or_an_argument_is_remembered() {
        for content in [
            "user ada\npassword=canary",
            "ok sk-canary-1234 done",
            "Authorization: Bearer canary",
            "db at postgres://ada:canary@host/x",
            "ghp_canary1234567890 is it",
            "AWS AKIAcanary1234567890",
        ] {
            let fact = fact("read", r#"{"url":"http://me:canary@host"}"#, content).unwrap();
            assert!(!fact.text.contains("canary"), "{}", fact.text);
            assert!(!fact.key.as_ref().unwrap().contains("canary"), "{:?}", fact.key);
        }
    }

    #[test]
    fn jv4_a_long_answer_is_cut_at_300_characters() {
        assert!(fact("read", "no json", &"word ".repeat(10_000)).unwrap().text.chars().count() <= LONGEST);
    }
}
