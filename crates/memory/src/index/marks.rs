//! Up to where in the journal nothing waits for a vector: what was written before need not be looked at.
//!
//! A mark once true stays true, with any writer: a text loses its vector only by a change that the journal
//! names. So runs that overlap set marks in any order.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use greenroom_core::PersonaName;
use greenroom_store::VectorSpace;

/// Sets of personas and spaces that have a mark; there are as many as casts were reloaded.
const MARKS: usize = 32;

/// Whose texts in which space; everybody's without personas.
type Key = (VectorSpace, Option<Vec<PersonaName>>);

/// The ends of the journal at which the last runs began that left nothing waiting.
#[derive(Default)]
pub(crate) struct Marks(Mutex<HashMap<Key, i64>>);

impl Marks {
    /// Where the last run began, if it left nothing.
    pub(crate) fn get(&self, space: &VectorSpace, of: Option<&[PersonaName]>) -> Option<i64> {
        self.lock().get(&key(space, of)).copied()
    }

    /// Notes where a run began that left nothing; without, the next one looks at everything.
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
