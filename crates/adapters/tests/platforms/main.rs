//! The adapters against servers: fakes that enforce the rules of Discord, Telegram, Slack and a bridge, and real
//! servers of IRC, Matrix and XMPP (AD2, AD3).
//!
//! `conformance.rs` is one list of cases for all platforms. `length.rs` covers many events with faults. The other files
//! cover what only one platform has.

// clippy recognises test functions but not their helper functions
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod calling;
mod conformance;
mod discord;
mod images;
mod ingress;
mod length;
mod real;
mod secrets;
#[path = "../servers/mod.rs"]
mod servers;
mod slack;
mod slack_events;
mod stage;
mod telegram;
mod third_party;
mod world;
mod xmpp;
