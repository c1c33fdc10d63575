//! Tests of the SQLite store: the cases that every backend passes, and faults of files and disks.

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
