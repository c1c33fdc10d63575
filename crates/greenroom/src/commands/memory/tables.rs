//! Memories as tables, for `greenroom memory` and the chat.

use greenroom_core::{Memory, Scope, Timestamp};
use greenroom_memory::{Hit, TimeZone};
use greenroom_store::Item;

use crate::term::{one_line, table, word};

/// Memories as a table.
pub fn memory_table(memories: &[Memory], zone: &TimeZone) -> String {
    let row = |memory: &Memory| {
        vec![
            memory.id.to_string(),
            memory.kind.to_string(),
            word(memory.tier),
            format!("v{}", memory.version),
            place_of(memory),
            day(memory.updated_at, zone),
            memory.expires_at.map_or("never".into(), |at| day(at, zone)),
            one_line(&memory.text, 120),
        ]
    };
    let rows: Vec<_> = memories.iter().map(row).collect();
    table(&["ID", "KIND", "TIER", "VERSION", "WHERE", "WRITTEN", "EXPIRES", "TEXT"], &rows)
}

/// The hits of a search as a table, best first.
pub fn hit_table(hits: &[Hit], zone: &TimeZone) -> String {
    let row = |hit: &Hit| {
        let (kind, place) = match &hit.item {
            Item::Memory(memory) => (memory.kind.to_string(), place_of(memory)),
            Item::Message(message) => ("message".to_owned(), one_line(message.author.name(), 20)),
        };
        let id = hit.item.id().to_string();
        let written = day(hit.item.at(), zone);
        vec![id, format!("{:.2}", hit.score), kind, place, written, one_line(hit.item.text(), 120)]
    };
    let rows: Vec<_> = hits.iter().map(row).collect();
    table(&["ID", "SCORE", "KIND", "WHERE", "WRITTEN", "TEXT"], &rows)
}

/// The scope of a memory, in words.
pub fn place_of(memory: &Memory) -> String {
    match &memory.scope {
        Scope::Channel(channel) => one_line(channel.as_str(), 40),
        Scope::Global => "everywhere".to_owned(),
        Scope::User(user) => format!("with {}", one_line(user.as_str(), 30)),
        Scope::Private(user) => format!("with {} in private", one_line(user.as_str(), 30)),
    }
}

/// The date in a time zone.
pub fn day(at: Timestamp, zone: &TimeZone) -> String {
    match jiff::Timestamp::from_microsecond(at.0) {
        Ok(at) => at.to_zoned(zone.clone()).strftime("%Y-%m-%d").to_string(),
        Err(_) => "unknown".to_owned(),
    }
}

/// A memory for tests.
#[cfg(test)]
pub fn memory(id: i64, text: &str, scope: Scope) -> Memory {
    Memory {
        id: greenroom_core::MemoryId(id),
        persona: "ada".parse().unwrap(),
        scope,
        text: text.into(),
        kind: greenroom_core::Kind::new("fact"),
        tier: greenroom_core::Tier::Semantic,
        source: greenroom_core::Source { via: "cli".into(), message: None, user: None },
        trust: greenroom_core::Trust::Operator,
        version: 1,
        key: None,
        expires_at: None,
        created_at: Timestamp(0),
        updated_at: Timestamp(1_795_257_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_listed_in_columns() {
        let memories = [
            Memory { version: 2, ..memory(12, "The build takes 6 minutes", Scope::Global) },
            memory(3, "Tea,\n\x1b[31mnot coffee", Scope::Channel("terminal:default".parse().unwrap())),
        ];
        insta::assert_snapshot!(memory_table(&memories, &TimeZone::UTC), @r"
        ID   KIND  TIER      VERSION  WHERE             WRITTEN     EXPIRES  TEXT
        m12  fact  semantic  v2       everywhere        2026-11-21  never    The build takes 6 minutes
        m3   fact  semantic  v1       terminal:default  2026-11-21  never    Tea, ␛[31mnot coffee
        ");
    }
}
