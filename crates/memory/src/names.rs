//! Those who speak in a channel. Their names are kept out of what is embedded and looked for, since
//! they stand in every other message and say who, not what; who spoke is a field of a message. Where a name is
//! shown, it is the label of one speaker alone (RM7).

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};

use greenroom_context::ReservedNames;
use greenroom_core::{Author, ChannelKey, Instant, Message};
use greenroom_index::{Names, without_names};
use greenroom_lang::Addressees;
use greenroom_store::{Item, Place, StoreError};

use crate::Memory;

/// So long a channel's names are taken as known; a person who came since is a name a moment later.
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
    /// Those of them that are personas.
    pub(crate) personas: Vec<String>,
    /// What each is called.
    pub(crate) labels: Arc<greenroom_context::Speakers>,
}

/// The names of the cast.
#[derive(Default)]
pub(crate) struct CastNames(RwLock<Cast>);

#[derive(Clone, Default)]
struct Cast {
    /// The names that no person has to themselves.
    reserved: Arc<ReservedNames>,
    /// The names that messages address.
    addressees: Arc<Addressees>,
}

/// The speakers of the channels that were looked at lately.
#[derive(Default)]
pub(crate) struct SpeakersCache(Mutex<HashMap<ChannelKey, (Instant, Arc<Speakers>)>>);

impl CastNames {
    fn get(&self) -> Arc<ReservedNames> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).reserved.clone()
    }

    /// What a message says without the names that it addresses (MP4, MP6).
    pub(crate) fn left_out_of<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let addressees = self.0.read().unwrap_or_else(PoisonError::into_inner).addressees.clone();
        addressees.left_out_of(text)
    }
}

impl Memory {
    /// Says who the cast is. What people are called is found anew.
    pub fn reserve_names<'a>(&self, names: impl IntoIterator<Item = &'a str> + Clone) {
        let CastNames(cast) = &self.shared.cast_names;
        let reserved = Arc::new(ReservedNames::new(names.clone()));
        let addressees = Arc::new(Addressees::new(names));
        *cast.write().unwrap_or_else(PoisonError::into_inner) = Cast { reserved, addressees };
        let SpeakersCache(cache) = &self.shared.speakers;
        cache.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What those who spoke in a channel are called wherever names stand before texts (RM7), `authors` among them. Where
    /// one of them is new, the speakers are read again: a label depends on all who spoke before.
    ///
    /// # Errors
    /// The store's.
    pub async fn labels<'a>(
        &self,
        channel: &ChannelKey,
        authors: impl Iterator<Item = &'a Author> + Clone,
    ) -> Result<Arc<greenroom_context::Speakers>, StoreError> {
        let mut labels = self.speakers(channel).await?.labels.clone();
        if !authors.clone().all(|author| labels.knows(author)) {
            let SpeakersCache(cache) = &self.shared.speakers;
            cache.lock().unwrap_or_else(PoisonError::into_inner).remove(channel);
            labels = self.speakers(channel).await?.labels.clone();
        }
        Ok(match labels.with(authors) {
            Cow::Borrowed(_) => labels,
            Cow::Owned(all) => all.into(),
        })
    }

    /// The same of a conversation that is no channel's.
    pub fn no_labels(&self) -> Arc<greenroom_context::Speakers> {
        greenroom_context::Speakers::new(self.shared.cast_names.get(), &[]).into()
    }

    /// Gives the messages among `items` the labels of their speakers. All of them are of `channel`.
    pub(crate) async fn label<'a>(
        &self,
        channel: &ChannelKey,
        items: impl Iterator<Item = &'a mut Item>,
    ) -> Result<(), StoreError> {
        let said: Vec<&mut Message> = items
            .filter_map(|item| match item {
                Item::Message(message) => Some(message),
                Item::Memory(_) => None,
            })
            .collect();
        if said.is_empty() {
            return Ok(());
        }
        let authors: Vec<_> = said.iter().map(|message| message.author.clone()).collect();
        let labels = self.labels(channel, authors.iter()).await?;
        for message in said {
            if let Some(author) = labels.labelled(&message.author) {
                message.author = author;
            }
        }
        Ok(())
    }

    /// Those who spoke in a channel.
    pub(crate) async fn speakers(&self, channel: &ChannelKey) -> Result<Arc<Speakers>, StoreError> {
        let SpeakersCache(cache) = &self.shared.speakers;
        {
            let known = cache.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, speakers)) = known.get(channel).filter(|(at, _)| self.clock.elapsed(*at) < FRESH)
            {
                return Ok(speakers.clone());
            }
        }
        let authors = self.store.participants(channel).await?;
        let list: BTreeSet<_> = authors.iter().map(|author| author.name().to_owned()).collect();
        let list = Vec::from_iter(list);
        let is_persona = |author: &&Author| matches!(author, Author::Persona { .. });
        let personas = authors.iter().filter(is_persona).map(|author| author.name().to_owned()).collect();
        let reserved = self.shared.cast_names.get();
        let labels = Arc::new(greenroom_context::Speakers::new(reserved, &authors));
        let speakers = Arc::new(Speakers { names: Names::new(&list), list, personas, labels });
        let mut known = cache.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= CHANNELS {
            known.clear();
        }
        known.insert(channel.clone(), (self.clock.instant(), speakers.clone()));
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
