//! What the fakes enforce (AD3). A fake that accepts everything proves nothing about an adapter.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers outside of tests as well

mod client;
mod discord;
mod slack;
mod telegram;
