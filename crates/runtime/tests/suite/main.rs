//! The runtime from outside: a real SQLite store, real memory, and a model that says what the test
//! tells it to, when the test tells it to. Nothing here sleeps; every wait is for an event.

// clippy knows the tests themselves, not the hands that help them
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
