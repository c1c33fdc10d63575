//! What a room caches of its channel. It is read from the store with the first message, and kept while the room is
//! live.

use std::collections::{BTreeSet, HashMap};

use greenroom_core::{Author, Message, PersonaName, Timestamp};
use greenroom_store::{JoinReason, MembershipChange, StoreError};

use super::{RoomArgs, RoomState};
use crate::{floor::FloorWindow, presence::PresenceTracker, rooms::RoomLedger};

/// What a room caches of its channel.
pub(super) struct RoomCache {
    pub(super) presence: PresenceTracker,
    /// The personas that belong to the channel by their files and by settings.
    pub(super) belonging: Vec<(PersonaName, JoinReason)>,
    pub(super) ledger: RoomLedger,
    /// When each persona last spoke.
    pub(super) spoke_at: HashMap<PersonaName, Timestamp>,
    /// The recent conversation, read when a decision needs it.
    pub(super) window: Option<FloorWindow>,
    /// The personas among the members of the window.
    pub(super) in_window: BTreeSet<PersonaName>,
}

impl RoomArgs {
    /// The personas that belong to the channel by their files and by settings (RM1). The settings take precedence.
    pub(super) fn belonging(&self) -> Vec<(PersonaName, JoinReason)> {
        let Self { services, channel, .. } = self;
        services.rooms.belonging(channel, services.cast.belonging(channel))
    }
}

impl RoomState {
    /// Takes the cache, or reads it from the store. The caller puts it back when all its writes are stored.
    pub(super) async fn take_cache(&mut self) -> Result<RoomCache, StoreError> {
        if let Some(cache) = self.cache.take() {
            return Ok(cache);
        }
        let RoomArgs { services, channel, .. } = &self.args;
        let erased = services.erasures.followed();
        let room = services.store.room(channel).await?;
        let history = services.store.history(channel, None, FloorWindow::LOOK_BACK).await?;
        let spoke_at = history.into_iter().filter_map(|message| match message.author {
            Author::Persona { name } => Some((name, message.at)),
            Author::User { .. } => None,
        });
        Ok(RoomCache {
            presence: PresenceTracker::of(room.members, erased),
            belonging: self.args.belonging(),
            ledger: RoomLedger::read(room.state.as_deref()),
            spoke_at: spoke_at.collect(),
            window: None,
            in_window: BTreeSet::new(),
        })
    }

    /// The recent conversation with these personas as members. Reads the history if it is not cached.
    pub(super) async fn window<'a>(
        &self,
        cache: &'a mut RoomCache,
        personas: &BTreeSet<PersonaName>,
    ) -> Result<&'a mut FloorWindow, StoreError> {
        let RoomArgs { services, channel, .. } = &self.args;
        let known: Vec<_> = personas.iter().filter_map(|name| services.cast.persona(name)).collect();
        let known: Vec<_> = known.iter().map(|persona| &**persona).collect();
        let window = match cache.window.take() {
            Some(mut window) => {
                if cache.in_window != *personas {
                    window.set_personas(&known);
                }
                window
            }
            None => {
                let mut history = services.store.history(channel, None, FloorWindow::LOOK_BACK).await?;
                // held messages are stored already, but heard only when it is their turn
                history.retain(|said| self.held.iter().all(|held| held.envelope.message.id != said.id));
                FloorWindow::read(&history, &known, &cache.ledger)
            }
        };
        cache.in_window.clone_from(personas);
        Ok(cache.window.insert(window))
    }

    /// Stores at once who came and who went, after the cast changed or personas were stopped (GR2, RM1). A room without
    /// a cache reads with its first message who is present.
    pub(super) async fn note_presence(&mut self) {
        let Some(mut cache) = self.cache.take() else { return };
        cache.belonging = self.args.belonging();
        // personas may have another policy for answers now
        cache.in_window.clear();
        let change = cache.presence.change(&cache.belonging, |persona| self.why_away(persona));
        self.store_presence(&mut cache, change).await;
        self.cache = Some(cache);
    }

    pub(super) async fn store_presence(&self, cache: &mut RoomCache, change: MembershipChange) {
        if change.is_empty() {
            return;
        }
        let RoomArgs { services, channel, .. } = &self.args;
        match services.store.attend(channel, &change).await {
            Ok(()) => cache.presence.apply(change),
            Err(error) => {
                tracing::warn!(%channel, %error, "who came and who went is stored with the next message");
            }
        }
    }

    /// Reads presence again if something was erased since it was read: an erased channel has lost its presence too, and
    /// begins again with this message (GR2). `erased` is the newest erasure when the message was stored, if it is
    /// known; it saves a question to the store.
    pub(super) async fn refresh_presence(
        &self,
        cache: &mut RoomCache,
        message: &Message,
        erased: Option<i64>,
    ) {
        let RoomArgs { services, channel, .. } = &self.args;
        // a window that is read again differs from one that followed the conversation
        if !services.erasures.hides() {
            return;
        }
        let followed = services.erasures.followed();
        let erased = match erased {
            Some(erased) if erased <= followed => followed,
            _ => services.erasures.follow().await,
        };
        if cache.presence.erased == erased {
            return;
        }
        cache.window = None;
        let read = async {
            let mut presence = PresenceTracker::of(services.store.room(channel).await?.members, erased);
            let change = presence.change(&cache.belonging, |persona| self.why_away(persona));
            for (persona, _) in &change.joins {
                services.store.enter(persona, channel, message.id).await?;
            }
            presence.apply(MembershipChange { leaves: Vec::new(), ..change });
            Ok::<_, StoreError>(presence)
        };
        match read.await {
            Ok(presence) => cache.presence = presence,
            // the next message tries again
            Err(error) => tracing::warn!(%channel, %error, "who is present is read with the next message"),
        }
    }
}
