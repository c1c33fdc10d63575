//! Search by words: FTS5 beside the tables, ranked by BM25.

use std::collections::BTreeSet;

use greenroom_core::Viewer;
use greenroom_store::{Hit, Item, ItemKind, Search};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    memories::{MEMORY_COLUMNS, memory, memory_columns},
    messages::{MESSAGE_COLUMNS, message, message_columns},
    scope::{here, seen_by, visible},
    values::column,
};

/// Words of a query that are looked for; a whole page pasted as a query stays affordable.
const WORDS: usize = 32;

/// See [`greenroom_store::Store::full_text`].
pub(crate) async fn full_text(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    query: &str,
    search: &Search,
) -> Result<Vec<Hit>, Fault> {
    let Some(words) = any_word_of(query) else { return Ok(Vec::new()) };
    // the joins are crossed because their order is meant: the index first, then the rows it names
    let sql = match search.kind {
        ItemKind::Memory => concat!(
            "SELECT ",
            memory_columns!(),
            ", -memories_words.rank FROM memories_words CROSS JOIN memories m ON m.id = memories_words.rowid
              WHERE memories_words MATCH 'persona:\"' || ?1 || '\" AND text:(' || ?4 || ')' AND ",
            visible!(),
            " AND (m.expires_at IS NULL OR m.expires_at > ?5)
              ORDER BY memories_words.rank, m.updated_at DESC, m.id DESC LIMIT ?7"
        ),
        ItemKind::Message => concat!(
            "SELECT ",
            message_columns!(),
            ", -messages_words.rank FROM channels c CROSS JOIN messages_words CROSS JOIN messages m
              ON m.id = messages_words.rowid AND m.channel_id = c.id
              WHERE c.key = ?2 AND messages_words MATCH 'channel_id:\"' || c.id || '\" AND text:(' || ?4 || ')'
              AND ",
            here!(),
            " AND m.id < ?6 ORDER BY messages_words.rank, m.at DESC, m.id DESC LIMIT ?7"
        ),
    };
    let rows = seen_by(viewer, sql)
        .bind(words)
        .bind(search.now.0)
        .bind(search.before.map_or(i64::MAX, |id| id.0))
        .bind(i64::try_from(search.limit).unwrap_or(i64::MAX))
        .fetch_all(conn)
        .await?;
    rows.iter()
        .map(|row| {
            let score: f64 = column(row, item_columns(search.kind))?;
            Ok(Hit { item: item(search.kind, row)?, score: score as f32 })
        })
        .collect()
}

/// The item of a row that begins with the columns of its kind.
pub(crate) fn item(kind: ItemKind, row: &SqliteRow) -> Result<Item, Fault> {
    match kind {
        ItemKind::Memory => memory(row).map(Item::Memory),
        ItemKind::Message => message(row).map(Item::Message),
    }
}

/// How many columns an item of this kind has.
fn item_columns(kind: ItemKind) -> usize {
    match kind {
        ItemKind::Memory => MEMORY_COLUMNS,
        ItemKind::Message => MESSAGE_COLUMNS,
    }
}

/// An FTS5 expression that asks for any word of a text. Each word is quoted, so that nothing in it
/// is syntax; `None` when the text holds no word.
fn any_word_of(text: &str) -> Option<String> {
    // a combining accent belongs to its letter, as it does for the tokenizer
    let separates = |c: char| !(c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c));
    let mut words = BTreeSet::new();
    for word in text.split(separates).filter(|word| !word.is_empty()) {
        words.insert(format!("\"{}\"", word.to_lowercase()));
        if words.len() == WORDS {
            break;
        }
    }
    let words: Vec<String> = words.into_iter().collect();
    if words.is_empty() { None } else { Some(words.join(" OR ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_made_of_quoted_words_and_nothing_else() {
        assert_eq!(any_word_of("What NOT to \"do\"*?").unwrap(), r#""do" OR "not" OR "to" OR "what""#);
        assert_eq!(any_word_of("a AND a").unwrap(), r#""a" OR "and""#);
        assert_eq!(any_word_of(" \0-*\"' "), None);
    }

    #[test]
    fn a_long_query_is_cut() {
        let page: String = (0..5_000).map(|n| format!("word{n} ")).collect();
        assert_eq!(any_word_of(&page).unwrap().matches(" OR ").count(), WORDS - 1);
    }
}
