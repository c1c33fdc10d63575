//! Those who speak in a channel. Their names are kept out of what is embedded and looked for, since
//! they stand in every other message and say who, not what; who spoke is a field of a message. Where a name is
//! shown, it is the label of one speaker alone (RM7).

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};

use greenroom_context::{A_PERSON, ReservedNames};
use greenroom_core::{Author, ChannelKey, Instant, Memory as Stored, Scope, Viewer};
use greenroom_index::{Names, without_names};
use greenroom_lang::Addressees;
use greenroom_store::{Item, Place, StoreError};

use crate::{Memory, RecalledItem, searched::searched};

/// So long a channel's names are taken as known; a person who came since is a name a moment later.
const FRESH: Duration = Duration::from_secs(30);

/// Channels whose names are kept.
const CHANNELS: usize = 1_000;

/// Those who speak in a channel.
#[derive(Default)]
pub(crate) struct Speakers {
    /// As the store has them.
    authors: Vec<Author>,
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

impl Speakers {
    fn of(authors: Vec<Author>, reserved: Arc<ReservedNames>) -> Self {
        let list: BTreeSet<_> = authors.iter().map(|author| author.name().to_owned()).collect();
        let list = Vec::from_iter(list);
        let is_persona = |author: &&Author| matches!(author, Author::Persona { .. });
        let personas = authors.iter().filter(is_persona).map(|author| author.name().to_owned()).collect();
        let labels = Arc::new(greenroom_context::Speakers::new(reserved, &authors));
        Self { authors, names: Names::new(&list), list, personas, labels }
    }
}

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
    /// `cast` has the name and the shown name of each persona.
    pub fn reserve_names<'a>(&self, cast: impl IntoIterator<Item = [&'a str; 2]>) {
        let names: Vec<[&str; 2]> = cast.into_iter().collect();
        let CastNames(cast) = &self.shared.cast_names;
        let reserved = Arc::new(ReservedNames::new(names.iter().copied()));
        let addressees = Arc::new(Addressees::new(names.iter().flatten().copied()));
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

    /// Gives the messages among `items` the labels of their speakers, and the memories the labels of their source
    /// persons. `asker` is the name of the viewer's person. The channel's labels are cached.
    pub(crate) async fn label(
        &self,
        viewer: &Viewer,
        asker: Option<&str>,
        items: &mut [RecalledItem],
    ) -> Result<(), StoreError> {
        let names_person = |item: &Item| match item {
            Item::Message(_) => true,
            Item::Memory(memory) => memory.source.user.is_some(),
        };
        if !items.iter().any(|recalled| names_person(&recalled.item)) {
            return Ok(());
        }
        let author = |recalled: &RecalledItem| match &recalled.item {
            Item::Message(message) => Some(message.author.clone()),
            Item::Memory(_) => None,
        };
        let authors: Vec<_> = items.iter().filter_map(author).collect();
        let labels = self.labels(viewer.channel(), authors.iter()).await?;
        // the person of a conversation that is no channel's has spoken nowhere
        let asker = viewer.user().zip(asker).filter(|(id, _)| labels.label_of_person(id).is_none());
        let asker = asker.map(|(id, name)| Author::User { id: id.clone(), name: name.to_owned() });
        let labels = labels.with(asker.iter());
        for RecalledItem { item, from, .. } in items {
            match item {
                Item::Message(message) => {
                    if let Some(author) = labels.labelled(&message.author) {
                        message.author = author;
                    }
                }
                Item::Memory(memory) => *from = source_label(&labels, viewer, memory),
            }
        }
        Ok(())
    }

    /// The label of each memory's source person in the viewer's channel (RM7), or [`A_PERSON`] where the person has
    /// none there; `None` for a memory that was learned from no person.
    ///
    /// # Errors
    /// The store's.
    pub async fn source_labels(
        &self,
        viewer: &Viewer,
        memories: &[Stored],
    ) -> Result<Vec<Option<String>>, StoreError> {
        let labels = &self.speakers(viewer.channel()).await?.labels;
        Ok(memories.iter().map(|memory| source_label(labels, viewer, memory)).collect())
    }

    /// Those who spoke in a channel.
    pub(crate) async fn speakers(&self, channel: &ChannelKey) -> Result<Arc<Speakers>, StoreError> {
        let SpeakersCache(cache) = &self.shared.speakers;
        let known = cache.lock().unwrap_or_else(PoisonError::into_inner).get(channel).cloned();
        if let Some((_, speakers)) = known.as_ref().filter(|(at, _)| self.clock.elapsed(*at) < FRESH) {
            return Ok(speakers.clone());
        }
        let reserved = self.shared.cast_names.get();
        let authors = self.store.participants(channel).await?;
        let same = |known: &Arc<Speakers>| known.authors == authors && known.labels.reserves(&reserved);
        let unchanged = known.map(|(_, speakers)| speakers).filter(same);
        let speakers = unchanged.unwrap_or_else(|| Speakers::of(authors, reserved).into());
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
            Place::Memories(_, scope) => searched(scope, text).into_owned(),
        })
    }
}

/// The label of a memory's source person for a viewer. An id belongs to a platform: the id in a memory of another
/// platform, or in one that is valid everywhere, can be another person's here.
fn source_label(labels: &greenroom_context::Speakers, viewer: &Viewer, memory: &Stored) -> Option<String> {
    let user = memory.source.user.as_ref()?;
    let label = match &memory.scope {
        Scope::Channel(of) if of == viewer.channel() => labels.label_of_person(user),
        // a viewer sees no other person's; the account may be a linked one
        Scope::User(person) | Scope::Private(person)
            if person.as_str().split_once(':').is_some_and(|(_, id)| id == user.as_str()) =>
        {
            viewer.user().and_then(|user| labels.label_of_person(user))
        }
        Scope::User(person) | Scope::Private(person) if person.provider() == viewer.channel().provider() => {
            labels.label_of_person(user)
        }
        _ => None,
    };
    Some(label.unwrap_or(A_PERSON).to_owned())
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
