//! An explicit search, for the `recall` tool and the command line: by meaning, then by words.

use greenroom_core::{MessageId, Viewer};
use greenroom_store::{Hit, ItemKind, Search, StoreError};
use tokio::time::timeout;

use crate::{
    Memory, MemoryError,
    embed::{Embedding, embed, one_line},
    memory::space_of,
    recall::best_first,
    remember::EMBED_WAIT,
};

/// What is found by meaning is at least this similar (AS2); what holds the words is found anyway.
const THRESHOLD: f32 = 0.3;

/// Words that are in every conversation and so say nothing about any.
const COMMON: &str = " a about am an and any are as at be been but by can could did do does for from had \
    has have he her him his how i if in is it its just me my no not of on or our s she should so t that \
    the their them there they this to us was we were what when where which who why will with would \
    you your ";

impl Memory {
    /// The best `limit` memories and past messages the viewer sees (AS8, AS14): those alike in
    /// meaning first, by cosine, then those that only share words, by BM25. Without a working
    /// embedder the words alone decide.
    pub async fn search(&self, viewer: &Viewer, query: &str, limit: usize) -> Result<Vec<Hit>, MemoryError> {
        self.search_before(viewer, query, limit, None).await
    }

    /// The same, but blind to the message `before` and what came after it, so that a question does
    /// not find itself.
    pub async fn search_before(
        &self,
        viewer: &Viewer,
        query: &str,
        limit: usize,
        before: Option<MessageId>,
    ) -> Result<Vec<Hit>, MemoryError> {
        if query.trim().is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let now = self.clock.now();
        let search = |kind| Search { threshold: Some(THRESHOLD), before, ..Search::new(kind, limit, now) };
        let searches = [search(ItemKind::Memory), search(ItemKind::Message)];
        let mut found = self.by_meaning(viewer, query, &searches).await?;
        let words = telling_words(query);
        for search in searches.iter().filter(|_| !words.is_empty()) {
            for hit in self.store.full_text(viewer, &words, search).await? {
                if found.iter().all(|other| other.item.id() != hit.item.id()) {
                    found.push(hit);
                }
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    async fn by_meaning(
        &self,
        viewer: &Viewer,
        query: &str,
        searches: &[Search],
    ) -> Result<Vec<Hit>, StoreError> {
        let Some(embedder) = self.embedder.as_deref() else { return Ok(Vec::new()) };
        let texts = [query.to_owned()];
        let embedding = match timeout(EMBED_WAIT, embed(embedder, &texts)).await {
            Ok(Ok(embeddings)) => embeddings.into_iter().next().unwrap_or(Embedding::Nothing),
            Ok(Err(error)) => Embedding::Unusable(one_line(&error)),
            Err(_) => Embedding::Unusable("the embedder takes too long".into()),
        };
        let vector = match embedding {
            Embedding::Vector(vector) => vector,
            Embedding::Nothing => return Ok(Vec::new()),
            Embedding::Unusable(reason) => {
                tracing::warn!("searching by words alone: {reason}");
                return Ok(Vec::new());
            }
        };
        let space = space_of(embedder);
        let mut found = Vec::new();
        for search in searches {
            found.extend(self.store.nearest(viewer, &space, &vector, search).await?);
        }
        found.sort_by(best_first);
        Ok(found)
    }
}

/// The query without its common words; empty when it holds no other.
fn telling_words(query: &str) -> String {
    query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !COMMON.contains(&format!(" {} ", word.to_lowercase())))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as8_words_that_everybody_uses_find_nothing() {
        assert_eq!(telling_words("What did we discuss about SQLite's log?"), "discuss SQLite log");
        assert_eq!(telling_words("what is it? \u{1f44d}"), "");
    }
}
