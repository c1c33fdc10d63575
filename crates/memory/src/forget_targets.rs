//! Targets of `forget`: finds what a person wants forgotten by a search, in every version. Also erases the prompt
//! history of the terminal chat (GR10, X15).

use std::{io, path::Path};

use greenroom_core::{MemoryId, Platform, Scope, Viewer};
use greenroom_store::{Erase, Item};

use crate::{Memory, MemoryError, holds_every_word, search::Hit, versions};

/// The maximum number of memories that one search forgets.
const FOUND: usize = 20;

/// A search limit above the number of memories about one subject.
const EVERYTHING: usize = 10_000;

/// The least relevance at which a hit counts as the one that the person names; a lower hit only resembles the query.
const CLOSE: f32 = 0.75;

/// The file in the data directory with the lines typed at the prompt of the terminal chat.
pub const PROMPT_HISTORY: &str = "history.txt";

/// The memories that a person wants forgotten, found by a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForgetTargets {
    /// The found memories, best first, each in its newest version.
    pub hits: Vec<Hit>,
    /// The ids to forget: the found memories and their other versions, which contain the same information.
    pub ids: Vec<MemoryId>,
}

impl Memory {
    /// Finds the memories that `query` describes. With `global` only global memories are found. With `unseen` the
    /// caller forgets without a confirmation, so a hit must contain every word of the query.
    pub async fn find_to_forget(
        &self,
        viewer: &Viewer,
        query: &str,
        global: bool,
        unseen: bool,
    ) -> Result<ForgetTargets, MemoryError> {
        // the search also finds messages, which are skipped
        let hits = self.search(viewer, query, EVERYTHING).await?.hits.into_iter();
        let hits: Vec<Hit> = hits
            .filter(|hit| matches!(&hit.item, Item::Memory(m) if !global || m.scope == Scope::Global))
            .filter(|hit| holds_every_word(hit.item.text(), query) || (!unseen && hit.score >= CLOSE))
            .take(FOUND)
            .collect();
        // a search returns only the newest version
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

/// Whether the prompt history may contain what is to be erased. The history does not record who typed a line in which
/// chat.
pub fn wrote_at_the_prompt(what: &Erase) -> bool {
    match what {
        Erase::Person(person) => person.provider() == Platform::Terminal.as_str(),
        Erase::Channel(channel) => channel.platform() == Some(Platform::Terminal),
        // only the operator types at the prompt
        Erase::Own { .. } | Erase::Message(_) | Erase::Older { .. } => false,
    }
}

/// Deletes the prompt history in a data directory. Returns false if there was none.
///
/// # Errors
/// The error of the file system.
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
