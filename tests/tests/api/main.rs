//! The server's API from outside: the real binary, real sockets, a real store.
// helpers of tests say what is wrong by panicking
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod access;
mod events;
mod forgetting;
mod limits;
mod memories;
mod person;
mod served;
mod speakers;
