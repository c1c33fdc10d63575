//! Names of the speakers of a channel. Names are removed from texts before they are embedded or searched: they are in
//! every other message and say nothing about its subject. The author is a separate field of a message. Where a name is
//! shown, it is a label that belongs to one speaker alone (RM7).

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};

use greenroom_context::{A_PERSON, ReservedNames};
use greenroom_core::{Author, ChannelKey, Instant, Memory as Stored, Scope, Viewer};
use greenroom_index::{Names, question_without_names, without_names};
use greenroom_lang::Addressees;
use greenroom_store::{Item, Place, StoreError};

use crate::{Memory, RecalledItem, searched::searched};

/// How long the names of a channel are cached. The name of a new person is known after this time at the latest.
const FRESH: Duration = Duration::from_secs(30);

/// How many channels the cache holds.
const CHANNELS: usize = 1_000;

/// The speakers of a channel.
#[derive(Default)]
pub(crate) struct Speakers {
    /// The authors, as the store returns them.
    authors: Vec<Author>,
    /// Each author's name once.
    pub(crate) list: Vec<String>,
    /// The same names, prepared for a search in texts.
    pub(crate) names: Names,
    /// The names that belong to personas.
    pub(crate) personas: Vec<String>,
    /// The shown label of each speaker.
    pub(crate) labels: Arc<greenroom_context::Speakers>,
}

/// The names of the loaded personas.
#[derive(Default)]
pub(crate) struct CastNames(RwLock<Cast>);

#[derive(Clone, Default)]
struct Cast {
    /// Names that a person cannot have as a label without a number.
    reserved: Arc<ReservedNames>,
    /// The names with which messages address personas.
    addressees: Arc<Addressees>,
}

/// The speakers of recently used channels.
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

    /// The text of a message without the names that it addresses (MP4, MP6).
    pub(crate) fn without_addresses<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let addressees = self.0.read().unwrap_or_else(PoisonError::into_inner).addressees.clone();
        addressees.without_addresses(text)
    }

    /// A message without the names that it addresses and without a greeting; empty if it only greets (MP5).
    pub(crate) fn without_greeting<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let addressees = self.0.read().unwrap_or_else(PoisonError::into_inner).addressees.clone();
        addressees.without_greeting(text)
    }

    /// A question without names and greeting; the whole question if it only greets.
    pub(crate) fn question<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let question = self.without_greeting(text);
        if question.trim().is_empty() { text.into() } else { question }
    }
}

impl Memory {
    /// Sets the names of the cast and clears the cache of speakers, because labels depend on the cast. `cast` has the
    /// name and the display name of each persona.
    pub fn reserve_names<'a>(&self, cast: impl IntoIterator<Item = [&'a str; 2]>) {
        let names: Vec<[&str; 2]> = cast.into_iter().collect();
        let CastNames(cast) = &self.shared.cast_names;
        let reserved = Arc::new(ReservedNames::new(names.iter().copied()));
        let addressees = Arc::new(Addressees::new(names.iter().flatten().copied()));
        *cast.write().unwrap_or_else(PoisonError::into_inner) = Cast { reserved, addressees };
        let SpeakersCache(cache) = &self.shared.speakers;
        cache.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns the labels of a channel's speakers, `authors` among them, for names before texts (RM7). If one of the
    /// authors is new, the speakers are read again: a label depends on all earlier speakers.
    ///
    /// # Errors
    /// Only a failing store is an error.
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

    /// Like [`Self::labels`], for a conversation that belongs to no channel.
    pub fn no_labels(&self) -> Arc<greenroom_context::Speakers> {
        greenroom_context::Speakers::new(self.shared.cast_names.get(), &[]).into()
    }

    /// Sets the labels of the messages' authors, and of the memories' source persons, in `items`. `asker` is the name
    /// of the viewer's person. The channel's labels are cached.
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
        // the person of a conversation outside of channels is no speaker of any channel
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

    /// The label of each memory's source person in the viewer's channel (RM7), or [`A_PERSON`] if the person has none
    /// there. `None` for a memory that was learned from no person.
    ///
    /// # Errors
    /// Only a failing store is an error.
    pub async fn source_labels(
        &self,
        viewer: &Viewer,
        memories: &[Stored],
    ) -> Result<Vec<Option<String>>, StoreError> {
        let labels = &self.speakers(viewer.channel()).await?.labels;
        Ok(memories.iter().map(|memory| source_label(labels, viewer, memory)).collect())
    }

    /// The speakers of a channel, from the cache if it is fresh.
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

    /// A text as it is embedded. Names of the channel's speakers are removed from a message. They stay in a memory,
    /// because no field of a memory names the person that it is about.
    pub(crate) async fn embedded_text(&self, place: &Place, text: &str) -> Result<String, StoreError> {
        Ok(match place {
            Place::Messages(channel) => nameless(text, &self.speakers(channel).await?.names),
            Place::Memories(_, scope) => searched(scope, text).into_owned(),
        })
    }
}

/// The label of a memory's source person for a viewer. A user id is unique only on its platform. The id in a memory of
/// another platform, or in a global memory, may be another person's id here.
fn source_label(labels: &greenroom_context::Speakers, viewer: &Viewer, memory: &Stored) -> Option<String> {
    let user = memory.source.user.as_ref()?;
    let label = match &memory.scope {
        Scope::Channel(of) if of == viewer.channel() => labels.label_of_person(user),
        // a viewer sees no other person's memories; the account may be a linked one
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

/// A text without names. A text that consists of names alone stays as it is.
pub(crate) fn nameless(text: &str, names: &Names) -> String {
    unless_empty(without_names(text, names), text)
}

/// The same for a question, from which short forms of names are removed too (MP5).
pub(crate) fn nameless_question(text: &str, names: &Names) -> String {
    unless_empty(question_without_names(text, names), text)
}

fn unless_empty(without: String, text: &str) -> String {
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
