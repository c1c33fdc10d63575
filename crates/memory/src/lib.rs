//! Recall and capture: what a persona remembers, and how it comes back.
//!
//! Recall reads straight from the store, off any mailbox; writing and embedding go through here
//! too, so that thresholds, trust and duplicates are decided in one place.

mod memory;
mod recall;

pub use memory::{IndexReport, Memory, MemoryError, Remember, Remembered};
pub use recall::{Degraded, RecallRequest, Recalled, RecalledItem};
