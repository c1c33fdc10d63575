//! Search by words: FTS5 beside the tables, ranked by how rare the words are that a text holds.
//!
//! FTS5's own rank counts every text that holds a word, the scope's among them, before it gives the first
//! one: with a million texts that takes a second. Here the newest texts that hold a word are enough. Of a rare
//! word that is all of them, and a frequent one says little.

use std::collections::{BTreeSet, HashMap};

use greenroom_core::Viewer;
use greenroom_store::{Hit, ItemKind, Search};
use sqlx::{Connection, SqliteConnection};

use crate::{
    error::Fault,
    items::{self, Ranked},
    scope::{floors, here, sought_by, sought_memories, sought_messages, visible, witnessed},
    values::{column, list},
};

/// Words of a query that are looked for; a whole page pasted as a query stays affordable.
const WORDS: usize = 32;
/// Texts by which it is judged how frequent a word is; of fewer, every word counts.
const SAMPLE: i64 = 500;
/// A word in more than one of so many texts is frequent.
const FREQUENT: i64 = 5;
/// So many of the newest texts that hold a word are looked at.
const HOLDING: i64 = 2_000;

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
    let floors = floors(&mut snapshot, viewer, search).await?;
    let mut scores = holding(&mut snapshot, viewer, &words, search, floors).await?;
    let sql = match search.kind {
        ItemKind::Memory => concat!(
            "SELECT m.id, m.updated_at FROM json_each(?12) ids CROSS JOIN memories m ON m.id = ids.value WHERE ",
            sought_memories!()
        ),
        ItemKind::Message => concat!(
            "SELECT m.id, m.at FROM json_each(?12) ids CROSS JOIN messages m ON m.id = ids.value WHERE ",
            sought_messages!()
        ),
    };
    let rows = sought_by(viewer, search, floors, sql).bind(list(scores.keys().copied()));
    let mut best: Vec<Ranked> = Vec::new();
    for row in rows.fetch_all(&mut *snapshot).await? {
        let (id, at) = (column(&row, 0)?, column(&row, 1)?);
        best.extend(scores.remove(&id).map(|score| Ranked { score, at, id }));
    }
    best.sort_unstable_by(|one, other| other.cmp(one));
    best.truncate(search.limit);
    items::hits(&mut snapshot, viewer, search, &best).await
}

/// The newest texts that hold any of the words, each with what its words are worth together.
async fn holding(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    words: &[String],
    search: &Search,
    floors: [i64; 3],
) -> Result<HashMap<i64, f32>, Fault> {
    let (sql, size) = match search.kind {
        ItemKind::Memory => (
            "SELECT rowid FROM memories_words
             WHERE memories_words MATCH 'persona:\"' || ?1 || '\" AND text:' || ?2 AND rowid >= min(?3, ?4, ?5)
             ORDER BY rowid DESC LIMIT ?6",
            "SELECT coalesce(max(id), 0) FROM memories",
        ),
        ItemKind::Message => (
            "SELECT rowid FROM messages_words
             WHERE messages_words MATCH
                 'channel_id:\"' || coalesce((SELECT id FROM channels WHERE key = ?1), 0) || '\" AND text:' || ?2
                 AND rowid >= ?3
             ORDER BY rowid DESC LIMIT ?6",
            "SELECT coalesce(max(id), 0) FROM messages",
        ),
    };
    let place = match search.kind {
        ItemKind::Memory => viewer.persona().as_str(),
        ItemKind::Message => viewer.channel().as_str(),
    };
    let texts: i64 = sqlx::query_scalar(size).fetch_one(&mut *conn).await?;
    let mut scores: HashMap<i64, f32> = HashMap::new();
    for word in words {
        let query = sqlx::query_scalar(sql).bind(place).bind(word);
        let query = floors.iter().fold(query, |query, floor| query.bind(*floor));
        let ids: Vec<i64> = query.bind(HOLDING).fetch_all(&mut *conn).await?;
        let (all, held) = (texts.max(ids.len() as i64) as f32, ids.len() as f32);
        let worth = (1.0 + (all - held + 0.5) / (held + 0.5)).ln();
        for id in ids {
            *scores.entry(id).or_default() += worth;
        }
    }
    Ok(scores)
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
