//! The personas there are. The cast is replaced as a whole when files change (hot reload).

use std::sync::{Arc, PoisonError, RwLock};

use greenroom_core::PersonaName;
use greenroom_persona::Persona;

/// The personas, in the order of their names.
pub(crate) type Cast = Arc<[Arc<Persona>]>;

/// The present cast.
pub(crate) struct CurrentCast(RwLock<Cast>);

impl CurrentCast {
    pub(crate) fn new(personas: Vec<Persona>) -> Self {
        Self(RwLock::new(sorted(personas)))
    }

    /// The cast as it is now.
    pub(crate) fn get(&self) -> Cast {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the cast.
    pub(crate) fn set(&self, personas: Vec<Persona>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = sorted(personas);
    }

    /// One persona.
    pub(crate) fn persona(&self, name: &PersonaName) -> Option<Arc<Persona>> {
        self.get().iter().find(|persona| &persona.name == name).cloned()
    }

    /// The personas with a memory. While there is none, nothing is indexed (FG17).
    pub(crate) fn remembering(&self) -> Vec<PersonaName> {
        let remembering = self.get();
        let remembering = remembering.iter().filter(|persona| persona.memory.enabled);
        remembering.map(|persona| persona.name.clone()).collect()
    }
}

fn sorted(mut personas: Vec<Persona>) -> Cast {
    personas.sort_by(|a, b| a.name.cmp(&b.name));
    personas.dedup_by(|a, b| a.name == b.name);
    personas.into_iter().map(Arc::new).collect()
}
