//! What a person means who wants something forgotten: what a search for it finds, in every version,
//! and what the prompt of the chat kept of it (GR10, X15).

use std::{io, path::Path};

use greenroom_core::{MemoryId, Platform, Scope, Viewer};
use greenroom_store::{Erase, Item};

use crate::{Memory, MemoryError, holds_every_word, search::Hit, versions};

/// Memories a search may forget at once.
const FOUND: usize = 20;

/// More than there are memories of one thing.
const EVERYTHING: usize = 10_000;

/// A hit with at least this relevance is meant; a lower one only resembles the query.
const CLOSE: f32 = 0.75;

/// The file of the data directory with what was typed at the prompt of the chat.
pub const PROMPT_HISTORY: &str = "history.txt";

/// What a person wants forgotten, as a search found it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForgetTargets {
    /// The memories found, the best first, each in its newest version.
    pub hits: Vec<Hit>,
    /// Them and their other versions, which say as much: all that is to go.
    pub ids: Vec<MemoryId>,
}

impl Memory {
    /// The memories that `query` means; with `global` only those that hold everywhere. With `unseen` the caller forgets
    /// without asking, so a hit must contain every word of the query.
    pub async fn find_to_forget(
        &self,
        viewer: &Viewer,
        query: &str,
        global: bool,
        unseen: bool,
    ) -> Result<ForgetTargets, MemoryError> {
        // messages are found too and do not count
        let hits = self.search(viewer, query, EVERYTHING).await?.hits.into_iter();
        let hits: Vec<Hit> = hits
            .filter(|hit| matches!(&hit.item, Item::Memory(m) if !global || m.scope == Scope::Global))
            .filter(|hit| holds_every_word(hit.item.text(), query) || (!unseen && hit.score >= CLOSE))
            .take(FOUND)
            .collect();
        // a search shows the newest version alone; the older ones say as much
        let mut ids = Vec::new();
        for hit in &hits {
            if let Item::Memory(memory) = &hit.item {
                let versions = versions(&*self.store, viewer, memory.id).await?;
                ids.extend(versions.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>());
            }
        }
        Ok(ForgetTargets { hits, ids })
    }
}

/// Whether the history of the prompt may hold what is to go; it does not say who typed where.
pub fn wrote_at_the_prompt(what: &Erase) -> bool {
    match what {
        Erase::Person(person) => person.provider() == Platform::Terminal.as_str(),
        Erase::Channel(channel) => channel.platform() == Some(Platform::Terminal),
        // the prompt is the operator's
        Erase::Own { .. } | Erase::Message(_) | Erase::Older { .. } => false,
    }
}

/// Removes the history of the prompt from a data directory; false when there was none.
///
/// # Errors
/// What the system says.
pub fn forget_prompt(data: &Path) -> io::Result<bool> {
    match std::fs::remove_file(data.join(PROMPT_HISTORY)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x15_the_history_of_the_prompt_goes_with_people_and_channels_of_the_terminal() {
        let person = |name: &str| Erase::Person(name.parse().unwrap());
        assert!(wrote_at_the_prompt(&person("terminal:ann")));
        assert!(!wrote_at_the_prompt(&person("discord:terminal")));
        assert!(wrote_at_the_prompt(&Erase::Channel("terminal:default".parse().unwrap())));
    }
}
