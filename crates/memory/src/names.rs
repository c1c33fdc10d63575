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

/// Those who speak in a channel.
#[derive(Default)]
pub(crate) struct Speakers {
    /// Each once, as the authors of messages are called.
    pub(crate) list: Vec<String>,
    /// The same, to look for.
    pub(crate) names: Names,
}

/// The speakers of the channels that were looked at lately.
#[derive(Default)]
pub(crate) struct SpeakersCache(Mutex<HashMap<ChannelKey, (Instant, Arc<Speakers>)>>);

impl Memory {
    /// Those who spoke in a channel.
    pub(crate) async fn speakers(&self, channel: &ChannelKey) -> Result<Arc<Speakers>, StoreError> {
        let SpeakersCache(cache) = &self.shared.speakers;
        {
            let known = cache.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, speakers)) = known.get(channel).filter(|(at, _)| at.elapsed() < FRESH) {
                return Ok(speakers.clone());
            }
        }
        let list = self.store.participants(channel).await?;
        let speakers = Arc::new(Speakers { names: Names::new(&list), list });
        let mut known = cache.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= CHANNELS {
            known.clear();
        }
        known.insert(channel.clone(), (Instant::now(), speakers.clone()));
        Ok(speakers)
    }

    /// A text as it is embedded: that of a message without the names of its channel. A memory names
    /// whom it speaks of, and no field does; so its names stay.
    pub(crate) async fn embedded_text(&self, place: &Place, text: &str) -> Result<String, StoreError> {
        Ok(match place {
            Place::Messages(channel) => nameless(text, &self.speakers(channel).await?.names),
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
