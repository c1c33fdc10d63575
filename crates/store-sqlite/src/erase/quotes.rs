//! What quotes a text that is to be forgotten: replies of personas to others, and memories made of those (GR10).
//!
//! A run of words is a quotation where it is long, or where it holds a word that nobody else had said; a number that
//! nobody else had said is one by itself, as the answer to a question for a code is. What is
//! looked through is bounded: this is for somebody who looks at it before they decide, not a proof.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use greenroom_core::{ChannelKey, MemoryId, MessageId};
use greenroom_store::{Erase, ItemId, Quote};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteRow};

use super::{Doomed, find};
use crate::{
    error::Fault,
    values::{column, list, parsed},
};

/// So many texts to be forgotten, and so many others, are looked at; the newest.
const FORGOTTEN: i64 = 2_000;
const OTHERS: i64 = 20_000;
/// So much of a text, in characters.
const CHARS: usize = 50_000;
/// Words of the shortest run that is looked for, and of one that is a quotation whatever its words are.
const SHORT: usize = 3;
const LONG: usize = 6;
/// Letters of a word that may tell something.
const TELLING: usize = 4;
/// Digits of a number that is a quotation by itself.
const DIGITS: usize = 3;
/// Quotations that are shown at most.
const SHOWN: usize = 200;

/// See [`greenroom_store::EraseStore::quoting`].
pub(super) async fn quoting(conn: &mut SqliteConnection, what: &Erase) -> Result<Vec<Quote>, Fault> {
    let mut quotes = Search::of(conn, what).await?.found;
    quotes.truncate(SHOWN);
    Ok(quotes)
}

/// What quotes texts that go, found before they go.
pub(super) struct Search {
    /// What quotes them.
    pub(super) found: Vec<Quote>,
    runs: Runs,
    common: HashSet<u64>,
    /// A chat: nothing of others is looked at.
    within: Option<ChannelKey>,
    /// What was looked at.
    seen: LookedAt,
}

/// The newest message and the newest memory of those that were looked at.
#[derive(Clone, Copy, Default)]
struct LookedAt {
    message: i64,
    memory: i64,
}

impl Search {
    pub(super) async fn of(conn: &mut SqliteConnection, what: &Erase) -> Result<Self, Fault> {
        let within = match what {
            Erase::Own { chat, .. } => Some(chat.clone()),
            _ => None,
        };
        let mut snapshot = conn.begin().await?;
        let doomed = match what {
            Erase::Older { .. } => Doomed::default(),
            _ => find::all(&mut snapshot, what).await?,
        };
        let runs = Runs::of(texts(&mut snapshot, &doomed).await?.iter().map(String::as_str));
        let common = if runs.is_empty() { HashSet::new() } else { others(&mut snapshot, &doomed).await? };
        let (message, memory) = sqlx::query_as(
            "SELECT (SELECT coalesce(max(id), 0) FROM messages), (SELECT coalesce(max(id), 0) FROM memories)",
        )
        .fetch_one(&mut *snapshot)
        .await?;
        let mut search = Self { found: Vec::new(), runs, common, within, seen: LookedAt { message, memory } };
        search.found = search.look(&mut snapshot, &doomed, LookedAt::default()).await?;
        Ok(search)
    }

    /// What was stored since then and quotes them. What quotes them and is stored after they have gone is refused as
    /// it is stored: it was made of what is gone.
    pub(super) async fn later(&self, conn: &mut SqliteConnection) -> Result<Vec<Quote>, Fault> {
        self.look(conn, &Doomed::default(), self.seen).await
    }

    async fn look(
        &self,
        conn: &mut SqliteConnection,
        doomed: &Doomed,
        after: LookedAt,
    ) -> Result<Vec<Quote>, Fault> {
        if self.runs.is_empty() {
            return Ok(Vec::new());
        }
        let mut quotes = Vec::new();
        for row in candidates(conn, doomed, self.within.as_ref(), after).await? {
            let text: &str = column(&row, 2)?;
            let Some(words) = self.runs.quoted(text, &self.common) else { continue };
            let id = column(&row, 1)?;
            let item =
                if column(&row, 0)? { ItemId::Memory(MemoryId(id)) } else { ItemId::Message(MessageId(id)) };
            let place: Option<&str> = column(&row, 4)?;
            quotes.push(Quote {
                item,
                persona: parsed(column(&row, 3)?)?,
                channel: place.map(parsed).transpose()?,
                text: text.to_owned(),
                words,
            });
        }
        Ok(quotes)
    }
}

/// The texts that are to be forgotten, but for what personas said. A summary of a conversation holds the words of
/// others as well, and what it took of these texts stands in them.
async fn texts(conn: &mut SqliteConnection, doomed: &Doomed) -> Result<Vec<String>, Fault> {
    let texts = sqlx::query_scalar(
        "SELECT * FROM (SELECT text FROM messages WHERE author = 'user'
             AND id IN (SELECT value FROM json_each(?1)) ORDER BY id DESC LIMIT ?3)
         UNION ALL SELECT * FROM (SELECT text FROM memories WHERE tier <> 'conversation'
             AND id IN (SELECT value FROM json_each(?2)) ORDER BY id DESC LIMIT ?3)",
    )
    .bind(list(doomed.messages.iter().copied()))
    .bind(list(doomed.memories.iter().copied()))
    .bind(FORGOTTEN)
    .fetch_all(conn)
    .await?;
    Ok(texts)
}

/// The words of others: of people, and of personas before the first of these texts.
async fn others(conn: &mut SqliteConnection, doomed: &Doomed) -> Result<HashSet<u64>, Fault> {
    let first = doomed.messages.iter().min().copied().unwrap_or(i64::MAX);
    let texts: Vec<String> = sqlx::query_scalar(
        "SELECT text FROM messages WHERE (author = 'user' OR id < ?2)
             AND id NOT IN (SELECT value FROM json_each(?1)) ORDER BY id DESC LIMIT ?3",
    )
    .bind(list(doomed.messages.iter().copied()))
    .bind(first)
    .bind(OTHERS)
    .fetch_all(conn)
    .await?;
    Ok(texts.iter().flat_map(|text| words(text)).map(|word| hash(&word)).collect())
}

/// What may quote: whether it is a memory, its id, its text, whose it is, and the channel where it was said or
/// holds. What an operator wrote is nobody's quotation.
async fn candidates(
    conn: &mut SqliteConnection,
    doomed: &Doomed,
    within: Option<&ChannelKey>,
    after: LookedAt,
) -> Result<Vec<SqliteRow>, Fault> {
    let rows = sqlx::query(
        "SELECT * FROM (SELECT false, m.id, m.text, m.author_id, c.key
             FROM messages m JOIN channels c ON c.id = m.channel_id
             WHERE m.author = 'persona' AND m.id > ?6 AND m.id NOT IN (SELECT value FROM json_each(?1))
                 AND (?3 IS NULL OR (c.provider = ?3 AND c.chat_id = ?4)) ORDER BY m.id DESC LIMIT ?5)
         UNION ALL SELECT * FROM (SELECT true, m.id, m.text, m.persona,
                 CASE m.scope WHEN 'channel' THEN m.scope_of END
             FROM memories m WHERE m.trust <> 'operator' AND m.id > ?7 AND m.id NOT IN (SELECT value FROM json_each(?2))
                 AND (?3 IS NULL OR (m.scope = 'channel'
                     AND substr(m.scope_of || ':', 1, length(?3 || ':' || ?4) + 1) = ?3 || ':' || ?4 || ':'))
             ORDER BY m.id DESC LIMIT ?5)",
    )
    .bind(list(doomed.messages.iter().copied()))
    .bind(list(doomed.memories.iter().copied()))
    .bind(within.map(ChannelKey::provider))
    .bind(within.map(ChannelKey::chat_id))
    .bind(OTHERS)
    .bind(after.message)
    .bind(after.memory)
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

/// The runs of words of some texts; a number is a run by itself, too.
struct Runs(HashSet<u64>);

impl Runs {
    fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut runs = HashSet::new();
        for text in texts {
            let words = words(text);
            runs.extend(words.windows(SHORT).map(|run| hash(&run)));
            runs.extend(
                words
                    .chunks(1)
                    .filter(|word| word.iter().any(|word| is_number(word)))
                    .map(|word| hash(&word)),
            );
        }
        Self(runs)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The longest run of words that a text has of these, if it quotes them: a long one, or one with a word that is
    /// not common.
    fn quoted(&self, text: &str, common: &HashSet<u64>) -> Option<String> {
        let words = words(text);
        let shared: Vec<bool> = words.windows(SHORT).map(|run| self.0.contains(&hash(&run))).collect();
        let mut longest: Option<&[String]> = None;
        let mut from = 0;
        while let Some(begin) = shared.iter().skip(from).position(|shared| *shared).map(|at| from + at) {
            let end =
                shared.iter().skip(begin).position(|shared| !shared).map_or(shared.len(), |at| begin + at);
            let run = words.get(begin..end - 1 + SHORT).unwrap_or_default();
            let rare = |word: &String| tells(word) && !common.contains(&hash(word));
            let quotes = run.len() >= LONG || run.iter().any(rare);
            if quotes && longest.is_none_or(|longest| longest.len() < run.len()) {
                longest = Some(run);
            }
            from = end;
        }
        let mut numbers = words.chunks(1).filter(|word| word.iter().any(|word| is_number(word)));
        let is_common = |word: &String| common.contains(&hash(word));
        let number = || numbers.find(|word| self.0.contains(&hash(word)) && !word.iter().any(is_common));
        longest.or_else(number).map(|run| run.join(" "))
    }
}

/// Whether a word may tell whose it is: a number, or some letters.
fn tells(word: &str) -> bool {
    word.chars().any(|c| c.is_numeric() || is_a_word(c)) || word.chars().count() >= TELLING
}

fn is_number(word: &str) -> bool {
    word.chars().filter(|c| c.is_numeric()).count() >= DIGITS
}

/// The words of a text in lower case. A letter of a script without spaces is a word.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars().take(CHARS) {
        match words.last_mut() {
            Some(word) if c.is_alphanumeric() && !is_a_word(c) => word.extend(c.to_lowercase()),
            _ if is_a_word(c) => words.extend([c.to_string(), String::new()]),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Chinese and Japanese letters.
fn is_a_word(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(forgotten: &[&str], text: &str, others: &[&str]) -> Option<String> {
        let common = others.iter().flat_map(|text| words(text)).map(|word| hash(&word)).collect();
        Runs::of(forgotten.iter().copied()).quoted(text, &common)
    }

    #[test]
    fn gr10_a_run_with_a_word_of_their_own_is_a_quotation_and_common_words_are_none() {
        let bo =
            ["Please remember: my boat is called Petrel.", "what do you think of that?", "code 4711 works"];
        let kit = ["what do you think of this?", "my boat is called something"];
        let said = |text: &str| quoted(&bo, text, &kit);
        assert_eq!(said("Bo said it is called Petrel!").as_deref(), Some("is called petrel"));
        assert_eq!(said("Try: CODE 4711 works.").as_deref(), Some("code 4711 works"));
        assert_eq!(said("What do you think?"), None, "others say that, too");
        assert_eq!(said("A petrel is a bird."), None, "a word is no run");
        assert_eq!(said("It's 4711.").as_deref(), Some("4711"), "a number is");
        assert_eq!(quoted(&bo, "4711.", &["I know 4711"]), None, "others say that, too");
        assert_eq!(said("So my boat is called something").as_deref(), None);
        assert_eq!(
            said("You asked: what do you think of that").as_deref(),
            Some("what do you think of that"),
            "a long run is one whatever its words are"
        );
    }

    #[test]
    fn letters_of_scripts_without_spaces_are_words() {
        assert_eq!(quoted(&["私の船は海燕です"], "船は海燕だ", &[]).as_deref(), Some("船 は 海 燕"));
        assert_eq!(words("Don't, ÉCOLE 3"), ["don", "t", "école", "3"]);
    }
}
