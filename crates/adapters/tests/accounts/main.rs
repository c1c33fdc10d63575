//! Accounts with a real runtime and a store in a file, on a scripted platform and on real servers of IRC, Matrix and
//! XMPP.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what stands in for the world may fail the test"
)]

mod again;
mod changing;
mod clients;
mod delivering;
mod homeserver;
mod house;
mod images;
mod irc;
mod matrix;
mod paper;
mod prosody;
mod scripted;
#[path = "../servers/mod.rs"]
mod servers;
mod several;
mod sharing;
mod taking;
mod xmpp;
