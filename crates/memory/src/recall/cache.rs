//! The recall cache: the tool rounds and sub-turns of a turn share one recall (BD10, FG9). A turn recalls again only if
//! it asks with another `before`.
//!
//! Sub-turns that ask at the same time wait for the first one; no lock is held meanwhile. A degraded result is cached
//! too, so that an embedder that is down costs a turn one call. An error of the store is not cached, since it fails the
//! turn.

use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use greenroom_core::{MessageId, TurnId, Viewer};
use tokio::sync::OnceCell;

use crate::{MemoryError, Recalled};

/// How many turns the cache holds; far more than run at once.
const TURNS: usize = 256;

/// The recalls of the newest turns.
#[derive(Default)]
pub(crate) struct Cache(Mutex<Turns>);

#[derive(Default)]
struct Turns {
    recalls: HashMap<TurnId, Vec<Entry>>,
    oldest_first: VecDeque<TurnId>,
}

struct Entry {
    viewer: Viewer,
    before: Option<MessageId>,
    recalled: Arc<OnceCell<Recalled>>,
}

impl Cache {
    /// Returns what this turn recalled for this viewer. Calls `recall` if there is no cached result.
    pub(crate) async fn get<F>(
        &self,
        turn: TurnId,
        viewer: &Viewer,
        before: Option<MessageId>,
        recall: impl FnOnce() -> F,
    ) -> Result<Recalled, MemoryError>
    where
        F: Future<Output = Result<Recalled, MemoryError>>,
    {
        let cell = self.cell(turn, viewer, before);
        cell.get_or_try_init(recall).await.cloned()
    }

    /// Drops the cached recall of a turn.
    pub(crate) fn forget(&self, turn: TurnId) {
        let Turns { recalls, oldest_first } = &mut *self.turns();
        recalls.remove(&turn);
        oldest_first.retain(|known| *known != turn);
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cell(&self, turn: TurnId, viewer: &Viewer, before: Option<MessageId>) -> Arc<OnceCell<Recalled>> {
        let mut turns = self.turns();
        let Turns { recalls, oldest_first } = &mut *turns;
        let same = |entry: &&Entry| &entry.viewer == viewer && entry.before == before;
        if let Some(known) = recalls.get(&turn).and_then(|of_turn| of_turn.iter().find(same)) {
            return known.recalled.clone();
        }
        if !recalls.contains_key(&turn) {
            oldest_first.push_back(turn);
            if oldest_first.len() > TURNS
                && let Some(oldest) = oldest_first.pop_front()
            {
                recalls.remove(&oldest);
            }
        }
        let recalled = Arc::new(OnceCell::new());
        let entry = Entry { viewer: viewer.clone(), before, recalled: recalled.clone() };
        recalls.entry(turn).or_default().push(entry);
        recalled
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use greenroom_core::{Entropy, SystemEntropy};

    use super::*;
    use crate::tests::given::{ada, viewer};

    fn turn() -> TurnId {
        TurnId(SystemEntropy.uuid())
    }

    fn noted(note: &str) -> Recalled {
        Recalled { notes: vec![note.into()], ..Recalled::default() }
    }

    #[tokio::test]
    async fn fg9_a_turn_recalls_once_for_each_viewer() {
        let (cache, turn) = (Cache::default(), turn());
        let first = cache.get(turn, &ada(), None, || async { Ok(noted("first")) }).await.unwrap();
        let again = cache.get(turn, &ada(), None, || async { Ok(noted("again")) }).await.unwrap();
        assert_eq!((first, again), (noted("first"), noted("first")));
        let bert = viewer("bert", "terminal:default");
        assert_eq!(
            cache.get(turn, &bert, None, || async { Ok(noted("bert")) }).await.unwrap(),
            noted("bert")
        );
    }

    #[tokio::test]
    async fn fg9_sub_turns_that_ask_at_once_share_one_recall() {
        let (cache, turn, calls) = (Cache::default(), turn(), AtomicUsize::new(0));
        let ask = || {
            cache.get(turn, &ADA, None, || async {
                calls.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                Ok(noted("one"))
            })
        };
        static ADA: std::sync::LazyLock<Viewer> = std::sync::LazyLock::new(ada);
        let (a, b, c) = tokio::join!(ask(), ask(), ask());
        assert!([a, b, c].into_iter().all(|r| r.unwrap() == noted("one")));
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn fg9_only_so_many_turns_are_kept_and_the_oldest_goes() {
        let cache = Cache::default();
        let first = turn();
        for turn in std::iter::once(first).chain(std::iter::repeat_with(turn).take(TURNS)) {
            cache.get(turn, &ada(), None, || async { Ok(noted("kept")) }).await.unwrap();
        }
        assert_eq!(cache.0.lock().unwrap().recalls.len(), TURNS);
        assert_eq!(
            cache.get(first, &ada(), None, || async { Ok(noted("anew")) }).await.unwrap(),
            noted("anew")
        );
    }
}
