//! Events of machines and services, reported by the operator (JV3).

use std::slice;

use greenroom_core::{Kind, Scope, Source, Tier, Timestamp, Trust, Viewer};
use greenroom_store::NewMemory;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::decide::EVENT;
use crate::{Memory, MemoryError, Remember, Remembered, remember::lifetime, words::slug};

/// The severity of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth a line in a log.
    Info,
    /// A person should look.
    Warning,
    /// Something fails.
    Error,
    /// Something is down.
    Critical,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The type of the event, as `disk_full`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The severity.
    pub severity: Severity,
    /// A sentence that describes the event.
    pub message: String,
    /// The machine or service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Whether the problem is resolved.
    #[serde(default)]
    pub resolved: bool,
    /// When it happened.
    pub at: Timestamp,
}

impl Event {
    /// Whether the event is stored: warnings and worse, and resolved problems (JV3).
    pub fn is_significant(&self) -> bool {
        self.severity >= Severity::Warning || self.resolved
    }

    /// The text of the memory, with the node's name in it.
    fn line(&self) -> String {
        let message = self.message.trim();
        let node = self.node.as_deref().filter(|node| !names(message, node));
        let node = node.map(|node| format!("{node}: ")).unwrap_or_default();
        let over =
            if self.resolved && !message.to_lowercase().contains("resolved") { " (resolved)" } else { "" };
        format!("{node}{message}{over}")
    }

    /// The key `event_{node}_{type}_{date}`: the same problem on one day is one memory. Without a node the key has
    /// `all`.
    fn key(&self, zone: &TimeZone) -> String {
        let node = self.node.as_deref().map(slug).filter(|slug| !slug.is_empty());
        format!("event_{}_{}_{}", node.as_deref().unwrap_or("all"), slug(&self.kind), day(self.at, zone))
    }
}

/// Whether a sentence contains a node's name as a whole word; `db12` does not name `db1`.
fn names(sentence: &str, node: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    sentence.match_indices(node).any(|(at, _)| {
        let before = sentence[..at].chars().next_back();
        let after = sentence[at + node.len()..].chars().next();
        !node.is_empty() && !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
    })
}

impl Memory {
    /// Stores an event for 30 days from its time, with the operator's trust (JV3). Returns `None` if the event is not
    /// significant, or if its 30 days are over. `zone` determines its day.
    ///
    /// An event with a time in the future gets the present time, because the other machine's clock is fast. A late
    /// event does not replace what happened after it.
    pub async fn ingest_event(
        &self,
        viewer: &Viewer,
        scope: Scope,
        event: &Event,
        zone: &TimeZone,
    ) -> Result<Option<Remembered>, MemoryError> {
        let now = self.clock.now();
        let event = &Event { at: event.at.min(now), ..event.clone() };
        let expires_at = lifetime(Tier::Episodic).map(|life| event.at.after(life));
        if !event.is_significant() || expires_at.is_some_and(|end| end <= now) {
            return Ok(None);
        }
        let statement = Remember {
            text: event.line(),
            kind: Kind::new("event"),
            tier: Tier::Episodic,
            scope,
            source: Source { via: EVENT.into(), message: None, user: None },
            trust: Trust::Operator,
            key: Some(event.key(zone)),
            expires_in: None,
        };
        let new = NewMemory { at: event.at, expires_at, ..self.checked(viewer, statement)? };
        let embedding = self.embedded(slice::from_ref(&new.text)).await.pop();
        Ok(Some(self.write(viewer, new, embedding, None).await?))
    }
}

/// The date as `2026-11-21`.
pub(crate) fn day(at: Timestamp, zone: &TimeZone) -> String {
    match jiff::Timestamp::from_microsecond(at.0) {
        Ok(at) => at.to_zoned(zone.clone()).strftime("%Y-%m-%d").to_string(),
        Err(_) => "undated".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(severity: Severity, resolved: bool) -> Event {
        let at = Timestamp(1_795_303_800_000_000);
        Event {
            kind: "Disk Full".into(),
            severity,
            message: "usage reached 85 %".into(),
            node: Some("pve-1".into()),
            resolved,
            at,
        }
    }

    #[test]
    fn jv3_warnings_and_worse_matter_and_whatever_is_over() {
        use Severity::{Critical, Error, Info, Warning};
        assert!(!event(Info, false).is_significant());
        for severity in [Warning, Error, Critical] {
            assert!(event(severity, false).is_significant());
        }
        assert!(event(Info, true).is_significant());
    }

    #[test]
    fn jv3_the_key_names_node_type_and_the_day_where_it_happened() {
        let event = event(Severity::Error, false);
        assert_eq!(event.key(&TimeZone::UTC), "event_pve_1_disk_full_2026-11-21");
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        assert_eq!(event.key(&berlin), "event_pve_1_disk_full_2026-11-22");
        assert_eq!(Event { node: None, ..event }.key(&TimeZone::UTC), "event_all_disk_full_2026-11-21");
    }

    #[test]
    fn jv3_the_line_names_the_node_and_that_it_is_over() {
        assert_eq!(event(Severity::Error, true).line(), "pve-1: usage reached 85 % (resolved)");
        let told =
            Event { message: "pve-1 is back (resolved: restart)".into(), ..event(Severity::Info, true) };
        assert_eq!(told.line(), "pve-1 is back (resolved: restart)");
    }

    #[test]
    fn jv3_a_node_is_named_by_its_own_word_alone() {
        for (sentence, node) in
            [("replica db12 is full", "db1"), ("website is down", "web"), ("db1-old is gone", "db1")]
        {
            assert!(!names(sentence, node), "{sentence}");
        }
        for sentence in ["db1: disk full", "disk of db1 is full", "(db1)"] {
            assert!(names(sentence, "db1"), "{sentence}");
        }
    }
}
