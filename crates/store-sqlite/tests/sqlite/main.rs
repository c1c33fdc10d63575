//! The SQLite store: the cases every backend passes, and what only a file on a disk can suffer.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the lints let tests do so, but not their helpers")]

mod erasing;
mod faults;
mod forgetting;
mod given;
mod model;
mod opening;
mod processes;
mod transfer;
mod writer;

use given::fresh;

greenroom_store::store_suite!(fresh);
