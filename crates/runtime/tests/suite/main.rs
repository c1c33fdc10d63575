//! The runtime from outside, with a real SQLite store and real memory. The test controls what the model says, and when.
//! Nothing here sleeps; every wait is for an event.

// clippy recognises test functions, but not their helpers
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod capture;
mod completions;
mod costs;
mod faults;
mod floor;
mod forgetting;
mod house;
mod lifecycle;
mod memory;
mod moderated;
mod prefix;
mod presence;
mod reminded;
mod repeating;
mod retrying;
mod rooms;
mod seeds;
mod summaries;
mod talking;
mod turns;
