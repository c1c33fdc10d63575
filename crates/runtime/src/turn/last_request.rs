//! The last request of one persona in one channel. A server may reuse its work on the part of the next request that
//! begins the same (GR5).

use std::sync::{Arc, Mutex, PoisonError};

use greenroom_context::{Outline, reusable_prefix};

/// Kept by the room and shared with each turn. It keeps an outline alone, because a request may be as long as a model's
/// window.
#[derive(Clone, Default)]
pub(crate) struct LastRequest(Arc<Mutex<Option<Outline>>>);

impl LastRequest {
    /// The share of a request that begins like the last one; `None` before the first.
    pub(crate) fn share_of(&self, request: &Outline) -> Option<f32> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().map(|last| reusable_prefix(last, request))
    }

    /// Records the request that is sent.
    pub(crate) fn sent(&self, request: Outline) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
    }
}
