//! Accounts over a real runtime and a store in a file: with a platform on paper, and with real IRC servers and a
//! real homeserver of Matrix.

// clippy knows the tests themselves, not the hands that help them
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod delivering;
mod house;
mod irc;
mod matrix;
mod paper;
mod taking;
