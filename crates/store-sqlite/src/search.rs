//! Search by words: FTS5 beside the tables, ranked by BM25.

use std::collections::BTreeSet;

use greenroom_core::Viewer;
use greenroom_store::{Hit, ItemKind, Search};
use sqlx::{Connection, SqliteConnection};

use crate::{
    error::Fault,
    items::item,
    memories::{MEMORY_COLUMNS, memory_columns},
    messages::{MESSAGE_COLUMNS, message_columns},
    scope::{floors, here, sought_by, sought_memories, sought_messages, visible, witnessed},
    values::column,
};

/// Words of a query that are looked for; a whole page pasted as a query stays affordable.
const WORDS: usize = 32;
/// Texts by which it is judged how frequent a word is; of fewer, every word counts.
const SAMPLE: i64 = 500;
/// A word in more than one of so many texts is frequent.
const FREQUENT: i64 = 5;

/// See [`greenroom_store::Store::full_text`].
pub(crate) async fn full_text(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    query: &str,
    search: &Search,
) -> Result<Vec<Hit>, Fault> {
    let mut snapshot = conn.begin().await?;
    let words = telling(&mut snapshot, search.kind, words_of(query)).await?;
    if words.is_empty() {
        return Ok(Vec::new());
    }
    // the joins are crossed because their order is meant: the index first, then the rows it names
    let sql = match search.kind {
        ItemKind::Memory => concat!(
            "SELECT ",
            memory_columns!(),
            ", -memories_words.rank FROM memories_words CROSS JOIN memories m ON m.id = memories_words.rowid
              WHERE memories_words MATCH 'persona:\"' || ?1 || '\" AND text:(' || ?12 || ')'
              AND memories_words.rowid >= min(?9, ?10, ?11) AND ",
            sought_memories!(),
            " ORDER BY memories_words.rank, m.updated_at DESC, m.id DESC LIMIT ?13"
        ),
        ItemKind::Message => concat!(
            "SELECT ",
            message_columns!(),
            ", -messages_words.rank FROM channels c CROSS JOIN messages_words CROSS JOIN messages m
              ON m.id = messages_words.rowid AND m.channel_id = c.id
              WHERE c.key = ?2 AND messages_words MATCH 'channel_id:\"' || c.id || '\" AND text:(' || ?12 || ')'
              AND messages_words.rowid >= ?9 AND ",
            sought_messages!(),
            " ORDER BY messages_words.rank, m.at DESC, m.id DESC LIMIT ?13"
        ),
    };
    let floors = floors(&mut snapshot, viewer, search).await?;
    let rows = sought_by(viewer, search, floors, sql)
        .bind(words.join(" OR "))
        .bind(i64::try_from(search.limit).unwrap_or(i64::MAX))
        .fetch_all(&mut *snapshot)
        .await?;
    rows.iter()
        .map(|row| {
            let score: f64 = column(row, item_columns(search.kind))?;
            Ok(Hit { item: item(search.kind, row)?, score: score as f32 })
        })
        .collect()
}

/// The words without those that stand nearly everywhere, which cost most and say least. They are
/// told by a sample of the newest texts; where no rarer word is stored, all are kept.
async fn telling(
    conn: &mut SqliteConnection,
    kind: ItemKind,
    words: Vec<String>,
) -> Result<Vec<String>, Fault> {
    if words.len() < 2 {
        return Ok(words);
    }
    let (size, sample) = match kind {
        ItemKind::Memory => (
            "SELECT count(*), coalesce(min(id), 0) FROM (SELECT id FROM memories ORDER BY id DESC LIMIT ?)",
            "SELECT w.value, EXISTS (SELECT 1 FROM memories_words WHERE memories_words MATCH 'text:' || w.value),
                 (SELECT count(*) FROM memories_words
                  WHERE memories_words MATCH 'text:' || w.value AND rowid >= ?2)
             FROM json_each(?1) w",
        ),
        ItemKind::Message => (
            "SELECT count(*), coalesce(min(id), 0) FROM (SELECT id FROM messages ORDER BY id DESC LIMIT ?)",
            "SELECT w.value, EXISTS (SELECT 1 FROM messages_words WHERE messages_words MATCH 'text:' || w.value),
                 (SELECT count(*) FROM messages_words
                  WHERE messages_words MATCH 'text:' || w.value AND rowid >= ?2)
             FROM json_each(?1) w",
        ),
    };
    let (texts, first): (i64, i64) = sqlx::query_as(size).bind(SAMPLE).fetch_one(&mut *conn).await?;
    if texts < SAMPLE {
        return Ok(words);
    }
    let counted: Vec<(String, bool, i64)> = sqlx::query_as(sample)
        .bind(serde_json::to_string(&words).map_err(Fault::unreadable)?)
        .bind(first)
        .fetch_all(conn)
        .await?;
    let rare = |(_, stored, count): &&(String, bool, i64)| *stored && count * FREQUENT <= texts;
    let rarer: Vec<String> = counted.iter().filter(rare).map(|(word, ..)| word.clone()).collect();
    Ok(if rarer.is_empty() { words } else { rarer })
}

/// How many columns an item of this kind has.
fn item_columns(kind: ItemKind) -> usize {
    match kind {
        ItemKind::Memory => MEMORY_COLUMNS,
        ItemKind::Message => MESSAGE_COLUMNS,
    }
}

/// The words of a text as FTS5 expressions, each once. Each is quoted, so that nothing in it is
/// syntax.
fn words_of(text: &str) -> Vec<String> {
    // a combining accent belongs to its letter, as it does for the tokenizer
    let separates = |c: char| !(c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c));
    let mut words = BTreeSet::new();
    for word in text.split(separates).filter(|word| !word.is_empty()) {
        words.insert(format!("\"{}\"", word.to_lowercase()));
        if words.len() == WORDS {
            break;
        }
    }
    words.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_made_of_quoted_words_and_nothing_else() {
        assert_eq!(words_of("What NOT to \"do\"*?"), [r#""do""#, r#""not""#, r#""to""#, r#""what""#]);
        assert_eq!(words_of("a AND a"), [r#""a""#, r#""and""#]);
        assert_eq!(words_of(" \0-*\"' "), [""; 0]);
    }

    #[test]
    fn a_long_query_is_cut() {
        let page: String = (0..5_000).map(|n| format!("word{n} ")).collect();
        assert_eq!(words_of(&page).len(), WORDS);
    }
}
