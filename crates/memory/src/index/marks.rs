//! Marks of completed indexing: the journal positions before which no text lacks a vector, so that a run need not check
//! older texts.
//!
//! A mark stays valid when any process writes: a text loses its vector only by a change that the journal contains.
//! Therefore concurrent runs may set marks in any order.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use greenroom_core::PersonaName;
use greenroom_store::VectorSpace;

/// The maximum number of marks. Each reload of the cast can add one.
const MARKS: usize = 32;

/// A vector space and the personas whose texts are embedded; `None` for all personas.
type Key = (VectorSpace, Option<Vec<PersonaName>>);

/// The journal's end at the beginning of the last complete run, per key.
#[derive(Default)]
pub(crate) struct Marks(Mutex<HashMap<Key, i64>>);

impl Marks {
    /// The mark of the last run, if that run was complete.
    pub(crate) fn get(&self, space: &VectorSpace, of: Option<&[PersonaName]>) -> Option<i64> {
        self.lock().get(&key(space, of)).copied()
    }

    /// Sets the mark of a complete run. `None` removes it, so that the next run checks everything.
    pub(crate) fn set(&self, space: &VectorSpace, of: Option<&[PersonaName]>, mark: Option<i64>) {
        let mut marks = self.lock();
        let key = key(space, of);
        match mark {
            None => {
                marks.remove(&key);
            }
            Some(mark) => {
                if marks.len() >= MARKS && !marks.contains_key(&key) {
                    marks.clear();
                }
                marks.insert(key, mark);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(space: &VectorSpace, of: Option<&[PersonaName]>) -> Key {
    (space.clone(), of.map(<[_]>::to_vec))
}
