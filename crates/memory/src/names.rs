//! The names of those who speak in a channel: kept out of what is embedded and looked for, since
//! they stand in every other message and say who, not what. Who spoke is a field of a message.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use greenroom_core::ChannelKey;
use greenroom_index::{Names, without_names};
use greenroom_store::{Place, StoreError};

use crate::Memory;

/// So long a channel's names are taken as known; whoever came since is a name a moment later.
const FRESH: Duration = Duration::from_secs(30);

/// Channels whose names are kept.
const CHANNELS: usize = 1_000;

/// The names of the channels that were looked at lately.
#[derive(Default)]
pub(crate) struct NamesCache(Mutex<HashMap<ChannelKey, (Instant, Arc<Names>)>>);

impl Memory {
    /// The names of those who spoke in a channel.
    pub(crate) async fn names(&self, channel: &ChannelKey) -> Result<Arc<Names>, StoreError> {
        let NamesCache(cache) = &self.shared.names;
        {
            let known = cache.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, names)) = known.get(channel).filter(|(at, _)| at.elapsed() < FRESH) {
                return Ok(names.clone());
            }
        }
        let names = Arc::new(Names::new(self.store.participants(channel).await?));
        let mut known = cache.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= CHANNELS {
            known.clear();
        }
        known.insert(channel.clone(), (Instant::now(), names.clone()));
        Ok(names)
    }

    /// A text as it is embedded: that of a message without the names of its channel. A memory names
    /// whom it speaks of, and no field does; so its names stay.
    pub(crate) async fn embedded_text(&self, place: &Place, text: &str) -> Result<String, StoreError> {
        Ok(match place {
            Place::Messages(channel) => nameless(text, &*self.names(channel).await?),
            Place::Memories(..) => text.to_owned(),
        })
    }
}

/// A text without names; one that is nothing but names stays as it is.
pub(crate) fn nameless(text: &str, names: &Names) -> String {
    let without = without_names(text, names);
    if without.chars().any(char::is_alphanumeric) { without } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_nothing_but_names_stays_as_it_is() {
        let names = Names::new(["Ada", "Jo"]);
        assert_eq!(nameless("Ada, where does Jo live?", &names), "where does live?");
        assert_eq!(nameless("Ada!", &names), "Ada!");
    }
}
