//! The SQLite store: the cases every backend passes, and what only a file on a disk can suffer.

mod faults;
mod forgetting;
mod given;
mod opening;
mod processes;
mod writer;

use given::fresh;

greenroom_store::store_suite!(fresh);
