//! The adapters of Discord, Telegram and Slack against servers that enforce the rules of their platforms (AD2, AD3).
//!
//! `conformance.rs` runs the same cases over all of them, `length.rs` many events with faults; the other files hold what one platform alone has.

// clippy knows the tests themselves, not the hands that help them
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod conformance;
mod discord;
mod length;
mod secrets;
mod slack;
mod stage;
mod telegram;
